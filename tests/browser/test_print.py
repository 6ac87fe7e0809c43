"""On paper: nothing but what is read, dark on white, and nothing cut off at its right edge."""

import re

import pytest

from attention_lab.widgets.block_map import ROWS
from tests.browser.harness import settled
from tests.visit import words_of

INCH, MARGIN = 96, 2 * 13 / 25.4  # px, and inches left free at both sides together
WIDE = {"A4": round((8.27 - MARGIN) * INCH), "Letter": round((8.5 - MARGIN) * INCH)}
SEEN = """() => {
    const all = (root = document) =>
        [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
    const spoken = '.katex-mathml'; // a formula's copy for screen readers, clipped to one pixel
    const strut = '.vlist-t2, .vlist-t2 > .vlist-r, .vlist-s'; // 2 px behind a subscript, which KaTeX takes back
    const shown = e =>
        e.checkVisibility() && e.getBoundingClientRect().width > 1 && !e.closest(spoken) && !e.matches(strut);
    const inside_svg = e => e instanceof SVGElement && e.ownerSVGElement;
    const main = all(document.querySelector('[data-testid=stMain]')).filter(e => shown(e) && !inside_svg(e));
    const far = e => e.getBoundingClientRect().right;
    const own = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    const bright = colour => Math.max(...colour.match(/[\\d.]+/g).slice(0, 3));
    const hands = ['stSidebar', 'stHeader', 'stToolbar', 'stButton', 'stPopover', 'stPopoverBody'];
    return {
        cut: main.filter(e => far(e) > innerWidth + 1).map(e => `${e.tagName} ${e.className} ${far(e)}`),
        hands: hands.filter(id => [...document.querySelectorAll(`[data-testid=${id}]`)].some(shown)),
        pale: main.filter(e => own(e) && !e.closest('[data-testid=stVegaLiteChart]')
            && bright(getComputedStyle(e).color) > 200
            && getComputedStyle(e).backgroundColor === 'rgba(0, 0, 0, 0)').map(e => e.textContent.slice(0, 40)),
        ground: getComputedStyle(document.documentElement).backgroundColor,
        texts: main.filter(own).length,
    };
}"""


def on_paper(page, wide):
    """What stands on paper of this width, laid out as the browser does it for print."""
    page.set_viewport_size({"width": wide, "height": 1000})
    page.wait_for_function("width => document.documentElement.clientWidth === width", arg=wide)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print", color_scheme="dark")
    found = page.evaluate(SEEN)
    page.emulate_media(media="null", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    return found


@pytest.mark.parametrize("path", ["", "scale", "worksheets?topic=masking&key=1"])
def test_a_page_is_printed_whole_and_dark_on_white(open_page, path):
    page = open_page(path, dark=True)
    for kind, wide in WIDE.items():
        found = on_paper(page, wide)
        assert found.pop("texts") > 10
        assert found == {"cut": [], "hands": [], "pale": [], "ground": "rgb(255, 255, 255)"}, kind
        settled(page)


def test_the_map_of_the_block_has_its_names_on_paper(open_page):
    page, words = open_page("masking"), words_of("en", "block_map")
    page.emulate_media(media="print")
    for row, steps in ROWS.items():
        printed = page.locator(f".st-key-block_steps_{row}").inner_text().split("\n\n")
        assert printed == [words[f"rows/{row}"], *(words[f"steps/{name}"] for name in steps)]
    page.emulate_media(media="null")


def test_each_sheet_has_a_page_of_its_own_and_so_has_the_key(open_page):
    printed = open_page("worksheets?sheets=3&key=1").pdf(format="A4")
    assert len(re.findall(rb"/Type /Page\b", printed)) == 4
