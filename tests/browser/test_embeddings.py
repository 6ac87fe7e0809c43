"""The embeddings page: any word is dragged, and the arrow, the pulls on it and the numbers follow."""

import pytest
from playwright.sync_api import expect

from attention_core import load_example, scaled_dot_product_attention
from attention_lab.text.labels import labels
from tests.browser.hand import drag, handle, live, middle, painted, place, take
from tests.browser.harness import rerun

BUY = load_example("buy_an_apple")
TABLE = load_example("fruit_and_tech")
ARROW = "line.displaced.context:not(.ghost)"
GHOST = "line.displaced.ghost"
ENDS = "lines => lines.map(line => ['x1', 'y1', 'x2', 'y2'].map(k => Number(line.getAttribute(k))))"
BOXES = """labels => labels.map(label => {
    const { x, y, width, height } = label.getBoundingClientRect();
    return [label.textContent, x, y + .2 * height, x + width, y + .8 * height];
})"""


def drawn(page, what):
    """The ends of the lines of a kind that are drawn."""
    painted(page)
    return page.locator(f"{what}:visible").evaluate_all(ENDS)


def names(page):
    """The names in the picture, and their boxes."""
    painted(page)
    return page.locator("svg.picture text.label:visible").evaluate_all(BOXES)


def test_all_numbers_are_the_cores_while_a_word_is_dragged(open_file):
    page = open_file("embeddings")
    first, (before,) = live(page), drawn(page, ARROW)
    for axis, number in zip(BUY.axes, BUY.expected["context apple"], strict=True):
        assert float(first[f"context apple {axis}"]) == pytest.approx(number, abs=1e-12)
    drag(page, handle(page, "banana"), 80, 60)
    assert place(handle(page, "banana")) != [0.2, 5.4]
    assert live(page) == first, "a word outside the sentence pulls nothing"
    x, y = take(page, handle(page, "orange"))
    page.mouse.move(x + 60, y + 90, steps=6)
    (during,), numbers, vectors = drawn(page, ARROW), live(page), TABLE.embeddings.copy()
    assert during[:2] == before[:2], "apple itself stays"
    assert during[2:] != before[2:]
    vectors[0] = place(handle(page, "orange"))
    x = vectors[[TABLE.words.index(word) for word in BUY.words]]
    trace = scaled_dot_product_attention(x, x, x)
    for word, weight in zip(labels(BUY.words), trace.weights[3], strict=True):
        assert float(numbers[f"weight apple {word}"]) == pytest.approx(weight, abs=1e-12)
        assert float(numbers[f"share of all: apple {word}"]) == pytest.approx(weight, abs=1e-12)
    for k, axis in enumerate(BUY.axes):
        assert float(numbers[f"context apple {axis}"]) == pytest.approx(trace.context[3, k], abs=1e-12)


def test_a_word_is_chosen_in_the_sentence_or_in_the_pattern(open_file):
    page = open_file("embeddings")
    orange = page.locator(".sentence button", has_text="orange")
    orange.click()
    expect(orange).to_have_attribute("aria-pressed", "true")
    expect(orange).to_be_focused()
    assert "weight orange apple" in live(page)
    page.get_by_role("grid", name="All attention weights").get_by_role("gridcell", name="please → orange").click()
    expect(page.locator(".sentence [aria-pressed=true]")).to_contain_text("please")
    assert "weight please apple" in live(page)


def test_no_name_is_written_over_another_and_little_words_are_named_when_asked_for(open_file):
    for example in ("biopsy_5f_of_5f_the_5f_mole", "apple_5f_unveiled", "buy_5f_an_5f_apple"):
        page = open_file(f"embeddings?example={example}")
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            written = names(page)
            assert len(written) >= 6
            for i, (a, left, top, right, bottom) in enumerate(written):
                for b, *box in written[i + 1 :]:
                    across = min(right, box[2]) - max(left, box[0])
                    down = min(bottom, box[3]) - max(top, box[1])
                    assert across < 3 or down < 3, (example, width, a, b)
    written = {name for name, *_ in names(page)}
    assert {"orange", "apple", "phone", "banana"} <= written
    assert not {"please", "buy", "and", "their"} & written
    handle(page, "please").focus()
    assert "please" in {name for name, *_ in names(page)}


def test_three_moles_begin_as_one_and_move_apart_after_the_guess(open_file):
    page = open_file("embeddings?example=american_5f_true_5f_mole")
    (arrow,), others = drawn(page, ARROW), drawn(page, GHOST)
    assert len(others) == 2
    assert {tuple(line[:2]) for line in others} == {tuple(arrow[:2])}, "one entry for all three"
    assert len({tuple(line[2:]) for line in (arrow, *others)}) == 3, "three displacements"
    page = open_file("embeddings?example=american_5f_true_5f_mole&predict=1")
    assert drawn(page, f":is({ARROW}, {GHOST}, line.pull)") == []


def test_an_arrow_grows_only_for_who_wants_motion(open_file):
    tips = {}
    for motion in (True, False):
        page = open_file("embeddings", clock=True, reduced_motion=not motion)
        page.reload()
        page.locator("[data-stage]").first.wait_for(state="attached")
        seen = set()
        for _ in range(20):
            page.clock.run_for(75)
            seen |= {tuple(ends[2:]) for ends in page.locator(ARROW).evaluate_all(ENDS)}
        tips[motion] = len(seen)
    assert tips[True] > 5
    assert tips[False] == 1


def test_python_follows_a_drag_its_undo_and_words_of_ones_own(open_page):
    page = open_page("embeddings?word=orange")
    before = live(page)
    with rerun(page):
        handle(page, "apple").press("ArrowRight")
    expect(handle(page, "apple")).to_be_focused()
    assert live(open_page(page.url.split("/", 3)[3])) == live(page) != before
    with rerun(page):
        page.keyboard.press("Control+z")
    assert live(page) == before
    page.get_by_role("combobox", name="Sentence").click()
    with rerun(page):
        page.get_by_role("option", name="your own words").click()
    line = page.get_by_role("textbox", name="Sentence")
    with rerun(page):
        line.fill("<b>an</b> apple $x^2$ phone")
        line.press("Enter")
    page.keyboard.press("Escape")
    assert page.locator(".sentence .spoken").all_text_contents() == ["<b>an</b>", "apple", "$x^2$", "phone"]
    assert place(handle(page, "$x^2$"))
    fold = page.locator("[data-stage='embeddings.further']")
    assert fold.count() == 0, "drawn only once it is opened"
    with rerun(page):
        page.get_by_text("Displacements add up").click()
    expect(fold.get_by_text("by hand")).to_have_count(2)


def test_a_reading_never_looks_met_while_its_goal_is_not(open_file):
    page = open_file("embeddings?goal=newcomer")
    drag(page, handle(page, "orange"), 200, 230)
    expect(page.locator(".goals .note")).to_contain_text("Words added: 0 (goal: at least 1). Largest move of")
    page = open_file("embeddings?goal=stay_put")
    (x, y), (to_x, to_y) = middle(handle(page, "apple")), middle(handle(page, "orange"))
    drag(page, handle(page, "apple"), to_x - x + 12, to_y - y)
    expect(page.locator(".goals .note")).to_contain_text("at most 0.22). Another part of the goal isn’t met yet.")
