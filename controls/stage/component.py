"""The stage as components of Streamlit's: its code sent once, its data at every run."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
import streamlit as st

import theme

from ..calculation import Step
from ..lesson import Lesson
from .bundle import BROWSER, bundle


def _style() -> str:
    roles = "".join(f"--role-{role}: {colour};" for role, colour in theme.ROLES.items())
    sheets = [BROWSER / "stage.css", *sorted(set(BROWSER.glob("*.css")) - {BROWSER / "stage.css"})]
    return f":host {{ {roles} }}\n" + "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


UNDRAWN = "This picture could not be drawn. Its numbers are in the table under Take away."

# The code travels once: the library is the same at every run, so Streamlit sends only its name again. The
# stage itself is a few lines, sent with the data.
_library = st.components.v2.component(
    "library",
    js="\n".join(
        [
            bundle(BROWSER / "stage.js"),
            f"const style = {json.dumps(_style())}, undrawn = {json.dumps(UNDRAWN)};",
            "const shelf = (globalThis.attention_lab ??= { waiting: [] });",
            "shelf.show = component => stage_module.show_stage(component, style, undrawn);",
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


WHOLE_WIDTH = 900  # pixels: a column that wants so many stands below the others


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
    if memory.curtain not in (None, veil):
        st.rerun()
    data = {
        "page": lesson.name,
        "title": title,
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
    made = _stage(key=f"{lesson.name}.stage", data=_told(data), **heard)
    if doors and isinstance(made.door, str) and made.door in doors:
        st.switch_page(doors[made.door])


def _heard() -> None:
    """The component's state is read when the lesson opens; Streamlit wants a callback to be there."""


def _told(data: Mapping[str, Any]) -> str:
    """The data as one text: Streamlit would search it for tables and write it out twice.

    What is undefined is null there, since JSON knows no number that is none.
    """
    try:
        return json.dumps(data, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_known(data), separators=(",", ":"), allow_nan=False)


def _known(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _known(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_known(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


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
    _stage(key=f"{lesson.name}.{name}", data=_told(data), on_pose_change=_heard)


def keep(lesson: Lesson, parts: Sequence[Mapping[str, Any]]) -> None:
    """What only the browser can do, such as saving the drawn picture."""
    still(lesson, "keep", [Column(parts, least=200)], title="Take away")
