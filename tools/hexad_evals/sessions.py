"""Real sessions of agents, replayed in time order through the code that answers hooks.

The format is `sessions/<name>.jsonl` with one session a line: ``{"session", "start",
"folder", "events"}``. Events are ``{"kind": "user" | "say", "at", "text"}`` and
``{"kind": "call", "at", "tool", "args", "ok", "result" | "error"}``. Each file is a
memory of its own; files with other lines are left alone. The agents of a replay read
nothing of what is shown, so nothing may gain confidence.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from hexad.calls.outcome import outcome_of
from hexad.examples import cut
from hexad.facade import Hexad
from hexad.learning.confidence import UNPROVEN
from hexad.mcp.coding.hooks import Hooks
from hexad.model import Layer, Origin
from hexad_evals.data import DataLine, readable
from hexad_evals.tables import Figures, FigureTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hexad_evals.run import Progress

FOLDER: Final = "sessions"
_STEPS_AFTER: Final = 3  # calls of the agent that are printed behind a shown text
_LONGEST: Final = 300
_WORD: Final = re.compile(r"[^\W_]{2,}")
_FRAME: Final = re.compile(r"\A.*?What worked next(?: in \d+ of them)?: ", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a session, with the session's name."""

    session: str
    at: datetime
    kind: str
    held: Mapping[str, Any]


@dataclass(slots=True)
class ShownText:
    """A text that the agent would have read, and what it did then."""

    file: str
    place: str  # beside the failure, before the call, or in the prompt
    about: str
    text: str
    then: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Counts:
    """The counts of a replay."""

    sessions: int = 0
    calls: int = 0
    messages: int = 0
    failures: int = 0
    recurring: int = 0  # failures whose error an earlier session had met
    shown_beside: int = 0
    shown_before: int = 0
    restating: int = 0  # of the shown: those that have no word that call and error lack
    entries: int = 0  # Known Solutions, over all messages
    gained_without_offers: float = 0.0  # confidence, over all learnings
    learnings: int = 0
    noticed: int = 0
    bytes: int = 0  # of what is kept about errors
    seconds: float = 0.0  # of processor time

    def __add__(self, other: Counts) -> Counts:
        mine, theirs = asdict(self), asdict(other)
        return Counts(**{name: value + theirs[name] for name, value in mine.items()})

    def as_json(self) -> dict[str, Any]:
        """The figures, shares of what they are shares of."""
        shown = self.shown_beside + self.shown_before
        return {
            "sessions": self.sessions,
            "calls": self.calls,
            "failures": self.failures,
            "recurring": self.recurring,
            "shown_beside": self.shown_beside,
            "shown_before": self.shown_before,
            "restating": round(self.restating / shown, 4) if shown else 0.0,
            "entries_a_message": round(self.entries / self.messages, 4)
            if self.messages
            else 0.0,
            "gained_without_offers": round(self.gained_without_offers, 6),
            "learnings": self.learnings,
            "noticed": self.noticed,
            "bytes": self.bytes,
            "ms_a_call": round(1000 * self.seconds / self.calls, 3)
            if self.calls
            else 0.0,
        }


def replay_sessions(
    folder: Path, progress: Progress, *, show: int = 0, seed: int = 0
) -> Figures | None:
    """Replay every file of sessions in a folder, or in its `sessions`; None if there is
    none.
    """
    files = {file: read_sessions(file) for file in _files(folder)}
    if not files:
        return None
    every: dict[str, Counts] = {}
    texts: list[ShownText] = []
    for file, events in files.items():
        replay = _Replay(file.stem, events, progress)
        every[file.stem] = replay.run()
        texts += replay.texts
    whole = sum(every.values(), Counts())
    figures = {
        name: counts.as_json() for name, counts in {**every, "all": whole}.items()
    }
    rows = [
        (name, *(str(figures[file][name]) for file in figures))
        for name in figures["all"]
    ]
    drawn = Random(seed).sample(texts, min(show, len(texts)))  # noqa: S311 - a sample, no secret
    tables = [
        FigureTable(("sessions", *figures), rows),
        *([_table(drawn)] if drawn else []),
    ]
    judged = [{"set": each.file, **asdict(each)} for each in drawn]
    sets = {name: figures[name] for name in every}
    return Figures(
        {**figures["all"], "sets": sets, **({"shown": judged} if judged else {})},
        tables,
    )


def read_sessions(file: Path) -> list[Event]:
    """The events of a file in time order; none if it holds something else."""
    found: list[Event] = []
    for session, start, events in readable(file, _session):
        at = start
        for held in events:
            at = max(at, _moment(held.get("at")) or at)
            found.append(Event(session, at, str(held.get("kind")), held))
    return sorted(found, key=lambda event: event.at)


class _Replay:
    """One file of sessions, replayed in a memory of its own."""

    def __init__(self, file: str, events: Sequence[Event], progress: Progress) -> None:
        self.texts: list[ShownText] = []
        self._file, self._events, self._progress = file, events, progress
        self._now = events[0].at
        self._met: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self._said: dict[str, str] = {}
        self._warned: set[tuple[str, str]] = set()  # a session is warned once
        self._following: dict[str, list[ShownText]] = defaultdict(list)
        self._counts = Counts(sessions=len({event.session for event in events}))

    def run(self) -> Counts:
        """Replay all events, and count."""
        with (
            tempfile.TemporaryDirectory(prefix="hexad-eval-") as folder,
            Hexad.open(
                Path(folder) / "eval.db",
                enabled=True,
                semantic=False,
                discover_skills=False,
                clock=lambda: self._now,
            ) as hx,
        ):
            hooks = Hooks(hx, resident=True, counts=False)
            started = time.process_time()
            for done, event in enumerate(self._events, start=1):
                self._now = event.at
                self._take(hx, hooks, event)
                if done % 50 == 0 or done == len(self._events):
                    self._progress(
                        f"{FOLDER}/{self._file}: replaying", done, len(self._events)
                    )
            self._counts.seconds = time.process_time() - started
            self._look_at(hx)
        return self._counts

    def _take(self, hx: Hexad, hooks: Hooks, event: Event) -> None:
        text = str(event.held.get("text") or "")
        if event.kind == "user":
            self._said[event.session] = ""
            self._counts.messages += 1
            found = hx.retrieve(
                text, layers=[Layer.AGENT_LEARNINGS], session=event.session
            )
            self._counts.entries += len(found.all())
            for item in found.all():
                self._note(
                    event.session,
                    ShownText(
                        self._file, "in the prompt", cut(text, _LONGEST), item.content
                    ),
                )
        elif event.kind == "say":
            self._said[event.session] = text
        elif event.kind == "call":
            self._call(hooks, event)

    def _call(self, hooks: Hooks, event: Event) -> None:
        held, counts = event.held, self._counts
        tool, args = str(held.get("tool")), held.get("args")
        error = "" if held.get("ok") else str(held.get("error") or "failed")
        call = {
            "session_id": event.session,
            "tool_name": tool,
            "tool_input": args,
            "said": self._said.get(event.session),
        }
        about = f"{tool} {cut(json.dumps(args, ensure_ascii=False), _LONGEST)}"
        for each in self._following[event.session]:
            each.then.append(f"{about} → {'worked' if not error else cut(error, 120)}")
        self._following[event.session] = [
            each
            for each in self._following[event.session]
            if len(each.then) < _STEPS_AFTER
        ]
        counts.calls += 1
        before = _text(hooks.answer({**call, "hook_event_name": "PreToolUse"}))
        if before and (event.session, before) not in self._warned:
            self._warned.add((event.session, before))
            counts.shown_before += 1
            self._shown("before the call", event, about, before)
        name = "PostToolUseFailure" if error else "PostToolUse"
        answer = hooks.answer(
            {
                **call,
                "hook_event_name": name,
                **({"error": error} if error else {"tool_response": ""}),
            }
        )
        if error:
            self._failed(event, tool, args, error)
            beside = _text(answer)
            if beside:
                counts.shown_beside += 1
                self._shown(
                    "beside the failure",
                    event,
                    f"{about} → {cut(error, _LONGEST)}",
                    beside,
                )

    def _failed(self, event: Event, tool: str, args: object, error: str) -> None:
        words = outcome_of(tool, args, None, error, session=None, failure=None).words
        self._counts.failures += 1
        met = self._met[(tool, *words)]
        self._counts.recurring += bool(met - {event.session})
        met.add(event.session)

    def _shown(self, place: str, event: Event, about: str, text: str) -> None:
        known = set(
            _WORD.findall(
                f"{event.held.get('args')} {event.held.get('error', '')} {event.held.get('tool')}"
            )
        )
        self._counts.restating += not set(_WORD.findall(_FRAME.sub("", text))) - known
        self._note(event.session, ShownText(self._file, place, about, text))

    def _note(self, session: str, shown: ShownText) -> None:
        self.texts.append(shown)
        self._following[session].append(shown)

    def _look_at(self, hx: Hexad) -> None:
        """Count what is kept; nobody saw anything, so trust beyond the beginning was
        gained by chance.
        """
        known = hx.learnings.list(noticed=True)
        self._counts.learnings = sum(each.learned for each in known)
        self._counts.noticed = len(known) - self._counts.learnings
        self._counts.bytes = sum(
            len(json.dumps(dict(each.evidence))) + len(each.error_pattern)
            for each in known
        )
        unproven = [each for each in known if each.origin is not Origin.USER]
        self._counts.gained_without_offers = sum(
            max(0.0, each.trust - UNPROVEN) for each in unproven
        )


def _files(folder: Path) -> list[Path]:
    inner = folder / FOLDER
    files = sorted((inner if inner.is_dir() else folder).glob("*.jsonl"))
    return [file for file in files if _holds_sessions(file)]


def _holds_sessions(file: Path) -> bool:
    with file.open(encoding="utf-8") as stream:
        first = stream.readline()
    try:
        return "events" in json.loads(first)
    except (ValueError, TypeError):
        return False


def _session(line: DataLine) -> tuple[str, datetime, Sequence[Mapping[str, Any]]]:
    events, start = line.fields.get("events"), _moment(line.fields.get("start"))
    if not isinstance(events, list) or start is None:
        raise line.error("is no session: it needs start and events")
    return line.text("session"), start, events


def _moment(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None


def _text(answer: Mapping[str, Any]) -> str:
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def _table(drawn: Sequence[ShownText]) -> FigureTable:
    rows = [
        (each.file, each.place, each.about, each.text, "\n".join(each.then))
        for each in drawn
    ]
    return FigureTable(("from", "where", "about", "shown", "then the agent did"), rows)
