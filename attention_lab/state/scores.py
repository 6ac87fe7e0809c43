"""One's own scores: their field of the address, and how they are typed.

Scores are computed from the vectors until a hand pulls one or types them in; from then on they are the reader's,
until words, example or word of interest change or the computed ones are asked for again.
"""

from collections.abc import Sequence

import numpy as np

from attention_lab.text.number_format import format_digits
from attention_lab.text.typed_text import clean_line, usual_signs

from . import permalink
from .permalink import Field, Range, RefusedError, Rules

FARTHEST = 1000.0


def field(name: str = "scores") -> Field:
    """The address's one row of scores, one for each word of the sentence."""
    return permalink.own_matrix(
        name,
        "the scores, if any was changed",
        lambda values: Rules((Range(-FARTHEST, FARTHEST),), (1, len(values["words"]))),
        from_example=True,
    )


def write_lines(names: Sequence[str], scores: Sequence[float]) -> str:
    """Scores as the editor shows them: ``apple 0.71``, a word a line. One that is undefined has no number."""
    return "\n".join(
        name if np.isnan(score) else f"{name} {permalink.typed(score)}"
        for name, score in zip(names, scores, strict=True)
    )


def read_lines(text: str, names: Sequence[str]) -> np.ndarray:
    """The row of scores that was typed, a line for each of `names` in their order; the names may be left out."""
    lines = [clean_line(line).split() for line in text.splitlines() if line.strip()]
    if len(lines) != len(names):
        raise permalink.refused("score_lines", words=len(names), lines=len(lines))
    return np.array([[_read(line, name) for line, name in zip(lines, names, strict=True)]])


def _read(line: Sequence[str], name: str) -> float:
    *before, number = line
    if before not in ([], [name]):
        raise permalink.refused("score_line", line=" ".join(line)[:40], word=name)
    try:
        return permalink.read_typed(number, FARTHEST)
    except RefusedError:
        shown = number[:20]
        if usual_signs(number).strip(" +-").lower() in {"inf", "infinity", "∞"}:
            raise permalink.refused("infinite_score", text=shown, limit=format_digits(FARTHEST)) from None
        raise permalink.refused("no_score", text=shown, word=name, limit=format_digits(FARTHEST)) from None
