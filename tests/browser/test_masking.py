"""Masking in a real browser: cells under mouse, finger and keys, and the last word under the hand."""

import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import causal_mask, load_example, scaled_dot_product_attention
from tests.browser.hand import handle, live, place, take
from tests.browser.harness import axe, rerun

EXAMPLE = load_example("buy_an_apple")
NAMES = ("please", "buy", "an", "apple", "and", "an₂", "orange")
PHONE = [4.8, 0.6]


def cell(page, asks, answers):
    return page.locator(f"[role=button][aria-label^={json.dumps(f'{asks} → {answers}: ', ensure_ascii=False)}]")


def expect_the_cores_numbers(page, mask, later=PHONE):
    """Weights, sums, outputs and changes are the core's for this mask and this last word."""
    x = np.array(EXAMPLE.embeddings)
    other = x.copy()
    other[-1] = later
    trace, plain = (scaled_dot_product_attention(x, x, x, m) for m in (mask, None))
    after = scaled_dot_product_attention(other, other, other, mask)
    moved = np.linalg.norm(after.context - trace.context, axis=1)  # as far as on the plane
    cut = np.where(mask, plain.weights, 0)
    expected = {}
    for i, a in enumerate(NAMES):
        expected |= {f"sum of weight {a}": trace.weights[i].sum(), f"sum of cut weight {a}": cut[i].sum()}
        expected |= {f"context {a} {axis}": trace.context[i, k] for k, axis in enumerate(EXAMPLE.axes)}
        expected[f"moved {a}"] = moved[i]
        for j, b in enumerate(NAMES):
            expected |= {f"weight {a} {b}": trace.weights[i, j], f"cut weight {a} {b}": cut[i, j]}
    shown = {
        name: float(number) for name, number in live(page).items() if number not in {"Infinity", "-Infinity"}
    }
    for name, number in expected.items():
        assert shown[name] == pytest.approx(number, rel=1e-12, abs=1e-12), name
    earlier = max(moved[:-1])
    assert shown["largest earlier change"] == pytest.approx(earlier, rel=1e-12)
    if not earlier:
        assert shown["largest earlier change"] == 0, "exactly"


def test_a_click_closes_a_cell_of_ones_own_mask(open_page):
    page = open_page("masking?mask=none")
    note, verdict = page.locator(".masks .note"), page.locator(".outputs .verdict")
    expect(note).to_have_text("Every word can attend to every word.")
    expect(verdict).to_have_text("Earlier outputs move. Largest change: 4.362 (apple).")
    expect(cell(page, "apple", "orange")).to_have_attribute("aria-label", "apple → orange: open")
    expect(cell(page, "apple", "orange")).to_have_attribute("aria-pressed", "true")
    with rerun(page):
        cell(page, "apple", "orange").click()
    expect(cell(page, "apple", "orange")).to_have_attribute("aria-label", "apple → orange: closed")
    expect(cell(page, "apple", "orange")).to_have_attribute("aria-pressed", "false")
    mask = np.ones((7, 7), dtype=bool)
    mask[3, 6] = False
    expect_the_cores_numbers(page, mask)
    expect(note).to_contain_text("Closed cells in your own mask: 1 of 49.")
    other = open_page(page.url.split("/", 3)[3])
    assert live(other) == live(page)
    expect(other.get_by_text("These settings of the link were ignored")).to_have_count(0)
    with rerun(page):
        page.get_by_role("button", name="Open all cells").click()
    expect_the_cores_numbers(page, np.ones((7, 7), dtype=bool))
    expect(note).to_contain_text("Every cell is open at first")
    with rerun(page):
        page.get_by_label("Replace the last word").select_option("orange")
    expect(verdict).to_contain_text("The last word is still “orange”.")


def test_the_mouse_draws_the_causal_mask_by_hand(open_page):
    page = open_page("masking?mask=own&goal=causal_5f_by_5f_hand")
    asked = page.evaluate("labRuns.asked.length")
    for i in range(6):
        boxes = [cell(page, NAMES[i], NAMES[j]).bounding_box() for j in (i + 1, 6)]
        (x, y), (end, _) = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(end, y, steps=14)
        assert page.evaluate("labRuns.asked.length") == asked, "no server is asked while the hand draws"
        with rerun(page):
            page.mouse.up()
        asked = page.evaluate("labRuns.asked.length")
    expect_the_cores_numbers(page, causal_mask(7))
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")


def test_keys_move_between_cells_and_space_switches(open_page):
    page = open_page("masking?mask=own")
    cell(page, "apple", "please").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(cell(page, "and", "buy")).to_be_focused()
    with rerun(page):
        page.keyboard.press("Space")
    expect(cell(page, "and", "buy")).to_have_attribute("aria-label", "and → buy: closed")
    expect(cell(page, "and", "buy")).to_be_focused()
    with rerun(page):
        page.keyboard.press("Enter")
    expect(cell(page, "and", "buy")).to_have_attribute("aria-label", "and → buy: open")


def test_arrows_follow_the_picture_when_it_is_turned(open_page):
    page = open_page("masking?mask=own&orientation=columns")
    cell(page, "apple", "please").focus()
    page.keyboard.press("ArrowRight")
    expect(cell(page, "and", "please")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(cell(page, "and", "buy")).to_be_focused()


def test_a_finger_switches_a_cell_on_a_phone(open_page):
    page = open_page("masking?mask=own", width=390, height=844, touch=True)
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    box = cell(page, "please", "orange").bounding_box()
    assert box["y"] + box["height"] < 844, "within reach without scrolling"
    assert min(box["width"], box["height"]) >= 24
    with rerun(page):
        cell(page, "please", "orange").tap()
    expect(cell(page, "please", "orange")).to_have_attribute("aria-label", "please → orange: closed")


def test_a_dragged_last_word_moves_earlier_outputs_only_where_they_may_look(open_page):
    page = open_page("masking")
    word = handle(page, "last word")
    word.scroll_into_view_if_needed()
    x, y = take(page, word)
    for step in (1, 2, 3):
        page.mouse.move(x - 20 * step, y - 30 * step, steps=3)
        page.wait_for_function(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
        )
        expect_the_cores_numbers(page, causal_mask(7), place(word))
        assert float(live(page)["largest earlier change"]) == 0
    with rerun(page):
        page.mouse.up()
    with rerun(page):
        page.locator("[data-option='mask 0']").check(force=True)
    expect_the_cores_numbers(page, np.ones((7, 7), dtype=bool), place(word))
    assert float(live(page)["largest earlier change"]) > 0.1
    with rerun(page):
        page.get_by_label("Replace the last word").select_option("banana")
    expect_the_cores_numbers(page, np.ones((7, 7), dtype=bool), [0.2, 5.4])
    assert place(word) == [0.2, 5.4]


def test_where_a_word_may_look_at_nothing_it_is_said(open_page):
    page = open_page("masking?mask=padding&padding=7")
    expect(page.get_by_text("no open cell. Every cell of the row is closed")).to_be_visible()
    expect(page.get_by_text(re.compile(r"NaN|undefined"))).to_have_count(0)
    expect_the_cores_numbers(page, np.zeros((7, 7), dtype=bool))


def test_ones_own_mask_begins_as_the_one_that_is_shown(open_page):
    page = open_page("masking")  # causal
    with rerun(page):
        cell(page, "apple", "orange").click()
    mask = causal_mask(7)
    mask[3, 6] = True
    expect_the_cores_numbers(page, mask)
    with rerun(page):
        cell(page, "apple", "orange").click()
    expect_the_cores_numbers(page, causal_mask(7))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious(open_page, dark):
    assert axe(open_page("masking?mask=own", dark=dark)) == []
