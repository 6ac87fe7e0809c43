"""Results are found again by what was read to compute them."""

import numpy as np

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


def test_what_was_not_read_may_change():
    cache = ReadCache(8, 1000, len)
    values = {"measure": "length", "numbers": np.array([1, 2]), "other": 1}
    assert ask(cache, values, sum_or_length) == ("length 2", True)
    assert ask(cache, values | {"other": 2, "numbers": np.array([3, 4])}, sum_or_length) == ("length 2", False)


def test_what_was_read_may_not_change():
    cache = ReadCache(8, 1000, len)
    values = {"measure": "sum", "numbers": np.array([1, 2])}
    for others, result, computed in (
        ({}, "sum 3", True),
        ({"numbers": np.array([3, 4])}, "sum 7", True),
        ({"numbers": np.array([1, 2])}, "sum 3", False),
        ({"measure": "length"}, "length 2", True),
        ({"measure": "length", "numbers": np.ones(3)}, "length 3", True),
    ):
        assert ask(cache, values | others, sum_or_length) == (result, computed)


def test_it_keeps_to_its_bounds():
    few, small = ReadCache(3, 1000, len), ReadCache(100, 20, len)
    for number in range(9):
        for cache in (few, small):
            ask(cache, {"measure": "sum", "numbers": np.array([number])}, sum_or_length)
        assert few.count <= 3
        assert small.nbytes <= 20


def test_another_order_of_reading_gives_the_new_result():
    cache, reads = ReadCache(8, 1000, len), {(0, "a"): 1, (0, "b"): 2}
    cache.put("key", reads, "old")
    cache.put("key", dict(reversed(reads.items())), "new")
    assert cache.get("key", [{"a": 1, "b": 2}]) == "new"


def test_an_object_is_the_same_as_itself_alone():
    one, other = [1], [1]
    assert Same(one) == Same(one)
    assert Same(one) != Same(other)
