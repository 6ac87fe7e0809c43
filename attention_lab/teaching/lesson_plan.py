"""Plans of lessons: their stops, with a link, a question and its answer for each."""

from attention_lab import course
from attention_lab.export import qr
from attention_lab.lesson import Lesson
from attention_lab.root import ROOT
from attention_lab.state import permalink
from attention_lab.state.state import State
from attention_lab.worksheets.plan import Stop

PAGES = {link.page: link for link in course.page_links(ROOT / "pages", with_home=True)}
# The minutes of each stop, by its page. A longer stop has other words.
ROUTES = {
    "whole": {
        **{"home": 3, "embeddings": 4, "similarity": 4, "softmax": 6},
        **{"queries_keys": 6, "values": 5, "self_attention": 7, "masking": 5, "multi_head": 5},
    },
    "part_1": {"home": 5, "embeddings/long": 12, "similarity/long": 12, "softmax/long": 16},
    "sixty": {
        **{"home": 4, "embeddings": 6, "similarity": 6, "softmax": 8},
        **{"queries_keys": 8, "values": 7, "self_attention": 8, "masking": 6, "multi_head": 7},
    },
    "ninety": {
        **{"home": 4, "embeddings/long": 8, "similarity/long": 9, "softmax/long": 10},
        **{"queries_keys": 9, "values": 8, "self_attention": 10, "masking": 7, "position": 7},
        **{"multi_head": 8, "train_a_head": 10},
    },
    "second": {"train_a_head": 8},
    "start": {},  # no lesson: how to start a live class
}

FIELDS = (
    permalink.choice("route", "the route through the course", tuple(ROUTES)),
    permalink.flag("guess", "1: linked pages ask for a prediction first"),
    permalink.flag("answers", "1: show the answers to the questions"),
)


def stops(state: State) -> list[Stop]:
    """The stops of the chosen route, in their order."""
    result, begin = [], 0
    for name, minutes in ROUTES[state.route].items():
        result.append(stop(state, name, f"{begin}–{begin + minutes}"))
        begin += minutes
    return result


def stop(state: State, name: str, when: str) -> Stop:
    """One stop: its page with the goal that suits what is done there."""
    to = PAGES[name.partition("/")[0]]
    goal = state.text[f"goals/{to.page}"]
    offered = course.goal_settings(to.page, to.text)
    sentence, settings = next(each for each in offered if each[1]["goal"] == goal)
    settings = settings | ({"predict": "1"} if state.guess else {}) | state.of_language
    notes = to.text.parts("notes")
    return Stop(
        to=to,
        when=state.text.filled("when", minutes=when),
        what=state.text[f"stops/{name}"],
        goal=sentence,
        ask=notes["ask"],
        misconception=notes["misconception"],
        answer=notes["answer"],
        settings=settings,
        path=qr.address(to.page, settings),
        label=state.text.filled("label", page=to.title),
    )


LESSON = Lesson("lesson_plan", FIELDS, own_parts=qr.QR)
