"""A bounded record of what went into prompts and when: keys and scores, never texts; the setting `timeline` allows it.

A session is kept as a fingerprint: enough to find its prompts again, and no trace of who spoke.

It is kept in notes of the namespace: pages that are written in turn, so that a prompt rewrites one small page.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hexad.model import Layer

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.memory.workspace import Change, Workspace
    from hexad.model import Prompt
    from hexad.store import Reading, Store, Writing

_PAGES: Final = 16
_PER_PAGE: Final = 16
_HEAD: Final = "timeline"  # the note that holds the number of the page that is written now
_numbers: Final = count()


class ShownItem(NamedTuple):
    """An item that was in a prompt."""

    layer: Layer
    id: str
    score: float


class ShownPrompt(NamedTuple):
    """One prompt: when, in which session, what was found for it, and how many items stood in it anyway."""

    at: datetime
    session: str  # its fingerprint
    items: tuple[ShownItem, ...]
    standing: int
    tokens: int

    def as_json(self) -> dict[str, Any]:
        """The record as JSON."""
        return {**self._asdict(), "at": self.at.isoformat(), "items": [each._asdict() for each in self.items]}


def fingerprint(session: str | None) -> str:
    """A session as the record knows it."""
    return hashlib.sha256(session.encode()).hexdigest()[:12] if session else ""


def note_prompt(workspace: Workspace, prompt: Prompt) -> None:
    """Remember a prompt; it is written with the namespace's next change."""
    shown = [[item.layer.code, item.id, round(item.score, 3)] for item in prompt.kept if item.layer.code != _RUNTIME]
    line = [workspace.clock().isoformat(), fingerprint(prompt.session), shown, len(prompt.standing), prompt.tokens]
    workspace.uses.offer(prompt.namespace, (_HEAD, str(next(_numbers))), lambda change: _append(change.unit, line))


_RUNTIME: Final = Layer.RUNTIME_CONTEXT.code


def shown_prompts(store: Store, namespace: str) -> tuple[ShownPrompt, ...]:
    """The latest prompts of a namespace, newest first, at most 256."""
    with store.reading(namespace) as view:
        lines = [line for page in range(_PAGES) for line in _page(view, page)]
    return tuple(sorted(map(_read, lines), key=lambda each: each.at, reverse=True))


def forget_item(change: Change, layer: Layer, id: str) -> None:
    """Take an item out of every prompt of the record."""
    _rewrite(
        change.unit, lambda line: [*line[:2], [each for each in line[2] if each[:2] != [layer.code, id]], *line[3:]]
    )


def forget_prompts(change: Change, session: str | None = None) -> None:
    """Remove the prompts of a session, or all."""
    _rewrite(change.unit, lambda line: line if session is not None and line[1] != fingerprint(session) else None)


def _append(unit: Writing, line: list[Any]) -> None:
    number = int(unit.note(_HEAD) or 0)
    page = _page(unit, number)
    if len(page) >= _PER_PAGE:
        number, page = (number + 1) % _PAGES, []
    unit.set_note(_HEAD, str(number))
    _write(unit, number, [*page, line])


def _rewrite(unit: Writing, change: Callable[[list[Any]], list[Any] | None]) -> None:
    if unit.note(_HEAD) is None:
        return
    for number in range(_PAGES):
        before = _page(unit, number)
        after = [line for line in map(change, before) if line is not None]
        if after != before:
            _write(unit, number, after)


def _write(unit: Writing, number: int, lines: list[Any]) -> None:
    unit.set_note(f"{_HEAD}:{number}", json.dumps(lines, separators=(",", ":")))


def _page(view: Reading, number: int) -> list[Any]:
    lines: list[Any] = json.loads(view.note(f"{_HEAD}:{number}") or "[]")
    return lines


def _read(line: list[Any]) -> ShownPrompt:
    at, session, items, standing, tokens = line
    layers = {layer.code: layer for layer in Layer}
    found = tuple(ShownItem(layers[code], name, score) for code, name, score in items)
    return ShownPrompt(datetime.fromisoformat(at), session, found, standing, tokens)
