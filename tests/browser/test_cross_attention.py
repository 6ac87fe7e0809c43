"""The cross-attention page under a hand: a query is dragged, English words change places, links follow."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import AttentionHead, load_example, scaled_dot_product_attention
from tests.browser.hand import drag, drag_and_hold, handle, live, middle, painted, place, take, touch_drag
from tests.browser.harness import axe, open_change, rerun_by_click, rerun_by_key

CREATURE = load_example("la_creature_bleue_duveteuse")
HEAD = AttentionHead(CREATURE.W_query, CREATURE.W_key, CREATURE.W_value)
TRACE = HEAD.attend(CREATURE.embeddings, CREATURE.memory)


def of_pairs(page, what="weight", asks=CREATURE.words, answers=CREATURE.memory_words):
    """The live matrix."""
    painted(page)
    numbers = live(page)
    return np.array([[float(numbers[f"{what} {a} {b}"]) for b in answers] for a in asks])


def widths(page):
    """How wide the links of the chosen word are drawn, in the order of the words as given."""
    return page.locator(".links .of.chosen path").evaluate_all(
        "all => all.map(e => e.style.display === 'none' ? 0 : parseFloat(e.style.strokeWidth))"
    )


def test_the_links_and_the_heatmap_show_what_the_core_computes(open_file):
    page = open_file("cross_attention")
    np.testing.assert_allclose(of_pairs(page), TRACE.weights, atol=1e-12)
    np.testing.assert_allclose(of_pairs(page, "context", answers=CREATURE.axes), TRACE.context, atol=1e-12)
    duveteuse = CREATURE.words.index("duveteuse")
    numbers = live(page)
    for word, weight in zip(CREATURE.memory_words, TRACE.weights[duveteuse], strict=True):
        assert float(numbers[f"link duveteuse {word}"]) == pytest.approx(weight, abs=1e-12)
    assert np.argmax(widths(page)) == CREATURE.memory_words.index("fluffy")
    assert numbers["crossings"] == "3"
    page.locator(".links").get_by_role("button", name="créature").click()
    painted(page)
    assert np.argmax(widths(page)) == CREATURE.memory_words.index("creature")
    assert float(live(page)["link créature creature"]) == pytest.approx(TRACE.weights[1, 3], abs=1e-12)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    painted(page)
    assert np.argmax(widths(page)) == CREATURE.memory_words.index("the")


def test_a_dragged_query_swings_its_links(open_file):
    page = open_file("cross_attention")
    bleue = handle(page, "bleue")
    _, y = take(page, bleue)
    picture = page.locator("svg.picture").bounding_box()
    page.mouse.move(picture["x"] + picture["width"] / 2, y - picture["height"] / 3, steps=10)
    painted(page)
    query = TRACE.query.copy()
    query[CREATURE.words.index("bleue")] = place(bleue)
    expected = scaled_dot_product_attention(query, TRACE.key, TRACE.value)
    np.testing.assert_allclose(of_pairs(page), expected.weights, atol=1e-9)
    np.testing.assert_allclose(of_pairs(page, "context", answers=CREATURE.axes), expected.context, atol=1e-9)
    assert np.argmax(widths(page)) == CREATURE.memory_words.index("fluffy"), "bleue is now the chosen word"


def test_an_english_word_is_dragged_or_moved_by_keys_to_another_position(open_file):
    page = open_file("cross_attention?goal=straighten")
    expect(page.get_by_text("Crossings between strongest links: 3. Goal: 0.")).to_be_visible()
    the, creature = handle(page, "place the"), handle(page, "place creature")
    far = creature.bounding_box()["x"] - the.bounding_box()["x"]
    drag_and_hold(page, creature, -far * 2 / 3, 0)
    assert place(creature) == [2]
    np.testing.assert_allclose(of_pairs(page), TRACE.weights, atol=1e-12)
    page.mouse.up()
    painted(page)
    assert live(page)["crossings"] == "1"
    for word, keys, position in (("creature", ["ArrowRight", "ArrowLeft"], 2), ("fluffy", ["ArrowRight"], 4)):
        moved = handle(page, f"place {word}")
        moved.focus()
        for key in keys:
            page.keyboard.press(key)
            painted(page)
        assert place(moved) == [position]
        expect(moved).to_be_focused()
    assert live(page)["crossings"] == "0"
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")


def test_the_first_move_comes_near_the_first_goal_and_meeting_that_leaves_the_second_open(open_file):
    """The ringed query is dragged towards the centre, and then to the key that another word attends to."""
    page = open_file("cross_attention")
    query, bleue, note = handle(page, "duveteuse"), handle(page, "bleue"), page.locator(".goals .note")
    expect(page.locator(".hit.cue")).to_have_attribute("data-handle", "duveteuse")
    drag(page, query, 0, 60)
    expect(note).to_contain_text("duveteuse → blue: ")
    drag(page, query, *np.subtract(middle(bleue), middle(query)))
    expect(note).to_have_text("Goal reached.")
    expect(page.locator(".goals .why")).to_contain_text("an alignment may be many-to-one")
    page.get_by_role("button", name="Goals 2").click()
    expect(page.locator(".goals .note")).not_to_have_text("Goal reached.")


def test_the_mask_waits_in_a_fold_that_its_goal_opens_and_shows_what_is_hidden(open_file):
    page = open_file("cross_attention")
    mask, fold = page.locator("fieldset", has_text="Mask"), page.get_by_text("Try a causal mask")
    ghosts = page.locator(".links .ghosts path:not([style*='display: none'])")
    goal = page.locator(".goals").get_by_role("button", name="Goals 4")
    expect(mask).to_be_hidden()
    expect(ghosts).to_have_count(0)
    goal.click()
    expect(mask).to_be_visible()
    fold.click()
    expect(mask).to_be_hidden()
    page.locator(".links").get_by_role("button", name="bleue").click()
    painted(page)
    expect(mask).to_be_hidden()
    fold.click()
    page.get_by_text("causal", exact=True).click()
    hidden = page.get_by_text("Strongest links hidden by the mask: créature → creature", exact=True)
    expect(hidden).to_be_visible()
    expect(ghosts).to_have_count(1)
    assert of_pairs(page)[1, 3] == 0
    expect(page.get_by_role("gridcell", name=re.compile("créature → creature: .*masked"))).to_be_visible()


def test_a_choice_and_other_sentences_are_drawn_once_python_knows_of_them(open_page):
    page = open_page("cross_attention?goal=lost&mask=causal")
    rerun_by_click(page.locator(".links").get_by_role("button", name="créature"))
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")  # once Python knows of the chosen word
    open_change(page)
    rerun_by_click(page.get_by_text("French: self-attention", exact=True))
    expect(page.locator("[data-handle^='place ']")).to_have_count(0)
    square = HEAD.attend(CREATURE.embeddings, mask=np.tri(4, dtype=bool)).weights
    np.testing.assert_allclose(of_pairs(page, answers=CREATURE.words), square, atol=1e-12)
    rerun_by_click(page.get_by_role("button", name="Reset", exact=True))
    before = live(page)
    open_change(page)
    box = page.get_by_role("textbox", name="English sentence (keys and values)")
    box.fill("")
    rerun_by_key(box, "Enter")
    expect(page.get_by_text("There are no words. Enter 1 to 16 words.")).to_be_visible()
    assert live(page) == before
    box.fill("the soft beast")
    rerun_by_key(box, "Enter")
    expect(handle(page, "place beast")).to_be_visible()
    assert of_pairs(page, answers=("the", "soft", "beast")).shape == (4, 3)


def test_a_phone_shows_two_columns_and_a_finger_moves_a_word(open_file):
    page = open_file("cross_attention", width=390, height=844, touch=True)
    expect(page.locator(".links.upright")).to_be_visible()
    the, fluffy = handle(page, "place the"), handle(page, "place fluffy")
    down = fluffy.bounding_box()["y"] - the.bounding_box()["y"]
    assert down > 30
    the.evaluate("word => word.scrollIntoView({ block: 'center' })")
    touch_drag(page, the, 0, down, steps=2)
    painted(page)
    assert place(the) == [2]
    the.press("ArrowDown")  # down the list is later
    painted(page)
    assert place(the) == [3]


def test_no_word_lies_on_another_however_different_the_lengths(open_file):
    sixteen = ".".join(["la", "bleue", "douce", "et"] * 4), ".".join(["the", "blue", "soft", "and"] * 4)
    edges = "all => all.map(e => e.getBoundingClientRect()).map(b => [b.left, b.top, b.right, b.bottom])"
    for words, memory in ((sixteen[0], "the"), ("la", sixteen[1])):
        page = open_file(f"cross_attention?example=own&words={words}&memory_words={memory}", width=360)
        for width in (360, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            painted(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            boxes = page.locator(".links .word").evaluate_all(edges)
            assert len(boxes) == 17
            for i, a in enumerate(boxes):
                for b in boxes[i + 1 :]:
                    apart = a[2] <= b[0] + 1 or b[2] <= a[0] + 1 or a[3] <= b[1] + 1 or b[3] <= a[1] + 1
                    assert apart, (words, width)
            # no heading stands between the title of a file's page and those of its figure
            assert [finding for finding in axe(page) if "heading-order" not in finding] == []
