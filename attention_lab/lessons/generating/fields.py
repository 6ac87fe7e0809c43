"""What the address of the page holds: model, text, how much of it is shown, and how a token is chosen."""

import re
from dataclasses import replace
from typing import Any

import numpy as np

from attention_core.models import grammar
from attention_lab import language_models
from attention_lab import text as prose
from attention_lab.language_models import HEAD_NAMES, places_in, to_tokens
from attention_lab.state import permalink
from attention_lab.state.permalink import Field, Range, RefusedError, Rules, Values

from . import recorded

MODEL, RECORDED = "readable", recorded.FILE
ROOM = 8  # tokens that can be written after any beginning
MOST = grammar.LONGEST - ROOM
SIGNS = re.compile(r"([.,:])")  # tokens by themselves
HIGHEST_TEMPERATURE, LEAST_PART, LAST_DRAW = 4.0, 0.05, 0.999
FIRST_DRAW = 0.2
ALL = "all"
TOP_K = {str(count): count for count in (1, 2, 3, 5, 10)} | {ALL: len(grammar.WORDS)}
SWITCH = ("0", "1")
GOAL_NAMES = ("add", "same", "half", "unmasked", "eight")
RECORDED_GOAL_NAMES = ("reveal", "unsure")

OPENINGS = {name: tuple(line.split()) for name, line in prose.read("generating").parts("openings").items()}


def is_recorded(values: Values) -> bool:
    """Whether the model is the one whose texts were recorded."""
    return values.get("model") == RECORDED


def recorded_text(values: Values) -> recorded.Written:
    """The recorded text that is chosen."""
    return recorded.load(values["opening"])


def check_beginning(text: str) -> str:
    """A beginning of the reader's own, as the model's words with spaces between; a refusal says what to do."""
    words, own = SIGNS.sub(r" \1 ", text.lower().replace("’", "'")).split(), prose.read("generating")
    if unknown := [word for word in words if word not in grammar.PLACE_OF]:
        raise RefusedError(own.plain("written/unknown", word=unknown[0][:24], count=str(len(grammar.WORDS))))
    if len(words) > MOST:
        raise RefusedError(own.plain("written/long", count=str(len(words)), most=str(MOST)))
    return " ".join(words)


def beginning(values: Values) -> tuple[str, ...]:
    """The words that the page opens with."""
    return tuple(values["written"].split()) or OPENINGS[values["opening"]]


def first_tokens(values: Values) -> np.ndarray:
    """The beginning as word numbers; of a recorded text all of it, each token by its place."""
    if is_recorded(values):
        return np.arange(float(len(recorded_text(values).tokens)))[None]
    return to_tokens(beginning(values))


def token_rules(values: Values) -> Rules:
    """Any words of the small model; a recorded text is as it is."""
    if not is_recorded(values):
        return Rules((permalink.numbered(len(grammar.WORDS)),), (1, None), grammar.LONGEST)
    count = len(recorded_text(values).tokens)
    return Rules(tuple(Range(k, k, whole=True) for k in range(count)), (1, count))


def given(values: Values) -> int:
    """How many tokens the beginning has."""
    if is_recorded(values):
        return recorded_text(values).start
    return min(len(beginning(values)), values["tokens"].shape[1])


def start_rules(values: Values) -> Rules:
    """The beginning has at least one token; of a recorded text it is known."""
    start, count = given(values), values["tokens"].shape[1]
    return Rules((Range(start, start, whole=True) if is_recorded(values) else Range(1, count, whole=True),))


def of_small_model(field: Field) -> Field:
    """A setting of the small model alone: with a recorded text a link cannot have it."""

    def read(text: str, values: Values) -> Any:
        if is_recorded(values):
            raise RefusedError(prose.read("generating")["recorded/refused"])
        return field.read(text, values)

    return replace(field, read=read)


_typed = permalink.typed_line("written", "a beginning of the reader's own, instead of the opening", 400)

FIELDS = (
    permalink.choice("model", "the model that writes; smollm2: a large one, recorded", (MODEL, RECORDED)),
    permalink.version(
        lambda values: recorded.fingerprint() if is_recorded(values) else language_models.fingerprint(MODEL)
    ),
    permalink.choice(
        "opening",
        "the beginning that the model continues",
        lambda values: recorded.NAMES if is_recorded(values) else tuple(OPENINGS),
    ),
    of_small_model(replace(_typed, read=lambda text, values: check_beginning(_typed.read(text, values)))),
    permalink.ruled(
        "tokens", "the beginning and all that is written, as word numbers", first_tokens, token_rules
    ),
    permalink.ruled("start", "the number of tokens of the beginning", given, start_rules, str, interactive=False),
    permalink.choice(
        "shown",
        "the last token shown",
        places_in,
        lambda values: str(values["start"]) if is_recorded(values) else places_in(values)[-1],
        interactive=True,
    ),
    of_small_model(
        replace(
            permalink.number(
                "temperature", "the temperature of the logits", 0, HIGHEST_TEMPERATURE, 1, interactive=True
            ),
            from_example=True,  # a badge says that the reader has changed it
        )
    ),
    of_small_model(
        permalink.choice(
            "top_k", "how many of the likeliest tokens may be chosen", tuple(TOP_K), ALL, interactive=True
        )
    ),
    of_small_model(
        permalink.number(
            "top_p",
            "the probability that the tokens that may be chosen have together",
            LEAST_PART,
            1,
            1,
            interactive=True,
        )
    ),
    of_small_model(
        permalink.number("draw", "the draw: which token comes next", 0, LAST_DRAW, FIRST_DRAW, interactive=True)
    ),
    permalink.choice(
        "head",
        "the head shown: layer and number",
        lambda values: recorded_text(values).heads if is_recorded(values) else HEAD_NAMES,
        lambda values: recorded.HEADS.get(values["opening"], recorded.HEAD) if is_recorded(values) else "2.3",
        interactive=True,
    ),
    of_small_model(permalink.choice("causal", "1: with the causal mask", SWITCH, "1", interactive=True)),
    permalink.choice(
        "goal",
        "the goal that is set",
        lambda values: RECORDED_GOAL_NAMES if is_recorded(values) else GOAL_NAMES,
        interactive=True,
    ),
)
