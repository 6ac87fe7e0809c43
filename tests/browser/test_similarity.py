"""The similarity page under a hand, in a real browser."""

import json
import math

import numpy as np
import pytest
from playwright.sync_api import expect

import attention_core
from attention_core import load_example
from tests.browser.hand import across, drag, follow, handle, live, place, take, trail
from tests.browser.harness import AppServer, rerun, settled
from tests.browser.test_every_page import AWAY, address, frozen
from tests.visit import HOSTILE

MEASURES = {
    "dot": attention_core.dot_product,
    "cosine": attention_core.cosine_similarity,
    "scaled": attention_core.scaled_dot_product,
}
WORDS = ("orange", "apple", "phone")


def vectors(page, words=WORDS):
    """The vectors as the address holds them, or as the handles tell them."""
    return np.array([place(handle(page, word)) for word in words])


def measured(page, words=WORDS):
    """Every measure of every pair that is on screen."""
    shown = live(page)
    pairs = [(a, b) for a in words for b in words if f"dot {a} {b}" in shown]
    assert len(pairs) == len(words) * (len(words) - 1) / 2
    return {(m, a, b): float(shown[f"{m} {a} {b}"]) for m in MEASURES for a, b in pairs}


def computed(x, pairs, words=WORDS):
    """The same by the core."""
    tables = {name: function(x, x) for name, function in MEASURES.items()}
    return {(m, a, b): tables[m][words.index(a)][words.index(b)] for m, a, b in pairs}


def test_the_worked_numbers_are_on_the_running_page(open_page):
    shown = live(open_page("similarity"))
    for what, number in load_example("orange_apple_phone").expected.items():
        measure, a, b = what.split()
        exact = shown.get(what) or shown[f"{measure} {b} {a}"]
        assert float(exact) == pytest.approx(number, abs=1e-12)


def test_while_it_is_dragged_every_number_is_the_cores(open_page):
    page = open_page("similarity")
    hand = handle(page, "phone")
    x, y = take(page, hand)
    for dx, dy in ((-30, -10), (-120, -60), (-200, 120), (10, 90)):
        page.mouse.move(x + dx, y + dy, steps=2)
        page.wait_for_function(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        shown = measured(page)
        assert shown == pytest.approx(computed(vectors(page), shown), abs=1e-9, nan_ok=True)
    with rerun(page):
        page.mouse.up()
    shown = measured(page)
    assert shown == pytest.approx(computed(vectors(page), shown), abs=1e-9, nan_ok=True)


def test_nothing_is_drawn_anew_on_release(open_page):
    page = open_page("similarity")
    hand, chart = handle(page), page.get_by_test_id("stVegaLiteChart").locator("svg, canvas").first
    hand.evaluate("e => { e.kept = e.closest('svg').kept = true; }")
    chart.evaluate("e => { e.kept = true; }")
    with rerun(page):
        drag(page, hand, *across(hand))
    assert hand.evaluate("e => e.kept && e.closest('svg').kept")
    assert chart.evaluate("e => e.kept")


def cell(page, row, column):
    """The heatmap's cell of two words: the middle of its rectangle, by the order of the words."""
    box = page.get_by_test_id("stVegaLiteChart").locator(".mark-rect path").nth(3 * row + column).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_cell_says_how_it_was_made_and_choosing_it_chooses_the_pair(open_page):
    page = open_page("similarity")
    page.get_by_test_id("stVegaLiteChart").scroll_into_view_if_needed()
    page.mouse.move(*cell(page, 0, 1))
    expect(page.locator("#vg-tooltip-element")).to_contain_text("0 × 2 + 3 × 2")
    with rerun(page):
        page.mouse.click(*cell(page, 2, 0))
    assert address(page) == {"word": ["phone"], "other": ["orange"]}
    chosen = page.locator("tr.chosen:visible")
    expect(chosen).to_have_count(1)
    expect(chosen).to_contain_text("phone · orange")
    expect(page.get_by_role("combobox", name="Word of interest")).to_have_value("phone")


def test_hostile_words_are_text_wherever_they_stand(open_page):
    page = open_page("similarity?predict=1")
    page.get_by_role("button", name="Words").click()
    settled(page)
    editor = page.get_by_role("textbox", name="One word per line")
    editor.fill("\n".join(f"{word} {i + 1} {i % 3}" for i, word in enumerate(HOSTILE)))
    with rerun(page):
        editor.press("Control+Enter")
    page.keyboard.press("Escape")
    for word in HOSTILE[1:]:
        expect(page.get_by_role("button", name=word, exact=True).first).to_have_text(word)
    with rerun(page):
        page.get_by_role("button", name="Show answer").click()
    for word in HOSTILE:
        assert handle(page, word).get_attribute("aria-label") == word
        expect(page.locator("svg.picture text.label", has_text=word).first).to_be_attached()
    page.get_by_role("button", name="Export").click()
    page.get_by_role("tab", name="Table").click()
    settled(page)
    for word in HOSTILE:
        expect(page.get_by_test_id("stTable").first.get_by_text(word, exact=True).first).to_be_visible()
    assert page.locator("[data-stage] script, [data-testid=stMain] strong:text-is('bold')").count() == 0
    assert page.locator("[data-testid=stMain] .katex", has_text="x").count() == 0
    assert open_page(page.url.split("/", 3)[3]).url == page.url


@pytest.mark.parametrize(
    ("typed", "limit"),
    [
        ("", "1 to 16 words"),
        ("x" * 500 + " 1 1", "at most 24"),
        ("a 1 1\n" * 2, "appears twice"),
        ("a 1", "2 numbers"),
    ],
    ids=["empty", "500 characters", "twice", "one number"],
)
def test_a_refusal_is_one_sentence_and_nothing_is_lost(open_page, typed, limit):
    page = open_page("similarity")
    numbers = live(page)
    page.get_by_role("button", name="Words").click()
    settled(page)
    editor = page.get_by_role("textbox", name="One word per line")
    editor.fill(typed)
    with rerun(page):
        editor.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text(limit)
    expect(editor).to_have_value(typed)
    assert live(page) == numbers
    assert address(page) == {}


def test_a_vector_of_length_zero_is_undefined(open_page):
    page = open_page("similarity?vectors=0_3__2_2__0.1_0&measure=cosine")
    with rerun(page):
        handle(page, "phone").press("ArrowLeft")
    assert place(handle(page, "phone")) == [0, 0]
    expect(page.locator("[data-value='cosine apple phone']")).to_have_text("undefined")
    expect(page.locator("[data-value='dot apple phone']")).to_have_text("0")
    expect(page.get_by_test_id("stVegaLiteChart")).to_contain_text("undefined")
    assert "NaN" not in page.locator("[data-testid=stMain]").inner_text()
    with rerun(page):
        handle(page, "phone").press("ArrowRight")
    assert math.isfinite(float(live(page)["cosine apple phone"]))


def test_a_vector_far_outside_stays_in_reach(open_page):
    page = open_page("similarity?vectors=0_3__2_2__500_-1000")
    hand = handle(page, "phone")
    assert live(page)["dot apple phone"] == "-1000"
    box, picture = hand.bounding_box(), page.locator("svg.picture").bounding_box()
    assert box["x"] + box["width"] / 2 < picture["x"] + picture["width"]
    assert box["y"] + box["height"] / 2 < picture["y"] + picture["height"]
    with rerun(page):
        drag(page, hand, -60, -60)
    assert all(abs(number) <= 5 for number in place(hand))


def test_a_goal_is_met_while_the_hand_moves_and_stays_ticked(open_page):
    page = open_page("similarity")
    hand = handle(page, "phone")
    x, _ = take(page, hand)
    centre = page.locator("svg.picture").bounding_box()
    zero = centre["x"] + centre["width"] / 2, centre["y"] + centre["height"] / 2
    unit = (x - zero[0]) / 4
    page.mouse.move(zero[0] + 2 * unit, zero[1] + 2 * unit, steps=4)  # (2, −2): a right angle with (2, 2)
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")
    with rerun(page):
        page.mouse.up()
    with rerun(page):
        drag(page, hand, 0, -60)
    expect(page.locator(".goals .note")).to_have_text("You reached this goal before.")
    expect(page.get_by_role("button", name="Goals 1")).to_have_class("choose met")


def test_a_hand_that_still_holds_when_the_server_is_back_loses_nothing(open_page):
    with AppServer() as server:
        page = open_page("similarity", server=server, allow=AWAY)
        page.keyboard.press("Escape")
        hand = handle(page)
        dx, dy = across(hand, 60)
        with rerun(page):
            drag(page, hand, dx / 4, dy / 4)
        x, y = take(page, hand)
        page.mouse.move(x + dx / 4, y + dy / 4, steps=4)
        asked = page.evaluate("labRuns.asked.length")
        server.restart()
        page.wait_for_function("asked => labRuns.asked.length > asked", arg=asked, timeout=60_000)
        page.mouse.move(x + dx / 2, y + dy / 2, steps=4)
        made, numbers = place(hand), live(page)
        with rerun(page):
            page.mouse.up()
        assert (place(hand), live(page)) == (made, numbers)
        assert json.loads(address(page)["vectors"][0].split("__")[0].replace("_", ",").join("[]")) == made


def test_a_drag_after_a_choice_that_the_server_has_not_heard_of_is_kept(open_page, server):
    """Python changes the pose (another word of interest) while a hand changes it, too."""
    page = open_page("similarity")
    hand = handle(page, "orange")
    dx, dy = across(hand)
    follow(hand)
    with frozen(server):
        page.get_by_role("combobox", name="Word of interest").click()
        page.get_by_role("option", name="phone").click()
        drag(page, hand, dx, dy)
        made = place(hand)
    page.wait_for_function("labRuns.asked.length > 1 && !labRuns.waiting", polling=30)
    settled(page)
    assert place(hand) == made
    assert [where for where in trail(page) if where == trail(page)[0]] == trail(page)[:1], "it never went back"
    expect(page.get_by_role("combobox", name="Word of interest")).to_have_value("phone")
    assert set(address(page)) >= {"vectors", "word"}


def test_keys_reach_every_handle(open_page):
    page = open_page("similarity")
    handle(page, "orange").focus()
    for word in WORDS[1:]:
        page.keyboard.press("Tab")
        expect(handle(page, word)).to_be_focused()


def test_doubling_one_word_doubles_the_dot_product_only(open_page):
    page = open_page("similarity?vectors=0_3__2_2__2_0")
    hand = handle(page, "phone")
    before = live(page)
    with rerun(page):
        for _ in range(2):
            hand.press("Shift+ArrowRight")
    after = live(page)
    assert float(after["dot apple phone"]) == pytest.approx(2 * float(before["dot apple phone"]))
    assert float(after["cosine apple phone"]) == pytest.approx(float(before["cosine apple phone"]))


def test_hand_and_reset_keep_their_order_while_the_server_sleeps(open_page, server):
    page = open_page("similarity?vectors=0_1__2_2__2_2")
    orange, phone = handle(page, "orange"), handle(page, "phone")
    with frozen(server):
        page.get_by_role("button", name="Reset", exact=True).click()
        drag(page, orange, *across(orange))
        made = place(orange)
    page.wait_for_function("labRuns.asked.length > 1 && !labRuns.waiting", polling=30)
    settled(page)
    assert place(phone) == [4, 0]
    assert place(orange) in (made, [0, 3]), "where Python hears of both at once, the reset comes last"
    with frozen(server):
        drag(page, orange, *across(orange))
        page.get_by_role("button", name="Reset", exact=True).click()
    page.wait_for_function("labRuns.asked.length > 2 && !labRuns.waiting", polling=30)
    settled(page)
    assert (place(orange), place(phone)) == ([0, 3], [4, 0]), "the reset came after the drag"
    assert address(page) == {}


def test_the_scaled_dot_product_waits_in_a_fold(open_page):
    page = open_page("similarity")
    scaled = page.locator("[data-value='scaled apple phone']")
    expect(scaled).to_be_hidden()
    page.locator("summary", has_text="Scaled dot product").click()
    expect(scaled).to_have_text("5.657")
    expect(scaled).to_be_visible()
    expect(open_page("similarity?measure=scaled").locator("[data-value='scaled apple phone']")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 390])
def test_the_name_of_the_projection_lies_across_no_arrow(open_page, width):
    page = open_page("similarity", width=width)
    name = page.locator("text.shadow-name")
    expect(name).to_have_text("■ projection of phone on apple")
    box = name.bounding_box()
    for word in WORDS:
        arrow = handle(page, word).locator("xpath=..").locator("line.shaft").bounding_box()
        apart_across = arrow["x"] > box["x"] + box["width"] or arrow["x"] + arrow["width"] < box["x"]
        apart_down = arrow["y"] > box["y"] + box["height"] or arrow["y"] + arrow["height"] < box["y"]
        assert apart_across or apart_down, word
