"""Displacements laid tip to tail: two that make a tower small and Parisian, and what company does to Harry."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_core import Example, displacements, load_example, scaled_dot_product_attention, tip_to_tail
from attention_lab import figure
from attention_lab.calculation import Expression
from attention_lab.figure.parts import constant
from attention_lab.state.state import State


def way_of_first(example: Example) -> np.ndarray:
    """From the first word's place in the table to its place in this company, one displacement after the other."""
    x = example.embeddings
    weights = scaled_dot_product_attention(x, x, x).weights
    return tip_to_tail(x[0], displacements(x[0], weights[0], x))


TOWER = load_example("miniature_eiffel_tower")
WITH_WIZARD, WITH_QUEEN = load_example("harry_wizard"), load_example("harry_queen_sussex_william")
MINIATURE, EIFFEL, BARE = TOWER.embeddings
CONSTANTS: dict[str, Any] = {
    "eiffel_first": tip_to_tail(BARE, [EIFFEL, MINIATURE]),
    "miniature_first": tip_to_tail(BARE, [MINIATURE, EIFFEL]),
    "towers": tuple(TOWER.expected),
    "with_wizard": way_of_first(WITH_WIZARD),
    "with_queen": way_of_first(WITH_QUEEN),
    "harry": WITH_WIZARD.embeddings[:1],
    "names": WITH_WIZARD.words[:1],
}


def tip_to_tail_planes(state: State) -> list[figure.Column]:
    """The ways of the tower and of Harry, each on a plane of its own."""
    title = state.text["displacements_add_up/title"]
    of_tower = [
        *arrows(constant("miniature_first"), ("miniature", "Eiffel"), apart=True, tone="ghost"),
        *arrows(constant("eiffel_first"), ("Eiffel", "miniature"), apart=True),
        figure.vectors(constant("eiffel_first"), names=constant("towers"), places=True),
    ]
    of_harry = [
        *arrows(constant("with_wizard"), WITH_WIZARD.words),
        *arrows(constant("with_queen"), WITH_QUEEN.words),
        figure.vectors(constant("harry"), names=constant("names"), places=True),
    ]
    return [
        figure.Column([figure.plane(state, axes, marks, low=-1, high=6, title=title, hint="")], least=280)
        for axes, marks in ((TOWER.axes, of_tower), (WITH_WIZARD.axes, of_harry))
    ]


def arrows(way: Expression, words: Sequence[str], *, apart: bool = False, tone: str = "") -> list[figure.Part]:
    """A way tip to tail, each arrow with the word that adds it."""
    return [
        figure.displacement(way[k], way[k + 1], label=f"+ {word}", halfway=True, apart=apart, tone=tone)
        for k, word in enumerate(words)
    ]
