"""`streamlit run app.py`, as a host with little memory starts it: 1 GB of address space."""

import asyncio

from tests.browser.harness import AppServer
from tests.visit import EVERY
from tests.websocket_client import WebSocketClient

LIMITED = ["bash", "-c", 'ulimit -v 1048576; exec "$@"', "--"]


def test_every_page_opens_and_follows_a_drag_within_one_gigabyte():
    server = AppServer()
    server.command = LIMITED + [option for option in server.command if "fileWatcher" not in option]

    async def visit() -> None:
        for seed in range(2):
            async with WebSocketClient(server.url, seed=seed) as reader:
                for page in EVERY:
                    name = page.stem.lstrip("0123456789_")
                    assert (await reader.open("" if name == "home" else name)).errors == []
                    if reader.can_drag:
                        assert (await reader.drag()).errors == []

    with server:
        asyncio.run(visit())
    assert "can't start new thread" not in server.output()
