"""`Hexad`: what users import. `open` is the only place that names implementations."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from hexad.context.layers.tools import ToolRegistry, registry_of
from hexad.context.retriever import ContextRetriever
from hexad.context.selection import estimate_tokens
from hexad.engine import Engine
from hexad.errors import ConfigError, Disabled, InvalidInput, MissingExtra
from hexad.memory import admission
from hexad.memory.audit import AuditLog
from hexad.memory.forgetting import forget_all
from hexad.memory.habits import Habits
from hexad.memory.indexing import all_namespaces, embed_missing, missing_vectors
from hexad.memory.knowledge import KnowledgeCollection
from hexad.memory.limits import leave_tally
from hexad.memory.references import ReferenceCollection
from hexad.memory.upkeep import MaintainedStore
from hexad.model import Erasure
from hexad.settings import Settings, load
from hexad.store.volatile import LOCATION
from hexad.wiring import (
    NoRetriever,
    complete_patterns,
    forget_elsewhere,
    retriever_of,
    similarity_of,
    store_at,
    workspace_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import TracebackType
    from typing import Self

    from hexad.context.explanation import Explanation
    from hexad.context.layers.runtime import RuntimeContextProvider
    from hexad.context.retriever import Retriever
    from hexad.importer import Imported
    from hexad.learning.outcome import FailureRule
    from hexad.learning.record import LearningCollection
    from hexad.model import (
        Association,
        Clock,
        Forgotten,
        Item,
        Layer,
        Learning,
        Prompt,
        Retrieval,
        TokenCounter,
    )
    from hexad.semantic import Embedder
    from hexad.skills.library import SkillLibrary
    from hexad.store import Store

T = TypeVar("T")


@dataclass(slots=True)
class _Life:
    """Whether the engine was closed, and where tools were watched; all that were made of it share it."""

    over: bool = False
    watched: set[str] = field(default_factory=set)  # namespaces


class Hexad:
    """An agent's context: save, retrieve, assemble. Make one with `open`.

    >>> with Hexad.open(":memory:", enabled=True) as hx:
    ...     _ = hx.knowledge.save("deploy-window", "Deploy on Tuesdays and Thursdays only", category="rule")
    ...     print(hx.prompt("You are terse.", "when may I deploy?"))
    You are terse.
    <BLANKLINE>
    ## User Knowledge
    - [rule] deploy-window: Deploy on Tuesdays and Thursdays only
    """

    def __init__(self, engine: Engine, settings: Settings, *, owner: bool = True, life: _Life | None = None) -> None:
        self._engine = engine
        self._owner = owner
        self._life = life or _Life()
        self._settings = settings
        workspace, find = engine.workspace, self._find
        self.knowledge: Final = KnowledgeCollection(workspace, find)
        self.references: Final = ReferenceCollection(workspace, find)
        self.habits: Final = Habits(workspace)
        self.audit: Final = AuditLog(workspace.store, workspace.namespace)

    @classmethod
    def open(
        cls,
        database: str | os.PathLike[str],
        *,
        enabled: bool | None = None,
        namespace: str | None = None,
        session: str = "",
        config: str | os.PathLike[str] | None = None,
        clock: Clock | None = None,
        token_counter: TokenCounter = estimate_tokens,
        retriever: Retriever | None = None,
        embedder: Embedder | None = None,
        embedder_name: str | None = None,
        **settings: Any,
    ) -> Hexad:
        """Open the database file, creating it if it is not there; ``":memory:"`` keeps everything in this process.

        Without ``enabled=True`` (here, as HEXAD_ENABLED, or in `hexad.toml` beside the database) the engine is off: it
        creates nothing, retrieves nothing, and passes prompts through. ``settings`` are those of `hexad.settings`.

        With the extra `semantic` rows are found by meaning too. ``embedder`` replaces its embeddings: a function from a
        list of texts to an array with a row for each; ``embedder_name`` is what its vectors are stored under, so that
        two embedders are never mixed.

        >>> Hexad.open("never-created.db").retrieve("anything").items
        {}
        """
        if retriever is not None:
            _checked(retriever)
        if not callable(token_counter):
            raise InvalidInput("token_counter", "must be a function from text to a number of tokens")
        path = _path(database, "database")
        folder = None if str(path) == LOCATION else path.parent
        known = load({"enabled": enabled, "namespace": namespace, **settings}, beside=folder, config=config)
        store = store_at(path, known)
        workspace = replace(
            workspace_of(store, known, clock, session), similarity=similarity_of(known, embedder, embedder_name)
        )
        own = retriever or retriever_of(workspace, known)
        engine = Engine(
            workspace=workspace,
            retriever=own if known.enabled else NoRetriever(workspace.namespace),
            max_per_layer=known.max_per_layer,
            counter=token_counter,
        )
        return cls(engine, known)

    @cached_property
    def learnings(self) -> LearningCollection:
        """What is known of errors, and how they are fixed."""
        from hexad.learning.record import LearningCollection  # noqa: PLC0415 - who only remembers need not load it

        return LearningCollection(self._engine.workspace, self._find)

    @cached_property
    def skills(self) -> SkillLibrary:
        """Procedures, by name."""
        from hexad.wiring import skills_of  # noqa: PLC0415 - likewise

        return skills_of(self._engine, self._settings, self._find)

    @property
    def enabled(self) -> bool:
        """Whether the knowledge system is on."""
        return self._settings.enabled

    @property
    def namespace(self) -> str:
        """Whose rows this engine sees."""
        return self._engine.workspace.namespace

    @property
    def session(self) -> str:
        """The session of calls that name none."""
        return self._engine.workspace.session

    @property
    def settings(self) -> Settings:
        """How this engine works."""
        return self._settings

    @property
    def store(self) -> Store:
        """The database behind it."""
        store = self._engine.workspace.store
        return store.wrapped if isinstance(store, MaintainedStore) else store

    @property
    def retriever(self) -> Retriever:
        """Who answers its questions: a `ContextRetriever` with its providers, or another that it was given."""
        return self._engine.retriever

    def retrieve(
        self,
        query: str,
        layers: Iterable[Layer | str] | None = None,
        max_per_layer: int | None = None,
        *,
        session: str | None = None,
    ) -> Retrieval:
        """The items that matter for a message, best first in each layer.

        Without ``layers`` it searches User Knowledge, Skill Patterns, External Knowledge and Agent Learnings. Any
        string is a safe query. A layer that fails is in the result's ``failures``; the others answer as usual.
        """
        return self._engine.retrieve(query, layers, max_per_layer, session=session)

    def assemble(self, base: str, retrieval: Retrieval, *, budget: int | None = None) -> Prompt:
        """The base prompt with the retrieved items after it, within ``budget`` tokens if one is given.

        It counts and writes nothing: call `shown` when the prompt goes to a model.
        """
        return self._engine.assemble(base, retrieval, budget=budget)

    def shown(self, prompt: Prompt) -> None:
        """Record that a model got this prompt: one more use of each item in it, and an offer of each fix.

        Every call counts, so call it once for each turn. A prompt of another namespace, or of an engine that is off,
        records nothing. It does not wait for other writers longer than 0.1 seconds.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> _ = hx.knowledge.save("units", "Answer in metric units")
        >>> prompt = hx.assemble("You are terse.", hx.retrieve("which units?"))
        >>> hx.knowledge.get("units").use_count
        0
        >>> hx.shown(prompt)
        >>> hx.knowledge.get("units").use_count
        1
        """
        if self.enabled:
            self._engine.shown(prompt)

    def prompt(
        self,
        base: str,
        message: str,
        *,
        layers: Iterable[Layer | str] | None = None,
        budget: int | None = None,
        session: str | None = None,
    ) -> Prompt:
        """The prompt for a message: retrieved, assembled and recorded as shown.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> _ = hx.knowledge.save("units", "Answer in metric units")
        >>> print(hx.prompt("You are terse.", "which units?", budget=800))
        You are terse.
        <BLANKLINE>
        ## User Knowledge
        - [fact] units: Answer in metric units
        """
        prompt = self.assemble(base, self.retrieve(message, layers, session=session), budget=budget)
        self.shown(prompt)
        return prompt

    def explain(
        self,
        message: str,
        *,
        base: str = "",
        layers: Iterable[Layer | str] | None = None,
        budget: int | None = None,
        session: str | None = None,
    ) -> Explanation:
        """Why the prompt for a message is what it is."""
        return self._engine.explain(message, base=base, layers=layers, budget=budget, session=session)

    def used(self, item: Item, query: str, *, session: str | None = None) -> tuple[Association, ...]:
        """Say that an item was of use for a question: its words help find the item next time.

        Returns all the words that are known to lead to the item now; `habits` shows and resets them. A tool that
        `watch` or `observe` saw succeed is counted by itself, when the session's latest prompt offered it.

        >>> hx = Hexad.open(":memory:", enabled=True, semantic=False)
        >>> _ = hx.references.save("Runbook", location="https://wiki.example.com/deploy", summary="How to roll back")
        >>> [runbook] = hx.retrieve("roll back").all()
        >>> _ = hx.used(runbook, "production is broken, undo the release")
        >>> [item.key for item in hx.retrieve("undo the release").all()]
        ['Runbook']
        """
        return self._engine.used(item, query, session=session)

    def watch(
        self,
        tool: T,
        *,
        advise: bool = False,
        name: str | None = None,
        session: str | None = None,
        failure: FailureRule | None = None,
    ) -> T:
        """The same tool, observed: what it returns and raises stays as it is, and its failures are learned from.

        It works for functions, methods, partials, objects with ``__call__``, coroutines and generators, and for the
        tool objects and toolsets of agent frameworks: what has a name and ``run_async``, or ``get_tools``. With
        ``advise`` a trusted fix is put behind the error that goes back to the model. ``failure`` says of a result what
        failure it reports, or None; without it, `hexad.learning.outcome.reported_failure` does.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> hx.watch(len)("four")
        4
        """
        if not self.enabled:
            return tool
        self._life.watched.add(self.namespace)
        watching = self._engine.watch(
            cast("Callable[..., Any]", tool), advise=advise, name=name, session=session, failure=failure
        )
        return cast("T", watching)

    def observe(
        self,
        *,
        tool: str,
        args: object = None,
        result: object = None,
        error: object = None,
        session: str | None = None,
        failure: FailureRule | None = None,
        patience: float | None = None,
        strict: bool = False,
    ) -> Learning | None:
        """Learn from a call that was made elsewhere; returns the learning that its error belongs to, if it failed.

        ``error`` is an exception or a text. Without one the result is looked at, as `watch` does. ``patience`` is how
        many seconds to wait at most for other writers. A store that cannot be written is a warning in the log, unless
        ``strict``: then it is raised.
        """
        if not self.enabled:
            return None
        self._life.watched.add(self.namespace)
        return self._engine.observe(
            tool,
            args=args,
            result=result,
            error=error,
            session=session,
            failure=failure,
            patience=patience,
            strict=strict,
        )

    def scoped(self, *, namespace: str | None = None, session: str | None = None) -> Hexad:
        """The same store, limits and providers, seen from another namespace or session; closing it closes nothing."""
        workspace = replace(
            self._engine.workspace,
            namespace=self.namespace if namespace is None else admission.key("namespace", namespace),
            session=self.session if session is None else admission.label("session", session),
        )
        retriever = self._engine.retriever
        if isinstance(retriever, ContextRetriever | NoRetriever):
            retriever = replace(retriever, namespace=workspace.namespace)
        return self._like(owner=False, workspace=workspace, retriever=retriever)

    def with_tool_registry(self, tools: object) -> Hexad:
        """One that also knows these tools: a provider, or a list of callables or descriptors; this one stays.

        Skills call the callables among them.
        """
        registry = registry_of(tools)
        known = registry.callables if isinstance(registry, ToolRegistry) else {}
        knowing = self._retrieving(lambda retriever: retriever.with_tool_registry(registry))
        return knowing._like(tools=known) if self.enabled else knowing  # noqa: SLF001 - one of us

    def with_runtime_context(self, provider: RuntimeContextProvider) -> Hexad:
        """One that also knows the state of the process. This one stays as it is."""
        return self._retrieving(lambda retriever: retriever.with_runtime_context(provider))

    def with_retriever(self, retriever: Retriever) -> Hexad:
        """One that asks another retriever: a vector service, a remote one. This one stays as it is."""
        return self._like(retriever=_checked(retriever)) if self.enabled else self

    def forget(self, *, subject: str | None = None, session: str | None = None, everything: bool = False) -> Forgotten:
        """Erase all knowledge about a subject, or all records of a session or of this namespace; leave no bytes."""
        return forget_all(
            self._engine.workspace, subject=subject, session=session, everything=everything, also=forget_elsewhere
        )

    def erase_traces(self) -> bool:
        """Finish what `forget` could not while another connection read an older state; whether nothing is left."""
        return self.store.flush_traces() is Erasure.DONE

    def reindex(self, *, progress: Callable[[int, int], None] | None = None) -> int:
        """Embed what has no vector of this engine's embedder yet, in every namespace; returns how many rows.

        Until then such rows are found by their words. Without an embedder it is a `MissingExtra`.
        """
        similarity = self._engine.workspace.similarity
        if not self.enabled:
            raise Disabled
        if not self.settings.semantic:
            raise ConfigError("semantic", "is false, so nothing is embedded; turn it on to reindex")
        if similarity is None:
            raise MissingExtra("search by meaning", "hexad[semantic]")
        workspace = self._engine.workspace
        return embed_missing(workspace.store, similarity, workspace.clock(), progress or _quiet)

    def without_vector(self) -> int | None:
        """How many rows are found by words alone until `reindex`; None where there is no embedder."""
        similarity = self._engine.workspace.similarity
        now = self._engine.workspace.clock()
        return None if similarity is None else missing_vectors(self.store, similarity, now)

    def backup(self, file: str | os.PathLike[str]) -> int:
        """Write everything as JSON Lines: of every namespace, or of a scope's own; returns how many lines of data."""
        from hexad.memory.backup import write_backup  # noqa: PLC0415 - rare, and not needed to answer a question

        workspace = self._engine.workspace
        workspace.uses.flush(self.store)
        return write_backup(
            self.store, _path(file, "file"), workspace.clock(), namespace=None if self._owner else self.namespace
        )

    def restore(self, file: str | os.PathLike[str], *, progress: Callable[[int, int], None] | None = None) -> int:
        """Bring back a whole backup into an empty database; returns how many lines of data."""
        from hexad.memory.restoring import restore_backup  # noqa: PLC0415

        store, similarity = self._engine.workspace.store, self._engine.workspace.similarity
        count = restore_backup(store, _path(file, "file"), progress or _quiet, similarity)
        for namespace in all_namespaces(store):
            with store.transaction(namespace) as unit:
                complete_patterns(unit)
        return count

    def import_file(
        self,
        file: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Imported:
        """Add somebody else's backup to this namespace: origins become import, skills drafts, nothing is pinned.

        What is here already is kept, unless ``overwrite``.
        """
        from hexad.importer import import_lines  # noqa: PLC0415

        return import_lines(
            self._engine.workspace, self._find, _path(file, "file"), overwrite=overwrite, progress=progress or _quiet
        )

    def close(self) -> None:
        """Write what waits, and close the database, unless this is only a scope of it. Closing twice is allowed.

        Where tools were watched, what they did in several sessions is offered as drafts of skills before.
        """
        if self._owner and not self._life.over and self._settings.discover_skills:
            self._discover()
        self._engine.workspace.uses.flush(self.store)
        if self._owner and not self._life.over:
            self._life.over = True
            if self.store.shared_as is not None:
                leave_tally(self.store.shared_as)
            self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "enabled" if self.enabled else "off"
        return f"<Hexad {self.store.location} namespace={self.namespace!r} {state}>"

    def _find(self, layer: Layer, query: str, *, limit: int, facets: Mapping[str, str]) -> tuple[Item, ...]:
        if not self.enabled:
            return ()
        return retriever_of(self._engine.workspace, self._settings).search(layer, query, limit=limit, facets=facets)

    def _discover(self) -> None:
        """Look for skills where something was watched; what goes wrong is logged, and the store closed all the same."""
        for namespace in sorted(self._life.watched):
            try:
                self.scoped(namespace=namespace).skills.discover()
            except Exception as error:  # noqa: BLE001 - whatever it is, who closes an engine has it closed
                logging.getLogger("hexad").warning("no skills were discovered: %s", error)

    def _retrieving(self, change: Callable[[ContextRetriever], ContextRetriever]) -> Hexad:
        retriever = self._engine.retriever
        if isinstance(retriever, NoRetriever):
            return self
        if not isinstance(retriever, ContextRetriever):
            raise InvalidInput("retriever", f"{type(retriever).__name__} takes no providers; give them to it directly")
        return self._like(retriever=change(retriever))

    def _like(self, *, owner: bool | None = None, **changes: Any) -> Hexad:
        engine = replace(self._engine, **changes)
        return Hexad(engine, self._settings, owner=self._owner if owner is None else owner, life=self._life)


def _path(given: object, field: str) -> Path:
    if not isinstance(given, str | os.PathLike) or not str(given).strip() or "\0" in str(given):
        raise InvalidInput(field, "must be the path of a file")
    return Path(given)


def _checked(retriever: Retriever) -> Retriever:
    if not callable(getattr(retriever, "retrieve", None)):
        raise InvalidInput("retriever", "needs a method retrieve(query, layers, max_per_layer, session=…)")
    return retriever


def _quiet(done: int, total: int) -> None:
    """Show no progress."""
