"""The multi-head page: switches, the vector and the dial under the hand, folds."""

import re

import numpy as np
from playwright.sync_api import expect

from attention_core import MultiHeadAttention, dial_positions, load_example
from tests.browser.hand import drag_and_hold, expect_numbers, handle, painted, place, take
from tests.browser.harness import axe, click, settled

MADE, SENTENCE = load_example("creature_heads"), load_example("creature_until_it_slept")
WORDS, AXES, CREATURE = MADE.words, MADE.axes, 3
LABELS = ("noun → its adjectives", "it → its noun", "previous word", "same word")


def show_all(page):
    """Open what the first screen does not show: the patterns, and all words with both ways to combine heads."""
    page.get_by_role("button", name="Show all attention patterns").click()
    page.get_by_text("All words, and two ways to combine heads").click()
    expect(page.locator(".join .verdict")).to_be_visible()
    return page


def switch(page, name):
    return page.locator(f"[data-switch={name}]")


def expect_the_cores_numbers(page, x=MADE.embeddings, on=(1, 1, 1, 1), word=CREATURE):
    """Every weight, every Δx, the new vector and both ways to join are the core's."""
    slices = MADE.W_output * np.array(on, dtype=float)[:, None, None]
    heads = MultiHeadAttention(MADE.W_query, MADE.W_key, MADE.W_value, slices).attend(x)
    alone = MultiHeadAttention(MADE.W_query, MADE.W_key, MADE.W_value, MADE.W_output).attend(x)
    who, expected = WORDS[word], {}
    for k, name in enumerate(MADE.heads):
        for i, a in enumerate(WORDS):
            weights = zip(WORDS, heads.heads.weights[k, i], strict=True)
            expected |= {f"{name} weight {a} {b}": weight for b, weight in weights}
        expected |= {f"{name} delta {who} {axis}": alone.deltas[k, word, c] for c, axis in enumerate(AXES)}
    for c, axis in enumerate(AXES):
        for i, a in enumerate(WORDS):
            expected[f"added {a} {axis}"] = heads.output[i, c]
        expected[f"x {who} {axis}"] = x[word, c]
        expected[f"new {who} {axis}"] = x[word, c] + heads.output[word, c]
        expected[f"missing {who} {axis}"] = alone.output[word, c] - heads.output[word, c]
        expected |= {f"{way} {who} {axis}": heads.output[word, c] for way in ("first", "second")}
    shown = expect_numbers(page, expected, abs=1e-12)
    assert float(shown["largest difference"]) <= 1e-12


def test_every_head_is_switched_at_once_and_alone(open_file):
    page = show_all(open_file("multi_head"))
    on = [1, 1, 1, 1]
    expect_the_cores_numbers(page)
    for k, name in ((0, "adjectives"), (2, "previous"), (1, "noun"), (3, "same")):
        switch(page, name).click()
        on[k] = 0
        expect_the_cores_numbers(page, on=on)
        expect(switch(page, name)).to_have_attribute("aria-checked", "false")
    expect(page.get_by_text("Every head is off, so each word keeps its old vector.").first).to_be_visible()
    expect(page.get_by_text(re.compile(r"NaN|undefined"))).to_have_count(0)
    switch(page, "same").press("Space")
    expect_the_cores_numbers(page, on=[0, 0, 0, 1])
    page.get_by_role("button", name="previous word", exact=True).click()  # its line of numbers is a switch, too
    expect_the_cores_numbers(page, on=[0, 0, 1, 1])


def test_a_dragged_word_takes_patterns_and_vectors_along(open_file):
    page = show_all(open_file("multi_head"))
    word, moved = handle(page, "creature"), MADE.embeddings.copy()
    assert place(word) == [1, 0]
    x, y = take(page, word)
    for step in (1, 2, 3):
        page.mouse.move(x - 22 * step, y - 9 * step, steps=3)
        painted(page)
        moved[CREATURE, [0, 2]] = place(word)
        expect_the_cores_numbers(page, moved)


def test_a_word_is_dragged_to_another_position_on_the_dial(open_file):
    page = show_all(open_file("multi_head?plane=dial"))
    word, moved = handle(page, "forest"), MADE.embeddings.copy()
    np.testing.assert_allclose(place(word), dial_positions(11)[7], atol=0.005)
    drag_and_hold(page, word, 30, 60)
    moved[7, -2:] = place(word)
    expect_the_cores_numbers(page, moved, word=7)  # what is dragged is the chosen word


SHOWN = """cells => cells.map(cell => {
  const number = cell.querySelector('.number');
  return [cell.classList.contains('silent'), number.textContent, Number(number.dataset.exact)];
})"""


def test_the_folds_draw_their_pictures(open_page):
    page = open_page("multi_head?word=forest")
    click(page.get_by_text("Why two small matrices instead of one large one?"))
    stage = page.locator("[data-stage='multi_head.two_steps']")
    expect(stage.locator("svg.matrix")).to_have_count(2)
    expect(stage.locator(".bar-of.kept")).to_have_count(3)
    for width in (1280, 1600, 1920):  # where a cell is narrow its number is shorter, and never another one
        page.set_viewport_size({"width": width, "height": 900})
        settled(page)
        cells = stage.locator("svg.matrix .cell").evaluate_all(SHOWN)
        assert len({silent for silent, _, _ in cells}) == 1, "all numbers or none"
        for silent, text, exact in cells:
            assert silent or abs(exact - float(text.replace("−", "-").replace("≈ ", ""))) <= 0.05, (width, text)
    page.locator("summary", has_text="The rest of a block").press("Enter")  # wherever it is at the new width
    settled(page)
    block = page.locator("[data-stage='multi_head.steps']")
    expect(block.get_by_text("The path of forest through a block")).to_be_visible()
    expect(block.locator("tbody tr")).to_have_count(len(AXES))
    assert axe(page) == []


def test_the_arcs_are_those_of_the_head_whose_name_is_chosen(open_file):
    page = open_file("multi_head")
    weights = MultiHeadAttention(MADE.W_query, MADE.W_key, MADE.W_value, MADE.W_output).attend(MADE.embeddings)
    for k, (name, title) in enumerate(zip(MADE.heads, LABELS, strict=True)):
        choice = page.get_by_role("button", name=f"Arcs of head “{title}”")
        choice.click()
        expect(choice).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".head-choice[aria-pressed=true]")).to_have_count(1)
        row = weights.heads.weights[k, CREATURE]
        expect_numbers(page, {f"{name} arc creature {word}": w for word, w in zip(WORDS, row, strict=True)})
        expect(switch(page, name)).to_have_attribute("aria-checked", "true")  # choosing switches nothing off
    expect(page.locator(".arcs-title")).to_contain_text("same word: ")
