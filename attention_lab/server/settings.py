"""Every setting of the server: its name, its default and what it means, once.

A setting is an environment variable (``ATTENTION_LAB_SESSIONS=200``) or an option (``--sessions 200``); the
option wins. `python -m attention_lab.server.settings` prints the table that stands in ``deploy/README.md``.
"""

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from attention_lab.root import program

PREFIX = "ATTENTION_LAB_"


def _setting(default: Any, meaning: str, *, least: int | None = None) -> Any:
    return field(default=default, metadata={"meaning": meaning, "least": least})


@dataclass(frozen=True)
class Settings:
    """The settings of a server. Lists are separated by commas."""

    address: str = _setting("127.0.0.1", "network address to listen on; 0.0.0.0 for every network")
    port: int = _setting(8501, "port to listen on", least=0)
    hosts: tuple[str, ...] = _setting((), "host names that the server answers to; empty: any")
    origins: tuple[str, ...] = _setting(
        (), "other origins whose pages may open a session, such as https://learn.example.org"
    )
    embed: tuple[str, ...] = _setting(
        ("'self'",), "sites that may embed the app: 'self', 'none', https://learn.example.org"
    )
    proxies: tuple[str, ...] = _setting(
        (), "networks of proxies in front, such as 10.0.0.0/8; the server trusts the client address they send"
    )
    model: str = _setting(
        "", "real model for readers: smollm2, minilm, installed (either), a folder or a .gguf file; empty: none"
    )
    sessions: int = _setting(300, "open tabs (sessions) of one process; later readers are asked to wait", least=1)
    sessions_per_address: int = _setting(150, "sessions of one network address: a whole classroom", least=1)
    idle_session_seconds: int = _setting(
        120,
        "seconds without a change before a tab gives up its seat, if its address has no seat left; "
        "2 seconds if nothing was changed in it yet",
        least=1,
    )
    connections: int = _setting(2000, "connections of any kind to one process", least=16)
    connections_per_address: int = _setting(
        1000, "connections of one network address; proxies have no such limit", least=8
    )
    upload_megabytes: int = _setting(
        20, "largest file of attention weights that a reader may open, in MB; 0: none", least=0
    )
    upload_megabytes_in_all: int = _setting(
        400, "size of the files that all open tabs have opened, in MB; one network address may have half", least=0
    )
    message_size: int = _setting(65_536, "longest message from a browser, in bytes", least=1024)
    message_depth: int = _setting(16, "deepest nesting of a component's message", least=4)
    message_rate: int = _setting(
        20,
        "messages per second of one session, of up to 4 KB each; further ones wait, longer ones count more",
        least=1,
    )
    message_burst: int = _setting(60, "messages of one session at once before that rate applies", least=1)
    concurrent_runs: int = _setting(2, "changes computed at the same time; others wait in a fair queue", least=1)
    collect_seconds: int = _setting(60, "seconds between two full garbage collections", least=1)
    address_length: int = _setting(16_384, "longest URL of a request, in bytes", least=4096)
    idle_seconds: int = _setting(20, "seconds until a silent connection is closed", least=1)
    stop_seconds: int = _setting(5, "seconds to finish running work when the server stops", least=0)
    rooms: int = _setting(20, "rooms of the live classroom; 0: none", least=0)
    room_members: int = _setting(300, "members of one room; later people go on alone", least=1)
    room_members_per_address: int = _setting(
        150, "room members of one network address; all tabs of one browser count once", least=1
    )
    room_leader_codes: tuple[str, ...] = _setting(
        (), "codes that let a leader open a room; empty: anyone can open one"
    )
    room_hours: int = _setting(4, "hours until a room closes", least=1)
    warm_up: int = _setting(
        2, "times that every page is opened before the first reader comes; use 0 only to try things out", least=0
    )
    start_seconds: int = _setting(300, "seconds that opening every page may take before the start fails", least=1)
    first_picture: int = _setting(
        1,
        "1: a page’s HTML holds its figure, so it can be moved before Streamlit has loaded; 0: not",
        least=0,
    )
    metrics: int = _setting(0, "port of the metrics, for the internal network only; 0: none", least=0)
    metrics_address: str = _setting("127.0.0.1", "network address of the metrics")


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
        prog=program("serve"),
        usage="%(prog)s [-h] [--address …] [--port …] [--model …] …",
        description="Serve the app to a class, until Ctrl+C. ATTENTION_LAB_PORT=80 is the same as --port 80.",
        allow_abbrev=False,
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
