"""Inside a trained model: what its heads do and how one knows, what it says next and why, where senses part."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from attention_core.models import grammar
from attention_core.models.language_model import MEASURED, NAMES, QUESTIONS
from attention_lab import language_models
from attention_lab.calculation import Results
from attention_lab.figure.models import states
from attention_lab.language_models import HEAD_NAMES, HEADS, KINDS, LAYERS, head_labels
from attention_lab.lesson import Lesson, Program
from attention_lab.state import permalink
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State
from attention_lab.text.number_format import format_number, format_percentage, format_whole

from .calculation import calculate
from .fields import FIELDS, words_of
from .goals import GUESS, each_off
from .parts import draw


def missing_file(state: State) -> str:
    """The file of weights without which the page's model cannot be shown; empty where it can."""
    return f"{state.model}.npz" if language_models.fault(state.model) else ""


# What the widgets above the stage show and do ---------------------------------------------------------------


def choose_opening(state: State, opening: str) -> permalink.Values:
    """Another pair of texts comes with its own words; heads stay as they are dimmed."""
    return state.anew("model", "version", "dimmed", "sense", "depth", "goal", opening=opening)


def choose_model(_: State, name: str) -> permalink.Values:
    """Another model reads the same text."""
    return {"model": name, "version": language_models.fingerprint(name)}


# What is guessed, what can be taken away -------------------------------------------------------------------


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, text, found = calculate(state), state.text, language_models.load_model(state.model).measured
    at = states(state.text, LAYERS)
    measured = {text.plain(f"kinds/{kind}"): found[kind] for kind in KINDS}
    every = {
        text["tables/next"]: pd.DataFrame(now.now.next_word.T, grammar.WORDS, at).sort_values(
            at[-1], ascending=False
        ),
        text["tables/measured"]: pd.DataFrame(measured, head_labels()),
        text["tables/strengths"]: pd.DataFrame({text["tables/strength"]: now.strengths.ravel()}, head_labels()),
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


def for_programs(state: State) -> Program:
    """What the programs begin with: which weights, handed over too, the text, each head's strength."""
    constants = {
        "model": state.model,
        "words": list(words_of(state.tokens)),
        "numbers": state.tokens[0].astype(int).tolist(),
        "numbers_before": state.before[0].astype(int).tolist(),
        "strengths": (1 - state.dimmed).tolist(),
        "vocabulary": list(grammar.WORDS),
    }
    return Program("trained_model", constants, language_models.file_of(state.model))


def training(state: State) -> str:
    """How both models were trained and what each seed gave, as tables in words, from their records."""
    text, there = state.text, [name for name in NAMES if not language_models.fault(name)]
    found = {name: language_models.load_model(name) for name in there}
    missing, records = text["record/missing"], {name: each.model.record for name, each in found.items()}

    def row(label: str, values: Iterable[str]) -> str:
        return f"| {label} | {' | '.join(value or missing for value in values)} |"

    def cell(value: Any) -> str:
        if isinstance(value, float):
            return format_number(value)
        return format_whole(value) if isinstance(value, int) else "" if value is None else str(value)

    of_models = [text["record/head"], "|---|" + "---|" * len(NAMES)]
    for of in ("made_by", "seed", "steps", "sharpening", "sharpening_from_step", "seconds"):
        values = (cell(records.get(name, {}).get(of)) for name in NAMES)
        of_models.append(row(text[f"record/{of}"], values))
    for kind, count in language_models.how_often().items():
        label = text.plain("record/looks", kind=text.plain(f"kinds/{kind}"), count=str(count))
        of_models.append(row(label, (_best(found.get(name), kind) for name in NAMES)))
    of_models.append(row(text["record/fingerprint"], map(language_models.fingerprint, NAMES)))

    tried = [(name, seed) for name, record in records.items() for seed in record["tried"]]
    chosen = [seed == str(records[name]["seed"]) for name, seed in tried]
    titles = [
        text.filled(f"record/{'chosen' if best else 'other'}", model=text.plain(f"models/{name}"), seed=seed)
        for (name, seed), best in zip(tried, chosen, strict=True)
    ]
    of_seeds = [row(text["record/measured"], titles).replace(missing, ""), "|---|" + "---|" * len(tried)]

    def figures(of: str, kind: str) -> Iterable[str]:
        """The share that each seed reached."""
        for name, seed in tried:
            asked = of == "answers_right" or name == "readable"  # the other was asked nothing
            reached = records[name]["tried"][seed][of].get(kind) if asked else None
            yield "" if reached is None else format_percentage(reached)

    for kind, count in language_models.answers_counted().items():
        label = text.plain("record/right", kind=text.plain(f"answers/{kind}"), count=str(count))
        of_seeds.append(row(label, figures("answers_right", kind)))
    for kind, (layer, head) in QUESTIONS.items():
        label = text.plain(
            "record/own",
            head=HEAD_NAMES[layer * HEADS + head],
            kind=text.plain(f"kinds/{kind}"),
            count=str(language_models.how_often()[kind]),
        )
        of_seeds.append(row(label, figures("attention_on_answer", kind)))
    penalty = records.get("readable", {}).get("sharpening")
    sentence = text.filled("record/how", count=str(MEASURED), penalty=cell(penalty) or missing)
    return "\n".join([sentence, "", *of_models, "", text["record/seeds"], "", *of_seeds])


def _best(model: language_models.LoadedModel | None, kind: str) -> str:
    """The largest share that any head gives to the answer of a question, and which head."""
    if model is None:
        return ""
    head = int(model.measured[kind].argmax())
    return f"{format_percentage(model.measured[kind][head])} ({HEAD_NAMES[head]})"


def predictions(state: State, now: Results) -> list[Prediction]:
    """Which head does the answer need most?"""
    names = {"next": grammar.WORDS[int(np.argmax(now.now.next_word[-1]))], "count": str(len(HEAD_NAMES))}
    return [Prediction(GUESS, each_off(state, now), again=(state.model, state.opening), names=names)]


LESSON = Lesson(
    "trained_model",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=predictions,
    provenance="learned",
    settings=lambda state: {"opening": state.text.parts("opening_names"), "model": state.text.parts("models")},
    missing_file=missing_file,
    first_move=lambda state, now: f"head {state.head}",
    arrays=lambda state, hidden: language_models.arrays(state.model),
    tables=tables,
    program=for_programs,
)
