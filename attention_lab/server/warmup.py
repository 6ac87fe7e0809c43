"""The first visitor: opens every page once, so that nobody else finds anything for the first time.

It is a visitor as the server knows them, a WebSocket's messages, only without a network. What it leaves behind
are the imported modules and the built chart specs. A page that fails, or never ends, is named: then nobody is
let in.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from starlette.types import ASGIApp, Message
from streamlit.proto.BackMsg_pb2 import BackMsg

import attention_lab.streamlit_internals as streamlit
from attention_lab import own_model
from attention_lab.course import address, files

SCOPE = {
    "type": "websocket",
    "asgi": {"version": "3.0"},
    "http_version": "1.1",
    "scheme": "ws",
    "path": streamlit.STREAM,
    "raw_path": streamlit.STREAM.encode(),
    "root_path": "",
    "query_string": b"",
    "headers": [(b"host", b"localhost"), (b"sec-websocket-protocol", streamlit.SUBPROTOCOLS[0].encode())],
    "subprotocols": [streamlit.SUBPROTOCOLS[0]],
    "client": None,
    "server": ("localhost", 0),
    "state": {},
}


class WarmUpError(Exception):
    """A page could not be opened; the text says which, and what came instead."""


def addresses(pages: Path) -> list[str]:
    """The pages as a browser asks for them; first where the app opens, last a model of one's own."""
    _, *others = [path for section in files(pages).values() for path in section]
    return ["", *map(address, others), *([own_model.ADDRESS] if own_model.read().model else [])]


async def visit(app: ASGIApp, pages: Sequence[str], end: float) -> None:
    """Open pages by address, one after another in one session, each to the end of its script.

    `end` is the loop's time.
    """
    said: asyncio.Queue[Message] = asyncio.Queue()
    heard: asyncio.Queue[bytes] = asyncio.Queue()

    async def answered(message: Message) -> None:
        if message.get("bytes"):
            await heard.put(message["bytes"])

    await said.put({"type": "websocket.connect"})
    session = asyncio.create_task(app(dict(SCOPE), said.get, answered))
    page = ""
    try:
        for page in pages:
            ask = BackMsg()
            ask.rerun_script.page_name, _, ask.rerun_script.query_string = page.partition("?")
            await said.put({"type": "websocket.receive", "bytes": ask.SerializeToString()})
            async with asyncio.timeout_at(end):
                if not await _ends_well(heard):
                    raise WarmUpError(f"The page {page or 'home'} failed.")
    except TimeoutError as never:
        raise WarmUpError(f"The page {page or 'home'} did not end in time.") from never
    finally:
        await said.put({"type": "websocket.disconnect", "code": 1000})
        await session


async def _ends_well(heard: asyncio.Queue[bytes]) -> bool:
    """Hear a page's answer to its end, and whether nothing went wrong in it."""
    while True:
        data = await heard.get()
        if streamlit.is_exception(data):
            return False
        if streamlit.is_end_of_run(data):
            return True


def check(pages: Path) -> None:
    """Read every page as Python does. One that is none would make the menu fail, and no page could be named."""
    for path in (path for section in files(pages).values() for path in section):
        try:
            compile(path.read_text(encoding="utf-8"), path.name, "exec")
        except SyntaxError as wrong:
            name, why = address(path), f"{wrong.msg}, line {wrong.lineno}"
            raise WarmUpError(f"The page {name} cannot be read: {why}.") from None


async def warm_up(app: ASGIApp, pages: Path, seconds: float, times: int = 2) -> None:
    """Open every page so many times in the menu's order (the second as its second reader), within `seconds`."""
    check(pages)
    end = asyncio.get_running_loop().time() + seconds
    for _ in range(times):
        await visit(app, addresses(pages), end)
