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
    few, small, large = ReadCache(3, 100_000, len), ReadCache(100, 9000, len), ReadCache(100, 20, len)
    for number in range(9):
        for cache in (few, small, large):
            values = {"measure": "sum", "numbers": np.full(500, number)}  # 4000 bytes: as a key, too
            ask(cache, values, sum_or_length)
            assert cache.get("key", [values]), "the newest stays"
        assert few.count <= 3
        assert small.nbytes <= 9000
        assert large.count == 1


def test_result_that_follows_from_more_than_an_array_is_found_again_for_each_array():
    cache = ReadCache(8, 10**6, len)
    for count in (3000, 4000):  # too large to be told by their numbers
        numbers = np.ones(count)
        values = [{"measure": "sum", "numbers": numbers, "more": more} for more in range(2)]
        for each in values:
            ask(cache, each, lambda values: f"{values['numbers'].sum()} {values['more']}")
        assert [cache.get("key", [each]) for each in values] == [f"{count}.0 0", f"{count}.0 1"]
        assert cache.nbytes > numbers.nbytes


def test_another_order_of_reading_gives_the_new_result():
    cache, reads = ReadCache(8, 1000, len), {(0, "a"): 1, (0, "b"): 2}
    cache.put("key", reads, "old")
    cache.put("key", dict(reversed(reads.items())), "new")
    assert cache.get("key", [{"a": 1, "b": 2}]) == "new"


def test_put_in_the_midst_of_a_lookup_never_gives_the_result_of_another_state():
    """Another thread keeps a result for which `b` was read first, just while `a` is looked up."""
    cache = ReadCache(8, 10**6, len)
    cache.put("key", {(0, "a"): 1, (0, "c"): 3}, "a 1, c 3")

    class Source(dict):
        def __getitem__(self, name):
            if name == "a":
                cache.put("key", {(0, "b"): 1, (0, "c"): 3}, "b 1, c 3")
            return super().__getitem__(name)

    assert cache.get("key", [Source(a=1, b=2, c=3)]) == "a 1, c 3"
    assert cache.get("key", [{"a": 2, "b": 1, "c": 3}]) == "b 1, c 3"


def test_an_object_is_the_same_as_itself_alone():
    one, other = [1], [1]
    assert Same(one) == Same(one)
    assert Same(one) != Same(other)
