"""Home in a real browser: ribbons, the plane and every step follow the hand, and the page links open."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import AttentionHead, load_example
from tests.browser.hand import (
    drag_and_hold,
    expect_numbers,
    handle,
    live,
    middle,
    painted,
    place,
    rerun_by_drag,
    take,
    touch_drag,
)
from tests.browser.harness import arrived, axe, click, rerun_by_click, rerun_by_key, settled

EXAMPLE = load_example("one_head")
WORDS = EXAMPLE.words
STEPS = "home?every_step=1"


def vectors(page):
    return np.array([place(handle(page, word)) for word in WORDS])


def expect_the_cores_numbers(page):
    """Every live number on the path is the one that the core makes of the words where they stand."""
    painted(page)
    shown = {name: float(number) for name, number in live(page).items()}
    x = np.array([[shown[f"embedding {word} {axis}"] for axis in EXAMPLE.axes] for word in WORDS])
    np.testing.assert_allclose(vectors(page), x, atol=0.005, rtol=0)  # a handle tells two decimals
    made = AttentionHead(EXAMPLE.W_query, EXAMPLE.W_key, EXAMPLE.W_value).attend(x)
    expected = {}
    for i, word in enumerate(WORDS):
        for k, axis in enumerate(EXAMPLE.axes):
            expected[f"embedding {word} {axis}"] = x[i, k]
        for name in ("query", "key", "value", "context"):
            for k in range(2):
                expected[f"{name} {word} {k + 1}"] = getattr(made, name)[i, k]
        for j, other in enumerate(WORDS):
            expected[f"score {word} {other}"] = made.scores[i, j]
            expected[f"weight {word} {other}"] = made.weights[i, j]
    expect_numbers(page, expected, rel=1e-12, abs=1e-12)


def expect_the_cores_weights(page, word="apple"):
    """Numbers and ribbons show the weights of a word that the core computes; the ribbons' feet fill one width."""
    painted(page)
    made = AttentionHead(EXAMPLE.W_query, EXAMPLE.W_key, EXAMPLE.W_value).attend(vectors(page))
    shown, row = live(page), made.weights[WORDS.index(word)]
    assert [name for name in shown if name.startswith("weight")] == [f"weight {word} {other}" for other in WORDS]
    foot, left = (float(page.locator(".whole-weight").get_attribute(name)) for name in ("width", "x"))
    for button, band, other, weight in zip(
        page.locator(".ribbons button").all(), page.locator(".band").all(), WORDS, row, strict=True
    ):
        exact = float(shown[f"weight {word} {other}"])
        assert exact == pytest.approx(weight, abs=0.01)  # a handle tells two decimals
        expect(button.locator(".name")).to_have_text(other)
        assert button.locator(".number").inner_text().replace(" ", "") == f"{100 * exact:.1f}%"
        top, *_, end, _, after, _, _, _, _, _, last, _ = map(
            float, re.findall(r"-?[\d.]+", band.get_attribute("d"))
        )
        assert after - end == pytest.approx(max(0.6, exact * foot), abs=0.3)
        assert last - top == pytest.approx(after - end, abs=0.1)
        assert (end + after) / 2 == pytest.approx(left + exact * foot / 2, abs=0.3)
        left += exact * foot


def in_sight(page, *selectors):
    """Whether all of these lie above the goal's card, which is in the window."""
    top = page.locator(".goals").bounding_box()
    for selector in selectors:
        box = page.locator(selector).first.bounding_box()
        assert box["y"] + box["height"] <= top["y"] + 1, selector


# The plane as its figure gets narrower: how wide it is and where a handle lies, before, at once and later.
# What is there as the second frame begins, was seen in the first; what is painted only then, comes after it.
NARROWED = """async plane => {
    const handle = plane.querySelector('[data-handle="phone"]'),
        size = () => [plane.viewBox.baseVal.width, handle.cx.baseVal.value],
        found = [size()];
    plane.closest('.stage').style.width = '60%';
    for (let k = 0; k < 2; k++) await new Promise(requestAnimationFrame);
    found.push(size());
    for (let k = 0; k < 4; k++) await new Promise(requestAnimationFrame);
    return [...found, size()];
}"""


def test_a_plane_is_not_seen_in_another_size_than_what_is_drawn_on_it(open_page):
    page = open_page("")
    before, seen, later = page.locator("svg:has([data-handle=phone])").evaluate(NARROWED)
    assert seen[0] < 0.9 * before[0]
    assert seen == later


def test_the_first_screen_has_sentence_plane_and_meaning_above_the_goal(open_page):
    page = open_page("")
    expect(page.get_by_role("heading", level=1)).to_have_text("Drag a word. Watch attention move.")
    for width, height in [(1440, 900), (1280, 720), (390, 844)]:
        page.set_viewport_size({"width": width, "height": height})
        settled(page)
        in_sight(page, ".st-key-promise p", ".ribbons", ".meaning", "svg.picture [data-handle=phone]")


def test_the_weights_follow_the_hand(open_file):
    for touch in (False, True):
        page = open_file("home", touch=touch, **({"width": 390, "height": 844} if touch else {}))
        expect(page.locator("[data-handle]")).to_have_count(len(WORDS))
        expect(page.locator("[data-station], table, math")).to_have_count(0)
        expect(page.get_by_role("group", name="Attention weights of apple")).to_be_visible()
        expect_the_cores_weights(page)
        before = live(page)["weight apple phone"]
        if touch:
            handle(page, "phone").scroll_into_view_if_needed()
            touch_drag(page, handle(page, "phone"), -120, 0)
        else:
            drag_and_hold(page, handle(page, "phone"), -150, 0)
        expect_the_cores_weights(page)
        assert float(live(page)["weight apple phone"]) < float(before) - 0.1
        page.mouse.up()


def test_who_drags_a_words_letters_drags_its_dot(open_file):
    page = open_file("home")
    letters, dot = page.locator(".ribbons button", has_text="phone").locator(".name"), handle(page, "phone")
    before, at = dot.get_attribute("aria-valuetext"), dot.bounding_box()
    x, y = middle(letters)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 80, y + 30, steps=4)
    expect_the_cores_weights(page)
    now = dot.bounding_box()
    assert (now["x"] - at["x"], now["y"] - at["y"]) == pytest.approx((-80, 30), abs=4)
    page.mouse.up()
    expect(page.locator(".here")).to_have_text("apple, here")  # it was no press
    page.keyboard.press("ControlOrMeta+z")
    expect(dot).to_have_attribute("aria-valuetext", before)


def test_another_word_is_followed_and_ribbons_stay_inside_on_any_screen(open_file):
    page = open_file("home", reduced_motion=True)
    for word in ("phone", "an"):
        page.locator(".ribbons").get_by_role("button", name=word).click()
        expect(page.locator(".here")).to_have_text(f"{word}, here")
        for width in (320, 390, 768, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            expect_the_cores_weights(page, word)
            inside = page.locator(".bands").bounding_box()
            for band in page.locator(".band").all():
                box = band.bounding_box()
                assert box["x"] >= inside["x"] - 0.5
                assert box["x"] + box["width"] <= inside["x"] + inside["width"] + 0.5
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, width


MEANINGS = {  # where vectors stand, and what is then true of the followed word
    "": "Here apple is mostly tech: 65.2% of its attention goes to phone.",
    "?vectors=0_-1__2_2__-4_0": "Here apple is mostly fruit: 91.6% of its attention stays on apple itself.",
    "?vectors=0_-1__2_2__0_4&word=phone": "Here phone is mostly fruit: 89.4% of its attention goes to apple.",
    "?vectors=0_0__0_0__0_0": "Here apple is neither clearly tech nor clearly fruit: "
    "33.3% of its attention goes to an.",
    "?vectors=0_-1__2_2__3_2": "Here apple is both tech and fruit: 65.2% of its attention goes to phone.",
    "?vectors=0_-1__-3_-3__0_0": "Here apple is neither clearly tech nor clearly fruit: "
    "97.8% of its attention stays on apple itself.",
}


@pytest.mark.parametrize("link", MEANINGS)
def test_the_sentence_is_true_of_the_new_vector(open_file, link):
    expect(open_file("home", query=link).locator(".meaning")).to_have_text(MEANINGS[link])


def demonstrated(browser, page_file, act=None, link="", at=11, **preferences):
    """Where phone was seen in six seconds, if the reader does something at one of their quarters."""
    context = browser.new_context(offline=True, **preferences)
    page = context.new_page()
    page.clock.install(time=0)
    page.clock.pause_at(1)  # however slow the machine, it goes on by these steps alone
    page.goto(page_file("home").as_uri() + link)
    while not page.locator(".meaning em").count():
        page.clock.run_for(10)
    seen, told = [], page.locator("[data-handle=phone]")
    spoken, address, said = page.locator(".announcement"), page.url, told.get_attribute("aria-valuetext")
    for step in range(24):
        page.clock.run_for(250)
        seen.append(round(float(told.get_attribute("cx"))))
        if step == at and act:
            act(page)
        expect(spoken).to_have_text("")
        assert told.get_attribute("aria-valuetext") == said
    assert page.url == address
    page.clock.run_for(3000)  # one that has begun late goes
    expect(page.locator("[data-goal].now, .ghost-hand")).to_have_count(0)
    context.close()
    return seen


def test_a_ghost_of_a_hand_moves_a_word_once_and_nothing_is_counted(browser, page_file):
    seen = demonstrated(browser, page_file)
    at_rest, farthest = seen[0], seen.index(min(seen))
    assert min(seen) < at_rest - 100
    assert seen[:4] == 4 * [at_rest]
    assert seen[: farthest + 1] == sorted(seen[: farthest + 1], reverse=True)
    assert seen[farthest:] == sorted(seen[farthest:])
    assert seen[-4:] == 4 * [at_rest]


def test_a_ghost_of_a_hand_gives_way_and_does_not_come_uncalled(browser, page_file):
    press, stir = lambda page: page.keyboard.press("Tab"), lambda page: page.mouse.move(40, 50)
    for act in (press, stir):
        seen = demonstrated(browser, page_file, act)
        assert min(seen) < seen[0]
        assert set(seen[13:]) == {seen[0]}
    stirred = demonstrated(browser, page_file, stir, at=5)
    assert set(stirred[:12]) == {stirred[0]}, "two idle seconds begin again"
    assert min(stirred) < stirred[0]
    for given in ({"reduced_motion": "reduce"}, {"link": "?word=phone"}, {"act": press, "at": 5}):
        assert len(set(demonstrated(browser, page_file, **given))) == 1, given


def test_a_dragged_word_moves_everything_downstream_at_once(open_file):
    page = open_file(STEPS)
    expect_the_cores_numbers(page)
    x, y = take(page, handle(page, "phone"))
    for step in range(1, 4):
        page.mouse.move(x - 45 * step, y - 20 * step, steps=3)
        expect_the_cores_numbers(page)
    page.mouse.up()
    expect_the_cores_numbers(page)


def test_the_path_fits_every_width(open_file):
    page = open_file(STEPS)
    for width in (320, 390, 768, 1024, 1280, 1440, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        painted(page)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, width
        expect(page.locator("[data-station]")).to_have_count(8)
        named = page.locator("[data-station] figure.plane text.label:visible").all_text_contents()
        assert named == 5 * ["an", "apple", "phone"], width
        boxes = page.locator("[data-station]").evaluate_all(
            "all => all.map(e => [e.dataset.station, e.getBoundingClientRect()])"
            ".map(([name, b]) => [name, b.left, b.top, b.right, b.bottom])"
        )
        for i, (name, left, top, right, bottom) in enumerate(boxes):
            for other, *box in boxes[:i]:
                apart = right <= box[0] + 1 or left >= box[2] - 1 or bottom <= box[1] + 1 or top >= box[3] - 1
                assert apart, f"{name} lies on {other} at {width}"


def test_the_path_fits_one_screen(open_page):
    for language in ("en", "es"):  # Spanish has the longest sentences
        box = open_page(f"?every_step=1&lang={language}", width=1440, height=900).locator(".path").bounding_box()
        assert box["height"] <= 560, language
        assert box["y"] + box["height"] <= 900, language


# Where all lies on the path, and how wide the pictures were drawn.
PATH_BOXES = """path => {
    const { left, top } = path.getBoundingClientRect();
    return [...path.querySelectorAll('.station, svg.picture')].map(e => {
        const { x, y, width } = e.getBoundingClientRect();
        return [x - left, y - top, width, e.viewBox?.baseVal.width ?? 0].map(Math.round);
    });
}"""
PAUSED = """e => {
    const style = document.createElement('style');
    style.textContent = '* { animation-play-state: paused !important }';
    return e.getRootNode().querySelector('.stage').appendChild(style);
}"""


def test_the_path_comes_out_of_the_plane_that_was_there(open_file):
    page = open_file("home", reduced_motion=False)
    switch, plane = page.locator("[data-turn=every_step]"), page.locator("svg.picture").first
    opening, stations = page.locator(".opening"), page.locator("[data-station]")
    before, paused = plane.bounding_box(), switch.evaluate_handle(PAUSED)
    for _ in range(2):
        switch.click()
        expect(opening).to_be_attached()
        assert plane.bounding_box() == pytest.approx(before, abs=1)
        assert {e.evaluate("e => getComputedStyle(e).opacity") for e in stations.all()[2:]} == {"0"}
        switch.click()
        expect(stations).to_have_count(0)
        assert plane.bounding_box() == before
    switch.click()
    expect(opening).to_be_attached()
    paused.evaluate("style => style.remove()")
    expect(opening).to_have_count(0)
    opened = page.locator(".path").evaluate(PATH_BOXES)
    for reduced in (False, True):  # from the start, or without motion, it simply stands there
        page = open_file("home" if reduced else STEPS, reduced_motion=reduced)
        if reduced:
            page.locator("[data-turn=every_step]").evaluate(PAUSED)
            page.locator("[data-turn=every_step]").click()
        expect(page.locator("[data-station]")).to_have_count(8)
        expect(page.locator(".opening")).to_have_count(0)
        assert page.locator(".path").evaluate(PATH_BOXES) == opened


def test_symbols_are_drawn_as_symbols(open_file):
    page = open_file(STEPS)
    expect(page.locator("[data-station=queries] .how sub")).to_have_text("Q")
    for other in (page, page := open_file("values")):
        shown = other.locator("body").inner_text()
        assert "W_" not in shown
        assert "^" not in shown
    page.locator(".fold > summary").click()
    expect(page.locator(".explanation sup")).to_have_text("2.83")


def test_a_number_says_how_it_was_computed(open_file):
    page = open_file(STEPS)
    line = page.locator("p.explanation")
    expect(line).to_have_text("Point at or tap any number to see how it was computed.")
    page.locator("[data-value='query apple 1']").hover()
    expect(line).to_have_text("query apple 1 = 2 × 0 + 2 × 1 = 2")
    page.locator("[data-value='query apple 1']").focus()
    page.keyboard.press("ArrowRight")
    expect(line).to_have_text("query apple 2 = 2 × 0.5 + 2 × 0 = 1")
    page.locator("[data-value='context apple 1']").focus()
    expect(line).to_contain_text("0.652 × 4 = 2.94")


def test_a_switch_shows_every_step_and_hides_it_again_and_back_leads_home(open_page):
    page = open_page("")
    rerun_by_drag(page, handle(page, "phone"), -60, -40)
    before, x = live(page), vectors(page)
    switch = page.get_by_role("button", name="See every step")
    expect(switch).to_have_attribute("aria-expanded", "false")
    place_before = switch.bounding_box()
    rerun_by_click(switch)
    expect(switch).to_have_attribute("aria-expanded", "true")
    assert switch.bounding_box() == place_before  # it stays under the pointer
    expect(page.locator("[data-station]")).to_have_count(8)
    expect(page.locator(".ribbons")).to_have_count(0)
    expect(page.locator("math")).not_to_have_count(0)
    assert vectors(page).tolist() == x.tolist()
    assert live(page).items() >= before.items()
    expect_the_cores_numbers(page)
    expect(page.locator("[data-provenance]").first).to_have_text("yours")
    assert "every_step=1" in page.url
    page.locator("[data-station=scores] a.page-link").click()
    arrived(page, re.compile("/similarity"))
    expect(page.get_by_role("heading", name="Similarity", exact=True)).to_be_visible()
    page.go_back()
    arrived(page, lambda url: "/similarity" not in url)
    assert live(page).items() >= before.items()
    switch.focus()
    rerun_by_key(page, "Enter")
    expect(page.locator("[data-station], math")).to_have_count(0)
    assert live(page) == before
    assert "every_step" not in page.url
    rerun_by_click(page.get_by_role("button", name="Reset", exact=True))
    assert vectors(page).tolist() == EXAMPLE.embeddings.tolist()
    assert "?" not in page.url
    rerun_by_click(switch)
    rerun_by_click(page.locator("[data-station=sentence]").get_by_role("button", name="phone"))
    rerun_by_click(switch)
    expect(page.locator(".ribbons .head")).to_have_text("Attention weights of phone")
    expect_the_cores_weights(page, "phone")


def test_a_link_that_sets_a_goal_opens_it_and_weights_wait_for_a_prediction(open_page):
    page = open_page("")
    click(page.get_by_text("Links that set a goal"))
    page.get_by_test_id("stPageLink").get_by_text("Open").first.click()
    arrived(page, re.compile(r"predict=1"))
    expect(page.get_by_text("Predict first.").first).to_be_visible()
    expect(page.get_by_text("These settings in the link were ignored")).to_have_count(0)
    page = open_page("?predict=1")
    expect(page.locator(".ribbons .number")).to_have_text(["?"] * 3)
    expect(page.locator(".meaning")).to_have_text("")
    for result in (".bands", ".here", ".chain >> nth=2", ".vector.context.focus", ".label.context.focus"):
        expect(page.locator(result)).to_be_hidden()
    rerun_by_click(page.locator(".st-key-asked").get_by_role("button", name="phone", exact=True))
    expect_the_cores_weights(page)


def exported(page):
    """The picture as SVG."""
    click(page.get_by_role("button", name="Share"))
    with page.expect_download() as begun:
        page.get_by_role("button", name="Picture as SVG").click()
    return begun.value.path().read_text()


def test_the_exported_picture_has_what_is_shown(open_page):
    for path, words in (
        ("", ("Attention", "apple", "phone", "65.2")),
        ("?every_step=1", ("Queries", "Scores", "Context", "phone", "65")),
    ):
        text = exported(open_page(path))
        assert [word for word in words if f">{word}" not in text] == []
        assert not re.search(r"(fill|stroke): (ok|color)", text)  # a program that draws may not know such colours
        assert text.count("<svg") > 7 if path else text.count("<svg") == 3  # the whole, ribbons and plane


def test_axe_finds_nothing_serious_in_every_step(open_file):
    for dark in (False, True):
        # no heading stands between the title of a file's page and those of its figure
        found = [finding for finding in axe(open_file(STEPS, dark=dark)) if "heading-order" not in finding]
        assert found == [], f"dark: {dark}"
