"""Of entries about one thing the newer is shown, and `as_of` answers what was known
then.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexad.cli import main
from hexad.errors import InvalidInput
from hexad.memory.index.indexing import put
from hexad.text.changes import rest
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hexad import Hexad

START = datetime(2026, 11, 1, 9, tzinfo=UTC)


class Clock:
    """A clock that stands until somebody moves it."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def later(self, days: int = 1) -> None:
        self.now += timedelta(days=days)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def hx(clock: Clock) -> Iterator[Hexad]:
    with opened(":memory:", standing_budget=400, clock=clock) as engine:
        yield engine


@requirement("TOLD-03")
def test_of_two_values_under_different_keys_the_newer_is_found_first() -> None:
    with opened(":memory:", semantic=False) as hx:
        hx.knowledge.save("one", "The office printer stands in room 12")
        hx.knowledge.save("two", "The office printer stands in room 31")
        assert [
            item.key for item in hx.retrieve("where is the office printer?").all()
        ] == ["two", "one"]
        assert (
            hx.retrieve("does the office printer stand in room 12?").all()[0].key
            == "one"
        )


@requirement("TOLD-03")
def test_what_somebody_else_said_later_is_not_before_the_users_word() -> None:
    with opened(":memory:", semantic=False) as hx:
        hx.knowledge.save("one", "The office printer stands in room 12")
        hx.knowledge.save("two", "The office printer stands in room 31", origin="agent")
        assert hx.retrieve("where is the office printer?").all()[0].key == "one"


@requirement("TOLD-03")
def test_what_a_later_entry_says_has_changed_stands_no_longer(
    hx: Hexad, clock: Clock
) -> None:
    hx.knowledge.save("home", "I live in Hamburg, near the harbour")
    clock.later()
    assert "Hamburg" in hx.prompt("", "hello").block
    hx.knowledge.save("move", "I live in Bremen now, not near the harbour any more")
    block = hx.prompt("", "hello").block
    assert "Bremen" in block
    assert "Hamburg" not in block
    assert [version.content for version in hx.knowledge.history("home")] == [
        "I live in Hamburg, near the harbour"
    ]


@requirement("TOLD-03")
def test_a_rule_that_a_program_saved_holds_whatever_comes_later(
    hx: Hexad, clock: Clock
) -> None:
    hx.knowledge.save("deploy", "Never deploy on Fridays", category="rule")
    clock.later()
    hx.knowledge.save("blog", "We now deploy the blog on Fridays")
    assert "Never deploy on Fridays" in hx.prompt("", "hello").block


@requirement("TOLD-02")
@pytest.mark.parametrize(
    ("earlier", "later", "left"),
    [
        ("Plumber: Piotr at Blue Tap. Avoid Hargreaves.", "Plumber at Blue Tap is now Kamil", "Avoid Hargreaves."),
        ("Water from April to October; two rain barrels", "Water now from May to October", "two rain barrels"),
        ("Dr Okonjo and Dr Feldmann work here. Dr Parry is off on Wednesdays", "Dr Parry is now off on Fridays",
         "Dr Okonjo and Dr Feldmann work here."),
        ("Die Sprechzeit ist dienstags", "Die Sprechzeit ist jetzt donnerstags", ""),
        ("I live in Berlin", "We moved to Kubernetes", "I live in Berlin"),
        ("I live in Cork. I work at Acme.", "I moved to Galway", "I work at Acme."),
        ("Dr. Parry is my dentist", "Dr. Parry is off on Fridays now", "Dr. Parry is my dentist"),
        ("The shop runs on Postgres 14", "The shop is backed up nightly now", "The shop runs on Postgres 14"),
        ("My daughter plays the piano", "My daughter plays tennis", "My daughter plays the piano"),
        ("I live in Hamburg", "I moved to Bremen", ""),
        ("User lives in Hamburg, and loves tea", "User moved to Bremen last week", "and loves tea"),
        ("My sister lives in Hamburg", "I moved to Bremen", "My sister lives in Hamburg"),
        ("Ich wohne in Hamburg", "Ich bin nach Bremen gezogen", ""),
        ("User has a cat", "User now has two dogs", "User has a cat"),
    ],
)  # fmt: skip
def test_what_a_change_does_not_speak_of_still_holds(
    earlier: str, later: str, left: str
) -> None:
    assert rest(earlier, [later]) == left


@requirement("TOLD-02")
@given(st.text(max_size=200), st.lists(st.text(max_size=100), max_size=4))
def test_what_is_left_was_in_the_text(text: str, later: list[str]) -> None:
    assert set(rest(text, later).split()) <= set(text.split())


@requirement("TOLD-03")
def test_an_earlier_time_is_answered_from_the_versions_of_then(
    hx: Hexad, clock: Clock
) -> None:
    hx.knowledge.save("dentist", "My dentist is Dr Winter")
    hx.knowledge.save("gym", "My gym is Iron Works")
    clock.later(10)
    hx.knowledge.save("dentist", "My dentist is Dr Sommer")
    hx.knowledge.delete("gym")
    hx.knowledge.save("vet", "My vet is Dr Lenz")

    def known(days: int) -> list[str]:
        found = hx.retrieve(
            "my dentist, my gym and my vet", as_of=START + timedelta(days=days)
        )
        return sorted(item.content for item in found.all())

    assert known(-1) == []
    assert known(5) == ["My dentist is Dr Winter", "My gym is Iron Works"]
    assert known(10) == ["My dentist is Dr Sommer", "My vet is Dr Lenz"]


@requirement("TOLD-03")
def test_an_earlier_time_needs_a_zone_and_hexads_own_retriever(hx: Hexad) -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        hx.retrieve("x", as_of=datetime(2026, 1, 1))  # noqa: DTZ001


@requirement("TOLD-03")
def test_the_command_line_answers_as_of_a_day(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database, clock = tmp_path / "a.db", Clock()
    with opened(database, clock=clock) as hx:
        hx.knowledge.save("dentist", "My dentist is Dr Winter")
        clock.later(10)
        hx.knowledge.save("dentist", "My dentist is Dr Sommer")
    for day, dentist in (
        ("2026-11-01", "Winter"),
        ("2026-11-11", "Sommer"),
        ("2026-11-11T08:59:00", "Winter"),
    ):
        assert (
            main(
                ["recall", "who is my dentist?", "--as-of", day, "--db", str(database)]
            )
            == 0
        )
        assert dentist in capsys.readouterr().out
    assert main(["recall", "x", "--as-of", "yesterday", "--db", str(database)]) == 2
    assert "such as 2026-11-03" in capsys.readouterr().err


@requirement("TOLD-04")
def test_the_next_prompt_sees_every_change_of_what_stands(
    hx: Hexad, clock: Clock
) -> None:
    def block() -> str:
        return hx.prompt("", "hello").block

    hx.knowledge.save("units", "Answer in metric units", category="rule")
    hx.knowledge.save(
        "guest", "Guests stay until Friday", expires=START + timedelta(days=3)
    )
    assert block() == block()
    assert "Guests" in block()
    clock.later(4)
    assert "Guests" not in block()
    clock.later(-4)
    assert "Guests" in block()
    hx.knowledge.save("units", "Answer in feet", category="rule")
    assert "feet" in block()
    assert "metric" not in block()
    with contextlib.suppress(RuntimeError), hx.store.transaction(hx.namespace) as unit:
        put(unit, [replace(hx.knowledge.get("units"), content="Answer in cubits")])
        raise RuntimeError
    assert "feet" in block()
    hx.knowledge.forget("units")
    assert "feet" not in block()


@requirement("TOLD-04")
def test_another_process_and_another_namespace_are_seen_too(tmp_path: Path) -> None:
    with (
        opened(tmp_path / "a.db", standing_budget=400) as one,
        opened(tmp_path / "a.db", standing_budget=400) as other,
    ):
        one.knowledge.save("units", "Answer in metric units", category="rule")
        assert "metric" in other.prompt("", "hello").block
        other.knowledge.save("units", "Answer in feet", category="rule")
        assert "feet" in one.prompt("", "hello").block
        assert one.scoped(namespace="elsewhere").prompt("", "hello").block == ""
