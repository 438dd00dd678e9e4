"""Learning where it is hard: many errors of one tool, arguments of all kinds, promises, a busy store, forgetting."""

from __future__ import annotations

import asyncio
import enum
import sqlite3
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from hexad.learning.errors import tree
from hexad.learning.errors.tree import COMPARED
from hexad.learning.recorder import CALLS_STORED
from tests.support import opened, requirement

if TYPE_CHECKING:
    from pathlib import Path

    from hexad import Hexad

WORDS = ("apple", "bread", "cloud", "dough", "eagle", "flame", "grape", "horse")


def flood(hx: Hexad) -> None:
    """More patterns of seven words than a new error is compared with, no two of them alike in five places."""
    for number, words in enumerate(permutations(WORDS, 7)):
        if number % 29 == 0 and number < 29 * (COMPARED + 10):
            hx.observe(tool="t", error=" ".join(words))


@requirement("LEARN-04")
def test_a_known_error_makes_no_second_learning_however_many_others_came_since(hx: Hexad) -> None:
    values = hx.observe(tool="t", error="could not read row 17 of table")
    for name in ("ann", "bob", "cid", "dan", "eve", "fay", "gus"):
        opened_ = hx.observe(tool="t", error=f"the door of {name} is not locked")
    assert values is not None
    assert opened_ is not None
    assert opened_.template == "the door of <*> is not locked"
    flood(hx)
    again = hx.observe(tool="t", error="could not read row blk_17x of table")
    wild = hx.observe(tool="t", error="the door of hal is not locked")
    assert again is not None
    assert wild is not None
    assert (again.id, again.seen) == (values.id, 2)
    assert (wild.id, wild.seen) == (opened_.id, 8)


@requirement("LEARN-04", "LEARN-08")
def test_what_is_said_of_an_error_goes_to_the_learning_that_it_belongs_to(hx: Hexad) -> None:
    for name in ("ann", "bob", "cid", "dan", "eve", "fay"):
        known = hx.observe(tool="t", error=f"the door of {name} is not locked")
    assert known is not None
    corrected = hx.learnings.correct(trigger="tool:t", error_pattern="the door of hal is not locked", fix="lock it")
    assert corrected.id == known.id
    assert len(hx.learnings.list()) == 1
    assert hx.learnings.fix_for("t", "the door of ivy is not locked") == "lock it"


@requirement("LEARN-09")
def test_messages_with_the_same_words_in_another_order_are_not_merged(hx: Hexad) -> None:
    hx.learnings.save(trigger="tool:t", error_pattern="cannot convert celsius to kelvin here")
    hx.learnings.save(trigger="tool:t", error_pattern="cannot convert kelvin to celsius here")
    assert hx.learnings.clean(dry_run=False).merged == {}


class Unit(enum.Enum):
    METRIC = 1
    IMPERIAL = 2


@dataclass
class Order:
    lines: int


class Plain:
    def __init__(self, size: int) -> None:
        self.size = size


@requirement("LEARN-06")
@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (date(2024, 1, 1), date(2025, 1, 1)),
        (Decimal("1.5"), Decimal("2.5")),
        (Unit.METRIC, Unit.IMPERIAL),
        (Order(1), Order(2)),
        (Plain(1), Plain(2)),
        (b"abc", b"abd"),
        ({"a", "b"}, {"a", "c"}),
        ([*range(200), 1], [*range(200), 2]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_call_with_a_changed_value_of_any_kind_is_no_retry(hx: Hexad, wrong: object, right: object) -> None:
    known = hx.observe(tool="t", args={"x": wrong}, error="no", session="a")
    hx.observe(tool="t", args={"x": right}, result="ok", session="a")
    assert known is not None
    assert hx.learnings.get(known.id).fixes == {}


@requirement("LEARN-06")
@pytest.mark.parametrize("make", [lambda: Order(1), lambda: Plain(1), lambda: Unit.METRIC, object, lambda: {"b", "a"}])
def test_equal_values_of_any_kind_are_no_change(hx: Hexad, make: Any) -> None:
    known = hx.observe(tool="t", args={"x": make()}, error="temporarily unavailable", session="a")
    hx.observe(tool="t", args={"x": make()}, result="ok", session="a")
    assert known is not None
    assert [each["kind"] for each in hx.learnings.get(known.id).fixes.values()] == ["retry"]


@requirement("LEARN-10")
def test_a_busy_store_does_not_hold_up_the_event_loop(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as hx:
        other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")

        async def tool() -> str:
            return "done"

        async def release() -> None:
            other.execute("ROLLBACK")

        async def scenario() -> str:
            call = asyncio.create_task(hx.watch(tool)())
            await asyncio.sleep(0)  # the tool is done, and another thread waits for the lock
            await release()
            return await call

        assert asyncio.run(scenario()) == "done"
        other.close()
        assert [record.target for record in hx.audit.records() if record.action == "tool.call"] == ["tool"]


@requirement("LEARN-06", "KNOW-08")
def test_forgetting_a_session_takes_the_fix_that_only_it_found_from_others_learnings(hx: Hexad) -> None:
    known = hx.observe(tool="t", args={"unit": "x"}, error="bad unit", session="first")
    assert known is not None
    for session, unit in (("second", ["parsecs"]), ("third", 5)):
        hx.observe(tool="t", args={"unit": "x"}, error="bad unit", session=session)
        hx.observe(tool="t", args={"unit": unit}, result="ok", session=session)
    assert len(hx.learnings.get(known.id).fixes) == 2
    hx.forget(session="second")
    left = hx.learnings.get(known.id)
    assert [change["to"] for change in left.fix_data["changes"]] == ["whole number"]
    assert "parsecs" not in str(left)
    hx.forget(session="third")
    bare = hx.learnings.get(known.id)
    assert (bare.fix, bare.fixes, bare.support, bare.seen) == ("", {}, 0, 3)


@requirement("LEARN-07", "KNOW-08")
def test_a_fix_that_several_sessions_found_stays_when_one_is_forgotten(hx: Hexad) -> None:
    known = hx.observe(tool="t", args={"unit": "x"}, error="bad unit", session="first")
    assert known is not None
    for session in ("second", "third"):
        hx.observe(tool="t", args={}, error="bad unit", session=session)
        hx.observe(tool="t", args={"unit": "metric"}, result="ok", session=session)
    hx.forget(session="second")
    left = hx.learnings.get(known.id)
    assert left.fix.startswith("add `unit` (text)")
    assert left.fix_data["sessions"] == ["third"]


@requirement("LEARN-09")
def test_a_tool_that_fails_in_ever_new_words_does_not_fill_the_store(hx: Hexad, monkeypatch: Any) -> None:
    monkeypatch.setattr(tree, "MOST_OF_A_TOOL", 5)
    kept = hx.learnings.save(trigger="tool:t", error_pattern="something else entirely", fix="mend it")
    for words in permutations(WORDS[:4]):
        hx.observe(tool="t", error=" ".join(words))
    assert len(hx.learnings.list(trigger="t")) == 5
    assert hx.learnings.get(kept.id)
    assert hx.audit.verify().ok


@requirement("LEARN-06")
def test_the_calls_of_a_session_are_kept_for_a_while_and_no_longer(hx: Hexad) -> None:
    for number in range(2 * CALLS_STORED):
        hx.observe(tool="t", args={"n": number}, error="no", session="long")
    with hx.store.reading(hx.namespace) as view:
        left = view.activity("long", "t", calls=1000).calls
    assert CALLS_STORED <= len(left) < CALLS_STORED + 16


@requirement("LEARN-07")
def test_a_prerequisite_that_was_offered_and_followed_is_credited(hx: Hexad) -> None:
    for session in ("a", "b"):
        hx.observe(tool="send", args={}, error="not ready", session=session)
        hx.observe(tool="login", args={}, result="ok", session=session)
        known = hx.observe(tool="send", args={}, result="ok", session=session)
    (known,) = hx.learnings.list(trigger="send")
    assert (known.fix, known.worked) == ("call `login` first", 0)
    hx.prompt("", "send: not ready", session="c")
    hx.observe(tool="send", args={}, result="ok", session="c")
    assert hx.learnings.get(known.id).worked == 0
    hx.observe(tool="login", args={}, result="ok", session="c")
    hx.observe(tool="send", args={}, result="ok", session="c")
    assert hx.learnings.get(known.id).worked == 1


@requirement("LEARN-08")
@pytest.mark.parametrize("pattern", ["litres must be a whole number", "", "TypeError: litres must be a whole number"])
def test_a_users_word_comes_before_what_was_mined(hx: Hexad, pattern: str) -> None:
    for number in range(4):
        hx.observe(
            tool="water", args={"n": "x"}, error=TypeError("litres must be a whole number"), session=f"s{number}"
        )
        hx.observe(tool="water", args={"n": number}, result="ok", session=f"s{number}")
    error = TypeError("litres must be a whole number")
    mined = hx.learnings.fix_for("water", error)
    assert mined is not None
    assert mined.startswith("give `n` as a whole number, not as text")
    hx.learnings.correct(trigger="tool:water", error_pattern=pattern, fix="ask the gardener")
    assert hx.learnings.fix_for("water", error) == "ask the gardener"
    assert hx.learnings.fix_for("water", str(error)) == "ask the gardener"


@requirement("LEARN-06")
def test_a_number_that_was_the_same_by_chance_is_not_the_fix(hx: Hexad) -> None:
    for session in ("a", "b", "c", "d"):
        hx.observe(tool="water", args={"litres": "5 l"}, error="not a number", session=session)
        hx.observe(tool="water", args={"litres": 5}, result="ok", session=session)
    (known,) = hx.learnings.list()
    assert known.fix.partition("; the error")[0] == "give `litres` as a whole number, not as text"
    assert known.trusted


@requirement("LEARN-02")
def test_the_message_of_a_key_error_distinguishes_errors(hx: Hexad) -> None:
    for said in ("no bed named 'x'", "pump is off", "no bed named 'y'"):
        hx.observe(tool="water", error=KeyError(said))
    assert [(each.error_pattern, each.seen) for each in hx.learnings.list()] == [
        ("KeyError: no bed named <value>", 2),
        ("KeyError: pump is off", 1),
    ]
