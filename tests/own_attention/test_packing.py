"""Weights in a file: what is read from it is what was given, within the stated error."""

import gzip

import numpy as np
import pytest

from attention_lab.own_attention.packing import (
    BITS,
    NONE,
    THUMBNAIL,
    largest_error,
    pack_layers,
    quantized,
    quantized_change,
    rounded_up,
    strongest,
    thumbnail,
)


@pytest.mark.parametrize("bits", BITS)
def test_no_weight_is_off_by_more_than_is_said(bits):
    assert largest_error(bits) < 1 / 500
    weights = np.linspace(0, 1, 100_001, dtype=np.float32).reshape(1, 1, -1)
    (packed,) = pack_layers([weights], bits)
    numbers = np.frombuffer(gzip.decompress(packed), BITS[bits])
    assert (
        np.abs(numbers / (2**bits - 1) - weights.ravel()).max()
        <= largest_error(bits)
        <= rounded_up(largest_error(bits))
    )
    assert quantized(np.float32([0, 1, 1.004]), bits).tolist() == [0, 2**bits - 1, 2**bits - 1]


@pytest.mark.parametrize("bits", BITS)
def test_no_change_is_off_by_more_than_is_said(bits):
    change = np.linspace(-1, 1, 100_001, dtype=np.float32)
    numbers = 2 * (quantized_change(change, bits) / (2**bits - 2)) - 1
    assert np.abs(numbers - change).max() <= largest_error(bits, signed=True)


def test_a_bound_is_rounded_up():
    assert [rounded_up(0.5 / 255), rounded_up(0.5 / 65535), rounded_up(0.0020)] == [0.0020, 7.7e-06, 0.0020]


def test_the_key_with_the_largest_weight_is_known_where_bytes_are_equal():
    weights = np.float32([[[0.2501, 0.2502, 0.2497, 0.25], [0, 0, 0, 0], [0, 0, -0.7, 0.6]]])
    assert len({*quantized(weights[0, 0], 8)}) == 1
    assert strongest([weights]).tolist() == [1, NONE, 2]


def test_a_small_picture_keeps_a_diagonal_and_a_short_text_as_it_is():
    diagonal = thumbnail(np.eye(200, dtype=np.float32)[None])[0]
    assert diagonal.shape == (THUMBNAIL, THUMBNAIL)
    assert (diagonal == 255 * np.eye(THUMBNAIL)).all()
    wide = thumbnail(np.eye(200, dtype=np.float32)[None, :3])[0]
    assert wide.shape == (3, THUMBNAIL)
    np.testing.assert_array_equal(thumbnail(np.eye(5)[None])[0], 255 * np.eye(5))
