"""Queries and keys in a real browser: the matrices under the hand, and everything that follows them."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import AttentionHead, load_example, scaled_dot_product_attention, separation_ratio
from tests.browser.hand import drag, handle, live, middle, place, take, touch_drag
from tests.browser.harness import axe, rerun

FRUIT = load_example("orange_apple_phone")
NEXT_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


def choose_way(page, label):
    page.get_by_role("combobox", name="Setup").click()
    page.get_by_role("option", name=label).click()


def matrix(page, name, axes=("tech", "fruit")):
    """A weight matrix, as its handles say it."""
    return np.array([place(page.locator(f'[data-handle="{name} {axis}"]')) for axis in axes])


def expect_the_cores_numbers(page, *, x, words, W_query, W_key, mask=None):
    """All scores, and the weights of the word of interest, are those that the core makes of the matrices."""
    made = AttentionHead(W_query, W_key, np.eye(x.shape[1])).attend(x, mask=mask)
    shown = {name: float(number) for name, number in live(page).items() if name.split()[0] in {"score", "weight"}}
    for i, a in enumerate(words):
        for j, b in enumerate(words):
            assert shown.pop(f"score {a} {b}") == pytest.approx(made.scores[i, j], abs=1e-9)
            weight = shown.pop(f"weight {a} {b}", None)
            assert weight is None or weight == pytest.approx(made.weights[i, j], abs=1e-9)
    assert not shown


def expect_the_fruits_numbers(page):
    on_screen = {"x": FRUIT.embeddings, "words": FRUIT.words}
    expect_the_cores_numbers(page, W_query=matrix(page, "W_query"), W_key=matrix(page, "W_key"), **on_screen)


def test_a_dragged_basis_vector_moves_queries_scores_and_weights_at_once(open_page):
    page = open_page("queries_keys?drag=matrices")
    expect_the_fruits_numbers(page)
    before = live(page)["weight apple phone"]
    asked = page.evaluate("labRuns.asked.length")
    x, y = take(page, handle(page, "W_query tech"))
    for step in range(1, 4):
        page.mouse.move(x + 20 * step, y + 8 * step, steps=3)
        page.wait_for_function(NEXT_FRAMES)
        expect_the_fruits_numbers(page)
    assert page.evaluate("labRuns.asked.length") == asked
    with rerun(page):
        page.mouse.up()
    expect_the_fruits_numbers(page)
    assert live(page)["weight apple phone"] != before
    said = page.locator("[data-stage=queries_keys] .badge").all_text_contents()
    assert said == ["by hand", "yours", "yours"], "the words are not moved; their queries and scores are"
    other = open_page(page.url.split("/", 3)[3])
    assert live(other) == live(page)


def test_keys_reach_the_goal(open_page):
    page = open_page("queries_keys?drag=matrices")
    query = page.locator('[data-handle="W_query tech"]')
    query.focus()
    with rerun(page):
        for _ in range(2):
            page.keyboard.press("Shift+ArrowRight")
    page.locator('[data-handle="W_query fruit"]').focus()
    with rerun(page):
        page.keyboard.press("Shift+ArrowDown")
    assert float(live(page)["weight apple phone"]) >= 0.8
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")


def test_a_dragged_query_goes_where_the_hand_is_and_changes_its_matrix_least(open_page):
    x = FRUIT.embeddings[1]
    before = open_page("queries_keys?drag=matrices")
    W_query, W_key = matrix(before, "W_query"), matrix(before, "W_key")
    page = open_page("queries_keys")
    expect(page.locator('[data-handle="W_query tech"]')).to_have_count(0)
    query = handle(page, "query apple")
    at_x, at_y = take(page, query)
    page.mouse.move(at_x + 25, at_y + 30, steps=5)
    page.wait_for_function(NEXT_FRAMES)
    with rerun(page):
        page.mouse.up()
    moved = np.subtract(place(query), x @ W_query)
    assert np.abs(moved).min() > 0.1
    least = W_query + np.outer(x, moved) / (x @ x)
    expect_the_cores_numbers(page, x=FRUIT.embeddings, words=FRUIT.words, W_query=least, W_key=W_key)
    after = open_page(f"{page.url.split('/', 3)[3]}&drag=matrices")
    np.testing.assert_allclose(matrix(after, "W_query"), least, atol=0.006)
    np.testing.assert_array_equal(matrix(after, "W_key"), W_key)


def test_where_both_matrices_send_an_axis_to_one_place_both_can_be_taken(open_page):
    page = open_page("queries_keys?start=raw&drag=matrices")
    np.testing.assert_array_equal(matrix(page, "W_query"), matrix(page, "W_key"))
    x, y = middle(page.locator('[data-handle="W_key tech"]'))
    with rerun(page):
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y + 60, steps=6)
        page.mouse.up()
    assert place(page.locator('[data-handle="W_query tech"]')) == [1, 0]
    assert place(page.locator('[data-handle="W_key tech"]'))[1] < -0.5
    page = open_page("queries_keys?start=raw&drag=matrices")
    x, y = middle(page.locator('[data-handle="W_key tech"]'))
    with rerun(page):  # the ring is wider than the dot inside it
        page.mouse.move(x + 15, y)
        page.mouse.down()
        page.mouse.move(x + 15, y + 60, steps=6)
        page.mouse.up()
    assert place(page.locator('[data-handle="W_key tech"]')) == [1, 0]
    assert place(page.locator('[data-handle="W_query tech"]'))[1] < -0.5


def test_one_matrix_for_both_is_moved_as_one_and_its_separation_follows(open_page):
    page = open_page("queries_keys?way=one&start=squashed")
    x, y = take(page, handle(page, "W_query fruit"))
    for step in range(1, 4):
        page.mouse.move(x - 30 * step, y + 5 * step, steps=3)
        page.wait_for_function(NEXT_FRAMES)
        space = FRUIT.embeddings @ matrix(page, "W_query")
        fruit, tech = (scaled_dot_product_attention(*[space[[1, other]]] * 3).context[0] for other in (0, 2))
        expected = separation_ratio(fruit, tech, space[0], space[2])
        assert float(live(page)["separation"]) == pytest.approx(expected, rel=1e-9)
        assert live(page)["score apple phone"] == live(page)["score phone apple"]
    with rerun(page):
        page.mouse.up()
    assert "W_key" not in page.url


def test_the_ways_in_follow_one_another_on_one_stage(open_page):
    page = open_page("queries_keys")
    for label, first in [
        ("One matrix", "W_query tech"),
        ("Features", "W_query noun"),
        ("Two matrices", "query apple"),
        ("Features", "W_query place"),
    ]:
        with rerun(page):
            choose_way(page, label)
        expect(page.locator("[data-stage=queries_keys]")).to_have_count(1)
        expect(page.locator(f'[data-handle="{first}"]')).to_have_count(1)


def test_a_feature_is_chosen_in_the_table_and_sent_elsewhere(open_page):
    example = load_example("fluffy_blue_creature")
    page = open_page("queries_keys?example=fluffy_blue_creature")
    with rerun(page):
        page.get_by_role("gridcell", name="creature → place").click()
    assert "feature=place" in page.url
    W_query, W_key = example.W_query.copy(), example.W_key
    x, y = middle(page.locator('[data-handle="W_query place"]'))
    page.mouse.move(x + 15, y)  # the key's dot lies inside the query's ring
    page.mouse.down()
    for step in range(1, 4):
        page.mouse.move(x + 15, y + 14 * step, steps=3)
        page.wait_for_function(NEXT_FRAMES)
        W_query[4] = place(page.locator('[data-handle="W_query place"]'))
        expect_the_cores_numbers(page, x=example.embeddings, words=example.words, W_query=W_query, W_key=W_key)
    with rerun(page):
        page.mouse.up()
    assert W_query[4, 1] < 0
    assert float(live(page)["weight creature verdant"]) > 0.05


def test_scores_are_chosen_and_explained_by_mouse_and_by_keys(open_page):
    page = open_page("queries_keys")
    told = page.locator(".heatmap .explanation")
    cell = page.get_by_role("gridcell", name="phone → apple")
    cell.hover()
    expect(told).to_contain_text("phone → apple: 3 × 1.5 + 1 × 1 = 5.5")
    with rerun(page):
        cell.click()
    assert "word=phone" in page.url
    assert "other=apple" in page.url
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    expect(told).to_contain_text("apple → orange: 0.5 × 0 + 2 × 2.25 = 4.5")
    with rerun(page):
        page.keyboard.press("Enter")
    assert "other=orange" in page.url
    expect(page.locator("[data-value='line there']")).to_have_text("4.5")


def test_dots_show_size_and_sign(open_page):
    page = open_page("queries_keys?scores=dots")
    scores = [float(number) for name, number in live(page).items() if name.startswith("score")]
    sizes = page.locator("circle.mark").evaluate_all(
        "all => all.map(e => [+e.getAttribute('r'), e.classList.contains('negative')])"
    )
    assert [negative for _, negative in sizes] == [score < 0 for score in scores]
    small = [(abs(score), r) for score, (r, _) in zip(scores, sizes, strict=True) if 0 < abs(score) < 8]
    ratios = [r * r / score for score, r in small]
    np.testing.assert_allclose(ratios, ratios[0], rtol=0.02)


@pytest.mark.parametrize("way", ["", "&way=one", "&example=fluffy_blue_creature"])
def test_columns_turn_the_scores(open_page, way):
    for orientation, axis in (("rows", "y"), ("columns", "x")):
        page = open_page(f"queries_keys?orientation={orientation}{way}")
        heat = page.get_by_role("grid").last
        same = heat.get_by_role("row").nth(0).get_by_role("gridcell")
        boxes = [same.nth(k).bounding_box() for k in range(2)]
        assert boxes[0][axis] == pytest.approx(boxes[1][axis], abs=1)


def test_a_finger_shapes_the_query_matrix_on_a_phone_without_scrolling(open_page):
    page = open_page("queries_keys?drag=matrices", width=390, height=844, touch=True)
    ring = page.locator('[data-handle="W_query tech"]')
    before = place(ring)
    box = ring.bounding_box()
    assert box["y"] + box["height"] < 844
    with rerun(page):
        touch_drag(page, ring, 40, -20)
    after = place(ring)
    assert after[0] > before[0]
    assert after[1] > before[1]


def test_the_landscape_opens_and_follows_on_release(open_page):
    page = open_page("queries_keys?drag=matrices")
    with rerun(page):
        page.get_by_text("Only the product of the two matrices counts").click()
    label = page.locator("[data-testid=stVegaLiteChart] text", has_text="phone −0.5")
    expect(label).to_have_count(1)
    with rerun(page):
        drag(page, handle(page, "W_query tech"), 60, 0)
    expect(label).to_have_count(0)
    expect(page.locator("[data-testid=stVegaLiteChart] text", has_text="phone")).to_have_count(1)


@pytest.mark.parametrize(
    "address", ["?way=one", "?example=fluffy_blue_creature", "?example=knight_in_shining&scores=dots"]
)
def test_every_way_in_is_for_everyone(open_page, address):
    page = open_page(f"queries_keys{address}")
    assert not axe(page)
    for width in (390, 768):
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_function(NEXT_FRAMES)
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width


def test_a_space_in_which_nothing_can_be_told_apart_is_undefined(open_page):
    """The two that are to be told apart stand at one place: what was no number was once no picture."""
    page = open_page("queries_keys?way=one&vectors=2_0__4_0__2_0")
    ruler = page.locator("figure.ruler")
    expect(ruler.locator("[data-value='separation']")).to_have_text("undefined")
    assert set(ruler.locator(".number").all_text_contents()) == {"undefined"}
    expect(page.get_by_test_id("stException")).to_have_count(0)
