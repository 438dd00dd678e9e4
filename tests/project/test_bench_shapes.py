"""Shapes of data that are hard to find: no worse than plain full-text search finds
them.
"""

from __future__ import annotations

import pytest

from benchmarks.shapes import measure, shapes
from tests.support import requirement


@requirement("EVAL-01")
def test_each_question_of_a_shape_has_its_answer_in_the_shape() -> None:
    for each in shapes():
        stored = [document.id for document in each.corpus]
        assert len(stored) == len(set(stored)) >= 300
        assert all(question.relevant <= set(stored) for question in each.questions)
    assert shapes() == shapes()


@pytest.mark.soak
@requirement("CTX-08")
@pytest.mark.parametrize("embedder", ["none", "static"])
def test_no_shape_is_found_worse_than_by_full_text_search(embedder: str) -> None:
    for shape, ours, theirs in measure(embedder):
        assert ours >= theirs, shape
