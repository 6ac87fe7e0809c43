"""The order of waiting requests, and what an address is charged."""

import asyncio

import pytest

from attention_lab.server import request_queue
from attention_lab.server.request_queue import FairQueue, RequestQueue, Turns, Waiter


@pytest.fixture
def limited(simulated_time):
    """A function that makes a queue with nothing left of the burst of address "a"."""

    async def make(rate):
        queue = RequestQueue(rate, 1, simulated_time)
        await queue.take_turn("a")
        return queue

    return make


async def start(*waits):
    """Return tasks that wait, started one after another."""
    tasks = []
    for wait in waits:
        tasks.append(asyncio.create_task(wait))
        await asyncio.sleep(0)
    return tasks


async def test_clients_that_have_left_are_charged_nothing(limited):
    for gone_from_the_start in (True, False):
        queue, left = await limited(20), asyncio.Event()
        if gone_from_the_start:
            left.set()
        gone = await start(*(queue.take_turn("a", 10, is_gone=left.is_set) for _ in range(9)))
        left.set()
        async with asyncio.timeout(4):  # charged, they would take longer
            assert await queue.take_turn("a")
        assert not any(await asyncio.gather(*gone))
        assert not queue._waiting


async def test_connection_with_fewest_answers_is_first(limited):
    queue, order = await limited(100), []

    async def ask(answers):
        await queue.take_turn("a", answers=answers)
        order.append(answers)

    await asyncio.gather(*await start(ask(900), ask(800), ask(3), ask(0)))
    assert order == [0, 3, 800, 900]


async def test_address_beyond_its_rate_delays_no_other(limited):
    queue = await limited(1)
    (waiting,) = await start(queue.take_turn("a"))
    assert await queue.take_turn("b")
    assert not waiting.done()


async def test_full_queue_refuses_the_busiest_connection(limited, monkeypatch):
    monkeypatch.setattr(request_queue, "LONGEST_WAIT", 300.0)
    queue = await limited(0.01)
    busy, first, second = await start(*(queue.take_turn("a", answers=each) for each in (9, 0, 0)))
    (third,) = await start(queue.take_turn("a"))
    assert await busy is False
    (last,) = await start(queue.take_turn("a"))
    assert await last is False, "of equals the last"
    assert not any(each.done() for each in (first, second, third))


async def test_full_queue_refuses_clients_that_have_left(limited, monkeypatch):
    monkeypatch.setattr(request_queue, "LONGEST_WAIT", 300.0)
    queue, left = await limited(0.01), asyncio.Event()
    gone = await start(*(queue.take_turn("a", is_gone=left.is_set) for _ in range(3)))
    left.set()
    (present,) = await start(queue.take_turn("a"))
    assert await asyncio.gather(*gone) == [False] * 3
    assert not present.done()


async def test_full_queue_refuses_a_request_for_what_most_ask_for(limited, monkeypatch):
    monkeypatch.setattr(request_queue, "LONGEST_WAIT", 300.0)
    queue = await limited(0.01)
    *pages, last = await start(*(queue.take_turn("a", thing="page") for _ in range(3)))
    (file,) = await start(queue.take_turn("a", thing="file", answers=40))
    assert await asyncio.wait_for(last, 5) is False
    assert not any(each.done() for each in (*pages, file))


@pytest.mark.parametrize("limited_by", ["rate", "turns"])
async def test_flood_of_one_thing_delays_no_other_thing(limited, limited_by):
    files = [f"file {k}" for k in range(10)]
    order, turns, queue = [], Turns(1), await limited(2000)

    async def visit(things):
        for thing in things:
            if limited_by == "rate":
                await queue.take_turn("a", thing=thing)
                order.append(thing)
            else:
                await turns.take(thing)
                order.append(thing)
                await asyncio.sleep(0)
                turns.release()
            assert len(order) < 2000, "the visitor is never served"

    visitor, *flood = await start(*map(visit, [["page", *files], *([["page"] * 500] * 40)]))
    await visitor
    for each in flood:
        each.cancel()
    first = order.index(files[0])
    assert [each for each in order[first:] if each != "page"] == files
    assert len(order) - first <= 3 * len(files), "pages come between the files, but not all of them"


def add(queue, answers, *things):
    for thing in things:
        queue.add(Waiter(answers, thing))


def pop(queue, number):
    """Return the things that are served next."""
    return [queue.pop().thing for _ in range(number)]


async def test_things_asked_for_again_and_again_keep_their_count():
    queue, order, files = FairQueue(), [], [f"file {k}" for k in range(5)]
    add(queue, 0, *["page"] * 3)
    for k in range(20):
        add(queue, 0, files[k % 5])
        order += pop(queue, 1)
    assert order.count("page") == 3


async def test_new_thing_is_not_owed_what_others_had_before():
    queue = FairQueue()
    add(queue, 0, *["page"] * 40)
    pop(queue, 20)
    add(queue, 0, *["new"] * 10)
    assert sorted(pop(queue, 6)) == ["new"] * 3 + ["page"] * 3


async def test_connection_with_many_answers_is_last_whatever_it_asks_for():
    queue = FairQueue()
    add(queue, 0, *["page"] * 4)
    pop(queue, 3)
    add(queue, 200, *(f"file {k}" for k in range(5)))
    assert pop(queue, 1) == ["page"]


async def test_clients_that_have_left_use_no_turn_of_a_thing(limited):
    queue, left, order = await limited(100), asyncio.Event(), []

    async def ask(thing, **more):
        if await queue.take_turn("a", thing=thing, **more):
            order.append(thing)

    gone = [ask("session", is_gone=left.is_set) for _ in range(50)]
    waiting = await start(*gone, ask("session"), *(ask("page") for _ in range(10)))
    left.set()
    await asyncio.gather(*waiting)
    assert order.index("session") <= 1


async def test_thing_asked_for_often_before_owes_nothing_later():
    turns, order = Turns(1), []

    async def work(thing):
        await turns.take(thing)
        order.append(thing)
        turns.release()

    for things in (["page"] * 20, ["page", "file", "file", "file"]):
        await turns.take()
        waiting = await start(*map(work, things))
        turns.release()
        await asyncio.gather(*waiting)
    assert order[20:] == ["page", "file", "file", "file"]


async def test_memory_of_what_was_served_is_bounded(monkeypatch):
    monkeypatch.setattr(request_queue, "KEPT", 5)
    turns = Turns(1)
    await turns.take()
    waiting = await start(*(turns.take(thing) for thing in [*range(20), "last", "last"]))
    for _ in waiting:
        turns.release()
        await asyncio.sleep(0)
        assert len(turns._waiting._served) <= max(5, sum(not each.done() for each in waiting))
    await asyncio.gather(*waiting)


async def test_cancelled_request_loses_no_turn():
    for was_next in (False, True):
        turns = Turns(1)
        await turns.take()
        (leaving,) = await start(turns.take())
        if was_next:
            turns.release()
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        if not was_next:
            turns.release()
        await asyncio.wait_for(turns.take(), 1)
