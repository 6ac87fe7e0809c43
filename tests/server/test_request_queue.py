"""Whose request is next where an address is beyond its pace, and what an address owes."""

import asyncio

import pytest

from attention_lab.server import request_queue
from attention_lab.server.request_queue import FairQueue, RequestQueue, Turns, Waiter


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
            await turns.take("a", answers)
            order.append(answers)
            turns.release()

        await turns.take()
        waiting = await begun(work(50), work(2), work(40))
        turns.release()
        await asyncio.gather(*waiting)
        assert order == [2, 40, 50]

    run(day())


async def serve(visitors, turns, most=2000):
    """Let visitors take turns, each asking for one thing after another; return the order of what was answered.

    It ends with the first visitor's last thing.
    """
    order, queue = [], RequestQueue(rate=2000, burst=1)

    async def visit(things):
        for thing in things:
            if turns is None:
                await queue.take_turn("a", thing=thing)
                order.append(thing)
            else:
                await turns.take(thing)
                order.append(thing)
                await asyncio.sleep(0)
                turns.release()
            assert len(order) < most, "it is never served"

    first, *others = await begun(*map(visit, visitors))
    await first
    for each in others:
        each.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    return order


@pytest.mark.parametrize("paced", [False, True])
def test_a_flood_of_one_thing_delays_no_other_thing(run, paced):
    files = [f"file {k}" for k in range(10)]
    visitors = [["page", *files], *([["page"] * 500] * 40)]
    order = run(serve(visitors, None if paced else Turns(1)))
    begun_with = order.index(files[0])
    assert [each for each in order[begun_with:] if each != "page"] == files
    assert len(order) - begun_with <= 3 * len(files), "pages come between the files, but not all of them"


def pops(queue, number):
    """The things that are served next."""
    return [queue.pop().thing for _ in range(number)]


def test_what_is_asked_for_again_and_again_does_not_begin_anew_whenever_nobody_waits_for_it(run):
    async def day():
        queue, order, files = FairQueue(), [], [f"file {k}" for k in range(5)]
        for thing in ("page", "page", "page"):
            queue.add(Waiter(0, thing))
        for k in range(20):
            queue.add(Waiter(0, files[k % 5]))
            order += pops(queue, 1)
        assert order.count("page") == 3

    run(day())


def test_a_new_thing_is_not_owed_what_others_had_before(run):
    async def day():
        queue = FairQueue()
        for thing in ["page"] * 40:
            queue.add(Waiter(0, thing))
        pops(queue, 20)
        for thing in ["new"] * 10:
            queue.add(Waiter(0, thing))
        assert sorted(pops(queue, 6)) == ["new"] * 3 + ["page"] * 3

    run(day())


def test_a_connection_with_many_answers_is_behind_whatever_it_asks_for(run):
    async def day():
        queue = FairQueue()
        for thing in ["page"] * 4:
            queue.add(Waiter(0, thing))
        pops(queue, 3)
        for k in range(5):
            queue.add(Waiter(200, f"file {k}"))
        assert pops(queue, 1) == ["page"]

    run(day())


def test_a_full_queue_refuses_one_of_those_who_ask_for_what_most_ask_for(run, monkeypatch):
    monkeypatch.setattr(request_queue, "LONGEST_WAIT", 300.0)

    async def day():
        queue = RequestQueue(rate=0.01, burst=1)
        await queue.take_turn("a")
        *pages, last = await begun(*(queue.take_turn("a", thing="page") for _ in range(3)))
        (file,) = await begun(queue.take_turn("a", thing="file", answers=40))
        assert await asyncio.wait_for(last, 5) is False
        assert not any(each.done() for each in (*pages, file))
        for each in (*pages, file):
            each.cancel()

    run(day())


def test_who_has_left_uses_no_turn_of_what_was_asked_for(run):
    async def day():
        queue, left, order = RequestQueue(rate=100, burst=1), asyncio.Event(), []

        async def ask(thing, **more):
            if await queue.take_turn("a", thing=thing, **more):
                order.append(thing)

        await queue.take_turn("a")
        gone = [ask("session", is_gone=left.is_set) for _ in range(50)]
        pages = [ask("page") for _ in range(10)]
        waiting = await begun(*gone, ask("session"), *pages)
        left.set()
        await asyncio.gather(*waiting)
        assert order.index("session") <= 1

    run(day())


def test_a_thing_asked_for_much_in_quiet_times_owes_nothing(run):
    async def day():
        turns, order = Turns(1), []

        async def work(thing):
            await turns.take(thing)
            order.append(thing)
            turns.release()

        await turns.take()
        busy = await begun(*(work("page") for _ in range(20)))
        turns.release()
        await asyncio.gather(*busy)
        await turns.take()
        waiting = await begun(work("page"), work("file"), work("file"), work("file"))
        turns.release()
        await asyncio.gather(*waiting)
        assert order[20:] == ["page", "file", "file", "file"]

    run(day())


def test_of_a_bounded_number_of_things_it_is_remembered_what_was_served(run, monkeypatch):
    monkeypatch.setattr(request_queue, "KEPT", 5)

    async def day():
        turns = Turns(1)
        await turns.take()
        waiting = await begun(*(turns.take(thing) for thing in [*range(20), "last", "last"]))
        for _ in waiting:
            turns.release()
            await asyncio.sleep(0)
            assert len(turns._waiting._served) <= max(5, sum(not each.done() for each in waiting))
        await asyncio.gather(*waiting)

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
