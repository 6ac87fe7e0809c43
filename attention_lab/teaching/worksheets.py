"""Worksheets: a topic and a seed make tasks; the words around their numbers, and what is said of an answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from attention_lab import course
from attention_lab import text as prose
from attention_lab.export import qr
from attention_lab.lesson import Lesson
from attention_lab.root import ROOT
from attention_lab.state import permalink
from attention_lab.state.state import State
from attention_lab.text.escape_markdown import escape_markdown
from attention_lab.text.number_format import between_numbers, format_exact, in_formula, localized
from attention_lab.worksheets import LAST_SEED, WORKSHEET_TOPICS, Task, Worksheet, check_answer, make_worksheet
from attention_lab.worksheets.sheet import Question, Sheet

MOST_SHEETS = 40
PLACED = {0: ".0f", 2: ".2f"}  # how an answer stands in the key that is asked to so many places
PAGES = {link.page: link for link in course.page_links(ROOT / "pages", with_home=True)}
TOPICS = tuple(topic for topic in WORKSHEET_TOPICS if topic in PAGES)

FIELDS = (
    permalink.choice("topic", "the page that the sheet is about", TOPICS, "similarity"),
    permalink.whole_number(
        "seed",
        "the number of the sheet, from which its tasks' numbers are drawn",
        1,
        LAST_SEED,
        lambda _: 1,
        interactive=False,
    ),
    permalink.whole_number(
        "sheets", "the number of sheets, from that one on", 1, MOST_SHEETS, lambda _: 1, interactive=False
    ),
    permalink.flag("key", "1: with the answer key, on a separate page"),
)


def another(state: State) -> permalink.Values:
    """The next number, and from the last the first."""
    return {"seed": state.seed % LAST_SEED + 1}


def sheets(state: State) -> list[Sheet]:
    """As many sheets as are wanted, one for each number, and again from the first behind the last."""
    return [sheet(state, (state.seed + k - 1) % LAST_SEED + 1) for k in range(state.sheets)]


def sheet(state: State, seed: int) -> Sheet:
    """One sheet in words."""
    text, worksheet, about = state.text, make_worksheet(state.topic, seed), PAGES[state.topic]
    goal, address = about.settings[(seed - 1) % len(about.settings)]
    opens = {name: value for name, value in address.items() if name != "predict"} | state.of_language
    return Sheet(
        topic=about.title,
        seed=seed,
        head=text.filled("head", topic=about.title, seed=str(seed)),
        data=text.filled(f"given/{worksheet.topic}", **in_words(worksheet.givens)),
        questions=[question(state, worksheet, place) for place in range(len(worksheet.tasks))],
        goal=text.filled("pattern", goal=goal),
        goal_path=qr.address(about.page, opens),
        goal_label=text.filled("pattern_label", topic=about.title),
    )


def question(state: State, worksheet: Worksheet, place: int) -> Question:
    """A task in words, with the check of an answer."""
    text, task, number = state.text, worksheet.tasks[place], str(place + 1)
    prompt = text.filled(f"tasks/{worksheet.topic}/{task.name}", **in_words({**worksheet.givens, **task.givens}))
    if task.options:
        prompt = text.filled("options", asked=prompt, options=prose.listed(task.options))
    return Question(
        key=f"{worksheet.topic}.{worksheet.seed}.{number}",
        prompt=prompt,
        label=text.filled("answer", number=number),
        answer=in_key(task),
        check=lambda answer: check(text, task, answer),
    )


def check(text: prose.Text, task: Task, answer: str) -> tuple[bool, str]:
    """Whether an answer is right, and a sentence about it; none where nothing was written."""
    verdict = check_answer(task, answer)
    if verdict.why == "empty":
        return False, ""
    if verdict.why == "slip":
        return False, text[f"slips/{verdict.details['slip']}"]
    details = {name: escape_markdown(value) for name, value in verdict.details.items()}
    return verdict.right, text.filled(f"verdict/{verdict.why}", **details)


def in_key(task: Task) -> str:
    """The answer as it stands in the key."""
    if isinstance(task.answer, str):
        return task.answer
    return between_numbers().join(
        format_exact(number) if task.places is None else localized(f"{number:{PLACED[task.places]}}")
        for number in task.answer
    )


def in_words(givens: Mapping[str, Any]) -> dict[str, str]:
    """Return the data in the words of a sentence."""
    return {name: as_words(value) for name, value in givens.items()}


def as_words(value: Any) -> str:
    """A number, a word, a vector, a matrix, several words, or words with what belongs to each."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return prose.listed([f"*{name}*\u00a0{as_words(inner)}" for name, inner in value.items()])
    if not isinstance(value, Sequence):
        return format_exact(value)
    if isinstance(value[0], str):
        return prose.listed([f"*{word}*" for word in value])
    if isinstance(value[0], Sequence):
        rows = r" \\ ".join(" & ".join(in_formula(localized(f"{number:g}")) for number in row) for row in value)
        return rf"$\begin{{pmatrix}} {rows} \end{{pmatrix}}$"
    return f"({between_numbers().join(map(as_words, value))})".replace(" ", "\u00a0")


LESSON = Lesson("worksheets", FIELDS, own_parts=qr.QR)
