"""What lies on the stage in every experiment: lanes of bars, answers before and after, what follows from it."""

from collections.abc import Mapping, Sequence
from typing import Any

from attention_core.models import grammar
from attention_lab import figure, language_models
from attention_lab.calculation import Expression, name_of
from attention_lab.figure.progress import number_piece
from attention_lab.language_models import HEAD_NAMES
from attention_lab.state.goals import Condition, SentenceValue
from attention_lab.state.state import State

from .heads import OUTPUTS

LEFT, RIGHT = 430, 340  # pixels at least, of two columns
SHARE = 1.5  # of what is left over, for the left one, where the right one has 1
SHOWN = 5  # answers


def lane(
    of: Expression,
    text: str,
    *,
    what: str,
    form: str = "share",
    full: float | None = 1.0,
    kind: str = "weight",
    axis: str = "",
    **more: Any,
) -> dict[str, Any]:
    """One lane: a bar for each row. `full` fills it, or the largest. See lanes.js, also for `more`."""
    lane = {"of": of, "text": text, "what": what, "form": form, "kind": kind, "axis": axis} | more
    return lane if full is None else lane | {"full": full}


def by_shifting(of: Expression, base: Expression) -> dict[str, Any]:
    """A lane's weights are dragged: what is added to those of the row `base` stands in the field `of`."""
    return {"shift": name_of(of), "base": base}


def by_setting(of: Expression, *, from_one: bool = False) -> dict[str, Any]:
    """A lane's numbers are dragged: each stands in the field `of`, or what it lacks to one."""
    return {"set": name_of(of), "from_one": from_one}


def lanes(
    state: State,
    names: Expression,
    among: Sequence[Mapping[str, Any]],
    *,
    title: str,
    label: str = "",
    swap: Mapping[str, Any] | None = None,
    choose: Expression | None = None,
    clears: Sequence[Expression] = (),
    marked: Expression | None = None,
    upto: Expression | None = None,
) -> figure.Part:
    """Words or heads below one another, with a bar in each lane. See lanes.js."""
    return figure.part(
        "lanes",
        title=title,
        names=names,
        label=label or None,
        lanes=list(among),
        swap=swap,
        choose=None if choose is None else name_of(choose),
        clears=list(map(name_of, clears)) or None,
        marked=marked,
        upto=upto,
        texts=state.text.parts("lanes"),
        badge=True,
    )


def swap(of: Expression, vocabulary: Expression, among: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Words that can be swapped: for each place the numbers of those that may stand there."""
    return {"of": name_of(of), "vocabulary": vocabulary, "among": [list(each) for each in among]}


def of_its_kind(tokens: Sequence[int]) -> list[list[int]]:
    """For each word of a text itself and others that can stand in its place."""
    substitutes = language_models.substitutes()
    return [[int(word), *substitutes.get(str(int(word)), [])] for word in tokens]


def before_after(
    state: State, before: Expression, after: Expression, names: Expression, *, small: bool = False
) -> figure.Part:
    """What is predicted, faint before and full after: the next word, or the answer of a `small` head."""
    texts = state.text.parts("answers")
    if small:
        texts |= {name: texts[f"{name}_of_head"] for name in ("still", "instead")}
    return figure.part(
        "before_after",
        title=state.text.plain("answers/title"),
        before=before,
        after=after,
        names=names,
        what="answer" if small else "next",
        most=SHOWN,
        meanings=OUTPUTS[:2] if small else None,
        texts=texts,
    )


def abreast(left: Sequence[figure.Part], right: Sequence[figure.Part]) -> list[figure.Column]:
    """What a hand moves, and to its right, or below it on a phone, what is predicted and what follows."""
    return [
        figure.Column(left, share=SHARE, least=LEFT, turn=1),
        figure.Column(right, share=1, least=RIGHT, turn=2),
    ]


def follows(
    state: State,
    cases: Mapping[str, Sequence[Condition]],
    names: Mapping[str, SentenceValue | str],
) -> figure.Part:
    """What follows and what does not: the sentence of the first case whose conditions hold."""
    pieces = {name: number_piece(value) for name, value in names.items()}
    return figure.part(
        "follows",
        title=state.text.plain("follows"),
        cases=[
            {
                "when": [each.to_payload() for each in conditions],
                "text": state.text.around(section, plain=True, **pieces),
            }
            for section, conditions in cases.items()
        ],
    )


def concluded(
    state: State,
    cases: Mapping[str, Sequence[Condition]],
    names: Mapping[str, SentenceValue | str],
    counted: Sequence[figure.Part] = (),
) -> list[figure.Part]:
    """What follows from the intervention, the conclusion and, folded, what was `counted` over many texts."""
    result = [
        follows(state, cases, names),
        figure.remark(state.text[f"{state.experiment}/conclusion"]),
    ]
    return result + ([figure.fold(state.text["counted"], figure.Column(counted))] if counted else [])


def chooser(
    state: State,
    buttons: Mapping[str, Mapping[Expression, int]],
    *,
    title: str = "",
    clears: Sequence[Expression] = (),
) -> figure.Part:
    """Buttons by their texts, of which one is chosen: the choices that each sets, by number."""
    return figure.part(
        "chooser",
        title=title or state.text.plain("chooser"),
        buttons=[{"text": text, "set": figure.preset(*to.items())} for text, to in buttons.items()],
        clears=list(map(name_of, clears)) or None,
    )


def word(number: int) -> str:
    """A word of the shipped models, by its number."""
    return grammar.WORDS[int(number)]


def head_of(state: State) -> int:
    """The head shown, counted through all layers."""
    return HEAD_NAMES.index(state.head)
