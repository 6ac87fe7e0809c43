"""A script gives its turn back while it waits with something long, and takes another one afterwards."""

import asyncio
import threading

import pytest
from streamlit.runtime.scriptrunner import StopException

from attention_lab.calculation import long_work
from attention_lab.process import PROCESS
from attention_lab.server.run_limiter import RunLimiter, Usage
from attention_lab.server.script_turns import ScriptTurns
from tests.server.harness import until


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


async def test_others_run_during_long_work_and_its_script_goes_on_in_turn(limiter):
    PROCESS.turns = ScriptTurns(limiter)
    training, change, another = (named(limiter, name) for name in ("training", "change", "another"))
    resume, told = threading.Event(), []

    def train():
        with (
            long_work.release_turn(),
            long_work.exclusive(),
            long_work.exclusive(),
        ):  # the second is needed by the first
            told.append("at work")
            resume.wait(60)
        told.append("back")

    script = limiter.script("training", train)
    await until(lambda: change.granted)
    assert told == [], "a change that waits is before long work"
    change.end()
    another.end()
    await until(lambda: told == ["at work"])
    other = named(limiter, "other")
    assert other.granted, "while it works long it keeps nobody waiting"
    resume.set()
    await until(lambda: limiter._waiting)
    assert told == ["at work"], "it goes on in its turn"
    other.end()
    await script
    assert (told, training.runs) == (["at work", "back"], True)


async def test_script_ends_if_its_reader_leaves_while_it_waits(limiter):
    PROCESS.turns = ScriptTurns(limiter)
    waiting = named(limiter, "waiting")
    worker = limiter.ask("worker", Usage())
    worker.step_aside()
    limiter.queue_long(worker)
    done = []

    def train():
        with long_work.exclusive():
            done.append("trained")

    script = limiter.script("waiting", train)
    await until(lambda: limiter._long)
    waiting.end()
    with pytest.raises(StopException):
        await script
    assert done == []


async def test_script_without_a_reader_or_beyond_its_share_works_long_at_once(limiter):
    PROCESS.turns = ScriptTurns(limiter)
    change = named(limiter, "change")
    done = []

    def train():
        with long_work.exclusive():
            done.append("trained")

    share_over = named(limiter, "slow")
    share_over.end()
    scripts = [limiter.script("", train), limiter.script("slow", train)]
    await until(lambda: len(done) == 2)
    await asyncio.gather(*scripts)
    assert change.runs


async def test_script_that_waited_for_long_work_goes_on_behind_those_with_less_usage(limiter):
    PROCESS.turns = ScriptTurns(limiter)
    waiting, resume, told = named(limiter, "room"), threading.Event(), []

    def wait():
        with long_work.release_turn():
            resume.wait(60)
        told.append("back")

    script = limiter.script("room", wait)
    await until(lambda: not waiting.runs)
    await asyncio.sleep(0.1)  # counted as used, however long it takes
    busy = limiter.ask("room", Usage())
    resume.set()
    await until(lambda: limiter._waiting)
    usage = Usage()
    usage.add(0.05)
    change = limiter.ask("room", usage)
    busy.end()
    assert (change.runs, waiting.runs, told) == (True, False, [])
    change.end()
    await script
    assert told == ["back"]
