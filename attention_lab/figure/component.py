"""The stage as components of Streamlit's: its code sent once, its data at every run."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import streamlit as st

from attention_lab import faults, theme
from attention_lab.calculation import Calculation, Results, Value, path_of, steps_of
from attention_lab.process import PROCESS
from attention_lab.state.page_state import OWN, PageState
from attention_lab.state.permalink import Field
from attention_lab.text import say
from attention_lab.text.as_text import as_text

from . import terms
from .bundle import BROWSER, bundle, exports, in_order
from .carried import ID_LETTERS, BinaryArrays
from .layout import Column

SMALL_LETTERS = re.compile(r"font-size: (\.\d+rem)")
CORE = in_order([BROWSER / "stage.js", *sorted(BROWSER.glob("*.js"))])


def _style() -> str:
    roles = "".join(f"--role-{role}: {colour};" for role, colour in theme.ROLES.items())
    sheets = [BROWSER / "stage.css", *sorted(set(BROWSER.glob("*.css")) - {BROWSER / "stage.css"})]
    return f":host {{ {roles} }}\n{_sheets(sheets)}"


def _sheets(paths: Iterable[Path]) -> str:
    """Style sheets as one; their letters are not smaller than `--smallest`, which a projector sets."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    return SMALL_LETTERS.sub(r"font-size: max(\1, var(--smallest, 0rem))", text)


NO_FIELD = "nothing"  # what a badge is of where no hand can change the numbers
SHELF = "const shelf = (globalThis.attention_lab ??= { waiting: [], modules: {}, styles: {} });"
WAKE = "for (const wake of shelf.waiting.splice(0)) wake();"
UNDRAWN = say("stage/undrawn")
TAPS = {"words": {name: say(f"stage/taps/{name}") for name in ("up", "left", "down", "right", "place")}}

# The code travels once: the library is the same at every run, so Streamlit sends only its name again. The
# stage itself is a few lines, sent with the data. What only one lesson draws with is a library of its own.
_library = st.components.v2.component(
    "library",
    js="\n".join(
        [
            bundle(*CORE),
            SHELF,
            *(f"shelf.modules.{path.stem} = {path.stem}_module;" for path in CORE),
            f"shelf.styles[''] = {json.dumps(_style())};",
            f"shelf.undrawn = {json.dumps(UNDRAWN)};",
            f"shelf.terms = {json.dumps(terms.entries())};",
            f"shelf.taps = {json.dumps(TAPS)};",
            WAKE,
            "export default () => {};",
        ]
    ),
)

# What is carried waits on the shelf under its own name, the newest few.
_carrier = st.components.v2.component(
    "carrier",
    js=f"""
{SHELF}
export default component => {{
  const {{ data }} = component;
  const id = new TextDecoder().decode(data.slice(0, {ID_LETTERS}));
  shelf.carried ??= new Map();
  shelf.carried.delete(id);
  shelf.carried.set(id, data.slice({ID_LETTERS}).buffer);
  for (const old of shelf.carried.keys()) if (shelf.carried.size > 6) shelf.carried.delete(old);
  {WAKE}
}};
""",
)

_stage = st.components.v2.component(
    "stage",
    js=f"""
{SHELF}
const newest = new WeakMap();
export default async component => {{
  const turn = Symbol();
  newest.set(component.parentElement, turn);
  const [, own = '', ids = ''] = /^{{"own":"(\\w*)","carries":"([\\w ]*)"/.exec(component.data) ?? [];
  const there = id => !id || shelf.carried?.has(id);
  while (!shelf.modules.stage || !(own in shelf.styles) || !ids.split(' ').every(there))
    await new Promise(wake => shelf.waiting.push(wake));
  if (newest.get(component.parentElement) !== turn) return () => {{}};
  return shelf.modules.stage.show_stage(component, shelf.styles[''] + (own && shelf.styles[own]), shelf.undrawn);
}};
""",
)

# The buttons to go back and on stand apart from the stage, which knows how far one can go.
_turns = st.components.v2.component(
    "turns",
    js=f"""
{SHELF}
export default async component => {{
  while (!shelf.modules.turns) await new Promise(wake => shelf.waiting.push(wake));
  return shelf.modules.turns.show_turns(component, shelf.styles['']);
}};
""",
)


class OwnParts:
    """The parts of the stage that not every page draws with: JavaScript modules and style sheets of a lesson.

    Every function that the modules export is a kind of part, by its name; the modules are on the shelf, too.
    """

    def __init__(self, name: str, folder: Path) -> None:
        """Take all modules and style sheets that lie in the `folder`."""
        self.name = name
        modules = sorted(folder.glob("*.js"))
        self.kinds = [kind for path in modules for kind in exports(path)]
        shared = [path for path in in_order(modules) if path in CORE]
        style = _sheets(sorted(folder.glob("*.css")))
        self._library = st.components.v2.component(
            f"library_{name}",
            js="\n".join(
                [
                    SHELF,
                    "const open = () => {",
                    *(f"const {path.stem}_module = shelf.modules.{path.stem};" for path in shared),
                    bundle(*modules, without=CORE),
                    f"const kinds = (shelf.modules.registry.own_parts[{json.dumps(name)}] ??= {{}});",
                    *(f"Object.assign(kinds, {path.stem}_module);" for path in modules),
                    *(f"shelf.modules.{path.stem} = {path.stem}_module;" for path in modules),
                    f"shelf.styles[{json.dumps(name)}] = {json.dumps(style)};",
                    WAKE,
                    "};",
                    "const ready = async () => {",
                    "  while (!shelf.modules.stage) await new Promise(wake => shelf.waiting.push(wake));",
                    "  open();",
                    "};",
                    "ready();",
                    "export default () => {};",
                ]
            ),
        )

    def bring(self) -> None:
        """Bring them to the browser; once a page, outside its fragment."""
        self._library(key=f"library_{self.name}", height=0)


def library(own: OwnParts | None = None) -> None:
    """Bring the stage's code to the browser, and a lesson's `own`; once a page, outside its fragment."""
    with st.container(gap=None):  # with an `own` it takes no more room than without
        _library(key="library", height=0)
        if own is not None:
            own.bring()


def show(
    page: PageState,
    columns: Sequence[Column],
    now: Results,
    *,
    title: str,
    results_hidden: bool = False,
    page_links: Mapping[str, str] | None = None,
    carried: Mapping[str, BinaryArrays] | None = None,
) -> None:
    """Draw the page's stage: columns of parts, and the calculation that `now` comes from.

    With `results_hidden` numbers and pictures wait for the reader's guess. `page_links` maps the pages that its
    parts may open to their scripts. What is `carried` was given to the calculation under these names.
    """
    memory = page.memory
    memory.results_hidden = results_hidden
    if memory.hidden_outside not in (None, results_hidden):
        st.rerun()
    _say_placed(page)
    pose, carried = page.pose(), carried or {}
    if carried:
        with st.container(gap=None):
            for name, each in carried.items():
                _carrier(key=f"{page.name}.carried.{name}", data=each.data, height=0)
    badges: dict[str, None] = {}
    drawn = [_badged(column.to_payload(), now.calculation, page.fields, badges) for column in columns]
    data = {
        "own": page.own_parts.name if page.own_parts else "",
        "carries": " ".join(each.id for each in carried.values()),
        "carried": {name: each.to_payload() for name, each in carried.items()},
        "page": page.name,
        "title": title,
        "pose": pose,
        "epoch": memory.epoch,
        "seq": memory.seq,
        "given": {name: _plain(value) for name, value in now.added.items() if name not in carried},
        "columns": drawn,
        "address": {
            f.name: [f.write(option) for option in f.options(memory.values)] if f.options else True
            for f in page.fields
            if f.hand
        },
        "animated": [f.name for f in page.fields if f.hand and f.animated],
        "search": urlencode(memory.address),
        "arrived": bool(memory.arrival),
        "origin": page.origin,
        "elsewhere": page.elsewhere,
        "provenance": {of: page.provenance_of(*of.split()) for of in badges},
        "completed_goals": sorted(memory.completed_goals),
        "turns": memory.history.told,
        "veil": results_hidden,
        "first": page.first_move(page) if page.first_move else "",
    }
    if page.room:
        data["room"] = {"sheet": page.sheet, "begun": _begun(page, data["animated"]), "asked": memory.asked}
    heard = {"on_pose_change": _heard, "on_fault_change": _heard} | (
        {"on_page_link_change": _heard} if page_links else {}
    )
    names, calculation = _steps(now.calculation)
    told = _told(data, known={*pose, *now.added, *names}, calculation=calculation)
    made = _stage(key=f"{page.name}.stage", data=told, **heard)
    if made.fault:
        faults.report(page.name, made.fault, hidden=PROCESS.faults_hidden)
    if page_links and isinstance(made.page_link, str) and made.page_link in page_links:
        st.switch_page(page_links[made.page_link])


def _begun(page: PageState, names: Sequence[str]) -> dict[str, Any]:
    """What a hand finds to move before anything was moved; worked out once for each sheet."""
    memory, sheet = page.memory, page.sheet
    if memory.begun is None or memory.begun[0] != sheet:
        begun = page.pose(page.defaults())
        memory.begun = sheet, {name: begun[name] for name in names}
    return memory.begun[1]


def turns(page: PageState) -> None:
    """Two buttons: one step back in what was made on the page, and one on."""
    words = {way: {"text": say(way), "keys": say(f"{way}/keys")} for way in ("undo", "redo")}
    data = json.dumps({"of": page.name, **words})
    _turns(key=f"{page.name}.turns", data=data, width="content", height="content")


def _heard() -> None:
    """The component's state is read when the page opens; Streamlit wants a callback to be there."""


def _say_placed(page: PageState) -> None:
    """Say which words nobody has placed yet, and which could not come along from another page."""
    placed = page.placed_words
    if placed and page.vectors[[page.table.index(word) for word in placed]].any():
        st.caption(say("words/placed", words=as_text(", ".join(placed))))
    if page.memory.left_behind and page.example != OWN:
        st.caption(say("words/left_behind", words=as_text(" ".join(page.memory.left_behind))))


def _badged(told: Any, calculation: Calculation, fields: Sequence[Field], badges: dict[str, None]) -> Any:
    """What is told of parts; each badge says which of the page's fields the numbers of its picture are made of.

    They are found in the calculation itself: a badge speaks of its own picture's arrays and no others. All are
    put into `badges`.
    """
    if isinstance(told, dict):
        inner = {name: _badged(value, calculation, fields, badges) for name, value in told.items()}
        if told.get("badge") is True:
            given = frozenset().union(*map(calculation.origins, _values(told)))
            inner["badge"] = " ".join(f.name for f in fields if f.made and f.name in given) or NO_FIELD
        if isinstance(badge := inner.get("badge"), str):
            badges[badge] = None
        return inner
    if isinstance(told, (list, tuple)):
        return [_badged(value, calculation, fields, badges) for value in told]
    return told


def _values(told: Any) -> Iterator[Value]:
    """The recorded values in what is told of a part."""
    if isinstance(told, Value):
        yield told
    elif isinstance(told, (dict, list, tuple)):
        for inner in told.values() if isinstance(told, dict) else told:
            yield from _values(inner)


@lru_cache(128)
def _steps(calculation: Calculation) -> tuple[frozenset[str], str]:
    """The names of a calculation's steps, and the steps as the browser reads them."""
    steps = steps_of(calculation)
    return frozenset(name for name, *_ in steps), _written(steps)


def _written(data: Any, value: Callable[[Any], Any] | None = None) -> str:
    """The data as JSON; `value` says what stands for a recorded value.

    What is undefined is null there, since JSON knows no number that is none.
    """
    write = partial(json.dumps, default=value, separators=(",", ":"), allow_nan=False)
    try:
        return write(data)
    except ValueError:
        return write(_known(data))


def _told(data: Mapping[str, Any], known: set[str], calculation: str = "[]") -> str:
    """The data as one text: Streamlit would search it for tables and write it out twice.

    A recorded value becomes the path where the browser finds it, a whole one its name. The steps of the
    `calculation`, which stay the same from run to run, are written already.
    """

    def told(value: Any) -> Any:
        if not isinstance(value, Value):
            raise faults.Fault(f"{value!r}, a {type(value).__name__}, cannot be told to the browser.")
        name, *steps = path = path_of(value)
        if name not in known:
            raise faults.unknown(
                name, known, f"known to the stage of {data['page']!r}: give it to its calculation"
            )
        return path if steps else name

    return f'{_written(data, told).removesuffix("}")},"calculation":{calculation}}}'


def _known(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _known(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_known(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def still(
    page: PageState,
    name: str,
    columns: Sequence[Column],
    *,
    title: str,
    given: Mapping[str, Any] | None = None,
    provenance: str = "",
    own: OwnParts | None = None,
    width: str = "stretch",
) -> None:
    """A further stage of the page, without a hand: pictures drawn from what is `given`.

    It has the lesson's own parts, or those named, which must have been brought.
    """
    given = {key: _plain(value) for key, value in (given or {}).items()}
    own = own or page.own_parts
    data = {
        "own": own.name if own else "",
        "carries": "",
        "page": f"{page.name}.{name}",
        "title": title,
        "pose": {},
        "animated": [],
        "epoch": "",
        "seq": 0,
        "given": given,
        "columns": [column.to_payload() for column in columns],
        "address": {},
        "search": None,
        "provenance": provenance,
        "veil": False,
    }
    heard = {"on_pose_change": _heard, "on_fault_change": _heard}
    _stage(key=f"{page.name}.{name}", data=_told(data, set(given)), width=width, **heard)


def browser_only(
    page: PageState, parts: Sequence[Mapping[str, Any]], *, name: str = "keep", width: str = "stretch"
) -> None:
    """What only the browser can do, such as saving the drawn picture."""
    still(
        page, name, [Column(parts, least=20 if width == "content" else 200)], title=say("take_away"), width=width
    )
