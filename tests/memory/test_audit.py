"""The audit log has every change, holds no content, and shows when somebody touched it."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from hexad.errors import NotFound
from tests.support import FixedClock, opened, requirement

if TYPE_CHECKING:
    from pathlib import Path

    from hexad import Hexad


def busy(hx: Hexad) -> None:
    hx.knowledge.save("a", "one", session="slack:1", origin="agent")
    hx.knowledge.save("a", "two")
    hx.knowledge.save("a", "two", tags=("t",))
    hx.knowledge.delete("a")
    hx.knowledge.undelete("a")
    hx.references.save("r", location="https://x")
    learned = hx.learnings.save(trigger="tool:x", fix="y")
    hx.skills.create("s", kind="instruction", description="d", definition={"text": "t"})
    hx.skills.activate("s")
    hx.learnings.delete(learned.id)
    hx.knowledge.forget("a")


@requirement("AUDIT-01")
def test_every_change_is_recorded_with_session_action_actor_target_and_time(
    hx: Hexad, clock: FixedClock
) -> None:
    busy(hx)
    records = hx.audit.records()
    assert [record.action for record in records] == [
        "knowledge.save",
        "knowledge.save",
        "knowledge.update",
        "knowledge.delete",
        "knowledge.undelete",
        "reference.save",
        "learning.save",
        "skill.save",
        "skill.active",
        "learning.delete",
        "knowledge.forget",
    ]
    first = records[0]
    assert (first.session, first.actor, first.target, first.at) == (
        "slack:1",
        "agent",
        "a",
        clock(),
    )
    assert first.details == {
        "version": 1,
        "category": "fact",
        "bytes": 3,
        "redacted": [],
    }


@requirement("AUDIT-01")
def test_the_newest_records_come_first_and_older_ones_before_a_number(
    hx: Hexad,
) -> None:
    assert hx.audit.latest(3) == ()
    busy(hx)
    newest = hx.audit.records()[::-1]
    assert hx.audit.latest(3) == newest[:3]
    assert hx.audit.latest(3, before=newest[2].sequence) == newest[3:6]
    assert hx.audit.latest(3, before=10_000) == newest[:3]
    assert hx.audit.latest(3, before=1) == ()


@requirement("AUDIT-01")
def test_reading_and_failing_are_not_changes(hx: Hexad) -> None:
    hx.knowledge.save("a", "one")
    hx.retrieve("one")
    hx.knowledge.get("a")
    with pytest.raises(NotFound):
        hx.knowledge.delete("b")
    assert len(hx.audit.records()) == 1


@requirement("AUDIT-01")
@pytest.mark.parametrize(
    "statement", ["UPDATE hexad_audit SET actor = 'x'", "DELETE FROM hexad_audit"]
)
def test_the_database_itself_refuses_to_change_the_log(
    tmp_path: Path, statement: str
) -> None:
    with opened(tmp_path / "a.db") as hx:
        busy(hx)
    connection = sqlite3.connect(tmp_path / "a.db")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()


@requirement("AUDIT-02")
def test_an_untouched_chain_verifies_and_has_a_head(hx: Hexad) -> None:
    busy(hx)
    verdict = hx.audit.verify()
    assert verdict.ok
    assert verdict.records == 11
    assert verdict.head == hx.audit.records()[-1].hash
    assert hx.audit.verify(expect=hx.audit.records()[4].hash).ok


@requirement("AUDIT-02")
def test_each_namespace_has_a_chain_of_its_own(hx: Hexad) -> None:
    other = hx.scoped(namespace="acme")
    hx.knowledge.save("a", "one")
    other.knowledge.save("a", "one")
    assert hx.audit.verify().records == other.audit.verify().records == 1
    assert hx.audit.verify().head != other.audit.verify().head


def tampered(path: Path, *statements: str) -> None:
    """Change the log behind Hexad's back, triggers and all."""
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER hexad_audit_is_not_changed")
    connection.execute("DROP TRIGGER hexad_audit_is_not_cut")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@requirement("AUDIT-02")
@pytest.mark.parametrize(
    ("statements", "place", "problem"),
    [
        (
            ["UPDATE hexad_audit SET actor = 'somebody' WHERE sequence = 4"],
            4,
            "altered",
        ),
        (["UPDATE hexad_audit SET details = '{}' WHERE sequence = 1"], 1, "altered"),
        (["UPDATE hexad_audit SET at = at + 1 WHERE sequence = 11"], 11, "altered"),
        (["DELETE FROM hexad_audit WHERE sequence = 5"], 6, "record 5 is missing"),
        (["DELETE FROM hexad_audit WHERE sequence = 1"], 2, "record 1 is missing"),
        (
            [
                "UPDATE hexad_audit SET sequence = 100 WHERE sequence = 3",
                "UPDATE hexad_audit SET sequence = 3 WHERE sequence = 4",
                "UPDATE hexad_audit SET sequence = 4 WHERE sequence = 100",
            ],
            3,
            "does not follow",
        ),
    ],
    ids=["actor", "details", "time", "inner", "first", "swapped"],
)
def test_verifying_finds_the_first_record_that_was_touched(
    tmp_path: Path, statements: list[str], place: int, problem: str
) -> None:
    with opened(tmp_path / "a.db") as hx:
        busy(hx)
    tampered(tmp_path / "a.db", *statements)
    with opened(tmp_path / "a.db") as hx:
        verdict = hx.audit.verify()
    assert (verdict.ok, verdict.broken_at) == (False, place)
    assert problem in verdict.problem


@requirement("AUDIT-02")
def test_a_cut_tail_is_found_by_the_head_one_remembers(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as hx:
        busy(hx)
        head = hx.audit.verify().head
    tampered(tmp_path / "a.db", "DELETE FROM hexad_audit WHERE sequence > 8")
    with opened(tmp_path / "a.db") as hx:
        assert hx.audit.verify().ok
        verdict = hx.audit.verify(expect=head)
    assert (verdict.ok, verdict.broken_at) == (False, 9)
    assert "tail was cut" in verdict.problem


@requirement("AUDIT-02")
@pytest.mark.parametrize("expect", ["", "not a hash", "é"])
def test_a_head_that_never_was_is_a_cut_tail_not_a_crash(
    hx: Hexad, expect: Any
) -> None:
    hx.knowledge.save("a", "one")
    assert not hx.audit.verify(expect=expect).ok
