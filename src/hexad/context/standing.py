"""Standing context: entries of the user's that are in every prompt, in one block whose
bytes change only with them.

Pinned entries, rules and preferences stand; in a memory that is not large, short facts
of the user's fill the rest. What an agent, a tool or an import saved never stands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.context.later import current
from hexad.context.layers.presenting import present
from hexad.context.noted import noted_blocks, told_notes
from hexad.context.selection import estimate_tokens
from hexad.context.template import joined, standing_line
from hexad.memory.usage.prompts import forgettable
from hexad.model import Layer, Origin, Reason
from hexad.recent import LatestResults
from hexad.store import Question, Row, Standing, Store, standing_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from hexad.model import Item, Knowledge, TokenCounter

TITLE: Final = "Standing Rules and Preferences"
BUDGET: Final = 400  # tokens
_ALIKE: Final = 6  # tokens by which texts of like length differ
_SHORTEST: Final = 3  # tokens of a line, at the least in practice: "- I am vegan"
_NAMED: Final = 5  # of those that do not fit
_SUBJECT: Final = re.compile(  # "My dentist is …": a later entry with the same beginning says what holds now
    r"(?i)(?:my|our|the|mein\w*|unser\w*|mon|ma|notre|mi|nuestr\w+) [^.,;:!?]{2,40}? (?:is|are|ist|sind|est|es|son) "
    r"|(?:i|we) (?:live|work) (?:in|at|for|as) "
)
_STANDS: Final = Reason("standing", "in every prompt", 1.0)
_MOST: Final = 256  # namespaces whose block is kept ready


class Room(NamedTuple):
    """The budget of the standing block."""

    tokens: int = BUDGET
    counter: TokenCounter = estimate_tokens

    @property
    def rows(self) -> int:
        """The most rows that can fit."""
        return self.tokens // _SHORTEST

    def less(self, items: Sequence[Item]) -> Room:
        """The room that is left after these items."""
        return (
            self._replace(
                tokens=max(0, self.tokens - self.counter(standing_block(items)))
            )
            if items
            else self
        )


class Stands(NamedTuple):
    """The items that stand, and a sentence about the user's pins, rules and preferences
    that do not fit, if any.

    In a small memory the agent's ``notes`` are told behind them, in parts of their own:
    of those that rest on sentences of the user's these sentences, of others the facts.
    """

    items: tuple[Item, ...] = ()
    unfit: str = ""
    notes: tuple[Item, ...] = ()


_chosen: Final = forgettable(
    LatestResults[str, "tuple[Sequence[Row], Room]", Stands](_MOST)
)
_written: Final = forgettable(
    LatestResults[str, "tuple[Sequence[Item], Sequence[Item]]", str](_MOST)
)


def read_standing(
    store: Store, namespace: str, now: datetime, room: Room, deadline: float | None
) -> Stands:
    """The entries of a namespace that stand."""
    if not room.tokens:
        return Stands()
    question = Question(
        layers=(Layer.USER_KNOWLEDGE,), now=now, standing=room.rows, with_rules=True
    )
    with store.reading(namespace, deadline=deadline) as view:
        return fitting(
            namespace, view.evidence(question)[Layer.USER_KNOWLEDGE].standing, room
        )


def fitting(namespace: str, rows: Sequence[Row], room: Room) -> Stands:
    """The items that stand, of the rows of a namespace; they are chosen again once a
    row or the room is another.
    """
    return _chosen.of(namespace, (rows, room), lambda given: _choose(*given))


def _choose(rows: Sequence[Row], room: Room) -> Stands:
    """The items that stand, of rows that come pinned ones first, then rules, then
    others, the newest first in each.

    Others fill the room that is left, if all are known: short ones first, which words
    find worst, and of like length the oldest, so that a new one changes little. What a
    later one may have corrected comes last.
    """
    every = current(rows)
    own = [record for record in every if record.origin is Origin.USER]
    records = rules = [record for record in own if standing_of(record) > Standing.OWN]
    whole = (
        sum(row.record.origin is Origin.USER for row in rows) < room.rows
    )  # otherwise there may be more
    if whole:
        others = [
            record for record in reversed(own) if standing_of(record) == Standing.OWN
        ]
        latest = {_subject(record): record for record in others}
        outdated = {
            record.id for record in others if latest[_subject(record)] is not record
        }
        records = rules + sorted(
            others,
            key=lambda one: (one.id in outdated, room.counter(one.content) // _ALIKE),
        )
    items = _first(
        [present(record, _STANDS.value, (_STANDS,)) for record in records], room
    )
    told = {item.content for item in items}
    notes_of_all = [each for each in every if standing_of(each) is Standing.NOTED]
    noted = [each for each in notes_of_all if whole and each.said not in told]
    notes = told_notes(noted, room) if noted else ()
    stand = {item.id for item in items}
    missing = [record.key for record in rules if record.id not in stand]
    if not missing or not room.tokens:
        return Stands(items, notes=notes)
    known = f"{len(rules)}{'' if whole else ' or more'}"
    some = ", ".join(missing[:_NAMED]) + (", …" if len(missing) > _NAMED else "")
    fit = f"{len(rules) - len(missing)} of {known} rules and preferences fit {room.tokens} tokens"
    unfit = f"standing: {fit}; the rest are found by relevance (setting standing_budget): {some}"
    return Stands(items, unfit, notes)


def _subject(record: Knowledge) -> str:
    found = _SUBJECT.match(record.content)
    return found[0].casefold() if found else record.id


def _first(items: Sequence[Item], room: Room) -> tuple[Item, ...]:
    """The items that fit, the first ones first."""
    if room.counter(standing_block(items)) <= room.tokens:
        return tuple(items)
    kept: dict[Item, str] = {}
    left = room.tokens - room.counter(_block(()))
    for item in items:
        line = standing_line(item)
        cost = room.counter(f"\n{line}")
        if (
            left < cost <= left + len(kept)
        ):  # each cost was rounded up: the lines together are less
            left = room.tokens - room.counter(_block(kept.values()))
        if cost <= left:
            left -= cost
            kept[item] = line
    return tuple(kept)


def standing_text(
    namespace: str, standing: Sequence[Item], noted: Sequence[Item]
) -> str:
    """The text of what stands in a namespace, and of the notes behind it; written again
    once an item is another.
    """
    return _written.of(
        namespace,
        (standing, noted),
        lambda given: joined(standing_block(given[0]), noted_blocks(given[1])),
    )


def standing_block(items: Iterable[Item]) -> str:
    """The items under their title; empty without items."""
    lines = [standing_line(item) for item in items]
    return _block(lines) if lines else ""


def _block(lines: Iterable[str]) -> str:
    return "\n".join((f"## {TITLE}", *lines))
