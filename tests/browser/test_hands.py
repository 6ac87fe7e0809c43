"""What a hand feels and sees: keys of a handle, magnets, coordinates, kin that light up, weight that flows."""

import pytest

from tests.browser.hand import handle, live, place, take
from tests.browser.harness import rerun, settled

KIN = """root => {
    const named = '[data-about], [data-value], [data-handle]';
    const said = e => [e, ...e.querySelectorAll(named)].map(
        each => each.dataset.about ?? each.dataset.value ?? each.dataset.handle).find(Boolean) ?? '';
    return Object.fromEntries(['near', 'far'].map(
        state => [state, [...root.querySelectorAll(`[data-kin=${state}]`)].map(said)]));
}"""


def kin(page, name):
    return page.locator(f"[data-stage={name}]").evaluate(KIN)


@pytest.mark.parametrize(("name", "steps"), [("similarity", 10), ("softmax", 10)])
def test_home_end_and_page_keys_move_a_handle_and_never_the_page(open_page, name, steps):
    page = open_page(name, height=500)
    hand = handle(page)
    hand.focus()
    scroller = page.locator("[data-testid=stMain]")
    down = scroller.evaluate("e => e.scrollTop")
    start = place(hand)
    with rerun(page):
        hand.press("PageDown")
    lower = place(hand)
    assert lower[-1] == pytest.approx(max(start[-1] - 0.1 * steps, float(hand.get_attribute("aria-valuemin"))))
    with rerun(page):
        hand.press("PageUp")
    assert place(hand)[-1] == pytest.approx(lower[-1] + 0.1 * steps)
    for key, limit in (("Home", "aria-valuemin"), ("End", "aria-valuemax")):
        with rerun(page):
            hand.press(key)
        assert place(hand)[0] == pytest.approx(float(hand.get_attribute(limit)))
    assert abs(scroller.evaluate("e => e.scrollTop") - down) < 20, "a goal that is met may take another line"


@pytest.mark.parametrize("name", ["similarity", "cross_attention", "misleading"])
def test_every_key_counts_though_several_come_before_anything_is_drawn(open_page, name):
    """Where a handle stands may be read from the page's numbers, which are computed once a frame."""
    page = open_page(name)
    hand = handle(page)
    down = "ArrowLeft" if place(hand)[0] > 0.5 else "ArrowRight"
    places = []
    for keys in (1, 3):
        before = place(hand)
        with rerun(page):
            hand.evaluate(
                """(hand, [key, times]) => {
                    while (times--) hand.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));
                }""",
                [down, keys],
            )
        places.append(abs(place(hand)[0] - before[0]))
    assert places[1] == pytest.approx(3 * places[0], abs=0.011), "shown to two decimals"
    assert places[0] > 0


def test_magnets_hold_a_right_angle_and_an_equal_length_unless_alt_is_held(open_page):
    page = open_page("similarity")  # orange (0, 3), apple (2, 2)
    hand = handle(page, "orange")
    x, y = take(page, hand)
    one = page.locator("svg.picture").first.bounding_box()["width"] * (560 - 52) / 560 / 10
    to = lambda a, b: (x + a * one, y - (b - 3) * one)  # noqa: E731
    page.mouse.move(*to(-1.46, 1.42), steps=6)
    assert float(live(page)["dot apple orange"]) == 0
    said = page.locator(".felt-place").first
    assert "⟂ apple" in said.text_content()
    assert "Alt" in said.text_content()
    page.mouse.move(*to(-1.97, 2.03), steps=3)
    assert place(hand) == [-2.0, 2.0], "at a right angle and as long as the other"
    page.mouse.move(*to(0.51, 2.75), steps=3)
    assert sum(a * a for a in place(hand)) == pytest.approx(8, abs=0.05)
    page.mouse.move(*to(1.12, 3.93), steps=3)
    assert place(hand) == pytest.approx([1.1, 3.9])
    page.keyboard.down("Alt")
    page.mouse.move(*to(-1.46, 1.42), steps=3)
    assert float(live(page)["dot apple orange"]) != 0
    page.keyboard.up("Alt")
    assert said.is_visible()
    with rerun(page):
        page.mouse.up()
    assert said.is_hidden()


def test_what_is_pointed_at_lights_its_kin_and_lets_them_go(open_page):
    page = open_page("self_attention")
    page.locator(".arc-word", has_text="street").hover()
    found = kin(page, "self_attention")
    assert len(found["near"]) > 3
    assert all("street" in what.split() for what in found["near"])
    assert found["far"]
    assert not [what for what in found["far"] if "street" in what.split()]
    page.locator("h2").first.hover()
    assert kin(page, "self_attention") == {"near": [], "far": []}
    page.goto(page.url.replace("self_attention", "queries_keys"))
    settled(page)
    cell = page.locator(".heatmap .cell").nth(1)
    cell.scroll_into_view_if_needed()
    cell.hover()
    asks, answers = cell.get_attribute("aria-label").split(":")[0].split(" → ")
    near, far = kin(page, "queries_keys").values()
    assert {asks, answers, f"score {asks} {answers}"} <= set(near)
    assert f"score {answers} {asks}" in far
    take(page, handle(page))
    assert kin(page, "queries_keys") == {"near": [], "far": []}, "a hand at work has all in sight"
    page.mouse.up()


@pytest.mark.parametrize("reduced_motion", [False, True])
def test_the_weight_of_a_cell_that_closes_flows_to_the_others(open_page, reduced_motion):
    page = open_page("masking", reduced_motion=reduced_motion)
    page.evaluate(
        """() => {
            const all = root => [...root.querySelectorAll('*')].flatMap(
                e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
            const marks = all(document).filter(e => e.matches('.cell .mark.share'));
            window.seen = marks.map(() => new Set());
            const note = () => {
                marks.forEach((mark, i) => window.seen[i].add(mark.style.fillOpacity));
                if (marks[0].isConnected) requestAnimationFrame(note);
            };
            note();
        }"""
    )
    with rerun(page):
        page.locator(".toggle .cell").first.click()
    page.wait_for_timeout(100)
    most = max(page.evaluate("seen.map(each => each.size)"))
    assert most <= 2 if reduced_motion else most > 4
