"""The masking page: cells are switched by mouse, finger and keys, and the last word is dragged."""

import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import causal_mask, load_example, padding_mask, scaled_dot_product_attention, window_mask
from tests.browser.hand import expect_numbers, handle, live, painted, place, take

EXAMPLE = load_example("buy_an_apple")
NAMES = ("please", "buy", "an", "apple", "and", "an₂", "orange")
PHONE = [4.8, 0.6]
OPEN = np.ones((7, 7), dtype=bool)


def cell(page, query, key):
    return page.locator(f"[role=button][aria-label^={json.dumps(f'{query} → {key}: ', ensure_ascii=False)}]")


def expect_cell(page, query, key, state):
    expect(cell(page, query, key)).to_have_attribute("aria-label", f"{query} → {key}: {state}")
    expect(cell(page, query, key)).to_have_attribute("aria-pressed", "true" if state == "open" else "false")


def expect_the_cores_numbers(page, mask, later=PHONE):
    """Weights, masked as is shown, sums, outputs and changes are the core's for this mask and this last word."""
    x = np.array(EXAMPLE.embeddings)
    other = x.copy()
    other[-1] = later
    trace, plain = (scaled_dot_product_attention(x, x, x, m) for m in (mask, None))
    after = scaled_dot_product_attention(other, other, other, mask)
    moved = np.linalg.norm(after.context - trace.context, axis=1)  # as far as on the plane
    expected = {}
    cut = "cut " if "shown=after" in page.url else ""
    weights = np.where(mask, plain.weights, 0) if cut else trace.weights
    for i, a in enumerate(NAMES):
        expected[f"sum of {cut}weight {a}"] = weights[i].sum()
        expected |= {f"context {a} {axis}": trace.context[i, k] for k, axis in enumerate(EXAMPLE.axes)}
        expected[f"moved {a}"] = moved[i]
        for j, b in enumerate(NAMES):
            expected[f"{cut}weight {a} {b}"] = weights[i, j]
    shown = expect_numbers(page, expected, rel=1e-12, abs=1e-12)
    earlier = max(moved[:-1])
    if not mask[:-1].any():
        assert "largest earlier change" not in shown
        return
    assert float(shown["largest earlier change"]) == pytest.approx(earlier, rel=1e-12, abs=0), (
        "exactly zero is zero"
    )


def test_mouse_and_finger_switch_cells_of_a_mask_that_begins_as_the_one_that_is_shown(open_file):
    page = open_file("masking?mask=none")
    note, verdict = page.locator(".masks .note"), page.locator(".outputs .verdict")
    expect(note).to_have_text("Every word can attend to every word.")
    expect(verdict).to_have_text("Earlier context vectors move. Largest change: 4.36 (apple).")
    expect_cell(page, "apple", "orange", "open")
    cell(page, "apple", "orange").click()
    expect_cell(page, "apple", "orange", "closed")
    mask = OPEN.copy()
    mask[3, 6] = False
    expect_the_cores_numbers(page, mask)
    expect(note).to_contain_text("Closed cells in your own mask: 1 of 49.")
    page.get_by_role("button", name="Open all cells").click()
    expect_the_cores_numbers(page, OPEN)
    expect(note).to_contain_text("Every cell is open at first")
    page.get_by_label("Replace the last word").select_option("orange")
    expect(verdict).to_contain_text("The last word is still “orange”.")
    page = open_file("masking", width=390, height=844, touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    mask = causal_mask(7)
    mask[3, 6] = True
    for drawn in (mask, causal_mask(7)):
        cell(page, "apple", "orange").tap()
        expect_the_cores_numbers(page, drawn)
    page = open_file("masking?mask=own&goal=causal_5f_by_5f_hand")
    for i in range(6):
        boxes = [cell(page, NAMES[i], NAMES[j]).bounding_box() for j in (i + 1, 6)]
        (x, y), (end, _) = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(end, y)  # so fast that no cell between is heard of
        page.mouse.up()
    expect_the_cores_numbers(page, causal_mask(7))
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")


def test_the_causal_mask_and_a_window_are_on_together(open_file):
    window, padding = window_mask(7, 2), padding_mask(np.arange(7) >= 5)

    def expect_on(mask, *numbers):
        expect_the_cores_numbers(page, mask)
        for number in range(5):
            expect(page.locator(f"[data-option='mask {number}']")).to_be_checked(checked=number in numbers)

    def press(number):
        page.locator(f"[data-option='mask {number}']").click(force=True)

    page = open_file("masking?window=2&causal=1&shown=after")
    note = page.locator(".masks .note")
    expect_on(window & causal_mask(7), 1, 2)
    expect(note).to_contain_text("a few earlier positions, never to later ones")
    press(1)
    expect_on(window, 2)
    expect(note).to_contain_text("on either side")
    press(1)
    for number, mask, numbers in (
        (2, causal_mask(7), [1]),
        (3, padding & causal_mask(7), [1, 3]),
        (2, window & causal_mask(7), [1, 2]),
        (0, OPEN, [0]),
        (1, causal_mask(7), [1]),
        (1, OPEN, [0]),
        (0, OPEN, [0]),
        (3, padding, [3]),
        (1, padding & causal_mask(7), [1, 3]),
    ):
        press(number)
        expect_on(mask, *numbers)
    opened_again = open_file(f"masking?{page.url.partition('?')[2]}")
    assert live(opened_again) == live(page)
    cell(page, "please", "orange").click()
    mask = padding & causal_mask(7)
    mask[0, 6] = True
    expect_on(mask, 4)


def test_on_a_wide_screen_no_choice_of_a_mask_moves_the_matrix(open_file):
    page = open_file("masking")
    before = cell(page, "please", "please").bounding_box()
    for number in range(5):
        page.locator(f"[data-option='mask {number}']").click(force=True)
        painted(page)
        assert cell(page, "please", "please").bounding_box() == before


def test_cells_closed_and_opened_again_leave_a_mask_of_ones_own(open_file):
    page = open_file("masking?goal=causal_5f_by_5f_hand")
    closed = [("an", "please"), ("an", "buy")]
    for query, key in closed * 2:
        cell(page, query, key).click()
    expect_the_cores_numbers(page, causal_mask(7))
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")


def test_keys_move_between_cells_as_the_picture_is_turned_and_switch_them(open_file):
    for orientation, first in (("rows", ("apple", "buy")), ("columns", ("and", "please"))):
        page = open_file(f"masking?mask=own&orientation={orientation}")
        cell(page, "apple", "please").focus()
        page.keyboard.press("ArrowRight")
        expect(cell(page, *first)).to_be_focused()
        page.keyboard.press("ArrowDown")
        for key, state in (("Space", "closed"), ("Enter", "open")):
            page.keyboard.press(key)
            expect_cell(page, "and", "buy", state)
            expect(cell(page, "and", "buy")).to_be_focused()


def test_a_dragged_last_word_moves_earlier_outputs_only_where_they_may_look(open_file):
    page = open_file("masking")
    word = handle(page, "last word")
    x, y = take(page, word)
    for step in (1, 2, 3):
        page.mouse.move(x - 20 * step, y - 30 * step, steps=3)
        painted(page)
        expect_the_cores_numbers(page, causal_mask(7), place(word))
        assert float(live(page)["largest earlier change"]) == 0
    page.mouse.up()
    page.locator("[data-option='mask 0']").check(force=True)
    expect_the_cores_numbers(page, OPEN, place(word))
    assert float(live(page)["largest earlier change"]) > 0.1
    page.get_by_label("Replace the last word").select_option("banana")
    expect_the_cores_numbers(page, OPEN, [0.2, 5.4])
    assert place(word) == [0.2, 5.4]
    page = open_file("masking?mask=padding&padding=7")
    expect(page.get_by_text("no open cell. Where every cell of a row is closed")).to_be_visible()
    expect(page.locator("[data-value]", has_text=re.compile(r"NaN|undefined"))).to_have_count(0)
    expect(page.locator(".outputs .verdict")).to_have_text(
        "No earlier word has an open cell, so every earlier context vector is zero."
    )
    expect_the_cores_numbers(page, ~OPEN)
