"""Worksheets: a topic and a seed make tasks; the words around their numbers, and what is said of an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attention_lab import course
from attention_lab import text as prose
from attention_lab.export import qr
from attention_lab.lesson import Lesson
from attention_lab.root import ROOT
from attention_lab.state import permalink
from attention_lab.state.state import State
from attention_lab.text.as_text import as_text
from attention_lab.worksheets import (
    LAST_SEED,
    WORKSHEET_TOPICS,
    Task,
    Worksheet,
    check_answer,
    make_worksheet,
)
from attention_lab.worksheets.sheet import Question, Sheet

__all__ = ["LAST_SEED", "MOST_SHEETS"]

OWN_PARTS = qr.QR
MOST_SHEETS = 40
PLACED = {0: ".0f", 2: ".2f"}  # how an answer stands in the key that is asked to so many places
PAGES = {link.page: link for link in course.page_links(ROOT / "pages")}
TOPICS = tuple(topic for topic in WORKSHEET_TOPICS if topic in PAGES)

FIELDS = (
    permalink.choice("topic", "the page that it is about", TOPICS, "similarity"),
    permalink.whole_number(
        "seed",
        "the sheet's number: its tasks' numbers are drawn from it",
        1,
        LAST_SEED,
        lambda _: 1,
        interactive=False,
    ),
    permalink.whole_number(
        "sheets", "how many sheets, from that number on", 1, MOST_SHEETS, lambda _: 1, interactive=False
    ),
    permalink.flag("key", "1: with the answer key, on a page of its own"),
)


def topic_names() -> dict[str, str]:
    """What the topics are called: as their pages."""
    return {topic: PAGES[topic].title for topic in TOPICS}


def another(state: State) -> permalink.Values:
    """The next number, and from the last the first."""
    return {"seed": state.seed % LAST_SEED + 1}


def with_key(state: State) -> bool:
    """Whether the answer key is wanted."""
    return state.values["key"]


def sheets(state: State) -> list[Sheet]:
    """As many sheets as are wanted, one for each number, and again from the first behind the last."""
    return [sheet(state, (state.seed + k - 1) % LAST_SEED + 1) for k in range(state.sheets)]


def sheet(state: State, seed: int) -> Sheet:
    """One sheet in words."""
    text, made, about = state.text, make_worksheet(state.topic, seed), PAGES[state.topic]
    goal, address = about.settings[(seed - 1) % len(about.settings)]
    return Sheet(
        topic=about.title,
        seed=seed,
        head=text.filled("head", topic=about.title, seed=str(seed)),
        given=text.filled(f"given/{made.topic}", **in_words(made.givens)),
        questions=[question(state, made, place) for place in range(len(made.tasks))],
        goal=text.filled("pattern", goal=goal),
        goal_path=qr.address(about.page, {name: told for name, told in address.items() if name != "predict"}),
        goal_label=text.filled("pattern_label", topic=about.title),
    )


def question(state: State, made: Worksheet, place: int) -> Question:
    """A task in words, and what is said of an answer to it."""
    text, task, number = state.text, made.tasks[place], str(place + 1)
    asked = text.filled(f"tasks/{made.topic}/{task.name}", **in_words({**made.givens, **task.givens}))
    if task.options:
        asked = text.filled("options", asked=asked, options=_list(task.options))
    return Question(
        key=f"{made.topic}.{made.seed}.{number}",
        asked=asked,
        label=text.filled("answer", number=number),
        answer=in_key(task),
        check=lambda said: checked(text, task, said),
    )


def checked(text: prose.Text, task: Task, said: str) -> tuple[bool, str]:
    """Whether an answer is right, and a sentence about it; none where nothing was written."""
    verdict = check_answer(task, said)
    if verdict.why == "empty":
        return False, ""
    if verdict.why == "slip":
        return False, text[f"slips/{verdict.told['slip']}"]
    told = {name: as_text(value) for name, value in verdict.told.items()}
    return verdict.right, text.filled(f"verdict/{verdict.why}", **told)


def in_key(task: Task) -> str:
    """The answer as it stands in the key."""
    if isinstance(task.answer, str):
        return task.answer
    return ", ".join(
        exact(number) if task.places is None else f"{number:{PLACED[task.places]}}".replace("-", "−")
        for number in task.answer
    )


def exact(number: float) -> str:
    """A number with all its digits."""
    return f"{number:,.15g}".replace("-", "−")


def in_words(givens: Mapping[str, Any]) -> dict[str, str]:
    """What is given, as a sentence says it."""
    return {name: told(value) for name, value in givens.items()}


def told(value: Any) -> str:
    """A number, a word, a vector, a matrix, several words, or words with what belongs to each."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return _list([f"*{name}*\u00a0{told(inner)}" for name, inner in value.items()])
    if not isinstance(value, Sequence):
        return exact(value)
    if isinstance(value[0], str):
        return _list([f"*{word}*" for word in value])
    if isinstance(value[0], Sequence):
        rows = r" \\ ".join(" & ".join(f"{number:g}" for number in row) for row in value)
        return rf"$\begin{{pmatrix}} {rows} \end{{pmatrix}}$"
    return f"({_list([told(number) for number in value])})".replace(" ", "\u00a0")


def _list(pieces: Sequence[str]) -> str:
    return ", ".join(pieces)


LESSON = Lesson(
    "worksheets",
    FIELDS,
    own_parts=OWN_PARTS,
)
