"""Between two pages the reader sees the old one until the new one is drawn."""

import pytest
from playwright.sync_api import expect

from tests.browser.harness import arrived, settled

# What is seen at each frame: a picture of the page before, or the page that is there; "" where neither is whole.
# The picture stays however slow the machine is; a reader has it for 3 s at most.
PATIENT = "::view-transition-old(page) { animation-duration: 60s !important; }"
WATCH = """() => {
    const seen = window.seen = [], there = selector => document.querySelector(`[data-testid=stMain] ${selector}`);
    const look = () => {
        const pictured = document.getAnimations().some(
            ({ effect }) => effect.pseudoElement === '::view-transition-old(page)');
        const stage = there('[class*="-stage"][class*="st-key-"]:has([data-drawn])');
        const page = there('h1') && stage ? /st-key-(\\S+)-stage/.exec(stage.className)[1] : '';
        seen.push(pictured ? 'picture' : page);
        requestAnimationFrame(look);
    };
    look();
}"""


def link(page, name):
    return page.locator(f'[data-testid="stSidebarNavLink"][href$="/{name}"]')


def told(page):
    """Return what was seen since the last time, each once in a row."""
    seen = page.evaluate("seen.splice(0)")
    return [each for k, each in enumerate(seen) if k == 0 or each != seen[k - 1]]


def test_a_page_stays_until_the_next_one_is_drawn_from_menu_page_link_back_and_forward(open_page):
    page = open_page("similarity", alone=True)
    page.add_style_tag(content=PATIENT)
    page.evaluate(WATCH)
    link(page, "values").click()
    arrived(page, "**/values*")
    assert told(page) == ["similarity", "picture", "values"]
    expect(link(page, "values")).to_have_attribute("aria-current", "page")
    page.get_by_test_id("stPageLink-NavLink").last.click()
    arrived(page, "**/self_attention*")
    assert told(page) == ["values", "picture", "self_attention"]
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollTop") == 0
    page.go_back(wait_until="commit")
    arrived(page, "**/values*")
    assert told(page) == ["self_attention", "picture", "values"]
    page.go_back(wait_until="commit")
    arrived(page, "**/similarity*")
    page.go_forward(wait_until="commit")
    arrived(page, "**/values*")
    assert told(page) == ["values", "picture", "similarity", "picture", "values"]


def test_the_picture_takes_no_clicks_and_another_page_of_the_menu_may_be_chosen_meanwhile(open_page):
    page = open_page("similarity", alone=True)
    page.add_style_tag(content=PATIENT)
    page.evaluate(WATCH)
    first, second = (link(page, name).element_handle() for name in ("softmax", "values"))
    page.evaluate("([first, second]) => { first.click(); setTimeout(() => second.click()); }", [first, second])
    arrived(page, "**/values*")
    expect(page.get_by_role("heading", level=1)).to_have_text("Values")
    assert "" not in told(page)
    assert page.evaluate("document.documentElement.style.getPropertyValue('--turning')") == ""


@pytest.mark.parametrize("path", ["worksheets", "similarity?word=phone"])
def test_a_page_without_a_figure_and_a_link_to_the_same_page_end_what_they_begin(open_page, path):
    page = open_page("values")
    page.evaluate("path => labRuns.go(path)", f"/{path}")
    arrived(page, f"**/{path.partition('?')[0]}*")
    page.wait_for_function("!document.getAnimations().some(each => each.timeline === document.timeline)")
    assert page.evaluate("document.documentElement.style.getPropertyValue('--turning')") == ""


SCHEME = "getComputedStyle(document.querySelector('[data-testid=stApp]') ?? document.body).colorScheme"


def test_the_theme_that_is_chosen_holds_on_every_page_and_after_a_reload(open_page):
    page = open_page("similarity")
    button = page.get_by_role("button", name="Theme")

    def look(scheme):
        page.wait_for_function(f"scheme => {SCHEME} === scheme", arg=scheme)

    look("light")
    loaded = page.evaluate("performance.timeOrigin")
    button.click()
    look("dark")
    assert page.evaluate("performance.timeOrigin") == loaded
    expect(page.get_by_test_id("stMainMenuPopover")).to_have_count(0)
    link(page, "values").click()
    arrived(page, "**/values*")
    look("dark")
    for path in ("softmax", "worksheets"):
        page.goto(page.url.rpartition("/")[0] + f"/{path}")
        settled(page)
        look("dark")
    button.click()
    look("light")
    page.emulate_media(color_scheme="dark")
    look("dark")  # as the system


# Streamlit shows it after half a second of a run; here it stands there at once.
STATUS = """connection => {
    const app = document.querySelector('[data-testid=stApp]');
    const status = Object.assign(document.createElement('div'), { textContent: 'Stop' });
    status.dataset.testid = 'stStatusWidget';
    app.dataset.testConnectionState = connection;
    app.querySelector('[data-testid=stHeader]').append(status);
    return status.checkVisibility();
}"""


def test_streamlits_menu_and_its_sign_of_a_running_script_do_not_show(open_page):
    page = open_page("similarity?lang=de", alone=True)
    expect(page.get_by_test_id("stMainMenu")).to_be_hidden()
    page.evaluate("window.print = () => { window.printed = true }")
    asked = page.evaluate("labRuns.asked.length")
    page.get_by_role("button", name="Drucken").click()
    assert page.evaluate("printed && labRuns.asked.length") == asked
    expect(page.get_by_test_id("stSkipToContent")).to_have_text("Zum Inhalt springen")
    page.get_by_test_id("stSidebar").get_by_text("Über", exact=True).click()
    expect(page.get_by_text("Apache-Lizenz 2.0")).to_be_visible()
    assert not page.evaluate(STATUS, "CONNECTED")
    assert page.evaluate(STATUS, "DISCONNECTED")
