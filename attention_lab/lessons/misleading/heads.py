"""What the experiments are made on: small heads trained here, and the shipped models; measured once, and kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations

import numpy as np

from attention_core import Task, TrainingRun, load_task, train
from attention_core.models import LanguageModel, explanations, grammar, language_model, reading
from attention_core.training import forward, without_answer
from attention_lab import language_models
from attention_lab.calculation import Results
from attention_lab.calculation.caches import SingleFlightCache, bounded
from attention_lab.language_models import ALL_ON, HEAD_NAMES, HEADS, LAYERS
from attention_lab.lesson import Program

TASK, THIRD = "which_apple", "unclear"
ANSWERS = ("two", "three")
ASKS = "apple"
SEEDS, STEPS, SENTENCES = 10_000, 300, 2048
FIRST_SEEDS = 12  # of which every pair is compared
MEASURED = 200  # held-out texts
MOST_HEADS, MOST_MEASURES, MOST_READINGS, MOST_BYTES = 64, 12, 512, 16_000_000


@lru_cache(2)
def task_of(answers: str) -> Task:
    """What a small head learns: *fruit* or *tech*, or, of three answers, also that it cannot be known."""
    three = load_task(TASK, SENTENCES)
    return three if answers == "three" else without_answer(three, THIRD)


WORDS = load_task(TASK, 0).words
OUTPUTS = load_task(TASK, 0).outputs[0]
#: of each word, in a column for each answer but *unclear*, whether it tells that answer
FRUIT_WORDS, TECH_WORDS = WORDS[1:5], WORDS[5:9]
TELLS_OF = np.array([[float(word in of) for of in (FRUIT_WORDS, TECH_WORDS)] for word in WORDS])

_HEADS = SingleFlightCache(MOST_HEADS, MOST_BYTES, shared=(Task,))
_MEASURES = SingleFlightCache(MOST_MEASURES, MOST_BYTES)


@dataclass(frozen=True, eq=False)
class SmallHead:
    """One head at the end of its training."""

    run: TrainingRun
    parameters: dict[str, np.ndarray]
    rows: np.ndarray  # (sentences, n), where the asking word looks in each of those held out
    answers: np.ndarray  # (sentences,)
    right: float  # the share of them that it answers rightly
    share: np.ndarray  # (2,), of those with one telling word of an answer: the mean weight on that word
    alone: tuple[int, int]  # how many those are

    @property
    def missed(self) -> int:
        """The answer whose word it looks at less."""
        return int(self.share.argmin())


def small_head(seed: int, answers: str = ANSWERS[0]) -> SmallHead:
    """The head of that seed."""
    return _HEADS.compute((seed, answers), lambda: _trained(seed, answers))


def _trained(seed: int, answers: str) -> SmallHead:
    task = task_of(answers)
    run = train(task, seed, STEPS)
    parameters = {name: array.astype(float) for name, array in run.at(-1).items()}
    sentences, targets = task.sentences[task.held_out], task.targets[task.held_out]
    every, asks = np.arange(len(sentences)), (sentences == WORDS.index(ASKS)).argmax(axis=1)
    done, right = forward(parameters, sentences), targets[every, asks, 0]
    rows, answers = done.layers[0].weights[every, 0, asks], done.probabilities[0, every, asks].argmax(axis=1)
    telling = TELLS_OF[sentences]  # (sentences, n, 2)
    alone = [(right == of) & (telling[..., of].sum(axis=1) == 1) for of in (0, 1)]
    share = [float((rows * telling[..., of]).sum(axis=1)[alone[of]].mean()) for of in (0, 1)]
    counts = (int(alone[0].sum()), int(alone[1].sum()))
    return SmallHead(run, parameters, rows, answers, float((answers == right).mean()), np.array(share), counts)


def to_lists(parameters: dict[str, np.ndarray]) -> dict[str, list]:
    """Return parameters as lists, for the payload."""
    return {name: array.tolist() for name, array in parameters.items()}


def compared(one: int, other: int) -> dict[str, float]:
    """How far the rows of two seeds' heads are apart, over all held-out sentences, and how often they agree."""
    a, b = small_head(one), small_head(other)
    return {
        "apart": explanations.total_variation_distance(a.rows, b.rows),
        "agree": float((a.answers == b.answers).mean()),
    }


@cache
def every_pair() -> list[dict[str, float]]:
    """The same of every two of the first seeds."""
    return [compared(*pair) for pair in combinations(range(FIRST_SEEDS), 2)]


def program(now: Results, trained: Sequence[Mapping[str, list]]) -> Program:
    """What the programs begin with: the sentence, the numbers of these heads, and what a hand has shifted."""
    constants = {
        "words": list(now.words),
        "tokens": now.tokens[0].astype(int).tolist(),
        "heads": trained,
        "shifted": now.shifted[0].tolist(),
        "outputs": list(OUTPUTS),
    }
    return Program("misleading", constants, {})


# The shipped models ------------------------------------------------------------------------------------------


@lru_cache(8)
def model_of(name: str) -> LanguageModel:
    """A shipped model as the page calculates with it."""
    return reading.as_model(language_models.load_model(name).packed.arrays)


@bounded(MOST_READINGS, MOST_BYTES)
def own_reading(name: str, tokens: tuple[int, ...]) -> reading.Reading:
    """What a model does with a text when nobody interferes."""
    return read(name, tokens)


def read(name: str, tokens: tuple[int, ...]) -> reading.Reading:
    """The same for one of many texts, none of which is kept."""
    return reading.read_text(model_of(name), tokens, ALL_ON)


@cache
def held_out() -> tuple[tuple[int, ...], ...]:
    """Different texts that no model was trained on, each up to where its last knowable word is to be said."""
    known = (text for text in grammar.texts(language_model.MEASURED_SEED, held_out=True) if text.slots)
    result: dict[tuple[int, ...], None] = {}
    while len(result) < MEASURED:
        text = next(known)
        result[tuple(grammar.PLACE_OF[word] for word in text.words[: text.slots[-1].place + 1])] = None
    return tuple(result)


def other_text(tokens: tuple[int, ...]) -> tuple[int, ...]:
    """As many words of another text, one that begins otherwise: whose weights are frozen."""
    n = len(tokens)
    return next(text[:n] for text in held_out() if len(text) >= n and text[:3] != tokens[:3])


def measured(what: str, name: str) -> np.ndarray:
    """What `measure_swaps` or `measure_deletion` of `explanations` finds in a model over the held-out texts."""
    measure = getattr(explanations, what)
    return _MEASURES.compute((what, name), lambda: measure(model_of(name), held_out()))


@bounded(MOST_READINGS, MOST_BYTES)
def unlike(name: str, tokens: tuple[int, ...], head: int, place: int) -> tuple[np.ndarray, float]:
    """The row most unlike a head's own with which the answer stays, and how far it is."""
    return explanations.most_unlike(model_of(name), tokens, head, place)


@lru_cache(64)
def breakable(name: str, tokens: tuple[int, ...]) -> bool:
    """Whether all weight of some head on one word, at the last word, changes the answer."""
    model, own = model_of(name), own_reading(name, tokens)
    n = len(tokens)
    ways = np.repeat(own.weights[:, None], n, axis=1)
    ways[:, range(n), -1] = np.eye(n)
    return bool((explanations.last_answers(model, own, ways) != own.next_word[-1].argmax()).any())


@lru_cache(64)
def effects(name: str, tokens: tuple[int, ...]) -> np.ndarray:
    """By how much the logarithm of the answer's share falls with each word taken out, (heads + 1, n)."""
    answer = int(own_reading(name, tokens).next_word[-1].argmax())
    return explanations.effects_of_deletion(model_of(name), tokens, answer)


@dataclass(frozen=True)
class Matched:
    """The heads of one model, each beside the one of the other whose patterns are nearest."""

    pairs: tuple[tuple[str, str, float], ...]
    agree: float  # the share of texts after which both say the same


def matched(one: str, other: str) -> Matched:
    """The two shipped models, layer by layer, over the held-out texts."""
    return _MEASURES.compute(("matched", one, other), lambda: _matched(one, other))


def _matched(one: str, other: str) -> Matched:
    distances, same = np.zeros((LAYERS, HEADS, HEADS)), 0
    for tokens in held_out():
        a, b = read(one, tokens), read(other, tokens)
        for layer in range(LAYERS):
            of = slice(layer * HEADS, (layer + 1) * HEADS)
            distances[layer] += explanations.pattern_distances(a.weights[of], b.weights[of])
        same += int(a.next_word[-1].argmax() == b.next_word[-1].argmax())
    distances /= len(held_out())
    pairs = [
        (
            HEAD_NAMES[layer * HEADS + head],
            HEAD_NAMES[layer * HEADS + beside],
            float(distances[layer, head, beside]),
        )
        for layer in range(LAYERS)
        for head, beside in enumerate(explanations.best_matching(distances[layer]))
    ]
    return Matched(tuple(pairs), same / len(held_out()))


@dataclass(frozen=True, eq=False)
class Necessary:
    """What one would think of each head from its weights, and what breaks without it."""

    sharp: np.ndarray  # (heads,), the mean of the largest weight of the last word's row
    broken: np.ndarray  # (heads,), the part of the next words that are no longer right with the head off
    kinds: int  # of answers, of which that is the mean
    chance: float  # how often random orders agree, or disagree, as much as those of the two


def necessary(name: str) -> Necessary:
    """Over the held-out texts: how sharply each head looks, and how many answers are lost without it."""
    return _MEASURES.compute(("necessary", name), lambda: _necessary(name))


def _necessary(name: str) -> Necessary:
    rows = np.array([read(name, tokens).weights[:, -1].max(axis=-1) for tokens in held_out()])
    whole = language_models.answers_without(name, None)
    broken = [
        np.mean([whole[kind] - share for kind, share in language_models.answers_without(name, head).items()])
        for head in range(len(HEAD_NAMES))
    ]
    sharp, lost = rows.mean(axis=0), np.array(broken, dtype=float)
    return Necessary(sharp, lost, len(whole), explanations.by_chance(sharp, lost))


def telling_word(now: Results) -> str:
    """The first word of a small head's sentence that tells what *apple* means, else the first word."""
    tells = (k for k, to_lists in enumerate(TELLS_OF[now.tokens[0].astype(int)]) if to_lists.any())
    return now.words[next(tells, 0)]
