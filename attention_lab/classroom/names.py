"""What rooms are called: two words, easily said across a class. A name says nothing of any other room."""

import re
import secrets

from attention_lab import text as prose
from attention_lab.state import permalink
from attention_lab.text.typed_text import usual_signs


def words() -> tuple[list[str], list[str]]:
    """What the first word may be, and the second."""
    text = prose.read("classroom")
    return text["names/first"].split(), text["names/second"].split()


def draw() -> str:
    """A name nobody can foresee."""
    return "-".join(map(secrets.choice, words()))


def read(text: str) -> str | None:
    """The name in what somebody typed, *Blue fox* or *blue-fox*; None where it can be none."""
    name = "-".join(re.findall(r"\w+", usual_signs(text).casefold())[:3])
    return name if permalink.TWO_WORDS.fullmatch(name) else None
