"""What the page shows of the recorded runs, prepared once for all readers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import product

import numpy as np

from attention_core import load_recorded_runs
from attention_core.models import unreadable
from attention_core.models.recorded import LARGEST, RecordedAnswer, RecordedRun, to_triangle
from attention_lab.calculation import BinaryArrays, pack_arrays
from attention_lab.text.labels import labels, shown

FILE = "smollm2"
MEASURES = ("first", "effect", "induction", "previous", "same")
SHOWN = 5  # next tokens
SHARPEST = 6  # heads of a group that can be switched off together


def missing() -> bool:
    """Whether there are no recorded runs."""
    return bool(unreadable((FILE,)))


@dataclass(frozen=True, eq=False)
class Prepared:
    """A recorded text up to its answer."""

    run: RecordedRun

    @property
    def answers(self) -> tuple[RecordedAnswer, ...]:
        """The token that the model predicts; where it is wrong, the right one, too."""
        return self.run.answers

    @cached_property
    def weights(self) -> np.ndarray:
        """The weights of the tokens before the answer, (heads, n, n)."""
        n = self.run.start + self.answers[0].step
        return self.run.weights_by_head[:, :n, :n]

    @cached_property
    def stored(self) -> np.ndarray:
        """The same with 16 bits, row by row, (heads, n (n + 1) / 2)."""
        return to_triangle(self.weights)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The tokens before the answer as they are shown."""
        return tuple(map(shown, self.run.tokens[: self.weights.shape[-1]]))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for each of them."""
        return labels(self.tokens)

    @cached_property
    def effects(self) -> np.ndarray:
        """What each head off changes in ln p, (answers, heads)."""
        return np.stack([answer.effects.ravel() for answer in self.answers]).astype(float)

    @cached_property
    def with_head_off(self) -> np.ndarray:
        """The answers' probabilities with each head off, (answers, heads)."""
        return np.array([[answer.probability] for answer in self.answers]) * np.exp(self.effects)

    @cached_property
    def measures(self) -> np.ndarray:
        """Each of `MEASURES` for all heads, (measures, heads)."""
        of_model = load_recorded_runs().measures
        later = np.arange(1, len(self.tokens))
        to_first = self.stored[:, later * (later + 1) // 2] / LARGEST  # where rows begin
        here = {"first": to_first.mean(axis=1), "effect": self.effects[0]}
        return np.stack([here[name] if name in here else of_model[name].ravel() for name in MEASURES])

    @property
    def uniform(self) -> float:
        """What uniform attention would give the first token, as this mean over all later queries."""
        return float((1 / np.arange(2, len(self.tokens) + 1)).mean())

    @cached_property
    def packed(self) -> BinaryArrays:
        """The arrays as they travel: weights with 16 bits, row by row."""
        arrays = {"effects": self.effects, "with_head_off": self.with_head_off, "measures": self.measures}
        return pack_arrays({"weights": self.stored} | arrays)

    @cached_property
    def next_tokens(self) -> list[list[dict]]:
        """Of each intervention the rows of next tokens: as it is, one head off, the first token closed."""
        step, answers = self.answers[0].step, [answer.token for answer in self.answers]
        before = dict(zip(self.run.top_tokens[step], map(float, self.run.top_probabilities[step]), strict=True))
        closed = dict(zip(self.run.closed_tokens, map(float, self.run.closed_probabilities), strict=True))
        as_it_is, first_closed = (_rows(of, answers, before) for of in (before, closed))
        one_off = [row | {"p": None} for row in as_it_is]
        return [as_it_is, one_off, first_closed]


def _rows(of: Mapping[str, float], answers: list[str], before: Mapping[str, float]) -> list[dict]:
    """The likeliest tokens, the answers among them, each with its probability before."""
    tokens = list(of)[:SHOWN]
    for answer in answers:
        if answer not in tokens:
            tokens[-1] = answer
    names = labels(list(map(shown, tokens)))
    return [
        {"name": name, "p": of[token], "was": before.get(token)}
        | ({"answer": answers.index(token)} if token in answers else {})
        for name, token in zip(names, tokens, strict=True)
    ]


@lru_cache(16)
def prepared(name: str) -> Prepared:
    """Return a recorded text, ready for the page."""
    return Prepared(load_recorded_runs().runs[name])


@cache
def groups() -> tuple[tuple[str, ...], ...]:
    """The names of the six induction heads, and of six other heads of their layers."""
    runs = load_recorded_runs()
    six = [runs.head_names[k] for k in np.argsort(-runs.measures["induction"], axis=None)[:SHARPEST]]
    largest = [each.heads for each in runs.ablations if len(each.heads) == SHARPEST]
    return tuple(six), next(heads for heads in largest if set(heads) != set(six))


@cache
def perplexities() -> list[list[list[float]]]:
    """The perplexity of each choice of heads off, by group: that of the bits b has the place Σ b · 2^k."""
    of = {frozenset(each.heads): each.perplexity for each in load_recorded_runs().ablations}
    return [[[of[_off(heads, bits)]] for bits in choices()] for heads in groups()]


def choices() -> list[tuple[int, ...]]:
    """Every choice among six, the first of them changing fastest."""
    return [bits[::-1] for bits in product((0, 1), repeat=SHARPEST)]


def _off(heads: Iterable[str], bits: Iterable[int]) -> frozenset[str]:
    return frozenset(head for head, bit in zip(heads, bits, strict=True) if bit)
