"""The shipped gallery holds what the real model computes for its sentences."""

import numpy as np
import pytest

from attention_core import load_gallery, read_model
from attention_core.models.weights import FOLDER
from tools.training import gallery as making


@pytest.fixture(scope="module")
def model():
    return read_model(making.shipped_folder())


def test_it_is_made_from_the_weights_that_it_names_and_is_small(model):
    assert load_gallery().record["sha256"] == model.sha256
    assert load_gallery().runs.keys() == making.SENTENCES.keys()
    assert len(making.SENTENCES) == 12
    assert (FOLDER / "gallery.npz").stat().st_size <= 1_200_000


def test_every_number_is_recomputed(model):
    for name, text in making.SENTENCES.items():
        shipped, run = load_gallery().runs[name], model.run(text)
        assert (shipped.text, shipped.tokens) == (text, run.tokens)
        np.testing.assert_allclose(shipped.states, run.states, rtol=1e-3, atol=1e-4, err_msg=name)
        weights = np.stack([trace.weights for trace in run.layers])
        np.testing.assert_allclose(shipped.weights, weights, atol=4e-3, err_msg=name)
        np.testing.assert_allclose(shipped.weights.sum(axis=-1), 1, atol=1e-5, err_msg=name)
        assert len(shipped.deletion) == len(shipped.tokens) - 2
        if len(shipped.tokens) <= 8:  # deletion takes a forward pass for each token
            np.testing.assert_allclose(shipped.deletion, making.deletion(model, text), atol=1e-5, err_msg=name)


def test_different_senses_of_a_word_move_apart_more_than_texts_of_one_sense(model):
    for word in making.SENSES:
        found = load_gallery().senses[word]
        for text, vector in zip(found.texts, found.vectors, strict=True):
            run = model.run(text)
            np.testing.assert_allclose(vector, run.states[:, run.tokens.index(word)], rtol=1e-3, atol=1e-4)
        one, several = found.cosines()
        assert (one[1:] > several[1:]).all()
        assert one[6] - several[6] > 3 * (one[0] - several[0])
