"""Finds the one learning that an error belongs to, and the learnings whose fixes may help, in the store.

First an error is looked up by its exact template. Else it is compared with the templates that differ in placeholders
only, with those that have a wildcard, and with the latest ones, which may become one with a new wildcard.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from hexad.learning.errors.category import category_of
from hexad.learning.errors.pattern import Placement, fitting, holds, is_near, opens, pattern_text, place, split
from hexad.learning.fixes.candidates import at_odds, for_error, is_corrected, joined, with_stated
from hexad.model import Layer, Learning, Origin
from hexad.store.learning import LearningChanges, TemplateFilter, skeleton

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from hexad.learning.arguments.shapes import Argument
    from hexad.learning.errors.pattern import Words
    from hexad.learning.outcome import Outcome
    from hexad.memory.workspace import Change
    from hexad.store import Reading

COMPARED: Final = 256  # the latest patterns of a tool and a length, in which a new wildcard is looked for
MOST_OPEN: Final = 1024  # patterns of a tool and a length that have a wildcard
MOST_OF_A_TOOL: Final = 2000  # learnings; then each new one replaces an old one without fix and diagnosis
_LEARNINGS: Final = Layer.AGENT_LEARNINGS


def remembered(change: Change, outcome: Outcome, now: datetime) -> tuple[str, bool]:
    """The id of the one learning about an error, and whether the error is still to be counted for it."""
    exact = TemplateFilter(outcome.trigger, limit=1, length=len(outcome.words), template=pattern_text(outcome.words))
    known = change.unit.templates([exact])
    if known:
        return known[0][1], True
    bucket = bucket_of(change.unit, outcome.trigger, outcome.words)
    where = _placed(change, outcome.words, bucket)
    if where.replaced or where.template not in bucket:
        return _grown(change, outcome, where.template, [bucket[each] for each in where.replaced], now).id, False
    return bucket[where.template], True


def bucket_of(view: Reading, trigger: str, words: Words) -> dict[Words, str]:
    """The templates that an error of a tool is compared with, each with its learning's id."""
    size = len(words)
    wanted = (
        TemplateFilter(trigger, limit=COMPARED, length=size),
        TemplateFilter(trigger, limit=MOST_OPEN, length=size, wildcard=True),
        TemplateFilter(trigger, limit=MOST_OF_A_TOOL, length=size, skeleton=skeleton(pattern_text(words))),
    )
    return {split(template): about for template, about in view.templates(wanted)}


def known_as(view: Reading, trigger: str, words: Words) -> str | None:
    """The id of the learning that an error of a tool belongs to, if there is one."""
    bucket = bucket_of(view, trigger, words)
    found = fitting(words, bucket)
    return None if found is None else bucket[found]


def with_type(view: Reading, trigger: str, words: Words) -> str | None:
    """The id of the learning whose pattern is these words behind a type ("KeyError: …"), which people leave out."""
    longer = view.templates([TemplateFilter(trigger, limit=COMPARED, length=len(words) + 2)])
    known = ((split(template), found) for template, found in longer)
    typed = ((each[2:], found) for each, found in known if each[1] == ":")
    return next((found for each, found in typed if holds(each, words) or holds(words, each)), None)


def _placed(change: Change, words: Words, bucket: Mapping[Words, str]) -> Placement:
    """Where an error belongs. Patterns stay apart if merging them would show the fix of one for another."""
    where = place(words, bucket.keys())
    if not opens(where.template, (words, *where.replaced)):
        return where
    known = {each: get(change, bucket[each]) for each in where.replaced}
    corrected = {each for each, learning in known.items() if learning is not None and is_corrected(learning)}
    if corrected:
        where = place(words, [each for each in bucket if each not in corrected])
    joining = [each for name in where.replaced if (each := known.get(name) or get(change, bucket[name])) is not None]
    return Placement(words) if at_odds(joining) else where


def _grown(change: Change, outcome: Outcome, template: Words, replaced: Sequence[str], now: datetime) -> Learning:
    """Store a template that is new, or that replaces others: the oldest of their learnings absorbs the rest."""
    known = [each for name in replaced if (each := get(change, name)) is not None]
    old = sorted(known, key=lambda each: (each.created, each.id))
    text = pattern_text(template)
    about = {"error_pattern": text, "template": text, "length": len(template)}
    if not old:
        _make_room(change, outcome.trigger)
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
        fresh = with_stated(fresh, outcome.error, outcome.arguments)
        change.put(fresh)
        return fresh
    first = replace(old[0], seen=old[0].seen + 1, updated=now, **about)  # type: ignore[arg-type]
    return absorb(change, first, old[1:])


def absorb(change: Change, kept: Learning, others: Sequence[Learning]) -> Learning:
    """Merge learnings into one; the calls and offers of sessions refer to that one from now on."""
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

    First those with its pattern, then those whose pattern is a part of it, has a type before it ("KeyError: …"), or
    differs in one word that may be a value, then those about every error of the tool.
    """
    lengths = (len(words), 0, None)  # of its own length, about every error, and the latest of any length
    wanted = [TemplateFilter(each, limit=COMPARED, length=length) for each in triggers(trigger) for length in lengths]
    rows = {found: template for template, found in view.templates(wanted)}
    known = [(split(template), found) for found, template in rows.items()]
    same = [each for each in known if len(each[0]) == len(words) and holds(words, each[0])]
    part = [each for each in known if 0 < len(each[0]) < len(words) and holds(words, each[0])]
    longer = [each for each in known if len(each[0]) == len(words) + 2]
    typed = [each for each in longer if each[0][1] == ":" and holds(each[0][2:], words)]
    near = [each for each in known if is_near(words, each[0])]
    any_error = [each for each in known if not each[0]]
    ordered = (*same, *sorted(part, key=lambda each: (-len(each[0]), each[1])), *typed, *near, *any_error)
    return [found for _, found in ordered]


def fixes_for(
    view: Reading, trigger: str, error: str, words: Words, arguments: Mapping[str, Argument] | None
) -> list[Learning]:
    """The learnings with a fix for an error of a tool: trusted ones first, a user's correction before others.

    Else the closest comes first. Each has the fix that holds for this very error and, if they are known, arguments.
    """
    places = [(_LEARNINGS, each) for each in matching(view, trigger, words)]
    rows = [view.get(*place, ahead=places) for place in places]
    found = [for_error(cast("Learning", row.record), error, arguments) for row in rows if row is not None]
    mined = [each for each in found if each.origin is Origin.TOOL or not is_near(words, split(each.template))]
    fixed = [each for each in mined if each.fix]  # somebody's words are for the very error
    return sorted(fixed, key=lambda each: (not each.trusted, each.origin is not Origin.USER))


def new_id() -> str:
    """A random id: the audit log shows it, so it must not be a hash of the content."""
    return os.urandom(5).hex()


def _make_room(change: Change, trigger: str) -> None:
    """Remove the tool's oldest learning without fix and diagnosis, if the tool has too many."""
    known = change.unit.templates([TemplateFilter(trigger, limit=2 * MOST_OF_A_TOOL)])
    if len(known) < MOST_OF_A_TOOL:
        return
    oldest_first = (get(change, found) for _, found in reversed(known))
    once = (each for each in oldest_first if each is not None and each.origin is Origin.TOOL and each.seen <= 1)
    least = next((each.id for each in once if not each.fix and not each.diagnosis), None)
    if least is not None:
        change.remove(_LEARNINGS, least)
        change.audit("learning.clean", least)


def get(change: Change, id: str) -> Learning | None:
    """A learning as it is inside a change."""
    return cast("Learning | None", change.get(_LEARNINGS, id))


def triggers(trigger: str) -> tuple[str, str]:
    """The triggers that a learning about a tool may have: people leave out the prefix."""
    return trigger, trigger.removeprefix("tool:")
