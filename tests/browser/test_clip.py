"""Save clip: the reader's last drag as a moving picture, made in the browser."""

from itertools import pairwise

import pytest
from PIL import Image, ImageChops, ImageSequence
from playwright.sync_api import expect

from attention_lab.text import read
from tests.browser.hand import handle, take
from tests.browser.harness import click, settled

WORDS = read("controls")
NO_WEBP = """() => {
    HTMLCanvasElement.prototype.toBlob = done => done(new Blob([], { type: 'image/png' }));
}"""


def menu(page):
    click(page.get_by_role("button", name=WORDS["take_away"]))
    return page.get_by_role("button", name=WORDS["take_away/clip/save"])


@pytest.mark.parametrize("width", [1440, 390])
def test_the_last_drag_is_saved_as_a_clip_and_the_figure_stays_as_it_is(open_page, width):
    page = open_page("similarity", width=width)
    x, y = take(page, handle(page, "phone"))
    for step in range(1, 13):
        page.mouse.move(x - 6 * step, y + 4 * step)
    page.mouse.up()
    settled(page)
    save, address, seen = menu(page), page.url, handle(page, "phone").get_attribute("aria-valuetext")
    with page.expect_download() as saved:
        save.click()
    data = saved.value.path().read_bytes()
    assert saved.value.suggested_filename == "similarity.webp"
    assert (data[:4], data[8:12], b"ANIM" in data) == (b"RIFF", b"WEBP", True)
    assert len(data) == int.from_bytes(data[4:8], "little") + 8 <= 1_000_000
    with Image.open(saved.value.path()) as clip:
        frames = [frame.convert("RGB") for frame in ImageSequence.Iterator(clip)]
    assert len(frames) > 3
    assert all(ImageChops.difference(a, b).getbbox() for a, b in pairwise(frames))
    assert page.url == address
    assert handle(page, "phone").get_attribute("aria-valuetext") == seen


def test_where_no_clip_can_be_made_the_menu_says_so_and_what_to_do(open_page):
    page = open_page("similarity")
    save = menu(page)
    save.click()
    expect(page.get_by_text(WORDS["take_away/clip/nothing"])).to_be_visible()
    page.keyboard.press("Escape")
    x, y = take(page, handle(page, "phone"))
    page.mouse.move(x - 60, y)
    page.mouse.up()
    settled(page)
    page.evaluate(NO_WEBP)
    menu(page).click()
    expect(page.get_by_text(WORDS["take_away/clip/unable"])).to_be_visible()
