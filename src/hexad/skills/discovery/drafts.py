"""A sequence that an agent repeated → a draft of a composite skill, offered once and
never activated by itself.

It reads the watched calls in the audit log, which holds short values, fingerprints of
others, and no secrets. A draft contains a value only if it was equal in all runs and is
not personal: a short word, flag or small number. When too few of the sessions that it
was found in are left, it is removed.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from hexad.memory import admission
from hexad.memory.index.indexing import records
from hexad.memory.keys import numbered
from hexad.memory.value_fingerprints import fingerprint_of_value
from hexad.model import Layer, Origin, Skill, SkillKind, SkillStatus
from hexad.skills.discovery.generalising import Seen, generalised, is_linked
from hexad.skills.discovery.sequences import FEWEST, Repeated, repeated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hexad.memory.workspace import Change, Workspace
    from hexad.model import Json
    from hexad.skills.discovery.generalising import Path, Procedure
    from hexad.skills.library import SkillLibrary
    from hexad.store import Reading
    from hexad.store.learning import RecordedCall

    Log: TypeAlias = Mapping[str, Sequence[RecordedCall]]
    MayHold: TypeAlias = Callable[
        [Path, Json], bool
    ]  # whether a value at this path may stand in a draft

MOST: Final = 5  # offers at a time
AUTHOR: Final = "hexad"
TAG: Final = "discovered"
_RUNS_OF_A_SESSION: Final = 3  # that are compared
_MOST_RUNS: Final = 60
_LONGEST_NAME: Final = 64
_REDACTED: Final = "[redacted:"


def discover(
    library: SkillLibrary, workspace: Workspace, session: str | None, may_hold: MayHold
) -> tuple[Skill, ...]:
    """Offer what is new as drafts, at most `MOST`; with a session only what was done in
    it too.

    ``may_hold`` says of an argument that was always the same whether a draft may hold
    it.
    """
    namespace = workspace.namespace
    with workspace.reading() as view:
        log = _log(view)
        tools = {}
        for name, calls in log.items():
            tools[name] = [call.tool for call in calls]
        found = repeated(
            tools,
            lambda each: is_linked([[*map(_seen, run)] for run in _runs(log, each)]),
        )
        wanted = [each for each in found if session is None or session in each.places]
        new = [each for each in wanted if not view.note(_note(namespace, each.tools))]
        runs = []
        for each in new[:20]:
            seen_runs = []
            for run in _runs(log, each):
                values = [_values(view, call, may_hold) for call in run]
                seen_runs.append([*map(_seen, run, values)])
            runs.append(seen_runs)
        made = [
            (each, generalised(each.tools, seen))
            for each, seen in zip(new, runs, strict=False)
        ]
    known = _known(library) if made else set()
    fresh = [
        (each, draft)
        for each, draft in made
        if draft is not None and each.tools not in known
    ]
    offers = (_offer(library, workspace, each, draft) for each, draft in fresh[:MOST])
    return tuple(skill for skill in offers if skill is not None)


def _offer(
    library: SkillLibrary, workspace: Workspace, sequence: Repeated, found: Procedure
) -> Skill | None:
    with workspace.change(actor=Origin.TOOL) as change:
        note = _note(workspace.namespace, sequence.tools)
        if change.unit.note(note):
            return None  # another process was faster
        skill = library.joining(
            change
        ).create(
            _free_name(change, sequence.tools),
            kind=SkillKind.COMPOSITE,
            description=_description(sequence, found),
            definition={"steps": found.steps},
            parameters=found.schema,
            tags=[TAG],
            author=AUTHOR,
            origin=Origin.TOOL,  # what was watched, and nobody's word: it is never approved by itself, and not counted
        )
        change.unit.set_note(note, skill.name)
        sessions = [
            _digest([workspace.namespace, session])
            for session in [*sequence.places][-_MOST_RUNS:]
        ]
        change.unit.set_note(
            _sessions_note(workspace.namespace, skill.name),
            json.dumps([note, sessions]),
        )
        details: dict[str, Json] = {
            "sessions": sequence.sessions,
            "runs": len(found.runs),
            "tools": [*sequence.tools],
        }
        change.audit("skill.discover", skill.name, details)
    return skill


def _log(view: Reading) -> Log:
    """The successful calls of every session that has a name, in their order."""
    found: dict[str, list[RecordedCall]] = {}
    for call in view.calls():
        if call.ok and call.session and call.arguments:
            found.setdefault(call.session, []).append(call)
    return found


def _runs(log: Log, sequence: Repeated) -> list[Sequence[RecordedCall]]:
    """The calls of each occurrence of a sequence; the latest ones if a session has
    many.
    """
    length = len(sequence.tools)
    starts = (
        (session, start)
        for session, all_ in sequence.places.items()
        for start in all_[-_RUNS_OF_A_SESSION:]
    )
    return [log[session][start : start + length] for session, start in starts][
        -_MOST_RUNS:
    ]


def _known(library: SkillLibrary) -> set[tuple[str, ...]]:
    """The tools of every composite skill there is, by themselves or in another's steps."""
    known = set[tuple[str, ...]]()
    for skill in library.list():
        steps: Any = skill.definition.get("steps")
        if skill.kind is SkillKind.COMPOSITE and isinstance(steps, list):
            known.add(tuple(str(step.get("tool")) for step in steps))
    return known


def _note(namespace: str, tools: Sequence[str]) -> str:
    """Key of the note that prevents offering the same draft twice."""
    return f"offered skill {_digest([namespace, *tools], 12)}"


def _digest(names: Sequence[str], size: int = 8) -> str:
    named = json.dumps([*names], ensure_ascii=False).encode(errors="replace")
    return hashlib.blake2b(named, digest_size=size).hexdigest()


# --- what a call was given, and what it gave ------------------------------------------------------------------------


def _seen(call: RecordedCall, values: Mapping[Path, Json] | None = None) -> Seen:
    shapes = json.loads(call.arguments)
    given = {_path(pointer): mark for pointer, mark in shapes["a"].items()}
    gave = {_path(pointer): mark for pointer, mark in shapes["r"].items()}
    exact = {
        path: value
        for path, value in (values or {}).items()
        if fingerprint_of_value(value) == given.get(path)
    }
    return Seen(given, gave, exact)


def _values(view: Reading, call: RecordedCall, may_hold: MayHold) -> dict[Path, Json]:
    """The values of a call that the audit log has and a skill may hold; `_seen` drops
    those that it only summarises.
    """
    records = view.audit(after=call.number - 1, limit=1)
    given = (
        records[0].details.get("arguments")
        if records and records[0].sequence == call.number
        else None
    )
    values = (
        _flat((), cast("Mapping[str, Json]", given)) if isinstance(given, dict) else ()
    )
    return {
        path: value
        for path, value in values
        if value is None or value == "" or may_hold(path, value)
    }


def _flat(path: Path, values: Mapping[str, Json]) -> Iterator[tuple[Path, Json]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat((*path, name), value)
        elif not (isinstance(value, str) and _REDACTED in value):
            yield (*path, name), value


def _path(pointer: str) -> Path:
    return tuple(
        part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]
    )


# --- words ----------------------------------------------------------------------------------------------------------


def _free_name(change: Change, tools: Sequence[str]) -> str:
    """A name made of the tools' names, as the Agent Skills format wants it, that
    nothing has yet.
    """
    words = (re.sub(r"[^a-z0-9]+", "-", tool.lower()).strip("-") for tool in tools)
    name = (
        "-".join(dict.fromkeys(filter(None, words)))[: _LONGEST_NAME - 4].strip("-")
        or "procedure"
    )
    free = next(
        each
        for each in numbered(name)
        if change.get(Layer.SKILL_PATTERNS, each) is None
    )
    return admission.key("name", free)


def _description(sequence: Repeated, found: Procedure) -> str:
    steps = ", then ".join(sequence.tools)
    needs = f" It needs {', '.join(found.parameters)}." if found.parameters else ""
    return (
        f"Does in one step what was done one after the other in {sequence.sessions} sessions: {steps}.{needs} "
        "Use it where all of these would be called in this order."
    )


# --- the sessions that a draft was found in: hashes in a note, because the skill that a person approves holds none


def forget_discovered(change: Change, session: str) -> int:
    """Forget a session: remove discovered skills that too few other sessions support;
    return their number.

    Skills that a person activated or rewrote are kept.
    """
    namespace, removed = change.workspace.namespace, 0
    gone = _digest([namespace, session])
    for skill in [
        cast("Skill", each) for each in records(change.unit, Layer.SKILL_PATTERNS)
    ]:
        note = _sessions_note(namespace, skill.name)
        offer, sessions = json.loads(change.unit.note(note) or '["", []]')
        left = [each for each in sessions if each != gone]
        if left == sessions:
            continue
        change.unit.set_note(note, json.dumps([offer, left]))
        if len(left) < FEWEST:
            removed += _remove(change, skill, offer)
    return removed


def _remove(change: Change, skill: Skill, offer: str) -> bool:
    """Remove the discovered versions of a skill, and the skill itself if it is a draft
    that was discovered.
    """
    versions = change.unit.versions(Layer.SKILL_PATTERNS, skill.name)
    discovered = [each.version for each in versions if each.origin is Origin.TOOL]
    change.unit.remove_versions(Layer.SKILL_PATTERNS, skill.name, discovered)
    if skill.origin is not Origin.TOOL or skill.status is SkillStatus.ACTIVE:
        return False
    change.remove(Layer.SKILL_PATTERNS, skill.name)
    change.audit("skill.forget", skill.name)
    change.unit.set_note(
        offer, ""
    )  # nobody turned it down: done in other sessions, it is offered again
    return True


def _sessions_note(namespace: str, skill: str) -> str:
    return f"sessions of skill {_digest([namespace, skill])}"
