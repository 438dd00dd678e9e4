"""One change, whole: rows, versions, index, audit record and slot happen together or
not at all.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from hexad import signals
from hexad.errors import RateLimited, StoreBusy, StoreError
from hexad.memory import audit
from hexad.memory.admission import MAX_TEXT, label
from hexad.memory.heard import Heard
from hexad.memory.index.indexing import pages, put
from hexad.memory.limits import Limits
from hexad.memory.troubles import tell
from hexad.memory.usage.counts import Uses
from hexad.memory.usage.prompts import Prompts, forget_texts
from hexad.memory.usage.timeline import forget_item, write_prompts
from hexad.model import DEFAULT_NAMESPACE, Erasure, Forgotten, Layer, Origin
from hexad.store.learning import LearningChanges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

    from hexad.memory.index.similarity import Similarity
    from hexad.model import Clock, Json, Record
    from hexad.store import Reading, Row, Store, Writing

_DETAILS: Final = {
    Erasure.DONE: "",
    Erasure.HELD: (
        "another program still reads an older state of the database; when it has ended, `hexad forget --traces` "
        "(in Python `erase_traces()`) removes the last bytes"
    ),
    Erasure.SCHEDULED: (
        "no query finds them any more; the server's next maintenance (VACUUM FULL) removes them from its tables, and "
        "its log, replicas and backups hold them until they expire"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Workspace:
    """One namespace of a store, with everything that saving needs; and the session of
    calls that name none.
    """

    store: Store
    clock: Clock
    limits: Limits
    uses: Uses
    namespace: str = DEFAULT_NAMESPACE
    session: str = ""
    max_text: int = MAX_TEXT
    similarity: Similarity | None = None
    own_files: Sequence[
        Path
    ] = ()  # of the database: hidden from scripts, and not overwritten by backups
    timeline: bool = False  # whether prompts are noted, by keys and scores
    prompts: Prompts = field(default_factory=Prompts)
    heard: Heard = field(
        default_factory=Heard
    )  # what the user said in the conversations of this process
    joined: Writing | None = (
        None  # the transaction in which everything is read and written, if somebody began one
    )

    def session_of(self, given: str | None) -> str:
        """The session a call named, else the workspace's."""
        return self.session if given is None else label("session", given)

    def reading(self) -> AbstractContextManager[Reading]:
        """One state of the namespace."""
        return (
            self.store.reading(self.namespace)
            if self.joined is None
            else nullcontext(self.joined)
        )

    def transaction(
        self, *, patience: float | None = None
    ) -> AbstractContextManager[Writing]:
        """A transaction without an audit record of its own."""
        if self.joined is not None:
            return nullcontext(self.joined)
        return self.store.transaction(self.namespace, patience=patience)

    def change(
        self, *, actor: str, session: str | None = None, patience: float | None = None
    ) -> ChangeTransaction:
        """A transaction that audits; a failure gives back the slots it took, and a
        rejection is audited by itself.
        """
        return ChangeTransaction(self, actor, self.session_of(session), patience)

    def joining(self, unit: Writing) -> Workspace:
        """A workspace whose changes join a transaction that somebody else began and
        will end. It has no limits.
        """
        return replace(self, joined=unit, uses=Uses(), limits=Limits({}))

    def flush(self, *, patience: float | None = None) -> None:
        """Write the uses and offers that wait. If the store is busy, full or gone, they
        wait on.
        """
        for namespace in self.uses.namespaces():
            try:
                with replace(self, namespace=namespace).change(
                    actor=Origin.AGENT, patience=patience
                ):
                    pass
                self.uses.refused = False
            except StoreError as error:
                if not self.uses.refused and not isinstance(error, StoreBusy):
                    tell("uses and offered fixes wait to be stored", error)
                    self.uses.refused = True
                return

    def row(self, layer: Layer, id: str) -> Row | None:
        """A stored row, with the uses that are not written yet."""
        with self.reading() as view:
            row = view.get(layer, id)
        return row and self._with_uses(row)

    def rows(self, layer: Layer) -> Iterator[Row]:
        """Every row of a layer, in the order of first saving, as it was at one moment."""
        with self.reading() as view:
            found = [row for page in pages(view, layer) for row in page]
        return map(self._with_uses, found)

    def erase_traces(self, entries: int) -> Forgotten:
        """The last step of forgetting, after its transaction."""
        forget_texts()
        state = self.store.flush_traces()
        return Forgotten(entries, state is Erasure.DONE, _DETAILS[state], state)

    def _with_uses(self, row: Row) -> Row:
        use = self.uses.waiting(self.namespace, row.record.layer, row.record.id)
        if use is None:
            return row
        return row._replace(
            record=replace(
                row.record, use_count=row.record.use_count + use.count, last_used=use.at
            )
        )

    def audit_rejection(self, error: RateLimited, actor: str) -> None:
        """Write into the log that a limit was reached."""
        with signals.measured("change") as actions, self.transaction() as unit:
            change = Change(self, unit, actor, error.session, [], actions)
            change.audit(f"{error.kind}.reject", error.kind, {"limit": error.limit})


@dataclass(slots=True, eq=False, repr=False)  # not frozen: every watched call makes one
class Change:
    """A transaction in progress."""

    workspace: Workspace
    unit: Writing
    actor: str
    session: str
    prompts: list[list[Any]] = field(default_factory=list)  # to be noted before it ends
    actions: signals.Facts = field(default_factory=dict)  # how often each was logged
    _taken: list[str] = field(default_factory=list)

    def take_slot(self, kind: str) -> None:
        """Count against the session's limit; given back if the change fails."""
        limit = self.workspace.limits.take(self.workspace.namespace, self.session, kind)
        self._taken.append(kind)
        if limit is not None:
            self.unit.take_slot(self.session, kind, limit)

    def give_back(self) -> None:
        """Give back every slot."""
        while self._taken:
            self.workspace.limits.give_back(
                self.workspace.namespace, self.session, self._taken.pop()
            )

    def get(self, layer: Layer, id: str) -> Record | None:
        """The record as it is inside this transaction."""
        row = self.unit.get(layer, id)
        return row.record if row else None

    def put(self, record: Record) -> None:
        """Store a record and, unless it is hidden, its terms and its vector."""
        put(self.unit, [record], self.workspace.similarity)

    def remove(self, layer: Layer, id: str) -> bool:
        """Remove a record with its terms, a skill's earlier versions, and a learning's
        mentions in calls and offers.
        """
        forget_item(self, layer, id)
        if layer is Layer.AGENT_LEARNINGS:
            self.unit.learn(LearningChanges(renamed={id: None}))
        elif layer is Layer.SKILL_PATTERNS:
            self.unit.remove_versions(layer, id)
        return self.unit.remove(layer, id)

    def audit(
        self,
        action: str,
        target: str,
        details: dict[str, Json] | None = None,
        *,
        at: datetime | None = None,
    ) -> int:
        """Write this change into the log, as of now or of when it happened; returns the
        record's sequence.
        """
        self.actions[action] = int(self.actions.get(action, 0)) + 1
        now = at or self.workspace.clock()
        return audit.append(
            self.unit,
            action,
            target,
            details or {},
            at=now,
            session=self.session,
            actor=self.actor,
        )


class ChangeTransaction:
    """A change as a context manager. A class, not a generator: every watched call opens
    one.
    """

    def __init__(
        self, workspace: Workspace, actor: str, session: str, patience: float | None
    ) -> None:
        self._workspace = workspace
        self._actor = actor
        self._session = session
        self._transaction = workspace.transaction(patience=patience)
        self._measured = signals.measured("change")

    def __enter__(self) -> Change:
        workspace, actions = self._workspace, self._measured.__enter__()
        try:
            unit = self._transaction.__enter__()
        except BaseException as error:
            self._measured.__exit__(type(error))
            raise
        self._waiting = workspace.uses.take(
            workspace.namespace
        )  # now, so that it is all that came meanwhile
        self._change = change = Change(
            workspace,
            unit,
            self._actor,
            self._session,
            [*self._waiting.prompts],
            actions,
        )
        self._attempt(lambda: self._waiting.write(change))
        return change

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._attempt(lambda: write_prompts(self._change))
        try:
            self._transaction.__exit__(kind, error, trace)
        except BaseException as failure:
            self._measured.__exit__(type(failure))
            self._undo(failure)
            raise
        self._measured.__exit__(kind)
        if error is not None:
            self._undo(error)

    def _attempt(self, write: Callable[[], None]) -> None:
        """Write something along with the change; if that fails, so does the change."""
        try:
            write()
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise

    def _undo(self, error: BaseException) -> None:
        self._workspace.uses.put_back(self._workspace.namespace, self._waiting)
        self._change.give_back()
        if isinstance(error, RateLimited):
            self._workspace.audit_rejection(error, self._actor)
