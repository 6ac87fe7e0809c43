"""A package for a learning platform opens its link, in a frame of the platform's page."""

import pytest

from tests.export.test_scorm import LINK, files

# A platform as far as the package uses it: the page stands in a frame of it, or of a window that it opens; the
# API is the platform's.
PLATFORM = """<script>
const said = [], values = {};
window.API = {
  LMSInitialize: () => said.push('begin'), LMSGetValue: name => values[name] ?? 'not attempted',
  LMSSetValue: (name, value) => { values[name] = value; said.push(`${name}=${value}`); },
  LMSCommit: () => said.push('commit'), LMSFinish: () => said.push('end'),
};
</script>"""
FRAME = '<iframe src="index.html"></iframe>'


@pytest.mark.parametrize("popup", [False, True])
@pytest.mark.parametrize("link", [LINK, 'https://lab.example.org/?words="><script>alert(1)</script>'])
def test_the_page_opens_the_link_and_says_so_to_the_platform(link, popup, browser):
    inside = files("Similarity", link, "Open in a new tab")
    inside |= {"platform.html": PLATFORM + FRAME * (not popup), "popup.html": FRAME}

    def answer(route):
        name = route.request.url.rpartition("/")[2]
        route.fulfill(body=inside.get(name, ""), content_type="text/html", status=200)

    context = browser.new_context()
    context.route("**/*", answer)
    context.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page = around = context.new_page()
    page.goto("http://platform.test/platform.html")
    if popup:
        with page.expect_popup() as opened:
            page.evaluate("void open('popup.html')")
        around = opened.value
        around.wait_for_load_state()
    frame = around.frames[1]
    frame.wait_for_selector("iframe", state="attached")
    assert frame.locator("a").get_attribute("href") == frame.locator("iframe").get_attribute("src") == link
    assert page.evaluate("said") == ["begin", "cmi.core.lesson_status=completed", "commit"]
    context.close()
