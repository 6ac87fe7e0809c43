"""What weights tell of an answer, and what they do not: a head's weights exchanged, words thinned out, effects.

A trained language model goes on from weights that are not its own, and one sees whether its answer needed them.
Jain & Wallace (2019), *Attention is not Explanation*, permute weights and look for others that leave the answer
as it is; Wiegreffe & Pinter (2019), *Attention is not not Explanation*, say what follows from that and what does
not; Kobayashi and others (2020), *Attention is Not Only a Weight*, measure α‖v‖; Serrano & Smith (2019), *Is
Attention Interpretable?*, take words out in the order of their weights.

Heads are counted through all layers, as in `Reading`; all of them at once are head −1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations

import numpy as np

from attention_core.checks import frozen
from attention_core.masks import causal_mask
from attention_core.models.language_model import LanguageModel
from attention_core.models.reading import Reading, read_text
from attention_core.softmax import softmax

EVERY_HEAD = -1
HALVINGS = 10  # on the way from a row to another: so finely it is found how far the answer stays
ROUNDED = 3  # decimals of a row that is found
WEIGHT_DIGITS, SIZE_DIGITS, EFFECT_DIGITS = 3, 2, 2  # decimals with which these are shown, and ranked
FELT = 0.1  # an effect that is worth speaking of

# Rows of weights ---------------------------------------------------------------------------------------------


def shifted_row(row: np.ndarray, by: np.ndarray) -> np.ndarray:
    """A row of weights, (1, n), after a hand has added so much to each: none is below 0, and they sum to 1.

    The row itself where nothing would be left of it.
    """
    wanted = np.maximum(np.add(row, by), 0.0)
    whole = wanted.sum()
    return wanted / whole if whole > 0 else np.array(row, dtype=float)


def rearranged(weights: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Every row of a pattern in another order, (n, m): at place j what stood at place ``order[i, j]``."""
    return np.take_along_axis(np.asarray(weights, dtype=float), np.asarray(order, dtype=int), axis=-1)


def permutation(n: int, seed: int = 0) -> np.ndarray:
    """An order for each row of a causal pattern, (n, n): the words that a row may look at in a random order."""
    random, order = np.random.default_rng([seed, n]), np.tile(np.arange(n), (n, 1))
    for row in range(n):
        order[row, : row + 1] = random.permutation(row + 1)
    return order


def flat_pattern(n: int) -> np.ndarray:
    """The same weight for every word that may be looked at, (n, n) under a causal mask."""
    return np.tri(n) / np.arange(1, n + 1)[:, None]


def weights_apart(one: np.ndarray, other: np.ndarray) -> float:
    """How much of the weight of a row lies on other words in the other, 0 to 1: half the sum of all differences.

    This is their *total variation distance*. Of several rows, (…, n), the mean.
    """
    return float(0.5 * np.abs(np.subtract(one, other)).sum(axis=-1).mean())


def pattern_distances(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """How far the heads' patterns of one model are from those of another, (heads, heads): `weights_apart`.

    Of patterns (heads, n, n); the first word's row, which can be but one, is left out.
    """
    return np.array([[weights_apart(a[1:], b[1:]) for b in other] for a in one])


def best_matching(distances: np.ndarray) -> tuple[int, ...]:
    """For each row of distances, (k, k), a column of its own, so that their sum is least; every way is tried."""
    rows = np.arange(len(distances))
    return min(permutations(rows), key=lambda columns: distances[rows, columns].sum())


# The pass that goes on from other weights --------------------------------------------------------------------


def read_changed(model: LanguageModel, tokens: Sequence[int], head: int, pattern: np.ndarray) -> Reading:
    """Read a text where one head looks as `pattern` says, (n, n), instead of as it would; all else follows."""

    def changed(layer: int, weights: np.ndarray) -> np.ndarray:
        of_layer, found = head - layer * weights.shape[-3], np.array(weights, dtype=float)
        if 0 <= of_layer < weights.shape[-3]:
            found[of_layer] = pattern
        return found

    return _read(model, np.asarray(tokens, dtype=int), changed)


def read_thinned(model: LanguageModel, tokens: Sequence[int], head: int, kept: np.ndarray) -> Reading:
    """Read a text where words can be looked at less: of each, `kept`, (n,), is left of the weight that it gets.

    What it loses goes to the others in proportion; where nothing is left the row is zero. It is so for one head,
    in all of its rows, or for every head (−1). At 0 a word is *taken out*: the head cannot look at it.
    """
    layers, heads = model.heads
    of_heads = np.ones((layers * heads, len(np.ravel(kept))))
    of_heads[slice(None) if head == EVERY_HEAD else int(head)] = np.ravel(kept)

    def thinned(layer: int, weights: np.ndarray) -> np.ndarray:
        return _thinned(weights, of_heads[layer * heads : (layer + 1) * heads])

    return _read(model, np.asarray(tokens, dtype=int), thinned)


def _thinned(weights: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Weights, (…, heads, n, n), times what is kept of each word for each head, (…, heads, n); rows sum to 1."""
    left = weights * kept[..., None, :]
    whole = left.sum(axis=-1, keepdims=True)
    return np.divide(left, whole, out=np.zeros_like(left), where=whole > 0)


def _read(model: LanguageModel, tokens: np.ndarray, change: Callable[[int, np.ndarray], np.ndarray]) -> Reading:
    """A text by its words' numbers, where the weights of each layer become what `change` makes of them."""
    x = model.embeddings[tokens] + model.positions[: len(tokens)]
    states, weights, scores, given = [x], [], [], []
    for layer, attention in enumerate(model.attention):
        trace = attention.attend(x, mask=causal_mask(len(tokens))).heads
        now, handed = change(layer, trace.weights), trace.value @ attention.W_output
        x = x + (now @ handed).sum(axis=-3)
        states.append(x)
        weights.append(now)
        scores.append(trace.masked_scores)
        given.append(handed)
    states = np.stack(states)
    logits = states[:, -1] @ model.W_vocabulary + model.bias
    joined = (np.concatenate(each) for each in (weights, scores, given))
    return Reading(*map(frozen, (states, *joined, logits, softmax(logits))))


def most_unlike(model: LanguageModel, tokens: Sequence[int], head: int, place: int) -> tuple[np.ndarray, float]:
    """The row of weights farthest from a head's own at `place` with which the model still says the same word.

    A small search, as Jain & Wallace's for *adversarial* attention: all weight on one word, each in turn; where
    the answer does not bear that, as far on the way there as it does. Gives the row, (1, n), rounded, and how far
    it is from the head's own (`weights_apart`).
    """
    tokens = np.asarray(tokens, dtype=int)
    layers, heads = model.heads
    own = read_text(model, tokens, np.ones((layers, heads)))
    answer, pattern = int(own.next_word[-1].argmax()), np.array(own.weights[head], dtype=float)
    begin = np.round(pattern[place], ROUNDED)

    def stays(row: np.ndarray) -> bool:
        pattern[place] = row / row.sum()
        return int(read_changed(model, tokens, head, pattern).next_word[-1].argmax()) == answer

    best, far = begin, 0.0
    for end in np.eye(len(tokens))[: place + 1]:
        reached = 1.0 if stays(end) else _reach(begin, end, stays)
        row = np.round(begin + reached * (end - begin), ROUNDED)
        apart = weights_apart(begin / begin.sum(), row / row.sum())
        if apart > far and stays(row):
            best, far = row, apart
    return (best / best.sum())[None], far


def _reach(begin: np.ndarray, end: np.ndarray, stays: Callable[[np.ndarray], bool]) -> float:
    """How large a part of the way from one row to another can be gone while something stays."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if stays(begin + middle * (end - begin)) else (low, middle)
    return low


def _last_vectors(model: LanguageModel, first: np.ndarray, kept: np.ndarray | None = None) -> np.ndarray:
    """The last word's vector after the second of two layers, (…, d_model), from all before it, (…, n, d_model).

    No more is calculated than that: nothing else decides on the next word. `kept`, (…, n), is what is left of
    each word's weight, as in `read_thinned`.
    """
    if model.heads[0] != 2:
        raise ValueError(f"this is written for models of two layers, got {model.heads[0]}")
    layer = model.attention[1]
    asked = (
        layer.W_query @ layer.W_key.mT * layer.W_query.shape[-1] ** -0.5
    )  # what the last word asks of each vector
    scores = first @ np.stack([first[..., -1, :] @ W for W in asked], axis=-1)
    weights = softmax(scores.mT)
    if kept is not None:
        weights = _thinned(weights[..., None, :], kept[..., None, :])[..., 0, :]
    gathered = (weights @ first)[..., None, :] @ (layer.W_value @ layer.W_output)
    return first[..., -1, :] + gathered[..., 0, :].sum(axis=-2)


def last_answers(model: LanguageModel, own: Reading, patterns: np.ndarray) -> np.ndarray:
    """What is said next, (heads, k), where each head in turn has k other patterns, (heads, k, n, n)."""
    heads = model.heads[1]
    moved = (patterns - own.weights[:, None]) @ own.given[:, None]  # what each change adds to every word
    ends = [_last_vectors(model, own.states[1] + moved[:heads]), own.states[2, -1] + moved[heads:, :, -1]]
    return (np.concatenate(ends) @ model.W_vocabulary + model.bias).argmax(axis=-1)


def measure_swaps(model: LanguageModel, texts: Iterable[Sequence[int]], seed: int = 0) -> np.ndarray:
    """In how large a part of some texts the next word changes when one head's weights do, (4, heads).

    Permuted and flat in the last word's row alone, then permuted and flat in every row. A text is its words'
    numbers.
    """
    changed, count = 0, 0
    for tokens in texts:
        own = read_text(model, tokens, np.ones(model.heads))
        n, rows = len(tokens), own.weights.astype(float)
        whole = [rearranged(rows, np.broadcast_to(permutation(n, seed), rows.shape)), flat_pattern(n)]
        whole = [np.broadcast_to(pattern, rows.shape) for pattern in whole]
        last = [np.concatenate([rows[:, :-1], pattern[:, -1:]], axis=1) for pattern in whole]
        said = last_answers(model, own, np.stack([*last, *whole], axis=1))
        changed, count = changed + (said.T != own.next_word[-1].argmax()), count + 1
    return changed / max(1, count)


# Weight, its size, and its effect -----------------------------------------------------------------------------


def weights_of_last(own: Reading) -> np.ndarray:
    """How much of the last word's attention each word gets, (heads + 1, n): in each head, and in the mean."""
    rows = own.weights[:, -1]
    return np.concatenate([rows, rows.mean(axis=0, keepdims=True)])


def sizes_of_last(own: Reading) -> np.ndarray:
    """How long what each word hands to the last word is, α‖v‖, (heads + 1, n): in each head, and all together.

    v is the value times W_output. All together is the length of the sum over the heads, not the sum of the
    lengths.
    """
    handed = own.weights[:, -1, :, None] * own.given
    return np.linalg.norm(np.concatenate([handed, handed.sum(axis=0, keepdims=True)]), axis=-1)


def effects_of_deletion(model: LanguageModel, tokens: Sequence[int], answer: int) -> np.ndarray:
    """How much the logarithm of the answer's share changes when a word is taken out, (heads + 1, n).

    Positive: the answer loses. For each head, which alone then cannot look at the word, from wherever it asks; in
    the last row for all heads at once (see `read_thinned`).
    """
    own = read_text(model, tokens, np.ones(model.heads))
    heads, n = model.heads[1], own.weights.shape[-1]
    without = 1.0 - np.eye(n)
    moved = (_thinned(own.weights[:, None], without) - own.weights[:, None]) @ own.given[:, None]
    ends = np.concatenate(
        [
            _last_vectors(model, own.states[1] + moved[:heads]),
            own.states[2, -1] + moved[heads:, :, -1],
            _last_vectors(model, own.states[1] + moved[:heads].sum(axis=0), without)[None],
        ]
    )
    shares = softmax(ends @ model.W_vocabulary + model.bias)[..., answer]
    return np.log(own.next_word[-1, answer]) - np.log(np.maximum(shares, np.finfo(shares.dtype).tiny))


def ranks(numbers: Sequence[float]) -> np.ndarray:
    """The place of each number among all, (n,), from 0; equal ones share the mean of their places."""
    numbers = np.asarray(numbers, dtype=float)
    below, same = numbers[:, None] > numbers, numbers[:, None] == numbers
    return below.sum(axis=1) + (same.sum(axis=1) - 1) / 2


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's rank correlation of two rows of n numbers, −1 to 1; undefined where all of a row are equal."""
    a, b = (each - each.mean() for each in (ranks(one), ranks(other)))
    size = np.linalg.norm(a) * np.linalg.norm(b)
    return float(a @ b / size) if size else np.nan


def agreement(measure: Sequence[float], effects: Sequence[float], digits: int) -> float:
    """Spearman's correlation of a measure of words with the size of their effects; undefined where none differs.

    Both are rounded as they are shown, the effects to two digits: what is shown alike ranks alike, since the
    order of numbers next to nothing says nothing.
    """
    return spearman(np.round(measure, digits), np.round(np.abs(effects), EFFECT_DIGITS))


def measure_deletion(model: LanguageModel, texts: Iterable[Sequence[int]]) -> np.ndarray:
    """How well two measures rank the words as the size of their effects does, (4, heads + 1): Spearman's, mean.

    The first row is of the weight, the second of α‖v‖ (see `agreement`); the last column is of all heads
    together. Texts in which a rank is undefined are left out of its mean. The third row counts the texts that
    have something to rank, the fourth those in which the word with the largest weight has an effect of `FELT` or
    more.
    """
    found, felt = [], 0
    for tokens in texts:
        own = read_text(model, tokens, np.ones(model.heads))
        effects = effects_of_deletion(model, tokens, int(own.next_word[-1].argmax()))
        measures = (weights_of_last(own), WEIGHT_DIGITS), (sizes_of_last(own), SIZE_DIGITS)
        found.append(
            [[agreement(*pair, digits) for pair in zip(rows, effects, strict=True)] for rows, digits in measures]
        )
        largest = measures[0][0].argmax(axis=1)
        felt = felt + (np.abs(effects[range(len(effects)), largest]) >= FELT)
    known = np.isfinite(found)
    sums, counts = np.where(known, found, 0.0).sum(axis=0), known.sum(axis=0)
    means = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    return np.concatenate([means, counts[:1], np.broadcast_to(felt, (1, sums.shape[1]))])


def by_chance(one: Sequence[float], other: Sequence[float], orders: int = 5000) -> float:
    """In how large a part of random orders of one row their rank correlation is as far from 0, or farther."""
    random, found = np.random.default_rng(0), abs(spearman(one, other))
    drawn = [abs(spearman(one, random.permutation(other))) for _ in range(orders)]
    return float(np.mean(np.array(drawn) >= found - 1e-9))


# Second hand -----------------------------------------------------------------------------------------------


def handed_parts(model: LanguageModel, own: Reading, head: int, place: int) -> np.ndarray:
    """Of what the word at `place` hands over in a head of the second layer, how much came from each word, (n,).

    Its vector there is its own embedding and what the heads of the first layer have brought to it from each word.
    Each part goes through the head's values; its share is what it has along the whole, so that all sum to 1. A
    part against the whole is negative.
    """
    heads = model.heads[1]
    brought = np.einsum("hj,hjd->jd", own.weights[:heads, place], own.given[:heads])
    brought[place] += own.states[0, place]
    at = head - heads
    parts = brought @ model.W_value[1, at] @ model.W_output[1, at]
    whole = parts.sum(axis=0)
    size = float(whole @ whole)
    return parts @ whole / size if size else np.zeros(len(parts))
