"""The values of each page, read from the engine: a function from a call to the values
of its template.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, cast

from hexad.context.layers import Fate
from hexad.examples import call_text
from hexad.memory.usage.timeline import ShownPrompt, fingerprint, shown_prompts
from hexad.model import (
    TRUSTED,
    AuditRecord,
    Category,
    Layer,
    Learning,
    Origin,
    ReferenceKind,
    Skill,
    Version,
)
from hexad.server.api import verbs
from hexad.server.api.calls import ApiCall, number_in, part
from hexad.server.tokens import Right
from hexad.settings import KNOWN
from hexad.skills.review import Review, drafts, reviewed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_ROWS: Final = 50
_SORTED: Final = 2000  # entries that are sorted by something else than age
_LOOKED_AT: Final = 2000  # records of the log that a page reads
_EXAMPLES: Final = 20
_DAYS: Final = 21
_SORTS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "changed": lambda entry: entry.updated,
    "used": lambda entry: entry.use_count,
    "key": lambda entry: entry.key.casefold(),
}


def playground(call: ApiCall) -> dict[str, Any]:
    """The prompt for a message: what was found, what was left out, and why."""
    message, budget = (
        call.query.get("message", ""),
        number_in(call.query.get("budget", ""), "budget"),
    )
    hx, floor = call.hx, call.query.get("floor", "on") != "off"
    if not floor and hx.own_retriever is not None:
        hx = hx.with_retriever(replace(hx.own_retriever, floor=False))
    why = hx.explain(message, budget=budget) if message.strip() else None
    found = {}
    for layer, judged in (why.candidates if why else {}).items():
        found[layer] = [each for each in judged if each.fate is not Fate.STANDING]
    return {
        "message": message,
        "budget": budget,
        "floor": floor,
        "why": why,
        "standing": hx.standing() if why is None else why.prompt.standing,
        "found": {layer: judged for layer, judged in found.items() if judged},
    }


def review(call: ApiCall) -> dict[str, Any]:
    """Proposals beside the entries that they would change, drafts with their findings,
    doubtful learnings.
    """
    proposals = [
        (each, call.hx.knowledge.lookup(each.against or each.key))
        for each in call.hx.proposals.list()
    ]
    looked_at = [_looked_at(skill) for skill in drafts(call.hx.skills.list())]
    return {
        "proposals": proposals,
        "drafts": looked_at,
        "doubts": [(each, _in_words(each)) for each in call.hx.learnings.doubtful()],
    }


def _looked_at(skill: Skill) -> tuple[Review, list[tuple[str, str]]]:
    """A review, and the definition as a person reads it: texts as they are, the rest as
    JSON.
    """
    return reviewed(skill), [
        (
            name,
            each
            if isinstance(each, str)
            else json.dumps(each, indent=2, ensure_ascii=False),
        )
        for name, each in skill.definition.items()
    ]


def knowledge(call: ApiCall) -> dict[str, Any]:
    """A page of entries or references, or one entry with its versions."""
    if call.query.get("key"):
        return _one_entry(call, call.query["key"])
    asked = {
        name: call.query[name]
        for name in ("query", "cursor", "category", "origin")
        if call.query.get(name)
    }
    if call.query.get("layer") == Layer.EXTERNAL_KNOWLEDGE:
        found, after = verbs.matching(replace(call, query=asked), call.hx.references)
        return {
            "template": "references",
            "references": found,
            "next": after,
            "kinds": ReferenceKind,
        }
    by = _SORTS.get(call.query.get("sort", ""))
    asked |= {name: True for name in ("pinned", "deleted") if call.query.get(name)}
    sorts = by is not None and "query" not in asked
    asked |= {"limit": _SORTED, "cursor": ""} if sorts else {}
    found, after = verbs.matching(replace(call, query=asked), call.hx.knowledge)
    cut = _SORTED if sorts and after else 0
    if sorts:
        found, after = part(
            sorted(found, key=by, reverse=call.query["sort"] != "key"), call.query
        )
    return {
        "entries": found,
        "next": after,
        "cut": cut,
        "categories": list(Category),
        "origins": list(Origin),
        "sorts": ["saved", *_SORTS],
    }


def _one_entry(call: ApiCall, key: str) -> dict[str, Any]:
    entry = call.hx.knowledge.get(key)
    versions = call.hx.knowledge.history(entry.key)
    return {
        "template": "knowledge_one",
        "entry": entry,
        "versions": versions,
        "changes": [_difference(older, newer) for newer, older in pairwise(versions)],
        "similar": call.hx.knowledge.similar(entry),
        "habits": call.hx.habits.of(Layer.USER_KNOWLEDGE, entry.id),
        "categories": list(Category),
    }


def _difference(older: Version, newer: Version) -> dict[str, Any]:
    """Two versions side by side, word by word; words that differ are marked."""
    before, after = older.content.split(), newer.content.split()
    matcher, left, right = SequenceMatcher(None, before, after, autojunk=False), [], []
    for way, one, two, three, four in matcher.get_opcodes():
        left.append((way != "equal", " ".join(before[one:two])))
        right.append((way != "equal", " ".join(after[three:four])))
    return {"older": older, "newer": newer, "left": left, "right": right}


def learnings(call: ApiCall) -> dict[str, Any]:
    """All learnings, the most frequent first, or one with its examples; failures of one
    session only if asked for.
    """
    if call.query.get("id"):
        return _one_learning(call, call.hx.learnings.get(call.query["id"]))
    query = call.query.get("query", "").strip().casefold()
    every = call.hx.learnings.list(noticed=bool(call.query.get("noticed")))
    found: list[tuple[Learning, str]] = []
    for each in sorted(every, key=lambda each: (each.seen, each.updated), reverse=True):
        known = _in_words(each)
        if query in f"{each.trigger} {each.error_pattern} {known}".casefold():
            found.append((each, known))
    return {
        "learnings": found[: _ROWS * 4],
        "stats": call.hx.learnings.stats(),
        "trusted": TRUSTED,
    }


def _in_words(learning: Learning) -> str:
    """Its lesson, else its best example; empty if nothing is known."""
    shown = learning.known.shown
    return learning.fix or (
        shown[0].text(learning.tool, sessions=learning.sessions) if shown else ""
    )


def _one_learning(call: ApiCall, learning: Learning) -> dict[str, Any]:
    latest = call.hx.audit.latest(_LOOKED_AT)
    records = _calls(latest)
    met = [
        (record, _next(records, place))
        for place, record in enumerate(records)
        if record.details.get("learning") == learning.id
    ]
    touched = [
        each
        for each in latest
        if learning.id in cast("Mapping[str, float]", each.details.get("trust", {}))
    ]
    moved = _moved(touched[::-1], learning.id)
    call.hx.scoped().close()  # writes what waits
    prompts = shown_prompts(call.hx.store, call.hx.namespace)
    came = zip(
        prompts,
        _came_of(prompts, _calls([record for record, _ in reversed(moved)])),
        strict=True,
    )
    came_in = []
    for each, how in came:
        if learning.id in [item.id for item in each.items]:
            came_in.append((each.at, how))
    return {
        "template": "learnings_one",
        "learning": learning,
        "examples": [
            (
                each,
                call_text(learning.tool, each.failed),
                call_text(learning.tool, each.worked),
            )
            for each in learning.known.examples
        ],
        "met": met[-_EXAMPLES:],
        "came": [
            None if after is None else bool(after.details.get("ok"))
            for _, after in met[-_EXAMPLES:]
        ],
        "moved": moved,
        "prompts": came_in,
        "trusted": TRUSTED,
    }


def _moved(records: Sequence[AuditRecord], id: str) -> list[tuple[AuditRecord, float]]:
    """The records that changed the trust in a learning, and those in which somebody
    saved it; oldest first.
    """
    points: list[tuple[AuditRecord, float]] = []
    before = 0.0
    for record in records:
        trust = cast("Mapping[str, float]", record.details["trust"])[id]
        if trust != before or record.action != "tool.call":
            points.append((record, trust))
        before = trust
    return points


def _calls(records: Sequence[AuditRecord]) -> list[AuditRecord]:
    """Calls of tools in the log, oldest first."""
    return [record for record in reversed(records) if record.action == "tool.call"]


def _next(records: Sequence[AuditRecord], place: int) -> AuditRecord | None:
    """The next call of the same tool in the same session."""
    one = records[place]
    later = (
        each
        for each in records[place + 1 :]
        if (each.session, each.target) == (one.session, one.target)
    )
    return next(later, None)


def skills(call: ApiCall) -> dict[str, Any]:
    """All skills, or one with the findings of its check."""
    if not call.query.get("name"):
        return {
            "skills": sorted(
                call.hx.skills.list(),
                key=lambda each: (each.status != "draft", each.name),
            )
        }
    skill = call.hx.skills.get(call.query["name"])
    draft, parts = _looked_at(skill)
    log = call.hx.audit.latest(_LOOKED_AT)
    runs = [
        each for each in log if (each.action, each.target) == ("skill.run", skill.name)
    ][:_EXAMPLES]
    one = {"skill": skill, "draft": draft, "parts": parts, "runs": runs}
    return {
        "template": "skills_one",
        **one,
        "versions": call.hx.skills.history(skill.name),
    }


def timeline(call: ApiCall) -> dict[str, Any]:
    """Items of prompts by time, what the session's tools did then, and how often
    nothing was found.
    """
    call.hx.scoped().close()  # writes what waits
    prompts = shown_prompts(call.hx.store, call.hx.namespace)
    every = Counter(f"{prompt.at:%Y-%m-%d}" for prompt in prompts)
    empty = Counter(f"{prompt.at:%Y-%m-%d}" for prompt in prompts if not prompt.items)
    came = _came_of(prompts, _calls(call.hx.audit.latest(_LOOKED_AT)))
    return {
        "names": {
            each.id: each.trigger for each in call.hx.learnings.list(noticed=True)
        },
        "prompts": list(zip(prompts[: _ROWS * 2], came, strict=False)),
        "every": len(prompts),
        "empty": empty.total(),
        "days": [(day, every[day], empty[day]) for day in sorted(every)[-_DAYS:]],
        "allowed": call.hx.settings.timeline,
        "often": Counter(
            f"{item.layer}/{item.id}" for prompt in prompts for item in prompt.items
        ).most_common(8),
    }


def _came_of(
    prompts: Sequence[ShownPrompt], calls: Sequence[AuditRecord]
) -> list[tuple[int, int]]:
    """For each prompt, the calls that worked and failed after it, before the next
    prompt of its session.
    """
    came = Counter[tuple[int | None, bool]]()
    for each in calls:
        by = fingerprint(each.session)
        before = (
            place
            for place, prompt in enumerate(prompts)
            if by == prompt.session and prompt.at <= each.at
        )
        came[next(before, None) if by else None, bool(each.details.get("ok"))] += 1
    return [(came[place, True], came[place, False]) for place in range(len(prompts))]


def evaluation(call: ApiCall) -> dict[str, Any]:
    """The form for questions with known answers, and the sets that are stored."""
    return {"sets": list(verbs.stored_sets(call.evals)), "results": None}


def log(call: ApiCall) -> dict[str, Any]:
    """The latest changes."""
    before, action = (
        number_in(call.query.get("before", ""), "before"),
        call.query.get("action", ""),
    )
    records = call.hx.audit.latest(_LOOKED_AT if action else _ROWS * 2, before=before)
    shown = [record for record in records if record.action.startswith(action)][
        : _ROWS * 2
    ]
    earlier = shown[-1].sequence if shown and shown[-1].sequence > 1 else None
    return {"records": shown, "action": action, "before": earlier}


def settings(call: ApiCall) -> dict[str, Any]:
    """Settings with their values, health, and tokens for those who may make them."""
    values = [(each, getattr(call.hx.settings, each.name)) for each in KNOWN]
    return {
        "settings": [
            (each, "set" if each.secret and value else value) for each, value in values
        ],
        "tokens": verbs.list_tokens(call)["items"]
        if Right.APPROVE in call.caller.rights
        else None,
        "open": not call.tokens.needed,
        "rights": list(Right),
        "namespaces": verbs.namespaces(replace(call, query={}))["items"],
    }


_PAGES: Final = (
    playground,
    review,
    knowledge,
    learnings,
    skills,
    timeline,
    evaluation,
    log,
    settings,
)
PAGES: Final[Mapping[str, Callable[[ApiCall], dict[str, Any]]]] = {
    page.__name__: page for page in _PAGES
}
