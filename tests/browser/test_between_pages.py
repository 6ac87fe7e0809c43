"""Between two pages the reader sees the old one until the new one is drawn."""

import pytest
from playwright.sync_api import expect

from tests.browser.harness import arrived, menu_link

# What is seen at each frame: a picture of the page before, or the page that is there; "" where neither is whole.
# While a view transition takes its picture, the browser draws no frame.
# The picture stays however slow the machine is; a reader has it for 3 s at most.
PATIENT = "::view-transition-old(page) { animation-duration: 60s !important; }"
WATCH = """() => {
    const seen = window.seen = [], there = selector => document.querySelector(`[data-testid=stMain] ${selector}`);
    const look = () => {
        const pictured = document.activeViewTransition;
        const stage = there('[class*="-stage"][class*="st-key-"]:has([data-drawn])');
        const page = there('h1') && stage ? /st-key-(\\S+)-stage/.exec(stage.className)[1] : '';
        seen.push(pictured ? 'picture' : page);
        requestAnimationFrame(look);
    };
    look();
}"""


def came(page, name):
    """Wait for a page, and return whether a picture was seen before it, and never an empty window."""
    arrived(page, f"**/{name}*")
    page.wait_for_function("name => seen.at(-1) === name", arg=name)
    seen = page.evaluate("seen.splice(0)")
    return "picture" in seen and "" not in seen


def test_a_page_stays_until_the_next_one_is_drawn_from_menu_page_link_back_and_forward(open_page):
    page = open_page("similarity", alone=True)
    page.add_style_tag(content=PATIENT)
    page.evaluate(WATCH)
    menu_link(page, "values").click()
    assert came(page, "values")
    expect(menu_link(page, "values")).to_have_attribute("aria-current", "page")
    page.get_by_test_id("stPageLink-NavLink").last.click()
    assert came(page, "self_attention")
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollTop") == 0
    page.go_back(wait_until="commit")
    assert came(page, "values")
    page.go_forward(wait_until="commit")
    assert came(page, "self_attention")


def test_the_picture_takes_no_clicks_and_another_page_of_the_menu_may_be_chosen_meanwhile(open_page):
    page = open_page("similarity", alone=True)
    page.add_style_tag(content=PATIENT)
    page.evaluate(WATCH)
    first, second = (menu_link(page, name).element_handle() for name in ("softmax", "values"))
    page.evaluate("([first, second]) => { first.click(); setTimeout(() => second.click()); }", [first, second])
    assert came(page, "values")
    expect(page.get_by_role("heading", level=1)).to_have_text("Values")
    assert page.evaluate("document.documentElement.style.getPropertyValue('--turning')") == ""


@pytest.mark.parametrize("path", ["worksheets", "similarity?word=phone"])
def test_a_page_without_a_figure_and_a_link_to_the_same_page_end_what_they_begin(open_page, path):
    page = open_page("values")
    page.evaluate("path => labRuns.go(path)", f"/{path}")
    arrived(page, f"**/{path.partition('?')[0]}*")
    page.wait_for_function("!document.getAnimations().some(each => each.timeline === document.timeline)")
    assert page.evaluate("document.documentElement.style.getPropertyValue('--turning')") == ""


@pytest.mark.parametrize("name", ["long_texts", "own_attention", "test"])
def test_the_logo_is_whole_or_out_of_sight_where_the_menu_is_scrolled_to_its_page(open_page, name):
    page = open_page(name, width=1440, height=900)
    expect(page.locator('[data-testid="stSidebarNavLink"][aria-current]')).to_be_in_viewport(ratio=1)
    logo = page.get_by_test_id("stSidebarHeader").bounding_box()
    assert logo["y"] >= 0 or logo["y"] + logo["height"] <= 0
