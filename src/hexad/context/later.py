"""The later word of a memory: which entry goes first, and what of an entry still holds beside later ones."""

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
    """The same entries in their order, but of two values of one thing the later one takes the earlier one's place.

    A message that names the earlier value asks about it.
    """
    ordered, asked = list(rows), set(_WORD.findall(message.casefold()))
    for place in range(len(ordered)):
        for at in range(place + 1, len(ordered)):
            one, other = ordered[place], ordered[at]
            earlier, _ = differences(_content(one), _content(other)) if _may_go_before(other, one) else ([], [])
            if earlier and asked.isdisjoint(earlier):
                ordered.insert(place, ordered.pop(at))
    return ordered


def current(rows: Sequence[Row]) -> list[Knowledge]:
    """The entries as they hold beside later ones: without those, and those parts, that a later one replaces.

    What the user's own code saved as a rule, and what is pinned, always holds.
    """
    changes = [row for row in rows if says_a_change(_text(row))]
    kept = []
    for row in rows:
        record = cast("Knowledge", row.record)
        later = [_text(each) for each in changes if is_later(each, row)]
        if later and not record.pinned and (record.said or record.category is not Category.RULE):
            left = rest(record.content, later)
            if not left:
                continue
            if left != record.content:
                record = replace(record, content=left, said=rest(record.said, later) or record.said)
        kept.append(record)
    return kept


def _may_go_before(one: Row, other: Row) -> bool:
    """Whether an entry is the later one, and not somebody else's beside the user's."""
    return is_later(one, other) and (one.record.origin is Origin.USER or other.record.origin is not Origin.USER)


def is_later(one: Row, other: Row) -> bool:
    """Whether an entry was said after another."""
    return _said_at(one) > _said_at(other)


def _said_at(row: Row) -> tuple[datetime, int]:
    return cast("Knowledge", row.record).updated, row.number


def _content(row: Row) -> str:
    return cast("Knowledge", row.record).content


def _text(row: Row) -> str:
    record = cast("Knowledge", row.record)
    return f"{record.content} {record.said}".rstrip()
