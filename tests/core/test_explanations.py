"""Interventions on attention weights: every number again, by plain loops without any of the core's shortcuts."""

import itertools
import math

import numpy as np
import pytest

from attention_core import load_language_model, load_task, rank_correlation
from attention_core.models import explanations as ex
from attention_core.models import grammar, reading
from attention_core.training import without_answer

MODEL = load_language_model("readable")
RECALL = "the fluffy blue creature saw the shiny red tower . the tower was"


def numbers(text):
    return [grammar.PLACE_OF[word] for word in text.split()]


def read(tokens):
    return reading.read_text(MODEL, tokens, np.ones((2, 5)))


def some_texts(count):
    """Held-out texts, up to the last word that can be predicted with certainty."""
    known = (text for text in grammar.texts(10_000, held_out=True) if text.slots)
    return [numbers(" ".join(text.words[: text.slots[-1].place + 1])) for text in itertools.islice(known, count)]


def predicted(tokens, change=None, may_attend=None):
    """The probabilities of the next word: word by word, head by head, with weights and scores changed."""
    x = [MODEL.embeddings[word].astype(float) + MODEL.positions[place] for place, word in enumerate(tokens)]
    names = [f"W_{name}" for name in ("query", "key", "value", "output")]
    for layer in range(2):
        added = [vector.copy() for vector in x]
        for head in range(5):
            W = [getattr(MODEL, name)[layer, head].astype(float) for name in names]
            for i in range(len(tokens)):
                scores = [float((x[i] @ W[0]) @ (x[j] @ W[1])) / math.sqrt(W[0].shape[1]) for j in range(i + 1)]
                if may_attend:
                    pairs = enumerate(scores)
                    scores = [score if may_attend(5 * layer + head, j) else -math.inf for j, score in pairs]
                top = max(scores)
                powers = [math.exp(score - top) if top > -math.inf else 0.0 for score in scores]
                weights = [power / (sum(powers) or 1.0) for power in powers]
                if change:
                    weights = change(5 * layer + head, i, weights)
                for weight, vector in zip(weights, x, strict=False):
                    added[i] = added[i] + weight * ((vector @ W[2]) @ W[3])
        x = added
    logits = x[-1] @ MODEL.W_vocabulary + MODEL.bias
    return np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()


def test_later_layers_follow_from_changed_weights():
    for text, head in ((RECALL, 0), ("ana ben tim eva : ana ben", 6)):
        tokens = numbers(text)
        found = ex.read_changed(MODEL, tokens, head, ex.flat_pattern(len(tokens)))

        def flat(h, i, weights, head=head):
            return [1 / (i + 1)] * (i + 1) if h == head else weights

        uniform = predicted(tokens, flat)
        np.testing.assert_allclose(found.next_word[-1], uniform, atol=1e-5)
        assert np.argmax(uniform) != np.argmax(predicted(tokens)), "both heads are needed here"


def test_a_deleted_word_is_one_that_cannot_be_attended_to():
    """A score of −∞ before the softmax equals a weight of 0 with the others normalised again."""
    tokens = numbers(RECALL)
    for head, place in itertools.product((-1, 1, 7), (0, 7)):
        kept = np.ones(len(tokens))
        kept[place] = 0
        found = ex.read_thinned(MODEL, tokens, head, kept).next_word[-1]
        masked = predicted(
            tokens, may_attend=lambda h, j, place=place, head=head: j != place or head not in (h, -1)
        )
        np.testing.assert_allclose(found, masked, atol=1e-5)


def test_effects_of_deletion_are_those_of_one_word_after_another():
    for tokens in some_texts(3):
        own = read(tokens).next_word[-1].astype(float)
        answer = int(own.argmax())
        effects = ex.effects_of_deletion(MODEL, tokens, answer)
        assert effects.shape == (11, len(tokens))
        for (row, head), place in itertools.product(enumerate([*range(10), -1]), range(len(tokens))):
            kept = 1 - np.eye(len(tokens))[place]
            left = ex.read_thinned(MODEL, tokens, head, kept).next_word[-1, answer]
            assert effects[row, place] == pytest.approx(math.log(own[answer] / left), abs=2e-4), (head, place)


def test_texts_whose_prediction_changes_are_counted():
    texts, counted = some_texts(2), np.zeros((4, 10))
    for tokens in texts:
        n, order = len(tokens), ex.permutation(len(tokens))
        answer = predicted(tokens).argmax()
        ways = (
            lambda i, weights, order=order: [weights[j] for j in order[i, : i + 1]],
            lambda i, weights: [1 / (i + 1)] * (i + 1),
        )
        for head in range(10):
            for row, (last, way) in enumerate(itertools.product((True, False), ways)):

                def change(h, i, weights, head=head, last=last, way=way, n=n):
                    return way(i, weights) if h == head and (i == n - 1 or not last) else weights

                counted[row, head] += predicted(tokens, change).argmax() != answer
    np.testing.assert_allclose(ex.measure_swaps(MODEL, texts), counted / len(texts))
    assert 0 < counted.sum() < counted.size * len(texts)


def test_a_permutation_reorders_the_unmasked_keys_of_each_row():
    order = ex.permutation(6)
    for row in range(6):
        assert sorted(order[row, : row + 1]) == list(range(row + 1))
        assert list(order[row, row + 1 :]) == list(range(row + 1, 6))
    assert (ex.permutation(6) != ex.permutation(6, seed=1)).any(), "at random"
    weights = ex.rearranged(np.arange(36.0).reshape(6, 6), order)
    assert weights[5, 2] == 30 + order[5, 2]


def test_a_shifted_row_is_clipped_and_normalised():
    row = np.array([[0.5, 0.3, 0.2]])
    for by, result in (
        ([0.0, 0.0, 0.0], row),
        ([-0.5, -0.4, 0.3], [[0.0, 0.0, 1.0]]),
        ([0.5, 0.0, 0.0], np.array([[1.0, 0.3, 0.2]]) / 1.5),
        ([-1.0, -1.0, -1.0], row),  # nothing would remain
    ):
        np.testing.assert_allclose(ex.shifted_row(row, np.array([by])), result)


@pytest.mark.parametrize("head", [1, 9])
def test_no_random_row_that_leaves_the_prediction_is_farther_than_the_row_that_was_found(head):
    tokens = numbers("ana ben eva tim : ana ben")
    own = read(tokens)
    row, far = ex.most_unlike(MODEL, tokens, head, 6)
    answer, pattern = own.next_word[-1].argmax(), own.weights[head].astype(float)
    assert row.sum() == pytest.approx(1)
    assert far == pytest.approx(0.5 * np.abs(row[0] - pattern[6]).sum(), abs=0.01)

    def leaves_the_prediction(other):
        return (
            predicted(tokens, lambda h, i, weights: list(other) if (h, i) == (head, 6) else weights).argmax()
            == answer
        )

    assert leaves_the_prediction(row[0])
    for other in np.random.default_rng(head).dirichlet(np.full(7, 0.2), size=60):
        if 0.5 * np.abs(other - pattern[6]).sum() > far + 0.02:
            assert not leaves_the_prediction(other)


def test_measures_of_deletion_are_means_over_texts():
    texts = some_texts(4)
    found = ex.measure_deletion(MODEL, texts)
    readings = [read(tokens) for tokens in texts]
    effects = [
        ex.effects_of_deletion(MODEL, tokens, int(own.next_word[-1].argmax()))
        for tokens, own in zip(texts, readings, strict=True)
    ]
    for column, (measure, digits) in enumerate(((ex.weights_of_last, 3), (ex.sizes_of_last, 2))):
        each = [
            rank_correlation(measure(own)[-1].round(digits), np.abs(effect)[-1].round(2))
            for own, effect in zip(readings, effects, strict=True)
        ]
        assert found[column, -1] == pytest.approx(np.mean(each))
    felt = [
        [abs(row[own.weights[head, -1].argmax()]) >= 0.1 for head, row in enumerate(effect[:-1])]
        for own, effect in zip(readings, effects, strict=True)
    ]
    np.testing.assert_array_equal(found[3, :-1], np.sum(felt, axis=0))
    alone = ex.measure_deletion(MODEL, [numbers("ana")])
    assert np.isnan(alone[:2]).all(), "one word has no order"
    assert not alone[2].any()


def test_numbers_that_look_equal_rank_equally():
    weights = [0.7, 0.2, 0.1, 0.0001]
    assert math.isnan(ex.agreement(weights, [0.004, -0.003, 0.001, 0], 3)), "nothing to rank"
    ranked = rank_correlation([4, 3, 2, 1], [1, 0, 0, 0])
    assert ex.agreement(weights, [-0.5, 0.004, 0.001, 0.002], 3) == pytest.approx(ranked)
    assert ex.agreement([0.5, 0.0001, 0.0002], [1, 0, 0], 3) == pytest.approx(1)


def test_a_p_value_is_small_only_for_orders_that_agree():
    row = np.arange(10.0)
    assert ex.by_chance(row, row) < 0.001
    assert ex.by_chance(row, [0, 1, 5, 2, 9, 3, 8, 4, 6, 7], 1000) < 0.1
    assert ex.by_chance(row, [5, 1, 4, 9, 3, 0, 8, 2, 6, 7], 1000) > 0.3


def test_a_value_is_the_sum_of_the_parts_of_its_source_words():
    tokens = numbers(RECALL)
    own = read(tokens)
    parts = ex.handed_parts(MODEL, own, 5, 8)
    assert parts.sum() == pytest.approx(1, abs=1e-5)
    through_head = MODEL.W_value[1, 0] @ MODEL.W_output[1, 0]
    whole = own.states[1, 8] @ through_head
    np.testing.assert_allclose(whole, own.updates[5, 8], atol=1e-4)
    red = sum(own.weights[head, 8, 7] * own.updates[head, 7] for head in range(5)) @ through_head
    assert parts[7] == pytest.approx(red @ whole / (whole @ whole), abs=1e-5)
    assert parts[7] > 0.5 > parts[8], "the value of “tower” is mostly “red”"


def test_heads_are_matched_so_that_their_patterns_are_nearest():
    patterns = np.random.default_rng(1).dirichlet(np.ones(4), size=(5, 4))
    other = np.array([3, 0, 4, 1, 2])
    distances = ex.pattern_distances(patterns[other], patterns)
    assert ex.best_matching(distances) == tuple(other)
    assert ex.weights_apart([[0.5, 0.5], [1, 0]], [[0, 1], [1, 0]]) == pytest.approx(0.25)


def test_a_task_without_an_answer_has_the_sentences_of_the_others():
    task = load_task("which_apple", 300)
    two = without_answer(task, "tech")
    assert two.outputs == (("fruit", "unclear"),)
    assert set(np.unique(two.targets)) == {-1, 0, 1}
    kept = (task.targets != 1).all(axis=(1, 2))
    np.testing.assert_array_equal(two.sentences, task.sentences[kept])
    np.testing.assert_array_equal(two.held_out, task.held_out[kept])
    assert two.held_out[two.shown].all()
    assert {two.sentence(k) for k in two.shown} <= {task.sentence(k) for k in task.shown}
    with pytest.raises(ValueError, match="there are fruit, tech, unclear"):
        without_answer(task, "neither")
