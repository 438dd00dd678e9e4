"""Learnings can be listed, counted, cleaned up and deleted, in Python and on the
command line.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from hexad.cli import main
from hexad.errors import InvalidInput, UnknownChoice
from hexad.learning.housekeeping import FAINT, strength
from hexad.model import Origin
from hexad.store import Entry
from hexad_testing.nouns import MOMENT, learning
from tests.support import opened, requirement

if TYPE_CHECKING:
    from pathlib import Path

    from hexad import Hexad
    from tests.support import FixedClock


@pytest.fixture
def stocked(hx: Hexad, clock: FixedClock) -> Hexad:
    for session in "ab":
        hx.observe(
            tool="book", error=TimeoutError("no answer from 10.0.0.1"), session=session
        )
    clock.advance(days=10)
    hx.learnings.correct(
        trigger="tool:deploy", error_pattern="quota exceeded", fix="ask ops"
    )
    hx.learnings.save(
        trigger="tool:deploy",
        error_pattern="no such branch",
        fix="fetch first",
        category="tool_error",
    )
    return hx


def patterns(hx: Hexad, **wanted: Any) -> list[str]:
    return [each.error_pattern for each in hx.learnings.list(**wanted)]


@requirement("LEARN-09")
def test_learnings_are_filtered_by_category_tool_trust_and_age(
    stocked: Hexad, clock: FixedClock
) -> None:
    timeout, quota, branch = (
        "TimeoutError: no answer from <ip>",
        "quota exceeded",
        "no such branch",
    )
    assert patterns(stocked) == [timeout, quota, branch]
    assert patterns(stocked, category="timeout") == [timeout]
    assert (
        patterns(stocked, trigger="deploy")
        == patterns(stocked, trigger="tool:deploy")
        == [quota, branch]
    )
    assert patterns(stocked, trust_above=0.7) == [quota]
    assert patterns(stocked, trust_below=0.7) == [timeout, branch]
    assert patterns(stocked, seen_before=clock() - timedelta(days=1)) == [timeout]
    assert patterns(stocked, seen_after=clock() - timedelta(days=1)) == [quota, branch]


@requirement("LEARN-09")
@pytest.mark.parametrize(
    "wanted",
    [
        {"category": "nonsense"},
        {"trust_above": 2},
        {"trust_below": "x"},
        {"seen_after": "today"},
        {"trigger": ""},
    ],
)
def test_a_filter_that_means_nothing_is_refused(
    hx: Hexad, wanted: dict[str, Any]
) -> None:
    with pytest.raises((InvalidInput, UnknownChoice)):
        hx.learnings.list(**wanted)


@requirement("LEARN-09")
def test_learnings_are_counted(stocked: Hexad) -> None:
    found = stocked.learnings.stats()
    assert (found.learnings, found.seen, found.with_fix, found.trusted) == (3, 2, 2, 1)
    assert found.categories == {"timeout": 1, "tool_error": 1, "user_correction": 1}
    assert found.tools == {"deploy": 2, "book": 1}


@requirement("LEARN-09")
def test_what_is_never_confirmed_fades_and_a_dry_run_only_reports(
    stocked: Hexad, clock: FixedClock
) -> None:
    clock.advance(days=85)
    (faded,) = stocked.learnings.list(category="timeout")
    cleaned = stocked.learnings.clean()
    assert (cleaned.dry_run, cleaned.removed) == (True, (faded.id,))
    assert len(stocked.learnings.list()) == 3
    done = stocked.learnings.clean(dry_run=False)
    assert (done.dry_run, done.removed) == (False, (faded.id,))
    assert patterns(stocked) == ["quota exceeded", "no such branch"]
    clock.advance(days=4000)
    assert stocked.learnings.clean(dry_run=False).removed
    assert patterns(stocked) == ["quota exceeded"]
    assert stocked.audit.verify().ok


@requirement("LEARN-09")
def test_what_was_not_seen_for_so_long_can_be_removed_sooner(stocked: Hexad) -> None:
    cleaned = stocked.learnings.clean(unseen_for=timedelta(days=5))
    assert [stocked.learnings.get(each).category for each in cleaned.removed] == [
        "timeout"
    ]
    with pytest.raises(InvalidInput):
        stocked.learnings.clean(unseen_for=timedelta(days=-1))
    with pytest.raises(InvalidInput):
        stocked.learnings.clean(dry_run="no")  # type: ignore[arg-type]


@requirement("LEARN-09")
def test_confirmations_keep_a_learning_alive() -> None:
    later = MOMENT + timedelta(days=100)
    assert strength(learning(), later) < FAINT < strength(learning(worked=1), later)
    assert strength(learning(), MOMENT - timedelta(days=5)) == 1


# the command line


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = tmp_path / "agent.db"
    with opened(path) as hx:
        for session in "st":
            hx.observe(
                tool="book",
                error=TimeoutError("no answer"),
                args={"day": "01/02/2026"},
                session=session,
            )
            hx.observe(
                tool="book", args={"day": "2026-02-01"}, result="ok", session=session
            )
    return str(path)


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["learnings", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@requirement("LEARN-09")
def test_the_command_line_lists_shows_counts_cleans_and_deletes(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (listed,) = ask(capsys, "list", "--db", database)["learnings"]
    assert (listed["fix"], listed["sessions"]) == ("", 2)
    assert (
        listed["evidence"]["examples"][0]["form"]
        == "`day` as YYYY-MM-DD, not as DD/MM/YYYY"
    )
    for wanted in (
        ["--category", "permission"],
        ["--tool", "x"],
        ["--trust-above", "0.7"],
        ["--unseen-for", "1"],
    ):
        assert ask(capsys, "list", "--db", database, *wanted)["learnings"] == []
    assert ask(
        capsys, "list", "--db", database, "--seen-within", "1", "--trust-below", "0.7"
    )["learnings"] == [listed]
    assert ask(capsys, "show", listed["id"], "--db", database)["learning"] == listed
    assert ask(capsys, "stats", "--db", database)["learnings"] == 1
    assert ask(capsys, "clean", "--db", database)["dry_run"] is True
    assert ask(capsys, "clean", "--db", database, "--unseen-for", "0", "--yes")[
        "removed"
    ] == [listed["id"]]
    assert ask(capsys, "list", "--db", database)["learnings"] == []


@requirement("LEARN-09", "LEARN-08")
def test_the_command_line_corrects(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (listed,) = ask(capsys, "list", "--db", database)["learnings"]
    corrected = ask(
        capsys, "correct", "ask twice", "--id", listed["id"], "--db", database
    )["learning"]
    assert (corrected["id"], corrected["fix"], corrected["trust"] > 0.7) == (
        listed["id"],
        "ask twice",
        True,
    )
    other = ask(
        capsys,
        "correct",
        "wait",
        "--tool",
        "mail",
        "--error",
        "quota 7 exceeded",
        "--db",
        database,
    )
    assert other["learning"]["trigger"] == "tool:mail"
    assert (
        ask(capsys, "delete", other["learning"]["id"], "--db", database)["deleted"]
        is True
    )
    assert main(["learnings", "correct", "wait", "--db", database]) == 2
    assert "exactly one of --id or --tool" in capsys.readouterr().err
    assert main(["learnings", "show", "nobody", "--db", database]) == 1


@requirement("LEARN-09")
def test_the_command_line_shows_a_person_too(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (
        ["list"],
        ["stats"],
        ["clean", "--unseen-for", "0"],
        ["clean", "--unseen-for", "0", "--yes"],
        ["list"],
    ):
        assert main(["learnings", *arguments, "--db", database]) == 0
    shown = capsys.readouterr()
    assert "`day` as YYYY-MM-DD" in shown.out
    assert "timeout 1" in shown.out
    assert "1 would be removed" in shown.out
    assert "this was a dry run" in shown.err
    assert "no learnings are stored here" in shown.err
    assert (
        main(
            [
                "learnings",
                "correct",
                "use password=hunter2-hunter2",
                "--tool",
                "x",
                "--db",
                database,
            ]
        )
        == 0
    )
    assert "redacted" in capsys.readouterr().err
    assert main(["learnings"]) == 0


@requirement("LEARN-09", "EVID-01")
def test_showing_a_learning_lists_every_lesson_and_example(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(database) as hx:
        known = hx.learnings.list()[0]
        hx.learnings.save(
            trigger="tool:book", error_pattern=known.error_pattern, fix="try again"
        )
        hx.learnings.correct(learning=known.id, fix="ask twice")
    assert main(["learnings", "show", known.id, "--db", database]) == 0
    rows = dict(line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert rows["lesson"] == "ask twice"
    assert rows["other lessons"] == "try again (from agent)"
    assert "`day` as YYYY-MM-DD, not as DD/MM/YYYY" in rows["examples"]
    assert rows["shown nothing"] == "went on 2, met it again 0"


@requirement("EVID-03")
def test_the_command_line_says_what_was_only_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(tmp_path / "agent.db") as hx:
        hx.observe(tool="book", error="no room", session="s")
    database = str(tmp_path / "agent.db")
    assert main(["learnings", "list", "--db", database]) == 0
    assert "1 failure noticed once: --noticed lists them" in capsys.readouterr().err
    assert main(["learnings", "list", "--noticed", "--db", database]) == 0
    assert "no room" in capsys.readouterr().out


OLD = {
    "told": {
        "kind": "told",
        "says": "fetch first",
        "worked": 2,
        "failed": 1,
        "support": 0,
    },
    "changed": {
        "kind": "arguments",
        "says": "give `day` as YYYY-MM-DD",
        "changes": [],
        "worked": 9,
        "support": 4,
    },
    "corrected": {
        "kind": "correction",
        "says": "ask ops",
        "worked": 1,
        "failed": 0,
        "support": 0,
    },
}


@requirement("STORE-01", "LEARN-08")
def test_of_an_earlier_databases_fixes_stay_those_that_somebody_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(tmp_path / "agent.db") as hx:
        said = hx.observe(tool="t", error="no row 7", session="s")
        mined = hx.observe(tool="t", error="bad day", session="s")
        assert said is not None
        assert mined is not None
        with hx.store.transaction("default") as unit:
            whole = replace(
                said,
                fix="ask ops",
                evidence=OLD,
                origin=Origin.USER,
                sessions=0,
                seen=5,
                trust=0.9,
            )
            bare = replace(
                mined,
                fix="give `day` as YYYY-MM-DD",
                evidence={"x": OLD["changed"]},
                trust=0.8,
            )
            unit.put([Entry(whole, None), Entry(bare, None)])
            unit.set_note("patterns", "anchored")
    with opened(tmp_path / "agent.db") as hx:
        kept = hx.learnings.get(said.id)
        lessons = [
            (each.text, each.origin, each.worked, each.failed)
            for each in kept.known.lessons
        ]
        assert lessons == [("fetch first", "agent", 2, 1), ("ask ops", "user", 1, 0)]
        assert (kept.fix, kept.origin, kept.trusted, kept.sessions) == (
            "ask ops",
            "user",
            True,
            2,
        )
        assert (hx.learnings.get(mined.id).fix, hx.learnings.get(mined.id).trust) == (
            "",
            0.0,
        )
        assert (
            "1 fix in 'default' that rules had inferred from calls went" in caplog.text
        )
        assert hx.learnings.fix_for("t", "no row 9") == "ask ops"


@requirement("STORE-01", "LEARN-04")
def test_learnings_of_an_older_database_are_matched_with_errors_too(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "agent.db") as hx:
        saved = hx.learnings.save(
            trigger="tool:t", error_pattern="no row 7", fix="add it", origin="user"
        )
        with hx.store.transaction("default") as unit:
            old = replace(saved, template="", length=0, trust=0.0, evidence={})
            unit.put([Entry(old, None)])
            unit.set_note("patterns", "")
    with opened(tmp_path / "agent.db") as hx:
        assert hx.learnings.get(saved.id) == saved
        seen = hx.observe(tool="t", error="no row 9")
        assert seen is not None
        assert (seen.id, seen.seen) == (saved.id, 1)
        assert hx.learnings.fix_for("t", "no row 1") == "add it"
