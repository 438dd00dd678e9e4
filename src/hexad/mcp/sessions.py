"""Sessions over HTTP, kept few: whoever comes finds room, and those that nobody has used for the longest time go.

Clients forget to end theirs. Who was dropped is told so, and begins a new one.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers

from hexad.mcp.address import peer_of
from hexad.mcp.bodies import METHOD, has_sessions
from hexad.mcp.callers import HEADER, IDLE
from hexad.mcp.refusing import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST: Final = 1000
SHARE: Final = 4  # one address may have a quarter of them
_FIRST_ERROR: Final = 400
_UNNAMED: Final = "the header Mcp-Session-Id is missing; send initialize first, and then what its answer has there"
_ENDED: Final = "this session has ended; begin a new one: send initialize without Mcp-Session-Id"


@dataclass(slots=True)
class _Session:
    address: str
    heard: float
    calls: int = 0


class Sessions:
    """An ASGI application in front of another that drops the latter's sessions when there are too many."""

    def __init__(self, app: ASGIApp, *, most: int = MOST, now: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._most = most
        self._now = now
        self._open: OrderedDict[str, _Session] = OrderedDict()  # the one that was not heard of the longest first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request in its session, in a new one, or in none."""
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        if scope["type"] != "http" or not has_sessions(headers):
            await self._app(scope, receive, send)
        elif (named := headers.get(HEADER)) is None and scope.get(METHOD) != "initialize":
            await Refusal(400, _UNNAMED)(scope, receive, send)
        elif named is None:
            await self._make_room(scope)
            await self._app(scope, receive, self._noting(scope, send))
        elif self._lives(named):
            with self._used(named):
                await self._app(scope, receive, self._forgetting(named, scope, send))
        else:
            await Refusal(404, _ENDED)(scope, receive, send)

    def _lives(self, id: str) -> bool:
        known = self._open.get(id)
        if known is not None and not known.calls and self._now() - known.heard >= IDLE:
            del self._open[id]
        return id in self._open

    @contextmanager
    def _used(self, id: str) -> Iterator[None]:
        session = self._open[id]
        session.calls += 1
        try:
            yield
        finally:
            session.calls -= 1
            session.heard = self._now()
            if id in self._open:
                self._open.move_to_end(id)

    def _noting(self, scope: Scope, send: Send) -> Send:
        """Send on, and keep the session that an answer opens."""

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < _FIRST_ERROR:
                opened = Headers(raw=message["headers"]).get(HEADER)
                if opened is not None:
                    self._open[opened] = _Session(_address(scope), self._now())
            await send(message)

        return noted

    def _forgetting(self, id: str, scope: Scope, send: Send) -> Send:
        """Send on, and forget a session that its client ends."""

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start" and scope["method"] == "DELETE":
                self._open.pop(id, None)
            await send(message)

        return noted

    async def _make_room(self, scope: Scope) -> None:
        """Drop what was not heard of the longest: of this address if it has its share, of all if there are too many."""
        address = _address(scope)
        own = [one for one, each in self._open.items() if each.address == address]
        crowded = own if len(own) >= max(1, self._most // SHARE) else list(self._open)
        if crowded is own or len(crowded) >= self._most:
            silent = next((one for one in crowded if not self._open[one].calls), None)
            if silent is not None:
                await self._drop(silent, scope)

    async def _drop(self, id: str, scope: Scope) -> None:
        """End a session as its client would."""
        del self._open[id]
        headers = [(name, value) for name, value in scope["headers"] if name in {b"host", b"accept"}]

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_: Message) -> None:
            """Nobody hears it."""

        ending = {**scope, "method": "DELETE", "headers": [*headers, (HEADER.encode(), id.encode())]}
        await self._app(ending, receive, send)


def _address(scope: Scope) -> str:
    return peer_of((scope.get("client") or ("",))[0])
