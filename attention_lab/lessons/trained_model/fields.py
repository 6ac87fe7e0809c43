"""What the address of the page holds: which model, its fingerprint, the text, which heads are dimmed."""

import numpy as np

from attention_core.models import grammar
from attention_core.models.language_model import NAMES
from attention_lab import language_models
from attention_lab import text as prose
from attention_lab.language_models import (
    HEAD_NAMES,
    HEADS,
    LAYERS,
    SENSES,
    places_in,
    text_field,
    to_tokens,
    token_numbers,
)
from attention_lab.state import permalink

LOUDEST = 1.5  # times what a head has learned to add
GOAL_NAMES = ("ablate", "few_heads", "other_answer", "undecided")


OPENINGS: dict[str, tuple[tuple[str, ...], ...]] = {  # in pairs that differ in what matters; of each the words
    name: tuple(tuple(line.split()) for line in pair.splitlines())
    for name, pair in prose.read("trained_model").parts("openings").items()
}


def words_of(tokens: np.ndarray) -> tuple[str, ...]:
    """The words of these numbers."""
    return tuple(grammar.WORDS[int(number)] for number in tokens[0])


def first_head(values: permalink.Values) -> str:
    """The head that the page opens with: the one without which the opening loses most of its answer."""
    if language_models.fault(values["model"]):
        return HEAD_NAMES[0]
    tokens = token_numbers(OPENINGS[values["opening"]][0])
    return HEAD_NAMES[int(language_models.loss_without(values["model"], tokens).argmax())]


FIELDS = (
    permalink.choice("model", "the trained model", NAMES),
    permalink.version(lambda values: language_models.fingerprint(values["model"])),
    permalink.choice("opening", "the pair of texts at the start", tuple(OPENINGS)),
    permalink.matrix(
        "dimmed",
        "by how much each head is weakened, a row for each layer: 1 is off, below 0 is stronger",
        lambda _: np.zeros((LAYERS, HEADS)),
        within=permalink.Range(1 - LOUDEST, 1),
    ),
    text_field(
        "tokens",
        "the text, as word numbers",
        lambda values: to_tokens(OPENINGS[values["opening"]][0]),
        lambda _: None,
    ),
    text_field(
        "before",
        "the text before a word was replaced, as word numbers",
        lambda values: values["tokens"].copy(),
        lambda values: values["tokens"].shape[1],
    ),
    permalink.choice(
        "word",
        "the position of the query word",
        places_in,
        lambda values: places_in(values)[-1],
        interactive=True,
    ),
    permalink.choice(
        "head", "the head shown in detail: layer and number", HEAD_NAMES, first_head, interactive=True
    ),
    permalink.choice("sense", "the word whose senses are shown", SENSES, interactive=True),
    permalink.number(
        "depth", "the number of layers after which its senses are shown", 0, LAYERS, LAYERS, interactive=True
    ),
    permalink.goal_field(GOAL_NAMES),
)
