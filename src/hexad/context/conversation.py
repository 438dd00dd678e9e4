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
    """What each row's neighbours among these rows add to its words; of several at one place the best lends."""
    placed: dict[tuple[str, int], list[Sketch]] = {}
    for sketch in sketches:
        if sketch.thread and sketch.position is not None:
            placed.setdefault((sketch.thread, sketch.position), []).append(sketch)
    return {
        sketch.number: _lent(placed.get((thread, position - 1), ()), placed.get((thread, position + 1), ()), words)
        for (thread, position), here in placed.items()
        for sketch in here
    }


def _lent(before: Iterable[Sketch], after: Iterable[Sketch], words: Callable[[int], float]) -> float:
    earlier = max((words(each.number) for each in before), default=0.0)
    later = max((words(each.number) for each in after), default=0.0)
    asked = max((words(each.number) for each in before if each.asks), default=0.0)
    return NEIGHBOUR * (earlier + later) + ANSWER * asked
