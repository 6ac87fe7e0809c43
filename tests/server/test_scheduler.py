"""Whose turn is next: requests, scripts and long work."""

import asyncio
import threading
from functools import partial

import pytest
from streamlit.runtime.scriptrunner import StopException

from attention_lab.calculation import long_work
from attention_lab.process import PROCESS
from attention_lab.server import scheduler
from attention_lab.server.scheduler import (
    BUSY_HALF_LIFE,
    NEWCOMER,
    PAUSE_HALF_LIFE,
    RUN_SHARE,
    Scheduler,
    ScriptTurns,
    Session,
    Turn,
)
from tests.server.harness import Clock, until


@pytest.fixture
def clock():
    return Clock()


def ask(turns, flow, rank=0.0, cost=0.0, changed=lambda: None):
    turn = Turn(turns, flow, lambda: rank, changed, cost)
    turns.ask(turn)
    return turn


def served(*turns):
    return [turn.granted for turn in turns]


def test_limited_number_works_at_a_time_and_the_end_of_one_starts_another():
    turns = Scheduler(2)
    a, b, c, d = (ask(turns, "here") for _ in range(4))
    assert served(a, b, c, d) == [True, True, False, False]
    turns.end(a)
    turns.end(a)
    assert served(c, d) == [True, False], "ending twice lets in no more"
    turns.end(b)
    assert d.granted


def test_flow_is_next_however_many_of_another_wait():
    turns = Scheduler(1)
    many = [ask(turns, "many", cost=0.02) for _ in range(50)]
    one = ask(turns, "one", cost=0.02)
    turns.end(many[0])
    assert served(many[1], one) == [False, True]
    turns.end(one)
    assert many[1].granted


def test_flows_get_the_same_time_and_not_the_same_number():
    turns, order = Scheduler(1), []
    wishes = [ask(turns, name, cost=0.02) for name in ["heavy"] * 9 + ["light"] * 9]
    for _ in range(8):
        (now,) = [each for each in wishes if each.granted and not each.ended]
        order.append(now.flow)
        turns.end(now, 0.3 if now.flow == "heavy" else 0.1)
    assert order.count("light") == 6


def test_new_flow_is_not_owed_what_others_had_before():
    turns, order = Scheduler(1), []
    waiting = [ask(turns, "page", cost=1) for _ in range(40)]
    for k in range(26):
        (now,) = [each for each in waiting if each.granted and not each.ended]
        order.append(now.flow)
        if k == 19:
            waiting += [ask(turns, "new", cost=1) for _ in range(10)]
        turns.end(now)
    assert sorted(order[20:]) == ["new"] * 3 + ["page"] * 3


def test_least_rank_of_a_flow_is_first_and_then_the_oldest():
    turns, order = Scheduler(1), []
    waiting = [ask(turns, "here", rank) for rank in (0.0, 3.0, 0.5, 3.0, 0.02)]
    while waiting:
        (now,) = [each for each in waiting if each.granted]
        order.append(now)
        waiting.remove(now)
        turns.end(now)
    assert [each.rank() for each in order] == [0.0, 0.02, 0.5, 3.0, 3.0]


def test_one_who_leaves_while_waiting_takes_no_turn():
    turns, left = Scheduler(1), []
    first, leaving, last = ask(turns, "a"), ask(turns, "a", changed=lambda: left.append(1)), ask(turns, "a")
    turns.end(leaving)
    turns.end(first)
    assert (served(leaving, last), left) == ([False, True], [1])


def test_turn_that_takes_too_long_no_longer_keeps_others_waiting(clock):
    turns = Scheduler(1, 1.0, clock)
    endless, next_one, last = (ask(turns, "a") for _ in range(3))
    clock.now += 1
    turns.serve()
    assert served(next_one, last) == [True, False]
    turns.end(endless)
    assert not last.granted, "it has given its turn back already"


def test_memory_of_what_was_used_is_bounded(monkeypatch):
    monkeypatch.setattr(scheduler, "REMEMBERED", 5)
    turns = Scheduler(1)
    waiting = [ask(turns, name, cost=1) for name in range(30)]
    for turn in waiting:
        assert turn.granted
        turns.end(turn)
    assert len(turns._used) <= 6


async def test_request_whose_client_leaves_loses_no_turn():
    turns = Scheduler(1)

    async def work(began):
        async with turns.turn("a", 0):
            began.set()
            await asyncio.Event().wait()

    first, second = asyncio.Event(), asyncio.Event()
    tasks = [asyncio.create_task(work(each)) for each in (first, asyncio.Event(), second)]
    await first.wait()
    tasks[1].cancel()
    await asyncio.sleep(0)
    tasks[0].cancel()
    await asyncio.wait_for(second.wait(), 5)
    tasks[2].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_work_for_a_client_that_has_left_keeps_its_turn_until_it_ends():
    turns, lost = Scheduler(1), asyncio.get_running_loop().create_future()
    async with turns.turn("a", 0, lost):
        lost.set_result(None)
        await asyncio.sleep(0.01)
        other = ask(turns, "a")
        assert not other.granted
    assert other.granted


def test_use_is_forgotten_in_pauses_and_far_more_slowly_while_a_session_asks(clock):
    turns, session = Scheduler(1, clock=clock), Session("here", clock)
    turn = session.ask(turns, lambda: None)
    turn.began -= 4.0
    session.end(turn)
    used = session.used()
    assert used == pytest.approx(NEWCOMER + 4)
    clock.now += 2 * PAUSE_HALF_LIFE
    assert session.used() == pytest.approx(used / 4)
    other = ask(turns, "here")
    waiting = session.ask(turns, lambda: None)
    clock.now += BUSY_HALF_LIFE
    assert session.used() == pytest.approx(used / 8)
    session.end(waiting)
    clock.now += PAUSE_HALF_LIFE
    assert (session.used(), other.granted) == (pytest.approx(used / 16), True)


def test_readers_that_pause_and_newcomers_wait_behind_none_that_never_do(clock):
    turns = Scheduler(1, clock=clock)
    hasty, reader = Session("class", clock), Session("class", clock)
    for session, runs, pause in ((reader, 20, 5), (hasty, 20, 0)):
        for _ in range(runs):
            turn = session.ask(turns, lambda: None)
            clock.now += 0.05
            session.end(turn)
            clock.now += pause
    running = ask(turns, "class")
    sessions = [hasty, Session("class", clock), reader]
    waiting = [session.ask(turns, lambda: None) for session in sessions]
    turns.end(running)
    assert served(*waiting) == [False, False, True]
    sessions[2].end(waiting[2])
    assert served(*waiting) == [False, True, True]


# ---- scripts, each in its own thread ----


class Scripts:
    """A server with one turn; `run(name, work)` runs work in a thread, as the named session's script."""

    def __init__(self, monkeypatch):
        self.took = []
        self.turns, self.here, self.names = ScriptTurns(1, self.took.append), threading.local(), {}
        monkeypatch.setattr(scheduler.streamlit, "running_socket", lambda: getattr(self.here, "socket", ""))
        self.open = {}

    def enter(self, name):
        self.open[name] = self.turns.session(name)
        self.names[name], session = self.open[name].__enter__()
        return session

    def leave(self, name):
        self.open[name].__exit__(None, None, None)

    def run(self, name, work, *, answered=True):
        if name not in self.names:
            self.enter(name)

        def script():
            work()
            if answered:
                self.turns._sessions[self.names[name]].answered.set()

        def begin():
            self.here.socket = self.names[name]
            self.turns.run(script)

        return asyncio.create_task(asyncio.to_thread(begin))


class Work:
    """Work that lasts until `resume` is set."""

    def __init__(self):
        self.began, self.resume = threading.Event(), threading.Event()

    def __call__(self):
        self.began.set()
        assert self.resume.wait(60)


def alone(work):
    """Do long work, which waits for its turn."""
    with long_work.exclusive():
        return work()


@pytest.fixture
def scripts(monkeypatch):
    made = Scripts(monkeypatch)
    with PROCESS.serving(turns=made.turns):
        yield made


async def test_scripts_of_two_sessions_take_turns(scripts):
    first, second = Work(), Work()
    one, other = scripts.run("one", first), scripts.run("other", second)
    await until(lambda: first.began.is_set() or second.began.is_set())
    await asyncio.sleep(0.05)
    assert first.began.is_set() != second.began.is_set()
    for work in (first, second):
        work.resume.set()
    await asyncio.gather(one, other)
    assert second.began.is_set()
    assert len(scripts.took) == 2


async def test_turn_lasts_until_the_answer_has_been_sent(scripts, monkeypatch):
    monkeypatch.setattr(scheduler, "RUN_SHARE", 60)
    scripts.turns.runs._longest = 60
    first, second = Work(), Work()
    for work in (first, second):
        work.resume.set()
    session = scripts.enter("one")
    one = scripts.run("one", first, answered=False)
    await until(first.began.is_set)
    other = scripts.run("other", second)
    await until(lambda: second.began.is_set() or scripts.turns.runs.is_wanted)
    assert not second.began.is_set()
    session.answered.set()
    await asyncio.gather(one, other)
    assert second.began.is_set()


async def test_script_that_never_ends_lets_others_run(scripts):
    endless, other = Work(), Work()
    other.resume.set()
    task = scripts.run("endless", endless)
    await until(endless.began.is_set)
    await asyncio.wait_for(scripts.run("other", other), 20 * RUN_SHARE)
    endless.resume.set()
    await task


async def test_script_whose_reader_has_left_does_not_run(scripts):
    first, second = Work(), Work()
    one = scripts.run("one", first)
    await until(first.began.is_set)
    session = scripts.enter("other")
    other = scripts.run("other", second)
    await until(lambda: session.turns)
    scripts.leave("other")
    await other
    assert not second.began.is_set()
    first.resume.set()
    await one


async def test_others_run_during_long_work_which_waits_for_all_that_wait(scripts):
    training, change, first = Work(), Work(), Work()
    done = []

    def train():
        alone(training)
        done.append("trained")

    busy = scripts.run("first", first)
    await until(first.began.is_set)
    trainer = scripts.enter("trainer")
    script = scripts.run("trainer", train)
    await until(lambda: trainer.turns)
    first.resume.set()
    await until(training.began.is_set)
    await asyncio.wait_for(asyncio.gather(busy, scripts.run("other", change.began.set)), 20)
    assert done == [], "while it works long it keeps nobody waiting"
    holding = scripts.run("other", change)
    await until(lambda: scripts.turns.runs._at_work)
    training.resume.set()
    await asyncio.sleep(0.05)
    assert done == [], "it goes on in its turn"
    change.resume.set()
    await asyncio.gather(script, holding)
    assert done == ["trained"]


async def test_long_work_is_done_one_at_a_time_behind_scripts_that_wait(scripts, monkeypatch):
    trainings, holding, waiting = [Work(), Work()], Work(), Work()
    monkeypatch.setattr(scheduler, "RUN_SHARE", 60)
    scripts.turns.runs._longest = 60

    tasks = [scripts.run("a", partial(alone, trainings[0]))]
    await until(trainings[0].began.is_set)
    tasks.append(scripts.run("b", partial(alone, trainings[1])))
    await until(lambda: scripts.turns.long_work.is_wanted)
    tasks += [scripts.run("c", holding)]
    await until(holding.began.is_set)
    tasks += [scripts.run("d", waiting)]
    await until(lambda: scripts.turns.runs.is_wanted)
    trainings[0].resume.set()
    await asyncio.sleep(0.1)
    assert not trainings[1].began.is_set()
    for work in (holding, waiting, trainings[1]):
        work.resume.set()
    await asyncio.gather(*tasks)
    assert trainings[1].began.is_set()


async def test_script_ends_if_its_reader_leaves_while_it_waits_for_long_work(scripts):
    training, done = Work(), []
    one = scripts.run("one", partial(alone, training))
    await until(training.began.is_set)
    other = scripts.run("other", partial(alone, lambda: done.append("trained")))
    await until(lambda: scripts.turns.long_work.is_wanted)
    scripts.leave("other")
    with pytest.raises(StopException):
        await other
    training.resume.set()
    await one
    assert done == []


async def test_script_without_a_reader_works_long(scripts):
    assert await asyncio.to_thread(alone, lambda: "trained") == "trained"


class HeldLock:
    """A lock that somebody holds: whoever asks for it would wait for ever."""

    def __enter__(self):
        raise AssertionError("it would wait for ever")

    def __exit__(self, *_):
        """Leave it held."""


async def test_request_that_is_collected_as_garbage_gives_its_turn_back_without_the_lock():
    scheduler, entered = Scheduler(slots=1), []

    async def request():
        async with scheduler.turn("flow", 0):
            entered.append(True)
            await asyncio.Event().wait()

    abandoned = request()
    abandoned.send(None)
    lock, scheduler._lock = scheduler._lock, HeldLock()
    abandoned.close()  # as the collector does, at any time and in any thread
    scheduler._lock = lock
    async with asyncio.timeout(10), scheduler.turn("flow", 0) as turn:
        assert turn.granted
    assert entered == [True]
