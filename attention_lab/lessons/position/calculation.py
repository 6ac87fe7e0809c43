"""What Position calculates: a sentence in two orders, the table of position vectors, a rotary score."""

from contextlib import suppress
from functools import cache, lru_cache

import numpy as np

import attention_core
from attention_core import load_gallery, load_language_model
from attention_lab.calculation import Expression, Results, record
from attention_lab.calculation.operations import (
    argsort,
    count_unlike,
    max_abs_difference,
    norms,
    pick,
    rows,
    scaled_dot_product_attention,
)
from attention_lab.calculation.read_cache import fact
from attention_lab.state import permalink, vocabulary
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.permalink import Values
from attention_lab.state.state import State
from attention_lab.text.labels import labels
from attention_lab.text.number_format import format_number

from .operations import rotate_by_position, row_changes

EXAMPLES = ("dog_bites_man", "man_bites_dog", "orange_apple_phone", "buy_an_apple")
POSITIONS = ("none", "sinusoidal", "rotary")
PLACES = 32
WIDTHS, USUAL = ("4", "16", "64"), "16"
LEARNED = SMALL, REAL = ("learned", "real")  # tables of the small language model, and of a real one
SAME = 1e-9  # below this two vectors differ by rounding alone
GOAL_NAMES = ("shuffle", "tell_apart", "far_places")
LATER = 10  # positions by which query and key are moved alike


@cache
def learned_tables() -> dict[str, np.ndarray]:
    """The learned vectors of the first positions, (PLACES, d_model), of each model that there is."""
    result = {}
    for name, load in ((SMALL, load_language_model), (REAL, load_gallery)):
        with suppress(ValueError):
            result[name] = load().positions[:PLACES]
    return result


def dimensions(values: Values) -> int:
    """How many components a vector has."""
    return values["vectors"].shape[1]


def axes_offered(values: Values) -> list[str]:
    """The pairs of axes that there are; at first those on which the words of the example stand apart."""
    width = fact(values, dimensions)
    pairs = [f"{a + 1}-{b + 1}" for a in range(width) for b in range(a + 1, width)]
    return sorted(pairs, key=lambda pair: pair != "1-3")


ALL_PLACES = [str(place + 1) for place in range(PLACES)]
FIELDS = (
    *vocabulary.fields(EXAMPLES, word=("dog", "apple"), other=("man", "phone", "orange"), sentence=True),
    permalink.order("order", "the number of the word at each position"),
    permalink.choice("positions", "the position information that words get", POSITIONS, interactive=True),
    permalink.number("strength", "the strength of position information", 0.0, 2.0, 1.0, interactive=True),
    permalink.choice("axes", "the two axes of the plane", axes_offered, interactive=True),
    permalink.choice(
        "width",
        "the number of components of a position vector, or learned vectors",
        lambda _: [*WIDTHS, *learned_tables()],
        lambda _: USUAL,
    ),
    permalink.choice("near", "a position in the table", ALL_PLACES, "1"),
    permalink.choice("far", "another position in the table", ALL_PLACES, "2"),
    permalink.choice("asks_at", "the position of the query that is rotated", ALL_PLACES, "3"),
    permalink.choice("answers_at", "the position of the key that is rotated", ALL_PLACES, "1"),
    permalink.goal_field(GOAL_NAMES),
)

# The sentence in two orders ----------------------------------------------------------------------------


def two_orders(s) -> None:
    """Attention among the words as they are given, and as the hand has put them.

    `order` says which word stands at each position, counted from 1; `said` counts from 0. `stands` is the
    position of each word.
    """
    s.x = rows(s.vectors, s.ids)
    s.stands = argsort(s.order[0])
    s.said = argsort(s.stands)
    s.words_said = rows(s.words, s.said)
    s.added = pick(s.positions, s.nowhere, s.place_vectors * s.strength, s.nowhere)
    s.placed, s.placed_said = s.x + s.added, rows(s.x, s.said) + s.added
    s.turns = s.ordinals * s.strength
    s.as_given, s.shuffled = attention(s, s.placed), attention(s, s.placed_said)
    s.placed_now = rows(s.placed_said, s.stands)  # by word again, as what follows
    s.back = rows(s.shuffled.context, s.stands)
    s.changes = row_changes(s.as_given.context, s.back)
    s.largest = max_abs_difference(s.as_given.context, s.back)
    s.how_far = norms(s.as_given.context - s.back)
    s.away = count_unlike(s.order, s.as_it_stands)


def attention(s, placed: Expression) -> Expression:
    """Attention among words that have been given their positions; rotary ones rotate queries and keys by them."""
    asks = pick(s.positions, placed, placed, rotate_by_position(placed, s.turns))
    return scaled_dot_product_attention(asks, asks, placed)


CONSTANTS = (*vocabulary.CONSTANTS, "ordinals", "place_vectors", "nowhere", "as_it_stands", "alike", "gap")
CALCULATION = s = record(two_orders, FIELDS, CONSTANTS)
GOALS = (
    Goal("shuffle", s.positions <= 0, s.away >= 3, s.largest <= SAME, names={"away": s.away}),
    Goal(
        "tell_apart",
        s.how_far[s.word] >= 0.1,
        names={"far": (s.how_far[s.word], "settled")},
        turned=s.positions >= POSITIONS.index("rotary"),
    ),
    Goal("far_places", s.alike <= 0.75, needs_python=True, names={"alike": (s.alike, "share")}),
)
SAME_VECTOR = ChoiceQuestion(
    "same_vector",
    same=s.changes[s.word] <= 1e-12,
    changes=s.changes[s.word] >= 1e-12,
)
SAME_DISTANCE = ChoiceQuestion(
    "same_distance",
    first=s.gap >= 1e-12,
    second=s.gap <= -1e-12,
    equal=s.gap.within(1e-12, of=0),
)


def calculate(state: State) -> Results:
    """What follows from the words, their order and how they know their position."""
    result, width = vocabulary.lookup(state), formula_width(state)
    n, d = len(result["words"]), state.vectors.shape[1]
    alike = likeness(width)
    result |= {
        "ordinals": np.arange(float(n)),
        "place_vectors": attention_core.sinusoidal_positions(n, d),
        "nowhere": np.zeros((n, d)),
        "as_it_stands": np.arange(1.0, n + 1)[np.newaxis],
        "alike": alike[int(state.near) - 1, int(state.far) - 1],
        "gap": (alike[1, 4] - alike[6, 9]) * int(width) / 2,  # what positions 2 and 5 have more than 7 and 10
    }
    return CALCULATION.run(state.scope(), result)


def reachable_goals(state: State) -> list[Goal]:
    """The goals that so many different words can reach."""
    least = {"shuffle": 3, "tell_apart": 2}
    return [goal for goal in GOALS if len(set(state.words)) >= least.get(goal.name, 1)]


def at_first(state: State) -> dict[str, float]:
    """What the goals read of the table, for the two positions that are chosen there at first."""
    first = state.defaults()
    return {"alike": likeness(formula_width(state))[int(first["near"]) - 1, int(first["far"]) - 1]}


# The table ---------------------------------------------------------------------------------------------


def formula_width(state: State) -> str:
    """The width of the sinusoidal table that goals and questions are about, whichever is looked at."""
    return USUAL if state.width in LEARNED else state.width


@lru_cache(16)
def table(width: str) -> tuple[np.ndarray, list[str]]:
    """The vectors of the positions, and their numbers as text."""
    learned = learned_tables()
    made = learned[width] if width in learned else attention_core.sinusoidal_positions(PLACES, int(width))
    return made, [format_number(x) for x in made.ravel()]


@lru_cache(16)
def likeness(width: str) -> np.ndarray:
    """Return the dot products of all position vectors, relative to a position's own.

    Of learned ones, whose lengths differ, return the cosines.
    """
    vectors, _ = table(width)
    if width in LEARNED:
        return attention_core.cosine_similarity(vectors, vectors)
    return attention_core.dot_product(vectors, vectors) / (int(width) / 2)


# Rotary positions --------------------------------------------------------------------------------------


def turned(s) -> None:
    """A query and a key rotated by their positions, counted from 0."""
    s.turned_query = rotate_by_position(s.query, s.asks_at)
    s.turned_key = rotate_by_position(s.key, s.answers_at)


ROTARY = record(turned, constants=["query", "key", "asks_at", "answers_at", "asks", "answers"])


def rotary(state: State) -> Results:
    """The word of interest as a query and the other as a key, rotated by the positions chosen for them."""
    names, ids = labels(state.words), vocabulary.ids(state.words)
    query, key = (state.vectors[[ids[names.index(name)]]] for name in (state.word, state.other))
    asks_at, answers_at = [int(state.asks_at) - 1], [int(state.answers_at) - 1]
    called = {"asks": [f"q {state.word}"], "answers": [f"k {state.other}"]}
    return ROTARY.run({"query": query, "key": key, "asks_at": asks_at, "answers_at": answers_at} | called)


def rotary_scores(pair: Results) -> np.ndarray:
    """The score of the rotated query with the key at every position."""
    keys = attention_core.rotate_by_position(np.repeat(pair.key, PLACES, 0), np.arange(PLACES))
    return attention_core.dot_product(pair.turned_query, keys)[0]


def score_later(pair: Results) -> float:
    """The score with both of them ten positions later."""
    query = attention_core.rotate_by_position(pair.query, [pair.asks_at[0] + LATER])
    key = attention_core.rotate_by_position(pair.key, [pair.answers_at[0] + LATER])
    return attention_core.dot_product(query, key)[0, 0]
