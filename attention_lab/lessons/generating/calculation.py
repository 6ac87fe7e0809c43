"""What is calculated: the text with a cache and computed whole, the next token's probabilities, the goals."""

from functools import lru_cache
from typing import Any

from attention_core.models import grammar
from attention_lab import language_models
from attention_lab.calculation import Calculation, Results, record
from attention_lab.calculation.operations import gathered, largest, row_sums, token_names
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.state import State

from .fields import FIELDS, GOAL_NAMES, MODEL, TOP_K
from .operations import (
    adjust,
    append_token,
    by_probability,
    change_in_common,
    chosen,
    count_work,
    decode,
    first_tokens,
    newest_rows,
    possible,
)

CONSTANTS = ("learned", "vocabulary", "top_ks", "longest", "given")
SURE, UNSURE = 0.6, 0.9  # from where on halving the first choice, and up to where removing doubt, means something
ROUNDING = 1e-9  # of a difference that is none
HALF, NEAR = 0.5, 0.02
ENOUGH = 8  # tokens
WRONG = 0.1  # by so much a weight of the newest row differs where the cache has gone wrong


# Recorded once as a graph, never run line by line: what a line says is calculated here and in the browser.
def generating(s) -> None:
    """A text token by token: what is computed of it, what changes above the new row, and what may come next."""
    s.count = largest(gathered(s.given, s.shown + 1)[0])  # of tokens; the beginning is always there
    s.text = first_tokens(s.tokens, s.count)
    s.words = token_names(s.vocabulary, s.text)
    s.count_written = s.count - s.given
    s.now = decode(s.learned, s.text, s.count, s.causal)
    s.cached = decode(s.learned, s.text, s.given, s.causal)
    s.earlier = decode(s.learned, first_tokens(s.tokens, s.count - 1), s.count, s.causal)
    s.change = change_in_common(s.earlier.weights, s.now.weights)
    # Only keys and values are cached: an old row is neither kept nor used again.
    s.gap = change_in_common(newest_rows(s.cached.weights), newest_rows(s.now.weights))
    s.gap_next = change_in_common(s.cached.next_word, s.now.next_word)
    s.adjusted = adjust(s.now.logits, s.temperature, s.top_ks[s.top_k], s.top_p)
    s.order = by_probability(s.adjusted)
    s.next_token = chosen(s.adjusted, s.order, s.draw)
    s.possible = possible(s.adjusted)
    s.first_choice = largest(s.adjusted[0])
    s.own_first_choice = largest(s.now.next_word)
    s.work = count_work(s.learned, s.given, s.count_written)
    s.work_in_all = row_sums(s.work)


def one_more(s) -> None:
    """What the guess asks: what the next token changes in the rows above its own, with the mask."""
    s.with_one_more = decode(s.learned, append_token(s.text, s.next_token, s.longest), s.longest, 1)
    s.as_it_was = decode(s.learned, s.text, s.count, 1)
    s.asked_change = change_in_common(s.as_it_was.weights, s.with_one_more.weights)


CALCULATION: Calculation = record(generating, FIELDS, CONSTANTS)
GUESSED = CALCULATION.then(one_more)
s = GUESSED

add, same, half, unmasked, eight = GOAL_NAMES
WRITTEN = (s.count_written, "whole")
GOALS = (
    Goal(
        add,
        s.count_written >= 1,
        s.change <= ROUNDING,
        names={"written": WRITTEN, "change": (s.change, "settled")},
    ),
    Goal(
        same,
        s.first_choice >= 1 - ROUNDING,
        s.own_first_choice <= UNSURE,
        names={"possible": (s.possible, "whole"), "own": (s.own_first_choice, "share")},
    ),
    Goal(
        half,
        s.first_choice.within(NEAR, of=HALF),
        s.own_first_choice >= SURE,
        s.top_k >= len(TOP_K) - 1,
        s.top_p >= 1,
        names={"share": (s.first_choice, "share"), "own": (s.own_first_choice, "share"), "t": s.temperature},
    ),
    Goal(
        unmasked,
        s.gap >= WRONG,
        s.causal <= 0,
        names={"gap": (s.gap, "settled"), "next": (s.gap_next, "settled"), "written": WRITTEN},
    ),
    Goal(
        eight,
        s.count_written >= ENOUGH,
        s.causal >= 1,
        names={
            "written": WRITTEN,
            "without": (s.work_in_all[0], "whole"),
            "cached": (s.work_in_all[1], "whole"),
        },
    ),
)
# With the mask the answer is always none; the two others differ only in their words.
EARLIER = ChoiceQuestion(
    "earlier",
    none=s.asked_change <= ROUNDING,
    last=s.asked_change >= ROUNDING,
    all=s.asked_change >= ROUNDING,
)


def calculate(state: State) -> Results:
    """What the model does with the text that is shown."""
    return CALCULATION.run(state.scope(), constants(int(state.start)))


@lru_cache(64)
def constants(given: int) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    return {
        "learned": language_models.load_model(MODEL).packed.arrays,
        "vocabulary": list(grammar.WORDS),
        "top_ks": list(TOP_K.values()),
        "longest": grammar.LONGEST,
        "given": given,
    }
