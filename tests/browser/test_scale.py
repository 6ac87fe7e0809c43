"""The scale page under a hand: the corner, the ranges, typed sizes, models; every number is the core's."""

import re

import pytest
from playwright.sync_api import expect

from attention_core import SHAPES, TransformerShape, count_parameters
from tests.browser.hand import drag, follow_number, handle, live, painted, place, take

PARTS = {
    "one matrix": "per_matrix",
    "one head": "per_head",
    "one layer": "per_layer",
    "attention": "attention_total",
    "feed-forward": "feed_forward_total",
    "embeddings": "embeddings",
    "norms": "norms",
    "biases": "biases",
    "total": "total",
}


def shape(model="gpt3", **sizes):
    """A published shape with other sizes; what is left out follows."""
    kept = vars(SHAPES[model])
    followed = {"d_v": None, "d_ff": None, "num_kv_heads": None}
    return TransformerShape(**{**kept, **followed, **sizes})


def expect_the_cores_numbers(page, shape, tokens=2048):
    painted(page)
    shown, counted = live(page), count_parameters(shape)
    assert {name: shown[name] for name in PARTS} == {
        name: str(getattr(counted, of)) for name, of in PARTS.items()
    }
    assert float(shown["share attention"]) == counted.attention_total / counted.total
    assert shown["one pattern"] == str(tokens**2)


def size_field(page, name):
    return page.locator(f"input[type=text][data-value={name}]")


def typed(page, name, text):
    field = size_field(page, name)
    field.fill(text)
    field.press("Enter")
    return field


def show_all(page):
    """Open the sizes that the first screen does not show."""
    open_parameters(page).get_by_role("button", name="Show all sizes").click()
    return page


def open_parameters(page):
    """Open the fold with the matrices to scale and the ledger."""
    page.locator("details", has=page.locator("summary", has_text="Where the parameters are")).evaluate(
        "fold => { fold.open = true; fold.scrollIntoView(); }"
    )
    handle(page, "matrix").scroll_into_view_if_needed()  # waits until it stands still
    return page


def press(page, name, key):
    """Press a key on a range, and return where it then stands."""
    handle(page, name).focus()
    handle(page, name).press(key)
    painted(page)
    return place(handle(page, name))


def number(page, name):
    return page.locator(f'[data-value="{name}"]')


def drawn(page):
    """The widths and heights of the matrices, in pixels."""
    return page.locator(".floor-plan .matrix").evaluate_all(
        "all => all.map(e => [+e.getAttribute('width'), +e.getAttribute('height')])"
    )


def test_gpt3_as_it_is_told_and_a_line_pointed_at_shows_where_it_is(open_file):
    page = open_parameters(open_file("scale"))
    expect_the_cores_numbers(page, shape())
    for name, text in {
        "one matrix": "1,572,864",
        "one head": "6,291,456",
        "one layer": "603,979,776",
        "attention": "57,982,058,496",
        "total": "174,604,259,328",
        "gap": "−0.23%",
    }.items():
        expect(number(page, name)).to_have_text(text)
    expect(page.get_by_text("Attention has 33.1% of the published 175 billion")).to_be_visible()
    for entry in ("attention", "embeddings"):
        page.locator(f"[data-entry={entry}]").hover()
        expect(page.locator(".floor-plan svg")).to_have_attribute("data-lit", entry)


def test_the_corner_makes_vectors_and_queries_longer_at_the_screens_rate_and_stays_in_the_picture(open_file):
    page = open_parameters(open_file("scale"))
    corner = handle(page, "matrix")
    assert place(corner) == [128, 12288]
    before = drawn(page)
    x, y = take(page, corner)
    page.mouse.move(x + 12, y - 24, steps=6)
    painted(page)
    d_k, d_model = map(int, place(corner))
    assert d_k > 128
    assert d_model < 12288
    assert (d_k % 4, d_model % 64) == (0, 0)
    expect_the_cores_numbers(page, shape(d_k=d_k, d_model=d_model))
    now = drawn(page)
    assert now[0][0] / before[0][0] == pytest.approx(d_k / 128, rel=1e-3)
    assert now[0][1] / before[0][1] == pytest.approx(d_model / 12288, rel=1e-3)
    assert [w for w, _ in now] == [now[0][0]] * 4
    page.mouse.up()
    expect(number(page, "gap")).to_have_count(0)
    expect(page.get_by_text("your own sizes")).to_be_visible()
    drag(page, corner, 900, 900)
    painted(page)
    box, frame = corner.bounding_box(), page.locator(".floor-plan svg").bounding_box()
    assert box["x"] < frame["x"] + frame["width"]
    assert box["y"] < frame["y"] + frame["height"]
    d_k, d_model = map(int, place(corner))
    assert d_model > 12288
    expect_the_cores_numbers(page, shape(d_k=d_k, d_model=d_model))


def test_a_gate_is_drawn_as_a_third_matrix(open_file):
    for model, drawn_as in (("gpt2", ["up", "down"]), ("llama2_2d_7b", ["gate", "up", "down"])):
        page = open_parameters(open_file(f"scale?model={model}"))
        painted(page)
        boxes = page.locator(".floor-plan .blocks > .piece.feed:visible")
        assert boxes.count() == 1 + len(drawn_as), "of the whole, and of one layer"
        expect(page.locator(".floor-plan .texts .inside:visible")).to_have_text(
            [f"feed-forward: {name}" for name in drawn_as]
        )


def test_areas_are_true(open_file):
    page = open_parameters(open_file("scale?model=gpt2"))
    painted(page)
    area = "all => all.map(e => [e.getAttribute('class'), e.getAttribute('width') * e.getAttribute('height')])"
    found = page.locator(".floor-plan .blocks > .piece:not(.matrix)").evaluate_all(area)
    whole = page.locator(".floor-plan .everything").evaluate_all(area)[0][1]
    counted = count_parameters(SHAPES["gpt2"])
    for kind, of in (("attention", "attention_total"), ("words", "embeddings"), ("rest", None)):
        part = sum(size for name, size in found if kind in name.split()) / whole
        wanted = getattr(counted, of) if of else counted.norms + counted.biases
        assert part == pytest.approx(wanted / counted.total, abs=2e-4)


def test_a_range_stops_at_round_numbers_and_at_what_was_published(open_file):
    page = show_all(open_file("scale?model=gpt2"))
    assert press(page, "num_heads", "ArrowRight") == [13]
    expect_the_cores_numbers(page, shape("gpt2", num_heads=13), 1024)
    assert press(page, "vocabulary", "ArrowLeft") == [49152]
    assert press(page, "vocabulary", "ArrowRight") == [50257]


@pytest.mark.parametrize("width", [1024, 1280, 1440])
def test_fifteen_pixels_take_no_size_below_a_third(open_file, width):
    page = show_all(open_file("scale", width=width))
    for name in ("num_heads", "num_layers", "d_k", "d_model"):
        before = int(size_field(page, name).input_value().replace(",", ""))
        x, y = take(page, handle(page, name))
        page.mouse.move(x - 15, y, steps=5)
        painted(page)
        assert before / 3 <= int(size_field(page, name).input_value().replace(",", "")) < before, name
        page.keyboard.press("Escape")
        page.mouse.up()


def test_what_cannot_be_a_size_is_said_and_nothing_is_lost(open_file):
    page = show_all(open_file("scale"))
    warning = page.locator(".warning").filter(has_text="Enter a whole number from 1 to 1,000,000,000,000")
    for text in ("0", "-5", "1.5", "many", "", "1000000000001", "1e13", "99999999999999999999999"):
        field = typed(page, "d_model", text)
        expect(warning).to_be_visible()
        expect(field).to_have_value(text)
        expect_the_cores_numbers(page, shape())
        typed(page, "d_model", "1,024")
        expect(warning).to_have_count(0)
        expect_the_cores_numbers(page, shape(d_model=1024))
        typed(page, "d_model", "12,288")
    for text in ("１０２４", "1e3", "١٬٠٢٤", "１，０２４"):
        typed(page, "d_model", text)
        expect_the_cores_numbers(page, shape(d_model=1000 if "e" in text else 1024))
    typed(page, "d_model", "12,288")
    typed(page, "d_k", "100")
    expect(page.get_by_text("A d_k of 100 does not divide a d_model of 12,288").first).to_be_visible()
    expect_the_cores_numbers(page, shape(d_k=100))


def test_what_is_typed_while_another_size_is_drawn_stays(open_file):
    page = show_all(open_file("scale", clock=True))
    page.clock.run_for(1000)
    typed(page, "d_model", "1,024")
    field = size_field(page, "d_model")
    field.fill("many")  # before the next frame
    page.clock.run_for(1000)
    expect(field).to_have_value("many")
    field.press("Enter")
    page.clock.run_for(1000)
    expect(field).to_have_value("many")
    typed(page, "d_model", "12,288")
    typed(page, "d_model", "0")  # before the next frame, too
    page.clock.run_for(1000)
    expect(field).to_have_value("0")
    expect(page.locator(".warning").filter(has_text="Enter a whole number")).to_be_visible()
    typed(page, "d_model", "0")
    typed(page, "d_model", "2,048")
    page.clock.run_for(1000)
    expect(field).to_have_value("2,048")
    expect(page.locator(".warning").filter(has_text="Enter a whole number")).to_have_count(0)


def test_a_models_sizes_travel_to_those_of_another(open_file):
    page = open_parameters(open_file("scale?d_k=100", clock=True))
    follow_number(page, "total")
    button = page.get_by_role("button", name="2017 big", exact=True)
    button.click()
    page.clock.run_for(5000)
    seen = page.evaluate("trail")
    assert len(seen) > 3, "on the way, too, every size is a whole number"
    assert all(re.fullmatch(r"\d+", n) for n in seen)
    assert live(page)["total"] == str(count_parameters(SHAPES["transformer-big"]).total)
    expect(button).to_have_attribute("aria-pressed", "true")
    page = open_parameters(open_file("scale", reduced_motion=True))
    page.get_by_role("button", name="GPT-2 XL", exact=True).click()
    expect_the_cores_numbers(page, SHAPES["gpt2-xl"], 1024)


def test_a_goal_belongs_to_the_model_that_it_was_reached_with(open_file):
    page = open_parameters(open_file("scale?goal=longer_text", reduced_motion=True))
    press(page, "context", "End")
    for model, met in (("GPT-3", 1), ("GPT-2 XL", 0), ("GPT-3", 1)):
        page.get_by_role("button", name=model, exact=True).click()
        expect(page.locator(".goals .choose.met")).to_have_count(met)


def test_the_first_move_leads_to_the_first_goal_and_the_pattern_grows_by_the_square(open_file):
    page = open_file("scale")
    expect(page.locator("input.cue")).to_have_attribute("data-handle", "context")
    expect(handle(page, "num_heads")).to_be_hidden()
    press(page, "context", "Shift+ArrowRight")
    expect(page.locator(".goals .note")).to_contain_text(
        "Length of the text: × 1.5. Cells of the pattern: × 2.25."
    )
    typed(page, "context", "1048576")
    expect(page.locator(".growth .across")).to_have_text("length of the text × 512")
    expect(page.locator(".growth .cells")).to_have_text("× 262,144")


def test_lengths_are_written_below_the_range(open_file):
    ticks = open_file("scale").locator(".growth .ticks span")
    assert ticks.all_text_contents() == ["16", "256", "4,096", "65,536", "1,048,576"]


def test_models_are_named_above_the_range_at_their_lengths(open_file):
    page = open_file("scale")
    names = page.locator(".growth .known span")
    assert names.all_text_contents() == ["GPT-2", "GPT-3", "Llama 3 8B"]
    stops = int(handle(page, "context").get_attribute("max"))
    for n, tokens in enumerate((1024, 2048, 8192)):
        typed(page, "context", str(tokens))
        painted(page)
        stands = 100 * int(handle(page, "context").input_value()) / stops
        assert names.nth(n).evaluate("e => parseFloat(e.style.left)") == pytest.approx(stands, abs=0.01)
