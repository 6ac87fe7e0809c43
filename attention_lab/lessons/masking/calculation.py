"""What is calculated: the masks, attention under the chosen one, and the same with another last word."""

from typing import Any

import numpy as np

from attention_lab.calculation import Expression, Results, record
from attention_lab.calculation.operations import (
    causal_mask,
    count_unlike,
    first_nonempty,
    max_abs_difference,
    norms,
    pick,
    replace_row,
    row,
    row_sums,
    rows,
    scaled_dot_product_attention,
    smallest,
    softmax,
    window_mask,
)
from attention_lab.figure import real_heads
from attention_lab.state import permalink, vocabulary
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.permalink import Range, Rules
from attention_lab.state.state import State, base_example

from .operations import both_open, but_last, is_open, left_to_close, padding_mask, where_open

EXAMPLES = ("buy_an_apple", "knight_in_shining", "fluffy_blue_creature", "animal_tired")
EXAMPLES += vocabulary.examples_in_languages(features=True)
BESIDE = ("fruit_and_tech", "animal_words")  # words that may stand in the last place, on the same axes
INSTEAD = ("phone", "wide", "creature", "knight")  # what the last word is replaced by at first
MASKS = NO_MASK, CAUSAL, WINDOW, PADDING, OWN = ("none", "causal", "window", "padding", "own")
COUNTS = tuple(str(count) for count in range(permalink.MOST_WORDS + 1))
OFF, ON = SWITCH = ("0", "1")
COMBINED = (WINDOW, PADDING)  # what the causal mask can stand together with
NO_WINDOW = "none"
SHOWN = ("scores", "before", "after")  # of the matrix: scores, or weights masked before or after the softmax
MATRICES = ("W_query", "W_key", "W_value")
GOAL_NAMES = ("alone", "causal_by_hand", "generator_window", "dark_row")
REACH = 2  # of the window that a goal asks for

WORDS = vocabulary.fields(
    EXAMPLES,
    word=("apple", "it", "creature", "knight"),
    other=("orange",),
    sentence=True,
    beside=BESIDE,
    features=True,
)


def all_words(values: permalink.Values) -> tuple[str, ...]:
    """The words that have a vector: any of them may stand in the last place."""
    return vocabulary.table(values["words"], vocabulary.neighbours(BESIDE, base_example(WORDS, values)))


def another_word(values: permalink.Values) -> str:
    """What stands in the last place instead."""
    others = [word for word in all_words(values) if word != values["words"][-1]]
    return next((word for word in INSTEAD if word in others), next(iter(others), values["words"][-1]))


def vector_instead(values: permalink.Values) -> np.ndarray:
    """Its vector, until a hand moves it."""
    words, word = all_words(values), values["instead"]
    return values["vectors"][[words.index(word if word in words else another_word(values))]]


def first_mask(values: permalink.Values) -> str:
    """The window where a link gives its width, else the causal mask."""
    return CAUSAL if values["window"] == NO_WINDOW else WINDOW


def first_width(values: permalink.Values) -> str:
    """The width that a link gives a window."""
    return "1" if values["window"] == NO_WINDOW else values["window"]


def grid(values: permalink.Values) -> Rules:
    """One's own mask: ones and zeros and nothing else, a cell for each pair of words."""
    return Rules((Range(0, 1, whole=True, why=("no_mask", {})),), (len(values["words"]),) * 2)


FIELDS = (
    *WORDS,
    permalink.choice("window", "the width of the window", (NO_WINDOW, *COUNTS), interactive=True),
    permalink.choice("mask", "the kind of mask", MASKS, first_mask, interactive=True),
    permalink.choice("width", "how many positions the window reaches", COUNTS, first_width, interactive=True),
    permalink.choice("causal", "whether a window or padding is causal, too", SWITCH, interactive=True),
    permalink.choice("padding", "how many words at the end are padding", COUNTS, "2", interactive=True),
    permalink.own_matrix("own", "a mask of the reader's own: 1 for visible, 0 for masked", grid),
    permalink.choice("instead", "the word that replaces the last one", all_words, another_word, interactive=True),
    permalink.matrix("later", "the vector of that word, if it was moved", vector_instead),
    permalink.choice("shown", "what the matrix shows", SHOWN, "before", interactive=True),
    real_heads.LAYER,
    permalink.goal_field(GOAL_NAMES),
)
CONSTANTS = (*vocabulary.CONSTANTS, *MATRICES, "n", "last", "last_name", "open", "fillers")


# The steps ---------------------------------------------------------------------------------------------


def chosen_mask(s) -> None:
    """Every mask there is, and the one that is chosen, with the causal mask where both are."""
    s.x = rows(s.vectors, s.ids)
    s.not_later = causal_mask(s.n)
    s.by_hand = is_open(first_nonempty(s.own, s.open))
    masks = {
        NO_MASK: is_open(s.open),
        CAUSAL: s.not_later,
        WINDOW: window_mask(s.n, s.width),
        PADDING: padding_mask(s.fillers[s.padding]),
        OWN: s.by_hand,
    }
    for name in COMBINED:
        masks[name] = pick(s.causal, masks[name], both_open(masks[name], s.not_later))
    s.may_look = pick(s.mask, *(masks[name] for name in MASKS))


def attention(s, x: Expression, mask: Expression) -> Expression:
    """Attention of these words under a mask."""
    return scaled_dot_product_attention(x @ s.W_query, x @ s.W_key, x @ s.W_value, mask)


def masked_attention(s) -> None:
    """Both ways to close cells, another last word, and what the goals ask of one's own mask."""
    s.looks_at = row_sums(s.may_look)
    # −∞ before the softmax against zero after it
    s.trace = attention(s, s.x, s.may_look)
    s.sums = row_sums(s.trace.weights)
    s.unmasked = softmax(s.trace.scaled_scores)
    s.cut = where_open(s.unmasked, s.may_look)
    s.cut_sums = row_sums(s.cut)
    # the same sentence with another last word
    s.last_word = row(s.x, s.last)
    s.later_x = replace_row(s.x, s.last, s.later)
    s.later_trace = attention(s, s.later_x, s.may_look)
    s.moved = norms(s.trace.context - s.later_trace.context)
    s.replaced = max_abs_difference(s.later, s.last_word)
    # what the goals ask for
    s.fewest = smallest(s.looks_at)
    s.unlike_causal = count_unlike(s.by_hand, s.not_later)
    s.unlike_window = count_unlike(s.may_look, both_open(window_mask(s.n, REACH), s.not_later))
    s.to_close = left_to_close(s.may_look)


def under_causal_mask(s) -> None:
    """What the guesses ask about the causal mask, whichever is shown."""
    before = but_last(attention(s, s.x, s.not_later).context)
    after = but_last(attention(s, s.later_x, s.not_later).context)
    s.least_moved = smallest(norms(before - after))
    s.most_moved = max_abs_difference(before, after)
    s.causal_sums = row_sums(where_open(s.unmasked, s.not_later))


MASK = record(chosen_mask, FIELDS, CONSTANTS)
CALCULATION = MASK.then(masked_attention)
GUESSED = s = CALCULATION.then(under_causal_mask)


# Goals and guesses ---------------------------------------------------------------------------------------

GOALS = (
    Goal("alone", s.to_close <= 0, names={"left": (s.to_close, "whole")}),
    Goal(
        "causal_by_hand",
        s.mask >= MASKS.index(OWN),
        s.unlike_causal <= 0,
        names={"unlike": (s.unlike_causal, "whole")},
    ),
    Goal("generator_window", s.unlike_window <= 0, names={"unlike": (s.unlike_window, "whole")}),
    Goal("dark_row", s.fewest <= 0, names={"fewest": (s.fewest, "whole")}),
)
LATER_WORD = ChoiceQuestion(
    "later_word", none=s.most_moved <= 0, all=s.least_moved >= 1e-300, some=s.most_moved >= 0
)
ROW_SUM = ChoiceQuestion(
    "row_sum",
    first=s.causal_sums[0].within(1e-12, of=1),
    last=s.causal_sums[s.last].within(1e-12, of=1),
    none=s.causal_sums[s.last] >= 0,
)


# The page's own ------------------------------------------------------------------------------------------


def calculate(state: State) -> Results:
    """What follows from the sentence, the mask and the word that replaces the last one."""
    return CALCULATION.run(state.scope(), constants(state))


def constants(state: State) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    n, example = len(state.words), state.worked_example
    matrices = {name: getattr(example, name) for name in MATRICES}
    plain = np.eye(len(example.axes))
    return {
        **vocabulary.lookup(state, BESIDE),
        **{name: plain if matrix is None else matrix for name, matrix in matrices.items()},
        "n": n,
        "last": n - 1,
        "last_name": state.words[-1:],
        "open": np.ones((n, n)),
        "fillers": [[place >= n - count for place in range(n)] for count in range(len(COUNTS))],
    }
