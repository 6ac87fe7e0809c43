"""The code that draws figures in the browser: one library for all lessons, and parts of one lesson."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from attention_lab import theme
from attention_lab.text import say

from . import terms
from .bundle import BROWSER, bundle, exports, in_order

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


SHELF = "const shelf = (globalThis.attention_lab ??= { waiting: [], modules: {}, styles: {} });"
WAKE = "for (const wake of shelf.waiting.splice(0)) wake();"
UNDRAWN = say("stage/undrawn")
TAPS = {"words": {name: say(f"stage/taps/{name}") for name in ("up", "left", "down", "right", "place")}}


@cache
def library_code() -> str:
    """The library that every figure is drawn with, as one script."""
    return "\n".join(
        [
            bundle(*CORE),
            SHELF,
            *(f"shelf.modules.{path.stem} = {path.stem}_module;" for path in CORE),
            f"shelf.styles[''] = {json.dumps(_style())};",
            f"shelf.undrawn = {json.dumps(UNDRAWN)};",
            f"shelf.terms = {json.dumps(terms.entries())};",
            f"shelf.taps = {json.dumps(TAPS)};",
            WAKE,
        ]
    )


class OwnParts:
    """The parts of a figure that not every page draws with: JavaScript modules and style sheets of a lesson.

    Every function that the modules export is a kind of part, by its name; the modules are on the shelf, too.
    """

    def __init__(self, name: str, folder: Path) -> None:
        """Take all modules and style sheets that lie in the `folder`."""
        self.name = name
        self._modules = sorted(folder.glob("*.js"))
        self._sheets = sorted(folder.glob("*.css"))
        self.kinds = [kind for path in self._modules for kind in exports(path)]

    @property
    def code(self) -> str:
        """The parts as one script, to be run when the library is there."""
        modules, name = self._modules, json.dumps(self.name)
        shared = [path for path in in_order(modules) if path in CORE]
        return "\n".join(
            [
                SHELF,
                "const open = () => {",
                *(f"const {path.stem}_module = shelf.modules.{path.stem};" for path in shared),
                bundle(*modules, without=CORE),
                f"const kinds = (shelf.modules.registry.own_parts[{name}] ??= {{}});",
                *(f"Object.assign(kinds, {path.stem}_module);" for path in modules),
                *(f"shelf.modules.{path.stem} = {path.stem}_module;" for path in modules),
                f"shelf.styles[{name}] = {json.dumps(_sheets(self._sheets))};",
                WAKE,
                "};",
                "const ready = async () => {",
                "  while (!shelf.modules.stage) await new Promise(wake => shelf.waiting.push(wake));",
                "  open();",
                "};",
                "ready();",
            ]
        )
