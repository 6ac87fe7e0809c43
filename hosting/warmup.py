"""The first visitor: opens every page once, so that nobody else finds anything for the first time.

It is a visitor as the server knows them, a WebSocket's messages, only without a network. What it leaves behind
are the imported modules, the built chart specs, and Streamlit's knowledge that this app has a menu: without
it, the first deep link after a start would be told "page not found".
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from starlette.types import ASGIApp, Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from controls import frame

SCOPE = {
    "type": "websocket",
    "asgi": {"version": "3.0"},
    "http_version": "1.1",
    "scheme": "ws",
    "path": "/_stcore/stream",
    "raw_path": b"/_stcore/stream",
    "root_path": "",
    "query_string": b"",
    "headers": [(b"host", b"localhost"), (b"sec-websocket-protocol", b"streamlit")],
    "subprotocols": ["streamlit"],
    "client": None,
    "server": ("localhost", 0),
    "state": {},
}


def names(pages: Path) -> list[str]:
    """The pages by the name that a browser asks for; the first is where the app opens."""
    _, *others = [path for section in frame.files(pages).values() for path in section]
    return ["", *map(frame.address, others)]


async def visit(app: ASGIApp, pages: Sequence[str]) -> None:
    """Open pages one after another in one session, each to the end of its script."""
    said: asyncio.Queue[Message] = asyncio.Queue()
    heard: asyncio.Queue[bytes] = asyncio.Queue()

    async def answered(message: Message) -> None:
        if message.get("bytes"):
            await heard.put(message["bytes"])

    await said.put({"type": "websocket.connect"})
    session = asyncio.create_task(app(dict(SCOPE), said.get, answered))
    try:
        for page in pages:
            ask = BackMsg()
            ask.rerun_script.page_name = page
            await said.put({"type": "websocket.receive", "bytes": ask.SerializeToString()})
            while not _is_end(await heard.get()):
                pass
    finally:
        await said.put({"type": "websocket.disconnect", "code": 1000})
        await session


def _is_end(data: bytes) -> bool:
    said = ForwardMsg.FromString(data)
    return said.WhichOneof("type") == "script_finished"


async def warm_up(app: ASGIApp, pages: Path) -> None:
    """Open every page twice (once in the menu's order, once more as its second reader)."""
    for _ in range(2):
        await visit(app, names(pages))
