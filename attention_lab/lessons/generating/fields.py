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

from . import live, recorded

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
LIVE_GOAL_NAMES = ("unsure",)

OPENINGS = {name: tuple(line.split()) for name, line in prose.read("generating").parts("openings").items()}


def is_recorded(values: Values) -> bool:
    """Whether a large model's text is shown as it is there: recorded, or still being written on the server."""
    return values.get("model") in (RECORDED, live.LIVE)


def is_live(values: Values) -> bool:
    """Whether the server's own model writes. Without one, a link to it shows what was recorded."""
    return values.get("model") == live.LIVE and live.model() is not None


def is_being_written(values: Values) -> bool:
    """Whether the server's own model has more to write, or to read."""
    return is_live(values) and not live.begun(values).now.is_whole


def models(values: Values) -> tuple[str, ...]:
    """The models that can be chosen; one that is chosen stays, also without the server's model."""
    is_there = live.model() is not None or values.get("model") == live.LIVE
    return (MODEL, RECORDED, *([live.LIVE] if is_there else []))


def recorded_text(values: Values) -> recorded.Written:
    """The text that is chosen, as far as it is there."""
    return live.written(values) if is_live(values) else recorded.load(values["opening"])


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


def places(values: Values) -> int:
    """How many tokens a large model's text has, or may have."""
    if is_live(values):
        return live.begun(values).start + live.MOST
    return len(recorded.load(values["opening"]).tokens)


def first_tokens(values: Values) -> np.ndarray:
    """The beginning as word numbers; of a large model's text all of it, each token by its place."""
    return np.arange(float(places(values)))[None] if is_recorded(values) else to_tokens(beginning(values))


def token_rules(values: Values) -> Rules:
    """Any words of the small model; a large model's text is as it is."""
    if not is_recorded(values):
        return Rules((permalink.numbered(len(grammar.WORDS)),), (1, None), grammar.LONGEST)
    count = places(values)
    return Rules(tuple(Range(k, k, whole=True) for k in range(count)), (1, count))


def prompt_length(values: Values) -> int:
    """How many tokens the beginning has."""
    if is_live(values):
        return live.begun(values).start
    if is_recorded(values):
        return recorded.load(values["opening"]).start
    return min(len(beginning(values)), values["tokens"].shape[1])


def start_rules(values: Values) -> Rules:
    """The beginning has at least one token; of a recorded text it is known."""
    start, count = prompt_length(values), values["tokens"].shape[1]
    return Rules((Range(start, start, whole=True) if is_recorded(values) else Range(1, count, whole=True),))


def of_small_model(field: Field) -> Field:
    """A setting of the small model alone: with a recorded text a link cannot have it."""

    def read(text: str, values: Values) -> Any:
        if is_recorded(values):
            raise RefusedError(prose.read("generating")["recorded/refused"])
        return field.read(text, values)

    return replace(field, read=read)


def read_model(text: str, values: Values) -> str:
    """The model of a link. The server's own stays, although it may not be there now."""
    return text if text == live.LIVE else _model.read(text, values)


def read_version(text: str, values: Values) -> str:
    """The fingerprint of a link; that of a model that is not there cannot be compared."""
    return text if values["model"] == live.LIVE and not is_live(values) else _version.read(text, values)


def fingerprint(values: Values) -> str:
    """What stands for the weights of the model shown."""
    if is_live(values):
        return permalink.fingerprint_of(live.model().sha256)
    return recorded.fingerprint() if is_recorded(values) else language_models.fingerprint(MODEL)


def read_written(text: str, values: Values) -> str:
    """A prompt of the reader's own, which the model can continue; it is kept while no model is there."""
    text = _typed.read(text, values)
    if values["model"] == live.LIVE:
        return live.check(text) if is_live(values) else text
    if is_recorded(values):
        raise RefusedError(prose.read("generating")["recorded/refused"])
    return check_beginning(text)


def heads(values: Values) -> tuple[str, ...]:
    """Every head of the model, by its layer and its number."""
    if is_live(values):
        return live.head_names(live.model())
    return recorded.load(values["opening"]).heads if is_recorded(values) else HEAD_NAMES


def first_head(values: Values) -> str:
    """The head shown at first."""
    return recorded.HEADS.get(values["opening"], recorded.HEAD) if is_recorded(values) else "2.3"


def goal_names(values: Values) -> tuple[str, ...]:
    """The goals with the model."""
    if is_live(values):
        return LIVE_GOAL_NAMES
    return RECORDED_GOAL_NAMES if is_recorded(values) else GOAL_NAMES


_typed = permalink.typed_line(
    "written", "a beginning of the reader's own, instead of the opening", live.MOST_SIGNS
)
_model = permalink.choice(
    "model",
    "the model that writes; smollm2: a large one, recorded; live: the one installed on the server",
    models,
)
_version = permalink.version(fingerprint)

FIELDS = (
    replace(_model, read=read_model),
    replace(_version, read=read_version),
    permalink.choice(
        "opening",
        "the beginning that the model continues",
        lambda values: recorded.NAMES if is_recorded(values) else tuple(OPENINGS),
    ),
    replace(_typed, default=lambda values: live.FIRST if values["model"] == live.LIVE else "", read=read_written),
    permalink.choice(
        "chat",
        "1: the model installed on the server is asked the prompt in a chat",
        lambda values: SWITCH if is_live(values) and live.takes_chat(live.model()) else SWITCH[:1],
    ),
    permalink.ruled(
        "tokens", "the beginning and all that is written, as word numbers", first_tokens, token_rules
    ),
    permalink.ruled(
        "start", "the number of tokens of the beginning", prompt_length, start_rules, str, interactive=False
    ),
    permalink.choice(
        "shown",
        "the last token shown",
        places_in,
        lambda values: (
            places_in(values)[-1] if is_live(values) or not is_recorded(values) else str(values["start"])
        ),
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
        heads,
        first_head,
        interactive=True,
    ),
    of_small_model(permalink.choice("causal", "1: with the causal mask", SWITCH, "1", interactive=True)),
    permalink.choice("goal", "the goal that is set", goal_names, interactive=True),
)
