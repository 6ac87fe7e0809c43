"""What every builder of a part uses: how a part is told to the browser, and the names that words go by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attention_lab.calculation import Value, path_of
from attention_lab.calculation.values import Name

Part = dict[str, Any]
Text = str | Sequence[str | Value]


def given(name: str) -> Value:
    """A value that every page on words gives to its calculation under the same name."""
    return Value(Name(name))


# As `state.vocabulary` gives them: a name for each place of the sentence, the words that have a vector, for
# each place its word's row among these; and the two places that were chosen.
WORDS, TABLE, IDS = given("words"), given("table"), given("ids")
WORD, OTHER = given("word"), given("other")


def part(kind: str, **settings: Any) -> Part:
    """A part as the browser reads it: the name of its function there, and its settings; None is left out."""
    return {"kind": kind} | {name: value for name, value in settings.items() if value is not None}


def pieces(text: Text) -> list[Any]:
    """Text with live pieces: texts stay, values become the paths where their texts are found."""
    among = [text] if isinstance(text, (str, Value)) else text
    return [path_of(each) if isinstance(each, Value) else each for each in among]
