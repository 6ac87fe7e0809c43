"""Position vectors and rotations."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import dial_positions, rotate_by_position, sinusoidal_positions
from tests.core.refusals import not_refused


@given(st.integers(0, 20), st.integers(1, 12))
def test_each_cell_follows_the_formula(n, d_model):
    table = sinusoidal_positions(n, d_model)
    assert (table.shape, table.dtype) == ((n, d_model), np.float64)
    for position, column in np.ndindex(n, d_model):
        angle = position / 10_000 ** (2 * (column // 2) / d_model)
        wave = math.cos if column % 2 else math.sin
        assert table[position, column] == pytest.approx(wave(angle), abs=1e-12)


def test_a_rotation_by_hand():
    rotated = rotate_by_position([[1, 0, 1, 0], [1, 0, 1, 0]], [0, math.pi / 2], base=16)
    np.testing.assert_array_equal(rotated[0], [1, 0, 1, 0])
    np.testing.assert_allclose(rotated[1], [0, 1, math.cos(math.pi / 8), math.sin(math.pi / 8)], atol=1e-15)
    assert rotate_by_position(np.ones((0, 4)), []).shape == (0, 4)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.floats(1e-3, 1e5))
def test_a_rotation_multiplies_complex_numbers(seed, pairs, base):
    random = np.random.default_rng(seed)
    x, positions = random.standard_normal((2, 5, 2 * pairs)), random.integers(-1000, 1000, (2, 5))
    angles = positions[..., None] * base ** (-np.arange(pairs) / pairs)
    expected = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    rotated = rotate_by_position(x, positions, base)
    np.testing.assert_allclose(rotated[..., 0::2] + 1j * rotated[..., 1::2], expected, atol=1e-9)
    np.testing.assert_allclose(rotate_by_position(x, positions[0], base)[0], rotated[0], atol=1e-12)


def test_a_dial_turns_by_the_same_rational_rotation_at_each_position():
    dial = dial_positions(16)
    np.testing.assert_allclose(np.hypot(*dial.T), 1)
    np.testing.assert_allclose(dial[1:] @ [[24, -7], [7, 24]], 25 * dial[:-1], atol=1e-12)
    assert np.argmax(dial @ dial.T, axis=1).tolist() == [*range(16)], "all positions differ"
    assert dial_positions(0).shape == (0, 2)


def test_refusals():
    two = np.ones((2, 4))
    cases = [(lambda: dial_positions(-1), "n must be a whole number")]
    for x, positions, base, said in (
        (np.ones((2, 3)), [0, 1], 10, r"even number of components .* got shape \(2, 3\)"),
        (np.ones(4), [0], 10, r"x must have shape .* got \(4,\)"),
        (two, [0, 1, 2], 10, r"positions must broadcast to \(2,\).* shape \(2, 4\), got shape \(3,\)"),
        (two, [0, np.nan], 10, "positions must be finite"),
        (two, ["a", "b"], 10, "positions must hold real numbers"),
        (two, [0, 1], 0, "base must be above zero"),
        (two, [0, 1], np.nan, "base must be a finite number"),
        (two * np.inf, [0, 1], 10, "x must be finite"),
        (two, [0, 1e308], 1e-308, "positions · base"),
        (two * 1.7e308, [0, 0.8], 10, "rotated vectors overflow float64"),
        (np.ones((2, 2, 3, 4)), np.ones((2, 3)), 10, r"\(2,\) of positions .* pass positions\[:, None\]"),
    ):
        cases.append((partial(rotate_by_position, x, positions, base), said))
    for n, d_model in ((-1, 4), (2.5, 4), (3, 0), (3, 1.5), ("3", 4)):
        cases.append((partial(sinusoidal_positions, n, d_model), "must be a whole number"))
    assert not_refused(cases) == []
