"""Import of somebody else's file into a namespace: checked like every save, and trusted less."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from hexad.errors import BackupError, HexadError
from hexad.learning.learnings import LearningCollection
from hexad.memory.backup.batching import BatchedWriting
from hexad.memory.backup.lines import backup_lines
from hexad.memory.knowledge import KnowledgeCollection
from hexad.memory.references import ReferenceCollection
from hexad.model import RECORDS, Knowledge, Learning, Origin, Record, Reference, Skill
from hexad.skills.library import SkillLibrary, roomy
from hexad.store.learning import TemplateFilter
from hexad.wire import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from hexad.memory.backup.lines import BackupLines, Line
    from hexad.memory.collection import Finder
    from hexad.memory.workspace import Change, Workspace
    from hexad.store import Writing

_BATCH: Final = 500_000  # characters of the lines that are read and written together
_MOST_LINES: Final = 500


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import."""

    added: int
    replaced: int  # records that were here and changed
    kept: int  # records that were here and stayed as they are
    left_out: int  # deleted entries, and lines of history and audit


def import_lines(
    workspace: Workspace, find: Finder, path: Path, *, overwrite: bool, progress: Callable[[int, int], None]
) -> Imported:
    """Add a file's records in one transaction: all of them, or none and the line that was wrong."""
    counts = {"added": 0, "replaced": 0, "kept": 0, "left_out": 0}
    with backup_lines(path, whole=False) as lines:
        total = _checked(lines)
        with workspace.change(actor=Origin.IMPORT) as change:
            saver = _Saver(change, find, str(path), overwrite=overwrite)
            outcomes = (outcome for batch in _batches(lines) for outcome in saver.save(batch))
            for done, outcome in enumerate(outcomes, start=1):
                counts[outcome] += 1
                progress(done, total)
            change.audit("import", "file", dict(counts))  # its name is somebody else's text
    return Imported(**counts)


class _Saver:
    """Saves line after line inside one transaction."""

    def __init__(self, change: Change, find: Finder, file: str, *, overwrite: bool) -> None:
        self._batch = BatchedWriting(change.unit)
        unit = cast("Writing", self._batch)
        workspace = change.workspace.joining(unit)
        self._change = replace(change, workspace=workspace, unit=unit)
        self._file = file
        self._overwrite = overwrite
        self._knowledge = KnowledgeCollection(workspace, find)
        self._references = ReferenceCollection(workspace, find)
        self._learnings = LearningCollection(workspace, find)
        self._skills = SkillLibrary(roomy(workspace), find)

    def save(self, lines: Sequence[Line]) -> Iterator[str]:
        """Save lines, and write them; for each the name of the count that it adds to."""
        records = [self._record(line) for line in lines]
        self._batch.expect([(each.layer, each.id) for each in records if each and not isinstance(each, Learning)])
        for line, record in zip(lines, records, strict=True):
            yield "left_out" if record is None else self._save(line, record)
        self._batch.write()

    def _record(self, line: Line) -> Record | None:
        """The record of a line, if it is one to be saved."""
        if TYPES[line.fields["type"]] not in RECORDS:
            return None
        now = self._change.workspace.clock()
        defaults = _IDENTITY.get(line.fields["type"], {})
        record = cast("Record", line.noun(self._file, created=now, updated=now, **defaults))
        return None if isinstance(record, Knowledge) and record.deleted is not None else record

    def _save(self, line: Line, record: Record) -> str:
        before = self._here(record)
        if before is not None and not self._overwrite:
            return "kept"
        try:
            self._store(record)
        except HexadError as error:
            raise BackupError(self._file, str(error), line.number) from error
        return "added" if before is None else "kept" if self._here(record) == before else "replaced"

    def _here(self, record: Record) -> Record | None:
        """The record of this namespace under the same key, or about the same error."""
        if not isinstance(record, Learning):
            found = self._change.get(record.layer, record.id)
            return None if isinstance(found, Knowledge) and found.deleted is not None else found
        wanted = TemplateFilter(record.trigger, limit=1, error_pattern=record.error_pattern)
        known = self._change.unit.templates([wanted])
        return self._change.get(record.layer, known[0][1]) if known else None

    def _store(self, record: Record) -> None:
        saves: dict[type[Record], Callable[..., Record]] = {
            Knowledge: self._knowledge.save,
            Reference: self._references.save,
            Learning: self._learnings.save,
            Skill: self._skills.create,
        }
        fields = {name: getattr(record, name) for name in _TAKEN[type(record)]}
        saves[type(record)](**fields, tags=record.tags, origin=Origin.IMPORT)


_TAKEN: Final[dict[type[Record], tuple[str, ...]]] = {
    # Without the pin: what a stranger pinned is not in everybody's prompt, and what is pinned here stays so.
    Knowledge: ("key", "content", "category", "source", "subject", "thread", "position", "expires", "relevance"),
    Reference: ("name", "location", "summary", "kind", "metadata"),
    Learning: ("trigger", "error_pattern", "diagnosis", "fix", "category"),
    Skill: ("name", "kind", "description", "definition", "parameters", "when", "author"),  # always a draft
}
_IDENTITY = {"learning": {"id": "imported"}}  # a hand-written file need not invent one; saving gives its own


def _batches(lines: Iterable[Line]) -> Iterator[Sequence[Line]]:
    batch: list[Line] = []
    for line in lines:
        batch.append(line)
        if len(batch) == _MOST_LINES or sum(each.size for each in batch) >= _BATCH:
            yield batch
            batch = []
    yield batch


def _checked(lines: BackupLines) -> int:
    """The number of lines of a file that can be imported: it holds records, and those of one namespace."""
    count, holds_records, names = 0, False, set[str]()
    for line in lines:
        count += 1
        holds_records = holds_records or TYPES[line.fields["type"]] in RECORDS
        names.add(line.namespace)
    if not holds_records:
        raise BackupError(lines.name, "holds nothing to import: no line is a record")
    found = sorted(names - {""})
    if len(found) > 1:
        raise BackupError(
            lines.name,
            f"holds {len(found)} namespaces ({', '.join(found[:5])}): restore it into a new database instead, "
            "or keep the lines of one",
        )
    return count
