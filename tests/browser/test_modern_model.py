"""Inside a modern language model: heads under a hand and keys, interventions, a list; its colours."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import load_recorded_runs
from tests.browser.hand import number, painted

RUNS = load_recorded_runs()
FRANCE = RUNS.runs["france"]


def press(page, *selectors):
    for selector in selectors:
        page.locator(selector).first.click()
        painted(page)


def effect(head):
    return FRANCE.answers[0].effects.ravel()[RUNS.head_names.index(head)]


def test_a_head_is_chosen_by_mouse_and_by_keys(open_file):
    page = open_file("modern_model", height=1400)
    press(page, "[data-handle='head 24.5']")
    assert number(page, "effect") == pytest.approx(effect("24.5"), rel=1e-6)
    assert number(page, "arc is France") == pytest.approx(0.903, abs=5e-4)
    for key, head in (("ArrowDown", "25.5"), ("ArrowRight", "25.6"), ("ArrowUp", "24.6"), ("ArrowLeft", "24.5")):
        page.keyboard.press(key)
        painted(page)
        expect(page.locator(".cell-of[aria-pressed=true]")).to_have_attribute("data-handle", f"head {head}")
        expect(page.locator(".cell-of:focus")).to_have_attribute("data-handle", f"head {head}")
        assert number(page, "effect") == pytest.approx(effect(head), rel=1e-6)
    assert page.locator(".cell-of[tabindex='0']").count() == 1


def test_the_first_goals_are_met_by_a_hand_and_the_bars_show_what_was_recorded(open_file):
    page = open_file("modern_model", height=1400)
    answer = FRANCE.answers[0]
    assert number(page, "next Paris") == pytest.approx(answer.probability)
    press(page, "label:has([data-option='measure 1'])", "[data-handle='head 24.5']")
    press(page, "label:has([data-option='cut 1'])")
    assert number(page, "next Paris") == pytest.approx(answer.probability * np.exp(effect("24.5")), rel=1e-6)
    expect(page.locator(".token-bar.unknown")).to_have_count(4)
    expect(page.locator("section.goals.now")).to_contain_text("from 77.3% to 14.1%")
    press(page, "label:has([data-option='cut 2'])")
    assert number(page, "next Paris") == pytest.approx(answer.first_closed)
    assert number(page, "next the") == pytest.approx(FRANCE.closed_probabilities[0])
    expect(page.locator(".token-bar.unknown")).to_have_count(0)


def test_heads_of_a_list_are_switched_off_together(open_file):
    page = open_file("modern_model?goal=induction", height=2000)
    of = {frozenset(each.heads): each.perplexity for each in RUNS.ablations}
    names = [page.locator(f"[data-off='0 {k}']").inner_text() for k in range(6)]
    for k in range(3):
        press(page, f"[data-off='0 {k}']")
        assert number(page, "perplexity without induction heads") == of[frozenset(names[: k + 1])]
    press(page, "[data-all='0']", "[data-all='1']")
    assert number(page, "perplexity without induction heads") == of[frozenset(names)]
    assert number(page, "perplexity without others") == pytest.approx(2.236, abs=5e-4)
    expect(page.locator("section.goals.now")).to_contain_text("the perplexity is 1,270")
    press(page, "[data-all='0']")
    assert number(page, "perplexity without induction heads") == of[frozenset()]


def test_cells_are_as_dark_as_their_weights_and_show_both_signs(open_file):
    page = open_file("modern_model?text=italy")
    on_first = RUNS.runs["italy"].weights_by_head[:, 1:43, 0].mean(axis=1)
    parts = page.locator(".cell-of").evaluate_all(
        "all => all.map(e => parseFloat(e.style.getPropertyValue('--part')))"
    )
    np.testing.assert_allclose(parts, 100 * on_first, atol=0.06)
    press(page, "label:has([data-option='measure 1'])")
    signs = page.locator(".cell-of").evaluate_all("all => all.map(e => Number(e.dataset.sign))")
    np.testing.assert_array_equal(signs, np.sign(RUNS.runs["italy"].answers[0].effects.ravel()))


def test_the_whole_wall_fits_a_phone_and_cells_are_large_enough(open_file):
    page = open_file("modern_model", width=390, height=844)
    boxes = page.locator(".cell-of").evaluate_all("all => all.map(e => e.getBoundingClientRect().toJSON())")
    assert len(boxes) == 270
    assert all(box["left"] >= 0 and box["right"] <= 390 for box in boxes)
    assert min(min(box["width"], box["height"]) for box in boxes) >= 24
