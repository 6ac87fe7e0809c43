"""The goal in sight while one works, why it was met and the way on; what explains a number stands beside it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hand import JAVASCRIPT, handle
from tests.browser.harness import arrived, axe, reload, rerun, rerun_by_click, rerun_by_key, settled

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
    expect(card(page)).to_contain_text("Goals")
    for part in (0.5, 1, 0):
        page.evaluate(
            "part => { const e = document.querySelector('[data-testid=stMain]');"
            "e.scrollTo({top: part * (e.scrollHeight - e.clientHeight), behavior: 'instant'}) }",
            part,
        )
        page.wait_for_function(IN_SIGHT)


def drag_step(page, start, end):
    """Drag the slider of the training's steps by the mouse."""
    slider = page.locator("[data-scrubber=step]")
    box, last = slider.bounding_box(), int(slider.get_attribute("max"))
    y, (first, then) = box["y"] + box["height"] / 2, (box["x"] + box["width"] * s / last for s in (start, end))
    page.mouse.move(first, y)
    page.mouse.down()
    page.mouse.move(then, y, steps=abs(end - start))
    page.mouse.up()


def test_a_goal_that_a_link_sets_is_in_sight_before_the_guess_too(open_page):
    for width, height in WIDTHS.items():
        page = open_page("values?goal=middle&example=apple_unveiled&predict=1", width=width, height=height)
        page.wait_for_function(IN_SIGHT)
        expect(card(page)).to_contain_text("Raise the temperature")


def test_the_first_move_is_ticked_and_leads_to_the_first_goal(open_page):
    page = open_page("similarity")
    expect(card(page).locator(".task.start")).to_be_visible()
    expect(card(page).get_by_text("Start", exact=True)).to_be_hidden()
    rerun_by_key(handle(page, "phone"), "ArrowLeft")
    expect(card(page).get_by_text("Start", exact=True)).to_be_visible()
    expect(card(page)).to_contain_text("until their cosine similarity is 0")
    expect(card(page).locator(".task.start")).to_be_hidden()
    reload(page)
    expect(card(page).get_by_text("Start", exact=True)).to_be_visible()
    expect(page.locator(".cue")).to_have_count(0)
    another = open_page(page.url.split("/", 3)[3])  # whose reader has moved nothing yet
    expect(card(another).locator(".task.start")).to_be_visible()
    expect(another.locator(".cue")).to_have_count(1)


def test_a_link_with_numbers_is_no_move_on_a_page_that_was_open_before(open_page):
    page = open_page("similarity")
    for link in ("lesson_plan", "similarity?vectors=0_3__2_2__2_-2"):
        page.evaluate(
            "link => { history.pushState(null, '', link); dispatchEvent(new PopStateEvent('popstate')); }", link
        )
        expect(page.locator("section.goals")).to_have_count(int("vectors" in link))
        settled(page)
    expect(page.locator("[data-value='dot apple phone']").first).to_have_attribute("data-exact", "0")
    expect(card(page).locator(".task.start")).to_be_visible()
    expect(card(page).get_by_text("Start", exact=True)).to_be_hidden()
    expect(card(page).locator(".choose.met")).to_have_count(0)


def test_a_goal_that_the_first_move_meets_is_told_with_its_reason_and_its_number_shows_it_again(open_page):
    page = open_page("train_a_head")
    task, why = card(page).locator(".task:not(.start)"), card(page).locator(".why")
    with rerun(page):
        drag_step(page, 0, 43)
    expect(why).to_contain_text(re.compile(r"At step \d+, all answers are right"))
    expect(task).to_be_visible()
    expect(task).to_contain_text("until every answer is right")
    first = card(page).get_by_role("button", name="Goals 1")
    first.click()
    expect(why).to_be_hidden()
    expect(task).to_be_visible()
    first.click()
    expect(why).to_be_visible()


def test_a_goal_that_is_passed_in_a_drag_is_said_to_be_reached_on_the_way(open_page):
    page = open_page("train_a_head?step=20")
    with rerun(page):
        drag_step(page, 20, 52)
    expect(page.locator("[data-value=accuracy]")).not_to_have_text("100%")
    expect(card(page).locator(".why")).to_contain_text("You passed through this goal while dragging. At step")


def test_a_met_goal_says_why_and_leads_to_the_next(open_page):
    page = open_page("similarity?goal=right_angle")
    phone = handle(page, "phone")
    phone.focus()
    with rerun(page):
        for key in ("ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowDown"):
            phone.press(f"Shift+{key}")
    expect(card(page).locator(".note")).to_have_text("Goal reached.")
    expect(card(page).locator(".why")).to_contain_text("the projection has no length")
    assert axe(page) == []
    rerun_by_click(card(page).get_by_role("button", name="Next goal"))
    expect(card(page)).to_contain_text("until their dot product reaches 16")
    assert "goal=twice" in page.url
    expect(card(page).locator(".why")).to_be_hidden()
    rerun_by_click(page.get_by_role("button", name="Reset", exact=True))
    assert "goal=twice" in page.url, "starting over is another try at the same"


def test_the_first_goal_can_be_read_before_anything_is_moved(open_file):
    page = open_file("similarity")
    start, goal = card(page).locator(".task.start"), card(page).locator(".task:not(.start)")
    expect(start).to_be_visible()
    card(page).locator("button.choose").first.click()
    expect(goal).to_be_visible()
    expect(start).to_be_hidden()


def test_a_goal_that_is_not_shown_is_not_ticked_and_one_met_before_has_to_be_missed_first(open_page):
    page = open_page("position?order=3_2_1")
    first, second, _ = card(page).locator("button.choose").all()
    rerun_by_click(page.get_by_text("sinusoidal (added)", exact=True))
    expect(second).not_to_have_class(re.compile("met"))
    rerun_by_click(second)
    expect(card(page).locator(".note")).to_have_text(
        "This goal is already met. Undo your change, then reach it again."
    )
    again = open_page(page.url.split("/", 3)[3])
    expect(card(again).locator(".note")).to_have_text(
        "This goal is already met. Change something first, then reach it again."
    )
    expect(second).not_to_have_class(re.compile("met"))
    for positions in ("off", "sinusoidal (added)"):
        rerun_by_click(page.get_by_text(positions, exact=True))
    expect(card(page).locator(".note")).to_have_text("Goal reached.")
    expect(second).to_have_class(re.compile("met"))
    expect(first).not_to_have_class(re.compile("met"))


def test_a_card_that_says_why_keeps_away_from_the_figure(open_page):
    page = open_page("similarity?goal=right_angle&vectors=0_3__2_2__-2_1.9")
    rerun_by_key(handle(page, "phone"), "ArrowUp")
    expect(card(page).locator(".why")).to_be_visible()
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("width => document.documentElement.clientWidth === width", arg=width)
        settled(page)
        figure = page.locator("[data-stage=similarity] .column:not(.pinned)").first.bounding_box()
        here = card(page).bounding_box()
        assert figure["y"] - here["y"] - here["height"] >= 8, width


def test_a_phone_on_its_side_keeps_its_window_for_the_figure(open_page):
    page = open_page("values", width=844, height=390)
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop = 600")
    settled(page)
    box = card(page).bounding_box()
    assert box["y"] + box["height"] <= 0, "the card has gone with its place"


@pytest.mark.parametrize(
    ("name", "width", "number"), [("?every_step=1", 390, "query apple 1"), ("embeddings", 1440, None)]
)
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


HINT = "drag the other word with the largest weight to the tech side"


@pytest.mark.parametrize("width", [1440, 390])
def test_two_moves_away_from_a_goal_bring_a_hint_that_stays_until_it_is_met(open_page, width):
    page = open_page("embeddings?goal=other_side", width=width, height=900)
    orange, goal = handle(page, "orange"), card(page)
    rerun_by_key(orange, "ArrowUp")
    expect(goal).not_to_contain_text(HINT)
    before = orange.bounding_box()
    rerun_by_key(orange, "ArrowUp")
    expect(goal).to_contain_text(HINT)
    if width > 640:
        assert orange.bounding_box()["x"] == before["x"]
        assert 0 < before["y"] - orange.bounding_box()["y"] < 20, "it has moved by its step alone"
    rerun_by_key(orange, "PageDown")
    expect(goal).to_contain_text(HINT)
    rerun_by_click(goal.get_by_role("button", name="Goals 1"))
    expect(goal).not_to_contain_text(HINT)


def test_the_card_keeps_its_height_while_a_pointer_is_down(open_page):
    page = open_page("embeddings?goal=other_side", width=390, height=900)
    orange, goal = handle(page, "orange"), card(page)
    rerun_by_key(orange, "ArrowUp")
    before = goal.bounding_box()["height"]
    goal.locator(".note").hover()
    page.mouse.down()
    rerun_by_key(orange, "ArrowUp")
    expect(goal).to_contain_text(HINT)
    assert goal.bounding_box()["height"] == before
    page.mouse.up()
    expect(goal).not_to_have_css("height", f"{before:g}px")
    assert goal.bounding_box()["height"] > before


def test_a_move_towards_a_goal_brings_no_hint(open_page):
    page = open_page("embeddings?goal=other_side")
    for _ in range(3):
        rerun_by_key(handle(page, "orange"), "ArrowDown")
    expect(card(page)).to_contain_text("Goal: more tech than fruit")
    expect(card(page)).not_to_contain_text("Hint")


def test_on_a_phone_the_live_number_stays_within_the_card(open_page):
    page = open_page("softmax?goal=cold", width=390, height=844)
    rerun_by_key(handle(page, "temperature"), "ArrowLeft")
    note, box = card(page).locator(".note").bounding_box(), card(page).bounding_box()
    said = re.compile(r"^Largest weight: [\d.]+% at temperature [\d.]+$")
    expect(card(page).locator(".note")).to_have_text(said)
    assert note["height"] < 30
    assert note["y"] >= box["y"]
    rerun_by_key(handle(page, "orange"), "ArrowUp")
    expect(card(page).locator(".note")).to_have_text("Choose “Back to cosine scores” first.")


def test_menu_and_cards_tick_a_page_once_all_its_goals_were_met_until_reset_all(open_page):
    page = open_page(first := "?goal=turn_away&vectors=0_-1__2_2__0.1_0")
    rerun_by_key(handle(page, "phone"), "ArrowLeft")
    rerun_by_click(page.get_by_role("button", name="Reset all"))
    expect(page.locator(".goals .choose.met")).to_have_count(0)
    rerun_by_key(handle(page, "phone"), "ArrowLeft")
    assert page.evaluate("localStorage.getItem('goals home')") is None, "it is met no more"
    page.goto(page.url.partition("?")[0] + first)
    settled(page)
    page.evaluate("localStorage.setItem('goals softmax', '*')")
    menu = page.get_by_test_id("stSidebarNavLink")
    rerun_by_key(handle(page, "phone"), "ArrowLeft")
    assert page.evaluate("localStorage.getItem('goals home')") == "turn_away"
    expect(menu.filter(has_text="Home").get_by_role("img", name="done")).to_have_count(0)
    page.goto(page.url.partition("?")[0] + "?goal=even&vectors=0_-1__0_0.1__4_0")
    settled(page)
    rerun_by_key(handle(page, "apple"), "ArrowDown")
    assert page.evaluate("localStorage.getItem('goals home')") == "*"
    expect(page.get_by_role("link", name="Home done")).to_have_count(1)
    reload(page)
    expect(menu.filter(has_text="Home").get_by_role("img", name="done")).to_be_visible()
    ticked = page.locator(".course a").filter(has=page.get_by_role("img", name="done"))
    expect(ticked).to_have_count(1)
    page.evaluate("globalThis.stays = true")
    ticked.click()
    arrived(page, re.compile("/softmax$"))
    expect(page.get_by_role("heading", name="Softmax", exact=True)).to_be_visible()
    assert page.evaluate("globalThis.stays"), "the app was not loaded again"
    rerun_by_click(page.get_by_role("button", name="Reset all"))
    expect(page.get_by_role("img", name="done")).to_have_count(0)
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('goals'))") == []
