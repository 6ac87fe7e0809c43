"""Tasks: the questions and the positions of their answers, found again from the words alone."""

import numpy as np
import pytest

import attention_core as core
from tests.core.refusals import not_refused

COLOURS, TEXTURES = {"blue", "green", "red", "black"}, {"fluffy", "smooth", "spiky", "shiny"}
NOUNS = {"creature", "forest", "robot", "river", "castle", "cat"}
LARGE = {"big", "large", "wide"}


def which_apple(words):
    fruit = [i for i, word in enumerate(words) if word in {"orange", "pie", "juice", "ate"}]
    tech = [i for i, word in enumerate(words) if word in {"phone", "laptop", "screen", "update"}]
    assert not (fruit and tech)
    said = "fruit" if fruit else "tech" if tech else "unclear"
    return {(words.index("apple"), 0): (said, fruit + tech)}


def previous_word(words):
    return {(i, 0): (words[i - 1], [i - 1]) for i in range(1, len(words))}


def reverse(words):
    return {(i, 0): (words[-1 - i], [len(words) - 1 - i]) for i in range(len(words))}


def own_adjective(words):
    nouns = [i for i, word in enumerate(words) if word in NOUNS]
    assert len(nouns) == 2
    return {(i, 0): (words[i - 1], [i - 1]) for i in nouns}


def too_large_or_small(words, asked):
    i = 1 if words[-1] in LARGE else 6
    return {(asked, 0): (words[i], [i])}


def same_shape(words):
    colours, shapes = zip(*(word.split() for word in words), strict=True)
    i = shapes.index(shapes[-1])
    assert i < len(words) - 1
    return {(len(words) - 1, 0): (colours[i], [i])}


def two_adjectives(words):
    asked = {}
    for noun in (i for i, word in enumerate(words) if word in NOUNS):
        the = max(i for i in range(noun) if words[i] == "the")
        for group, kind in enumerate((COLOURS, TEXTURES)):
            found = [i for i in range(the, noun) if words[i] in kind]
            asked[noun, group] = (words[found[0]] if found else "none", found)
    return asked


def both_neighbours(words):
    inside = range(1, len(words) - 1)
    return {(i, group): (words[i + step], [i + step]) for i in inside for group, step in enumerate((-1, 1))}


def induction(words):
    """Letters that came before and were always followed by the same; not all of them are asked."""
    asked = {}
    for i in range(8, len(words) - 1):
        followed = [j for j in range(1, i) if words[j - 1] == words[i]]
        if followed and all(words[j] == words[i + 1] for j in followed):
            asked[i, 0] = (words[i + 1], followed)
    return asked


READ = {
    "which_apple": which_apple,
    "previous_word": previous_word,
    "reverse": reverse,
    "own_adjective": own_adjective,
    "trophy_box": lambda words: too_large_or_small(words, 11),
    "same_shape": same_shape,
    "two_adjectives": two_adjectives,
    "both_neighbours": both_neighbours,
    "it": lambda words: too_large_or_small(words, words.index("it")),
    "induction": induction,
}


@pytest.mark.parametrize("name", READ)
def test_questions_and_answers_follow_from_the_words(name):
    task = core.load_task(name, size=200, seed=5)
    for i in range(200):
        expected = READ[name](task.sentence(i))
        asked = {(int(word), int(group)) for word, group in np.argwhere(task.targets[i] >= 0)}
        if name == "induction":  # a letter at the end of a stretch is not asked, even if it would go on as before
            assert asked <= expected.keys()
        else:
            assert asked == expected.keys()
        places = np.zeros_like(task.answers[i])
        for word, group in asked:
            said, found = expected[word, group]
            assert task.outputs[group][task.targets[i, word, group]] == said
            places[group, word, found] = True
        np.testing.assert_array_equal(task.answers[i], places)


def test_every_answer_occurs_and_none_much_more_often_than_another():
    assert core.task_names() == tuple(READ)
    for name in READ:
        task = core.load_task(name)
        assert len(task.sentences) == 2048
        assert len(set(task.words)) == len(task.words)
        assert len(task.groups) == len(task.outputs)
        for group, words in enumerate(task.outputs):
            assert len(words) == len(task.outputs[0])
            targets = task.targets[..., group]
            counts = np.bincount(targets[targets >= 0], minlength=len(words))
            assert counts.min() > 0.5 * counts.mean(), name
    task = core.load_task("trophy_box")
    assert len({task.sentence(i) for i in range(2048)}) == 6 * 5 * 6, "all its sentences occur"


@pytest.mark.parametrize("name", READ)
def test_no_sentence_is_both_trained_on_and_held_out(name):
    task = core.load_task(name, seed=1)
    trained, held_out = (
        {task.sentence(i) for i in np.flatnonzero(part)} for part in (~task.held_out, task.held_out)
    )
    shown = [task.sentence(i) for i in task.shown]
    assert len(set(shown)) == len(shown) == 8
    assert set(shown) <= held_out
    if not task.settings["positions"]:  # the head cannot tell one order of the words from another
        trained, held_out = (set(map(frozenset, side)) for side in (trained, held_out))
    assert not trained & held_out
    assert len(held_out) / len(trained | held_out) == pytest.approx(1 / 8, abs=0.01)


def test_the_seed_determines_the_sentences():
    for name in READ:
        one, same, other = (core.load_task(name, 256, seed=seed) for seed in (0, 0, 1))
        for array in ("sentences", "targets", "answers", "held_out", "shown"):
            np.testing.assert_array_equal(getattr(one, array), getattr(same, array))
        assert (one.sentences != other.sentences).any()


def test_a_task_may_have_no_or_few_sentences():
    for name in READ:
        for size in (0, 1, 2):
            with np.errstate(all="raise"):
                task = core.load_task(name, size)
            assert {len(part) for part in (task.sentences, task.targets, task.answers, task.held_out)} == {size}
            assert task.held_out.sum() == size // 2
            assert task.sentences.shape[1] == core.load_task(name, 8).sentences.shape[1]


def test_refusals():
    unknown = "no task is called 'revers'; there are which_apple, previous_word, reverse"
    cases = [
        (lambda: core.load_task("revers"), unknown),
        (lambda: core.load_task("reverse", -1), "size must be a whole number of at least 0, got -1"),
        (lambda: core.load_task("reverse", 10**9), "size must be at most 100,000, got 1000000000"),
        (lambda: core.load_task("reverse", seed=1.5), r"seed must be a whole number of at least 0, got 1\.5"),
    ]
    assert not_refused(cases) == []
