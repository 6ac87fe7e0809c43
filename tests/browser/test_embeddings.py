"""The embeddings page under a hand: any word is dragged, and the arrow, its pulls and its numbers follow."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import load_example, scaled_dot_product_attention
from attention_lab.state import permalink
from attention_lab.text.labels import labels
from tests.browser.hand import drag, handle, live, middle, painted, place, take
from tests.browser.harness import axe, rerun, settled

BUY = load_example("buy_an_apple")
TABLE = load_example("fruit_and_tech")
EVERY = """const every = (root = document) =>
    [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? every(e.shadowRoot) : [])]);"""
ARROW = f"""() => {{ {EVERY}
    const line = every().find(e => e.matches('line.displaced.context:not(.ghost)'));
    const ends = ['x1', 'y1', 'x2', 'y2'].map(k => Number(line.getAttribute(k)));
    return line.style.display === 'none' ? null : ends;
}}"""
GHOSTS = f"""() => {{ {EVERY}
    return every().filter(e => e.matches('line.displaced.ghost') && e.style.display !== 'none')
        .map(e => ['x1', 'y1', 'x2', 'y2'].map(k => Number(e.getAttribute(k))));
}}"""
NAMES = f"""() => {{ {EVERY}
    return every().filter(e => e.matches('svg text.label') && e.style.display !== 'none').map(e => {{
        const {{ x, y, width, height }} = e.getBoundingClientRect();
        return [e.textContent, x, y + .2 * height, x + width, y + .8 * height];
    }});
}}"""
FOCUSED = """() => {
    let e = document.activeElement;
    while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
    return e.dataset.handle ?? e.textContent;
}"""
PULLS = f"""() => {{ {EVERY}
    return every().filter(e => e.matches('line.pull') && e.style.display !== 'none').length;
}}"""


def chip(page, word):
    """A word of the sentence, to be chosen."""
    return page.locator(".sentence button").filter(has_text=re.compile(rf"^{re.escape(word)}")).first


def grown(page):
    """The arrow's two ends once it has grown, where it does not grow slowly."""
    painted(page)
    return page.evaluate(ARROW)


def test_apple_follows_its_company_while_it_is_dragged(open_page):
    page = open_page("embeddings")
    before, orange = grown(page), handle(page, "orange")
    x, y = take(page, orange)
    page.mouse.move(x + 60, y + 90, steps=6)
    painted(page)
    during, numbers, vectors = page.evaluate(ARROW), live(page), TABLE.embeddings.copy()
    assert during[:2] == before[:2], "apple itself stays"
    assert during[2:] != before[2:]
    vectors[0] = place(orange)
    rows = [TABLE.words.index(word) for word in BUY.words]
    trace = scaled_dot_product_attention(vectors[rows], vectors[rows], vectors[rows])
    for word, weight in zip(labels(BUY.words), trace.weights[3], strict=True):
        assert float(numbers[f"weight apple {word}"]) == pytest.approx(weight, abs=1e-12)
    assert float(numbers["context apple tech"]) == pytest.approx(trace.context[3, 0], abs=1e-12)
    assert float(numbers["context apple fruit"]) == pytest.approx(trace.context[3, 1], abs=1e-12)
    with rerun(page):
        page.mouse.up()
    assert live(page) == numbers, "Python says the same"


def test_the_worked_numbers_on_screen(open_page):
    page = open_page("embeddings")
    assert chip(page, "orange").locator(".number").text_content() == "73.4%"
    tech, fruit = BUY.expected["context apple"]
    numbers = live(page)
    assert float(numbers["context apple tech"]) == pytest.approx(tech, abs=1e-12)
    assert float(numbers["context apple fruit"]) == pytest.approx(fruit, abs=1e-12)


def test_a_word_outside_the_sentence_can_be_dragged_and_pulls_nothing(open_page):
    page = open_page("embeddings")
    before = live(page)
    with rerun(page):
        drag(page, handle(page, "banana"), 80, 60)
    assert place(handle(page, "banana")) != [0.2, 5.4]
    assert live(page) == before
    assert "vectors=" in page.url


def test_choosing_a_word_and_keys_keep_the_focus(open_page):
    page = open_page("embeddings")
    with rerun(page):
        chip(page, "orange").click()
    assert "word=orange" in page.url
    assert page.evaluate(FOCUSED).startswith("orange")
    expect(chip(page, "orange")).to_have_attribute("aria-pressed", "true")
    assert "weight orange apple" in live(page)
    for step in (1, 2):  # the first move turns the badge: the handle keeps the focus all the same
        with rerun(page):
            handle(page, "orange").press("ArrowRight") if step == 1 else page.keyboard.press("ArrowRight")
        assert page.evaluate(FOCUSED) == "orange"
    np.testing.assert_allclose(place(handle(page, "orange")), [0.8, 4.8])


def test_little_words_are_named_when_asked_for(open_page):
    page = open_page("embeddings")
    names = {name for name, *_ in page.evaluate(NAMES)}
    assert {"orange", "apple", "phone", "banana"} <= names
    assert not {"please", "buy", "and", "their"} & names
    handle(page, "please").focus()
    painted(page)
    assert "please" in {name for name, *_ in page.evaluate(NAMES)}


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("example", ["buy_an_apple", "apple_unveiled", "biopsy_of_the_mole"])
def test_no_name_is_written_over_another(open_page, example, width):
    page = open_page(f"embeddings?example={permalink.escape(example)}", width=width)
    painted(page)
    names = page.evaluate(NAMES)
    assert len(names) >= 6
    for i, (a, left, top, right, bottom) in enumerate(names):
        for b, *box in names[i + 1 :]:
            across = min(right, box[2]) - max(left, box[0])
            down = min(bottom, box[3]) - max(top, box[1])
            assert across < 3 or down < 3, (a, b)


def test_three_moles_begin_as_one(open_page):
    page = open_page("embeddings?example=american_5f_true_5f_mole")
    arrow, ghosts = grown(page), page.evaluate(GHOSTS)
    assert len(ghosts) == 2
    assert {tuple(ghost[:2]) for ghost in ghosts} == {tuple(arrow[:2])}, "one entry for all three"
    assert len({tuple(way[2:]) for way in (arrow, *ghosts)}) == 3, "three displacements"


def test_the_pattern_chooses_the_word_of_interest(open_page):
    page = open_page("embeddings")
    grid = page.get_by_role("grid", name="All attention weights")
    with rerun(page):
        grid.get_by_role("gridcell", name="please → orange").click()
    assert "word=please" in page.url
    assert "weight please apple" in live(page)


def test_the_pattern_follows_the_hand(open_page):
    page = open_page("embeddings")
    before = live(page)["share of all: apple orange"]
    assert float(before) == pytest.approx(0.7343, abs=1e-4)
    with rerun(page):
        handle(page, "apple").press("ArrowRight")
    assert live(page)["share of all: apple orange"] != before


def test_a_goal_fills_and_is_ticked(open_page):
    page = open_page("embeddings?goal=stay_5f_put")
    note = page.locator(".goals .note")
    expect(note).to_contain_text("Length of the arrow")
    apple, orange = handle(page, "apple"), handle(page, "orange")
    (ax, ay), (ox, oy) = middle(apple), middle(orange)
    with rerun(page):
        drag(page, orange, ax - ox, ay - oy)
    expect(note).to_have_text("Goal reached.")
    with rerun(page):
        drag(page, orange, ox - ax, oy - ay)
    expect(note).to_have_text("You reached this goal before.")


def test_before_the_guess_nothing_moves_and_nothing_is_told(open_page):
    page = open_page("embeddings?predict=1")
    handle(page, "apple").wait_for()
    assert page.evaluate(ARROW) is None
    assert page.evaluate(GHOSTS) == []
    assert page.evaluate(PULLS) == 0
    assert not {what for what in live(page) if what.startswith(("weight", "context")) or "share" in what}
    with rerun(page):
        page.get_by_role("button", name="orange", exact=True).first.click()
    assert grown(page)
    assert page.evaluate(PULLS) > 0


def test_own_words_open_the_place_where_they_are_written(open_page):
    page = open_page("embeddings")
    page.get_by_role("combobox", name="Sentence").click()
    with rerun(page):
        page.get_by_role("option", name="your own words").click()
    line = page.get_by_role("textbox", name="Sentence")
    expect(line).to_be_visible()
    with rerun(page):
        line.fill("<b>an</b> apple $x^2$ phone")
        line.press("Enter")
    page.keyboard.press("Escape")
    assert page.locator(".sentence .spoken").all_text_contents() == ["<b>an</b>", "apple", "$x^2$", "phone"]
    assert place(handle(page, "$x^2$"))
    again = open_page(page.url.split("/", 3)[3])
    assert live(again) == live(page)


def test_the_fold_draws_arrows_tip_to_tail_only_once_opened(open_page):
    page = open_page("embeddings")
    assert page.locator("[data-stage='embeddings.further']").count() == 0
    with rerun(page):
        page.get_by_text("Displacements add up").click()
    fold = page.locator("[data-stage='embeddings.further']")
    expect(fold.get_by_text("miniature Eiffel tower")).to_be_visible()
    expect(fold.get_by_text("by hand")).to_have_count(2)
    settled(page)
    page.wait_for_timeout(600)  # it fades in
    assert axe(page) == []


def test_an_arrow_does_not_grow_for_who_wants_no_motion(open_page):
    page = open_page("embeddings", reduced_motion=True)
    first = page.evaluate(ARROW)
    page.wait_for_timeout(900)  # as long as it would grow
    assert page.evaluate(ARROW) == first
