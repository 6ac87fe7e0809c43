"""The shipped gallery is what the real model says of its sentences."""

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
    assert len(load_gallery().runs) == 12
    assert (FOLDER / "gallery.npz").stat().st_size <= 1_200_000


@pytest.mark.parametrize("name", making.SENTENCES)
def test_every_number_is_recomputed(model, name):
    kept, run = load_gallery().runs[name], model.run(making.SENTENCES[name])
    assert (kept.text, kept.tokens) == (making.SENTENCES[name], run.tokens)
    np.testing.assert_allclose(kept.states, run.states, rtol=1e-3, atol=1e-4)
    weights = np.stack([trace.weights for trace in run.layers])
    np.testing.assert_allclose(kept.weights, weights, atol=4e-3)
    np.testing.assert_allclose(kept.weights.sum(axis=-1), 1, atol=1e-5)
    np.testing.assert_allclose(kept.deletion, making.deletion(model, kept.text), atol=1e-5)
    assert len(kept.deletion) == len(kept.tokens) - 2


@pytest.mark.parametrize("word", making.SENSES)
def test_a_word_in_two_senses_parts_more_than_in_one(model, word):
    found = load_gallery().senses[word]
    for text, vector in zip(found.texts, found.vectors, strict=True):
        run = model.run(text)
        np.testing.assert_allclose(vector, run.states[:, run.tokens.index(word)], rtol=1e-3, atol=1e-4)
    one, several = found.cosines()
    assert (one[1:] > several[1:]).all()
    assert one[6] - several[6] > 3 * (one[0] - several[0])
