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
from ..lesson import Lesson, take_pose

HERE = Path(__file__).parent
MODULES = (
    "mathematics",
    "calculation",
    "figures",
    "elements",
    "hand",
    "plane",
    "bars",
    "heatmap",
    "parts",
    "sentence",
    "coordinates",
    "path",
    "keep",
    "stage",
)


def module(name: str) -> str:
    """One JavaScript module, ready to stand among the others in one file."""
    text = (HERE / f"{name}.js").read_text(encoding="utf-8")
    text = re.sub(r"^import .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^export \{.*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"^export (?=const|let|function)", "", text, flags=re.MULTILINE)


def _style() -> str:
    roles = "".join(f"--role-{role}: {colour};" for role, colour in theme.ROLES.items())
    return f":host {{ {roles} }}\n" + (HERE / "stage.css").read_text(encoding="utf-8")


# The code travels once: the library is the same at every run, so Streamlit sends only its name again. The
# stage itself is a few lines, sent with the data.
_library = st.components.v2.component(
    "library",
    js="\n".join(
        [
            *(module(name) for name in MODULES),
            f"const style = {json.dumps(_style())};",
            "const shelf = (globalThis.attention_lab ??= { waiting: [] });",
            "shelf.show = component => show_stage(component, style);",
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
    """Parts of the stage above one another; `share` of the width, and not below `least` pixels."""

    parts: Sequence[Mapping[str, Any]]
    share: float = 1.0
    least: int = 320


def show(
    lesson: Lesson,
    columns: Sequence[Column],
    steps: Sequence[Step] = (),
    *,
    title: str,
    given: Mapping[str, Any] | None = None,
    veil: bool = False,
) -> None:
    """Draw the lesson's stage. `given` is what the calculation reads and no hand can change."""
    memory = lesson.memory
    memory.veiled = veil
    data = {
        "page": lesson.name,
        "title": title,
        "pose": lesson.pose(),
        "epoch": memory.epoch,
        "seq": memory.seq,
        "given": {name: _plain(value) for name, value in (given or {}).items()},
        "calculation": steps,
        "columns": [{"share": c.share, "least": c.least, "parts": list(c.parts)} for c in columns],
        "address": {
            f.name: [f.write(option) for option in f.options(memory.values)] if f.options else True
            for f in lesson.fields
            if f.hand
        },
        "search": urlencode(memory.address) if memory.written else None,
        "provenance": lesson.provenance,
        "ticks": sorted(memory.ticks),
        "veil": veil,
    }
    made = _stage(key=f"{lesson.name}.stage", data=data, on_pose_change=_heard)
    if memory.fresh:
        memory.fresh = False
        _welcome_back(lesson, made.pose)


def _heard() -> None:
    """The component's state is read when the lesson opens; Streamlit wants a callback to be there."""


def _welcome_back(lesson: Lesson, pose: Any) -> None:
    """A new session whose browser brings a pose: the server was restarted. The pose is the newest there is."""
    if isinstance(pose, Mapping):
        lesson.memory.epoch, lesson.memory.seq = pose.get("epoch"), -1
        taken = take_pose(lesson, pose)
        if not taken:
            lesson.memory.renew()
        st.rerun()


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
    columns: tuple[int, int] = (0, 1),
    title: str = "",
) -> dict[str, Any]:
    """A plane of two of the axes, from `low` to `high` on both; `marks` are drawn in their order."""
    return {
        "kind": "plane",
        "title": title or lesson.text.plain("figure"),
        "axes": [axes[column] for column in columns],
        "columns": columns,
        "ranges": [[low, high], [low, high]],
        "marks": marks,
        "hint": lesson.text.plain("hint"),
        "badge": True,
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


def sentence(shares: Any, *, head: Sequence[Any], title: str) -> dict[str, Any]:
    """The sentence, word by word, over each its share as a bar; choosing one makes it the word of interest."""
    return {
        "kind": "sentence",
        "words": "words",
        "shown": "sentence",
        "focus": "word",
        "shares": shares,
        "what": "weight",
        "head": head,
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
    one row's weights beside it.
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


def edge(of: Any, *, what: str, title: str) -> dict[str, Any]:
    """The weights of the word of interest, as bars along a heatmap's edge."""
    return {"of": of, "what": what, "title": title}


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
        "title": "Try this",
        "met": "Met.",
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


def keep(lesson: Lesson, parts: Sequence[Mapping[str, Any]]) -> None:
    """A small stage without a hand: what only the browser can do, such as saving the drawn picture."""
    data = {
        "page": f"{lesson.name}.keep",
        "title": "Take away",
        "pose": {},
        "epoch": "",
        "seq": 0,
        "given": {},
        "calculation": [],
        "columns": [{"share": 1, "least": 200, "parts": list(parts)}],
        "address": {},
        "search": None,
        "veil": False,
    }
    _stage(key=f"{lesson.name}.keep", data=data, on_pose_change=_heard)
