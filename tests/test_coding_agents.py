"""Coding agents: hooks that bring context and learn, without the model asking."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hexad import Hexad
from hexad.cli import main
from hexad.mcp.coding.hooks import Hooks
from hexad.testing.adapter_suite import calls
from tests.mcp_support import client, play
from tests.support import requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WISH = "Commit messages are in English"
SHELL = {"session_id": "s", "tool_name": "Bash"}
FAILED = {**SHELL, "hook_event_name": "PostToolUseFailure", "tool_input": {"command": "pytst -q"}, "tool_use_id": "1",
          "error": "Exit code 127\n/bin/bash: line 1: pytst: command not found"}  # fmt: skip
MENDED = {**SHELL, "hook_event_name": "PostToolUse", "tool_input": {"command": "pytest -q"}, "tool_use_id": "2"}
PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "run the tests with pytst"}
FIX = "use `pytest` instead of `pytst`"


@pytest.fixture
def hx(tmp_path: Path) -> Iterator[Hexad]:
    with Hexad.open(tmp_path / "a.db", enabled=True, semantic=False) as engine:
        engine.knowledge.save("english", WISH, category="preference")
        yield engine


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "HEXAD_DB"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HEXAD_SEMANTIC", "false")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def added(answer: dict[str, Any]) -> str:
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", "")) or str(
        answer.get("additional_context", "")
    )


@requirement("EDGE-03")
def test_a_failure_and_its_mending_are_the_fix_of_the_next_session(hx: Hexad) -> None:
    hooks = Hooks(hx, resident=True)
    assert hooks.answer(FAILED) == {}
    assert hooks.answer(MENDED) == {}
    assert FIX in added(hooks.answer({**PROMPT, "session_id": "next"}))
    assert FIX in added(hooks.answer({**FAILED, "session_id": "next", "tool_use_id": "3"}))


@requirement("EDGE-03")
def test_a_resident_server_gives_standing_context_once_a_session_and_again_after_compaction(hx: Hexad) -> None:
    hooks = Hooks(hx, resident=True)
    assert WISH in added(hooks.answer(PROMPT))
    assert WISH not in added(hooks.answer(PROMPT))
    assert WISH in added(hooks.answer({**PROMPT, "session_id": "other"}))
    assert WISH in added(hooks.answer({"hook_event_name": "SessionStart", "session_id": "s", "source": "compact"}))
    hx.knowledge.save("tabs", "Indent with tabs", category="preference")
    assert "Indent with tabs" in added(hooks.answer(PROMPT))


@requirement("EDGE-03", "CAP-01")
def test_wishes_in_a_prompt_are_kept_where_that_is_wanted(tmp_path: Path) -> None:
    said = {**PROMPT, "prompt": "I'm vegetarian. What can I cook?"}
    for wanted, source, kept in ((False, "user", 0), (True, "user", 1), (True, "sdk", 0), (True, "loop_wakeup", 0)):
        with Hexad.open(tmp_path / f"{wanted}-{source}.db", enabled=True, capture=wanted) as engine:
            Hooks(engine).answer({**said, "source": source})
            assert len(engine.knowledge.list()) == kept
            assert len(engine.proposals.list()) == (wanted and source == "sdk")


@requirement("EDGE-03")
def test_a_command_gives_standing_context_where_a_session_starts(hx: Hexad) -> None:
    hooks = Hooks(hx)
    assert WISH in added(hooks.answer({"hook_event_name": "SessionStart", "session_id": "s"}))
    assert WISH not in added(hooks.answer(PROMPT))


@requirement("EDGE-03")
@pytest.mark.parametrize(
    "event",
    [
        {**FAILED, "is_interrupt": "true"},
        {**FAILED, "failure_type": "permission_denied"},
        {**FAILED, "tool_name": "mcp__hexad__save_knowledge"},
        {**FAILED, "tool_name": "mcp_hexad_save_knowledge", "hook_event_name": "AfterTool"},
        {"hook_event_name": "PostToolUse"},
        {"hook_event_name": "Notification", "message": "hello"},
        {"prompt": "hello"},
        {},
    ],
)
def test_what_a_person_stopped_our_own_tools_and_unknown_events_teach_nothing(hx: Hexad, event: dict[str, Any]) -> None:
    assert Hooks(hx).answer(event) == {}
    assert not hx.learnings.list()


@requirement("EDGE-03")
@pytest.mark.parametrize(
    ("event", "learned"),
    [
        ({"hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": {"command": "pytst -q"},
          "tool_response": {"llmContent": "Output: pytst: command not found\nExit Code: 127"}}, True),
        ({"hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": {"command": "ls"},
          "tool_response": {"llmContent": "Output: a.py"}}, False),
        ({"hook_event_name": "AfterTool", "tool_name": "replace", "tool_input": {"file_path": "a"},
          "tool_response": {"llmContent": "x", "error": {"message": "0 occurrences found"}}}, True),
        ({"hook_event_name": "postToolUseFailure", "tool_name": "Shell", "tool_input": {"command": "pytst -q"},
          "error_message": "Exit code 127\npytst: command not found", "failure_type": "error"}, True),
        ({"hook_event_name": "postToolUse", "tool_name": "Shell", "tool_input": {"command": "pytst -q"},
          "tool_output": '{"exitCode": 127, "stderr": "pytst: command not found"}'}, True),
        ({"hook_event_name": "postToolUse", "tool_name": "Shell", "tool_input": {"command": "ls"},
          "tool_output": '{"exitCode": 0, "stdout": "a.py"}'}, False),
    ],
)  # fmt: skip
def test_each_client_says_in_its_own_way_that_a_call_failed(hx: Hexad, event: dict[str, Any], learned: bool) -> None:
    assert Hooks(hx).answer({**event, "session_id": "s"}) == {}
    assert bool(hx.learnings.list()) is learned
    if learned and "command" in event["tool_input"]:
        assert hx.learnings.list()[0].trigger == "tool:Bash"


@requirement("EDGE-03")
@pytest.mark.parametrize(("status", "learned"), [(127, True), (0, False), (None, False)])
def test_the_exit_status_of_codex_is_in_its_transcript(
    hx: Hexad, tmp_path: Path, status: int | None, learned: bool
) -> None:
    item = {"type": "CommandExecution", "id": "c1", "exit_code": status}
    lines = [{"payload": {"type": "message"}}, *([] if status is None else [{"payload": {"item": item}}])]
    (tmp_path / "rollout.jsonl").write_text("\n".join(map(json.dumps, lines)))
    event = {**MENDED, "turn_id": "t", "tool_use_id": "c1", "tool_response": "pytst: command not found"}
    assert Hooks(hx).answer({**event, "transcript_path": str(tmp_path / "rollout.jsonl")}) == {}
    assert bool(hx.learnings.list()) is learned
    assert len(calls(hx)) == (status is not None)


@requirement("EDGE-03")
def test_the_server_lists_no_tool_that_hooks_make_needless(hx: Hexad) -> None:
    from hexad.mcp.server import server_of

    async def scenario() -> None:
        async with client(server_of(hx, hooks=True)) as one:
            names = {tool.name for tool in (await one.list_tools()).tools}
            assert "save_knowledge" in names
            assert not names & {"hook", "get_context", "report_tool_result"}
            answer = await one.call_tool("hook", PROMPT)
            assert WISH in added(json.loads(answer.content[0].text))  # type: ignore[union-attr]

    play(scenario())


@requirement("EDGE-03")
def test_without_hooks_there_is_no_such_tool(hx: Hexad) -> None:
    from hexad.mcp.server import server_of

    async def scenario() -> None:
        async with client(server_of(hx)) as one:
            assert "get_context" in {tool.name for tool in (await one.list_tools()).tools}
            assert (await one.call_tool("hook", PROMPT)).is_error

    play(scenario())


@requirement("EDGE-03", "PLACE-01")
def test_a_project_s_memory_comes_first_and_one_s_own_beside_it_and_strangers_are_not_read(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["remember", "Answer in French", "--category", "preference"]) == 0
    (home / "project").mkdir()
    (home / "stranger").mkdir()
    monkeypatch.chdir(home / "project")
    assert main(["init"]) == 0
    assert main(["remember", "Deploy on Tuesdays", "--category", "rule"]) == 0
    assert main(["remember", "Obey me", "--category", "rule", "--db", str(home / "stranger/hexad.db")]) == 0
    monkeypatch.chdir(home)
    for folder, told in (("project", ["Deploy on Tuesdays", "Answer in French"]), ("stranger", ["Answer in French"])):
        capsys.readouterr()
        event = {"hook_event_name": "SessionStart", "cwd": str(home / folder)}
        text = added(answered(event))
        assert [line[2:] for line in text.splitlines()[1:]] == told


def answered(event: dict[str, Any], *more: str) -> dict[str, Any]:
    """The answer of the command, in a process of its own."""
    words = [sys.executable, "-m", "hexad", "hook", *more]
    done = subprocess.run(words, input=json.dumps(event), capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


@requirement("EDGE-03")
@pytest.mark.parametrize("given", ["", "no JSON", "[1]", '{"hook_event_name": "SessionStart"}'])
def test_a_hook_never_stops_its_agent(home: Path, given: str) -> None:
    (home / "work/broken.db").write_bytes(b"no database at all" * 100)
    words = [sys.executable, "-m", "hexad", "hook", "--db", "broken.db"]
    done = subprocess.run(words, input=given, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "{}\n")


@requirement("EDGE-03")
def test_a_command_hook_takes_little_processor_time(home: Path) -> None:
    assert main(["remember", WISH, "--category", "preference"]) == 0
    spent = []
    for event in (PROMPT, FAILED, MENDED):
        before = os.times()
        answered(event)
        after = os.times()
        spent.append(after.children_user + after.children_system - before.children_user - before.children_system)
    before = os.times()
    subprocess.run([sys.executable, "-c", "import asyncio, sqlite3, typer"], check=True)
    after = os.times()
    yardstick = after.children_user + after.children_system - before.children_user - before.children_system
    assert min(spent) < 6 * yardstick, (spent, yardstick)
