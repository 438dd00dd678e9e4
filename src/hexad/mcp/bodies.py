"""Requests over HTTP, read whole and looked at before the SDK sees them: it tells a client less of what is wrong.

Of who hangs up in the middle of a request nothing is left, in the log neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mcp_types import INVALID_REQUEST, jsonrpc_message_adapter
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.datastructures import Headers

from hexad.mcp.incoming import NO_MESSAGE, Unreadable, id_of, read
from hexad.mcp.refusing import JSON, Refusal, accepts

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHOD: Final = "hexad.mcp.method"  # in the scope of a request that was read
_NOT_TAKEN: Final = "the body cannot be taken"
_VERSION: Final = "mcp-protocol-version"
_STREAM: Final = "text/event-stream"
_ACCEPTED: Final = {"POST": (JSON, _STREAM), "GET": (_STREAM,), "DELETE": ()}


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
            await Refusal(413, told)(scope, receive, send)
        except Unreadable as error:
            await Refusal(400, f"{_NOT_TAKEN}: {error}", code=error.code, id=error.id)(scope, receive, send)

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

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers, method = Headers(scope=scope), scope["method"]
        if scope["path"].rstrip("/") != self.path:
            return Refusal(404, f"there is nothing here; the server is at {self.path}")
        if method not in _ACCEPTED or (method != "POST" and not has_sessions(headers)):
            allowed = ", ".join(_ACCEPTED) if has_sessions(headers) else "POST"
            return Refusal(405, f"{method} does nothing here; send POST", {"Allow": allowed})
        kind = headers.get("content-type", "").partition(";")[0].strip().casefold()
        if method == "POST" and kind != JSON:
            return Refusal(415, f"send the body as JSON, with the header Content-Type: {JSON}")
        if not all(accepts(headers.get("accept", ""), kind) for kind in _ACCEPTED[method]):
            return Refusal(406, f"send the header Accept: {', '.join(_ACCEPTED[method])}")
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
