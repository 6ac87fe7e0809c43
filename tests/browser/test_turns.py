"""Undo and redo under the hand: keys and buttons, never in a text field; a reload begins anew."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.hand import across, drag, handle, live, place, take
from tests.browser.harness import rerun, settled
from tests.browser.test_every_page import frozen


def buttons(page):
    return page.get_by_role("button", name="Undo", exact=True), page.get_by_role(
        "button", name="Redo", exact=True
    )


@pytest.mark.parametrize("name", ["similarity", "self_attention"])
def test_keys_and_buttons_go_back_and_on_across_a_reset(open_page, name):
    page = open_page(name)
    (undo, redo), hand = buttons(page), handle(page)
    expect(undo).to_be_hidden()
    expect(redo).to_be_hidden()
    seen = [(place(hand), live(page), page.url)]
    dx, dy = across(hand)
    for part in (1, 0.4):
        with rerun(page):
            drag(page, hand, part * dx, part * dy)
        seen.append((place(hand), live(page), page.url))
    with rerun(page):
        page.get_by_role("button", name="Reset", exact=True).click()
    assert place(hand) == seen[0][0]
    with rerun(page):
        undo.click()
    assert (place(hand), live(page), page.url) == seen[2]
    page.keyboard.press("Control+z")  # twice, faster than Python answers
    page.keyboard.press("Control+Z")
    settled(page)
    assert (place(hand), live(page)) == seen[0][:2]
    assert "?" not in page.url
    expect(undo).to_be_hidden()
    with rerun(page):
        page.keyboard.press("Control+Shift+Z")
    assert (place(hand), live(page), page.url) == seen[1]
    with rerun(page):
        page.keyboard.press("Control+y")
    assert (place(hand), live(page), page.url) == seen[2]
    page.reload()
    settled(page)
    expect(undo).to_be_hidden()
    expect(redo).to_be_hidden()
    page.keyboard.press("Control+z")
    settled(page)
    assert place(hand) == seen[2][0]
    with rerun(page):
        drag(page, hand, dx / 5, dy / 5)
    expect(undo).to_be_visible()


@pytest.mark.parametrize(
    ("name", "first", "then"),
    [("similarity", "orange", "phone"), ("softmax", "an", "orange"), ("values", "an", "apple")],
)
def test_what_is_dragged_after_an_undo_is_kept_however_late_the_answer(open_page, server, name, first, then):
    page = open_page(name)
    one, other = handle(page, first), handle(page, then)
    before = place(one)
    with frozen(server):
        drag(page, one, *across(one))
        page.keyboard.press("Control+z")
        drag(page, other, *across(other))
        made = place(other)
    settled(page)
    assert place(other) == made
    if name != "softmax":  # there all bars are one row, which is made or not made
        assert place(one) == before
    page.reload()
    settled(page)
    assert place(other) == made


@pytest.mark.parametrize("name", ["softmax", "values"])
@pytest.mark.parametrize("moves_on", [False, True])
def test_a_slider_that_is_held_stays_in_the_hand_when_an_undo_arrives(open_page, server, name, moves_on):
    page = open_page(name)
    one, held = handle(page), handle(page, "temperature")
    before = place(one)
    with rerun(page):
        drag(page, one, *across(one))
    dx, dy = across(held, 60)
    with frozen(server):
        page.keyboard.press("Control+z")
        x, y = take(page, held)
        page.mouse.move(x + dx, y + dy, steps=4)
    page.wait_for_function("labRuns.finished.length && !labRuns.waiting", polling=30)
    if moves_on:
        page.mouse.move(x + dx / 2, y + dy / 2, steps=4)
    made = place(held)
    page.mouse.up()
    settled(page)
    assert place(held) == made
    assert place(one) == before
    page.reload()
    settled(page)
    assert place(held) == made


def test_cells_that_are_painted_stay_so_when_an_undo_arrives(open_page, server):
    page = open_page("masking", height=1100)

    def cell(i, j):
        return page.locator(f"[data-cell='{i} {j}']")

    def looked_at():
        return [cell(*at).get_attribute("aria-pressed") for at in ((2, 0), (3, 0), (3, 1), (3, 2))]

    def over(j):
        box = cell(3, j).bounding_box()
        page.mouse.move(box["x"] + 9, box["y"] + 9, steps=3)

    with rerun(page):
        cell(2, 0).click()
    assert looked_at() == ["false", "true", "true", "true"]
    with frozen(server):
        page.keyboard.press("Control+z")
        over(0)
        page.mouse.down()
        over(1)
    page.wait_for_function("labRuns.finished.length && !labRuns.waiting", polling=30)
    over(2)
    page.mouse.up()
    settled(page)
    assert looked_at() == ["true", "false", "false", "false"]
    page.reload()
    settled(page)
    assert looked_at() == ["true", "false", "false", "false"]


def test_a_preset_on_its_way_arrives_though_an_undo_does_before(open_page, server):
    page = open_page("values?example=money_bank", reduced_motion=False)
    one, temperature = handle(page, "money"), handle(page, "temperature")
    before = place(one)
    with rerun(page):
        drag(page, one, *across(one))
    preset = page.get_by_role("button", name="T = 11.2215")
    with frozen(server):
        page.keyboard.press("Control+z")
        preset.click()
    expect(preset).to_have_attribute("aria-pressed", "true")
    settled(page)
    made = place(temperature)
    assert (place(one), preset.get_attribute("aria-pressed")) == (before, "true")
    page.reload()
    settled(page)
    assert (place(one), place(temperature)) == (before, made)


def test_what_plays_goes_on_when_an_undo_arrives(open_page, server):
    page = open_page("self_attention")
    with rerun(page):
        page.locator(".arc-word", has_text="street").click()
    assert "word=street" in page.url
    with frozen(server):
        page.keyboard.press("Control+z")
        page.get_by_role("button", name="Play").click()
        page.locator("[data-step=scores].lit").wait_for()
    page.wait_for_function("!location.search.includes('word=street')")
    page.locator("[data-step=scale].lit").wait_for()
    with rerun(page):
        page.get_by_role("button", name="Pause").click()
    assert parse_qs(urlsplit(page.url).query) == {"step": ["scale"]}


def test_a_text_field_undoes_by_itself_and_a_list_that_is_closed_does_not(open_page):
    page = open_page("similarity")
    hand = handle(page)
    with rerun(page):
        drag(page, hand, 40, -40)
    moved = page.url
    page.get_by_role("button", name="Words").click()
    settled(page)
    lines = page.get_by_label("Words and vectors").or_(page.locator("textarea")).first
    lines.click()
    page.keyboard.type("9")
    page.keyboard.press("Control+z")
    settled(page)
    assert page.url == moved
    page.keyboard.press("Escape")
    page.get_by_label("Example").first.click()
    with rerun(page):
        page.get_by_role("option").nth(1).click()
    assert page.url != moved
    with rerun(page):
        page.keyboard.press("Control+z")
    assert page.url == moved


@pytest.mark.parametrize(("name", "what"), [("similarity", None), ("softmax", "temperature"), ("position", None)])
def test_escape_gives_a_handle_back_where_it_was(open_page, name, what):
    page = open_page(name)
    hand = handle(page, what)
    before, numbers, url = place(hand), live(page), page.url
    dx, dy = (60, 0) if what else across(hand)
    x, y = take(page, hand)
    page.mouse.move(x + dx, y + dy, steps=5)
    assert place(hand) != before
    page.keyboard.press("Escape")
    page.mouse.move(x + dx / 2, y + dy / 2, steps=3)
    page.mouse.up()
    settled(page)
    assert (place(hand), live(page), page.url) == (before, numbers, url)
    with rerun(page):
        drag(page, hand, dx, dy)
    assert place(hand) != before


@pytest.mark.parametrize("reduced_motion", [False, True])
def test_what_is_undone_or_reset_travels_back(open_page, reduced_motion):
    page = open_page("similarity", reduced_motion=reduced_motion)
    hand = handle(page)
    dx, dy = across(hand)
    with rerun(page):
        drag(page, hand, dx, dy)
    # Where its middle is on its plane: neither the page's own movements nor a ring at the pointer count.
    hand.evaluate(
        """hand => {
            window.seen = new Set();
            const note = () => {
                const own = hand.getBoundingClientRect(), plane = hand.closest('svg').getBoundingClientRect();
                const middle = [own.x + own.width / 2 - plane.x, own.y + own.height / 2 - plane.y];
                seen.add(middle.map(Math.round).join());
                if (hand.isConnected) requestAnimationFrame(note);
            };
            note();
        }"""
    )
    for act in (
        lambda: page.keyboard.press("Control+z"),
        lambda: page.keyboard.press("Control+y"),
        lambda: page.get_by_role("button", name="Reset", exact=True).click(),
    ):
        page.evaluate("seen.clear()")
        with rerun(page):
            act()
        places = page.evaluate("[...seen]")
        assert (len(places) == 2) if reduced_motion else (len(places) > 4), places


def test_a_hand_that_takes_hold_of_what_travels_has_it_at_once(open_page):
    page = open_page("similarity", reduced_motion=False)
    hand = handle(page)
    dx, dy = across(hand)
    with rerun(page):
        drag(page, hand, dx, dy)
    there = place(hand)
    with rerun(page):
        page.get_by_role("button", name="Reset", exact=True).click()
    home = place(hand)
    page.keyboard.press("Control+z")
    page.wait_for_function("labRuns.stages().some(stage => stage.hasAttribute('data-travels'))")
    hand.focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    assert place(hand)[0] > there[0] != home[0]
    assert page.evaluate("labRuns.stages().every(stage => !stage.hasAttribute('data-travels'))")


def test_undo_leads_from_an_example_back_to_ones_own_words(open_page):
    page = open_page("softmax")
    page.get_by_role("button", name="Words").first.click()
    settled(page)
    sentence = page.get_by_label("Sentence", exact=True).first
    sentence.fill("😀 apple")
    with rerun(page):
        sentence.press("Enter")
    page.keyboard.press("Escape")
    settled(page)
    page.get_by_role("combobox", name="Example").click()
    with rerun(page):
        page.get_by_role("option", name="an apple phone").click()
    for key, words in [("z", "_1f600_.apple"), ("z", ""), ("y", "_1f600_.apple"), ("y", "")]:
        with rerun(page):
            page.keyboard.press(f"Control+{key}")
        assert parse_qs(urlsplit(page.url).query).get("words", [""]) == [words]
        expect(page.get_by_test_id("stAlert")).to_have_count(0)
