"""Import of somebody else's files into a namespace: checked like every save, and trusted less."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, cast

from hexad.errors import BackupError, HexadError, SkillRefused
from hexad.interchange.formats import Offer, sources
from hexad.learning.learnings import LearningCollection
from hexad.memory import admission
from hexad.memory.backup.batching import BatchedWriting
from hexad.memory.backup.lines import Line
from hexad.memory.keys import key_from
from hexad.memory.knowledge import KnowledgeCollection
from hexad.memory.references import ReferenceCollection
from hexad.model import (
    RECORDS,
    Category,
    Knowledge,
    Learning,
    Origin,
    Proposal,
    Record,
    Reference,
    Skill,
    SkillStatus,
)
from hexad.skills.library import SkillLibrary, roomy
from hexad.store.learning import TemplateFilter
from hexad.wire import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from hexad.interchange.formats import Source
    from hexad.memory.collection import Finder
    from hexad.memory.workspace import Change, Workspace
    from hexad.store import Writing

_BATCH: Final = 500_000  # characters of the lines that are written together
_MOST_PROPOSALS: Final = 500  # of one import: a person has to read them
_SHOWN, _SHOWN_TEXT = 20, 200  # entries that a preview shows, and characters of each


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import, or of its preview."""

    added: int
    replaced: int  # records that were here and changed
    kept: int  # records that were here and stayed as they are
    left_out: int
    proposed: int = 0  # rules, and what is less clear: they wait for a person
    reasons: Mapping[str, int] = field(default_factory=dict)  # why something was left out, and how often
    shown: tuple[tuple[str, str, str], ...] = ()  # the first of what was added or proposed: which, its key, its text


class _PreviewedError(Exception):
    """Ends the transaction of a preview."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How to import: what the person said on the command line, never what the file says."""

    overwrite: bool = False
    mine: bool = False  # the files are the person's own: origins, pins and approvals count
    preview: bool = False  # change nothing
    format: str | None = None

    def __post_init__(self) -> None:
        for name in ("overwrite", "mine", "preview"):
            admission.flag(name, getattr(self, name))


def import_files(
    workspace: Workspace, find: Finder, path: Path, wish: Wish, progress: Callable[[int, int], None]
) -> Imported:
    """Add a file's records, or those of a folder, in one transaction: all of them, or none and what was wrong."""
    found = sources(path, wish.format, workspace.clock())
    total = sum(each.path.stat().st_size for each in found) or 1
    with suppress(_PreviewedError), workspace.change(actor=Origin.IMPORT) as change:
        saver = _Saver(change, find, wish)
        for source in found:
            step = lambda: progress(min(sum(each.done for each in found), total), total)  # noqa: E731
            saver.take(source, step, alone=len(found) == 1)
        done = saver.done()
        progress(total, total)
        if wish.preview:
            raise _PreviewedError
        change.audit("import", "file", saver.counts())  # its name is somebody else's text
    return done


class _Saver:
    """Saves offer after offer inside one transaction."""

    def __init__(self, change: Change, find: Finder, wish: Wish) -> None:
        self._batch = BatchedWriting(change.unit)
        unit = cast("Writing", self._batch)
        workspace = change.workspace.joining(unit)
        self._change = replace(change, workspace=workspace, unit=unit)
        self._wish = wish
        self._knowledge = KnowledgeCollection(workspace, find)
        self._references = ReferenceCollection(workspace, find)
        self._learnings = LearningCollection(workspace, find)
        self._skills = SkillLibrary(roomy(workspace), find)
        self._waiting = {(each.key, each.content) for each in change.unit.proposals()}
        self._proposals: list[Proposal] = []
        self._counts = Counter[str]()
        self._reasons = Counter[str]()
        self._shown: list[tuple[str, str, str]] = []

    def take(self, source: Source, progress: Callable[[], None], *, alone: bool) -> None:
        """Save everything that a file offers; a file of a folder that cannot be read is left out."""
        size = 0
        try:
            for offer in source.offers():
                self._counts[self._save(offer, source)] += 1
                progress()
                size += len(str(offer.fields))
                if size >= _BATCH:
                    self._batch.write()
                    size = 0
        except BackupError as error:
            if alone or source.format == "hexad":
                raise
            self._counts[self._left_out(f"{source.path.name}: {error.reason}")] += 1

    def done(self) -> Imported:
        """Write everything that waits; what was done."""
        self._batch.write()
        if self._proposals:
            self._change.unit.propose(self._proposals)
        return Imported(**self.counts(), reasons=dict(self._reasons), shown=tuple(self._shown))

    def counts(self) -> dict[str, Any]:
        """How many records had which outcome."""
        return {name: self._counts[name] for name in ("added", "replaced", "kept", "left_out", "proposed")}

    def _save(self, offer: Offer, source: Source) -> str:
        """Save or propose an offer; the name of the count that it adds to."""
        try:
            record = self._record(offer, source) if TYPES[offer.fields["type"]] in RECORDS else None
            if reason := self._reason_against(record):
                return self._left_out(reason)
            return self._show(self._kept(cast("Record", record), offer), cast("Record", record))
        except HexadError as error:
            if source.format != "hexad":
                return self._left_out(str(error)[:100])
            raise (
                error if isinstance(error, BackupError) else BackupError(str(source.path), str(error), offer.line)
            ) from error

    def _reason_against(self, record: Record | None) -> str:
        if record is None:
            return "lines of history and audit"
        if not isinstance(record, Knowledge):
            return ""
        if record.deleted is not None:
            return "deleted entries"
        return "expired" if record.expires and record.expires <= self._change.workspace.clock() else ""

    def _kept(self, record: Record, offer: Offer) -> str:
        before = self._here(record)
        if before is not None and not self._wish.overwrite:
            return "kept"
        unsure = isinstance(record, Knowledge) and (record.category is Category.RULE or not offer.clear)
        if unsure and not self._wish.mine:
            return self._propose(cast("Knowledge", record), offer, before)
        self._store(record)
        return "added" if before is None else "kept" if self._here(record) == before else "replaced"

    def _record(self, offer: Offer, source: Source) -> Record:
        now = self._change.workspace.clock()
        fields = offer.fields if offer.line else {"source": source.path.name, **offer.fields}
        if fields["type"] == "knowledge" and "key" not in fields and "content" in fields:
            fields = {**fields, "key": self._free_key(str(fields["content"]))}
        line = Line(offer.line, "", fields, 0)
        return cast(
            "Record", line.noun(str(source.path), created=now, updated=now, **_IDENTITY.get(fields["type"], {}))
        )

    def _free_key(self, content: str) -> str:
        """The key that is made from a text, with a number if another text has it."""
        made = key = key_from(content)
        texts = dict(self._waiting)
        for number in range(2, 100):
            entry = self._change.get(Knowledge.layer, key)
            held = entry.content if isinstance(entry, Knowledge) else texts.get(key)
            if held is None or held == content:
                break
            key = f"{made}-{number}"
        return key

    def _propose(self, record: Knowledge, offer: Offer, before: Record | None) -> str:
        if isinstance(before, Knowledge) and (before.content, before.category) == (record.content, record.category):
            return "kept"
        intake = admission.Intake(limit=self._change.workspace.max_text, redact=True)
        content, sentence = (
            intake.text("content", record.content, required=True),
            intake.text("sentence", offer.sentence),
        )
        if (record.key, content) in self._waiting:
            return "kept"
        if len(self._proposals) >= _MOST_PROPOSALS:
            return self._left_out(f"more than {_MOST_PROPOSALS} proposals; decide about these, then import again")
        self._waiting.add((record.key, content))
        end = self._change.unit.chain_end()
        proposal = Proposal(
            id=f"p{end[0] + 1 if end else 1}",
            key=admission.key("key", record.key),
            content=content,
            category=record.category,
            subject=record.subject,
            tags=record.tags,
            sentence=sentence,
            against=before.id if before else "",
            origin=Origin.IMPORT,
            created=record.created,
            **intake.notes,
        )
        self._proposals.append(proposal)
        details = {"change": proposal.change.value, "key": proposal.key, "bytes": len(content.encode())}
        self._change.audit("proposal.save", proposal.id, cast("Any", details))
        return "proposed"

    def _left_out(self, reason: str) -> str:
        self._reasons[reason] += 1
        return "left_out"

    def _show(self, outcome: str, record: Record) -> str:
        if len(self._shown) < _SHOWN and outcome in {"added", "replaced", "proposed"}:
            text = record.content if isinstance(record, Knowledge) else record.fields().body
            self._shown.append((outcome, record.id, text[:_SHOWN_TEXT]))
        return outcome

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
        mine = self._wish.mine
        if mine and isinstance(record, Knowledge):
            fields["pinned"] = record.pinned
        saves[type(record)](**fields, tags=record.tags, origin=record.origin if mine else Origin.IMPORT)
        if mine and isinstance(record, Skill) and record.status is SkillStatus.ACTIVE:
            with suppress(SkillRefused):
                self._skills.activate(record.name, by=record.approved_by)


_TAKEN: Final[dict[type[Record], tuple[str, ...]]] = {
    # Without the pin: what a stranger pinned is not in everybody's prompt, and what is pinned here stays so.
    Knowledge: ("key", "content", "category", "source", "subject", "thread", "position", "expires", "relevance"),
    Reference: ("name", "location", "summary", "kind", "metadata"),
    Learning: ("trigger", "error_pattern", "diagnosis", "fix", "category"),
    Skill: ("name", "kind", "description", "definition", "parameters", "when", "author"),  # always a draft
}
_IDENTITY = {"learning": {"id": "imported"}}  # a hand-written file need not invent one; saving gives its own
