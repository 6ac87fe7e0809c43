"""Inside a real sentence encoder: all its heads, how a weight is made, senses, *it*, what weight says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from attention_core import load_gallery
from attention_core.models.weights import FOLDER
from attention_lab import export, own_model
from attention_lab.state import permalink
from attention_lab.state.page_state import PageState

from . import galleries, live
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
    "choose_model",
    "choose_text",
    "fault",
    "first_move",
    "for_programs",
    "live_there",
    "model_names",
    "on_stage",
    "tables",
    "text_names",
    "without_live",
    "write_own",
]
PROVENANCE = "learned"
KEPT_WITH_TEXT = ("model", "version", "written", "head", "sense", "depth", "goal")


def fault(_: PageState) -> str:
    """Why the gallery cannot be shown; empty where it can."""
    return galleries.fault()


def first_move(page: PageState) -> str:
    """What the ring lies on at first: the head that the page opens with."""
    return f"head {page.head}"


def text_names(page: PageState) -> dict[str, str]:
    """The sentences, in words."""
    texts = {name: run.text for name, run in galleries.shown(page.model).gallery.runs.items()}
    return texts | {live.OWN: page.text["own"]}


def choose_text(page: PageState) -> None:
    """Another sentence has tokens of its own; the head stays."""
    known = {name: page.memory.values[name] for name in KEPT_WITH_TEXT}
    known |= {f.name: page.memory.values[f.name] for f in page.fields if f.shared}
    page.put(**permalink.complete(page.fields, known | {"text": page.widget_value("text")}))


def about(page: PageState) -> str:
    """Which model it is: its name, licence, source and the sha-256 of its weights."""
    record = galleries.shown(page.model).gallery.record
    facts = {name: str(fact) for name, fact in record.items()}
    return page.text.filled("about_own" if page.model == live.LIVE else "about", **facts)


# A model that the server was given ---------------------------------------------------------------------------


def live_there() -> bool:
    """Whether there is a model that readers may ask."""
    return live.there()


def without_live(page: PageState) -> str:
    """Why there is none, or how to get one."""
    why = own_model.read().fault
    return page.text.filled("live/fault", why=why) if why else page.text["live/how"]


def model_names(page: PageState) -> dict[str, str]:
    """Both models in words."""
    return {galleries.SHIPPED: page.text["models/gallery"], live.LIVE: own_model.read().model.name}


def choose_model(page: PageState, name: str) -> None:
    """Another model reads the same sentence."""
    _begin(page, model=name, version=galleries.fingerprint(name), written=page.written)


def write_own(page: PageState, text: str) -> None:
    """A text of the reader's own is read by the model that the server was given."""
    _begin(
        page, model=live.LIVE, version=galleries.fingerprint(live.LIVE), written=live.check(text), text=live.OWN
    )


def _begin(page: PageState, **known: Any) -> None:
    """The page anew; what the address shares with all pages, and the goal, stay."""
    values = page.memory.values
    known |= {f.name: values[f.name] for f in page.fields if f.shared or f.name == "goal"}
    page.put(**permalink.complete(page.fields, known))


def about_guess(page: PageState) -> tuple[Any, ...]:
    """What makes a guess a new one: another sentence."""
    return (page.model, chosen(page), page.written)


def tables(page: PageState) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, text, shown = calculate(page), page.text, galleries.shown(page.model)
    run, names, heads = galleries.sentence_of(page.memory.values).run, now.words, shown.head_names
    inner = list(galleries.between_marks(run, names))
    every = {
        text.filled("tables/scores", head=page.head): pd.DataFrame(now.scores, names, names),
        text.filled("tables/weights", head=page.head): pd.DataFrame(now.pattern, names, names),
        text["measured"]: pd.DataFrame(shown.does, heads, list(kinds(page, long=True).values())),
        text["deletion"]: pd.DataFrame(
            {
                text["deletion/all"]: galleries.between_marks(run, now.received),
                text["deletion/deletion"]: run.deletion.astype(float),
            },
            inner,
        ),
        text["tables/ranks"]: pd.DataFrame({text["tables/rank"]: shown.agreement_of_heads}, heads),
    }
    for name, shares in zip(IT, shown.it, strict=True) if shown.knows_it else ():
        title = text.filled("tables/it", text=shown.gallery.runs[name].text)
        every[title] = pd.DataFrame(shares, heads, IT[name])
    for of, title in (("same", "cosines/same"), ("unlike", "cosines/unlike")):
        every[text[title]] = pd.DataFrame(np.transpose(now[of]), states(page, shown), list(page.options("sense")))
    weights = weights_of(page)
    places = pd.MultiIndex.from_product([heads, names])
    every[text["tables/every"]] = pd.DataFrame(weights.reshape(-1, len(names)), places, names)
    return every


def for_programs(page: PageState) -> export.Program:
    """What the programs begin with: one head's scores, the pair, and which word's senses part."""
    now, known = calculate(page), load_gallery().senses
    sense = page.sense if page.sense in known else next(iter(known))
    given = {
        "words": list(now.words),
        "scores": now.kept.tolist(),
        "word": int(now.word),
        "other": int(now.other),
        "raised": float(page.raised),
        "sense": sense,
        "senses": list(load_gallery().senses[sense].senses),
        "vectors_kept_in": galleries.SHIPPED,
    }
    file = f"{galleries.SHIPPED}.npz"
    return export.Program("real_model", given, {file: FOLDER / file})
