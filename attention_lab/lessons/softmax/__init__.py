"""Softmax: scores become weights, the weights mix the words' vectors; what temperature and zeros do to them."""

from typing import Any

import numpy as np
import pandas as pd

from attention_lab import figure
from attention_lab.calculation import Expression, Results
from attention_lab.calculation.read_cache import fact
from attention_lab.figure import formula as f
from attention_lab.lesson import Hidden, Lesson
from attention_lab.state import vocabulary
from attention_lab.state.permalink import Values
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State

from . import calculation
from .calculation import FIELDS

MANY = 7  # of more words, one needs a score above 3.5 to take 80%
SUFFIXES = ("", " without zeros")  # of the names of live numbers, by what becomes of zeros
CHOSEN = {"names": figure.WORDS, "focus": figure.WORD, "other": figure.OTHER}
s = calculation.CALCULATION


def draw(state: State, now: Results, _: Hidden) -> list[figure.Column]:
    """The goals; the bars, beside them the temperature and three folds; below, the step that the weights make."""
    text, even = state.text, calculation.GOAL_NAMES.index("even")
    zeros = figure.options(s.zeros, text["zeros"], [text[f"zeros/{name}"] for name in calculation.COUNTED])
    beside = [
        temperature(state),
        figure.fold(text["computed"], figure.Column([with_numbers(state)]), opened=True),
        figure.fold(text["entropy"], *how_undecided(state), goals=[even]),
        figure.fold(text["zeros"], figure.Column([zeros]), opened_by=s.zeros >= calculation.COUNTED.index("out")),
    ]
    return [
        figure.goals(state, calculation.reachable_goals(state, now), now),
        figure.Column([figure.pictured(as_bars(state))], share=1.6, least=400),
        figure.Column(beside, least=330),
        figure.Column(step_taken(state), least=700),
    ]


def as_bars(state: State) -> figure.Part:
    """Scores under the hand, their exponentials, and their weights both ways."""
    text = state.text
    # Cosines fit, and one word can take 80% of the weight. Whatever is dragged, it is the same: only bars move.
    highest = 3.5 if len(state.words) <= MANY else 4.0
    pulled = {
        "of": s.score,
        "title": text["bars/scores"],
        "sub": text["bars/cosines"],
        "sub_pulled": text["bars/own"],
        "range": (-1.0, highest),
        "ticks": tuple(range(-1, int(highest) + 1)),
        "height": 198,
        "form": "figure",
        "what": "score",
        "pull": s.scores,
        "axis": text["bars/score"],
        "unknown": text["bars/unknown"],
        "counted": s.counted,
    }
    exponentials = {
        "of": s.exponent,
        "title": "e",
        "raised": text["bars/exponent"],
        "range": (0.0, 8.0),  # it grows with the powers
        "ticks": (0, 4, 8),
        "height": 88,
        "form": "power",
        "what": "exp",
        "asked": text.parts("exponentials"),
    }
    both_ways = zip((s.weights_all, s.weights_nonzero), ("all", "nonzero"), SUFFIXES, strict=True)
    shares = {
        "of": s.weights,
        "title": text["bars/weights"],
        "step": "↓ softmax",
        "range": (0.0, 1.0),
        "ticks": (0, 0.5, 1),
        "height": 214,
        "form": "share",
        "compared": text["zeros"],
        "ghost": s.weights_otherwise,
        "result": True,
        "leading": s.zeros,
        "lines": [
            {"of": of, "head": text[f"lines/{name}"], "what": "weight", "suffix": suffix}
            for of, name, suffix in both_ways
        ],
    }
    return figure.part(
        "bars",
        **CHOSEN,
        title=text.plain("figure"),
        panels=[pulled, exponentials, shares],
        nothing=text["impossible_row"],
        badge=True,
        **{name: text[name] for name in ("asks", "hint", "undefined", "back")},
    )


def temperature(state: State) -> figure.Part:
    """The temperature, from cold to hot, by equal ratios."""
    return figure.slider(
        s.temperature,
        state.text["temperature"],
        axis="T",
        low=calculation.COLDEST,
        high=calculation.HOTTEST,
        ticks=(calculation.COLDEST, 0.2, 1, 5, calculation.HOTTEST),
        ends=(state.text["cold"], state.text["hot"]),
        logarithmic=True,
    )


def how_undecided(state: State) -> list[figure.Column]:
    """The weights as a ring around their entropy, and the entropy between its bounds."""
    text, bits = state.text, s.entropy[0]
    around = figure.part(
        "ring",
        **CHOSEN,
        title=text["ring"],
        of=s.weights,
        inside=bits,
        what=figure.pieces(["entropy ", s.words[s.word]]),
        unit=text["bits"],
    )

    def bound(of: Expression, name: str) -> dict[str, Any]:
        return {"of": of, "what": [f"{name} bits"], "text": text[f"entropy/{name}"]}

    between = figure.part(
        "bounds",
        of=bits,
        label=text["entropy"],
        low=bound(s.least_bits, "least"),
        high=bound(s.most_bits[0], "most"),
        counted=s.counted,
        nothing=text["impossible_row"],
    )
    return [figure.Column([around], share=1.15, least=220), figure.Column([between], least=180)]


def with_numbers(state: State) -> figure.Part:
    """The formula of one weight, with its present numbers."""
    n = len(state.words)
    shown = range(n) if n <= 5 else (0, 1, None, n - 1)

    def term(place: int | None) -> f.Tree:
        if place is None:
            return "⋯"
        return f.power("e", f.number(s.exponent[0, place], ["exponent ", s.words[place]], signed=False))

    score = f.number(s.counted[0, s.other], "line score", signed=False)
    above = f.power("e", f.row(score, "/", f.number(s.temperature, "line temperature")))
    below = f.joined("+", [term(place) for place in shown])
    pair = f.row(f.name(s.words[s.word]), "→", f.name(s.words[s.other]))
    number = f.number(s.exponent[0, s.other], "line exp", form="power", signed=False)
    total = f.number(s.log_sum[0], "line total", form="power", result=True, role="")
    share = f.number(s.weights[0, s.other], "line weight", form="share", result=True)
    lines = {
        "exponents": f.row(pair, "=", f.fraction(above, below)),
        "share": f.row("=", f.fraction(number, total), "=", share),
    }
    return figure.formulas(lines, when={"share": s.largest})


def has_depth(values: Values) -> bool:
    """Whether there is something to see from the side."""
    return bool(values["vectors"][:, 2].any())


def step_taken(state: State) -> list[figure.Part]:
    """The weights used: the word of interest moves, seen from above and from the side."""
    text, axes = state.text, state.worked_example.axes
    x, moved = s.x[s.word], text.filled("moved", word=state.word)
    moves = [
        figure.displacement(x, s.context_otherwise[0], tone="ghost", result=True),
        figure.displacement(x, s.context[0], label=moved, result=True),
    ]

    def seen(name: str, columns: tuple[int, int], *, handles: bool) -> figure.Part:
        words = figure.vectors(
            s.vectors,
            names=figure.TABLE,
            focus=s.word,
            through=s.ids,
            little=0.3,
            handles=handles,
            handle="vector" if handles else "",
        )
        return figure.plane(
            state,
            axes,
            [figure.hull(s.inputs), words, *moves],
            columns=columns,
            low=-1.0,
            high=5.0,
            title=text[name],
            hint="",
            caption=text[f"{name}/own_scores" if handles and state.scores.size else name],
        )

    views = [seen("above", (0, 1), handles=True)]
    if fact(state.values, has_depth):  # else there is nothing to see from the side
        views.append(seen("side", (0, 2), handles=False))
    table = figure.part(
        "mixture",
        **CHOSEN,
        of=s.x,
        weights=s.weights,
        context=s.context,
        axes=axes,
        title=text["mixture"],
        head=[text["mixture/word"], text["mixture/weight"]],
        sum=moved,
        moves=text.parts("moves"),
        by=s.zeros,
        suffixes=SUFFIXES,
    )
    columns = [figure.Column([view], least=270) for view in views]
    return [
        figure.heading(text["attention_step_title"]),
        figure.beside(*columns, figure.Column([table], least=290, share=1.1)),
    ]


def paragraphs(state: State) -> list[str]:
    """The sections below the figure: one is about one example alone."""
    own = [state.example] if state.example in state.text else []
    return ["text", "zero_is_not_nothing", *own, "attention_step", "large_scores"]


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, names, axes = calculation.calculate(state), state.text.parts("tables"), state.worked_example.axes
    with np.errstate(over="ignore"):  # beyond all numbers it is infinite
        exponentials = np.exp(now.exponent[0])
    by_word = {
        names["score"]: now.score[0],
        names["exponent"]: now.exponent[0],
        names["exponential"]: exponentials,
        names["weight"]: now.weights[0],
        names["weight_all"]: now.weights_all[0],
        names["weight_nonzero"]: now.weights_nonzero[0],
    }
    whole = {
        names["entropy"]: now.entropy[0],
        names["largest_entropy"]: now.most_bits[0],
        names["temperature"]: state.temperature,
    }
    return {
        names["weights"]: pd.DataFrame(by_word, now.words),
        names["entropy"]: pd.DataFrame(whole, [state.word]),
        names["vectors"]: pd.DataFrame(state.vectors, now.table, axes),
        names["context"]: pd.DataFrame(now.context, [state.word], axes),
    }


def for_programs(state: State) -> dict[str, list | np.ndarray | int | float | bool | None]:
    """What the programs begin with."""
    known = vocabulary.lookup(state)
    return {
        "words": list(state.words),
        "vectors": state.vectors[known["ids"]],
        "word": known["words"].index(state.word),
        "scores": state.scores[0].tolist() if len(state.scores) else None,
        "temperature": state.temperature,
        "leave_zeros_out": state.zeros == "out",
    }


LESSON = Lesson(
    "softmax",
    FIELDS,
    calculate=calculation.calculate,
    draw=draw,
    predictions=lambda state, now: [Prediction(*calculation.question(state, now))],
    paragraphs=paragraphs,
    first_move=lambda state, now: state.other,
    tables=tables,
    program=for_programs,
)
