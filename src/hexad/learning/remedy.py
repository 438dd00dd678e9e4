"""A fix as data (a *remedy*): mined from a session's calls, and written as one sentence.

A call failed, and a later call of the same tool worked. The difference between the two is the fix:

* `ChangedArguments`: which arguments changed, from what shape to what shape (as in JSON Patch: add, remove, replace);
* else `Prerequisite`: another tool that succeeded in between;
* else `Stated`: the words of the error that say what it expects;
* else `Retry`: time.

A remedy that says nothing to do is kept and never offered (`says`).

`Advice` and `Correction` are fixes in words: an agent's own, and a user's.

A fix is identified by its signature, which holds shapes and no values: two sessions that did the same with other
values found the same fix. Dates, addresses, free text, secrets and large numbers belong to one run and are never
shown. A short word or number is shown once another session used the same one: then it is part of the fix.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, TypeAlias, assert_never

from hexad.learning.arguments.shapes import is_strong

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hexad.learning.arguments.shapes import Argument
    from hexad.model import Json
    from hexad.store.learning import Call

    Shapes: TypeAlias = Mapping[str, Argument]

_NOT_IN_NAMES: Final = re.compile(r"[^\w./:-]+")
_LONGEST_NAME: Final = 80


class Seen(StrEnum):
    """Whether the new value of an argument was the same in every session that found the fix."""

    ONCE = "one value"  # in one session so far: not shown
    SAME = "same value"  # in several sessions: a constant, shown
    DIFFERENT = "other values"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One changed argument: its shape before and after, empty where it was absent."""

    path: str
    before: str = ""
    after: str = ""
    value: Json = None
    seen: Seen | None = None
    how: str = ""  # what to do with its text, in words

    @property
    def op(self) -> str:
        """The operation, as JSON Patch names it."""
        if self.before and self.after:
            return "replace"
        return "add" if self.after else "remove"

    @property
    def key(self) -> tuple[str | None, ...]:
        """Its identity: everything but the value."""
        return self.op, self.path, self.before or None, self.after or None, *((self.how,) if self.how else ())

    @property
    def says(self) -> bool:
        """Whether it is something to do: words, an argument to add or leave out, another form."""
        return bool(self.how) or self.op != "replace" or (not self.only_value and self._is_another_form)

    @property
    def _is_another_form(self) -> bool:
        return is_strong(self.before) or is_strong(self.after) or self.seen is Seen.SAME

    @property
    def only_value(self) -> bool:
        """Whether the argument kept its shape: another value of the same kind."""
        return self.before == self.after


@dataclass(frozen=True, slots=True)
class ChangedArguments:
    """Give other arguments."""

    changes: tuple[Change, ...]
    said: str = ""  # the error's own words about it

    @property
    def keys(self) -> frozenset[tuple[str | None, ...]]:
        """The identities of its changes."""
        return frozenset(change.key for change in self.changes)


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """Call another tool first."""

    tool: str


@dataclass(frozen=True, slots=True)
class Retry:
    """Call again; ``seconds`` is the longest time after which that worked."""

    seconds: int = 0


@dataclass(frozen=True, slots=True)
class Stated:
    """The demand of the error itself: its words, or a time to wait as it writes it and in seconds."""

    text: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Advice:
    """A fix in an agent's words."""

    text: str


@dataclass(frozen=True, slots=True)
class Correction:
    """A fix in a user's words."""

    text: str


Remedy: TypeAlias = ChangedArguments | Prerequisite | Retry | Stated | Advice | Correction


def says(remedy: Remedy) -> bool:
    """Whether a remedy says something to do; another value, or another try, does not."""
    match remedy:
        case ChangedArguments():
            return any(change.says for change in remedy.changes)
        case Retry():
            return remedy.seconds > 0
        case Prerequisite() | Stated() | Advice() | Correction():
            return True
        case _:
            assert_never(remedy)


def signature(remedy: Remedy) -> str:
    """The identity of a fix: equal for the same change of shapes, even with other values."""
    match remedy:
        case ChangedArguments():
            named: object = [change.key for change in remedy.changes]
        case Prerequisite():
            named = remedy.tool
        case Retry():
            named = ""
        case Stated():
            named = "wait" if remedy.seconds else remedy.text
        case Advice() | Correction():
            named = remedy.text
        case _:
            assert_never(remedy)
    written = json.dumps([KIND_OF[type(remedy)], named], ensure_ascii=False)
    return hashlib.blake2b(written.encode(), digest_size=6).hexdigest()


def part_of(known: Remedy, new: Remedy) -> ChangedArguments | None:
    """The part of a new fix that repeats the changes of a known one; None if it does not repeat all of them."""
    if not isinstance(known, ChangedArguments) or not isinstance(new, ChangedArguments) or not known.keys <= new.keys:
        return None
    return ChangedArguments(tuple(change for change in new.changes if change.key in known.keys))


def confirmed(known: Remedy, again: Remedy, *, another_session: bool) -> Remedy:
    """A fix that was found again. Only ``another_session`` shows whether its values are constant."""
    match known:
        case ChangedArguments() if isinstance(again, ChangedArguments):
            pairs = zip(known.changes, again.changes, strict=True)
            changes = tuple(_confirmed(one, other, another_session=another_session) for one, other in pairs)
            return ChangedArguments(changes, again.said or known.said)
        case Retry() if isinstance(again, Retry):
            return Retry(max(known.seconds, again.seconds))
        case Stated() if isinstance(again, Stated):
            return max(known, again, key=lambda each: each.seconds)
        case ChangedArguments() | Retry() | Prerequisite() | Stated() | Advice() | Correction():
            return known
        case _:
            assert_never(known)


def followed(remedy: Remedy, arguments: Shapes, before: Sequence[Call]) -> bool:
    """Whether a call followed a fix, as far as its arguments and the calls before it show."""
    match remedy:
        case ChangedArguments():
            return all(_follows(change, arguments) for change in remedy.changes)
        case Prerequisite():
            return any(call.ok and call.tool == remedy.tool for call in before)
        case Retry() | Stated() | Advice() | Correction():
            return True
        case _:
            assert_never(remedy)


def shows(remedy: Remedy) -> bool:
    """Whether a call that follows a fix differs visibly from one that does not.

    With words, a retry, or another value of the same shape, any next call looks as if it followed.
    """
    match remedy:
        case ChangedArguments():
            return any(not change.only_value or change.seen is Seen.SAME for change in remedy.changes)
        case Prerequisite():
            return True
        case Retry() | Stated() | Advice() | Correction():
            return False
        case _:
            assert_never(remedy)


def at_odds(one: Remedy, other: Remedy) -> bool:
    """Whether two fixes cannot be for one error: they change other arguments, call other tools, say other things."""
    if isinstance(one, ChangedArguments) and isinstance(other, ChangedArguments):
        return {change.path for change in one.changes}.isdisjoint(change.path for change in other.changes)
    return type(one) is type(other) and signature(one) != signature(other)


def sentence(remedy: Remedy) -> str:
    """A fix as a person would say it.

    >>> sentence(ChangedArguments((Change(path="/unit", before="text"),)))
    'leave out `unit`'
    >>> sentence(Prerequisite("login"))
    'call `login` first'
    """
    match remedy:
        case ChangedArguments():
            changes = "; ".join(map(change_sentence, remedy.changes))
            return f'{changes}; the error says: "{remedy.said}"' if remedy.said else changes
        case Prerequisite():
            return f"call {quoted(remedy.tool)} first"
        case Retry():
            after = f"wait and try again; it worked after {remedy.seconds} s"
            return after if remedy.seconds else "try again; it worked the second time"
        case Stated():
            wait = f"wait {remedy.seconds:g} s ({remedy.text}) and try again"
            return wait if remedy.seconds else f'the error says: "{remedy.text}"'
        case Advice() | Correction():
            return remedy.text
        case _:
            assert_never(remedy)


_IN_WORDS: Final = "told"  # the stored value; databases hold it
KIND_OF: Final[dict[type[Remedy], str]] = {
    ChangedArguments: "arguments",
    Prerequisite: "prerequisite",
    Retry: "retry",
    Stated: "stated",
    Advice: _IN_WORDS,
    Correction: "correction",
}


def to_json(remedy: Remedy) -> dict[str, Json]:
    """A fix as the store keeps it. The text of `Advice` and `Correction` is stored beside it, as the sentence."""
    kind: dict[str, Json] = {"kind": KIND_OF[type(remedy)]}
    match remedy:
        case ChangedArguments():
            return {**kind, "changes": [_change_to_json(change) for change in remedy.changes], "said": remedy.said}
        case Prerequisite():
            return {**kind, "tool": remedy.tool}
        case Retry():
            return {**kind, "seconds": remedy.seconds}
        case Stated():
            return {**kind, "text": remedy.text, "seconds": remedy.seconds}
        case Advice() | Correction():
            return kind
        case _:
            assert_never(remedy)


def from_json(stored: Mapping[str, Any], text: str) -> Remedy:
    """The fix that `to_json` wrote, with its sentence; anything else is read as `Advice`."""
    match stored:
        case {"kind": "arguments", "changes": [*changes]}:
            remedy = ChangedArguments(tuple(map(_change_from_json, changes)), str(stored.get("said", "")))
            helper = str(stored.get("after", ""))  # of old databases: a tool that may have provided the value
            return Prerequisite(helper) if helper and not says(remedy) else remedy
        case {"kind": "prerequisite", "tool": str(tool)}:
            return Prerequisite(tool)
        case {"kind": "retry"}:
            return Retry(whole(stored.get("seconds")))
        case {"kind": "stated", "text": str(words), "seconds": float(seconds) | int(seconds)}:
            return Stated(words, float(seconds))
        case {"kind": "correction"}:
            return Correction(text)
        case _:
            return Advice(text)


def whole(value: object) -> int:
    """A whole number of stored data; zero for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _change_to_json(change: Change) -> dict[str, Json]:
    written = {"op": change.op, "path": change.path, "from": change.before or None, "to": change.after or None}
    seen = None if change.seen is None else change.seen.value
    return {
        name: each
        for name, each in {**written, "value": change.value, "seen": seen, "how": change.how or None}.items()
        if each is not None
    }


def _change_from_json(stored: Mapping[str, Any]) -> Change:
    return Change(
        path=stored["path"],
        before=stored.get("from", ""),
        after=stored.get("to", ""),
        value=stored.get("value"),
        seen=Seen(stored["seen"]) if "seen" in stored else None,
        how=str(stored.get("how", "")),
    )


def _confirmed(one: Change, other: Change, *, another_session: bool) -> Change:
    if one.value is None or one.seen is Seen.DIFFERENT:
        return one
    if one.value != other.value or _shape_is_the_fix(one):
        return replace(one, value=None, seen=Seen.DIFFERENT)
    return replace(one, seen=Seen.SAME) if another_session else one


def _shape_is_the_fix(change: Change) -> bool:
    """Whether a number replaced another kind of value: the same number twice may be chance."""
    number = isinstance(change.value, int | float) and not isinstance(change.value, bool)
    return number and change.op == "replace" and not change.only_value


def _follows(change: Change, arguments: Shapes) -> bool:
    given = arguments.get(change.path)
    if given is None or not change.after:
        return given is None and not change.after
    return given.shape == change.after and (change.seen is not Seen.SAME or given.value == change.value)


def change_sentence(change: Change) -> str:
    """One change as a person would say it."""
    name = quoted(name_of(change.path))
    if change.how:
        return change.how
    if not change.after:
        return f"leave out {name}"
    if change.seen is Seen.SAME:
        return f"give {name} as {json.dumps(change.value, ensure_ascii=False)}"
    if not change.before:
        return f"add {name} ({_kind(change.after)})"
    if change.only_value:
        return f"give another {name} ({change.after})"
    other = "text" if change.before == f"{change.after} as text" else _kind(change.before)
    return f"give {name} as {_kind(change.after)}, not as {other}"


def _kind(shape: str) -> str:
    """A shape in a sentence: kinds of words are text to a reader."""
    return "text" if shape.endswith("word") else shape


def name_of(path: str) -> str:
    """The name of an argument: the parts of its path."""
    return ".".join(part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:])


def quoted(name: str) -> str:
    """A name in quotes, without characters that could end the quotes."""
    return f"`{_NOT_IN_NAMES.sub('_', name)[:_LONGEST_NAME]}`"
