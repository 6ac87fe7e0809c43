"""Long texts in a view of attention weights: pixels with a lens, a text that scrolls, tokens found by typing."""

import base64
import re

import numpy as np
import pytest
from playwright.sync_api import expect

import attention_lab
from tests.browser.hand import painted
from tests.browser.harness import axe
from tests.browser.test_own_attention import causal, open_view  # noqa: F401

CANVAS = ".pattern-canvas canvas[role]"
REACH = 6  # rows and columns on each side of the middle of a lens
SIZE = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
INSIDE = """(box, token) => {
    const [outer, inner] = [box, token].map(e => e.getBoundingClientRect());
    return inner.top >= outer.top && inner.bottom <= outer.bottom;
}"""


def numbered(n):
    """Tokens of which each says its place."""
    return [f"Ġw{k}" for k in range(n)]


def cell(page, query, key, n):
    """Where a cell of a pattern of n tokens is, in px of the window."""
    box = page.locator(CANVAS).bounding_box()
    size = box["width"] / n
    return box["x"] + (key + 0.5) * size, box["y"] + (query + 0.5) * size


def point_at(page, query, key, n):
    page.mouse.move(*cell(page, query, key, n))
    painted(page)


def names_in_lens(page, side):
    return page.locator(f".lens .of-{side} span").all_inner_texts()


def around(place, n):
    return [f"␣w{k}" if 0 <= k < n else "" for k in range(place - REACH, place + REACH + 1)]


def alphas(page, selector):
    """How opaque each pixel of a canvas is, from 0 to 255."""
    read = """e => {
        const { data } = e.getContext('2d').getImageData(0, 0, e.width, e.height);
        return [e.height, e.width, Array.from(data.filter((_, k) => k % 4 === 3))];
    }"""
    rows, columns, found = page.locator(selector).evaluate(read)
    return np.array(found).reshape(rows, columns)


def alphas_of_pattern(page):
    """The same of the pattern, once its weights have been unpacked and drawn."""
    drawn = """async e => {
        const data = () => e.getContext('2d').getImageData(0, 0, e.width, e.height).data;
        while (!data().some(Boolean)) await new Promise(requestAnimationFrame);
    }"""
    page.locator(CANVAS).evaluate(drawn)
    return alphas(page, CANVAS)


def is_in_sight(page, token):
    return page.locator(".tokens.of-queries").evaluate(INSIDE, token.element_handle())


@pytest.mark.parametrize("settings", [{}, {"width": 390, "height": 844}, {"dark": True}])
def test_a_lens_shows_the_names_and_weights_around_the_cell_and_never_covers_it(open_view, settings):  # noqa: F811
    given = causal(2, 200, 200)
    page = open_view(attention_lab.show(given, numbered(200), bits=16), **settings)
    page.locator(CANVAS).scroll_into_view_if_needed()
    size = page.evaluate(SIZE)
    for query, key in [(100, 60), (3, 1), (199, 198), (120, 199)]:
        point_at(page, query, key, 200)
        shown = f"{100 * given[0, query, key]:.1f}%"
        expect(page.locator(".pattern-canvas figcaption")).to_have_text(f"␣w{query} → ␣w{key}: {shown}")
        expect(page.locator(".lens .weight")).to_have_text(shown)
        assert names_in_lens(page, "queries") == around(query, 200)
        assert names_in_lens(page, "keys") == around(key, 200)
        beyond = np.pad(given[0], REACH)[query : query + 2 * REACH + 1, key : key + 2 * REACH + 1]
        np.testing.assert_allclose(alphas(page, ".lens canvas"), 255 * np.sqrt(beyond), atol=1.5)
        lens, (x, y) = page.locator(".lens").bounding_box(), cell(page, query, key, 200)
        assert not (lens["x"] <= x <= lens["x"] + lens["width"] and lens["y"] <= y <= lens["y"] + lens["height"])
        assert lens["x"] >= 0
        assert lens["x"] + lens["width"] <= settings.get("width", 1280)
        assert page.evaluate(SIZE) == size
    assert axe(page) == []
    page.mouse.move(0, 0)
    expect(page.locator(".lens")).to_be_hidden()


def test_cells_with_names_have_no_lens(open_view):  # noqa: F811
    page = open_view(attention_lab.show(causal(2, 8, 8), numbered(8)))
    point_at(page, 5, 3, 8)
    expect(page.locator(".pattern-canvas figcaption")).to_contain_text("␣w5 → ␣w3: ")
    assert page.locator(".lens").count() == 0


def test_arrow_keys_move_the_lens_by_one_or_ten_cells_and_escape_closes_it(open_view):  # noqa: F811
    page = open_view(attention_lab.show(causal(2, 200, 200), numbered(200)))
    expect(page.locator(CANVAS)).to_have_attribute("width", "200")  # it is drawn
    page.locator(CANVAS).focus()
    for key in ("ArrowUp", "Shift+ArrowUp", "Shift+ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    expect(page.locator(".pattern-canvas figcaption")).to_contain_text("␣w188 → ␣w10: ")
    assert names_in_lens(page, "queries") == around(188, 200)
    assert names_in_lens(page, "keys") == around(10, 200)
    page.keyboard.press("Escape")
    expect(page.locator(".lens")).to_be_hidden()


def test_a_tap_opens_the_lens_and_lets_the_token_of_its_row_ask(open_view):  # noqa: F811
    page = open_view(attention_lab.show(causal(2, 200, 200), numbered(200)), width=390, height=844, touch=True)
    page.locator(CANVAS).scroll_into_view_if_needed()
    page.touchscreen.tap(*cell(page, 150, 40, 200))
    lens = page.locator(".lens .of-queries .middle")
    expect(lens).to_be_visible()
    assert abs(int(lens.inner_text().removeprefix("␣w")) - 150) <= 1
    assert page.locator(".token[aria-pressed=true]").inner_text() == lens.inner_text()


def test_a_diagonal_stays_where_a_pattern_has_more_cells_than_pixels(open_view):  # noqa: F811
    n = 900
    diagonal, first = np.eye(n, dtype=np.float32)[None], np.eye(n, dtype=np.float32)[None, [0] * n]
    page = open_view(attention_lab.show(diagonal, numbered(n)))
    drawn = alphas_of_pattern(page)
    assert len(drawn) < n * 0.8
    assert (drawn == 255 * np.eye(len(drawn))).all()
    # what has become less is drawn, too
    changed = attention_lab.show(diagonal, numbered(n)).compare(attention_lab.show(first, numbered(n)))
    page = open_view(changed)
    drawn = alphas_of_pattern(page)
    assert (np.diag(drawn)[1:] == 255).all()
    assert (drawn[1:, 0] == 255).all()


def test_a_small_picture_of_a_long_head_keeps_its_diagonal_and_gives_way_to_a_measure(open_view):  # noqa: F811
    n = 200
    page = open_view(attention_lab.show(np.eye(n, dtype=np.float32)[None], numbered(n)))
    picture = page.locator(".head-cell img")
    drawn = page.wait_for_function(
        """() => {
            const image = document.querySelector('#figure').shadowRoot.querySelector('.head-cell img');
            if (!image.naturalWidth) return null;
            const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight).getContext('2d');
            canvas.drawImage(image, 0, 0);
            const { data } = canvas.getImageData(0, 0, image.naturalWidth, image.naturalHeight);
            return Array.from(data.filter((_, k) => k % 4 === 3));
        }"""
    ).json_value()
    np.testing.assert_array_equal(np.reshape(drawn, (32, 32)), 255 * np.eye(32))
    page.get_by_role("combobox", name="Show").select_option("itself")
    expect(picture).to_be_hidden()
    page.get_by_role("combobox", name="Show").select_option("patterns")
    expect(picture).to_be_visible()


def test_tokens_are_found_by_a_piece_of_them_and_by_their_place(open_view):  # noqa: F811
    tokens = numbered(300)
    for place, name in ((20, "ĠNeedle"), (150, "needles"), (280, "pineNEEDLE")):
        tokens[place] = name
    page = open_view(attention_lab.show(causal(2, 300, 300), tokens))
    field, chosen = page.get_by_label("Find a token"), page.locator(".token[aria-pressed=true]")
    count, matches = page.locator(".find-token [data-spoken]"), page.locator(".token.match")
    top = page.evaluate("scrollY")
    field.fill("needle")
    expect(count).to_have_text("3 found")
    expect(matches).to_have_text(["␣Needle", "needles", "pineNEEDLE"])
    for key, name, at in (
        ("Enter", "␣Needle", 1), ("Enter", "needles", 2), ("Enter", "pineNEEDLE", 3), ("Enter", "␣Needle", 1),
        ("Shift+Enter", "pineNEEDLE", 3), ("Shift+Enter", "needles", 2),
    ):  # fmt: skip
        field.press(key)
        expect(count).to_have_text(f"{at} of 3")
        expect(chosen).to_have_text(name)
        assert is_in_sight(page, chosen)
    expect(page.locator(".token-text .says")).to_contain_text("“needles” attends most to")
    field.fill(" needle")
    expect(matches).to_have_text(["␣Needle"])
    field.fill("#123")
    field.press("Enter")
    expect(chosen).to_have_text("␣w123")
    field.fill("#300")
    expect(count).to_have_text("No match")
    field.press("Enter")
    expect(chosen).to_have_text("␣w123")
    field.press("Escape")
    expect(field).to_have_value("")
    expect(count).to_have_text("")
    expect(matches).to_have_count(0)
    assert page.evaluate("scrollY") == top
    assert axe(page) == []


def test_a_short_text_has_no_field_to_find_tokens(open_view):  # noqa: F811
    page = open_view(attention_lab.show(causal(2, 60, 60), numbered(60)))
    expect(page.get_by_label("Find a token")).to_be_hidden()


def test_the_box_of_a_text_scrolls_to_the_chosen_token_and_its_key_and_the_page_stays(open_view):  # noqa: F811
    n = 400
    given = np.eye(n, dtype=np.float32)[None, [max(0, k - 30) for k in range(n)]]
    page = open_view(attention_lab.show(given, numbered(n)))
    page.locator(CANVAS).scroll_into_view_if_needed()
    top = page.evaluate("scrollY")
    for query in (200, 20, 390):
        page.mouse.click(*cell(page, query, 5, n))
        painted(page)
        chosen = page.locator(".token[aria-pressed=true]")
        expect(chosen).to_have_text(re.compile(r"␣w\d+"))
        assert abs(int(chosen.inner_text().removeprefix("␣w")) - query) <= 1
        assert is_in_sight(page, chosen)
    assert page.evaluate("scrollY") == top
    page.mouse.move(0, 0)
    page.get_by_label("Find a token").fill("#250")
    page.get_by_label("Find a token").press("Enter")
    expect(page.locator(".token.named")).to_have_text("␣w220")
    assert is_in_sight(page, page.locator(".token[aria-pressed=true]"))
    assert is_in_sight(page, page.locator(".token.named"))


def test_tokens_that_come_into_sight_have_the_shades_of_the_query(open_view):  # noqa: F811
    n = 600
    given = causal(1, n, n)
    page = open_view(attention_lab.show(given, numbered(n), bits=16))
    box = page.locator(".tokens.of-queries")
    for top in (0, 300, 100_000):
        box.evaluate("(box, top) => { box.scrollTop = top }", top)
        painted(page)
        seen = box.evaluate(
            f"""box => [...box.querySelectorAll('.token')].map((token, k) =>
                (({INSIDE})(box, token) ? [k, parseFloat(token.style.getPropertyValue('--part'))] : null)
            ).filter(Boolean)"""
        )
        places, parts = np.array(seen).T
        assert len(places) > 50
        opacities = box.locator(".token").evaluate_all(
            "(all, places) => places.map(k => getComputedStyle(all[k].parentElement).opacity)", places.tolist()
        )
        assert {*opacities} == {"1"}
        np.testing.assert_allclose(parts, 100 * np.sqrt(given[0, -1, places.astype(int)]), atol=0.4)


def test_tab_leaves_a_long_text_after_one_token_and_arrow_keys_go_through_it(open_view):  # noqa: F811
    page = open_view(attention_lab.show(causal(2, 300, 300), numbered(300)))
    page.get_by_label("Find a token").focus()
    page.keyboard.press("Tab")
    focused = "document.querySelector('#figure').shadowRoot.activeElement.textContent"
    while page.evaluate(focused) != "␣w299":  # a box that scrolls may be a stop, too
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".token[aria-pressed=true]")).to_have_text("␣w298")
    page.keyboard.press("Tab")
    assert not page.evaluate(focused).startswith("␣w")


def test_a_long_head_is_saved_as_an_image_with_a_pixel_for_each_cell(open_view, tmp_path):  # noqa: F811
    n = 120
    given = causal(2, n, n)
    page = open_view(attention_lab.show(given, numbered(n), bits=16))
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    download.value.save_as(tmp_path / "head.svg")
    text = (tmp_path / "head.svg").read_text("utf-8")
    assert "<rect x=" not in text
    letters = re.search(r'<image [^>]*href="data:image/png;base64,([^"]+)"', text)[1]
    assert base64.b64decode(letters).startswith(b"\x89PNG")
    pixels = page.evaluate(
        """async letters => {
            const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${letters}`)).blob());
            const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
            canvas.drawImage(image, 0, 0);
            return [...canvas.getImageData(0, 0, image.width, image.height).data.filter((_, k) => k % 4 === 3)];
        }""",
        letters,
    )
    np.testing.assert_allclose(np.reshape(pixels, (n, n)), 255 * np.sqrt(given[0]), atol=1.5)
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").click()
    download.value.save_as(tmp_path / "head.png")
    head = (tmp_path / "head.png").read_bytes()
    assert [int.from_bytes(head[k : k + 4]) for k in (16, 20)] == [1280 // n * n] * 2
