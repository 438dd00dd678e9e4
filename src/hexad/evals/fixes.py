"""Failed calls and the calls that worked afterwards: does the fix say the right thing to somebody who asks?

The format is `fixes.jsonl`, in the folder or one folder below, with a line for each failure:
``{"tool", "args", "error", "then", "says", "never"}``. ``then`` are the arguments of the tool's next successful call,
null, or a list of calls: each the arguments, or ``{"tool", "args"}`` for another tool. A right fix contains one of
``says`` and none of ``never``, in any case; an empty ``says`` means that no fix is right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hexad.clock import utc_now
from hexad.evals.data import Line, readable
from hexad.evals.tables import Figures, Table, mean
from hexad.facade import Hexad

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from hexad.evals.run import Progress

FILE: Final = "fixes.jsonl"
_WORD: Final = re.compile(r"(?<!\w)-[a-z]\b|[^\W_]{2,}|\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Case:
    """A failed call, the calls that worked after it (tool and arguments), and what a fix must and must not say."""

    tool: str
    args: Mapping[str, Any]
    error: str
    then: Sequence[tuple[str, Mapping[str, Any]]]
    says: tuple[str, ...]
    never: tuple[str, ...]
    place: str

    def is_right(self, fix: str) -> bool:
        """Whether a fix says what it should, and nothing that it should not."""
        return _has_any(fix, self.says) and not _has_any(fix, self.never)

    def is_wrong(self, fix: str) -> bool:
        """Whether a fix says what it must not, or says something where no fix is right."""
        return bool(fix) and (not self.says or _has_any(fix, self.never))

    def is_empty(self, fix: str) -> bool:
        """Whether a fix shares no word with the error or with the difference between the calls."""
        words = _words([self.error])
        for tool, then in self.then:
            words |= _words([tool] if tool != self.tool else [])
            words |= _words(name for name in {*self.args, *then} if self.args.get(name) != then.get(name))
            words |= _words(_leaves(self.args)) ^ _words(_leaves(then))
        return bool(fix) and not _words([fix]) & words


def read_cases(folder: Path) -> tuple[Case, ...]:
    """Every case in a folder of evaluation data."""
    files = [file for file in (folder / FILE, *sorted(folder.glob(f"*/{FILE}"))) if file.is_file()]
    return tuple(case for file in files for case in readable(file, _case))


def judge_fixes(cases: Sequence[Case], progress: Progress) -> Figures:
    """Replay each case in a new memory and ask for its fix: the shares of right, content-free and wrong ones."""
    pairs: list[tuple[Case, str]] = []
    for done, case in enumerate(cases, start=1):
        pairs.append((case, _asked(case)))
        progress(f"{FILE}: replaying", done, len(cases))
    wrong = [case.is_wrong(fix) for case, fix in pairs]
    right = [case.is_right(fix) for case, fix in pairs if case.says]
    empty = [case.is_empty(fix) for case, fix in pairs if fix]
    shares = {"right": mean(right, 1.0), "empty": mean(empty), "wrong": mean(wrong), "count": len(cases)}
    missed = [(case.place, fix) for case, fix in pairs if case.is_wrong(fix) or (case.says and not case.is_right(fix))]
    rows = [(f"fixes: {name}", f"{value:g}") for name, value in shares.items()]
    offered = [(place, fix or "none") for place, fix in missed]
    tables = [Table(("fixes", "share"), rows), Table(("missed", "fix that was offered"), offered)]
    return Figures(
        {**shares, "count": len(cases), "misses": [{"case": place, "fix": fix} for place, fix in missed]}, tables
    )


def _asked(case: Case) -> str:
    """The fix for a case, as somebody who asks gets it; empty if none is known."""
    now = utc_now()  # for all calls: on a busy machine a second between two would be a wait
    with Hexad.open(":memory:", enabled=True, semantic=False, clock=lambda: now) as hx:
        hx.observe(tool=case.tool, args=case.args, error=case.error, session="replay")
        for tool, then in case.then:
            hx.observe(tool=tool, args=then, result="done", session="replay")
        return hx.learnings.known_fix(case.tool, case.error) or ""


def _has_any(fix: str, parts: Iterable[str]) -> bool:
    return any(part.casefold() in fix.casefold() for part in parts)


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text.casefold())}


def _leaves(value: object) -> Iterable[str]:
    """The names and values of arguments, as texts."""
    if isinstance(value, dict):
        return [text for name, inner in value.items() for text in (str(name), *_leaves(inner))]
    return [text for each in value for text in _leaves(each)] if isinstance(value, list) else [str(value)]


def _case(line: Line) -> Case:
    args, then = line.fields.get("args"), line.fields.get("then") or []
    then = then if isinstance(then, list) else [then]
    if not isinstance(args, dict) or not all(isinstance(each, dict) for each in then):
        raise line.error("args must be an object, and then null, an object or a list of objects")
    place = f"{line.file.parent.name}/{line.file.name}:{line.number}"
    says, never = _texts(line, "says"), _texts(line, "never")
    calls = [_call(each, line.text("tool")) for each in then]
    return Case(line.text("tool"), args, line.text("error"), calls, says, never, place)


def _call(then: Mapping[str, Any], tool: str) -> tuple[str, Mapping[str, Any]]:
    """A call's tool and arguments."""
    named, args = then.get("tool"), then.get("args")
    if len(then) == 2 and isinstance(named, str) and isinstance(args, dict):
        return named, args
    return tool, then


def _texts(line: Line, name: str) -> tuple[str, ...]:
    value = line.fields.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise line.error(f"{name} must be a list of texts")
    return tuple(value)
