"""Weights in a file: what is read from it is what was given, within the stated error."""

import gzip
from base64 import b64decode

import numpy as np
import pytest

from attention_lab.own_attention.packing import BITS, THUMBNAIL, largest_error, pack_layers, quantized, thumbnail


@pytest.mark.parametrize("bits", BITS)
def test_no_weight_is_off_by_more_than_is_said(bits):
    assert largest_error(bits) < 1 / 500
    weights = np.linspace(0, 1, 100_001, dtype=np.float32).reshape(1, 1, -1)
    (letters,) = pack_layers([weights], bits)
    numbers = np.frombuffer(gzip.decompress(b64decode(letters)), BITS[bits])
    assert np.abs(numbers / (2**bits - 1) - weights.ravel()).max() <= largest_error(bits) + 1e-7
    assert quantized(np.float32([0, 1, 1.004]), bits).tolist() == [0, 2**bits - 1, 2**bits - 1]


def test_a_small_picture_keeps_a_diagonal_and_a_short_text_as_it_is():
    diagonal = thumbnail(np.eye(200, dtype=np.float32)[None])[0]
    assert diagonal.shape == (THUMBNAIL, THUMBNAIL)
    assert (diagonal == 255 * np.eye(THUMBNAIL)).all()
    wide = thumbnail(np.eye(200, dtype=np.float32)[None, :3])[0]
    assert wide.shape == (3, THUMBNAIL)
    np.testing.assert_array_equal(thumbnail(np.eye(5)[None])[0], 255 * np.eye(5))
