"""The cross-attention page under a hand: a query is dragged, English words change places, links follow."""

import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import AttentionHead, load_example, scaled_dot_product_attention
from tests.browser.hand import handle, live, place, take
from tests.browser.harness import axe, rerun, settled

CREATURE = load_example("la_creature_bleue_duveteuse")
HEAD = AttentionHead(CREATURE.W_query, CREATURE.W_key, CREATURE.W_value)
TRACE = HEAD.attend(CREATURE.embeddings, CREATURE.memory)
FRAME = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def address(page):
    return {name: texts[0] for name, texts in parse_qs(urlsplit(page.url).query).items()}


def of_pairs(page, what="weight", asks=CREATURE.words, answers=CREATURE.memory_words):
    """The live matrix."""
    numbers = live(page)
    return np.array([[float(numbers[f"{what} {a} {b}"]) for b in answers] for a in asks])


def widths(page):
    """How wide the links of the chosen word are drawn, in the order of the words as given."""
    return page.locator(".links .of.chosen path").evaluate_all(
        "all => all.map(e => e.style.display === 'none' ? 0 : parseFloat(e.style.strokeWidth))"
    )


def test_the_links_and_the_heatmap_say_what_the_core_says(open_page):
    page = open_page("cross_attention")
    np.testing.assert_allclose(of_pairs(page), TRACE.weights, atol=1e-12)
    np.testing.assert_allclose(of_pairs(page, "context", answers=CREATURE.axes), TRACE.context, atol=1e-12)
    duveteuse = CREATURE.words.index("duveteuse")
    numbers = live(page)
    for word, weight in zip(CREATURE.memory_words, TRACE.weights[duveteuse], strict=True):
        assert float(numbers[f"link duveteuse {word}"]) == pytest.approx(weight, abs=1e-12)
    assert np.argmax(widths(page)) == CREATURE.memory_words.index("fluffy")
    assert numbers["crossings"] == "3"


def test_a_dragged_query_swings_its_links(open_page):
    page = open_page("cross_attention")
    bleue = handle(page, "bleue")
    _, y = take(page, bleue)
    asked = page.evaluate("labRuns.asked.length")
    picture = page.locator("svg.picture").bounding_box()
    page.mouse.move(picture["x"] + picture["width"] / 2, y - picture["height"] / 3, steps=10)
    page.evaluate(FRAME)
    query = TRACE.query.copy()
    query[CREATURE.words.index("bleue")] = place(bleue)
    expected = scaled_dot_product_attention(query, TRACE.key, TRACE.value)
    np.testing.assert_allclose(of_pairs(page), expected.weights, atol=1e-9)
    np.testing.assert_allclose(of_pairs(page, "context", answers=CREATURE.axes), expected.context, atol=1e-9)
    assert np.argmax(widths(page)) == CREATURE.memory_words.index("fluffy"), (
        "and bleue has become the chosen word"
    )
    assert page.evaluate("labRuns.asked.length") == asked, "no server is asked"
    with rerun(page):
        page.mouse.up()
    assert address(page).keys() == {"word", "pushed"}
    expect(page.locator(".links .badge")).to_have_text("yours")


def test_an_english_word_is_dragged_to_another_place(open_page):
    page = open_page("cross_attention")
    the, creature = handle(page, "place the"), handle(page, "place creature")
    far = creature.bounding_box()["x"] - the.bounding_box()["x"]
    x, y = take(page, creature)
    asked = page.evaluate("labRuns.asked.length")
    page.mouse.move(x - far * 2 / 3, y, steps=10)
    page.evaluate(FRAME)
    assert place(creature) == [2]
    assert page.evaluate("labRuns.asked.length") == asked
    np.testing.assert_allclose(of_pairs(page), TRACE.weights, atol=1e-12)
    with rerun(page):
        page.mouse.up()
    assert address(page) == {"seats": "1_4_2_3"}
    assert live(page)["crossings"] == "1"
    again = open_page("cross_attention?seats=1_4_2_3")
    assert live(again) == live(page)
    creature.focus()
    with rerun(page):
        page.keyboard.press("ArrowRight")
    assert place(creature) == [3]
    expect(creature).to_be_focused()


def test_the_sentences_are_straightened_by_keys(open_page):
    page = open_page("cross_attention?goal=straighten")
    expect(page.get_by_text("Strongest links that cross: 3. Goal: 0.")).to_be_visible()
    creature, fluffy = handle(page, "place creature"), handle(page, "place fluffy")
    creature.focus()
    with rerun(page):
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
    fluffy.focus()
    with rerun(page):
        page.keyboard.press("ArrowRight")
    assert live(page)["crossings"] == "0"
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")


def test_a_word_chosen_by_click_or_key_lights_its_links(open_page):
    page = open_page("cross_attention")
    with rerun(page):
        page.locator(".links").get_by_role("button", name="créature").click()
    assert np.argmax(widths(page)) == CREATURE.memory_words.index("creature")
    assert float(live(page)["link créature creature"]) == pytest.approx(TRACE.weights[1, 3], abs=1e-12)
    with rerun(page):
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Enter")
    assert np.argmax(widths(page)) == CREATURE.memory_words.index("the")
    assert address(page) == {"word": "la"}


def test_a_mask_shows_what_would_be_lost(open_page):
    page = open_page("cross_attention")
    ghosts = page.locator(".links .ghosts path:not([style*='display: none'])")
    expect(ghosts).to_have_count(0)
    page.get_by_text("Try a causal mask").click()
    with rerun(page):
        page.get_by_text("causal", exact=True).click()
    hidden = page.get_by_text("Strongest links hidden by the mask: créature → creature", exact=True)
    expect(hidden).to_be_visible()
    expect(ghosts).to_have_count(1)
    assert of_pairs(page)[1, 3] == 0
    expect(page.get_by_role("gridcell", name=re.compile("créature → creature: .*masked"))).to_be_visible()
    with rerun(page):
        page.locator(".goals").get_by_role("button", name="Goals 4").click()
    with rerun(page):
        page.locator(".links").get_by_role("button", name="créature").click()
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")


def test_the_mask_waits_in_a_fold_that_its_goal_opens(open_page):
    page = open_page("cross_attention")
    mask = page.locator("fieldset", has_text="Mask")
    expect(mask).to_be_hidden()
    with rerun(page):
        page.locator(".goals").get_by_role("button", name="Goals 4").click()
    expect(mask).to_be_visible()
    page.get_by_text("Try a causal mask").click()
    expect(mask).to_be_hidden()
    with rerun(page):
        page.locator(".links").get_by_role("button", name="bleue").click()
    expect(mask).to_be_hidden()


def test_the_first_move_leaves_the_first_goal_open_and_meets_the_second(open_page):
    """The ringed query is dragged to the key that another word attends to."""
    page = open_page("cross_attention?goal=many_5f_to_5f_one")
    query, bleue = handle(page, "duveteuse"), handle(page, "bleue")
    box, there = query.bounding_box(), bleue.bounding_box()
    expect(page.locator(".hit.cue")).to_have_attribute("data-handle", "duveteuse")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(there["x"] + there["width"] / 2, there["y"] + there["height"] / 2, steps=10)
    with rerun(page):
        page.mouse.up()
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")
    expect(page.locator(".goals .why")).to_contain_text("an alignment may be many-to-one")
    with rerun(page):
        page.get_by_role("button", name="Goals 1").click()
    expect(page.locator(".goals .note")).not_to_have_text("Goal reached.")


def test_the_same_sentence_on_both_sides_is_a_square(open_page):
    page = open_page("cross_attention")
    with rerun(page):
        page.get_by_text("French: self-attention", exact=True).click()
    settled(page)
    np.testing.assert_allclose(
        of_pairs(page, answers=CREATURE.words), HEAD.attend(CREATURE.embeddings).weights, atol=1e-12
    )
    expect(page.locator("[data-handle^='place ']")).to_have_count(0)
    assert live(page)["crossings"] == "0"


def test_a_phone_shows_two_columns_and_a_finger_moves_a_word(open_page):
    page = open_page("cross_attention", width=390, height=844, touch=True)
    expect(page.locator(".links.upright")).to_be_visible()
    the, fluffy = handle(page, "place the"), handle(page, "place fluffy")
    down = fluffy.bounding_box()["y"] - the.bounding_box()["y"]
    assert down > 30
    box = the.bounding_box()
    session, x, y = page.context.new_cdp_session(page), box["x"] + 20, box["y"] + 15
    with rerun(page):
        for kind, step in (("touchStart", 0), ("touchMove", 0.5), ("touchMove", 1.0), ("touchEnd", None)):
            points = [] if step is None else [{"x": x, "y": y + step * down}]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert place(the) == [2]
    the.focus()
    with rerun(page):
        page.keyboard.press("ArrowDown")  # down the list is later
    assert place(the) == [3]


@pytest.mark.parametrize("width", [360, 1440])
def test_very_different_lengths(open_page, width):
    sixteen = ".".join(["la", "bleue", "douce", "et"] * 4)
    for words, memory in ((sixteen, "the"), ("la", ".".join(["the", "blue", "soft", "and"] * 4))):
        page = open_page(f"cross_attention?example=own&words={words}&memory_words={memory}", width=width)
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width
        edges = "e => (b => [b.left, b.top, b.right, b.bottom])(e.getBoundingClientRect())"
        lines = page.locator(".links .word").evaluate_all(f"all => all.map({edges})")
        for i, a in enumerate(lines):
            for b in lines[i + 1 :]:
                assert a[2] <= b[0] + 1 or b[2] <= a[0] + 1 or a[3] <= b[1] + 1 or b[3] <= a[1] + 1, (
                    "no word on another"
                )
        assert axe(page) == []


def test_an_empty_sentence_is_refused_beside_it_and_the_picture_stays(open_page):
    page = open_page("cross_attention")
    before = live(page)
    page.get_by_role("button", name="Words").click()
    box = page.get_by_role("textbox", name="English sentence (keys and values)")
    box.fill("")
    with rerun(page):
        box.press("Enter")
    expect(page.get_by_text("There are no words. Enter 1 to 16 words.")).to_be_visible()
    assert live(page) == before
    box.fill("the soft beast")
    with rerun(page):
        box.press("Enter")
    settled(page)
    assert of_pairs(page, answers=("the", "soft", "beast")).shape == (4, 3)
