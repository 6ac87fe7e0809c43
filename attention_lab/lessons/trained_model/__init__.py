"""Inside a trained model: what its heads do and how one knows, what it says next and why, where senses part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from attention_core.models import grammar
from attention_core.models.language_model import NAMES
from attention_core.models.weights import FOLDER
from controls import export, permalink
from controls.page_state import PageState

from . import models
from .calculation import CALCULATION, calculate, carried
from .fields import FIELDS, OPENINGS, words_of
from .goals import GOALS, GUESS, each_off
from .models import HEAD_NAMES, KINDS, LAYERS
from .parts import OWN_PARTS, on_stage, states

__all__ = [
    "CALCULATION",
    "FIELDS",
    "GOALS",
    "GUESS",
    "OWN_PARTS",
    "PROVENANCE",
    "about_guess",
    "calculate",
    "carried",
    "choose_model",
    "choose_opening",
    "each_off",
    "fault",
    "first_move",
    "for_programs",
    "guessed_names",
    "model_names",
    "on_stage",
    "opening_names",
    "tables",
    "training",
]
PROVENANCE = "learned"
KEPT_WITH_OPENING = ("model", "version", "dimmed", "sense", "depth", "goal")


def fault(page: PageState) -> str:
    """The file of weights without which the page's model cannot be shown; empty where it can."""
    return f"{page.model}.npz" if models.fault(page.model) else ""


def first_move(page: PageState) -> str:
    """What the ring lies on at first: the dimmer of the head that the page opens with."""
    return f"head {page.head}"


# What the widgets above the stage show and do ---------------------------------------------------------------


def model_names(page: PageState) -> dict[str, str]:
    """Both models in words."""
    return {name: page.text.plain(f"models/{name}") for name in NAMES}


def opening_names(page: PageState) -> dict[str, str]:
    """The pairs that the page can begin with, in words."""
    return {name: page.text.plain(f"opening_names/{name}") for name in OPENINGS}


def choose_opening(page: PageState) -> None:
    """Another pair of texts comes with its own words; heads stay as they are dimmed."""
    known = {name: page.memory.values[name] for name in KEPT_WITH_OPENING}
    known |= {f.name: page.memory.values[f.name] for f in page.fields if f.shared}
    page.put(**permalink.complete(page.fields, known | {"opening": page.heard("opening")}))


def choose_model(page: PageState, name: str) -> None:
    """Another model reads the same text."""
    page.put(model=name, version=models.fingerprint(name))


# What is guessed, what can be taken away -------------------------------------------------------------------


def guessed_names(page: PageState, now: Any) -> dict[str, str]:
    """What the question of the guess says: the text's likeliest next word."""
    return {"next": grammar.WORDS[int(np.argmax(now.now.next_word[-1]))], "count": str(len(HEAD_NAMES))}


def about_guess(page: PageState) -> tuple[Any, ...]:
    """What makes a guess a new one: another model, or heads dimmed otherwise."""
    return (page.model, page.opening)


def tables(page: PageState) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, text, found = calculate(page), page.text, models.shown(page.model).measured
    at = states(page)
    measured = {text.plain(f"kinds/{kind}"): found[kind] for kind in KINDS}
    every = {
        text["tables/next"]: pd.DataFrame(now.now.next_word.T, grammar.WORDS, at).sort_values(
            at[-1], ascending=False
        ),
        text["tables/measured"]: pd.DataFrame(measured, HEAD_NAMES),
        text["tables/strengths"]: pd.DataFrame({text["tables/strength"]: now.strengths.ravel()}, HEAD_NAMES),
    }
    for head, name in enumerate(HEAD_NAMES):
        title = text.filled("tables/weights", head=name)
        every[title] = pd.DataFrame(now.now.weights[head], now.words, now.words)
    every[text["tables/moved"]] = pd.DataFrame(now.change.states.T, now.words, at)
    for layer in range(LAYERS):
        title = text.filled("tables/carried", layer=str(layer + 1))
        every[title] = pd.DataFrame(now.change.carried[layer], now.words, now.words)
    cosines = {
        text[f"cosines/{name}"]: [now[f"{name}_{layer}"] for layer in range(LAYERS + 1)]
        for name in ("same", "unlike")
    }
    every[text["tables/cosines"]] = pd.DataFrame(cosines, at)
    return every


def for_programs(page: PageState) -> export.Program:
    """What the programs begin with: which weights, handed over too, the text, each head's strength."""
    given = {
        "model": page.model,
        "words": list(words_of(page.tokens)),
        "numbers": page.tokens[0].astype(int).tolist(),
        "numbers_before": page.before[0].astype(int).tolist(),
        "strengths": (1 - page.dimmed).tolist(),
        "vocabulary": list(grammar.WORDS),
    }
    file = f"{page.model}.npz"
    return export.Program("trained_model", given, {file: FOLDER / file})


def training(page: PageState) -> str:
    """How both models were trained, as a table in words, from their records."""
    text, found = page.text, {name: models.shown(name) for name in NAMES if not models.fault(name)}
    lines = [text["record/head"], "|---|" + "---|" * 2]
    missing = text["record/missing"]

    def told(name: str, of: str) -> str:
        value = found[name].model.record.get(of) if name in found else None
        return missing if value is None else f"{value:,}" if isinstance(value, int) else str(value)

    def seeds(name: str) -> str:
        """The seeds of whose models the record holds figures."""
        return ", ".join(found[name].model.record.get("tried", {})) if name in found else missing

    for of in ("made_by", "seed", "seeds_tried", "steps", "seconds"):
        tried = {name: seeds(name) if of == "seeds_tried" else told(name, of) for name in NAMES}
        lines.append(f"| {text[f'record/{of}']} | {tried['readable']} | {tried['plain']} |")
    best = {name: [_best(found.get(name), kind) for kind in KINDS] for name in NAMES}
    for place, kind in enumerate(KINDS):
        shares = (best[name][place] or missing for name in ("readable", "plain"))
        lines.append(
            f"| {text.filled('record/looks', kind=text.plain(f'kinds/{kind}'))} | {' | '.join(shares)} |"
        )
    kinds = sorted({kind for each in found.values() for kind in each.model.record.get("answers_right", {})})
    for kind in kinds:
        right = (found[name].model.record["answers_right"].get(kind) if name in found else None for name in NAMES)
        shares = [missing if share is None else f"{100 * share:.0f} %" for share in right]
        lines.append(
            f"| {text.filled('record/right', kind=text.plain(f'answers/{kind}'))} | {' | '.join(shares)} |"
        )
    prints = {name: models.fingerprint(name) or missing for name in NAMES}
    lines.append(f"| {text['record/fingerprint']} | " + " | ".join(prints.values()) + " |")
    return "\n".join([text["record/how"], "", *lines])


def _best(shown: models.Shown | None, kind: str) -> str:
    """The largest share that any head gives to the answer of a question, and which head."""
    if shown is None:
        return ""
    head = int(shown.measured[kind].argmax())
    return f"{100 * shown.measured[kind][head]:.0f} % ({HEAD_NAMES[head]})"
