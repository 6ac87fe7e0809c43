"""The embeddings page: any word is dragged, and the arrow, the pulls on it and the numbers follow."""

from playwright.sync_api import expect

from attention_core import load_example, scaled_dot_product_attention
from attention_lab.text.labels import labels
from tests.browser.hand import (
    ENDS,
    drag,
    drag_and_hold,
    expect_numbers,
    handle,
    line_ends,
    live,
    middle,
    painted,
    place,
)

BUY = load_example("buy_an_apple")
TABLE = load_example("fruit_and_tech")
ARROW = "line.displaced.context:not(.ghost)"
GHOST = "line.displaced.ghost"


def names(page):
    """The names in the picture."""
    painted(page)
    return {*page.locator("svg.picture text.label:visible").all_text_contents()}


def test_all_numbers_are_the_cores_while_a_word_is_dragged(open_file):
    page = open_file("embeddings")
    first, (before,) = live(page), line_ends(page, ARROW)
    context = zip(BUY.axes, BUY.expected["context apple"], strict=True)
    expect_numbers(page, {f"context apple {axis}": number for axis, number in context}, abs=1e-12)
    drag(page, handle(page, "banana"), 80, 60)
    assert place(handle(page, "banana")) != [0.2, 5.4]
    assert live(page) == first, "a word outside the sentence pulls nothing"
    drag_and_hold(page, handle(page, "orange"), 60, 90)
    (during,), vectors = line_ends(page, ARROW), TABLE.embeddings.copy()
    assert during[:2] == before[:2], "apple itself stays"
    assert during[2:] != before[2:]
    vectors[0] = place(handle(page, "orange"))
    x = vectors[[TABLE.words.index(word) for word in BUY.words]]
    trace = scaled_dot_product_attention(x, x, x)
    expected = {f"context apple {axis}": trace.context[3, k] for k, axis in enumerate(BUY.axes)}
    for word, weight in zip(labels(BUY.words), trace.weights[3], strict=True):
        expected |= {f"{what} apple {word}": weight for what in ("weight", "share of all:")}
    expect_numbers(page, expected, abs=1e-12)


def test_a_words_bar_and_its_band_have_the_colour_of_its_dot(open_file):
    page = open_file("embeddings")
    ink = "of => getComputedStyle(of).getPropertyValue('--ink')"
    bar = page.locator(".sentence button", has_text="orange").locator(".bar")

    def colours():
        return (
            bar.evaluate(ink),
            page.locator("line.pull").last.evaluate(ink),
            handle(page, "orange").evaluate(ink),
        )

    before, *others = colours()
    assert others == [before, before]
    drag(page, handle(page, "orange"), 150, 200)
    after, *others = colours()
    assert others == [after, after]
    assert after != before


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


def test_little_words_are_named_when_asked_for(open_file):
    page = open_file("embeddings", width=390)
    assert {"orange", "apple", "phone", "banana"} <= names(page)
    assert not {"please", "buy", "and", "their"} & names(page)
    handle(page, "please").focus()
    assert "please" in names(page)


def test_three_moles_begin_as_one_and_move_apart_after_the_guess(open_file):
    page = open_file("embeddings?example=american_5f_true_5f_mole")
    (arrow,), others = line_ends(page, ARROW), line_ends(page, GHOST)
    assert len(others) == 2
    assert {tuple(line[:2]) for line in others} == {tuple(arrow[:2])}, "one entry for all three"
    assert len({tuple(line[2:]) for line in (arrow, *others)}) == 3, "three displacements"
    page = open_file("embeddings?example=american_5f_true_5f_mole&predict=1")
    assert line_ends(page, f":is({ARROW}, {GHOST}, line.pull)") == []


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


def test_a_reading_never_looks_met_while_its_goal_is_not(open_file):
    page = open_file("embeddings?goal=newcomer")
    drag(page, handle(page, "orange"), 200, 230)
    expect(page.locator(".goals .note")).to_contain_text("Words added: 0 (goal: 1). Largest move of")
    page = open_file("embeddings?goal=stay_put")
    (x, y), (to_x, to_y) = middle(handle(page, "apple")), middle(handle(page, "orange"))
    drag(page, handle(page, "apple"), to_x - x + 12, to_y - y)
    expect(page.locator(".goals .note")).to_contain_text("at most 0.22). Another part of the goal isn’t met yet.")
