"""A fix as data: read from a session's calls or an error's words, or given by an agent or a user; and as a sentence.

A fix is identified by its signature, which holds shapes and no values: two sessions that did the same with other
values found the same fix. A fix that says nothing to do is kept and never offered (`says`).
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias, assert_never

from hexad.learning.arguments.fingerprints import commands_in
from hexad.learning.arguments.shapes import Argument, in_words, is_strong
from hexad.learning.errors.advice import Wait
from hexad.learning.fixes.commands import programs
from hexad.learning.fixes.edits import is_done
from hexad.memory.value_fingerprints import fingerprint_of_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hexad.model import Json
    from hexad.store.learning import Call

    Shapes: TypeAlias = Mapping[str, Argument]

_NOT_IN_NAMES: Final = re.compile(r"[^\w./:$-]+")
_LONGEST_NAME: Final = 80
_OPTION: Final = re.compile("(add|remove) `(-[^` ]+)`")  # one option, and nothing else
_NAMED: Final = re.compile(r"""[`"]([^`"]+)[`"]|([A-Z]{2}[^\s,]+)""")  # in a sentence: quoted words, and forms of dates
_IN_QUOTES: Final = re.compile(r"[‘'`]([\w./-]+)[’']")  # names and values that an error's words hold


@dataclass(frozen=True, slots=True)
class Change:
    """One changed argument: its shape before and after, empty where it was absent."""

    path: str
    before: str = ""
    after: str = ""
    how: str = ""  # what to do with its text, in words
    named: tuple[str, ...] = ()  # the words of it that the error has; it holds for errors that have them too
    of: str = ""  # the program and subcommand of the shell command that failed; empty if there were several
    value: str = ""  # of the option that was added; empty if sessions gave others
    sure: bool = False  # whether two sessions gave it

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Change:
        """The change that `to_json` wrote."""
        before, after, how, of, value = (str(stored.get(name) or "") for name in ("from", "to", "how", "of", "value"))
        named, sure = tuple(map(str, stored.get("named", ()))), bool(stored.get("sure"))
        return cls(stored["path"], before, after, how, named, of, value, sure)

    def to_json(self) -> dict[str, Json]:
        """The form that the store keeps, without what is empty."""
        written: dict[str, Json] = {"from": self.before, "to": self.after, "how": self.how, "of": self.of}
        written |= {"named": list(self.named), "value": self.value, "sure": self.sure}
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
        if option := _OPTION.fullmatch(self.how):
            value = f" {self.value}" if self.sure else ""
            program = f" {'to' if option[1] == 'add' else 'from'} `{self.of}`" if self.of else ""
            return f"{option[1]} `{option[2]}{value}`{program}"
        if self.how or not after:
            return self.how or f"leave out {name}"
        if not before:
            return f"add {name} ({after})"
        if self.before == "number as text" and "number" in after:
            before = "text"
        if after == "a whole number":
            before = before.replace("a number", "a decimal number")
        if "number" in before + after:
            before, after = before.replace("digits", "text"), after.replace("digits", "text")
        return f"give {name} as {after}, not as {before}"

    def is_in(self, arguments: Shapes, before: Sequence[Call]) -> bool:
        """Whether a call has it, as far as its shapes and words show."""
        given = arguments.get(self.path)
        form = bool(given and self.of) or ("" if given is None else given.shape) == self.after
        said = not self.how or given is None or is_done(self.how, given.text, lambda each: _ran(each, before))
        said = said and (given is None or not self.sure or self.value in given.text)
        return form and said and (" instead of " in self.how or self.is_for(arguments))

    def is_for(self, arguments: Shapes) -> bool:
        """Whether a call runs the program that it was learned from, or this is not known."""
        given = arguments.get(self.path)
        known = [] if given is None else programs(given.text)
        if self.how.startswith("run "):  # what prepares a program does so for each of its subcommands
            return not self.of or given is None or self.of.split()[0] in " ".join(known).split()
        return not self.of or given is None or self.of in known

    def is_there(self, arguments: Shapes) -> bool:
        """Whether a call has the option already that was added."""
        given, option = arguments.get(self.path), _OPTION.fullmatch(self.how)
        return bool(given and option and option[1] == "add" and option[2] in given.text.split())

    def again(self, other: Change) -> Change:
        """The change after another session made it too, perhaps to another program's command."""
        value = self.value if self.value == other.value else ""
        return replace(self, of=self.of if self.of == other.of else "", value=value, sure=bool(value))


class _Fix:
    """The questions about a fix, answered by its fields; those that a kind does not have are empty."""

    __slots__ = ()
    kind: ClassVar[str]  # databases hold it
    _named: ClassVar[str] = ""  # in the signature, instead of its fields
    changes: tuple[Change, ...] = ()
    tool: str = ""
    text: str = ""  # of the error
    seconds: float = 0.0
    given: str = ""  # somebody's words

    def to_json(self) -> dict[str, Json]:
        """The form that the store keeps. Somebody's words are stored beside it, as the sentence."""
        held: dict[str, Json] = {"text": self.text, "tool": self.tool, "seconds": self.seconds}
        changes: dict[str, Json] = {"changes": [each.to_json() for each in self.changes]} if self.changes else {}
        return {"kind": self.kind, **changes, **{name: each for name, each in held.items() if each}}

    @property
    def signature(self) -> str:
        """Its identity: equal for the same change of shapes, even with other values."""
        named = self._named or [change.key for change in self.changes] or self.tool or self.text or self.given
        written = json.dumps([self.kind, named], ensure_ascii=False)
        return hashlib.blake2b(written.encode(), digest_size=6).hexdigest()

    @property
    def says(self) -> bool:
        """Whether it says something to do; another value, or another try at once, does not."""
        return bool(self.tool or self.text or self.seconds or self.given) or any(each.says for each in self.changes)

    @property
    def shows(self) -> bool:
        """Whether a call that follows it differs visibly from one that does not."""
        seen = (change.before != change.after or (change.of and "add `-" in change.how) for change in self.changes)
        return bool(self.tool) or any(seen)

    def followed(self, arguments: Shapes, before: Sequence[Call]) -> bool:
        """Whether a call followed it, as far as its arguments and the calls before it show."""
        called = not self.tool or any(call.ok and call.tool == self.tool for call in before)
        return called and all(change.is_in(arguments, before) for change in self.changes)

    def is_part_of(self, other: Fix) -> bool:
        """Whether who did the other one did this too: sessions change more than they need."""
        keys = {change.key for change in self.changes}
        return bool(keys) and keys <= {change.key for change in other.changes}

    def is_at_odds_with(self, other: Fix) -> bool:
        """Whether they cannot be for one error: they change other arguments, call other tools, say other things."""
        if self.changes and other.changes:
            return {change.path for change in self.changes}.isdisjoint(change.path for change in other.changes)
        return self.kind == other.kind and self.signature != other.signature

    def holds_for(self, error: str, arguments: Shapes) -> bool:
        """Whether it can be about this very error: words that it took from an error must be in this one too.

        Without such words it is for the program that it was learned from.
        """
        named = (each for change in self.changes for each in change.named)
        held = all(word in error for word in (*_IN_QUOTES.findall(self.text), *named))
        new = not any(change.is_there(arguments) for change in self.changes)
        return held and new and all(change.named or change.is_for(arguments) for change in self.changes)


@dataclass(frozen=True, slots=True)
class ChangedArguments(_Fix):
    """A later call of the tool worked with other arguments."""

    kind: ClassVar = "arguments"
    changes: tuple[Change, ...]
    text: str = ""  # the error's own words about them

    def again(self, other: Fix) -> ChangedArguments:
        """The fix after another session found it too, perhaps with other changes besides."""
        theirs = {change.key: change for change in other.changes}
        return replace(self, changes=tuple(each.again(theirs.get(each.key, each)) for each in self.changes))


@dataclass(frozen=True, slots=True)
class ToolFirst(_Fix):
    """Another tool worked in between."""

    kind: ClassVar = "prerequisite"
    tool: str


@dataclass(frozen=True, slots=True)
class Retry(_Fix):
    """The same call worked later."""

    kind: ClassVar = "retry"
    seconds: float


@dataclass(frozen=True, slots=True)
class StatedWords(_Fix):
    """The error itself says it."""

    kind: ClassVar = "stated"
    text: str


@dataclass(frozen=True, slots=True)
class StatedWait(_Fix):
    """The error itself states a time to wait; another time is the same fix."""

    kind: ClassVar = "stated"
    _named: ClassVar = "wait"
    text: str  # the time as the error writes it
    seconds: float

    @classmethod
    def of(cls, wait: Wait) -> StatedWait | StatedWords:
        """The wait that an error states; only its words if that is no time."""
        return cls(wait.text, wait.seconds) if wait.seconds else StatedWords(wait.text)


@dataclass(frozen=True, slots=True)
class Advice(_Fix):
    """An agent's words."""

    kind: ClassVar = "told"
    given: str


@dataclass(frozen=True, slots=True)
class Correction(_Fix):
    """A user's words."""

    kind: ClassVar = "correction"
    given: str


Fix: TypeAlias = ChangedArguments | ToolFirst | Retry | StatedWords | StatedWait | Advice | Correction


def from_json(stored: Mapping[str, Any], said: str) -> Fix:
    """The fix that `to_json` wrote, with its sentence; anything else is read as advice in these words."""
    text, seconds = str(stored.get("text", "")), stored.get("seconds", 0)
    wait = Wait(float(seconds) if isinstance(seconds, int | float) else 0.0, text)
    match stored.get("kind"):
        case ChangedArguments.kind:
            return ChangedArguments(tuple(map(Change.from_json, stored.get("changes", ()))), text)
        case ToolFirst.kind:
            return ToolFirst(str(stored.get("tool", "")))
        case Retry.kind:
            return Retry(wait.seconds)
        case StatedWords.kind:
            return StatedWait.of(wait)
        case Correction.kind:
            return Correction(said)
        case _:  # also of a later version
            return Advice(said)


def sentence(fix: Fix) -> str:
    """The fix as a person would say it.

    >>> sentence(ChangedArguments((Change(path="/unit", before="text"),))), sentence(ToolFirst("login"))
    ('leave out `unit`', 'call `login` first')
    """
    match fix:
        case ChangedArguments(changes, text):
            return "; ".join([*(each.sentence for each in changes), *([sentence(StatedWords(text))] if text else ())])
        case ToolFirst(tool):
            return f"call {quoted(tool)} first"
        case Retry(seconds):
            return f"wait and try again; it worked after {seconds:g} s"
        case StatedWords(text):
            return f'the error says: "{text}"'
        case StatedWait(text, seconds):
            plain = re.fullmatch(rf"{seconds:g}( ?(?:s|secs?|seconds?))?", text)
            time = f"{seconds:g} s ({text})" if plain is None else text if plain[1] else f"{text} s"
            return f"wait {time} and try again"
        case Advice(given) | Correction(given):
            return given
        case _:
            assert_never(fix)


def words(fix: Fix) -> str:
    """The words that a fix is searched by: those that its sentence names, and the program that failed."""
    named = ("".join(each) for each in _NAMED.findall(sentence(fix)))
    return " ".join(filter(None, (*named, *(change.of for change in fix.changes))))


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
