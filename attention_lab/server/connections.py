"""uvicorn's connections, with bounds of their own: how many, how long they may say nothing, how much at once.

What is read at a time is small, so that a connection that sends in masses waits for the others' turns between.
"""

from __future__ import annotations

import asyncio
import functools
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.frames import Frame

from .capacity import Addresses, SeatPool, TokenBucket
from .metrics import Metrics
from .settings import Settings

READ_HTTP, READ_WEBSOCKET = 16_384, 4096  # bytes taken in before the others have their turn
UNREAD = 1 << 20  # bytes that may wait to be taken by one who sends pings
ANSWERED = 32 << 10  # bytes of an answer that may wait in memory to be taken
TOO_MANY = 1008
CONNECTION = "connection"  # in a scope's state
LAST_WORD = 1.0  # s that a browser has for taking in why it is let go


class Bounds:
    """What the connections of one process share: their number, in all and of each address."""

    def __init__(self, settings: Settings, addresses: Addresses, metrics: Metrics) -> None:
        """Begin with no connection."""
        self.settings, self.addresses, self.metrics = settings, addresses, metrics
        self.room = SeatPool(settings.connections, settings.connections_per_address)

    def protocols(self) -> dict[str, Any]:
        """The protocols, as uvicorn's settings name them."""
        return {"http": functools.partial(BoundedHttp, self), "ws": functools.partial(BoundedWebSocket, self)}

    def enter(self, transport: asyncio.Transport) -> str | None:
        """Let a connection in and return its address, or None where there is no room."""
        host = (transport.get_extra_info("peername") or ("",))[0]
        address = self.addresses.of(host)
        if lacking := self.room.lacking(address, shared=not self.addresses.is_proxy(host)):
            self.metrics.count("refused", f"connections: {lacking}")
            return None
        self.room.enter(address)
        return address


class BoundedHttp(H11Protocol):
    """A connection that has to begin a request every now and then, and may become a session's socket."""

    def __init__(self, bounds: Bounds, **more: Any) -> None:
        """Begin outside: `connection_made` counts it."""
        super().__init__(**more)
        self.bounds = bounds
        self.address: str | None = None
        self.answers = 0  # how many requests it has had answered, or refused
        self.app_state = self.app_state | {CONNECTION: self}  # the gateway finds it in a request's scope
        self._watch: asyncio.TimerHandle | None = None
        self._seen: object = None  # the request that was under way, or done, at the last look

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Count it, or drop it where there is no room."""
        super().connection_made(transport)
        self.address = self.bounds.enter(transport)
        if self.address is None:
            transport.abort()
            return
        transport.max_size = READ_HTTP
        transport.set_write_buffer_limits(high=ANSWERED)
        self._look_again()

    @property
    def is_gone(self) -> bool:
        """Whether nobody is there any more to answer, even where it has become a session's socket."""
        return self.transport.is_closing()

    def on_response_complete(self) -> None:
        """Count it."""
        self.answers += 1
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give its room back."""
        super().connection_lost(exc)
        self._stop_looking()
        if self.address is not None:
            self.bounds.room.leave(self.address)

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Go on as a session's socket, which takes over the room that this one has."""
        self._stop_looking()
        self.ws_protocol_class = functools.partial(self.ws_protocol_class, address=self.address)
        super().handle_websocket_upgrade(event)

    def _look_again(self) -> None:
        self._watch = self.loop.call_later(self.bounds.settings.idle_seconds, self._look)

    def _stop_looking(self) -> None:
        if self._watch is not None:
            self._watch.cancel()

    def _look(self) -> None:
        """Drop it where no request has been begun since the last look and none is being answered."""
        if self.cycle is self._seen and (self.cycle is None or self.cycle.response_complete):
            self.bounds.metrics.count("refused", "idle connection")
            self.transport.abort()
        else:
            self._seen = self.cycle
            self._look_again()


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """A session's socket whose frames are counted, and which is not listened to once it is told to go."""

    def __init__(self, bounds: Bounds, address: str | None = None, **more: Any) -> None:
        """Take over the room that the connection has at `address`."""
        super().__init__(**more)
        self.bounds, self.address = bounds, address
        chosen = bounds.settings
        self._frames = TokenBucket(2 * chosen.message_rate, 2 * (chosen.message_burst + chosen.message_backlog))
        self._told_to_go = False

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to listen."""
        super().connection_made(transport)
        transport.max_size = READ_WEBSOCKET

    def connection_lost(self, exc: Exception | None) -> None:
        """Give its room back."""
        super().connection_lost(exc)
        if self.address is not None:
            self.bounds.room.leave(self.address)

    def data_received(self, data: bytes) -> None:
        """Listen, unless it is told to go."""
        if not self._told_to_go:
            super().data_received(data)

    def handle_text(self, event: Frame) -> None:
        """Count it first."""
        if self._counted():
            super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        """Count it first."""
        if self._counted():
            super().handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        """Count it first."""
        if self._counted():
            super().handle_cont(event)

    def handle_pong(self, event: Frame) -> None:
        """Count it first."""
        if self._counted():
            super().handle_pong(event)

    def handle_ping(self) -> None:
        """Count it first, and drop one who sends pings and takes nothing."""
        if self._counted():
            super().handle_ping()
            if self.transport.get_write_buffer_size() > UNREAD:
                self.bounds.metrics.count("refused", "pings without reading")
                self.transport.abort()

    def _counted(self) -> bool:
        """Whether one more frame is borne."""
        if not self._told_to_go and self._frames.wait():
            self.bounds.metrics.count("refused", "too many frames")
            self.queue.put_nowait({"type": "websocket.disconnect", "code": TOO_MANY, "reason": "too many frames"})
            with suppress(InvalidState):
                self.conn.send_close(TOO_MANY, "too many frames")
                self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = True
            self._tell_to_go()
        return not self._told_to_go

    async def send(self, message: Any) -> None:
        """Send on; whoever is told to go is not listened to any more, and soon dropped."""
        if self._told_to_go:
            raise ClientDisconnected
        await super().send(message)
        if message["type"] == "websocket.close":
            self._tell_to_go()
        elif message["type"] == "websocket.http.response.body":
            self.handshake_complete = True  # a session refused in words is no fault to be written down

    def _tell_to_go(self) -> None:
        self._told_to_go = True
        if not self.transport.is_closing():
            self.transport.pause_reading()
        self.loop.call_later(LAST_WORD, self.transport.abort)
