"""A fix as data (a *remedy*): mined from a session's calls, and written as one sentence.

A call failed, and a later call of the same tool worked. The difference between the two is the fix:

* which arguments changed, from what shape to what shape (as in JSON Patch: add, remove, replace);
* else another tool that succeeded in between;
* else the words of the error that say what it expects, or a time to wait;
* else time.

An agent or a user may also give a fix in words.

A fix is identified by its signature, which holds shapes and no values: two sessions that did the same with other
values found the same fix. A remedy that says nothing to do is kept and never offered (`says`).
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, TypeAlias, assert_never

from hexad.learning.arguments.fingerprints import commands_in
from hexad.learning.arguments.shapes import in_words, is_strong
from hexad.learning.commands import programs
from hexad.learning.differences import is_done
from hexad.memory.value_fingerprints import fingerprint_of_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hexad.learning.arguments.shapes import Argument
    from hexad.model import Json
    from hexad.store.learning import Call

    Shapes: TypeAlias = Mapping[str, Argument]

_NOT_IN_NAMES: Final = re.compile(r"[^\w./:$-]+")
_LONGEST_NAME: Final = 80
_NAMED: Final = re.compile(r"""[`"]([^`"]+)[`"]|([A-Z]{2}[^\s,]+)""")  # in a sentence: quoted words, and forms of dates
_IN_QUOTES: Final = re.compile(r"[‘'`]([\w./-]+)[’']")  # names and values that an error's words hold


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One changed argument: its shape before and after, empty where it was absent."""

    path: str
    before: str = ""
    after: str = ""
    how: str = ""  # what to do with its text, in words
    named: tuple[str, ...] = ()  # the words of it that the error has; it holds for errors that have them too
    of: str = ""  # the program and subcommand of the shell command that failed; empty if there were several

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Change:
        """The change that `to_json` wrote."""
        return cls(
            path=stored["path"],
            before=stored.get("from", ""),
            after=stored.get("to", ""),
            how=str(stored.get("how", "")),
            named=tuple(map(str, stored.get("named", ()))),
            of=str(stored.get("of", "")),
        )

    def to_json(self) -> dict[str, Json]:
        """The form that the store keeps, without what is empty."""
        written: dict[str, Json] = {"from": self.before, "to": self.after, "how": self.how, "of": self.of}
        written["named"] = list(self.named)
        return {"op": self.op, "path": self.path, **{name: each for name, each in written.items() if each}}

    @property
    def op(self) -> str:
        """The operation, as JSON Patch names it."""
        if self.before and self.after:
            return "replace"
        return "add" if self.after else "remove"

    @property
    def key(self) -> tuple[str | None, ...]:
        """Its identity."""
        return self.op, self.path, self.before or None, self.after or None, *((self.how,) if self.how else ())

    @property
    def says(self) -> bool:
        """Whether it is something to do: words, an argument to add or leave out, another form."""
        one, other = in_words(self.before), in_words(self.after)
        return bool(self.how) or self.op != "replace" or (one != other and (is_strong(one) or is_strong(other)))

    @property
    def sentence(self) -> str:
        """One change as a person would say it."""
        name, before, after = quoted(name_of(self.path)), in_words(self.before), in_words(self.after)
        if self.how or not after:
            return self.how or f"leave out {name}"
        if not before:
            return f"add {name} ({after})"
        if "number" in before + after:
            before, after = before.replace("digits", "text"), after.replace("digits", "text")
        return f"give {name} as {after}, not as {before}"

    def is_in(self, arguments: Shapes, before: Sequence[Call]) -> bool:
        """Whether a call has it, as far as its shapes and words show."""
        given = arguments.get(self.path)
        form = bool(given and self.of) or ("" if given is None else given.shape) == self.after
        said = not self.how or given is None or is_done(self.how, given.text, lambda each: _ran(each, before))
        return form and said and (" instead of " in self.how or self.is_for(arguments))

    def is_for(self, arguments: Shapes) -> bool:
        """Whether a call runs the program that it was learned from, or this is not known."""
        given = arguments.get(self.path)
        return not self.of or given is None or self.of in programs(given.text)

    def again(self, other: Change) -> Change:
        """The change after another session made it too, perhaps to another program's command."""
        return replace(self, of=self.of if self.of == other.of else "")


class Kind(StrEnum):
    """Where a fix comes from. Databases hold these words."""

    ARGUMENTS = "arguments"  # a later call of the tool worked with other arguments
    PREREQUISITE = "prerequisite"  # another tool worked in between
    RETRY = "retry"  # the same call worked later
    STATED = "stated"  # the error itself says it
    ADVICE = "told"  # an agent's words
    CORRECTION = "correction"  # a user's words


MINED: Final = frozenset({Kind.ARGUMENTS, Kind.PREREQUISITE, Kind.RETRY, Kind.STATED})


@dataclass(frozen=True, slots=True)
class Remedy:
    """A fix as data. Each kind fills the fields that it needs."""

    kind: Kind
    text: str = ""  # a fix in words, the error's own words, or a wait as the error writes it
    changes: tuple[Change, ...] = ()
    tool: str = ""  # to call first
    seconds: float = 0.0  # to wait

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], sentence: str) -> Remedy:
        """The fix that `to_json` wrote, with its sentence; anything else is read as advice in these words."""
        kind = Kind(stored["kind"]) if stored.get("kind") in set(Kind) else Kind.ADVICE
        seconds = stored.get("seconds", 0)
        return cls(
            kind,
            str(stored.get("text", "")) if kind in MINED else sentence,
            tuple(map(Change.from_json, stored.get("changes", ()))) if kind is Kind.ARGUMENTS else (),
            str(stored.get("tool", "")) if kind is Kind.PREREQUISITE else "",
            float(seconds) if isinstance(seconds, int | float) else 0.0,
        )

    def to_json(self) -> dict[str, Json]:
        """The form that the store keeps. The words of advice and corrections are stored beside it, as the sentence."""
        text = self.text if self.kind in MINED else ""
        held: dict[str, Json] = {"text": text, "tool": self.tool, "seconds": self.seconds}
        changes: dict[str, Json] = {"changes": [each.to_json() for each in self.changes]} if self.changes else {}
        return {"kind": self.kind.value, **changes, **{name: each for name, each in held.items() if each}}

    @property
    def signature(self) -> str:
        """Its identity: equal for the same change of shapes, even with other values."""
        named: object = self.tool or ("wait" if self.seconds else self.text)
        if self.kind is Kind.ARGUMENTS:
            named = [change.key for change in self.changes]
        written = json.dumps([self.kind.value, "" if self.kind is Kind.RETRY else named], ensure_ascii=False)
        return hashlib.blake2b(written.encode(), digest_size=6).hexdigest()

    @property
    def says(self) -> bool:
        """Whether it says something to do; another value, or another try at once, does not."""
        return bool(self.tool or self.seconds or self.text) or any(change.says for change in self.changes)

    @property
    def shows(self) -> bool:
        """Whether a call that follows it differs visibly from one that does not."""
        return bool(self.tool) or any(change.before != change.after for change in self.changes)

    @property
    def sentence(self) -> str:
        """The fix as a person would say it.

        >>> Remedy(Kind.ARGUMENTS, changes=(Change(path="/unit", before="text"),)).sentence
        'leave out `unit`'
        >>> Remedy(Kind.PREREQUISITE, tool="login").sentence
        'call `login` first'
        """
        said = f'the error says: "{self.text}"'
        match self.kind:
            case Kind.ARGUMENTS:
                return "; ".join([*(change.sentence for change in self.changes), *([said] if self.text else ())])
            case Kind.PREREQUISITE:
                return f"call {quoted(self.tool)} first"
            case Kind.RETRY:
                return f"wait and try again; it worked after {self.seconds:g} s"
            case Kind.STATED:
                written = "" if self.text.isdecimal() else f" ({self.text})"
                return f"wait {self.seconds:g} s{written} and try again" if self.seconds else said
            case Kind.ADVICE | Kind.CORRECTION:
                return self.text
            case _:
                assert_never(self.kind)

    @property
    def words(self) -> str:
        """The words that it is searched by: those that its sentence names, and the program that failed."""
        named = ("".join(each) for each in _NAMED.findall(self.sentence))
        return " ".join(filter(None, (*named, *(change.of for change in self.changes))))

    def followed(self, arguments: Shapes, before: Sequence[Call]) -> bool:
        """Whether a call followed it, as far as its arguments and the calls before it show."""
        called = not self.tool or any(call.ok and call.tool == self.tool for call in before)
        return called and all(change.is_in(arguments, before) for change in self.changes)

    def again(self, other: Remedy) -> Remedy:
        """The remedy after another session found it too, perhaps with other changes besides."""
        theirs = {change.key: change for change in other.changes}
        return replace(self, changes=tuple(each.again(theirs.get(each.key, each)) for each in self.changes))

    def is_part_of(self, other: Remedy) -> bool:
        """Whether who did the other one did this too: sessions change more than they need."""
        keys = {change.key for change in self.changes}
        return keys <= {change.key for change in other.changes} if keys else self.signature == other.signature

    def is_at_odds_with(self, other: Remedy) -> bool:
        """Whether they cannot be for one error: they change other arguments, call other tools, say other things."""
        if self.kind is Kind.ARGUMENTS is other.kind:
            return {change.path for change in self.changes}.isdisjoint(change.path for change in other.changes)
        return self.kind is other.kind and self.signature != other.signature

    def holds_for(self, error: str, arguments: Shapes) -> bool:
        """Whether it can be about this very error: words that it took from an error must be in this one too.

        Without such words it is for the program that it was learned from.
        """
        of_the_error = _IN_QUOTES.findall(self.text) if self.kind in MINED else []
        named = [each for change in self.changes for each in change.named]
        held = all(word in error for word in (*of_the_error, *named))
        return held and all(change.named or change.is_for(arguments) for change in self.changes)


def _ran(command: str, before: Sequence[Call]) -> bool:
    """Whether one of the calls was this command, perhaps with more words, and worked."""
    known, words = f'"{fingerprint_of_value(command)}"', set(command.split())
    ran = [call.arguments for call in before if call.ok]
    return any(known in each or any(words <= set(text.split()) for text in commands_in(each).values()) for each in ran)


def name_of(path: str) -> str:
    """The name of an argument: the parts of its path."""
    return ".".join(part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:])


def quoted(name: str) -> str:
    """A name in quotes, without characters that could end the quotes."""
    return f"`{_NOT_IN_NAMES.sub('_', name)[:_LONGEST_NAME]}`"
