"""Learning where it is hard: many errors of one tool, arguments of all kinds, promises,
a busy store, forgetting.
"""

from __future__ import annotations

import asyncio
import enum
import sqlite3
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from hexad.learning.lookup import COMPARED
from hexad.learning.recorder import CALLS_STORED
from tests.support import opened, requirement

if TYPE_CHECKING:
    from pathlib import Path

    from hexad import Hexad

WORDS = ("apple", "bread", "cloud", "dough", "eagle", "flame", "grape", "horse")


def flood(hx: Hexad) -> None:
    """More patterns of seven words than a new error is compared with, no two of them
    alike in five places.
    """
    for number, words in enumerate(permutations(WORDS, 7)):
        if number % 29 == 0 and number < 29 * (COMPARED + 10):
            hx.observe(tool="t", error=" ".join(words))


@requirement("LEARN-04")
def test_a_known_error_makes_no_second_learning_however_many_others_came_since(
    hx: Hexad,
) -> None:
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
def test_what_is_said_of_an_error_goes_to_the_learning_that_it_belongs_to(
    hx: Hexad,
) -> None:
    for name in ("ann", "bob", "cid", "dan", "eve", "fay"):
        known = hx.observe(tool="t", error=f"the door of {name} is not locked")
    assert known is not None
    corrected = hx.learnings.correct(
        trigger="tool:t", error_pattern="the door of hal is not locked", fix="lock it"
    )
    assert corrected.id == known.id
    assert len(hx.learnings.list(noticed=True)) == 1
    assert hx.learnings.fix_for("t", "the door of ivy is not locked") == "lock it"


@requirement("LEARN-08", "EVID-01")
@pytest.mark.parametrize(
    "pattern",
    ["litres must be a whole number", "", "TypeError: litres must be a whole number"],
)
def test_a_users_word_comes_before_an_example(hx: Hexad, pattern: str) -> None:
    error = TypeError("litres must be a whole number")
    for number in range(4):
        hx.observe(tool="water", args={"n": "x"}, error=error, session=f"s{number}")
        hx.observe(tool="water", args={"n": number}, result="ok", session=f"s{number}")
    shown = hx.learnings.known_fix("water", error)
    assert shown is not None
    assert "`n` as a whole number, not as text" in shown
    hx.learnings.correct(
        trigger="tool:water", error_pattern=pattern, fix="ask the gardener"
    )
    assert hx.learnings.fix_for("water", error) == "ask the gardener"
    assert hx.learnings.fix_for("water", str(error)) == "ask the gardener"


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
    "value",
    [
        date(2024, 1, 1),
        Decimal("1.5"),
        Unit.METRIC,
        Order(1),
        Plain(1),
        b"abc",
        {"a", "b"},
        [*range(200), 1],
    ],
    ids=lambda value: type(value).__name__,
)
def test_arguments_of_any_kind_are_kept_bounded(hx: Hexad, value: object) -> None:
    known = hx.observe(tool="t", args={"x": value}, error="no", session="a")
    hx.observe(tool="t", args={"x": value, "y": 1}, result="ok", session="a")
    assert known is not None
    kept = hx.learnings.get(known.id)
    assert [each.form for each in kept.known.examples] == ["with `y` (a whole number)"]
    assert len(str(kept.evidence)) < 1000


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
            await asyncio.sleep(
                0
            )  # the tool is done, and another thread waits for the lock
            await release()
            return await call

        assert asyncio.run(scenario()) == "done"
        other.close()
        assert [
            record.target
            for record in hx.audit.records()
            if record.action == "tool.call"
        ] == ["tool"]


@requirement("LEARN-06")
def test_the_calls_of_a_session_are_kept_for_a_while_and_no_longer(hx: Hexad) -> None:
    for number in range(2 * CALLS_STORED):
        hx.observe(tool="t", args={"n": number}, error="no", session="long")
    with hx.store.reading(hx.namespace) as view:
        left = view.activity("long", "t", calls=1000).calls
    assert CALLS_STORED <= len(left) < CALLS_STORED + 16


@requirement("LEARN-02")
def test_the_message_of_a_key_error_distinguishes_errors(hx: Hexad) -> None:
    for said in ("no bed named 'x'", "pump is off", "no bed named 'y'"):
        hx.observe(tool="water", error=KeyError(said))
    assert [
        (each.error_pattern, each.seen) for each in hx.learnings.list(noticed=True)
    ] == [
        ("KeyError: no bed named <value>", 2),
        ("KeyError: pump is off", 1),
    ]
