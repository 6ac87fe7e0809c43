"""Self-attention, step by step, under a hand: stepping, scrubbing, playing, opening cells, two endings."""

import re
import signal
from itertools import pairwise

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import AttentionHead, causal_mask, load_example
from tests.browser.hand import drag, handle, live, place, take
from tests.browser.harness import axe, in_a_row, rerun, settled

TIRED, BEFORE = load_example("animal_tired"), load_example("animal_first_layer")
STEPS = ["embeddings", "scores", "scale", "mask", "softmax", "weighted_sum", "new_vector"]
HEAD, FIRST = (AttentionHead(e.W_query, e.W_key, e.W_value, e.W_output) for e in (TIRED, BEFORE))


def lit(page):
    """The boxes of the graph that are lit."""
    return page.locator(".operation.lit").evaluate_all("boxes => boxes.map(box => box.dataset.step)")


def scrubber(page):
    return page.get_by_role("slider", name="Step", exact=True)


def shown(page, what):
    return page.locator(f'[data-value="{what}"]').text_content()


def number(page, what):
    return float(live(page)[what])


def choose(page, field, place):
    """One of the stage's switches."""
    with rerun(page):
        page.locator(f"[data-option='{field} {place}']").check(force=True)


def test_each_step_lights_its_box_and_shows_what_it_made(open_page):
    page = open_page("self_attention")
    made = ["query it 1", "score it animal", "scaled it animal", "masked it animal", "weight it animal"]
    made += ["context it 1", "new it alive"]
    for i, step in enumerate(STEPS):
        assert lit(page) == [step]
        assert [bool(shown(page, what)) for what in made] == [k <= i for k in range(len(made))]
        expect(page.locator(".telling b")).to_contain_text(f"{i + 1} · ")
        if i + 1 < len(STEPS):
            with rerun(page):
                page.get_by_role("button", name="Next step").click()
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")
    assert shown(page, "weight it animal") == "74.1%"
    with rerun(page):
        page.get_by_role("button", name="Previous step").click()
    assert lit(page) == ["weighted_sum"]
    assert shown(page, "new it alive") == ""


def test_arrow_keys_step_and_python_hears_once(open_page):
    page = open_page("self_attention")
    asked = page.evaluate("labRuns.asked.length")
    scrubber(page).focus()
    with rerun(page), in_a_row(page):
        for _ in range(3):
            page.keyboard.press("ArrowRight")
    assert lit(page) == ["mask"]
    assert page.evaluate("labRuns.asked.length") == asked + 1
    assert "step=mask" in page.url
    expect(scrubber(page)).to_be_focused()
    with rerun(page):
        page.keyboard.press("ArrowLeft")
    assert lit(page) == ["scale"]
    with rerun(page):
        page.keyboard.press("End")
    assert lit(page) == ["new_vector"]
    expect(page.locator(".goals .note")).to_have_text("Goal reached.")  # sweeping past a step shows it


def test_the_scrubber_is_dragged_and_a_box_is_chosen(open_page):
    page = open_page("self_attention")
    box = scrubber(page).bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 12, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, y, steps=6)
    assert lit(page) == ["mask"]
    assert "step" not in page.url
    with rerun(page):
        page.mouse.up()
    assert "step=mask" in page.url
    with rerun(page):
        page.locator("[data-step=softmax]").click()
    assert lit(page) == ["softmax"]
    page.reload()
    settled(page)
    assert live(page), "once it is drawn"
    assert lit(page) == ["softmax"]


@pytest.mark.parametrize("reduced", [False, True], ids=["motion", "reduced motion"])
def test_it_plays_at_a_calm_pace_pauses_and_stops_at_the_end(open_file, reduced):
    page = open_file("self_attention?step=mask", reduced_motion=reduced, clock=True)
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(2000)
    assert lit(page) == ["mask"], "each step has its time"
    page.clock.run_for(1000)
    assert lit(page) == ["softmax"]
    moving = page.locator(".ledger-cell.made .number").first.evaluate("e => getComputedStyle(e).animationName")
    assert moving == ("none" if reduced else "ledger-made")
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(10_000)
    assert lit(page) == ["softmax"], "a pause is a pause"
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(10_000)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert lit(page) == ["new_vector"]


def test_another_word_while_it_plays_and_a_key_stops_it(open_page):
    page = open_page("self_attention")
    page.get_by_role("button", name="Play").click()
    page.locator("[data-step=scores].lit").wait_for()
    with rerun(page):
        page.locator(".arc-word", has_text="street").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert lit(page) == ["scores"], "an answer from Python does not set the step back"
    page.locator("[data-step=scale].lit").wait_for()
    with rerun(page):
        page.get_by_role("button", name="Pause").press("ArrowRight")
    assert lit(page) == ["mask"]
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert shown(page, "score street animal")


def test_a_tick_for_the_whole_way_outlasts_another_page(open_page):
    page = open_page("self_attention")
    scrubber(page).focus()
    with rerun(page):
        page.keyboard.press("End")
    expect(page.locator(".goals .choose.met")).to_have_count(1)
    page.get_by_test_id("stSidebarNavLink").first.click()
    page.wait_for_function("!location.pathname.includes('self_attention')")
    settled(page)
    page.go_back()
    page.wait_for_function("location.pathname.includes('self_attention')")
    settled(page)
    expect(page.locator(".goals .choose.met")).to_have_count(1)


@pytest.mark.parametrize("masked", [False, True], ids=["every word", "causal"])
def test_the_ratios_equal_in_one_layer_and_the_cores_in_two(open_page, masked):
    page = open_page("self_attention")
    if masked:
        choose(page, "mask", 1)
    assert number(page, "ratio tired") == pytest.approx(number(page, "ratio wide"), rel=1e-12)
    expect(page.locator(".verdict")).to_contain_text("The ratio is the same")
    choose(page, "layers", 1)
    mask = causal_mask(11) if masked else None
    for ending in ("tired", "wide"):
        x = load_example(f"animal_{ending}").embeddings
        weights = HEAD.attend(x + FIRST.attend(x, mask=mask).delta, mask=mask).weights[7]
        assert number(page, f"ratio {ending}") == pytest.approx(weights[1] / weights[5], rel=1e-9)
        assert number(page, f"{ending} it street") == pytest.approx(weights[5], rel=1e-9)
    if masked:
        assert number(page, "ratio tired") == pytest.approx(number(page, "ratio wide"), rel=1e-12)
        expect(page.locator(".verdict")).to_contain_text("The ratio is the same")
    else:
        assert number(page, "ratio tired") > 100 * number(page, "ratio wide")
        expect(page.locator(".verdict")).to_contain_text("The ratios differ")
    assert len(page.locator(".operation").all()) == 14


def test_the_switches_answer_while_python_sleeps(open_page, server):
    page = open_page("self_attention")
    server.process.send_signal(signal.SIGSTOP)
    try:
        page.locator("[data-option='layers 1']").check(force=True)
        expect(page.locator(".verdict")).to_contain_text("The ratios differ")
        page.locator("[data-option='mask 1']").check(force=True)
        expect(page.locator(".verdict")).to_contain_text("The ratio is the same")
    finally:
        server.process.send_signal(signal.SIGCONT)
    settled(page)
    expect(page.locator(".verdict")).to_contain_text("The ratio is the same")


def test_a_cell_opens_into_the_products_that_made_it(open_page):
    page = open_page("self_attention?step=new_5f_vector&word=tired")
    trace = HEAD.attend(TIRED.embeddings)

    def opened(what):
        with_cell = page.locator(f'[data-value="{what}"]')
        with_cell.evaluate("e => e.parentElement.dispatchEvent(new MouseEvent('click', { bubbles: true }))")
        settled(page)
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        numbers = live(page)
        terms = [float(x) for name, x in numbers.items() if name.startswith("opened ") and name != "opened sum"]
        return terms, float(numbers["opened"])

    terms, made = opened("query tired 2")
    assert (terms, made) == ([0, 0, 0, 0, 6, 0], 6)
    terms, made = opened("score tired animal")
    assert sum(terms) == made == trace.scores[10, 1]
    terms, made = opened("weight tired animal")
    assert made == pytest.approx(trace.weights[10, 1])
    assert max(terms) == 1
    for word in ("tired", "because", "animal"):  # what is printed comes to what is printed
        opened(f"weight tired {word}")
        above, below, share = re.match(
            r"(\S+) ÷ (\S+) = (\S+)%", page.locator(".opened-note").inner_text()
        ).groups()
        assert f"{100 * float(above) / float(below):.1f}" == share
    terms, made = opened("context tired 1")
    assert sum(terms) == pytest.approx(made)
    assert made == pytest.approx(trace.context[10, 0])
    terms, made = opened("new tired alive")
    assert terms == pytest.approx([1, trace.delta[10, 4]])
    assert made == pytest.approx(1 + trace.delta[10, 4])


def test_the_cells_are_reached_by_keys(open_page):
    page = open_page("self_attention?step=scores")
    page.locator(".ledger-cell[tabindex='0']").focus()
    expect(page.locator(".opened-name")).to_contain_text("q · k, it → animal")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".opened-name")).to_contain_text("k₃ of animal")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".opened-name")).to_contain_text("k₃ of didn't")
    with rerun(page):
        for _ in range(4):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".opened-name")).to_contain_text("it → because")
        page.keyboard.press("Enter")
    assert "other=because" in page.url


def test_the_words_vector_under_the_hand(open_page):
    page = open_page("self_attention?step=softmax")
    hand = handle(page, "it alive")
    before = number(page, "weight it animal")
    with rerun(page):
        drag(page, hand, 40, 0)
    assert place(hand) == [1]
    x = TIRED.embeddings.copy()
    x[7, 4] = 1
    weights = HEAD.attend(x).weights
    assert number(page, "weight it animal") == pytest.approx(weights[7, 1], rel=1e-12)
    assert number(page, "weight it animal") > before
    expect(page.locator(".ledger .badge")).to_have_text("yours")
    assert number(page, "ratio tired") == pytest.approx(number(page, "ratio wide"), rel=1e-12)


def test_every_number_of_the_ledger_is_the_cores(open_page):
    page = open_page("self_attention?step=new_5f_vector&layers=2&mask=causal&word=tired")
    mask = causal_mask(11)
    x = TIRED.embeddings + FIRST.attend(TIRED.embeddings, mask=mask).delta
    trace, numbers = HEAD.attend(x, mask=mask), live(page)
    for j, word in enumerate(TIRED.words):
        for what, row in (("score", trace.scores), ("scaled", trace.scaled_scores), ("weight", trace.weights)):
            assert float(numbers[f"{what} tired {word}"]) == pytest.approx(row[10, j], rel=1e-9, abs=1e-12)
        found = [float(numbers[f"part tired {word} {k}"]) for k in (1, 2)]
        np.testing.assert_allclose(found, trace.weights[10, j] * trace.value[j], rtol=1e-9, atol=1e-12)
    for k, axis in enumerate(TIRED.axes):
        assert float(numbers[f"new tired {axis}"]) == pytest.approx((x + trace.delta)[10, k], rel=1e-9)


def test_nothing_to_look_at_is_said(open_page):
    page = open_page("self_attention?mask=earlier&word=The&step=softmax")
    expect(page.locator(".ledger .nothing")).to_have_text("The: no word to attend to")
    expect(page.locator(".opened")).to_contain_text("no word to attend to")
    assert {shown(page, f"weight The {word}") for word in TIRED.words} == {"0.0%"}
    assert "NaN" not in page.locator("body").inner_text()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_phone_goes_the_whole_way_without_scrolling_sideways(open_page, dark):
    page = open_page("self_attention?layers=2&layer=1", width=390, height=844, dark=dark, touch=True)
    box = page.get_by_role("button", name="Play").bounding_box()
    assert 0 < box["y"] < 844 - box["height"]
    assert min(box["width"], box["height"]) >= 36
    for _ in range(13):
        with rerun(page):
            page.get_by_role("button", name="Next step").tap()
        wide = "[document.documentElement, document.querySelector('[data-testid=stMain]')]"
        assert page.evaluate(f"Math.max(...{wide}.map(e => e.scrollWidth - e.clientWidth))") <= 0
    assert axe(page) == []


def test_sixteen_words_fit(open_page):
    words = ".".join(["it", "and"] * 7 + ["animal", "abcdefghijklmnopqrstuvwx"])
    for width in (1440, 390):
        page = open_page(f"self_attention?example=own&words={words}&step=weighted_5f_sum", width=width)
        assert len(page.locator(".ledger-label.chooses").all()) == 16
        sizes = page.locator(".ledger-cell:not(.future) .number").evaluate_all(
            "all => all.filter(e => e.textContent).map(e => parseFloat(e.style.fontSize))"
        )
        assert min(sizes) > 8


# Arcs --------------------------------------------------------------------------------------------------

WIDTHS = """root => Object.fromEntries([...root.querySelectorAll('.arc-word')].map((word, i) => {
    const { display, strokeWidth } = root.querySelectorAll('path.arc-of')[i].style;
    return [word.querySelector('.spoken').textContent, display ? 0 : parseFloat(strokeWidth)];
}))"""


def arcs(page):
    return page.locator(".word-arcs").evaluate(WIDTHS)


def resting(page):
    """The arcs once they have come to rest."""
    page.locator(".word-arcs").evaluate(
        f"""root => new Promise(rest => {{
            let before, calm = 0;
            const look = () => {{
                const now = JSON.stringify(({WIDTHS})(root));
                calm = now === before ? calm + 1 : 0;
                before = now;
                calm > 5 ? rest() : requestAnimationFrame(look);
            }};
            look();
        }})"""
    )
    return arcs(page)


def weights(page):
    return {word: float(live(page)[f"arc it {word}"]) for word in ("animal", "street", "because")}


@pytest.mark.parametrize("reduced_motion", [False, True])
def test_arcs_pass_from_the_animal_to_the_street_with_the_last_word(open_page, reduced_motion):
    page = open_page("self_attention?layers=2", reduced_motion=reduced_motion)
    tired, told = resting(page), weights(page)
    assert told["animal"] == pytest.approx(0.95, abs=0.005)
    assert tired["animal"] == pytest.approx(0.8 + 15 * told["animal"], abs=0.1)
    page.evaluate(
        """() => {
            window.seen = [];
            const { visits } = labRuns;
            const all = root => [...root.querySelectorAll('*')].flatMap(
                e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
            const note = () => {
                const path = all(document).filter(e => e.matches('path.arc-of'))[1];
                if (path) window.seen.push(path.style.display ? 0 : parseFloat(path.style.strokeWidth));
                if (labRuns.visits === visits) requestAnimationFrame(note);
            };
            note();
        }"""
    )
    with rerun(page):
        page.get_by_role("button", name="… wide").click()
    wide = resting(page)
    assert weights(page)["street"] == pytest.approx(0.862, abs=0.005)
    assert wide["street"] > 13 > 3 > wide["animal"]
    between = [width for width in page.evaluate("seen") if wide["animal"] + 0.3 < width < tired["animal"] - 0.3]
    assert len(set(between)) > 3 if not reduced_motion else not between
    with rerun(page):
        page.keyboard.press("Control+z")
    assert resting(page) == tired
    assert "example" not in page.url


def test_the_other_ending_keeps_what_a_hand_has_moved_and_arcs_follow_the_hand(open_page):
    page = open_page("self_attention")
    page.set_viewport_size({"width": 1280, "height": 2400})  # the arcs in sight: else they wait for the hand
    hand, before = handle(page), arcs(page)
    x, y = take(page, hand)
    page.mouse.move(x - 90, y, steps=5)
    assert arcs(page) != before
    with rerun(page):
        page.mouse.up()
    moved, where = weights(page), place(hand)
    with rerun(page):
        page.get_by_role("button", name="… wide").click()
    assert place(handle(page)) == where
    now = weights(page)
    ratio = now["animal"] / now["street"]
    assert ratio == pytest.approx(moved["animal"] / moved["street"]), "one layer cannot tell"
    page.locator(".arc-word", has_text="street").click()
    settled(page)
    expect(page.locator(".arc-word[aria-pressed=true]")).to_contain_text("street")
    assert "arc street animal" in live(page)


@pytest.mark.parametrize("width", [390, 1440])
def test_arcs_have_room_for_sixteen_long_words_and_run_from_the_right(open_page, width):
    words = [f"extraordinaryword{k:02d}long" for k in range(16)]
    page = open_page(f"self_attention?example=own&words={'.'.join(words)}", width=width)
    boxes = page.locator(".arc-word").evaluate_all("all => all.map(e => e.getBoundingClientRect().toJSON())")
    assert len(boxes) == 16
    assert all(box["left"] >= 0 and box["right"] <= width for box in boxes)
    assert all(a["bottom"] <= b["top"] + 0.5 for a, b in pairwise(boxes)), "one below another"
    text = ["الحيوان", "لم", "يعبر", "الشارع"]
    coded = ".".join("".join(f"_{ord(c):x}_" for c in word) for word in text)
    page.goto(page.url.split("?")[0] + f"?example=own&words={coded}")
    settled(page)
    lefts = page.locator(".arc-word").evaluate_all("all => all.map(e => e.getBoundingClientRect().left)")
    assert lefts == sorted(lefts, reverse=True)
    assert page.locator(".arc-word .spoken").all_inner_texts() == text
