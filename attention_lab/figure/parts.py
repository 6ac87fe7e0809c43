"""What every builder of a part uses: how a part becomes a payload, and the names that words go by."""

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

from attention_lab import faults
from attention_lab.calculation import Expression, path_of
from attention_lab.calculation.expressions import Name

Part = dict[str, Any]
Text = str | Sequence[str | Expression]


def constant(name: str) -> Expression:
    """Return the constant of that name, one that every page on words has."""
    return Expression(Name(name))


# As `state.vocabulary` gives them: a name for each place of the sentence, the words that have a vector, for
# each place its word's row among these; and the two places that were chosen.
WORDS, TABLE, IDS = constant("words"), constant("table"), constant("ids")
WORD, OTHER = constant("word"), constant("other")


def part(kind: str, **settings: Any) -> Part:
    """A part as the browser reads it: the name of its function there, and its settings; None is left out."""
    return {"kind": kind} | {name: value for name, value in settings.items() if value is not None}


def pieces(text: Text) -> list[Any]:
    """Text with live pieces: texts stay, values become the paths where their texts are found."""
    among = [text] if isinstance(text, (str, Expression)) else text
    return [path_of(each) if isinstance(each, Expression) else each for each in among]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of one kind of part, declared once. The browser gets those that say anything."""

    KIND: ClassVar[str]

    def __new__(cls, *values: Any, **settings: Any) -> "Settings":
        """Refuse a setting that this kind does not have, and name the one that was perhaps meant."""
        known = [f.name for f in fields(cls)]
        for name in settings:
            if name not in known:
                raise faults.unknown(name, known, f"a setting of {cls.KIND!r}")
        return super().__new__(cls)

    def part(self) -> Part:
        """The part as the browser reads it: what is None, False, zero or empty is left out.

        What has no fixed default is always there: an empty title is a title.
        """
        sent: Part = {"kind": self.KIND}
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, Expression) or value or f.default is MISSING:
                sent[f.name] = value
        return sent
