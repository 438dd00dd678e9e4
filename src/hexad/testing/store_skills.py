"""The part of the store contract that is about skills: earlier versions, and runs. `store_suite` imports it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final, cast

import pytest

from hexad.model import Layer, Skill, SkillVersion
from hexad.store import Entry
from hexad.store.skills import REMEMBERED, count_run
from hexad.testing.nouns import AWAY, HOME, MOMENT, document, skill, skill_version

if TYPE_CHECKING:
    from hexad.store import Reading, Store

requirement = pytest.mark.requirement
SKILLS: Final = Layer.SKILL_PATTERNS


def stored(view: Reading, name: str = "release") -> Skill:
    row = view.get(SKILLS, name)
    assert row is not None
    assert isinstance(row.record, Skill)
    return row.record


@requirement("SKILL-01")
def test_a_run_is_counted_with_its_outcome_and_only_the_latest_are_remembered(store: Store) -> None:
    later = MOMENT + timedelta(hours=1)
    with store.transaction(HOME) as unit:
        unit.put([Entry(skill(use_count=7), document("word"))])
        outcomes = [count_run(unit, "release", 1, later, ok=number != 1) for number in range(REMEMBERED + 2)]
    assert outcomes[:3] == ["+", "+-", "+-+"]
    assert outcomes[-1] == "+" * REMEMBERED
    with store.reading(HOME) as view:
        known, runs = stored(view), REMEMBERED + 2
    assert (known.use_count, known.run_count, known.success_count) == (7 + runs, runs, runs - 1)
    assert (known.last_used, known.recent, known.updated) == (later, "+" * REMEMBERED, MOMENT)


@requirement("SKILL-01")
def test_a_run_of_what_is_gone_or_changed_counts_nothing(store: Store) -> None:
    with store.transaction(HOME) as unit:
        unit.put([Entry(skill(version=2), None)])
        assert count_run(unit, "release", 1, MOMENT, ok=True) is None
        assert count_run(unit, "other", 1, MOMENT, ok=True) is None
    with store.transaction(AWAY) as unit:
        assert count_run(unit, "release", 2, MOMENT, ok=True) is None
    with store.reading(HOME) as view:
        assert stored(view).run_count == 0


@requirement("SKILL-01")
def test_a_version_that_was_read_is_apart_from_what_is_stored(store: Store) -> None:
    with store.transaction(HOME) as unit:
        unit.add_versions([skill_version(1, definition={"steps": [1]})])
    with store.reading(HOME) as view:
        (found,) = view.versions(SKILLS, "release")
    cast("SkillVersion", found).definition["steps"].append(2)  # type: ignore[union-attr]
    with store.reading(HOME) as view:
        assert list(view.versions(SKILLS, "release")) == [skill_version(1, definition={"steps": [1]})]
