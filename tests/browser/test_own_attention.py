"""Anybody's attention weights in a file and in a notebook's cell: the numbers are the arrays'."""

import csv
import re

import numpy as np
import pytest
from playwright.sync_api import expect

import attention_lab
from attention_core import scaled_dot_product_attention
from tests.browser.hand import painted, place
from tests.browser.harness import axe

TOKENS = ["The", "Ġcat", "Ġsaw", "Ċ", "The", "Ġ<b>cat</b>"]
RANDOM = np.random.default_rng(0)
SHOWN = ["The", "␣cat", "␣saw", "↵", "The", "␣<b>cat</b>"]
NAMED = ["The #0", "␣cat", "␣saw", "↵", "The #4", "␣<b>cat</b>"]  # in a sentence


def causal(*shape, seed=0):
    """Random causal patterns."""
    weights = np.random.default_rng(seed).random(shape, dtype=np.float32) ** 4 * np.tri(
        shape[-1], dtype=np.float32
    )
    return weights / weights.sum(axis=-1, keepdims=True)


@pytest.fixture
def open_view(open_file, tmp_path):
    def opened(view, **settings):
        page = open_file("", view.save(tmp_path / f"{len(list(tmp_path.iterdir()))}.html"), **settings)
        expect(page.locator("[data-stage]")).to_be_visible()
        return page

    return opened


def point_at(page, query, key):
    """Bring the pointer to a cell of the pattern."""
    canvas = page.locator(".pattern-canvas canvas")
    box, size = canvas.bounding_box(), canvas.evaluate("e => e.offsetWidth / e.width")
    page.mouse.move(box["x"] + (key + 0.5) * size, box["y"] + (query + 0.5) * size)
    painted(page)


@pytest.mark.parametrize("bits", [8, 16])
def test_every_weight_of_every_head_is_the_arrays(open_view, bits):
    given = causal(3, 2, 6, 6)
    page = open_view(attention_lab.show(given, TOKENS, bits=bits))
    error = 0.5 / (2**bits - 1)
    expect(page.locator("main > .note")).to_contain_text(f"in {bits} bits, with an error of at most")
    for layer, head in np.ndindex(3, 2):
        page.get_by_role("button", name=f"Layer {layer}, head {head}").click()
        expect(page.locator(".head-account h2")).to_contain_text(f"Layer {layer}, head {head}")
        page.wait_for_function(
            "() => document.querySelector('#figure').shadowRoot.querySelector('canvas[role]').width === 6"
        )
        for query, key in [(0, 0), (5, 1), (4, 4), (3, 2)]:
            point_at(page, query, key)
            said = page.locator(".pattern-canvas figcaption").inner_text()
            assert said.startswith(f"{NAMED[query]} → {NAMED[key]}: ")
            shown = float(said.rsplit(" ", 1)[1].rstrip("%")) / 100
            assert shown == pytest.approx(given[layer, head, query, key], abs=error + 0.0006)


def test_tokens_are_readable_and_never_markup(open_view):
    page = open_view(attention_lab.show(causal(2, 6, 6), TOKENS))
    assert page.locator(".tokens.of-queries .token").all_inner_texts() == SHOWN
    assert page.locator(".token b").count() == 0


def test_a_chosen_token_asks_and_keys_move_through_the_pattern(open_view):
    given = np.stack([np.eye(6)[[0, 0, 1, 2, 3, 4]]])
    page = open_view(attention_lab.show(given, list("abcdef")))
    says = page.locator(".token-text .says")
    expect(says).to_have_text("“f” attends most to “e”: 100.0%")
    page.get_by_role("button", name="c", exact=True).click()
    page.mouse.move(0, 0)
    expect(says).to_have_text("“c” attends most to “b”: 100.0%")
    page.locator(".pattern-canvas canvas").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".pattern-canvas figcaption")).to_have_text("d → c: 100.0%")


def test_heads_are_sorted_by_a_measure_and_the_arrows_follow(open_view):
    previous, first = np.eye(6)[[0, 0, 1, 2, 3, 4]], np.eye(6)[[0] * 6]
    page = open_view(attention_lab.show(np.stack([[first, previous], [first, first]]), list("abcdef")))
    page.get_by_role("combobox", name="Show").select_option("previous token")
    page.get_by_label("Sort").check()
    cells = page.locator(".head-cell")
    expect(cells.first).to_have_accessible_name("Layer 0, head 1")
    cells.first.click()
    expect(page.locator(".head-account h2")).to_have_text("Layer 0, head 1 · previous-token head")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".head-account h2")).to_have_text("Layer 0, head 0 · first-token head")


def test_two_texts_of_an_encoder_decoder_model_are_shown_by_turns(open_view):
    output = {
        "encoder_attentions": [causal(1, 2, 4, 4)],
        "decoder_attentions": [causal(1, 2, 3, 3)],
        "cross_attentions": [causal(1, 2, 4, 4)[:, :, 1:]],
    }
    page = open_view(attention_lab.show(output, list("xyz"), list("abcd")))
    page.get_by_label("Attention of").select_option("the decoder to the encoder")
    expect(page.locator(".tokens.of-queries .token")).to_have_text(["x", "y", "z"])
    expect(page.locator(".tokens.of-keys .token")).to_have_text(["a", "b", "c", "d"])
    point_at(page, 2, 3)
    expect(page.locator(".pattern-canvas figcaption")).to_contain_text("z → d: ")


def test_a_notebooks_cell_is_as_high_as_its_view(browser, tmp_path):
    view = attention_lab.show(causal(2, 6, 6), TOKENS)
    file = tmp_path / "cell.html"
    file.write_text(f"<!doctype html><meta charset=utf-8>{view._repr_html_()}", encoding="utf-8")
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        page.goto(file.as_uri())
        frame = page.frame_locator("iframe")
        expect(frame.locator(".token-text .says")).to_contain_text("attends most to")
        inside = frame.locator("html").evaluate("e => e.offsetHeight")
        expect(page.locator("iframe")).to_have_css("height", f"{inside + 2}px")


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_in_a_view(open_view, dark):
    page = open_view(attention_lab.show(causal(2, 2, 6, 6), TOKENS), dark=dark)
    assert axe(page) == []


def test_a_mean_a_rollout_and_contributions_are_chosen_in_a_list_and_say_what_they_hide(open_view):
    query = np.random.default_rng(0).normal(size=(3, 2, 6, 4))
    value = query.copy()
    value[:, :, 0] *= 0.1
    page = open_view(attention_lab.show(query=query, key=query, value=value, causal=True, tokens=TOKENS))
    account = page.locator(".head-account")
    expect(account).to_contain_text("others’ median")
    chooses = page.get_by_label("Attention of")
    assert chooses.locator("option").all_inner_texts() == [
        "the text", "the text, weight × length of value", "the text, mean over heads", "the text, rollout",
    ]  # fmt: skip
    for option, title, says, most in (
        (
            "the text, weight × length of value",
            "Layer 0, head 0, contributions",
            "Each weight times the length",
            "contributes most to",
        ),
        (
            "the text, mean over heads",
            "Layer 0, mean over heads",
            "A mean hides what its heads do",
            "attends most to",
        ),
        (
            "the text, rollout",
            "Rollout through layer 0",
            "The product shows where weight could have come from",
            "draws most weight from",
        ),
    ):
        chooses.select_option(option)
        expect(account.locator("h2")).to_contain_text(title)
        expect(account).to_contain_text(says)
        expect(page.locator(".token-text .says")).to_contain_text(most)


def test_another_view_shows_the_same_layer_and_the_way_back_the_same_head(open_view):
    page = open_view(attention_lab.show(causal(3, 2, 6, 6), TOKENS))
    page.get_by_role("button", name="Layer 1, head 1").click()
    title, chooses = page.locator(".head-account h2"), page.get_by_role("combobox", name="Attention of")
    for option, shown in (
        ("the text, mean over heads", "Layer 1, mean over heads"),
        ("the text, rollout", "Rollout through layer 1"),
        ("the text", "Layer 1, head 1"),
    ):
        chooses.select_option(option)
        expect(title).to_contain_text(shown)


def test_a_query_without_weight_and_one_whose_bytes_are_equal_say_what_the_array_says(open_view):
    weights = np.float32([[0, 0, 0, 0], [0.2501, 0.2502, 0.2497, 0.25]])
    page = open_view(attention_lab.show(weights, ["x", "y"], list("abcd")))
    says = page.locator(".token-text .says")
    expect(says).to_have_text("“y” attends most to “b”: 25.1%")
    page.get_by_role("button", name="x", exact=True).click()
    page.mouse.move(0, 0)
    expect(says).to_have_text("“x” attends to nothing")


def test_a_generated_text_is_written_token_by_token(open_view):
    steps = tuple((causal(1, 2, 3 + step, 3 + step)[:, :, -1 if step else 0 :],) for step in range(4))
    page = open_view(attention_lab.show(steps, list("abcdefg")), clock=True)
    token = page.locator(".tokens.of-queries .token")
    expect(token).to_have_text(list("abcdef"))
    page.get_by_role("slider").press("Home")
    page.clock.run_for(100)
    expect(page.locator(".token.later")).to_have_text(list("def"))
    page.get_by_role("button", name="Play token by token").click()
    page.clock.run_for(3000)
    expect(page.locator(".token.later")).to_have_count(0)
    expect(page.locator(".token-text .says")).to_contain_text("“f” attends most to")


def test_a_head_is_drawn_as_arcs_over_one_text_and_as_ribbons_between_two(open_view):
    given = causal(2, 6, 6)
    page = open_view(attention_lab.show(given, list("abcdef")))
    page.locator("label", has_text="lines").click()
    expect(page.locator(".word-arcs [data-value='arc f a']")).to_have_attribute(
        "data-exact", re.compile(r"^0\.\d")
    )
    shown = float(page.locator(".word-arcs [data-value='arc f a']").get_attribute("data-exact"))
    assert shown == pytest.approx(given[0, 5, 0], abs=0.002)
    page.locator(".arc-word").nth(2).click()
    expect(page.locator(".arc-word[aria-pressed=true] .spoken")).to_have_text("c")

    page = open_view(attention_lab.show(given, list("abcdef"), list("uvwxyz")))
    page.locator("label", has_text="lines").click()
    page.locator(".ribbon-field .asks").nth(3).click()
    weights = page.locator(".ribbon-field .answers").evaluate_all(
        "all => all.map(e => parseFloat(e.title) / 100)"
    )
    np.testing.assert_allclose(weights, given[0, 3], atol=0.003)


@pytest.mark.parametrize("kind", ["SVG", "PNG", "CSV"])
def test_a_head_is_saved_as_a_picture_and_as_a_table(open_view, tmp_path, kind):
    given = causal(2, 6, 6)
    page = open_view(attention_lab.show(given, TOKENS))
    with page.expect_download() as download:
        page.get_by_role("button", name=kind).click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    if kind == "PNG":
        assert file.read_bytes().startswith(b"\x89PNG")
    elif kind == "SVG":
        assert len(re.findall("<rect x=.*?<title>", file.read_text("utf-8"))) == np.count_nonzero(
            np.round(255 * given[0])
        )
        assert "&#60;b&#62;" in file.read_text("utf-8")
    else:
        (_, *head), *rows = csv.reader(file.read_text("utf-8").splitlines())
        assert head == SHOWN
        np.testing.assert_allclose([[float(x) for x in row[1:]] for row in rows], given[0], atol=0.002)


def test_queries_and_keys_are_seen_in_the_plane_of_their_main_directions(open_view):
    query, key = RANDOM.normal(size=(2, 4, 5)), RANDOM.normal(size=(1, 4, 5))
    page = open_view(attention_lab.show(query=query, key=key, causal=True, tokens=list("abcd")))
    plane = page.locator(".head-vectors")
    for head in (0, 1):
        sizes = np.linalg.svd(np.concatenate([query[head], key[0]]), compute_uv=False) ** 2
        page.get_by_role("button", name=f"Layer 0, head {head}").click()
        expect(plane.locator(".note")).to_contain_text(f"These hold {100 * sizes[:2].sum() / sizes.sum():.1f}%")
    page.get_by_role("button", name="b", exact=True).click()
    page.mouse.move(0, 0)
    expect(plane.locator("svg text", has_text="q b").filter(visible=True)).to_have_count(1)
    page.get_by_role("combobox", name="Attention of").select_option("the text, mean over heads")
    expect(plane).to_be_hidden()


def test_two_dimensional_queries_and_keys_are_moved_and_the_weights_follow(open_view):
    query, key = np.array([[3.0, 1], [0, 2], [-1, 2]]), np.array([[2.0, 0], [1, 2], [0, -2]])
    mask = np.tri(3) > 0
    trace = scaled_dot_product_attention(query, key, np.eye(3), mask)
    page = open_view(attention_lab.show(trace, ["the", "orange", "phone"]))

    def expect_weights(trace):
        for row, column in [(2, 0), (2, 1), (2, 2), (1, 0), (0, 2)]:
            name = ["the", "orange", "phone"]
            cell = page.locator(f'[data-value="weight {name[row]} {name[column]}"]')
            expect(cell).to_have_attribute("data-exact", re.compile(r"."))
            shown = float(cell.get_attribute("data-exact"))
            assert shown == pytest.approx(trace.weights[row, column], abs=1e-6)

    expect_weights(trace)
    page.locator('[data-handle="query phone"]').press("ArrowRight")
    painted(page)
    moved = query.copy()
    moved[2] = place(page.locator('[data-handle="query phone"]'))
    assert moved[2, 0] > query[2, 0]
    expect_weights(scaled_dot_product_attention(moved, key, np.eye(3), mask))


def test_the_strongest_key_is_the_arrays_where_eight_bits_hold_a_tie(open_view):
    page = open_view(attention_lab.show(np.float32([[0.333, 0.3335, 0.3335001]] * 3), ["a", "b", "c"]))
    expect(page.locator(".token-text .says")).to_contain_text("attends most to “c”")
    page.locator("label", has_text="lines").click()
    expect(page.locator(".arcs-title")).to_contain_text("“c” attends most to “c”: 33")
