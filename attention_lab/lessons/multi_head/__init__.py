"""Multi-head attention: several heads on one sentence, what each adds, and two ways to join them."""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from attention_lab import figure
from attention_lab.calculation import Results
from attention_lab.calculation.result_cache import run_cached
from attention_lab.lesson import Hidden, Lesson
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State
from attention_lab.text import ui_text
from attention_lab.text.number_format import format_share

from . import calculation
from .calculation import FIELDS
from .calculation import WITH_ADJECTIVES as s
from .parts import column

ROOM = 2.5  # around zero, to move a learned word in
LONG = 6  # words: in a longer sentence the cells are too small for numbers


def first_move(state: State, now: Results) -> str:
    """Ring the head that adds most from other words, but for the one that the first goal is about."""
    from_others = 1 - np.array([trace.weights[now.word, now.word] for trace in now.traces])
    adds = np.array(now.delta_lengths[0]) * from_others
    adds[int(now[calculation.ABOUT[state.options("goal")[0]]])] = -1
    return f"head {int(adds.argmax()) + 1}"


def draw(state: State, now: Results, hidden: Hidden) -> list[figure.Column]:
    """One head's arcs, all heads with their switches; the chosen word's vector as it grows; both ways to join."""
    planes = [
        state.text["plane/dial"] if pair == calculation.DIAL else pair.replace("-", " × ")
        for pair in state.options("plane")
    ]
    return [
        figure.goals(state, [calculation.GOALS[name] for name in state.options("goal")], now),
        figure.Column(
            [
                figure.pictured(arcs(state)),
                figure.pictured(side_by_side(state)),
                figure.explanation(state.text["told"]),
            ],
            least=figure.WHOLE_WIDTH,
        ),
        figure.Column([head_by_head(state), *what_is_drawn(state)], share=1.4, least=560),
        figure.Column(
            [figure.pictured(on_the_plane(state, now)), figure.options(s.plane, state.text["plane"], planes)],
            least=330,
        ),
        figure.Column(
            [
                figure.fold(
                    state.text["more"],
                    figure.Column(every_word(state), share=0.95, least=300),
                    figure.Column([two_ways(state, hidden[-1])], share=1.1, least=330),
                )
            ],
            least=figure.WHOLE_WIDTH,
        ),
    ]


def label(state: State, name: str) -> str:
    """What a head is called."""
    return state.text.plain(f"heads/{name}")


def arcs(state: State) -> figure.Part:
    """Where the chosen word attends in each head."""
    names, text = calculation.heads_of(state).example.heads, state.text
    weights = {name: s.traces[k].weights for k, name in enumerate(names)}
    labels = {name: label(state, name) for name in names}
    return figure.arcs(weights, title=text["arcs"], on=s.heads, labels=labels, large=True)


def side_by_side(state: State) -> figure.Part:
    """The heads: their patterns, their questions and their switches."""
    cards = [
        {
            "name": name,
            "label": label(state, name),
            "question": state.text[f"heads/{name}_asks"],
            "map": pattern(state, name, k),
        }
        for k, name in enumerate(calculation.heads_of(state).example.heads)
    ]
    # Of the button that shows or hides the patterns, and of one that shows a head's arcs.
    texts = state.text.parts("patterns") | {"lens": ui_text("arcs/lens")}
    return figure.part("heads", of=s.heads, cards=cards, title=state.text["side_by_side"], texts=texts)


def pattern(state: State, name: str, k: int) -> figure.Part:
    """One head's pattern, small."""
    return figure.heatmap(
        s.traces[k].weights,
        title=label(state, name),
        what=f"{name} weight",
        limit=1.0,
        scale="share",
        form="share",
        small=True,
        quiet=len(state.words) > LONG,
        turned=state.orientation == "columns",
        computed_from=[s.traces[k].masked_scores],
        idle=state.text["told"],
    )


def frame(state: State, now: Results, columns: tuple[int, ...]) -> list[list[float]]:
    """How far the plane goes: around a learned word's vectors as they are before anything is moved."""
    if ranges := calculation.heads_of(state).ranges:
        return ranges
    first = run_cached(now.calculation, state.scope(state.defaults()), now.constants, {}, {"word": now.word})
    drawn = np.array([of[now.word] for of in (first.alone, first.x, *first.after)])[:, columns]
    low, high = np.floor(drawn.min(0, initial=-ROOM)), np.ceil(drawn.max(0, initial=ROOM))
    wider = (high - low).max() - (high - low)  # both axes have one scale
    return np.transpose([low - wider // 2, high + wider - wider // 2]).tolist()


def on_the_plane(state: State, now: Results) -> figure.Part:
    """The chosen word's vector under the hand and what each head adds to it, tip to tail; or the dial."""
    axes = calculation.heads_of(state).example.axes
    if state.plane == calculation.DIAL:
        places = figure.vectors(s.dial, handles=True, places=True, focus=s.word, takes=True)
        return figure.plane(
            state,
            axes[-2:],
            [places],
            ranges=[[-1.4, 1.4], [-1.4, 1.4]],
            title=state.text.plain("figure_dial"),
            hint="",
            caption=state.text["plane/on_the_dial"],
        )
    ends = [s.x, *(s.after[k] for k in range(calculation.heads_of(state).count))]
    added = [
        figure.displacement(start[s.word], end[s.word], label=str(k), halfway=True, result=True, head=k - 1)
        for k, (start, end) in enumerate(pairwise(ends), 1)
    ]
    missing = figure.displacement(
        s.new[s.word], s.whole[s.word], label=state.text["plane/missing"], tone="ghost", result=True
    )
    if calculation.heads_of(state).is_learned:
        place = figure.displacement(s.alone[s.word], s.x[s.word], label=state.text["plane/place"], tone="ghost")
        added.insert(0, place)
    new = figure.displacement(None, s.new[s.word], label=state.text["plane/new"], role="word", result=True)
    held = figure.vectors(s.vectors, names=s.table, handles=True, focus=s.word, through=s.ids, only=s.row)
    columns = tuple(axes.index(axis) for axis in state.plane.split("-"))
    marks, title = [held, new, missing, *added], state.text.plain("figure_plane")
    ranges = frame(state, now, columns)
    return figure.plane(state, axes, marks, ranges=ranges, columns=columns, title=title)


def head_by_head(state: State) -> figure.Part:
    """The chosen word's vector, each head's Δx, and the new vector, feature by feature."""
    text, heads = state.text, calculation.heads_of(state)
    added = [
        column(
            s.deltas[k],
            str(k + 1),
            what=f"{name} delta",
            sign="+",
            role="context",
            head=k,
            name=label(state, name),
            result=True,
        )
        for k, name in enumerate(heads.example.heads)
    ]
    columns = [
        column(s.x, text["added/x"], what="x", role="word"),
        *added,
        column(s.new, text["added/new"], what="new", sign="=", role="new", result=True),
        column(s.missing, text["added/missing"], what="missing", role="missing", result=True),
    ]
    told = {name: text[f"added/{name}_told"] for name in ("whole", "missing_one", "missing", "off")}
    return figure.part(
        "addends",
        columns=columns,
        axes=heads.axes_drawn,
        names=figure.WORDS,
        title=text["added"],
        full=heads.full,
        of=s.heads,
        told=told,
        arcs=[],
    )


def what_is_drawn(state: State) -> list[figure.Part]:
    """Of a learned vector's many numbers: which are drawn, how much of the spread they show, whose they are."""
    heads = calculation.heads_of(state)
    if not heads.is_learned:
        return []
    learned = heads.example.learned
    placeholders = {
        "model": learned.model,
        "layer": str(learned.layer),
        "fingerprint": learned.fingerprint,
        "all": str(len(heads.example.axes)),
        "drawn": str(len(heads.axes_drawn)),
        "share": format_share(learned.shares[: len(heads.axes_drawn)].sum()),
        "plane": format_share(learned.shares[:2].sum()),
    }
    return [figure.remark(state.text.plain("drawn", **placeholders))]


def every_word(state: State) -> list[figure.Part]:
    """What the heads that are on add to every word's vector."""
    title = state.text["every_word"]
    changes = figure.heatmap(
        s.added_drawn,
        title=title,
        what="added",
        limit=calculation.heads_of(state).full,
        columns=s.axes,
        row_title="",
        column_title="",
        column=None,
        form="tenths",
        small=True,
    )
    return [figure.heading(title), changes]


def two_ways(state: State, hidden: bool) -> figure.Part:
    """All contexts times one matrix, or a sum of slices; `hidden`: it waits for a guess of its own."""
    heads = calculation.heads_of(state)
    return figure.part(
        "join",
        labels=[label(state, name) for name in heads.example.heads],
        axes=heads.axes_drawn,
        names=figure.WORDS,
        of=s.heads,
        joined=s.contexts,
        W=s.W_O,
        first=s.joined,
        second=s.added,
        apart=s.apart,
        texts=state.text.parts("two_ways"),
        title=state.text["two_ways"],
        full=heads.full,
        veiled=hidden,
    )


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, text, example = calculation.calculate(state), state.text, calculation.heads_of(state).example

    def of_words(matrix, columns) -> pd.DataFrame:
        return pd.DataFrame(matrix, now.words, columns)

    result = {text["tables/words"]: of_words(now.x, example.axes)}
    for k, name in enumerate(example.heads):
        result[text.filled("tables/weights", head=name)] = of_words(now.traces[k].weights, now.words)
        result[text.filled("tables/delta", head=name)] = of_words(now.deltas[k], example.axes)
    on = [text["tables/on" if on else "tables/off"] for on in state.heads[0]]
    head = text["tables/head"]
    result[text["tables/heads"]] = pd.DataFrame({head: example.heads, text["tables/is"]: on}).set_index(head)
    result[text["tables/added"]] = of_words(now.added, example.axes)
    result[text["tables/new"]] = of_words(now.new, example.axes)
    apart = pd.DataFrame({text["tables/difference"]: [now.apart]}, [text["tables/all"]])
    return result | {text["tables/apart"]: apart}


def for_programs(state: State) -> dict[str, Any]:
    """What the programs begin with."""
    example = calculation.heads_of(state).example
    now = calculation.calculate(state)
    may_look = now.mask or [[True] * len(state.words)] * len(state.words)
    begin = {"words": list(state.words), "x": now.x, "may_look": may_look, "on": state.heads[0].tolist()}
    return begin | {name: getattr(example, name) for name in calculation.MATRICES}


def predictions(state: State, now: Results) -> list[Prediction]:
    """What is left without any head; are both ways to join alike?"""
    without = calculation.EVERY_HEAD_OFF.run_extension(now) if state.predict else now
    return [Prediction(calculation.ALL_OFF, without), Prediction(calculation.TWO_WAYS, now)]


LESSON = Lesson(
    "multi_head",
    FIELDS,
    calculate=calculation.calculate,
    draw=draw,
    predictions=predictions,
    first_move=first_move,
    tables=tables,
    program=for_programs,
    trained=("readable", "gallery"),
)
