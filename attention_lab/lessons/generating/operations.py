"""Operations of Generating text: a text with a cache, and how the next token is chosen.

Each has its twin of the same name in ``operations.js`` beside it.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from attention_core import models
from attention_core.models import reading, writing
from attention_lab.calculation.operations import remembered
from attention_lab.calculation.table import operation


@operation("tokens 1 n m", "rank n", gives="any")
def first_tokens(tokens: np.ndarray, count: int) -> np.ndarray:
    """The first `count` tokens of a text, and at least one."""
    return np.asarray(tokens)[:, : max(1, int(count))]


@operation("count", "count", gives="")
def smaller_count(one: int, other: int) -> int:
    """The smaller of two numbers of things."""
    return int(min(one, other))


@operation("tokens 1 n m", "place m", "count", gives="any")
def append_token(tokens: np.ndarray, token: int, most: int) -> np.ndarray:
    """A text with one more token; where it has `most` already, as it is."""
    tokens = np.asarray(tokens)
    return tokens if tokens.shape[1] >= most else np.append(tokens, [[token]], axis=1)


@operation("language n m d", "tokens 1 n m", "size", "flag", gives="Decoding")
@remembered
def decode(weights: Mapping[str, np.ndarray], tokens: np.ndarray, start: int, causal: bool) -> models.Decoding:
    """What a language model has computed of a text, of which all but the first `start` tokens came one by one.

    With a `start` that is not below the number of tokens, the whole text is computed at once.
    """
    return models.decode(reading.as_model(weights), tokens[0], min(int(start), tokens.shape[1]), bool(causal))


@operation("vectors n d", "vectors n d", gives="")
def change_in_common(before: np.ndarray, after: np.ndarray) -> float:
    """The largest absolute difference of numbers that both arrays have."""
    shared = tuple(slice(min(sizes)) for sizes in zip(np.shape(before), np.shape(after), strict=True))
    return float(np.abs(np.asarray(after)[shared] - np.asarray(before)[shared]).max(initial=0))


@operation("any", gives="any")
def newest_rows(weights: np.ndarray) -> np.ndarray:
    """The last row of each head's weights."""
    return np.asarray(weights)[:, -1]


@operation("row d", "positive", "rank d", "share 1", gives="1 d")
def adjust(logits: Sequence[float], temperature: float, top_k: int, top_p: float) -> np.ndarray:
    """The probabilities that the next token is drawn from, as one row."""
    sampling = writing.Sampling(float(temperature), int(top_k), max(float(top_p), 1e-12))
    return sampling.adjust(np.asarray(logits), len(logits))[None]


@operation("weights 1 m", gives="m")
def by_probability(adjusted: np.ndarray) -> np.ndarray:
    """The tokens' numbers, the most probable first, equals in their order."""
    return np.argsort(-np.asarray(adjusted)[0], kind="stable")


@operation("weights 1 m", "orders 1 m", "share 1", gives="")
def chosen(adjusted: np.ndarray, order: Sequence[int], draw: float) -> int:
    """The token that a draw means where the probabilities stand in this order, end to end."""
    order = np.ravel(np.asarray(order, dtype=int))
    place = writing.choose(np.asarray(adjusted)[0][order], draw)
    return int(order[min(place, len(order) - 1)])


@operation("weights 1 m", gives="")
def possible(adjusted: np.ndarray) -> int:
    """How many tokens have a probability; one of less than a thousandth may be missed by draws in thousandths."""
    return int(np.count_nonzero(np.asarray(adjusted)[0] > 0))


@operation("language n m d", "count", "count", gives="any")
def count_work(weights: Mapping[str, np.ndarray], start: int, written: int) -> list[list[int]]:
    """How many multiplications each written token takes: a row without a cache, and one with it."""
    return list(models.count_multiplications(reading.as_model(weights), int(start), int(written)))
