"""Who may call over HTTP: under which name, from which page, with which token, and how
often.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware

from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

    from hexad.agents.address import Address

_MINUTE: Final = 60.0
_BEARER: Final = "bearer "
_ADDRESSES: Final = 4096  # that are counted


class _Bucket(NamedTuple):
    left: float
    at: float
    granted: bool


class Rates:
    """How often one client may ask: a bucket of requests, refilled evenly over a
    minute.
    """

    def __init__(
        self, per_minute: int, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_minute = per_minute
        self._now = now
        self._buckets: Recent[str, _Bucket] = Recent(_ADDRESSES)

    def wait(self, client: str) -> float:
        """Take one request; 0 if there was one, else the seconds until there is."""
        _, bucket = self._buckets.update(client, self._taken)
        return 0.0 if bucket.granted else (1 - bucket.left) * _MINUTE / self._per_minute

    def _taken(self, before: _Bucket | None) -> _Bucket:
        now = self._now()
        left, since, _ = before or _Bucket(self._per_minute, now, granted=True)
        left = min(self._per_minute, left + (now - since) * self._per_minute / _MINUTE)
        return _Bucket(left - 1 if left >= 1 else left, now, left >= 1)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is refused, and what to send instead."""

    status: int
    sentence: str
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Guard:
    """ASGI middleware that passes a request on, or answers why it does not, as
    ``respond`` writes it.
    """

    app: ASGIApp
    address: Address
    rates: Rates
    respond: Callable[[Refusal], ASGIApp]
    token: str = field(default="", repr=False)
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    setting: str = "mcp_rate"  # the name of the rate, for the one who has to raise it

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        app = self.app if refusal is None else self.respond(refusal)
        await app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        """The reason to refuse a request, if any. Refused requests have a separate
        rate, so they use up nobody's.
        """
        wrong = self._wrong(Headers(scope=scope))
        client = (scope.get("client") or ("", 0))[0]
        seconds = self.rates.wait(client if wrong is None else f"refused {client}")
        if not seconds:
            return wrong
        wait = str(int(seconds) + 1)
        sentence = f"more requests than this server takes of one address ({self.setting}); ask again in {wait} seconds"
        return Refusal(429, sentence, {"Retry-After": wait})

    def _wrong(self, headers: Headers) -> Refusal | None:
        if not self.address.answers_to(headers.get("host", ""), self.hosts):
            return Refusal(
                421,
                "this server does not answer to that Host; --allow-host NAME lets it",
            )
        if not self._allows_origin(headers):
            return Refusal(
                403,
                "pages of that Origin may not call this server; --allow-origin URL lets them",
            )
        if self.token and not self._knows_token(headers.get("authorization", "")):
            sentence = "send the header Authorization: Bearer TOKEN with the token that this server was started with"
            return Refusal(401, sentence, {"WWW-Authenticate": "Bearer"})
        return None

    def _allows_origin(self, headers: Headers) -> bool:
        """Only a browser sends an Origin: the page must be this server's own, or
        allowed.
        """
        given = headers.getlist("origin")
        if not given:
            return True
        origin = given[0].strip().casefold()
        own = _place(origin) == headers.get(
            "host", ""
        ).strip().casefold() and origin.startswith("http")
        return len(given) == 1 and (own or origin in self.origins)

    def _knows_token(self, header: str) -> bool:
        given = (
            header[len(_BEARER) :].strip()
            if header.casefold().startswith(_BEARER)
            else ""
        )
        return hmac.compare_digest(_digest(given), _digest(self.token))


def for_pages(app: ASGIApp, origins: frozenset[str]) -> ASGIApp:
    """An application that pages of these origins may call; their browser asks it first."""
    methods, shown = (
        ["GET", "POST", "PUT", "PATCH", "DELETE"],
        ["ETag", "mcp-session-id"],
    )
    return (
        CORSMiddleware(app, sorted(origins), methods, ["*"], expose_headers=shown)
        if origins
        else app
    )


def _place(origin: str) -> str:
    """Host and port of an origin."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _digest(token: str) -> bytes:
    """A hash of fixed length, so comparing does not reveal the token's length."""
    return hashlib.sha256(token.encode(errors="surrogateescape")).digest()
