"""Tasks for a head: sentences, the output that each word must have, and the position of its answer.

A task generates its sentences from a few words and a seed. All sentences of a task have the same length
and no padding: where optional words are missing, an ending ("all day long") takes their place.
"""

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attention_core import checks
from attention_core.training.settings import SETTINGS

HELD_OUT = 8  # one of so many different sentences is held out
MOST_SENTENCES = 100_000  # of a task: more would need gigabytes


@dataclass(frozen=True, eq=False)
class Task:
    """A task with its data. Every array is read-only.

    A *group* is a question about a word, with its own outputs; most tasks have one, some have two.
    """

    name: str
    words: tuple[str, ...]  #: the vocabulary
    outputs: tuple[tuple[str, ...], ...]  #: the possible outputs of each group, equally many
    sentences: np.ndarray  #: (size, n) indices into `words`, or (size, n, features)
    targets: np.ndarray  #: (size, n, groups) indices into `outputs[group]`, −1 = not asked
    answers: np.ndarray  #: boolean, (size, groups, n, n): the positions (column) of a word's (row) answer
    groups: tuple[str, ...]  #: the name of each group
    held_out: np.ndarray  #: boolean, (size,): True = only measured, never trained on
    settings: dict = field(default_factory=dict)  #: the defaults of `train` for this task
    shown: np.ndarray = field(default_factory=lambda: np.arange(0))  #: indices of a few held-out sentences

    @property
    def chance(self) -> float:
        """The loss of uniform predictions: ln of the number of outputs."""
        return float(np.log(len(self.outputs[0])))

    def sentence(self, index) -> tuple[str, ...]:
        """Return the words of one sentence; the features of a token are separated by a space."""
        tokens = self.sentences[index].reshape(self.sentences.shape[1], -1)
        return tuple(" ".join(self.words[feature] for feature in token) for token in tokens)


class _Drawn(NamedTuple):
    """What a task draws; the names are those of a `Task`."""

    words: list
    outputs: list
    groups: tuple
    sentences: np.ndarray
    targets: np.ndarray
    answers: np.ndarray
    settings: dict = MappingProxyType({})


def task_names():
    """Return the names of all tasks: those for one layer, the easiest first, then those that need two.

    >>> "which_apple" in task_names()
    True
    """
    return tuple(_TASKS)


def load_task(name, size=2048, seed=0):
    """Generate a `Task` with `size` sentences; deterministic for a seed.

    One in eight of the different sentences is held out with all its repetitions, so that no sentence
    is both trained on and measured. In a task without positions, sentences of the same words count as
    the same. Raises `ValueError`, naming the known tasks, for an unknown name, and for more than 100,000
    sentences.

    >>> task = load_task("which_apple", size=4)
    >>> task.sentences.shape[0]
    4
    """
    if name not in _TASKS:
        raise ValueError(f"no task is called {name!r}; there are {', '.join(_TASKS)}")
    size, seed = checks.whole_number(size, "size", 0, MOST_SENTENCES), checks.whole_number(seed, "seed", 0)
    rng = np.random.default_rng([seed, len(name), *name.encode()])
    drawn = _TASKS[name](size, rng)
    sentences = drawn.sentences
    ordered = drawn.settings.get("positions", True)
    held_out = _held_out(sentences if ordered else _sets(sentences, len(drawn.words)), rng)
    asked = (drawn.targets[held_out] >= 0).any(axis=(1, 2))
    return Task(
        name=name,
        words=tuple(drawn.words),
        outputs=tuple(tuple(words) for words in drawn.outputs),
        sentences=checks.frozen(sentences),
        targets=checks.frozen(drawn.targets),
        answers=checks.frozen(drawn.answers),
        groups=drawn.groups,
        held_out=checks.frozen(held_out),
        settings=SETTINGS | drawn.settings,
        shown=checks.frozen(_first_occurrences(sentences, np.flatnonzero(held_out)[asked])[:8]),
    )


def as_task(task):
    """Return a `Task`; a name is loaded. Raises `ValueError` for anything else."""
    if isinstance(task, str):
        return load_task(task)
    if not isinstance(task, Task):
        raise ValueError(f"task must be a Task, as load_task returns, or the name of one, got {task!r}")
    return task


def without_answer(task, answer, group=0):
    """Return the task without one of its outputs and without the sentences with that target.

    Raises `ValueError`, naming the known outputs, for an unknown `answer`.
    """
    known = task.outputs[group]
    if answer not in known:
        raise ValueError(f"no answer of {task.name} is {answer!r}; there are {', '.join(known)}")
    index = known.index(answer)
    remaining = (task.targets[..., group] != index).all(axis=1)
    targets = task.targets[remaining].copy()
    targets[..., group] -= targets[..., group] > index
    shown = np.isin(np.flatnonzero(remaining), task.shown).nonzero()[0]
    return replace(
        task,
        outputs=tuple(
            tuple(word for word in words if of != group or word != answer)
            for of, words in enumerate(task.outputs)
        ),
        sentences=checks.frozen(task.sentences[remaining]),
        targets=checks.frozen(targets),
        answers=checks.frozen(task.answers[remaining]),
        held_out=checks.frozen(task.held_out[remaining]),
        shown=checks.frozen(shown),
    )


def _held_out(sentences, rng):
    """Choose some of the different sentences, with all their repetitions: boolean, (size,)."""
    _, group = np.unique(_flat(sentences), axis=0, return_inverse=True)
    count = int(group.max(initial=-1)) + 1
    chosen = rng.permutation(count)[: -(-count // HELD_OUT) if count > 1 else 0]
    return np.isin(group.ravel(), chosen)


def _sets(sentences, words):
    """The set of tokens of each sentence as a sorted row, (size, n), filled with −1 for repetitions."""
    tokens = sentences if sentences.ndim == 2 else sentences @ words ** np.arange(sentences.shape[2])
    tokens = np.sort(tokens, axis=1)
    repeated = np.zeros_like(tokens, bool)
    repeated[:, 1:] = tokens[:, 1:] == tokens[:, :-1]
    return np.sort(np.where(repeated, -1, tokens), axis=1)


def _flat(sentences):
    """The sentences as rows, (size, n · features), also for size 0."""
    return sentences.reshape(len(sentences), int(np.prod(sentences.shape[1:])))


def _first_occurrences(sentences, indices):
    """The indices of sentences that do not repeat an earlier one."""
    _, first = np.unique(_flat(sentences[indices]), axis=0, return_index=True)
    return indices[np.sort(first)]


def _empty(size, n, groups=1):
    """Targets and answers where nothing is asked."""
    return np.full((size, n, groups), -1), np.zeros((size, groups, n, n), bool)


# Word order does not matter

_FRUIT, _TECH = ["orange", "pie", "juice", "ate"], ["phone", "laptop", "screen", "update"]
_NEITHER = ["the", "a", "and", "with", "i", "my"]


def _which_apple(size, rng):
    """*Apple* among five words, of which one or two are about fruit, or about technology, or none is."""
    words, n = ["apple", *_FRUIT, *_TECH, *_NEITHER], 6
    sense, several = rng.integers(3, size=size), rng.integers(1, 3, size)
    context = 1 + 4 * (sense[:, None] % 2) + rng.integers(4, size=(size, n - 1))
    neither = 9 + rng.integers(6, size=(size, n - 1))
    informative = (np.arange(n - 1) < several[:, None]) & (sense[:, None] < 2)
    sentences = np.hstack([np.zeros((size, 1), int), np.where(informative, context, neither)])
    sentences = rng.permuted(sentences, axis=1)

    every, apple = np.arange(size), (sentences == 0).argmax(axis=1)
    targets, answers = _empty(size, n)
    targets[every, apple, 0] = sense
    answers[every, 0, apple] = (sentences >= 1) & (sentences <= 8)
    return _Drawn(
        words,
        [["fruit", "tech", "unclear"]],
        ("sense",),
        sentences,
        targets,
        answers,
        {"d_model": 2, "positions": False},
    )


# Only positions matter

_LETTERS = list("abcdefghij")


def _letters(size, rng, groups, sources):
    """Random letters; in each group the target at position i is the letter at `sources[group][i]`, if any."""
    n = 8
    sentences = rng.integers(len(_LETTERS), size=(size, n))
    targets, answers = _empty(size, n, len(groups))
    for group, positions in enumerate(sources):
        for i, j in positions.items():
            targets[:, i, group], answers[:, group, i, j] = sentences[:, j], True
    return _Drawn(_LETTERS, [_LETTERS] * len(groups), groups, sentences, targets, answers)


def _both_neighbours(size, rng):
    previous, following = {i: i - 1 for i in range(1, 7)}, {i: i + 1 for i in range(1, 7)}
    return _letters(size, rng, ("previous", "next"), [previous, following])._replace(settings={"num_heads": 2})


# Two nouns with their adjectives

_NOUNS, _VERBS = ["creature", "forest", "robot", "river", "castle", "cat"], ["roamed", "saw", "left", "loved"]


def _two_phrases(size, rng, before_nouns, endings):
    """Sentences *the … noun verb the … noun*, with an ending in place of missing words.

    `before_nouns` holds for each of the two nouns a table of words, (size, ·), with "" for a missing one.
    Returns the words, (size, n); the position of each column's word; and the columns of the two nouns.
    """
    nouns = [np.array(_NOUNS)[rng.integers(len(_NOUNS), size=size)] for _ in range(2)]
    verb = np.array(_VERBS)[rng.integers(len(_VERBS), size=size)]
    the = np.full(size, "the")
    first, second = before_nouns
    columns = [the, *first.T, nouns[0], verb, the, *second.T, nouns[1]]
    table = np.column_stack(columns).astype("U12")
    ending = np.zeros((len(endings), len(endings) - 1), "U12")
    for missing, words in enumerate(endings):
        ending[missing, :missing] = words
    table = np.hstack([table, ending[(table == "").sum(axis=1)]])
    present = table != ""
    positions = present.cumsum(axis=1) - 1

    n, width = len(columns), first.shape[1]
    return table[present].reshape(size, n), positions, (1 + width, 4 + 2 * width)


def _indices(table, words):
    order = np.argsort(words)
    return order[np.searchsorted(np.array(words)[order], table)]


_OWN = ["fluffy", "blue", "green", "spiky", "old", "shiny"]


def _own_adjective(size, rng):
    """*The [very] adjective noun verb the [very] adjective noun*: the target of each noun is its adjective."""
    of_noun = rng.integers(len(_OWN), size=(2, size))
    before = [
        np.column_stack([np.where(rng.random(size) < 0.4, "very", ""), np.array(_OWN)[adjective]])
        for adjective in of_noun
    ]
    endings = [(), ("today",), ("once", "again")]
    sentences, positions, nouns = _two_phrases(size, rng, before, endings)
    words = ["the", "very", *_OWN, *_NOUNS, *_VERBS, "today", "once", "again"]
    every = np.arange(size)
    targets, answers = _empty(size, sentences.shape[1])
    for adjective, noun in zip(of_noun, nouns, strict=True):
        targets[every, positions[:, noun], 0] = adjective
        answers[every, 0, positions[:, noun], positions[:, noun - 1]] = True
    return _Drawn(words, [_OWN], ("adjective",), _indices(sentences, words), targets, answers)


_COLOURS, _TEXTURES = ["blue", "green", "red", "black"], ["fluffy", "smooth", "spiky", "shiny"]


def _two_adjectives(size, rng):
    """*The [colour] [texture] noun verb the …*: in either order; each noun's targets are both, or *none*."""
    none = 4
    present = rng.random((2, 2, size)) < 0.75  # noun, group, sentence
    of_noun = np.where(present, rng.integers(4, size=(2, 2, size)), none)
    swapped = rng.random((2, size)) < 0.5
    before = []
    for (colour, texture), swap in zip(of_noun, swapped, strict=True):
        pair = np.column_stack([np.array([*_COLOURS, ""])[colour], np.array([*_TEXTURES, ""])[texture]])
        before.append(np.where(swap[:, None], pair[:, ::-1], pair))
    endings = [(), ("today",), ("once", "again"), ("all", "day", "long"), ("again", "and", "again", "today")]
    sentences, positions, nouns = _two_phrases(size, rng, before, endings)
    words = ["the", *_COLOURS, *_TEXTURES, *_NOUNS, *_VERBS]
    words += ["today", "once", "again", "all", "day", "long", "and"]
    every = np.arange(size)
    targets, answers = _empty(size, sentences.shape[1], 2)
    for adjectives, swap, noun in zip(of_noun, swapped, nouns, strict=True):
        for group, adjective in enumerate(adjectives):
            targets[every, positions[:, noun], group] = adjective
            column = noun - 2 + (group ^ swap)
            some = adjective != none
            answers[every[some], group, positions[some, noun], positions[every, column][some]] = True
    return _Drawn(
        words,
        [[*_COLOURS, "none"], [*_TEXTURES, "none"]],
        ("colour", "texture"),
        _indices(sentences, words),
        targets,
        answers,
        {"num_heads": 2},
    )


# The referent of a pronoun or an adjective

_THINGS = ["trophy", "box", "ball", "bag", "cup", "lamp"]
_LARGE, _SMALL = ["big", "large", "wide"], ["small", "tiny", "narrow"]
_FRAME = ["the", "didn't", "fit", "in", "because", "it", "was", "too"]


def _did_not_fit(size, rng, asked):
    """*The trophy didn't fit in the box because it was too big*: what was? The target is at position `asked`."""
    words = [*_FRAME, *_THINGS, *_LARGE, *_SMALL]
    things = rng.permuted(np.tile(np.arange(len(_THINGS)), (size, 1)), axis=1)[:, :2]
    adjective = rng.integers(6, size=size)
    second = (adjective >= 3).astype(int)  # the container is too small
    frame = ["the", "_", "didn't", "fit", "in", "the", "_", "because", "it", "was", "too", "_"]
    sentences = np.tile([words.index(word) if word != "_" else 0 for word in frame], (size, 1))
    sentences[:, [1, 6]] = 8 + things
    sentences[:, 11] = 14 + adjective
    every = np.arange(size)
    targets, answers = _empty(size, len(frame))
    targets[:, asked, 0] = things[every, second]
    answers[every, 0, asked, np.array([1, 6])[second]] = True
    return _Drawn(words, [_THINGS], ("referent",), sentences, targets, answers)


# Retrieval

_SHAPES = ["circle", "square", "star", "moon", "heart", "cross", "ring", "drop"]
_PAINTS = ["red", "blue", "green", "gold", "pink", "grey"]


def _same_shape(size, rng):
    """Five coloured shapes, and one of them again with an unknown colour. A token is a colour and a shape."""
    words, m = [*_PAINTS, "?", *_SHAPES], 5
    shape = rng.permuted(np.tile(np.arange(8), (size, 1)), axis=1)[:, :m]
    colour, asked = rng.integers(6, size=(size, m)), rng.integers(m, size=size)
    every = np.arange(size)
    sentences = np.empty((size, m + 1, 2), int)
    sentences[:, :m, 0], sentences[:, :m, 1] = colour, 7 + shape
    sentences[:, m, 0], sentences[:, m, 1] = 6, 7 + shape[every, asked]
    targets, answers = _empty(size, m + 1)
    targets[:, m, 0] = colour[every, asked]
    answers[every, 0, m, asked] = True
    return _Drawn(words, [_PAINTS], ("colour",), sentences, targets, answers, {"d_k": 16, "positions": False})


def _induction(size, rng):
    """Eight letters, then runs of them again; a letter with only one continuation so far has it as its target.

    The eight are drawn from sixteen: if every letter occurred, absence would also be informative.
    """
    half, letters = 8, list("abcdefghijklmnop")
    base = rng.permuted(np.tile(np.arange(len(letters)), (size, 1)), axis=1)[:, :half]
    every = np.arange(size)
    source, left = np.zeros(size, int), np.zeros(size, int)  # the position in the run, and its remaining length
    sources, continues = [], []
    for _ in range(half):
        start, length = rng.integers(half - 1, size=size), rng.integers(2, 5, size)
        jump = left == 0
        source = np.where(jump, start, source + 1)
        left = np.where(jump, np.minimum(length, half - start), left) - 1
        sources.append(source)
        continues.append(left > 0)
    sentences = (
        np.hstack([base, base[every[:, None], np.column_stack(sources)]]) if size else np.zeros((0, 16), int)
    )
    n = 2 * half
    targets, answers = _empty(size, n)
    for i in range(half, n - 1):
        # Was every earlier occurrence of this letter followed by the same one? A jump may have led elsewhere.
        before = sentences[:, : i - 1] == sentences[:, [i]]
        same = before & (sentences[:, 1:i] == sentences[:, [i + 1]])
        asked = continues[i - half] & (before == same).all(axis=1)
        targets[:, i, 0] = np.where(asked, sentences[:, i + 1], -1)
        answers[:, 0, i, 1:i] = same & asked[:, None]
    return _Drawn(
        letters, [letters], ("next",), sentences, targets, answers, {"d_k": 8, "num_layers": 2, "causal": True}
    )


_TASKS = {
    "which_apple": _which_apple,
    "previous_word": lambda size, rng: _letters(size, rng, ("previous",), [{i: i - 1 for i in range(1, 8)}]),
    "reverse": lambda size, rng: _letters(size, rng, ("mirrored",), [{i: 7 - i for i in range(8)}]),
    "own_adjective": _own_adjective,
    "trophy_box": lambda size, rng: _did_not_fit(size, rng, asked=11),
    "same_shape": _same_shape,
    "two_adjectives": _two_adjectives,
    "both_neighbours": _both_neighbours,
    "it": lambda size, rng: _did_not_fit(size, rng, asked=8)._replace(settings={"num_layers": 2}),
    "induction": _induction,
}
