"""A term of the glossary opens its entry where it stands in the text: by mouse, finger and keyboard."""

import pytest
from playwright.sync_api import expect

from attention_lab import text as prose
from tests.browser.harness import settled


def opened(page):
    return page.locator(".term-note:popover-open")


def in_sight(page):
    box, size = opened(page).bounding_box(), page.viewport_size
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    assert box["y"] + box["height"] <= size["height"]


@pytest.mark.parametrize("how", [{"width": 1440}, {"width": 390}, {"width": 1440, "dark": True}])
def test_a_term_opens_its_entry_where_it_stands(open_page, how):
    page = open_page("/queries_keys", **how)
    address = page.url
    link = page.locator("a[href='#term-matrix']").first
    link.click()
    note = opened(page)
    expect(note).to_contain_text(prose.read("glossary")["matrix"][:60])
    in_sight(page)
    at, box = link.bounding_box(), note.bounding_box()
    assert min(abs(box["y"] - at["y"] - at["height"]), abs(at["y"] - box["y"] - box["height"])) < 12
    ground = "e => getComputedStyle(e).backgroundColor"
    assert note.evaluate(ground) == page.locator(".stApp").evaluate(ground)
    link.click()  # it closes what it has opened
    expect(opened(page)).to_have_count(0)
    assert page.url == address


def test_a_term_is_reached_and_left_by_keyboard(open_page):
    page = open_page("/queries_keys")
    link = page.locator("a[href='#term-key']").first
    link.focus()
    page.keyboard.press("Enter")
    expect(opened(page)).to_contain_text("matched")
    page.keyboard.press("Escape")
    expect(opened(page)).to_have_count(0)
    assert link.evaluate("e => e === document.activeElement"), "back where one was"
    page.keyboard.press("Enter")
    expect(opened(page)).to_have_count(1)
    page.mouse.click(5, 400)
    expect(opened(page)).to_have_count(0)
    settled(page)
