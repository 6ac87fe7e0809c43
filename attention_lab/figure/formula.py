"""Formulas with live numbers: a small tree that the browser turns into MathML.

Texts stay as they are; a number or a name is a value of the page's calculation, so it follows the hand.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attention_lab.calculation import Expression
from attention_lab.faults import AuthoringError
from attention_lab.text.number_format import between_numbers

from .parts import Part, Text, part, pieces

Tree = dict[str, Any] | str


def formulas(
    lines: Mapping[str, Tree],
    *,
    leading: Expression | None = None,
    when: Mapping[str, Expression] | None = None,
    small: bool = False,
) -> Part:
    """Formulas below one another, by their names.

    `leading` is the setting that says by its value which name is emphasised. A line named in `when` is shown
    only while that value is true. `small` ones are set in smaller type.
    """
    shown = when or {}
    always = [what for name, tree in lines.items() if name not in shown for what in _names_of_numbers(tree)]
    if duplicate := next((what for what in always if always.count(what) > 1), None):
        name = " ".join(each.strip() if isinstance(each, str) else "…" for each in duplicate)
        raise AuthoringError(f"two numbers of a formula are called '{name}': give one another name, its `what`.")
    lines = [
        {"name": name, "tree": tree} | ({"when": shown[name]} if name in shown else {})
        for name, tree in lines.items()
    ]
    return part("formula", lines=lines, leading=leading, small=small or None)


def _names_of_numbers(tree: Tree) -> Iterator[list[Any]]:
    """What the numbers in a tree are called, texts and paths."""
    if not isinstance(tree, str):
        if tree["kind"] == "number":
            yield tree["what"]
        for inner in tree.get("of", ()):
            yield from _names_of_numbers(inner)


def row(*of: Tree) -> Tree:
    """One thing after the other."""
    return {"kind": "row", "of": of}


def fraction(above: Tree, below: Tree) -> Tree:
    """One over the other."""
    return {"kind": "fraction", "of": (above, below)}


def root(of: Tree) -> Tree:
    """A square root."""
    return {"kind": "root", "of": (of,)}


def power(base: Tree, exponent: Tree) -> Tree:
    """A power, or any upper index."""
    return {"kind": "power", "of": (base, exponent)}


def index(base: Tree, below: Tree) -> Tree:
    """A lower index."""
    return {"kind": "index", "of": (base, below)}


def name(of: Expression, role: str = "") -> Tree:
    """A word of the reader's, in the colour of a `role`."""
    return {"kind": "name", "path": of, "role": role}


def number(
    of: Expression,
    what: Text,
    *,
    result: bool = False,
    signed: bool = True,
    veiled: bool = False,
    form: str = "figure",
    role: str | None = None,
) -> Tree:
    """A live number, called `what`: its ``data-value`` in the page, which no other number there may have.

    A `result` is set in its own colour and hidden until the reader has guessed, as is what is `veiled`; a
    `signed` number is put in brackets when negative. `form` says how it is written (see
    ``browser/number_format.js``), `role` gives it a colour; none, where it is empty.
    """
    return {
        "kind": "number",
        "path": of,
        "what": pieces(what),
        "result": result,
        "signed": signed and not result,
        "veiled": veiled,
        "form": form,
        "role": ("result" if result else "") if role is None else role,
    }


def most(count: int, by: Expression, terms: Sequence[Tree], *, least: float, rest: Tree = "⋯") -> Tree:
    """A sum of terms, each with its number in the row `by`.

    It shows the `count` with the largest numbers, if these are not below `least`, and `rest` for the others.
    """
    return {"kind": "most", "count": count, "by": by, "of": terms, "least": least, "rest": rest}


def vector(numbers: Sequence[Tree]) -> Tree:
    """A vector's numbers: ``(3, 1)``, with a semicolon where the language has a decimal comma."""
    return row("(", joined(between_numbers().strip(), numbers), ")")


def joined(between: str, terms: Sequence[Tree]) -> Tree:
    """Terms with a sign between them: ``a × b + c × d``."""
    shown: list[Tree] = []
    for term in terms:
        shown += [between, term] if shown else [term]
    return row(*shown)
