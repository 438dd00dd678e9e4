"""A whole backup → an empty database. The file is checked first, so that nothing is written of one that is wrong.

Each namespace is written in one transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from hexad.errors import BackupError, HexadError, InvalidInput
from hexad.memory import admission
from hexad.memory.audit import GENESIS
from hexad.memory.backup import Line, Noun, read_lines
from hexad.memory.indexing import put
from hexad.model import Association, AuditRecord, Knowledge, Layer, Proposal, Record, Skill, SkillVersion, Version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from hexad.memory.similarity import Similarity
    from hexad.store import Store, Writing

_N = TypeVar("_N")

_ANY: Final = 64 * 1024 * 1024  # a text that was stored under a larger limit comes back under it
_BATCH: Final = 500  # records in one call of the store


def restore_backup(
    store: Store, path: Path, progress: Callable[[int, int], None], similarity: Similarity | None = None
) -> int:
    """Bring back a whole backup into a database that holds nothing; returns the lines of data."""
    lines = read_lines(path)
    if store.namespaces(limit=1):
        raise BackupError(
            str(path), f"{store.location} is not empty: restore into a new file, or use import to add to it"
        )
    spaces: dict[str, _Namespace] = {}
    for line in lines:
        _check(line, str(path), spaces)
    done = 0
    for name, namespace in spaces.items():
        with store.transaction(name) as unit:
            for written in namespace.write(unit, similarity):
                done += written
                progress(done, len(lines))
    return len(lines)


def _check(line: Line, file: str, spaces: dict[str, _Namespace]) -> None:
    noun = line.noun(file)
    try:
        if admission.key("namespace", line.namespace) != line.namespace:
            raise InvalidInput("namespace", "has white space around it")
        spaces.setdefault(line.namespace, _Namespace()).add(noun)
    except HexadError as error:
        raise BackupError(file, str(error), line.number) from error


@dataclass(slots=True)
class _Namespace:
    """The nouns of a namespace, each checked against those that must have come before it."""

    records: dict[tuple[Layer, str], Record] = field(default_factory=dict)
    versions: dict[tuple[Layer, str, int], Version | SkillVersion] = field(default_factory=dict)
    associations: dict[tuple[Layer, str], dict[str, Association]] = field(default_factory=dict)
    proposals: dict[str, Proposal] = field(default_factory=dict)
    audit: list[AuditRecord] = field(default_factory=list)

    def add(self, noun: Noun) -> None:
        """Take in a noun, or say what is wrong with it."""
        if isinstance(noun, Version):
            self._add_version((Layer.USER_KNOWLEDGE, noun.key), noun, below=0)
        elif isinstance(noun, SkillVersion):
            self._add_version((Layer.SKILL_PATTERNS, noun.name), noun, below=1)
        elif isinstance(noun, Association):
            self._add_association(noun)
        elif isinstance(noun, Proposal):
            self.proposals[admission.key("id", noun.id)] = noun
        elif isinstance(noun, AuditRecord):
            self._add_audit(noun)
        else:
            self._add_record(noun)

    def write(self, unit: Writing, similarity: Similarity | None) -> Iterator[int]:
        """Store everything in batches; yields the number of nouns that each batch stored."""
        for records in _batches(list(self.records.values())):
            put(unit, records, similarity)
            yield len(records)
        for versions in _batches(list(self.versions.values())):
            unit.add_versions(versions)
            yield len(versions)
        for place, known in self.associations.items():
            unit.associate(*place, list(known.values()))
            yield len(known)
        if self.proposals:
            unit.propose(list(self.proposals.values()))
            yield len(self.proposals)
        for audit in _batches(self.audit):
            unit.append_audit(audit)
            yield len(audit)

    def _add_record(self, record: Record) -> None:
        place = (record.layer, admission.key("key", record.id))
        if place in self.records or place[1] != record.id:
            raise InvalidInput("key", f"{record.id!r} is there twice, or has white space around it")
        if isinstance(record, Knowledge):
            admission.text("content", record.content, limit=_ANY, required=True)
            admission.share("relevance", record.relevance)
            admission.whole("version", record.version, low=1)
            admission.whole("first_version", record.first_version, low=1, high=record.version)
            if record.position is not None:
                admission.whole("position", record.position, low=0)
        if isinstance(record, Skill):
            admission.whole("version", record.version, low=1)
        self.records[place] = record

    def _add_version(self, of: tuple[Layer, str], version: Version | SkillVersion, *, below: int) -> None:
        """A version of an entry, or an earlier one of a skill: that is ``below`` the skill's own number."""
        record, place = self.records.get(of), (*of, version.version)
        if not isinstance(record, Knowledge | Skill) or place in self.versions:
            raise InvalidInput("version", f"{version.version} of {of[1]!r} has no {of[0].noun}, or is there twice")
        admission.whole("version", version.version, low=1, high=record.version - below)
        self.versions[place] = version

    def _add_association(self, association: Association) -> None:
        admission.key("id", association.id)
        if association.weight < 0:
            raise InvalidInput("weight", "must not be below 0")
        known = self.associations.setdefault((association.layer, association.id), {})
        if association.term in known:
            raise InvalidInput("term", f"{association.term!r} is there twice")
        known[association.term] = association

    def _add_audit(self, record: AuditRecord) -> None:
        sequence, head = (self.audit[-1].sequence, self.audit[-1].hash) if self.audit else (0, GENESIS)
        if (record.sequence, record.previous) != (sequence + 1, head):
            raise InvalidInput("sequence", f"record {record.sequence} does not follow record {sequence}")
        self.audit.append(record)


def _batches(nouns: Sequence[_N]) -> Iterator[Sequence[_N]]:
    return (nouns[start : start + _BATCH] for start in range(0, len(nouns), _BATCH))
