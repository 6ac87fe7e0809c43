"""The glossary's entries as the browser reads them, for the terms that open them where they stand in the text."""

from __future__ import annotations

import re

from attention_lab import text as prose

INTRODUCTION = "one way to speak"  # no term of its own
PIECES = re.compile(r"(\$[^$]+\$|\*\*[^*]+\*\*|\*[^*]+\*)")
SIGNS = ((r"\log_2", "log₂"), (r"\sqrt{d}", "√d"), (r"\sqrt{d_k}", "√d_k"))

Pieces = list[tuple[str, str]]


def entries() -> dict[str, dict]:
    """Every entry by its term's address: the term, and what is told of it, paragraph by paragraph."""
    told = {term: text for term, text in prose.read("glossary").items() if term != INTRODUCTION}
    return {
        prose.term_address(term): {"term": term, "told": [_pieces(each) for each in text.split("\n\n")]}
        for term, text in told.items()
    }


def _pieces(paragraph: str) -> Pieces:
    """A paragraph in pieces, each with its kind: plain, ``em``, ``strong``, ``sub``."""
    found: Pieces = []
    for piece in filter(None, PIECES.split(paragraph.replace("\n", " "))):
        if piece.startswith("$"):
            found += _formula(piece[1:-1])
        elif piece.startswith("**"):
            found.append(("strong", piece[2:-2]))
        elif piece.startswith("*"):
            found.append(("em", piece[1:-1]))
        else:
            found.append(("", piece))
    return found


def _formula(tex: str) -> Pieces:
    """The few signs that formulas have here, as text; what stands lower is ``sub``."""
    for sign, shown in SIGNS:
        tex = tex.replace(sign, shown)
    parts = re.split(r"_(\w)", tex)
    return [("sub" if place % 2 else "", text) for place, text in enumerate(parts) if text]
