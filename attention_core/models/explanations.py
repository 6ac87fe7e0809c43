"""Interventions on attention weights: replaced patterns, deleted words, and their effects on the prediction.

A trained language model continues from weights that are not its own, which shows whether its prediction depends
on them. Jain & Wallace (2019), *Attention is not Explanation*, permute weights and search for others with the
same prediction; Wiegreffe & Pinter (2019), *Attention is not not Explanation*, discuss what follows from that;
Kobayashi et al. (2020), *Attention is Not Only a Weight*, measure ‖αf(x)‖; f(x) is the value times W_output.
Serrano & Smith (2019), *Is Attention Interpretable?*, delete words in the order of their weights.

Heads are counted through all layers, as in `Reading`; all of them at once are head −1.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations

import numpy as np

from attention_core.checks import frozen
from attention_core.masks import causal_mask
from attention_core.models.language_model import LanguageModel
from attention_core.models.reading import Reading, read_text
from attention_core.similarity import rank_correlation
from attention_core.softmax import softmax

EVERY_HEAD = -1
HALVINGS = 10  # of the bisection between two rows
ROUNDED = 3  # decimals of a row that the search returns
WEIGHT_DIGITS, SIZE_DIGITS, EFFECT_DIGITS = 3, 2, 2  # decimals of what is shown and ranked
FELT = 0.1  # the least noticeable effect

# Rows of weights ---------------------------------------------------------------------------------------------


def shifted_row(row: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Add to a row of weights, (1, n), and normalise it: none is below 0, and they sum to 1.

    The row stays as it is if nothing would remain.
    """
    shifted = np.maximum(np.add(row, by), 0.0)
    total = shifted.sum()
    return shifted / total if total > 0 else np.array(row, dtype=float)


def rearranged(weights: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Reorder every row of a pattern, (n, m): entry j becomes entry ``order[i, j]``."""
    return np.take_along_axis(np.asarray(weights, dtype=float), np.asarray(order, dtype=int), axis=-1)


def permutation(n: int, seed: int = 0) -> np.ndarray:
    """Draw a random order of the unmasked keys for each row of a causal pattern, (n, n)."""
    rng, order = np.random.default_rng([seed, n]), np.tile(np.arange(n), (n, 1))
    for row in range(n):
        order[row, : row + 1] = rng.permutation(row + 1)
    return order


def flat_pattern(n: int) -> np.ndarray:
    """Return the uniform causal pattern, (n, n)."""
    return np.tri(n) / np.arange(1, n + 1)[:, None]


def total_variation_distance(one: np.ndarray, other: np.ndarray) -> float:
    """Compute the total variation distance of two rows of weights, 0 to 1: half the sum of absolute differences.

    For several rows, (…, n), the mean.
    """
    return float(0.5 * np.abs(np.subtract(one, other)).sum(axis=-1).mean())


def pattern_distances(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Compute the `total_variation_distance` of each pattern of one model from each of another.

    Of patterns (heads, n, n), without the first row, which is always the same; (heads, heads).
    """
    return np.array([[total_variation_distance(a[1:], b[1:]) for b in other] for a in one])


def best_matching(distances: np.ndarray) -> tuple[int, ...]:
    """Match each row of distances, (k, k), with a different column so that their sum is least; exhaustive."""
    rows = np.arange(len(distances))
    return min(permutations(rows), key=lambda columns: distances[rows, columns].sum())


# Forward passes with other weights --------------------------------------------------------------------


def run_with_patched_weights(
    model: LanguageModel, tokens: Sequence[int], head: int, pattern: np.ndarray
) -> Reading:
    """Run the model with the weights of one head replaced by `pattern`, (n, n)."""

    def replace(layer: int, weights: np.ndarray) -> np.ndarray:
        of_layer, weights = head - layer * weights.shape[-3], np.array(weights, dtype=float)
        if 0 <= of_layer < weights.shape[-3]:
            weights[of_layer] = pattern
        return weights

    return _read(model, np.asarray(tokens, dtype=int), replace)


def run_with_scaled_weights(
    model: LanguageModel, tokens: Sequence[int], head: int, factors: np.ndarray
) -> Reading:
    """Run the model with the weights on each word multiplied by `factors`, (n,), and renormalised.

    A row of which nothing remains is zero. This holds for all rows of one head, or for every head (−1). A word
    with 0 is *deleted*: the head cannot attend to it.
    """
    layers, heads = model.heads
    of_heads = np.ones((layers * heads, np.size(factors)))
    of_heads[slice(None) if head == EVERY_HEAD else int(head)] = np.ravel(factors)

    def thin(layer: int, weights: np.ndarray) -> np.ndarray:
        return _thinned(weights, of_heads[layer * heads : (layer + 1) * heads])

    return _read(model, np.asarray(tokens, dtype=int), thin)


def _thinned(weights: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Weights, (…, heads, n, n), times a factor for each head and word, (…, heads, n), renormalised."""
    scaled = weights * factors[..., None, :]
    total = scaled.sum(axis=-1, keepdims=True)
    return np.divide(scaled, total, out=np.zeros_like(scaled), where=total > 0)


def _read(model: LanguageModel, tokens: np.ndarray, change: Callable[[int, np.ndarray], np.ndarray]) -> Reading:
    """Run the model with the weights of each layer transformed by `change`."""
    x = model.embeddings[tokens] + model.positions[: len(tokens)]
    states, weights, scores, updates = [x], [], [], []
    for layer, attention in enumerate(model.attention):
        trace = attention.attend(x, mask=causal_mask(len(tokens))).heads
        weights.append(change(layer, trace.weights))
        scores.append(trace.masked_scores)
        updates.append(trace.value @ attention.W_output)
        x = x + (weights[-1] @ updates[-1]).sum(axis=-3)
        states.append(x)
    states = np.stack(states)
    logits = states[:, -1] @ model.W_vocabulary + model.bias
    concatenated = (np.concatenate(of_layers) for of_layers in (weights, scores, updates))
    return Reading(*map(frozen, (states, *concatenated, logits, softmax(logits))))


def most_unlike(model: LanguageModel, tokens: Sequence[int], head: int, place: int) -> tuple[np.ndarray, float]:
    """Search for the row of weights farthest from a head's own at `place` that leaves the prediction as it is.

    A small search for *adversarial* attention, as in Jain & Wallace: all weight on one word, each in turn; where
    that changes the prediction, as far in that direction as it does not. Returns the row, (1, n), rounded, and
    its distance from the head's own (`total_variation_distance`).
    """
    tokens = np.asarray(tokens, dtype=int)
    layers, heads = model.heads
    own = read_text(model, tokens, np.ones((layers, heads)))
    answer, pattern = int(own.next_word[-1].argmax()), np.array(own.weights[head], dtype=float)
    begin = np.round(pattern[place], ROUNDED)

    def stays(row: np.ndarray) -> bool:
        pattern[place] = row / row.sum()
        return int(run_with_patched_weights(model, tokens, head, pattern).next_word[-1].argmax()) == answer

    best, distance = begin, 0.0
    for end in np.eye(len(tokens))[: place + 1]:
        reached = 1.0 if stays(end) else _reach(begin, end, stays)
        row = np.round(begin + reached * (end - begin), ROUNDED)
        apart = total_variation_distance(begin / begin.sum(), row / row.sum())
        if apart > distance and stays(row):
            best, distance = row, apart
    return (best / best.sum())[None], distance


def _reach(begin: np.ndarray, end: np.ndarray, stays: Callable[[np.ndarray], bool]) -> float:
    """The largest fraction of the way from one row to another for which `stays` holds, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if stays(begin + middle * (end - begin)) else (low, middle)
    return low


def _last_vectors(model: LanguageModel, first: np.ndarray, factors: np.ndarray | None = None) -> np.ndarray:
    """The last word's vector after the second of two layers, (…, d_model), which alone determines the next word.

    `first` are the states before that layer, (…, n, d_model). `factors`, (…, n), multiplies the weight on each
    word, as in `run_with_scaled_weights`.
    """
    if model.heads[0] != 2:
        raise ValueError(f"this is written for models of two layers, got {model.heads[0]}")
    layer = model.attention[1]
    bilinear = layer.W_query @ layer.W_key.mT * layer.W_query.shape[-1] ** -0.5  # score = last word @ W @ word
    scores = first @ np.stack([first[..., -1, :] @ W for W in bilinear], axis=-1)
    weights = softmax(scores.mT)
    if factors is not None:
        weights = _thinned(weights[..., None, :], factors[..., None, :])[..., 0, :]
    updates = (weights @ first)[..., None, :] @ (layer.W_value @ layer.W_output)
    return first[..., -1, :] + updates[..., 0, :].sum(axis=-2)


def last_answers(model: LanguageModel, own: Reading, patterns: np.ndarray) -> np.ndarray:
    """Predict the next word, (heads, k), with k patterns in turn for each head, (heads, k, n, n)."""
    heads = model.heads[1]
    moved = (patterns - own.weights[:, None]) @ own.updates[:, None]  # what each change adds to every word
    ends = [_last_vectors(model, own.states[1] + moved[:heads]), own.states[2, -1] + moved[heads:, :, -1]]
    return (np.concatenate(ends) @ model.W_vocabulary + model.bias).argmax(axis=-1)


def measure_swaps(model: LanguageModel, texts: Iterable[Sequence[int]], seed: int = 0) -> np.ndarray:
    """Measure the fraction of texts whose predicted next word changes when one head's weights do, (4, heads).

    Permuted and uniform in the last word's row alone, then permuted and uniform in every row. A text is a
    sequence of word indices.
    """
    changed, count = 0, 0
    for tokens in texts:
        own = read_text(model, tokens, np.ones(model.heads))
        n, rows = len(tokens), own.weights.astype(float)
        whole = [rearranged(rows, np.broadcast_to(permutation(n, seed), rows.shape)), flat_pattern(n)]
        whole = [np.broadcast_to(pattern, rows.shape) for pattern in whole]
        last = [np.concatenate([rows[:, :-1], pattern[:, -1:]], axis=1) for pattern in whole]
        predicted = last_answers(model, own, np.stack([*last, *whole], axis=1))
        changed, count = changed + (predicted.T != own.next_word[-1].argmax()), count + 1
    return changed / max(1, count)


# Weight, norm and effect -----------------------------------------------------------------------------


def weights_of_last(own: Reading) -> np.ndarray:
    """Return the last word's weights on each word, (heads + 1, n): of each head, and their mean."""
    rows = own.weights[:, -1]
    return np.concatenate([rows, rows.mean(axis=0, keepdims=True)])


def sizes_of_last(own: Reading) -> np.ndarray:
    """Compute the norm α‖v‖ of each word's contribution to the last word, (heads + 1, n).

    v is the value times W_output. The last row is the norm of the sum over the heads, not the sum of the norms.
    """
    contributions = own.weights[:, -1, :, None] * own.updates
    return np.linalg.norm(np.concatenate([contributions, contributions.sum(axis=0, keepdims=True)]), axis=-1)


def effects_of_deletion(model: LanguageModel, tokens: Sequence[int], answer: int) -> np.ndarray:
    """Compute by how much the answer's log probability falls when a word is deleted, (heads + 1, n).

    For each head, which alone then cannot attend to the word from any position; in the last row for all heads at
    once (see `run_with_scaled_weights`).
    """
    own = read_text(model, tokens, np.ones(model.heads))
    heads, n = model.heads[1], own.weights.shape[-1]
    without = 1.0 - np.eye(n)
    moved = (_thinned(own.weights[:, None], without) - own.weights[:, None]) @ own.updates[:, None]
    ends = np.concatenate(
        [
            _last_vectors(model, own.states[1] + moved[:heads]),
            own.states[2, -1] + moved[heads:, :, -1],
            _last_vectors(model, own.states[1] + moved[:heads].sum(axis=0), without)[None],
        ]
    )
    probabilities = softmax(ends @ model.W_vocabulary + model.bias)[..., answer]
    least = np.finfo(probabilities.dtype).tiny
    return np.log(own.next_word[-1, answer]) - np.log(np.maximum(probabilities, least))


def agreement(measure: Sequence[float], effects: Sequence[float], digits: int) -> float:
    """Compute the rank correlation of a measure of words with the size of their effects; NaN where none differs.

    Both are rounded as they are shown, the effects to two decimals: numbers that look equal rank equally, because
    the order of negligible numbers means nothing.
    """
    return rank_correlation(np.round(measure, digits), np.round(np.abs(effects), EFFECT_DIGITS))


def measure_deletion(model: LanguageModel, texts: Iterable[Sequence[int]]) -> np.ndarray:
    """Measure how well two measures of words agree with their effects, over several texts, (4, heads + 1).

    The first row is the mean `agreement` of the weight, the second that of α‖v‖, over the texts in which it is
    defined; the third counts these texts, the fourth those in which the word with the largest weight has an
    effect of at least `FELT`. The last column is of all heads together.
    """
    correlations, noticeable = [], 0
    for tokens in texts:
        own = read_text(model, tokens, np.ones(model.heads))
        effects = effects_of_deletion(model, tokens, int(own.next_word[-1].argmax()))
        measures = (weights_of_last(own), WEIGHT_DIGITS), (sizes_of_last(own), SIZE_DIGITS)
        correlations.append(
            [[agreement(*pair, digits) for pair in zip(rows, effects, strict=True)] for rows, digits in measures]
        )
        largest = measures[0][0].argmax(axis=1)
        noticeable = noticeable + (np.abs(effects[range(len(effects)), largest]) >= FELT)
    defined = np.isfinite(correlations)
    sums, counts = np.where(defined, correlations, 0.0).sum(axis=0), defined.sum(axis=0)
    means = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    return np.concatenate([means, counts[:1], np.broadcast_to(noticeable, (1, sums.shape[1]))])


def by_chance(one: Sequence[float], other: Sequence[float], orders: int = 5000) -> float:
    """Estimate the p-value of a rank correlation, from random orders of one row."""
    rng, observed = np.random.default_rng(0), abs(rank_correlation(one, other))
    permuted = [abs(rank_correlation(one, rng.permutation(other))) for _ in range(orders)]
    return float(np.mean(np.array(permuted) >= observed - 1e-9))


# Mixed values -----------------------------------------------------------------------------------------------


def handed_parts(model: LanguageModel, own: Reading, head: int, place: int) -> np.ndarray:
    """Decompose the value of the word at `place` in a head of the second layer by its source words, (n,).

    Its vector there is the sum of its own embedding and of the contributions that the heads of the first layer
    added from each word. Each part is projected by the head; its fraction is its component along the sum, so that
    all fractions sum to 1. A part opposed to the sum is negative.
    """
    heads = model.heads[1]
    sources = np.einsum("hj,hjd->jd", own.weights[:heads, place], own.updates[:heads])
    sources[place] += own.states[0, place]
    of_layer = head - heads
    parts = sources @ model.W_value[1, of_layer] @ model.W_output[1, of_layer]
    whole = parts.sum(axis=0)
    square = float(whole @ whole)
    return parts @ whole / square if square else np.zeros(len(parts))
