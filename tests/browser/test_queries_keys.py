"""Queries and keys: the matrices and what they make of the words are dragged, and scores and weights follow."""

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import AttentionHead, load_example, scaled_dot_product_attention, separation_ratio
from tests.browser.hand import drag, handle, live, middle, painted, place, rerun_by_drag, take
from tests.browser.harness import axe, rerun, rerun_by_click, rerun_by_key

FRUIT = load_example("orange_apple_phone")


def matrix(page, name, axes=("tech", "fruit")):
    """A weight matrix, as its handles say it."""
    return np.array([place(page.locator(f'[data-handle="{name} {axis}"]')) for axis in axes])


def pull(page, point, dx, dy):
    """Drag what lies at a point of the window."""
    x, y = point
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=6)
    page.mouse.up()
    painted(page)


def expect_the_cores_numbers(page, *, W_query, W_key, x=FRUIT.embeddings, words=FRUIT.words):
    """All scores, and the weights of the word of interest, are those that the core makes of the matrices."""
    made = AttentionHead(W_query, W_key, np.eye(x.shape[1])).attend(x)
    shown = {name: float(number) for name, number in live(page).items() if name.split()[0] in {"score", "weight"}}
    for i, a in enumerate(words):
        for j, b in enumerate(words):
            assert shown.pop(f"score {a} {b}") == pytest.approx(made.scores[i, j], abs=1e-9)
            weight = shown.pop(f"weight {a} {b}", None)
            assert weight is None or weight == pytest.approx(made.weights[i, j], abs=1e-9)
    assert not shown


def test_scores_weights_and_separation_are_the_cores_while_a_basis_vector_is_dragged(open_file):
    page = open_file("queries_keys?drag=matrices")
    before, W_key = matrix(page, "W_query"), matrix(page, "W_key")
    expect_the_cores_numbers(page, W_query=before, W_key=W_key)
    x, y = take(page, handle(page, "W_query tech"))
    for step in range(1, 4):
        page.mouse.move(x + 20 * step, y + 8 * step, steps=3)
        painted(page)
        expect_the_cores_numbers(page, W_query=matrix(page, "W_query"), W_key=W_key)
    page.mouse.up()
    assert not np.allclose(matrix(page, "W_query"), before)
    example = load_example("fluffy_blue_creature")
    page = open_file("queries_keys?example=fluffy_5f_blue_5f_creature")
    page.get_by_role("gridcell", name="creature → place").click()
    ring, W_query = page.locator('[data-handle="W_query place"]'), example.W_query.copy()
    x, y = middle(ring)
    pull(page, (x + 15, y), 0, 42)  # the key's dot lies inside the query's ring
    W_query[4] = place(ring)
    assert W_query[4, 1] < 0
    words = {"x": example.embeddings, "words": example.words}
    expect_the_cores_numbers(page, W_query=W_query, W_key=example.W_key, **words)
    page = open_file("queries_keys?way=one&start=squashed")
    drag(page, handle(page, "W_query fruit"), -90, 15)
    painted(page)
    space = FRUIT.embeddings @ matrix(page, "W_query")
    fruit, tech = (scaled_dot_product_attention(*[space[[1, other]]] * 3).context[0] for other in (0, 2))
    expected = separation_ratio(fruit, tech, space[0], space[2])
    assert float(live(page)["separation"]) == pytest.approx(expected, rel=1e-9)
    page = open_file("queries_keys?way=one&vectors=2_0__4_0__2_0")  # two words at the same place
    ruler = page.locator("figure.ruler")
    expect(ruler.locator("[data-value='separation']")).to_have_text("undefined")
    assert set(ruler.locator(".number").all_text_contents()) == {"undefined"}


def test_a_dragged_query_goes_where_the_hand_is_and_changes_its_matrix_least(open_file):
    page, x = open_file("queries_keys?drag=matrices"), FRUIT.embeddings[1]
    W_query, W_key = matrix(page, "W_query"), matrix(page, "W_key")
    page = open_file("queries_keys")
    expect(page.locator('[data-handle="W_query tech"]')).to_have_count(0)
    query = handle(page, "query apple")
    drag(page, query, 25, 30)
    painted(page)
    moved = np.subtract(place(query), x @ W_query)
    assert np.abs(moved).min() > 0.1
    expect_the_cores_numbers(page, W_query=W_query + np.outer(x, moved) / (x @ x), W_key=W_key)


def test_where_both_matrices_send_an_axis_to_one_place_both_can_be_taken(open_file):
    for aside, taken, other in ((0, "W_key", "W_query"), (15, "W_query", "W_key")):  # a dot inside a wider ring
        page = open_file("queries_keys?start=raw&drag=matrices")
        np.testing.assert_array_equal(matrix(page, "W_query"), matrix(page, "W_key"))
        x, y = middle(page.locator('[data-handle="W_key tech"]'))
        pull(page, (x + aside, y), 0, 60)
        assert place(page.locator(f'[data-handle="{other} tech"]')) == [1, 0]
        assert place(page.locator(f'[data-handle="{taken} tech"]'))[1] < -0.5


def test_scores_are_chosen_and_explained_and_drawn_as_dots_of_their_size(open_file):
    page = open_file("queries_keys")
    explanation, score = page.locator(".heatmap .explanation"), page.locator("[data-value='line there']")
    cell = page.get_by_role("gridcell", name="phone → apple")
    cell.hover()
    expect(explanation).to_contain_text("phone → apple: 3 × 1.5 + 1 × 1 = 5.5")
    cell.click()
    expect(score).to_have_text("5.5")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    expect(explanation).to_contain_text("apple → orange: 0.5 × 0 + 2 × 2.25 = 4.5")
    page.keyboard.press("Enter")
    expect(score).to_have_text("4.5")
    page = open_file("queries_keys?scores=dots")
    scores = [float(number) for name, number in live(page).items() if name.startswith("score")]
    sizes = page.locator("circle.mark").evaluate_all(
        "all => all.map(e => [+e.getAttribute('r'), e.classList.contains('negative')])"
    )
    assert [negative for _, negative in sizes] == [score < 0 for score in scores]
    small = [(abs(score), r) for score, (r, _) in zip(scores, sizes, strict=True) if 0 < abs(score) < 8]
    ratios = [r * r / score for score, r in small]
    np.testing.assert_allclose(ratios, ratios[0], rtol=0.02)


def test_every_setup_fits_a_phone_and_its_columns_turn(open_file):
    for setup in ("&way=one", "&example=knight_5f_in_5f_shining&scores=dots"):
        page = open_file(f"queries_keys?orientation=columns{setup}")
        cells = page.get_by_role("grid").last.get_by_role("row").nth(0).get_by_role("gridcell")
        first, second = (cells.nth(k).bounding_box() for k in range(2))
        assert first["x"] == pytest.approx(second["x"], abs=1), setup
        assert first["y"] < second["y"], setup
        assert axe(page, include="#figure") == [], setup
        for width in (768, 390):
            page.set_viewport_size({"width": width, "height": 844})
            painted(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, setup


def test_the_landscape_follows_a_drag_and_its_undo_and_setups_have_their_handles(open_page):
    page = open_page("queries_keys?drag=matrices")
    shown = page.locator("[data-stage=queries_keys] .badge:visible")
    expect(shown).to_have_text(["numbers set by hand"])  # said once, of all three pictures
    rerun_by_click(page.get_by_text("Only the product of the two matrices counts"))
    label = page.locator("[data-testid=stVegaLiteChart] text", has_text="phone −0.5")
    expect(label).to_have_count(1)
    rerun_by_drag(page, handle(page, "W_query tech"), 60, 0)
    expect(label).to_have_count(0)
    phone = page.locator("[data-testid=stVegaLiteChart] text", has_text="phone")
    expect(phone).to_have_count(1)
    score = phone.text_content()
    rerun_by_drag(page, handle(page, "W_query tech"), 30, 0)
    expect(phone).not_to_have_text(score)
    rerun_by_key(page, "Control+z")
    expect(phone).to_have_text(score)
    expect(shown).to_have_text(["yours", "numbers set by hand"])  # the words have not been moved
    firsts = {"One matrix": "W_query tech", "Features": "W_query place", "Two matrices": "query apple"}
    for setup, first in firsts.items():
        chooses = page.get_by_role("combobox", name="Setup")
        chooses.scroll_into_view_if_needed()
        painted(page)  # a list closes as the page scrolls
        chooses.click()
        rerun_by_click(page.get_by_role("option", name=setup))
        expect(page.locator("[data-stage=queries_keys]")).to_have_count(1)
        expect(page.locator(f'[data-handle="{first}"]')).to_have_count(1)
    with rerun(page):
        page.locator("[data-option='drag 1']").check(force=True)
    expect(page.locator('[data-handle="W_query tech"]')).to_have_count(1)
