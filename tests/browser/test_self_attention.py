"""Self-attention, step by step: stepping, scrubbing, playing, opening cells, arcs and two endings."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from attention_core import AttentionHead, causal_mask, load_example
from tests.browser.hand import (
    drag,
    drag_and_hold,
    expect_numbers,
    handle,
    live,
    number,
    number_text,
    painted,
    place,
)
from tests.browser.harness import axe, in_a_row, reload, rerun, rerun_by_click, rerun_by_key, settled

TIRED, BEFORE = load_example("animal_tired"), load_example("animal_first_layer")
STEPS = ["embeddings", "scores", "scale", "mask", "softmax", "weighted_sum", "new_vector"]
HEAD, FIRST = (AttentionHead(e.W_query, e.W_key, e.W_value, e.W_output) for e in (TIRED, BEFORE))


def expect_lit(page, step):
    """This box of the graph is lit, and no other one."""
    expect(page.locator(".operation.lit")).to_have_attribute("data-step", step)


def scrubber(page):
    return page.get_by_role("slider", name="Step", exact=True)


def test_each_step_lights_its_box_and_shows_what_it_made_however_it_is_chosen(open_file):
    page = open_file("self_attention")
    made = ["query it 1", "score it animal", "scaled it animal", "masked it animal", "weight it animal"]
    made += ["context it 1", "new it alive"]
    for i, step in enumerate(STEPS):
        expect_lit(page, step)
        assert [bool(number_text(page, what)) for what in made] == [k <= i for k in range(len(made))]
        expect(page.locator(".telling b")).to_contain_text(f"{i + 1} · ")
        if i + 1 < len(STEPS):
            page.get_by_role("button", name="Next step").click()
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")
    assert number_text(page, "weight it animal") == "74.1%"
    page.get_by_role("button", name="Previous step").click()
    expect_lit(page, "weighted_sum")
    assert number_text(page, "new it alive") == ""
    scrubber(page).focus()
    for key, step in (("ArrowLeft", "softmax"), ("ArrowRight", "weighted_sum"), ("End", "new_vector")):
        page.keyboard.press(key)
        expect_lit(page, step)
    expect(scrubber(page)).to_be_focused()
    page.locator("[data-step=softmax]").click()
    expect_lit(page, "softmax")
    box = scrubber(page).bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 12, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, y, steps=6)
    expect_lit(page, "mask")
    page.mouse.up()


def test_it_plays_at_a_calm_pace_pauses_and_stops_at_the_end(open_file):
    for motion in (True, False):
        page = open_file("self_attention?step=mask", reduced_motion=not motion, clock=True)
        play, pause = (page.get_by_role("button", name=name) for name in ("Play", "Pause"))
        play.click()
        page.clock.run_for(2000)
        expect_lit(page, "mask")  # each step has its time
        page.locator(".arc-word", has_text="street").click()
        page.clock.run_for(1000)
        expect_lit(page, "softmax")  # another word does not stop it
        assert number_text(page, "score street animal")
        made = page.locator(".ledger-cell.made .number").first
        expect(made).to_have_css("animation-name", "ledger-made" if motion else "none")
        pause.click()
        page.clock.run_for(10_000)
        expect_lit(page, "softmax")
        play.click()
        page.clock.run_for(100)
        pause.press("ArrowLeft")
        page.clock.run_for(10_000)
        expect_lit(page, "mask")  # a key stops it
        play.click()
        page.clock.run_for(10_000)
        expect_lit(page, "new_vector")
        expect(play).to_be_visible()


def test_numbers_fade_in_when_a_step_is_taken_and_not_in_another_window(open_file):
    page = open_file("self_attention", reduced_motion=False)
    page.get_by_role("button", name="Next step").click()
    coming = page.locator(".ledger-cell.arriving .number")
    expect(coming.first).to_have_css("animation-name", "ledger-made")
    page.set_viewport_size({"width": 1100, "height": 800})
    expect(coming).to_have_count(0)


def test_the_ratios_are_equal_in_one_layer_and_the_cores_in_two(open_file):
    page = open_file("self_attention")
    page.get_by_text("Layers and mask", exact=True).click()
    for option, mask, verdict in (
        ("mask 0", None, "The ratios differ"),
        ("mask 1", causal_mask(11), "The ratio is the same"),
    ):
        for each in ("layers 0", option):
            page.locator(f"[data-option='{each}']").check(force=True)
        expect(page.locator(".verdict")).to_contain_text("The ratio is the same")
        assert number(page, "ratio tired") == pytest.approx(number(page, "ratio wide"), rel=1e-12)
        page.locator("[data-option='layers 1']").check(force=True)
        expect(page.locator(".verdict")).to_contain_text(verdict)
        for ending in ("tired", "wide"):
            x = load_example(f"animal_{ending}").embeddings
            weights = HEAD.attend(x + FIRST.attend(x, mask=mask).delta, mask=mask).weights[7]
            assert number(page, f"ratio {ending}") == pytest.approx(weights[1] / weights[5], rel=1e-9)
            assert number(page, f"{ending} it street") == pytest.approx(weights[5], rel=1e-9)
    assert page.locator(".operation").count() == 14


def test_a_cell_opens_into_the_products_that_made_it_by_a_click_or_by_keys(open_file):
    page = open_file("self_attention?step=new_5f_vector&word=tired")
    trace = HEAD.attend(TIRED.embeddings)

    def opened(what):
        page.locator(f'[data-value="{what}"]').locator("..").dispatch_event("click")
        painted(page)
        numbers = live(page)
        terms = [float(x) for name, x in numbers.items() if name.startswith("opened ") and name != "opened sum"]
        return terms, float(numbers["opened"])

    assert opened("query tired 2") == ([0, 0, 0, 0, 6, 0], 6)
    terms, made = opened("score tired animal")
    assert sum(terms) == made == trace.scores[10, 1]
    terms, made = opened("weight tired animal")
    assert made == pytest.approx(trace.weights[10, 1])
    assert max(terms) == 1
    for word in ("tired", "because", "animal"):  # what is printed comes to what is printed, of three digits
        opened(f"weight tired {word}")
        above, below, percent = re.match(
            r"(\S+) ÷ (\S+) = (\S+)%", page.locator(".opened-note").inner_text()
        ).groups()
        assert 100 * float(above) / float(below) == pytest.approx(float(percent), rel=0.005, abs=0.05)
    terms, made = opened("context tired 1")
    assert sum(terms) == pytest.approx(made)
    assert made == pytest.approx(trace.context[10, 0])
    terms, made = opened("new tired alive")
    assert terms == pytest.approx([1, trace.delta[10, 4]])
    assert made == pytest.approx(1 + trace.delta[10, 4])
    page = open_file("self_attention?step=scores")
    name = page.locator(".opened-name")
    page.locator(".ledger-cell[tabindex='0']").focus()
    expect(name).to_contain_text("q · k, it → animal")
    for key, cell in (
        ("ArrowLeft", "k₃ of animal"),
        ("ArrowDown", "k₃ of didn't"),
        ("ArrowRight", "it → didn't"),
        ("ArrowUp", "it → animal"),
    ):
        page.keyboard.press(key)
        expect(name).to_contain_text(cell)


def test_every_number_of_the_ledger_is_the_cores_as_a_vector_is_dragged(open_file):
    page = open_file("self_attention?step=softmax")
    drag(page, handle(page, "it alive"), 40, 0)
    painted(page)
    assert place(handle(page, "it alive")) == [1]
    x = TIRED.embeddings.copy()
    x[7, 4] = 1
    assert number(page, "weight it animal") == pytest.approx(HEAD.attend(x).weights[7, 1], rel=1e-12)
    assert number(page, "weight it animal") > HEAD.attend(TIRED.embeddings).weights[7, 1]
    assert number(page, "ratio tired") == pytest.approx(number(page, "ratio wide"), rel=1e-12)
    page = open_file("self_attention?step=new_5f_vector&layers=2&mask=causal&word=tired")
    mask = causal_mask(11)
    x = TIRED.embeddings + FIRST.attend(TIRED.embeddings, mask=mask).delta
    trace, expected = HEAD.attend(x, mask=mask), {}
    for j, word in enumerate(TIRED.words):
        for what, row in (("score", trace.scores), ("scaled", trace.scaled_scores), ("weight", trace.weights)):
            expected[f"{what} tired {word}"] = row[10, j]
        part = trace.weights[10, j] * trace.value[j]
        expected |= {f"part tired {word} {k + 1}": part[k] for k in (0, 1)}
    expected |= {f"new tired {axis}": (x + trace.delta)[10, k] for k, axis in enumerate(TIRED.axes)}
    expect_numbers(page, expected, abs=1e-12)
    page = open_file("self_attention?mask=earlier&word=The&step=softmax")
    expect(page.locator(".ledger .nothing")).to_have_text("The: no word to attend to")
    expect(page.locator(".opened")).to_contain_text("no word to attend to")
    assert {number_text(page, f"weight The {word}") for word in TIRED.words} == {"0.0%"}
    assert "NaN" not in page.locator("body").inner_text()


WIDTHS = """root => Object.fromEntries([...root.querySelectorAll('.arc-word')].map((word, i) => {
    const { display, strokeWidth } = root.querySelectorAll('path.arc-of')[i].style;
    return [word.querySelector('.spoken').textContent, display ? 0 : parseFloat(strokeWidth)];
}))"""


def arcs(page):
    """How wide the arc to each word is."""
    return page.locator(".word-arcs").evaluate(WIDTHS)


def weights(page):
    return {word: number(page, f"arc it {word}") for word in ("animal", "street", "because")}


def test_of_two_layers_a_step_is_seen_once_both_have_shown_it(open_file):
    page = open_file("self_attention?layers=2&layer=1")
    note = page.locator(".goals .note")
    scrubber(page).focus()
    for _ in range(8):  # all of the first layer, and two steps of the second
        page.keyboard.press("ArrowRight")
    expect(note).to_contain_text("You have seen 2 of 7 steps")
    page.keyboard.press("End")
    expect(note).to_have_text("Goal reached.")


def test_arcs_are_as_wide_as_their_weights_and_pass_over_unless_motion_is_reduced(open_file):
    for motion in (True, False):
        page = open_file("self_attention?layers=2", clock=True, reduced_motion=not motion)
        page.clock.run_for(2000)
        two, told = arcs(page), weights(page)
        assert told["animal"] == pytest.approx(0.95, abs=0.005)
        assert two["animal"] == pytest.approx(0.8 + 15 * told["animal"], abs=0.1)
        page.locator("[data-option='layers 0']").check(force=True)
        widths = []
        for _ in range(30):
            page.clock.run_for(40)
            widths.append(arcs(page)["animal"])
        assert widths[-1] == pytest.approx(0.8 + 15 * weights(page)["animal"], abs=0.1)
        between = {width for width in widths if widths[-1] + 0.3 < width < two["animal"] - 0.3}
        assert len(between) > 3 if motion else not between


def test_every_step_and_sixteen_words_fit_and_arcs_run_from_the_right(open_file):
    page = open_file("self_attention?layers=2&layer=1", width=390, height=844, touch=True)
    for _ in range(13):
        page.get_by_role("button", name="Next step").tap()
        painted(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect_lit(page, "new_vector")
    assert axe(page, include="#figure", only="color-contrast") == []
    words = ".".join(f"extraordinaryword{k:02d}long" for k in range(16))
    page = open_file(f"self_attention?example=own&words={words}&step=weighted_5f_sum")
    sizes = "all => all.filter(e => e.textContent).map(e => parseFloat(e.style.fontSize))"
    boxes = "all => all.map(e => e.getBoundingClientRect().toJSON())"
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        painted(page)
        expect(page.locator(".ledger-label.chooses")).to_have_count(16)
        assert min(page.locator(".ledger-cell:not(.future) .number").evaluate_all(sizes)) > 8
        seen = page.locator(".arc-word").evaluate_all(boxes)
        assert len(seen) == 16
        assert all(box["left"] >= 0 and box["right"] <= width for box in seen)
        assert all(a["bottom"] <= b["top"] + 0.5 for a, b in pairwise(seen)), "one below another"
    text = ["الحيوان", "لم", "يعبر", "الشارع"]
    coded = ".".join("".join(f"_{ord(c):x}_" for c in word) for word in text)
    arabic = open_file(f"self_attention?example=own&words={coded}").locator(".arc-word")
    lefts = [box["left"] for box in arabic.evaluate_all(boxes)]
    assert lefts == sorted(lefts, reverse=True)
    assert arabic.locator(".spoken").all_inner_texts() == text


def test_python_follows_a_drag_the_other_ending_their_undo_and_the_steps(open_page):
    page = open_page("self_attention", height=1200)
    before = live(page), arcs(page)
    drag_and_hold(page, handle(page), -90, 0)
    assert arcs(page) != before[1], "arcs follow the hand"
    with rerun(page):
        page.mouse.up()
    moved, where = weights(page), place(handle(page))
    expect(page.locator(".ledger .badge")).to_have_text("yours")
    rerun_by_click(page.get_by_role("button", name="… wide"))
    assert place(handle(page)) == where, "the other ending keeps what a hand has moved"
    now = weights(page)
    assert now["animal"] / now["street"] == pytest.approx(moved["animal"] / moved["street"])
    for _ in range(2):
        rerun_by_key(page, "Control+z")
    assert (live(page), arcs(page)) == before
    settled(page)  # nothing of what came before is still to be sent
    asked = page.evaluate("labRuns.asked.length")
    scrubber(page).focus()
    with rerun(page), in_a_row(page):
        for key in ("End", "ArrowLeft", "ArrowLeft"):
            page.keyboard.press(key)
    assert page.evaluate("labRuns.asked.length") == asked + 1, "several keys in a row are one move"
    assert "step=softmax" in page.url
    reload(page)
    assert live(page), "once it is drawn"
    expect_lit(page, "softmax")
    scrubber(page).focus()
    with rerun(page):
        page.keyboard.press("Home")
        page.keyboard.press("End")
    met = page.locator(".goals .choose.met")
    expect(met).to_have_count(1)
    page.get_by_test_id("stSidebarNavLink").first.click()
    page.wait_for_function("!location.pathname.includes('self_attention')")
    settled(page)
    page.go_back()
    page.wait_for_function("location.pathname.includes('self_attention')")
    settled(page)
    expect(met).to_have_count(1)
