"""The position page: words change places, by mouse and by keys, and the numbers are the core's."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import load_example, scaled_dot_product_attention, sinusoidal_positions
from attention_lab.text.languages import LANGUAGES
from tests.browser.hand import drag, drag_and_hold, handle, number, painted, place
from tests.browser.harness import rerun_by_click

X = load_example("dog_bites_man").embeddings


def largest_difference(order):
    """How far new vectors move when words with sinusoidal positions stand in this order."""

    def outputs(x):
        x = x + sinusoidal_positions(*x.shape)
        return scaled_dot_product_attention(x, x, x).context

    return np.abs(outputs(X) - outputs(X[order])[np.argsort(order)]).max()


def test_without_positions_a_shuffle_changes_nothing(open_file):
    page = open_file("position?order=3_2_1")
    assert number(page, "largest difference") < 1e-14
    expect(page.get_by_text("The context vectors are the same", exact=False)).to_be_visible()
    for what in ("largest difference", "change dog"):
        shown = page.locator(f"[data-value='{what}']")
        expect(shown).to_have_text("0 (rounded)")
        assert 0 < float(shown.get_attribute("data-exact")) < 1e-14, "the unrounded number"
    page.get_by_role("button", name="first to the end").click()
    painted(page)
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")
    assert place(handle(page, "place man")) == [2]
    assert number(page, "largest difference") < 1e-14


def test_outputs_follow_words_that_are_moved_by_mouse_and_keys(open_file):
    page = open_file("position?order=3_2_1&positions=sinusoidal")
    man = handle(page, "place man")
    assert place(man) == [1]
    drag_and_hold(page, man, 0, 44)
    bites_man_dog = pytest.approx(largest_difference([1, 2, 0]), abs=1e-12)
    assert number(page, "largest difference") == bites_man_dog
    assert place(man) == [2]
    page.mouse.up()
    man.focus()
    for key, now in (("ArrowUp", 1), ("ArrowDown", 2)):
        page.keyboard.press(key)
        painted(page)
        assert place(man) == [now]
    expect(man).to_be_focused()
    assert number(page, "largest difference") == bites_man_dog
    words, order = ".".join(f"w{k}" for k in range(16)), "_".join(str(k) for k in range(16, 0, -1))
    link = f"position?example=own&words={words}&order={order}&positions=sinusoidal"
    page = open_file(link, width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    sinusoidal = number(page, "largest difference")
    page.locator("[data-option='positions 2']").check(force=True)  # rotary
    painted(page)
    rotary = number(page, "largest difference")
    drag(page, handle(page, "w3"), 0, -30)
    painted(page)
    assert len({0, sinusoidal, rotary, number(page, "largest difference")}) == 4


def test_the_pattern_stands_in_the_order_of_the_hand(open_file):
    page = open_file("position?order=1_3_2&word=bites&other=dog")
    page.locator("summary", has_text="Attention weights").click()
    grid = page.get_by_role("grid", name="in your order")

    def chosen():
        painted(page)
        cells = grid.get_by_role("gridcell").evaluate_all(
            "all => all.map(cell => cell.classList.contains('chosen'))"
        )
        return divmod(cells.index(True), 3)

    assert grid.locator("text.label title").all_text_contents() == 2 * ["dog", "man", "bites"]
    assert chosen() == (2, 0)
    grid.get_by_role("gridcell", name="man → bites").click()
    assert chosen() == (1, 2)
    page.get_by_role("button", name="original order").click()
    assert chosen() == (2, 1)
    assert grid.locator("text.label title").all_text_contents() == 2 * ["dog", "bites", "man"]


def test_other_dimensions_are_chosen_in_a_fold(open_page):
    page = open_page("position")
    page.locator("summary", has_text="Dimensions shown").click()
    rerun_by_click(page.get_by_text("noun and verb"))
    assert "axes=1_2d_2" in page.url
    expect(page.locator(".plane").get_by_text("verb").first).to_be_attached()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_rounded_has_room_beside_the_words(open_file, language):
    for width in (1440, 390, 320):
        page = open_file(f"position?order=3_2_1&lang={language}", width=width, height=900)
        texts = page.locator(".order .changed")
        expect(texts.first).to_have_text(re.compile("[(（]"))
        assert texts.evaluate_all("all => all.filter(e => e.scrollWidth > e.clientWidth).length") == 0, width
