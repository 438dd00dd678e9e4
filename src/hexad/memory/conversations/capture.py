"""`hx.capture`: a conversation → what the user said that lasts, saved or proposed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import RateLimited
from hexad.memory import admission
from hexad.memory.audit import AuditLog
from hexad.memory.conversations.extracting import Extractor, extracted
from hexad.memory.conversations.judging import Statement, asked_for, statements
from hexad.memory.conversations.messages import turns
from hexad.memory.conversations.revising import compared
from hexad.memory.knowledge import KnowledgeCollection
from hexad.memory.proposals import Proposals, rejected, trace_of
from hexad.model import Knowledge, Origin, ProposedChange
from hexad.text.changes import says_a_change, unspoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hexad.memory.collection import Finder
    from hexad.memory.workspace import Workspace

_WORD: Final = re.compile(r"\w+")
_SHORTENED: Final = {
    "can't": "cannot",
    "won't": "will not",
    "n't": " not",
    "'m ": " am ",
    "'re ": " are ",
    "'ve ": " have ",
}
_REMEMBERED: Final = 2000  # records of the log that are read for rejections


@dataclass(frozen=True, slots=True)
class Captured:
    """The result of `capture`. ``left_out`` counts what the session's limits had no
    room for.
    """

    saved: tuple[Statement, ...] = ()
    proposed: tuple[Statement, ...] = ()
    left_out: int = 0


class Capture:
    """Keeps what the user says in a conversation and is worth keeping; made by
    `Hexad.capture`.
    """

    def __init__(
        self,
        workspace: Workspace,
        find: Finder,
        *,
        most: int,
        auto_accept: frozenset[str],
        enabled: bool,
    ) -> None:
        self._workspace, self._find, self._enabled = workspace, find, enabled
        self._most = most  # statements that one call keeps
        self._auto_accept = auto_accept  # categories of an extractor's candidates that are saved without asking

    def __call__(
        self,
        messages: object,
        *,
        session: str | None = None,
        typed: bool = False,
        extractor: Extractor | None = None,
        origin: str = Origin.AGENT,
    ) -> Captured:
        """Read the user's words in ``messages``, as any framework writes them, and keep
        what lasts.

        Only with ``typed``, where the caller knows that a person typed the words, a
        clear statement is saved as the user's, and so is its proposal that waits.
        Everything else is a proposal of ``origin``, which `hexad review` shows.
        ``extractor`` is a function from the text of the conversation to more
        candidates, such as a language model; those are proposals too. What is known,
        here or in a memory beside this one, is not kept again; secrets, and what an
        assistant or a tool said, are never kept.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> done = hx.capture([{"role": "user", "content": "Hi! I prefer short answers. What is new?"}], typed=True)
        >>> [(each.category.value, each.content) for each in done.saved]
        [('preference', 'I prefer short answers.')]
        """
        by_hand, by = admission.flag("typed", typed), Origin.parse(origin, "origin")
        if not self._enabled:
            return Captured()
        said = list(turns(messages))
        keeping = Keeping(self._workspace, self._find, session=session, most=self._most)
        now = self._workspace.clock()
        found = (
            list(extracted(extractor, said)) if extractor is not None else []
        )  # it may raise: before a save
        for statement in _once(
            statements(text, now) for by_user, text in said if by_user
        ):
            keeping.keep(statement, trusted=by_hand, by=Origin.USER if by_hand else by)
        for candidate in found:
            keeping.keep(
                replace(candidate, clear=candidate.category in self._auto_accept),
                by=Origin.AGENT,
            )
        return keeping.result()

    def understood(self, text: str) -> Statement | None:
        """The first statement of a text, with the key of the user's entry that it is
        ``against``; keeps nothing.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> _ = hx.knowledge.save("I live in Galway")
        >>> hx.capture.understood("I live in Cork now").against
        'live-galway'
        """
        said = next(statements(text, self._workspace.clock()), None) or asked_for(text)
        if said is None:
            return None
        said, other = compared(
            said, KnowledgeCollection(self._workspace, self._find), self._workspace
        )
        return replace(said, against=other.key) if other else said


class Keeping:
    """Saves or proposes statements, and notes what became of them."""

    def __init__(
        self, workspace: Workspace, find: Finder, *, session: str | None, most: int
    ) -> None:
        self._workspace = workspace
        self._knowledge = KnowledgeCollection(workspace, find)
        self._proposals = Proposals(workspace, find)
        self._session, self._most = session, most
        self._waiting = {plain(each.content) for each in self._proposals.list()}
        self._saved, self._proposed = list[Statement](), list[Statement]()
        self._left_out = 0

    def result(self) -> Captured:
        """Everything that was noted."""
        return Captured(tuple(self._saved), tuple(self._proposed), self._left_out)

    def keep(self, said: Statement, *, by: Origin, trusted: bool = True) -> None:
        """Save a statement that is clear, or else propose it; nothing if it is known."""
        if len(self._saved) + len(self._proposed) >= self._most:
            self._left_out += 1
        elif not any(
            plain(item.content) == plain(said.content)
            for item in self._knowledge.search(said.content)
        ):
            said, other = compared(said, self._knowledge, self._workspace)
            try:
                if trusted and said.clear and (other is None or said.replaces):
                    self._saved.append(self._save(said, other, by))
                elif (
                    plain(said.content) not in self._waiting
                    and trace_of(said.key, said.content) not in self._rejected
                ):
                    self._proposed.append(self._propose(said, other, by))
                    if trusted and by is Origin.USER and other is not None:
                        self._note(said)
            except RateLimited:
                self._left_out += 1

    def _note(self, said: Statement) -> None:
        """Until somebody decides, prompts tell what was said beside what it is against."""
        self._knowledge.save(
            None,
            said.content,
            category=said.category,
            origin=Origin.AGENT,
            session=self._session,
            said=said.sentence,
        )

    @cached_property
    def _rejected(self) -> set[tuple[str, object]]:
        return rejected(
            AuditLog(self._workspace.store, self._workspace.namespace).latest(
                _REMEMBERED
            )
        )

    def _save(self, said: Statement, other: Knowledge | None, by: Origin) -> Statement:
        own = (
            ProposedChange.SAVE,
            other.key if other else said.key,
            said.category,
            said.content,
            said.sentence,
        )
        for each in self._proposals.list():
            made = (each.change, each.key, each.category, each.content, each.sentence)
            if made == own:  # and not what an agent made of these words
                return replace(said, key=self._proposals.accept(each.id).key)
        fields: dict[str, Any] = {
            "category": said.category,
            "expires": said.expires,
            "session": self._session,
        }
        if other is not None:
            entry = self._knowledge.correct(other.key, said.content, **fields)
            return replace(said, key=entry.key, against=entry.key)
        entry = self._knowledge.save(
            said.key if said.slot else None, said.content, **fields, origin=by
        )
        return replace(said, key=entry.key)

    def _propose(
        self, said: Statement, other: Knowledge | None, by: Origin
    ) -> Statement:
        key, against = (
            other.key if other and said.replaces else said.key,
            other.key if other else "",
        )
        left = (
            unspoken(other.content, said.content)
            if other is not None and says_a_change(said.sentence)
            else None
        )
        if (
            other is not None and left
        ):  # the person sees what is left of the entry, and that nothing is lost
            key, said = (
                other.key,
                replace(said, content="; ".join([said.content.rstrip(" .;"), *left])),
            )
        fields: dict[str, Any] = {
            "category": said.category,
            "sentence": said.sentence,
            "session": self._session,
        }
        proposal = self._proposals.propose(
            key, said.content, **fields, against=against, origin=by
        )
        self._waiting.add(plain(said.content))
        return replace(
            said, key=proposal.key, against=proposal.against, proposal=proposal.id
        )


def _once(messages: Iterable[Iterator[Statement]]) -> Iterator[Statement]:
    """Each statement once; of one thing that has one value, the last one said."""
    found: dict[str, Statement] = {}
    for statement in (each for message in messages for each in message):
        found[statement.key if statement.slot else plain(statement.content)] = statement
    return iter(found.values())


def plain(text: str) -> str:
    """The words of a text alone: two texts with the same words say the same.

    >>> plain("I'm fond of green tea!") == plain("i am fond of green tea")
    True
    """
    text = text.casefold().replace("’", "'")
    for short, whole in _SHORTENED.items():
        text = text.replace(short, whole)
    return " ".join(_WORD.findall(text))
