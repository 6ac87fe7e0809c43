"""What is calculated: one layer, two layers, and what *it* gives to its rivals under either ending."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from attention_core import Example, causal_mask, load_example, loadable_examples, window_mask
from attention_lab.calculation import Calculation, Expression, Results, record
from attention_lab.calculation.operations import (
    pick,
    ratio,
    relative_difference,
    rows,
    scaled_dot_product_attention,
)
from attention_lab.state import matrix, permalink, vocabulary
from attention_lab.state.state import State, base_example

from .real import REAL_HEAD

LEARNED = ("learned_trophy_big", "learned_trophy_small")
EXAMPLES = ("animal_tired", "animal_wide", "money_bank", "fluffy_blue_creature", "knight_in_shining")
EXAMPLES += loadable_examples(*LEARNED)
EXAMPLES += vocabulary.examples_in_languages(features=True)
# The words that the head of the animal's two sentences knows, and both endings of what was learned.
BESIDE = ("animal_words", *loadable_examples(*LEARNED))
ASKS = "it"
DRAWN = 6  # of a learned vector's directions
MATRICES = {"W_query": "W_Q", "W_key": "W_K", "W_value": "W_V", "W_output": "W_O"}
LAYER_BEFORE = load_example("animal_first_layer")
MATRICES_BEFORE = {name: getattr(LAYER_BEFORE, name) for name in MATRICES}
MASKS = NO_MASK, CAUSAL, EARLIER = ("none", "causal", "earlier")
STEPS = ("embeddings", "scores", "scale", "mask", "softmax", "weighted_sum", "new_vector")
# The numbers of a trace that each step shows for all words at once.
STEP_NUMBERS = dict.fromkeys(STEPS, "weights") | {
    "embeddings": "scores",
    "scores": "scores",
    "scale": "scaled_scores",
    "mask": "masked_scores",
}
GOAL_NAMES = ("whole_way", "ratio_moves", "blindfold")


@dataclass(frozen=True)
class Endings:
    """A sentence that may end in two ways, each of which decides for another of two rivals whom *it* means."""

    rivals: tuple[str, str]
    endings: tuple[str, str]
    examples: tuple[str, str]


BY_HAND = Endings(("animal", "street"), ("tired", "wide"), ("animal_tired", "animal_wide"))
BY_TRAINING = Endings(("trophy", "box"), ("big", "small"), LEARNED)

WORDS = vocabulary.fields(
    EXAMPLES,
    word=(ASKS, "bank", "creature", "shining"),
    other=("animal", "trophy", "money", "fluffy", "knight"),
    sentence=True,
    beside=BESIDE,
    features=True,
)


@lru_cache(32)
def layer_before(example: Example) -> dict[str, Any] | None:
    """The matrices of the layer before an example's head, made by hand or learned with it."""
    if example.learned:
        return dict(example.learned.before)
    return MATRICES_BEFORE if example.axes == LAYER_BEFORE.axes else None


FIELDS = (
    *WORDS,
    *(matrix.field(name, f"the matrix {label}", WORDS) for name, label in MATRICES.items()),
    permalink.choice(
        "layers",
        "the number of layers",
        lambda values: ["1", "2"] if layer_before(base_example(WORDS, values)) else ["1"],
        interactive=True,
    ),
    permalink.choice("layer", "the layer shown, of two", ["1", "2"], "2", interactive=True),
    permalink.choice(
        "mask",
        "the mask",
        MASKS,
        lambda values: NO_MASK if base_example(WORDS, values).mask is None else CAUSAL,
        interactive=True,
    ),
    permalink.choice("step", "the step shown", STEPS, interactive=True),
    REAL_HEAD,
    permalink.goal_field(GOAL_NAMES),
)
CONSTANTS = (*vocabulary.CONSTANTS, "masks", "layer_before", "steps_seen", "numbers_shown")
COMPARED = ("place", "ids_with")  # given where the two endings are compared


# The steps ---------------------------------------------------------------------------------------------


def self_attention(
    s, *, adds: bool = True, two_layers: bool = False, compared: Endings | None = None, learned: bool = False
) -> None:
    """One layer, whose Δx is added or is the new vector; perhaps two as well, and the two endings compared.

    Where it is `learned`, a vector for each place is added to the words'.
    """
    head, mask = matrices_of(s), s.masks[s.mask]
    words = rows(s.vectors, s.ids)
    s.x = words + s.places if learned else words
    if adds:
        s.trace, s.delta, s.new = layer(s.x, head, mask)
    else:
        s.trace = attention(s.x, head, mask)
    if two_layers:
        s.first_trace, s.first_delta, s.first_new = layer(s.x, s.layer_before, mask)
        if adds:
            s.second_trace, s.second_delta, s.second_new = layer(s.first_new, head, mask)
        else:
            s.second_trace = attention(s.first_new, head, mask)
        s.last_trace = pick(s.layers, s.trace, s.second_trace)
        s.shown_trace = pick(s.layers, s.trace, pick(s.layer, s.first_trace, s.second_trace))
    else:
        s.last_trace = s.shown_trace = s.trace
    if compared:
        places = s.places if learned else None
        s.weights_tired, s.weights_wide = (weights_of_it(s, ending, places) for ending in compared.endings)
        first, second = (s.place[rival] for rival in compared.rivals)
        s.ratio_tired = ratio(s.weights_tired[first], s.weights_tired[second])
        s.ratio_wide = ratio(s.weights_wide[first], s.weights_wide[second])
        s.times = ratio(s.ratio_tired, s.ratio_wide)
        s.growth = ratio(s.ratio_wide, s.ratio_tired)
        s.change = relative_difference(s.ratio_tired, s.ratio_wide)
    else:
        s.change = ratio(0, 0)  # undefined: there is nothing to compare


def matrices_of(s) -> dict[str, Expression]:
    """The head's own matrices."""
    return {"W_query": s.W_query, "W_key": s.W_key, "W_value": s.W_value, "W_output": s.W_output}


def attention(x: Expression, matrices: Mapping[str, Expression] | Expression, mask: Expression) -> Expression:
    """Queries, keys and values of the words, and all that follows up to their context vectors."""
    query, key, value = x @ matrices["W_query"], x @ matrices["W_key"], x @ matrices["W_value"]
    return scaled_dot_product_attention(query, key, value, mask)


def layer(
    x: Expression, matrices: Mapping[str, Expression] | Expression, mask: Expression
) -> tuple[Expression, Expression, Expression]:
    """A whole layer: its trace, Δx, and the new vectors x + Δx."""
    trace = attention(x, matrices, mask)
    delta = trace.context @ matrices["W_output"]
    return trace, delta, x + delta


def weights_of_it(s, ending: str, places: Expression | None) -> Expression:
    """What *it* gives to every word of the sentence with that ending, in the last layer."""
    x, head, mask = rows(s.vectors, s.ids_with[ending]), matrices_of(s), s.masks[s.mask]
    if places is not None:
        x = x + places
    alone = attention(x, head, mask)
    _, _, after_first = layer(x, s.layer_before, mask)
    return pick(s.layers, alone, attention(after_first, head, mask)).weights[s.place[ASKS]]


REPLACING = record(self_attention, FIELDS, CONSTANTS, adds=False)
ADDING = record(self_attention, FIELDS, CONSTANTS)
TWO_LAYERS = record(self_attention, FIELDS, CONSTANTS, two_layers=True)
BOTH_ENDINGS = record(self_attention, FIELDS, (*CONSTANTS, *COMPARED), two_layers=True, compared=BY_HAND)
PLACED = (*CONSTANTS, "places")
AS_LEARNED = record(self_attention, FIELDS, PLACED, adds=False, two_layers=True, learned=True)
BOTH_AS_LEARNED = record(
    *(self_attention, FIELDS, (*PLACED, *COMPARED)),
    adds=False,
    two_layers=True,
    compared=BY_TRAINING,
    learned=True,
)


# Layers as they are shown --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layer:
    """What one layer reads, its matrices, what happens in it, Δx if that is added, and the new vectors."""

    x: Expression
    matrices: Mapping[str, Expression] | Expression
    trace: Expression
    delta: Expression | None
    new: Expression
    number: int | None = None  # where there are two


s = BOTH_ENDINGS
HEAD = matrices_of(s)
REPLACES = Layer(s.x, HEAD, s.trace, None, s.trace.context)
ADDS = Layer(s.x, HEAD, s.trace, s.delta, s.new)
FIRST = Layer(s.x, s.layer_before, s.first_trace, s.first_delta, s.first_new, 1)
SECOND = Layer(s.first_new, HEAD, s.second_trace, s.second_delta, s.second_new, 2)
LAST = Layer(s.first_new, HEAD, s.second_trace, None, s.second_trace.context, 2)


def layers_shown(state: State) -> list[list[Layer]]:
    """The layers to show, for one layer and, where there may be, for two."""
    if state.worked_example.learned:
        return [[REPLACES], [FIRST, LAST]]
    if state.worked_example.W_output is None:
        return [[REPLACES]]
    return [[ADDS], [FIRST, SECOND]][: len(state.options("layers"))]


# The page's own ------------------------------------------------------------------------------------------


def endings_of(state: State) -> Endings:
    """The endings and rivals of the sentences on the page's axes."""
    return BY_TRAINING if state.worked_example.learned else BY_HAND


def is_compared(state: State) -> bool:
    """Whether the sentence has *it*, its two rivals and one of the two endings, each once."""
    return len(state.options("layers")) > 1 and _holds_both(state.words, endings_of(state))


@lru_cache(64)
def _holds_both(words: tuple[str, ...], both: Endings) -> bool:
    once = {word for word in words if words.count(word) == 1}
    return {ASKS, *both.rivals} <= once and len(once & set(both.endings)) == 1


def calculation_of(state: State) -> Calculation:
    """The steps for the sentence at hand."""
    if state.worked_example.learned:
        return BOTH_AS_LEARNED if is_compared(state) else AS_LEARNED
    if state.worked_example.W_output is None:
        return REPLACING
    if len(state.options("layers")) == 1:
        return ADDING
    return BOTH_ENDINGS if is_compared(state) else TWO_LAYERS


def calculate(state: State) -> Results:
    """What follows from the sentence, the matrices and the mask."""
    return calculation_of(state).run(state.scope(), constants(state))


def constants(state: State) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    example = state.worked_example
    known = vocabulary.lookup(state, BESIDE) | {
        "masks": masks_of(len(state.words)),
        "layer_before": layer_as_lists(example),
        "steps_seen": 1,  # the browser counts them
        "numbers_shown": [state.text[f"numbers/{STEP_NUMBERS[step]}"] for step in STEPS],
    }
    if example.learned:
        known["places"] = places_of(example, len(state.words))
    if is_compared(state):
        both = endings_of(state)
        among = vocabulary.neighbours(BESIDE, example)
        known["place"] = {word: state.words.index(word) for word in (ASKS, *both.rivals)}
        known["ids_with"] = {
            ending: vocabulary.ids([ending if word in both.endings else word for word in state.words], among)
            for ending in both.endings
        }
    return known


@lru_cache(32)
def masks_of(count: int) -> list[list | None]:
    """Each mask for so many words."""
    causal = causal_mask(count)
    masks = {NO_MASK: None, CAUSAL: causal.tolist(), EARLIER: (causal & ~window_mask(count, 0)).tolist()}
    return [masks[name] for name in MASKS]


@lru_cache(32)
def layer_as_lists(example: Example) -> dict[str, list]:
    """The matrices of the layer before an example's head, or of the one that others have."""
    return {name: matrix.tolist() for name, matrix in (layer_before(example) or MATRICES_BEFORE).items()}


def places_of(example: Example, count: int) -> np.ndarray:
    """The vectors of so many places; beyond those that were learned, none."""
    learned = example.learned.positions
    return np.vstack([learned, np.zeros((max(0, count - len(learned)), learned.shape[1]))])[:count]
