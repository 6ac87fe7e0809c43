"""A page's calculation as data gives what the core gives."""

import numpy as np
import pytest

import attention_core
from controls.calculation import ARRAYS, calculate, find

A = np.array([[0.0, 3.0], [2.0, 2.0], [4.0, 0.0]])


def test_steps_build_on_one_another():
    steps = (
        ("looked_up", "rows", ("table", "places")),
        ("scores", "dot_product", ("looked_up", "looked_up")),
        ("shares", "softmax", ("scores", "heat")),
        ("mixed", "product", ("shares", "looked_up")),
    )
    scope = calculate(steps, {"table": A, "places": [2, 0, 2], "heat": 4.0})
    chosen = A[[2, 0, 2]]
    shares = attention_core.softmax(chosen @ chosen.T, 4.0)
    np.testing.assert_array_equal(scope["mixed"], shares @ chosen)


def test_what_was_given_stays_as_it_was():
    given = {"x": A}
    scope = calculate((("dot", "dot_product", ("x", "x")),), given)
    assert set(given) == {"x"}
    assert scope["x"] is A


def test_a_path_leads_through_names_places_and_fields():
    trace = attention_core.scaled_dot_product_attention(A, A, A)
    scope = {"dot": A @ A.T, "word": 1, "other": 2, "trace": trace}
    assert find(scope, "word") == 1
    assert find(scope, ("dot", "$word", "$other")) == 8
    assert find(scope, ("trace", "weights", "$word", 0)) == trace.weights[1, 0]


def test_the_rows_of_no_places_are_none():
    assert ARRAYS["rows"](A, []).shape == (0, 2)


def test_an_unknown_function_is_named():
    with pytest.raises(AttributeError, match="no_such_thing"):
        calculate((("a", "no_such_thing", ()),), {})
