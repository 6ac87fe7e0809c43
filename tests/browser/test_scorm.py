"""A package for a learning platform opens its link, in a frame of the platform's page."""

import pytest

from tests.export.test_scorm import LINK, files

# A platform as far as the package uses it: the page stands in a frame, and the API is the outer window's.
PLATFORM = """<script>
const said = [], values = {};
window.API = {
  LMSInitialize: () => said.push('begin'), LMSGetValue: name => values[name] ?? 'not attempted',
  LMSSetValue: (name, value) => { values[name] = value; said.push(`${name}=${value}`); },
  LMSCommit: () => said.push('commit'), LMSFinish: () => said.push('end'),
};
</script><iframe src="index.html"></iframe>"""


@pytest.mark.parametrize("link", [LINK, 'https://lab.example.org/?words="><script>alert(1)</script>'])
def test_the_page_opens_the_link_and_says_so_to_the_platform(link, browser):
    inside = files("Similarity", link, "Open in a new tab") | {"platform.html": PLATFORM}

    def answer(route):
        name = route.request.url.rpartition("/")[2]
        route.fulfill(body=inside.get(name, ""), content_type="text/html", status=200)

    page = browser.new_page()
    page.route("**/*", answer)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto("http://platform.test/platform.html")
    frame = page.frames[1]
    frame.wait_for_selector("iframe", state="attached")
    assert frame.locator("a").get_attribute("href") == frame.locator("iframe").get_attribute("src") == link
    assert page.evaluate("said") == ["begin", "cmi.core.lesson_status=completed", "commit"]
    page.close()
