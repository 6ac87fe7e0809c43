"""Does it look where it thinks? Experiments on trained heads: what weights tell of an answer, and what not."""

from __future__ import annotations

from copy import copy
from types import ModuleType
from typing import Any

import pandas as pd

from attention_core.models import grammar
from attention_core.models.language_model import NAMES
from attention_core.models.weights import FOLDER
from attention_lab import export, figure
from attention_lab import text as prose
from attention_lab.calculation import Results
from attention_lab.lessons.trained_model import models
from attention_lab.state import permalink
from attention_lab.state.goals import Estimate
from attention_lab.state.page_state import YOURS, PageState

from . import deletion, elimination, heads, second_hand, seeds, swap, tells
from .fields import DELETION, ELIMINATION, FIELDS, SECOND_HAND, SEED, SMALL, SWAP, SWAPS, TELLS, texts_of
from .heads import OUTPUTS, SEEDS
from .parts import OWN_PARTS, head_of

__all__ = [
    "FIELDS",
    "LAST_SEED",
    "OWN_PARTS",
    "PROVENANCE",
    "about_guess",
    "calculate",
    "carried",
    "choose_experiment",
    "choose_model",
    "choose_opening",
    "choose_seed",
    "comes_from",
    "experiment_names",
    "fault",
    "first_move",
    "for_guess",
    "for_programs",
    "guess",
    "guessed_names",
    "model_names",
    "on_stage",
    "opening_names",
    "seeds_of",
    "tables",
]
PROVENANCE = "learned"
LAST_SEED = SEEDS - 1
EXPERIMENTS: dict[str, ModuleType] = {
    ELIMINATION: elimination,
    SWAP: swap,
    SEED: seeds,
    DELETION: deletion,
    SECOND_HAND: second_hand,
    TELLS: tells,
}


def of(page: PageState) -> ModuleType:
    """The experiment that is shown."""
    return EXPERIMENTS[page.experiment]


def fault(page: PageState) -> str:
    """The file of weights without which the experiment cannot be made; empty where it can."""
    return f"{page.model}.npz" if page.experiment not in SMALL and models.fault(page.model) else ""


def comes_from(values: permalink.Values) -> str | None:
    """Other weights than a head's own are nobody's who learned: they were put there by hand."""
    return YOURS if values["experiment"] == SWAP and values["swap"] != SWAPS[0] else None


def first_move(page: PageState) -> str:
    """What the ring lies on at first: what an experiment wants to be dragged or exchanged."""
    now = calculate(page)
    if page.experiment == TELLS:
        return page.text.plain(
            "lanes/head", name=heads.HEAD_NAMES[int(heads.necessary(page.model).broken.argmax())]
        )
    if page.experiment in SMALL:
        telling = next((k for k, told in enumerate(heads.TELLS_OF[now.tokens[0].astype(int)]) if told.any()), 0)
        return ("word " if page.experiment == SEED else "") + now.words[telling]
    if page.experiment == SECOND_HAND:
        return f"word {now.words[second_hand.source_of(page)[1]]}"
    return now.words[int(now.effect.argmax() if page.experiment == DELETION else now.own[0].argmax())]


# What the widgets above the stage show and do ---------------------------------------------------------------


def experiment_names(page: PageState) -> dict[str, str]:
    """Every experiment by its name in words."""
    return {name: page.text.plain(f"experiments/{name}") for name in EXPERIMENTS}


def model_names(page: PageState) -> dict[str, str]:
    """Both models in words; none where a head is trained here."""
    said = prose.read("trained_model")
    return {} if page.experiment in SMALL else {name: said.plain(f"models/{name}") for name in NAMES}


def seeds_of(page: PageState) -> tuple[str, ...]:
    """The seeds that an experiment has."""
    return {ELIMINATION: ("seed",), SEED: ("seed", "other_seed")}.get(page.experiment, ())


def opening_names(page: PageState) -> dict[str, str]:
    """The texts that the experiment can begin with: a sentence as it is, a longer text by its name."""
    texts = texts_of(page.experiment)
    names = page.text.parts("text_names")
    return {name: names.get(name, " ".join(words)) for name, words in texts.items()}


def choose_experiment(page: PageState) -> None:
    """Another experiment begins as it is at first, with the same model."""
    _begin(
        page,
        experiment=page.widget_value("experiment"),
        model=page.model,
        seed=page.seed,
        other_seed=page.other_seed,
    )


def choose_model(page: PageState, name: str) -> None:
    """Another model reads the same text."""
    _begin(page, experiment=page.experiment, opening=page.opening, model=name)


def choose_opening(page: PageState) -> None:
    """Another text begins untouched."""
    known = {name: page.memory.values[name] for name in ("experiment", "model", "seed", "other_seed")}
    _begin(page, **known, opening=page.widget_value("opening"))


def choose_seed(page: PageState) -> None:
    """A head of another seed reads the same sentence."""
    known = {name: page.memory.values[name] for name in ("experiment", "model", "opening")}
    _begin(page, **known, **{name: page.widget_value(name) for name in ("seed", "other_seed")})


def _begin(page: PageState, **known: Any) -> None:
    """The page anew; what the address shares with all pages stays."""
    known |= {f.name: page.memory.values[f.name] for f in page.fields if f.shared}
    page.put(**permalink.complete(page.fields, known))


# What is calculated, guessed and shown --------------------------------------------------------------------


def calculate(page: PageState) -> Results:
    """What follows from what a hand has done in this experiment."""
    return of(page).CALCULATION.run(page.scope(), of(page).given(page))


def carried(page: PageState) -> dict[str, figure.BinaryArrays]:
    """The weights of a shipped model as they travel; a small head's are among the page's data."""
    return {} if page.experiment in SMALL else {"learned": models.shown(page.model).carried}


def guess(page: PageState) -> Estimate:
    """The question of the experiment."""
    return of(page).GUESS


def guessed_names(page: PageState) -> dict[str, str]:
    """What its question and its why say."""
    return getattr(of(page), "asked_names", of(page).names)(page)


def for_guess(now: Results) -> Results:
    """What is guessed about does not change with the words that a hand exchanges or chooses."""
    found = copy(now)
    for name in ("word", "words"):
        found.pop(name, None)
    return found


def about_guess(page: PageState) -> tuple[Any, ...]:
    """What makes a guess a new one: another experiment, text, model or seed."""
    return (page.experiment, page.opening, page.model, page.seed, page.other_seed)


def on_stage(page: PageState, now: Results, *, guessed: bool) -> list[figure.Column]:
    """The goals, and what the experiment lays there; what was counted over many texts waits for the guess."""
    goals = figure.goals(
        page, of(page).suiting(page), for_guess(now), names=of(page).names(page), none=page.text["nothing"]
    )
    return [goals, *of(page).columns(page, guessed)]


# What can be taken away ------------------------------------------------------------------------------------


def tables(page: PageState) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    return of(page).tables(page, calculate(page))


def for_programs(page: PageState) -> export.Program:
    """What the programs begin with: a small head's numbers, or which weights, handed over too."""
    now = calculate(page)
    given: dict[str, Any] = {"words": list(now.words), "tokens": now.tokens[0].astype(int).tolist()}
    if page.experiment in SMALL:
        trained = [now.trained] if page.experiment == ELIMINATION else [now.one, now.beside]
        given |= {"heads": trained, "shifted": now.shifted[0].tolist(), "outputs": list(OUTPUTS)}
        return export.Program("misleading", given, {})
    given |= {
        "model": page.model,
        "vocabulary": list(grammar.WORDS),
        "pattern": now.looks.tolist() if page.experiment == SWAP else None,
        "head": head_of(page),
        "kept": now.kept[0].tolist() if page.experiment == DELETION else None,
        "reader": int(now.reader) if page.experiment == DELETION else -1,
        "strengths": now.strengths.tolist() if page.experiment == TELLS else models.ALL_ON.tolist(),
        "place": int(now.word) if page.experiment == SECOND_HAND else None,
    }
    file = f"{page.model}.npz"
    return export.Program("misleading_texts", given, {file: FOLDER / file})
