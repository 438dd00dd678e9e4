"""`Hexad`, the class that users import."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from hexad import build
from hexad.context.layers.tools import ToolRegistry, registry_of
from hexad.context.retriever import ContextRetriever, Retriever, checked
from hexad.context.selection import estimate_tokens
from hexad.engine import Engine
from hexad.errors import ConfigError, Disabled, InvalidInput
from hexad.extras import missing_extra
from hexad.memory import admission
from hexad.memory.audit import AuditLog
from hexad.memory.forgetting import forget_all
from hexad.memory.index.indexing import all_namespaces, embed_missing, missing_vectors
from hexad.memory.knowledge import KnowledgeCollection
from hexad.memory.limits import leave_tally
from hexad.memory.proposals import Proposals
from hexad.memory.references import ReferenceCollection
from hexad.memory.troubles import tell
from hexad.memory.usage.habits import Habits
from hexad.recent import Recent
from hexad.settings import Settings, survey

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime
    from typing import Self

    from hexad.calls.outcome import FailureRule
    from hexad.context.explanation import Explanation
    from hexad.context.layers.runtime import RuntimeContextProvider
    from hexad.interchange.importing import Imported
    from hexad.learning.learnings import LearningCollection
    from hexad.learning.recorder import Recorded
    from hexad.memory.checking import Damage
    from hexad.memory.collection import RecordCollection
    from hexad.memory.conversations.capture import Capture
    from hexad.memory.grounded import Grounded
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

T = TypeVar("T")


@dataclass(slots=True)
class _Shared:
    """State that an engine shares with its scopes: whether it is closed, and the
    namespaces where tools are watched.
    """

    closed: bool = False
    watched: Recent[str, int] = field(
        default_factory=lambda: Recent(1000, inherited=True)
    )


class Hexad:
    """An agent's context: save, retrieve, assemble. Make one with `open`.
    ``knowledge``, ``proposals``, ``references``, ``learnings``, ``skills``, ``habits``
    and ``audit`` hold what is stored; ``enabled``, ``namespace``, ``session``,
    ``settings``, ``store`` and ``retriever`` say how it was opened.

    >>> with Hexad.open(":memory:", enabled=True) as hx:
    ...     _ = hx.knowledge.save("deploy-window", "Deploy on Tuesdays and Thursdays only", category="rule")
    ...     print(hx.prompt("You are terse.", "when may I deploy?"))
    You are terse.
    <BLANKLINE>
    ## Standing Rules and Preferences
    - deploy-window: Deploy on Tuesdays and Thursdays only
    """

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        *,
        owner: bool = True,
        shared: _Shared | None = None,
    ) -> None:
        workspace, find = engine.workspace, self._find
        self._engine = engine
        self._owner = owner
        self._shared = shared or _Shared()
        self.settings: Final = settings
        self.enabled: Final = settings.enabled
        self.namespace: Final = workspace.namespace
        self.session: Final = workspace.session  # of calls that name none
        self.store: Final = workspace.store
        self.retriever: Final = engine.retriever
        self.own_retriever: Final = engine.own_retriever
        self.knowledge: Final = KnowledgeCollection(workspace, find)
        self.proposals: Final = Proposals(workspace, find)
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
        embedder: Embedder | str | None = None,
        embedder_name: str | None = None,
        patient: bool = False,
        **settings: Any,
    ) -> Hexad:
        """Open a database file, and create it if it does not exist; ``":memory:"``
        keeps everything in this process.

        Without ``enabled=True`` (here, as HEXAD_ENABLED, or in `hexad.toml` beside the
        database) the engine is off: it creates nothing, retrieves nothing, and passes
        prompts through. ``settings`` are those of `hexad.settings`.

        With the extra `semantic` entries are found by meaning too. ``embedder``
        replaces its embeddings: "encoder", the sentence encoder of that extra, or a
        function from a list of texts to an array with one row for each. Vectors are
        stored under ``embedder_name``, so that those of two embedders are never mixed.
        An embedder loads in the background; until then words answer alone (`ready`
        waits for it). With ``patient``, for a process that asks once, a question waits
        for it: half of ``layer_deadline``.

        >>> Hexad.open("never-created.db").retrieve("anything").items
        {}
        """
        if not callable(token_counter):
            raise InvalidInput(
                "token_counter", "must be a function from text to a number of tokens"
            )
        address = admission.address("database", database)
        named, own_embedder = (
            (embedder, None) if isinstance(embedder, str) else (None, embedder)
        )
        given = {
            "enabled": enabled,
            "namespace": namespace,
            "embedder": named,
            **settings,
        }
        known = survey(given, beside=build.folder_of(address), config=config).settings
        store = build.store_at(address, known)
        workspace = replace(
            build.workspace_of(store, known, clock, session),
            similarity=build.similarity_of(
                known, own_embedder, embedder_name, patient=patient
            ),
        )
        own = (
            build.retriever_of(workspace, known)
            if retriever is None
            else checked(retriever)
        )
        engine = Engine(
            workspace=workspace,
            retriever=own if known.enabled else build.NoRetriever(workspace.namespace),
            max_per_layer=known.max_per_layer,
            counter=token_counter,
            standing_budget=known.standing_budget if known.enabled else 0,
        )
        return cls(engine, known)

    @cached_property
    def learnings(self) -> LearningCollection:
        """Errors of tools, and their fixes."""
        return self._engine.observer.collection(self._find)

    @cached_property
    def skills(self) -> SkillLibrary:
        """Procedures, by name."""
        return build.skills_of(self._engine, self.settings, self._find)

    @property
    def collections(self) -> Mapping[str, RecordCollection[Any]]:
        """The four collections of records, each by what one record is called."""
        return {
            each.layer.noun: each
            for each in (self.knowledge, self.references, self.learnings, self.skills)
        }

    @cached_property
    def capture(self) -> Capture:
        """Keeps what the user says in a conversation: call it, `hx.capture(messages,
        session=…, typed=False)`.
        """
        return build.capture_of(self._engine, self.settings, self._find)

    def retrieve(
        self,
        query: str,
        layers: Iterable[Layer | str] | None = None,
        max_per_layer: int | None = None,
        *,
        session: str | None = None,
        as_of: datetime | None = None,
    ) -> Retrieval:
        """The items that matter for a message, best first in each layer.

        Without ``layers`` it searches User Knowledge, Skill Patterns, External
        Knowledge and Agent Learnings. Any string is a safe query. A layer that fails is
        in the result's ``failures``; the others answer as usual. With ``as_of`` it
        answers from what was known at that time: entries in their versions of then.

        >>> from datetime import UTC, datetime
        >>> hx = Hexad.open(":memory:", enabled=True, semantic=False)
        >>> _ = hx.knowledge.save("dentist", "My dentist is Dr Winter")
        >>> then = datetime.now(UTC)
        >>> _ = hx.knowledge.save("dentist", "My dentist is Dr Sommer")
        >>> hx.retrieve("who is my dentist?", as_of=then).all()[0].content
        'My dentist is Dr Winter'
        """
        if as_of is not None:
            from hexad.store.volatile import VolatileStore  # noqa: PLC0415 - needed for an earlier time alone

            return self._engine.as_of(as_of, VolatileStore).retrieve(
                query, layers, max_per_layer, session=session
            )
        return self._engine.retrieve(query, layers, max_per_layer, session=session)

    def assemble(
        self, base: str, retrieval: Retrieval, *, budget: int | None = None
    ) -> Prompt:
        """The base prompt with the retrieved items after it, within ``budget`` tokens
        if one is given.

        It counts and writes nothing: call `shown` when the prompt goes to a model.
        """
        return self._engine.assemble(base, retrieval, budget=budget)

    def shown(self, prompt: Prompt) -> None:
        """Record that a model got this prompt: one more use of each item in it, and an
        offer of each fix.

        Every call counts, so call it once for each turn. A prompt of another namespace,
        or of an engine that is off, records nothing. It does not wait for other writers
        longer than 0.1 seconds.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> _ = hx.knowledge.save("units", "Answer in metric units")
        >>> prompt = hx.assemble("You are terse.", hx.retrieve("which units?"))
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
        """The prompt for a message: standing context, then what was found besides it;
        recorded as shown.

        ``budget`` is for what was found; the setting ``standing_budget`` is for what
        stands in every prompt.
        """
        prompt = self.assemble(
            base, self.turn(message, layers, session=session), budget=budget
        )
        self.heard(message, session=session)
        self.shown(prompt)
        return prompt

    def heard(
        self, message: str, *, session: str | None = None, by_all: bool = False
    ) -> None:
        """Note that the user said this in a session: what an agent saves of it counts
        as the user's word.

        `prompt` and the edges do it. It is kept in memory only. ``by_all`` is for a
        process with one conversation, whose tools are called under another session's
        name.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> hx.heard("I'm allergic to peanuts", session="s1")
        >>> hx.said("User is allergic to peanuts", session="s1").sentence
        "I'm allergic to peanuts"
        """
        text = admission.instance("message", message, str, "text")
        if self.enabled:
            workspace = self._engine.workspace
            workspace.heard.hear(
                self.namespace, workspace.session_of(session), text, by_all=by_all
            )

    def said(self, note: str, *, session: str | None = None) -> Grounded:
        """Whether the user said in this session what a note says; else why not."""
        from hexad.memory.ground import ground  # noqa: PLC0415 - loads in 10 ms, needed when an agent saves

        workspace, text = (
            self._engine.workspace,
            admission.text("content", note, limit=self.settings.max_text),
        )
        return ground(
            text, workspace.heard.said(self.namespace, workspace.session_of(session))
        )

    def turn(
        self,
        message: str,
        layers: Iterable[Layer | str] | None = None,
        *,
        session: str | None = None,
    ) -> Retrieval:
        """Standing context and what was found besides it: what `prompt` assembles."""
        return self._engine.turn(message, layers, session=session)[0]

    def standing(self) -> tuple[Item, ...]:
        """The user's rules, preferences and pins, which are in every prompt, then short
        facts while they fit.
        """
        return self._engine.standing() if self.enabled else ()

    def explain(
        self,
        message: str,
        *,
        base: str = "",
        layers: Iterable[Layer | str] | None = None,
        budget: int | None = None,
        session: str | None = None,
    ) -> Explanation:
        """Every candidate for a message's prompt, with its score and verdict. Nothing
        is counted as used.
        """
        return self._engine.explain(
            message, base=base, layers=layers, budget=budget, session=session
        )

    def used(
        self, item: Item, query: str, *, session: str | None = None
    ) -> tuple[Association, ...]:
        """Record that an item was useful for a question: the question's words help to
        find it next time.

        Returns all words that lead to the item now; `habits` shows and resets them. A
        tool that succeeded under `watch` or `observe` is counted automatically if the
        session's latest shown prompt had it.

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
        """The same tool, observed: its results and exceptions stay as they are, and
        Hexad learns from its failures.

        It works for functions, methods, partials, objects with ``__call__``, coroutines
        and generators, and for the tool objects and toolsets of agent frameworks. With
        ``advise`` what is known is appended to the error that goes back to the model.
        ``failure`` is a function from a result to the failure that it reports, or None;
        the default is `hexad.calls.outcome.reported_failure`.
        """
        if not self.enabled:
            return tool
        self._shared.watched.put(self.namespace, 1)
        observer = self._engine.observer
        return cast(
            "T",
            observer.watch(
                tool, advise=advise, name=name, session=session, failure=failure
            ),
        )

    def observe(
        self,
        *,
        tool: str,
        args: object = None,
        result: object = None,
        error: object = None,
        said: str = "",
        session: str | None = None,
        failure: FailureRule | None = None,
        patience: float | None = None,
        strict: bool = False,
    ) -> Learning | None:
        """Learn from a call that was made elsewhere; return the learning of its error,
        if it failed.

        ``error`` is an exception or a text; without one the result is judged, as in
        `watch`. ``said`` is the agent's own sentence about the call. ``patience`` is
        the longest time in seconds to wait for other writers. If the store cannot be
        written, that is a warning in the log, or with ``strict`` an error.
        """
        call = {
            "tool": tool,
            "args": args,
            "result": result,
            "error": error,
            "said": said,
        }
        return self.observed(
            call, session=session, failure=failure, patience=patience, strict=strict
        ).learning

    def observed(
        self,
        call: dict[str, Any],
        *,
        session: str | None = None,
        failure: FailureRule | None = None,
        patience: float | None = None,
        strict: bool = False,
    ) -> Recorded:
        """Like `observe`; the answer also says whether this call mended what had cost
        much (``mended``).
        """
        from hexad.learning.recorder import Recorded  # noqa: PLC0415 - loads learning: 25 ms

        if not self.enabled:
            return Recorded()
        admission.instance(
            "call", call, dict, "a dict with tool, args, result, error and said"
        )
        self._shared.watched.put(self.namespace, 1)
        return self._engine.observer.observe(
            call.get("tool", ""),
            call.get("args"),
            call.get("result"),
            call.get("error"),
            said=call.get("said", ""),
            session=session,
            failure=failure,
            patience=patience,
            strict=strict,
        )

    def lesson_wanted(self, done: Recorded, *, session: str | None = None) -> bool:
        """Whether the agent should be asked to put into words what a call mended: at
        most once a session.
        """
        from hexad.learning.recorder import Recorded  # noqa: PLC0415 - as above

        admission.instance("done", done, Recorded, "what `observed` answers")
        return self.enabled and self._engine.observer.wants_words(done, session)

    def scoped(
        self, *, namespace: str | None = None, session: str | None = None
    ) -> Hexad:
        """The same engine in another namespace or session; closing the scope leaves the
        database open.
        """
        workspace = replace(
            self._engine.workspace,
            namespace=self.namespace
            if namespace is None
            else admission.key("namespace", namespace),
            session=self.session
            if session is None
            else admission.label("session", session),
        )
        retriever: Retriever = self.retriever
        if not self.enabled:
            retriever = build.NoRetriever(workspace.namespace)
        elif self.own_retriever is not None:
            retriever = replace(self.own_retriever, namespace=workspace.namespace)
        return self._like(owner=False, workspace=workspace, retriever=retriever)

    def beside(self, other: Hexad) -> Hexad:
        """An engine that reads another memory too, such as one's own beside a
        project's; saves go to this one.

        This memory's entries come first, and both share the limits of one. This engine
        stays as it is.

        >>> own, project = (Hexad.open(":memory:", enabled=True) for _ in range(2))
        >>> _ = own.knowledge.save("tabs", "Indent with tabs"), project.knowledge.save("spaces", "Four spaces")
        >>> [item.key for item in project.beside(own).standing()]
        ['spaces', 'tabs']
        """
        admission.instance("other", other, Hexad, "an engine")
        there, both = other._engine, self.enabled and other.enabled
        more = (*self._engine.others, replace(there, others=()), *there.others)
        return self._like(others=more) if both else self

    def with_tool_registry(self, tools: object) -> Hexad:
        """An engine that also knows these tools: a provider, or a list of callables or
        descriptors.

        Skills call the callables among them. This engine stays as it is.
        """
        registry = registry_of(tools)
        known = registry.callables if isinstance(registry, ToolRegistry) else {}
        extended = self._with_provider(
            lambda retriever: retriever.with_tool_registry(registry)
        )
        return extended._like(tools=known) if self.enabled else extended  # noqa: SLF001 - of this class

    def with_runtime_context(self, provider: RuntimeContextProvider) -> Hexad:
        """An engine that also knows the state of the process. This engine stays as it
        is.
        """
        return self._with_provider(
            lambda retriever: retriever.with_runtime_context(provider)
        )

    def with_retriever(self, retriever: Retriever) -> Hexad:
        """An engine that uses another retriever, such as a vector service. This engine
        stays as it is.
        """
        return self._like(retriever=checked(retriever)) if self.enabled else self

    def forget(
        self,
        *,
        subject: str | None = None,
        session: str | None = None,
        everything: bool = False,
        traces: bool = False,
    ) -> Forgotten:
        """Erase all about a subject, of a session or of this namespace, bytes included;
        or ``traces`` left before.
        """
        wanted: Any = {
            "subject": subject,
            "session": session,
            "everything": everything,
            "traces": traces,
        }
        return forget_all(self._engine.workspace, **wanted, also=build.forget_elsewhere)

    def erase_traces(self) -> bool:
        """Erase the bytes that `forget` left; return whether all are gone."""
        return self.forget(traces=True).erased

    def reindex(self, *, progress: Callable[[int, int], None] | None = None) -> int:
        """Embed the entries that have no vector of this engine's embedder, in every
        namespace; return their number.

        Until then they are found by their words. Without an embedder `MissingExtra` is
        raised.
        """
        workspace = self._engine.workspace
        if not self.enabled:
            raise Disabled
        if not self.settings.semantic:
            raise ConfigError(
                "semantic", "is false, so nothing is embedded; turn it on to reindex"
            )
        if workspace.similarity is None:
            raise missing_extra("search by meaning", "semantic")
        return embed_missing(
            self.store, workspace.similarity, workspace.clock(), progress or _quiet
        )

    def ready(self, timeout: float = 2.0) -> bool:
        """Whether entries are found by meaning too; the embedder is loaded, and waited
        for ``timeout`` seconds.
        """
        similarity = self._engine.workspace.similarity
        return similarity is not None and similarity.ready(timeout)

    def without_vector(self) -> int | None:
        """The number of entries that are found by words alone until `reindex`; None
        without an embedder.
        """
        here, now = self._engine.workspace, self._engine.workspace.clock()
        return (
            None
            if here.similarity is None
            else missing_vectors(self.store, here.similarity, now)
        )

    def check(self, *, repair: bool = False) -> tuple[Damage, ...]:
        """Compare rows, versions, index and vectors, with ``repair`` after rebuilding
        them; return what differs.
        """
        from hexad.memory.checking import damages, rebuild  # noqa: PLC0415 - loads in 5 ms, rarely needed
        from hexad.skills.definition import is_altered  # noqa: PLC0415 - loads in 3 ms

        workspace, loaded = self._engine.workspace, self.ready(60)
        similarity = workspace.similarity if loaded else None
        aside = (
            rebuild(self.store, workspace.clock(), similarity)
            if admission.flag("repair", repair)
            else ()
        )
        return (*aside, *damages(self.store, similarity, is_altered))

    def backup(self, file: str | os.PathLike[str], *, everything: bool = False) -> int:
        """Write every namespace, or without ``everything`` a scope's own, as JSON
        Lines; return the number of lines.
        """
        from hexad.memory.backup.writing import write_backup  # noqa: PLC0415 - loads in 3 ms, rarely needed

        only = (
            None
            if self._owner or admission.flag("everything", everything)
            else self.namespace
        )
        self._engine.workspace.flush()
        return write_backup(
            self._engine.workspace, admission.path("file", file), namespace=only
        )

    def restore(
        self,
        file: str | os.PathLike[str],
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Restore a whole backup into an empty database; return the number of data
        lines.
        """
        from hexad.memory.backup.restoring import restore_backup  # noqa: PLC0415 - loads in 4 ms, rarely needed

        store, similarity = (
            self._engine.workspace.store,
            self._engine.workspace.similarity,
        )
        count = restore_backup(
            store, admission.path("file", file), progress or _quiet, similarity
        )
        for namespace in all_namespaces(store):
            with store.transaction(namespace) as unit:
                build.carry_learnings_over(unit)
        return count

    def import_file(
        self,
        file: str | os.PathLike[str],
        *,
        format: str | None = None,
        overwrite: bool = False,
        mine: bool = False,
        preview: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Imported:
        """Add a file or folder of Hexad's or another program's;
        `hexad.interchange.formats` lists the formats.

        Origins become import, skills drafts, rules proposals, and nothing is pinned,
        unless it is ``mine``. Entries that exist already are kept, unless
        ``overwrite``. With ``preview`` nothing changes.
        """
        from hexad.interchange.importing import Wish, import_files  # noqa: PLC0415 - loads learning and skills: 70 ms

        path, show = admission.path("file", file), progress or _quiet
        wish = Wish(overwrite=overwrite, mine=mine, preview=preview, format=format)
        return import_files(self._engine.workspace, self._find, path, wish, show)

    def export(
        self, folder: str | os.PathLike[str], *, subject: str | None = None
    ) -> int:
        """Write each record, or what is known about a subject, as a page of Markdown;
        return how many.
        """
        from hexad.interchange.exporting import export_files  # noqa: PLC0415 - loads in 40 ms, rarely needed

        return export_files(
            self._engine.workspace, admission.path("folder", folder), subject
        )

    def close(self) -> None:
        """Write waiting counts and close the database; a scope only writes. Closing
        twice is allowed.

        Before that, sequences of watched calls that several sessions made are offered
        as drafts of skills.
        """
        closes = self._owner and not self._shared.closed
        for namespace in (
            sorted(self._shared.watched)
            if closes and self.settings.discover_skills
            else ()
        ):
            try:
                self.scoped(namespace=namespace).skills.discover()
            except Exception as error:  # noqa: BLE001 - the engine must close
                tell("no skills were discovered", error)
        self._engine.workspace.flush()
        if closes:
            self._shared.closed = True
            if self.store.shared_as is not None:
                leave_tally(self.store.shared_as)
            self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Hexad {self.store.location} namespace={self.namespace!r} {'enabled' if self.enabled else 'off'}>"

    def _find(
        self, layer: Layer, query: str, *, limit: int, facets: Mapping[str, str]
    ) -> tuple[Item, ...]:
        if not self.enabled:
            return ()
        return build.retriever_of(self._engine.workspace, self.settings).search(
            layer, query, limit=limit, facets=facets
        )

    def _with_provider(
        self, change: Callable[[ContextRetriever], ContextRetriever]
    ) -> Hexad:
        if not self.enabled:
            return self
        own = self.own_retriever
        if own is None:
            raise InvalidInput(
                "retriever",
                f"{type(self.retriever).__name__} takes no providers; give them to it directly",
            )
        return self._like(retriever=change(own))

    def _like(self, *, owner: bool | None = None, **changes: Any) -> Hexad:
        engine = replace(self._engine, **changes)
        return Hexad(
            engine,
            self.settings,
            owner=self._owner if owner is None else owner,
            shared=self._shared,
        )


def _quiet(done: int, total: int) -> None:
    """Show no progress."""
