"""A class in one room: a teacher and three students at two replicas behind nginx, until one replica dies."""

import json
import re
import signal

import pytest
from playwright.sync_api import expect
from websockets.sync.client import connect

from tests.browser.harness import axe
from tests.hosting.harness import Nginx, ask, replicas

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
    if not teacher.locator(f"{ROOM} .panel").is_visible():
        tool(teacher, "Lead").click()
    tool(teacher, name).click()


def give_back(teacher):
    """Asked once whether it is meant."""
    use(teacher, "Give everybody their own page back")
    tool(teacher, "Give back for all?").click()


def answers(page):
    return page.locator('[class*="st-key-similarity-guess-"] button')


def hands(page):
    return page.locator("[data-stage] .cloud.dots path")


def apple(page):
    return page.locator('[data-stage] [data-handle="apple"]').first


def drawn(page, wanted):
    """Wait until the apple is drawn at its place on another's plane."""
    for _ in range(100):
        if page.evaluate(APPLE) == pytest.approx(wanted, abs=0.03):
            return
        page.wait_for_timeout(100)
    assert page.evaluate(APPLE) == pytest.approx(wanted, abs=0.03)


def test_a_class_in_one_room(open_page, nginx: Nginx):
    """One long visit, since each page that is opened costs two seconds."""

    def come(path, **more):
        page = open_page(path, server=nginx, wait=False, allow=AWAY, **more)
        apple(page).wait_for(timeout=60_000)
        return page

    teacher = come("/similarity")
    teacher.get_by_role("button", name="A class in one room").click()
    teacher.get_by_role("button", name="Open a room").click()
    expect(bar(teacher)).to_contain_text("You lead")
    room = re.search(r"[?&]room=([a-z]+-[a-z]+)", teacher.url)[1]
    link = f"/similarity?room={room}"
    first, second = come(link), come(f"{link}&question=Who-is-near")
    typed = come("/similarity", width=390, height=844, touch=True)  # by the two words, on a telephone
    typed.get_by_test_id("stExpandSidebarButton").click()
    typed.get_by_role("button", name="A class in one room").click()
    typed.get_by_label("The two words").fill(room.replace("-", " ").title())
    typed.get_by_role("button", name="Join", exact=True).click()
    class_ = [first, second, typed]
    expect(bar(teacher)).to_contain_text("3 here")
    expect(tool(first, "Lead")).to_be_hidden()

    # A question, two rounds, and what is right.
    use(teacher, "Ask this page's question")
    for page, answer in zip(class_, (0, 1, 1), strict=True):
        expect(bar(page)).to_contain_text("choose an answer", timeout=15_000)
        answers(page).nth(answer).click()
        expect(bar(page)).to_contain_text(f"Your answer: {['orange', 'phone'][answer]}")
    expect(second.get_by_text("Who is near")).to_be_visible()  # it came with the link, and stays
    tally = teacher.locator(f"{ROOM} .panel .tally")
    expect(teacher.locator(ROOM)).to_contain_text("Round 1: 3 of 3 have answered")
    expect(tally).to_be_hidden()
    use(teacher, "Ask again after talking")
    expect(bar(first)).to_contain_text("choose an answer")
    answers(first).nth(1).click()
    use(teacher, "Show the answers given")
    expect(first.locator(f"{ROOM} .card .count")).to_have_text(["1", "0", "2", "1"])
    verdict = first.get_by_text("and so it is")
    expect(verdict).to_be_hidden()
    use(teacher, "Show what is right")
    expect(verdict).to_be_visible(timeout=15_000)
    expect(teacher.locator(f"{ROOM} .card .count")).to_have_text(["1", "0", "2", "1"])
    assert not axe(teacher, include=ROOM)
    give_back(teacher)
    for page in class_:
        page.wait_for_url(lambda url: "predict=1" not in url, timeout=15_000)
        expect(tool(page, "Back to my page")).to_be_hidden()

    # The same again, and again while it is open: nobody is shown the answer, everybody may answer.
    known = teacher.locator('[class*="st-key-similarity-guess-"]').first
    for name in ("Ask this page's question", "Ask anew"):
        use(teacher, name)
        for page in class_:
            expect(bar(page)).to_contain_text("choose an answer", timeout=15_000)
            answers(page).nth(1).click()
            expect(bar(page)).to_contain_text("Your answer: phone")
        expect(known).to_be_visible(timeout=15_000)
        expect(teacher.locator(ROOM)).to_contain_text("Round 1: 3 of 3 have answered")
        use(teacher, "Show what is right")
        expect(known).to_be_hidden(timeout=15_000)
        expect(verdict).to_be_visible(timeout=15_000)
    give_back(teacher)
    for page in class_:
        page.wait_for_url(lambda url: "predict=1" not in url, timeout=15_000)

    # Everybody's hands.
    expect(apple(first)).to_have_attribute("aria-valuetext", re.compile("tech 2.00"))
    for page, key in ((first, "ArrowRight"), (second, "ArrowUp")):
        apple(page).focus()
        page.keyboard.press(f"Shift+{key}")
    use(teacher, "here")
    expect(hands(teacher)).to_have_count(2, timeout=15_000)
    expect(hands(typed)).to_have_count(0)
    use(teacher, "on every screen")
    expect(hands(typed)).to_have_count(2, timeout=15_000)
    expect(hands(first)).to_have_count(1)  # its own is under the hand

    # The teacher's pose on every screen, and nothing of theirs lost.
    mine = apple(first).get_attribute("aria-valuetext")
    apple(teacher).focus()
    teacher.keyboard.press("Shift+ArrowDown")
    use(teacher, "Follow me")
    expect(bar(first)).to_contain_text("that is led")
    drawn(first, teacher.evaluate(APPLE))
    assert apple(first).get_attribute("aria-valuetext") == mine
    teacher.get_by_role("link", name="Softmax").first.click()
    for page in class_:
        page.wait_for_url(re.compile(rf"/softmax\?.*room={room}"), timeout=20_000)
    use(teacher, "Freeze")
    use(teacher, "2 min")
    expect(bar(second)).to_contain_text("Eyes to the front")
    expect(bar(second)).to_contain_text(re.compile(r"[12]:\d\d"))
    assert second.evaluate("document.getElementById('root').inert")
    give_back(teacher)
    for page in class_:
        page.wait_for_url(re.compile(rf"/similarity\?.*room={room}"), timeout=20_000)
    expect(apple(first)).to_have_attribute("aria-valuetext", mine)
    assert not second.evaluate("document.getElementById('root').inert")
    expect(bar(second)).not_to_contain_text(":")

    # An open panel takes nothing of the page but its own place; Escape and a press beside it close it.
    tool(teacher, "Lead").click()
    top = "document.elementFromPoint(300, innerHeight / 2).closest('#root') !== null"
    assert teacher.evaluate(top)
    teacher.keyboard.press("Escape")
    expect(teacher.locator(f"{ROOM} .panel")).to_be_hidden()

    # A question with other numbers; who leaves meanwhile has its own page again.
    own = apple(typed).get_attribute("aria-valuetext")
    use(teacher, "Ask this page's question")
    for page in (first, typed):
        expect(apple(page)).to_have_attribute(
            "aria-valuetext", apple(teacher).get_attribute("aria-valuetext"), timeout=15_000
        )
    typed.get_by_test_id("stExpandSidebarButton").click()
    typed.get_by_role("button", name="A class in one room").click()
    typed.get_by_role("button", name="Leave the room").click()
    expect(apple(typed)).to_have_attribute("aria-valuetext", own, timeout=15_000)
    give_back(teacher)
    expect(apple(first)).to_have_attribute("aria-valuetext", mine, timeout=15_000)
    expect(typed).not_to_have_url(re.compile("room="))

    # Everybody is on a page of their own again: a tab on its way there may be out of the room for a while.
    second.wait_for_url(lambda url: "predict=1" not in url, timeout=15_000)
    for page in (teacher, second):
        expect(bar(page)).to_contain_text("2 here", timeout=15_000)

    # A tab whose seat another one has taken (its own copy, or itself after a sleep) finds back into the room.
    told = second.evaluate(f"sessionStorage.getItem('room {room} seat')")
    with connect(f"{nginx.url.replace('http', 'ws')}/room?room={room}", origin=nginx.url) as copy:
        copy.send(json.dumps({"do": "join", "seat": told}))
        copy.recv()
        expect(bar(teacher)).to_contain_text("3 here", timeout=15_000)
        assert second.evaluate(f"sessionStorage.getItem('room {room} seat')") != told
    expect(bar(teacher)).to_contain_text("2 here", timeout=15_000)
    expect(bar(second)).to_contain_text("2 here")

    # A link to lead is taken out of the address at once, and can be withdrawn.
    secret = teacher.evaluate(f"sessionStorage.getItem('room {room} lead')")
    lead = f"{link}#lead={secret}"
    second.goto(f"{nginx.url}/health")
    second.goto(nginx.url + lead)
    expect(bar(second)).to_contain_text("You lead", timeout=30_000)
    assert secret not in second.url
    assert secret not in nginx.output()
    use(teacher, "Withdraw it and make a new one")
    expect(tool(second, "Lead")).to_be_hidden()
    second.goto(f"{nginx.url}/health")
    second.goto(nginx.url + lead)
    expect(bar(second)).to_contain_text("2 here", timeout=30_000)
    expect(tool(second, "Lead")).to_be_hidden()

    # The replica that has the room dies: the others go on alone with what they made; then the room is over.
    held = [host.metrics()["room_members"] for host in nginx.hosts]
    assert sorted(held) == [0, 3], "all are where the room is, wherever their pages are"
    gone = nginx.hosts[held.index(3)]
    port = gone.port
    gone.process.send_signal(signal.SIGKILL)
    gone.process.wait()
    expect(bar(first)).to_contain_text("What you make stays", timeout=15_000)
    apple(first).wait_for(timeout=30_000)
    expect(apple(first)).to_have_attribute("aria-valuetext", mine, timeout=30_000)
    gone.stop()
    gone.port = port
    gone.start()
    expect(bar(first)).to_contain_text("its server was restarted", timeout=40_000)
    tool(first, "Leave").click()
    expect(bar(first)).to_have_count(0)
    expect(apple(first)).to_have_attribute("aria-valuetext", mine)
    expect(first).not_to_have_url(re.compile("room="), timeout=15_000)
    assert ask(nginx, "/health")[0] == 200
