"""A student's answers to the test as a line of CSV, and the random code that stands for the student."""

import secrets
from collections.abc import Mapping, Sequence

from attention_lab.text.languages import language
from attention_lab.text.typed_text import usual_signs

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ"  # without I, L and O, which are easily misread
DIGITS = "23456789"
LONGEST_CODE = 6


def new_code() -> str:
    """Return a random code such as ``KQ4RT7``: nothing in it comes from the student or the device."""
    return "".join(secrets.choice(DIGITS if place in (2, 5) else LETTERS) for place in range(LONGEST_CODE))


def read_code(text: str) -> str | None:
    """Return a code as it was typed, in capitals; None where it cannot be one."""
    code = "".join(usual_signs(text).split()).upper()
    of_a_code = len(code) == LONGEST_CODE and all(
        letter in (DIGITS if place in (2, 5) else LETTERS) for place, letter in enumerate(code)
    )
    return code if of_a_code else None


def as_csv(items: Sequence, answers: Mapping[str, str], code: str, when: str) -> bytes:
    """Return the answers as a head and one line: the code, before or after, then a letter or nothing each."""
    return _lines(items, (code, when, *(letter(item, answers.get(item.name)) for item in items)))


def key_as_csv(items: Sequence) -> bytes:
    """Return the right answers in the same columns, to be put above the lines of a class."""
    return _lines(items, ("key", "", *(letter(item, item.right) for item in items)))


def letter(item, option: str | None) -> str:
    """Return the letter beside an option, A for the first; nothing where none was chosen."""
    return "ABCDEFGH"[item.options.index(option)] if option in item.options else ""


def _lines(items: Sequence, row: Sequence[str]) -> bytes:
    head = ("code", "when", *(f"q{number}" for number in range(1, len(items) + 1)))
    return "".join(f"{language().separator.join(line)}\r\n" for line in (head, row)).encode("utf-8-sig")
