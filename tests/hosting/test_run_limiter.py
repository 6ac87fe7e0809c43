"""Whose script runs next."""

import asyncio

import pytest

from hosting.run_limiter import FORGOTTEN_BY_HALF, RunLimiter, Usage
from tests.hosting.harness import Clock


def ask(limiter, address, used=0.0):
    usage = Usage(Clock())
    usage.add(used)
    return limiter.ask(address, usage)


def served(*runs):
    return [run.granted for run in runs]


def test_so_many_at_a_time_and_the_end_of_one_is_the_beginning_of_another(run):
    async def day():
        limiter = RunLimiter(2, longest=60)
        a, b, c, d = (ask(limiter, "here") for _ in range(4))
        assert served(a, b, c, d) == [True, True, False, False]
        a.end()
        a.end()
        assert served(c, d) == [True, False], "ending twice lets in no more"
        b.end()
        assert d.granted

    run(day())


def test_an_address_is_next_however_many_of_another_wait(run):

    async def day():
        limiter = RunLimiter(1, longest=60)
        many = [ask(limiter, "many") for _ in range(50)]
        one = ask(limiter, "one")
        many[0].end()
        assert served(many[1], one) == [False, True]
        one.end()
        assert many[1].granted

    run(day())


def test_addresses_get_the_same_time_and_not_the_same_number(run):
    async def day():
        limiter, order = RunLimiter(1, longest=60), []
        wishes = [ask(limiter, name) for name in ["heavy"] * 9 + ["light"] * 9]
        for _ in range(8):
            (now,) = [each for each in wishes if each.granted and not each.over]
            order.append(now.address)
            now._began -= 0.3 if now.address == "heavy" else 0.1  # that much longer ago
            now.end()
        assert order.count("light") == 6

    run(day())


def test_of_one_address_who_has_used_least_is_first(run):
    async def day():
        limiter = RunLimiter(1, longest=60)
        now = ask(limiter, "class")
        hasty, calm, new = ask(limiter, "class", 3.0), ask(limiter, "class", 0.02), ask(limiter, "class")
        order = []
        for _ in range(3):
            now.end()
            now = next(each for each in (hasty, calm, new) if each.granted and not each.over)
            order.append(now)
        assert order == [new, calm, hasty]

    run(day())


def test_whoever_leaves_while_waiting_takes_no_run(run):
    async def day():
        limiter = RunLimiter(1, longest=60)
        first, leaving, last = (ask(limiter, "a") for _ in range(3))
        leaving.end()
        first.end()
        assert served(leaving, last) == [False, True]

    run(day())


def test_a_run_that_never_ends_keeps_nobody_waiting_for_long(run):
    async def day():
        limiter = RunLimiter(1, longest=0.01)
        ask(limiter, "a")
        second = ask(limiter, "a")
        async with asyncio.timeout(5):
            while not second.granted:
                await asyncio.sleep(0.01)

    run(day())


def test_what_was_used_is_forgotten():
    clock = Clock()
    usage = Usage(clock)
    usage.add(4.0)
    clock.now += 2 * FORGOTTEN_BY_HALF
    assert usage.now() == pytest.approx(1.0)


def test_long_work_waits_for_all_others_and_is_done_one_at_a_time(run):
    async def day():
        limiter = RunLimiter(1, longest=60)
        first, second, change, another = (ask(limiter, "here") for _ in range(4))
        first.step_aside()
        limiter.queue_long(first)
        second.step_aside()
        limiter.queue_long(second)
        assert (first.over, first.works_long) == (False, False), "one who waits for a turn is before it"
        assert change.granted
        change.end()
        assert another.granted
        (at_work,), (waiting,) = (
            [each for each in (first, second) if each.works_long is now] for now in (True, False)
        )
        at_work.step_aside()
        assert waiting.works_long
        limiter.queue(at_work)
        assert not at_work.runs, "who comes back takes its turn again"
        another.end()
        assert at_work.runs

    run(day())


def test_who_has_used_least_is_first_to_work_long_and_who_leaves_is_passed_over(run):
    async def day():
        limiter = RunLimiter(3, longest=60)
        at_work, hasty, gone, calm = (ask(limiter, "here", used) for used in (0.0, 2.0, 0.0, 1.0))
        for each in (at_work, hasty, gone, calm):
            each.step_aside()
            limiter.queue_long(each)
        gone.end()
        at_work.step_aside()
        assert (hasty.works_long, gone.works_long, calm.works_long) == (False, False, True)
        calm.end()
        assert hasty.works_long

    run(day())


def test_long_work_that_has_waited_long_waits_for_nobody(run, monkeypatch):
    async def day():
        limiter = RunLimiter(1, longest=60)
        long, change, another = (ask(limiter, "here") for _ in range(3))
        long.step_aside()
        limiter.queue_long(long)
        assert not long.works_long
        monkeypatch.setattr("hosting.run_limiter.PATIENCE", 0.0)
        ask(limiter, "here")
        change.end()
        assert (long.works_long, another.granted) == (True, True)

    run(day())
