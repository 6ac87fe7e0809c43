"""What a mistake in the code says: one sentence with the name that is wrong, where, and what was perhaps meant.

Readers of pages never make one; whoever changes a lesson does. `lab.py open` and the tests show the sentence, a
server for a class keeps it to its log.
"""

import logging
import re
import sys
import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

ROOT = Path(__file__).parents[1]
INNER = (
    "attention_lab/faults.py",
    "attention_lab/calculation/",
    "attention_lab/figure/",
    "attention_lab/state/goals.py",
    "attention_lab/lesson.py",
    "attention_lab/state/predictions.py",
    "attention_lab/state/state.py",
    "attention_lab/state/update.py",
    "attention_lab/state/permalink.py",
    "attention_lab/text/__init__.py",
)


class AuthoringError(Exception):
    """A mistake in a page or a lesson, told in one sentence that begins with the place in the code."""

    def __init__(self, sentence: str, cause: Exception | None = None, *, place: str = "") -> None:
        """Put the place in the code in front of the sentence: that given, the cause's, or where one is now."""
        place = place or (place_of(cause) if cause else place_in_code())
        super().__init__(f"{place}{sentence}")


class StepError(AuthoringError, ValueError):
    """A step of a calculation that cannot be made of what it is given."""


class UnknownNameError(AuthoringError, AttributeError, LookupError):
    """A name that is not among those that could stand there."""


def unknown(
    name: object, known: Iterable[str], among: str, cause: Exception | None = None, *, place: str = ""
) -> UnknownNameError:
    """The fault of a name that is not `among` the known ones: ``'msak' is not …; did you mean 'mask'?``"""
    known = [str(each) for each in known]
    near = get_close_matches(str(name), known, 1, cutoff=0.5)
    if near:
        return UnknownNameError(f"{name!r} is not {among}; did you mean {near[0]!r}?", cause, place=place)
    there = ", ".join(known[:20]) + (" …" if len(known) > 20 else "")
    return UnknownNameError(f"{name!r} is not {among}; there are: {there or 'none'}.", cause, place=place)


def place_in_code() -> str:
    """Return ``pages/….py, line 33: ``, where the code of a page, a lesson or a test called what is wrong."""
    frame = sys._getframe(1)
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_absolute() and path.is_relative_to(ROOT):
            shown = path.relative_to(ROOT).as_posix()
            if not shown.startswith((*INNER, ".venv")):
                return f"{shown}, line {frame.f_lineno}: "
        frame = frame.f_back
    return ""


# Whom to tell ------------------------------------------------------------------------------------------

LONGEST = 300  # characters of a fault that a browser reports
_log = logging.getLogger("attention_lab.faults")


def sentence(error: Exception) -> str:
    """What is wrong, in a sentence for the page."""
    if fault := as_fault(error):
        return str(fault)
    return f"{place_of(error)}{type(error).__name__}: {error}"


def as_fault(error: Exception) -> AuthoringError | None:
    """The fault that an error is or stands for: a name that a module does not have is an unknown one."""
    if isinstance(error, AuthoringError):
        return error
    missing = re.match(r"cannot import name '(\w+)' from '([\w.]+)'", str(error))
    if not (isinstance(error, ImportError) and missing and missing[2] in sys.modules):
        return None
    known = [name for name in vars(sys.modules[missing[2]]) if not name.startswith("_")]
    return unknown(missing[1], known, f"a name in {missing[2]}", error)


def log(error: Exception) -> None:
    """Print a fault in the terminal: as a sentence, or with the way there where it is none of ours."""
    _log.error("%s", sentence(error), exc_info=None if as_fault(error) else error)


def place_of(error: Exception) -> str:
    """Where in the app's own code an error passed last."""
    places = traceback.extract_tb(error.__traceback__)
    own = [p for p in places if Path(p.filename).is_relative_to(ROOT) and ".venv" not in p.filename]
    return f"{Path(own[-1].filename).relative_to(ROOT).as_posix()}, line {own[-1].lineno}: " if own else ""


def report(page: str, said: object, *, hidden: bool = False) -> None:
    """Log a fault that a browser has met on a page. Anybody can send it: `hidden` leaves it out."""
    text = "".join(c for c in str(said)[:LONGEST] if c.isprintable())
    _log.error(f"the figure of the page {page}: {'a part could not be drawn' if hidden else text}")
