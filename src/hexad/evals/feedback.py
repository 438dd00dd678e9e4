"""Feedback: some questions of an item are replayed as successful uses, the others are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from hexad.model import Item

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hexad.evals.data import EvalSet, Question
    from hexad.facade import Hexad

    Lesson: TypeAlias = tuple[Question, str]  # a question, and the id of the item that was used after it


def split(data: EvalSet, uses: int) -> tuple[Sequence[Lesson], Sequence[Question]]:
    """The first ``uses`` questions of each item as lessons, and the remaining questions."""
    lessons: list[Lesson] = []
    left: list[Question] = []
    taught: dict[tuple[str, str], int] = {}
    for question in data.questions:
        wanting = [each for each in sorted(question.relevant) if taught.get((question.group, each), 0) < uses]
        for each in wanting:
            taught[question.group, each] = taught.get((question.group, each), 0) + 1
            lessons.append((question, each))
        if not wanting:
            left.append(question)
    return lessons, left


def teach(
    engines: Mapping[str, Hexad], data: EvalSet, lessons: Sequence[Lesson], progress: Callable[[int], None]
) -> None:
    """Report each lesson's item as used for its question."""
    ids = {group: _ids(engine, data) for group, engine in engines.items()}
    for done, (question, key) in enumerate(lessons, start=1):
        engine = engines.get(question.group)
        known = ids.get(question.group, {}).get(key)
        if engine is not None and known is not None:
            engine.used(Item(layer=data.layer, id=known, key=key, content="", category=""), question.text)
        progress(done)


def _ids(engine: Hexad, data: EvalSet) -> Mapping[str, str]:
    """The stored id of each item: a learning has its own, the others use their key."""
    learnings = {learning.trigger: learning.id for learning in engine.learnings.list()}
    return {document.id: learnings.get(document.id, document.id) for document in data.corpus}
