"""The parts of an engine, chosen by its settings: the only place that names
implementations.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hexad.clock import utc_now
from hexad.context.retriever import ContextRetriever
from hexad.errors import InvalidInput
from hexad.extras import require_extra
from hexad.memory import admission
from hexad.memory.index.indexing import fold_keys, reindex
from hexad.memory.index.upkeep import MaintainedStore, Steps, UpkeepStep
from hexad.memory.limits import Limits, join_tally
from hexad.memory.usage.counts import Uses
from hexad.memory.workspace import Change, Workspace
from hexad.model import Layer, Retrieval
from hexad.settings import ENCODER, NO_EMBEDDER, Settings, words_of
from hexad.store import IN_MEMORY, Store, Writing
from hexad.store.absent import AbsentStore
from hexad.text import ANALYSER

if TYPE_CHECKING:
    from datetime import datetime

    from hexad.engine import Engine
    from hexad.memory.collection import Finder
    from hexad.memory.conversations.capture import Capture
    from hexad.memory.index.similarity import Similarity
    from hexad.model import Clock, Item
    from hexad.semantic import Embedder
    from hexad.skills.library import SkillLibrary


@dataclass(frozen=True, slots=True)
class NoRetriever:
    """The retriever of an engine that is off: it finds nothing."""

    namespace: str

    def retrieve(
        self, query: str, *_given: Any, session: str | None = None, **_named: Any
    ) -> Retrieval:
        """Nothing, for any query."""
        return Retrieval(query=query, namespace=self.namespace, session=session)


def folder_of(address: str) -> Path | None:
    """The folder of a database's file, where its `hexad.toml` may be; None for a
    database that is no file.
    """
    return None if address == IN_MEMORY or "://" in address else Path(address).parent


def store_at(address: str, settings: Settings) -> Store:
    """The store: none while the engine is off, in this process, a file, or on a server."""
    if not settings.enabled:
        return AbsentStore()
    if address == IN_MEMORY:
        from hexad.store.volatile import VolatileStore  # noqa: PLC0415 - loads sqlite3: 30 ms, as below

        return VolatileStore()
    scheme, is_server, _ = address.partition("://")
    if not is_server:
        from hexad.store.sqlite import SqliteStore  # noqa: PLC0415 - loads sqlite3: 30 ms; one on a server needs none

        return SqliteStore(Path(address), patience=settings.lock_timeout)
    if scheme not in {"postgresql", "postgres"}:
        known = f"give the path of a file, postgresql://…, or {IN_MEMORY!r}"
        raise InvalidInput("database", f"{scheme}:// is not supported; {known}")
    require_extra("postgres", "a PostgreSQL database", "psycopg")
    from hexad.store.postgres import PostgresStore  # noqa: PLC0415 - loads psycopg: 70 ms, of an extra

    return PostgresStore(address, patience=settings.lock_timeout)


def _in_utc(clock: Clock) -> Clock:
    """A caller's clock, its times checked and in UTC: the audit log hashes them."""
    if not callable(clock):
        raise InvalidInput("clock", "must be a function that returns a datetime")

    def now() -> datetime:
        moment = admission.moment("clock", clock())
        return moment if moment is not None else utc_now()

    return now


def workspace_of(
    store: Store, settings: Settings, clock: Clock | None, session: str
) -> Workspace:
    """The workspace that writes, with its limits. Engines on the same data share their
    counts.
    """
    tally = None if store.shared_as is None else join_tally(store.shared_as)
    most = {
        "knowledge": settings.max_knowledge,
        "learnings": settings.max_learnings,
        "proposals": settings.max_proposals,
    }
    return Workspace(
        store=maintained(store) if settings.enabled else store,
        clock=_in_utc(clock) if clock is not None else utc_now,
        limits=Limits(most, tally),
        uses=Uses(),
        namespace=admission.key("namespace", settings.namespace),
        session=admission.label("session", session),
        max_text=settings.max_text,
        timeline=settings.timeline,
        own_files=getattr(store, "files", ()),  # only a database in a file has some
    )


def retriever_of(workspace: Workspace, settings: Settings) -> ContextRetriever:
    """The retriever over a workspace's store."""
    return ContextRetriever(
        workspace.store,
        settings.max_per_layer,
        namespace=workspace.namespace,
        clock=workspace.clock,
        deadline=settings.layer_deadline,
        max_pinned=settings.max_pinned,
        similarity=workspace.similarity,
        floor=settings.floor,
    )


def skills_of(engine: Engine, settings: Settings, find: Finder) -> SkillLibrary:
    """The skills, with the agent's tools to run them."""
    from hexad.skills import library, run  # noqa: PLC0415 - loads in 30 ms; retrieval needs none

    agent = run.Agent(
        tools=engine.tools,
        step_tool=lambda name, tool, session: engine.observer.step_tool(  # noqa: PLW0108 - loads learning late
            name, tool, session
        ),
        script_seconds=settings.script_seconds,
        script_memory=settings.script_memory,
    )
    rules = library.Rules(
        auto_approve=settings.auto_approve_skills,
        max_per_day=settings.max_skills_per_day,
    )
    return library.SkillLibrary(engine.workspace, find, agent, rules)


def capture_of(engine: Engine, settings: Settings, find: Finder) -> Capture:
    """The keeper of a user's words, within the limits of the settings. It knows what
    the memories beside know.
    """
    from hexad.memory.conversations import capture  # noqa: PLC0415 - loads in 10 ms; most engines need none

    def everywhere(*asked: Any, **named: Any) -> tuple[Item, ...]:
        there = [
            retriever_of(other.workspace, settings).search(*asked, **named)
            for other in engine.others
        ]
        return (
            *find(*asked, **named),
            *(replace(item, distance=1) for items in there for item in items),
        )

    most, accepted = settings.max_knowledge, words_of(settings.auto_accept)
    return capture.Capture(
        engine.workspace,
        everywhere,
        most=most,
        auto_accept=accepted,
        enabled=settings.enabled,
    )


def forget_elsewhere(change: Change, session: str) -> int:
    """Remove a session's share of learnings and discovered skills; return the number of
    records that went.
    """
    from hexad.learning.housekeeping import forget_session  # noqa: PLC0415 - loads learning: 25 ms, rarely needed
    from hexad.skills.discovery.drafts import forget_discovered  # noqa: PLC0415 - loads in 13 ms, rarely needed

    forget_session(change, session)
    return forget_discovered(change, session)


def similarity_of(
    settings: Settings, embedder: Embedder | None, name: str | None, *, patient: bool
) -> Similarity | None:
    """The caller's embedder, else the extra's if it is installed; None if search by
    meaning is off.

    If ``patient``, a question waits for it to load, for half of a layer's deadline.
    """
    if (
        not settings.enabled
        or not settings.semantic
        or settings.embedder == NO_EMBEDDER
    ):
        return None
    from hexad import semantic  # noqa: PLC0415 - loads in 1 ms; an engine without it needs none

    patience = settings.layer_deadline / 2 if patient else 0.0
    if embedder is not None:
        return semantic.own_similarity(
            embedder, name, seconds=settings.layer_deadline / 4, patience=patience
        )
    if settings.embedder == ENCODER:
        return semantic.encoder_similarity(patience=patience)
    return (
        semantic.static_similarity(patience=patience) if semantic.installed() else None
    )


def maintained(store: Store) -> Store:
    """A store that brings a namespace up to date when it is first used: the index, and
    the patterns of learnings.
    """
    steps = Steps(
        UpkeepStep("analyser", str(ANALYSER), reindex),
        UpkeepStep("patterns", "evidence", carry_learnings_over),
        UpkeepStep("keys", "folded", fold_keys),
    )
    maintain = getattr(store, "maintain", None)
    if maintain is None:
        return MaintainedStore(store, steps)
    maintain(steps.due, steps.do)
    return store


def carry_learnings_over(unit: Writing) -> None:
    """Bring learnings of an earlier version up to date, and say once what went."""
    if not unit.page(Layer.AGENT_LEARNINGS, limit=1):
        return
    from hexad.learning.learnings import carry_over  # noqa: PLC0415 - loads learning: 35 ms, once for a namespace

    gone = carry_over(unit)
    if gone:
        logging.getLogger("hexad").warning(
            "%s in %r that rules had inferred from calls went; what failed and what worked next is kept instead",
            "1 fix" if gone == 1 else f"{gone} fixes",
            unit.namespace,
        )
