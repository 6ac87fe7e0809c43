"""What the address of the page holds: the text and how much of it is shown, and how a token is chosen."""

import re
from dataclasses import replace

from attention_core.models import grammar
from attention_lab import figure, language_models
from attention_lab import text as prose
from attention_lab.language_models import HEAD_NAMES, places_in, text_field, to_tokens
from attention_lab.state import permalink
from attention_lab.state.permalink import Range, RefusedError, Rules, Values

MODEL = "readable"
ROOM = 8  # tokens that can be written after any beginning
MOST = grammar.LONGEST - ROOM
SIGNS = re.compile(r"([.,:])")  # tokens by themselves
HIGHEST_TEMPERATURE, LEAST_PART, LAST_DRAW = 4.0, 0.05, 0.999
FIRST_DRAW = 0.2
ALL = "all"
TOP_K = {str(count): count for count in (1, 2, 3, 5, 10)} | {ALL: len(grammar.WORDS)}
SWITCH = ("0", "1")
GOAL_NAMES = ("add", "same", "half", "unmasked", "eight")

OPENINGS = {name: tuple(line.split()) for name, line in prose.read("generating").parts("openings").items()}


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


_typed = permalink.typed_line("written", "a beginning of the reader's own, instead of the opening", 400)

FIELDS = (
    permalink.version(lambda _: language_models.fingerprint(MODEL)),
    permalink.choice("opening", "the beginning that the model continues", tuple(OPENINGS)),
    replace(_typed, read=lambda text, values: check_beginning(_typed.read(text, values))),
    text_field(
        "tokens",
        "the beginning and all that is written, as word numbers",
        lambda values: to_tokens(beginning(values)),
        lambda _: None,
    ),
    permalink.ruled(
        "start",
        "the number of tokens of the beginning",
        lambda values: min(len(beginning(values)), values["tokens"].shape[1]),
        lambda values: Rules((Range(1, values["tokens"].shape[1], whole=True),)),
        str,
        interactive=False,
    ),
    permalink.choice(
        "shown", "the last token shown", places_in, lambda values: places_in(values)[-1], interactive=True
    ),
    replace(
        permalink.number(
            "temperature", "the temperature of the logits", 0, HIGHEST_TEMPERATURE, 1, interactive=True
        ),
        from_example=True,  # a badge says that the reader has changed it
    ),
    permalink.choice(
        "top_k", "how many of the likeliest tokens may be chosen", tuple(TOP_K), ALL, interactive=True
    ),
    permalink.number(
        "top_p",
        "the probability that the tokens that may be chosen have together",
        LEAST_PART,
        1,
        1,
        interactive=True,
    ),
    permalink.number("draw", "the draw: which token comes next", 0, LAST_DRAW, FIRST_DRAW, interactive=True),
    permalink.choice("head", "the head shown: layer and number", HEAD_NAMES, "2.3", interactive=True),
    permalink.choice("causal", "1: with the causal mask", SWITCH, "1", interactive=True),
    figure.goal_field(GOAL_NAMES),
)
