"""A plane, and the marks that can lie on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attention_lab.calculation import Expression, name_of
from attention_lab.state.state import State
from attention_lab.text import ui_text

from .parts import WORDS, Part, Settings, Text, part, pieces


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
    hint: str | None = None,
    caption: str = "",
    small: bool = False,
) -> Part:
    """A plane of two of the axes, from `low` to `high` on both, or of two `ranges` equally long.

    `marks` are drawn in their order; `hint` names the section of the page's words that says what can be moved
    ("hint" unless said otherwise), `caption` is text below it. A `small` one stands among others: no numbers on
    its axes, and no hint unless it is named. The axes tech and fruit have the colours of what they mean.
    """
    if hint is None:
        hint = "" if small else "hint"
    return part(
        "plane",
        title=title or state.text.plain("figure"),
        axes=[axes[column] for column in columns],
        columns=columns,
        ranges=ranges or [[low, high], [low, high]],
        marks=marks,
        hint=state.text.plain(hint) if hint else "",
        caption=caption or None,
        badge=True,
        free=ui_text("magnets/free"),
        small=small,
        meanings=are_tech_and_fruit(axes) or None,
        beyond=ui_text("plane/beyond"),
    )


def are_tech_and_fruit(axes: Sequence[str]) -> bool:
    """Whether these axes have colours of their own, and so a vector has the colour of what it points to."""
    return tuple(axes) == ("tech", "fruit")


@dataclass(frozen=True, kw_only=True)
class Vectors(Settings):
    """Rows of a matrix as arrows from the origin."""

    KIND = "vectors"

    of: Expression
    # Names
    names: Expression | None = WORDS  # one for each row
    prefix: str = ""  # before each name
    label: str = ""  # the name where there is but one row
    called: str = ""  # the name with the row's own in it: ``{word}, here``
    # Look
    role: str = "word"  # the colour
    tinted: bool = False  # coloured by what each vector points to instead
    meanings: Sequence[str] = ()  # what each row means instead: ``fruit``, ``tech`` or nothing
    form: str = ""  # another arrow: ``row`` of a matrix, ``whole``, ``wide`` for another to lie on it
    places: bool = False  # points without arrows
    # The hand
    handles: bool = False
    handle: str = ""  # handles are called ``<handle> <name>``
    also: Sequence[str] = ()  # fields whose same row moves, too
    pushed: Expression | None = None  # moved instead, by how far the hand takes the arrow from its `base`
    base: Expression | None = None
    moved: Mapping[str, Any] | None = None  # keeps a move by its step, see `vectors`
    matrix: Expression | None = None  # changed instead, as little as maps the row's `inputs` to where the hand is
    inputs: Expression | None = None  # the vectors that the matrix maps, a row each
    # Choice
    focus: Expression | None = None  # the row that stands out
    other: Expression | None = None  # the row that stands out less; taking hold of a row makes it the other
    takes: bool = False  # taking hold of a row makes it the focus instead
    through: Expression | None = None  # each place's row, where rows are those of a table
    only: Expression | None = None  # the one row that is shown
    among: Expression | None = None  # rows not among these are pale
    outside: str = ""  # why
    aside: bool = False  # all but the focus are pale
    about: str = ""  # of which words they are: drawn again for others
    # Crowds
    little: float = 0.0  # names of shorter arrows wait for the pointer
    little_name: str = ""  # what several of these together are called
    unlike: Expression | None = None  # no name where this row lies
    beside: Expression | None = None  # handles that share their place with these are smaller


def vectors(
    of: Expression,
    *,
    also: Sequence[Expression] = (),
    moved: tuple[Expression, Expression] | None = None,
    **settings: Any,
) -> Part:
    """Rows of a matrix as arrows from the origin, with the settings of `Vectors`.

    ``moved=(moves, step)`` keeps a move by its step: `moves` gets a row of step, row, right and up, and loses
    those of later steps.
    """
    kept = {"by": name_of(moved[0]), "at": moved[1]} if moved else None
    return Vectors(of=of, also=[name_of(each) for each in also], moved=kept, **settings).part()


def displacement(
    start: Expression | None,
    end: Expression,
    *,
    label: str = "",
    role: str = "context",
    tone: str = "",
    halfway: bool = False,
    result: bool = False,
    apart: bool = False,
    when: Expression | None = None,
    head: int | None = None,
) -> Part:
    """An arrow from one vector to another, or from the origin; of matrices, one for each row.

    Its `label` stands at its tip, or `halfway`; ``tone="ghost"`` makes it pale. A `result` waits for the guess;
    it is drawn while `when` is true. One that is `apart` ends short of its vector, with no name across it.
    That of a `head` has its label, and its full colour, while this head is looked at.
    """
    return part(
        "displacement",
        **{"from": start, "to": end},
        label=label or None,
        role=role,
        tone=tone or None,
        halfway=halfway or None,
        result=result or None,
        apart=apart or None,
        when=when,
        head=head,
    )


def pulls(start: Expression, to: Expression, weights: Expression, *, tinted: bool = False) -> Part:
    """Lines from one vector to others, as wide as their weights; `tinted` by what these point to."""
    return part("pulls", **{"from": start, "to": to}, weights=weights, tinted=tinted or None)


def angle(a: Expression, b: Expression) -> Part:
    """The angle between two vectors."""
    return part("angle", between=(a, b))


def projection(of: Expression, onto: Expression, *, label: Text = "") -> Part:
    """Return the projection of one vector on the line of another; its `label` stands in a corner of the plane."""
    return part("projection", of=of, onto=onto, label=pieces(label) if label else None)


def chain(of: Expression, weights: Expression, role: str = "", *, tinted: bool = False) -> Part:
    """Rows of a matrix, each times its weight, laid tip to tail: how a query is made of features.

    `tinted` ones have the colour of what each row points to, and wait for the guess.
    """
    return part("chain", of=of, weights=weights, role=role, tinted=tinted or None)


def distance(a: Expression, b: Expression, *, role: str = "", result: bool = False) -> Part:
    """A line between two vectors; a `result` waits for the guess."""
    return part("distance", between=(a, b), role=role or None, result=result or None)


def hull(of: Expression, *, label: str = "", role: str = "") -> Part:
    """The smallest shape around all rows; with a `label` only that is written, at its longest side."""
    return part("hull", of=of, label=label or None, role=role or None)


def diagonal() -> Part:
    """Where both axes count the same."""
    return part("diagonal")


def weight_matrix(
    of: Expression,
    role: str,
    *,
    reach: int = 5,
    beside: Expression | None = None,
    only: Expression | None = None,
    also: Sequence[Expression] = (),
    axes: Expression,
    quiet: bool = False,
) -> list[Part]:
    """A weight matrix on the plane: the grid as it sends it, and its rows, where it sends the axes, as handles.

    `axes` are the rows' names; `beside` is another matrix on the same plane, `also` those that move with it;
    `only` leaves one row at a time in the hand. A `quiet` grid is drawn only while a hand is on a row.
    """
    handle = name_of(of)
    sent = part("grid", of=of, role=role, reach=reach, handle=handle, quiet=quiet or None)
    rows = vectors(
        of, names=axes, handles=True, handle=handle, role=role, form="row", beside=beside, only=only, also=also
    )
    return [sent, rows]


def addition(
    of: Expression,
    weights: Expression,
    *,
    apart: Expression,
    start: Expression,
    from_start: Expression,
    focus: Expression,
    other: Expression,
) -> Part:
    """A weighted sum as arrows, tip to tail or, where the choice `apart` says so, as parallelograms.

    It begins at the origin, or at `start` where `from_start` is true.
    """
    return part(
        "addition",
        of=of,
        weights=weights,
        names=WORDS,
        apart=apart,
        start=start,
        from_start=from_start,
        focus=focus,
        other=other,
    )
