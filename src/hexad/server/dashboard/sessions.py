"""Browsers that are signed in. A session lives in memory: after a restart everybody
signs in again.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, replace
from typing import Any, Final

from hexad.errors import AccessRefused, NotFound
from hexad.recent import Recent
from hexad.server.tokens import ANYBODY, Callers, Token

COOKIE: Final = "hexad_session"
THEME: Final = "hexad_theme"  # the cookie that holds light or dark, if somebody chose
LIFETIME: Final = 12 * 3600  # seconds
_MOST: Final = 5000


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for the next page, and the entries whose deletion it can undo."""

    sentence: str
    bad: bool = False
    undo: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """One browser: its secret against forged requests, its token, and the namespace it
    looks at.
    """

    id: str
    csrf: str
    until: float
    token: str = ""
    namespace: str = ""
    notice: Notice | None = None
    theme: str = ""


class Sessions:
    """The sessions of one server."""

    def __init__(self, callers: Callers) -> None:
        self._callers = callers
        self._known: Recent[str, Session] = Recent(_MOST)

    def of(self, cookie: str, theme: str = "") -> Session:
        """The session of a cookie; a new one if it has none, or if it is over."""
        known = self._known.get(cookie)
        return replace(
            known
            if known is not None and known.until > time.monotonic()
            else self.begin(),
            theme=theme,
        )

    def begin(self, token: str = "") -> Session:
        """A new session, of the holder of a token or of nobody yet."""
        session = Session(
            secrets.token_hex(32),
            secrets.token_hex(16),
            time.monotonic() + LIFETIME,
            token,
        )
        self._known.put(session.id, session)
        return session

    def change(self, session: Session, **fields: Any) -> Session:
        """A session with other fields."""
        after = replace(session, **fields)
        self._known.put(session.id, after)
        return after

    def end(self, session: Session) -> None:
        """Sign out."""
        self._known.pop(session.id)

    def caller(self, session: Session) -> Token | None:
        """Who looks at the pages; None for somebody who has to sign in."""
        if self._callers.open:
            return ANYBODY
        try:
            return self._callers.tokens.get(session.token) if session.token else None
        except NotFound:  # it was revoked
            return None

    def sign_in(self, session: Session, secret: str) -> Session:
        """A session for the holder of a token; `AccessRefused` if nobody knows it."""
        caller = self._callers.of(secret)
        if not caller.id:
            raise AccessRefused(
                401, "that token is for programs; make one with `hexad tokens make`"
            )
        self.end(session)
        return self.begin(caller.id)
