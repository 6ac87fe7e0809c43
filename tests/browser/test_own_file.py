"""A reader's own file on the page: dropped, shown, taken home, and refused where it is too large."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import expect

import attention_lab
from attention_lab import text as prose
from tests.browser.hand import painted
from tests.browser.harness import axe, settled

TOKENS = ["The", "Ġcat", "Ġ<b>sat</b>", "Ċ", "and", "Ġslept"]
WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(6), size=(3, 4, 6)).astype(np.float32)
TEXT = prose.read("own_attention")
# Light or dark, the colour in which most of what is drawn of the heads stands.
DRAWN = """image => {
    const canvas = new OffscreenCanvas(6, 6).getContext('2d');
    canvas.drawImage(image, 0, 0);
    const pixels = canvas.getImageData(0, 0, 6, 6).data;
    let most = 0;
    for (let k = 0; k < pixels.length; k += 4) if (pixels[k + 3] > pixels[most + 3]) most = k;
    return [...pixels.slice(most, most + 3)].join(' ');
}"""


@pytest.fixture
def file(tmp_path):
    return attention_lab.save(tmp_path / "weights.npz", WEIGHTS, TOKENS)


def drop(page, file):
    """Give the page a file."""
    page.locator("input[type=file]").set_input_files(file)


def opened(open_page, file, **settings):
    page = open_page("own_attention", **settings)
    drop(page, file)
    expect(page.locator(".st-key-own_file")).to_contain_text(file.name)
    expect(page.locator("[data-handle='head 0.11']")).to_have_count(0)  # the page's example has so many
    settled(page)
    return page


def weight_under(page, query, key):
    canvas = page.locator(".pattern-canvas canvas").first
    box, size = canvas.bounding_box(), canvas.evaluate("e => e.offsetWidth / e.width")
    page.mouse.move(box["x"] + (key + 0.5) * size, box["y"] + (query + 0.5) * size)
    painted(page)
    return page.locator(".pattern-canvas figcaption").inner_text()


def test_a_file_is_shown_its_link_says_what_it_lacks_and_the_file_again_shows_the_same(open_page, file):
    page = opened(open_page, file)
    page.get_by_role("button", name="Layer 2, head 1").click()
    page.locator("[data-option=measure]").select_option(label="first token")
    expect(page.locator(".head-account h2")).to_contain_text("Layer 2, head 1")
    page.wait_for_url("**measure=*")
    settled(page)
    said = weight_under(page, 2, 0)
    assert said == f"␣<b>sat</b> → The: {100 * WEIGHTS[2, 1, 2, 0]:.1f}%"
    link = page.url

    page.reload()
    settled(page)
    expect(page.locator(".remark")).to_contain_text("The weights for this link aren’t here")
    expect(page.locator(".head-cells")).to_have_count(0)
    drop(page, file)
    expect(page.locator(".head-account h2")).to_contain_text("Layer 2, head 1")
    settled(page)
    assert page.url == link
    assert weight_under(page, 2, 0) == said


def test_what_is_taken_home_shows_the_same_head_offline(open_page, open_file, file, tmp_path):
    page = opened(open_page, file)
    page.get_by_role("button", name="Layer 1, head 3").click()
    settled(page)
    with page.expect_download() as download:
        page.get_by_role("button", name=TEXT["open/save"]).click()
    assert download.value.suggested_filename == "weights.html"
    download.value.save_as(tmp_path / "weights.html")
    saved = open_file("", tmp_path / "weights.html")
    expect(saved.locator(".head-account h2")).to_contain_text("Layer 1, head 3")
    assert weight_under(saved, 3, 2) == weight_under(page, 3, 2)


def test_what_is_taken_home_is_in_the_pages_language(open_page, file):
    page = open_page("own_attention?lang=de")
    drop(page, file)
    expect(page.locator(".st-key-own_file")).to_contain_text(file.name)
    settled(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Als HTML speichern").click()
    assert '<html lang="de"' in download.value.path().read_text(encoding="utf-8")


def test_lines_are_drawn_and_sorted_heads_have_names(open_page, file):
    page = opened(open_page, file)
    page.locator("label", has_text="lines").click()
    expect(page.locator(".word-arcs [data-value]").first).to_be_visible()
    page.locator("[data-option=measure]").select_option(label="first token")
    page.get_by_role("checkbox").check()
    expect(page.locator(".head-cell").first).to_have_text(re.compile(r"^[012]\.[0-3]$"))
    named = page.locator(".head-cell").all_inner_texts()
    layers, heads = np.unravel_index(np.argsort(-WEIGHTS[:, :, 1:, 0].mean(axis=2).ravel()), (3, 4))
    assert named == [f"{layer}.{head}" for layer, head in zip(layers, heads, strict=True)]
    settled(page)


def test_vectors_lie_on_a_plane_without_a_source_that_is_none(open_page, tmp_path):
    query, key = np.random.default_rng(0).normal(size=(2, 1, 2, 5, 8))
    page = opened(open_page, attention_lab.save(tmp_path / "vectors.npz", query=query, key=key))
    expect(page.locator(".head-vectors svg").first).to_be_visible()
    expect(page.locator(".badge")).to_have_count(0)


def test_the_picture_that_is_taken_away_has_the_pattern_and_says_of_which_head(open_page, file):
    page = opened(open_page, file)
    page.get_by_role("button", name="Layer 2, head 1").click()
    settled(page)
    page.get_by_text("Share", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Picture as SVG").click()
    drawn = ElementTree.parse(download.value.path()).getroot()
    (image,) = drawn.iter("{http://www.w3.org/2000/svg}image")
    assert image.get("{http://www.w3.org/1999/xlink}href", image.get("href")).startswith("data:image/png")
    words = " ".join(text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text"))
    assert "Layer 2, head 1" in words
    assert "Point at a cell" not in words


def test_too_large_a_file_is_refused_in_the_pages_language_and_the_next_is_read(open_page, file, tmp_path):
    page = open_page("own_attention?lang=de")
    with (tmp_path / "large.npz").open("wb") as large:
        large.truncate(2_000_000_000)  # a hole on the disk
    drop(page, tmp_path / "large.npz")
    expect(page.locator("[aria-invalid=true]")).to_be_visible()
    shown = page.get_by_test_id("stFileUploader").evaluate("e => getComputedStyle(e, '::after').content")
    assert "größer als 200 MB" in shown
    expect(page.locator(".head-cells")).to_be_visible()
    drop(page, file)
    expect(page.locator(".st-key-own_file")).to_contain_text(file.name)


def test_its_pictures_follow_light_and_dark(open_page, file):
    page = opened(open_page, file)
    image = page.locator(".head-cell img").first.element_handle()
    told = {"image": image, "before": "0 0 0"}  # before it is drawn
    for _ in ("dark", "light"):
        page.wait_for_function(f"({{ image, before }}) => ({DRAWN})(image) !== before", arg=told)
        told["before"] = image.evaluate(DRAWN)
        page.get_by_role("button", name="Theme").click()


@pytest.mark.parametrize("settings", [{"width": 1440}, {"width": 390, "dark": True}], ids=["desk", "phone"])
def test_it_can_be_read_and_reached_by_all(open_page, file, settings):
    page = opened(open_page, file, **settings)
    assert axe(page) == [], axe(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
