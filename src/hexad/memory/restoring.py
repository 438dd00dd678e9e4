"""A whole backup → an empty database, in one transaction: what comes back could have been saved, or nothing does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.errors import BackupError, HexadError, InvalidInput
from hexad.memory import admission
from hexad.memory.audit import GENESIS
from hexad.memory.backup import Line, read_lines
from hexad.memory.indexing import put
from hexad.model import Association, AuditRecord, Knowledge, Record, Skill, SkillVersion, Version
from hexad.store import Scope

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hexad.memory.similarity import Similarity
    from hexad.store import Store, Writing


def restore_backup(
    store: Store, path: Path, progress: Callable[[int, int], None], similarity: Similarity | None = None
) -> int:
    """Bring back a whole backup into a database that holds nothing; returns the lines of data."""
    lines = read_lines(path)
    with store.transaction() as unit:
        if unit.namespaces():
            raise BackupError(
                str(path), f"{store.location} is not empty: restore into a new file, or use import to add to it"
            )
        restorer = _Restorer(unit, str(path), similarity)
        for done, line in enumerate(lines, start=1):
            restorer.restore(line)
            progress(done, len(lines))
    return len(lines)


class _Restorer:
    """Puts line after line back, and knows what must have come before each."""

    def __init__(self, unit: Writing, file: str, similarity: Similarity | None) -> None:
        self._unit = unit
        self._similarity = similarity
        self._learned: dict[tuple[str, str, str], list[Association]] = {}
        self._file = file
        self._seen: dict[tuple[str, str, str], Record] = {}
        self._versions: set[tuple[str, str, int]] = set()
        self._heads: dict[str, tuple[int, str]] = {}

    def restore(self, line: Line) -> None:
        noun = line.noun(self._file)
        try:
            if admission.key("namespace", line.namespace) != line.namespace:
                raise InvalidInput("namespace", "has white space around it")
            if isinstance(noun, Version):
                self._version(line.namespace, noun)
            elif isinstance(noun, SkillVersion):
                self._skill_version(line.namespace, noun)
            elif isinstance(noun, Association):
                self._association(line.namespace, noun)
            elif isinstance(noun, AuditRecord):
                self._audit(line.namespace, noun)
            else:
                self._record(line.namespace, noun)
        except HexadError as error:
            raise BackupError(self._file, str(error), line.number) from error

    def _record(self, namespace: str, record: Record) -> None:
        place = (namespace, record.layer.value, admission.key("key", record.id))
        if place in self._seen or place[2] != record.id:
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
        self._seen[place] = record
        put(self._unit, Scope(namespace, record.layer), record, self._similarity)

    def _version(self, namespace: str, version: Version) -> None:
        entry = self._seen.get((namespace, Knowledge.layer.value, version.key))
        place = (namespace, version.key, version.version)
        if not isinstance(entry, Knowledge) or place in self._versions:
            raise InvalidInput("version", f"{version.version} of {version.key!r} has no entry, or is there twice")
        admission.whole("version", version.version, low=1, high=entry.version)
        self._versions.add(place)
        self._unit.add_version(namespace, version)

    def _skill_version(self, namespace: str, version: SkillVersion) -> None:
        """What the skill was before: a lower number than it has now."""
        skill = self._seen.get((namespace, Skill.layer.value, version.name))
        place = (namespace, f"{Skill.layer}/{version.name}", version.version)
        if not isinstance(skill, Skill) or place in self._versions:
            raise InvalidInput("version", f"{version.version} of {version.name!r} has no skill, or is there twice")
        admission.whole("version", version.version, low=1, high=skill.version - 1)
        self._versions.add(place)
        self._unit.add_skill_version(namespace, version)

    def _association(self, namespace: str, learned: Association) -> None:
        """The words of one item come one after the other, each once."""
        admission.key("id", learned.id)
        if learned.weight < 0:
            raise InvalidInput("weight", "must not be below 0")
        held = self._learned.setdefault((namespace, learned.layer.value, learned.id), [])
        if any(each.term == learned.term for each in held):
            raise InvalidInput("term", f"{learned.term!r} is there twice")
        held.append(learned)
        self._unit.associate(Scope(namespace, learned.layer), learned.id, held)

    def _audit(self, namespace: str, record: AuditRecord) -> None:
        sequence, head = self._heads.get(namespace, (0, GENESIS))
        if (record.sequence, record.previous) != (sequence + 1, head):
            raise InvalidInput("sequence", f"record {record.sequence} does not follow record {sequence}")
        self._heads[namespace] = (record.sequence, record.hash)
        self._unit.append_audit(namespace, record)


_ANY = 64 * 1024 * 1024  # what was stored under a larger limit comes back under it
