"""Long texts: a bar under a hand, a step through the tiles, and the window's edge; every number is the core's."""

import pytest
from playwright.sync_api import expect

from attention_core import (
    SHAPES,
    TransformerShape,
    key_value_cache_bytes,
    load_recorded_runs,
    softmax,
    softmax_in_tiles,
)
from tests.browser.hand import drag, handle, live, painted, place

SCORES, VALUES = [1, 3, 2, 7, 0, 4, 5, 6, 1], [[v] for v in range(1, 10)]


def expect_the_cores_numbers(page, scores):
    shown, steps = live(page), softmax_in_tiles(scores, VALUES, 3)
    for k in range(3):
        assert float(shown[f"m {k + 1}"]) == steps.largest[k]
        assert float(shown[f"sum {k + 1}"]) == pytest.approx(steps.total[k], rel=1e-12)
        assert float(shown[f"output {k + 1}"]) == pytest.approx(steps.output[k, 0], rel=1e-12)
        assert float(shown[f"context {k + 1}"]) == pytest.approx(steps.context[k, 0], rel=1e-12)
    assert float(shown["context at once"]) == pytest.approx((softmax(scores) @ VALUES)[0], rel=1e-12)
    assert float(shown["difference"]) < 1e-12


def test_a_bar_is_dragged_and_half_a_tile_rescales_before_it_adds(open_file):
    page = open_file("long_texts")
    expect_the_cores_numbers(page, SCORES)
    key = handle(page, "key 8")
    drag(page, key, 0, -40)
    painted(page)
    (score,) = place(key)
    scores = [*SCORES[:7], score, 1]
    assert score > 7
    expect_the_cores_numbers(page, scores)
    page.get_by_role("button", name="Half a tile back").click()
    painted(page)
    steps, shown = softmax_in_tiles(scores, VALUES, 3), live(page)
    assert float(shown["sum 3"]) == pytest.approx(steps.total[1] * steps.factor[2], rel=1e-9)
    assert float(shown["context 3"]) == pytest.approx(steps.context[1, 0], rel=1e-9)
    expect(page.locator("p.status")).to_contain_text("m rises from 7 to")
    page.get_by_role("button", name="Half a tile forward").click()
    painted(page)
    expect_the_cores_numbers(page, scores)


def test_the_edge_of_the_window_stops_at_recorded_widths(open_file):
    page = open_file("long_texts?experiment=window")
    recorded = load_recorded_runs().window_perplexities
    edge = handle(page, "window")
    for key, width in (("ArrowLeft", 32), ("ArrowLeft", 16), ("ArrowRight", 32)):
        edge.press(key)
        painted(page)
        shown = live(page)
        assert (int(shown["width"]), int(shown["reach"])) == (width, 30 * (width - 1))
        assert float(shown["perplexity"]) == recorded[width, 0]
    page.get_by_text("4", exact=True).first.click()
    painted(page)
    assert float(live(page)["perplexity"]) == recorded[32, 4]


def expect_the_cache(page, model, kv_heads, tokens=131_072):
    painted(page)
    shown, shape = live(page), TransformerShape(**vars(SHAPES[model]) | {"num_kv_heads": kv_heads})
    assert float(shown["cache"]) == key_value_cache_bytes(shape, tokens)
    assert float(shown["query heads per KV head"]) == shape.num_heads / kv_heads


def filled(frame, cached):
    """How far the cache reaches to the right, in frames."""
    one, cache = frame.bounding_box(), cached.bounding_box()
    return (cache["x"] + cache["width"] - one["x"]) / one["width"]


def test_dragging_the_edge_merges_query_heads_until_the_cache_fits(open_file):
    page = open_file("long_texts?experiment=shared", reduced_motion=True)
    edge = handle(page, "edge of the first group")
    expect_the_cache(page, "llama2-7b", 32)
    frame, cached = page.locator(".shared-keys path.frame"), page.locator(".shared-keys path.value").last
    assert page.locator(".shared-keys .others").get_attribute("d").count("M") == 2, "68.7 GB need three frames"
    assert filled(frame, cached) > 2, "the cache reaches into the third"
    pitch = page.locator(".shared-keys .query").first.evaluate("e => e.getBBox().width") / 31
    drag(page, edge, 3.2 * pitch, 0)
    expect_the_cache(page, "llama2-7b", 8)
    assert filled(frame, cached) == pytest.approx(17.18 / 24, abs=0.01), "the area is true"
    expect(page.locator(".goals .choose.met")).to_have_count(1)
    expect(page.locator(".cache-size .why")).to_contain_text("Grouped-query attention")
    for key, kv_heads in (("ArrowLeft", 16), ("ArrowRight", 8), ("End", 1), ("Home", 32)):
        edge.press(key)
        expect_the_cache(page, "llama2-7b", kv_heads)
    for name, model in (("GPT-3", "gpt3"), ("SmolLM2-135M", "smollm2-135m")):
        page.get_by_role("button", name=name, exact=True).click()
        expect_the_cache(page, model, SHAPES[model].num_kv_heads)
