"""A row adds a share of its score to its neighbours in a thread, because an answer
stands beside its question.

A short turn ("Lisbon.") needs its neighbours to be understood. A long one speaks for
itself, and gets less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.context.policy import POLICY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hexad.store import Sketch

SHORT, LONG = 30, 60  # terms up to which a turn gets all that is lent; nothing from 60


def lending(
    sketches: Iterable[Sketch], match: Callable[[int], float]
) -> Mapping[int, float]:
    """The score that each row gets from its neighbours; of several at one place only
    the best counts.

    The one beside it lends a share of its match, a question before it twice that, and
    the one two places away half.
    """
    placed: dict[tuple[str, int], list[Sketch]] = {}
    for sketch in sketches:
        if sketch.thread and sketch.position is not None:
            placed.setdefault((sketch.thread, sketch.position), []).append(sketch)

    best, asked = dict[tuple[str, int], float](), dict[tuple[str, int], float]()
    for place, here in placed.items():
        best[place] = max([match(each.number) for each in here])
        asked[place] = max(
            [match(each.number) for each in here if each.asks], default=0
        )

    lent: dict[int, float] = {}
    for (thread, position), here in placed.items():
        beside = asked.get((thread, position - 1), 0.0)
        for step, share in ((-1, 1.0), (1, 1.0), (-2, 0.5), (2, 0.5)):
            beside += share * best.get((thread, position + step), 0.0)
        for sketch in here:
            needed = min(1.0, max(0.0, (LONG - _terms(sketch)) / (LONG - SHORT)))
            lent[sketch.number] = POLICY.lent * beside * needed
    return lent


def mixed(sketches: Iterable[Sketch]) -> Iterable[int]:
    """The long turns: an instruction hidden in one is found by its words, the rest is
    about something else.
    """
    return [
        sketch.number for sketch in sketches if sketch.thread and _terms(sketch) >= LONG
    ]


def _terms(sketch: Sketch) -> int:
    return sketch.words.rsplit("\n", 1)[-1].count(" ") + 1
