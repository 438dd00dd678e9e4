"""What an agent noted, told in a small memory behind what stands: the user's own
sentences where they are known.

A note in the agent's words may say something else than the user did. So of a note that
rests on sentences of the user's these are told, as they were said. Of other notes facts
are told, quoted, as not confirmed.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hexad.context.layers.presenting import present
from hexad.context.template import joined, one_line, standing_line
from hexad.model import Category, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hexad.context.standing import Room
    from hexad.model import Item, Knowledge

SAID: Final = "Said by the user in earlier conversations, the latest last"
NOTED: Final = "Noted by the agent, not confirmed"
_SAID_ROOM: Final = 1.5  # times the standing budget that the user's sentences may take: twenty to thirty of them
_SHARE: Final = (
    3  # the part of the budget that notes without a sentence may take: one third
)
_INSTRUCTS: Final = re.compile(  # a note that tells what to do is no fact
    r"(?i)^(?:please|bitte)\b|\b(?:always|never|must|should|shall|do not|don't|ignore|make sure|ensure|approve\w*"
    r"|immer|nie|niemals|muss|müssen|soll\w*|toujours|jamais|doit|doivent|siempre|nunca|debe\w*)\b"
    r"|必须|总是|不要|必ず|してください|해야|하세요"
)
_VALUES: Final = re.compile(r"\w*\d(?:[\w.:-]*\w)?|(?<=[a-z,:;] )[A-Z]\w+")
_NOTE: Final = Reason("noted", "in every prompt of a small memory", 1.0)
_RULES: Final = frozenset({Category.RULE, Category.PREFERENCE})


def told_notes(records: Sequence[Knowledge], room: Room) -> tuple[Item, ...]:
    """The notes that are told, of records that come latest first.

    The user's sentences, those of rules and preferences first, have a budget of their
    own.
    """
    said: dict[str, Knowledge] = {}
    for record in records:
        if record.said and not any(record.said in each for each in said):
            said[record.said] = record
    first = sorted(said.values(), key=lambda record: record.category not in _RULES)
    kept = {
        item.id: item
        for item in _fitting(first, room, int(_SAID_ROOM * room.tokens), SAID)
    }
    others = [
        replace(record, said="")
        for record in records
        if _adds(record) and not _INSTRUCTS.search(record.content)
    ]
    latest_last = [kept[record.id] for record in reversed(records) if record.id in kept]
    return (*latest_last, *_fitting(others, room, room.tokens // _SHARE, NOTED))


def _adds(record: Knowledge) -> bool:
    """Whether a note has a number or a name that the sentences behind it do not have."""
    said = record.said.casefold()
    return not said or any(
        value.casefold() not in said for value in _VALUES.findall(record.content)
    )


def noted_blocks(items: Iterable[Item]) -> str:
    """The user's sentences behind notes under a title, and the other notes under
    another.
    """
    lines: dict[str, list[str]] = {SAID: [], NOTED: []}
    for item in items:
        lines[SAID if item.said else NOTED].append(_line(item))
    return joined(
        *("\n".join((f"## {title}", *each)) for title, each in lines.items() if each)
    )


def _fitting(
    records: Iterable[Knowledge], room: Room, tokens: int, title: str
) -> list[Item]:
    """The first of the notes, as many as fit under a title."""
    kept: list[Item] = []
    left = tokens - room.counter(f"\n\n## {title}")
    for item in (present(record, _NOTE.value, (_NOTE,)) for record in records):
        cost = room.counter(f"\n{_line(item)}")
        if cost <= left:
            left -= cost
            kept.append(item)
    return kept


def _line(item: Item) -> str:
    """A note: the user's sentences that it rests on, if they are known, else its own
    words, quoted.
    """
    if not item.said:
        return standing_line(item)
    return f"- {json.dumps(one_line(item.said, item), ensure_ascii=False)}"  # the key is the agent's word
