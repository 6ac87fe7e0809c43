"""Inside a real sentence encoder: all its heads, how a weight is made, senses, *it*, what weight says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from controls import permalink
from controls.page_state import PageState

from . import galleries
from .calculation import CALCULATION, calculate, carried, chosen, weights_of
from .fields import FIELDS
from .galleries import IT
from .goals import GOALS, GUESS
from .parts import OWN_PARTS, kinds, on_stage, states

__all__ = [
    "CALCULATION",
    "FIELDS",
    "GOALS",
    "GUESS",
    "OWN_PARTS",
    "PROVENANCE",
    "about",
    "about_guess",
    "calculate",
    "carried",
    "choose_text",
    "fault",
    "first_move",
    "for_programs",
    "on_stage",
    "tables",
    "text_names",
]
PROVENANCE = "learned"
KEPT_WITH_TEXT = ("model", "version", "head", "sense", "depth", "goal")


def fault(_: PageState) -> str:
    """Why the gallery cannot be shown; empty where it can."""
    return galleries.fault()


def first_move(page: PageState) -> str:
    """What the ring lies on at first: the head that the page opens with."""
    return f"head {page.head}"


def text_names(page: PageState) -> dict[str, str]:
    """The sentences, in words."""
    return {name: run.text for name, run in galleries.shown(page.model).gallery.runs.items()}


def choose_text(page: PageState) -> None:
    """Another sentence has tokens of its own; the head stays."""
    known = {name: page.memory.values[name] for name in KEPT_WITH_TEXT}
    known |= {f.name: page.memory.values[f.name] for f in page.fields if f.shared}
    page.put(**permalink.complete(page.fields, known | {"text": page.heard("text")}))


def about(page: PageState) -> str:
    """Which model it is: its name, licence, source and the sha-256 of its weights."""
    record = galleries.shown(page.model).gallery.record
    facts = {name: str(record[name]) for name in ("model", "licence", "source", "sha256", "layers", "heads")}
    return page.text.filled("about", **facts)


def about_guess(page: PageState) -> tuple[Any, ...]:
    """What makes a guess a new one: another sentence."""
    return (page.model, chosen(page))


def tables(page: PageState) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, text, shown = calculate(page), page.text, galleries.shown(page.model)
    run, names, heads = galleries.run_of(page.memory.values), now.words, shown.head_names
    inner = names[1:-1]
    every = {
        text.filled("tables/scores", head=page.head): pd.DataFrame(now.scores, names, names),
        text.filled("tables/weights", head=page.head): pd.DataFrame(now.pattern, names, names),
        text["measured"]: pd.DataFrame(shown.does, heads, list(kinds(page, long=True).values())),
        text["deletion"]: pd.DataFrame(
            {text["deletion/all"]: now.received[1:-1], text["deletion/deletion"]: run.deletion.astype(float)},
            inner,
        ),
        text["tables/ranks"]: pd.DataFrame({text["tables/rank"]: shown.agreement_of_heads}, heads),
    }
    for name, shares in zip(IT, shown.it, strict=True):
        title = text.filled("tables/it", text=shown.gallery.runs[name].text)
        every[title] = pd.DataFrame(shares, heads, IT[name])
    for of, title in (("same", "cosines/same"), ("unlike", "cosines/unlike")):
        every[text[title]] = pd.DataFrame(np.transpose(now[of]), states(page, shown), list(shown.senses))
    weights = weights_of(page)
    places = pd.MultiIndex.from_product([heads, names])
    every[text["tables/every"]] = pd.DataFrame(weights.reshape(-1, len(names)), places, names)
    return every


def for_programs(page: PageState) -> dict[str, Any]:
    """What the programs begin with: one head's scores, the pair, and which word's senses part."""
    now = calculate(page)
    return {
        "words": list(now.words),
        "scores": now.kept.tolist(),
        "word": int(now.word),
        "other": int(now.other),
        "raised": float(page.raised),
        "sense": page.sense,
        "senses": list(galleries.shown(page.model).senses[page.sense].senses),
        "vectors_kept_in": galleries.SHIPPED,
    }
