"""Writing with a cache: what it computes is what the whole text at once gives, as long as the mask is there."""

import numpy as np
import pytest

from attention_core.models import count_multiplications, decode, load_language_model
from attention_core.models.language_model import held_out_texts

MODEL = load_language_model()
TEXTS = [MODEL.places(text.words) for text in held_out_texts(200)]


def gap(cached, whole):
    """The largest difference of a probability, a key or a value, and of a weight that both have computed."""
    pairs = [(cached.next_word, whole.next_word), (cached.keys, whole.keys), (cached.values, whole.values)]
    return max(float(np.abs(a - b).max()) for a, b in [*pairs, (cached.weights, whole.weights)])


def test_cached_numbers_are_those_of_the_whole_text_in_200_texts():
    """Compared: all weights, keys and values of all ten heads, and the next token's probabilities.

    Half of each text is read at once; its other tokens come one by one. The last comparison is with the model's
    own forward pass, which is in single precision.
    """
    for tokens in TEXTS:
        n = len(tokens)
        cached, whole = decode(MODEL, tokens, n // 2), decode(MODEL, tokens, n)
        run = MODEL.run([MODEL.words[token] for token in tokens])
        assert gap(cached, whole) < 1e-12
        assert np.abs(whole.next_word - run.next_word[-1]).max() < 1e-5


def test_another_token_changes_no_earlier_weight_in_200_texts():
    for tokens in TEXTS:
        before, after = decode(MODEL, tokens[:-1], 1), decode(MODEL, tokens, 1)
        assert np.abs(before.weights - after.weights[:, :-1, :-1]).max() < 1e-12
        assert not after.weights[:, :-1, -1].any()


def test_without_the_mask_the_cache_goes_wrong_in_each_of_200_texts():
    differences = []
    for tokens in TEXTS:
        n = len(tokens)
        cached, whole = (decode(MODEL, tokens, start, causal=False) for start in (n // 2, n))
        differences.append(np.abs(cached.weights[:, -1] - whole.weights[:, -1]).max())
    assert min(differences) > 0.04


def test_multiplications_are_those_that_a_hand_counts():
    # 10 heads, d_model 40, d_k 8: four matrices of 40 · 8 for a row, and 2 · 8 for each key that it attends to.
    first, second = (10 * (4 * n * 320 + 16 * sum(range(1, n + 1))) for n in (2, 3))
    last_row, logits = 10 * (4 * 320 + 16 * 3), 40 * 130
    assert count_multiplications(MODEL, 2, 2) == (
        [first + logits, second + logits],
        [first + logits, last_row + logits],
    )
    assert count_multiplications(MODEL, 4, 0) == ([], [])


def test_a_cached_token_costs_little_more_than_the_one_before():
    without, cached = count_multiplications(MODEL, 1, 31)
    assert set(np.diff(cached[1:])) == {160}
    assert (np.diff(without, n=2) == 160).all(), "a sum of these grows faster than the square"


@pytest.mark.parametrize("tokens", [[1] * 33, [1, -1], [1, 130]])
def test_tokens_that_the_model_does_not_have_or_hold_are_refused(tokens):
    with pytest.raises(ValueError, match="token"):
        decode(MODEL, tokens, 1)


@pytest.mark.parametrize("start", [0, 4, 1.5])
def test_a_beginning_outside_of_the_text_is_refused(start):
    with pytest.raises(ValueError, match="start"):
        decode(MODEL, [1, 2, 3], start)
