"""A plane, and the marks that can lie on it."""

from __future__ import annotations

from collections.abc import Sequence

from attention_lab.calculation import Value, name_of
from attention_lab.state.state import State
from attention_lab.text import say

from .parts import WORDS, Part, Text, part, pieces


def plane(
    state: State,
    axes: Sequence[str],
    marks: Sequence[Part],
    *,
    low: float = -5.0,
    high: float = 5.0,
    ranges: Sequence[Sequence[float]] | None = None,
    columns: tuple[int, int] = (0, 1),
    title: str = "",
    hint: str = "hint",
    caption: str = "",
    badge: bool = True,
    small: bool = False,
) -> Part:
    """A plane of two of the axes, from `low` to `high` on both, or of two `ranges` equally long.

    `marks` are drawn in their order; `hint` names the section of the page's words that says what can be moved,
    `caption` is text below it, and its `badge` says where its own numbers come from. A `small` one stands among
    others: no numbers on its axes and no hint.
    """
    return part(
        "plane",
        title=title or state.text.plain("figure"),
        axes=[axes[column] for column in columns],
        columns=columns,
        ranges=ranges or [[low, high], [low, high]],
        marks=marks,
        hint="" if small or not hint else state.text.plain(hint),
        caption=caption or None,
        badge=badge,
        free=say("magnets/free"),
        small=small,
        beyond=say("plane/beyond"),
    )


def vectors(
    of: Value,
    *,
    names: Value | None = WORDS,
    label: str = "",
    prefix: str = "",
    role: str = "word",
    form: str = "",
    handles: bool = False,
    handle: str = "",
    also: Sequence[Value] = (),
    pushed: Value | None = None,
    moved: tuple[Value, Value] | None = None,
    base: Value | None = None,
    places: bool = False,
    focus: Value | None = None,
    other: Value | None = None,
    takes: bool = False,
    through: Value | None = None,
    only: Value | None = None,
    among: Value | None = None,
    outside: str = "",
    aside: bool = False,
    about: str = "",
    little: float = 0.0,
    little_name: str = "",
    sparse: bool = False,
    unlike: Value | None = None,
    beside: Value | None = None,
) -> Part:
    """Rows of a matrix as arrows from the origin.

    Names: `names` has one for each row, with a `prefix` before it; where there is but one row, its `label`.
    Look: `role` is the colour, `form` another arrow (``row`` of a matrix, ``whole``); `places`: points without
    arrows.
    The hand: `handles` gives them to it, as ``<handle> <name>`` where a `handle` is named; `also` moves the same
    row of these; `pushed` is moved instead, by how far the hand takes the arrow from its `base`. ``moved=(moves,
    step)`` keeps that by its step: `moves` gets a row of step, row, right and up, and loses those of later steps.
    Choice: the row at `focus` stands out, the one at `other` less; taking hold of a row makes it the other or,
    where it `takes`, the focus. Where rows are those of a table, `through` says each place's row. `only` that
    one row is shown, those not `among` these are pale (`outside` says why), and all but the focus where they
    stand `aside`.
    Crowds: names of arrows shorter than `little` wait for the pointer, several together being `little_name`;
    `sparse` names are left out where they would cover others; no name where the row of `unlike` lies; handles
    that share their place with those of `beside` are smaller. `about` says of which words they are, so that they
    are drawn anew for others.
    """
    return part(
        "vectors",
        of=of,
        names=names,
        label=label or None,
        prefix=prefix or None,
        role=role,
        form=form or None,
        handles=handles or None,
        handle=handle or None,
        also=[name_of(each) for each in also] or None,
        pushed=pushed,
        moved={"by": name_of(moved[0]), "at": moved[1]} if moved else None,
        base=base,
        places=places or None,
        focus=focus,
        other=other,
        takes=takes or None,
        through=through,
        only=only,
        among=among,
        outside=outside or None,
        aside=aside or None,
        about=about or None,
        little=little or None,
        little_name=little_name or None,
        sparse=sparse or None,
        unlike=unlike,
        beside=beside,
    )


def displacement(
    start: Value | None,
    end: Value,
    *,
    label: str = "",
    role: str = "context",
    tone: str = "",
    halfway: bool = False,
    result: bool = False,
    apart: bool = False,
    when: Value | None = None,
) -> Part:
    """An arrow from one vector to another, or from the origin; of matrices, one for each row.

    Its `label` stands at its tip, or `halfway`; ``tone="ghost"`` makes it pale. A `result` waits for the guess;
    it is drawn while `when` is true. One that is `apart` ends short of its vector, with no name across it.
    """
    settings = {"from": start, "to": end}
    return part(
        "displacement",
        **settings,
        label=label or None,
        role=role,
        tone=tone or None,
        halfway=halfway or None,
        result=result or None,
        apart=apart or None,
        when=when,
    )


def pulls(start: Value, to: Value, weights: Value) -> Part:
    """Lines from one vector to others, as wide as their weights."""
    settings = {"from": start, "to": to}
    return part("pulls", **settings, weights=weights)


def angle(a: Value, b: Value) -> Part:
    """The angle between two vectors."""
    return part("angle", between=(a, b))


def projection(of: Value, onto: Value, *, label: Text = "") -> Part:
    """The shadow of one vector on the line of another, with what it is called, if there is room."""
    return part("projection", of=of, onto=onto, label=pieces(label) if label else None)


def chain(of: Value, weights: Value, role: str) -> Part:
    """Rows of a matrix, each times its weight, laid tip to tail: how a query is made of features."""
    return part("chain", of=of, weights=weights, role=role)


def distance(a: Value, b: Value, *, role: str = "", result: bool = False) -> Part:
    """A line between two vectors; a `result` waits for the guess."""
    return part("distance", between=(a, b), role=role or None, result=result or None)


def hull(of: Value, *, label: str = "", role: str = "") -> Part:
    """The smallest shape around all rows; with a `label` only that is written, at its longest side."""
    return part("hull", of=of, label=label or None, role=role or None)


def diagonal() -> Part:
    """Where both axes count the same."""
    return part("diagonal")


def weight_matrix(
    of: Value,
    role: str,
    *,
    reach: int = 5,
    beside: Value | None = None,
    only: Value | None = None,
    also: Sequence[Value] = (),
    axes: Value,
) -> list[Part]:
    """A weight matrix on the plane: the grid as it sends it, and its rows, where it sends the axes, as handles.

    `axes` are the rows' names; `beside` is another matrix on the same plane, `also` those that move with it;
    `only` leaves one row at a time in the hand.
    """
    handle = name_of(of)
    sent = part("grid", of=of, role=role, reach=reach, handle=handle)
    rows = vectors(
        of, names=axes, handles=True, handle=handle, role=role, form="row", beside=beside, only=only, also=also
    )
    return [sent, rows]


def addition(
    of: Value, weights: Value, *, apart: Value, start: Value, carried: Value, focus: Value, other: Value
) -> Part:
    """A weighted sum as arrows, tip to tail or, where the choice `apart` says so, as parallelograms.

    It begins at the origin, or at `start` where `carried` is true.
    """
    return part(
        "addition",
        of=of,
        weights=weights,
        names=WORDS,
        apart=apart,
        start=start,
        carried=carried,
        focus=focus,
        other=other,
    )
