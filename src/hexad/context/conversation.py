"""A row adds a share of its score to its neighbours in a thread, because an answer stands beside its question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hexad.store import Sketch

LENT: Final = {1: 0.4, 2: 0.2}  # the share of its match that a row lends to those one and two places from it
ANSWER: Final = 0.4  # the share that a question lends to the row after it, beyond that

STEPS: Final = tuple(sign * distance for distance in LENT for sign in (-1, 1))


def lending(sketches: Iterable[Sketch], match: Callable[[int], float]) -> Mapping[int, float]:
    """The score that each row gets from its neighbours; of several at one place only the best counts."""
    placed: dict[tuple[str, int], list[Sketch]] = {}
    for sketch in sketches:
        if sketch.thread and sketch.position is not None:
            placed.setdefault((sketch.thread, sketch.position), []).append(sketch)
    best = {place: max(match(each.number) for each in here) for place, here in placed.items()}
    asked = {
        place: max((match(each.number) for each in here if each.asks), default=0.0) for place, here in placed.items()
    }
    return {
        sketch.number: ANSWER * asked.get((thread, position - 1), 0.0)
        + sum(LENT[abs(step)] * best.get((thread, position + step), 0.0) for step in STEPS)
        for (thread, position), here in placed.items()
        for sketch in here
    }
