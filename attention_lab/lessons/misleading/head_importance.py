"""What it does tell: which heads an answer needs, beside how much one would think so from their weights."""

from typing import Any

import numpy as np
import pandas as pd

from attention_core import rank_correlation
from attention_core.models import language_model
from attention_lab import figure
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import (
    dot_product,
    gathered,
    multiply,
    read_text,
    token_names,
    total,
)
from attention_lab.language_models import HEAD_NAMES, HEADS, LAYERS, head_labels
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.state import State
from attention_lab.text.number_format import format_fixed, format_percentage

from . import heads, parts, trained
from .fields import FIELDS
from .swap import answers_table

SHARP, LITTLE = 0.7, 0.02
NEARLY = 0.001
BY_CHANCE, HIGH = 0.05, 0.7
CONSTANTS = (
    *trained.CONSTANTS,
    "head_names",
    "sharp",
    "broken",
    "sharpness",
    "costs",
    "worst",
    "rank",
    "trend",
)


def dimmed_heads(s) -> None:
    """The model with some of its heads dimmed."""
    s.words = token_names(s.vocabulary, s.tokens)
    s.strengths = s.all_on - s.dimmed
    s.before = read_text(s.learned, s.tokens, s.all_on)
    s.after = read_text(s.learned, s.tokens, s.strengths)
    s.off = total(s.dimmed)
    for name, of in (("cost", s.costs), ("sharp_off", s.sharpness)):
        each = dot_product(s.dimmed, of)
        setattr(s, name, total(gathered(each[0, 0], each[1, 1])))
    s.from_worst = s.worst - s.cost
    s.points, s.worst_points = (multiply(gathered(cost), 100)[0, 0] for cost in (s.cost, s.worst))


CALCULATION = s = record(dimmed_heads, FIELDS, CONSTANTS)
ONE_OFF = s.off.within(0.01, of=1)
GOALS = (
    Goal(
        "needed",
        ONE_OFF,
        s.from_worst <= NEARLY,
        names={
            "cost": (s.points, "steady"),
            "sharp_off": (s.sharp_off, "share"),
            "worst": (s.worst_points, "steady"),
        },
    ),
    Goal(
        "idle",
        ONE_OFF,
        s.sharp_off >= SHARP,
        s.cost <= LITTLE,
        names={"cost": (s.points, "steady"), "sharp_off": (s.sharp_off, "share")},
    ),
)
GUESS = ChoiceQuestion("tells", yes=s.trend >= 2, partly=s.trend >= 1, hardly=s.trend >= 0, against=s.trend >= -1)
CASES = {
    "tells/what/needed": [ONE_OFF, s.cost >= 0.1],
    "tells/what/idle": [ONE_OFF, s.sharp_off >= SHARP, s.cost <= LITTLE],
    "tells/what/one": [ONE_OFF],
    "tells/what/some": [s.off >= 0.01],
    "tells/what/begin": [],
}


def constants(state: State) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    result = heads.necessary(state.model)
    return {
        **trained.constants(state),
        "head_names": list(HEAD_NAMES),
        "sharp": result.sharp.tolist(),
        "broken": result.broken.tolist(),
        "sharpness": result.sharp.reshape(LAYERS, HEADS),
        "costs": result.broken.reshape(LAYERS, HEADS),
        "worst": float(result.broken.max()),
        "rank": rank_correlation(result.sharp, result.broken),
        "trend": trend(state.model),
    }


def trend(name: str) -> int:
    """Whether sharp heads are needed: 2 nearly in that order, 1 on the whole, -1 the other way, 0 by chance."""
    found = heads.necessary(name)
    rank = rank_correlation(found.sharp, found.broken)
    if found.chance >= BY_CHANCE:
        return 0
    return -1 if rank < 0 else 2 if rank >= HIGH else 1


def names(state: State) -> dict[str, str]:
    """What the model says, and over how many texts it was measured."""
    result = heads.necessary(state.model)
    return {
        "says": trained.predicted_word(state),
        "count": str(len(heads.held_out())),
        "tried": str(language_model.MEASURED),
        "kinds": str(result.kinds),
        "rank": format_fixed(rank_correlation(result.sharp, result.broken)),
        "chance": format_fixed(100 * result.chance, 0),
        "sharp": format_percentage(SHARP),
        "little": format_fixed(100 * LITTLE, 0),
    }


def reachable_goals(state: State) -> list[Goal]:
    """Return the goals that can be reached with this model."""
    found = heads.necessary(state.model)
    idle = bool(((found.sharp >= SHARP) & (found.broken <= LITTLE)).any())
    return [goal for goal in GOALS if goal.name != "idle" or idle]


def columns(state: State, guessed: bool) -> list[figure.Column]:
    """Every head with its strength, how sharply it looks and what breaks without it; what is said."""
    text, named = state.text, names(state)
    measured = [
        parts.lane(s.sharp, text.plain("tells/sharp"), what="sharp"),
        parts.lane(s.broken, text.plain("tells/broken"), what="broken", kind="plain"),
    ]
    shown = parts.lanes(
        state,
        s.head_names,
        [
            parts.lane(
                s.strengths,
                text.plain("tells/strength"),
                what="strength",
                kind="plain",
                axis=text["tells/axis"],
                drag=parts.by_setting(s.dimmed, from_one=True),
            ),
            *(measured if guessed else ()),
        ],
        title=text.plain("tells/title"),
        label=text["lanes/head"],
    )
    tells = {
        **named,
        "cost": (s.points, "steady"),
        "mean": (s.sharp_off, "share"),
    }
    chance = text.plain(f"tells/by_chance/{'yes' if trend(state.model) else 'no'}", **named)
    right = [parts.before_after(state, s.before.next_word[LAYERS], s.after.next_word[LAYERS], s.vocabulary)]
    if guessed:
        ranks = figure.remark(text.plain("tells/ranks", **named))
        right += parts.concluded(state, CASES, tells, [ranks, figure.remark(chance)])
    return parts.abreast([figure.pictured(shown)], right)


def tables(state: State, now: Results) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    text = state.text
    lanes = {"strength": np.ravel(now.strengths), "sharp": now.sharp, "broken": now.broken}
    return {
        text["tells/title"]: pd.DataFrame(
            {text.plain(f"tells/{name}"): numbers for name, numbers in lanes.items()}, head_labels()
        ),
        text["tables/answers"]: answers_table(state, now),
    }


def most_needed(state: State) -> str:
    """What to move first: the dimmer of the head that breaks most."""
    most = int(heads.necessary(state.model).broken.argmax())
    return state.text.plain("lanes/head", name=heads.HEAD_NAMES[most])
