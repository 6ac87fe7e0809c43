"""What a change costs the server: `python -m tools.bench.change`.

Processor time of the server's whole process for one drag, of each page and of a floor: the same server with a
script of one fragment and one component (`floor/change.py`). Four readers without a browser drag at once; floor
and pages take turns, and of all rounds the best counts, since whatever else the machine does only adds to it.

`--root PATH` measures the server of another checkout, too, in turn with this one.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from lab import ROOT
from tests.server.harness import Host
from tools.bench.page import pages
from tools.bench.readers import Server, processor
from tools.websocket_client import WebSocketClient

FLOOR = Path(__file__).parent / "floor" / "change.py"
BUDGET = 2.0
READERS = 4
WARM = 8  # changes of each reader before any count
START = """
import sys
from pathlib import Path
from attention_lab.server import server, settings
server.SCRIPT = Path(sys.argv.pop(1))
server.serve(settings.read(sys.argv[1:]))
"""


class FloorServer(Host):
    """The app's own server with the floor's script."""

    def __init__(self) -> None:
        super().__init__(first_picture=0)
        self.command[1:3] = ["-c", START, str(FLOOR)]


@dataclass
class Side:
    """One page on one server, with its readers."""

    server: Host
    readers: list[WebSocketClient]
    bytes: float = 0.0

    async def change(self, number: int) -> float:
        """Let all readers drag; return the milliseconds of processor time for one of `number` changes."""
        size = 0

        async def drag(reader: WebSocketClient) -> None:
            nonlocal size
            for _ in range(number // READERS):
                answer = await reader.drag()
                if answer.errors:
                    raise RuntimeError(answer.errors)
                size += answer.size

        before = processor(self.server)
        await asyncio.gather(*map(drag, self.readers))
        self.bytes = size / number
        return 1000 * (processor(self.server) - before) / number


async def opened(server: Host, page: str) -> Side | None:
    """The page with readers on it; None where nothing can be dragged freely."""
    readers = [WebSocketClient(server.url, seed=seed) for seed in range(READERS)]
    for reader in readers:
        await reader.connect()
        await reader.open(page)
    side = Side(server, readers)
    if not readers[0].can_drag:
        await closed(side)
        return None
    await side.change(READERS * WARM)
    return side


async def closed(side: Side) -> None:
    """Let the readers leave."""
    for reader in side.readers:
        await reader.close()


async def measure(
    servers: dict[str, Host], page: str, rounds: int, number: int
) -> dict[str, tuple[float, float]]:
    """The best time and the bytes of a change, by server, the floor among them."""
    sides = {}
    for name, server in servers.items():
        if (side := await opened(server, "" if name == "floor" else page)) is None:
            for each in sides.values():
                await closed(each)
            return {}
        sides[name] = side
    times = defaultdict(list)
    for _ in range(rounds):
        for name, side in sides.items():
            times[name].append(await side.change(number))
    for side in sides.values():
        await closed(side)
    return {name: (min(times[name]), side.bytes) for name, side in sides.items()}


def main() -> None:
    """Measure, and print a table."""
    known = pages()
    parser = argparse.ArgumentParser(prog="python -m tools.bench.change", description=__doc__.splitlines()[0])
    parser.add_argument("--pages", help=f"some of: {', '.join(known)}")
    parser.add_argument("--rounds", type=int, default=4, help="of which the best counts (default 4)")
    parser.add_argument("--changes", type=int, default=120, help="in each round (default 120)")
    parser.add_argument("--root", type=Path, help="another checkout, measured in turn")
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    with ExitStack() as running:
        servers: dict[str, Host] = {"floor": FloorServer(), "now": Host()}
        if given.root:
            servers["other"] = Server(given.root, warm_up=0)
        for server in servers.values():
            running.enter_context(server)
        names = [name for name in servers if name != "floor"]
        columns = ["page", "floor, ms", *(f"{name}, ms | ÷ floor | KB" for name in names)]
        print(f"| {' | '.join(columns)} |\n|{' --- |' * ' | '.join(columns).count('|')} --- |", flush=True)
        for page in given.pages.split(",") if given.pages else known:
            found = asyncio.run(measure(servers, known[page], given.rounds, given.changes))
            if not found:
                continue
            floor = found["floor"][0]
            cells = [page, f"{floor:.2f}"]
            for name in names:
                time, size = found[name]
                over = " over" if time > BUDGET * floor else ""
                cells += [f"{time:.2f}", f"**{time / floor:.2f}**{over}", f"{size / 1000:.1f}"]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
