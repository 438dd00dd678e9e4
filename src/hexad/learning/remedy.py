"""What fixed it: read from the calls of a session, told in a sentence and as data.

A call failed and a later one of the same tool worked. What lies between them is the candidate fix:

* other arguments: which of them changed, from what shape to what shape (as in JSON Patch: add, remove, replace);
* else another tool that succeeded in between: a prerequisite;
* else time: a plain retry.

A remedy is known by its signature, which holds shapes and no values, so that two sessions that did the same with
other values found the same remedy. Dates, addresses, free text, secrets and large numbers are of one run and never
told. A short word or number is told once another session used the same one: then it is part of the fix.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hexad.learning.arguments import CONSTANT, read
from hexad.learning.trust import Evidence, trust

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hexad.learning.arguments import Argument
    from hexad.store.learning import Call

    Remedy: TypeAlias = dict[str, Any]
    Shaped: TypeAlias = Mapping[str, Argument]

ARGUMENTS, PREREQUISITE, RETRY, TOLD, CORRECTION = "arguments", "prerequisite", "retry", "told", "correction"
MOST: Final = 8  # remedies that are remembered of one learning
_MOST_CHANGES: Final = 16
_MOST_SESSIONS: Final = 8
_ONE_VALUE: Final = "one value"  # seen in one session: not told
_SAME_VALUE: Final = "same value"  # seen in several: a constant
_OTHER_VALUES: Final = "other values"
_NO_NAME: Final = re.compile(r"[^\w./:-]+")
_LONGEST_NAME: Final = 80
_COUNTED: Final = ("worked", "failed", "support")


def mined(failed: Call, worked: Shaped, between: Sequence[Call], waited: float) -> Remedy:
    """What made the difference between a call that failed and a later one, with these arguments, that worked."""
    changes = _changes(read(failed.arguments), worked)
    helper = next((call.tool for call in between if call.ok and call.tool != failed.tool), "")
    if changes:
        found: Remedy = {"kind": ARGUMENTS, "changes": changes}
        if helper and all(change["op"] == "replace" and change["from"] == change["to"] for change in changes):
            found["after"] = helper
    elif helper:
        found = {"kind": PREREQUISITE, "tool": helper}
    else:
        found = {"kind": RETRY, "seconds": max(0, round(waited))}
    return {**found, "says": sentence(found), "support": 1, "worked": 0, "failed": 0}


def in_words(fix: str, *, correction: bool) -> Remedy:
    """A fix that somebody told: the user's word, or an agent's own."""
    return {"kind": CORRECTION if correction else TOLD, "says": fix, "support": 0, "worked": 0, "failed": 0}


def signature(remedy: Remedy) -> str:
    """What a remedy is known by: equal for the same change of shapes, whatever the values were."""
    if remedy["kind"] in {TOLD, CORRECTION}:
        about: object = remedy["says"]
    elif remedy["kind"] == ARGUMENTS:
        about = [_change_key(change) for change in remedy["changes"]]
    else:
        about = remedy.get("tool", "")
    written = json.dumps([remedy["kind"], about], ensure_ascii=False)
    return hashlib.blake2b(written.encode(), digest_size=6).hexdigest()


def part_of(known: Mapping[str, Any], new: Remedy) -> bool:
    """Whether what a known remedy changes was changed again, whatever else was."""
    if known.get("kind") != ARGUMENTS or new["kind"] != ARGUMENTS:
        return False
    return set(map(_change_key, known["changes"])) <= set(map(_change_key, new["changes"]))


def narrowed(new: Remedy, known: Mapping[str, Any]) -> Remedy:
    """Of a new remedy what a known one, that is part of it, speaks of."""
    wanted = set(map(_change_key, known["changes"]))
    kept = {name: each for name, each in new.items() if name != "after"}
    return {**kept, "changes": [change for change in new["changes"] if _change_key(change) in wanted]}


def _change_key(change: Mapping[str, Any]) -> tuple[Any, ...]:
    return change["op"], change["path"], change.get("from"), change.get("to")


def trust_in(remedy: Mapping[str, Any]) -> float:
    """How far a remedy is to be trusted."""
    return trust(evidence_of(remedy))


def evidence_of(remedy: Mapping[str, Any]) -> Evidence:
    """What is known about a remedy."""
    counts = {name: _whole(remedy.get(name)) for name in _COUNTED}
    return Evidence(**counts, users_word=remedy.get("kind") == CORRECTION)


def confirmed(known: Remedy, again: Remedy, *, by_itself: bool, elsewhere: bool) -> Remedy:
    """A remedy that was found again.

    A session that found it ``by_itself`` adds to its weight. ``elsewhere``, in another session, its values prove
    constant or not, even if it was offered there: a value that only one session used is not told.
    """
    joined = {**known, "support": _whole(known.get("support")) + (1 if by_itself else 0), **_sessions(known, again)}
    if known["kind"] == ARGUMENTS:
        pairs = zip(known["changes"], again["changes"], strict=True)
        joined["changes"] = [_joined(one, other, elsewhere=elsewhere) for one, other in pairs]
        if known.get("after") != again.get("after"):
            joined.pop("after", None)
    elif known["kind"] == RETRY:
        joined["seconds"] = max(_whole(known.get("seconds")), _whole(again.get("seconds")))
    return {**joined, "says": sentence(joined)}


def merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> Remedy:
    """The same remedy of two learnings that have become one."""
    counts = {name: _whole(one.get(name)) + _whole(other.get(name)) for name in _COUNTED}
    return {**one, **counts, **_sessions(one, other)}


def without_session(remedy: Mapping[str, Any], session: str) -> Remedy | None:
    """A remedy that no longer knows a session; None if no other found it."""
    known = list(remedy.get("sessions", ()))
    if session not in known:
        return dict(remedy)
    left = [each for each in known if each != session]
    return {**remedy, "sessions": left} if left else None


def _sessions(*remedies: Mapping[str, Any]) -> Remedy:
    """The first sessions in which a remedy was found: what only one of them knows goes when it is forgotten."""
    found = dict.fromkeys(each for remedy in remedies for each in remedy.get("sessions", ()))
    return {"sessions": list(found)[:_MOST_SESSIONS]} if found else {}


def followed(remedy: Mapping[str, Any], arguments: Shaped, before: Sequence[Call]) -> bool:
    """Whether a call did what a remedy says, as far as one can see: only then is its success the remedy's."""
    if remedy.get("kind") == ARGUMENTS:
        return all(_follows(change, arguments) for change in remedy["changes"])
    if remedy.get("kind") == PREREQUISITE:
        return any(call.ok and call.tool == remedy["tool"] for call in before)
    return True


def at_odds(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two remedies cannot be for one error: they change other arguments, call other tools, say other things."""
    if not one or not other or one["kind"] != other["kind"]:
        return False
    if one["kind"] == ARGUMENTS:
        return _paths(one).isdisjoint(_paths(other))
    return signature(dict(one)) != signature(dict(other))


def _paths(remedy: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(change["path"] for change in remedy["changes"])


def shows(remedy: Mapping[str, Any]) -> bool:
    """Whether a call that follows a remedy can be told from one that knows nothing of it.

    What is only told, a retry, and "give another" value cannot: whatever is done next looks as if it followed them.
    """
    if remedy.get("kind") == ARGUMENTS:
        return any(_shows(change) for change in remedy["changes"])
    return remedy.get("kind") == PREREQUISITE


def _shows(change: Mapping[str, Any]) -> bool:
    return change["op"] != "replace" or change["from"] != change["to"] or change.get("seen") == _SAME_VALUE


def sentence(remedy: Mapping[str, Any]) -> str:
    """A remedy as a person would say it.

    >>> sentence({"kind": "arguments", "changes": [{"op": "remove", "path": "/unit", "from": "text"}]})
    'leave out `unit`'
    >>> sentence({"kind": "prerequisite", "tool": "login"})
    'call `login` first'
    """
    if remedy["kind"] == ARGUMENTS:
        told = "; ".join(map(_change_told, remedy["changes"]))
        return f"{told} (found with {_quoted(remedy['after'])})" if remedy.get("after") else told
    if remedy["kind"] == PREREQUISITE:
        return f"call {_quoted(remedy['tool'])} first"
    if remedy["kind"] == RETRY:
        seconds = _whole(remedy.get("seconds"))
        return f"wait and try again; it worked after {seconds} s" if seconds else "try again; it worked the second time"
    return str(remedy["says"])


def _changes(before: Shaped, after: Shaped) -> list[Remedy]:
    found: list[Remedy] = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if new is None and old is not None:
            found.append({"op": "remove", "path": path, "from": old.shape})
        elif old is None and new is not None:
            found.append({"op": "add", "path": path, "to": new.shape, **_example(new)})
        elif old is not None and new is not None and old != new:
            found.append({"op": "replace", "path": path, "from": old.shape, "to": new.shape, **_example(new)})
    return found[:_MOST_CHANGES]


def _example(given: Argument) -> Remedy:
    told = given.value is not None and given.shape in CONSTANT
    return {"value": given.value, "seen": _ONE_VALUE} if told else {}


def _joined(one: Remedy, other: Remedy, *, elsewhere: bool) -> Remedy:
    if "value" not in one or one.get("seen") == _OTHER_VALUES:
        return one
    if one["value"] != other.get("value") or _shape_tells(one):
        return {**{name: each for name, each in one.items() if name != "value"}, "seen": _OTHER_VALUES}
    return {**one, "seen": _SAME_VALUE} if elsewhere else one


def _shape_tells(change: Mapping[str, Any]) -> bool:
    """Whether a number instead of something else is the fix: that it was the same number may be chance."""
    told = change["op"] == "replace" and change["from"] != change["to"]
    return told and isinstance(change["value"], int | float) and not isinstance(change["value"], bool)


def _follows(change: Mapping[str, Any], arguments: Shaped) -> bool:
    held = arguments.get(change["path"])
    if change["op"] == "remove" or held is None:
        return bool(change["op"] == "remove") == (held is None)
    constant = change.get("seen") == _SAME_VALUE
    return bool(held.shape == change["to"] and (not constant or held.value == change["value"]))


def _change_told(change: Mapping[str, Any]) -> str:
    name = _quoted(_name(change["path"]))
    if change["op"] == "remove":
        return f"leave out {name}"
    if change.get("seen") == _SAME_VALUE:
        return f"give {name} as {json.dumps(change['value'], ensure_ascii=False)}"
    if change["op"] == "add":
        return f"add {name} ({change['to']})"
    if change["from"] == change["to"]:
        return f"give another {name} ({change['to']})"
    other = "text" if change["from"] == f"{change['to']} as text" else change["from"]
    return f"give {name} as {change['to']}, not as {other}"


def _name(path: str) -> str:
    return ".".join(part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:])


def _quoted(name: str) -> str:
    """A name as a fix tells it: whoever chose it cannot say more than a name does."""
    return f"`{_NO_NAME.sub('_', name)[:_LONGEST_NAME]}`"


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
