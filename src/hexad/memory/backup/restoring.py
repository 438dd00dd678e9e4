"""A whole backup → an empty database. The file is checked first, so that nothing is
written of one that is wrong.

It is read twice, line by line, and written in batches; each namespace in one
transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import BackupError, HexadError, InvalidInput
from hexad.memory import admission
from hexad.memory.audit import GENESIS
from hexad.memory.backup.lines import backup_lines
from hexad.memory.index.indexing import put
from hexad.model import (
    RECORDS,
    Association,
    AuditRecord,
    Knowledge,
    Layer,
    Proposal,
    Record,
    Skill,
    SkillVersion,
    Version,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from hexad.memory.backup.lines import BackupLine, BackupLines, Noun
    from hexad.memory.index.similarity import Similarity
    from hexad.store import Store, Writing

_ANY: Final = (
    64 * 1024 * 1024
)  # a text that was stored under a larger limit comes back under it
_BATCH: Final = 500_000  # characters of the lines that are written together


def restore_backup(
    store: Store,
    path: Path,
    progress: Callable[[int, int], None],
    similarity: Similarity | None = None,
) -> int:
    """Bring back a whole backup into a database that holds nothing; returns the lines
    of data.
    """
    with backup_lines(path) as lines:
        total, done = _checked(lines), 0
        if store.namespaces(limit=1):
            problem = f"{store.location} is not empty: restore into a new database, or use import to add to it"
            raise BackupError(str(path), problem)
        for namespace, run in groupby(lines, key=lambda line: line.namespace):
            with store.transaction(namespace) as unit:
                for written in filter(None, _write(unit, run, lines.name, similarity)):
                    done += written
                    progress(done, total)
    return total


def check_backup(path: Path) -> None:
    """Raise a `BackupError` if the file at ``path`` is not a backup that can be
    restored.
    """
    with backup_lines(path) as lines:
        _checked(lines)


def _checked(lines: BackupLines) -> int:
    """The number of lines, each of which fits those before it."""
    count, namespaces = 0, dict[str, _Checked]()
    for count, line in enumerate(lines, start=1):  # noqa: B007 - the last one is returned
        noun = line.noun(lines.name)
        try:
            if admission.key("namespace", line.namespace) != line.namespace:
                raise InvalidInput("namespace", "has white space around it")
            namespaces.setdefault(line.namespace, _Checked()).add(noun)
        except HexadError as error:
            raise BackupError(lines.name, str(error), line.number) from error
    return count


def _write(
    unit: Writing, lines: Iterable[BackupLine], file: str, similarity: Similarity | None
) -> Iterator[int]:
    """Store lines in batches; yields the number of nouns that each batch stored."""
    waiting, size, learned = (
        list[Any](),
        0,
        dict[tuple[Layer, str], list[Association]](),
    )
    for line in lines:
        noun = line.noun(file)
        if isinstance(noun, Association):  # of an item all at once
            learned.setdefault((noun.layer, noun.id), []).append(noun)
            continue
        waiting.append(noun)
        size += line.size
        if size >= _BATCH:
            yield _stored(unit, waiting, similarity)
            waiting, size = [], 0
    yield _stored(unit, waiting, similarity)
    for place, each in learned.items():
        unit.associate(*place, each)
        yield len(each)


def _stored(unit: Writing, nouns: Sequence[Noun], similarity: Similarity | None) -> int:
    """Store nouns, records first: a version comes after its record. Returns their
    number.
    """
    put(unit, [noun for noun in nouns if isinstance(noun, RECORDS)], similarity)
    unit.add_versions(
        [noun for noun in nouns if isinstance(noun, Version | SkillVersion)]
    )
    unit.append_audit([noun for noun in nouns if isinstance(noun, AuditRecord)])
    unit.propose([noun for noun in nouns if isinstance(noun, Proposal)])
    return len(nouns)


@dataclass(slots=True)
class _Checked:
    """A namespace as far as it was checked: what later nouns have to fit."""

    records: dict[tuple[Layer, str], int] = field(
        default_factory=dict
    )  # the newest version that each may have
    versions: set[tuple[Layer, str, int]] = field(default_factory=set)
    associations: set[tuple[Layer, str, str]] = field(default_factory=set)
    audit: tuple[int, str] = (0, GENESIS)  # sequence and hash of the last record

    def add(self, noun: Noun) -> None:
        """Take in a noun, or raise an error that says what is wrong with it."""
        if isinstance(noun, Version):
            self._add_version(Layer.USER_KNOWLEDGE, noun.key, noun.version)
        elif isinstance(noun, SkillVersion):
            self._add_version(Layer.SKILL_PATTERNS, noun.name, noun.version)
        elif isinstance(noun, Association):
            self._add_association(noun)
        elif isinstance(noun, AuditRecord):
            self._add_audit(noun)
        elif isinstance(noun, Proposal):
            admission.key("id", noun.id)
        else:
            self._add_record(noun)

    def _add_record(self, record: Record) -> None:
        place = (record.layer, admission.key("key", record.id))
        if place in self.records or place[1] != record.id:
            raise InvalidInput(
                "key", f"{record.id!r} is there twice, or has white space around it"
            )
        newest = 0
        if isinstance(record, Knowledge):
            admission.text("content", record.content, limit=_ANY, required=True)
            admission.number("relevance", record.relevance)
            newest = admission.whole("version", record.version, low=1)
            admission.whole(
                "first_version", record.first_version, low=1, high=record.version
            )
            if record.position is not None:
                admission.whole("position", record.position, low=0)
        if isinstance(record, Skill):
            newest = (
                admission.whole("version", record.version, low=1) - 1
            )  # its own is not among the earlier ones
        self.records[place] = newest

    def _add_version(self, layer: Layer, id: str, version: int) -> None:
        """A version of an entry, or an earlier one of a skill."""
        if (layer, id) not in self.records or (layer, id, version) in self.versions:
            raise InvalidInput(
                "version", f"{version} of {id!r} has no {layer.noun}, or is there twice"
            )
        admission.whole("version", version, low=1, high=self.records[layer, id])
        self.versions.add((layer, id, version))

    def _add_association(self, association: Association) -> None:
        place = (
            association.layer,
            admission.key("id", association.id),
            association.term,
        )
        if association.weight < 0:
            raise InvalidInput("weight", "must not be below 0")
        if place in self.associations:
            raise InvalidInput("term", f"{association.term!r} is there twice")
        self.associations.add(place)

    def _add_audit(self, record: AuditRecord) -> None:
        sequence, head = self.audit
        if (record.sequence, record.previous) != (sequence + 1, head):
            raise InvalidInput(
                "sequence",
                f"record {record.sequence} does not follow record {sequence}",
            )
        self.audit = (record.sequence, record.hash)
