"""The pages of the course, found in their folders: titles, goals, minutes."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import parse_qsl

from attention_lab import text as prose
from attention_lab.text import ui_text
from attention_lab.text.languages import by_language

OF_TEACHERS = "6_class"  # the folder of pages that are no part of the course
OWN_ATTENTION = "own_attention"  # the page for a file of one's own: it stands in a part, and is no lesson


def title(path: Path) -> str:
    """Return a page's name in the menu: its ``title``, or ``menu`` where its words have that section."""
    text = prose.read(address(path))
    return text.get("menu") or text["title"]


def window_title(page: str) -> str:
    """Return the title of the browser's window on a page of this title; Home has none."""
    return ui_text("window_title/page", page=page) if page else ui_text("window_title")


def address(path: Path) -> str:
    """A page's address is its file's name without the number."""
    return path.stem.lstrip("0123456789_")


def in_course(path: Path) -> bool:
    """Return whether a page is a step of the course, home among them."""
    return path.parent.name != OF_TEACHERS and address(path) != OWN_ATTENTION


def lesson_module(path: Path) -> str:
    """Return the name of the module that says what a page is about."""
    package = "teaching" if path.parent.name == OF_TEACHERS else "lessons"
    return f"attention_lab.{package}.{address(path)}"


@by_language()
def files(folder: Path) -> dict[str, list[Path]]:
    """Return the pages by section, in the order of their numbers. A folder is a section, a file a page."""
    return {
        prose.read("parts")[section.name]: [
            p for p in sorted(section.glob("*.py")) if p.name[0].isdigit() or p.stem == "home"
        ]
        for section in sorted(folder.iterdir())
        if (section / "__init__.py").exists()
    }


def _sentence(text: prose.Text, goal: str) -> str:
    """A goal's sentence outside its page, with the names that the page begins with or general ones."""

    def name(found: re.Match[str]) -> str:
        own = (f"open_names/{goal}/{found[1]}", f"open_names/{found[1]}")
        return next((text[section] for section in own if section in text), None) or ui_text(
            f"open_names/{found[1]}"
        )

    return re.sub(r"\{(\w+)\}", name, text[f"goals/{goal}"])


@dataclass(frozen=True)
class PageLink:
    """A page as seen from outside. Its `script` is the path that Streamlit knows it by."""

    page: str
    script: str

    @property
    def title(self) -> str:
        """Its name in the menu."""
        return title(Path(self.script))

    @property
    def section(self) -> str:
        """The name of the part that it belongs to."""
        return prose.read("parts")[Path(self.script).parent.name]

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
    course = [link for link in every_link(pages) if in_course(Path(link.script))]
    return tuple(link for link in course if with_home or link.page != "home")


@lru_cache(4)
def every_link(pages: Path) -> tuple[PageLink, ...]:
    """All pages, those that are no part of the course among them."""
    return tuple(PageLink(address(path), str(path)) for paths in files(pages).values() for path in paths)
