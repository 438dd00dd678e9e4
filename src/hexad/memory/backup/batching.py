"""Many saves in one transaction, written in batches: an import of a thousand lines is a few large writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hexad.model import Layer
from hexad.store import Row, folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexad.model import AuditRecord, SkillVersion, Version
    from hexad.store import Entry, Writing

_BATCH: Final = 500  # records that wait before they are written


class BatchedWriting:
    """A transaction that keeps records, versions and audit records until there are many, or something else is asked.

    It stands in for a `Writing`: `get` and `chain_end` see what waits, every other call writes it first.
    """

    def __init__(self, unit: Writing) -> None:
        self.namespace = unit.namespace
        self._unit = unit
        self._entries: list[Entry] = []
        self._versions: list[Version | SkillVersion] = []
        self._audit: list[AuditRecord] = []
        self._rows: dict[tuple[Layer, str], Row | None] = {}  # read or written since the last write
        self._entries_by_key: dict[str, Row] = {}  # those that wait, without regard to case

    def get(self, layer: Layer, id: str) -> Row | None:
        """The row of that id; one that waits has no number yet."""
        if (layer, id) not in self._rows:
            self._rows[layer, id] = self._unit.get(layer, id)
        found = self._rows[layer, id]
        return self._entries_by_key.get(folded(id)) if found is None and layer is Layer.USER_KNOWLEDGE else found

    def expect(self, places: Sequence[tuple[Layer, str]]) -> None:
        """Read rows that will be asked for, at once where the store can."""
        for place in places:
            if place not in self._rows:
                self._rows[place] = self._unit.get(*place, ahead=places)

    def put(self, entries: Sequence[Entry]) -> None:
        """Keep records until the next write."""
        self._entries += entries
        for record, document, *_ in entries:
            row = self._rows[record.layer, record.id] = Row(0, record, document)
            if record.layer is Layer.USER_KNOWLEDGE:
                self._entries_by_key[folded(record.id)] = row
        if len(self._entries) >= _BATCH:
            self.write()

    def add_versions(self, versions: Sequence[Version | SkillVersion]) -> None:
        """Keep versions until the next write."""
        self._versions += versions

    def append_audit(self, records: Sequence[AuditRecord], details: Sequence[str] = ()) -> None:
        """Keep audit records until the next write, which encodes their details."""
        self._audit += records

    def chain_end(self) -> tuple[int, str] | None:
        """Sequence and hash of the newest audit record, written or not."""
        return (self._audit[-1].sequence, self._audit[-1].hash) if self._audit else self._unit.chain_end()

    def write(self) -> None:
        """Write everything that waits."""
        if self._entries:
            self._unit.put(self._entries)
        if self._versions:
            self._unit.add_versions(self._versions)
        if self._audit:
            self._unit.append_audit(self._audit)
        self._entries, self._versions, self._audit, self._rows = [], [], [], {}
        self._entries_by_key = {}

    def __getattr__(self, name: str) -> Any:
        """Any other call of a transaction, after what waits is written."""
        self.write()
        return getattr(self._unit, name)
