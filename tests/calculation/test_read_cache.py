"""Results are found again by what was read to compute them."""

import numpy as np
import pytest

from attention_lab.calculation.read_cache import ReadCache, Same, Watched, fact


def ask(cache, values, compute):
    """Ask as a lesson does; return the result and whether it was computed."""
    if (result := cache.get("key", [values])) is not None:
        return result, False
    reads = {}
    result = compute(Watched(0, values, reads))
    cache.put("key", reads, result)
    return result, True


def sum_or_length(values):
    return f"sum {values['numbers'].sum()}" if values["measure"] == "sum" else f"length {fact(values, length)}"


def length(values):
    return len(values["numbers"])


@pytest.fixture
def cache():
    return ReadCache(8, 1000, len)


def test_what_was_not_read_may_change(cache):
    values = {"measure": "length", "numbers": np.array([1, 2]), "other": 1}
    assert ask(cache, values, sum_or_length) == ("length 2", True)
    assert ask(cache, values | {"other": 2, "numbers": np.array([3, 4])}, sum_or_length) == ("length 2", False)


def test_what_was_read_may_not(cache):
    values = {"measure": "sum", "numbers": np.array([1, 2])}
    ask(cache, values, sum_or_length)
    assert ask(cache, values | {"numbers": np.array([3, 4])}, sum_or_length) == ("sum 7", True)
    assert ask(cache, values | {"numbers": np.array([1, 2])}, sum_or_length) == ("sum 3", False), (
        "equal is enough"
    )
    assert ask(cache, values | {"measure": "length"}, sum_or_length) == ("length 2", True)
    assert ask(cache, values | {"measure": "length", "numbers": np.ones(3)}, sum_or_length) == ("length 3", True)


def test_it_keeps_to_its_bounds():
    cache = ReadCache(3, 1000, len)
    for number in range(9):
        ask(cache, {"measure": "sum", "numbers": np.array([number])}, sum_or_length)
        assert cache.count <= 3
    cache = ReadCache(100, 20, len)
    for number in range(9):
        ask(cache, {"measure": "sum", "numbers": np.array([number])}, sum_or_length)
        assert cache.nbytes <= 20


def test_other_order_of_reading_gives_the_new_result(cache):
    values = {"a": 1, "b": 2}
    reads = {(0, "a"): 1, (0, "b"): 2}
    cache.put("key", reads, "old")
    cache.put("key", dict(reversed(reads.items())), "new")
    assert cache.get("key", [values]) == "new"


def test_an_object_is_the_same_as_itself_alone():
    one, other = [1], [1]
    assert Same(one) == Same(one)
    assert Same(one) != Same(other)
