"""Live classroom: a teacher and three students at two replicas behind nginx, and after one of them dies."""

import csv
import json
import re
import signal
from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import expect
from websockets.sync.client import connect

from attention_lab.classroom import door
from attention_lab.figure.bundle import bundle
from tests.browser.hand import drag_and_hold
from tests.browser.harness import axe, settled
from tests.server.harness import Nginx, ask, replicas

ROOM = "#room-bar"
# What a browser says of a socket whose server is gone.
AWAY = ["WebSocket", "Failed to load resource", "disconnected from server", "server endpoint", "not responding"]
APPLE = """() => {
  for (const host of document.querySelectorAll('*')) {
    const hit = host.shadowRoot?.querySelector('[data-stage] [data-handle="apple"]');
    if (hit) return [hit.getAttribute('cx') / hit.ownerSVGElement.viewBox.baseVal.width,
                     hit.getAttribute('cy') / hit.ownerSVGElement.viewBox.baseVal.width];
  }
}"""


@pytest.fixture(scope="module")
def nginx(tmp_path_factory):
    with replicas(tmp_path_factory.mktemp("classroom"), 2) as running:
        yield running


def bar(page):
    return page.locator(f"{ROOM} .line")


def tool(page, name):
    return page.locator(ROOM).get_by_role("button", name=name, exact=True)


def use(teacher, name):
    """Press a tool of the panel, which a press on the page has closed."""
    open_panel(teacher)
    tool(teacher, name).click()


def open_panel(teacher):
    if not teacher.locator(f"{ROOM} .panel").is_visible():
        tool(teacher, "Leader tools").click()


@contextmanager
def time_stands_still(page):
    """Let a button that asks whether it is meant ask for as long as the test takes to press it again."""
    page.clock.install()
    page.clock.pause_at(datetime.now() + timedelta(minutes=1))
    yield
    page.clock.resume()


def give_back(teacher):
    """Asked once whether it is meant."""
    open_panel(teacher)
    with time_stands_still(teacher):
        tool(teacher, "Return everyone to their own page").click()
        tool(teacher, "Return everyone?").click()


def answers(page, name="similarity"):
    return page.locator(f'[class*="st-key-{name}-guess-"] button')


def hands(page):
    return page.locator("[data-stage] .cloud.dots path")


def apple(page):
    return page.locator('[data-stage] [data-handle="apple"]').first


def movable(*pages):
    """Wait until a hand can move something: a page shows nobody else's pose, and is on its way nowhere."""
    for page in pages:
        page.locator("[data-stage]:not([inert])").wait_for()


def drawn(page, wanted):
    """Wait until the apple is drawn at its place on another's plane."""
    near = "([x, y]) => { const at = (APPLE)(); return at && Math.hypot(at[0] - x, at[1] - y) < 0.03; }"
    page.wait_for_function(near.replace("APPLE", APPLE), arg=wanted)


def boxes(steps):
    """Where buttons stand, to the pixel."""
    return [{side: round(at) for side, at in step.bounding_box().items()} for step in steps.all()]


@pytest.fixture
def come(open_page, nginx):
    """Open a page at the replicas, and wait for its figure."""

    def opened(path, **more):
        page = open_page(path, server=nginx, wait=False, allow=AWAY, **more)
        apple(page).wait_for(timeout=60_000)
        return page

    return opened


@pytest.fixture
def open_class(come):
    """Open a room: return its leader, its name, and members who came by its link, perhaps with `more` in it."""

    def opened(*more):
        teacher = come("/similarity")
        teacher.get_by_role("button", name="Live classroom").click()
        teacher.get_by_role("button", name="Open a room").click()
        expect(bar(teacher)).to_contain_text("You are leading")
        room = re.search(r"[?&]room=([a-z]+-[a-z]+)", teacher.url)[1]
        members = [come(f"/similarity?room={room}{each}") for each in more]
        expect(bar(teacher)).to_contain_text(f"{len(members)} here")
        return teacher, room, *members

    return opened


def answer(pages, *chosen):
    """Answer the question that is asked: each page the answer of that number."""
    for page, number in zip(pages, chosen, strict=True):
        expect(bar(page)).to_contain_text("Choose an answer")
        answers(page).nth(number).click()
        expect(bar(page)).to_contain_text(f"Your answer: {['orange', 'phone'][number]}")


def own_again(*pages):
    """Wait until pages that were led have their own numbers again."""
    for page in pages:
        page.wait_for_url(lambda url: "predict=1" not in url)
        expect(tool(page, "Back to my page")).to_be_hidden()


def test_a_question_is_answered_twice_then_explained_and_its_answers_are_downloaded(open_class, come):
    teacher, room, first, second = open_class("", "&question=Who-is-near")
    typed = come("/similarity", width=390, height=844, touch=True)  # by the two words, on a telephone
    typed.get_by_test_id("stExpandSidebarButton").click()
    typed.get_by_role("button", name="Live classroom").click()
    typed.get_by_label("Room name (two words)").fill(room.replace("-", " ").title())
    typed.get_by_role("button", name="Join", exact=True).click()
    expect(bar(teacher)).to_contain_text("3 here")
    expect(tool(first, "Leader tools")).to_be_hidden()
    steps = teacher.get_by_role("group", name="Next steps").get_by_role("button")
    at_first = boxes(steps)
    tool(teacher, "Ask").click()
    answer([first, second, typed], 0, 1, 1)
    expect(second.get_by_text("Who is near")).to_be_visible()  # it came with the link, and stays
    expect(bar(teacher)).to_contain_text("Round 1: answers from 3 of 3 members")
    expect(teacher.locator(f"{ROOM} .tally")).to_be_hidden()
    tool(teacher, "Ask again").click()
    expect(bar(first)).to_contain_text("Choose an answer")
    answers(first).nth(1).click()
    tool(teacher, "Show answers").click()
    assert boxes(steps) == at_first, "the buttons of the next steps keep their places"
    expect(first.locator(f"{ROOM} .card .count")).to_have_text(["1", "0", "2", "1"])
    verdict = first.get_by_text("That is correct")
    expect(verdict).to_be_hidden()
    tool(teacher, "Reveal answer").click()
    expect(verdict).to_be_visible()
    expect(teacher.locator(f"{ROOM} .card .count")).to_have_text(["1", "0", "2", "1"])
    assert not axe(teacher, include=ROOM)
    open_panel(teacher)
    with teacher.expect_download() as saved:
        tool(teacher, "Download answers").click()
    assert saved.value.suggested_filename == f"{room}.csv"
    assert list(csv.reader(saved.value.path().read_text(encoding="utf-8-sig").splitlines())) == [
        ["question", "page", "round", "answer", "count"],
        *(["1", "Similarity", *row] for row in (["1", "orange", "1"], ["1", "phone", "2"])),
        *(["1", "Similarity", *row] for row in (["2", "orange", "0"], ["2", "phone", "1"])),
    ]


def test_a_question_asked_again_hides_its_answer_from_everybody(open_class):
    teacher, _, *class_ = open_class("", "")
    known = teacher.locator('[class*="st-key-similarity-guess-"]').first
    for _ in range(3):  # twice while it is open
        tool(teacher, "Ask").click()
        answer(class_, 1, 1)
        expect(known).to_be_visible()
        expect(teacher.locator(ROOM)).to_contain_text("Round 1: answers from 2 of 2 members")
        tool(teacher, "Reveal answer").click()
        expect(known).to_be_hidden()
        expect(class_[0].get_by_text("That is correct")).to_be_visible()
    expect(class_[0].locator(f"{ROOM} .card")).to_be_visible()
    use(teacher, "Follow me")  # the tally makes way for the page that all are to look at
    expect(bar(class_[0])).to_contain_text("your teacher’s figure")
    expect(class_[0].locator(f"{ROOM} .card")).to_be_hidden()
    for page in class_:  # as the leader's page does, it shows the result again
        page.wait_for_url(lambda url: "predict=1" not in url)
    give_back(teacher)
    own_again(*class_)


def test_members_see_each_others_hands_and_the_leaders_page_and_lose_nothing_of_their_own(open_class):
    teacher, room, first, second = open_class("", "")
    class_ = [first, second]
    expect(apple(first)).to_have_attribute("aria-valuetext", re.compile("tech 2.00"))
    movable(*class_)
    for page, key in ((first, "ArrowRight"), (second, "ArrowUp")):
        apple(page).focus()
        page.keyboard.press(f"Shift+{key}")
    expect(apple(first)).to_have_attribute("aria-valuetext", re.compile("tech 3.00"))
    use(teacher, "On my screen")
    expect(hands(teacher)).to_have_count(2)
    expect(hands(first)).to_have_count(0)
    use(teacher, "On every screen")
    expect(hands(first)).to_have_count(1)  # its own is under the hand

    mine = apple(first).get_attribute("aria-valuetext")
    apple(teacher).focus()
    teacher.keyboard.press("Shift+ArrowDown")
    use(teacher, "Follow me")
    expect(bar(first)).to_contain_text("your teacher’s figure")
    drawn(first, teacher.evaluate(APPLE))
    assert apple(first).get_attribute("aria-valuetext") == mine
    teacher.get_by_role("link", name="Softmax").first.click()
    for page in class_:
        page.wait_for_url(re.compile(rf"/softmax\?.*room={room}"))

    # The result is hidden for all, as long as it is for whoever leads.
    teacher.get_by_text("Predict first").click()
    for page in (teacher, *class_):
        expect(answers(page, "softmax").first).to_be_visible()
    answers(teacher, "softmax").first.click()
    for page in (teacher, *class_):
        expect(answers(page, "softmax")).to_have_count(0)
    use(teacher, "Pause pages")
    use(teacher, "2 min")
    expect(bar(second)).to_contain_text("Look to the front")
    expect(bar(second)).to_contain_text(re.compile(r"[12]:\d\d"))
    assert second.evaluate("document.getElementById('root').inert")
    give_back(teacher)
    for page in class_:
        page.wait_for_url(re.compile(rf"/similarity\?.*room={room}"))
    expect(apple(first)).to_have_attribute("aria-valuetext", mine)
    assert not second.evaluate("document.getElementById('root').inert")
    expect(bar(second)).not_to_contain_text(":")


def test_who_leaves_or_is_removed_or_comes_to_a_locked_room(open_class, come, nginx: Nginx):
    teacher, room, first, second = open_class("", "")
    link = f"/similarity?room={room}"

    # An open panel takes nothing of the page but its own place; Escape closes it.
    tool(teacher, "Leader tools").click()
    assert teacher.evaluate("document.elementFromPoint(300, innerHeight / 2).closest('#root') !== null")
    teacher.keyboard.press("Escape")
    expect(teacher.locator(f"{ROOM} .panel")).to_be_hidden()

    # The button that closes the room stays where it is while the one above it asks whether it is meant.
    open_panel(teacher)
    closes = boxes(tool(teacher, "Close the room"))
    with time_stands_still(teacher):
        tool(teacher, "Return everyone to their own page").click()
        assert boxes(tool(teacher, "Close the room")) == closes
        tool(teacher, "Return everyone?").click()

    # Who leaves during a question with other numbers has its own page again.
    movable(first)
    apple(first).focus()
    first.keyboard.press("Shift+ArrowRight")
    expect(apple(first)).to_have_attribute("aria-valuetext", re.compile("tech 3.00"))
    own = apple(first).get_attribute("aria-valuetext")
    tool(teacher, "Ask").click()
    expect(apple(first)).to_have_attribute("aria-valuetext", apple(teacher).get_attribute("aria-valuetext"))
    first.get_by_role("button", name="Live classroom").click()
    first.get_by_role("button", name="Leave the room").click()
    expect(apple(first)).to_have_attribute("aria-valuetext", own)
    expect(first).not_to_have_url(re.compile("room="))
    give_back(teacher)
    own_again(second)
    expect(bar(teacher)).to_contain_text("1 here")

    # A tab whose seat another one has taken (its own copy, or itself after a sleep) finds back into the room.
    told = second.evaluate(f"sessionStorage.getItem('room {room} seat')")
    with connect(f"{nginx.url.replace('http', 'ws')}/room?room={room}", origin=nginx.url) as copy:
        copy.send(json.dumps({"do": "join", "seat": told}))
        copy.recv()
        expect(bar(teacher)).to_contain_text("2 here")
        assert second.evaluate(f"sessionStorage.getItem('room {room} seat')") != told
    expect(bar(teacher)).to_contain_text("1 here")
    expect(bar(second)).to_contain_text("1 here")

    # A link to lead is taken out of the address at once, and can be withdrawn.
    secret = teacher.evaluate(f"sessionStorage.getItem('room {room} lead')")
    lead = f"{link}#lead={secret}"
    second.goto(f"{nginx.url}/health")
    second.goto(nginx.url + lead)
    expect(bar(second)).to_contain_text("You are leading")
    assert secret not in second.url
    assert secret not in nginx.output()
    use(teacher, "Replace leader link")
    expect(tool(second, "Leader tools")).to_be_hidden()
    second.goto(f"{nginx.url}/health")
    second.goto(nginx.url + lead)
    expect(bar(second)).to_contain_text("1 here")
    expect(tool(second, "Leader tools")).to_be_hidden()

    # A member that is removed stays out; a locked room lets in only those who were there.
    number = re.search(r"member (\d+)", bar(second).inner_text())[1]
    open_panel(teacher)
    seat = teacher.locator(f"{ROOM} .seats li", has_text=f"Member {number}")
    with time_stands_still(teacher):
        seat.get_by_role("button", name="Remove").click()
        seat.get_by_role("button", name="Remove for good").click()
    expect(bar(second)).to_contain_text("You were removed")
    expect(seat).to_have_count(0)
    use(teacher, "Lock")
    late = come(link)
    expect(bar(late)).to_contain_text("The room is locked")
    expect(bar(teacher)).to_contain_text("0 here")


def test_a_room_outlives_its_replica_and_ends_when_it_is_closed(open_class, nginx: Nginx):
    """The leader's browser opens it again under the same words; members have their seats, answers and numbers."""
    teacher, room, first = open_class("")
    movable(first)
    apple(first).focus()
    first.keyboard.press("Shift+ArrowRight")
    expect(apple(first)).to_have_attribute("aria-valuetext", re.compile("tech 3.00"))
    mine = apple(first).get_attribute("aria-valuetext")
    tool(teacher, "Ask").click()
    answer([first], 1)
    expect(bar(teacher)).to_contain_text("Round 1: 1 of")
    place = first.evaluate(f"sessionStorage.getItem('room {room} seat')")
    held = [host.metrics()["room_members"] for host in nginx.hosts]
    assert min(held) == 0, "all are where the room is, wherever their pages are"
    gone = nginx.hosts[held.index(max(held))]
    port = gone.port
    gone.process.send_signal(signal.SIGKILL)
    gone.process.wait()
    expect(bar(first)).to_contain_text("Your work is kept")
    gone.stop()
    gone.port = port
    gone.start()
    expect(bar(teacher)).to_contain_text("Round 1: 1 of", timeout=60_000)
    expect(bar(first)).to_contain_text("Your answer: phone")
    assert first.evaluate(f"sessionStorage.getItem('room {room} seat')") == place
    give_back(teacher)
    own_again(first)
    expect(apple(first)).to_have_attribute("aria-valuetext", mine)
    use(teacher, "Close the room")
    tool(teacher, "Close for everyone?").click()
    expect(bar(first)).to_contain_text("The room was closed")
    tool(first, "Leave").click()
    expect(bar(first)).to_have_count(0)
    expect(apple(first)).to_have_attribute("aria-valuetext", mine)
    expect(first).not_to_have_url(re.compile("room="))
    assert ask(nginx, "/health")[0] == 200


# What a page asks of its Python waits until it is let go; what it tells its room does not.
HOLD = """() => {
  const native = Object.getPrototypeOf(WebSocket.prototype), { send } = native;
  window.waiting = [];
  native.send = function (data) {
    if (typeof data === 'string') send.call(this, data);
    else waiting.push(() => send.call(this, data));
  };
  window.let_go = () => {
    native.send = send;
    for (const say of waiting.splice(0)) say();
  };
}"""


def test_what_is_moved_on_a_page_that_another_replaces_is_not_lost(open_page):
    """A hand has let go before its page is led away, and takes hold of nothing before its own page is back."""
    teacher = open_page("/similarity", alone=True)
    teacher.get_by_role("button", name="Live classroom").click()
    teacher.get_by_role("button", name="Open a room").click()
    expect(bar(teacher)).to_contain_text("You are leading")
    room = teacher.locator(f"{ROOM} .name").inner_text().replace(" ", "-")
    pupil = open_page(f"/similarity?room={room}", alone=True)
    expect(bar(teacher)).to_contain_text("1 here")
    told = lambda: apple(pupil).get_attribute("aria-valuetext")  # noqa: E731

    at_first = told()
    drag_and_hold(pupil, apple(pupil), -40, 0)
    tool(teacher, "Ask").click()
    expect(bar(pupil)).to_contain_text("Choose an answer")
    pupil.wait_for_timeout(1500)  # longer than a page waits before it is led away
    pupil.mouse.up()
    mine = told()
    assert mine != at_first
    pupil.wait_for_url(re.compile("predict=1"))
    expect(apple(pupil)).to_have_attribute(
        "aria-valuetext", at_first, timeout=15_000
    )  # the numbers of whoever asks

    pupil.evaluate(HOLD)
    give_back(teacher)
    pupil.wait_for_function("waiting.length")
    apple(pupil).focus()
    pupil.keyboard.press("Shift+ArrowRight")
    assert told() == at_first
    pupil.evaluate("let_go()")
    expect(apple(pupil)).to_have_attribute("aria-valuetext", mine)
    movable(pupil)
    apple(pupil).focus()
    pupil.keyboard.press("Shift+ArrowRight")
    use(teacher, "On my screen")
    expect(hands(teacher)).to_have_count(1)
    settled(pupil)
    assert told() not in (mine, at_first)


BALLOT = """() => {
  const found = { said: [], heard: [], now: { page: 'p', open: false, coming: true, question: 1, chosen: null } };
  ['pear', 'fig'].forEach((name, i) => {
    const button = document.createElement('button');
    button.textContent = name;
    button.addEventListener('click', () => found.heard.push(button.textContent));
    const box = document.body.appendChild(document.createElement('div'));
    box.className = `st-key-p-guess-${i}`;
    box.append(button);
  });
  found.votes = ballot_module.ballot(() => found.now, place => found.said.push(place));
  window.found = found;
}"""


def test_an_answer_pressed_before_the_page_knows_its_question_is_given_once_it_does(browser):
    with browser.new_page() as page:
        page.evaluate(f"() => {{ {bundle(door.BROWSER / 'ballot.js')}; window.ballot_module = ballot_module; }}")
        page.evaluate(BALLOT)

        def told(**now):
            page.evaluate("now => { Object.assign(found.now, now); found.votes.draw(); }", now)
            return page.evaluate("[found.said.splice(0), found.heard.splice(0)]")

        page.get_by_role("button", name="fig").click()
        assert told() == [[], []]
        assert told(open=True, coming=False) == [[1], []]
        assert told() == [[], []]
        page.get_by_role("button", name="pear").click()
        assert told() == [[0], []], "as ever, once the question is there"
        told(open=False, coming=True)
        page.get_by_role("button", name="fig").click()
        page.evaluate("document.querySelectorAll('button')[1].textContent = 'plum'")
        assert told(open=True, coming=False) == [[], []], "the answer to something else"
        told(open=False, coming=True)
        page.get_by_role("button", name="plum").click()
        assert told(open=True, coming=False, question=2) == [[], []], "another question"
        told(open=False, question=None)
        page.get_by_role("button", name="plum").click()
        assert told() == [[], ["plum"]], "no question is open"


def test_a_class_is_joined_by_two_words_at_the_door(open_page):
    """From the sidebar, and at an address that is easily said."""
    teacher = open_page("/similarity")
    teacher.get_by_role("button", name="Live classroom").click()
    teacher.get_by_role("button", name="Open a room").click()
    room = teacher.locator(f"{ROOM} .name").inner_text()
    expect(bar(teacher)).to_contain_text("0 here")
    home = open_page("/")
    home.get_by_role("link", name="Join a class").click()
    field = home.get_by_label("Room name (two words)")
    expect(home.get_by_test_id("stSidebar")).to_be_hidden()
    home.set_viewport_size({"width": 390, "height": 844})
    assert field.bounding_box()["width"] > 250
    field.fill(room)
    field.press("Enter")
    expect(bar(teacher)).to_contain_text("1 here")
    expect(field).to_have_count(0)
    asked = open_page("/join", wait=False)
    asked.get_by_label("Room name (two words)").fill("nonsense")
    asked.get_by_role("button", name="Join").click()
    expect(asked.get_by_text("isn’t a room name")).to_be_visible()
    asked.get_by_label("Room name (two words)").fill(room.title())
    asked.get_by_role("button", name="Join").click()
    expect(bar(teacher)).to_contain_text("2 here")
    apple(asked).wait_for()
    expect(asked.get_by_role("link", name="Join a class")).to_have_count(0)
    link = open_page(f"/join?room={room.replace(' ', '-')}", wait=False)
    expect(bar(link)).to_contain_text("3 here")
    for page in (asked, home):
        expect(bar(page)).to_contain_text("3 here")
    tool(teacher, "Show join code").click()
    expect(teacher.locator(f"{ROOM} .poster")).to_contain_text(room)
    tool(teacher, "Close").click()
    tool(teacher, "Show join code").click()
    tool(teacher, "Ask").click()  # the question takes the code's place
    expect(teacher.locator(f"{ROOM} .poster")).to_be_hidden()
    expect(bar(teacher)).to_contain_text("Round 1")
