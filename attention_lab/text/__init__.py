"""The words of each page, in named sections. Another language is another folder beside ``en``.

A file's ``## name`` starts a section and ``### name`` a part of it, found as ``"goals/right_angle"``. A term
of the glossary, whose entry opens where it stands, is written ``[[query]]`` or ``[[asks|query]]``.

A sentence with a ``{count}`` may have a section for each plural form: ``### words/one`` and ``### words/other``.
`filled` then takes the form that belongs to the count; ``counted`` in number_format.js does so in the browser.

What is read is in the language that is spoken (`languages`): never keep it in a constant of a module.
"""

import re
import time
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from attention_lab.faults import unknown

from . import sections
from .languages import ENGLISH, language, spoken

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
        section = self[self.plural(name, names)]
        return _fill(re.sub(r"[*`$]", "", LINK.sub(r"\1", section)), names)

    def filled(self, name: str, /, **names: str) -> str:
        """A section with the names that it leaves open put in: ``{word}``."""
        return _fill(self[self.plural(name, names)], names)

    def plural(self, name: str, names: Mapping[str, object]) -> str:
        """Return the section in the plural form of ``count``, or `name` where it has no such forms."""
        if "count" not in names or f"{name}/other" not in self:
            return name
        digits = str(names["count"]).replace(language().group, "")
        form = f"{name}/{language().plural(int(digits))}" if digits.isdecimal() else ""
        return form if form in self else f"{name}/other"

    def around(self, name: str, /, *, plain: bool = False, **names: Any) -> list:
        """The pieces of a section in turn, and for each name that it leaves open what is put there."""
        return _pieces(re.sub(r"[*`$]", "", self[name]) if plain else self[name], names)

    def marked(self, name: str, /, **names: Any) -> list:
        """The plain pieces of a section in turn, and for each name that it leaves open what is put there.

        What is emphasized is ``{"em": text}``, or has ``"em": True`` where a mapping without it is put there.
        """
        return [
            ({"em": True} | piece if isinstance(piece, dict) else {"em": piece}) if k % 2 else piece
            for k, part in enumerate(re.split(r"\*([^*]+)\*", LINK.sub(r"\1", self[name])))
            for piece in _pieces(re.sub(r"[`$]", "", part), names)
        ]

    def parts(self, section: str) -> dict[str, str]:
        """The parts of a section by their own names."""
        return {
            name.removeprefix(f"{section}/"): text
            for name, text in self.items()
            if name.startswith(f"{section}/")
        }


def term_address(term: str) -> str:
    """By what a link leads to a term of the glossary."""
    letters = term.casefold().replace("δ", "delta ")
    return f"term-{re.sub(r'[^a-z0-9]+', '-', letters).strip('-')}"


def _linked(found: re.Match[str]) -> str:
    """A term as a link to its entry."""
    return f"[{found[1]}](#{term_address(found[2] or found[1])})"


def symbols(text: str) -> str:
    """Return a text with its matrices, such as W_O, as formulas of Markdown."""
    return re.sub(r"\bW_[A-Z]\b", r"$\g<0>$", text)


def _pieces(text: str, names: Mapping[str, Any]) -> list:
    """The pieces of a text in turn, and for each name that it leaves open what is put there."""
    pieces = enumerate(re.split(r"\{(\w+)\}", text))
    return [names[piece] if place % 2 else piece for place, piece in pieces if piece]


def _fill(text: str, names: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], found[0]), text)


def ui_text(section: str, /, **names: object) -> str:
    """Return a section of ``controls.md``, the text that all pages share, with its placeholders filled."""
    return read("controls").filled(section, **{key: str(value) for key, value in names.items()})


def listed(words: Iterable[str]) -> str:
    """Words one after the other, with the comma of the language that is spoken."""
    return language().comma.join(words)


def read(page: str, *, turned: bool = False) -> Text:
    """The sections of one page. A page without a file has no words yet and gets an empty `Text`.

    Queries stand in rows or, `turned`, in columns: a section says ``{query_row}`` and ``{key_column}``.
    """
    code = spoken()
    stamps = (_stamp(ENGLISH, page),) if code == ENGLISH else (_stamp(ENGLISH, page), _stamp(code, page))
    return _read(str(HERE), code, page, turned, stamps)


def every_page() -> dict[str, Text]:
    """Return the sections of every file by its name."""
    return {path.stem: read(path.stem) for path in sorted((HERE / ENGLISH).glob("*.md"))}


def _stamp(code: str, page: str) -> int | None:
    return sections.written_at(f"{HERE}/{code}/{page}.md", int(time.monotonic() / LOOK_AGAIN))


def _stands_in(turned: bool) -> dict[str, str]:
    """What a section leaves open about orientation, by name."""
    ways = read("controls").parts("ways")
    asks, answers = ("column", "row") if turned else ("row", "column")
    named = {"query_row": asks, "key_column": answers}
    return {f"{name}{s}": ways.get(f"{way}{s}", way + s) for name, way in named.items() for s in ("", "s")}


@lru_cache(512)
def _read(folder: str, code: str, page: str, turned: bool, stamps: tuple) -> Text:
    """What stands in a page's files, read again once one was written again."""
    result = Text()
    result.source = f"attention_lab/text/{code}/{page}.md"
    ways = {} if page == "controls" else _stands_in(turned)
    for name, text in sections.in_language(folder, code, page, stamps).items():
        result[name] = _fill(TERM.sub(_linked, text), ways)
    return result
