"""What a class costs: `python -m tools.bench.load` (`--quick` shows that it works).

Every session is a real WebSocket that opens pages and changes things every 5 s on average, at times of its
own; a few real browsers sit among them. Server and stock server take turns in one run, on the same machine and
the same page. The figures:

- sessions held: the most with a p95 of change → end of the answer below 250 ms and no error;
- CPU per change, of the server and of the client that plays the class (a client that is at its own end would
  make the server look slow; its share says so);
- memory per session;
- a burst of first visits, each a page, its files and its session;
- a class that trains: a hundred press *train* within 10 s, all the same run or everybody another, while others go
  on with another page (only with `--training`);
- a class that asks a real model: fifty ask within 10 s, all the same sentence or everybody another (only
  with `--live`; the model is the development requirement's);
- a class in one room: 300 whose hands move and who answer, their changes beside those of the same class apart,
  what a member takes, and the frames of the page in front (only with `--room`);
- a soak: the class for twenty minutes at 60% of what was held, memory at its beginning and end.
"""

import argparse
import asyncio
import contextlib
import http.client
import json
import os
import random
import resource
import statistics
import tempfile
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

from playwright.sync_api import sync_playwright
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from attention_lab.server.static_files import first
from attention_lab.state import permalink
from tests.browser.harness import INIT_SCRIPT, AppServer, launch
from tests.server.harness import Host, replicas
from tests.visit import NAMES
from tests.websocket_client import WebSocketClient
from tools.bench.page import machine, percentile
from tools.training.gallery import shipped_folder

LIMIT = 0.250  # s: p95 of change → end of the answer
EVERY = 5.0  # s between two changes of one reader, on average
WALK = 0.05  # of the changes are to another page, where a class walks
TRAINING, ASKING, OTHERS, WITHIN = 100, 50, 50, 10.0  # readers who train, who ask a model, who do neither; s
LIVE = "model=live&text=own&written={}"  # of the page of real models
SENTENCE = "the {} didn't cross the street because it was too tired, and so we waited for number {}"
WALKS = 5  # through all pages, to find the heaviest
TOGETHER = 300  # members of a room
CLOCK = 500.0  # s after which the clock that hands tell begins anew: within the bounds of a number
SHEET = "0" * 12  # what lies on the members' pages
FRAMES = """() => {
  window.frames_at = performance.now(); window.frames = [];
  const next = now => { frames.push(now - frames_at); frames_at = now; requestAnimationFrame(next); };
  requestAnimationFrame(next);
}"""
COLLECTED = "--runner.postScriptGC=true"  # a full collection after every run


class Stock(AppServer):
    """The same app as `streamlit run` serves it with Streamlit's own settings; nothing of its heap is frozen."""

    def __init__(self, folder: Path):
        super().__init__()
        (folder / "sitecustomize.py").write_text("import gc\n\ngc.freeze = lambda: None\n")
        self.environment = os.environ | {"PYTHONPATH": str(folder)}
        self.command += [COLLECTED, "--runner.magicEnabled=true", "--server.websocketPingInterval=30"]

    def memory(self) -> int:
        return Host.memory(self)


def processor(server) -> float:
    """Seconds of processor time that a server's process has used."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def own() -> float:
    """Seconds of processor time that this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@dataclass
class Lesson:
    """What a class of some size did, and what it cost."""

    sessions: int
    seconds: float
    times: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    server: float = 0.0
    client: float = 0.0
    memory: int = 0

    @property
    def p95(self) -> float:
        return percentile(self.times, 0.95)

    @property
    def held(self) -> bool:
        return bool(self.times) and not self.errors and self.p95 < LIMIT

    def line(self) -> str:
        changes = max(len(self.times), 1)
        return (
            f"{self.sessions:4} sessions: p50 {1000 * percentile(self.times, 0.5):6.1f}, "
            f"p95 {1000 * self.p95:6.1f} ms; {len(self.times)} changes, {len(self.errors)} errors; "
            f"server {1000 * self.server / changes:.1f} ms a change ({100 * self.server / self.seconds:.0f}%), "
            f"client {100 * self.client / self.seconds:.0f}%; "
            f"memory {self.memory >> 20} MB"
        )


class Class:
    """Readers that come one by one and stay; `hold` lets them work for a while."""

    def __init__(self, server, page: str | None, seed: int = 0):
        self.server, self.page = server, page
        self.readers: list[WebSocketClient] = []
        self.random = random.Random(seed)

    async def grow(self, number: int) -> None:
        """Let readers come until there are so many, a few at a time."""
        limit = asyncio.Semaphore(8)

        async def come(reader):
            async with limit:
                await reader.connect()
                page = self.page if self.page is not None else reader.random.choice(NAMES)
                await reader.open(page, patience=120)

        new = [
            WebSocketClient(self.server.url, seed=self.random.randrange(10**9))
            for _ in range(number - len(self.readers))
        ]
        await asyncio.gather(*map(come, new))
        self.readers += new

    async def hold(self, seconds: float) -> Lesson:
        """Let everybody change something every 5 s on average, and note what it took."""
        lesson = Lesson(len(self.readers), seconds)
        end = time.monotonic() + seconds
        server, client = processor(self.server), own()
        await asyncio.gather(*(self._learn(reader, end, lesson) for reader in self.readers))
        lesson.server, lesson.client = processor(self.server) - server, own() - client
        lesson.memory = self.server.memory()
        return lesson

    async def _learn(self, reader: WebSocketClient, end: float, lesson: Lesson) -> None:
        while (pause := reader.random.expovariate(1 / EVERY)) < end - time.monotonic():
            await asyncio.sleep(pause)
            try:
                if (self.page is None and reader.random.random() < WALK) or not reader.can_drag:
                    answer = await reader.open(reader.random.choice(NAMES))
                else:
                    answer = await reader.drag()
            except (TimeoutError, ConnectionClosed) as error:
                lesson.errors.append(type(error).__name__)
                return
            lesson.errors += answer.errors
            lesson.times.append(answer.seconds)
        await asyncio.sleep(max(0.0, end - time.monotonic()))

    async def leave(self) -> None:
        await asyncio.gather(*(reader.close() for reader in self.readers), return_exceptions=True)


async def capacity(server, page: str | None, sizes: list[int], seconds: float) -> list[Lesson]:
    """Let a class grow through `sizes` until it is no longer held."""
    class_, lessons = Class(server, page), []
    try:
        for size in sizes:
            await class_.grow(size)
            lessons.append(await class_.hold(seconds))
            print("   ", lessons[-1].line(), flush=True)
            if not lessons[-1].held:
                break
    finally:
        await class_.leave()
    return lessons


async def long_work(server, page: str, queries: list[str]) -> tuple[Lesson, list[float], list[str]]:
    """Let many ask for what takes long, at about the same time, each by an address of `page`.

    Returns what others felt on another page, and how long each of the many waited.
    """
    class_, askers = Class(server, "masking"), Class(server, "masking", seed=1)
    waited, errors = [], []

    async def press(k: int, reader: WebSocketClient) -> None:
        await asyncio.sleep(k * WITHIN / len(queries))
        try:
            answer = await reader.open(page, queries[k], patience=120)
        except (TimeoutError, ConnectionClosed) as error:
            errors.append(type(error).__name__)
            return
        errors.extend(answer.errors)
        if not parse_qs(queries[k]).items() <= parse_qs(reader.stage["search"]).items():
            errors.append(f"it shows {reader.stage['search']}")
        waited.append(answer.seconds)

    try:
        await class_.grow(OTHERS)
        await askers.grow(len(queries))
        lesson, *_ = await asyncio.gather(
            class_.hold(2 * WITHIN), *(press(*each) for each in enumerate(askers.readers))
        )
    finally:
        await class_.leave()
        await askers.leave()
    return lesson, waited, errors


def trainings(settings: dict) -> None:
    """Print what a class that trains costs."""
    print(f"\n{TRAINING} readers train a head within {WITHIN:g} s, {OTHERS} others are on another page")
    for same in (True, False):
        queries = [f"seed={7777 if same else 1000 + k}" for k in range(TRAINING)]
        _print_long_work("the same run" if same else "another seed each", settings, "train_a_head", queries)


def live(settings: dict) -> None:
    """Print what a class costs that asks a real model."""
    print(f"\n{ASKING} readers ask a real model within {WITHIN:g} s, {OTHERS} others are on another page")
    for same in (True, False):
        numbers = [1 if same else k for k in range(ASKING)]
        texts = [SENTENCE.format(("dog", "cat", "horse")[k % 3], k) for k in numbers]
        queries = [LIVE.format(quote(permalink.escape(text))) for text in texts]
        given = settings | {"model": shipped_folder(), "start_seconds": 120}
        _print_long_work("the same sentence" if same else "everybody another", given, "real_model", queries)


class Member:
    """A tab's socket to its room: where its hand is, once a second, and its answers."""

    def __init__(self, url: str, room: str, number: int):
        self.address = f"{url.replace('http', 'ws')}/room?room={room}"
        self.origin, self.number = url, number
        self.random = random.Random(number)
        self.told: dict = {}
        self.heard = self.size = self.moves = 0
        self.late: list[float] = []  # s from a hand's move to its place where the room is led
        self.socket = None

    async def enter(self, do: str = "join") -> None:
        """Open the socket and take a seat."""
        self.socket = await connect(self.address, additional_headers={"Origin": self.origin}, compression=None)
        await self.say(do, seat=f"{self.number:032x}")
        self.told |= json.loads(await self.socket.recv())

    async def say(self, do: str, **more) -> None:
        await self.socket.send(json.dumps({"do": do, **more}))

    async def hear(self) -> None:
        """Take in what is told, until the socket is closed. A hand's first number says when it was moved."""
        with contextlib.suppress(ConnectionClosed):
            async for text in self.socket:
                self.heard, self.size = self.heard + 1, self.size + len(text)
                told = json.loads(text)
                self.told |= told
                moved = [each for key, each in told.items() if key.startswith("hand ") and each]
                now = time.monotonic() % CLOCK
                self.late += [(now - numbers["vectors"]["0"][0]) % CLOCK for _, numbers in moved]

    async def take_part(self, end: float) -> None:
        """Move the hand every second, and answer whatever is asked, until the end."""
        await asyncio.sleep(self.random.random())
        answered = None
        while time.monotonic() < end:
            numbers = {"vectors": {"0": [round(time.monotonic() % CLOCK, 3), 1.0]}}
            await self.say("here", page="similarity", sharing_key=SHEET, numbers=numbers, goals=[])
            self.moves += 1
            asked = self.told.get("question")
            if asked and asked["open"] and answered != (asked["number"], asked["round"]):
                answered = asked["number"], asked["round"]
                place = self.random.randrange(asked["answers"])
                await self.say("guess", question=asked["number"], round=asked["round"], place=place)
            await asyncio.sleep(1)


@contextlib.contextmanager
def front(url: str, room: str, secret: str):
    """The page of whoever leads, in a real browser; yields a list that in the end holds its frames, in ms."""
    over, frames = threading.Event(), []

    def sit():
        with sync_playwright() as playwright, launch(playwright) as chromium:
            page = chromium.new_page()
            page.goto(f"{url}/similarity?room={room}#lead={secret}")
            wait_for_stage(page)
            page.evaluate(FRAMES)
            while not over.wait(0.5):
                page.evaluate("0")
            frames.extend(page.evaluate("frames"))

    with ThreadPoolExecutor(1) as pool:
        sitting = pool.submit(sit)
        yield frames
        over.set()
        sitting.result()


async def together(server, size: int, seconds: float, chromium: bool) -> None:
    """Print what a class costs that is in one room, beside the same class that is not."""
    class_ = Class(server, "similarity")
    try:
        await class_.grow(size)
        apart = await class_.hold(seconds)
        print("   apart:   ", apart.line(), flush=True)
        for reader in class_.readers:
            await reader.open("softmax", patience=120)  # a page reads its address when it is opened from another
            await reader.open("similarity", "room=bench-fox", patience=120)
        before = server.memory()
        teacher = Member(server.url, "bench-fox", 0)
        await teacher.enter("open")
        members = [Member(server.url, "bench-fox", k) for k in range(1, size + 1)]
        for member in members:
            await member.enter()
        memory = (server.memory() - before) / (size + 1)
        hearing = [asyncio.create_task(member.hear()) for member in (teacher, *members)]
        await teacher.say("here", page="similarity", sharing_key=SHEET, numbers={}, goals=[])
        await teacher.say("hands", where="front")
        await teacher.say("ask", page="similarity", query="", sharing_key=SHEET, answers=3)
        await teacher.say("show", on=True)
        sitting = front(server.url, "bench-fox", teacher.told["secret"]) if chromium else contextlib.nullcontext()
        with sitting as frames:
            if chromium:
                await asyncio.sleep(6)  # until the page is open
            end, heard, size_ = time.monotonic() + seconds, teacher.heard, teacher.size
            room, *_ = await asyncio.gather(
                class_.hold(seconds), *(member.take_part(end - 0.5) for member in members)
            )
            heard, size_ = teacher.heard - heard, teacher.size - size_
        print("   together:", room.line())
        moves, answered = sum(member.moves for member in members), sum(teacher.told["question"]["counts"][0])
        more = (room.server / room.seconds - apart.server / apart.seconds) / size
        print(
            f"   {moves} moves of hands, seen in front after p50 {percentile(teacher.late, 0.5):.2f}, "
            f"p95 {percentile(teacher.late, 0.95):.2f} s; {answered} of {size} answers counted; "
            f"told in front {heard / seconds:.1f} times and {size_ / seconds / 1000:.1f} KB a second; "
            f"more processor time a member {1e6 * more:.0f} µs a second, memory {memory / 1000:.1f} KB"
        )
        if frames:
            print(
                f"   frames of the page in front: p50 {percentile(frames, 0.5):.0f}, "
                f"p95 {percentile(frames, 0.95):.0f}, longest {max(frames):.0f} ms"
            )
        for task in hearing:
            task.cancel()
        await asyncio.gather(*(member.socket.close() for member in (teacher, *members)))
    finally:
        await class_.leave()


def _print_long_work(title: str, settings: dict, page: str, queries: list[str]) -> None:
    with Host(**settings) as host:
        lesson, waited, errors = asyncio.run(long_work(host, page, queries))
    print(f"   {title}")
    print("     others:", lesson.line())
    print(
        f"     they waited: p50 {percentile(waited, 0.5):.2f}, p95 {percentile(waited, 0.95):.2f} s, "
        f"{len(waited)} answers, {len(errors)} errors {errors[:3]}"
    )


async def warm(server) -> None:
    """Open every page once, as the tuned server has done by itself."""
    async with WebSocketClient(server.url) as reader:
        for name in NAMES:
            await reader.open(name, patience=60)


def held(lessons: list[Lesson]) -> int:
    """The largest class that was held."""
    return max((lesson.sessions for lesson in lessons if lesson.held), default=0)


def apiece(lessons: list[Lesson]) -> float:
    """Bytes that one more session takes, from the smallest class to the largest."""
    least, most = lessons[0], lessons[-1]
    return (most.memory - least.memory) / max(most.sessions - least.sessions, 1)


@contextlib.contextmanager
def browsers(url: str, number: int):
    """Some real browsers among the readers, which press a key every 5 s; yields a list that in the end holds
    their times from a change sent to the end of its answer, in ms."""
    over, times = threading.Event(), []

    def sit():
        with sync_playwright() as playwright, launch(playwright) as chromium:
            pages = [chromium.new_page() for _ in range(number)]
            for page, name in zip(pages, cycle(NAMES)):
                page.add_init_script(INIT_SCRIPT)
                page.goto(f"{url}/{name}")
                wait_for_stage(page)
            keys = cycle(["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"])
            while not over.is_set():
                for page in pages:
                    page.locator("[data-stage] [data-handle]").first.press(next(keys))
                    page.wait_for_timeout(1000 * EVERY / number)
            for page in pages:
                runs = page.evaluate("labRuns")
                ends = [[b - a for b in runs["finished"] if b >= a] for a in runs["asked"][1:]]
                times.extend(min(after) for after in ends if after)

    with ThreadPoolExecutor(1) as pool:
        sitting = pool.submit(sit) if number else None
        yield times
        over.set()
        if sitting:
            sitting.result()


def wait_for_stage(page) -> None:
    """Wait for the stage; the content policy forbids the harness's way of waiting."""
    page.locator("[data-stage] [data-handle]").first.wait_for(timeout=60_000)


def visit(url: str) -> float:
    """A first visit without a browser: the page, its files and its session; return its seconds."""
    start = time.perf_counter()
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    for path in ["/similarity", *first()]:
        accept = "text/html" if path == "/similarity" else "*/*"
        connection.request("GET", path, headers={"Accept": accept, "Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status}")
    connection.close()

    async def session():
        async with WebSocketClient(url) as reader:
            return (await reader.open("similarity", patience=60)).errors

    if errors := asyncio.run(session()):
        raise RuntimeError(errors[0])
    return time.perf_counter() - start


def burst(server, number: int, seconds: float) -> tuple[list[float], list[str]]:
    """So many first visits, spread over so many seconds; return their times and what went wrong."""
    chance, errors = random.Random(0), []

    def come(after: float) -> float | None:
        time.sleep(after)
        try:
            return visit(server.url)
        except (OSError, RuntimeError, TimeoutError) as error:
            errors.append(f"{type(error).__name__}: {error}"[:80])
            return None

    with ThreadPoolExecutor(number) as pool:
        times = list(pool.map(come, sorted(chance.uniform(0, seconds) for _ in range(number))))
    return [taken for taken in times if taken is not None], errors


def heaviest(server, rounds: int) -> str:
    """The page whose change costs most, by the median of several walks: one may meet a collection."""

    async def walk():
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

    return asyncio.run(walk())


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
    given = parser.parse_args()
    seconds = 6 if given.quick else given.seconds
    tuned = [10, 20] if given.quick else [100, 200, 300, 400, 500, 600]
    stock = [5, 10] if given.quick else [5, 10, 15, 20, 30, 40, 60, 80, 100]
    visits, within = (20, 5) if given.quick else (200, 30)
    soak = 0.2 if given.quick else given.soak
    roomy = {
        "warm_up": 2,
        "sessions": 2000,
        "sessions_per_address": 2000,
        "connections": 8000,
        "connections_per_address": 8000,
    }

    with sync_playwright() as playwright, launch(playwright) as chromium:
        print(machine(chromium))
    if given.room:
        size = 20 if given.quick else TOGETHER
        print(f"\nA room of {size}, all with a hand that moves every second and a change every {EVERY:g} s")
        with Host(**roomy, room_members=size, room_members_per_address=size) as host:
            asyncio.run(together(host, size, seconds, bool(given.browsers)))
        return
    if given.training or given.live:
        (trainings if given.training else live)(roomy)
        return

    with tempfile.TemporaryDirectory() as folder, Host(**roomy) as host, Stock(Path(folder)) as plain:
        page = given.page or heaviest(host, 5 if given.quick else 40)
        print(f"\nHeaviest page: {page}; a change every {EVERY:g} s, each size for {seconds} s")
        print("  tuned")
        with browsers(host.url, given.browsers) as times:
            many = asyncio.run(capacity(host, page, tuned, seconds))
        print(
            f"    {given.browsers} browsers among them: {len(times)} changes, "
            f"p50 {percentile(times, 0.5):.0f}, p95 {percentile(times, 0.95):.0f} ms"
        )
        print("  stock")
        asyncio.run(warm(plain))
        few = asyncio.run(capacity(plain, page, stock, seconds))
        print(
            f"  held: {held(many)} tuned, {held(few)} stock, ratio {held(many) / max(held(few), 1):.1f}; "
            f"memory a session {apiece(many) / 1000:.0f} KB"
        )

    with tempfile.TemporaryDirectory() as folder, replicas(Path(folder), 2, **roomy) as nginx:
        print("\nTwo replicas behind nginx")
        times, errors = burst(nginx, visits, within)
        print(
            f"   {visits} first visits in {within} s: p50 {percentile(times, 0.5):.2f}, "
            f"p95 {percentile(times, 0.95):.2f} s, {len(errors)} errors {errors[:3]}"
        )

    if soak:
        size = max(1, int(0.6 * held(many)))
        print(f"\nSoak: {size} sessions walking through all pages for {soak:g} minutes")
        with Host(**roomy) as host:

            async def lessons():
                class_, found = Class(host, None), []
                await class_.grow(size)
                for _ in range(10):
                    found.append(await class_.hold(6 * soak))
                    print("    ", found[-1].line(), flush=True)
                await class_.leave()
                return found

            found = asyncio.run(lessons())
            print(
                f"   errors {sum(len(lesson.errors) for lesson in found)}; "
                f"memory {found[1].memory >> 20} MB after a fifth, {found[-1].memory >> 20} MB at the end"
            )


if __name__ == "__main__":
    main()
