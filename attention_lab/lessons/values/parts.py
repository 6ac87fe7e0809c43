"""The part of the stage that only values has: what one word asks and what it gets, in columns."""

from collections.abc import Mapping, Sequence
from typing import Any

from attention_lab.calculation import Expression
from attention_lab.figure import OTHER, WORD, WORDS, Part, Text, part, pieces

Settings = Mapping[str, Any]


def tally(columns: Sequence[Settings], *, head: Text, title: str) -> Part:
    """Live numbers in columns (see `column`), a row for each word that answers the word of interest.

    `head` stands over the words, `title` is read to those who cannot see.
    """
    return part(
        "tally",
        names=WORDS,
        focus=WORD,
        other=OTHER,
        columns=columns,
        head=pieces(head),
        title=title,
    )


def column(
    of: Expression,
    head: str,
    *,
    what: str,
    form: str = "figure",
    result: bool = False,
    bar: bool = False,
    note: Settings | None = None,
) -> Settings:
    """A column of a `tally`: a row of numbers, called `what`.

    A `result` waits for the guess, a `bar` is a share, drawn behind its number; for the `note` see there.
    """
    settings = {
        "of": of,
        "head": head,
        "what": what,
        "form": form,
        "result": result or None,
        "bar": bar or None,
        "note": note,
    }
    return {name: value for name, value in settings.items() if value is not None}


def note(of: Expression, text: str, when: Expression) -> Settings:
    """Numbers from elsewhere to compare a column's with, each behind a `text`, while `when` is true."""
    return {"of": of, "text": text, "when": when}
