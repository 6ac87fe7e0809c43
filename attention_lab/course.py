"""The pages of the course, found from their folders, and what each offers: its goals, its minutes."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from urllib.parse import parse_qsl

from attention_lab import text as prose
from attention_lab.text import say

OF_TEACHERS = "5_class"  # the folder of pages that are no part of the course
_parsing = Lock()  # in CPython 3.11 two threads that parse at once may get a SystemError


@lru_cache(128)
def title(path: Path) -> str:
    """The first line of a file's docstring: the name of a page, or of a section for a folder's ``__init__``."""
    with _parsing:
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or path.stem
    return docstring.splitlines()[0].rstrip(".")


def address(path: Path) -> str:
    """A page's address is its file's name without the number."""
    return path.stem.lstrip("0123456789_")


@lru_cache(4)
def files(folder: Path) -> dict[str, list[Path]]:
    """The pages by section, in the order of their numbers: one folder a section, one file a page."""
    return {
        title(section / "__init__.py"): [
            p for p in sorted(section.glob("*.py")) if p.name[0].isdigit() or p.stem == "home"
        ]
        for section in sorted(folder.iterdir())
        if (section / "__init__.py").exists()
    }


def _sentence(text: prose.Text, goal: str) -> str:
    """A goal's sentence outside its page, with the names that the page begins with or general ones."""

    def name(found: re.Match[str]) -> str:
        own = (f"open_names/{goal}/{found[1]}", f"open_names/{found[1]}")
        return next((text[section] for section in own if section in text), None) or say(f"open_names/{found[1]}")

    return re.sub(r"\{(\w+)\}", name, text[f"goals/{goal}"])


@dataclass(frozen=True)
class PageLink:
    """A page as seen from outside. Its `script` is the path that Streamlit knows it by."""

    page: str
    title: str
    section: str
    script: str

    @property
    def text(self) -> prose.Text:
        """The page's words."""
        return prose.read(self.page)

    @property
    def promise(self) -> str:
        """What waits behind it, in one line."""
        return self.text.get("promise", "")

    @property
    def minutes(self) -> str:
        """How long a class takes there."""
        return self.text.get("minutes", "")

    @property
    def settings(self) -> list[tuple[str, dict[str, str]]]:
        """For each goal its sentence, and what opens the page with that goal set and a guess asked for first."""
        first = {"predict": "1"} if self.text.parts("predict") else {}
        return [(sentence, told | first) for sentence, told in goal_settings(self.page, self.text)]


def goal_settings(page: str, text: prose.Text) -> list[tuple[str, dict[str, str]]]:
    """For each goal of a page its sentence, and what sets it: the goal, and the example that it belongs to."""
    needs = prose.read("home")
    return [
        (
            _sentence(text, goal),
            dict(parse_qsl(needs.get(f"goal_settings/{page}/{goal}", ""))) | {"goal": goal},
        )
        for goal in text.parts("goals")
    ]


@lru_cache(8)
def page_links(pages: Path, *, with_home: bool = False) -> tuple[PageLink, ...]:
    """The pages of the course that exist, in its order, without home or with it."""
    course = [link for link in _every(pages) if Path(link.script).parent.name != OF_TEACHERS]
    return tuple(link for link in course if with_home or link.page != "home")


@lru_cache(4)
def of_teachers(pages: Path) -> tuple[PageLink, ...]:
    """The pages that are for a class, and no part of the course."""
    return tuple(link for link in _every(pages) if Path(link.script).parent.name == OF_TEACHERS)


def _every(pages: Path) -> list[PageLink]:
    return [
        PageLink(address(path), title(path), section, str(path))
        for section, paths in files(pages).items()
        for path in paths
    ]
