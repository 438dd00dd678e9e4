"""The values of each page, read from the engine: a function from a view to the values of its template."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from hexad._version import __version__
from hexad.context.retriever import ContextRetriever
from hexad.errors import HexadError, InvalidInput
from hexad.memory.use.timeline import fingerprint, shown_prompts
from hexad.model import TRUSTED, Category, Layer, Origin, ReferenceKind
from hexad.server.api import keeping, verbs
from hexad.server.api.calls import page
from hexad.server.tokens import Right
from hexad.settings import KNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from hexad.facade import Hexad
    from hexad.memory.use.timeline import ShownPrompt
    from hexad.model import AuditRecord, Knowledge, Learning, Version
    from hexad.server.api.calls import Call
    from hexad.server.dashboard.sessions import Session

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


@dataclass(frozen=True, slots=True)
class View:
    """Somebody who looks at a page: the engine in their namespace, their session, and what they asked for."""

    call: Call
    session: Session
    ask: Mapping[str, str]
    evals: Path | None = None  # the folder with stored questions

    @property
    def hx(self) -> Hexad:
        """The engine."""
        return self.call.hx

    def number(self, name: str, otherwise: int | None = None) -> int | None:
        """A whole number that was asked for."""
        text = self.ask.get(name, "").strip()
        if not text:
            return otherwise
        if not (text.isascii() and text.isdecimal()) or len(text) > 9:
            raise InvalidInput(name, f"must be a whole number, not {text[:20]!r}")
        return int(text)


def playground(view: View) -> dict[str, Any]:
    """The prompt for a message: what was found, what was left out, and why."""
    message, budget = view.ask.get("message", ""), view.number("budget")
    hx, floor = view.hx, view.ask.get("floor", "on") != "off"
    if not floor and isinstance(hx.retriever, ContextRetriever):
        hx = hx.with_retriever(replace(hx.retriever, floor=False))
    why = hx.explain(message, budget=budget) if message.strip() else None
    found = (
        {}
        if why is None
        else {layer: [each for each in judged if not _stands(each)] for layer, judged in why.candidates.items()}
    )
    return {
        "message": message,
        "budget": budget,
        "floor": floor,
        "why": why,
        "standing": hx.standing() if why is None else why.prompt.standing,
        "found": {layer: judged for layer, judged in found.items() if judged},
    }


def _stands(judged: Any) -> bool:
    return bool(judged.verdict.startswith("standing"))


def review(view: View) -> dict[str, Any]:
    """Proposals beside the entries that they would change, drafts with their findings, doubtful fixes."""
    proposals = [(each, _entry(view, each.against or each.key)) for each in view.hx.proposals.list()]
    return {
        "proposals": proposals,
        "drafts": [_draft(view, skill.name) for skill in verbs.drafts(view.hx)],
        "doubts": view.hx.learnings.doubtful(),
    }


def _entry(view: View, key: str) -> Knowledge | None:
    try:
        return view.hx.knowledge.get(key)
    except HexadError:
        return None


def _draft(view: View, name: str) -> dict[str, Any]:
    skill, (seen, obstacle) = view.hx.skills.get(name), verbs.reviewed(view.hx, name)
    return {"skill": skill, "seen": seen, "obstacle": obstacle, "parts": _parts(skill.definition)}


def _parts(definition: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A definition as a person reads it: texts as they are, the rest as JSON."""
    return [
        (name, each if isinstance(each, str) else json.dumps(each, indent=2, ensure_ascii=False))
        for name, each in definition.items()
    ]


def knowledge(view: View) -> dict[str, Any]:
    """A page of entries, or one entry with its versions."""
    if view.ask.get("layer") == Layer.EXTERNAL_KNOWLEDGE:
        asked = {name: view.ask[name] for name in ("query", "cursor") if view.ask.get(name)}
        found = verbs.found(replace(view.call, query=asked), view.hx.references)
        return {"template": "references", "references": found["items"], "next": found["next"], "kinds": ReferenceKind}
    if view.ask.get("key"):
        return _one_entry(view, view.ask["key"])
    entries, after = _entries(view)
    return {
        "entries": entries,
        "next": after,
        "categories": list(Category),
        "origins": list(Origin),
        "sorts": ["saved", *_SORTS],
    }


def _entries(view: View) -> tuple[Sequence[Knowledge], str | None]:
    chosen = {name: view.ask[name] for name in ("category", "origin") if view.ask.get(name)}
    wanted = verbs.wanted({**chosen, **({"pinned": True} if view.ask.get("pinned") else {})})
    query = view.ask.get("query", "").strip()
    if query:
        found = view.hx.knowledge.search(query, limit=_ROWS)
        return [entry for entry in map(view.hx.knowledge.get, (item.id for item in found)) if wanted(entry)], None
    by = _SORTS.get(view.ask.get("sort", ""))
    limit = _ROWS if by is None else _SORTED
    rows, after = page(view.hx, Layer.USER_KNOWLEDGE, cursor=view.ask.get("cursor", ""), limit=limit, keep=wanted)
    entries: list[Any] = [row.record for row in rows]
    if by is None:
        return entries, after
    return sorted(entries, key=by, reverse=view.ask["sort"] != "key")[:_ROWS], None


def _one_entry(view: View, key: str) -> dict[str, Any]:
    entry = view.hx.knowledge.get(key)
    versions = view.hx.knowledge.history(entry.key)
    return {
        "template": "knowledge_one",
        "entry": entry,
        "versions": versions,
        "changes": [_difference(older, newer) for newer, older in pairwise(versions)],
        "similar": view.hx.knowledge.similar(entry),
        "habits": view.hx.habits.of(Layer.USER_KNOWLEDGE, entry.id),
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


def learnings(view: View) -> dict[str, Any]:
    """All learnings, the most frequent first, or one with its examples."""
    if view.ask.get("id"):
        return _one_learning(view, view.hx.learnings.get(view.ask["id"]))
    query = view.ask.get("query", "").strip().casefold()
    every = sorted(view.hx.learnings.list(), key=lambda each: (each.seen, each.updated), reverse=True)
    found = [each for each in every if query in f"{each.trigger} {each.error_pattern} {each.fix}".casefold()]
    return {"learnings": found[: _ROWS * 4], "stats": view.hx.learnings.stats(), "trusted": TRUSTED}


def _one_learning(view: View, learning: Learning) -> dict[str, Any]:
    records = _calls(keeping.latest(view.call, _LOOKED_AT))
    examples = [
        (record, _next(records, place))
        for place, record in enumerate(records)
        if record.details.get("learning") == learning.id
    ]
    return {
        "template": "learnings_one",
        "learning": learning,
        "examples": examples[-_EXAMPLES:],
        "came": [None if after is None else bool(after.details.get("ok")) for _, after in examples[-_EXAMPLES:]],
        "trusted": TRUSTED,
    }


def _calls(records: Sequence[AuditRecord]) -> list[AuditRecord]:
    """Calls of tools in the log, oldest first."""
    return [record for record in reversed(records) if record.action == "tool.call"]


def _next(records: Sequence[AuditRecord], place: int) -> AuditRecord | None:
    """The next call of the same tool in the same session."""
    one = records[place]
    later = (each for each in records[place + 1 :] if (each.session, each.target) == (one.session, one.target))
    return next(later, None)


def skills(view: View) -> dict[str, Any]:
    """All skills, or one with the findings of its check."""
    if not view.ask.get("name"):
        return {"skills": sorted(view.hx.skills.list(), key=lambda each: (each.status != "draft", each.name))}
    name = view.ask["name"]
    return {"template": "skills_one", "one": _draft(view, name), "versions": view.hx.skills.history(name)}


def timeline(view: View) -> dict[str, Any]:
    """Items of prompts by time, what the session's tools did then, and how often nothing was found."""
    view.hx.scoped().close()  # writes what waits
    prompts = shown_prompts(view.hx.store, view.hx.namespace)
    empty = sum(not prompt.items and not prompt.standing for prompt in prompts)
    came = _came_of(prompts, _calls(keeping.latest(view.call, _LOOKED_AT)))
    return {
        "names": {each.id: each.trigger for each in view.hx.learnings.list()},
        "prompts": list(zip(prompts[: _ROWS * 2], came, strict=False)),
        "every": len(prompts),
        "empty": empty,
        "days": _by_day(prompts),
        "allowed": view.hx.settings.timeline,
        "often": Counter(f"{item.layer}/{item.id}" for prompt in prompts for item in prompt.items).most_common(8),
    }


def _came_of(prompts: Sequence[ShownPrompt], calls: Sequence[AuditRecord]) -> list[tuple[int, int]]:
    """For each prompt, the calls that worked and failed in its session before the session's next prompt."""
    found = []
    for place, prompt in enumerate(prompts):
        until = next((each.at for each in reversed(prompts[:place]) if each.session == prompt.session), None)
        mine = [
            each
            for each in calls
            if fingerprint(each.session) == prompt.session
            and each.at >= prompt.at
            and (until is None or each.at < until)
        ]
        worked = sum(bool(each.details.get("ok")) for each in mine) if prompt.session else 0
        found.append((worked, len(mine) - worked if prompt.session else 0))
    return found


def _by_day(prompts: Sequence[ShownPrompt]) -> list[tuple[str, int, int]]:
    every = Counter(f"{prompt.at:%Y-%m-%d}" for prompt in prompts)
    empty = Counter(f"{prompt.at:%Y-%m-%d}" for prompt in prompts if not prompt.items and not prompt.standing)
    return [(day, every[day], empty[day]) for day in sorted(every)[-_DAYS:]]


def evaluation(view: View) -> dict[str, Any]:
    """The form for questions with known answers, and the sets that are stored."""
    return {"lines": "", "results": (), "sets": list(stored_sets(view.evals)), "chosen": ""}


def stored_sets(folder: Path | None) -> dict[str, Path]:
    """The files and folders with questions in a folder, as `hexad eval` takes them; "." is all of it."""
    if folder is None:
        return {}
    return {
        place.relative_to(folder).as_posix(): place
        for place in (folder, *sorted(folder.iterdir()))
        if place.suffix == ".jsonl" or (place / "queries.jsonl").is_file() or any(place.glob("*/*/queries.jsonl"))
    }


def log(view: View) -> dict[str, Any]:
    """The latest changes."""
    before, action = view.number("before"), view.ask.get("action", "")
    records = keeping.latest(view.call, _LOOKED_AT if action else _ROWS * 2, before=before)
    shown = [record for record in records if record.action.startswith(action)][: _ROWS * 2]
    return {
        "records": shown,
        "action": action,
        "before": shown[-1].sequence if shown and shown[-1].sequence > 1 else None,
    }


def settings(view: View) -> dict[str, Any]:
    """Settings with their values, health, and tokens for those who may make them."""
    hx, tokens = view.hx, view.call.tokens
    may = Right.APPROVE in view.call.caller.rights
    return {
        "settings": [
            (each, "set" if each.secret and getattr(hx.settings, each.name) else getattr(hx.settings, each.name))
            for each in KNOWN
        ],
        "tokens": keeping.list_tokens(view.call)["items"] if may else None,
        "open": not tokens.needed,
        "rights": list(Right),
        "namespaces": keeping.namespaces(view.call)["items"],
        "version": __version__,
        "database": hx.store.location,
        "semantic": hx.ready(0),
    }


PAGES: Final[Mapping[str, Callable[[View], dict[str, Any]]]] = {
    "playground": playground,
    "review": review,
    "knowledge": knowledge,
    "learnings": learnings,
    "skills": skills,
    "timeline": timeline,
    "evaluation": evaluation,
    "log": log,
    "settings": settings,
}
