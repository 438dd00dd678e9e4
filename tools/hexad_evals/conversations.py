"""Conversations: what `capture` keeps of what people said, and what it should have
kept.

The format is `capture/*.jsonl`: a line for each conversation, ``{"messages": […],
"keep": [texts]}``, and perhaps the ``"category"`` of all of them. A text that was saved
or proposed is right if one of ``keep`` holds it or is held by it. Each conversation has
a memory of its own.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.facade import Hexad
from hexad.memory.conversations.capture import plain
from hexad_evals.data import CAPTURE, DataLine, readable
from hexad_evals.tables import Figures, FigureTable, figures_by_set, mean

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hexad_evals.run import Progress

_NAMES: Final = (
    "precision_saved",
    "precision_proposed",
    "recall_saved",
    "recall",
    "saved_per_100_without",
)


class CaptureOutcome(NamedTuple):
    """The outcome of one conversation."""

    keep: tuple[str, ...]
    saved: tuple[str, ...]
    proposed: tuple[str, ...]
    turns: int  # of the user
    sorted: tuple[
        bool, ...
    ] = ()  # of each that is right, whether its category is the given one

    def right(self, kept: Sequence[str]) -> int:
        """How many of these texts were to be kept."""
        return sum(any(_same(text, wanted) for wanted in self.keep) for text in kept)

    def missed(self, kept: Sequence[str]) -> list[str]:
        """The texts to be kept that are not among these."""
        return [
            wanted
            for wanted in self.keep
            if not any(_same(text, wanted) for text in kept)
        ]


def figures(every: Sequence[CaptureOutcome]) -> dict[str, float]:
    """Shares of what was saved and proposed that is right, of what was to be kept, and
    entries saved in small talk.
    """
    saved, proposed = (
        sum(len(each.saved) for each in every),
        sum(len(each.proposed) for each in every),
    )
    wanted = sum(len(each.keep) for each in every)
    empty = [each for each in every if not each.keep]
    needless, turns = (
        sum(len(each.saved) for each in empty),
        sum(each.turns for each in empty),
    )
    return {
        "precision_saved": _share(sum(each.right(each.saved) for each in every), saved),
        "precision_proposed": _share(
            sum(each.right(each.proposed) for each in every), proposed
        ),
        "recall_saved": _share(
            wanted - sum(len(each.missed(each.saved)) for each in every), wanted
        ),
        "recall_proposed": _share(
            wanted - sum(len(each.missed(each.proposed)) for each in every), wanted
        ),
        "recall": _share(
            wanted
            - sum(len(each.missed((*each.saved, *each.proposed))) for each in every),
            wanted,
        ),
        "category": mean([right for each in every for right in each.sorted], 1.0),
        "saved_per_100_without": 100 * needless / (turns or 1),
        "conversations": len(every),
    }


def converse(folder: Path, progress: Progress) -> Figures | None:
    """Capture every conversation of a folder, as typed by a person."""
    files = sorted(
        (folder if folder.name == CAPTURE else folder / CAPTURE).glob("*.jsonl")
    )
    with Hexad.open(":memory:", enabled=True, semantic=False) as hx:
        found = {
            file.stem: tuple(readable(file, partial(_captured, hx, progress)))
            for file in files
        }
    if not found:
        return None
    document, tables = figures_by_set(CAPTURE, found, figures, *_NAMES)
    every = [each for outcomes in found.values() for each in outcomes]
    wrong = [text for each in every for text in each.saved if not each.right([text])]
    missed = [
        text for each in every for text in each.missed((*each.saved, *each.proposed))
    ]
    listed = [("saved wrongly", text) for text in wrong] + [
        ("missed", text) for text in missed
    ]
    not_right = [FigureTable(("not right", "text"), listed)] if listed else []
    return Figures(
        {**document, "wrong": wrong, "missed": missed}, [*tables, *not_right]
    )


def _captured(hx: Hexad, progress: Progress, line: DataLine) -> CaptureOutcome:
    messages, keep = line.fields.get("messages"), line.fields.get("keep")
    if (
        not isinstance(messages, list)
        or not isinstance(keep, list)
        or not all(isinstance(each, str) for each in keep)
    ):
        raise line.error("messages must be a list, and keep a list of texts")
    done = hx.scoped(namespace=f"{line.file.stem} {line.number}").capture(
        messages, typed=True
    )
    progress(f"capture: {line.file.stem}", line.number, line.number)
    turns = sum(
        isinstance(each, dict) and each.get("role") == "user" for each in messages
    )
    saved, proposed = (
        tuple(each.content for each in kept) for kept in (done.saved, done.proposed)
    )
    outcome, category = (
        CaptureOutcome(tuple(keep), saved, proposed, turns),
        line.fields.get("category"),
    )
    if category is None:
        return outcome
    right = (
        each for each in (*done.saved, *done.proposed) if outcome.right([each.content])
    )
    return outcome._replace(sorted=tuple(each.category == category for each in right))


def _same(text: str, wanted: str) -> bool:
    one, other = plain(text), plain(wanted)
    return one in other or other in one


def _share(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 1.0
