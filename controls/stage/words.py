"""Parts that show words and what they have to do with one another: sentences, tables, matrices, links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..lesson import Lesson
from .layout import heading


def sentence(shares: Any = None, *, head: Sequence[Any], title: str, ask: str = "") -> dict[str, Any]:
    """The sentence, word by word; choosing one makes it the word of interest.

    `shares`, if given, stand over the words as bars.
    """
    return {
        "kind": "sentence",
        "words": "words",
        "shown": "sentence",
        "focus": "word",
        "shares": shares,
        "what": "weight",
        "head": head,
        "ask": ask,
        "title": title,
    }


def pairs(columns: Sequence[tuple[str, str]], *, head: str, leading: str) -> dict[str, Any]:
    """Pairs of words with live measures: `columns` are (head, name in the calculation)."""
    return {
        "kind": "pairs",
        "head": head,
        "focus": "word",
        "other": "other",
        "leading": leading,
        "columns": [{"head": shown, "of": of} for shown, of in columns],
    }


def heatmap(
    of: Any,
    *,
    title: str,
    what: str,
    limit: float,
    rows: Any = "words",
    columns: Any = "words",
    row_title: str = "query (asks)",
    column_title: str = "key (answers)",
    row: str = "word",
    column: str = "other",
    **more: Any,
) -> dict[str, Any]:
    """A small live matrix; choosing a cell sets the pose's `row` and `column`.

    `what` names its numbers (``score apple phone``), `limit` is the size at which colour, or a dot, is full.
    More: ``scale="share"`` (0 to 1 in one hue) with ``form="share"``; ``dots=True``; ``turned=True`` exchanges
    rows and columns; `mask` is a path, and `closed` the word for its closed cells; ``made=(left, right)`` are
    the two matrices whose rows' dot product each number is, shown for the cell in hand; ``edge=`` `edge` draws
    one row's weights beside it; `sums` writes each row's sum behind it, and `toggle` makes its cells switches.
    ``by=, cases=``: the pose's variable `by` says which of the cases' settings hold. Where `rows` and `columns`
    stand in another order than the words, ``through=`` leads to the place of each among them.
    """
    return {
        "kind": "heatmap",
        "of": of,
        "title": title,
        "what": what,
        "limit": limit,
        "rows": rows,
        "columns": columns,
        "row_title": row_title,
        "column_title": column_title,
        "row": row,
        "column": column,
        **more,
    }


def weights(
    lesson: Lesson, trace: str, *, title: str, what: str, form: str = "share", **more: Any
) -> list[dict[str, Any]]:
    """A heading and below it the weights of a `trace`: who looks at whom, and how each weight was made.

    More: as for `heatmap`.
    """
    shown = heatmap(
        (trace, "weights"),
        title=title,
        what=what,
        limit=1.0,
        scale="share",
        form=form,
        made=[(trace, "scaled_scores")],
        turned=lesson.orientation == "columns",
        **more,
    )
    return [heading(title), shown]


def edge(of: Any, *, what: str, title: str) -> dict[str, Any]:
    """The weights of the word of interest, as bars along a heatmap's edge."""
    return {"of": of, "what": what, "title": title}


def masks(
    of: str,
    label: str,
    texts: Sequence[str],
    notes: Sequence[str],
    further: Sequence[Mapping[str, Any] | None],
    *,
    grid: str,
    opens: str,
    counts: Any,
    nothing: str,
) -> dict[str, Any]:
    """A live choice among masks, the last of them one's own: the pose's `grid`, which the button opens whole.

    `notes` say what each does; `further` are what some of them still need, made like `options`, perhaps with
    notes of their own. Of a word that by its `counts` may look at none, `nothing` is said.
    """
    return {
        "kind": "masks",
        "of": of,
        "label": label,
        "texts": texts,
        "notes": notes,
        "further": further,
        "own": len(texts) - 1,
        "grid": grid,
        "open": opens,
        "names": "words",
        "counts": counts,
        "nothing": nothing,
    }


def outputs(
    counts: Any,
    context: Any,
    moved: Any,
    axes: Sequence[str],
    *,
    limit: float,
    replace: Mapping[str, Any],
    texts: Mapping[str, str],
    title: str,
    heads: Sequence[str],
) -> dict[str, Any]:
    """What every word gets, and how far that moves once the last word is replaced by another.

    `counts` leads to how many words each looks at; `limit` is the change at which its bar is full.
    """
    return {
        "kind": "outputs",
        "names": "words",
        "counts": counts,
        "context": context,
        "moved": moved,
        "axes": axes,
        "limit": limit,
        "replace": replace,
        "texts": texts,
        "title": title,
        "heads": heads,
        "what": {"context": "context", "moved": "moved"},
    }


def order(
    axes: Sequence[str],
    *,
    title: str,
    heads: Sequence[str],
    label: str,
    texts: Mapping[str, str],
    limit: float,
    least: float,
) -> dict[str, Any]:
    """The sentence in two orders, the second under the hand, with every word's new vector in both.

    It reads `stands` (the place of each word), `said` (the word at each place), the outputs ``first`` and
    ``back`` by word, their `changes` and the ``largest``; from `least` on these count as more than rounding.
    """
    return {
        "kind": "order",
        "order": "order",
        "names": "words",
        "stands": "stands",
        "said": "said",
        "first": ("first", "context"),
        "then": "back",
        "changes": "changes",
        "most": "largest",
        "axes": axes,
        "title": title,
        "heads": heads,
        "label": label,
        "texts": texts,
        "limit": limit,
        "least": least,
        "what": {"first": "context", "then": "shuffled", "changes": "change", "most": "largest difference"},
    }


def links(
    asks: Sequence[str],
    answers: Sequence[str],
    *,
    title: str,
    heads: Sequence[str],
    texts: Mapping[str, Any],
    order: str = "",
) -> dict[str, Any]:
    """Two lines of words, and between them a link for every pair, as strong as its weight.

    `order` names the pose's own order of the words that answer; without it they stay where they are. It reads
    `said` and `stands` as `order` does, the trace's weights in that order, the ``strongest`` place of each word
    that asks, whether that is ``lost`` behind a mask, and how many strongest links make ``crossings``. `texts`
    says what to call these, and by ``masked``, a path, whether there is a mask.
    """
    return {
        "kind": "links",
        "title": title,
        "asks": list(asks),
        "answers": list(answers),
        "heads": heads,
        "weights": ("trace", "weights"),
        "strongest": "strongest",
        "lost": "lost",
        "crossings": "crossings",
        "order": order,
        "said": "said",
        "stands": "stands",
        "focus": "word",
        "what": "link",
        "texts": texts,
    }


def tally(columns: Sequence[Mapping[str, Any]], *, head: Sequence[Any], title: str) -> dict[str, Any]:
    """Live numbers in columns (see `tallied`), a row for each word that answers the word of interest."""
    return {
        "kind": "tally",
        "names": "words",
        "focus": "word",
        "other": "other",
        "columns": columns,
        "head": head,
        "title": title,
    }


def tallied(of: Any, head: str, *, what: str, form: str = "figure", **more: Any) -> dict[str, Any]:
    """A column of a `tally`: the row of numbers at path `of`.

    More: ``result=True`` (waits for the guess), ``bar=True`` (a share, drawn behind its number), ``note=``
    ``{"of": path, "text": text, "when": path}`` (numbers from elsewhere to compare with).
    """
    return {"of": of, "head": head, "what": what, "form": form, **more}


def coordinates(
    of: Any,
    axes: Sequence[str],
    *,
    what: str,
    title: str,
    role: str = "word",
    made: tuple[Any, Any] | None = None,
    turned: bool = False,
    result: bool = False,
) -> dict[str, Any]:
    """Vectors as a small table of numbers, a word a line, or `turned` a word a column.

    `made` are the two matrices whose product they are: a `told` part then says how the number pointed at came
    about. A `result` waits for the reader's guess.
    """
    return {
        "kind": "coordinates",
        "of": of,
        "names": "words",
        "axes": axes,
        "what": what,
        "title": title,
        "role": role,
        "chosen": "word",
        "made": made,
        "turned": turned,
        "result": result,
    }


def told(idle: str) -> dict[str, Any]:
    """One line that says how the number pointed at was made; nothing pointed at, `idle`."""
    return {"kind": "told", "idle": idle, "veiled": "Guess first."}


def mixture(
    of: Any, weights: Any, context: Any, axes: Sequence[str], *, title: str, moves: Mapping[str, str], **more: Any
) -> dict[str, Any]:
    """What a mixture is made of, as a table: each word's share of its vector, and their sum.

    `moves` are the sentences on how far the word of interest moves: towards ``one`` word or ``many``, or ``none``
    or ``nothing``. More: ``head=`` (the heads of the first two columns), ``sum=`` (the name of the last row),
    ``suffix=`` (a path to what is appended to the names of its live numbers).
    """
    return {
        "kind": "mixture",
        "of": of,
        "weights": weights,
        "context": context,
        "names": "words",
        "focus": "word",
        "other": "other",
        "axes": axes,
        "title": title,
        "moves": moves,
        **more,
    }
