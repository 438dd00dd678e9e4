"""What stands before the server over HTTP: how often, under which name, from which page, with which token."""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from hexad.mcp.address import peer_of
from hexad.mcp.refusing import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

    from hexad.mcp.address import Names

_MINUTE: Final = 60.0
_BEARER: Final = "bearer "
_MOST_KNOWN: Final = 4096  # addresses that are counted; those that asked the longest ago are forgotten


class Rates:
    """How often one address may ask: a full bucket of requests, refilled evenly over a minute."""

    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._now = now
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, who: str) -> float:
        """Take one request; 0 if there was one, else the seconds until there is."""
        with self._lock:
            now = self._now()
            left, since = self._left.pop(who, (float(self._per_minute), now))
            left = min(self._per_minute, left + (now - since) * self._per_minute / _MINUTE)
            self._left[who] = (left - 1 if left >= 1 else left, now)
            if len(self._left) > _MOST_KNOWN:
                self._left.popitem(last=False)
            return 0.0 if left >= 1 else (1 - left) * _MINUTE / self._per_minute


@dataclass(frozen=True, slots=True)
class Guard:
    """An ASGI application in front of another: lets through, or answers with a sentence that says what is missing."""

    app: ASGIApp
    names: Names
    rates: Rates
    token: str = field(default="", repr=False)
    origins: frozenset[str] = frozenset()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection's request."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (refusal or self.app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        """What is wrong with a request, or that there were too many.

        Requests that are refused are counted by themselves: who may not come in cannot use up what those of the same
        address have who may.
        """
        wrong = self._wrong(Headers(scope=scope))
        address = peer_of((scope.get("client") or ("", 0))[0])
        seconds = self.rates.wait(address if wrong is None else f"refused {address}")
        if not seconds:
            return wrong
        wait = str(int(seconds) + 1)
        told = f"more requests than this server takes of one address (mcp_rate); ask again in {wait} seconds"
        return Refusal(429, told, {"Retry-After": wait})

    def _wrong(self, headers: Headers) -> Refusal | None:
        if not self.names.admit(headers.get("host", "")):
            return Refusal(421, "this server does not answer to that Host; --allow-host NAME lets it")
        if not self._is_ours(headers):
            return Refusal(403, "pages of that Origin may not call this server; --allow-origin URL lets them")
        if self.token and not self._knows_token(headers.get("authorization", "")):
            return Refusal(
                401,
                "send the header Authorization: Bearer TOKEN with the token that this server was started with",
                {"WWW-Authenticate": "Bearer"},
            )
        return None

    def _is_ours(self, headers: Headers) -> bool:
        """Only a browser sends an Origin: the page must be this server's own, or allowed."""
        told = headers.getlist("origin")
        if not told:
            return True
        origin = told[0].strip().casefold()
        own = _place(origin) == headers.get("host", "").strip().casefold() and origin.startswith("http")
        return len(told) == 1 and (own or origin in self.origins)

    def _knows_token(self, header: str) -> bool:
        given = header[len(_BEARER) :].strip() if header.casefold().startswith(_BEARER) else ""
        return hmac.compare_digest(_digest(given), _digest(self.token))


def _place(origin: str) -> str:
    """Host and port of an origin; of what is none, nothing."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _digest(token: str) -> bytes:
    """Of one length, so that comparing tells not even that."""
    return hashlib.sha256(token.encode(errors="surrogateescape")).digest()
