"""Reading, listing, searching, deleting and forgetting records of one layer by their
ids: the same for every kind.
"""

from __future__ import annotations

from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, cast

from hexad.errors import NotFound, RateLimited
from hexad.memory import admission
from hexad.model import KEEP, Forgotten, Item, Layer, Origin, Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from hexad.memory.workspace import Change, Workspace

N = TypeVar("N", bound=Record)


class Finder(Protocol):
    """Finds items of one layer: the engine gives each collection the way it searches."""

    def __call__(
        self, layer: Layer, query: str, *, limit: int, facets: Mapping[str, str]
    ) -> tuple[Item, ...]:
        """The best items, best first, of those whose facets have these values."""


class RecordCollection(Generic[N]):
    """The records of one layer."""

    layer: ClassVar[Layer]

    def __init__(self, workspace: Workspace, find: Finder) -> None:
        self._workspace = workspace
        self._find = find

    def get(self, id: str) -> N:
        """The record of that id; else `NotFound`."""
        found = self.lookup(id)
        if found is None:
            raise self._missing(id)
        return found

    def lookup(self, id: str) -> N | None:
        """The record of that id; None if there is none."""
        row = self._workspace.row(self.layer, admission.key("key", id))
        found = cast("N | None", row and row.record)
        return None if found is None or self._is_hidden(found) else found

    def list(self) -> tuple[N, ...]:
        """Every record, in the order of first saving."""
        return tuple(self._records())

    def delete(self, id: str) -> None:
        """Remove a record; else `NotFound`."""
        with self._workspace.change(actor=Origin.USER) as change:
            change.audit(f"{self.layer.noun}.delete", self._take_away(change, id))

    def forget(self, id: str) -> Forgotten:
        """Remove a record and leave no bytes of it: takes time linear in the database."""
        with self._workspace.change(actor=Origin.USER) as change:
            change.audit(f"{self.layer.noun}.forget", self._take_away(change, id))
            change.unit.scrub()
        return self._workspace.erase_traces(1)

    @contextmanager
    def together(self) -> Iterator[Self]:
        """This collection inside one transaction: what is read there stays true until
        it is over.
        """
        here, workspace = copy(self), self._workspace
        try:
            with workspace.transaction() as unit:
                here._workspace = replace(  # noqa: SLF001 - one of us
                    workspace.joining(unit), limits=workspace.limits
                )
                yield here
        except RateLimited as error:
            workspace.audit_rejection(error, Origin.AGENT)
            raise

    def _upsert(
        self, new: N, *, carried: tuple[str, ...] = (), slot: str | None = None
    ) -> N:
        """Insert a record or replace the one with its id; saving the same again changes
        nothing.

        ``carried`` names the fields beyond times and counts that stay as they were.
        """
        with self._workspace.change(actor=new.origin, session=new.session) as change:
            new, old = self._settled(change, new)
            kept = new if old is None else _succeeding(old, new, carried)
            if kept == old:
                return kept
            if slot is not None:
                change.take_slot(slot)
            change.put(kept)
            facts = {
                "redacted": [*new.redactions],
                "new": old is None,
                **self._noted(kept),
            }
            change.audit(f"{self.layer.noun}.save", new.id, facts)
        return kept

    def _noted(self, _record: N) -> dict[str, Any]:
        """Further facts about a record that was saved, for the log."""
        return {}

    def _said(
        self, intake: admission.Intake, origin: str, session: str | None
    ) -> dict[str, Any]:
        """The fields of every new record: who said it, when, and what was redacted; ask
        when its texts are taken.
        """
        name, now = self._workspace.session_of(session), self._workspace.clock()
        who = Origin.parse(origin, "origin")
        return {
            "origin": who,
            "session": name,
            "created": now,
            "updated": now,
            **intake.notes,
        }

    def _settled(self, change: Change, new: N) -> tuple[N, N | None]:
        """A new record, fitted to the stored one of its id, and that one, inside the
        transaction that stores it.
        """
        return new, cast("N | None", change.get(self.layer, new.id))

    def _search(
        self, query: str, *, limit: int, **facets: str | None
    ) -> tuple[Item, ...]:
        wanted = {name: value for name, value in facets.items() if value is not None}
        return self._find(
            self.layer,
            query,
            limit=admission.whole("limit", limit, low=1),
            facets=wanted,
        )

    def _is_hidden(self, record: N) -> bool:
        """Whether a record is kept, and neither found nor listed."""
        return False

    def _present(self, change: Change, id: str) -> N:
        """The record of that id inside a change; else `NotFound`."""
        found = cast("N | None", change.get(self.layer, admission.key("key", id)))
        if found is None or self._is_hidden(found):
            raise self._missing(id)
        return found

    def _records(self, *, hidden: bool = False) -> Iterator[N]:
        every = (cast("N", row.record) for row in self._workspace.rows(self.layer))
        return (record for record in every if self._is_hidden(record) is hidden)

    def _take_away(self, change: Change, id: str) -> str:
        name = admission.key("key", id)
        if not change.remove(self.layer, name):
            raise self._missing(name)
        return name

    def _missing(self, id: str) -> NotFound:
        return NotFound(self.layer.noun, id, self._workspace.namespace)


def not_given(**arguments: object) -> tuple[str, ...]:
    """The names of the arguments that a caller left as they are."""
    return tuple(name for name, value in arguments.items() if value is KEEP)


def _succeeding(old: N, new: N, carried: tuple[str, ...]) -> N:
    """The new record with the carried fields of the old one; the old one itself if
    nothing else differs.
    """
    stays: dict[str, Any] = {
        name: getattr(old, name)
        for name in ("created", "use_count", "last_used", *carried)
    }
    if carried:  # of what stays, it is still true what was taken out of it, or left in
        stays["redactions"] = tuple(sorted({*old.redactions, *new.redactions}))
        stays["verbatim"] = old.verbatim or new.verbatim
    kept = replace(new, **stays)
    again: dict[str, Any] = {"updated": old.updated, "session": old.session}
    if new.origin is not Origin.USER:
        again["origin"] = (
            old.origin
        )  # somebody else repeating a word does not make it theirs
    return old if replace(kept, **again) == old else kept
