"""Caches of a process: bounded in number and bytes, computed once for all, and free of deadlocks."""

import threading
from dataclasses import dataclass

import numpy as np
import pytest

from attention_lab.calculation import long_work
from attention_lab.calculation.caches import BoundedCache, SingleFlightCache, bytes_held

PATIENCE = 20  # s after which threads are thought to wait for each other


@dataclass(frozen=True)
class Owned:
    numbers: np.ndarray
    others: dict


def in_threads(*functions):
    """Run functions at once, each in a thread; whether all have ended."""
    threads = [threading.Thread(target=function, daemon=True) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return not any(thread.is_alive() for thread in threads)


def test_bytes_are_those_of_every_array_a_value_refers_to_each_once():
    array = np.zeros(1000)
    value = Owned(array, {"view": array[:10], "data": [b"x" * 5000], "same": array})
    assert 13_000 < bytes_held(value) < 14_500


def test_bytes_of_a_shared_type_are_not_counted():
    assert bytes_held([Owned(np.zeros(1000), {})], shared=(Owned,)) < 200


def test_cache_is_bounded_in_number():
    cache = BoundedCache(3, 10**6)
    for name in range(5):
        assert cache.put(name, str(name)) == str(name)
    assert len(cache) == 3
    assert [cache.get(name) for name in range(5)] == [None, None, "2", "3", "4"]


def test_cache_is_bounded_in_bytes_and_counts_keys():
    cache = BoundedCache(1000, 10_000)
    for name in range(100):
        cache.put(f"{name}" + 400 * "x", np.zeros(50))
        assert cache.nbytes <= 10_000
    assert 5 < len(cache) < 15
    cache.put("large", np.zeros(10_000))
    assert (len(cache), cache.get("large") is not None) == (1, True), "the newest stays, however large"
    cache.put("small", 1)
    assert (len(cache), cache.get("small")) == (1, 1)
    cache.clear()
    assert (len(cache), cache.nbytes) == (0, 0)


def test_least_recently_used_value_is_dropped_first():
    cache = BoundedCache(2, 10**6)
    cache.put("first", 1)
    cache.put("second", 2)
    cache.get("first")
    cache.put("third", 3)
    assert (cache.get("first"), cache.get("second")) == (1, None)


def test_value_put_twice_counts_once():
    cache = BoundedCache(2, 10**6)
    cache.put("key", np.zeros(100))
    once = cache.nbytes
    cache.put("key", np.zeros(100))
    assert (cache.nbytes, len(cache)) == (once, 1)


def test_value_is_computed_once_for_all_who_ask_at_once():
    cache, computed, begun = SingleFlightCache(4, 10**6), [], threading.Barrier(5)

    def ask():
        begun.wait()
        assert cache.compute("key", lambda: computed.append(1) or "value") == "value"

    assert in_threads(*[ask] * 5)
    assert computed == [1]


def test_value_whose_computation_fails_is_computed_by_the_next_who_asks():
    cache = SingleFlightCache(3, 10**6)
    with pytest.raises(ZeroDivisionError):
        cache.compute("key", lambda: 1 / 0)
    assert cache.compute("key", lambda: "value") == "value"
    assert cache.compute("key", lambda: 1 / 0) == "value"


def test_what_a_value_needs_is_computed_before_working_alone():
    cache = SingleFlightCache(3, 10**6)

    def total(n):
        return cache.compute(n, lambda before=0: before + n, first=(lambda: total(n - 1)) if n else None)

    assert total(4) == 10


def test_cache_refuses_to_be_asked_inside_long_work():
    cache = SingleFlightCache(3, 10**6)
    cache.compute("known", lambda: 1)
    for key in ("known", "other"):
        with long_work.alone(), pytest.raises(RuntimeError, match=r"inside long_work\.alone"):
            cache.compute(key, lambda: 2)
