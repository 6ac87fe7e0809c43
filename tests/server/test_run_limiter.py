"""Which session's script runs next."""

import random
from heapq import heappop, heappush
from itertools import count
from types import SimpleNamespace

import pytest

from attention_lab.server.run_limiter import (
    BUSY_HALF_LIFE,
    NEWCOMER,
    PATIENCE,
    PAUSE_HALF_LIFE,
    RunLimiter,
    Usage,
)
from tests.server.harness import Clock


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """The clock of the limiter, which stands still until a test sets it."""
    clock = Clock()
    monkeypatch.setattr("attention_lab.server.run_limiter.time", SimpleNamespace(monotonic=clock))
    return clock


def ask(limiter, address, used=0.0):
    usage = Usage(Clock())
    usage.add(used)
    return limiter.ask(address, usage)


def served(*runs):
    return [run.granted for run in runs]


async def test_limited_number_runs_at_a_time_and_the_end_of_one_starts_another():
    limiter = RunLimiter(2, longest=60)
    a, b, c, d = (ask(limiter, "here") for _ in range(4))
    assert served(a, b, c, d) == [True, True, False, False]
    a.end()
    a.end()
    assert served(c, d) == [True, False], "ending twice lets in no more"
    b.end()
    assert d.granted


async def test_address_is_next_however_many_of_another_wait(clock):
    limiter = RunLimiter(1, longest=60)
    many = [ask(limiter, "many") for _ in range(50)]
    one = ask(limiter, "one")
    clock.now += 0.05
    many[0].end()
    assert served(many[1], one) == [False, True]
    one.end()
    assert many[1].granted


async def test_addresses_get_the_same_time_and_not_the_same_number(clock):
    limiter, order = RunLimiter(1, longest=60), []
    wishes = [ask(limiter, name) for name in ["heavy"] * 9 + ["light"] * 9]
    for _ in range(8):
        (now,) = [each for each in wishes if each.granted and not each.over]
        order.append(now.address)
        clock.now += 0.3 if now.address == "heavy" else 0.1
        now.end()
    assert order.count("light") == 6


async def test_of_one_address_the_session_with_the_least_usage_is_first():
    limiter = RunLimiter(1, longest=60)
    now = ask(limiter, "class")
    hasty, calm, new = ask(limiter, "class", 3.0), ask(limiter, "class", 0.02), ask(limiter, "class")
    order = []
    for _ in range(3):
        now.end()
        now = next(each for each in (hasty, calm, new) if each.granted and not each.over)
        order.append(now)
    assert order == [new, calm, hasty]


async def test_hasty_sessions_leave_a_turn_free_for_one_that_pauses():
    limiter = RunLimiter(3, longest=60)
    hasty = [ask(limiter, address, 5.0) for address in ("class", "class", "elsewhere")]
    calm = [ask(limiter, "class"), ask(limiter, "class")]
    assert (served(*hasty), served(*calm)) == ([True, False, False], [True, True])
    calm[0].end()
    assert served(*hasty) == [True, False, False]
    hasty[0].end()
    assert served(*hasty) == [True, False, True]
    hasty[2].end()
    assert hasty[1].granted


async def test_hundred_new_sessions_keep_neither_readers_nor_the_next_one_waiting(clock):
    limiter = RunLimiter(1, longest=60)
    now = ask(limiter, "class")
    reader = Usage(clock)
    reader.add(-0.4)
    burst = [limiter.ask("class", Usage(clock)) for _ in range(100)]
    calm, late = limiter.ask("class", reader), limiter.ask("class", Usage(clock))
    now.end()
    assert calm.granted
    calm.end()
    assert (late.granted, any(served(*burst))) == (True, False)


async def test_session_that_leaves_while_waiting_takes_no_turn():
    limiter = RunLimiter(1, longest=60)
    first, leaving, last = (ask(limiter, "a") for _ in range(3))
    leaving.end()
    first.end()
    assert served(leaving, last) == [False, True]


def test_usage_is_forgotten_in_pauses_and_far_more_slowly_while_a_session_asks():
    clock = Clock()
    usage = Usage(clock)
    usage.add(4.0 - NEWCOMER)
    clock.now += 2 * PAUSE_HALF_LIFE
    assert usage.now() == pytest.approx(1.0)
    usage.set_busy(True)
    clock.now += BUSY_HALF_LIFE
    assert usage.now() == pytest.approx(0.5)
    usage.set_busy(False)
    clock.now += PAUSE_HALF_LIFE
    assert usage.now() == pytest.approx(0.25)


class Class:
    """Sessions of one address on a simulated server of one processor; a run takes 50 ms there, so 20 a second."""

    RUN = 0.05

    def __init__(self, clock):
        self.limiter, self.clock = RunLimiter(1, longest=60), clock
        self.order, self.events = count(), []
        self.random = random.Random(0)

    def at(self, seconds, do):
        heappush(self.events, (seconds, next(self.order), do))

    def come(self, begin, pause, waits):
        """Let a session come, which pauses for `pause()` seconds after each answer; note how long it waits."""
        usage = Usage(self.clock)

        def wish():
            asked = self.clock.now
            run = self.limiter.ask("class", usage, lambda: None)

            def see():
                if run.over:
                    self.at(self.clock.now + pause(), wish)
                else:
                    waits.append((asked, self.clock.now - asked))
                    self.at(self.clock.now + self.RUN, run.end)

            run.changed = see
            if run.granted:
                see()

        self.at(begin, wish)

    def pass_time(self, seconds):
        end = self.clock.now + seconds
        while self.events and self.events[0][0] < end:
            self.clock.now, _, do = heappop(self.events)
            do()


async def test_readers_that_pause_wait_behind_none_that_never_do(clock):
    """30 readers who change something every 5 s take a third of it; 115 who never pause want all."""
    lesson, readers, busy, late = Class(clock), [], [], []
    for _ in range(30):
        lesson.come(
            lesson.clock.now + lesson.random.uniform(0, 5), lambda: lesson.random.expovariate(0.2), readers
        )
    lesson.pass_time(30)
    for _ in range(115):
        lesson.come(lesson.clock.now, lambda: 0.0, busy)
    began = lesson.clock.now
    lesson.pass_time(60)
    newcomer = lesson.clock.now
    lesson.come(newcomer, lambda: 5.0, late)
    lesson.pass_time(60)
    waited = sorted(seconds for asked, seconds in readers if asked >= began)
    assert waited[int(0.95 * len(waited))] < 0.5
    assert late[0][1] < 0.5, "a newcomer is before those who never pause"
    assert len(busy) > 600, "they have what is left"


async def test_session_that_never_pauses_is_not_shut_out(clock):
    """100 readers who change something every 2 s want more than there is."""
    lesson, hasty = Class(clock), []
    for _ in range(100):
        lesson.come(lesson.clock.now + lesson.random.uniform(0, 2), lambda: 2.0, [])
    lesson.come(lesson.clock.now, lambda: 0.0, hasty)
    lesson.pass_time(600)
    assert sum(asked > 400 for asked, _ in hasty) > 3


async def test_long_work_waits_for_all_others_and_is_done_one_at_a_time():
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


async def test_long_work_goes_to_the_least_usage_and_passes_over_who_has_left():
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


async def test_long_work_that_has_waited_long_waits_for_nobody(clock):
    limiter = RunLimiter(1, longest=60)
    long, change, another = (ask(limiter, "here") for _ in range(3))
    long.step_aside()
    limiter.queue_long(long)
    assert not long.works_long
    clock.now += PATIENCE + 1
    ask(limiter, "here")
    change.end()
    assert (long.works_long, another.granted) == (True, True)
