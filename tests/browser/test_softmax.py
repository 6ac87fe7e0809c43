"""The softmax page under a hand: bars, temperature, the switch, the attention step."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import entropy, load_example, softmax
from attention_lab.text.number_format import format_power
from tests.browser.hand import drag, handle, live, middle, painted, place, take
from tests.browser.harness import axe, in_a_row, rerun

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


def text_of(page, what):
    return page.locator(f'[data-value="{what}"]').text_content()


def test_the_worked_numbers_are_in_sight(open_page):
    page = open_page("softmax")
    assert [text_of(page, f"weight apple {name}") for name in ("apple", "orange", "and")] == [
        "35.1%",
        "26.2%",
        "12.9%",
    ]
    without = [text_of(page, f"weight apple {name} without zeros") for name in ("apple", "orange", "and")]
    assert without == ["57.3%", "42.7%", "0.0%"]
    assert context(page) == pytest.approx(EXPECTED["context apple"])
    page.locator("summary", has_text="Words with a score of zero").click()
    with rerun(page):
        page.get_by_text("left out", exact=True).click()
    assert context(page, " without zeros") == pytest.approx(EXPECTED["context apple without zeros"])
    expect(page.get_by_text("apple moves 42.7% of the way to orange.")).to_be_visible()


def test_all_follows_a_pulled_bar_as_the_core_has_it(open_page):
    page = open_page("softmax?temperature=1.7")
    hand = handle(page, "orange")
    assert hand.get_attribute("aria-valuetext") == "orange: score 0.71"
    frames = page.evaluate("labRuns.asked.length")
    x, y = take(page, hand)
    for up in (20, 60, -40):
        page.mouse.move(x, y - up, steps=4)
        painted(page)
        scores = np.array(numbers(page, "score"))
        assert place(hand) == [pytest.approx(scores[-1], abs=0.006)]
        shares = softmax(scores, 1.7)
        assert numbers(page, "weight") == pytest.approx(shares)
        assert numbers(page, "exp") == pytest.approx(np.exp(scores / 1.7))
        assert float(live(page)["entropy apple"]) == pytest.approx(entropy(shares))
        assert context(page) == pytest.approx(shares @ APPLE.embeddings)
        assert badges(page) == ["yours", "by hand", "by hand"], "the scores are the reader's, the vectors are not"
    assert page.evaluate("labRuns.asked.length") == frames, "no server is asked while the hand is down"
    with rerun(page):
        page.mouse.up()
    with rerun(page):
        page.get_by_role("button", name="Back to cosine scores").click()
    assert numbers(page, "score") == pytest.approx([0, 1, 0, 0, EXPECTED["cosine apple orange"]])
    assert badges(page) == ["by hand"] * 3
    assert "scores" not in page.url


def test_every_live_number_has_a_name_of_its_own(open_page):
    page = open_page("softmax")
    names = page.locator("[data-value]").evaluate_all("all => all.map(e => e.dataset.value)")
    assert len(names) == len(set(names)) > 40


def test_the_temperature_goes_from_end_to_end_by_mouse_and_keys(open_page):
    page = open_page("softmax")
    slider = page.locator("[data-handle=temperature]")
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    for x, expected in (
        (box["x"] + 1, 0.05),
        (box["x"] + box["width"] - 1, 20),
        (box["x"] + box["width"] / 2, 1),
    ):
        with rerun(page):
            page.mouse.click(x, y)
        assert float(live(page)["temperature"]) == expected
        assert slider.get_attribute("aria-valuetext") == f"temperature: T {expected:.2f}"
        assert numbers(page, "weight") == pytest.approx(softmax(np.array(numbers(page, "score")), expected))
    with rerun(page):
        slider.press("ArrowLeft")
    one = float(live(page)["temperature"])
    assert 0.8 < one < 1
    with rerun(page):
        slider.press("ArrowRight")
    assert float(live(page)["temperature"]) == 1
    asked = page.evaluate("labRuns.asked.length")
    with rerun(page), in_a_row(page):
        for _ in range(40):
            slider.press("PageUp")
    assert float(live(page)["temperature"]) == 20
    assert page.evaluate("labRuns.asked.length") == asked + 1, "a run of keys is one move"
    assert "temperature=20" in page.url


def test_the_temperature_follows_a_hand_before_it_lets_go(open_page):
    page = open_page("softmax")
    box = page.locator("[data-handle=temperature]").bounding_box()
    asked = page.evaluate("labRuns.asked.length")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 12, steps=6)
    painted(page)
    temperature = float(live(page)["temperature"])
    assert 4 < temperature < 9
    assert numbers(page, "weight") == pytest.approx(softmax(np.array(numbers(page, "score")), temperature))
    assert page.evaluate("labRuns.asked.length") == asked
    with rerun(page):
        page.mouse.up()
    assert float(live(page)["temperature"]) == temperature


def test_a_dragged_word_takes_its_score_along(open_page):
    page = open_page("softmax", height=1500)
    hand = handle(page, "vector orange")
    assert place(hand) == [0, 3]
    before = float(live(page)["score apple orange"])
    with rerun(page):
        drag(page, hand, 60, 30)
    x = APPLE.embeddings.copy()
    x[4, :2] = place(hand)
    cosine = x[1] @ x[4] / np.linalg.norm(x[1]) / np.linalg.norm(x[4])
    assert float(live(page)["score apple orange"]) == pytest.approx(cosine) != before
    assert badges(page) == ["yours"] * 3


def test_a_word_is_chosen_by_its_column_and_its_part_of_the_ring(open_page):
    page = open_page("softmax")
    expect(page.locator("[data-line=exponents] .word").last).to_have_text("orange")
    x, y = middle(page.locator("[data-stage=softmax] .lane").nth(2))
    with rerun(page):
        page.mouse.click(x, y)
    expect(page.locator("[data-line=exponents] .word").last).to_have_text("and")
    with rerun(page):
        page.locator("[data-stage=softmax] .piece").nth(1).dispatch_event("click")
    expect(page.locator("[data-line=exponents] .word").last).to_have_text("apple")
    assert "other=apple" in page.url


def test_scores_far_beyond_the_picture(open_page):
    page = open_page("softmax?scores=1000_-1000_0_-1000_1000&temperature=0.05")
    assert numbers(page, "weight") == [0.5, 0, 0, 0, 0.5]
    assert text_of(page, "exp apple orange") == format_power(1000 / 0.05) == "10⁸⁶⁸⁶"
    assert text_of(page, "exp apple apple") == format_power(-1000 / 0.05) == "10⁻⁸⁶⁸⁶"
    assert text_of(page, "line weight") == "50.0%"
    stage = page.locator("[data-stage=softmax]").text_content()
    assert "NaN" not in stage
    assert "Infinity" not in stage
    hand = handle(page, "orange")
    with rerun(page):
        drag(page, hand, 0, 60)
    assert -2 <= place(hand)[0] < 4, "taken hold of, it comes back into the picture"
    assert numbers(page, "score")[0] == 1000


def test_powers_keep_their_proportion_however_large_they_grow(open_page):
    page = open_page("softmax?scores=0_4_3.5_1_0")
    page.get_by_role("button", name="Show exponentials").click()
    tall = "labels => labels.map(bar => Number(bar.getAttribute('height')))"
    bars = page.locator("[data-stage=softmax] .column.power .bar")
    heights = bars.evaluate_all(tall)
    powers = numbers(page, "exp")
    assert heights[1] > heights[2] > heights[3] > 0
    np.testing.assert_allclose(np.array(heights) / heights[1], np.array(powers) / powers[1], atol=5e-3)


def test_nothing_to_share_is_said_in_words(open_page):
    page = open_page("softmax?scores=0_0_0_0_0")
    assert numbers(page, "weight") == [0.2] * 5
    page.locator("summary", has_text="Words with a score of zero").click()
    with rerun(page):
        page.get_by_text("left out", exact=True).click()
    expect(page.get_by_text("Every score here is −∞, so all weights are zero").first).to_be_visible()
    expect(page.get_by_text("so there is nothing to average")).to_be_visible()
    assert numbers(page, "weight", " without zeros") == [0] * 5
    expect(page.locator("[data-line=share]")).to_be_hidden()


def test_a_vector_of_length_zero_is_undefined_until_its_bar_is_pulled(open_page):
    page = open_page("softmax?vectors=0_0_3__2_2_0__0_0_0__0_3_0")
    assert text_of(page, "score apple and") == "undefined"
    assert handle(page, "and").get_attribute("aria-valuetext") == "and: score undefined"
    expect(page.get_by_text("A vector of length zero has no direction")).to_be_visible()
    assert numbers(page, "weight")[2] == 0
    assert "NaN" not in page.locator("[data-stage=softmax]").text_content()
    with rerun(page):
        handle(page, "and").press("ArrowUp")
    assert numbers(page, "score")[2] == pytest.approx(0.1)
    assert "left out" not in page.locator("body").text_content()


def test_predict_first_hides_shares_and_what_follows_from_them(open_page):
    page = open_page("softmax?predict=1")
    for what in ("weight apple orange", "entropy apple", "context apple tech", "line weight", "way apple"):
        assert text_of(page, what) == "?"
        assert what not in live(page)
    assert page.locator("[data-stage=softmax] .piece:not([d=''])").count() == 0
    with rerun(page):
        page.get_by_role("button", name="more than 10%").click()
    assert text_of(page, "weight apple orange") == "26.2%"


SIXTEEN = "softmax?example=own&word=w15&words=" + ".".join([f"w{k}" for k in range(15)] + ["w15"])


@pytest.mark.parametrize("width", [390, 1440])
def test_sixteen_words_fit_and_stay_within_reach(open_page, width):
    page = open_page(SIXTEEN, width=width, height=844)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    wide = page.locator("[data-handle=w3]").bounding_box()
    assert wide["width"] >= 24
    assert wide["height"] >= 40
    last = page.locator("[data-handle=w15]")
    last.scroll_into_view_if_needed()
    with rerun(page):
        drag(page, last, 0, -30)
    assert place(last)[0] > 1


def test_the_two_folds_draw_their_pictures(open_page):
    page = open_page("softmax")
    assert page.locator(".stVegaLiteChart").count() == 0
    with rerun(page):
        page.get_by_text("Three weights as one point in a triangle").click()
    sides = page.locator(".stVegaLiteChart .mark-line path").evaluate_all(
        "all => all.map(e => e.getBBox()).map(b => Math.hypot(b.width, b.height)).sort((a, b) => b - a)"
    )
    assert sides[:3] == pytest.approx([sides[0]] * 3, abs=1), "as many pixels up as across"
    with rerun(page):
        page.get_by_text("Why divide by the square root of d?").click()
    assert page.locator(".stVegaLiteChart").count() == 5
    expect(page.locator(".stMarkdownBadge").filter(has_text="random").first).to_be_visible()
    assert axe(page) == []


def test_exponentials_and_folds_wait_to_be_asked_for(open_page):
    page = open_page("softmax")
    power = page.locator("[data-stage=softmax] .column.power").first
    entropy_bits = page.locator("[data-value='entropy apple']")
    without = page.locator("[data-value='weight apple orange without zeros']")
    for hidden in (power, entropy_bits, without):
        expect(hidden).to_be_hidden()
    page.get_by_role("button", name="Show exponentials").click()
    expect(power).to_be_visible()
    page.get_by_role("button", name="Hide exponentials").click()
    expect(power).to_be_hidden()
    page.locator("summary", has_text="Words with a score of zero").click()
    expect(without).to_be_visible()
    with rerun(page):
        page.get_by_role("button", name="Goals 3").click()
    expect(entropy_bits).to_be_visible()


def test_a_link_that_leaves_zeros_out_opens_their_fold(open_page):
    page = open_page("softmax?zeros=out")
    expect(page.get_by_text("left out", exact=True)).to_be_visible()
