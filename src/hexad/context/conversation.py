"""A row adds a share of its score to its neighbours in a thread, because an answer
stands beside its question.

A short turn ("Lisbon.") needs its neighbours to be understood. A long one speaks for
itself, and gets less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hexad.store import Sketch

LENT: Final = {
    1: 0.4,
    2: 0.2,
}  # the share of its match that a row lends to those one and two places from it
ANSWER: Final = 0.4  # the share that a question lends to the row after it, beyond that

TELLING: Final = 6  # terms of a turn from which all of its meaning counts
SHORT, LONG = (
    30,
    60,
)  # terms of a turn up to which it gets all that is lent, and from which nothing

STEPS: Final = tuple(sign * distance for distance in LENT for sign in (-1, 1))


def lending(
    sketches: Iterable[Sketch], match: Callable[[int], float]
) -> Mapping[int, float]:
    """The score that each row gets from its neighbours; of several at one place only
    the best counts.
    """
    placed: dict[tuple[str, int], list[Sketch]] = {}
    for sketch in sketches:
        if sketch.thread and sketch.position is not None:
            placed.setdefault((sketch.thread, sketch.position), []).append(sketch)
    if not placed:
        return {}
    best = {
        place: max(match(each.number) for each in here)
        for place, here in placed.items()
    }
    asked = {
        place: max((match(each.number) for each in here if each.asks), default=0.0)
        for place, here in placed.items()
    }
    lent: dict[int, float] = {}
    for (thread, position), here in placed.items():
        near = sum(
            LENT[abs(step)] * best.get((thread, position + step), 0.0) for step in STEPS
        )
        given = ANSWER * asked.get((thread, position - 1), 0.0) + near
        for sketch in here:  # a short turn gets all of it, a long one nothing
            lent[sketch.number] = given * min(
                1.0, max(0.0, (LONG - _terms(sketch)) / (LONG - SHORT))
            )
    return lent


def share_of_meaning(sketches: Iterable[Sketch]) -> Mapping[int, float]:
    """The share of its meaning that counts for each very short turn: it names the
    topic, others say something of it.
    """
    terms = {sketch.number: _terms(sketch) for sketch in sketches if sketch.thread}
    return {
        number: count / TELLING for number, count in terms.items() if count < TELLING
    }


def mixed(sketches: Iterable[Sketch]) -> Iterable[int]:
    """The long turns: an instruction hidden in one is found by its words, the rest is
    about something else.
    """
    return [
        sketch.number for sketch in sketches if sketch.thread and _terms(sketch) >= LONG
    ]


def _terms(sketch: Sketch) -> int:
    return sketch.words.rsplit("\n", 1)[-1].count(" ") + 1
