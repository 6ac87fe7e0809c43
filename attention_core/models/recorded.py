"""Runs of a language model that were recorded once, for pages and files that have to do without the model.

The shipped ones are of SmolLM2-135M-Instruct. `tools/training/record_smollm2.py` makes them and holds all texts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_core import checks
from attention_core.models import weights
from attention_core.models.gallery import names_of_heads

NAME = "smollm2"
LARGEST = 2**16 - 1  # a weight of 1 in the file


@dataclass(frozen=True, eq=False)
class RecordedAnswer:
    """A token that may follow, its probability, and what interventions change. The array is read-only."""

    token: str
    number: int  #: its index in the vocabulary
    step: int  #: the step of the continuation, from 0, at which it may be written
    probability: float
    first_closed: float  #: its probability where no later token may attend to the first
    effects: np.ndarray = field(repr=False)  #: (layers, heads), the change of ln p with one head off


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """A text and its greedy continuation, n tokens together. Every array is read-only.

    The weights are rounded to 16 bits in the file, and rows are normalised when it is read: each weight is at
    most 1e-4 from the model's. The row of a written token's step is that of the token before it: step k has
    row start + k − 1.
    """

    text: str
    tokens: tuple[str, ...]  #: n
    numbers: tuple[int, ...]  #: n, the tokens' indices in the vocabulary
    start: int  #: the number of the text's own tokens; the others are its continuation
    weights: np.ndarray = field(repr=False)  #: (layers, heads, n, n), rows sum to 1
    value_lengths: np.ndarray = field(repr=False)  #: (layers, kv_heads, n), of each token's value vector
    top_tokens: tuple[tuple[str, ...], ...] = field(repr=False)  #: (steps, 50), the most probable of each step
    top_numbers: np.ndarray = field(repr=False)  #: (steps, 50), their indices in the vocabulary
    top_probabilities: np.ndarray = field(repr=False)  #: (steps, 50), the model's own, as those of the answers
    #: (50,), the most probable where no later token may attend to the first, at the step of the answers
    closed_tokens: tuple[str, ...] = field(repr=False)
    closed_probabilities: np.ndarray = field(repr=False)  #: (50,)
    answers: tuple[RecordedAnswer, ...]  #: the most probable token; where it is wrong, the right one, too

    @property
    def continuation(self) -> tuple[str, ...]:
        """The tokens that the model has written."""
        return self.tokens[self.start :]

    @property
    def weights_by_head(self) -> np.ndarray:
        """The weights, (layers · heads, n, n), with heads counted through all layers."""
        return self.weights.reshape(-1, *self.weights.shape[2:])


@dataclass(frozen=True)
class Ablation:
    """The perplexity of repeated random tokens with these heads off.

    Each of four texts has 40 random tokens, words or beginnings of words, three times in the same order. The
    perplexity is that of the third time, 160 tokens together: the exponential of the mean of −ln p.
    """

    heads: tuple[str, ...]  #: their names as in `RecordedRuns.head_names`; none where no head is off
    perplexity: float


@dataclass(frozen=True, eq=False)
class RecordedRuns:
    """Recorded runs by name, and what was measured of the same model on other texts.

    A head is measured by the mean weight that it gives, (layers, heads): in prose to the `previous` and the
    `first` token, in repeated random tokens to earlier occurrences of the `same` token and to the tokens after
    these (`induction`); the first token of the text counts in neither of the last two.

    `window_perplexities[w, f]` is the perplexity of 300 tokens of the prose, 101 to 400 counted from 0, under
    `MayAttend(window=w - f, first=f)`: the f first tokens are among the w. The whole text has w None and f 0.

    The prose stands in `tools/training/record_smollm2.py` as `PROSE`, and `repeated` makes the random tokens:
    seeds 0 to 3 for the measures, 4 to 7 for the ablations.
    """

    runs: Mapping[str, RecordedRun] = field(repr=False)
    measures: Mapping[str, np.ndarray] = field(repr=False)  #: previous, first, same and induction
    #: every choice of six induction heads, from none to all, and of six other heads of their layers
    ablations: tuple[Ablation, ...] = field(repr=False)
    window_perplexities: Mapping[tuple[int | None, int], float] = field(repr=False)  #: by w, f
    #: perplexities of the same tokens of the prose: `fifth_kept` under the window of 64 with the fifth token in
    #: place of the first, `averaged_kv_heads` with the mean of each layer's key/value heads for all of them,
    #: `induction_off` with the six induction heads of `ablations` off, `others_off` with the six others off
    controls: Mapping[str, float]
    record: Mapping[str, Any]  #: model, source, package, licence, sha256 of its file, layers, heads, kv_heads …

    @property
    def head_names(self) -> tuple[str, ...]:
        """The name of every head: its layer and its number in it, both counted from 1, such as ``19.7``.

        `heads_off` of `PretrainedModel` counts both from 0: this head is (18, 6) there.
        """
        return names_of_heads(self.record)


@cache
def load_recorded_runs() -> RecordedRuns:
    """Load the shipped runs of SmolLM2-135M-Instruct, cached. Raises `ValueError` where they cannot be read.

    >>> run = load_recorded_runs().runs["france"]
    >>> run.text, run.answers[0].token, round(run.answers[0].probability, 2)
    ('The capital of France is', ' Paris', 0.77)
    """
    arrays, record = weights.load(NAME, (NAME,))
    try:
        runs = {name: _run(name, arrays, record) for name in record["runs"]}
        measures = {name: arrays[f"measures/{name}"] for name in record["measures"]}
        ablations = tuple(Ablation(tuple(heads), value) for heads, value in record["ablations"])
        windows = {(window, first): value for window, first, value in record["windows"]}
        controls = MappingProxyType(record["controls"])
    except KeyError as error:
        raise ValueError(f"the recorded runs have no {error}") from None
    plain = {name: value for name, value in record.items() if isinstance(value, str | int)}
    runs, measures, windows, plain = map(MappingProxyType, (runs, measures, windows, plain))
    return RecordedRuns(runs, measures, ablations, windows, controls, plain)


def _run(name: str, arrays: Mapping[str, np.ndarray], record: Mapping[str, Any]) -> RecordedRun:
    kept, texts = record["runs"][name], record["tokens"]
    numbers, probabilities = arrays[f"{name}/top_numbers"], arrays[f"{name}/top_probabilities"]
    answers = [
        RecordedAnswer(token=texts[str(each["number"])], effects=effects, **each)
        for each, effects in zip(kept["answers"], arrays[f"{name}/effects"], strict=True)
    ]
    return RecordedRun(
        kept["text"],
        tuple(texts[str(number)] for number in kept["numbers"]),
        tuple(kept["numbers"]),
        kept["start"],
        checks.frozen(from_triangle(arrays[f"{name}/weights"], len(kept["numbers"]))),
        checks.frozen(arrays[f"{name}/value_lengths"].astype(np.float32)),
        tuple(tuple(texts[str(number)] for number in row) for row in numbers),
        numbers,
        probabilities,
        tuple(texts[str(number)] for number in arrays[f"{name}/closed_numbers"]),
        arrays[f"{name}/closed_probabilities"],
        tuple(answers),
    )


def sixteen_bits(weights: np.ndarray) -> np.ndarray:
    """Return weights from 0 to 1 as 16-bit numbers, at most 1e-5 off."""
    return np.round(weights * LARGEST).astype(np.uint16)


def to_triangle(weights: np.ndarray) -> np.ndarray:
    """Return the weights (…, n, n) of a causal mask as 16-bit numbers, (…, n (n + 1) / 2), row by row."""
    return sixteen_bits(weights[..., *np.tril_indices(weights.shape[-1])])


def from_triangle(stored: np.ndarray, n: int) -> np.ndarray:
    """Return the weights (…, n, n) that `to_triangle` has stored; rows sum to 1.

    >>> from_triangle(to_triangle(np.array([[1.0, 0], [0.25, 0.75]])), 2).round(3)
    array([[1.  , 0.  ],
           [0.25, 0.75]], dtype=float32)
    """
    weights = np.zeros((*stored.shape[:-1], n, n), np.float32)
    weights[..., *np.tril_indices(n)] = stored
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights
