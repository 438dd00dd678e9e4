"""Finds the one learning that an error belongs to, and what can be shown about a call,
in the store.

First an error is looked up by its exact template. Else it is compared with the
templates that differ in placeholders only, with those that have a wildcard, and with
the latest ones, which may become one with a new wildcard.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, cast

from hexad.calls.error_category import category_of
from hexad.calls.error_words import pattern_text, split
from hexad.learning.evidence import Shown, is_corrected, joined, shown_of
from hexad.learning.pattern import Placement, fitting, holds, opens, place
from hexad.memory.index.indexing import records
from hexad.model import Layer, Learning, Origin
from hexad.store.learning import LearningChanges, TemplateFilter, skeleton

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from hexad.calls.error_words import Words
    from hexad.calls.outcome import Outcome
    from hexad.memory.workspace import Change
    from hexad.store import Reading, Writing

COMPARED: Final = 256  # the latest patterns of a tool and a length, in which a new wildcard is looked for
MOST_OPEN: Final = 1024  # patterns of a tool and a length that have a wildcard
MOST_OF_A_TOOL: Final = 2000  # patterns of a tool that are compared with a new one
MOST_NOTICED: Final = 500  # failures of a namespace that were met in one session only
NOTICED_FOR: Final = timedelta(days=30)
_FADED: Final = (
    64  # every so many audit records failures that nobody met again are removed
)
_LEARNINGS: Final = Layer.AGENT_LEARNINGS
_POINTERS: Final = "learned"  # a note: by trigger, the learnings that have something to say before a call
_MOST_TRIGGERS, _MOST_POINTERS = 64, 12


def remembered(change: Change, outcome: Outcome, now: datetime) -> tuple[str, bool]:
    """The id of the one learning about an error, and whether the error is still to be
    counted for it.
    """
    exact = TemplateFilter(
        outcome.trigger,
        limit=1,
        length=len(outcome.words),
        template=pattern_text(outcome.words),
    )
    known = change.unit.templates([exact])
    if known:
        return known[0][1], True
    bucket = bucket_of(change.unit, outcome.trigger, outcome.words)
    where = _placed(change, outcome.words, bucket)
    if where.replaced or where.template not in bucket:
        return _grown(
            change,
            outcome,
            where.template,
            [bucket[each] for each in where.replaced],
            now,
        ).id, False
    return bucket[where.template], True


def bucket_of(view: Reading, trigger: str, words: Words) -> dict[Words, str]:
    """The templates that an error of a tool is compared with, each with its learning's
    id.
    """
    size = len(words)
    wanted = (
        TemplateFilter(trigger, limit=COMPARED, length=size),
        TemplateFilter(trigger, limit=MOST_OPEN, length=size, wildcard=True),
        TemplateFilter(
            trigger,
            limit=MOST_OF_A_TOOL,
            length=size,
            skeleton=skeleton(pattern_text(words)),
        ),
    )
    return {split(template): about for template, about in view.templates(wanted)}


def known_as(view: Reading, trigger: str, words: Words) -> str | None:
    """The id of the learning that an error of a tool belongs to, if there is one."""
    bucket = bucket_of(view, trigger, words)
    found = fitting(words, bucket)
    return None if found is None else bucket[found]


def with_type(view: Reading, trigger: str, words: Words) -> str | None:
    """The id of the learning whose pattern is these words behind a type ("KeyError:
    …"), which people leave out.
    """
    longer = view.templates(
        [TemplateFilter(trigger, limit=COMPARED, length=len(words) + 2)]
    )
    known = ((split(template), found) for template, found in longer)
    typed = ((each[2:], found) for each, found in known if each[1] == ":")
    return next(
        (found for each, found in typed if holds(each, words) or holds(words, each)),
        None,
    )


def _placed(change: Change, words: Words, bucket: Mapping[Words, str]) -> Placement:
    """Where an error belongs. A pattern that a user corrected stays apart from others."""
    where = place(words, bucket.keys())
    if not opens(where.template, (words, *where.replaced)):
        return where
    known = {each: get(change, bucket[each]) for each in where.replaced}
    corrected = {
        each
        for each, learning in known.items()
        if learning is not None and is_corrected(learning)
    }
    return (
        place(words, [each for each in bucket if each not in corrected])
        if corrected
        else where
    )


def _grown(
    change: Change,
    outcome: Outcome,
    template: Words,
    replaced: Sequence[str],
    now: datetime,
) -> Learning:
    """Store a template that is new, or that replaces others: the oldest of their
    learnings absorbs the rest.
    """
    known = [each for name in replaced if (each := get(change, name)) is not None]
    old = sorted(known, key=lambda each: (each.created, each.id))
    text = pattern_text(template)
    about = {"error_pattern": text, "template": text, "length": len(template)}
    if not old:
        fresh = Learning(
            id=new_id(),
            trigger=outcome.trigger,
            category=category_of(outcome.problem),
            origin=Origin.TOOL,
            session=change.session,
            seen=1,
            created=now,
            updated=now,
            **about,  # type: ignore[arg-type]
        )
        change.put(fresh)
        return fresh
    first = replace(old[0], seen=old[0].seen + 1, updated=now, **about)  # type: ignore[arg-type]
    return absorb(change, first, old[1:])


def absorb(change: Change, kept: Learning, others: Sequence[Learning]) -> Learning:
    """Merge learnings into one; the calls and offers of sessions refer to that one from
    now on.
    """
    whole = joined(kept, others)
    for other in others:
        change.unit.learn(LearningChanges(renamed={other.id: kept.id}))
        change.unit.remove(_LEARNINGS, other.id)
    change.put(whole)
    for other in others:
        change.audit("learning.merge", kept.id, {"merged": other.id})
    return whole


def matching(view: Reading, trigger: str, words: Words) -> Sequence[str]:
    """The ids of the learnings about an error, the closest first.

    First those with its pattern, then those whose pattern is a part of it or has a type
    before it ("KeyError: …"), then those about every error of the tool.
    """
    lengths = (
        len(words),
        0,
        None,
    )  # of its own length, about every error, and the latest of any length
    wanted = [
        TemplateFilter(each, limit=COMPARED, length=length)
        for each in triggers(trigger)
        for length in lengths
    ]
    rows = {found: template for template, found in view.templates(wanted)}
    known = [(split(template), found) for found, template in rows.items()]
    same = [
        each for each in known if len(each[0]) == len(words) and holds(words, each[0])
    ]
    part = [
        each
        for each in known
        if 0 < len(each[0]) < len(words) and holds(words, each[0])
    ]
    longer = [each for each in known if len(each[0]) == len(words) + 2]
    typed = [each for each in longer if each[0][1] == ":" and holds(each[0][2:], words)]
    any_error = [each for each in known if not each[0]]
    ordered = (
        *same,
        *sorted(part, key=lambda each: (-len(each[0]), each[1])),
        *typed,
        *any_error,
    )
    return [found for _, found in ordered]


def shown_for(
    view: Reading,
    failed: Outcome,
    arguments: Mapping[str, Any] | None,
    *,
    asked: bool = False,
    brief: bool = True,
) -> list[Shown]:
    """What can be shown about a failed call: a user's word first, then what is trusted,
    then the closest.
    """
    places = [
        (_LEARNINGS, each) for each in matching(view, failed.trigger, failed.words)
    ]
    rows = [view.get(*place, ahead=places) for place in places]
    found: list[Shown] = []
    for row in rows:
        if row is not None:
            found += shown_of(
                cast("Learning", row.record),
                arguments,
                failed.error,
                asked=asked,
                brief=brief,
            )
    return sorted(found, key=lambda each: (not each.by_user, not each.trusted))


def point_to(unit: Writing, learning: Learning) -> None:
    """Remember that a learning has something to say before a call of its tool."""
    pointers = pointers_of(unit)
    ids = pointers.pop(learning.trigger, [])
    if learning.id in ids:
        return
    pointers[learning.trigger] = [learning.id, *ids][:_MOST_POINTERS]
    latest = list(pointers.items())[-_MOST_TRIGGERS:]
    unit.set_note(_POINTERS, json.dumps(dict(latest)))


def pointers_of(view: Reading) -> dict[str, list[str]]:
    """By trigger, the ids of the learnings that have something to say before a call."""
    pointers: dict[str, list[str]] = json.loads(view.note(_POINTERS) or "{}")
    return pointers


def pointed_to(view: Reading, trigger: str) -> list[Learning]:
    """The learnings that have something to say before a call of a tool, the latest
    first.
    """
    pointers = pointers_of(view)
    ids = [each for name in triggers(trigger) for each in pointers.get(name, ())]
    places = [(_LEARNINGS, each) for each in ids]
    rows = [view.get(*place, ahead=places) for place in places]
    return [cast("Learning", row.record) for row in rows if row is not None]


def new_id() -> str:
    """A random id: the audit log shows it, so it must not be a hash of the content."""
    return os.urandom(5).hex()


def fade(change: Change, number: int, now: datetime) -> None:
    """Every so often, remove failures that nobody met again: those that are old, and
    the oldest of too many.
    """
    if number % _FADED:
        return
    known = [cast("Learning", each) for each in records(change.unit, _LEARNINGS)]
    noticed = sorted(
        (each for each in known if not each.learned), key=lambda each: each.updated
    )
    too_many = noticed[: max(0, len(noticed) - MOST_NOTICED)]
    old = [each for each in noticed if now - each.updated > NOTICED_FOR]
    for each in {each.id: each for each in (*too_many, *old)}:
        change.remove(_LEARNINGS, each)
        change.audit("learning.fade", each)


def get(change: Change, id: str) -> Learning | None:
    """A learning as it is inside a change."""
    return cast("Learning | None", change.get(_LEARNINGS, id))


def triggers(trigger: str) -> tuple[str, str]:
    """The triggers that a learning about a tool may have: people leave out the prefix."""
    return trigger, trigger.removeprefix("tool:")
