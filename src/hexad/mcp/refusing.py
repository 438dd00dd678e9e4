"""Refusals over HTTP: errors of the protocol, since its clients pass on no other; a text for who takes no JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mcp_types import INVALID_REQUEST
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Receive, Scope, Send

JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An ASGI application that answers every request with one sentence."""

    status: int
    sentence: str
    headers: Mapping[str, str] = field(default_factory=dict)
    code: int = INVALID_REQUEST
    id: str | int | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._answer(Headers(scope=scope).get("accept", "*/*"))(scope, receive, send)

    def _answer(self, accept: str) -> Response:
        if not accepts(accept, JSON):
            return PlainTextResponse(f"{self.sentence}\n", status_code=self.status, headers=self.headers)
        told = message(self.sentence, code=self.code, id=self.id)
        return Response(told, status_code=self.status, headers=self.headers, media_type=JSON)


def message(sentence: str, *, code: int = INVALID_REQUEST, id: str | int | None = None) -> bytes:
    """An error of the protocol, as it is sent."""
    told: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": sentence}}
    return json.dumps(told).encode()


def accepts(header: str, kind: str) -> bool:
    """Whether an Accept header takes a type.

    >>> accepts("text/html, application/*;q=0.8", JSON), accepts("text/event-stream", JSON)
    (True, False)
    """
    taken = {part.partition(";")[0].strip().casefold() for part in header.split(",")}
    return bool(taken & {kind, "*/*", f"{kind.partition('/')[0]}/*"})
