"""Caches of a process: bounded in number and bytes, computed once for all, and free of deadlocks."""

from dataclasses import dataclass
from threading import Barrier, Thread, current_thread

import numpy as np
import pytest

from attention_lab.calculation import long_work
from attention_lab.calculation.caches import BoundedCache, SingleFlightCache, bytes_held


@dataclass(frozen=True)
class Owned:
    numbers: np.ndarray
    others: dict


def test_bytes_of_every_array_are_counted_once_and_shared_ones_not_at_all():
    array = np.zeros(1000)
    value = Owned(array, {"view": array[:10], "data": [b"x" * 5000], "same": array})
    assert 13_000 < bytes_held(value) < 14_500
    assert bytes_held([value], shared=(Owned,)) < 200


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
    once = cache.nbytes
    cache.put("small", 1)
    assert (len(cache), cache.nbytes) == (1, once)
    cache.clear()
    assert (len(cache), cache.nbytes) == (0, 0)


def test_least_recently_used_value_is_dropped_first():
    cache = BoundedCache(2, 10**6)
    cache.put("first", 1)
    cache.put("second", 2)
    cache.get("first")
    cache.put("third", 3)
    assert (cache.get("first"), cache.get("second")) == (1, None)


def test_value_is_computed_once_for_all_who_ask_at_once():
    all_asked, asked, computed, results = Barrier(5), set(), [], []

    class Cache(SingleFlightCache):
        def get(self, key, default=None):
            value = super().get(key, default)
            if current_thread() not in asked:
                asked.add(current_thread())
                all_asked.wait(60)  # nobody computes before everybody has found nothing
            return value

    cache = Cache(4, 10**6)

    def ask():
        results.append(cache.compute("key", lambda: computed.append(1) or "value"))

    threads = [Thread(target=ask, daemon=True) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == ["value"] * 5
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
        with long_work.exclusive(), pytest.raises(RuntimeError, match=r"inside long_work\.exclusive"):
            cache.compute(key, lambda: 2)
