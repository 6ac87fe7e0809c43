"""The first picture: the figure can be moved before Streamlit's code has run, and nothing moves when that comes.

Streamlit's own script is kept back until a test lets it come; so it does not matter how fast the machine is.
"""

import contextlib
import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from attention_lab.lessons.similarity import LESSON
from attention_lab.state.state import field_of
from attention_lab.text import ui_text
from attention_lab.widgets.first_picture import PATIENCE
from tests.browser.hand import move_without_a_button, painted, place
from tests.browser.harness import INIT_SCRIPT, axe, settled
from tests.server.harness import PAGE, Host, ask, wait_until
from tests.visit import NAMES

STREAMLIT = re.compile(r"/static/js/index\.\w+\.js$")
OWN_SCRIPT = re.compile(r"/static/lab/softmax\.\w+\.js$")
BUTTONS = re.compile(r"/static/js/Button\.[\w-]+\.js$")
SOCKET = re.compile(r"/_stcore/stream$")
SHIFTS = """window.shifted = 0;
new PerformanceObserver(list => { for (const { value } of list.getEntries()) shifted += value; })
    .observe({ type: 'layout-shift', buffered: true });"""
NEAR = 3  # px: by less nothing is seen to move
MEASURE = "`python -m tools.heights my_page` measures the height that a page reserves"


class Early:
    """A page in a browser of its own, without Streamlit's code until it may `come`."""

    def __init__(self, context, url, before=None):
        self.kept, self.faults, self.may_come = [], [], False
        context.add_init_script(INIT_SCRIPT)
        context.add_init_script(SHIFTS)
        context.route(STREAMLIT, lambda route: route.continue_() if self.may_come else self.kept.append(route))
        if before:
            before(context)
        self.context, self.page = context, context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" else None)
        self.page.goto(url, wait_until="commit")  # its load waits for what is kept back
        self.first = self.page.locator("#first")

    def handle(self, name="phone"):
        """A handle, whichever page it stands on."""
        return self.page.locator(f'[data-handle="{name}"]')

    def number(self, name):
        """A live number, unrounded."""
        return float(self.page.locator(f'[data-value="{name}"]').first.get_attribute("data-exact"))

    def take(self):
        """Press the mouse on the handle."""
        expect(self.handle()).to_be_visible()
        box = self.handle().bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        return x, y

    def drag(self, dx=-60, dy=-80):
        """Drag the handle, and let go."""
        x, y = self.take()
        self.page.mouse.move(x + dx, y + dy, steps=4)
        self.page.mouse.up()

    def come(self):
        """Let Streamlit's code come."""
        wait_until(lambda: self.page.evaluate("1") and self.kept)
        self.may_come = True
        while self.kept:
            self.kept.pop().continue_()

    def arrive(self):
        """Let it come, and wait until it has taken the figure over."""
        self.come()
        expect(self.first).to_have_count(0)


@pytest.fixture
def early(browser, server):
    """Opens pages, in a window of some size, with a first picture."""
    with contextlib.ExitStack() as open_contexts:

        def opened(path, *, of=server, width=1440, height=900, before=None, **more):
            wait_until(lambda: b'id="first"' in ask(of, f"/{path}", **PAGE)[2], 20 + PATIENCE)
            context = browser.new_context(viewport={"width": width, "height": height}, **more)
            open_contexts.callback(context.close)
            open_contexts.callback(context.unroute_all, behavior="ignoreErrors")
            return Early(context, f"{of.url}/{path}", before)

        yield opened


WAYS = {"streamlit run": None, "lab.py serve": Host}  # the latter under its content policy


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_what_a_hand_makes_before_streamlit_stays_and_can_be_undone(early, server, way):
    with way() if way else contextlib.nullcontext(server) as of:
        seen = early("similarity", of=of)
        seen.drag()
        made, product = place(seen.handle()), seen.number("dot apple phone")
        assert made != [4.0, 0.0]
        assert product == pytest.approx(2 * sum(made), abs=0.03)
        assert "vectors" not in seen.page.url, "Python has yet to read the link"
        seen.arrive()
        assert place(seen.handle()) == made
        assert seen.number("dot apple phone") == product
        expect(seen.page).to_have_url(re.compile("vectors=0_3__2_2__"))
        undo = seen.page.get_by_role("button", name="Undo", exact=True)
        expect(undo).to_have_attribute("aria-disabled", "false")
        undo.click()
        expect(seen.handle()).to_have_attribute("aria-valuetext", re.compile(r"tech 4\.00"))
        assert seen.faults == []


def test_a_figure_is_not_taken_out_of_a_hand(early):
    seen = early("similarity")
    x, y = seen.take()
    seen.page.mouse.move(x - 20, y - 20, steps=2)
    seen.come()
    expect(seen.page.get_by_test_id("stSidebarNavLink").first).to_be_visible()
    settled_run = "window.labRuns.finished.length && document.querySelector('.st-key-similarity-stage')"
    seen.page.wait_for_function(settled_run)
    painted(seen.page)  # what is taken over is so at the next frame
    expect(seen.first).to_have_count(1)
    seen.page.mouse.move(x - 105, y - 130, steps=4)
    made = place(seen.handle())
    assert made == pytest.approx([2.5, 1.9], abs=0.4), "it still follows the hand"
    move_without_a_button(seen.page, x, y)
    expect(seen.first).to_have_count(0)
    assert place(seen.handle()) == made


@pytest.mark.parametrize("reload", [False, True])
def test_a_link_is_followed_from_the_first_frame(early, reload):
    seen = early("similarity?vectors=0_3__2_2__-1_2.5")
    if reload:
        seen.arrive()
        seen.page.reload(wait_until="commit")
    expect(seen.handle()).to_have_attribute("aria-valuetext", re.compile(r"tech -1\.00.*2\.50"))
    if not reload:
        seen.arrive()
    settled(seen.page)
    assert place(seen.handle()) == [-1.0, 2.5]
    assert seen.page.url.endswith("?vectors=0_3__2_2__-1_2.5")


WIDE, NARROW = (1440, 900), (390, 844)
OPENED = [  # every page, in windows of both sizes by turns, and one in every way in which a page can be shown
    *((name, [WIDE, NARROW][k % 2]) for k, name in enumerate(["", *NAMES])),
    ("similarity", NARROW),
    ("self_attention", (1280, 800)),
    ("misleading", NARROW),
    ("train_a_head", NARROW),
    ("similarity?predict=1", WIDE),
    ("similarity?embed=true", (600, 700)),
    ("similarity?room=blue-fox", WIDE),
    ("similarity?hide=examples.word.words.take_away.reset", WIDE),
    ("self_attention?hide=examples.word", WIDE),
    ("similarity?hide=words.reset", NARROW),
    ("similarity?present=1", WIDE),
    ("similarity?present=1", NARROW),
    ("multi_head?present=1&predict=1", WIDE),
    ("misleading?present=1&lang=ar", WIDE),
    ("similarity?present=1&embed=true", (1024, 768)),
    ("similarity?hide=menu.orientation.predict.present.glossary.reset_all.room", WIDE),
]
# By how much the height that is held open for a page's figure differs from the figure's, in px.
HELD_OPEN = """() => {
    const box = document.querySelector('[data-testid="stMain"] [class*="st-key-"][class*="-stage"]'),
        drawn = [...(box?.querySelectorAll('[data-drawn]') ?? [])],
        { height } = box?.getBoundingClientRect() ?? {};
    for (const host of drawn) host.toggleAttribute('data-drawn', false);
    const held = box ? parseFloat(getComputedStyle(box).minHeight) : 0;
    for (const host of drawn) host.toggleAttribute('data-drawn', true);
    return box ? held - height : 0;
}"""

# Where all that can be pressed in a figure begins, and how wide it is.
PRESSED = """all => all.map(e => e.getBoundingClientRect()).filter(({ width }) => width)
    .flatMap(({ x, y, width }) => [x, y, width])"""
FITTED = "document.documentElement.dataset.projected === location.pathname"


@pytest.mark.parametrize(("path", "size"), OPENED)
def test_nothing_moves_when_streamlit_comes(early, path, size):
    seen = early(path, width=size[0], height=size[1])
    first = seen.page.locator(":is([data-handle], [data-cell], .choose):visible").first
    heading = seen.page.get_by_role("heading", level=1).first
    pressed = seen.page.locator(".stage :is([data-handle], [data-cell], button)")

    def places():
        box = heading.bounding_box()
        return [box["x"], box["y"], *pressed.evaluate_all(PRESSED)]

    def fitted():
        if "present=1" in path and size != NARROW:
            seen.page.wait_for_function(FITTED)

    expect(first).to_be_visible()
    seen.page.evaluate("document.fonts.ready.then(() => 0)")
    fitted()
    before = places()
    seen.arrive()
    settled(seen.page)
    fitted()
    assert places() == pytest.approx(before, abs=NEAR), MEASURE
    assert seen.page.evaluate("shifted") <= 0.05, MEASURE
    if "?" not in path:
        assert seen.page.evaluate(HELD_OPEN) == pytest.approx(0, abs=24), MEASURE


@pytest.mark.parametrize(("path", "size"), [("misleading", NARROW), ("misleading?present=1", WIDE)])
def test_a_figure_waits_for_late_answers_above_it(early, path, size):
    seen, kept = early(path, width=size[0], height=size[1]), []
    seen.context.route(BUTTONS, lambda route: kept.append(route))
    seen.come()
    seen.page.wait_for_function("window.labRuns.finished.length")
    wait_until(lambda: seen.page.evaluate("1") and kept)
    seen.page.wait_for_timeout(2000)
    expect(seen.first).to_have_count(1)
    texts = seen.page.get_by_test_id("stMain").get_by_test_id("stMarkdownContainer")
    expect(texts.first).to_be_attached()
    expect(texts.filter(visible=True)).to_have_count(0)
    kept.pop().continue_()
    expect(seen.first).to_have_count(0)
    settled(seen.page)
    assert seen.page.evaluate("shifted") <= 0.05


def test_a_figure_waits_for_all_that_comes_above_it_and_for_nothing_below(early):
    seen, kept = early("similarity"), []
    seen.context.route(BUTTONS, lambda route: kept.append(route))
    seen.come()
    seen.page.wait_for_function("window.labRuns.finished.length")
    wait_until(lambda: seen.page.evaluate("1") and kept)
    seen.page.evaluate("""() => {
        const main = document.querySelector('[data-testid="stMain"]');
        for (const place of ['prepend', 'append']) {
            const late = Object.assign(document.createElement('div'), { id: place });
            late.dataset.testid = 'stSkeleton';
            main[place](late);
        }
    }""")
    while kept:
        kept.pop().continue_()
    expect(seen.page.locator(".st-key-head [data-testid=stSkeleton]")).to_have_count(0)
    seen.page.wait_for_timeout(500)
    expect(seen.first).to_have_count(1)
    seen.page.evaluate("document.getElementById('prepend').remove()")
    expect(seen.first).to_have_count(0)


def test_an_answer_is_given_before_its_button_is_there(early):
    seen, kept = early("misleading"), []
    seen.context.route(BUTTONS, lambda route: kept.append(route))
    seen.first.get_by_role("button", name="undecided").click()
    seen.arrive()  # without the buttons, once the figure has waited for them in vain
    while kept:
        kept.pop().continue_()
    expect(seen.page.locator(".st-key-asked")).to_contain_text("You predicted")


def test_a_reload_before_streamlit_keeps_what_was_moved(early):
    seen = early("similarity")
    seen.drag()
    made = place(seen.handle())
    seen.kept.clear()
    seen.page.reload(wait_until="commit")
    expect(seen.handle()).to_be_visible()
    painted(seen.page)
    assert place(seen.handle()) == made != [4.0, 0.0]
    seen.arrive()
    assert place(seen.handle()) == made
    expect(seen.page).to_have_url(re.compile("vectors="))
    seen.page.get_by_role("button", name="Undo", exact=True).click()
    expect(seen.handle()).to_have_attribute("aria-valuetext", re.compile(r"tech 4\.00"))
    expect(seen.page).not_to_have_url(re.compile("vectors="))
    seen.page.reload()
    settled(seen.page)
    assert place(seen.handle()) == [4.0, 0.0]


@pytest.mark.parametrize("kept", [False, True], ids=["it fails", "it never comes"])
def test_a_page_without_its_own_script_does_not_hide_streamlit(early, kept):
    seen = early("softmax", before=lambda context: context.route(OWN_SCRIPT, lambda each: kept or each.abort()))
    expect(seen.first).to_be_visible()
    seen.arrive()
    seen.page.get_by_test_id("stSidebarNavLink").filter(has_text="Similarity").click()
    expect(seen.handle()).to_be_visible()
    seen.drag()
    assert place(seen.handle()) != [4.0, 0.0]


def test_a_first_picture_that_fails_gives_way(early):
    fails_once = """const { attachShadow } = Element.prototype;
        Element.prototype.attachShadow = () => {
            Object.assign(Element.prototype, { attachShadow });
            throw Error();
        };"""
    seen = early("similarity", before=lambda context: context.add_init_script(fails_once))
    expect(seen.first).to_have_count(0)
    seen.arrive()
    seen.drag()
    assert place(seen.handle()) != [4.0, 0.0]


ANIMATED = "stage => stage.getAnimations({ subtree: true }).flatMap(each => each.animationName ?? [])"


def test_what_has_been_seen_to_come_does_not_come_again(early):
    seen = early("self_attention")
    expect(seen.page.locator(".cue")).to_be_visible()
    seen.arrive()
    assert seen.page.locator(".stage").evaluate(ANIMATED) == []


LIGHT, DARK = "rgb(255, 255, 255)", "rgb(18, 20, 28)"


def test_it_is_dark_where_the_reader_wants_it(early):
    seen = early("similarity", color_scheme="dark")
    ground = seen.page.locator("body")
    expect(ground).to_have_css("background-color", DARK)
    seen.page.evaluate("localStorage.setItem('stActiveTheme-/similarity-v2', '\"Light\"')")
    seen.page.reload(wait_until="commit")
    expect(ground).to_have_css("background-color", LIGHT)
    seen.page.goto(f"{seen.page.url}?embed=true&embed_options=dark_theme", wait_until="commit")
    expect(ground).to_have_css("background-color", DARK)


def test_a_prediction_is_asked_for_before_anything_is_told(early):
    seen = early("similarity?predict=1")
    expect(seen.first.locator(".question strong")).to_have_text("Predict first.")
    expect(seen.first.locator('[data-value="dot apple phone"]').first).to_have_text("?")


def test_without_a_server_the_figure_works_on(early):
    seen = early("similarity")
    seen.context.route_web_socket(SOCKET, lambda socket: None)
    seen.drag()
    seen.come()
    expect(seen.first.locator(".late")).to_have_text(ui_text("first_picture/late"))
    expect(seen.page).to_have_url(re.compile("vectors="))
    before = place(seen.handle())
    seen.drag(30, 30)
    assert place(seen.handle()) != before


def test_no_word_of_a_link_is_read_as_html(early):
    words = field_of(LESSON.fields, "words").write(("</script><h1>no", "<!--<script>", "plain"))
    seen = early(f"similarity?{urlencode({'example': 'own', 'words': words})}")
    expect(seen.page.get_by_text("<!--<script>").first).to_be_visible()
    expect(seen.page.locator("h1", has_text="no")).to_have_count(0)
    assert seen.faults == []


def test_it_is_heard_and_reached_by_key(early):
    seen = early("similarity")
    expect(seen.first.get_by_role("heading", name="Similarity", exact=True)).to_be_visible()
    assert axe(seen.page, include="#first") == []
    seen.handle().focus()
    seen.page.keyboard.press("ArrowUp")
    expect(seen.handle()).to_have_attribute("aria-valuetext", re.compile(r"tech 4\.00, .* 0\.[1-9]"))
    seen.arrive()
    assert seen.handle().evaluate("handle => handle.matches(':focus')")


def test_without_javascript_the_page_says_what_it_shows(browser, server):
    wait_until(lambda: b'id="first"' in ask(server, "/similarity", **PAGE)[2])
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{server.url}/similarity")
    expect(page.get_by_role("heading", name="Similarity", exact=True)).to_be_visible()
    expect(page.locator("#first noscript p")).to_be_visible()
    context.close()
