"""The facts that a learning rests on: a call that failed, its error, and what worked
next in the same session.

An `Example` claims nothing. Its text says what happened, how often and when, and leaves
the conclusion to the reader.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHELL: Final = (
    "command",
    "cmd",
    "script",
)  # names of the argument that holds a shell text
_LONGEST_CALL: Final = (
    200  # characters of a call that failed; it is known to who reads about its error
)
_LONGEST_WORKED: Final = 400
_LONGEST_VALUE: Final = 80
_LONGEST_ERROR: Final = 160
_MOST_SESSIONS: Final = 8
ABSENT: Final = "absent"
FEWER_WORDS: Final = "fewer words"
_ANY: Final = frozenset(
    {ABSENT, FEWER_WORDS}
)  # no form that an argument of any call may have
RISKY: Final = "takes rights or turns a check off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A failed call and the first one of the same tool, or of the same program, that
    worked after it.
    """

    failed: Mapping[str, Any]
    error: str
    worked: Mapping[str, Any]
    at: datetime
    change: Mapping[str, Any]  # what differed, see `hexad.learning.difference`
    steps: tuple[str, ...] = ()  # up to four calls in between, as text
    said: str = ""  # the agent's own sentence about the call that worked
    form: str = ""  # how the form of arguments differed, in words
    times: int = 1  # sessions in which it happened
    sessions: tuple[str, ...] = ()  # the first of them
    rejected: bool = False  # by a person: it is not shown again
    passing: bool = (
        False  # the error may have passed by itself: a network, a limit of requests
    )

    @property
    def general(self) -> bool:
        """Whether it does not hang on the values of one call: arguments took another
        form, or words were added.
        """
        held = self.change
        if held.get("removed") or held.get("values") or self.rights:
            return False
        forms = held.get("forms", ())
        made = held.get("added") or forms or held.get("steps")
        return bool(made) and all(_ANY.isdisjoint(form[1:]) for form in forms)

    @property
    def says_something(self) -> bool:
        """Whether it may be shown: no person rejected it, and what may be a coincidence
        happened in two sessions.

        That is a step in between that was needed, unless the error names it, and what
        followed passing trouble.
        """
        steps = self.change.get("steps", ())
        named = bool(steps) and all(
            step.casefold() in self.error.casefold() for step in steps
        )
        return (
            not self.rejected
            and not named
            and (self.times > 1 or not (steps or self.passing))
        )

    @property
    def rights(self) -> bool:
        """Whether the call that worked takes rights or turns a check off: then it is
        shown only if asked for.
        """
        return bool(self.change.get("rights"))

    def again(self, later: Example) -> Example:
        """The same change, seen in another session: the later calls are kept."""
        new = [each for each in later.sessions if each not in self.sessions]
        known = not later.sessions or bool(new)
        return replace(
            later,
            times=self.times + (later.times if known else 0),
            sessions=(*self.sessions, *new)[:_MOST_SESSIONS],
            rejected=self.rejected,
            said=later.said or self.said,
        )

    def text(self, tool: str, *, sessions: int = 0, brief: bool = False) -> str:
        """The text of it, in one line: what happened; ``brief`` for who has just seen
        the error.

        Steps in between and the agent's own sentence are kept for people and for
        reflection.
        """
        when = f"{self.at.day} {self.at:%b}"
        often = _counted(max(sessions, self.times))
        failed, worked = (
            call_text(tool, self.failed),
            call_text(tool, self.worked, beside=self.failed),
        )
        if self.change.get("steps"):
            worked = f"{', '.join(self.steps)}, then the same call"
        count = (
            ""
            if self.times >= sessions or sessions < 2
            else f" in {self.times} of them"
        )
        head = f"Failed before ({often}, last {when})"
        what = (
            cut(failed, _LONGEST_CALL)
            if brief
            else f"{cut(failed, _LONGEST_CALL)} → {cut(self.error, _LONGEST_ERROR).rstrip('.')}"
        )
        text = f"{head}: {what}. What worked next{count}: {worked}"
        if self.form:
            text += f" ({self.form})"
        return f"{text} [{RISKY}]" if self.rights else text

    def to_json(self) -> dict[str, Any]:
        """The form that the store keeps."""
        held: dict[str, Any] = {
            "failed": dict(self.failed),
            "error": self.error,
            "worked": dict(self.worked),
            "at": self.at.isoformat(),
            "change": dict(self.change),
            "steps": list(self.steps),
            "said": self.said,
            "form": self.form,
            "times": self.times,
            "sessions": list(self.sessions),
            "rejected": self.rejected,
            "passing": self.passing,
        }
        return {
            name: value for name, value in held.items() if value not in ("", [], False)
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Example:
        """The example that `to_json` wrote."""
        return cls(
            failed=dict(stored["failed"]),
            error=str(stored["error"]),
            worked=dict(stored["worked"]),
            at=_moment(stored["at"]),
            change=dict(stored["change"]),
            steps=tuple(map(str, stored.get("steps", ()))),
            said=str(stored.get("said", "")),
            form=str(stored.get("form", "")),
            times=max(1, int(stored.get("times", 1))),
            sessions=tuple(map(str, stored.get("sessions", ()))),
            rejected=stored.get("rejected") is True,
            passing=stored.get("passing") is True,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A sentence about an error, in the words of a person, an agent, or a model."""

    text: str
    origin: str
    worked: int = 0  # sessions that met the error, were shown it, tried it and went on
    failed: int = 0  # the same, but the error came again
    rejected: bool = False

    def to_json(self) -> dict[str, Any]:
        """The form that the store keeps."""
        held: dict[str, Any] = {
            "text": self.text,
            "origin": self.origin,
            "worked": self.worked,
            "failed": self.failed,
        }
        return {**held, "rejected": True} if self.rejected else held

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Lesson:
        """The lesson that `to_json` wrote."""
        counts = {
            name: max(0, int(stored.get(name, 0))) for name in ("worked", "failed")
        }
        origin, rejected = str(stored["origin"]), stored.get("rejected") is True
        return cls(text=str(stored["text"]), origin=origin, rejected=rejected, **counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything that is known about an error: examples and lessons, and what came of
    showing the examples.
    """

    examples: tuple[Example, ...] = ()
    lessons: tuple[Lesson, ...] = ()
    worked: int = 0  # sessions that were shown an example, tried it and went on
    failed: int = 0
    same: int = 0  # sessions in which the very same call worked later
    names: tuple[str, ...] = ()  # of programs: who speaks of one means this error

    @property
    def shown(self) -> tuple[Example, ...]:
        """The examples that say something: what worked differed more often than it was
        the same call again.
        """
        changed = sum(each.times for each in self.examples)
        kept = (
            [each for each in self.examples if each.says_something]
            if changed > self.same
            else []
        )
        return tuple(sorted(kept, key=lambda each: (each.times, each.at), reverse=True))

    def to_json(self) -> dict[str, Any]:
        """The form that the store keeps."""
        held: dict[str, Any] = {
            "examples": [each.to_json() for each in self.examples],
            "lessons": [each.to_json() for each in self.lessons],
            "worked": self.worked,
            "failed": self.failed,
            "same": self.same,
            "names": list(self.names),
        }
        return {name: value for name, value in held.items() if value}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Evidence:
        """The evidence that `to_json` wrote."""
        counts = {
            name: max(0, int(stored.get(name, 0)))
            for name in ("worked", "failed", "same")
        }
        return cls(
            examples=tuple(
                Example.from_json(each) for each in stored.get("examples", ())
            ),
            lessons=tuple(Lesson.from_json(each) for each in stored.get("lessons", ())),
            names=tuple(map(str, stored.get("names", ()))),
            **counts,
        )


def call_text(
    tool: str, arguments: Mapping[str, Any], *, beside: Mapping[str, Any] | None = None
) -> str:
    """A call as a person would write it; ``beside`` another one, what both have is left
    out.

    >>> call_text("book", {"day": "2026-01-31", "room": 7}, beside={"day": "31/01/2026", "room": 7})
    'book(day="2026-01-31", …)'
    >>> call_text("Bash", {"command": "npm test"})
    '`npm test`'
    """
    command = next(
        (arguments[name] for name in _SHELL if isinstance(arguments.get(name), str)),
        None,
    )
    if command is not None:
        return f"`{cut(_in_one_line(command), _LONGEST_WORKED)}`"
    held = dict(arguments)
    if beside is not None:
        held = {
            name: value
            for name, value in arguments.items()
            if name not in beside or beside[name] != value
        }
    given = [
        f"{name}={cut(json.dumps(value, ensure_ascii=False), _LONGEST_VALUE)}"
        for name, value in held.items()
    ]
    if beside is not None:
        given += [f"without {name}" for name in beside if name not in arguments]
    rest = ["…"] if beside is not None and len(held) < len(arguments) else []
    return f"{tool}({cut(', '.join([*given, *rest]), _LONGEST_WORKED)})"


def _in_one_line(command: str) -> str:
    r"""A shell text in one line: a sign stands where a line ended, unless it went on.

    >>> _in_one_line("cd web\n  npm run \\\n  build")
    'cd web ⏎ npm run build'
    """
    lines = command.replace("\\\n", " ").splitlines()
    return " ⏎ ".join(" ".join(line.split()) for line in lines if line.strip())


def _moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def cut(text: str, most: int) -> str:
    """A text's beginning, marked if something is left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _counted(number: int) -> str:
    return "1 session" if number == 1 else f"{number} sessions"
