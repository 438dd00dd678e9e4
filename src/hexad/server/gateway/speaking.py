"""Whose memory a request belongs to: headers say it, else the request's own fields, within what the token allows."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hexad.edges.agent import AgentMemory
from hexad.edges.conversation import Conversation, by_name, digest
from hexad.errors import AccessRefused
from hexad.recent import Recent
from hexad.server.tokens import EVERYWHERE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hexad.facade import Hexad
    from hexad.server.callers import Caller

TOKEN, USER, SESSION, MEMORY = OWN_HEADERS = ("x-hexad-token", "x-hexad-user", "x-hexad-session", "x-hexad-memory")
_MEMORIES: Final = 2000  # of users that are kept ready


@dataclass(frozen=True, slots=True)
class Speaker:
    """Somebody who speaks to a model: the memory that is read, the engine that is written, and the session."""

    memory: AgentMemory
    own: Hexad
    session: str


@dataclass(frozen=True)
class Speakers:
    """Finds the speaker of a request; asks no store."""

    hx: Hexad
    _known: Recent[tuple[str, str, bool], AgentMemory] = field(default_factory=lambda: Recent(_MEMORIES), repr=False)

    def of(self, caller: Caller, headers: Mapping[str, str], body: Mapping[str, Any]) -> Speaker:
        """The speaker; `AccessRefused` where a header names a user outside of the token's namespaces."""
        session = headers.get(SESSION) or _text(body.get("prompt_cache_key")) or _beginning(body)
        named = headers.get(USER, "")
        try:
            return self._speaker(caller, named or _user_in(body), session)
        except AccessRefused:
            if named:
                raise
            return self._speaker(caller, "", session)  # the field may be an id for the provider alone

    def _root(self, caller: Caller, user: str) -> str:
        """The namespace above the user's that the caller reaches: the server's own, else one of the token's."""
        if not user:
            if home := caller.home(self.hx.namespace):
                return home
            raise AccessRefused(403, "this token is for many namespaces; name the user: X-Hexad-User: NAME")
        below = by_name(Conversation("", user, ""))
        own = [each.removesuffix(EVERYWHERE).rstrip("/") for each in caller.namespaces]
        for root in (self.hx.namespace, *filter(None, own)):
            if caller.reaches(f"{root}/{below}"):
                return root
        raise AccessRefused(403, f"this token is not for the user {user!r}; one for 'NAMESPACE/*' is for every user")

    def _speaker(self, caller: Caller, user: str, session: str) -> Speaker:
        """The user's memory, and the shared one above it where the token reaches that too."""
        root = self._root(caller, user)
        housed, house = caller.reaches(root), self.hx.scoped(namespace=root)
        own = house.scoped(namespace=f"{root}/{by_name(Conversation('', user, ''))}") if user else house
        kept = (root, user, housed)
        memory = self._known.get(kept) or AgentMemory(
            house if housed else own, user=user if housed else "", captures=False
        )
        self._known.put(kept, memory)
        return Speaker(memory, own, session)


def _user_in(body: Mapping[str, Any]) -> str:
    metadata = body.get("metadata")
    in_metadata = metadata.get("user_id") if isinstance(metadata, dict) else None
    return next(filter(None, map(_text, (body.get("safety_identifier"), body.get("user"), in_metadata))), "")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _beginning(body: Mapping[str, Any]) -> str:
    """A name for the conversation: how it begins, which stays the same while it grows."""
    said = body.get("messages") or body.get("input") or ""
    first = said if isinstance(said, str) else [each for each in said if isinstance(each, dict)][:2]
    whole = json.dumps([body.get("system"), body.get("instructions"), first], sort_keys=True, default=str)
    return f"gateway:{digest(whole)[:16]}"
