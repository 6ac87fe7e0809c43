"""A lesson of 45 minutes: its stops from the route on home, with a link, a question and its answer for each."""

from __future__ import annotations

import re

from attention_lab import course
from attention_lab import text as prose
from attention_lab.export import qr
from attention_lab.lesson import Lesson
from attention_lab.root import ROOT
from attention_lab.state import permalink
from attention_lab.state.state import State
from attention_lab.worksheets.plan import Stop

OWN_PARTS = qr.QR
PAGES = {link.title: link for link in course.page_links(ROOT / "pages", with_home=True)}
ROUTES = {"whole": ("part_1", "part_2", "part_3"), "part_1": ("part_1_alone",), "second": ("part_4",)}
STOP = re.compile(r"^- (.+), (\d+) minutes: (.+)$", re.MULTILINE)

FIELDS = (
    permalink.choice("route", "the way through the course", tuple(ROUTES)),
    permalink.flag("guess", "1: the links ask for a guess first"),
    permalink.flag("answers", "1: the answers to the questions are open"),
)


def stops(state: State) -> list[Stop]:
    """The stops of the chosen route, in their order."""
    lines = "\n".join(prose.read("home")[f"route/{part}"] for part in ROUTES[state.route])
    found, begin = [], 0
    for title, minutes, what in STOP.findall(lines):
        end = begin + int(minutes)
        found.append(stop(state, title, f"{begin}–{end}", what))
        begin = end
    return found


def stop(state: State, title: str, when: str, what: str) -> Stop:
    """One stop: its page with the goal that suits what is done there."""
    to = PAGES[title]
    goal = state.text[f"goals/{to.page}"]
    sentence, told = next(
        (sentence, told) for sentence, told in course.goal_settings(to.page, to.text) if told["goal"] == goal
    )
    settings = told | ({"predict": "1"} if state.guess else {})
    notes = to.text.parts("notes")
    return Stop(
        to=to,
        when=state.text.filled("when", minutes=when),
        what=what[0].upper() + what[1:],
        goal=sentence,
        ask=notes["ask"],
        misconception=notes["misconception"],
        answer=notes["answer"],
        settings=settings,
        path=qr.address(to.page, settings),
        label=state.text.filled("label", page=title),
    )


LESSON = Lesson(
    "lesson_plan",
    FIELDS,
    own_parts=OWN_PARTS,
)
