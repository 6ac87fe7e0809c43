"""What somebody wrote as an answer: read, and held against the task's."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from attention_lab.worksheets.task import near

LONGEST = 200  # signs of an answer that are looked at
NEARLY = 4  # times the tolerance: it was rounded too early
NUMBER = re.compile(r"[+-]?(\d{1,12}(\.\d{0,12})?|\.\d{1,12})(/\d{1,9})?%?")


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and if not what is wrong with it, by name."""

    right: bool
    why: str  #: right, empty, no_number, count, no_option, slip, sign, order, nearly, some or wrong
    told: Mapping[str, str] = field(default_factory=dict)  #: what the sentence about it needs


def check_answer(task, text):
    """Read an answer to a task as it was typed; a `Verdict`, whatever the text is.

    Numbers may stand in brackets, parted by commas, semicolons or spaces; a comma may be a decimal comma where
    that makes as many numbers as are asked. Fractions and percentages are read, too.
    """
    text = " ".join(str(text)[:LONGEST].split())
    if not text:
        return Verdict(False, "empty")
    if isinstance(task.answer, str):
        return _check_word(task, text)
    said, strange = read_numbers(text, len(task.answer))
    if strange is not None:
        return Verdict(False, "no_number", {"text": strange})
    return _check_numbers(task, said)


def _check_word(task, text):
    by_letters = {option.casefold(): option for option in task.options}
    said = by_letters.get(text.strip("\"'“”‘’.*").casefold())
    if said is None:
        return Verdict(False, "no_option", {"text": text[:24], "options": ", ".join(task.options)})
    if said == task.answer:
        return Verdict(True, "right")
    return _slip(task, lambda made: made == said) or Verdict(False, "wrong")


def _check_numbers(task, said):
    wanted, tolerance = task.answer, task.tolerance
    if len(said) != len(wanted):
        return Verdict(False, "count", {"count": str(len(said)), "wanted": str(len(wanted))})
    if near(said, wanted, tolerance):
        return Verdict(True, "right")
    if slip := _slip(task, lambda made: near(said, made, tolerance)):
        return slip
    if near([-x for x in said], wanted, tolerance):
        return Verdict(False, "sign")
    if near(sorted(said), sorted(wanted), tolerance):
        return Verdict(False, "order")
    if task.places is not None and near(said, wanted, NEARLY * tolerance):
        return Verdict(False, "nearly", {"places": str(task.places)})
    off = [k + 1 for k, (x, y) in enumerate(zip(said, wanted, strict=True)) if abs(x - y) > tolerance]
    if len(off) < len(wanted):
        return Verdict(False, "some", {"which": ", ".join(map(str, off))})
    return Verdict(False, "wrong")


def _slip(task, fits):
    """The slip that leads to what was said, if one is known."""
    found = next((name for name, made in task.slips.items() if fits(made)), None)
    return Verdict(False, "slip", {"slip": found}) if found else None


def read_numbers(text, wanted):
    """The numbers in a text, and the first piece that is none, or None: ``(3, −1/2)`` is 3 and −0.5."""
    text = text.translate({ord("−"): "-", ord("–"): "-", **dict.fromkeys(map(ord, "()[]{}⟨⟩"), " ")})
    text = re.sub(r"\s*%", "%", re.sub(r"([+-])\s+(?=[\d.])", r"\1", text))
    ways = [re.split(r"[\s,;]+", text.strip(" ,;"))]
    if re.search(r"\d[,\s]\d{3}\b", text):  # thousands, perhaps
        ways.append(re.split(r";\s*|,\s+", re.sub(r"(?<=\d)[,\s](?=\d{3}\b)", "", text).strip(" ;")))
    if re.search(r"\d,\d", text):  # decimal commas, perhaps
        ways.append(re.split(r"[\s;]+|,\s+", re.sub(r"(?<=\d),(?=\d)", ".", text).strip(" ;")))
    read = [[_number(piece) for piece in pieces] for pieces in ways]
    for numbers in read:
        if len(numbers) == wanted and None not in numbers:
            return numbers, None
    strange = next((piece for piece, number in zip(ways[0], read[0], strict=True) if number is None), None)
    return read[0], strange[:24] if strange is not None else None


def _number(piece):
    """A number as a person writes it, or None."""
    if not NUMBER.fullmatch(piece):
        return None
    try:
        value = float(Fraction(piece.rstrip("%")))
    except (ValueError, ZeroDivisionError):
        return None
    value = value / 100 if piece.endswith("%") else value
    return value if math.isfinite(value) else None
