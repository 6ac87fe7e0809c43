"""Formulas with live numbers: a small tree that the browser turns into MathML.

Texts stay as they are; a number or a name is a path into the page's calculation, so it follows the hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Tree = dict[str, Any] | str


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


def name(path: Any, role: str = "") -> Tree:
    """A word of the reader's, found at a path."""
    return {"kind": "name", "path": path, "role": role}


def number(
    path: Any, what: str | Sequence[Any], *, result: bool = False, signed: bool = True, **more: Any
) -> Tree:
    """A live number: the value at `path`, called `what` (texts and paths, joined).

    A `result` is hidden until the reader has guessed, as is what is ``veiled=True``; a `signed` number is put in
    brackets when negative.
    """
    called = [what] if isinstance(what, str) else list(what)
    role = "result" if result else ""
    return {
        "kind": "number",
        "path": path,
        "what": called,
        "result": result,
        "signed": signed and not result,
        "role": role,
        **more,
    }


def most(count: int, by: Any, terms: Sequence[Tree], *, least: float, rest: Tree = "⋯") -> Tree:
    """A sum of terms, each with its number in the row at path `by`.

    It shows the `count` with the largest numbers, if these are not below `least`, and `rest` for the others.
    """
    return {"kind": "most", "count": count, "by": by, "of": terms, "least": least, "rest": rest}


def joined(between: str, terms: Sequence[Tree]) -> Tree:
    """Terms with a sign between them: ``a × b + c × d``."""
    shown: list[Tree] = []
    for term in terms:
        shown += [between, term] if shown else [term]
    return row(*shown)
