"""Requests under way, so that they can be ended: a client may keep a stream open for as long as it lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import anyio

from hexad.mcp.refusing import JSON, message

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LEAVING: Final = 503
_SENTENCE: Final = message("this server is ending; ask again once it is started")


class Visits:
    """An ASGI application around another that knows which requests it is serving."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: dict[anyio.CancelScope, bool] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or end it properly when it is cut short."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        reply = _Reply(send)
        with anyio.CancelScope() as visit:
            self._open[visit] = scope["method"] == "GET"
            try:
                await self._app(scope, receive, reply)
            finally:
                del self._open[visit]
        if visit.cancelled_caught:
            await reply.finish()

    def end_streams(self) -> None:
        """End those that only listen: nothing is lost, and they would never end by themselves."""
        self._end([visit for visit, listens in self._open.items() if listens])

    def end_all(self) -> None:
        """End every request."""
        self._end(list(self._open))

    def _end(self, visits: list[anyio.CancelScope]) -> None:
        for visit in visits:
            visit.cancel()


class _Reply:
    """What was sent of an answer."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = self._ended = False

    async def __call__(self, message: Message) -> None:
        self._begun = True
        self._ended = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)

    async def finish(self) -> None:
        """Bring an answer that was cut short to its end."""
        if not self._begun:
            headers = [(b"content-type", JSON.encode()), (b"content-length", str(len(_SENTENCE)).encode())]
            await self({"type": "http.response.start", "status": _LEAVING, "headers": headers})
            await self({"type": "http.response.body", "body": _SENTENCE})
        if not self._ended:
            await self({"type": "http.response.body", "body": b""})
