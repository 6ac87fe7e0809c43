"""The goal in sight while one works, why it was met and the way on; what explains a number stands beside it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hand import handle, painted, take
from tests.browser.harness import arrived, axe, reload, rerun, rerun_by_click, rerun_by_key, settled


def card(page):
    return page.locator("section.goals").first


ONE_CLOSED = "__".join(["1_1_1_1_1_1_1"] * 6 + ["0_1_1_1_1_1_1"])  # which a line below the mask counts
# A hand's way to a goal of each page: the link, what is dragged or pressed, and which way it goes.
WAYS = [
    ("", "phone", (-1, 0)),
    ("embeddings", "orange", (0, 1)),
    ("similarity", "phone", (-1, 1)),
    ("softmax", "an", (0, -1)),
    ("queries_keys", "query apple", (0, 1)),
    ("values", "W_value tech", (-1, 0)),
    ("self_attention", "[data-scrubber=step]", (1, 0)),
    (f"masking?mask=own&goal=dark_5f_row&own={ONE_CLOSED}", ".cell[aria-pressed]", (1, 0)),
    ("position?order=3_2_1", "place man", (0, 1)),
    ("multi_head?goal=greatest_5f_loss", "[data-switch=adjectives]", None),
    ("cross_attention", "duveteuse", (1, 0)),
    ("scale", "context", (1, 0)),
    ("train_a_head", "step", (1, 0)),
    ("trained_model", "head 2.2", (-1, 0)),
    ("misleading?experiment=swap&goal=unlike", "eva", (0, 0.2)),
    ("real_model", "[data-handle='head 1.3']", None),
    ("generating", "[data-handle=add]", None),
    ("modern_model?cut=head", "[data-handle='head 24.5']", None),
    ("long_texts", "key 8", (0, -1)),
]
STEP = 24  # px
# The boxes of the card and the figure, and what of the card's sentences is cut.
BOXES = """card => {
  const box = e => Object.values(e.getBoundingClientRect().toJSON()).slice(0, 4),
    figure = [...card.getRootNode().querySelectorAll('[data-stage] > .column:not(.pinned)')],
    low = card.getBoundingClientRect().bottom,
    cut = e => e.scrollHeight > e.clientHeight + 1 || e.getBoundingClientRect().bottom > low;
  return {
    card: box(card),
    figure: box(figure.find(e => e.getClientRects().length)).slice(0, 3),
    cut: [...card.querySelectorAll('.task, .why, .note, .next, .done')].filter(cut).map(e => e.textContent),
  };
}"""


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize(("link", "name", "way"), WAYS)
def test_nothing_moves_and_no_sentence_is_cut_on_the_way_to_a_goal_and_back(open_file, link, name, way, width):
    page = open_file(link, width=width, height=900)
    if link.startswith("misleading"):
        page.get_by_role("button", name="Show answer", exact=True).click()
    hand = page.locator(name).first if name.startswith((".", "[")) else handle(page, name)
    met = page.locator("section.goals.now")
    x, y = take(page, hand)
    before = card(page).evaluate(BOXES)
    assert not before["cut"]
    if way is None:
        page.mouse.up()
        painted(page)
    for step in range(1, 61 if way else 1):
        page.mouse.move(x + way[0] * STEP * step, y + way[1] * STEP * step)
        painted(page)
        assert card(page).evaluate(BOXES) == before, step
        if met.count():
            break
    expect(met).to_be_visible()
    page.mouse.up()
    painted(page)
    assert card(page).evaluate(BOXES) == before
    page.keyboard.press("Control+z")
    expect(met).to_have_count(0)
    assert card(page).evaluate(BOXES) == before


def drag_step(page, start, end):
    """Drag the slider of the training's steps by the mouse."""
    slider = page.locator("[data-scrubber=step]")
    box, last = slider.bounding_box(), int(slider.get_attribute("max"))
    y, (first, then) = box["y"] + box["height"] / 2, (box["x"] + box["width"] * s / last for s in (start, end))
    page.mouse.move(first, y)
    page.mouse.down()
    page.mouse.move(then, y, steps=abs(end - start))
    page.mouse.up()


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
    expect(card(page).locator(".why")).to_contain_text("Reached on the way. At step")


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
    assert orange.bounding_box()["x"] == before["x"]
    assert 0 < before["y"] - orange.bounding_box()["y"] < 20, "it has moved by its step alone"
    rerun_by_key(orange, "PageDown")
    expect(goal).to_contain_text(HINT)
    rerun_by_click(goal.get_by_role("button", name="Goals 1"))
    expect(goal).not_to_contain_text(HINT)


def test_a_move_towards_a_goal_brings_no_hint(open_page):
    page = open_page("embeddings?goal=other_side")
    for _ in range(3):
        rerun_by_key(handle(page, "orange"), "ArrowDown")
    expect(card(page)).to_contain_text("Goal: more tech than fruit")
    expect(card(page)).not_to_contain_text("Hint")


def test_menu_and_cards_tick_a_page_once_all_its_goals_were_met_until_reset_all(open_page):
    page = open_page(first := "?goal=turn_away&vectors=0_-1__2_2__0.1_0")
    rerun_by_key(handle(page, "phone"), "ArrowLeft")
    rerun_by_click(page.get_by_role("button", name="Reset all"))
    assert "?" not in page.url
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


def test_what_a_goal_asks_to_be_undone_first_stands_beside_its_number(open_file):
    page = open_file("softmax?goal=cold", width=390, height=844)
    handle(page, "orange").press("ArrowUp")
    expect(card(page).locator(".note")).to_have_text(
        re.compile(r"^Largest weight: [\d.]+% at temperature 1. Goal: .* Choose “Back to cosine scores” first.$")
    )


def test_the_card_stays_in_sight_while_the_figure_is_there_and_lets_go_then(open_page):
    page = open_page("similarity", height=500)
    figure, main = page.locator("[data-stage=similarity]"), page.locator("[data-testid=stMain]")
    scroll = "(e, by) => e.scrollTo({top: e.scrollTop + by, behavior: 'instant'})"
    for left in (450, 200):  # of the figure, in px
        box = figure.bounding_box()
        by = box["y"] + box["height"] - left
        main.evaluate(scroll, by)
        settled(page)
        assert 0 <= card(page).bounding_box()["y"] < 8
        expect(page.get_by_test_id("stHeader")).not_to_be_in_viewport()
    main.evaluate(scroll, 200)
    settled(page)
    assert card(page).bounding_box()["y"] < 0
