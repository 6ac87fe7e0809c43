"""Nothing lies on another or outside its box: the boxes of texts, badges and handles, read on every page."""

from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.hand import across, expect_touchable, handle, painted, rerun_by_drag
from tests.browser.harness import arrived, rerun_by_click, settled
from tests.browser.letters import lines
from tests.browser.test_every_page import ADDRESSES, sideways
from tests.visit import PAGES

BOXES = (Path(__file__).parent / "boxes.js").read_text(encoding="utf-8")
# A style of light or of dark that moves a box is seen in one of them.
SIZES = {(1920, 1080): "light", (1440, 900): "dark", (1280, 720): "light", (390, 844): "dark"}
WIDTHS = (1040, 1024, 768, 744, 360, 320)  # at which nothing may be scrolled sideways, either


def findings(page):
    """What the tool finds at the present size."""
    return page.evaluate(BOXES)


def resize(page, width, height):
    """Give the window another size, and wait until the page has followed."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("width => document.documentElement.clientWidth === width", arg=width)
    settled(page)


def expect_clear(page, *sizes):
    """At each size, nothing lies on another and nothing can be scrolled sideways."""
    for width, height in sizes:
        resize(page, width, height)
        assert sideways(page) <= 0, width
        assert findings(page) == [], width


def answer_first(page):
    """Ask for the answer to the page's question, where it has one: its goals wait for that."""
    question = page.get_by_role("button", name="Show answer", exact=True)
    if question.count():
        rerun_by_click(question)


# Coming from a narrow window, it is on its way for a while.
SIDEBAR_IS_BACK = """() => {
    const [bar, main] = ['stSidebar', 'stMain'].map(
        name => document.querySelector(`[data-testid=${name}]`).getBoundingClientRect());
    return bar.left === 0 && Math.abs(main.left - bar.right) < 1;
}"""
FIRST_SCREENS = [(1440, 900), (390, 844)]
ASKS_FIRST = {"misleading"}
# What the first move of each page changes.
EFFECTS = {
    "home": ".ribbons .number",
    "embeddings": "line.displaced.context:not(.ghost)",
    "similarity": "tr.chosen",
    "softmax": "[data-value='weight apple orange']",
    "queries_keys": "[data-value='weight apple phone']",
    "values": "line.displaced:not(.ghost)",
    "self_attention": "[data-step=scores]",
    "masking": "[data-value='weight apple buy']",
    "position": "[data-handle='place bites']",
    "multi_head": "[data-value='new creature adjective']",
    "cross_attention": "[data-value='link duveteuse fluffy']",
    "scale": "[data-value='one pattern']",
    "train_a_head": "[data-value=accuracy]",
    "trained_model": "[data-value='next eva']",
    "misleading": ".answer-of .after .bar",
    "real_model": "[data-value='arc bank [CLS]']",
    "generating": "[data-value='next loved']",
    "modern_model": ".head-wall .pointed b",
    "long_texts": ".tiles .chunk",
}


# Where the figure begins at most, from the top of the window. Where a page asks for a prediction first, the
# question stands in the goal's place, and is higher.
FIGURE_BEGINS = {1440: 285, 390: 300}
HIGHEST = """() => {
    const parts = [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')].flatMap(
        host => [...(host.shadowRoot?.querySelectorAll('.column:not(.pinned) > .part > *') ?? [])]);
    return Math.min(...parts.map(e => e.getBoundingClientRect()).filter(box => box.height).map(box => box.top));
}"""


def check_first_screen(page, name):
    """The figure begins right below the goal; the first move and its effect are on the first screen."""
    if name not in ASKS_FIRST:
        most = FIGURE_BEGINS[page.viewport_size["width"]]
        with suppress(TimeoutError):  # in a window made narrow, Streamlit's sidebar takes a moment to close
            page.wait_for_function(f"most => ({HIGHEST})() <= most", arg=most, timeout=5_000)
        assert page.evaluate(HIGHEST) <= most
    for what in (".cue", EFFECTS.get(name, ".cue")):
        wanted = expect(page.locator(what).first, f"{what}: what `first_move` of the lesson names, or its effect")
        wanted.to_be_in_viewport(ratio=0.999)  # 1, rounded


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_each_size_shows_the_first_move_and_the_goal_and_nothing_lies_on_another(open_page, path):
    """The page is scrolled down only, and not sideways, at every width."""
    page, found = open_page(ADDRESSES[path]), {}
    for width, height in FIRST_SCREENS:
        resize(page, width, height)
        check_first_screen(page, ADDRESSES[path] or "home")
    question = page.get_by_role("button", name="Show answer", exact=True)
    if question.count():  # on a telephone it comes before the figure
        expect(question).to_be_in_viewport()
    else:
        expect_touchable(page)
    answer_first(page)
    resize(page, 1920, 1080)
    page.wait_for_function(SIDEBAR_IS_BACK)
    for width, height in sorted({*SIZES, *((width, 844) for width in WIDTHS)}, reverse=True):
        if width in WIDTHS:  # nothing but its own boxes follows such a width
            page.set_viewport_size({"width": width, "height": height})
            painted(page)
        else:
            page.emulate_media(color_scheme=SIZES.get((width, height)))
            resize(page, width, height)
        found[width, "sideways"] = max(0, sideways(page))
        if (width, height) in SIZES:
            found[width, "boxes"] = findings(page)
    assert {size: what for size, what in found.items() if what} == {}


# Where a hand has moved what names lie around.
MOVED = {
    "home": "?vectors=0_-1__2_2__0_4",
    "home with every step": "?every_step=1&vectors=0_-1__2_2__0_4",
    "similarity at a right angle": "similarity?vectors=0_3__2_2__-2_2",
    "similarity on an axis": "similarity?vectors=0_3__2_2__4.9_-0.3",
    "embeddings of a mole": "embeddings?example=biopsy_5f_of_5f_the_5f_mole",
    "embeddings of a firm": "embeddings?example=apple_5f_unveiled",
    "queries_keys": "queries_keys?W_query=0.75_0.25__-0.2_0.75",
    "position with arrows": "position?positions=sinusoidal",
    "cross_attention": "cross_attention?word=bleue",
    "values with another matrix": "values?W_value=0.4_0.2__-0.5_1",
}


@pytest.mark.parametrize("path", MOVED.values(), ids=MOVED)
def test_no_name_lies_on_another_or_under_an_arrow_wherever_words_are(open_page, path):
    page = open_page(path)
    at_first = findings(page)
    resize(page, 390, 844)
    assert (at_first, findings(page)) == ([], [])


def test_the_tool_finds_names_that_read_as_one_or_lie_on_another_or_under_an_arrow(open_page):
    page = open_page("similarity")
    assert findings(page) == []
    move = """beside => {
        const hosts = [...document.querySelectorAll('*')];
        const picture = hosts.map(e => e.shadowRoot?.querySelector('.stage svg.picture')).find(Boolean);
        const [first, second, third] = picture.querySelectorAll('.labels .label.word');
        const { x, width } = second.getBBox();
        first.setAttribute('y', second.getAttribute('y'));
        first.setAttribute('x', beside ? x + width + 3 + first.getBBox().width / 2 : second.getAttribute('x'));
        const { x1, y1, x2, y2 } = picture.querySelector('.vector.other line.shaft');
        third.setAttribute('x', (x1.baseVal.value + x2.baseVal.value) / 2);
        third.setAttribute('y', (y1.baseVal.value + y2.baseVal.value) / 2 + 5);
    }"""
    found = []
    for beside in (True, False):
        page.evaluate(move, beside)
        found += findings(page)
    for what in ("names run together", "an arrow through a name", "text on text"):
        assert any(line.startswith(f"{what}: ") for line in found), what


def unread(page, asks):
    """What of a page cannot be read from afar, or does not fit a projector's screen."""
    height = page.viewport_size["height"]
    head, lowest = page.evaluate(EXTENT)
    read = [line for line in lines(page) if line["in"] == "stage" or line["box"][1] < height]
    found = [
        (line["text"], round(line["size"], 1)) for line in read if line["size"] < READ_FROM_AFAR * height - 0.05
    ]
    if head >= (0.4 if asks else 0.12) * height:  # a question comes before the figure
        found.append("the figure begins too far down")
    if lowest > height:
        found.append("the figure ends below the screen")
    return [*found, *page.evaluate(CUT)]


def test_a_projectors_page_shows_the_whole_picture_in_large_letters_and_turns_by_key(open_page):
    page, found = open_page("?present=1", width=1280, height=720), {}
    for path in PAGES:
        if path != PAGES[0]:
            page.keyboard.press("PageDown")
            arrived(page, f"**/{ADDRESSES[path]}*")
        page.wait_for_function(FITTED)
        asks = page.get_by_role("button", name="Show answer", exact=True).count()
        found[path.stem, 720] = unread(page, asks)
        if path in PAGES[::4]:
            assert page.evaluate(RESTS), f"{path.stem} is fitted again and again"
            resize(page, 1920, 1080)
            page.wait_for_function(FITTED)
            found[path.stem, 1080] = unread(page, asks)
            resize(page, 1280, 720)
    assert {where: what for where, what in found.items() if what} == {}
    page.keyboard.press("PageUp")
    page.wait_for_url(f"**/{ADDRESSES[PAGES[-2]]}*")


# The stage in sight with its picture, and whether type has found its size.
STAGE = """[...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')]
    .map(host => host.shadowRoot?.querySelector('.stage:has([data-pictured])')).find(Boolean)"""
FITTED = f"() => {STAGE} && document.documentElement.dataset.projected === location.pathname"
# Whether it stays so, for as many looks as it takes to find that something has changed (see presentation.js).
RESTS = """async () => {
    let fitted = true;
    new MutationObserver(() => { fitted &&= 'projected' in document.documentElement.dataset; })
        .observe(document.documentElement, { attributes: true });
    await new Promise(then => setTimeout(then, 10 * 60));
    return fitted;
}"""
READ_FROM_AFAR = 18 / 720  # of the window's height
# What the window's lower edge cuts, and texts that end in dots for want of room.
CUT = f"""() => [...{STAGE}.querySelectorAll('.column > .part > *'), ...document.querySelectorAll('h1, h1 ~ p')]
    .flatMap(part => {{
        const {{ top, bottom }} = part.getBoundingClientRect();
        const dotted = [part, ...part.querySelectorAll(':not(input, select)')].filter(e => e.checkVisibility() &&
            e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).textOverflow === 'ellipsis');
        const cut = top < innerHeight && bottom > innerHeight + 1;
        return top < innerHeight ? [...(cut ? [part] : []), ...dotted] : [];
    }})
    .map(e => `${{e.tagName}}.${{e.getAttribute('class')}} ${{e.textContent.slice(0, 40)}}`)"""
EXTENT = f"""() => {{
    const parts = [...{STAGE}.querySelectorAll('[data-pictured] > *')].map(e => e.getBoundingClientRect());
    return [{STAGE}.getBoundingClientRect().top, Math.max(...parts.map(box => box.bottom))];
}}"""


# The sizes of the plane in which Position's picture is seen from now on, frame by frame.
SEEN = f"""() => {{
    window.seen = new Set();
    const {{ visits }} = labRuns;
    const look = () => {{
        const main = document.querySelector('[data-testid="stMainBlockContainer"]');
        if (getComputedStyle(main).opacity > 0 && {STAGE}?.dataset.stage === 'position')
            seen.add(document.documentElement.style.getPropertyValue('--plane'));
        if (labRuns.visits === visits) requestAnimationFrame(look);
    }};
    look();
}}"""
FRAMES = """async () => {
    for (let i = 0; i < 20; i++) await new Promise(requestAnimationFrame);
    return [...seen];
}"""


def test_a_projectors_plane_has_its_size_at_once(open_page):
    page = open_page("masking?present=1", width=1280, height=720)
    page.wait_for_function(FITTED)
    page.evaluate(SEEN)
    for _ in range(2):  # where the size is sought, and where it is known
        page.keyboard.press("PageDown")
        arrived(page, "**/position*")
        page.wait_for_function(FITTED)
        size = page.evaluate("document.documentElement.style.getPropertyValue('--plane')")
        assert page.evaluate(FRAMES) == [size]
        page.keyboard.press("PageUp")
        arrived(page, "**/masking*")
        page.wait_for_function(FITTED)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768)])
def test_a_projectors_plane_is_large_in_a_taller_window(open_page, width, height):
    page = open_page("similarity?present=1", width=width, height=height)
    page.wait_for_function(FITTED)
    assert page.locator(".plane svg.picture").first.bounding_box()["height"] > 0.6 * height


def test_a_clicker_turns_the_page_whatever_has_the_focus(open_page):
    page = open_page("similarity?present=1", width=1280, height=720)
    page.wait_for_function(FITTED)
    hand = handle(page, "phone")
    rerun_by_drag(page, hand, *across(hand))
    moved = hand.get_attribute("aria-valuetext")
    page.keyboard.press("End")  # is the handle's own
    expect(hand).not_to_have_attribute("aria-valuetext", moved)
    page.keyboard.press("PageDown")
    arrived(page, "**/softmax*")
    page.keyboard.press("PageUp")
    page.wait_for_url("**/similarity*")


def test_a_clicker_leaves_a_field_that_is_written_in_alone(open_page):
    page = open_page("scale?present=1", width=1280, height=720)
    page.wait_for_function(FITTED)
    field = page.locator(".stage input:not([type=range])").locator("visible=true").first
    field.click()
    field.evaluate("e => e.addEventListener('keydown', event => { window.heard = !event.defaultPrevented; })")
    page.keyboard.press("PageDown")
    assert page.evaluate("window.heard")
    field.blur()
    page.keyboard.press("PageDown")
    page.wait_for_url("**/train_a_head*")


def test_a_phone_that_presents_stays_usable(open_page):
    page = open_page("queries_keys?present=1", width=390, height=844, touch=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert findings(page) == []
    page.get_by_role("button", name="Exit presentation mode").click()
    expect(page.get_by_role("button", name="Exit presentation mode")).to_have_count(0)


def test_a_phone_has_the_sign_of_a_button_in_its_middle(open_page):
    page = open_page("similarity", width=390, height=844)
    button = page.get_by_role("button", name="Reset", exact=True)
    box, sign = button.bounding_box(), button.get_by_test_id("stIconMaterial").bounding_box()
    assert sign["x"] + sign["width"] / 2 == pytest.approx(box["x"] + box["width"] / 2, abs=1)
