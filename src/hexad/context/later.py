"""The later word of a memory: which entry goes first, and what of an entry still holds
beside later ones.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from hexad.model import Category, Origin
from hexad.text.changes import differences, rest, says_a_change

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from hexad.model import Knowledge
    from hexad.store import Row

_WORD: Final = re.compile(r"\w+")


def newest_first(rows: Sequence[Row], message: str) -> list[Row]:
    """The same entries in their order, but of two values of one thing the later one
    takes the earlier one's place.

    A message that names the earlier value asks about it.
    """
    ordered, asked = list(rows), set(_WORD.findall(message.casefold()))
    for place in range(len(ordered)):
        for at in range(place + 1, len(ordered)):
            one, other = ordered[place], ordered[at]
            earlier, _ = (
                differences(_content(one), _content(other))
                if _may_take_the_place(other, one)
                else ([], [])
            )
            if earlier and asked.isdisjoint(earlier):
                ordered.insert(place, ordered.pop(at))
    return ordered


def current(rows: Sequence[Row]) -> list[Knowledge]:
    """The entries as they hold beside later ones: without those, and those parts, that
    a later one replaces.

    Only the user's words replace something of the user's: of an agent's note their
    sentences behind it. What the user's own code saved as a rule, and what is pinned,
    always holds.
    """
    changes = [
        (row, text)
        for row in rows
        if (text := _word_of_the_user(row)) and says_a_change(text)
    ]
    kept = []
    for row in rows:
        record = cast("Knowledge", row.record)
        later = [
            text
            for each, text in changes
            if is_later(each, row) and text != record.said
        ]
        if (
            later
            and not record.pinned
            and (record.said or record.category is not Category.RULE)
        ):
            content, said = rest(record.content, later), rest(record.said, later)
            if not content or (record.said and not said):
                continue
            if (content, said) != (record.content, record.said):
                record = replace(record, content=content, said=said)
        kept.append(record)
    return kept


def is_later(one: Row, other: Row) -> bool:
    """Whether an entry was said after another."""
    return _said_at(one) > _said_at(other)


def _may_take_the_place(later: Row, earlier: Row) -> bool:
    """Whether an entry is the later one, and not somebody else's beside the user's."""
    of_the_user = (
        later.record.origin is Origin.USER or earlier.record.origin is not Origin.USER
    )
    return is_later(later, earlier) and of_the_user


def _said_at(row: Row) -> tuple[datetime, int]:
    return cast("Knowledge", row.record).updated, row.number


def _content(row: Row) -> str:
    return cast("Knowledge", row.record).content


def _word_of_the_user(row: Row) -> str:
    """What the user said: their entry, or the sentences behind an agent's note."""
    record = cast("Knowledge", row.record)
    return record.said or (record.content if record.origin is Origin.USER else "")
