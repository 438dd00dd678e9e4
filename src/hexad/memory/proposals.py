"""Proposals: changes to entries that agents, files and captured conversations ask for,
and a person decides about.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final, assert_never

from hexad.errors import NotFound
from hexad.memory import admission
from hexad.memory.keys import key_from
from hexad.memory.knowledge import KnowledgeCollection
from hexad.model import (
    KEEP,
    AuditRecord,
    Category,
    Knowledge,
    Layer,
    Origin,
    Proposal,
    ProposedChange,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexad.memory.collection import Finder
    from hexad.memory.workspace import Change, Workspace
    from hexad.store import Reading

_NUMBERED: Final = re.compile("-[0-9]{1,2}$")


class Proposals:
    """The proposals of a namespace. No retrieval finds them; accepting one makes its
    words the user's.
    """

    def __init__(self, workspace: Workspace, find: Finder) -> None:
        self._workspace = workspace
        self._find = find

    def list(self) -> tuple[Proposal, ...]:
        """Every open proposal, oldest first."""
        with self._workspace.reading() as view:
            return tuple(view.proposals())

    def get(self, id: str) -> Proposal:
        """The proposal of that id; `NotFound` if it does not exist or was decided."""
        with self._workspace.reading() as view:
            return self._of(view, id)

    def propose(
        self,
        key: str | None = None,
        content: str = "",
        *,
        change: str = ProposedChange.SAVE,
        category: str | None = None,
        subject: str = "",
        tags: Iterable[str] = (),
        sentence: str = "",
        against: str = "",
        origin: str = Origin.AGENT,
        session: str | None = None,
    ) -> Proposal:
        """Keep a change to an entry until a person decides about it.

        ``sentence`` holds the user's words that it came from, ``against`` the key of an
        entry that it contradicts. A second proposal of the same change to the same key
        takes the place of the first.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> _ = hx.knowledge.save("diet", "I am vegetarian")
        >>> proposal = hx.proposals.propose("diet", "I am vegan", sentence="No, I am vegan now")
        >>> hx.knowledge.get("diet").content, hx.proposals.accept(proposal.id).content
        ('I am vegetarian', 'I am vegan')
        """
        what = ProposedChange.parse(change, "change")
        intake = admission.Intake(limit=self._workspace.max_text, redact=True)
        words = intake.text("content", content, required=what is ProposedChange.SAVE)
        name = key_from(words) if key is None else admission.key("key", key)
        who = Origin.parse(origin, "origin")
        with self._workspace.change(actor=who, session=session) as doing:
            entry = self._entry(doing, name, must_exist=what is not ProposedChange.SAVE)
            last, _ = doing.unit.chain_end() or (0, "")
            new = Proposal(
                id=f"p{last + 1}",  # no proposal ever had it: the number of the audit record that comes next
                key=entry.key if entry else name,
                change=what,
                content=words,
                category=Category.parse(
                    category or (entry.category if entry else Category.FACT), "category"
                ),
                subject=admission.label("subject", subject),
                tags=admission.tags("tags", tags),
                sentence=intake.text("sentence", sentence),
                against=admission.label("against", against)
                or (entry.key if entry else ""),
                origin=who,
                session=doing.session,
                created=self._workspace.clock(),
                **intake.notes,
            )
            return _put(doing, new)

    def edit(
        self, id: str, *, content: str | None = None, key: str | None = None
    ) -> Proposal:
        """Change a proposal's text or key before deciding about it."""
        intake = admission.Intake(limit=self._workspace.max_text, redact=True)
        with self._workspace.change(actor=Origin.USER) as doing:
            old = self._of(doing.unit, id)
            words = (
                old.content
                if content is None
                else intake.text("content", content, required=True)
            )
            new = replace(
                old,
                content=words,
                key=old.key if key is None else admission.key("key", key),
            )
            doing.unit.propose([new])
            doing.audit("proposal.edit", id)
        return new

    def accept(self, id: str) -> Knowledge:
        """Carry it out as the user's own word; return the entry that was saved, pinned
        or deleted.
        """
        with self._workspace.change(actor=Origin.USER) as doing:
            proposal = self._of(doing.unit, id)
            entry = _carried_out(
                proposal,
                KnowledgeCollection(self._workspace.joining(doing.unit), self._find),
            )
            doing.unit.propose(withdrawn=[id])
            doing.audit("proposal.accept", id, {"change": proposal.change.value})
        return entry

    def reject(self, id: str) -> None:
        """Remove it; the entry stays as it is."""
        with self._workspace.change(actor=Origin.USER) as doing:
            proposal = self._of(doing.unit, id)
            doing.unit.propose(withdrawn=[id])
            size = len(
                proposal.content.encode()
            )  # by key and size an import knows it, and does not propose it again
            doing.audit(
                "proposal.reject",
                id,
                {"change": proposal.change.value, "key": proposal.key, "bytes": size},
            )

    def withdraw(self, key: str) -> None:
        """Take back what an agent proposed to save as an entry, since the user said
        themselves what holds.
        """
        if not any(_is_agents_save(each, key) for each in self.list()):
            return
        with self._workspace.change(actor=Origin.AGENT) as doing:
            for proposal in [
                each for each in doing.unit.proposals() if _is_agents_save(each, key)
            ]:
                doing.unit.propose(withdrawn=[proposal.id])
                doing.audit("proposal.withdraw", proposal.id)

    def _of(self, view: Reading, id: str) -> Proposal:
        found = next((each for each in view.proposals() if each.id == id), None)
        if found is None:
            raise NotFound("proposal", id, self._workspace.namespace)
        return found

    def _entry(self, doing: Change, key: str, *, must_exist: bool) -> Knowledge | None:
        entry = doing.get(Layer.USER_KNOWLEDGE, key)
        if isinstance(entry, Knowledge) and entry.deleted is None:
            return entry
        if must_exist:
            raise NotFound(Layer.USER_KNOWLEDGE.noun, key, self._workspace.namespace)
        return None


def _is_agents_save(proposal: Proposal, key: str) -> bool:
    by_agent = (
        proposal.origin is Origin.AGENT and proposal.change is ProposedChange.SAVE
    )
    return by_agent and proposal.key == key


def _put(doing: Change, new: Proposal) -> Proposal:
    """Store a proposal, unless the same one is open; an older one of the same change to
    the same key is replaced.
    """
    open_ones = (
        each
        for each in doing.unit.proposals()
        if (each.key, each.change) == (new.key, new.change)
    )
    old = next(open_ones, None)
    if (
        old is not None
        and replace(new, id=old.id, created=old.created, session=old.session) == old
    ):
        return old
    doing.take_slot("proposals")
    doing.unit.propose(
        [new], withdrawn=[] if old is None else [old.id]
    )  # who saw the old one accepts that, or none
    size = len(new.content.encode())
    doing.audit(
        "proposal.save",
        new.id,
        {"change": new.change.value, "key": new.key, "bytes": size},
    )
    return new


def _carried_out(proposal: Proposal, knowledge: KnowledgeCollection) -> Knowledge:
    from hexad.memory.conversations.expiry import timed  # noqa: PLC0415 - compiles its patterns: 5 ms

    match proposal.change:
        case ProposedChange.SAVE:
            return knowledge.correct(
                proposal.key,
                proposal.content,
                category=proposal.category,
                tags=proposal.tags or KEEP,
                subject=proposal.subject or KEEP,
                expires=timed(proposal.sentence, proposal.created)[0] or KEEP,
                session=proposal.session,
            )
        case ProposedChange.DELETE:
            entry = knowledge.get(proposal.key)
            knowledge.delete(proposal.key)
            return entry
        case ProposedChange.PIN | ProposedChange.UNPIN:
            return knowledge.pin(
                proposal.key, pinned=proposal.change is ProposedChange.PIN
            )
        case _:
            assert_never(proposal.change)


def trace_of(key: str, content: str) -> tuple[str, object]:
    """The trace of a proposal in the log: its key, here without a number, and its size."""
    return _NUMBERED.sub("", key), len(content.encode())


def rejected(log: Iterable[AuditRecord]) -> set[tuple[str, object]]:
    """The traces of the proposals that a person rejected."""
    facts = (each.details for each in log if each.action == "proposal.reject")
    return {
        (_NUMBERED.sub("", str(each.get("key"))), each.get("bytes")) for each in facts
    }
