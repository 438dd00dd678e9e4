"""Requests over HTTP, read whole and looked at before the SDK sees them: it tells a client less of what is wrong.

Of who hangs up in the middle of a request nothing is left, in the log neither.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mcp_types import INVALID_REQUEST, jsonrpc_message_adapter
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response

from hexad.mcp.incoming import NO_MESSAGE, Unreadable, id_of, read

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHOD: Final = "hexad.mcp.method"  # in the scope of a request that was read
_NOT_TAKEN: Final = "the body cannot be taken"
_VERSION: Final = "mcp-protocol-version"
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
            await refused(400, f"{_NOT_TAKEN}: {error}", code=error.code, id=error.id)(scope, receive, send)

    async def _checked(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
        elif scope["method"] == "POST":
            body = await self._whole(receive)
            method = _method_of(read(body))
            await self.app({**scope, METHOD: method}, _replaying(body, receive), send)
        else:
            await self.app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers, method = Headers(scope=scope), scope["method"]
        if scope["path"].rstrip("/") != self.path:
            return _plain(404, f"there is nothing here; the server is at {self.path}")
        if method not in _ACCEPTED or (method != "POST" and not has_sessions(headers)):
            allowed = ", ".join(_ACCEPTED) if has_sessions(headers) else "POST"
            return _plain(405, f"{method} does nothing here; send POST", {"Allow": allowed})
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


def has_sessions(headers: Headers) -> bool:
    """Whether a request is of a protocol that has sessions: those since 2026 have none."""
    return headers.get(_VERSION) in {None, *HANDSHAKE_PROTOCOL_VERSIONS}


def _method_of(value: object) -> str:
    """Which method a message names; nothing if it is an answer."""
    try:
        message = jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        raise Unreadable(NO_MESSAGE, id_of(value), code=INVALID_REQUEST) from None
    return str(getattr(message, "method", ""))


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
