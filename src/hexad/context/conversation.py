"""What the rows next to a row in its thread say about it: an answer stands beside its question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hexad.store import Sketch

NEIGHBOUR: Final = 0.4  # the share of its words that a row lends to the one before and the one after it
ANSWER: Final = 0.4  # what a question lends to the row after it, beyond that


def places_beside(sketches: Iterable[Sketch]) -> set[tuple[str, int]]:
    """Where the neighbours of these rows stand, if they have any."""
    return {
        (sketch.thread, sketch.position + step)
        for sketch in sketches
        if sketch.thread and sketch.position is not None
        for step in (-1, 1)
    }


def lending(sketches: Iterable[Sketch], words: Callable[[int], float]) -> Mapping[int, float]:
    """What each row's neighbours among these rows add to its words."""
    placed = {
        (sketch.thread, sketch.position): sketch for sketch in sketches if sketch.thread and sketch.position is not None
    }
    return {
        sketch.number: _lent(placed.get((thread, position - 1)), placed.get((thread, position + 1)), words)
        for (thread, position), sketch in placed.items()
    }


def _lent(before: Sketch | None, after: Sketch | None, words: Callable[[int], float]) -> float:
    earlier = words(before.number) if before else 0.0
    later = words(after.number) if after else 0.0
    asked = ANSWER * earlier if before and before.asks else 0.0
    return NEIGHBOUR * (earlier + later) + asked
