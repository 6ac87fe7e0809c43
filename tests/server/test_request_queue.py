"""Whose request is next where an address is beyond its pace, and what an address owes."""

import asyncio

import pytest

from attention_lab.server import request_queue
from attention_lab.server.request_queue import RequestQueue, Turns


async def begun(*waits):
    """Tasks that wait, each of which has begun in turn."""
    tasks = []
    for wait in waits:
        tasks.append(asyncio.create_task(wait))
        await asyncio.sleep(0)
    return tasks


def test_those_who_have_left_are_charged_nothing(run):
    async def day():
        queue = RequestQueue(rate=20, burst=1)
        await queue.take_turn("a")
        gone = await begun(*(queue.take_turn("a", 10, is_gone=lambda: True) for _ in range(3000)))
        async with asyncio.timeout(5):  # charged, they would take 25 minutes
            assert await queue.take_turn("a")
        assert not any(await asyncio.gather(*gone))
        assert not queue._waiting

    run(day())


def test_who_leaves_while_waiting_is_charged_nothing(run):
    async def day():
        queue, left = RequestQueue(rate=20, burst=1), asyncio.Event()
        await queue.take_turn("a")
        gone = await begun(*(queue.take_turn("a", 10, is_gone=left.is_set) for _ in range(9)))
        left.set()
        async with asyncio.timeout(4):
            assert await queue.take_turn("a")
        assert not any(await asyncio.gather(*gone))

    run(day())


def test_the_connection_with_the_fewest_answers_is_first(run):
    async def day():
        queue, order = RequestQueue(rate=100, burst=1), []

        async def ask(answers):
            await queue.take_turn("a", answers=answers)
            order.append(answers)

        await queue.take_turn("a")
        await asyncio.gather(*await begun(ask(900), ask(800), ask(3), ask(0)))
        assert order == [0, 3, 800, 900]

    run(day())


def test_one_address_beyond_its_pace_delays_no_other(run):
    async def day():
        queue = RequestQueue(rate=0.001, burst=1)
        await queue.take_turn("a")
        (waiting,) = await begun(queue.take_turn("a"))
        assert await queue.take_turn("b")
        waiting.cancel()

    run(day())


def test_beyond_the_longest_wait_the_busiest_connection_is_refused(run, monkeypatch):
    monkeypatch.setattr(request_queue, "LONGEST_WAIT", 300.0)

    async def day():
        queue = RequestQueue(rate=0.01, burst=1)
        await queue.take_turn("a")
        busy, first, second = await begun(*(queue.take_turn("a", answers=each) for each in (9, 0, 0)))
        (third,) = await begun(queue.take_turn("a"))
        assert await busy is False
        (last,) = await begun(queue.take_turn("a"))
        assert await last is False, "of equals the last"
        assert not any(each.done() for each in (first, second, third))
        for each in (first, second, third):
            each.cancel()

    run(day())


def test_who_has_left_makes_room_in_a_full_queue(run, monkeypatch):
    monkeypatch.setattr(request_queue, "LONGEST_WAIT", 300.0)

    async def day():
        queue, left = RequestQueue(rate=0.01, burst=1), asyncio.Event()
        await queue.take_turn("a")
        gone = await begun(*(queue.take_turn("a", is_gone=left.is_set) for _ in range(3)))
        left.set()
        (present,) = await begun(queue.take_turn("a"))
        assert await asyncio.gather(*gone) == [False] * 3
        assert not present.done()
        present.cancel()

    run(day())


def test_turns_go_to_the_connection_with_the_fewest_answers(run):
    async def day():
        turns, order = Turns(1), []

        async def work(answers):
            await turns.take(answers)
            order.append(answers)
            turns.release()

        await turns.take()
        waiting = await begun(work(50), work(2), work(40))
        turns.release()
        await asyncio.gather(*waiting)
        assert order == [2, 40, 50]

    run(day())


@pytest.mark.parametrize("was_next", [False, True])
def test_a_turn_is_not_lost_with_who_gives_up(run, was_next):
    async def day():
        turns = Turns(1)
        await turns.take()
        (leaving,) = await begun(turns.take())
        if was_next:
            turns.release()
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        if not was_next:
            turns.release()
        await asyncio.wait_for(turns.take(), 1)

    run(day())
