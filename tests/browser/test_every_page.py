"""What every page must do under a hand, in a real browser: pages are found in their folders."""

import itertools
import math
import re
import signal
from collections import Counter
from contextlib import contextmanager
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.hand import (
    JAVASCRIPT,
    across,
    drag,
    drag_and_hold,
    expect_touchable,
    follow,
    handle,
    handles,
    live,
    middle,
    painted,
    place,
    rerun_by_drag,
    take,
    touch_drag,
    trail,
)
from tests.browser.harness import AppServer, axe, click, in_a_row, rerun, settled, tab_stops, unfold
from tests.browser.letters import pale
from tests.visit import EVERY, LESSONS, NAMES, PAGES, title_of

every_page = pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
ADDRESSES = {path: "" if path == PAGES[0] else path.stem.lstrip("0123456789_") for path in PAGES}
TITLES = {name: title_of(path) for name, path in zip(NAMES, LESSONS, strict=True)}
TAPPED_IN_APP = {"train_a_head", "real_model"}  # in a file, their handles are fixed
# What stands on the stage and no browser can count: how good a head is after a hand has changed it.
COUNTED_BY_SERVER = {"loss", "accuracy", "attention", "learned at"}
WRITTEN_BY_SERVER = {"version"}  # in a link: the fingerprint of the weights that the numbers were made with
# One page for each kind of thing that is dragged: an arrow, a bar, a size, a trained word, a chip, a weight.
KINDS = ["similarity", "softmax", "scale", "train_a_head", "position", "misleading"]
THREE = ["similarity", "scale", "train_a_head"]  # a plane, a range, numbers that only the server computes
# What Streamlit says of a server that is away, and of one whose pages nobody has seen yet.
AWAY = (
    "WebSocket",
    "Failed to load resource",
    "disconnected from server",
    "server endpoint",
    "not responding",
    "not seem to exist",
)


def address(page):
    """The settings in the address."""
    return parse_qs(page.evaluate("location.search.slice(1)"))


SIDEWAYS = """() => Math.max(...[document.documentElement, document.querySelector('[data-testid=stMain]')]
    .map(e => e.scrollWidth - e.clientWidth))"""


def sideways(page):
    """By how many pixels the page can be scrolled sideways, once it has followed its window."""
    try:
        page.wait_for_function(f"({SIDEWAYS})() <= 0")
        return 0
    except TimeoutError:
        return page.evaluate(SIDEWAYS)


def on_screen(hand):
    """How far from the window's top the picture is in which a handle lies."""
    return hand.evaluate("hand => (hand.closest('svg') ?? hand.parentElement).getBoundingClientRect().top")


def check_reset(page, hand, before):
    """Reset takes back all that was moved."""
    with rerun(page):
        page.get_by_role("button", name="Reset", exact=True).click()
    assert (place(hand), live(page), address(page)) == (*before, {})


def check_mouse(page, hand):
    """A mouse drags, and everything follows."""
    before, numbers, asked = place(hand), live(page), page.evaluate("labRuns.asked.length")
    dx, dy = across(hand)
    drag_and_hold(page, hand, dx, dy)
    during = place(hand)
    assert during != before
    assert live(page) != numbers, "the numbers follow while the hand is still down"
    assert page.evaluate("labRuns.asked.length") == asked, "and no server is asked"
    with rerun(page):
        page.mouse.up()
    assert place(hand) == during, "nothing snaps back"
    assert address(page), "the address holds it"


def check_keys(page, hand):
    """Keys move a handle step by step."""
    hand.focus()
    start = place(hand)
    keys = "ArrowLeft" if start[0] > 0 else "ArrowRight", "ArrowUp" if start[-1] < 0 else "ArrowDown"
    key = keys[-1]
    with rerun(page):
        hand.press(key)
    one = place(hand)
    step = [round(b - a, 2) for a, b in zip(start, one, strict=True)]
    assert any(step)
    asked = page.evaluate("labRuns.asked.length")
    with rerun(page), in_a_row(page):
        for _ in range(3):
            hand.press(key)
    four = place(hand)
    by_stops = hand.evaluate("e => Boolean(e.closest('.size'))")  # which lie farther apart the larger a number is
    if by_stops:
        assert four < one < start
    else:
        assert four == pytest.approx([a + 4 * s for a, s in zip(start, step, strict=True)])
    assert page.evaluate("labRuns.asked.length") == asked + 1, "several in a row are one move"
    with rerun(page):
        hand.press(f"Shift+{'ArrowUp' if key == 'ArrowDown' else 'ArrowDown'}")
    many = 5 if hand.evaluate("e => e.matches('input')") else 10
    if by_stops:
        assert place(hand) > one
    else:
        assert place(hand) == pytest.approx([a - many * s for a, s in zip(four, step, strict=True)])
    expect(hand).to_be_focused()


@contextmanager
def frozen(server):
    """The server takes a nap: it hears nothing and says nothing."""
    server.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.process.send_signal(signal.SIGCONT)


def check_slow_server(page, hand, server):
    """A slow server never makes a handle snap back."""
    hand.evaluate("e => e.scrollIntoView({ block: 'center' })")  # else it is scrolled to in between
    dx, dy = across(hand, 60)
    follow(hand)
    x, y = middle(hand)
    with frozen(server):
        for part in (1, 2):  # two drags are let go of while nobody answers, and a third is under way
            take(page, hand)
            page.mouse.move(x + dx * part / 3, y + dy * part / 3, steps=5)
            page.mouse.up()
        take(page, hand)
        page.mouse.move(x + dx * 0.8, y + dy * 0.8, steps=3)
    page.wait_for_function("labRuns.finished.length && !labRuns.waiting", polling=30)
    page.mouse.move(x + dx, y + dy, steps=3)
    page.mouse.up()
    end = place(hand)
    settled(page)
    assert place(hand) == end
    for way in zip(*trail(page), strict=True):
        assert list(way) in (sorted(way), sorted(way, reverse=True)), "it only ever went one way"


@pytest.mark.parametrize("name", KINDS)
def test_mouse_and_keys_move_a_handle_everything_follows_and_reset_takes_it_back(open_page, server, name):
    page = open_page(name, reduced_motion=False)
    hand = handle(page)
    before = place(hand), live(page)
    check_mouse(page, hand)
    check_reset(page, hand, before)
    check_slow_server(page, hand, server)
    check_reset(page, hand, before)
    check_keys(page, hand)


@pytest.mark.parametrize("name", THREE)
def test_a_finger_drags_and_the_page_stays_where_it_is(open_page, name):
    page = open_page(name, width=390, height=844, touch=True)
    expect_touchable(page)
    hand = handle(page)
    hand.evaluate("hand => hand.scrollIntoView({ block: 'center' })")
    before, where = place(hand), on_screen(hand)
    with rerun(page):
        touch_drag(page, hand, *across(hand))
    assert place(hand) != before
    assert on_screen(hand) == pytest.approx(where, abs=2)
    assert address(page)
    assert sideways(page) <= 0


def test_history_holds_pages_and_not_every_drag(open_page):
    """From one page to the next, and back through all of them."""
    page, made = open_page(""), []
    for name in KINDS:
        page.get_by_test_id("stSidebarNavLink").filter(has_text=TITLES[name]).click()
        page.wait_for_url(re.compile(f"/{name}"))
        settled(page)
        length = page.evaluate("history.length")
        for far in (40, 25):
            hand = handle(page)
            rerun_by_drag(page, hand, *across(hand, far))
        assert page.evaluate("history.length") == length
        made.append((page.url, live(page)))
    for url, numbers in reversed(made[:-1]):
        page.go_back()
        page.wait_for_url(url)
        settled(page)
        assert live(page) == numbers
    page.go_back()
    page.wait_for_url(lambda there: not any(f"/{name}" in there for name in KINDS))
    settled(page)


class Dragging:
    """A page on which a hand is moving something."""

    def __init__(self, page):
        self.page, self.hand = page, handle(page)
        self.dx, self.dy = across(self.hand, 60)
        self.made = None

    def begin(self, part):
        """Take hold of it and move it a part of the way."""
        self.x, self.y = take(self.page, self.hand)
        self.page.mouse.move(self.x + self.dx * part / 2, self.y + self.dy * part / 2, steps=4)

    def finish(self, part):
        """Go on, let go, and remember how it then was."""
        self.page.mouse.move(self.x + self.dx * part, self.y + self.dy * part, steps=4)
        self.page.mouse.up()
        self.page.evaluate("new Promise(resolve => setTimeout(resolve))")  # a range commits in a task of its own
        self.made = self.now()

    def now(self):
        return place(self.hand), live(self.page), address(self.page)

    def check(self, since):
        """All that was made is there still, whatever has happened since; what only a server counts comes back."""
        place_made, numbers_made, address_made = self.made
        place_now, numbers_now, address_now = self.now()
        kept = {what: number for what, number in numbers_now.items() if what in numbers_made}
        known = {name: text for name, text in address_now.items() if name in address_made}
        assert (place_now, kept, known) == (place_made, numbers_made, address_made), since
        assert set(address_now) - set(address_made) <= WRITTEN_BY_SERVER
        waiting = set(numbers_now) - set(numbers_made)
        assert waiting <= COUNTED_BY_SERVER


def test_a_cold_start_and_a_server_that_stops_in_mid_drag(open_page):
    """On several pages at the same time: they are the new server's first visitors, and it stops under every hand.

    The second time they are loaded again.
    """
    with AppServer() as server:
        pages = {name: open_page(name, server=server, allow=AWAY, wait=False) for name in THREE}
        for name, page in pages.items():
            settled(page, 60)
            page.keyboard.press("Escape")  # Streamlit's "page not found", once per server start
            expect(page.get_by_role("dialog")).to_have_count(0)
            expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(len(EVERY))
            expect(page.get_by_role("heading", name=TITLES[name], exact=True)).to_be_visible()
        hands = {name: Dragging(page) for name, page in pages.items()}

        def stop_in_mid_drag(hands, part):
            """The server stops while a hand moves something, which then goes on and lets go."""
            for hand in hands:
                hand.begin(part)
            server.stop()
            for hand in hands:
                hand.finish(part)

        stop_in_mid_drag(hands.values(), 0.6)
        asked = {name: page.evaluate("labRuns.asked.length") for name, page in pages.items()}
        server.start()
        for name, page in pages.items():
            page.wait_for_function("asked => labRuns.asked.length > asked", arg=asked[name], timeout=60_000)
            settled(page, 60)
            hands[name].check("the tab was left open")

        for hand in hands.values():  # the new server answers as the old one did
            with rerun(hand.page):
                drag(hand.page, hand.hand, -hand.dx / 3, -hand.dy / 3)  # back: it may have come to an end
        stop_in_mid_drag(hands.values(), -0.6)
        server.start()
        for hand in hands.values():
            hand.page.reload()
            settled(hand.page, 60)
            hand.check("the page was loaded again")
            expect(hand.page.get_by_text("These settings in the link were ignored")).to_have_count(0)


def check_names(page):
    """Handles and numbers have names of their own."""
    for which in handles(page):
        hand = handle(page, which)
        told = re.escape(which) + r": ([^,]+ )?-?\d+\.\d\d(, [^,]+ -?\d+\.\d\d)*"
        assert re.fullmatch(told, hand.get_attribute("aria-valuetext"))
        assert hand.get_attribute("role") == "slider"
        assert hand.evaluate("e => Boolean(e.closest('[data-stage]'))")
    named = page.locator("[data-value]").evaluate_all("all => all.map(e => e.dataset.value)")
    assert named
    assert [name for name, times in Counter(named).items() if times > 1] == [], "two numbers have one name"


def close_tips(page):
    """Take the mouse from where a tip may have come up."""
    page.mouse.move(0, 0)
    expect(page.get_by_test_id("stTooltipContent")).to_have_count(0)


def check_presentation(page):
    """Presentation opens with larger type, and leads back."""
    size = "parseFloat(getComputedStyle(document.documentElement).fontSize)"
    before = page.evaluate(size)
    click(page.get_by_test_id("stSidebar").get_by_text("Presentation mode"))
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    page.wait_for_function("document.documentElement.dataset.projected === location.pathname")
    assert page.evaluate(size) > before
    assert sideways(page) <= 0
    close_tips(page)
    assert axe(page) == []
    click(page.get_by_role("button", name="Exit presentation mode"))
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    assert page.evaluate(size) == before


def check_contrast(page):
    """All letters can be read, in light and in dark: those of pictures, too, of which axe knows nothing."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(
            """dark => dark === Math.max(...getComputedStyle(document.querySelector('.stApp')).backgroundColor
                .match(/\\d+/g).slice(0, 3)) < 80""",
            arg=scheme == "dark",
        )
        settled(page)
        assert pale(page) == [], scheme


def check_tab_order(page):
    """The focus goes over what can be seen, from top to bottom: the menu, then the page, then the way on."""
    stops = tab_stops(page)
    listing = "\n".join(
        f"{n:3} {stop['region']:12} {stop['kind']:10} {stop['name']}" for n, stop in enumerate(stops, 1)
    )
    print(listing)
    assert [stop["name"] for stop in stops if not stop["visible"]] == [], listing
    assert [stop for stop in stops if not stop["name"]] == [], listing
    links = [stop["name"] for stop in stops if stop["region"] == "stSidebar" and stop["kind"] == "a"]
    assert links == [*(title_of(path) for path in EVERY), "login Join a class"], listing
    main = [stop for stop in stops if stop["region"] == "stMain"]
    assert stops[-len(main) :] == main, "the page comes last\n" + listing
    for before, after in itertools.pairwise(main):
        above, left_of = after["box"][3] <= before["box"][1], after["box"][0] < before["box"][2]
        assert not (above and left_of), f"from {before['name']} up to {after['name']}\n{listing}"


def tapped(page, which):
    """Whether taps alone have changed what a hand moves: a switch, a place on a range, a handle and an arrow.

    Where another thing lies upon it, that is moved out of the way instead.
    """
    thing = page.evaluate_handle(f"which => {JAVASCRIPT}.moved(which)", which).as_element()
    if thing is None:  # it was about a word that is no longer chosen
        return True
    thing.evaluate(f"e => {JAVASCRIPT}.show(e)")
    before = thing.evaluate(f"e => {JAVASCRIPT}.state(e)")

    def changes(tap, *place):
        tap(*place)
        painted(page)
        return thing.evaluate(f"e => {JAVASCRIPT}.state(e)") != before

    if thing.evaluate("e => e.matches('input')"):
        box = thing.bounding_box()
        x, y = box["x"], box["y"] + box["height"] / 2
        return any(changes(page.mouse.click, x + part * box["width"], y) for part in (0.25, 0.8))
    if changes(page.mouse.click, *thing.evaluate(f"e => {JAVASCRIPT}.hold(e)")):
        return True
    arrows = page.locator(".taps button:visible")
    if thing.evaluate("e => e.matches('[data-chosen]')"):
        return any(changes(arrow.click) for arrow in arrows.all())
    for arrow in arrows.element_handles()[:1] * 4:  # a single step may leave it where it lies
        arrow.evaluate("e => e.click()")  # it goes with its handle
    return False


def check_taps(page, wait):
    """All that is dragged can be changed by single taps; what lies under another, once that has moved."""
    left = page.evaluate(f"{JAVASCRIPT}.movable()")
    assert left
    for _ in range(4):
        left = [which for which in left if not tapped(page, which)]
        wait(page)  # an answer may move things, too
    assert not left, left


@pytest.mark.parametrize("name", THREE)
def test_presentation_and_export_lead_back_and_axe_finds_nothing_in_them(open_page, name):
    page = open_page(name)
    check_presentation(page)
    click(page.get_by_role("button", name="Share"))
    assert axe(page, include="[data-testid=stPopoverBody]") == []


@every_page
def test_all_has_names_and_can_be_read_and_reached_and_axe_finds_nothing(open_page, path):
    """As the page opens, and with all unfolded."""
    page = open_page(ADDRESSES[path])
    assert axe(page) == []
    check_tab_order(page)
    if path in LESSONS:
        check_names(page)
    check_contrast(page)
    if path not in LESSONS or ADDRESSES[path] in TAPPED_IN_APP:
        check_taps(page, settled)
    unfold(page)
    close_tips(page)
    assert axe(page) == []


@pytest.mark.parametrize("name", [name for name in NAMES if name not in TAPPED_IN_APP])
def test_all_that_is_dragged_can_be_tapped_and_axe_finds_nothing_then(open_file, name):
    page = open_file(name)
    check_taps(page, painted)
    assert axe(page) == []


# Arrows that leave the plane: how they are drawn, and what is said of them.
BEYOND = """() => labHand.all().filter(e => e.matches('.vector.outside')).map(e => {
    const at = name => Number(e.querySelector('line').getAttribute(name));
    const mark = e.querySelector('.beyond'), svg = e.closest('svg').getBoundingClientRect();
    const end = e.querySelector('line').getBoundingClientRect();
    return [mark.getAttribute('aria-label'), mark.getBoundingClientRect().width > 0,
            Math.atan2(at('y1') - at('y2'), at('x2') - at('x1')),
            end.left >= svg.left && end.right <= svg.right && end.top >= svg.top && end.bottom <= svg.bottom];
})"""


def test_an_arrow_that_leaves_the_plane_keeps_its_direction_and_says_that_it_goes_on(open_file):
    for link in (
        "queries_keys?W_query=0.75_0.25__2.78_-0.56",
        "values?W_value=3_0__0_3",
        "values?W_value=-4_1__2_-3",
    ):
        page = open_file(link)
        beyond = page.evaluate(BEYOND.replace("labHand", JAVASCRIPT))
        assert beyond
        for said, marked, angle, within in beyond:
            told = re.fullmatch(r".+: outside the figure, at (\S+), (\S+)", said)
            assert told, said
            x, y = map(float, told.groups())
            assert marked
            assert within
            assert math.degrees(angle) == pytest.approx(math.degrees(math.atan2(y, x)), abs=0.2)
        if "W_query" in link:
            assert "q apple: outside the figure, at 7.06, -0.62" in [said for said, *_ in beyond]


NO_NUMBER = "all => all.filter(e => e.dataset.exact === undefined).map(e => e.textContent)"


def test_a_figure_shows_no_result_until_the_reader_predicts(open_file, page_file):
    page = open_file(f"{NAMES[0]}?predict=1")
    for name in NAMES:
        page.goto(page_file(f"{name}?predict=1").as_uri())
        page.locator("[data-stage] [data-pictured]").first.wait_for()
        live(page)  # waits until it is drawn
        assert set(page.locator("[data-value]").evaluate_all(NO_NUMBER)) == {"?"}, name
