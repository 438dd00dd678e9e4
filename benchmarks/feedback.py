"""How much use teaches: some questions of each item are replayed as successful uses, the others are asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hexad.evals.run import Measurement, Plan
from hexad.model import Item

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hexad import Hexad
    from hexad.evals.data import EvalSet, Question
    from hexad.evals.run import Progress

    Lesson = tuple[Question, str]  # a question, and the id of the item that was used after it


@dataclass(frozen=True, slots=True)
class Taught:
    """Recall at five of the same questions before and after uses of each item were replayed."""

    uses: int  # of each item, at most
    questions: int  # that were left to ask
    before: float
    after: float


def taught(data: EvalSet, uses: int, progress: Progress) -> Taught:
    """Replay uses on a new store, and ask the remaining questions before and after."""
    lessons, left = _split(data, uses)
    work = Measurement(data, (data,), Plan(), progress)
    with work.engines() as engines:
        before = work.measured(left, work.asker(engines), "before feedback")
        _teach(engines, data, lessons)
        after = work.measured(left, work.asker(engines), f"after {uses} uses")
    return Taught(uses, len(left), before.quality.recall_at_5, after.quality.recall_at_5)


def _split(data: EvalSet, uses: int) -> tuple[Sequence[Lesson], Sequence[Question]]:
    """The first ``uses`` questions of each item as lessons, and the remaining questions."""
    lessons: list[Lesson] = []
    left: list[Question] = []
    known: dict[tuple[str, str], int] = {}
    for question in data.questions:
        wanting = [each for each in sorted(question.relevant) if known.get((question.group, each), 0) < uses]
        for each in wanting:
            known[question.group, each] = known.get((question.group, each), 0) + 1
            lessons.append((question, each))
        if not wanting:
            left.append(question)
    return lessons, left


def _teach(engines: Mapping[str, Hexad], data: EvalSet, lessons: Sequence[Lesson]) -> None:
    """Report each lesson's item as used for its question."""
    for question, key in lessons:
        if (engine := engines.get(question.group)) is not None:
            engine.used(Item(layer=data.layer, id=key, key=key, content="", category=""), question.text)
