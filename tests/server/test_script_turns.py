"""A script gives its turn back while it waits with something long, and takes another one afterwards."""

import asyncio
import threading

import pytest
from streamlit.runtime.scriptrunner import StopException

from attention_lab.calculation import long_work
from attention_lab.process import PROCESS
from attention_lab.server.run_limiter import RunLimiter, Usage
from attention_lab.server.script_turns import ScriptTurns


@pytest.fixture
def limiter(monkeypatch):
    """A limiter of one turn; `limiter.script(name, work)` runs work in a thread of its own, as that socket's."""
    made, here = RunLimiter(1, longest=60), threading.local()
    monkeypatch.setattr("attention_lab.streamlit_internals.running_socket", lambda: getattr(here, "socket", ""))

    def script(socket, work):
        def begin():
            here.socket = socket
            return work()

        return asyncio.create_task(asyncio.to_thread(begin))

    made.script = script
    with PROCESS.serving(turns=None):  # each test sets its own
        yield made


def named(limiter, socket):
    limiter.of_socket[socket] = limiter.ask(socket, Usage())
    return limiter.of_socket[socket]


async def until(reached):
    async with asyncio.timeout(10):
        while not reached():
            await asyncio.sleep(0.005)


def test_others_run_while_one_works_long_and_it_comes_back_in_turn(run, limiter):
    async def day():
        PROCESS.turns = ScriptTurns(limiter)
        training, change, another = (named(limiter, name) for name in ("training", "change", "another"))
        go_on, told = threading.Event(), []

        def train():
            with long_work.aside(), long_work.alone(), long_work.alone():  # the second is needed by the first
                told.append("at work")
                go_on.wait(10)
            told.append("back")

        script = limiter.script("training", train)
        await until(lambda: change.granted)
        assert told == [], "a change that waits is before long work"
        change.end()
        another.end()
        await until(lambda: told == ["at work"])
        other = named(limiter, "other")
        assert other.granted, "while it works long it keeps nobody waiting"
        go_on.set()
        await asyncio.sleep(0.05)
        assert told == ["at work"], "it goes on in its turn"
        other.end()
        await script
        assert (told, training.runs) == (["at work", "back"], True)

    run(day())


def test_the_script_of_a_reader_who_leaves_while_it_waits_ends(run, limiter):
    async def day():
        PROCESS.turns = ScriptTurns(limiter)
        waiting = named(limiter, "waiting")
        worker = limiter.ask("worker", Usage())
        worker.step_aside()
        limiter.queue_long(worker)
        done = []

        def train():
            with long_work.alone():
                done.append("trained")

        script = limiter.script("waiting", train)
        await until(lambda: limiter._long)
        waiting.end()
        with pytest.raises(StopException):
            await script
        assert done == []

    run(day())


def test_a_script_that_no_reader_began_or_that_has_had_its_share_works_in_turn(run, limiter):
    async def day():
        PROCESS.turns = ScriptTurns(limiter)
        change = named(limiter, "change")
        done = []

        def train():
            with long_work.alone():
                done.append("trained")

        share_over = named(limiter, "slow")
        share_over.end()
        scripts = [limiter.script("", train), limiter.script("slow", train)]
        await until(lambda: len(done) == 2)
        await asyncio.gather(*scripts)
        assert change.runs

    run(day())


def test_who_has_waited_for_long_work_comes_back_behind_those_who_asked_for_less(run, limiter):
    async def day():
        PROCESS.turns = ScriptTurns(limiter)
        waiting, go_on, told = named(limiter, "room"), threading.Event(), []

        def wait():
            with long_work.aside():
                go_on.wait(10)
            told.append("back")

        script = limiter.script("room", wait)
        await until(lambda: not waiting.runs)
        await asyncio.sleep(0.1)
        busy = limiter.ask("room", Usage())
        go_on.set()
        await until(lambda: limiter._waiting)
        usage = Usage()
        usage.add(0.05)
        change = limiter.ask("room", usage)
        busy.end()
        await asyncio.sleep(0.05)
        assert (change.runs, waiting.runs, told) == (True, False, [])
        change.end()
        await script
        assert told == ["back"]

    run(day())
