"""`HexadMemoryService`: ADK's own memory interface over Hexad, so that `load_memory`
and `preload_memory` use it.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from google.adk.memory.base_memory_service import (
    BaseMemoryService,
    SearchMemoryResponse,
)
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from hexad.adapters.adk.request import text_of
from hexad.agents.conversation import (
    Conversation,
    NamespaceRule,
    Speaker,
    checked,
    digest,
    per_user,
    session_of,
)
from hexad.agents.threads import pool_of
from hexad.agents.warnings import going_on
from hexad.errors import InvalidInput, NotFound
from hexad.memory.troubles import tell
from hexad.model import Knowledge, Origin
from hexad.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from google.adk.events.event import Event
    from google.adk.sessions.session import Session

    from hexad.facade import Hexad

T = TypeVar("T")
_LIMIT: Final = 10  # memories that a search returns
_SECONDS: Final = 60.0
_TAG: Final = "conversation"
_USER: Final = "user"


class HexadMemoryService(BaseMemoryService):
    """Conversations as knowledge, one entry for each thing said, in the memory of its
    user.

    Adding a session again adds its new events. A search also finds entries that were
    saved in any other way. A failure is a warning in the log, and the agent goes on.
    """

    def __init__(self, hx: Hexad, *, namespace: NamespaceRule = per_user) -> None:
        self._hx = hx
        self._rule = checked(namespace)

    async def add_session_to_memory(self, session: Session) -> None:
        """Keep what was said in a session."""
        await self._add(
            Conversation(session.app_name, session.user_id, session.id), session.events
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep some of what was said."""
        await self._add(Conversation(app_name, user_id, session_id or ""), events)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep memories as they are given."""
        texts = [(each, text_of(each.content)) for each in memories]
        said = [
            _StoredMessage(
                each.id or f"memory {digest(text)}",
                text,
                each.author or "",
                _milliseconds(each.timestamp),
            )
            for each, text in texts
        ]
        work = partial(_keep, said=said, thread="")
        await self._in(
            Conversation(app_name, user_id, ""), work, what="memories were not kept"
        )

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """The entries that answer a question, best first: the user's own, and the
        engine's for all.
        """
        work = partial(self._search, query=query)
        found = await self._in(
            Conversation(app_name, user_id, ""), work, what="memory was not searched"
        )
        return SearchMemoryResponse(memories=[_entry(each) for each in found or ()])

    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        """Hide one memory of a user's."""
        if memory_id:
            whose = Conversation(app_name, user_id, "")
            await self._in(
                whose,
                lambda own: own.knowledge.delete(memory_id),
                what="a memory was not deleted",
            )

    async def _add(self, whose: Conversation, events: Sequence[Event]) -> None:
        thread = session_of(whose, self._rule)
        said = [
            _StoredMessage(
                f"{thread}/{event.id}",
                text_of(event.content),
                event.author,
                round(event.timestamp * 1000),
            )
            for event in events
        ]
        await self._in(
            whose,
            partial(_keep, said=said, thread=thread),
            what="a conversation was not kept",
        )

    def _search(self, own: Hexad, *, query: str) -> list[Knowledge]:
        engines = [own] if own.namespace == self._hx.namespace else [own, self._hx]
        found = [
            (item, hx)
            for hx in engines
            for item in hx.knowledge.search(query, limit=_LIMIT)
        ]
        best = sorted(found, key=lambda pair: -pair[0].score)[:_LIMIT]
        return [hx.knowledge.get(item.id) for item, hx in best]

    async def _in(
        self, whose: Conversation, work: Callable[[Hexad], T], *, what: str
    ) -> T | None:
        """Work in a conversation's own memory, in a thread.

        It names no session: how much a conversation may save by itself is limited, what
        its app keeps of it is not.
        """
        if not self._hx.enabled:
            return None
        result = None
        with (
            going_on(what),
            suppress(NotFound),
        ):  # a rule of the user's own may fail too; what is gone, is gone
            own = Speaker(whose, self._rule).scope(self._hx).scoped(session="")
            result = await pool_of(own).run(partial(work, own), seconds=_SECONDS)
        return result


class _StoredMessage(NamedTuple):
    """One message; its time in milliseconds is its position in the conversation."""

    key: str
    text: str
    author: str
    position: int | None


def _keep(own: Hexad, *, said: Sequence[_StoredMessage], thread: str) -> None:
    """Keep each text under its key, or warn; what the user said in a conversation that
    lasts is proposed too.
    """
    if thread:
        own.capture(
            [each.text for each in said if each.author == _USER], session=thread
        )
    for key, text, author, position in (each for each in said if each.text):
        origin = Origin.USER if author == _USER else Origin.AGENT
        try:
            own.knowledge.save(
                key,
                text,
                tags=(_TAG,),
                source=author,
                origin=origin,
                thread=thread,
                position=position,
            )
        except InvalidInput as error:
            tell("a memory was not kept", error)


def _entry(known: Knowledge) -> MemoryEntry:
    author = known.source or known.origin.value
    content = types.Content(
        role="user" if known.origin is Origin.USER else "model",
        parts=[types.Part(text=visible(known.content))],
    )
    said = (
        known.position if _TAG in known.tags else None
    )  # a message of a conversation has a time of its own
    when = known.updated if said is None else datetime.fromtimestamp(said / 1000, UTC)
    return MemoryEntry(
        id=known.key, content=content, author=author, timestamp=when.isoformat()
    )


def _milliseconds(timestamp: str | None) -> int | None:
    """A memory's own time, where it has one that can be read; one without a zone is
    UTC.
    """
    try:
        when = datetime.fromisoformat(timestamp or "")
    except ValueError:
        return None
    when = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
    return max(round(when.timestamp() * 1000), 0)
