"""The softmax page: bars, temperature, words and the switch for zeros, and every number that follows."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import entropy, load_example, softmax
from tests.browser.hand import drag, handle, live, middle, number, number_text, painted, place, take
from tests.browser.harness import rerun_by_click

APPLE = load_example("an_apple_and_an_orange")
EXPECTED = APPLE.expected
NAMES = ("an", "apple", "and", "an₂", "orange")


def numbers(page, what, suffix=""):
    """The live numbers of all words."""
    shown = live(page)
    return [float(shown[f"{what} apple {name}{suffix}"]) for name in NAMES]


def context(page, suffix=""):
    shown = live(page)
    return [float(shown[f"context apple {axis}{suffix}"]) for axis in APPLE.axes]


def badges(page):
    return page.locator("[data-stage=softmax] .badge").all_text_contents()


def leave_zeros_out(page):
    page.locator("summary", has_text="Words with a score of zero").click()
    page.get_by_text("left out", exact=True).click()
    painted(page)


def test_the_worked_numbers_are_in_sight_for_the_word_that_is_chosen(open_file):
    page = open_file("softmax")
    words, without = ("apple", "orange", "and"), "weight apple {} without zeros"
    assert [number_text(page, f"weight apple {word}") for word in words] == ["35.1%", "26.2%", "12.9%"]
    assert [number_text(page, without.format(word)) for word in words] == ["57.3%", "42.7%", "0.0%"]
    assert context(page) == pytest.approx(EXPECTED["context apple"])
    names = page.locator("[data-value]").evaluate_all("all => all.map(e => e.dataset.value)")
    assert len(names) == len(set(names)) > 40, "every live number has a name of its own"
    chosen = page.locator("[data-line=exponents] .word").last
    expect(chosen).to_have_text("orange")
    page.mouse.click(*middle(page.locator("[data-stage=softmax] .lane").nth(2)))
    expect(chosen).to_have_text("and")
    page.locator("[data-stage=softmax] .piece").last.dispatch_event("click")
    expect(chosen).to_have_text("orange")
    leave_zeros_out(page)
    assert context(page, " without zeros") == pytest.approx(EXPECTED["context apple without zeros"])
    expect(page.get_by_text("apple moves 42.7% of the way to orange.")).to_be_visible()
    page = open_file("softmax?zeros=out")
    expect(page.get_by_text("left out", exact=True)).to_be_visible()


def test_all_follows_a_pulled_bar_or_a_dragged_word_as_the_core_has_it(open_file):
    page = open_file("softmax?temperature=1.7", height=1500)
    hand = handle(page, "orange")
    assert hand.get_attribute("aria-valuetext") == "orange: score 0.71"
    x, y = take(page, hand)
    for up in (20, 60, -40):
        page.mouse.move(x, y - up, steps=4)
        painted(page)
        scores = np.array(numbers(page, "score"))
        assert place(hand) == [pytest.approx(scores[-1], abs=0.006)]
        weights = softmax(scores, 1.7)
        assert numbers(page, "weight") == pytest.approx(weights)
        assert numbers(page, "exp") == pytest.approx(np.exp(scores / 1.7))
        assert number(page, "entropy apple") == pytest.approx(entropy(weights))
        assert context(page) == pytest.approx(weights @ APPLE.embeddings)
        assert badges(page) == ["yours", "numbers set by hand", "numbers set by hand"], (
            "the scores are the reader's, the vectors are not"
        )
        expect(page.locator("svg .sub").first).to_have_text("your scores")
    page.mouse.up()
    page.get_by_role("button", name="Back to cosine scores").click()
    painted(page)
    assert numbers(page, "score") == pytest.approx([0, 1, 0, 0, EXPECTED["cosine apple orange"]])
    assert badges(page) == ["numbers set by hand"] * 3
    expect(page.locator("svg .sub").first).to_have_text("cosines")
    word, vectors = handle(page, "vector orange"), APPLE.embeddings.copy()
    assert place(word) == [0, 3]
    drag(page, word, 60, 30)
    painted(page)
    vectors[4, :2] = place(word)
    cosine = vectors[1] @ vectors[4] / np.linalg.norm(vectors[1]) / np.linalg.norm(vectors[4])
    assert numbers(page, "score")[4] == pytest.approx(cosine) != EXPECTED["cosine apple orange"]


def test_the_temperature_goes_from_end_to_end_by_mouse_and_keys(open_file):
    page = open_file("softmax")
    slider = page.locator("[data-handle=temperature]")
    box = slider.bounding_box()

    def expect_temperature(low, high):
        painted(page)
        temperature = number(page, "temperature")
        assert low <= temperature <= high
        assert slider.get_attribute("aria-valuetext") == f"temperature: T {temperature:.2f}"
        assert numbers(page, "weight") == pytest.approx(softmax(np.array(numbers(page, "score")), temperature))

    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    expect_temperature(1, 1)
    for part, low, high in ((0.8, 4, 9), (0.998, 20, 20), (0.002, 0.05, 0.05)):
        page.mouse.move(box["x"] + part * box["width"], y, steps=6)
        expect_temperature(low, high)
    page.mouse.up()
    for key, low, high in (("ArrowRight", 0.05001, 0.2), ("ArrowLeft", 0.05, 0.05), ("End", 20, 20)):
        slider.press(key)
        expect_temperature(low, high)


def test_scores_beyond_the_picture_or_undefined_and_sixteen_words_break_nothing(open_file):
    page = open_file("softmax?scores=1000_-1000_0_-1000_1000&temperature=0.05")
    assert numbers(page, "weight") == [0.5, 0, 0, 0, 0.5]
    assert number_text(page, "exp apple orange") == "10⁸⁶⁸⁶"
    assert number_text(page, "exp apple apple") == "10⁻⁸⁶⁸⁶"
    assert number_text(page, "line weight") == "50.0%"
    stage = page.locator("[data-stage=softmax]").text_content()
    assert "NaN" not in stage
    assert "Infinity" not in stage
    drag(page, handle(page, "orange"), 0, 60)
    painted(page)
    assert -2 <= place(handle(page, "orange"))[0] < 4, "taken hold of, it comes back into the picture"
    assert numbers(page, "score")[0] == 1000
    page = open_file("softmax?scores=0_0_0_0_0")
    assert numbers(page, "weight") == [0.2] * 5
    leave_zeros_out(page)
    expect(page.get_by_text("Every score here is −∞, so softmax is undefined").first).to_be_visible()
    expect(page.get_by_text("so there is nothing to average")).to_be_visible()
    assert numbers(page, "weight", " without zeros") == [0] * 5
    expect(page.locator("[data-line=share]")).to_be_hidden()
    page = open_file("softmax?vectors=0_0_3__2_2_0__0_0_0__0_3_0")
    assert number_text(page, "score apple and") == "undefined"
    assert handle(page, "and").get_attribute("aria-valuetext") == "and: score undefined"
    expect(page.get_by_text("A vector of length zero has no direction")).to_be_visible()
    assert numbers(page, "weight")[2] == 0
    assert "NaN" not in page.locator("[data-stage=softmax]").text_content()
    handle(page, "and").press("ArrowUp")
    painted(page)
    assert numbers(page, "score")[2] == pytest.approx(0.1)
    words = ".".join(f"w{k}" for k in range(16))
    page = open_file(f"softmax?example=own&word=w15&words={words}")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        painted(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        wide = page.locator("[data-handle=w3]").bounding_box()
        assert wide["width"] >= 24
        assert wide["height"] >= 40
    last = page.locator("[data-handle=w15]")
    last.scroll_into_view_if_needed()
    drag(page, last, 0, -30)
    painted(page)
    assert place(last)[0] > 1


def test_exponentials_keep_their_proportion_and_wait_with_entropy_to_be_asked_for(open_file):
    page = open_file("softmax?predict=1")
    assert page.locator("[data-stage=softmax] .piece:not([d=''])").count() == 0, "before the guess"
    page = open_file("softmax?scores=0_4_3.5_1_0")
    power = page.locator("[data-stage=softmax] .column.power").first
    bits = page.locator("[data-value='entropy apple']")
    expect(power).to_be_hidden()
    expect(bits).to_be_hidden()
    page.get_by_role("button", name="Show exponentials").click()
    expect(power).to_be_visible()
    bars = page.locator("[data-stage=softmax] .column.power .bar")
    heights = np.array(bars.evaluate_all("all => all.map(bar => Number(bar.getAttribute('height')))"))
    powers = np.array(numbers(page, "exp"))
    assert heights[1] > heights[2] > heights[3] > 0
    np.testing.assert_allclose(heights / heights[1], powers / powers[1], atol=5e-3)
    page.get_by_role("button", name="Hide exponentials").click()
    expect(power).to_be_hidden()
    page.get_by_role("button", name="Goals 3").click()
    expect(bits).to_be_visible()


def test_the_two_folds_draw_their_charts(open_page):
    page = open_page("softmax")
    charts = page.locator(".stVegaLiteChart")
    assert charts.count() == 0, "in a closed fold"
    rerun_by_click(page.get_by_text("Three weights as one point in a triangle"))
    sides = charts.locator(".mark-line path").evaluate_all(
        "all => all.map(e => e.getBBox()).map(b => Math.hypot(b.width, b.height)).sort((a, b) => b - a)"
    )
    assert sides[:3] == pytest.approx([sides[0]] * 3, abs=1), "as many pixels up as across"
    rerun_by_click(page.get_by_text("Why divide by the square root of d?"))
    assert charts.count() == 5
    expect(page.locator(".stMarkdownBadge").filter(has_text="random").first).to_be_visible()
