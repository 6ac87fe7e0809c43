"""Home in a real browser: the path follows the hand, and its page links open."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import AttentionHead, load_example
from tests.browser.hand import drag, handle, live, middle, place, take, touch_drag
from tests.browser.harness import axe, rerun, settled

EXAMPLE = load_example("one_head")
WORDS = EXAMPLE.words


def vectors(page):
    return np.array([place(handle(page, word)) for word in WORDS])


def expect_the_cores_numbers(page):
    """Every live number on the path is the one that the core makes of the words where they stand."""
    x = vectors(page)
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
    shown = {name: float(number) for name, number in live(page).items()}
    for name, number in expected.items():
        assert shown[name] == pytest.approx(number, rel=1e-12, abs=1e-12), name
    assert len(shown) >= len(expected)


def test_a_dragged_word_moves_everything_downstream_at_once(open_page):
    page = open_page("")
    expect_the_cores_numbers(page)
    phone = handle(page, "phone")
    asked = page.evaluate("labRuns.asked.length")
    x, y = take(page, phone)
    for step in range(1, 4):
        page.mouse.move(x - 45 * step, y - 20 * step, steps=3)
        page.wait_for_function(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
        )
        expect_the_cores_numbers(page)
    assert page.evaluate("labRuns.asked.length") == asked
    with rerun(page):
        page.mouse.up()
    expect_the_cores_numbers(page)
    expect(page.locator("[data-provenance]").first).to_have_text("yours")
    with rerun(page):
        page.get_by_role("button", name="Reset", exact=True).click()
    assert vectors(page).tolist() == EXAMPLE.embeddings.tolist()
    assert "?" not in page.url


def test_keys_a_finger_and_another_browser(open_page):
    page = open_page("", width=390, height=844, touch=True)
    phone = handle(page, "phone")
    assert middle(phone)[1] < 844
    with rerun(page):
        touch_drag(page, phone, -80, -60)
    with rerun(page):
        phone.press("ArrowUp")
    expect_the_cores_numbers(page)
    numbers = live(page)
    other = open_page(page.url.split("/", 3)[3])
    assert place(handle(other, "phone")) == place(phone)
    assert live(other) == numbers


@pytest.mark.parametrize("width", [390, 768, 1024, 1280, 1440, 1920])
def test_the_path_fits_every_width(open_page, width):
    page = open_page("", width=width, height=900)
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    expect(page.locator("[data-station]")).to_have_count(8)
    boxes = page.locator("[data-station]").evaluate_all(
        "all => all.map(e => [e.dataset.station, e.getBoundingClientRect()])"
        ".map(([name, b]) => [name, b.left, b.top, b.right, b.bottom])"
    )
    for i, (name, left, top, right, bottom) in enumerate(boxes):
        for other, *box in boxes[:i]:
            apart = right <= box[0] + 1 or left >= box[2] - 1 or bottom <= box[1] + 1 or top >= box[3] - 1
            assert apart, f"{name} lies on {other}"


def test_a_number_says_how_it_was_made(open_page):
    page = open_page("")
    line = page.locator("p.told")
    expect(line).to_have_text("Point at any number to see how it was made.")
    page.locator("[data-value='query apple 1']").hover()
    expect(line).to_have_text("query apple 1 = 2 × 0 + 2 × 1 = 2")
    page.locator("[data-value='query apple 1']").focus()
    page.keyboard.press("ArrowRight")
    expect(line).to_have_text("query apple 2 = 2 × 0.5 + 2 × 0 = 1")
    page.locator("[data-value='context apple 1']").focus()
    expect(line).to_contain_text("0.6516 × 4 = 2.941")


def test_page_links_open_in_the_app_and_back_leads_home(open_page):
    page = open_page("")
    with rerun(page):
        drag(page, handle(page, "phone"), -60, -40)
    moved = live(page)
    page.get_by_role("link", name="Scores").click()
    page.wait_for_url(re.compile("/similarity"))
    settled(page)
    expect(page.get_by_role("heading", name="Similarity", exact=True)).to_be_visible()
    page.go_back()
    page.wait_for_url(lambda url: "/similarity" not in url)
    settled(page)
    assert live(page) == moved


def test_a_link_that_sets_a_goal_opens_it(open_page):
    page = open_page("")
    page.get_by_text("Links that set a goal").click()
    settled(page)
    page.get_by_test_id("stPageLink").get_by_text("Open").first.click()
    page.wait_for_url(re.compile(r"predict=1"))
    settled(page)
    expect(page.get_by_text("Guess first.").first).to_be_visible()
    expect(page.get_by_text("Left out of the address")).to_have_count(0)


def test_the_whole_path_is_the_picture_to_take_away(open_page):
    page = open_page("")
    page.get_by_role("button", name="Take away").click()
    settled(page)
    with page.expect_download() as begun:
        page.get_by_role("button", name="Picture as SVG").click()
    text = begun.value.path().read_text()
    for word in ("Queries", "Scores", "Context", "phone", "65"):
        assert f">{word}" in text
    assert text.count("<svg") > 7


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious(open_page, dark):
    assert axe(open_page("", dark=dark)) == []


def test_the_glossary_is_searched(open_page):
    page = open_page("")
    page.get_by_role("button", name="Glossary").click()
    dialog = page.get_by_role("dialog")
    terms = dialog.locator("p > strong:first-child")
    expect(terms.filter(has_text=re.compile("^attends$"))).to_be_visible()
    field = dialog.get_by_label("Look for")
    for sought, first in (("Temperature", "temperature"), ("w_o", "W_O")):  # its name comes before its mention
        field.fill(sought)
        field.press("Enter")
        expect(terms.first).to_have_text(first)
    field.fill("<script>")
    field.press("Enter")
    expect(dialog).to_contain_text("Nothing here says that")
    expect(terms).to_have_count(0)
