"""One tab without a browser: its WebSocket, which opens pages, drags, and hears the answers.

    async with WebSocketClient("http://127.0.0.1:8501") as client:
        await client.open("similarity", "word=apple")
        answer = await client.drag()

It speaks Streamlit's own messages, as Chromium does, and keeps what its page was told (`stage`) and what its
hand has made there (`made`). The tests of faults and `tools.bench.readers` use it.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from attention_lab.state.permalink import write_matrix

PROTOCOLS = ["streamlit", "PLACEHOLDER_AUTH_TOKEN"]
FAR = 4.0  # a plane's edge is at 5


@dataclass
class Answer:
    """What one rerun brought."""

    seconds: float
    messages: int = 0
    size: int = 0
    errors: list[str] = field(default_factory=list)


class WebSocketClient:
    """One tab. `cookie` keeps it with its replica, `session` takes up one that was cut off."""

    def __init__(self, url: str, *, cookie: str = "", seed: int = 0, **connection):
        parts = urlsplit(url)
        self.address = f"{'wss' if parts.scheme == 'https' else 'ws'}://{parts.netloc}/_stcore/stream"
        self.headers = {"Origin": url} | ({"Cookie": cookie} if cookie else {})
        self.connection = {"max_size": None, "compression": None, "ping_interval": None} | connection
        self.random = random.Random(seed)
        self.page, self.query, self.session, self.script = "", "", None, ""
        self.stage, self.stage_id, self.fragment = None, "", ""
        self.made: dict = {}
        self._known: dict[str, ForwardMsg] = {}
        self._frames: dict[str, dict] = {}  # of figures, by their names
        self.socket = None

    async def __aenter__(self) -> WebSocketClient:
        await self.connect()
        return self

    async def __aexit__(self, *_) -> None:
        await self.close()

    async def connect(self) -> None:
        """Open the socket, with the session that it had if it was cut off."""
        protocols = PROTOCOLS + ([self.session] if self.session else [])
        self.socket = await connect(
            self.address, subprotocols=protocols, additional_headers=self.headers, **self.connection
        )

    async def close(self) -> None:
        """Close the tab."""
        if self.socket is not None:
            await self.socket.close()

    async def open(self, page: str, query: str = "", patience: float = 30) -> Answer:
        """Open a page by its address."""
        if page != self.page:
            self.made = {}
        self.page, self.query = page, query
        self.stage, self.stage_id, self.fragment = None, "", ""
        return await self.ask(self.message(), patience)

    def message(self, events: list | None = None) -> BackMsg:
        """The message of a rerun, with the events that Python has not acknowledged."""
        said = BackMsg()
        said.rerun_script.page_name = self.page
        said.rerun_script.query_string = self.query
        if events is not None:
            said.rerun_script.fragment_id = self.fragment
            said.rerun_script.page_script_hash = self.script  # where the fragment has the page run again whole
            widget = said.rerun_script.widget_states.widgets.add()
            widget.id, widget.json_value = self.stage_id, json.dumps({"events": [self.stage["frame"], *events]})
        return said

    def moved(self) -> dict:
        """What a hand has moved: one thing."""
        pose = self.stage["pose"]
        name = self.random.choice(sorted(n for n, rows in pose.items() if isinstance(rows, list) and rows))
        rows = [list(row) if isinstance(row, list) else row for row in pose[name]]
        row = self.random.choice([row for row in rows if isinstance(row, list)])
        row[self.random.randrange(len(row))] = round(self.random.uniform(-FAR, FAR), 2)
        return {name: rows}

    @property
    def can_drag(self) -> bool:
        """Whether the page has something to drag that moves freely."""
        pose = (self.stage or {}).get("pose", {})
        return any(isinstance(rows, list) and rows and isinstance(rows[0], list) for rows in pose.values())

    async def drag(self, patience: float = 30) -> Answer:
        """Drag something and let go. The browser writes the address by itself, and so does this."""
        moved = self.moved()
        self.made |= moved
        texts = {name: write_matrix(rows) for name, rows in moved.items()}
        self.query = urlencode(parse_qs(self.query) | texts, doseq=True)
        return await self.ask(self.message([[self.stage["version"] + 1, {"move": moved}]]), patience)

    async def ask(self, message: BackMsg, patience: float = 30) -> Answer:
        """Send a message and hear its answer to the end."""
        start = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        answer = Answer(0.0)
        async with asyncio.timeout(patience):
            while not self._hear(await self.socket.recv(), answer):
                pass
        answer.seconds = time.perf_counter() - start
        return answer

    def _hear(self, data: bytes, answer: Answer) -> bool:
        """Take in one message; return whether it was the run's last."""
        answer.messages += 1
        answer.size += len(data)
        said = ForwardMsg.FromString(data)
        kind = said.WhichOneof("type")
        if kind == "ref_hash":
            said = self._known.get(said.ref_hash, said)
            kind = said.WhichOneof("type")
        elif said.metadata.cacheable:
            self._known[said.hash] = said
        if kind == "new_session":
            self.session = said.new_session.initialize.session_id or self.session
        elif kind == "navigation":
            self.script = said.navigation.page_script_hash
        elif kind == "page_not_found":
            answer.errors.append("page not found")
        elif kind == "page_info_changed":
            self.query = said.page_info_changed.query_string
        elif kind == "delta" and said.delta.WhichOneof("type") == "new_element":
            self._see(said.delta, answer)
        return kind == "script_finished" and said.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN

    def _see(self, delta, answer: Answer) -> None:
        element = delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception":
            answer.errors.append(element.exception.message or "an exception")
        elif kind == "bidi_component" and element.bidi_component.bytes[:1] == b"{":
            with suppress(ValueError, TypeError):
                change, text, *_ = (*element.bidi_component.bytes.split(b"\n", 2), b"")
                data = json.loads(change)
                if text:
                    self._frames[data["frame"]] = json.loads(text)
                data |= self._frames.get(data.get("frame"), {})
                if data.get("page") == (self.page or "home"):
                    self.stage, self.stage_id = data, element.bidi_component.id
                    self.fragment = delta.fragment_id
