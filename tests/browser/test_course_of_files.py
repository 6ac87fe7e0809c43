"""The exported course, from a disk and from a server: first goals, links, history and accessibility."""

import re
from contextlib import contextmanager

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser import test_web_page
from tests.browser.hand import handle, live, middle, painted, take
from tests.browser.harness import axe
from tests.visit import PAGES, lesson_of

course, served = test_web_page.course, test_web_page.served

# How the first goal is met in a wide window. Where it takes a drag: a handle, and the handle on which it is
# dropped or by how many pixels it is dragged.
DRAGS = {
    "home": ("phone", (-280, 0)),
    "embeddings": ("orange", "apple"),
    "similarity": ("phone", (-106, 106)),
    "softmax": ("orange", (0, -200)),
    "queries_keys": ("query apple", "key phone"),
    "values": ("W_value tech", (-120, 0)),
    "self_attention": ("step", (1000, 0)),
    "position": ("place dog", (0, 180)),
    "cross_attention": ("duveteuse", "bleue"),
    "scale": ("context", (200, 0)),
    "train_a_head": ("step", (800, 0)),
    "trained_model": ("head 2.2", (-400, 0)),
    "long_texts": ("key 8", (0, -150)),
}
# Where it takes presses: what is pressed, in turn.
PRESSES = {
    "masking": ["[data-cell='1 0']"],
    "multi_head": ["[data-switch=same]", "[data-switch=noun]", "[data-switch=previous]"],
    "real_model": ["[data-handle='head 1.3']"],
    "generating": ["[data-handle=add]"],
    "modern_model": ["[data-handle='head 24.5']", "label:has([data-option='cut 1'])"],
}
# Where it takes another word, once the question is answered: the name of the word's list, and the word.
EXCHANGES = {"misleading": ("phone", "the")}
WIDE = {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"}
PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def root(way, course, served):
    """The URL of the course's folder, on the disk or on a server."""
    return {"disk": f"{course.as_uri()}/", "server": served}[way]


@pytest.fixture
def open_url(browser, root):
    """Open pages of the folder in new browsers; at the end fail on errors and on requests for anything else."""
    contexts, problems = [], []

    def note_request(request):
        if not request.url.startswith(root):
            problems.append(f"asked for {request.url}")

    def note_message(message):
        if message.type == "error":
            problems.append(message.text)

    def opened(url, options):
        context = browser.new_context(reduced_motion="reduce", **options)
        contexts.append(context)
        context.on("request", note_request)
        context.on("console", note_message)
        context.on("weberror", lambda error: problems.append(str(error.error)))
        page = context.new_page()
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.pages[0].evaluate("0")  # what it has said until now has arrived then
        context.close()
    assert problems == []


@contextmanager
def new_link(page):
    """Wait until what is done inside has changed the link."""
    before = page.evaluate("location.search")
    yield
    page.wait_for_function("before => location.search !== before", arg=before)


def drag_slowly(page, name, to):
    """Drag a handle so that every place on the way is painted: steps count once they are seen."""
    thing = page.locator(f"[data-handle='{name}'], [data-scrubber='{name}']").first
    x, y = take(page, thing)
    dx, dy = np.subtract(middle(handle(page, to)), (x, y)) if isinstance(to, str) else to
    for part in np.linspace(0, 1, 8)[1:]:
        page.mouse.move(x + part * dx, y + part * dy)
        painted(page)
    page.mouse.up()


def meet_first_goal(page, name):
    """Move what meets the first goal of a page."""
    assert name in DRAGS.keys() | PRESSES.keys() | EXCHANGES.keys(), "a page for one of these tables"
    if name in DRAGS:
        with new_link(page):
            drag_slowly(page, *DRAGS[name])
    for pressed in PRESSES.get(name, ()):
        with new_link(page):
            page.locator(pressed).click()
    if name in EXCHANGES:
        list_name, word = EXCHANGES[name]
        page.get_by_role("button", name="Show answer").click()
        with new_link(page):
            page.get_by_role("combobox", name=list_name).select_option(word)
    painted(page)


# Every page from the disk. A server sends the same files: from there, one for each way to meet a goal.
OPENED = [("disk", lesson_of(path).LESSON.name) for path in PAGES]
OPENED += [("server", name) for name in ("home", "masking", "misleading")]


@pytest.mark.parametrize(("way", "name"), OPENED)
def test_the_first_goal_is_met_and_the_link_opens_the_same_numbers(open_url, root, name):
    page = open_url(f"{root}{'index' if name == 'home' else name}.html", WIDE)
    at_first = live(page)
    met = page.locator(".goals .choose.met")
    expect(met).to_have_count(0)
    meet_first_goal(page, name)
    expect(met).to_have_text("1")
    expect(page.locator("section.goals")).to_have_class(re.compile(r"\bmet\b"))
    expect(page.locator(".goals .why")).not_to_be_empty()
    numbers = live(page)
    assert numbers != at_first
    other = open_url(page.evaluate("location.href"), PHONE)
    assert live(other)
    assert live(other).items() <= numbers.items(), "a narrow figure may have fewer"
    expect(other.locator("#notice")).to_be_hidden()
    assert other.evaluate(SIDEWAYS) <= 0
    assert axe(page) == axe(other) == []


@pytest.mark.parametrize("way", ["disk", "server"])
def test_back_and_forward_lead_between_pages(open_url, root):
    page = open_url(f"{root}index.html", WIDE)
    meet_first_goal(page, "home")
    expect(page.locator(".goals .why")).not_to_be_empty()  # the card has grown: nothing moves any more
    moved, numbers = page.evaluate("location.href"), live(page)
    # By key: what scrolling brings into view is drawn only then, and can move the link away from a mouse.
    page.locator(".neighbours [rel=next]").press("Enter")
    expect(page.locator("h1")).to_have_text("Embeddings and context")
    page.go_back()
    expect(page).to_have_url(moved)
    assert live(page) == numbers
    page.go_forward()
    expect(page.locator("h1")).to_have_text("Embeddings and context")
    assert live(page)
