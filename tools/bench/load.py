"""What a class costs: `python -m tools.bench.load` (`--quick` shows that it works).

Every session is a real WebSocket that opens pages and changes something every 5 s on average; a few real browsers
sit among them. The app's server and stock Streamlit take turns in one run, on the same machine and the same page.
README.md says what the figures mean, and `--help` which parts can run alone.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from itertools import count, cycle
from pathlib import Path
from urllib.parse import parse_qs, quote

from playwright.async_api import async_playwright
from playwright.sync_api import sync_playwright
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from attention_lab.lessons.generating import EVERY as BETWEEN
from attention_lab.lessons.generating.live import MOST
from attention_lab.model_packages import WHAT_IS_INSTALLED
from attention_lab.state import permalink
from tests.browser.harness import INIT_SCRIPT, AppServer, launch
from tests.server.harness import Host, replicas
from tests.visit import NAMES
from tools.bench.page import machine, percentile
from tools.bench.readers import CUT_OFF, EVERY, LOST, Class, Lesson, processor, visit
from tools.training.gallery import shipped_folder
from tools.websocket_client import WebSocketClient

LIMIT = 0.250  # s: p95 of change → end of the answer
WALK = 0.05  # of the changes are to another page, in the soak
TRAINING, ASKING, OTHERS, WITHIN = 100, 50, 50, 10.0  # readers who train, who ask a model, who do neither; s
LIVE = "model=live&text=own&written={}"  # of the page of real models
WRITERS = 20  # readers who let a model write
WRITTEN = "model=live&written=Number-{}-is"  # of the page where it does
SENTENCE = "the {} didn't cross the street because it was too tired, and so we waited for number {}"
WALKS = 5  # through all pages, to find the heaviest
TOGETHER = 300  # members of a room
CLOCK = 500.0  # s after which the time that a hand carries starts at 0 again: coordinates have bounds
HERE = {"do": "here", "page": "similarity", "sharing_key": "0" * 12, "goals": []}
FRAMES = """() => {
  window.frames_at = performance.now(); window.frames = [];
  const next = now => { frames.push(now - frames_at); frames_at = now; requestAnimationFrame(next); };
  requestAnimationFrame(next);
}"""
HANDLE = "[data-stage] [data-handle]"
MANY = dict.fromkeys(("connections", "connections_per_address"), 8000)
MANY |= dict.fromkeys(("sessions", "sessions_per_address"), 2000) | {"warm_up": 2}


class Stock(AppServer):
    """The same app as `streamlit run` serves it with Streamlit's own settings; nothing of its heap is frozen."""

    def __init__(self, folder: Path):
        super().__init__()
        (folder / "sitecustomize.py").write_text("import gc\n\ngc.freeze = lambda: None\n")
        self.environment = os.environ | {"PYTHONPATH": str(folder)}
        self.command += ["--runner.postScriptGC=true"]  # a full collection after every run
        self.command += ["--runner.magicEnabled=true", "--server.websocketPingInterval=30"]

    def memory(self) -> int:
        return Host.memory(self)


def spread(times: list[float], unit: str = "s") -> str:
    """The median and the 95th percentile."""
    p50, p95 = (percentile(times, share) for share in (0.5, 0.95))
    return f"p50 {p50:.2f}, p95 {p95:.2f} s" if unit == "s" else f"p50 {1000 * p50:.1f}, p95 {1000 * p95:.1f} ms"


@dataclass
class Costs(Lesson):
    """What a class of some size did, and what it cost."""

    sessions: int = 0
    seconds: float = 0.0
    server: float = 0.0  # s of processor time
    client: float = 0.0
    memory: int = 0

    @property
    def held(self) -> bool:
        return bool(self.times) and not self.errors and percentile([s for _, s in self.times], 0.95) < LIMIT

    def __str__(self) -> str:
        return (
            f"{self.sessions:4} sessions: {spread([s for _, s in self.times], 'ms')}; "
            f"{len(self.times)} changes, {len(self.errors)} errors; "
            f"server {1000 * self.server / max(len(self.times), 1):.1f} ms a change "
            f"({100 * self.server / self.seconds:.0f}%), client {100 * self.client / self.seconds:.0f}%; "
            f"memory {self.memory >> 20} MB"
        )


async def hold(class_: Class, seconds: float) -> Costs:
    """Let a class work for a while; return what it cost."""
    costs, over = Costs(sessions=len(class_.readers), seconds=seconds), asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, over.set)
    server, client = processor(class_.server), time.process_time()
    await class_.work(costs, over)
    costs.server, costs.client = processor(class_.server) - server, time.process_time() - client
    costs.memory = class_.server.memory()
    return costs


async def capacity(server, page: str, sizes: list[int], seconds: float, browsers: int = 0) -> list[Costs]:
    """Let a class grow through `sizes` until it is no longer held."""
    class_, found, over = Class(server, [page]), [], asyncio.Event()
    pressing = asyncio.create_task(press_keys(server.url, browsers, over)) if browsers else None
    for size in sizes:
        await class_.grow(size)
        found.append(await hold(class_, seconds))
        print("   ", found[-1], flush=True)
        if not found[-1].held:
            break
    over.set()
    if pressing:
        times = await pressing
        print(f"    {browsers} browsers among them: {len(times)} changes, {spread(times, 'ms')}")
    await class_.leave()
    return found


async def press_keys(url: str, number: int, over: asyncio.Event) -> list[float]:
    """Press a key in each of some browsers every 5 s; return the times from a change to the end of its answer."""
    async with async_playwright() as playwright, await launch(playwright) as chromium:
        pages = [await chromium.new_page() for _ in range(number)]
        for page, name in zip(pages, cycle(NAMES)):
            await page.add_init_script(INIT_SCRIPT)
            await page.goto(f"{url}/{name}")
            await page.locator(HANDLE).first.wait_for(timeout=60_000)  # the content policy forbids `settled`
        keys = cycle(["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"])
        while not over.is_set():
            for page in pages:
                await page.locator(HANDLE).first.press(next(keys))
                await asyncio.sleep(EVERY / number)
        times = []
        for page in pages:
            runs = await page.evaluate("labRuns")
            ends = [[b - a for b in runs["finished"] if b >= a] for a in runs["asked"][1:]]
            times += [min(after) / 1000 for after in ends if after]
        return times


async def stay(_: WebSocketClient) -> None:
    """Ask for nothing more."""


async def let_write(reader: WebSocketClient) -> None:
    """Ask for one token after the other, as the browser does, until all are there."""
    for _ in range(MOST + 1):
        await asyncio.sleep(BETWEEN)
        await reader.ask(reader.message([]), patience=120)


async def long_work(title: str, page: str, queries: list[str], then=stay, **settings) -> None:
    """Let many ask for something long at about the same time; print how long they and others wait."""
    waits, errors = [], []

    async def press(k: int, reader: WebSocketClient) -> None:
        await asyncio.sleep(k * WITHIN / len(queries))
        try:
            answer = await reader.open(page, queries[k], patience=120)
        except LOST:
            errors.append(CUT_OFF)
            return
        errors.extend(answer.errors)
        if not parse_qs(queries[k]).items() <= parse_qs(reader.stage["search"]).items():
            errors.append(f"it shows {reader.stage['search']}")
        began = time.monotonic()
        await then(reader)
        waits.append(answer.seconds + time.monotonic() - began)

    with Host(**MANY, **settings) as host:
        others, askers = Class(host, ["masking"]), Class(host, ["masking"])
        await others.grow(OTHERS)
        await askers.grow(len(queries))
        costs, *_ = await asyncio.gather(
            hold(others, 2 * WITHIN), *(press(*each) for each in enumerate(askers.readers))
        )
        await others.leave()
        await askers.leave()
    print(f"   {title}\n     {OTHERS} others on another page: {costs}")
    print(f"     they waited: {spread(waits)}, {len(waits)} answers, {len(errors)} errors {errors[:3]}")


async def training() -> None:
    print(f"\n{TRAINING} readers train a head within {WITHIN:g} s")
    for title, seeds in (
        ("the same run", [7777] * TRAINING),
        ("another seed each", range(1000, 1000 + TRAINING)),
    ):
        await long_work(title, "train_a_head", [f"seed={seed}" for seed in seeds])


async def live() -> None:
    print(f"\n{ASKING} readers ask a real model within {WITHIN:g} s")
    for title, numbers in (("the same sentence", [1] * ASKING), ("everybody another", range(ASKING))):
        texts = [SENTENCE.format(("dog", "cat", "horse")[k % 3], k) for k in numbers]
        queries = [LIVE.format(quote(permalink.escape(text))) for text in texts]
        await long_work(title, "real_model", queries, model=shipped_folder(), start_seconds=120)


async def writing(writers: int) -> None:
    print(f"\n{writers} readers let a model write {MOST} tokens within {WITHIN:g} s")
    queries = [WRITTEN.format(k) for k in range(writers)]
    settings = {"model": WHAT_IS_INSTALLED, "start_seconds": 120}
    await long_work("everybody another prompt", "generating", queries, let_write, **settings)


class Member:
    """A tab's socket to its room, and what it has received."""

    def __init__(self):
        self.state: dict = {}
        self.messages = self.size = 0
        self.late: list[float] = []  # s from a hand's move until the leader knows its position

    async def enter(self, server: Host, number: int, do: str = "join") -> None:
        address = f"{server.url.replace('http', 'ws')}/room?room=bench-fox"
        self.socket = await connect(address, additional_headers={"Origin": server.url}, compression=None)
        await self.send({"do": do, "seat": f"{number:032x}"})
        self.state |= json.loads(await self.socket.recv())

    async def send(self, message: dict) -> None:
        await self.socket.send(json.dumps(message))

    async def receive(self) -> None:
        """Receive until the socket is closed. A hand's first coordinate is the time at which it was moved."""
        with suppress(ConnectionClosed):
            async for text in self.socket:
                self.messages, self.size = self.messages + 1, self.size + len(text)
                news = json.loads(text)
                self.state |= news
                now = time.monotonic() % CLOCK
                hands = [each[1] for key, each in news.items() if key.startswith("hand ") and each]
                self.late += [(now - numbers["vectors"]["0"][0]) % CLOCK for numbers in hands]

    async def take_part(self, end: float) -> int:
        """Move the hand every second until the end, and answer the question once; return the number of moves."""
        await asyncio.sleep(random.random())
        for moves in count():
            if time.monotonic() >= end:
                return moves
            numbers = {"vectors": {"0": [round(time.monotonic() % CLOCK, 3), 1.0]}}
            await self.send(HERE | {"numbers": numbers})
            if moves == 0:
                question = self.state["question"]
                place = random.randrange(question["answers"])
                answer = {"question": question["number"], "round": question["round"], "place": place}
                await self.send({"do": "guess", **answer})
            await asyncio.sleep(1)


async def together(size: int, seconds: float, browsers: int) -> None:
    """Print what a class costs that is in one room, beside the same class that is not."""
    print(f"\nA room of {size}, all with a hand that moves every second and a change every {EVERY:g} s")
    async with AsyncExitStack() as stack:
        server = stack.enter_context(Host(**MANY, room_members=size, room_members_per_address=size))
        class_ = Class(server, ["similarity"])
        await class_.grow(size)
        apart = await hold(class_, seconds)
        print("   apart:   ", apart, flush=True)
        for reader in class_.readers:
            await reader.open("softmax", patience=120)  # a page reads its URL when it is opened from another one
            await reader.open("similarity", "room=bench-fox", patience=120)
        before, leader, members = server.memory(), Member(), [Member() for _ in range(size)]
        await leader.enter(server, 0, "open")
        await leader.send(HERE | {"numbers": {}})
        await leader.send({"do": "hands", "where": "front"})
        await leader.send(HERE | {"do": "ask", "query": "", "answers": 3})
        await leader.send({"do": "show", "on": True})
        for number, member in enumerate(members, 1):
            await member.enter(server, number)
        memory = (server.memory() - before) / (size + 1)
        receiving = [asyncio.create_task(member.receive()) for member in (leader, *members)]
        if browsers:
            chromium = await launch(await stack.enter_async_context(async_playwright()))
            page = await chromium.new_page()
            await page.goto(f"{server.url}/similarity?room=bench-fox#lead={leader.state['secret']}")
            await page.locator(HANDLE).first.wait_for(timeout=60_000)
            await page.evaluate(FRAMES)
        end, messages, bytes_ = time.monotonic() + seconds, leader.messages, leader.size
        costs, *moves = await asyncio.gather(
            hold(class_, seconds), *(member.take_part(end - 0.5) for member in members)
        )
        messages, bytes_ = leader.messages - messages, leader.size - bytes_
        more = (costs.server - apart.server) / seconds / size
        print("   together:", costs)
        print(
            f"   {sum(moves)} moves of hands, seen in front after {spread(leader.late)}; "
            f"{sum(leader.state['question']['counts'][0])} of {size} answers counted; "
            f"told in front {messages / seconds:.1f} times and {bytes_ / seconds / 1000:.1f} KB a second; "
            f"more processor time a member {1e6 * more:.0f} µs a second, memory {memory / 1000:.1f} KB"
        )
        if browsers:
            frames = [each / 1000 for each in await page.evaluate("frames")]
            print(f"   frames of the page in front: {spread(frames, 'ms')}, longest {1000 * max(frames):.0f} ms")
            await chromium.close()
        await asyncio.gather(*(member.socket.close() for member in (leader, *members)), *receiving)
        await class_.leave()


async def burst(url: str, number: int, seconds: float) -> None:
    """Print how long so many first visits take that are spread over so many seconds."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(number))  # none waits for a thread
    times, errors, chance = [], [], random.Random(0)

    async def come(after: float) -> None:
        await asyncio.sleep(after)
        began = time.monotonic()
        try:
            errors.extend(await visit(url, "similarity", "/similarity"))
            times.append(time.monotonic() - began)
        except LOST as error:
            errors.append(repr(error)[:80])

    await asyncio.gather(*(come(chance.uniform(0, seconds)) for _ in range(number)))
    print(f"   {number} first visits in {seconds:g} s: {spread(times)}, {len(errors)} errors {errors[:3]}")


async def heaviest(server, rounds: int) -> str:
    """The page whose change costs most, by the median of several walks: one may meet a collection."""
    found = defaultdict(list)
    async with WebSocketClient(server.url) as reader:
        for name in WALKS * NAMES:
            await reader.open(name)
            if reader.can_drag:
                before = processor(server)
                for _ in range(rounds):
                    await reader.drag()
                found[name].append((processor(server) - before) / rounds)
    costs = {name: statistics.median(each) for name, each in found.items()}
    print("Processor for a change:", ", ".join(f"{name} {1000 * s:.1f} ms" for name, s in costs.items()))
    return max(costs, key=costs.get)


async def compare(page: str | None, seconds: float, browsers: int, quick: bool) -> int:
    """Print how many sessions the app's server and stock Streamlit hold; return the server's number."""
    tuned = [10, 20] if quick else [100, 200, 300, 400, 500, 600]
    stock = [5, 10] if quick else [5, 10, 15, 20, 30, 40, 60, 80, 100]
    with tempfile.TemporaryDirectory() as folder, Host(**MANY) as host, Stock(Path(folder)) as plain:
        page = page or await heaviest(host, 5 if quick else 40)
        print(f"\nHeaviest page: {page}; a change every {EVERY:g} s, each size for {seconds} s\n  tuned")
        many = await capacity(host, page, tuned, seconds, browsers)
        print("  stock")
        warming = Class(plain, NAMES)  # as the app's server has done by itself
        await warming.grow(len(NAMES))
        await warming.leave()
        few = await capacity(plain, page, stock, seconds)
    most, least = (max((costs.sessions for costs in each if costs.held), default=0) for each in (many, few))
    apiece = (many[-1].memory - many[0].memory) / max(many[-1].sessions - many[0].sessions, 1)
    print(
        f"  held: {most} tuned, {least} stock, ratio {most / max(least, 1):.1f}; "
        f"memory a session {apiece / 1000:.0f} KB"
    )
    return most


async def soak(size: int, minutes: float) -> None:
    """Print ten times what a class costs that walks through all pages."""
    print(f"\nSoak: {size} sessions walking through all pages for {minutes:g} minutes")
    with Host(**MANY) as host:
        class_, found = Class(host, NAMES, WALK), []
        await class_.grow(size)
        for _ in range(10):
            found.append(await hold(class_, 6 * minutes))
            print("    ", found[-1], flush=True)
        await class_.leave()
    print(
        f"   errors {sum(len(costs.errors) for costs in found)}; "
        f"memory {found[1].memory >> 20} MB after a fifth, {found[-1].memory >> 20} MB at the end"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.load", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small and short, to see that it works")
    parser.add_argument("--page", choices=NAMES, help="default: the heaviest")
    parser.add_argument("--soak", type=float, default=20.0, help="minutes (default 20; 0: none)")
    parser.add_argument("--browsers", type=int, default=3, help="real browsers among the readers (default 3)")
    parser.add_argument("--seconds", type=int, default=60, help="for each size of a class (default 60)")
    parser.add_argument("--room", action="store_true", help="only a class in one room")
    parser.add_argument("--training", action="store_true", help="only a class that trains")
    parser.add_argument("--live", action="store_true", help="only a class that asks a real model")
    parser.add_argument("--writing", action="store_true", help="only a class that lets a model write")
    given = parser.parse_args()
    quick, seconds = given.quick, 6 if given.quick else given.seconds
    with sync_playwright() as playwright, launch(playwright) as chromium:
        print(machine(chromium))
    if given.room:
        asyncio.run(together(20 if quick else TOGETHER, seconds, given.browsers))
    elif given.writing:
        asyncio.run(writing(2 if quick else WRITERS))
    elif given.training or given.live:
        asyncio.run(training() if given.training else live())
    else:
        most = asyncio.run(compare(given.page, seconds, given.browsers, quick))
        with tempfile.TemporaryDirectory() as folder, replicas(Path(folder), 2, **MANY) as nginx:
            print("\nTwo replicas behind nginx")
            asyncio.run(burst(nginx.url, *((20, 5) if quick else (200, 30))))
        if minutes := 0.2 if quick and given.soak else given.soak:
            asyncio.run(soak(max(1, int(0.6 * most)), minutes))


if __name__ == "__main__":
    main()
