"""A bounded record of what went into prompts and when: keys and scores, never texts;
the setting `timeline` allows it.

A session is kept as a fingerprint: enough to find its prompts again, and no trace of
who spoke.

It is kept in notes of the namespace, one for each prompt, written in turn: none of them
is read to add a prompt.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hexad.model import Layer, Prompt

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.memory.workspace import Change, Workspace
    from hexad.store import Reading, Store, Writing

_MOST: Final = 256
_HEAD: Final = "timeline"  # the note that holds the place of the latest prompt


class ShownItem(NamedTuple):
    """An item that was in a prompt."""

    layer: Layer
    id: str
    score: float


class ShownPrompt(NamedTuple):
    """One prompt: when, in which session, what was found for it, and how many items
    stood in it anyway.
    """

    at: datetime
    session: str  # its fingerprint
    items: tuple[ShownItem, ...]
    standing: int
    tokens: int

    def as_json(self) -> dict[str, Any]:
        """The record as JSON."""
        return {
            **self._asdict(),
            "at": self.at.isoformat(),
            "items": [each._asdict() for each in self.items],
        }


def fingerprint(session: str | None) -> str:
    """A session as the record knows it."""
    return hashlib.sha256(session.encode()).hexdigest()[:12] if session else ""


def note_prompt(workspace: Workspace, prompt: Prompt) -> None:
    """Remember a prompt; `write_prompts` writes it at the end of the namespace's next
    change.
    """
    kept = [item for item in prompt.kept if item.layer is not Layer.RUNTIME_CONTEXT]
    shown = [[item.layer.code, item.id, round(item.score, 3)] for item in kept]
    line = [
        workspace.clock().isoformat(),
        fingerprint(prompt.session),
        shown,
        len(prompt.standing),
        prompt.tokens,
    ]
    workspace.uses.show(prompt.namespace, line)


def write_prompts(change: Change) -> None:
    """Write the prompts that wait, in the places of the oldest ones."""
    while change.prompts:
        place = (int(change.unit.note(_HEAD) or 0) + 1) % _MOST
        _write(change.unit, place, [change.prompts.pop(0)])
        change.unit.set_note(_HEAD, str(place))


def shown_prompts(store: Store, namespace: str) -> tuple[ShownPrompt, ...]:
    """The latest prompts of a namespace, newest first, at most 256."""
    with store.reading(namespace) as view:
        lines = [line for place in range(_MOST) for line in _lines(view, place)]
    return tuple(
        sorted(map(_read, lines), key=lambda each: each.at, reverse=True)[:_MOST]
    )


def forget_item(change: Change, layer: Layer, id: str) -> None:
    """Take an item out of every prompt of the record."""
    _rewrite(
        change,
        lambda line: [
            *line[:2],
            [each for each in line[2] if each[:2] != [layer.code, id]],
            *line[3:],
        ],
    )


def forget_prompts(change: Change, session: str | None = None) -> None:
    """Remove the prompts of a session, or all."""
    _rewrite(
        change,
        lambda line: (
            line if session is not None and line[1] != fingerprint(session) else None
        ),
    )


def _rewrite(change: Change, edited: Callable[[list[Any]], list[Any] | None]) -> None:
    write_prompts(change)
    if change.unit.note(_HEAD) is None:
        return
    for place in range(_MOST):
        before = _lines(change.unit, place)
        after = [line for line in map(edited, before) if line is not None]
        if after != before:
            _write(change.unit, place, after)


def _write(unit: Writing, place: int, lines: list[Any]) -> None:
    unit.set_note(f"{_HEAD}:{place}", json.dumps(lines, separators=(",", ":")))


def _lines(view: Reading, place: int) -> list[Any]:
    """The prompt of a place; earlier programs wrote several."""
    lines: list[Any] = json.loads(view.note(f"{_HEAD}:{place}") or "[]")
    return lines


def _read(line: list[Any]) -> ShownPrompt:
    at, session, items, standing, tokens = line
    layers = {layer.code: layer for layer in Layer}
    found = tuple(ShownItem(layers[code], name, score) for code, name, score in items)
    return ShownPrompt(datetime.fromisoformat(at), session, found, standing, tokens)
