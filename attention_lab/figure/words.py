"""Parts that show words and what they have to do with one another: a sentence, matrices of all against all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from attention_lab.calculation import Expression, name_of
from attention_lab.state.state import State
from attention_lab.text import ui_text

from .layout import heading
from .parts import OTHER, WORD, WORDS, Part, Settings, Text, constant, part, pieces

SENTENCE = constant("sentence")


def turn_words() -> dict[str, dict[str, str]]:
    """What the buttons of Undo and Redo say, by their names: their texts, and these with the keys."""
    return {way: {"text": ui_text(way), "keys": ui_text(f"{way}/keys")} for way in ("undo", "redo")}


def sentence(
    shares: Expression | None = None,
    *,
    head: Text,
    title: str,
    ask: str = "",
    tinted: Expression | None = None,
) -> Part:
    """The sentence, word by word; choosing one makes it the word of interest.

    `shares`, if given, stand over the words as bars. `head` stands above, with `ask` behind it. Each word has the
    colour of what its vector points to, if these are given as `tinted`.
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
        tinted=tinted,
        title=title,
    )


def arcs(
    heads: Mapping[str, Expression],
    *,
    title: str,
    on: Expression | None = None,
    which: Expression | None = None,
    whichever: Sequence[str] = (),
    closed: Expression | None = None,
    swap: Mapping[str, Any] | None = None,
    labels: Mapping[str, str] | None = None,
    upright: bool | int = False,
    large: bool = False,
) -> Part:
    """The words in a line with arcs from the one that asks: as wide and as dark as its weights.

    `heads` maps names to their weights. Of several, one is shown at a time: the part ``heads`` chooses it.
    `labels` are what they are called, `on` are numbers, zero for a head that is off;
    of the one of `heads` that is not always the same, `which` says which it is, `whichever` how each is called.
    `closed` are the scores, −∞ where a word may not look. `swap`: a `label`, and sentences to change
    between, each with its `example`, its `text`, and whether it is the page's `own`. `upright`: where the line
    is too long, words stand below one another and are not turned; if a number, in less than so many pixels.
    `large`: the page's main picture, whose words are as large as the line allows, and never turned.
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
        swap=swap,
        upright=upright or None,
        large=large or None,
        badge=True,
        texts={
            "asks": ui_text("arcs/asks"),
            "strongest": ui_text("arcs/of_head" if labels else "arcs/strongest"),
            "off": ui_text("arcs/off"),
        },
    )


@dataclass(frozen=True, kw_only=True)
class Heatmap(Settings):
    """A small live matrix; choosing a cell sets the page's `row` and `column`."""

    KIND = "heatmap"

    of: Expression
    title: str
    what: str  # the name of its numbers: ``score apple phone``
    limit: float  # the size at which colour, or a dot, is full
    # Names
    rows: Expression = WORDS
    columns: Expression = WORDS
    row_title: str = field(default_factory=lambda: ui_text("stage/query_asks"))
    column_title: str = field(default_factory=lambda: ui_text("stage/key_answers"))
    through: Expression | None = None  # each name's place, where they stand in another order than the words
    row: Expression | None = WORD
    column: Expression | None = OTHER
    # Numbers
    scale: str = ""  # ``share``: one hue from 0 to 1
    form: str = ""  # how numbers are written
    #: two matrices: each number is the dot product of a row of each; for weights ``[scores]``
    computed_from: Sequence[Expression] = ()
    idle: str = ""  # what stands there instead while no cell is pointed at
    sentence: str = ""  # another wording; may hold ``{row}``, ``{column}``, ``{score}``, ``{share}``
    # Look
    dots: bool = False  # instead of numbers
    turned: bool = False  # rows and columns exchanged
    small: bool = False  # an `explanation` part says how a number is computed
    large: bool = False  # the page's one picture
    quiet: bool = False  # no numbers
    badge: bool = True  # where its numbers come from
    mirror: bool = False  # mark the cell of the same two words the other way round
    veiled: bool = False  # this one alone waits for a prediction
    # Masks
    mask: Expression | None = None
    closed: str = ""  # the word for a cell that the mask closes
    toggle: Mapping[str, Any] | None = None  # cells are switches, see `switches`
    # Beside it
    edge: Mapping[str, Any] | None = None  # one row's weights, see `edge`
    sums: Mapping[str, Any] | None = None  # each row's sum, see `row_sums`
    # By case
    by: Expression | None = None  # a choice whose number says which of the `cases`, settings such as these, hold
    cases: Sequence[Mapping[str, Any]] = ()


def heatmap(of: Expression, **settings: Any) -> Part:
    """A small live matrix, with the settings of a `Heatmap`."""
    return Heatmap(of=of, **settings).part()


def weights(
    state: State, trace: Expression, *, title: str, what: str, form: str = "share", **more: Any
) -> list[Part]:
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
        computed_from=[trace.scaled_scores],
        turned=state.orientation == "columns",
        **more,
    )
    return [heading(title), shown]


def edge(of: Expression, *, what: str, title: str) -> Mapping[str, Any]:
    """The weights of the word of interest, as bars along a heatmap's edge."""
    return {"of": of, "what": what, "title": title}


def row_sums(of: Expression, *, what: str, title: str) -> Mapping[str, Any]:
    """Each row's sum, behind a heatmap's rows."""
    return {"of": of, "what": what, "title": title}


def switches(
    grid: Expression, choice: Expression, own: int, *, opened: str, closed: str, idle: str
) -> Mapping[str, Any]:
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


def explanation(idle: str) -> Part:
    """One line that explains how the number under the pointer is computed; without a pointer, `idle`."""
    return part("explanation", idle=idle, veiled=ui_text("guess/first"))
