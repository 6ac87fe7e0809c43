"""`streamlit run app.py`, as a host with little memory starts it: 1 GB of address space."""

import pytest
from websockets.exceptions import InvalidStatus

from tests.browser.harness import AppServer
from tests.server.harness import ask, watch_connections
from tests.visit import EVERY
from tools.websocket_client import WebSocketClient

LIMITED = ["bash", "-c", 'ulimit -v 1048576; exec "$@"', "--"]


async def test_every_page_opens_within_one_gigabyte_and_asks_no_other_machine(tmp_path):
    server = AppServer()
    server.command = LIMITED + [option for option in server.command if "fileWatcher" not in option]
    reached = watch_connections(server, tmp_path)
    with server:
        async with WebSocketClient(server.url) as reader, WebSocketClient(server.url, seed=1) as other:
            assert (await other.open("similarity")).errors == []
            for page in EVERY:
                name = page.stem.lstrip("0123456789_")
                assert (await reader.open("" if name == "home" else name)).errors == []
                if reader.can_drag:
                    assert (await reader.drag()).errors == []
            assert (await other.drag()).errors == []
        # To check a foreign origin, Streamlit by itself would ask the world for its own address.
        ask(server, "/_stcore/host-config", Origin="https://elsewhere.example")
        foreign = WebSocketClient(server.url)
        foreign.headers["Origin"] = "https://elsewhere.example"
        with pytest.raises(InvalidStatus):
            await foreign.connect()
    assert "can't start new thread" not in server.output()
    assert reached() == []
