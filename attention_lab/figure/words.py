"""Parts that show words and what they have to do with one another: a sentence, matrices of all against all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attention_lab.calculation import Value, name_of
from attention_lab.state.state import State
from attention_lab.text import say

from .layout import heading
from .parts import OTHER, WORD, WORDS, Part, Text, given, part, pieces

SENTENCE = given("sentence")


def sentence(shares: Value | None = None, *, head: Text, title: str, ask: str = "") -> Part:
    """The sentence, word by word; choosing one makes it the word of interest.

    `shares`, if given, stand over the words as bars. `head` stands above, with `ask` behind it.
    """
    return part(
        "sentence",
        words=WORDS,
        shown=SENTENCE,
        focus=WORD,
        shares=shares,
        what="weight",
        head=pieces(head),
        ask=ask,
        title=title,
    )


def arcs(
    heads: Mapping[str, Value],
    *,
    title: str,
    on: Value | None = None,
    which: Value | None = None,
    whichever: Sequence[str] = (),
    closed: Value | None = None,
    exchange: Mapping[str, Any] | None = None,
    labels: Mapping[str, str] | None = None,
    choose: str = "",
) -> Part:
    """The words in a line with arcs from the one that asks: as wide and as dark as its weights.

    `heads` maps names to their weights. Of several, one is shown at a time, chosen by its number under the label
    `choose`; `labels` are what they are called, `on` are numbers, zero for a head that is off;
    of the one of `heads` that is not always the same, `which` says which it is, `whichever` how each is called.
    `closed` are the scores, −∞ where a word may not look. `exchange`: a `label`, and sentences to change
    between, each with its `example`, its `text`, and whether it is the page's `own`.
    """
    return part(
        "arcs",
        title=title,
        words=WORDS,
        shown=SENTENCE,
        focus=WORD,
        heads=[
            {"name": name, "weights": of, "label": (labels or {}).get(name, "")} for name, of in heads.items()
        ],
        on=on,
        which=None if which is None else name_of(which),
        whichever=list(whichever) or None,
        closed=closed,
        what="arc",
        exchange=exchange,
        choose=choose or None,
        badge=True,
        texts={
            "asks": say("arcs/asks"),
            "strongest": say("arcs/of_head" if choose else "arcs/strongest"),
            "off": say("arcs/off"),
            "lens": say("arcs/lens"),
        },
    )


def heatmap(
    of: Value,
    *,
    title: str,
    what: str,
    limit: float,
    rows: Value = WORDS,
    columns: Value = WORDS,
    row_title: str | None = None,
    column_title: str | None = None,
    row: Value | None = WORD,
    column: Value | None = OTHER,
    through: Value | None = None,
    scale: str = "signed",
    form: str = "figure",
    dots: bool = False,
    turned: bool = False,
    small: bool = False,
    quiet: bool = False,
    badge: bool = True,
    mirror: bool = False,
    veiled: bool = False,
    mask: Value | None = None,
    closed: str = "",
    made: Sequence[Value] = (),
    idle: str = "",
    says: str = "",
    edge: Mapping[str, Any] | None = None,
    sums: Mapping[str, Any] | None = None,
    toggle: Mapping[str, Any] | None = None,
    by: Value | None = None,
    cases: Sequence[Mapping[str, Any]] = (),
) -> Part:
    """A small live matrix; choosing a cell sets the page's `row` and `column`.

    Numbers: `what` names them (``score apple phone``), `form` says how they are written, `limit` is the size at
    which colour, or a dot, is full. ``scale="share"`` is one hue from 0 to 1. ``made=(left, right)`` are the two
    matrices whose rows' dot product each number is, shown for the cell in hand, or of shares ``[scores]``;
    `idle` stands there while no cell is pointed at. `says` is another way to put it, in words that may leave open
    ``{row}``, ``{column}``, ``{score}`` and ``{share}``.
    Names: where `rows` and `columns` stand in another order than the words, `through` says each one's place.
    Look: `dots` instead of numbers, `turned` exchanges rows and columns, a `small` one leaves it to a `told` part
    to say how a number was made, a `quiet` one shows no numbers; `badge` says where they come from; `mirror`
    marks the cell of the same two words the other way round. It is `veiled` where this one alone awaits a guess.
    Masks: `closed` is the word for a cell that `mask` closes; `toggle` makes cells switches (see `switches`).
    Beside it: an `edge` (see there) draws one row's weights, `sums` (see `row_sums`) writes each row's sum.
    By case: `by` is a choice whose number says which of the `cases`, settings such as these, hold.
    """
    return part(
        "heatmap",
        of=of,
        title=title,
        what=what,
        limit=limit,
        rows=rows,
        columns=columns,
        row_title=say("stage/query_asks") if row_title is None else row_title,
        column_title=say("stage/key_answers") if column_title is None else column_title,
        row=row,
        column=column,
        through=through,
        scale=None if scale == "signed" else scale,
        form=None if form == "figure" else form,
        dots=dots or None,
        turned=turned or None,
        small=small or None,
        quiet=quiet or None,
        badge=badge or None,
        mirror=mirror or None,
        veiled=veiled or None,
        mask=mask,
        closed=closed or None,
        made=list(made) or None,
        idle=idle or None,
        says=says or None,
        edge=edge,
        sums=sums,
        toggle=toggle,
        by=by,
        cases=list(cases) or None,
    )


def weights(state: State, trace: Value, *, title: str, what: str, form: str = "share", **more: Any) -> list[Part]:
    """A heading and below it the weights of a `trace`: who looks at whom, and how each weight was made.

    `more` are further settings of the `heatmap`.
    """
    shown = heatmap(
        trace.weights,
        title=title,
        what=what,
        limit=1.0,
        scale="share",
        form=form,
        made=[trace.scaled_scores],
        turned=state.orientation == "columns",
        **more,
    )
    return [heading(title), shown]


def edge(of: Value, *, what: str, title: str) -> Mapping[str, Any]:
    """The weights of the word of interest, as bars along a heatmap's edge."""
    return {"of": of, "what": what, "title": title}


def row_sums(of: Value, *, what: str, title: str, whole: bool = False) -> Mapping[str, Any]:
    """Each row's sum, behind a heatmap's rows; `whole` ones are counts."""
    return {"of": of, "what": what, "title": title} | ({"whole": True} if whole else {})


def switches(grid: Value, choice: Value, own: int, *, opened: str, closed: str, idle: str) -> Mapping[str, Any]:
    """A heatmap's cells as switches of the page's `grid` of ones and zeros: see `heatmap`.

    That grid is the mask while the number of the page's `choice` is `own`; a switch makes it so. `opened` and
    `closed` are the words for a cell's state, `idle` stands there while no cell is pointed at.
    """
    return {
        "grid": name_of(grid),
        "choice": name_of(choice),
        "own": own,
        "open": opened,
        "closed": closed,
        "idle": idle,
    }


def told(idle: str) -> Part:
    """One line that says how the number pointed at was made; nothing pointed at, `idle`."""
    return part("told", idle=idle, veiled=say("guess/first"))
