"""What somebody wrote as an answer: read, and held against the task's."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from attention_lab.text import listed
from attention_lab.text.languages import language
from attention_lab.text.typed_text import clean_word, read_number, usual_signs
from attention_lab.worksheets.task import near

LONGEST = 200  # signs of an answer that are looked at
NEARLY = 4  # times the tolerance: it was rounded too early
DEGREE_SIGN = re.compile(r"(?<=\d)\s*[°º˚]")
POINTS_OF_THOUSANDS = re.compile(r"(?<![\d.,])([1-9]\d{0,2}(?:\.\d{3})+)(?![\d.])")


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and if not what is wrong with it, by name."""

    right: bool
    why: str  #: right, empty, no_number, count, no_option, slip, sign, order, nearly, some or wrong
    details: Mapping[str, str] = field(default_factory=dict)  #: values for the sentence about it


def check_answer(task, text):
    """Read an answer to a task as it was typed; a `Verdict`, whatever the text is.

    Numbers may stand in brackets, parted by commas, semicolons or spaces; a comma may be a decimal comma where
    that makes as many numbers as are asked. In a language with a decimal comma, points before groups of three
    digits part thousands. Fractions and percentages are read, too. An angle may have its degree sign.
    """
    text = " ".join(str(text)[:LONGEST].split())
    if not text:
        return Verdict(False, "empty")
    if isinstance(task.answer, str):
        return _check_word(task, text)
    if task.name == "angle":
        text = DEGREE_SIGN.sub("", text)
    answer, strange = read_numbers(text, len(task.answer))
    if strange is not None:
        return Verdict(False, "no_number", {"text": strange})
    return _check_numbers(task, answer)


def _check_word(task, text):
    by_letters = {_letters(option): option for option in task.options}
    answer = by_letters.get(_letters(text))
    if answer is None:
        return Verdict(False, "no_option", {"text": text[:24], "options": listed(task.options)})
    if answer == task.answer:
        return Verdict(True, "right")
    return _slip(task, lambda result: result == answer) or Verdict(False, "wrong")


def _letters(text):
    """A word as it is compared: quotation marks, stops and brackets around it are none of it."""
    return re.sub(r"^[\W_]+|[\W_]+$", "", clean_word(usual_signs(text)).casefold())


def _check_numbers(task, answer):
    wanted, tolerance = task.answer, task.tolerance
    if len(answer) != len(wanted):
        return Verdict(False, "count", {"count": str(len(answer)), "wanted": str(len(wanted))})
    if near(answer, wanted, tolerance):
        return Verdict(True, "right")
    if slip := _slip(task, lambda result: near(answer, result, tolerance)):
        return slip
    if near([-x for x in answer], wanted, tolerance):
        return Verdict(False, "sign")
    if near(sorted(answer), sorted(wanted), tolerance):
        return Verdict(False, "order")
    if task.places is not None and near(answer, wanted, NEARLY * tolerance):
        return Verdict(False, "nearly", {"places": str(task.places)})
    off = [k + 1 for k, (x, y) in enumerate(zip(answer, wanted, strict=True)) if abs(x - y) > tolerance]
    if len(off) < len(wanted):
        return Verdict(False, "some", {"which": listed(map(str, off)), "count": str(len(off))})
    return Verdict(False, "wrong")


def _slip(task, fits):
    """Return the verdict of the known slip that leads to this answer, if there is one."""
    found = next((name for name, result in task.slips.items() if fits(result)), None)
    return Verdict(False, "slip", {"slip": found}) if found else None


def read_numbers(text, wanted):
    """The numbers in a text, and the first piece that is none, or None: ``(3, −1/2)`` is 3 and −0.5."""
    text = usual_signs(text).rstrip(" .,;")
    if language().decimal == ",":
        text = POINTS_OF_THOUSANDS.sub(lambda found: found[1].replace(".", ""), text)
    text = re.sub(r"\s*%", "%", re.sub(r"([+-])\s+(?=[\d.])", r"\1", text))
    ways = [re.split(r"[\s,;]+", text.strip(" ,;"))]
    if re.search(r"\d[,\s]\d{3}\b", text):  # thousands, perhaps
        ways.append(re.split(r";\s*|,\s+", re.sub(r"(?<=\d)[,\s](?=\d{3}\b)", "", text).strip(" ;")))
    if re.search(r"\d,\d", text):  # decimal commas, perhaps
        ways.append(re.split(r"[\s;]+|,\s+", re.sub(r"(?<=\d),(?=\d)", ".", text).strip(" ;")))
    read = [[read_number(piece) for piece in pieces] for pieces in ways]
    for numbers in read:
        if len(numbers) == wanted and None not in numbers:
            return numbers, None
    strange = next((piece for piece, number in zip(ways[0], read[0], strict=True) if number is None), None)
    return read[0], strange[:24] if strange is not None else None
