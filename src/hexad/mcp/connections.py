"""Connections over HTTP: none is kept that sends nothing, and nobody takes them all.

A request has to come within its time, and an answer has to be read. Where there are too many connections, of one
address or of all, the one goes that has been silent the longest, before one that only listens; never one whose request
is being worked on.
"""

from __future__ import annotations

import socket
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from hexad.mcp.address import peer_of
from hexad.mcp.refusing import JSON, message

if TYPE_CHECKING:
    import asyncio

    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

_SENTENCE: Final = message("every connection that this address, or this server, may have is at work; try again later")
_CROWDED: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: %b\r\nRetry-After: 5\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%b" % (JSON.encode(), len(_SENTENCE), _SENTENCE)
)


class Phase(Enum):
    """What a connection is waited for."""

    HEAD = auto()  # the client, to ask
    BODY = auto()  # the client, to send the rest
    WORK = auto()  # the server, to answer
    LISTEN = auto()  # the server, to say something by itself: it never ends, and nothing is lost if it does


@dataclass(slots=True)
class Crowd:
    """All connections of one server: how many there may be, in all and of one address, and how long a request takes."""

    most: int = 256
    each: int = 128
    head: float = 10.0  # seconds
    body: float = 60.0
    rest: float = 60.0  # until a client that does not read on has to
    _open: set[Connection] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self._open)

    def seconds(self, phase: Phase) -> float | None:
        """How long a client has for a part of its request."""
        return {Phase.HEAD: self.head, Phase.BODY: self.body}.get(phase)

    def admit(self, one: Connection) -> bool:
        """Take a connection in, and let another go if there is no room; False where all are at work."""
        held = Counter(each.address for each in self._open)
        if held[one.address] >= self.each:
            crowded = [each for each in self._open if each.address == one.address]
        else:
            crowded = list(self._open) if len(self._open) >= self.most else []
        silent = [each for each in crowded if each.phase is not Phase.WORK]
        if crowded and not silent:
            return False
        if silent:
            min(silent, key=lambda each: (each.phase is Phase.LISTEN, -held[each.address], each.heard)).dismiss()
        self._open.add(one)
        return True

    def leave(self, one: Connection) -> None:
        """A connection has ended."""
        self._open.discard(one)

    def protocol(self) -> type[asyncio.Protocol]:
        """What uvicorn makes of each connection."""

        class Admitted(Connection):
            crowd = self

        return Admitted


class Connection(H11Protocol):
    """One connection, with a time for each part of a request."""

    crowd: Crowd

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.heard = self.loop.time()
        self._timed: Phase | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    @property
    def address(self) -> str:
        """Who connects."""
        return peer_of(self.client[0]) if self.client else ""

    @property
    def phase(self) -> Phase:
        """What it is waited for."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            return Phase.HEAD
        if cycle.more_body:
            return Phase.BODY
        return Phase.LISTEN if self.scope["method"] == "GET" else Phase.WORK

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, if there is room."""
        super().connection_made(transport)
        wire: socket.socket = transport.get_extra_info("socket")
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else an answer's end waits 40 ms for its beginning
        if self.crowd.admit(self):
            self._watch()
        else:
            transport.write(_CROWDED)
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Take what the client sends."""
        self.heard = self.loop.time()
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """An answer was sent."""
        self.heard = self.loop.time()
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """It has ended."""
        self.crowd.leave(self)
        self._unset_timer()
        self._unset_unread()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not read what it is sent."""
        super().pause_writing()
        self._unread = self.loop.call_later(self.crowd.rest, self.dismiss)

    def resume_writing(self) -> None:
        """It does again."""
        self._unset_unread()
        super().resume_writing()

    def dismiss(self) -> None:
        """End it, for another or because it took too long."""
        self.crowd.leave(self)
        self.transport.abort()

    def _watch(self) -> None:
        """Give the client its time for the part that it is at: all of it once, however it comes in."""
        if self._timed is self.phase:
            return
        self._unset_timer()
        self._timed = self.phase
        seconds = self.crowd.seconds(self._timed)
        if seconds is not None and not self.transport.is_closing():
            self._timer = self.loop.call_later(seconds, self.dismiss)

    def _unset_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _unset_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
