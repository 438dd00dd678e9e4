"""Import of somebody else's files into a namespace: checked like every save, and
trusted less.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, cast

from hexad.errors import BackupError, HexadError, SkillRefused
from hexad.interchange.formats import Offer, Source, sources
from hexad.json_form import TYPES
from hexad.learning.learnings import LearningCollection
from hexad.memory import admission
from hexad.memory.audit import records
from hexad.memory.backup.lines import BackupLine
from hexad.memory.index.resemblance import alike
from hexad.memory.keys import key_from, numbered
from hexad.memory.knowledge import KnowledgeCollection
from hexad.memory.proposals import Proposals, rejected, trace_of
from hexad.memory.redaction import redact
from hexad.memory.references import ReferenceCollection
from hexad.model import (
    RECORDS,
    Category,
    Knowledge,
    Layer,
    Learning,
    Origin,
    Record,
    Reference,
    Skill,
    SkillStatus,
    Version,
)
from hexad.skills.library import SkillLibrary, roomy
from hexad.store.learning import TemplateFilter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from hexad.memory.collection import Finder
    from hexad.memory.workspace import Change, Workspace

_BATCH, _MOST = 500_000, 500  # characters, and records, that are looked up together
_MOST_PROPOSALS: Final = 500  # that wait: a person has to read them
_COMPARED: Final = frozenset(
    {"rules", "memories", "mem0", "notes"}
)  # with what a file of the name brought before
_NUMBERED, _LONGEST_TITLE = (
    20,
    180,
)  # keys that are tried, and characters of one before a digest
_SHOWN, _SHOWN_TEXT = 20, 200  # entries that a preview shows, and characters of each


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import, or of its preview."""

    added: int
    replaced: int  # records that were here and changed
    kept: int  # records that were here and stayed as they are
    left_out: int
    proposed: int = 0  # rules, and what is less clear: they wait for a person
    reasons: Mapping[str, int] = field(
        default_factory=dict
    )  # why something was left out, and how often
    shown: tuple[
        tuple[str, str, str], ...
    ] = ()  # the first of what was added or proposed: which, its key, its text
    redacted: Mapping[str, int] = field(
        default_factory=dict
    )  # the kinds of secrets that were replaced
    gone: tuple[
        str, ...
    ] = ()  # keys of what a file of this name brought earlier, and does not hold any more


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How to import: what the person said on the command line, never what the file
    says.
    """

    overwrite: bool = False
    mine: bool = (
        False  # the files are the person's own: origins, pins and approvals count
    )
    preview: bool = False  # change nothing
    format: str | None = None

    def __post_init__(self) -> None:
        for name in ("overwrite", "mine", "preview"):
            admission.flag(name, getattr(self, name))


class _PreviewedError(Exception):
    """Ends the transaction of a preview."""


def import_files(
    workspace: Workspace,
    find: Finder,
    path: Path,
    wish: Wish,
    progress: Callable[[int, int], None],
) -> Imported:
    """Add a file's records, or those of a folder, in one transaction: all of them, or
    none and what was wrong.
    """
    found = sources(path, wish.format, workspace.clock())
    total, read = sum(each.path.stat().st_size for each in found) or 1, 0
    with suppress(_PreviewedError), workspace.change(actor=Origin.IMPORT) as change:
        saver = _Saver(change, find, wish)
        for source in found:

            def show(done: int, before: int = read) -> None:
                progress(min(before + done, total), total)

            source.progress = show
            if source.format:
                saver.take(source, alone=len(found) == 1)
            read += source.path.stat().st_size
        result = saver.done([each.name for each in found if not each.format])
        progress(total, total)
        if wish.preview:
            raise _PreviewedError
        change.audit(
            "import", "file", saver.counts()
        )  # its name is somebody else's text
    return result


class _Saver:
    """Saves offer after offer inside one transaction."""

    def __init__(self, change: Change, find: Finder, wish: Wish) -> None:
        workspace = change.workspace.joining(change.unit)
        self._change = replace(change, workspace=workspace)
        self._wish = wish
        self._knowledge = KnowledgeCollection(workspace, find)
        self._references = ReferenceCollection(workspace, find)
        self._learnings = LearningCollection(workspace, find)
        self._skills = SkillLibrary(roomy(workspace), find)
        self._waiting = {each.key: each.content for each in change.unit.proposals()}
        self._proposals = Proposals(workspace, find)
        self._counts = Counter[str]()
        self._reasons = Counter[str]()
        self._shown: list[tuple[str, str, str]] = []
        self._redacted = Counter[str]()
        self._brought: dict[
            str, str
        ] = {}  # texts that a file of the same name brought earlier, with their keys
        self._gone: list[Knowledge] = []
        self._latest: dict[
            str, tuple[Offer, Source]
        ] = {}  # by key: the last of what has one value
        self._changed: dict[
            str, Knowledge
        ] = {}  # by key: entries whose line in the file has changed

    def take(self, source: Source, *, alone: bool) -> None:
        """Save what a file offers; one of several that cannot be read is left out."""
        try:
            if source.format in _COMPARED:
                self._gone += self._no_longer_in(source)
            for batch in _batches(source.offers()):
                errors = self._change.unit.templates(
                    [each for offer in batch for each in _errors(offer)]
                )
                places = [place for offer in batch for place in _places(offer)]
                places += [(Layer.AGENT_LEARNINGS, known) for _, known in errors]
                for place in places[:1]:
                    self._change.unit.get(*place, ahead=places)
                for offer in batch:
                    if not self._is_held(offer, source):
                        self._counts[self._outcome(offer, source)] += 1
        except BackupError as error:
            if alone or source.format == "hexad":
                raise
            self._counts[self._left_out(f"{source.path.name}: {error.reason}")] += 1

    def _is_held(self, offer: Offer, source: Source) -> bool:
        """Whether an offer has one value, as a home has: of those in conversations the
        latest waits for the end.
        """
        key, said = offer.fields.get("key"), str(offer.fields.get("created", ""))
        if offer.clear or key is None:
            return False
        known = self._latest.get(key)
        if known is None or said >= known[0].fields["created"]:
            self._latest[key] = offer, source
        return True

    def done(self, unread: Sequence[str]) -> Imported:
        """The result; it names some of the files that were not recognised."""
        if unread:
            self._reasons[
                f"files that are not recognised, such as {', '.join(unread[:5])}"
            ] = len(unread)
            self._counts["left_out"] += len(unread)
        for offer, source in self._latest.values():
            self._counts[self._outcome(offer, source)] += 1
        gone = tuple(entry.key for entry in self._gone)
        reasons, redacted = dict(self._reasons), dict(self._redacted)
        return Imported(
            **self.counts(),
            reasons=reasons,
            shown=tuple(self._shown),
            redacted=redacted,
            gone=gone,
        )

    def counts(self) -> dict[str, Any]:
        """How many records had which outcome."""
        return {
            name: self._counts[name]
            for name in ("added", "replaced", "kept", "left_out", "proposed")
        }

    def _no_longer_in(self, source: Source) -> list[Knowledge]:
        """The entries that a file of this name brought and that it does not hold any
        more, in no version of theirs.
        """
        brought = self._sources.get(source.name, ())
        self._brought = {
            text: entry.key for entry in brought for text in self._texts(entry)
        }
        if not brought:  # the file is new here: it is read once
            return []
        unseen = replace(source, progress=lambda _: None)
        held = {
            redact(str(offer.fields.get("content"))).text for offer in unseen.offers()
        }
        kept = {self._brought[text] for text in held & self._brought.keys()}
        return [entry for entry in brought if entry.key not in kept]

    @cached_property
    def _sources(self) -> Mapping[str, Sequence[Knowledge]]:
        """The entries that files brought earlier, by the name of the file."""
        found: dict[str, list[Knowledge]] = {}
        for entry in self._knowledge.list():
            found.setdefault(entry.source, []).append(entry)
        return found

    def _texts(self, entry: Knowledge) -> set[str]:
        versions = (
            self._change.unit.versions(entry.layer, entry.key)
            if entry.version > 1
            else ()
        )
        return {
            entry.content,
            *(version.content for version in versions if isinstance(version, Version)),
        }

    def _outcome(self, offer: Offer, source: Source) -> str:
        """Save or propose an offer; the name of the count that it adds to."""
        if offer.unfit:
            return self._left_out(offer.unfit)
        if TYPES[offer.fields["type"]] not in RECORDS:
            return self._left_out("lines of history and audit")
        try:
            record = self._record(offer, source)
            if isinstance(record, Knowledge) and (
                reason := self._reason_against(record)
            ):
                return self._left_out(reason)
            return self._show(self._kept(record, offer), record)
        except HexadError as error:
            if source.format != "hexad":
                return self._left_out(str(error)[:100])
            whole = isinstance(error, BackupError)
            raise (
                error
                if whole
                else BackupError(str(source.path), str(error), offer.line)
            ) from error

    def _record(self, offer: Offer, source: Source) -> Record:
        now = self._change.workspace.clock()
        fields = offer.fields if offer.line else {"source": source.name, **offer.fields}
        named = "key" in fields and (
            offer.line or source.format != "notes"
        )  # pages of two folders may have one title
        if fields["type"] == "knowledge" and not named and "content" in fields:
            fields = {
                **fields,
                "key": self._free_key(
                    str(fields["content"]), fields.get("key", ""), source
                ),
            }
        times = {"created": now, "updated": now, **_IDENTITY.get(fields["type"], {})}
        return cast(
            "Record",
            BackupLine(offer.line, "", fields, 0).noun(str(source.path), **times),
        )

    def _free_key(self, content: str, title: str, source: Source) -> str:
        """The key of the entry that a text changes, else its title or one made from it;
        numbered if that is taken.
        """
        clean = redact(content).text
        if clean in self._brought:
            return self._brought[clean]
        made = title or key_from(content)
        if title and self._wish.overwrite:
            return title
        digest = sha256((source.name if title else clean).encode()).hexdigest()[:12]
        unlike = f"{made[:_LONGEST_TITLE]}-{digest}"  # nobody else has it
        for key in chain(islice(numbered(made), _NUMBERED), [unlike]):
            entry = self._change.get(Knowledge.layer, key)
            if isinstance(entry, Knowledge) and clean == entry.content:
                return key
            page = (source.name, key) if title else None
            gone = (
                each
                for each in self._gone
                if page == (each.source, each.key) or alike(clean, each.content)
            )
            changed = next(gone, None)
            if changed is not None:
                self._gone.remove(changed)
                self._changed[changed.key] = changed
                return changed.key
            if entry is None and self._waiting.get(key, clean) == clean:
                return key
        return unlike

    def _reason_against(self, record: Knowledge) -> str:
        if record.deleted is not None:
            return "deleted entries"
        if (
            record.expires is not None
            and record.expires <= self._change.workspace.clock()
        ):
            return "expired"
        here = self._change.get(record.layer, record.key)
        hidden = (
            isinstance(here, Knowledge)
            and here.deleted is not None
            and here.content == record.content
        )
        return "deleted here" if hidden and not self._wish.overwrite else ""

    def _kept(self, record: Record, offer: Offer) -> str:
        if isinstance(record, Learning) and not (self._wish.mine or record.in_words):
            return self._left_out("failures that nobody put into words")
        before, changed = self._here(record), self._changed.get(record.id)
        learned = (
            isinstance(record, Learning) and self._wish.mine
        )  # evidence comes to those that are known here
        if (
            before is not None
            and not self._wish.overwrite
            and changed is None
            and not learned
        ):
            return "kept"
        theirs = (
            not self._wish.mine and getattr(record, "category", None) is Category.RULE
        )
        unsure = theirs or not (
            offer.clear or (self._wish.mine and not offer.line)
        )  # an exported proposal stays one
        if isinstance(record, Knowledge) and (
            unsure or (changed is not None and changed.version > 1)
        ):
            return self._proposed(record, offer, before)
        self._store(record)
        return (
            "added"
            if before is None
            else "kept"
            if self._here(record) == before
            else "replaced"
        )

    def _proposed(self, record: Knowledge, offer: Offer, before: Record | None) -> str:
        intake = admission.Intake(limit=self._change.workspace.max_text, redact=True)
        content = intake.text("content", record.content, required=True)
        same = isinstance(before, Knowledge) and (before.content, before.category) == (
            content,
            record.category,
        )
        self._redacted.update(intake.notes["redactions"])
        if same or self._waiting.get(record.key) == content:
            return "kept"
        if trace_of(record.key, content) in self._rejected:
            return self._left_out("rejected here")
        if len(self._waiting) >= _MOST_PROPOSALS:
            return self._left_out(
                f"more than {_MOST_PROPOSALS} proposals wait; decide about these, then import again"
            )
        self._waiting[record.key] = content
        fields = {
            name: getattr(record, name) for name in ("category", "subject", "tags")
        }
        self._proposals.propose(
            record.key,
            record.content,
            **fields,
            sentence=offer.sentence,
            origin=Origin.IMPORT,
        )
        return "proposed"

    @cached_property
    def _rejected(self) -> set[tuple[str, object]]:
        return rejected(records(self._change.unit))

    def _left_out(self, reason: str) -> str:
        self._reasons[reason] += 1
        return "left_out"

    def _show(self, outcome: str, record: Record) -> str:
        if len(self._shown) < _SHOWN and outcome in {"added", "replaced", "proposed"}:
            text = (
                record.content
                if isinstance(record, Knowledge)
                else record.fields().body
            )
            self._shown.append((outcome, record.id, redact(text).text[:_SHOWN_TEXT]))
        return outcome

    def _here(self, record: Record) -> Record | None:
        """The record of this namespace under the same key, or about the same error."""
        if not isinstance(record, Learning):
            found = self._change.get(record.layer, record.id)
            return (
                None
                if isinstance(found, Knowledge) and found.deleted is not None
                else found
            )
        wanted = TemplateFilter(
            record.trigger, limit=1, error_pattern=record.error_pattern
        )
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
        if (
            record.id in self._changed
        ):  # a key that was made from its old text follows the new one
            saves[Knowledge] = self._knowledge.correct
        if mine and isinstance(record, Learning):
            counts = {
                name: getattr(record, name)
                for name in ("seen", "sessions", "unaided", "stuck")
            }
            fields |= {"evidence": record.evidence, "counts": counts}
            saves[Learning] = self._learnings.bring_back
        said: dict[str, Any] = {"origin": Origin.IMPORT}
        if mine:
            said = {
                "origin": record.origin,
                "session": record.session,
                "redact": not record.verbatim,
            }
        kept = saves[type(record)](**fields, tags=record.tags, **said)
        self._redacted.update(kept.redactions)
        if mine and isinstance(record, Skill) and record.status is SkillStatus.ACTIVE:
            with suppress(SkillRefused):
                self._skills.activate(record.name, by=record.approved_by)


_TAKEN: Final[dict[type[Record], tuple[str, ...]]] = {
    # Without the pin: what a stranger pinned is not in everybody's prompt, and what is
    # pinned here stays so.
    Knowledge: (
        "key",
        "content",
        "category",
        "source",
        "subject",
        "thread",
        "position",
        "expires",
        "relevance",
    ),
    Reference: ("name", "location", "summary", "kind", "metadata"),
    Learning: ("trigger", "error_pattern", "diagnosis", "fix", "category"),
    Skill: (
        "name",
        "kind",
        "description",
        "definition",
        "parameters",
        "when",
        "author",
    ),  # always a draft
}
_IDENTITY = {
    "learning": {"id": "imported"}
}  # a hand-written file need not invent one; saving gives its own


def _batches(offers: Iterable[Offer]) -> Iterator[Sequence[Offer]]:
    batch, size = list[Offer](), 0
    for offer in offers:
        batch.append(offer)
        size += sum(
            len(value) for value in offer.fields.values() if isinstance(value, str)
        )
        if len(batch) == _MOST or size >= _BATCH:
            yield batch
            batch, size = [], 0
    yield batch


def _errors(offer: Offer) -> Iterator[TemplateFilter]:
    """The learning that an offer would change, as far as its fields say."""
    trigger, pattern = offer.fields.get("trigger"), offer.fields.get("error_pattern")
    if (
        TYPES[offer.fields["type"]] is Learning
        and isinstance(trigger, str)
        and isinstance(pattern, str)
    ):
        yield TemplateFilter(trigger, limit=1, error_pattern=pattern)


def _places(offer: Offer) -> Iterator[tuple[Layer, str]]:
    """Where an offer would be stored, as far as its fields say."""
    name = offer.fields.get("key") or offer.fields.get("name")
    noun = TYPES[offer.fields["type"]]
    if isinstance(name, str) and noun in RECORDS and noun is not Learning:
        yield noun.layer, name
