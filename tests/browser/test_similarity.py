"""The similarity page: words are dragged, and every measure of every pair follows."""

import json
from itertools import product

import numpy as np
import pytest
from playwright.sync_api import expect

import attention_core
from attention_lab.lessons import similarity
from tests.browser.hand import across, drag, follow, handle, live, middle, painted, place, take, trail
from tests.browser.harness import open_change, rerun, rerun_by_click, rerun_by_key, settled
from tests.browser.test_every_page import address, frozen

MEASURES = {name: measure.operation for name, measure in similarity.MEASURES.items()} | {
    "dot": attention_core.dot_product,
    "cosine": attention_core.cosine_similarity,
    "scaled": attention_core.scaled_dot_product,
}
WORDS = ("orange", "apple", "phone")


def expect_the_cores_numbers(page, measure):
    """Every measure of every pair is the core's for the vectors that the handles tell, and so is the matrix."""
    painted(page)
    x, shown = np.array([place(handle(page, word)) for word in WORDS]), live(page)
    pairs = [(a, b) for a in WORDS for b in WORDS if f"dot {a} {b}" in shown]
    assert len(pairs) == 3
    for name, function in MEASURES.items():
        table = function(x, x)
        for a, b in pairs:
            expected = table[WORDS.index(a)][WORDS.index(b)]
            assert float(shown[f"{name} {a} {b}"]) == pytest.approx(expected, abs=1e-9, nan_ok=True), (name, a, b)
    table = MEASURES[measure](x, x)
    for (i, a), (j, b) in product(enumerate(WORDS), repeat=2):
        assert float(shown[f"pair {a} {b}"]) == pytest.approx(table[i][j], abs=1e-9)


def test_all_numbers_are_the_cores_in_dragging(open_file):
    for measure in ("dot", "cosine"):
        page = open_file(f"similarity?measure={measure}")
        expect_the_cores_numbers(page, measure)
        x, y = take(page, handle(page, "phone"))
        for dx, dy in ((-30, -10), (-200, 120), (10, 90)):
            page.mouse.move(x + dx, y + dy, steps=2)
            expect_the_cores_numbers(page, measure)
        assert place(handle(page, "phone")) != [4, 0]


def test_a_vector_of_length_zero_is_undefined_and_one_far_outside_stays_in_reach(open_file):
    page = open_file("similarity?vectors=0_3__2_2__0.1_0&measure=cosine")
    handle(page, "phone").press("ArrowLeft")
    expect(page.locator("[data-value='cosine apple phone']")).to_have_text("undefined")
    expect(page.locator("[data-value='dot apple phone']")).to_have_text("0")
    assert "NaN" not in page.locator("[data-stage]").first.inner_text()
    handle(page, "phone").press("ArrowRight")
    expect(page.locator("[data-value='cosine apple phone']")).not_to_have_text("undefined")
    page = open_file("similarity?vectors=0_3__2_2__500_-1000")
    hand = handle(page, "phone")
    assert live(page)["dot apple phone"] == "-1000"
    box, picture = hand.bounding_box(), page.locator("svg.picture").bounding_box()
    assert box["x"] + box["width"] / 2 < picture["x"] + picture["width"]
    assert box["y"] + box["height"] / 2 < picture["y"] + picture["height"]
    drag(page, hand, -60, -60)
    assert all(abs(number) <= 5 for number in place(hand))


def test_the_scaled_dot_product_waits_in_a_fold_and_the_projection_is_named(open_file):
    page = open_file("similarity")
    scaled = page.locator("[data-value='scaled apple phone']")
    expect(scaled).to_be_hidden()
    page.locator("summary", has_text="Scaled dot product").click()
    expect(scaled).to_have_text("5.66")
    expect(scaled).to_be_visible()
    expect(page.locator("text.shadow-name")).to_have_text("■ projection of phone onto apple")
    page = open_file("similarity?measure=scaled")
    expect(page.locator("[data-value='scaled apple phone']")).to_be_visible()


def cell(page, row, column):
    """The heatmap's cell of two words."""
    return page.locator(f".heatmap [aria-label^={json.dumps(f'{row} → {column}: ', ensure_ascii=False)}]")


def test_python_follows_a_drag_its_undo_a_choice_and_the_editor(open_page):
    page = open_page("similarity")
    hand, note = handle(page, "phone"), page.locator(".goals .note")
    before = live(page)
    hand.evaluate("e => { e.kept = e.closest('svg').kept = true; }")
    x, y = take(page, hand)
    zero = middle(handle(page, "orange"))[0], y  # phone and orange lie on the axes
    unit = (x - zero[0]) / 4
    page.mouse.move(zero[0] + 2 * unit, zero[1] + 2 * unit, steps=4)  # (2, −2): a right angle with (2, 2)
    expect(note).to_have_text("Goal reached.")
    with rerun(page):
        page.mouse.up()
    assert hand.evaluate("e => e.kept && e.closest('svg').kept"), "nothing is drawn again"
    assert live(open_page(page.url.split("/", 3)[3])) == live(page)
    rerun_by_key(page, "Control+z")
    assert (live(page), address(page)) == (before, {})
    expect(note).to_have_text("You reached this goal before.")

    rerun_by_click(cell(page, "phone", "orange"))
    chosen = {"word": ["phone"], "other": ["orange"]}
    assert address(page) == chosen
    expect(page.locator("tr.chosen:visible")).to_contain_text("phone · orange")
    open_change(page, "Words")
    expect(page.get_by_role("combobox", name="Word of interest")).to_have_value("phone")

    editor = page.get_by_role("textbox", name="One word per line")
    editor.fill("a 1")
    rerun_by_key(editor, "Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("2 numbers")
    expect(editor).to_have_value("a 1")
    assert address(page) == chosen, "what is refused changes nothing"


def test_a_question_follows_the_hand_to_another_word(open_page):
    page = open_page("similarity?predict=1&hide=word")  # the picker itself would have the page run again
    expect(page.get_by_text("largest dot product with apple")).to_be_visible()
    rerun_by_click(page.get_by_role("button", name="orange · phone"))
    expect(page.get_by_text("largest dot product with orange")).to_be_visible()
    rerun_by_click(page.get_by_role("button", name="Show answer"))
    expect(page.get_by_text("The answer is “apple”")).to_be_visible()
    rerun_by_key(page, "Control+z")
    expect(page.get_by_text("largest dot product with apple")).to_be_visible()


def answered(page, asked):
    """Wait until so many runs have been asked for, and the last is drawn."""
    page.wait_for_function("asked => labRuns.asked.length >= asked && !labRuns.waiting", arg=asked, polling=30)
    settled(page)


def test_drags_choices_and_resets_keep_their_order_while_the_server_sleeps(open_page, server):
    page = open_page("similarity?vectors=0_1__2_2__2_2")
    orange, phone = handle(page, "orange"), handle(page, "phone")
    with frozen(server):
        page.get_by_role("button", name="Reset", exact=True).click()
        drag(page, orange, *across(orange))
        made = place(orange)
    answered(page, 2)
    assert place(phone) == [4, 0]
    assert place(orange) in (made, [0, 3]), "where Python hears of both at once, the reset comes last"
    with frozen(server):
        drag(page, orange, *across(orange))
        page.get_by_role("button", name="Reset", exact=True).click()
    answered(page, 3)
    assert (place(orange), place(phone)) == ([0, 3], [4, 0]), "the reset came after the drag"
    assert address(page) == {}
    follow(orange)
    open_change(page)
    with frozen(server):
        page.get_by_role("combobox", name="Word of interest").click()
        page.get_by_role("option", name="phone").click()
        drag(page, orange, *across(orange))
        painted(page)
        made = place(orange)
    answered(page, 5)
    assert place(orange) == made
    assert trail(page).count(trail(page)[0]) == 1, "it never went back"
    open_change(page)
    expect(page.get_by_role("combobox", name="Word of interest")).to_have_value("phone")
    assert set(address(page)) >= {"vectors", "word"}
