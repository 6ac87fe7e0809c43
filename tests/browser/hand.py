"""A hand on the stage: mouse, finger and keys on its handles, and what the page then says."""

import json
import re
from pathlib import Path

import pytest

from tests.browser.harness import rerun

# A file ends its one expression with a semicolon; here further words follow it.
JAVASCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8").strip().removesuffix(";")


def expect_touchable(page):
    """Wait until something of the stage is under the hand without scrolling: after a resize, boxes still move."""
    page.wait_for_function(f"{JAVASCRIPT}.drawn()")
    page.wait_for_function(f"{JAVASCRIPT}.touchable()")


def handles(page):
    """The names of the pictures' handles that nothing lies upon, once there is one; scrolled to if need be."""
    return page.wait_for_function(f"(free => free.length && free)({JAVASCRIPT}.free())").json_value()


def handle(page, name=None):
    """The handle of that name, or the first that can be taken hold of."""
    return page.locator(f"[data-handle={json.dumps(name or handles(page)[0], ensure_ascii=False)}]").first


def place(handle):
    """Where a handle stands, as it tells a screen reader (or told it, as text): one number for each axis."""
    text = handle if isinstance(handle, str) else handle.get_attribute("aria-valuetext")
    return [float(n) for n in re.findall(r"(?<= )-?\d+\.\d\d(?=,|$)", text)]


def middle(handle):
    """The point to take hold of."""
    return tuple(handle.evaluate(f"e => {JAVASCRIPT}.hold(e)"))


def across(handle, far=40):
    """A way through the picture, or along its line, in pixels, that does not leave it."""
    here, there = middle(handle), handle.evaluate(f"e => {JAVASCRIPT}.middle(e)")
    return tuple(far if b >= a else -far for a, b in zip(here, there, strict=True))


def take(page, handle):
    """Press the mouse on a handle."""
    handle.evaluate(f"e => {JAVASCRIPT}.show(e)")
    x, y = middle(handle)
    page.mouse.move(x, y)
    page.mouse.down()
    return x, y


def drag(page, handle, dx, dy, steps=8):
    """Drag a handle by the mouse, and let go."""
    x, y = take(page, handle)
    page.mouse.move(x + dx, y + dy, steps=steps)
    page.mouse.up()


def drag_and_hold(page, handle, dx, dy):
    """Drag a handle by the mouse, keep hold of it, and wait until that is painted."""
    x, y = take(page, handle)
    page.mouse.move(x + dx, y + dy, steps=8)
    painted(page)


def rerun_by_drag(page, handle, dx, dy, steps=8):
    """Drag a handle, and wait until the script that runs for it has ended."""
    with rerun(page):
        drag(page, handle, dx, dy, steps)


def move_without_a_button(page, x, y):
    """Move the mouse as after a button that was let go of where nobody heard of it."""
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y, "buttons": 0})
    session.detach()


def touch_drag(page, handle, dx, dy, steps=8):
    """Drag a handle by a finger: touch events as a phone sends them."""
    x, y = middle(handle)
    session = page.context.new_cdp_session(page)

    def touch(kind, *points):
        points = [{"x": a, "y": b} for a, b in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", (x, y))
    for step in range(1, steps + 1):
        touch("touchMove", (x + dx * step / steps, y + dy * step / steps))
    touch("touchEnd")


def painted(page):
    """Wait until the stage has painted what was moved: it does so at the next frame."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def live(page):
    """Every live number by what it is, unrounded, once the stage is drawn."""
    page.wait_for_function(f"{JAVASCRIPT}.drawn()")
    return page.evaluate(f"{JAVASCRIPT}.live()")


def number(page, what):
    """A live number by what it is, unrounded."""
    return float(live(page)[what])


def number_text(page, what):
    """A live number as it is written."""
    return page.locator(f'[data-value="{what}"]').text_content()


def expect_numbers(page, expected, rel=1e-9, abs=1e-9):
    """Once painted, the page has these live numbers, by what they are; return all that it has."""
    painted(page)
    shown = live(page)
    near = {name: pytest.approx(number, rel, abs, nan_ok=True) for name, number in expected.items()}
    wrong = {name: f"{shown[name]}, not {near[name]}" for name in near if float(shown[name]) != near[name]}
    assert not wrong, wrong
    return shown


ENDS = "lines => lines.map(line => ['x1', 'y1', 'x2', 'y2'].map(k => Number(line.getAttribute(k))))"


def line_ends(page, what):
    """The ends of the lines of a kind that can be seen, once painted."""
    painted(page)
    return page.locator(f"{what}:visible").evaluate_all(ENDS)


def follow(handle):
    """Note every place that the handle will be at."""
    handle.evaluate(f"e => {JAVASCRIPT}.follow(e, 'aria-valuetext')")


def follow_number(page, name):
    """Note all that a number will be, as `trail` of the page."""
    page.locator(f"[data-value={json.dumps(name)}]").evaluate(f"e => {JAVASCRIPT}.follow(e, 'data-exact')")


def trail(page):
    """The places that `follow` has noted."""
    return [place(text) for text in page.evaluate("trail")]
