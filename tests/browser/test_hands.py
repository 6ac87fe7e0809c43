"""What a hand feels and sees: keys of a handle, magnets, coordinates, kin that light up, weight that flows."""

import pytest
from playwright.sync_api import expect

from tests.browser.hand import JAVASCRIPT as HAND
from tests.browser.hand import drag_and_hold, handle, live, middle, painted, place, take
from tests.browser.harness import tab_stops

KIN = """root => {
    const named = '[data-about], [data-value], [data-handle]';
    const said = e => [e, ...e.querySelectorAll(named)].map(
        each => each.dataset.about ?? each.dataset.value ?? each.dataset.handle).find(Boolean) ?? '';
    return Object.fromEntries(['near', 'far'].map(
        state => [state, [...root.querySelectorAll(`[data-kin=${state}]`)].map(said)]));
}"""


def highlighted(page, name):
    return page.locator(f"[data-stage={name}]").evaluate(KIN)


def press(page, hand, key):
    """Press a key on a handle, and return where it then is."""
    hand.press(key)
    painted(page)
    return place(hand)


def test_home_end_and_page_keys_move_a_handle_and_never_the_page(open_file):
    for name in ("similarity", "softmax"):
        page = open_file(name, height=500)
        hand = handle(page)
        hand.focus()
        down, start = page.evaluate("scrollY"), place(hand)
        lower = press(page, hand, "PageDown")
        assert lower[-1] == pytest.approx(max(start[-1] - 1, float(hand.get_attribute("aria-valuemin")))), name
        assert press(page, hand, "PageUp")[-1] == pytest.approx(lower[-1] + 1), name
        for key, limit in (("Home", "aria-valuemin"), ("End", "aria-valuemax")):
            assert press(page, hand, key)[0] == pytest.approx(float(hand.get_attribute(limit))), (name, key)
        assert abs(page.evaluate("scrollY") - down) < 20, "a goal that is met may take another line"


def test_every_key_counts_though_several_come_before_anything_is_drawn(open_file):
    """Where a handle stands may be read from the page's numbers, which are computed once a frame."""
    for name in ("similarity", "cross_attention", "misleading"):
        page = open_file(name)
        hand = handle(page)
        key = "ArrowLeft" if place(hand)[0] > 0.5 else "ArrowRight"
        ways = []
        for keys in (1, 3):
            before = place(hand)
            hand.evaluate(
                """(hand, [key, times]) => {
                    while (times--) hand.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));
                }""",
                [key, keys],
            )
            painted(page)
            ways.append(abs(place(hand)[0] - before[0]))
        assert ways[0] > 0, name
        assert ways[1] == pytest.approx(3 * ways[0], abs=0.011), f"{name}: shown to two decimals"


def test_magnets_hold_a_right_angle_and_an_equal_length_unless_alt_is_held(open_file):
    page = open_file("similarity")  # orange (0, 3), apple (2, 2)
    hand = handle(page, "orange")
    x, y = take(page, hand)
    one = (middle(handle(page, "phone"))[1] - y) / 3  # phone lies on the axis

    def move(a, b):
        page.mouse.move(x + a * one, y - (b - 3) * one, steps=3)
        painted(page)
        return place(hand)

    move(-1.46, 1.42)
    assert float(live(page)["dot apple orange"]) == 0
    felt = page.locator(".felt-place").first
    assert "⟂ apple" in felt.text_content()
    assert "Alt" in felt.text_content()
    assert move(-1.97, 2.03) == [-2.0, 2.0], "at a right angle and as long as the other"
    assert sum(a * a for a in move(0.51, 2.75)) == pytest.approx(8, abs=0.05)
    assert move(1.12, 3.93) == pytest.approx([1.1, 3.9])
    page.keyboard.down("Alt")
    move(-1.46, 1.42)
    assert float(live(page)["dot apple orange"]) != 0
    page.keyboard.up("Alt")
    assert felt.is_visible()
    page.mouse.up()
    expect(felt).to_be_hidden()


def test_what_is_pointed_at_lights_its_kin_and_lets_them_go(open_file):
    page = open_file("self_attention")
    page.locator(".arc-word", has_text="street").hover()
    found = highlighted(page, "self_attention")
    assert len(found["near"]) > 3
    assert all("street" in what.split() for what in found["near"])
    assert found["far"]
    assert not [what for what in found["far"] if "street" in what.split()]
    page.locator("h1").hover()
    assert highlighted(page, "self_attention") == {"near": [], "far": []}
    page = open_file("queries_keys")
    cell = page.locator(".heatmap .cell").nth(1)
    cell.scroll_into_view_if_needed()
    cell.hover()
    asks, answers = cell.get_attribute("aria-label").split(":")[0].split(" → ")
    near, far = highlighted(page, "queries_keys").values()
    assert {asks, answers, f"score {asks} {answers}"} <= set(near)
    assert f"score {answers} {asks}" in far
    take(page, handle(page))
    assert highlighted(page, "queries_keys") == {"near": [], "far": []}, "a hand at work has all in sight"
    page.mouse.up()


def test_the_weight_of_a_cell_that_closes_flows_to_the_others(open_file):
    for reduced_motion in (False, True):
        page = open_file("masking", reduced_motion=reduced_motion, clock=True)
        cells, seen = page.locator(".cell:has(.mark.share)"), []
        page.locator(".toggle .cell").first.click()
        for _ in range(20):
            page.clock.run_for(50)
            seen.append(cells.evaluate_all("all => all.map(cell => cell.style.getPropertyValue('--part'))"))
        most = max(len(set(parts)) for parts in zip(*seen, strict=True))
        assert most == 1 if reduced_motion else most > 4


SPOKEN = """() => {
    const region = labHand.all().find(e => e.matches('.announcement'));
    window.spoken = [];
    new MutationObserver(() => window.spoken.push(region.textContent)).observe(region, { childList: true });
    const others = labHand.all().filter(e => e.matches('[data-stage] [role=status], [data-stage] [aria-live]'));
    return others.length;
}"""


def test_a_change_is_spoken_once_when_the_hand_lets_go(open_file):
    page = open_file("similarity")
    assert page.evaluate(SPOKEN.replace("labHand", HAND)) == 0, "no part speaks by itself"
    drag_and_hold(page, handle(page, "orange"), -70, 20)
    assert page.evaluate("spoken") == []
    page.mouse.up()
    page.wait_for_function("spoken.length > 0")
    painted(page)
    [said] = page.evaluate("spoken")
    assert "Goal: " in said


def test_a_finger_taps_a_handle_and_then_the_place_where_it_should_go(open_file):
    page = open_file("similarity?goal=opposites", width=390, height=844, touch=True)
    hand, buttons = handle(page, "orange"), page.locator(".taps")
    hand.evaluate("hand => hand.scrollIntoView({ block: 'center' })")
    before = place(hand)
    page.touchscreen.tap(*middle(hand))
    expect(buttons).to_be_visible()
    assert place(hand) == before, "a tap moves nothing"
    x, y = hand.evaluate(f"e => {HAND}.freePlace(e)")
    page.touchscreen.tap(x, y)
    painted(page)
    assert middle(hand) == pytest.approx((x, y), abs=11), "a magnet may hold it 7 px and a tenth aside"
    there = place(hand)
    buttons.get_by_role("button", name="Left").tap()
    painted(page)
    assert place(hand) == pytest.approx([there[0] - 0.1, there[1]], abs=0.006)
    page.touchscreen.tap(*middle(hand))
    expect(buttons).to_be_hidden()


def test_beside_a_cell_too_small_for_a_finger_stand_arrows_to_its_neighbours(open_file):
    page = open_file("multi_head")
    page.get_by_role("button", name="Show all attention patterns").click()
    cells = page.locator("svg.matrix").first.locator(".cell")
    assert cells.first.bounding_box()["height"] < 24
    cells.nth(1).click()
    chosen = page.locator("svg.matrix").first.locator(".cell.chosen")
    before = chosen.get_attribute("aria-label")
    for button in page.locator(".taps button:visible").all():
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 24
    page.locator(".taps").get_by_role("button", name="Down").click()
    painted(page)
    after = chosen.get_attribute("aria-label")
    row, column = before.split(":")[0].split(" → ")
    assert after.split(":")[0].split(" → ")[1] == column
    assert after.split(":")[0].split(" → ")[0] != row


def test_the_tab_key_passes_over_a_folded_sidebar(open_page):
    page = open_page("similarity", width=390, height=844)
    assert "stSidebar" not in {stop["region"] for stop in tab_stops(page)}
    page.get_by_test_id("stExpandSidebarButton").focus()  # it has left with the page, and comes back
    page.get_by_test_id("stExpandSidebarButton").click()
    link = page.get_by_test_id("stSidebarNavLink").first
    link.focus()
    expect(link).to_be_focused()
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_have_js_property("inert", True)
    expect(sidebar).to_have_css("transition-property", "none")  # it slides for no one who wants less motion


IN_SYSTEM_COLOURS = """() => {
    const style = selector => getComputedStyle(labHand.all().find(e => e.matches(selector))),
        system = name => {
            const mark = document.body.appendChild(document.createElement('i'));
            mark.style.color = name;
            const { color } = mark.style.color ? getComputedStyle(mark) : {};
            mark.remove();
            return color;
        };
    const [bar, fill] = ['.goals .bar', '.goals .fill'].map(style),
        row = style('tr.chosen'),
        undo = style('[data-turn][aria-disabled=true]');
    return {
        'progress has an edge': [bar.borderTopStyle, bar.borderTopColor === system('CanvasText')],
        'progress is filled': fill.backgroundColor === system('Highlight'),
        'the row is outlined': row.outlineStyle,
        'what is disabled is grey': undo.color === system('GrayText'),
    };
}"""


def test_nothing_is_told_by_a_colour_that_the_system_replaces(open_page):
    page = open_page("similarity")
    page.emulate_media(forced_colors="active")
    try:
        assert page.evaluate(IN_SYSTEM_COLOURS.replace("labHand", HAND)) == {
            "progress has an edge": ["solid", True],
            "progress is filled": True,
            "the row is outlined": "solid",
            "what is disabled is grey": True,
        }
    finally:
        page.emulate_media(forced_colors="none")


COMPOSING_KEYS = """field => {
    for (const key of ['Enter', 'Tab', 'ArrowDown', 'Escape'])
        field.dispatchEvent(new KeyboardEvent('keydown', { key, isComposing: true, cancelable: true }));
    return field.getRootNode().activeElement === field;
}"""


def test_a_word_counts_once_an_input_method_has_composed_it(open_file):
    for link, selector, half, whole, warning, offered in [
        ("scale", "[data-value=context]", "2", "4096", ".warning:visible", None),
        ("cross_attention?model=aligned", "[data-phrase]", "cat", "some cats ", ".wrong", "cats"),
        ("trained_model?opening=walkers", ".text-of", "d", "the dog ", ".written .note", "dog"),
        ("trained_model?opening=walkers", ".by", "d", "dog", ".written .note", "dog"),
    ]:
        page = open_file(link, clock=True)
        page.locator("details").evaluate_all("all => all.forEach(fold => fold.setAttribute('open', ''))")
        page.clock.run_for(1000)
        field, url = page.locator(f"input[type=text]{selector}"), page.url
        warned = page.locator(warning).all_text_contents()
        field.evaluate("field => field.focus() ?? field.select()")
        session = page.context.new_cdp_session(page)
        caret = {"selectionStart": len(half), "selectionEnd": len(half)}
        session.send("Input.imeSetComposition", {"text": half} | caret)
        assert field.evaluate(COMPOSING_KEYS), link
        if offered:  # on most telephones any word is composed
            page.locator(".offered").get_by_text(offered, exact=True).wait_for()
        page.clock.run_for(1000)
        assert (field.input_value(), page.url) == (half, url), link
        assert page.locator(warning).all_text_contents() == warned, link
        session.send("Input.insertText", {"text": whole})
        if not whole.endswith(" "):
            field.press("Enter")
        page.clock.run_for(1000)
        assert page.url != url, link
        assert page.locator(warning).all_text_contents() == warned, link
