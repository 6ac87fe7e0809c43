"""The words of each page, in named sections. Another language is another folder beside ``en``.

A file's ``## name`` starts a section and ``### name`` a part of it, found as ``"goals/right_angle"``. A term
of the glossary, whose entry opens where it stands, is written ``[[query]]`` or ``[[asks|query]]``.
"""

from __future__ import annotations

import os
import re
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

from attention_lab.faults import unknown

LANGUAGE = "en"
TERM = re.compile(r"\[\[([^\W\d][^\]|]*)(?:\|([^\]]+))?\]\]")
LINK = re.compile(r"\[([^\]]+)\]\(#term-[\w-]+\)")
HERE = Path(__file__).parent
LOOK_AGAIN = 0.5  # s until a file is looked at again: in one run a page asks for its words a hundred times


class Text(dict[str, str]):
    """Sections by name, in the order they are written."""

    source = ""  # the file, as a fault names it

    def __missing__(self, name: str) -> str:
        """A section that nobody has written; what was meant may be among its neighbours."""
        group, _, _ = name.rpartition("/")
        beside = [other for other in self if other.rpartition("/")[0] == group] if group else []
        raise unknown(name, beside or self, f"a section of {self.source}")

    def plain(self, name: str, /, **names: str) -> str:
        """A section without Markdown's emphasis, for places that show plain text; `names` as for `filled`."""
        return _fill(re.sub(r"[*_`$]", "", LINK.sub(r"\1", self[name])), names)

    def filled(self, name: str, /, **names: str) -> str:
        """A section with the names that it leaves open put in: ``{word}``."""
        return _fill(self[name], names)

    def around(self, name: str, /, *, plain: bool = False, **names: Any) -> list:
        """The pieces of a section in turn, and for each name that it leaves open what is put there."""
        pieces = re.split(r"\{(\w+)\}", re.sub(r"[*`$]", "", self[name]) if plain else self[name])
        return [names[piece] if place % 2 else piece for place, piece in enumerate(pieces) if place % 2 or piece]

    def marked(self, name: str, /, **names: str) -> list[str]:
        """The plain pieces of a section in turn, every second of them one of the `names` put in."""
        pieces = re.split(r"\{(\w+)\}", self[name])
        return [
            names.get(piece, f"{{{piece}}}") if place % 2 else re.sub(r"[*_`$]", "", piece)
            for place, piece in enumerate(pieces)
        ]

    def parts(self, section: str) -> dict[str, str]:
        """The parts of a section by their own names."""
        return {name.split("/", 1)[1]: text for name, text in self.items() if name.startswith(f"{section}/")}


def term_address(term: str) -> str:
    """By what a link leads to a term of the glossary."""
    letters = term.casefold().replace("δ", "delta ")
    return f"term-{re.sub(r'[^a-z0-9]+', '-', letters).strip('-')}"


def _linked(found: re.Match[str]) -> str:
    """A term as a link to its entry."""
    return f"[{found[1]}](#{term_address(found[2] or found[1])})"


def _fill(text: str, names: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], found[0]), text)


def say(section: str, /, **names: object) -> str:
    """What all pages say alike: a section of ``controls.md``, with the names put in that it leaves open."""
    return read("controls").filled(section, **{key: str(value) for key, value in names.items()})


def read(page: str, *, turned: bool = False) -> Text:
    """The sections of one page. A page without a file has no words yet and gets an empty `Text`.

    Queries stand in rows or, `turned`, in columns: a section says ``{query_row}`` and ``{key_column}``.
    """
    path = f"{HERE}/{LANGUAGE}/{page}.md"
    return _read(path, turned, _written(path, int(time.monotonic() / LOOK_AGAIN)))


@lru_cache
def _written(path: str, period: int) -> int | None:
    """When a file was written last, looked up once a period; None where there is none."""
    try:
        return os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return None


def _stands_in(turned: bool) -> dict[str, str]:
    """What a section leaves open about orientation, by name."""
    ways = read("controls").parts("ways")
    asks, answers = ("column", "row") if turned else ("row", "column")
    named = {"query_row": asks, "key_column": answers}
    return {f"{name}{s}": ways.get(f"{way}{s}", way + s) for name, way in named.items() for s in ("", "s")}


@lru_cache(256)
def _read(file: str, turned: bool, written: int | None) -> Text:
    """What stands in a file, read again once it was written again."""
    path = Path(file)
    sections, section, part = Text(), "", ""
    sections.source = f"attention_lab/text/{LANGUAGE}/{path.name}"
    lines: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if written is not None else ():
        if heading := re.match(r"## (.+)", line):
            section, part = heading[1].strip(), ""
            lines[section] = []
        elif heading := re.match(r"### (.+)", line):
            part = f"{section}/{heading[1].strip()}"
            lines[part] = []
        elif section:
            lines[part or section].append(line)
    ways = {} if path.stem == "controls" else _stands_in(turned)
    for name, held in lines.items():
        sections[name] = _fill(TERM.sub(_linked, "\n".join(held).strip()), ways)
    return sections
