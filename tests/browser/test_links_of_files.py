"""A page that stands alone opens a link as the app does: the same pose, the same figure, the same labels."""

import json
import random
from urllib.parse import urlencode

import numpy as np
import pytest

from attention_lab.export import standalone
from attention_lab.export.web_page import HERE
from attention_lab.state.update import Move, SetFields, update
from tests.visit import PAGES, lesson_of

STATES = 20
LESSONS = {lesson.name: lesson for lesson in (lesson_of(path).LESSON for path in PAGES)}
# Further places to begin at, by what tells them apart.
EXPERIMENTS = ("swap", "seeds", "deletion", "second_hand", "tells")
OTHERS = {experiment: ("misleading", {"experiment": experiment}) for experiment in EXPERIMENTS} | {
    "two layers": ("self_attention", {"example": "money_bank"}),
    "one matrix": ("queries_keys", {"way": "one", "example": "buy_an_apple"}),
    "own words": ("masking", {"example": "own", "words": "one.two.one.phone"}),
    "learned": ("cross_attention", {"model": "two_heads"}),
    "plain": ("trained_model", {"model": "plain", "opening": "bank"}),
}
# Moved by a hand, these change in Python what else can be chosen, or what a further setting is at first.
READ_TOKENS = (*EXPERIMENTS, "misleading", "trained_model", "plain")
NEED_PYTHON = {begin: {"tokens"} for begin in READ_TOKENS} | {
    "train_a_head": {"sentence"},
    "one matrix": {"W_query"},
    "own words": {"vectors"},
}
# Opens a link as a file does that holds these.
OPENER = """
window.openerOf = ({ standalone, payload }) => query => {
  const { pose, refused } = readLink([...new URLSearchParams(query)], standalone.link);
  return { ...payloadFor(pose, payload, standalone), refused };
};
"""


@pytest.fixture
def opens(offline_tab):
    """Open links as the file of a view does; each gives the payload, and what was refused."""
    code = (HERE / "web_page.js").read_text(encoding="utf-8")
    tab = offline_tab()
    tab.goto("about:blank")
    tab.add_script_tag(content=f"{code}\n{OPENER}", type="module")
    tab.wait_for_function("Boolean(window.openerOf)")

    def file_of(view):
        tables = {"link": standalone.link_table(view.state), "choices": standalone.choices(view)}
        file = {"standalone": tables, "payload": json.loads(view.payload)}
        opener = tab.evaluate_handle("file => openerOf(file)", file)
        return lambda link: opener.evaluate("(opener, query) => opener(query)", urlencode(link))

    return file_of


def moved(state, chance):
    """What a hand may make of a state: a choice, or a number moved."""
    f = chance.choice([f for f in state.fields if f.interactive])
    value = state.values[f.name]
    if f.options:
        return update(state, SetFields({f.name: chance.choice(list(f.options(state.values)))}))
    if isinstance(value, np.ndarray) and value.size:
        value = value.copy()
        value[chance.randrange(len(value)), chance.randrange(value.shape[1])] += chance.choice([-1, 1])
        return update(state, Move({f.name: value.tolist()}))
    if isinstance(value, float):
        return update(state, Move({f.name: value + chance.random()}))
    return state


def walk(state, chance):
    """A state that a hand has reached in up to four moves, as its link says it."""
    for _ in range(chance.randrange(1, 5)):
        state = moved(state, chance)
    return state.lesson.parse(state.link)[0]


@pytest.mark.parametrize("begin", [*LESSONS, *OTHERS])
def test_a_link_opens_as_in_the_app(opens, begin):
    name, query = OTHERS.get(begin, (begin, {}))
    lesson, chance, opened = LESSONS[name], random.Random(begin), 0
    first, notices = lesson.parse(query)
    assert notices == []
    files = [opens(lesson.view(state)) for state in (first, walk(first, chance))]
    while opened < STATES:
        state = walk(first, chance)
        wanted = shown_of(json.loads(lesson.view(state).payload))
        for file in files:
            found = file(state.link)
            if refused := found.pop("refused"):
                assert NEED_PYTHON.get(begin, set()) & state.link.keys(), (refused, state.link)
            else:
                opened += file is files[0]
                assert shown_of(found) == wanted, state.link


def shown_of(payload):
    """What of a payload the page shows, but for the handle that is marked until anything is moved."""
    own = standalone.OWN_IN_BROWSER - {"pose"} | {"first"}
    return {name: value for name, value in payload.items() if name not in own}
