import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import dial_positions, rotate_by_position, sinusoidal_positions

seeds = st.integers(0, 2**32 - 1)


def test_the_table_by_hand():
    table = sinusoidal_positions(3, 4)
    np.testing.assert_array_equal(table[0], [0, 1, 0, 1])
    np.testing.assert_allclose(table[2], [math.sin(2), math.cos(2), math.sin(0.02), math.cos(0.02)])
    assert table.dtype == np.float64


@given(st.integers(0, 20), st.integers(1, 12))
def test_each_cell_as_the_formula_has_it(n, d_model):
    table = sinusoidal_positions(n, d_model)
    assert table.shape == (n, d_model)
    for position, column in np.ndindex(n, d_model):
        angle = position / 10_000 ** (2 * (column // 2) / d_model)
        assert table[position, column] == pytest.approx(
            math.cos(angle) if column % 2 else math.sin(angle), abs=1e-12
        )


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_likeness_depends_on_distance_alone(i, j, shift):
    table = sinusoidal_positions(120, 16)
    assert table[i] @ table[j] == pytest.approx(table[i + shift] @ table[j + shift])


@pytest.mark.parametrize(("n", "d_model"), [(-1, 4), (2.5, 4), (3, 0), (3, 1.5), ("3", 4)])
def test_sizes_must_be_whole(n, d_model):
    with pytest.raises(ValueError, match="must be a whole number"):
        sinusoidal_positions(n, d_model)


def test_a_quarter_turn_by_hand():
    turned = rotate_by_position([[1, 0, 1, 0], [1, 0, 1, 0]], [0, math.pi / 2], base=16)
    np.testing.assert_array_equal(turned[0], [1, 0, 1, 0])
    np.testing.assert_allclose(turned[1], [0, 1, math.cos(math.pi / 8), math.sin(math.pi / 8)], atol=1e-15)


@given(seeds, st.floats(-100, 100), st.floats(-100, 100), st.floats(-100, 100))
def test_a_score_depends_on_distance_alone(seed, i, j, shift):
    query, key = np.random.default_rng(seed).standard_normal((2, 1, 6))

    def score(i, j):
        return (rotate_by_position(query, [i]) @ rotate_by_position(key, [j]).T).item()

    assert score(i, j) == pytest.approx(score(i + shift, j + shift), abs=1e-9)
    assert score(i, i) == pytest.approx((query @ key.T).item(), abs=1e-9)


@given(seeds)
def test_turning_keeps_the_length_and_can_be_turned_back(seed):
    random = np.random.default_rng(seed)
    x, positions = random.standard_normal((2, 5, 8)), random.integers(0, 1000, 5)
    turned = rotate_by_position(x, positions)
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1))
    np.testing.assert_allclose(rotate_by_position(turned, -positions), x, atol=1e-10)


def test_positions_for_every_word_of_a_batch():
    x = np.random.default_rng(0).standard_normal((2, 3, 4))
    turned = rotate_by_position(x, [[0, 1, 2], [5, 6, 7]])
    np.testing.assert_allclose(turned[1], rotate_by_position(x[1], [5, 6, 7]))
    np.testing.assert_allclose(rotate_by_position(x, 3)[0, 1], rotate_by_position(x[0, 1:2], [3])[0])


@pytest.mark.parametrize(
    ("given", "result"), [("float16", "float32"), ("float32", "float32"), ("int64", "float64")]
)
def test_number_types(given, result):
    x = np.ones((2, 2), given)
    assert rotate_by_position(x, [0, 1]).dtype == result
    np.testing.assert_array_equal(x, np.ones((2, 2)))


def test_no_words():
    assert rotate_by_position(np.ones((0, 4)), []).shape == (0, 4)
    assert sinusoidal_positions(0, 4).shape == (0, 4)


@pytest.mark.parametrize(
    ("x", "positions", "base", "said"),
    [
        (np.ones((2, 3)), [0, 1], 10, r"even number of components .* got shape \(2, 3\)"),
        (np.ones(4), [0], 10, r"x must have shape .* got \(4,\)"),
        (
            np.ones((2, 4)),
            [0, 1, 2],
            10,
            r"positions must broadcast to \(2,\).* shape \(2, 4\), got shape \(3,\)",
        ),
        (np.ones((2, 4)), [0, np.nan], 10, "positions must be finite"),
        (np.ones((2, 4)), ["a", "b"], 10, "positions must hold real numbers"),
        (np.ones((2, 4)), [0, 1], 0, "base must be above zero"),
        (np.ones((2, 4)), [0, 1], np.nan, "base must be a finite number"),
        (np.full((2, 4), np.inf), [0, 1], 10, "x must be finite"),
        (np.ones((2, 4)), [0, 1e308], 1e-308, "positions · base"),
        (np.full((2, 4), 1.7e308), [0, 0.8], 10, "rotated vectors overflow float64"),
    ],
)
def test_refusals(x, positions, base, said):
    with pytest.raises(ValueError, match=said):
        rotate_by_position(x, positions, base)


def test_a_dial_turns_by_whole_numbers():
    dial = dial_positions(16)
    np.testing.assert_allclose(np.hypot(*dial.T), 1)
    np.testing.assert_allclose(dial[1:] @ [[24, -7], [7, 24]], 25 * dial[:-1], atol=1e-12)
    assert np.argmax(dial @ dial.T, axis=1).tolist() == [*range(16)], "all places stand apart"
    assert dial_positions(0).shape == (0, 2)
    with pytest.raises(ValueError, match="n must be a whole number"):
        dial_positions(-1)
