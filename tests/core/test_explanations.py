"""What weights tell of an answer: every figure again, by plain loops without any of the core's shortcuts."""

import itertools
import math

import numpy as np
import pytest

from attention_core import load_language_model, load_task, rank_correlation
from attention_core.models import explanations as ex
from attention_core.models import grammar, reading
from attention_core.training import without_answer

MODEL = load_language_model("readable")
ON = np.ones((2, 5))
RECALL = "the fluffy blue creature saw the shiny red tower . the tower was"


def numbers(text):
    return [grammar.PLACE_OF[word] for word in text.split()]


def some_texts(count):
    """Held-out texts up to where the last word that can be known is to be said."""
    known = (text for text in grammar.texts(10_000, held_out=True) if text.slots)
    return [numbers(" ".join(text.words[: text.slots[-1].place + 1])) for text in itertools.islice(known, count)]


def said(tokens, look=None, seen=None):
    """The shares of the next word: word by word, head by head. `look` and `seen` change weights and scores."""
    x = [MODEL.embeddings[word].astype(float) + MODEL.positions[place] for place, word in enumerate(tokens)]
    for layer in range(2):
        added = [vector.copy() for vector in x]
        for head in range(5):
            W = [
                getattr(MODEL, f"W_{name}")[layer, head].astype(float)
                for name in ("query", "key", "value", "output")
            ]
            for i in range(len(tokens)):
                scores = [float((x[i] @ W[0]) @ (x[j] @ W[1])) / math.sqrt(W[0].shape[1]) for j in range(i + 1)]
                if seen:
                    scores = [score if seen(5 * layer + head, j) else -math.inf for j, score in enumerate(scores)]
                top = max(scores)
                powers = [math.exp(score - top) if top > -math.inf else 0.0 for score in scores]
                weights = [power / (sum(powers) or 1.0) for power in powers]
                if look:
                    weights = look(5 * layer + head, i, weights)
                for weight, vector in zip(weights, x, strict=False):
                    added[i] = added[i] + weight * ((vector @ W[2]) @ W[3])
        x = added
    logits = x[-1] @ MODEL.W_vocabulary + MODEL.bias
    return np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()


def test_from_its_own_weights_the_model_goes_on_as_it_would():
    tokens = numbers(RECALL)
    own = reading.read_text(MODEL, tokens, ON)
    for head in (0, 7):
        again = ex.read_changed(MODEL, tokens, head, own.weights[head])
        np.testing.assert_allclose(again.next_word, own.next_word, atol=1e-6)
        np.testing.assert_allclose(again.states, own.states, atol=1e-5)


@pytest.mark.parametrize(("text", "head"), [(RECALL, 0), ("ana ben tim eva : ana ben", 6)])
def test_later_layers_follow_from_weights_that_were_changed(text, head):
    tokens = numbers(text)
    pattern = ex.flat_pattern(len(tokens))
    found = ex.read_changed(MODEL, tokens, head, pattern)
    flat = said(tokens, look=lambda h, i, weights: [1 / (i + 1)] * (i + 1) if h == head else weights)
    np.testing.assert_allclose(found.next_word[-1], flat, atol=1e-5)
    assert np.argmax(flat) != np.argmax(said(tokens)), "both of these heads are needed here"


@pytest.mark.parametrize("head", [-1, 1, 7])
def test_a_word_taken_out_is_one_that_cannot_be_looked_at(head):
    """A score of −∞ before the softmax and a weight of 0 with the rest made to sum to 1 again are the same."""
    tokens = numbers(RECALL)
    for place in (0, 7):
        kept = np.ones(len(tokens))
        kept[place] = 0
        found = ex.read_thinned(MODEL, tokens, head, kept).next_word[-1]
        closed = said(tokens, seen=lambda h, j, place=place: j != place or head not in (h, -1))
        np.testing.assert_allclose(found, closed, atol=1e-5)


def test_effects_of_deletion_are_those_of_one_word_after_another():
    for tokens in some_texts(3):
        own = reading.read_text(MODEL, tokens, ON).next_word[-1].astype(float)
        answer = int(own.argmax())
        effects = ex.effects_of_deletion(MODEL, tokens, answer)
        assert effects.shape == (11, len(tokens))
        for row, head in enumerate([*range(10), -1]):
            for place in range(len(tokens)):
                kept = 1 - np.eye(len(tokens))[place]
                left = ex.read_thinned(MODEL, tokens, head, kept).next_word[-1, answer]
                assert effects[row, place] == pytest.approx(math.log(own[answer] / left), abs=2e-4), (head, place)


def test_in_how_many_texts_an_answer_changes_is_counted():
    texts, counted = some_texts(3), np.zeros((4, 10))
    for tokens in texts:
        n, order = len(tokens), ex.permutation(len(tokens))
        answer = said(tokens).argmax()
        ways = {
            "permuted": lambda i, weights, order=order: [weights[j] for j in order[i, : i + 1]],
            "flat": lambda i, weights: [1 / (i + 1)] * (i + 1),
        }
        for head in range(10):
            for way, (last, name) in enumerate(itertools.product((True, False), ways)):

                def look(h, i, weights, head=head, last=last, change=ways[name], n=n):
                    return change(i, weights) if h == head and (i == n - 1 or not last) else weights

                counted[way, head] += said(tokens, look=look).argmax() != answer
    np.testing.assert_allclose(ex.measure_swaps(MODEL, texts), counted / len(texts))
    assert 0 < counted.sum() < counted.size * len(texts)


def test_a_permutation_mixes_what_a_row_may_look_at_and_nothing_else():
    order = ex.permutation(6)
    for row in range(6):
        assert sorted(order[row, : row + 1]) == list(range(row + 1))
        assert list(order[row, row + 1 :]) == list(range(row + 1, 6))
    assert (ex.permutation(6) != ex.permutation(6, seed=1)).any(), "at random"
    weights = ex.rearranged(np.arange(36.0).reshape(6, 6), order)
    assert weights[5, 2] == 30 + order[5, 2]


def test_what_a_hand_adds_to_a_row_leaves_shares():
    row = np.array([[0.5, 0.3, 0.2]])
    np.testing.assert_allclose(ex.shifted_row(row, np.array([[0.0, 0.0, 0.0]])), row)
    np.testing.assert_allclose(ex.shifted_row(row, np.array([[-0.5, -0.4, 0.3]])), [[0.0, 0.0, 1.0]])
    np.testing.assert_allclose(
        ex.shifted_row(row, np.array([[0.5, 0.0, 0.0]])), np.array([[1.0, 0.3, 0.2]]) / 1.5
    )
    np.testing.assert_allclose(ex.shifted_row(row, np.full((1, 3), -1.0)), row, err_msg="nothing would be left")


@pytest.mark.parametrize("head", [1, 3, 9])
def test_the_row_most_unlike_leaves_the_answer_and_no_random_one_is_farther(head):
    tokens = numbers("ana ben eva tim : ana ben")
    own = reading.read_text(MODEL, tokens, ON)
    row, far = ex.most_unlike(MODEL, tokens, head, 6)
    answer, pattern = own.next_word[-1].argmax(), own.weights[head].astype(float)
    assert row.sum() == pytest.approx(1)
    assert far == pytest.approx(0.5 * np.abs(row[0] - pattern[6]).sum(), abs=0.01)

    def keeps(other):
        look = lambda h, i, weights: list(other) if (h, i) == (head, 6) else weights  # noqa: E731
        return said(tokens, look=look).argmax() == answer

    assert keeps(row[0])
    random = np.random.default_rng(head)
    for other in random.dirichlet(np.full(7, 0.2), size=60):
        if 0.5 * np.abs(other - pattern[6]).sum() > far + 0.02:
            assert not keeps(other)


def test_rank_correlation_is_the_textbook_formula():
    random = np.random.default_rng(0)
    one, other = random.permutation(9), random.permutation(9)
    squares = sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
    assert rank_correlation(one, other) == pytest.approx(1 - 6 * squares / (9 * 80)), (
        "Spearman's formula, without ties"
    )
    assert rank_correlation([1, 2, 2, 4], [1, 2, 3, 4]) == pytest.approx(0.9486833)
    assert math.isnan(rank_correlation([1, 1, 1], [1, 2, 3]))


def test_measures_of_deletion_are_means_over_texts():
    texts = some_texts(4)
    found = ex.measure_deletion(MODEL, texts)
    for column, measure in enumerate((ex.weights_of_last, ex.sizes_of_last)):
        each = []
        for tokens in texts:
            own = reading.read_text(MODEL, tokens, ON)
            effects = np.abs(ex.effects_of_deletion(MODEL, tokens, int(own.next_word[-1].argmax())))
            each.append(rank_correlation(measure(own)[-1].round((3, 2)[column]), effects[-1].round(2)))
        assert found[column, -1] == pytest.approx(np.mean(each))
    felt = []
    for tokens in texts:
        own = reading.read_text(MODEL, tokens, ON)
        effects = ex.effects_of_deletion(MODEL, tokens, int(own.next_word[-1].argmax()))
        felt.append([abs(row[own.weights[head, -1].argmax()]) >= 0.1 for head, row in enumerate(effects[:-1])])
    np.testing.assert_array_equal(found[3, :-1], np.sum(felt, axis=0))
    alone = ex.measure_deletion(MODEL, [numbers("ana")])
    assert np.isnan(alone[:2]).all(), "of one word there is no order"
    assert not alone[2].any()


def test_what_is_shown_alike_ranks_alike():
    weights = [0.7, 0.2, 0.1, 0.0001]
    assert math.isnan(ex.agreement(weights, [0.004, -0.003, 0.001, 0], 3)), "nothing to rank"
    assert ex.agreement(weights, [-0.5, 0.004, 0.001, 0.002], 3) == pytest.approx(
        rank_correlation([4, 3, 2, 1], [1, 0, 0, 0])
    )
    assert ex.agreement([0.5, 0.0001, 0.0002], [1, 0, 0], 3) == pytest.approx(1)


def test_ten_heads_can_be_in_order_by_chance():
    row = np.arange(10.0)
    assert ex.by_chance(row, row) < 0.001
    assert ex.by_chance(row, [0, 1, 5, 2, 9, 3, 8, 4, 6, 7]) < 0.1
    assert ex.by_chance(row, [5, 1, 4, 9, 3, 0, 8, 2, 6, 7]) > 0.3


def test_what_a_word_hands_over_is_told_by_whom_it_came():
    tokens = numbers(RECALL)
    own = reading.read_text(MODEL, tokens, ON)
    parts = ex.handed_parts(MODEL, own, 5, 8)
    assert parts.sum() == pytest.approx(1, abs=1e-5)
    through_head = MODEL.W_value[1, 0] @ MODEL.W_output[1, 0]
    whole = own.states[1, 8] @ through_head
    np.testing.assert_allclose(whole, own.updates[5, 8], atol=1e-4)
    red = sum(own.weights[head, 8, 7] * own.updates[head, 7] for head in range(5)) @ through_head
    assert parts[7] == pytest.approx(red @ whole / (whole @ whole), abs=1e-5)
    assert parts[7] > 0.5 > parts[8], "what “tower” hands over is “red”, and little of its own"


def test_heads_are_matched_so_that_their_patterns_are_nearest():
    patterns = np.random.default_rng(1).dirichlet(np.ones(4), size=(5, 4))
    other = np.array([3, 0, 4, 1, 2])
    distances = ex.pattern_distances(patterns[other], patterns)
    assert ex.best_matching(distances) == tuple(other)
    assert ex.weights_apart([[0.5, 0.5], [1, 0]], [[0, 1], [1, 0]]) == pytest.approx(0.25)


def test_a_task_without_an_answer_asks_for_the_others_alone():
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
