"""Measuring learning on anyone's data, and the agent that is simulated for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks import simulated_agent
from hexad.cli import main
from hexad.cli.setup.evaluating import measure_kinds
from hexad_evals.grouping import accuracy
from tests.support import requirement

if TYPE_CHECKING:
    from pathlib import Path

LINES = [
    *({"text": f"no row {n} in table x{n}", "template": "rows"} for n in range(5)),
    {"text": "disk is full", "template": "disk"},
    {"text": "alpha beta", "template": "one"},
    {"text": "gamma delta", "template": "one"},
]
FAILURES = [
    {
        "tool": "book",
        "args": '{"day": "1/2/2026"}',
        "error": "bad day",
        "fixed_same_tool": {"args": {"day": "2026-02-01"}},
    },
    {
        "tool": "book",
        "args": {"day": "x"},
        "error": "bad room",
        "fixed_same_tool": None,
    },
    {
        "tool": "mail",
        "args": None,
        "error": "missing address",
        "fixed_same_tool": {"args": '{"to": "ann"}'},
    },
    {"tool": "mail", "args": '{"cut short', "error": "no server"},
]


def write(folder: Path, kind: str, lines: list[Any]) -> None:
    (folder / kind).mkdir(parents=True, exist_ok=True)
    text = "\n".join(
        line if isinstance(line, str) else json.dumps(line) for line in lines
    )
    (folder / kind / "small.jsonl").write_text(text, encoding="utf-8")


def quiet(what: str, done: int, total: int) -> None:
    assert 0 < done <= total, what


@requirement("EVAL-01", "LEARN-02", "LEARN-06")
def test_a_folder_of_these_kinds_alone_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "error_grouping", LINES)
    write(tmp_path, "tool_failures", FAILURES)
    assert main(["eval", str(tmp_path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (
        printed["error_grouping"]["mean"]
        == printed["error_grouping"]["systems"]["small"]
        == 0.75
    )
    counts = {"failures": 4, "with_fix": 2, "remedy_found": 2, "retrieved_in_3": 2}
    assert printed["tool_failures"] == counts
    assert "recall_at_5" not in printed
    assert main(["eval", str(tmp_path)]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert ["error_grouping/small", "0.750"] in [row[:2] for row in rows]
    assert ["tool_failures: remedy_found", "2", "1.000"] in rows


@requirement("EVAL-01")
def test_they_are_measured_beside_retrieval_sets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "tool_registry" / "small"
    home.mkdir(parents=True)
    (home / "corpus.jsonl").write_text(
        '{"id": "a", "text": "send a mail"}', encoding="utf-8"
    )
    (home / "queries.jsonl").write_text(
        '{"id": "q", "text": "mail", "relevant": ["a"]}', encoding="utf-8"
    )
    write(tmp_path, "error_grouping", LINES)
    assert main(["eval", str(tmp_path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert {"recall_at_5", "sets", "error_grouping"} <= set(printed)
    assert "tool_failures" not in printed


@requirement("EVAL-01")
@pytest.mark.parametrize(
    ("kind", "line", "said"),
    [
        ("error_grouping", "nonsense", "small.jsonl, line 2: is not JSON"),
        ("error_grouping", {"text": "x"}, "small.jsonl, line 2: template must be text"),
        (
            "error_grouping",
            {"template": "x", "text": 7},
            "small.jsonl, line 2: text must be text",
        ),
        ("tool_failures", [1], "small.jsonl, line 2: must be an object"),
        (
            "tool_failures",
            {"tool": "t", "args": {}},
            "small.jsonl, line 2: error must be text",
        ),
        (
            "tool_failures",
            {"tool": "t", "args": [1], "error": "x"},
            "small.jsonl, line 2: args must be",
        ),
        (
            "tool_failures",
            {"tool": "t", "args": {}, "error": "x", "fixed_same_tool": 7},
            "line 2: fixed_same_tool must be",
        ),
    ],
)
def test_a_malformed_line_is_reported_with_its_place_and_left_out(
    kind: str,
    line: Any,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    write(tmp_path, kind, [LINES[0] if kind == "error_grouping" else FAILURES[0], line])
    assert main(["eval", str(tmp_path)]) == 0
    assert said in caplog.text
    assert capsys.readouterr().out


@requirement("EVAL-01")
def test_an_empty_file_is_an_error_and_an_empty_folder_holds_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not measure_kinds(tmp_path, quiet)
    write(tmp_path, "error_grouping", [])
    assert main(["eval", str(tmp_path)]) == 1
    assert "has no lines" in capsys.readouterr().err


@requirement("EVAL-01")
def test_only_whole_groups_count() -> None:
    assert accuracy([1, 2, 2], ["a", "a", "b"]) == 0
    assert accuracy([1, 1, 2], ["a", "a", "b"]) == 1


@requirement("LEARN-05", "LEARN-06", "LEARN-07")
def test_an_agent_that_reads_known_solutions_fails_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulated_agent, "TASKS", 100)
    picture = tmp_path / "plot.svg"
    in_words, by_name = simulated_agent.measure(tmp_path, [7], picture)
    assert in_words.value <= 0.4
    assert by_name.value <= 0.4
    assert picture.read_text(encoding="utf-8").count("<polyline") == 2


@requirement("EVID-01")
@pytest.mark.parametrize(
    ("shown", "before", "after"),
    [
        (
            't(day="2026-02-01", …) (`day` as YYYY-MM-DD, not as text)',
            {"day": "3 May 2026"},
            {"day": "2026-05-03"},
        ),
        ('t(unit="metric", …) (with `unit` (text))', {}, {"unit": "metric"}),
        ("t(without a, …) (without `a`)", {"a": 1, "b": "X"}, {"b": "X"}),
    ],
)
def test_the_simulated_agent_knows_only_what_the_example_shows(
    shown: str, before: Any, after: Any
) -> None:
    text = (
        f"Failed before (1 session, last 3 May): t(a=1) → no. What worked next: {shown}"
    )
    prompt = f"Base.\n\n## Known Solutions\n- [tool_error, from tool] tool:t: {json.dumps(text)}"
    (read,) = simulated_agent.read_prompt(prompt, "t")
    simulated_agent.imitate(read, "t", before, lambda *_: "ok")
    assert before == after
    assert list(simulated_agent.read_prompt(prompt, "other")) == []


SESSIONS = [
    {
        "session": session,
        "start": f"2026-03-0{day}T10:00:00Z",
        "folder": "web",
        "events": [
            {"kind": "user", "at": f"2026-03-0{day}T10:00:00Z", "text": "run npm test"},
            {"kind": "say", "at": f"2026-03-0{day}T10:00:01Z", "text": "I run them."},
            *(
                {
                    "kind": "call",
                    "at": f"2026-03-0{day}T10:00:0{at}Z",
                    "tool": "Bash",
                    "args": {"command": command},
                }
                | (
                    {"ok": True, "result": "fine"}
                    if ok
                    else {"ok": False, "error": "Exit code 1\nError: Node 14"}
                )
                for at, command, ok in (
                    (2, "npm test", False),
                    (3, ". nvm.sh && npm test", True),
                )
            ),
        ],
    }
    for day, session in enumerate("abc", start=1)
]


@requirement("EVID-07", "EVAL-01")
def test_real_sessions_are_replayed_and_what_would_be_shown_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "sessions", SESSIONS)
    (tmp_path / "sessions" / "judged.jsonl").write_text(
        '{"kind": "sentence"}', encoding="utf-8"
    )
    assert main(["eval", str(tmp_path), "--json", "--show", "9", "--seed", "7"]) == 0
    printed = json.loads(capsys.readouterr().out)["sessions"]
    counted = {
        name: printed[name]
        for name in ("sessions", "calls", "failures", "recurring", "shown_beside")
    }
    assert counted == {
        "sessions": 3,
        "calls": 6,
        "failures": 3,
        "recurring": 2,
        "shown_beside": 2,
    }
    assert (
        printed["shown_before"],
        printed["restating"],
        printed["gained_without_offers"],
    ) == (1, 0, 0)
    assert (printed["entries_a_message"], printed["learnings"]) == (0.3333, 1)
    assert printed["bytes"] > 0 < printed["ms_a_call"]
    assert printed["sets"]["small"]["failures"] == 3
    assert {each["place"] for each in printed["shown"]} == {
        "before the call",
        "beside the failure",
        "in the prompt",
    }
    assert all("nvm.sh" in each["text"] for each in printed["shown"])
    assert main(["eval", str(tmp_path), "--show", "1"]) == 0
    assert "What worked next" in capsys.readouterr().out
