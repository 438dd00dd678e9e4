"""Who calls: the holder of a token, or anybody on this machine while no token was ever made; and what they send."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hexad.edges.guard import bearer
from hexad.errors import AccessRefused
from hexad.model import Origin
from hexad.server.tokens import EVERYWHERE, Right, covers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from hexad.facade import Hexad
    from hexad.server.tokens import Token, Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Somebody, with their namespaces and rights."""

    name: str = ""
    token: str = ""  # the token's id
    namespaces: tuple[str, ...]
    rights: frozenset[Right]

    @property
    def origin(self) -> Origin:
        """Whose word a save is: who may approve is a person, anybody else an agent."""
        return Origin.USER if Right.APPROVE in self.rights else Origin.AGENT

    def require(self, right: Right) -> None:
        """Raise unless the caller has a right."""
        if right not in self.rights:
            raise AccessRefused(
                403, f"this token has no right to {right}; `hexad tokens make --right {right}` makes one"
            )

    def reaches(self, namespace: str) -> bool:
        """Whether a namespace is the caller's."""
        return covers(self.namespaces, namespace)

    def may_grant(self, namespaces: Sequence[str], rights: Sequence[str]) -> bool:
        """Whether a token for these gives nothing that the caller does not have."""
        return all(map(self.reaches, namespaces)) and set(rights) <= set(self.rights)

    def home(self, house: str) -> str:
        """The namespace that is meant where none is named: the server's own, else the first of the token."""
        if self.reaches(house):
            return house
        return next((each for each in self.namespaces if not each.endswith(EVERYWHERE)), "")

    def engine(self, hx: Hexad, namespace: str | None = None, session: str | None = None) -> Hexad:
        """The engine in a namespace that is the caller's."""
        wanted = namespace or self.home(hx.namespace)
        if not wanted:
            raise AccessRefused(403, "this token is for many namespaces; name one: ?namespace=NAME")
        if not self.reaches(wanted):
            raise AccessRefused(403, f"this token is not for the namespace {wanted!r}")
        return hx.scoped(namespace=wanted, session=session)


ANYBODY: Final = Caller(namespaces=(EVERYWHERE,), rights=frozenset(Right))


@dataclass(frozen=True, slots=True)
class Callers:
    """Finds the caller of a request. ``own_token`` is the setting `mcp_token`, for the server's own namespace."""

    tokens: Tokens
    house: str
    own_token: str = ""

    @property
    def open(self) -> bool:
        """Whether nobody needs a token."""
        return not self.own_token and not self.tokens.needed

    def bearer(self, request: Request) -> Caller:
        """The caller of a request with an Authorization header; else `AccessRefused`."""
        return self.of(bearer(request.headers.get("authorization", "")))

    def of(self, secret: str) -> Caller:
        """The caller with this secret; anybody while no token was ever made; else `AccessRefused`."""
        if self.open:
            return ANYBODY
        if self.own_token and hmac.compare_digest(secret.encode(errors="surrogateescape"), self.own_token.encode()):
            return Caller(name="mcp_token", namespaces=(self.house,), rights=frozenset({Right.READ, Right.WRITE}))
        token = self.tokens.find(secret) if secret else None
        if token is None:
            raise AccessRefused(401, "send the header Authorization: Bearer TOKEN with a token of `hexad tokens make`")
        return caller_of(token)


def caller_of(token: Token) -> Caller:
    """The holder of a token."""
    return Caller(name=token.name, token=token.id, namespaces=token.namespaces, rights=frozenset(token.rights))


async def body_of(request: Request, limit: int) -> bytes:
    """The body of a request; `AccessRefused` if it has more bytes than the limit."""
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > limit:
            raise AccessRefused(413, f"a body may have {limit:,} bytes at most")
    return bytes(raw)
