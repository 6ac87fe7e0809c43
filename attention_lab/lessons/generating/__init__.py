"""Generating text: one token at a time, with a cache of keys and values, and how the next token is chosen."""

import pandas as pd

from attention_core.models import grammar, unreadable
from attention_lab import language_models
from attention_lab.calculation import Results
from attention_lab.lesson import Lesson, Program, View
from attention_lab.state import permalink
from attention_lab.state.predictions import Prediction
from attention_lab.state.state import State

from . import live, recorded_text
from .calculation import EARLIER, GUESSED, calculate
from .fields import (
    FIELDS,
    MODEL,
    RECORDED,
    TOP_K,
    check_beginning,
    is_being_written,
    is_live,
    is_recorded,
)
from .parts import draw

EVERY = 0.3  # s between tokens that are being written


def missing_file(state: State) -> str:
    """The file without which the model has no figure; empty where it can be shown."""
    if is_live(state.values):
        return ""
    large = is_recorded(state.values)
    missing = unreadable((RECORDED,)) if large else language_models.fault(MODEL)
    return f"{RECORDED if large else MODEL}.npz" if missing else ""


def opening_names(state: State) -> dict[str, str]:
    """The beginnings that the model can be given, in words."""
    return state.text.parts("recorded_names" if is_recorded(state.values) else "opening_names")


def choose_model(state: State, name: str) -> permalink.Values:
    """Another model begins with a text of its own."""
    return state.anew(model=name)


def choose_opening(state: State, opening: str) -> permalink.Values:
    """Another beginning comes without what was written after the one before."""
    return _begin(state, opening=opening)


def write_own(state: State, text: str) -> permalink.Values:
    """A beginning of the reader's own; none brings back the opening."""
    check = live.check if is_live(state.values) else check_beginning
    return _begin(state, opening=state.opening, written=check(text))


def ask(state: State, chat: str) -> permalink.Values:
    """The prompt as a question in a chat, or as it is."""
    return _begin(state, written=state.written, chat=chat)


def model_names(state: State) -> dict[str, str]:
    """The models in words."""
    there = live.model()
    return state.text.parts("models") | {live.LIVE: there.name if there else state.text["live/none"]}


def about(state: State) -> str:
    """Which model writes on the server."""
    return state.text.filled("live/about", model=live.model().name, sha256=live.model().sha256)


def write_on(state: State) -> None:
    """Let the server's own model write one token more."""
    if is_being_written(state.values):
        live.advance(state.values)


def is_missed(state: State) -> bool:
    """Whether a link asks for the server's own model, and there is none that writes."""
    return state.model == live.LIVE and not is_live(state.values)


def outside(shown: View) -> tuple[bool, str, str]:
    """What stands above the figure of a text that is being written, and whether it is still growing."""
    values = shown.state.values
    return is_being_written(values), values["written"], values["chat"]


def progress(state: State) -> int:
    """How many tokens were read of a text that is being written."""
    return len(live.begun(state.values).now.rows) if is_live(state.values) else 0


def _begin(state: State, **known: str) -> permalink.Values:
    """A beginning with nothing written; how a token is chosen, the head and the goal stay."""
    of_text = is_recorded(state.values) and not is_live(state.values)  # a head that shows something of it
    cleared = ("opening", "written", "tokens", "start", "shown", *(["head"] if of_text else []))
    kept = {f.name: state.values[f.name] for f in state.fields if f.name not in cleared}
    return permalink.complete(state.fields, kept | known)


def tables(state: State) -> dict[str, pd.DataFrame]:
    """The numbers behind the pictures."""
    now, text = calculate(state), state.text
    next_token = {text["tables/own"]: now.now.next_word, text["tables/adjusted"]: now.adjusted[0]}
    work = dict(zip((text["tables/without"], text["tables/cached"]), now.work, strict=True))
    start = int(state.start)
    every = {
        text["tables/next"]: pd.DataFrame(next_token, grammar.WORDS).iloc[list(now.order)],
        text["tables/work"]: pd.DataFrame(work, list(now.words[start:])),
    }
    for name, weights in zip(language_models.HEAD_NAMES, now.now.weights, strict=True):
        every[text.filled("tables/weights", head=name)] = pd.DataFrame(weights, now.words, now.words)
    return every


def for_programs(state: State) -> Program:
    """What the programs begin with: the text, how much of it was given, and how a token is chosen."""
    now = calculate(state)
    constants = {
        "numbers": now.text[0].astype(int).tolist(),
        "start": int(state.start),
        "head": language_models.HEAD_NAMES.index(state.head),
        "causal": state.causal == "1",
        "temperature": float(state.temperature),
        "top_k": TOP_K[state.top_k],
        "top_p": float(state.top_p),
        "draw": float(state.draw),
        "vocabulary": list(grammar.WORDS),
    }
    return Program("generating", constants, language_models.file_of(MODEL))


def predictions(state: State, now: Results) -> list[Prediction]:
    """Which of the earlier numbers change? Once for a beginning, however many tokens have been added."""
    asked = GUESSED.run_extension(now)
    del asked["words"]
    return [Prediction(EARLIER, asked, again=(state.opening, state.written))]


SMALL = Lesson(
    "generating",
    FIELDS,
    calculate=calculate,
    draw=draw,
    predictions=predictions,
    first_move=lambda state, now: "add",
    arrays=lambda state, hidden: language_models.arrays(MODEL),
    tables=tables,
    program=for_programs,
)
LESSON = Lesson(
    "generating",
    FIELDS,
    variant=lambda state: recorded_text.LESSON if is_recorded(state.values) else SMALL,
    provenance="learned",
    settings=lambda state: {"model": state.text.parts("models"), "opening": opening_names(state)},
    missing_file=missing_file,
    progress=progress,
    exported=lambda state: not is_live(state.values),
)
