"""A figure in one file: no server, no network, and everything can be moved."""

import pytest
from playwright.sync_api import expect

from attention_lab.export.web_page import write
from tests.visit import PAGES, lesson_of


@pytest.fixture
def open_file(browser, tmp_path):
    """Open a page's file without a network; at the end of the test fail on any error of the page."""
    errors = []
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})

    def opened(link):
        file = tmp_path / "page.html"
        assert write(link, file) == []
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("request", lambda asked: errors.append(asked.url) if not asked.url.startswith("file:") else None)
        page.goto(file.as_uri())
        page.locator("[data-stage] [data-pictured]").first.wait_for()
        return page

    yield opened
    context.close()
    assert errors == []


def test_every_pages_figure_is_drawn_and_its_first_handle_moves(open_file):
    for path in PAGES:
        name = lesson_of(path).LESSON.name
        page = open_file(name)
        handle = page.locator("[data-stage] [data-handle][aria-valuetext]:visible").first
        before = handle.get_attribute("aria-valuetext")
        handle.focus()
        for key in ("ArrowRight", "ArrowUp", "ArrowLeft"):  # one at its bound moves the other way
            handle.press(key)
            page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
            if handle.get_attribute("aria-valuetext") != before:
                break
        assert handle.get_attribute("aria-valuetext") != before, name
        page.close()


def test_a_drag_changes_the_numbers_that_follow(open_file):
    page = open_file("similarity?word=phone&goal=twice")
    assert page.locator("h1").inner_text() == "Similarity"
    assert page.locator("[data-goal]").get_attribute("data-goal") == "twice"
    dot = page.locator('[data-value="dot phone apple"]').first
    before = dot.get_attribute("data-exact")
    box = page.locator('[data-handle="phone"]').bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] - 120, box["y"] - 80, steps=4)
    page.mouse.up()
    expect(dot).not_to_have_attribute("data-exact", before)


def test_the_page_is_dark_where_the_reader_wants_it_dark(open_file):
    page = open_file("softmax")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(ground) == "rgb(18, 20, 28)"
