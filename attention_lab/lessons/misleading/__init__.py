"""Is attention an explanation? Experiments on trained heads: what weights tell of an answer, and what not."""

from __future__ import annotations

from copy import copy
from typing import Any

import pandas as pd

from attention_core.models import grammar
from attention_core.models.language_model import NAMES
from attention_core.models.weights import FOLDER
from attention_lab import export, figure
from attention_lab import text as prose
from attention_lab.calculation import Results
from attention_lab.lesson import Hidden, Lesson
from attention_lab.lessons.trained_model import models
from attention_lab.state import permalink
from attention_lab.state.goals import ChoiceQuestion
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import YOURS, State

from . import elimination, head_importance, second_hand, seeds, swap, token_ablation
from .experiment import Experiment
from .fields import DELETION, ELIMINATION, FIELDS, SECOND_HAND, SEED, SMALL, SWAP, SWAPS, TELLS, texts_of
from .heads import OUTPUTS, SEEDS
from .parts import OWN_PARTS, head_of

PROVENANCE = "learned"
LAST_SEED = SEEDS - 1
EXPERIMENTS = {
    ELIMINATION: elimination.EXPERIMENT,
    SWAP: swap.EXPERIMENT,
    SEED: seeds.EXPERIMENT,
    DELETION: token_ablation.EXPERIMENT,
    SECOND_HAND: second_hand.EXPERIMENT,
    TELLS: head_importance.EXPERIMENT,
}


def of(state: State) -> Experiment:
    """The experiment that is shown."""
    return EXPERIMENTS[state.experiment]


def fault(state: State) -> str:
    """The file of weights without which the experiment cannot be made; empty where it can."""
    return f"{state.model}.npz" if state.experiment not in SMALL and models.fault(state.model) else ""


def comes_from(values: permalink.Values) -> str | None:
    """Other weights than a head's own are nobody's who learned: they were put there by hand."""
    return YOURS if values["experiment"] == SWAP and values["swap"] != SWAPS[0] else None


def first_move(state: State, now: Results) -> str:
    """What the ring lies on at first: what an experiment wants to be dragged or exchanged."""
    return of(state).first_move(state, now)


# What the widgets above the stage show and do ---------------------------------------------------------------


def experiment_names(state: State) -> dict[str, str]:
    """Every experiment by its name in words."""
    return {name: state.text.plain(f"experiments/{name}") for name in EXPERIMENTS}


def model_names(state: State) -> dict[str, str]:
    """Both models in words; none where a head is trained here."""
    said = prose.read("trained_model")
    return {} if state.experiment in SMALL else {name: said.plain(f"models/{name}") for name in NAMES}


def seeds_of(state: State) -> tuple[str, ...]:
    """The seeds that an experiment has."""
    return of(state).seeds


def opening_names(state: State) -> dict[str, str]:
    """The texts that the experiment can begin with: a sentence as it is, a longer text by its name."""
    texts = texts_of(state.experiment)
    names = state.text.parts("text_names")
    return {name: names.get(name, " ".join(words)) for name, words in texts.items()}


def choose_experiment(state: State, experiment: str) -> permalink.Values:
    """Another experiment begins as it is at first, with the same model."""
    return _begin(
        state,
        experiment=experiment,
        model=state.model,
        seed=state.seed,
        other_seed=state.other_seed,
    )


def choose_model(state: State, name: str) -> permalink.Values:
    """Another model reads the same text."""
    return _begin(state, experiment=state.experiment, opening=state.opening, model=name)


def choose_opening(state: State, opening: str) -> permalink.Values:
    """Another text begins untouched."""
    known = {name: state.values[name] for name in ("experiment", "model", "seed", "other_seed")}
    return _begin(state, **known, opening=opening)


def choose_seed(name: str, state: State, seed: int) -> permalink.Values:
    """A head of another seed, the first or the `other_seed`, reads the same sentence."""
    stay = ("experiment", "model", "opening", "seed", "other_seed")
    return _begin(state, **{**{each: state.values[each] for each in stay}, name: seed})


def _begin(state: State, **known: Any) -> permalink.Values:
    """The page anew; what the address shares with all pages stays."""
    known |= {f.name: state.values[f.name] for f in state.fields if f.shared}
    return permalink.complete(state.fields, known)


# What is calculated, guessed and shown --------------------------------------------------------------------


def calculate(state: State) -> Results:
    """What follows from what a hand has done in this experiment."""
    return of(state).calculation.run(state.scope(), of(state).constants(state))


def arrays(state: State) -> dict[str, figure.BinaryArrays]:
    """The weights of a shipped model as they travel; a small head's are among the page's data."""
    return {} if state.experiment in SMALL else {"learned": models.load_model(state.model).packed}


def guess(state: State) -> ChoiceQuestion:
    """The question of the experiment."""
    return of(state).question


def guessed_names(state: State) -> dict[str, str]:
    """What its question and its why say."""
    return (of(state).question_names or of(state).names)(state)


def for_guess(now: Results) -> Results:
    """What is guessed about does not change with the words that a hand exchanges or chooses."""
    result = copy(now)
    for name in ("word", "words"):
        result.pop(name, None)
    return result


def about_guess(state: State) -> tuple[Any, ...]:
    """What makes a guess a new one: another experiment, text, model or seed."""
    return (state.experiment, state.opening, state.model, state.seed, state.other_seed)


def figure_columns(state: State, now: Results, hidden: Hidden) -> list[figure.Column]:
    """The goals, and what the experiment shows: before the prediction, only the head at work."""
    goals = figure.goals(
        state,
        of(state).goals(state),
        for_guess(now),
        names=of(state).names(state),
        first=f"{state.experiment}/{of(state).first_text(now)}",
        none=state.text["nothing"],
        waits=hidden[0],
    )
    return [goals, *of(state).columns(state, not hidden[0])]


# What can be taken away ------------------------------------------------------------------------------------


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    return of(state).tables(state, calculate(state))


def for_programs(state: State) -> export.Program:
    """What the programs begin with: a small head's numbers, or which weights, handed over too."""
    now = calculate(state)
    constants: dict[str, Any] = {"words": list(now.words), "tokens": now.tokens[0].astype(int).tolist()}
    if state.experiment in SMALL:
        trained = [now.trained] if state.experiment == ELIMINATION else [now.one, now.beside]
        constants |= {"heads": trained, "shifted": now.shifted[0].tolist(), "outputs": list(OUTPUTS)}
        return export.Program("misleading", constants, {})
    constants |= {
        "model": state.model,
        "vocabulary": list(grammar.WORDS),
        "pattern": now.looks.tolist() if state.experiment == SWAP else None,
        "head": head_of(state),
        "kept": now.kept[0].tolist() if state.experiment == DELETION else None,
        "reader": int(now.reader) if state.experiment == DELETION else -1,
        "strengths": now.strengths.tolist() if state.experiment == TELLS else models.ALL_ON.tolist(),
        "place": int(now.word) if state.experiment == SECOND_HAND else None,
    }
    file = f"{state.model}.npz"
    return export.Program("misleading_texts", constants, {file: FOLDER / file})


def predictions(state: State, now: Results) -> list[Prediction]:
    """What will the experiment show?"""
    names = guessed_names(state)
    return [Prediction(guess(state), for_guess(now), again=about_guess(state), always=True, names=names)]


LESSON = Lesson(
    "misleading",
    FIELDS,
    calculate=calculate,
    figure=figure_columns,
    predictions=predictions,
    provenance=PROVENANCE,
    comes_from=comes_from,
    title=lambda state: state.text["figure"],
    first_move=first_move,
    arrays=lambda state, hidden: arrays(state),
    tables=tables,
    program=for_programs,
    own_parts=OWN_PARTS,
)
