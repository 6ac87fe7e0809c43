"""The position page under a hand: words change places, by mouse and by keys; the numbers are the core's."""

from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import load_example, scaled_dot_product_attention, sinusoidal_positions
from tests.browser.hand import drag, handle, live, place, take
from tests.browser.harness import rerun

X = load_example("dog_bites_man").embeddings


def number(page, what):
    return float(live(page)[what])


def order(page):
    return parse_qs(urlsplit(page.url).query).get("order", ["1_2_3"])[0]


def outputs(x):
    """New vectors with sinusoidal positions."""
    x = x + sinusoidal_positions(*x.shape)
    return scaled_dot_product_attention(x, x, x).context


def test_without_positions_a_shuffle_changes_nothing(open_page):
    page = open_page("position?order=3_2_1")
    assert number(page, "largest difference") < 1e-14
    expect(page.get_by_text("The context vectors are the same", exact=False)).to_be_visible()
    for what in ("largest difference", "change dog"):
        shown = page.locator(f"[data-value='{what}']")
        expect(shown).to_have_text("nothing (rounding)")
        assert 0 < float(shown.get_attribute("data-exact")) < 1e-14, "the unrounded number"
    with rerun(page):
        page.get_by_role("button", name="first to the end").click()
    assert order(page) == "2_3_1"
    assert number(page, "largest difference") < 1e-14
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")


def test_a_word_is_dragged_to_another_place(open_page):
    page = open_page("position?order=3_2_1&positions=sinusoidal")
    man = handle(page, "place man")
    assert place(man) == [1]
    x, y = take(page, man)
    asked = page.evaluate("labRuns.asked.length")
    page.mouse.move(x, y + 44, steps=6)
    page.wait_for_function("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert place(man) == [2]
    now = [1, 2, 0]  # bites man dog
    back = outputs(X[now])[np.argsort(now)]
    assert number(page, "largest difference") == pytest.approx(np.abs(outputs(X) - back).max(), abs=1e-12)
    assert page.evaluate("labRuns.asked.length") == asked
    with rerun(page):
        page.mouse.up()
    assert order(page) == "2_3_1"
    again = open_page(urlsplit(page.url).path.lstrip("/") + "?" + urlsplit(page.url).query)
    assert live(again)["largest difference"] == live(page)["largest difference"]


def test_keys_move_a_word_down_and_up(open_page):
    page = open_page("position?order=3_2_1")
    man = handle(page, "place man")
    man.focus()
    with rerun(page):
        page.keyboard.press("ArrowDown")
    assert (order(page), place(man)) == ("2_3_1", [2])
    with rerun(page):
        page.keyboard.press("ArrowUp")
    assert (order(page), place(man)) == ("3_2_1", [1])
    expect(man).to_be_focused()


def test_a_words_vector_is_under_the_hand_too(open_page):
    page = open_page("position?order=3_2_1&positions=rotary")
    before = number(page, "largest difference")
    with rerun(page):
        drag(page, handle(page, "bites"), 0, -60)
    assert number(page, "largest difference") != before
    assert "vectors" in page.url


def test_sixteen_words_on_a_phone(open_page):
    words = ".".join(f"w{i}" for i in range(16))
    order = "_".join(str(i) for i in range(16, 0, -1))
    address = f"position?example=own&words={words}&order={order}&positions=sinusoidal"
    page = open_page(address, width=390, height=844)
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1]
    assert number(page, "largest difference") > 0


def test_the_pattern_stands_in_the_order_of_the_hand(open_page):
    page = open_page("position?order=1_3_2&word=bites&other=dog")
    grid = page.get_by_role("grid", name="in your order")

    def chosen():
        """The row and column of the chosen cell, as they stand."""
        cells = grid.get_by_role("gridcell").evaluate_all(
            "all => all.map(cell => cell.classList.contains('chosen'))"
        )
        return divmod(cells.index(True), 3)

    assert grid.locator("text.label title").all_text_contents() == 2 * ["dog", "man", "bites"]
    assert chosen() == (2, 0)
    with rerun(page):
        grid.get_by_role("gridcell", name="man → bites").click()
    assert "word=man" in page.url
    assert chosen() == (1, 2)
    with rerun(page):
        page.get_by_role("button", name="original order").click()
    assert grid.locator("text.label title").all_text_contents() == 2 * ["dog", "bites", "man"]
    assert chosen() == (2, 1)


def test_other_axes_are_chosen_on_the_stage(open_page):
    page = open_page("position?order=3_2_1")
    with rerun(page):
        page.locator("summary", has_text="Dimensions shown").click()
        page.get_by_text("noun and verb").click()
    assert "axes=1_2d_2" in page.url
    assert page.locator(".plane").get_by_text("verb").count()
