"""Which entry of the user's a statement changes: the one whose place it takes, or one
that says nearly the same.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hexad.memory.conversations.judging import ALSO, Statement, statements
from hexad.memory.index.resemblance import resembling
from hexad.model import Category, Knowledge, Layer, Origin
from hexad.text.changes import clauses, has_new_value, telling

if TYPE_CHECKING:
    from hexad.memory.knowledge import KnowledgeCollection
    from hexad.memory.workspace import Workspace

_NAME: Final = re.compile(r"(?<!\w)(?:[A-Z]\w+|\w*\d\w*)(?!\w)")
_VALUE, _WIDE_VALUE = (
    2,
    8,
)  # terms of a value: "New York"; in scripts without spaces they are pairs of characters
_NEWEST: Final = 1 << 62  # above the number of any row
_LATEST: Final = 500  # entries that are compared with a statement about a name, a home


def compared(
    said: Statement, knowledge: KnowledgeCollection, workspace: Workspace
) -> tuple[Statement, Knowledge | None]:
    """A statement, and the user's entry that it changes or resembles.

    It ``replaces`` that entry if the sentence says that something changed, and only
    that one can be meant.
    """
    if said.expires:  # what holds for a time replaces nothing
        return said, None
    found = [
        each
        for each in knowledge.search(said.content)
        if each.origin is Origin.USER and not each.distance
    ]
    held = (
        _holders(said, knowledge, workspace)
        if said.slot
        else [knowledge.get(each.id) for each in found]
    )
    meant = (
        held
        if said.slot and not telling(said.gone)
        else [each for each in held if _changes(said, each.content)]
    )
    if said.changes and len(meant) == 1 and _says_only(meant[0].content, said.sentence):
        return replace(said, replaces=True), meant[0]
    beside = (
        said.changes or said.slot or ALSO.search(said.content)
    )  # the later word is told first, and says so itself
    near = meant or (
        []
        if beside
        else [knowledge.get(each.id) for each in resembling(said.content, found, None)]
    )
    return said, near[0] if near else None


def _changes(said: Statement, content: str) -> bool:
    """Whether a sentence says that a clause of an entry no longer holds, or gives it
    another value.

    "We no longer use Redis", "I prefer light mode now".
    """
    about = telling(said.sentence)
    if not said.gone:
        return (
            bool(about & telling(content))
            and said.category is not Category.RULE
            and has_new_value(content, said.content)
        )
    names = [
        name for name in _NAME.findall(said.gone) if not said.content.startswith(name)
    ]
    return any(own <= about for own in clauses(content)) and all(
        name in content for name in names
    )


def _says_only(content: str, sentence: str) -> bool:
    """Whether an entry is one clause that says little more than what a sentence speaks
    of.
    """
    own = clauses(content)
    most = _WIDE_VALUE if any(character > "\u2e7f" for character in content) else _VALUE
    return (
        len(own) == 1 and "," not in content and len(own[0] - telling(sentence)) <= most
    )


def _holders(
    said: Statement, knowledge: KnowledgeCollection, workspace: Workspace
) -> list[Knowledge]:
    """The user's entries that state a value of what a statement is about: a name, a
    home.
    """
    kept = knowledge.lookup(said.key)
    if kept is not None and kept.origin is Origin.USER:
        return [kept]
    with workspace.reading() as view:
        newest = view.page(Layer.USER_KNOWLEDGE, before=_NEWEST, limit=_LATEST)
    own = [
        row.record
        for row in newest
        if isinstance(row.record, Knowledge) and row.record.deleted is None
    ]
    held = []
    for entry in own:
        if entry.origin is Origin.USER:
            stated = statements(entry.content, entry.updated)
            if any(each.slot and each.key == said.key for each in stated):
                held.append(entry)
    return held
