"""Interventions on attention weights: every number again, without the core's functions."""

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


def predicted(tokens, change=lambda head, weights: weights, hidden=None):
    """The probabilities of the next word, without the core's functions.

    `change` replaces the weights of a head, and `hidden` is the position that a head, or every head (−1), cannot
    attend to: its scores are −∞.
    """
    x = MODEL.embeddings[tokens].astype(float) + MODEL.positions[: len(tokens)]
    for layer, head in itertools.product(range(2), range(5)):
        if head == 0:
            before = x
        names = "W_query", "W_key", "W_value", "W_output"
        W_query, W_key, W_value, W_output = (getattr(MODEL, name)[layer, head].astype(float) for name in names)
        scores = (before @ W_query) @ (before @ W_key).T / math.sqrt(W_query.shape[1])
        scores[np.triu_indices(len(tokens), 1)] = -math.inf
        if hidden and hidden[0] in (5 * layer + head, -1):
            scores[:, hidden[1]] = -math.inf
        powers = np.exp(scores)
        totals = powers.sum(axis=1, keepdims=True)
        weights = powers / np.where(totals > 0, totals, 1)
        x = x + change(5 * layer + head, weights) @ before @ W_value @ W_output
    powers = np.exp(x[-1] @ MODEL.W_vocabulary + MODEL.bias)
    return powers / powers.sum()


def uniform(n):
    return np.array([[1 / (i + 1)] * (i + 1) + [0] * (n - i - 1) for i in range(n)])


def changed(tokens, head, pattern, rows=slice(None)):
    """The prediction with these rows of one head's weights replaced."""

    def change(other, weights):
        if other == head:
            weights[rows] = pattern[rows]
        return weights

    return predicted(tokens, change)


def test_later_layers_follow_from_changed_weights():
    for text, head in ((RECALL, 0), ("ana ben tim eva : ana ben", 6)):
        tokens = numbers(text)
        expected = changed(tokens, head, uniform(len(tokens)))
        found = ex.run_with_patched_weights(MODEL, tokens, head, ex.flat_pattern(len(tokens)))
        np.testing.assert_allclose(found.next_word[-1], expected, atol=1e-5)
        assert expected.argmax() != predicted(tokens).argmax(), "both heads are needed here"


def test_a_deleted_word_is_one_that_cannot_be_attended_to():
    """A score of −∞ before the softmax equals a weight of 0 with the others normalised again."""
    tokens = numbers(RECALL)
    for head, place in itertools.product((-1, 1, 7), (0, 7)):
        found = ex.run_with_scaled_weights(MODEL, tokens, head, np.arange(len(tokens)) != place).next_word[-1]
        np.testing.assert_allclose(found, predicted(tokens, hidden=(head, place)), atol=1e-5)


def test_effects_of_deletion_are_those_of_one_word_after_another():
    for tokens in some_texts(2):
        own = predicted(tokens)
        effects = ex.effects_of_deletion(MODEL, tokens, own.argmax())
        assert effects.shape == (11, len(tokens))
        for (row, head), place in itertools.product(enumerate([*range(10), -1]), range(len(tokens))):
            left = predicted(tokens, hidden=(head, place))[own.argmax()]
            assert effects[row, place] == pytest.approx(math.log(own.max() / left), abs=2e-4), (head, place)


def test_texts_whose_prediction_changes_are_counted():
    texts, counted = some_texts(3), np.zeros((4, 10))
    for tokens in texts:
        n, own = len(tokens), read(tokens)
        for head, (row, rows) in itertools.product(range(10), enumerate((slice(n - 1, n), slice(None)))):
            permuted = np.take_along_axis(own.weights[head], ex.permutation(n), axis=1)
            for column, pattern in enumerate((permuted, uniform(n))):
                answer = changed(tokens, head, pattern, rows).argmax()
                counted[2 * row + column, head] += answer != own.next_word[-1].argmax()
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


def test_the_farthest_row_leaves_the_prediction_and_rows_farther_away_do_not():
    tokens = numbers("ana ben eva tim : ana ben")
    own = read(tokens)
    for head in (1, 9):
        row, far = ex.most_unlike(MODEL, tokens, head, 6)
        assert row.sum() == pytest.approx(1)

        def distance(other, head=head):
            return 0.5 * np.abs(other - own.weights[head, 6]).sum()

        def stays(other, head=head):
            pattern = np.broadcast_to(other, (7, 7))
            return changed(tokens, head, pattern, [6]).argmax() == own.next_word[-1].argmax()

        assert far == pytest.approx(distance(row[0]), abs=0.01)
        assert stays(row[0])
        random_rows = np.random.default_rng(head).dirichlet(np.full(7, 0.2), size=60)
        assert [other for other in random_rows if distance(other) > far + 0.02 and stays(other)] == []


def test_measures_of_deletion_are_means_over_texts():
    texts, correlations, felt = some_texts(4), [], []
    for tokens in texts:
        own = read(tokens)
        effects = np.abs(ex.effects_of_deletion(MODEL, tokens, int(own.next_word[-1].argmax())))
        rows = ex.weights_of_last(own)[-1].round(3), ex.sizes_of_last(own)[-1].round(2)
        correlations.append([rank_correlation(row, effects[-1].round(2)) for row in rows])
        felt.append([row[own.weights[head, -1].argmax()] >= 0.1 for head, row in enumerate(effects[:-1])])
    found = ex.measure_deletion(MODEL, texts)
    np.testing.assert_allclose(found[:2, -1], np.mean(correlations, axis=0))
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
    assert ex.by_chance(row, row, 1000) < 0.001
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
    assert ex.total_variation_distance([[0.5, 0.5], [1, 0]], [[0, 1], [1, 0]]) == pytest.approx(0.25)


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
