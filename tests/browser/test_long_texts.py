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
from tests.browser.hand import drag, expect_numbers, handle, painted, place

SCORES, VALUES = [1, 3, 2, 7, 0, 4, 5, 6, 1], [[v] for v in range(1, 10)]


def expect_the_cores_numbers(page, scores):
    steps = softmax_in_tiles(scores, VALUES, 3)
    tables = {"m": steps.largest, "sum": steps.total, "output": steps.output, "context": steps.context}
    expected = {f"{name} {k + 1}": table[k].item() for name, table in tables.items() for k in range(3)}
    shown = expect_numbers(page, expected | {"context at once": (softmax(scores) @ VALUES)[0]}, rel=1e-12, abs=0)
    assert float(shown["difference"]) < 1e-12


def test_a_bar_is_dragged_and_half_a_tile_rescales_before_it_adds(open_file):
    page = open_file("long_texts?passed=3")
    expect_the_cores_numbers(page, SCORES)
    key = handle(page, "key 8")
    drag(page, key, 0, -40)
    painted(page)
    (score,) = place(key)
    scores = [*SCORES[:7], score, 1]
    assert score > 7
    expect_the_cores_numbers(page, scores)
    page.get_by_role("button", name="Half a tile back").click()
    steps = softmax_in_tiles(scores, VALUES, 3)
    expect_numbers(page, {"sum 3": steps.total[1] * steps.factor[2], "context 3": steps.context[1, 0]}, abs=0)
    expect(page.locator("p.status")).to_contain_text("m rises from 7 to")
    page.get_by_role("button", name="Half a tile forward").click()
    expect_the_cores_numbers(page, scores)


def test_one_tile_is_read_at_first_and_a_bar_of_another_has_all_up_to_it_read(open_file):
    page = open_file("long_texts")
    steps = softmax_in_tiles(SCORES, VALUES, 3)
    expect_numbers(page, {"m 1": 3, "sum 1": steps.total[0], "context 1": steps.context[0, 0]}, rel=1e-12, abs=0)
    for n, shown in ((1, True), (2, False), (3, False)):
        for name in ("m", "sum", "output", "context"):
            expect(page.locator(f"[data-value='{name} {n}']")).to_be_visible(visible=shown)
    expect(page.locator(".tiles .results")).to_be_hidden()
    drag(page, handle(page, "key 8"), 0, -40)
    painted(page)
    (score,) = place(handle(page, "key 8"))
    expect_the_cores_numbers(page, [*SCORES[:7], score, 1])
    expect(page.locator("[data-value='factor 3']")).to_be_visible()
    expect(page.locator(".tiles .results")).to_be_visible()


def test_what_is_carried_crosses_the_gaps_between_the_tiles_that_are_read(open_file):
    for passed in (0, 1, 1.5, 2, 3):
        page = open_file(f"long_texts?passed={passed}")
        edges = page.locator(".tiles .frame").evaluate_all(
            "all => all.map(e => e.getBBox()).map(box => [box.x, box.x + box.width])"
        )
        gap = edges[1][0] - edges[0][1]
        reached = [0, *(end + gap for _, end in edges)][int(passed)]
        if passed % 1:
            reached = sum(edges[int(passed)]) / 2
        ends = page.locator(".tiles .chunk").evaluate_all(
            "all => Math.max(0, ...all.map(e => e.getBBox()).map(box => box.x + box.width))"
        )
        assert ends == pytest.approx(reached, abs=0.2), passed
    line = page.locator(".tiles .most").evaluate("e => [e.getBBox().y, e.getBBox().height]")
    tops = [page.locator(".tiles .knob").nth(j).evaluate("e => e.getBBox().y + 5") for j in (1, 3)]
    assert line == pytest.approx([tops[1], tops[0] - tops[1]], abs=0.2), "from the largest of tile 1 to that of 2"


MIDDLES = "all => all.map(e => e.getBBox()).map(box => box.x + box.width / 2)"


def test_the_context_approaches_the_mark_of_plain_softmax_and_meets_it_after_the_last_tile(open_file):
    page = open_file("long_texts?passed=3")
    marks, points = (page.locator(f".tiles {kind}").evaluate_all(MIDDLES) for kind in ("path.target", ".point"))
    ways = page.locator(".tiles .way").evaluate_all("all => all.map(e => e.getBBox()).map(b => [b.x, b.width])")
    places = [(point - x - 5) / (width - 10) for point, (x, width) in zip(points, ways, strict=True)]
    contexts = softmax_in_tiles(SCORES, VALUES, 3).context[:, 0]
    assert places == pytest.approx([(context - 1) / 8 for context in contexts], abs=2e-3)
    assert [m - p > 0.1 for m, p in zip(marks, points, strict=True)] == [True, True, False]


@pytest.mark.parametrize("width", [390, 1440])
def test_no_name_of_a_row_stands_in_a_tile(open_file, width):
    page = open_file("long_texts", width=width)
    names, tiles = (
        page.locator(f".tiles {kind}").evaluate_all(
            "all => all.map(e => e.getBoundingClientRect()).map(b => [b.left, b.top, b.right, b.bottom])"
        )
        for kind in (".row-name", ".frame")
    )
    assert len(names) == 7
    for left, top, right, bottom in names:
        for x, y, end, foot in tiles:
            assert right <= x or end <= left or bottom <= y + 1 or foot - 1 <= top


def test_the_edge_of_the_window_stops_at_recorded_widths(open_file):
    page = open_file("long_texts?experiment=window")
    recorded = load_recorded_runs().window_perplexities
    edge = handle(page, "window")
    for key, width in (("ArrowLeft", 32), ("ArrowLeft", 16), ("ArrowRight", 32)):
        edge.press(key)
        expected = {"width": width, "reach": 30 * (width - 1), "perplexity": recorded[width, 0]}
        expect_numbers(page, expected, rel=0, abs=0)
    page.get_by_text("4", exact=True).first.click()
    expect_numbers(page, {"perplexity": recorded[32, 4]}, rel=0, abs=0)


def expect_the_cache(page, model, kv_heads, tokens=131_072):
    shape = TransformerShape(**vars(SHAPES[model]) | {"num_kv_heads": kv_heads})
    expected = {"query heads per KV head": shape.num_heads / kv_heads}
    expect_numbers(page, expected | {"cache": key_value_cache_bytes(shape, tokens)}, rel=0, abs=0)


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
