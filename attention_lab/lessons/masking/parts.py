"""The parts of the stage that only this lesson has: the choice among masks, all outputs with their changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attention_lab import figure
from attention_lab.calculation import Expression, name_of

OWN_PARTS = figure.OwnParts("masking", Path(__file__).parent)


def masks(
    of: Expression,
    label: str,
    texts: Sequence[str],
    notes: Sequence[str],
    further: Sequence[Mapping[str, Any] | None],
    *,
    grid: Expression,
    open_all: str,
    counts: Expression,
    changed: str,
    nothing: str,
) -> figure.Part:
    """A live choice among masks, the last of them one's own: the page's `grid`, which a button opens whole.

    `notes` say what each does, `changed` what one's own mask is once a hand has made it; `further` is what some
    of them still need (see `further`). Of a word that by its `counts` may look at none, `nothing` is said.
    """
    return figure.part(
        "masks",
        of=name_of(of),
        label=label,
        texts=texts,
        notes=notes,
        further=further,
        own=len(texts) - 1,
        grid=name_of(grid),
        open=open_all,
        changed=changed,
        names=figure.WORDS,
        counts=counts,
        nothing=nothing,
    )


def further(of: Expression, label: str, texts: Sequence[str], notes: Sequence[str]) -> Mapping[str, Any]:
    """A number that a mask still needs: its choice among `texts`, and what each of the first numbers does."""
    return {"of": name_of(of), "label": label, "texts": texts, "notes": notes}


def outputs(
    counts: Expression,
    context: Expression,
    moved: Expression,
    replaced: Expression,
    axes: Sequence[str],
    *,
    limit: float,
    replace: Mapping[str, Any],
    texts: Mapping[str, str],
    title: str,
    heads: Sequence[str],
) -> figure.Part:
    """What every word gets, and how far that moves once the last word is replaced by another (see `replacement`).

    `counts` says how many words each looks at, `replaced` is 0 as long as the last word's vector is its own;
    `limit` is the change at which its bar is full; `heads` stand over the words, their counts and their changes.
    `texts` are ``of`` (so many), ``nothing`` (to look at) and ``replaced``, and what the verdict says: ``still``,
    ``moves``, ``same`` while nothing is replaced, or of a single word ``alone``.
    """
    return figure.part(
        "outputs",
        names=figure.WORDS,
        counts=counts,
        context=context,
        moved=moved,
        changed=replaced,
        axes=axes,
        limit=limit,
        replace=replace,
        texts=texts,
        title=title,
        heads=heads,
        what={"context": "context", "moved": "moved"},
    )


def replacement(
    label: str, words: Sequence[str], *, of: Expression, later: Expression, vectors: Expression
) -> Mapping[str, Any]:
    """The choice of the word that replaces the last one: the page's `of`, by which `later` gets its vector."""
    return {
        "label": label,
        "words": words,
        "of": name_of(of),
        "later": name_of(later),
        "vectors": name_of(vectors),
    }
