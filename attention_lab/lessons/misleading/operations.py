"""Operations of Is attention an explanation?: weights and texts changed by intervention.

Each has its twin of the same name in ``operations.js`` beside it.
"""

from collections.abc import Mapping

import numpy as np

from attention_core.models import explanations, reading
from attention_lab.calculation.operations import remembered
from attention_lab.calculation.table import operation

shifted_row = operation("weights 1 n", "small 1 n", gives="1 n")(explanations.shifted_row)


rearranged = operation("weights n m", "orders n m", gives="n m")(explanations.rearranged)


total_variation_distance = operation("weights n m", "weights n m", gives="")(
    explanations.total_variation_distance
)


@operation("language n m d", "tokens 1 n m", "place 6", "weights n n", gives="Reading")
@remembered
def run_with_patched_weights(
    weights: Mapping[str, np.ndarray], tokens: np.ndarray, head: int, pattern: np.ndarray
) -> reading.Reading:
    """What a language model does with a text where one head looks as a pattern says, instead of as it would."""
    return explanations.run_with_patched_weights(reading.as_model(weights), tokens[0], int(head), pattern)


@operation("language n m d", "tokens 1 n m", "reader", "kept n", gives="Reading")
@remembered
def run_with_scaled_weights(
    weights: Mapping[str, np.ndarray], tokens: np.ndarray, head: int, kept: np.ndarray
) -> reading.Reading:
    """What a language model does with a text whose words a head, or every head, can look at less."""
    return explanations.run_with_scaled_weights(reading.as_model(weights), tokens[0], int(head), kept)


@operation("language n m d", "readings n d", "later", "place n", gives="n")
def handed_parts(weights: Mapping[str, np.ndarray], own: reading.Reading, head: int, place: int) -> np.ndarray:
    """Of what a word hands over in a head of the second layer, how much came from each word."""
    return explanations.handed_parts(reading.as_model(weights), own, int(head), int(place))


@operation("grid 1 n", "grid 1 n", gives="1 n")
def places_unlike(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """1 where two texts of the same length differ, and 0 elsewhere."""
    return np.not_equal(a, b).astype(float)
