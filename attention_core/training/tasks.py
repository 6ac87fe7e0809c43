"""What a head can learn: sentences, what each word of them must say, and where the answer stands.

Nothing here is read from a file: a task makes its sentences from a few words and a seed. Where a
sentence leaves words out, an ending ("all day long") fills it: all sentences of a task are of one
length, and no place is empty.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from attention_core import checks
from attention_core.training.settings import SETTINGS

HELD_OUT = 8  # one in so many of the different sentences is never trained on


@dataclass(frozen=True, eq=False)
class Task:
    """Something to learn, with its data. Every array is read-only.

    A *group* is one question asked of a word; most tasks have one, some ask two at once.
    """

    name: str
    words: tuple[str, ...]  #: the vocabulary
    outputs: tuple[tuple[str, ...], ...]  #: for each group, what may be answered; all of one length
    sentences: np.ndarray  #: (size, n) indices into `words`, or (size, n, features): a token of several
    targets: np.ndarray  #: (size, n, groups) indices into `outputs[group]`, −1 = not asked
    answers: np.ndarray  #: boolean, (size, groups, n, n): where (column) a word (row) finds its answer
    groups: tuple[str, ...]  #: what is asked in each group
    held_out: np.ndarray  #: boolean, (size,): True = never trained on, only measured
    settings: dict = field(default_factory=dict)  #: what `train` is told unless it is told otherwise
    shown: np.ndarray = field(default_factory=lambda: np.arange(0))  #: a few held-out sentences, by index

    @property
    def chance(self) -> float:
        """The loss of whoever guesses evenly: ln of how many answers there are."""
        return float(np.log(len(self.outputs[0])))

    def sentence(self, index) -> tuple[str, ...]:
        """The words of one sentence; several features of a token with a space between."""
        tokens = self.sentences[index].reshape(self.sentences.shape[1], -1)
        return tuple(" ".join(self.words[feature] for feature in token) for token in tokens)


def task_names():
    """The names of all tasks: those for one layer, from the easiest on, then those that need two."""
    return tuple(_TASKS)


def load_task(name, size=2048, seed=0):
    """A `Task` with `size` sentences, the same for the same seed.

    One in eight of the different sentences is held out, with all its repetitions: no sentence
    stands on both sides, as soon as there are two different ones. Where a task has no positions,
    sentences of the same words are no different ones. Raises `ValueError`, naming
    the known, for another name.
    """
    if name not in _TASKS:
        raise ValueError(f"no task is called {name!r}; there are {', '.join(_TASKS)}")
    size, seed = checks.whole_number(size, "size", 0), checks.whole_number(seed, "seed", 0)
    random = np.random.default_rng([seed, len(name), *name.encode()])
    made = _TASKS[name](size, random)
    has_order = made.get("settings", {}).get("positions", True)
    held_out = _held_out(made["sentences"] if has_order else _sets(made["sentences"], len(made["words"])), random)
    asked = (made["targets"][held_out] >= 0).any(axis=(1, 2))
    return Task(
        name=name,
        words=tuple(made["words"]),
        outputs=tuple(tuple(words) for words in made["outputs"]),
        sentences=checks.frozen(made["sentences"]),
        targets=checks.frozen(made["targets"]),
        answers=checks.frozen(made["answers"]),
        groups=made["groups"],
        held_out=checks.frozen(held_out),
        settings=SETTINGS | made.get("settings", {}),
        shown=checks.frozen(_different(made["sentences"], np.flatnonzero(held_out)[asked])[:8]),
    )


def without_answer(task, answer, group=0):
    """The task without one of its answers, and without the sentences that ask for it: nobody needs to say it.

    Raises `ValueError`, naming the known, for another answer.
    """
    known = task.outputs[group]
    if answer not in known:
        raise ValueError(f"no answer of {task.name} is {answer!r}; there are {', '.join(known)}")
    place = known.index(answer)
    stays = (task.targets[..., group] != place).all(axis=1)
    targets = task.targets[stays].copy()
    targets[..., group] -= targets[..., group] > place
    shown = np.isin(np.flatnonzero(stays), task.shown).nonzero()[0]
    return replace(
        task,
        outputs=tuple(
            tuple(word for word in words if of != group or word != answer)
            for of, words in enumerate(task.outputs)
        ),
        sentences=checks.frozen(task.sentences[stays]),
        targets=checks.frozen(targets),
        answers=checks.frozen(task.answers[stays]),
        held_out=checks.frozen(task.held_out[stays]),
        shown=checks.frozen(shown),
    )


def _held_out(sentences, random):
    """Choose among the different sentences; repetitions go with the first."""
    _, which = np.unique(_flat(sentences), axis=0, return_inverse=True)
    different = int(which.max(initial=-1)) + 1
    chosen = random.permutation(different)[: -(-different // HELD_OUT) if different > 1 else 0]
    return np.isin(which.ravel(), chosen)


def _sets(sentences, words):
    """Which words each sentence has, in no order and however often: one row a sentence.

    A token of several features is one word.
    """
    tokens = sentences if sentences.ndim == 2 else sentences @ words ** np.arange(sentences.shape[2])
    tokens = np.sort(tokens, axis=1)
    again = np.zeros_like(tokens, bool)
    again[:, 1:] = tokens[:, 1:] == tokens[:, :-1]
    return np.sort(np.where(again, -1, tokens), axis=1)


def _flat(sentences):
    """One row a sentence, even if there is none."""
    return sentences.reshape(len(sentences), int(np.prod(sentences.shape[1:])))


def _different(sentences, indices):
    """Those of the indices whose sentence has not come before."""
    _, first = np.unique(_flat(sentences[indices]), axis=0, return_index=True)
    return indices[np.sort(first)]


def _nothing_asked(size, n, groups=1):
    return np.full((size, n, groups), -1), np.zeros((size, groups, n, n), bool)


# Order does not matter here, only which words are there.

_FRUIT, _TECH = ["orange", "pie", "juice", "ate"], ["phone", "laptop", "screen", "update"]
_NEITHER = ["the", "a", "and", "with", "i", "my"]


def _which_apple(size, random):
    """Apple among five words: one or two about fruit, or about technology, or none of either."""
    words, n = ["apple", *_FRUIT, *_TECH, *_NEITHER], 6
    sense, several = random.integers(3, size=size), random.integers(1, 3, size)
    context = 1 + 4 * (sense[:, None] % 2) + random.integers(4, size=(size, n - 1))
    neither = 9 + random.integers(6, size=(size, n - 1))
    tells = (np.arange(n - 1) < several[:, None]) & (sense[:, None] < 2)
    sentences = np.hstack([np.zeros((size, 1), int), np.where(tells, context, neither)])
    sentences = random.permuted(sentences, axis=1)

    every, apple = np.arange(size), (sentences == 0).argmax(axis=1)
    targets, answers = _nothing_asked(size, n)
    targets[every, apple, 0] = sense
    answers[every, 0, apple] = (sentences >= 1) & (sentences <= 8)
    return {
        "words": words,
        "outputs": [["fruit", "tech", "unclear"]],
        "groups": ("sense",),
        "sentences": sentences,
        "targets": targets,
        "answers": answers,
        "settings": {"d_model": 2, "positions": False},
    }


# Letters in any order: only places matter.

_LETTERS = list("abcdefghij")


def _letters(size, random, groups, looks_at):
    """Random letters; in each group the word at place i must say the one at `looks_at[group][i]`, if any."""
    n = 8
    sentences = random.integers(len(_LETTERS), size=(size, n))
    targets, answers = _nothing_asked(size, n, len(groups))
    for group, places in enumerate(looks_at):
        for i, j in places.items():
            targets[:, i, group], answers[:, group, i, j] = sentences[:, j], True
    return {
        "words": _LETTERS,
        "outputs": [_LETTERS] * len(groups),
        "groups": groups,
        "sentences": sentences,
        "targets": targets,
        "answers": answers,
    }


def _previous_word(size, random):
    return _letters(size, random, ("previous",), [{i: i - 1 for i in range(1, 8)}])


def _reverse(size, random):
    return _letters(size, random, ("mirrored",), [{i: 7 - i for i in range(8)}])


def _both_neighbours(size, random):
    previous, following = {i: i - 1 for i in range(1, 7)}, {i: i + 1 for i in range(1, 7)}
    made = _letters(size, random, ("previous", "next"), [previous, following])
    return made | {"settings": {"num_heads": 2}}


# Two nouns, each with adjectives of its own.

_NOUNS, _VERBS = ["creature", "forest", "robot", "river", "castle", "cat"], ["roamed", "saw", "left", "loved"]


def _two_phrases(size, random, before_nouns, endings):
    """The … noun verb the … noun, and an ending that fills what was left out.

    `before_nouns`: for each of the two nouns a table (size, ·) of words, empty where there is none.
    Gives the sentences' words, the place of what each column holds, and the columns of the nouns.
    """
    nouns = [np.array(_NOUNS)[random.integers(len(_NOUNS), size=size)] for _ in range(2)]
    verb = np.array(_VERBS)[random.integers(len(_VERBS), size=size)]
    the = np.full(size, "the")
    first, second = before_nouns
    columns = [the, *first.T, nouns[0], verb, the, *second.T, nouns[1]]
    table = np.column_stack(columns).astype("U12")
    ending = np.zeros((len(endings), len(endings) - 1), "U12")
    for left_out, words in enumerate(endings):
        ending[left_out, :left_out] = words
    there = table != ""
    table = np.hstack([table, ending[(~there).sum(axis=1)]])
    there = table != ""
    places = there.cumsum(axis=1) - 1

    n, width = len(columns), first.shape[1]
    return table[there].reshape(size, n), places, (1 + width, 4 + 2 * width)


def _indices(table, words):
    """A table of words as indices into `words`."""
    order = np.argsort(words)
    return order[np.searchsorted(np.array(words)[order], table)]


_OWN = ["fluffy", "blue", "green", "spiky", "old", "shiny"]


def _own_adjective(size, random):
    """The [very] adjective noun verb the [very] adjective noun: each noun says its own adjective."""
    of_noun = random.integers(len(_OWN), size=(2, size))
    before = [
        np.column_stack([np.where(random.random(size) < 0.4, "very", ""), np.array(_OWN)[adjective]])
        for adjective in of_noun
    ]
    endings = [(), ("today",), ("once", "again")]
    sentences, places, nouns = _two_phrases(size, random, before, endings)
    words = ["the", "very", *_OWN, *_NOUNS, *_VERBS, "today", "once", "again"]
    every = np.arange(size)
    targets, answers = _nothing_asked(size, sentences.shape[1])
    for adjective, noun in zip(of_noun, nouns, strict=True):
        targets[every, places[:, noun], 0] = adjective
        answers[every, 0, places[:, noun], places[:, noun - 1]] = True
    return {
        "words": words,
        "outputs": [_OWN],
        "groups": ("adjective",),
        "sentences": _indices(sentences, words),
        "targets": targets,
        "answers": answers,
    }


_COLOURS, _TEXTURES = ["blue", "green", "red", "black"], ["fluffy", "smooth", "spiky", "shiny"]


def _two_adjectives(size, random):
    """The [colour] [texture] noun verb the …: in any order, and each noun says both, or that there is none."""
    none = 4
    there = random.random((2, 2, size)) < 0.75  # noun, group, sentence
    of_noun = np.where(there, random.integers(4, size=(2, 2, size)), none)
    swapped = random.random((2, size)) < 0.5
    before = []
    for (colour, texture), swap in zip(of_noun, swapped, strict=True):
        pair = np.column_stack([np.array([*_COLOURS, ""])[colour], np.array([*_TEXTURES, ""])[texture]])
        before.append(np.where(swap[:, None], pair[:, ::-1], pair))
    endings = [(), ("today",), ("once", "again"), ("all", "day", "long"), ("again", "and", "again", "today")]
    sentences, places, nouns = _two_phrases(size, random, before, endings)
    words = ["the", *_COLOURS, *_TEXTURES, *_NOUNS, *_VERBS]
    words += ["today", "once", "again", "all", "day", "long", "and"]
    every = np.arange(size)
    targets, answers = _nothing_asked(size, sentences.shape[1], 2)
    for adjectives, swap, noun in zip(of_noun, swapped, nouns, strict=True):
        for group, adjective in enumerate(adjectives):
            targets[every, places[:, noun], group] = adjective
            column = noun - 2 + (group ^ swap)
            told = adjective != none
            answers[every[told], group, places[told, noun], places[every, column][told]] = True
    return {
        "words": words,
        "outputs": [[*_COLOURS, "none"], [*_TEXTURES, "none"]],
        "groups": ("colour", "texture"),
        "sentences": _indices(sentences, words),
        "targets": targets,
        "answers": answers,
        "settings": {"num_heads": 2},
    }


# Who is meant?

_THINGS = ["trophy", "box", "ball", "bag", "cup", "lamp"]
_LARGE, _SMALL = ["big", "large", "wide"], ["small", "tiny", "narrow"]
_FRAME = ["the", "didn't", "fit", "in", "because", "it", "was", "too"]


def _did_not_fit(size, random, asked):
    """The trophy didn't fit in the box because it was too big: what was? Asked at the word of that place."""
    words = [*_FRAME, *_THINGS, *_LARGE, *_SMALL]
    things = random.permuted(np.tile(np.arange(len(_THINGS)), (size, 1)), axis=1)[:, :2]
    adjective = random.integers(6, size=size)
    second = (adjective >= 3).astype(int)  # too small is what it should have gone into
    frame = ["the", "_", "didn't", "fit", "in", "the", "_", "because", "it", "was", "too", "_"]
    sentences = np.tile([words.index(word) if word != "_" else 0 for word in frame], (size, 1))
    sentences[:, [1, 6]] = 8 + things
    sentences[:, 11] = 14 + adjective
    every = np.arange(size)
    targets, answers = _nothing_asked(size, len(frame))
    targets[:, asked, 0] = things[every, second]
    answers[every, 0, asked, np.array([1, 6])[second]] = True
    return {
        "words": words,
        "outputs": [_THINGS],
        "groups": ("referent",),
        "sentences": sentences,
        "targets": targets,
        "answers": answers,
    }


def _trophy_box(size, random):
    return _did_not_fit(size, random, asked=11)


def _it(size, random):
    return _did_not_fit(size, random, asked=8) | {"settings": {"num_layers": 2}}


# Looking something up.

_SHAPES = ["circle", "square", "star", "moon", "heart", "cross", "ring", "drop"]
_PAINTS = ["red", "blue", "green", "gold", "pink", "grey"]


def _same_shape(size, random):
    """Five coloured shapes and one of the five again, its colour unknown. A token is a colour and a shape."""
    words, m = [*_PAINTS, "?", *_SHAPES], 5
    shape = random.permuted(np.tile(np.arange(8), (size, 1)), axis=1)[:, :m]
    colour, asked = random.integers(6, size=(size, m)), random.integers(m, size=size)
    every = np.arange(size)
    sentences = np.empty((size, m + 1, 2), int)
    sentences[:, :m, 0], sentences[:, :m, 1] = colour, 7 + shape
    sentences[:, m, 0], sentences[:, m, 1] = 6, 7 + shape[every, asked]
    targets, answers = _nothing_asked(size, m + 1)
    targets[:, m, 0] = colour[every, asked]
    answers[every, 0, m, asked] = True
    return {
        "words": words,
        "outputs": [_PAINTS],
        "groups": ("colour",),
        "sentences": sentences,
        "targets": targets,
        "answers": answers,
        "settings": {"d_k": 16, "positions": False},
    }


def _induction(size, random):
    """Eight letters, then stretches of them again: at a letter that goes on as always before, say the next one.

    Eight of twice as many letters, or the one that is not looked at would tell as well.
    """
    half, letters = 8, list("abcdefghijklmnop")
    base = random.permuted(np.tile(np.arange(len(letters)), (size, 1)), axis=1)[:, :half]
    every = np.arange(size)
    source, left = np.zeros(size, int), np.zeros(size, int)  # where the stretch stands, how much is left of it
    sources, goes_on = [], []
    for _ in range(half):
        start, length = random.integers(half - 1, size=size), random.integers(2, 5, size)
        jump = left == 0
        source = np.where(jump, start, source + 1)
        left = np.where(jump, np.minimum(length, half - start), left) - 1
        sources.append(source)
        goes_on.append(left > 0)
    sentences = (
        np.hstack([base, base[every[:, None], np.column_stack(sources)]]) if size else np.zeros((0, 16), int)
    )
    n = 2 * half
    targets, answers = _nothing_asked(size, n)
    for i in range(half, n - 1):
        # Wherever this letter came before: was it followed by the same one? A jump may have led elsewhere.
        before = sentences[:, : i - 1] == sentences[:, [i]]
        again = before & (sentences[:, 1:i] == sentences[:, [i + 1]])
        asked = goes_on[i - half] & (before == again).all(axis=1)
        targets[:, i, 0] = np.where(asked, sentences[:, i + 1], -1)
        answers[:, 0, i, 1:i] = again & asked[:, None]
    return {
        "words": letters,
        "outputs": [letters],
        "groups": ("next",),
        "sentences": sentences,
        "targets": targets,
        "answers": answers,
        "settings": {"d_k": 8, "num_layers": 2, "causal": True},
    }


_TASKS = {
    "which_apple": _which_apple,
    "previous_word": _previous_word,
    "reverse": _reverse,
    "own_adjective": _own_adjective,
    "trophy_box": _trophy_box,
    "same_shape": _same_shape,
    "two_adjectives": _two_adjectives,
    "both_neighbours": _both_neighbours,
    "it": _it,
    "induction": _induction,
}
