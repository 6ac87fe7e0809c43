"""The operations of which calculations are made: each once, with its Python function and its shapes.

What only one lesson needs lies with that lesson, in its ``operations.py``. Each has a twin in JavaScript with the
same name: in ``attention_lab/figure/browser/mathematics.js``, in ``models.js`` beside it, or in the lesson's
``operations.js``. One test draws random arguments of the kinds given here, and holds both twins to each other and
to the shape of the result.

A kind says what an argument is, and its size in letters that mean the same throughout one operation:

- ``vectors n d``: any numbers; ``small n d``: about 1; ``scores n m``: of them some −∞; ``gaps n m``: some −∞,
  zero or undefined; ``weights n m``: rows of shares; ``mask n m``: true or false; ``grid n m``: 0 or 1
- ``row d``: one row, as a list; ``rising d``: one whose numbers rise; ``number``: any; ``positive``: above 0;
  ``place n``: a whole number below n; ``rank n``: one from 1 to n; ``places m n``: m below n;
  ``size``: a whole number up to 10¹²; ``count``: one from 0 to 8; ``tile``: one from 1 to 4; ``flag``
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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

import numpy as np

import attention_core
from attention_core import training
from attention_core.models import reading
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
scaled_dot_product_attention = operation(
    *("vectors n d", "vectors m d", "vectors m v", "none|mask n m?", "none|number?"),
    gives="AttentionTrace",
    reads={"query": (0,), "key": (1,), "value": (2,), "scores": (0, 1), "weights": (0, 1, 3, 4)},
)(core.scaled_dot_product_attention)
pattern_entries = operation("size", gives="")(core.pattern_entries)


# Arithmetic, as ``@ + - * /`` write it ---------------------------------------------------------------------

matmul = operation("vectors n d", "vectors d m", gives="n m")(np.matmul)
add = operation("vectors n d", "vectors n d", gives="n d")(np.add)
subtract = operation("vectors n d", "vectors n d", gives="n d")(np.subtract)
multiply = operation("vectors n d", "number", gives="n d")(np.multiply)
divide = operation("scores n m", "positive", gives="n m")(np.divide)


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


@operation("row d", gives="any")
def triangle(numbers: np.ndarray) -> np.ndarray:
    """The square matrix whose lower triangle these numbers fill row by row; a row begun in vain is left out."""
    n = int((np.sqrt(8 * len(numbers) + 1) - 1) / 2)
    result = np.zeros((n, n))
    result[np.tril_indices(n)] = np.asarray(numbers)[: n * (n + 1) // 2]
    return result


@operation("vectors n d", "place n", gives="1 d")
def row(matrix: np.ndarray, place: int) -> np.ndarray:
    """One row, as a matrix of its own."""
    return matrix[[place]]


@operation("place 2", "vectors n d", "vectors m d…", gives="any")
def pick(place: int, *among: Any) -> Any:
    """One of several, by its number."""
    return among[place]


@operation("vectors o d", "vectors m d…", gives="any")
def first_nonempty(*among: np.ndarray) -> np.ndarray:
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


transpose = operation("vectors n d", gives="d n")(np.transpose)


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


# Numbers -----------------------------------------------------------------------------------------------


@operation("vectors n d", gives="n")
def norms(vectors: np.ndarray) -> np.ndarray:
    """Return the Euclidean norm of each row."""
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
def max_abs_difference(a: np.ndarray, b: np.ndarray) -> float:
    """Return the largest absolute difference between two matrices, element by element."""
    return np.abs(np.subtract(a, b)).max(initial=0)


@operation("weights n m", gives="n")
def row_sums(matrix: np.ndarray) -> np.ndarray:
    """The sum of each row; of a mask, how many cells are open."""
    return np.asarray(matrix).sum(axis=1)


# Scores and masks --------------------------------------------------------------------------------------


@operation("mask n m", "mask n m", gives="")
def count_unlike(a: np.ndarray, b: np.ndarray) -> int:
    """In how many cells two grids differ."""
    return int(np.not_equal(a, b).sum())


# What was learned ----------------------------------------------------------------------------------------


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
    arrays = {name: np.asarray(array, dtype=float) for name, array in parameters.items()}
    arrays["embeddings"] = np.asarray(embeddings, dtype=float)
    done = training.forward(arrays, sentence, scaled=bool(scaled), causal=bool(causal))
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


@operation("boxes 3 n d", "share 2", gives="n d")
def states_at(states: np.ndarray, depth: float) -> np.ndarray:
    """Vectors on the straight way from layer to layer: after so many of them, and so large a part of the next."""
    whole = min(int(depth), len(states) - 2)
    return states[whole] + (depth - whole) * (states[whole + 1] - states[whole])


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
