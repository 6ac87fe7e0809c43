"""The stage: the part of a page that follows the hand, at the screen's own rate.

A page says what lies on it as data (`plane`, `pairs`, `formula`, `goals` …) and what is computed
(`controls.calculation`); the browser draws and computes at every frame, and Python hears of it on release.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import streamlit as st

import theme

from .. import permalink
from ..calculation import Step, calculate, find
from ..goals import Condition, Goal
from ..lesson import Lesson

HERE = Path(__file__).parent
MODULES = (
    "mathematics",
    "calculation",
    "figures",
    "elements",
    "registry",
    "hand",
    "plane",
    "bars",
    "shares",
    "slider",
    "heatmap",
    "ruler",
    "tally",
    "presets",
    "parts",
    "sentence",
    "coordinates",
    "path",
    "steps",
    "ledger",
    "rivals",
    "masks",
    "shuffling",
    "order",
    "links",
    "account",
    "floor_plan",
    "heads",
    "keep",
    "stage",
)


def module(name: str) -> str:
    """One JavaScript module with a scope of its own, to stand in one file behind those that it imports."""
    text = (HERE / f"{name}.js").read_text(encoding="utf-8")
    text = re.sub(r"^import (\{.*?\}) from '\./(\w+)\.js';$", r"const \1 = \2_module;", text, flags=re.MULTILINE)
    names = re.findall(r"^export (?:const|let|(?:async )?function\*?) (\w+)", text, flags=re.MULTILINE)
    text = re.sub(r"^export ", "", text, flags=re.MULTILINE)
    return f"const {name}_module = (() => {{\n{text}\nreturn {{ {', '.join(names)} }};\n}})();"


def _style() -> str:
    roles = "".join(f"--role-{role}: {colour};" for role, colour in theme.ROLES.items())
    sheets = [HERE / "stage.css", *sorted(set(HERE.glob("*.css")) - {HERE / "stage.css"})]
    return f":host {{ {roles} }}\n" + "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


# The code travels once: the library is the same at every run, so Streamlit sends only its name again. The
# stage itself is a few lines, sent with the data.
_library = st.components.v2.component(
    "library",
    js="\n".join(
        [
            *(module(name) for name in MODULES),
            f"const style = {json.dumps(_style())};",
            "const shelf = (globalThis.attention_lab ??= { waiting: [] });",
            "shelf.show = component => stage_module.show_stage(component, style);",
            "for (const wake of shelf.waiting.splice(0)) wake();",
            "export default () => {};",
        ]
    ),
)
_stage = st.components.v2.component(
    "stage",
    js="""
const shelf = (globalThis.attention_lab ??= { waiting: [] });
export default async component => {
  if (!shelf.show) await new Promise(wake => shelf.waiting.push(wake));
  return shelf.show(component);
};
""",
)


def library() -> None:
    """Bring the stage's code to the browser; once a page, outside its fragment."""
    _library(key="library", height=0)


@dataclass(frozen=True)
class Column:
    """Parts of the stage above one another; `share` of the width, and not below `least` pixels.

    On a phone columns stand below one another, in the order of their `turn`.
    """

    parts: Sequence[Mapping[str, Any]]
    share: float = 1.0
    least: int = 320
    turn: int = 0


def show(
    lesson: Lesson,
    columns: Sequence[Column],
    steps: Sequence[Step] = (),
    *,
    title: str,
    given: Mapping[str, Any] | None = None,
    veil: bool = False,
    doors: Mapping[str, str] | None = None,
) -> None:
    """Draw the lesson's stage. `given` is what the calculation reads and no hand can change.

    `doors` maps the pages that its parts may open to their scripts.
    """
    memory = lesson.memory
    memory.veiled = veil
    data = {
        "page": lesson.name,
        "title": title,
        "undrawn": "This picture could not be drawn. Its numbers are in the table under Take away.",
        "pose": lesson.pose(),
        "epoch": memory.epoch,
        "seq": memory.seq,
        "given": {name: _plain(value) for name, value in (given or {}).items()},
        "calculation": steps,
        "columns": [
            {"share": c.share, "least": c.least, "turn": c.turn, "parts": list(c.parts)} for c in columns
        ],
        "address": {
            f.name: [f.write(option) for option in f.options(memory.values)] if f.options else True
            for f in lesson.fields
            if f.hand
        },
        "search": urlencode(memory.address),
        "arrived": memory.arrival is not None,
        "provenance": lesson.provenance,
        "ticks": sorted(memory.ticks),
        "veil": veil,
    }
    heard = {"on_pose_change": _heard} | ({"on_door_change": _heard} if doors else {})
    made = _stage(key=f"{lesson.name}.stage", data=data, **heard)
    if doors and made.door in doors:
        st.switch_page(doors[made.door])


def _heard() -> None:
    """The component's state is read when the lesson opens; Streamlit wants a callback to be there."""


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


# Parts -------------------------------------------------------------------------------------------------


def plane(
    lesson: Lesson,
    axes: Sequence[str],
    marks: Sequence[Mapping[str, Any]],
    *,
    low: float = -5.0,
    high: float = 5.0,
    ranges: Sequence[Sequence[float]] | None = None,
    columns: tuple[int, int] = (0, 1),
    title: str = "",
    hint: str = "hint",
    small: bool = False,
) -> dict[str, Any]:
    """A plane of two of the axes, from `low` to `high` on both, or of two `ranges` equally long.

    `marks` are drawn in their order; `hint` names the text that says what can be moved.
    A `small` one stands among others: no figures on its axes, no badge and no hint of its own.
    """
    return {
        "kind": "plane",
        "title": title or lesson.text.plain("figure"),
        "axes": [axes[column] for column in columns],
        "columns": columns,
        "ranges": ranges or [[low, high], [low, high]],
        "marks": marks,
        "hint": "" if small or not hint else lesson.text.plain(hint),
        "badge": not small,
        "small": small,
    }


def vectors(of: str, *, names: str = "words", **more: Any) -> dict[str, Any]:
    """Rows of a matrix as arrows from the origin; ``handles=True`` gives them to the hand."""
    return {"kind": "vectors", "of": of, "names": names, **more}


def displacement(start: Any, end: Any, **more: Any) -> dict[str, Any]:
    """An arrow from one vector to another, both found at paths."""
    return {"kind": "displacement", "from": start, "to": end, **more}


def pulls(start: Any, to: Any, weights: Any) -> dict[str, Any]:
    """Lines from one vector to others, as wide as their weights."""
    return {"kind": "pulls", "from": start, "to": to, "weights": weights}


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


def addition(
    of: Any, weights: Any, *, apart: str, start: Any, carried: Any, focus: str = "word", other: str = "other"
) -> dict[str, Any]:
    """A weighted sum as arrows, tip to tail or, where the choice `apart` says so, as parallelograms.

    It begins at the origin, or at `start` where `carried` leads to something true.
    """
    return {
        "kind": "addition",
        "of": of,
        "weights": weights,
        "names": "words",
        "apart": apart,
        "start": start,
        "carried": carried,
        "focus": focus,
        "other": other,
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


def presets(
    buttons: Mapping[str, Mapping[str, Any]], *, title: str, shown: bool = False, **more: Any
) -> dict[str, Any]:
    """Buttons by their texts, and what each sets in the pose; the `title` may be `shown` before them.

    More: ``whole=True`` (numbers stay whole on their way), ``about=`` (the choice that says which is in force).
    """
    return {
        "kind": "presets",
        "title": title,
        "shown": shown,
        "buttons": [{"text": text, "set": dict(to)} for text, to in buttons.items()],
        **more,
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


def station(
    name: str, title: str, parts: Sequence[Mapping[str, Any]], *, role: str = "word", **more: Any
) -> dict[str, Any]:
    """A stop on a `path`. More: its `letter`, `how` it is made, its `door` (a page) and that page's `promise`."""
    return {"name": name, "title": title, "parts": list(parts), "role": role, **more}


def way(start: str, end: str, wide: tuple, tall: tuple, *, role: str = "word") -> dict[str, Any]:
    """An arrow between two stations, from edge to edge: ``("right", 0.5)`` is the middle of the right one.

    `wide` are its two ends where the path runs from left to right, `tall` where it runs from top to bottom.
    """
    return {"from": start, "to": end, "wide": wide, "tall": tall, "role": role}


def path(groups: Sequence[Sequence[Mapping[str, Any]]], ways: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Stations in groups beside one another (on a phone below one another), with arrows between them."""
    return {"kind": "path", "groups": groups, "ways": ways}


def weight_matrix(name: str, role: str, *, reach: int = 5, beside: str = "", **more: Any) -> list[dict[str, Any]]:
    """A weight matrix on the plane: the grid as it sends it, and its rows, where it sends the axes, as handles.

    `beside` is another matrix on the same plane; ``only="feature"`` leaves one row at a time in the hand.
    """
    sent = {"kind": "grid", "of": name, "role": role, "reach": reach, "handle": name}
    rows = vectors(name, names="axes", handles=True, handle=name, role=role, form="row", beside=beside, **more)
    return [sent, rows]


def ruler(
    of: Any, marks: Sequence[tuple[str, Any]], *, what: str, title: str, low: float, high: float
) -> dict[str, Any]:
    """A number on a scale from `low` to `high`, among others to compare it with: (name, path)."""
    return {
        "kind": "ruler",
        "of": of,
        "what": what,
        "title": title,
        "low": low,
        "high": high,
        "marks": [{"name": name, "of": path} for name, path in marks],
    }


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


def edge(of: Any, *, what: str, title: str) -> dict[str, Any]:
    """The weights of the word of interest, as bars along a heatmap's edge."""
    return {"of": of, "what": what, "title": title}


def beside(*columns: Column) -> dict[str, Any]:
    """Columns inside a column: parts beside one another, on a narrow screen below one another."""
    return {
        "kind": "beside",
        "columns": [{"share": c.share, "least": c.least, "parts": list(c.parts)} for c in columns],
    }


def heading(text: str) -> dict[str, Any]:
    """A heading over the parts that follow."""
    return {"kind": "heading", "text": text}


def remark(text: str) -> dict[str, Any]:
    """A sentence or two under the part before it."""
    return {"kind": "remark", "text": text}


def bars(panels: Sequence[Mapping[str, Any]], *, title: str, **more: Any) -> dict[str, Any]:
    """Bars, one for each word, in panels above one another: see `panel`.

    More: ``asks=``, what is written below the word of interest; `hint`; ``undefined=``, what to say of a score
    that is not a number; ``back=``, the text of the button that gives the computed numbers back.
    """
    return {
        "kind": "bars",
        "names": "words",
        "focus": "word",
        "other": "other",
        "panels": panels,
        "title": title,
        "badge": True,
        **more,
    }


def panel(
    of: Any, title: str, *, span: tuple[float, float], ticks: Sequence[float], height: int, **more: Any
) -> dict[str, Any]:
    """One row of bars, on a fixed scale from ``span[0]`` to ``span[1]``; `of` leads to a matrix of one row.

    More: ``raised=`` (the title's exponent), ``form=`` ``"figure"``, ``"share"`` or ``"power"`` (the numbers are
    exponents of e), ``what=`` (the name of its live numbers), ``result=True`` (waits for the guess), ``ghost=``
    (another row, as outlines), ``lines=`` (rows of numbers below, of which ``leading=`` says the one in force).
    ``pull=`` names the pose's own row: then each bar is a handle along ``axis=``, and ``counted=`` says which
    are left out.
    """
    return {
        "of": of,
        "title": title,
        "range": span,
        "ticks": ticks,
        "height": height,
        "form": "figure",
        **more,
    }


def slider(
    of: str,
    label: str,
    *,
    axis: str = "value",
    low: float,
    high: float,
    ticks: Sequence[float] = (),
    ends: tuple[str, str] | None = None,
    logarithmic: bool = False,
) -> dict[str, Any]:
    """A number of the pose, live; `axis` is its name for a screen reader. Near a tick it snaps."""
    return {
        "kind": "slider",
        "of": of,
        "label": label,
        "axis": axis,
        "low": low,
        "high": high,
        "ticks": ticks,
        "ends": ends,
        "logarithmic": logarithmic,
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


def size(of: str, label: str, shown: Any, *, most: int, least: int = 1, **more: Any) -> dict[str, Any]:
    """A whole number of the pose, from `least` to `most`, as a range and typed in; `shown` leads to it.

    More: ``low=``, ``high=`` (the range's ends), ``also=`` (numbers that it stops at besides the round ones),
    ``field=`` (the name of the typed one), ``refused=`` (said of what cannot be used), ``rest=(path, times)``
    (where the pose holds 0, that many times the number at the path is meant), ``divides=`` (a path: only its
    divisors come up), ``times=`` (a name: only multiples of that number of the pose come up).
    """
    made = {"low": max(least, 1), "high": most, "also": [], "field": label, "refused": ""}
    return made | {"of": of, "label": label, "shown": shown, "least": least, "most": most, **more}


def entry(name: str, label: str, how: Sequence[Any], of: Any, **more: Any) -> dict[str, Any]:
    """A line of an `account`: `how` it is made (texts and paths in turn) and the number at path `of`.

    More: ``share=`` (a path), ``form=``, ``role=`` (its colour), ``result=True`` (waits for the guess),
    ``veiled=True``, ``sizes=`` (see `size`), ``heading=`` (a text over it), ``what=`` (its number's name).
    """
    return {"name": name, "label": label, "how": how, "of": of, "what": label, **more}


def account(entries: Sequence[Mapping[str, Any]], *, title: str, **more: Any) -> dict[str, Any]:
    """What something costs, line by line (see `entry`), with the sizes that it follows from under the hand.

    More: ``model=`` (the choice that it started from), ``published=`` (for each a text and a note),
    ``published_label=``, ``touched=`` (a path: whether the sizes are others by now), ``own=`` (said then),
    ``gap=`` (a path: how many times the published total it is), ``notes=`` (each said while its path is true).
    """
    return {"kind": "account", "entries": entries, "title": title, **more}


def floor_plan(*, title: str, hint: str, words: Mapping[str, str], most: int, touched: Any) -> dict[str, Any]:
    """A transformer's numbers to scale: all of them, and one layer's matrices with a corner under the hand.

    It reads the `shape` and its `count`; `words` are the names of its parts.
    """
    return {
        "kind": "floor_plan",
        "title": title,
        "hint": hint,
        "words": words,
        "shape": "shape",
        "count": "count",
        "d_model": "d_model",
        "d_k": "d_k",
        "most": most,
        "touched": touched,
    }


def options(of: str, label: str, texts: Sequence[str], *, says: Sequence[str] | None = None) -> dict[str, Any]:
    """A choice of the pose, live: `texts` stand for its values in their order, and each `says` a sentence."""
    return {"kind": "options", "of": of, "label": label, "options": texts, "says": says}


def ring(of: Any, *, title: str, inside: Any, what: Sequence[Any], unit: str) -> dict[str, Any]:
    """Shares as parts of a ring; `inside` leads to the number in its middle."""
    return {
        "kind": "ring",
        "of": of,
        "names": "words",
        "focus": "word",
        "other": "other",
        "title": title,
        "inside": inside,
        "what": what,
        "unit": unit,
    }


def bound(of: Any, what: str | Sequence[Any], text: str = "") -> dict[str, Any]:
    """One end of `bounds`: where its number is, what that is called, what is written before it."""
    return {"of": of, "what": [what] if isinstance(what, str) else what, "text": text}


def bounds(of: Any, label: str, low: Mapping, high: Mapping, *, counted: Any, nothing: str) -> dict[str, Any]:
    """A number between its bounds. Where no number of `counted` is finite, `nothing` says why."""
    return {
        "kind": "bounds",
        "of": of,
        "label": label,
        "low": low,
        "high": high,
        "counted": counted,
        "nothing": nothing,
    }


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


def goals(
    lesson: Lesson,
    among: Sequence[Goal],
    steps: Sequence[Step],
    scope: Mapping[str, Any],
    *,
    given: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
) -> dict:
    """The page's goals with their live progress. Those met in `scope` keep their tick.

    `given` is what the steps read besides the lesson's values. A goal's sentence may say ``{word}``,
    ``{other}``, and whatever `names` holds.
    """
    memory = lesson.memory
    pair = {name: scope[name] for name in ("word", "other") if name in scope}
    start = calculate(steps, lesson.scope(lesson.defaults()) | dict(given or {}) | pair)
    named = {name: scope["words"][place] for name, place in pair.items()} | dict(names or {})
    memory.ticks |= {goal.name for goal in among if goal.met(scope, start)}
    return {
        "kind": "goals",
        "about": scope.get("word"),
        "title": "Try this",
        "met": "Met.",
        "near": "{part} % of the way",
        "was_met": "Met before.",
        "veiled": "Guess first.",
        "goals": [
            {
                "name": goal.name,
                "text": lesson.text.plain(f"goals/{goal.name}", **named),
                "conditions": [_condition(c, float(find(start, c.path))) for c in goal.conditions],
            }
            for goal in among
        ],
    }


def _condition(condition: Condition, start: float) -> dict[str, Any]:
    aim = condition.aim(start)
    return {
        "path": condition.path,
        "relation": condition.facing(start),
        "target": aim if math.isfinite(aim) else None,
        "tolerance": condition.tolerance,
        "start": start if math.isfinite(start) else None,
    }


def goal_field(among: Sequence[Goal]) -> permalink.Field:
    """The address's ``goal``: which goal is set."""
    return permalink.choice("goal", "the goal set", [goal.name for goal in among], hand=True)


def still(
    lesson: Lesson,
    name: str,
    columns: Sequence[Column],
    *,
    title: str,
    given: Mapping[str, Any] | None = None,
    provenance: str = "",
) -> None:
    """A further stage of the page, without a hand: pictures drawn from what is `given`."""
    data = {
        "page": f"{lesson.name}.{name}",
        "title": title,
        "pose": {},
        "epoch": "",
        "seq": 0,
        "given": {key: _plain(value) for key, value in (given or {}).items()},
        "calculation": [],
        "columns": [{"share": c.share, "least": c.least, "parts": list(c.parts)} for c in columns],
        "address": {},
        "search": None,
        "provenance": provenance,
        "veil": False,
    }
    _stage(key=f"{lesson.name}.{name}", data=data, on_pose_change=_heard)


def keep(lesson: Lesson, parts: Sequence[Mapping[str, Any]]) -> None:
    """What only the browser can do, such as saving the drawn picture."""
    still(lesson, "keep", [Column(parts, least=200)], title="Take away")
