"""Operations of Inside a small language model: what changes between texts and without a head.

Each has its twin of the same name in ``operations.js`` beside it.
"""

from collections.abc import Mapping

import numpy as np

from attention_core.models import reading
from attention_lab.calculation.operations import remembered
from attention_lab.calculation.table import operation


@operation("readings n d", "readings n d", gives="Change")
def changes_between(before: reading.Reading, after: reading.Reading) -> reading.Change:
    """What differs between two texts of the same length, state by state, and who brought it to whom."""
    return reading.changes_between(before, after)


@operation("language n m d", "tokens 4 n m", "small 2 3", gives="any")
@remembered
def last_states(weights: Mapping[str, np.ndarray], texts: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """The last word's vector in each of some texts, at the start and after each layer."""
    return reading.last_states(reading.as_model(weights), texts, strengths)


@operation("language n m d", "tokens 1 n m", "small 2 3", gives="6")
def loss_of_each(weights: Mapping[str, np.ndarray], tokens: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """How much of its share the next word that is likeliest now loses with each head off."""
    return reading.loss_of_each(reading.as_model(weights), tokens[0], strengths)


@operation("vectors n m", "mask n m", gives="")
def mean_where(numbers: np.ndarray, mask: np.ndarray) -> float:
    """The mean of the numbers where the mask is open; undefined where it is nowhere."""
    result = np.asarray(numbers, dtype=float)[np.asarray(mask, dtype=bool)]
    return float(result.mean()) if result.size else np.nan
