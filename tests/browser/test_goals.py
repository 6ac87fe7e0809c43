"""The goal in sight while one works, why it was met and the way on; what explains a number stands beside it."""

import pytest
from playwright.sync_api import expect

from tests.browser.hand import JAVASCRIPT, handle
from tests.browser.harness import rerun

WIDTHS = {390: 844, 1366: 768, 1920: 1080}


def card(page):
    return page.locator("section.goals").first


# Whether the whole card is in the window, below Streamlit's own head.
IN_SIGHT = f"""() => {{
  const card = {JAVASCRIPT}.all().find(e => e.matches('section.goals'))?.getBoundingClientRect();
  return card && card.left >= 0 && card.right <= innerWidth && card.top >= 50 && card.bottom <= innerHeight;
}}"""


def check_in_sight(page):
    """The goal stays in sight wherever the page is scrolled to; it is scrolled to the top again then."""
    expect(card(page)).to_contain_text("Try this")
    for part in (0.5, 1, 0):
        page.evaluate(
            "part => { const e = document.querySelector('[data-testid=stMain]');"
            "e.scrollTo({top: part * (e.scrollHeight - e.clientHeight), behavior: 'instant'}) }",
            part,
        )
        page.wait_for_function(IN_SIGHT, timeout=10_000)


def test_a_goal_that_a_link_sets_is_in_sight_before_the_guess_too(open_page):
    for width, height in WIDTHS.items():
        page = open_page("values?goal=middle&example=apple_unveiled&predict=1", width=width, height=height)
        page.wait_for_function(IN_SIGHT, timeout=10_000)
        expect(card(page)).to_contain_text("heat the scores")


def test_a_met_goal_says_why_and_leads_to_the_next(open_page):
    page = open_page("similarity?goal=right_angle")
    phone = handle(page, "phone")
    phone.focus()
    with rerun(page):
        for key in ("ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowDown"):
            phone.press(f"Shift+{key}")
    expect(card(page).locator(".note")).to_have_text("Met.")
    expect(card(page).locator(".why")).to_contain_text("no shadow")
    with rerun(page):
        card(page).get_by_role("button", name="Next goal").click()
    expect(card(page)).to_contain_text("twice")
    assert "goal=twice" in page.url
    expect(card(page).locator(".why")).to_be_hidden()
    with rerun(page):
        page.get_by_role("button", name="Reset", exact=True).click()
    assert "goal=twice" in page.url, "starting over is another try at the same"


@pytest.mark.parametrize(("name", "width", "number"), [("", 390, "query apple 1"), ("embeddings", 1440, None)])
def test_what_explains_a_number_stands_beside_it(open_page, name, width, number):
    page = open_page(name, width=width)
    if number:
        thing = page.locator(f"[data-value='{number}']")
    else:
        thing = page.locator("figure.heatmap [role=gridcell]").first
    thing.scroll_into_view_if_needed()
    thing.focus()
    tip = page.locator(".tip-box")
    expect(tip).to_be_visible()
    box, there = tip.bounding_box(), thing.bounding_box()
    gap = max(there["y"] - box["y"] - box["height"], box["y"] - there["y"] - there["height"])
    assert 0 <= gap <= 20, "above it or below it"
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert "e^" not in tip.inner_text(), "powers of e wait for Softmax"
