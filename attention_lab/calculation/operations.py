"""The operations of which calculations are made: each once, with its Python function and its shapes.

Its twin in JavaScript has the same name in ``attention_lab/figure/browser/mathematics.js``. One test draws random
arguments of the kinds given here, and holds both twins to each other and to the shape of the result.

A kind says what an argument is, and its size in letters that mean the same throughout one operation:

- ``vectors n d``: any numbers; ``small n d``: about 1; ``scores n m``: of them some −∞; ``gaps n m``: some −∞,
  zero or undefined; ``weights n m``: rows of shares; ``mask n m``: true or false; ``grid n m``: 0 or 1
- ``row d``: one row, as a list; ``rising d``: one whose numbers rise; ``number``: any; ``positive``: above 0;
  ``place n``: a whole number below n; ``places m n``: m of them; ``size``: a whole number up to 10¹²; ``count``:
  one from 0 to 8; ``flag``
- ``length n``: the size n itself; ``heads``, ``groups``: a number of heads, and a divisor of it
- ``shape``: a TransformerShape; ``any``: whatever there is
- ``names n``: words; ``tokens f n m``: n tokens of f features, each one of m words; ``moves m n``: m things that
  a hand did to n rows; ``step``: when; ``network n m d``: the parameters of an attention network of m words for n
  tokens; ``moments``: arrays, each at two moments; ``language n m d``: the weights of a language model of m words
  for texts of n; ``readings n d``: what one did with a text of n words
- ``translator n m d``: the parameters of a translator of m words each for texts of at most n; ``bent n``: rows of
  weights that a hand has set; ``gold n m``: n places below m, or −1
- ``orders n m``: rows of m places; ``kept n``: of n words, how much is left; ``reader``: one of six heads, or −1
  for all; ``later``: one of the last three of them
- ``none|`` before it: may be None; ``?`` behind it: may be left out; ``…`` behind it: once or more often
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

import numpy as np

import attention_core
from attention_core import models, training
from attention_core.models import explanations, reading, translator
from attention_lab.text.labels import labels

from .caches import BoundedCache
from .table import operation

# Of the core -------------------------------------------------------------------------------------------

core = attention_core
dot_product = operation("vectors n d", "vectors m d", gives="n m")(core.dot_product)
cosine_similarity = operation("vectors n d", "vectors m d", gives="n m")(core.cosine_similarity)
scaled_dot_product = operation("vectors n d", "vectors m d", gives="n m")(core.scaled_dot_product)
softmax = operation("scores n m", "positive?", gives="n m")(core.softmax)
entropy = operation("weights n m", gives="n")(core.entropy)
causal_mask = operation("length n", gives="n n")(core.causal_mask)
window_mask = operation("length n", "count", gives="n n")(core.window_mask)
padding_mask = operation("mask n", gives="n n")(core.padding_mask)
scaled_dot_product_attention = operation(
    *("vectors n d", "vectors m d", "vectors m v", "none|mask n m?", "none|number?"),
    gives="AttentionTrace",
    reads={"query": (0,), "key": (1,), "value": (2,), "scores": (0, 1), "weights": (0, 1, 3, 4)},
)(core.scaled_dot_product_attention)
rotate_by_position = operation("vectors n 2d", "places n 20", gives="n 2d")(core.rotate_by_position)
separation_ratio = operation("row d", "row d", "row d", "row d", gives="")(core.separation_ratio)
TransformerShape = operation(
    *("size", "size", "heads", "size", "none|size", "none|size", "none|groups", "size", "size", "count"),
    *("flag", "flag", "none|flag", "flag", "flag", "flag", "flag"),
    gives="TransformerShape",
)(core.TransformerShape)
count_parameters = operation("shape", gives="ParameterCount")(core.count_parameters)
pattern_entries = operation("size", gives="")(core.pattern_entries)
key_value_cache_bytes = operation("shape", "size", gives="")(core.key_value_cache_bytes)


# Arithmetic, as ``@ + - * /`` write it ---------------------------------------------------------------------


@operation("vectors n d", "vectors d m", gives="n m")
def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The matrix product."""
    return np.matmul(a, b)


@operation("vectors n d", "vectors n d", gives="n d")
def sum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The sum, number by number."""
    return np.add(a, b)


@operation("vectors n d", "vectors n d", gives="n d")
def difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The difference, number by number."""
    return np.subtract(a, b)


@operation("vectors n d", "number", gives="n d")
def multiple(numbers: np.ndarray, factor: float) -> np.ndarray:
    """So many times each number."""
    return np.multiply(numbers, factor)


@operation("scores n m", "positive", gives="n m")
def quotient(numbers: np.ndarray, by: float) -> np.ndarray:
    """Each number divided."""
    return np.divide(numbers, by)


# Names -------------------------------------------------------------------------------------------------


@operation("any", gives="any")
def same(value: Any) -> Any:
    """The very same under a name of its own."""
    return value


@operation("any…", gives="any")
def listed(*values: Any) -> tuple:
    """Several as one, found by their number."""
    return values


# Rows and places ---------------------------------------------------------------------------------------


@operation("vectors n d", "places m n", gives="m d")
def rows(matrix: np.ndarray, places: Sequence[int]) -> np.ndarray:
    """The rows of a matrix at these places: the look-up of a sentence's words in the table of vectors."""
    return np.take(matrix, np.asarray(places, dtype=int), axis=0)


@operation("vectors n d", "place n", gives="1 d")
def row(matrix: np.ndarray, place: int) -> np.ndarray:
    """One row, as a matrix of its own."""
    return matrix[[place]]


@operation("place 2", "vectors n d", "vectors m d…", gives="any")
def pick(place: int, *among: Any) -> Any:
    """One of several, by its number."""
    return among[place]


@operation("vectors o d", "vectors m d…", gives="any")
def first_given(*among: np.ndarray) -> np.ndarray:
    """The first that has any rows."""
    return next((matrix for matrix in among if len(matrix)), among[-1])


@operation("vectors n d", "vectors n m…", gives="any")
def concat_columns(*matrices: np.ndarray) -> np.ndarray:
    """Matrices with the same rows as one, the columns of the first in front."""
    return np.concatenate(matrices, axis=1)


@operation("vectors n d", "place n", "vectors 1 d", gives="n d")
def replace_row(matrix: np.ndarray, place: int, by: np.ndarray) -> np.ndarray:
    """The matrix with the one row of `by` at `place`."""
    other = np.array(matrix)
    other[place] = by[0]
    return other


@operation("scores n m", "place n", "place m", "number", gives="n m")
def raised_at(scores: np.ndarray, row_: int, column: int, by: float) -> np.ndarray:
    """The scores with so much added to one of them."""
    other = np.array(scores, dtype=float)
    other[row_, column] += by
    return other


@operation("vectors n d", gives="any")
def but_last(rows_: np.ndarray) -> np.ndarray:
    """All but the last row."""
    return rows_[:-1]


@operation("vectors n d", gives="d n")
def transposed(matrix: np.ndarray) -> np.ndarray:
    """Rows as columns."""
    return np.transpose(matrix)


@operation("number…", gives="any")
def gathered(*numbers: float) -> list[list[float]]:
    """Numbers in one row."""
    return [list(numbers)]


@operation("row d", gives="d")
def argsort(numbers: Sequence[float]) -> np.ndarray:
    """The places of the numbers, the smallest first, equals in their order. Of an order: who stands where."""
    return np.argsort(numbers, kind="stable")


@operation("weights n m", gives="n")
def argmax(matrix: np.ndarray) -> np.ndarray:
    """Where the largest number of each row stands; of several, the first."""
    return np.argmax(matrix, axis=1)


@operation("vectors m d", "scores 1 m", gives="any")
def counted_rows(matrix: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The rows whose score is not left out."""
    return matrix[scores[0] > -np.inf]


# Numbers -----------------------------------------------------------------------------------------------


@operation("vectors n d", gives="n")
def lengths(vectors: np.ndarray) -> np.ndarray:
    """How long each row is."""
    return np.linalg.norm(vectors, axis=-1)


@operation("number", "number", gives="")
def ratio(a: float, b: float) -> float:
    """How many times `b` goes into `a`; undefined where `b` is 0."""
    return float(a) / float(b) if b else np.nan


@operation("number", "number", gives="")
def relative_difference(a: float, b: float) -> float:
    """By which part of `b` the two differ."""
    return abs(ratio.function(a, b) - 1)


@operation("row d", gives="")
def largest(numbers: np.ndarray) -> float:
    """The largest number."""
    return np.max(numbers)


@operation("row d", gives="")
def smallest(numbers: np.ndarray) -> float:
    """The smallest; ∞ where there is none."""
    return np.min(np.asarray(numbers, dtype=float), initial=np.inf)


@operation("weights 1 m", "place m", gives="")
def largest_but(matrix: np.ndarray, place: int) -> float:
    """The largest number of the first row, the one at `place` left aside; 0 where there is no other."""
    return np.delete(matrix[0], place).max(initial=0)


@operation("vectors n d", "vectors n d", gives="")
def farthest(a: np.ndarray, b: np.ndarray) -> float:
    """The largest difference between two matrices, number by number."""
    return np.abs(np.subtract(a, b)).max(initial=0)


@operation("vectors n d", "vectors n d", gives="n")
def row_changes(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest difference in each row."""
    return np.abs(np.subtract(a, b)).max(axis=1, initial=0)


@operation("weights n m", gives="n")
def row_sums(matrix: np.ndarray) -> np.ndarray:
    """The sum of each row; of a mask, how many cells are open."""
    return np.asarray(matrix).sum(axis=1)


@operation("scores n m", gives="n")
def log_sum_exp(scores: np.ndarray) -> np.ndarray:
    """The logarithm of the sum of the exponentials, in range for any scores."""
    most = scores.max(axis=-1, keepdims=True)
    shift = np.where(np.isfinite(most), most, 0)
    with np.errstate(divide="ignore"):  # nothing to add up: log 0 = −inf is meant
        return np.log(np.exp(scores - shift).sum(axis=-1)) + shift[..., 0]


@operation("scores n m", gives="n")
def most_bits(scores: np.ndarray) -> np.ndarray:
    """The most that the entropy of their shares can be: log₂ of how many are not left out."""
    return np.log2(np.maximum((scores > -np.inf).sum(axis=-1), 1))


# Scores and masks --------------------------------------------------------------------------------------


@operation("gaps n m", gives="n m")
def without_undefined(scores: np.ndarray) -> np.ndarray:
    """Scores in which whatever is undefined is left out: −inf, as a mask would have it."""
    return np.where(np.isnan(scores), -np.inf, scores)


@operation("gaps n m", gives="n m")
def without_zeros(scores: np.ndarray) -> np.ndarray:
    """Scores in which zeros (to rounding) and whatever is undefined are left out."""
    return np.where(np.abs(scores) > 1e-12, scores, -np.inf)


@operation("grid n m", gives="n m")
def is_open(cells: np.ndarray) -> np.ndarray:
    """A mask from a grid of zeros and ones."""
    return np.asarray(cells) > 0.5


@operation("weights n m", "mask n m", gives="n m")
def where_open(numbers: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The numbers where the mask is open, zero where it is closed."""
    return np.where(mask, numbers, 0.0)


@operation("mask n m", "mask n m", gives="")
def count_unlike(a: np.ndarray, b: np.ndarray) -> int:
    """In how many cells two grids differ."""
    return int(np.not_equal(a, b).sum())


@operation("mask n n", gives="")
def left_to_close(mask: np.ndarray) -> int:
    """How many cells must still be closed until some word but the first sees itself alone.

    n for a word whose own cell is closed, and where there is no other word.
    """
    rest = [int(line.sum()) - 1 if line[i] else len(line) for i, line in enumerate(mask)][1:]
    return min(rest, default=len(mask))


@operation("mask n m", "places n m", gives="n")
def closed_at(mask: np.ndarray, places: Sequence[int]) -> np.ndarray:
    """For each row of a mask, 1 where its cell at that place is closed."""
    return np.array([float(not line[place]) for line, place in zip(mask, places, strict=True)])


@operation("places n m", "places n 2?", gives="")
def crossings(places: Sequence[float], left_out: Sequence[float] = ()) -> int:
    """How many pairs stand the other way round: links from 0, 1, 2 … to these places that cross each other.

    Those with a 1 in `left_out` are none.
    """
    links = [place for k, place in enumerate(places) if not (len(left_out) and left_out[k])]
    pairs = ((a, b) for k, a in enumerate(links) for b in links[k + 1 :])
    return len([1 for a, b in pairs if a > b])


# What was learned ----------------------------------------------------------------------------------------


@operation("rising d", "number", gives="")
def last_at_most(numbers: Sequence[float], limit: float) -> int:
    """The place of the last of some rising numbers that is not above the limit; of the first, where all are."""
    return max(int(np.searchsorted(numbers, limit, side="right")) - 1, 0)


@operation("moments", "place 2", gives="any")
def each_at(arrays: Mapping[str, np.ndarray], place: int) -> dict[str, np.ndarray]:
    """Of each array of a record what stands at one place: all parameters at one moment of their training."""
    return {name: array[place] for name, array in arrays.items()}


@operation("vectors n 2", "moves m n", "step", gives="n 2")
def moved_at(places: np.ndarray, moves: np.ndarray, step: float) -> np.ndarray:
    """Places on a plane after what a hand did at that step: moves are rows of step, row, right and up."""
    moved = np.array(places, dtype=float)
    for at, row, right, up in moves:
        if at == step and row < len(moved):
            moved[int(row), :2] += right, up
    return moved


@operation("vectors n d", "vectors n 2", "vectors n 2", "vectors d 2", gives="n d")
def lifted(vectors: np.ndarray, before: np.ndarray, after: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Vectors, moved as their places on two axes were: what the axes do not show stays."""
    return vectors + np.subtract(after, before) @ np.transpose(axes)


@operation("names n", "tokens 2 m n", gives="any")
def token_names(words: Sequence[str], tokens: np.ndarray) -> tuple[str, ...]:
    """A name for each token of a sentence, its features with a space between; the second *the* is the₂."""
    features = np.asarray(tokens, dtype=int)
    return labels([" ".join(words[k] for k in token) for token in features.T])


@operation("network n m d", "small m d", "tokens 2 n m", "flag", "flag", gives="ForwardPass")
def attention_network(
    parameters: Mapping[str, np.ndarray],
    embeddings: np.ndarray,
    tokens: np.ndarray,
    scaled: bool,
    causal: bool,
) -> training.ForwardPass:
    """What a small attention network, with these vectors of its words, does with one sentence."""
    sentence = np.asarray(tokens, dtype=int).T[None]
    given = {name: np.asarray(array, dtype=float) for name, array in parameters.items()}
    given["embeddings"] = np.asarray(embeddings, dtype=float)
    done = training.forward(given, sentence, scaled=bool(scaled), causal=bool(causal))
    return training.ForwardPass(
        tuple(x[0] for x in done.x), tuple(map(_only_sentence, done.layers)), done.logits[:, 0]
    )


def _only_sentence(trace: attention_core.AttentionTrace) -> attention_core.AttentionTrace:
    arrays = {name: array[0] for name, array in vars(trace).items() if np.ndim(array) > 2}
    return replace(trace, **arrays)


@dataclass(frozen=True)
class Weights:
    """A model's weights, which others hold anyway; equal to no others, even if these are as large."""

    arrays: Mapping[str, np.ndarray] = field(compare=False)
    id: int  # no other object has it while this one holds the arrays


READINGS = BoundedCache(256, 32_000_000, shared=(Weights,))  # what models did with texts


def remembered(function: Callable[..., Any]) -> Callable[..., Any]:
    """Keep the newest results of a function of weights, numbers of words and more: few of them change."""

    @wraps(function)
    def cached(weights: Mapping[str, np.ndarray], tokens: np.ndarray, *others: Any) -> Any:
        numbers, more = np.asarray(tokens, dtype=int), [np.asarray(each, dtype=float) for each in others]
        arrays = ((each.shape, each.tobytes()) for each in (numbers, *more))
        key = function.__name__, Weights(weights, id(weights)), *arrays
        if (result := READINGS.get(key)) is None:
            result = READINGS.put(key, function(weights, numbers, *more))
        return result

    return cached


@operation("language n m d", "tokens 1 n m", "small 2 3", gives="Reading")
@remembered
def read_text(weights: Mapping[str, np.ndarray], tokens: np.ndarray, strengths: np.ndarray) -> reading.Reading:
    """What a language model does with a text, where each head adds as much as its strength says."""
    return reading.read_text(reading.as_model(weights), tokens[0], strengths)


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
    model, text, now = reading.as_model(weights), np.asarray(tokens)[0], np.asarray(strengths, dtype=float)
    whole = reading.read_text(model, text, now).next_word[-1]
    answer, found = int(whole.argmax()), []
    for place in np.ndindex(now.shape):
        fewer = now.copy()
        fewer[place] = 0
        found.append(whole[answer] - reading.read_text(model, text, fewer).next_word[-1][answer])
    return np.array(found)


shifted_row = operation("weights 1 n", "small 1 n", gives="1 n")(explanations.shifted_row)
rearranged = operation("weights n m", "orders n m", gives="n m")(explanations.rearranged)
weights_apart = operation("weights n m", "weights n m", gives="")(explanations.weights_apart)


@operation("language n m d", "tokens 1 n m", "place 6", "weights n n", gives="Reading")
@remembered
def read_changed(
    weights: Mapping[str, np.ndarray], tokens: np.ndarray, head: int, pattern: np.ndarray
) -> reading.Reading:
    """What a language model does with a text where one head looks as a pattern says, instead of as it would."""
    return explanations.read_changed(reading.as_model(weights), tokens[0], int(head), pattern)


@operation("language n m d", "tokens 1 n m", "reader", "kept n", gives="Reading")
@remembered
def read_thinned(
    weights: Mapping[str, np.ndarray], tokens: np.ndarray, head: int, kept: np.ndarray
) -> reading.Reading:
    """What a language model does with a text whose words a head, or every head, can look at less."""
    return explanations.read_thinned(reading.as_model(weights), tokens[0], int(head), kept)


@operation("language n m d", "readings n d", "later", "place n", gives="n")
def handed_parts(weights: Mapping[str, np.ndarray], own: reading.Reading, head: int, place: int) -> np.ndarray:
    """Of what a word hands over in a head of the second layer, how much came from each word."""
    return explanations.handed_parts(reading.as_model(weights), own, int(head), int(place))


@operation("grid 1 n", "grid 1 n", gives="1 n")
def places_unlike(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """1 where two texts of the same length differ, and 0 elsewhere."""
    return np.not_equal(a, b).astype(float)


@operation("boxes 3 n d", "share 2", gives="n d")
def states_at(states: np.ndarray, depth: float) -> np.ndarray:
    """Vectors on the straight way from layer to layer: after so many of them, and so large a part of the next."""
    whole = min(int(depth), len(states) - 2)
    return states[whole] + (depth - whole) * (states[whole + 1] - states[whole])


@operation("vectors n m", "mask n m", gives="")
def mean_where(numbers: np.ndarray, mask: np.ndarray) -> float:
    """The mean of the numbers where the mask is open; undefined where it is nowhere."""
    found = np.asarray(numbers, dtype=float)[np.asarray(mask, dtype=bool)]
    return float(found.mean()) if found.size else np.nan


@operation("vectors n m", gives="")
def total(numbers: np.ndarray) -> float:
    """The sum of all numbers."""
    return float(np.sum(numbers))


@operation("grid 1 n", "grid 1 m", gives="")
def words_unlike(a: np.ndarray, b: np.ndarray) -> int:
    """In how many places two texts differ; what one has more counts, too."""
    one, other = np.asarray(a)[0], np.asarray(b)[0]
    shared = min(len(one), len(other))
    return int(np.not_equal(one[:shared], other[:shared]).sum()) + abs(len(one) - len(other))


@operation("translator n m d", "tokens 1 n m", "flag", "place 4", "bent n", gives="DecodedWords")
@remembered
def translation(
    parameters: Mapping[str, np.ndarray], tokens: np.ndarray, raw_values: bool, off: int, bent: np.ndarray
) -> models.DecodedWords:
    """What a translator makes of a text: `off` says, as a sum of 1 and 2, which heads hand nothing over."""
    heads_off = [head for head in (0, 1) if int(off) >> head & 1]
    decoded = translator.decode(parameters, tokens[0], bool(raw_values), heads_off, bent)
    said, next_word, _, _, across = decoded
    next_word.setflags(write=False)
    return models.DecodedWords(tuple(said), across.weights, next_word)


@operation("tokens 1 n m", "places v m", "mask m m", gives="v")
def translated_places(tokens: np.ndarray, said: Sequence[int], can_be: np.ndarray) -> tuple[int, ...]:
    """For each word said the place of the one that it translates, each place once, −1: of none.

    ``can_be[a][b]`` says whether word a can become word b.
    """
    free = [*map(int, np.asarray(tokens)[0])]
    found = []
    for word in said:
        place = next((k for k, other in enumerate(free) if other >= 0 and can_be[other][word]), -1)
        if place >= 0:
            free[place] = -1
        found.append(place)
    return tuple(found)


@operation("gold n m", "gold n m", gives="")
def places_lost(places: Sequence[int], before: Sequence[int]) -> int:
    """How many of the places that stood among those `before` stand nowhere now; −1 is no place."""
    return len({*map(int, before)} - {*map(int, places)} - {-1})


@operation("weights n m", "gold n m", gives="3")
def links_scored(weights: np.ndarray, gold: Sequence[int]) -> tuple[int, int, int]:
    """How many links are right, wrong and missed: a weight of half or more is a link."""
    return translator.score(np.asarray(weights, dtype=float), gold)


@operation("row d", "gold n d", "count", gives="")
def share_at(row_: Sequence[float], places: Sequence[int], step: int) -> float:
    """The number at the place that belongs to a step; 0 where none does."""
    return float(row_[places[step]]) if step < len(places) and places[step] >= 0 else 0.0


@operation("count", "places n m", gives="")
def no_later(step: int, said: Sequence[int]) -> int:
    """A step, or the last where there are not so many: one for each word and one for the end."""
    return min(step, len(said))


# Whole numbers -----------------------------------------------------------------------------------------


@operation("count", gives="any")
def unless_zero(size: int) -> int | None:
    """A size, or None for one of 0: then another stands in for it."""
    return size or None


@operation("size", "count", gives="any")
def dividing(whole: int, groups: int) -> int | None:
    """`groups` where they divide `whole` evenly, else None."""
    return groups if groups and whole % groups == 0 else None


@operation("size", "count", gives="")
def remainder(whole: int, by: int) -> int:
    """What a division leaves over; by 0, nothing."""
    return whole % by if by else 0
