"""What several heads on one sentence add to its words: settings, calculation, questions and goals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core import Example, causal_mask, dial_positions, load_example, loadable_examples
from attention_lab.calculation import Results, record
from attention_lab.calculation.operations import (
    argmax,
    concat_columns,
    gathered,
    largest,
    max_abs_difference,
    norms,
    ratio,
    row_sums,
    rows,
    scaled_dot_product_attention,
    smallest,
    transpose,
)
from attention_lab.figure import real_heads
from attention_lab.state import permalink, vocabulary
from attention_lab.state.goals import ChoiceQuestion, Goal
from attention_lab.state.permalink import Range, Rules
from attention_lab.state.state import State, base_example

LEARNED = "learned_creature"
EXAMPLES = loadable_examples(
    "creature_until_it_slept", "animal_tired", "harry_wizard", "harry_queen_sussex_william", LEARNED
)
BESIDE = ("verdant_words", "animal_words")  # words for sentences of one's own
HEADS = 4  # of those made by hand
MATRICES = ("W_query", "W_key", "W_value", "W_output")
DIAL = "dial"  # among the planes: where the words stand
RANDOM = "random"  # among the square matrices: one that no head has made
NORMS = ("after", "before")
CREATURE, ADJECTIVES = "creature", ("fluffy", "blue")
SAME_ON_SCREEN = 0.001  # shares this near each other are shown alike
DRAWN = 8  # of a learned vector's directions


@dataclass(frozen=True, eq=False)
class HeadSet:
    """The heads made for the words of some features, and how their numbers are drawn.

    What was learned stands on directions without a name, of which only the leading ones are drawn, and a word's
    place is added to its vector; what was made by hand has the dial's two axes behind its features.
    """

    example: Example
    planes: tuple[str, ...]  # pairs of features that a plane can show
    ranges: list[list[float]]  # how far these go; empty: around the word's vectors
    full: float  # where the colour of an added number is full

    @property
    def is_learned(self) -> bool:
        """Whether nobody has chosen its numbers."""
        return self.example.learned is not None

    @property
    def count(self) -> int:
        """How many heads there are."""
        return len(self.example.heads)

    @property
    def features(self) -> tuple[str, ...]:
        """The axes of its words."""
        return self.example.axes if self.is_learned else self.example.axes[:-2]

    @property
    def axes_drawn(self) -> tuple[str, ...]:
        """Those of which numbers are drawn."""
        return self.example.axes[:DRAWN] if self.is_learned else self.example.axes


HEAD_SETS = (
    HeadSet(load_example("creature_heads"), ("noun-adjective", "soft-blue"), [[-0.5, 2.5], [-0.5, 2.5]], 1.5),
    HeadSet(load_example("animal_heads"), ("alive-extent", "noun-alive"), [[-0.5, 2.5], [-0.5, 2.5]], 1.5),
    HeadSet(load_example("harry_heads"), ("magic-royalty",), [[-1.0, 8.0], [-1.0, 8.0]], 5.0),
    *(HeadSet(load_example(name), ("u₁-u₂", "u₃-u₄"), [], 4.0) for name in loadable_examples(LEARNED)),
)
OF_FEATURES = {heads.features: heads for heads in HEAD_SETS}


# Settings ----------------------------------------------------------------------------------------------

WORDS = vocabulary.fields(
    EXAMPLES,
    word=("creature", "it", "Harry"),
    other=("fluffy", "animal", "wizard", "Queen"),
    sentence=True,
    beside=BESIDE,
    features=True,
)


def has_adjectives(words: Sequence[str]) -> bool:
    """Whether the creature and both its adjectives are there, each once."""
    return all(words.count(word) == 1 for word in (CREATURE, *ADJECTIVES))


def heads_for(values: permalink.Values) -> HeadSet:
    """The heads made for the words."""
    return OF_FEATURES[base_example(WORDS, values).axes]


def goals_offered(values: permalink.Values) -> list[str]:
    """The goals that suit the sentence."""
    about_creature = has_adjectives(values["words"])
    left_out = "only_adjectives" if heads_for(values).is_learned else "only_texture"
    return [name for name in GOALS if name == "greatest_loss" or (about_creature and name != left_out)]


def planes_offered(values: permalink.Values) -> list[str]:
    """Pairs of features, and the dial on which the words stand: what was learned has no dial."""
    heads = heads_for(values)
    return [*heads.planes] if heads.is_learned else [*heads.planes, DIAL]


def sizes_offered(values: permalink.Values) -> list[str]:
    """The inner dimensions that there may be."""
    return [str(inner + 1) for inner in range(len(heads_for(values).example.axes))]


FIELDS = (
    *WORDS,
    permalink.matrix(
        "dial", "the positions of the words on the circle", lambda values: dial_positions(len(values["words"]))
    ),
    permalink.ruled(
        "heads",
        "the heads that are on: 1, or 0 for off",
        lambda values: np.ones((1, heads_for(values).count)),
        lambda values: Rules((Range(0, 1, whole=True, why=("no_heads", {})),), (1, heads_for(values).count)),
    ),
    permalink.choice("plane", "the axes of the plane", planes_offered, interactive=True),
    permalink.choice(
        "map",
        "the matrix that is replaced by two smaller ones",
        lambda values: [RANDOM, *heads_for(values).example.heads],
    ),
    permalink.choice(
        "inner",
        "the inner dimension of the two smaller matrices",
        sizes_offered,
        lambda values: str(max(1, len(sizes_offered(values)) // 3)),
    ),
    permalink.choice("norm", "layer norm after each addition, as in 2017, or before each part", NORMS),
    real_heads.LAYER,
    permalink.choice("goal", "the goal that is set", goals_offered, interactive=True),
)


# What is calculated ------------------------------------------------------------------------------------


def multi_head_attention(s, count: int = HEADS, *, learned: bool = False) -> None:
    """What each head makes of the words and adds to them, and both ways to join the heads that are on.

    A word's place stands beside its features, on the dial; where that was `learned`, it is added to its vector.
    """
    heads, words = range(count), rows(s.vectors, s.ids)
    s.alone = words  # without their places
    s.x = words + s.places if learned else concat_columns(words, s.dial)
    s.traces = [
        scaled_dot_product_attention(s.x @ s.W_query[k], s.x @ s.W_key[k], s.x @ s.W_value[k], s.mask)
        for k in heads
    ]
    s.deltas = [s.traces[k].context @ s.W_output[k] for k in heads]  # Δx of each head, on or off

    added = of_all = s.x - s.x  # nothing yet
    after = []  # the vectors after so many heads
    for k in heads:
        added, of_all = added + s.deltas[k] * s.heads[0, k], of_all + s.deltas[k]
        after.append(s.x + added)
    s.after = after
    s.added = added
    s.new = s.x + s.added
    s.whole = s.x + of_all
    s.missing = of_all - s.added

    s.contexts = concat_columns(*(s.traces[k].context * s.heads[0, k] for k in heads))
    s.joined = s.contexts @ s.W_O
    s.apart = max_abs_difference(s.joined, s.added)

    s.row = s.ids[s.word]  # of the chosen word, in the table of vectors
    s.added_drawn = s.added @ s.drawn
    s.heads_on = row_sums(s.heads)[0]
    s.heads_off = row_sums(s.every_head - s.heads)[0]
    s.delta_lengths = gathered(*(norms(s.deltas[k])[s.word] for k in heads))
    s.longest_delta = argmax(s.delta_lengths)[0]
    s.missing_length = norms(s.missing)[s.word]


def head_of_adjectives(s, count: int = HEADS) -> None:
    """Through which head the creature takes most from its adjectives."""
    asks, among = s.place[CREATURE], [s.place[word] for word in ADJECTIVES]
    weights = [[s.traces[k].weights[asks, answers] for answers in among] for k in range(count)]
    s.from_adjectives = gathered(*(row_sums(gathered(*of_head))[0] for of_head in weights))
    s.adjective_head = argmax(s.from_adjectives)[0]
    s.from_texture = gathered(*(of_head[0] for of_head in weights))
    s.texture_head = argmax(s.from_texture)[0]
    s.as_column = transpose(s.heads)
    s.texture_through = (s.from_texture @ s.as_column)[0, 0]  # through the heads that are on
    s.texture_short = s.from_texture[0, s.texture_head] - s.texture_through
    s.at_least_one = gathered(s.heads_on, s.every_head[0, 0])
    s.shared_by = largest(s.at_least_one[0])  # the mean over no head is 0
    s.adjectives_through = (s.from_adjectives @ s.as_column)[0, 0]
    s.mean_from_adjectives = ratio(s.adjectives_through, s.shared_by)
    s.mean_from_texture = ratio(s.texture_through, s.shared_by)


def every_head_off(s) -> None:
    """What the words are with every head off, whichever are on now."""
    s.all_off = s.x + s.added * 0
    s.all_off_moves = max_abs_difference(s.all_off, s.x)
    s.all_off_least = smallest(norms(s.all_off))


CONSTANTS = [*vocabulary.CONSTANTS, "axes", *MATRICES, "W_O", "mask", "drawn", "every_head"]
ATTENTION = record(multi_head_attention, FIELDS, CONSTANTS)
WITH_ADJECTIVES = s = ATTENTION.then(head_of_adjectives, constants=["place"])
EVERY_HEAD_OFF = off = ATTENTION.then(every_head_off)

BY_COUNT = {  # calculations of what was learned, by how many heads it has
    heads.count: record(multi_head_attention, FIELDS, [*CONSTANTS, "places"], count=heads.count, learned=True)
    for heads in HEAD_SETS
    if heads.is_learned
}

WITH_ADJECTIVES_OF = {ATTENTION: WITH_ADJECTIVES} | {
    each: each.then(head_of_adjectives, constants=["place"], count=count) for count, each in BY_COUNT.items()
}

GOALS = {
    "only_adjectives": Goal(
        "only_adjectives",
        s.heads_on.within(0, of=1),
        s.heads[0, s.adjective_head] >= 1,
        names={
            "share": (s.from_adjectives[0, s.adjective_head], "share"),
            "mean": (s.mean_from_adjectives, "share"),
            "on": (s.heads_on, "whole"),
        },
    ),
    "only_texture": Goal(
        "only_texture",
        s.heads_on.within(0, of=1),
        s.texture_short <= SAME_ON_SCREEN,
        names={
            "share": (s.from_texture[0, s.texture_head], "share"),
            "mean": (s.mean_from_texture, "share"),
            "on": (s.heads_on, "whole"),
        },
    ),
    "greatest_loss": Goal(
        "greatest_loss",
        s.heads_off.within(0, of=1),
        s.heads[0, s.longest_delta] <= 0,
        names={
            "length": s.delta_lengths[0, s.longest_delta],
            "missing": s.missing_length,
            "off": (s.heads_off, "whole"),
        },
    ),
}
ABOUT = {"only_adjectives": "adjective_head", "only_texture": "texture_head", "greatest_loss": "longest_delta"}
ALL_OFF = ChoiceQuestion(
    "all_off", zero=off.all_off_least <= 0, old=off.all_off_moves <= 0, average=off.all_off_moves >= 0
)
TWO_WAYS = ChoiceQuestion("two_ways", equal=s.apart <= 1e-12, different=s.apart >= 1e-12)


def heads_of(state: State) -> HeadSet:
    """The heads made for the words on the page."""
    return OF_FEATURES[state.worked_example.axes]


def constants(state: State) -> dict[str, Any]:
    """Return the inputs of the calculation that the reader cannot edit."""
    heads = heads_of(state)
    example = heads.example
    result = vocabulary.lookup(state, BESIDE) | {"axes": heads.axes_drawn, "mask": None}
    result |= {name: getattr(example, name) for name in MATRICES}
    result["drawn"] = np.eye(len(example.axes))[:, : len(heads.axes_drawn)]
    result["every_head"] = np.ones((1, heads.count))
    if heads.is_learned:
        result["places"] = example.learned.positions[: len(state.words)]
        result["mask"] = causal_mask(len(state.words)).tolist()
    result["W_O"] = np.concatenate(example.W_output)  # the heads' slices below one another
    if has_adjectives(state.words):
        result["place"] = {word: state.words.index(word) for word in (CREATURE, *ADJECTIVES)}
    return result


def calculate(state: State) -> Results:
    """What follows from the settings on screen."""
    heads = heads_of(state)
    calculation = BY_COUNT[heads.count] if heads.is_learned else ATTENTION
    if has_adjectives(state.words):
        calculation = WITH_ADJECTIVES_OF[calculation]
    return calculation.run(state.scope(), constants(state))
