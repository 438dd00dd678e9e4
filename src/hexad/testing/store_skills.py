"""The part of the store contract that is about skills: earlier versions, and runs. `store_suite` imports it."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, given, settings

from hexad.errors import StoreError
from hexad.model import Layer, Skill, SkillVersion
from hexad.store import Entry
from hexad.store.skills import REMEMBERED
from hexad.testing.nouns import AWAY, HOME, MOMENT, document, skill, skill_version
from hexad.testing.strategies import skill_versions

if TYPE_CHECKING:
    from hexad.store import Reading, Store

requirement = pytest.mark.requirement
SKILLS: Final = Layer.SKILL_PATTERNS


class _Halt(Exception):
    """Ends a transaction from inside."""


def stored(view: Reading, name: str = "release") -> Skill:
    row = view.get(SKILLS, name)
    assert row is not None
    assert isinstance(row.record, Skill)
    return row.record


def version_of(view: Reading) -> SkillVersion:
    found = view.versions(SKILLS, "release")[0]
    assert isinstance(found, SkillVersion)
    return found


@requirement("SKILL-01")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=skill_versions)
def test_every_field_of_a_skills_version_comes_back_as_it_was(store: Store, said: SkillVersion) -> None:
    with store.transaction(HOME) as unit:
        unit.remove_versions(SKILLS, said.name)
        unit.add_versions([said])
    with store.reading(HOME) as view:
        assert list(view.versions(SKILLS, said.name)) == [said]


@requirement("SKILL-01")
def test_a_skills_versions_come_newest_first_and_go_one_by_one_or_all(store: Store) -> None:
    with store.transaction(AWAY) as unit:
        unit.add_versions([skill_version(1)])
    with store.transaction(HOME) as unit:
        for number in (1, 10, 2):
            unit.add_versions([skill_version(number)])
        unit.add_versions([skill_version(1, "other")])
        unit.remove_versions(SKILLS, "release", (2, 99))
    with store.reading(HOME) as view:
        assert list(view.versions(SKILLS, "release")) == [skill_version(10), skill_version(1)]
    with store.transaction(HOME) as unit:
        unit.remove_versions(SKILLS, "release")
        unit.remove_versions(SKILLS, "nothing")
    with store.reading(HOME) as view:
        assert list(view.versions(SKILLS, "release")) == []
        assert len(view.versions(SKILLS, "other")) == 1
    with store.reading(AWAY) as view:
        assert len(view.versions(SKILLS, "release")) == 1


@requirement("SKILL-01")
def test_a_version_of_a_skill_that_is_there_already_is_an_error(store: Store) -> None:
    with store.transaction(HOME) as unit:
        unit.add_versions([skill_version(1)])
    with pytest.raises(StoreError), store.transaction(HOME) as unit:
        unit.add_versions([skill_version(1, description="other")])
    with store.reading(HOME) as view:
        assert list(view.versions(SKILLS, "release")) == [skill_version(1)]


@requirement("SKILL-01")
def test_a_run_is_counted_with_its_outcome_and_only_the_latest_are_remembered(store: Store) -> None:
    later = MOMENT + timedelta(hours=1)
    with store.transaction(HOME) as unit:
        unit.put([Entry(skill(use_count=7), document("word"))])
        outcomes = [unit.count_run("release", 1, later, ok=number != 1) for number in range(REMEMBERED + 2)]
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
        assert unit.count_run("release", 1, MOMENT, ok=True) is None
        assert unit.count_run("other", 1, MOMENT, ok=True) is None
    with store.transaction(AWAY) as unit:
        assert unit.count_run("release", 2, MOMENT, ok=True) is None
    with store.reading(HOME) as view:
        assert stored(view).run_count == 0


@requirement("SKILL-01", "STORE-03")
def test_what_a_failed_transaction_did_to_skills_is_taken_back(store: Store) -> None:
    with store.transaction(HOME) as unit:
        unit.put([Entry(skill(), document("word"))])
        unit.add_versions([skill_version(1)])
    with suppress(_Halt), store.transaction(HOME) as unit:
        unit.count_run("release", 1, MOMENT, ok=False)
        unit.remove_versions(SKILLS, "release")
        unit.add_versions([skill_version(5)])
        raise _Halt
    with store.reading(HOME) as view:
        assert stored(view) == skill()
        assert list(view.versions(SKILLS, "release")) == [skill_version(1)]


@requirement("SKILL-01")
def test_a_version_that_was_read_is_apart_from_what_is_stored(store: Store) -> None:
    with store.transaction(HOME) as unit:
        unit.add_versions([skill_version(1, definition={"steps": [1]})])
    with store.reading(HOME) as view:
        steps = version_of(view).definition["steps"]
    assert isinstance(steps, list)
    steps.append(2)
    with store.reading(HOME) as view:
        assert version_of(view).definition == {"steps": [1]}
