"""Hostile addresses and component messages, as many as wanted: `python -m tools.fuzz --cases 10000`.

Each case is one rerun of a real session. A session that is ended for what it sent is opened anew; a page that
shows an exception, or a server that no longer answers, is a finding.
"""

import argparse
import asyncio
import json
import random
import time
from collections import Counter
from urllib.parse import quote, urlencode

from websockets.exceptions import ConnectionClosed

from tests.server.harness import Host
from tests.visit import HOSTILE, NAMES, PAGES, fields_of
from tools.websocket_client import WebSocketClient

PARTS = 5  # memory is looked at after each
FORGOTTEN = 90  # s: sessions that were cut off are kept for a minute

FIELDS = {name: [f.name for f in fields_of(path)] for path, name in zip(PAGES, ["", *NAMES], strict=True)}
VALUES = [
    *HOSTILE,
    *("", "0", "1", "-1", "nan", "inf", "-inf", "1e309", "1e-400", "9" * 400, "0x10", "١٢", "own", "none"),
    *("_", "__", "._.", "_0_", "_ffffff_", "_110000_", "_d800_", "a" * 25, "a." * 20, "a" * 5000),
    *("0_1__2_3", "1_2_3", "1__2__3", "0_0__0_0__0_0", "1e300_1e300__1e300_1e300"),
    *("\x00", "\ud7ff", "%", "%00", "%ff"),
]
ODD = [
    *(None, True, False, 0, -1, -0.0, 0.5, 10**30, 1e308, "", "apple", "<script>", "💥" * 99),
    *([], {}, [[]], [[[]]], [[None]], [["a"]], {"a": 1}, [1, 2, 3], [0] * 3000),
    *([[1, 2], [3]], [[1e999, 0], [0, 0], [0, 0]], [[10**400]]),
]


def an_address(chance: random.Random, page: str) -> str:
    """A query that nobody would write."""
    if chance.random() < 0.1:
        return "".join(chance.choice("=&?%_.+-a0é\x7f") for _ in range(chance.randrange(300)))
    names = [*FIELDS[page], "nothing", "example", "words", "vectors", "__proto__", "embed", "é"]
    pairs = [(chance.choice(names), chance.choice(VALUES)) for _ in range(chance.randrange(1, 6))]
    return urlencode(pairs) if chance.random() < 0.9 else "&".join(f"{quote(a)}={b}" for a, b in pairs)


def a_value(chance: random.Random, true):
    """A value for a pose: odd, or the true one with something broken."""
    if chance.random() < 0.5 or not isinstance(true, list) or not true:
        return chance.choice(ODD)
    rows = json.loads(json.dumps(true))
    place = chance.randrange(len(rows))
    if isinstance(rows[place], list) and rows[place]:
        rows[place][chance.randrange(len(rows[place]))] = chance.choice(ODD)
    else:
        rows[place] = chance.choice(ODD)
    return rows


def a_message(chance: random.Random, reader: WebSocketClient):
    """What the stage might be made to say: a pose with odd values, or something that is no pose."""
    stage = reader.stage
    pose = {
        name: a_value(chance, value) if chance.random() < 0.5 else value for name, value in stage["pose"].items()
    }
    event = chance.choice(
        [
            {"move": pose, "rows": chance.choice([{}, None, "all", {name: [0, None, [1], -1] for name in pose}])},
            {"move": chance.choice(ODD)},
            {"turn": chance.choice([-1, 1, *ODD])},
            {"example": chance.choice([*VALUES, *ODD])},
            {"link": chance.choice(["", None, 3, "?" + an_address(chance, reader.page), "?" * 50])},
            chance.choice(ODD),
        ]
    )
    if isinstance(event, dict):
        event = event | {  # a new one: what is odd stays as it is
            "goals": chance.choice([[], None, ["right_angle"], [None], [[]], {}, 3]),
            "asked": chance.choice([None, "0" * 12, *ODD]),
        }
    number = stage["version"] + 1 if chance.random() < 0.9 else chance.choice(ODD)
    message = reader.message([[number, event]])
    widget = message.rerun_script.widget_states.widgets[0]
    shape = chance.random()
    if shape < 0.1:
        widget.json_value = json.dumps(chance.choice([*ODD, {"events": chance.choice(ODD)}]))
    elif shape < 0.15:
        widget.json_value = "".join(chance.choice('{}[]":,0a\\') for _ in range(chance.randrange(200)))
    elif shape < 0.2:
        message.rerun_script.fragment_id = ""
    elif shape < 0.25:
        widget.string_value = "text where JSON is meant"
    return message


async def attack(url: str, cases: int, seed: int = 0, patience: float = 10) -> Counter:
    """Try `cases` addresses and messages in turn; return how they ended, findings by their sentence."""
    chance, ends = random.Random(seed), Counter()
    reader = WebSocketClient(url, seed=seed)
    await reader.connect()
    try:
        for case in range(cases):
            page = chance.choice(["", *NAMES])
            try:
                if case % 2 == 0:
                    answer = await reader.open(page, an_address(chance, page), patience)
                else:
                    if reader.stage is None:
                        page = chance.choice(NAMES)
                        answer = await reader.open(page, "", patience)
                    if reader.stage is None:
                        ends[f"case {case} of seed {seed}, {page}: no stage, {answer.errors}"] += 1
                        continue
                    if chance.random() < 0.05:  # Streamlit says nothing to these
                        stray = reader.message({})
                        stray.rerun_script.fragment_id = chance.choice(["no such fragment", "é" * 100])
                        await reader.socket.send(stray.SerializeToString())
                    answer = await reader.ask(a_message(chance, reader), patience)
            except ConnectionClosed:
                ends["ended"] += 1
                reader.session = None
                reader.stage = None
                await reader.connect()
            except TimeoutError:
                ends[f"no answer to case {case} of seed {seed}"] += 1
                await reader.close()
                await reader.connect()
            else:
                ends["answered"] += 1
                for error in answer.errors:
                    ends[f"case {case} of seed {seed}, {page}: {error}"] += 1
    finally:
        await reader.close()
    return ends


def main() -> None:
    """Attack a server of its own, and say what was found."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    given = parser.parse_args()
    print("seed", given.seed, flush=True)
    with Host(warm_up=2, message_rate=1000, message_burst=1000, collect_seconds=10) as host:
        ends, memory = Counter(), [host.memory()]
        for part in range(PARTS):
            ends += asyncio.run(attack(host.url, given.cases // PARTS, given.seed + part))
            memory.append(host.memory())
        for end, number in ends.most_common():
            print(f"{number:6} {end}")
        print(f"memory {' → '.join(str(size >> 20) for size in memory)} MB, seed {given.seed}")
        time.sleep(FORGOTTEN)
        print(f"{FORGOTTEN} s later {host.memory() >> 20} MB")
        for line in host.lines():
            if line["level"] in ("error", "critical"):
                print(line)


if __name__ == "__main__":
    main()
