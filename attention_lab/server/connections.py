"""uvicorn's connections, with bounds of their own: how many, how long they may say nothing, how much at once.

What is read at a time is small, so that a connection that sends in masses waits for the others' turns between.
"""

import asyncio
import functools
import socket
import sys
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from .capacity import Addresses, SeatPool, TokenBucket
from .metrics import Metrics
from .settings import Settings

READ_HTTP, READ_WEBSOCKET = 16_384, 4096  # bytes taken in before the others have their turn
ANSWERED = 32 << 10  # bytes of an answer that may wait in memory to be taken
CONNECTION = "connection"  # in a scope's state
QUEUE = 1024  # connections that the system holds until they are accepted
ACCEPTED_AT_ONCE = 4  # of them, before others have their turn
LEFT = (7, 8)  # the states, as Linux counts them, of a connection that its client has reset or closed
FRAMES, BURST = 50, 8  # frames of one session each second, and seconds' worth of them at once before that


def has_left(connection: socket.socket) -> bool:
    """Whether the client of a connection is gone, where the system can say so."""
    return sys.platform == "linux" and connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] in LEFT


class ListeningSocket(socket.socket):
    """Hold many connections, and accept none that its client has left.

    asyncio accepts as many in one round of its loop as it lets the system hold. With one number for both, a flood
    of clients that leave at once keeps the loop busy, or else overflows the queue: then a newcomer's system tries
    again only after 1 s, and after 2 s more. A long queue is short to wait in, as who has left it costs 40 µs.
    """

    def listen(self, _: int = 0, /) -> None:
        """Begin, with a longer queue than asyncio asks for."""
        super().listen(QUEUE)

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection whose client is there, and its address."""
        for _ in range(QUEUE):
            connection, address = super().accept()
            if not has_left(connection):
                return connection, address
            connection.close()
        raise BlockingIOError  # as if nobody else had come: the loop has other work, too


class Bounds:
    """What the connections of one process share: their number, in all and of each address."""

    def __init__(self, settings: Settings, addresses: Addresses, metrics: Metrics) -> None:
        self.settings, self.addresses, self.metrics = settings, addresses, metrics
        self.seats = SeatPool(settings.connections, settings.connections_per_address)

    def protocols(self) -> dict[str, Any]:
        """The protocols, as uvicorn's settings name them."""
        return {"http": functools.partial(BoundedHttp, self), "ws": functools.partial(BoundedWebSocket, self)}

    def enter(self, transport: asyncio.Transport) -> str | None:
        """Let a connection in and return its address, or None where there is no room."""
        host = (transport.get_extra_info("peername") or ("",))[0]
        address = self.addresses.of(host)
        if lacking := self.seats.lacking(address, shared=not self.addresses.is_proxy(host)):
            self.metrics.count("refused", f"connections: {lacking}")
            return None
        self.seats.enter(address)
        return address


class BoundedHttp(H11Protocol):
    """A connection that has to begin a request every now and then, and may become a session's socket."""

    def __init__(self, bounds: Bounds, **more: Any) -> None:
        super().__init__(**more)
        self.bounds = bounds
        self.address: str | None = None
        self.answers = 0  # how many requests it has had answered, or refused
        self.app_state = self.app_state | {CONNECTION: self}  # the gateway finds it in a request's scope
        self.lost = self.loop.create_future()  # done once the connection has ended
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
        self.leave()

    def leave(self) -> None:
        """Give its room back, and let the gateway know."""
        if self.address is not None:
            self.bounds.seats.leave(self.address)
        self.lost.set_result(None)

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Go on as a session's socket, which takes over the room that this one has."""
        self._stop_looking()
        self.ws_protocol_class = functools.partial(self.ws_protocol_class, connection=self)
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
    """A session's socket whose frames of every kind are limited: one that sends too many is cut off."""

    def __init__(self, bounds: Bounds, connection: BoundedHttp, **more: Any) -> None:
        super().__init__(**more)
        self.bounds, self.connection = bounds, connection
        self._frames = TokenBucket(FRAMES, BURST * FRAMES)

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to read, little at a time."""
        super().connection_made(transport)
        transport.max_size = READ_WEBSOCKET

    def connection_lost(self, exc: Exception | None) -> None:
        """Give its seat back."""
        super().connection_lost(exc)
        self.connection.leave()

    def handle_events(self) -> None:
        """Count what has come in before any of it is handled.

        A browser sends none before the handshake is answered. Reading stops at a frame: behind one, nobody would
        notice that the client leaves.
        """
        if self.handshake_initiated and not self.handshake_complete:
            self._refuse("early frame")
        elif self._frames.wait(len(self.conn.events)):
            self._refuse("too many frames")
        else:
            super().handle_events()

    def _refuse(self, reason: str) -> None:
        if not self.transport.is_closing():
            self.bounds.metrics.count("refused", reason)
            self.transport.abort()

    async def send(self, message: Any) -> None:
        """Send on. A session that is refused by an answer in words is no error to be logged."""
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True
