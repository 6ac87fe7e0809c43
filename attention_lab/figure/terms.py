"""The glossary's entries as the browser reads them, for the terms that open them where they stand in the text."""

import re

from attention_lab import text as prose
from attention_lab.text.languages import ENGLISH, collation, speaking
from attention_lab.text.sections import DISPLAYED

INTRODUCTION = "one way to speak"  # no term of its own
PIECES = re.compile(r"(\$[^$]+\$|\*\*[^*]+\*\*|\*[^*]+\*)")
SIGNS = ((r"\log_2", "log₂"), (r"\sqrt{d}", "√d"), (r"\sqrt{d_k}", "√d_k"))

Pieces = list[tuple[str, str]]


def names() -> dict[str, str]:
    """Return the entry of each name: the term and what it is also called, in English in every language."""
    result = {}
    with speaking(ENGLISH):
        for term, text in prose.read("glossary").items():
            if term != INTRODUCTION:
                *_, last = text.split("\n\n")
                _, _, also = last.partition(prose.ui_text("glossary/also"))
                result |= dict.fromkeys([term, *filter(None, also.strip(" .").split(", "))], term)
    return result


def displayed(text: prose.Text, term: str) -> str:
    """Return the term of an entry as readers see it."""
    return text.get(f"{term}/{DISPLAYED}") or term


def in_order(text: prose.Text) -> list[str]:
    """Return the entries in the order of the terms that readers see."""
    terms = [term for term in text if term != INTRODUCTION and not term.endswith(f"/{DISPLAYED}")]
    return sorted(terms, key=lambda term: collation(displayed(text, term)))


def entries() -> dict[str, dict]:
    """Return every entry by the addresses of its names: the term, and its text paragraph by paragraph."""
    text = prose.read("glossary")
    return {
        prose.term_address(name): {
            "term": displayed(text, term),
            "paragraphs": [_pieces(each) for each in text[term].split("\n\n")],
        }
        for name, term in names().items()
    }


def _pieces(paragraph: str) -> Pieces:
    """A paragraph in pieces, each with its kind: plain, ``em``, ``strong``, ``sub``."""
    result: Pieces = []
    for piece in filter(None, PIECES.split(paragraph.replace("\n", " "))):
        if piece.startswith("$"):
            result += _formula(piece[1:-1])
        elif piece.startswith("**"):
            result.append(("strong", piece[2:-2]))
        elif piece.startswith("*"):
            result.append(("em", piece[1:-1]))
        else:
            result.append(("", piece))
    return result


def _formula(tex: str) -> Pieces:
    """The few signs that formulas have here, as text; what stands lower is ``sub``."""
    for sign, shown in SIGNS:
        tex = tex.replace(sign, shown)
    parts = re.split(r"_(\w)", tex)
    return [("sub" if place % 2 else "", text) for place, text in enumerate(parts) if text]
