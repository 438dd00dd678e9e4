"""Requests over HTTP, read whole and looked at before the SDK sees them: it tells a client less of what is wrong.

Of who hangs up in the middle of a request nothing is left, in the log neither.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mcp_types import PARSE_ERROR
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response

from hexad.mcp.incoming import Unreadable, read

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_JSON: Final = "application/json"
_STREAM: Final = "text/event-stream"
_ACCEPTED: Final = {"POST": (_JSON, _STREAM), "GET": (_STREAM,), "DELETE": ()}


class _HungUp(Exception):
    """The client went before its request was whole."""


class _TooLarge(Exception):
    """The body has more bytes than may be."""


@dataclass(frozen=True, slots=True)
class Bodies:
    """An ASGI application in front of another, which gets requests that are whole, and JSON."""

    app: ASGIApp
    path: str
    most: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with what is wrong."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            await self._checked(scope, receive, send)
        except _HungUp:
            return
        except _TooLarge:
            told = f"the body has more than {self.most:,} bytes; send less at a time, or raise max_text"
            await _plain(413, told)(scope, receive, send)
        except Unreadable as error:
            told = f"the body cannot be taken: {error}"
            await refused(400, told, code=PARSE_ERROR, id=error.id)(scope, receive, send)

    async def _checked(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
        elif scope["method"] == "POST":
            body = await self._whole(receive)
            read(body)
            await self.app(scope, _replaying(body, receive), send)
        else:
            await self.app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers, method = Headers(scope=scope), scope["method"]
        if scope["path"].rstrip("/") != self.path:
            return _plain(404, f"there is nothing here; the server is at {self.path}")
        if method not in _ACCEPTED:
            return _plain(405, f"{method} does nothing here; send POST", {"Allow": ", ".join(_ACCEPTED)})
        kind = headers.get("content-type", "").partition(";")[0].strip().casefold()
        if method == "POST" and kind != _JSON:
            return _plain(415, f"send the body as JSON, with the header Content-Type: {_JSON}")
        if not all(map(_accepting(headers.get("accept", "")), _ACCEPTED[method])):
            return _plain(406, f"send the header Accept: {', '.join(_ACCEPTED[method])}")
        length = headers.get("content-length", "")
        if length.isdecimal() and (len(length) > len(str(self.most)) or int(length) > self.most):
            raise _TooLarge
        return None

    async def _whole(self, receive: Receive) -> bytes:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _HungUp
            body += message.get("body", b"")
            if len(body) > self.most:
                raise _TooLarge
            if not message.get("more_body", False):
                return bytes(body)


def _replaying(body: bytes, receive: Receive) -> Receive:
    """A body that was read, to be read once more, and what comes after it."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


def refused(status: int, sentence: str, *, code: int, id: str | int | None = None) -> Response:
    """An error of the protocol."""
    told: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": sentence}}
    return Response(json.dumps(told), status_code=status, media_type=_JSON)


def _plain(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    return PlainTextResponse(sentence + "\n", status_code=status, headers=headers)


def _accepting(header: str) -> Any:
    """Whether an Accept header takes a type."""
    taken = {part.partition(";")[0].strip().casefold() for part in header.split(",")}
    return lambda kind: bool(taken & {kind, "*/*", f"{kind.partition('/')[0]}/*"})
