"""Undo and redo: keys and buttons, never in a text field, whatever is under the hand when an answer arrives."""

from random import Random
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from attention_lab.server.session_socket import MOST_BRACKETS
from attention_lab.server.settings import Settings
from attention_lab.state.update import Move, ReachGoals, Redo, Reset, Undo
from attention_lab.widgets.session import parse_link
from tests.browser.hand import across, drag, handle, live, move_without_a_button, painted, place, take
from tests.browser.harness import open_change, reload, rerun, rerun_by_click, rerun_by_key, settled
from tests.visit import LESSONS, NAMES, LessonView

PATHS = dict(zip(NAMES, LESSONS, strict=True))
SHOW = """payload => {
    attention_lab.modules.stage.showStage({
        data: JSON.parse(payload),
        parentElement: document.getElementById('figure').shadowRoot.firstElementChild,
        setStateValue: (_, events) => { window.sent = events; },
        setTriggerValue: () => {},
    }, '');
}"""


SECOND_FINGER = """hand => {
    for (const type of ['pointerdown', 'pointermove', 'pointerup'])
        hand.dispatchEvent(new PointerEvent(type, {
            pointerId: 77, pointerType: 'touch', buttons: 1, clientX: 300, clientY: 300, bubbles: true,
            composed: true,
        }));
}"""
HIDDEN = """() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
    delete document.hidden;
}"""
# What a hand does, without one: [name, value, row of a matrix, goal reached], or "turn" and which way.
ACT = """acts => {
    const { stage } = attention_lab.modules.room_overlay.roomOverlay;
    for (const [name, value, row, goal] of acts) {
        if (goal) stage.completed_goals.add(goal);
        if (name === 'turn') stage.ask({ turn: value });
        else {
            if (row === null) stage.pose[name] = value;
            else stage.pose[name][row] = value;
            stage.commit();
        }
    }
    return JSON.stringify({ events: sent });
}"""
IN_ROOM = {"room": "blue-fox"}  # which knows the stage


def events_of(sent):
    """What an event of the browser's is to a state."""
    if "turn" in sent:
        yield Undo() if sent["turn"] < 0 else Redo()
    if "move" in sent:
        yield Move(sent["move"], sent["rows"])
    yield ReachGoals(sent.get("goals"))


class Answers:
    """Python behind the page of a file: it applies what was sent, and answers, when a test wants it to."""

    def __init__(self, page, name, **address):
        self.page, self.version, self.there = page, 0, LessonView(PATHS[name], **address)
        page.evaluate("window.sent = []")
        self.show()

    def show(self):
        view = self.there.lesson.view(self.there.state, version=self.version)
        self.page.evaluate(SHOW, view.payload.decode())

    def moves(self):
        """The steps of Undo that the page has sent."""
        return [event["move"] for _, event in self.page.evaluate("sent") if "move" in event]

    def arrive(self):
        """Apply what the page has sent, and answer."""
        for number, event in self.page.evaluate("sent"):
            if number <= self.version:
                continue
            self.version = number
            if "link" in event:
                self.there.choose(**self.there.lesson.parse(parse_link(event["link"]))[0].values)
            for each in events_of(event):
                self.there.update(each)
        self.show()


def buttons(page):
    return [page.get_by_role("button", name=name, exact=True) for name in ("Undo", "Redo")]


def test_keys_and_buttons_go_back_and_on_across_a_reset(open_page):
    page = open_page("similarity")
    (undo, redo), hand = buttons(page), handle(page)
    expect(undo).to_be_disabled()
    expect(redo).to_be_disabled()
    seen = [(place(hand), live(page), page.url)]
    dx, dy = across(hand)
    for part in (1, 0.4):
        with rerun(page):
            drag(page, hand, part * dx, part * dy)
        seen.append((place(hand), live(page), page.url))
    rerun_by_click(page.get_by_role("button", name="Reset", exact=True))
    assert place(hand) == seen[0][0]
    rerun_by_click(undo)
    assert (place(hand), live(page), page.url) == seen[2]
    page.keyboard.press("Control+z")  # twice, faster than Python answers
    page.keyboard.press("Control+Z")
    settled(page)
    assert (place(hand), live(page)) == seen[0][:2]
    assert "?" not in page.url
    expect(undo).to_be_disabled()
    rerun_by_key(page, "Control+Shift+Z")
    assert (place(hand), live(page), page.url) == seen[1]
    rerun_by_key(page, "Control+y")
    assert (place(hand), live(page), page.url) == seen[2]
    reload(page)
    expect(undo).to_be_disabled()
    expect(redo).to_be_disabled()
    page.keyboard.press("Control+z")
    settled(page)
    assert place(hand) == seen[2][0]
    with rerun(page):
        drag(page, hand, dx / 5, dy / 5)
    expect(undo).to_be_enabled()


KEYS = [  # key, code, with Shift, which way it leads
    ("ئ", "KeyZ", False, -1), ("~", "KeyZ", True, 1), ("غ", "KeyY", False, 1),  # Arabic
    ("я", "KeyZ", False, -1), ("Я", "KeyZ", True, 1), ("н", "KeyY", False, 1),  # Russian
    ("ζ", "KeyZ", False, -1), ("υ", "KeyY", False, 1),  # Greek
    ("z", "KeyY", False, -1), ("Z", "KeyY", True, 1), ("y", "KeyZ", False, 1),  # German
    ("z", "KeyW", False, -1), ("w", "KeyZ", False, None), ("à", "KeyZ", False, None),  # French: AZERTY, bépo
    (";", "KeyZ", False, None), ("Dead", "KeyZ", False, None), ("Process", "KeyZ", False, None),  # Dvorak, others
]  # fmt: skip
PRESS = """([key, code, shiftKey]) => {
    sent = [];
    dispatchEvent(new KeyboardEvent('keydown', { key, code, shiftKey, ctrlKey: true, cancelable: true }));
    return sent.at(-1)?.[1].turn ?? null;
}"""


def test_a_shortcut_is_its_letter_or_its_key_where_a_layout_has_no_latin_letters(open_file):
    page = open_file("similarity")
    answers, hand = Answers(page, "similarity"), handle(page)
    for key in ("ArrowLeft", "ArrowRight", "Control+z"):
        hand.press(key)
        hand.blur()
        answers.arrive()
    assert [(*key, page.evaluate(PRESS, key)) for *key, _ in KEYS] == KEYS


def test_a_text_field_undoes_by_itself_and_undo_leads_back_to_ones_own_words(open_page):
    page = open_page("softmax")
    open_change(page, "Words")
    sentence = page.get_by_label("Sentence", exact=True).first
    sentence.fill("😀 apple")
    rerun_by_key(sentence, "Enter")
    own = page.url
    page.keyboard.type("9")
    page.keyboard.press("Control+z")
    settled(page)
    assert page.url == own
    page.keyboard.press("Escape")
    page.get_by_role("combobox", name="Example").click()
    rerun_by_click(page.get_by_role("option", name="an apple phone"))
    for key, words in [("z", "_1f600_.apple"), ("z", ""), ("y", "_1f600_.apple"), ("y", "")]:
        with rerun(page):
            page.keyboard.press(f"Control+{key}")  # the closed list, which has the focus, undoes nothing
        assert parse_qs(urlsplit(page.url).query).get("words", [""]) == [words]
        expect(page.get_by_test_id("stAlert")).to_have_count(0)


def test_what_is_dragged_after_an_undo_is_kept(open_file):
    for name, first, then in [
        ("similarity", "orange", "phone"),
        ("softmax", "an", "orange"),
        ("values", "an", "apple"),
    ]:
        page = open_file(name)
        answers, one, other = Answers(page, name), handle(page, first), handle(page, then)
        before = place(one)
        drag(page, one, *across(one))
        page.keyboard.press("Control+z")
        drag(page, other, *across(other))
        painted(page)
        moved = place(other)
        answers.arrive()
        painted(page)
        assert place(other) == moved, name
        if name != "softmax":  # there all bars are one row, which is moved or not moved
            assert place(one) == before, name


def test_a_slider_that_is_held_stays_in_the_hand_when_an_undo_arrives(open_file):
    for name in ("softmax", "values"):
        page = open_file(name)
        answers, one, held = Answers(page, name), handle(page), handle(page, "temperature")
        for moves_on in (False, True):
            before = place(one)
            drag(page, one, *across(one))
            answers.arrive()
            dx, dy = across(held, 60)
            page.keyboard.press("Control+z")
            x, y = take(page, held)
            page.mouse.move(x + dx, y + dy, steps=4)
            answers.arrive()
            if moves_on:
                page.mouse.move(x + dx / 2, y + dy / 2, steps=4)
            painted(page)
            moved = place(held)
            page.mouse.up()
            answers.arrive()
            painted(page)
            assert (place(held), place(one)) == (moved, before), (name, moves_on)


def test_cells_that_are_painted_stay_so_when_an_undo_arrives(open_file):
    page = open_file("masking", height=1100)
    answers = Answers(page, "masking")

    def cell(i, j):
        return page.locator(f"[data-cell='{i} {j}']")

    def visible():
        return [cell(*at).get_attribute("aria-pressed") for at in ((2, 0), (3, 0), (3, 1), (3, 2))]

    def over(j):
        box = cell(3, j).bounding_box()
        page.mouse.move(box["x"] + 9, box["y"] + 9, steps=3)

    cell(2, 0).click()
    answers.arrive()
    assert visible() == ["false", "true", "true", "true"]
    page.keyboard.press("Control+z")
    over(0)
    page.mouse.down()
    over(1)
    answers.arrive()
    over(2)
    page.mouse.up()
    answers.arrive()
    painted(page)
    assert visible() == ["true", "false", "false", "false"]


def test_a_preset_on_its_way_arrives_though_an_undo_does_before(open_file):
    page = open_file("values?example=money_5f_bank", clock=True)
    answers = Answers(page, "values", example="money_5f_bank")
    one = handle(page, "money")
    before = place(one)
    drag(page, one, *across(one))
    answers.arrive()
    page.clock.run_for(1000)
    preset = page.get_by_role("button", name="T = 11.2215")
    page.keyboard.press("Control+z")
    preset.click()
    page.clock.run_for(100)
    answers.arrive()
    page.clock.run_for(2000)
    answers.arrive()
    page.clock.run_for(2000)
    expect(preset).to_have_attribute("aria-pressed", "true")
    assert place(one) == before
    assert answers.there.moved == {"temperature"}


def test_what_plays_goes_on_when_an_undo_arrives(open_file):
    page = open_file("self_attention", clock=True)
    answers = Answers(page, "self_attention")

    def plays_until(step):
        for _ in range(100):
            if page.locator(f"[data-step={step}].lit").count():
                return
            page.clock.run_for(100)
        raise AssertionError(f"{step} is never lit")

    page.locator(".arc-word", has_text="street").click()
    answers.arrive()
    assert answers.there.link == {"word": "street"}
    page.keyboard.press("Control+z")
    page.get_by_role("button", name="Play").click()
    plays_until("scores")
    answers.arrive()
    assert "word=street" not in page.url, "it is undone at once"
    plays_until("scale")
    page.get_by_role("button", name="Pause").click()
    answers.arrive()
    assert answers.there.link == {"step": "scale"}


def test_what_was_done_in_an_hour_without_a_server_fits_into_one_message(open_file):
    """Moves of several things, undone, done again and undone beyond what the hand did here; goals reached."""
    for before_it_went, turns in ((0, 0.05), (20, 0.3)):
        chance, page = Random(before_it_went), open_file("similarity")
        answers, alone = Answers(page, "similarity", **IN_ROOM), LessonView(PATHS["similarity"], **IN_ROOM)
        for k in range(3):
            for each in (answers.there, alone):
                each.drag(vectors=[[k, k], [k, 1], [1, k]])
        answers.show()
        goals, acts = list(alone.goals), []
        for k in range(700):
            goal = goals[k // 200] if k % 200 == 100 else None
            row, at = chance.randrange(3), [chance.randrange(-50, 50) / 10, k / 100]
            sent = {"turn": chance.choice((-1, -1, 1))} if chance.random() < turns else {}
            acts.append(["turn", sent["turn"], None, goal] if sent else ["vectors", at, row, goal])
            if k % 50 == 10:  # the choice of a goal, which is no step
                sent = {"move": {"goal": k // 50 % len(goals)}, "rows": {}}
                acts[-1] = ["goal", sent["move"]["goal"], None, None]
            sent |= {"goals": [goal]} if goal else {}
            if not sent.keys() & {"turn", "move"}:
                sent |= {"move": {"vectors": [at] * 3}, "rows": {"vectors": [row]}}
            for each in events_of(sent):
                alone.update(each)
        page.evaluate(ACT, acts[:before_it_went])  # of these Python knows, and its answer is lost
        for _, sent in page.evaluate("sent"):
            for each in events_of(sent):
                answers.there.update(each)
        message = page.evaluate(ACT, acts[before_it_went:])
        assert len(message) < Settings().message_size / 1.9
        assert sum(map(message.count, "[{")) < MOST_BRACKETS / 1.9
        answers.arrive()
        assert answers.there.state.completed_goals == alone.state.completed_goals == set(goals[:4])
        for _ in range(40):
            assert answers.there.state.pose() == alone.state.pose()
            for each in (answers.there, alone):
                each.update(Undo())


def test_undo_without_a_server_takes_back_nothing_else_once_it_has_restarted(open_file):
    for acts, made in (
        ([["vectors", [1, 1], 0, None], ["turn", -1], ["vectors", [3, 2], 1, None]], [[5, 5], [3, 2], [4, 0]]),
        ([["vectors", [1, 1], 0, None], ["vectors", [2, 1], 0, None], ["turn", -1]], [[1, 1], [2, 2], [4, 0]]),
        ([["turn", -1], ["vectors", [3, 2], 1, None]], [[5, 5], [3, 2], [4, 0]]),
    ):
        page = open_file("similarity")
        answers = Answers(page, "similarity", **IN_ROOM)
        page.evaluate(ACT, [["vectors", [5, 5], 0, None]])
        answers.arrive()
        page.evaluate(ACT, acts)
        answers.there, answers.version = LessonView(PATHS["similarity"], **IN_ROOM), 0
        answers.show()
        answers.arrive()  # the link
        answers.arrive()  # and what was done since
        assert answers.there.state.pose()["vectors"] == made


def test_escape_gives_a_handle_back_where_it_was(open_file):
    for name, what in [("similarity", None), ("softmax", "temperature"), ("position", None)]:
        page = open_file(name)
        hand = handle(page, what)
        before, numbers, url = place(hand), live(page), page.url
        dx, dy = (60, 0) if what else across(hand)
        x, y = take(page, hand)
        page.mouse.move(x + dx, y + dy, steps=5)
        painted(page)
        assert place(hand) != before, name
        page.keyboard.press("Escape")
        page.mouse.move(x + dx / 2, y + dy / 2, steps=3)
        page.mouse.up()
        painted(page)
        assert (place(hand), live(page), page.url) == (before, numbers, url), name
        drag(page, hand, dx, dy)
        painted(page)
        assert place(hand) != before, name


def shown(page, hand):
    painted(page)
    return live(page), hand.get_attribute("aria-valuetext")


def test_a_drag_whose_hand_is_lost_ends_as_one_step_or_as_none(open_file):
    handles = {
        "similarity": "[data-handle=orange]", "softmax": "[data-handle=temperature]",
        "self_attention": "[data-scrubber]", "masking": ".toggle [data-cell='3 1']", "train_a_head": "svg.losses",
    }  # fmt: skip
    ends = {
        "no button": (1, lambda page, _, at: move_without_a_button(page, *at)),
        "menu": (0, lambda page, *_: page.mouse.down(button="right")),
        "blur": (1, lambda page, *_: page.evaluate("dispatchEvent(new Event('blur'))")),
        "hidden": (1, lambda page, *_: page.evaluate(HIDDEN)),
        "second finger": (1, lambda _, hand, __: hand.evaluate(SECOND_FINGER)),
    }
    for name, selector in handles.items():
        page = open_file(name, height=1100)
        answers, hand = Answers(page, name), page.locator(selector).first
        for number, (end, (steps, act)) in enumerate(ends.items()):
            before, sent = shown(page, hand), len(answers.moves())
            x, y = take(page, hand)
            dx, dy = across(hand, (120 + 10 * number) * (-1) ** sent)
            page.mouse.move(x + dx, y + dy, steps=4)
            moved = shown(page, hand)
            assert moved != before, (name, end)
            act(page, hand, (x + dx / 2, y + dy / 2))
            page.mouse.move(x + dx / 3, y + dy / 3, steps=4)
            assert shown(page, hand) == (moved if steps else before), (name, end)
            page.mouse.up(button="right")
            page.mouse.up()
            page.mouse.move(x + dx / 4, y + dy / 4)
            assert shown(page, hand) == (moved if steps else before), (name, end)
            assert len(answers.moves()) == sent + steps, (name, end)


def test_what_keys_have_moved_is_a_step_before_the_drag_that_follows_at_once(open_file):
    page = open_file("similarity", clock=True)
    answers = Answers(page, "similarity")
    handle(page, "orange").press("ArrowRight")
    for name in ("phone", "orange"):
        hand = handle(page, name)
        x, y = take(page, hand)
        dx, dy = across(hand)
        page.mouse.move(x + dx, y + dy, steps=3)
        page.clock.run_for(1000)
        hand.press("ArrowUp")  # while the pointer has it
        page.clock.run_for(1000)
        page.mouse.move(x + dx / 2, y + dy / 2, steps=3)
        page.mouse.up()
    page.clock.run_for(1000)
    assert len(answers.moves()) == 3


def test_what_is_undone_or_reset_travels_back_and_a_hand_has_it_at_once(open_file):
    for reduced_motion in (True, False):
        page = open_file("similarity", clock=True, reduced_motion=reduced_motion)
        answers, hand = Answers(page, "similarity"), handle(page)
        home = place(hand)
        drag(page, hand, *across(hand))
        answers.arrive()
        page.clock.run_for(1000)
        there = place(hand)
        for turn in ("Control+z", "Control+y", "reset"):
            if turn == "reset":
                answers.there.update(Reset())
            else:
                page.keyboard.press(turn)
            answers.arrive()
            positions = set()
            for _ in range(10):
                positions.add(hand.evaluate("e => e.getBoundingClientRect().x"))
                page.clock.run_for(100)
            assert (len(positions) == 1) if reduced_motion else (len(positions) > 4), (turn, positions)
            assert place(hand) == (there if turn == "Control+y" else home)
    page.keyboard.press("Control+z")  # the reset
    answers.arrive()
    page.clock.run_for(100)
    assert page.locator("[data-travels]").count() == 1
    hand.press("ArrowRight")
    page.clock.run_for(100)
    assert place(hand)[0] > there[0] != home[0]
    assert page.locator("[data-travels]").count() == 0
