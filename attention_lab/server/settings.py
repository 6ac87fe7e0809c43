"""Every setting of the server: its name, its default and what it means, once.

A setting is an environment variable (``ATTENTION_LAB_SESSIONS=200``) or an option (``--sessions 200``); the
option wins. `python -m attention_lab.server.settings` prints the table that stands in ``deploy/README.md``.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

PREFIX = "ATTENTION_LAB_"


def _setting(default: Any, meaning: str, *, least: int | None = None) -> Any:
    return field(default=default, metadata={"meaning": meaning, "least": least})


@dataclass(frozen=True)
class Settings:
    """What a server may be told. Lists are written with commas."""

    address: str = _setting("127.0.0.1", "where it listens; 0.0.0.0 for every network")
    port: int = _setting(8501, "its port", least=0)
    hosts: tuple[str, ...] = _setting((), "the names it answers to; none given: any")
    origins: tuple[str, ...] = _setting(
        (), "other origins whose pages may open a session, such as https://learn.example.org"
    )
    embed: tuple[str, ...] = _setting(
        ("'self'",), "who may show it in a frame: 'self', 'none', https://learn.example.org"
    )
    proxies: tuple[str, ...] = _setting(
        (), "networks of proxies in front, such as 10.0.0.0/8: what they say of a client's address is believed"
    )
    model: str = _setting("", "the folder of a real model that readers may ask; none given: the gallery only")
    sessions: int = _setting(300, "open tabs one process holds; whoever comes next is asked to wait", least=1)
    sessions_per_address: int = _setting(150, "of these, for one network address: a whole classroom", least=1)
    idle_session_seconds: int = _setting(
        120,
        "seconds without a change after which a tab makes way for a new one, where its address has no seat left; "
        "one in which nothing was changed yet does so after 2",
        least=1,
    )
    connections: int = _setting(2000, "connections of any kind one process holds", least=16)
    connections_per_address: int = _setting(1000, "of these, for one network address; proxies have all", least=8)
    request_rate: int = _setting(500, "requests a second of one network address; more of them wait", least=1)
    request_burst: int = _setting(4000, "requests of one network address at once before that", least=1)
    message_size: int = _setting(65_536, "bytes of the longest message a browser may send", least=1024)
    message_depth: int = _setting(16, "how deep what a component sends may be nested", least=4)
    message_rate: int = _setting(
        20,
        "messages a second of one session, of up to 4 KB each; more of them wait, longer ones count more",
        least=1,
    )
    message_burst: int = _setting(60, "messages of one session at once before that", least=1)
    message_backlog: int = _setting(40, "messages of one session that may wait; one more ends it", least=1)
    concurrent_runs: int = _setting(3, "changes worked on at a time; the others wait, served fairly", least=1)
    run_share_seconds: int = _setting(
        1, "seconds after which a change still worked on keeps nobody waiting", least=1
    )
    collect_seconds: int = _setting(
        60, "seconds between two searches for memory that nobody needs any more", least=1
    )
    address_length: int = _setting(16_384, "bytes of the longest address that is asked for", least=4096)
    idle_seconds: int = _setting(20, "seconds until a browser that says and takes nothing is let go", least=1)
    stop_seconds: int = _setting(5, "seconds that what is under way has left when the server stops", least=0)
    rooms: int = _setting(20, "rooms in which a class comes together; 0: none", least=0)
    room_members: int = _setting(300, "members of one room; whoever comes next goes on alone", least=1)
    room_members_per_address: int = _setting(
        150, "of these, for one network address; all tabs of one browser count once", least=1
    )
    room_leader_codes: tuple[str, ...] = _setting(
        (), "codes, one of which a leader enters to open a room; none given: everybody may open one"
    )
    room_hours: int = _setting(4, "hours after which a room is over", least=1)
    warm_up: int = _setting(
        2, "how often every page is opened before the first reader comes; 0 is for trying things out", least=0
    )
    start_seconds: int = _setting(
        300, "seconds that opening every page may take at the start, before it is given up", least=1
    )
    metrics: int = _setting(0, "port of the metrics, for the inner network only; 0: none", least=0)
    metrics_address: str = _setting("127.0.0.1", "where the metrics listen")


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + name.upper()


def option(name: str) -> str:
    """The command-line option of a setting."""
    return "--" + name.replace("_", "-")


def read(arguments: Sequence[str] = (), environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings that options and environment give, or an end that names what is wrong.

    >>> read(["--sessions", "20"], {"ATTENTION_LAB_PORT": "80"}).port
    80
    """
    parser = argparse.ArgumentParser(
        prog="python3 lab.py serve", description="Serve the app to many.", allow_abbrev=False
    )
    for each in fields(Settings):
        shown = "none" if each.default == () else _written(each.default)
        parser.add_argument(option(each.name), metavar="…", help=f"{each.metadata['meaning']} ({shown})")
    given = vars(parser.parse_args(arguments))
    values = {}
    for each in fields(Settings):
        source, text = option(each.name), given[each.name]
        if text is None:
            source, text = variable(each.name), environment.get(variable(each.name))
        if text is not None:
            try:
                values[each.name] = _read(text, each)
            except ValueError as wrong:
                parser.error(f"{source}: {wrong}")
    return Settings(**values)


def _read(text: str, each: Any) -> Any:
    if isinstance(each.default, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if isinstance(each.default, str):
        return text
    try:
        number = int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a whole number") from None
    if number < each.metadata["least"]:
        raise ValueError(f"{number} is below {each.metadata['least']}")
    return number


def _written(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def table() -> str:
    """Every setting as a row of a Markdown table."""
    rows = [
        f"| `{variable(each.name)}` | {f'`{_written(each.default)}`' if each.default else '–'} "
        f"| {each.metadata['meaning']} |"
        for each in fields(Settings)
    ]
    return "\n".join(["| variable | default | meaning |", "| --- | --- | --- |", *rows])


if __name__ == "__main__":
    print(table())
