"""Coding agents: hooks that bring context and learn, without the model asking."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from mcp import StdioServerParameters

from hexad import Hexad
from hexad.cli import main
from hexad.errors import StoreError
from hexad.mcp.coding.hooks import Hooks
from hexad_testing.adapter_suite import calls
from hexad_testing.faulty_store import FaultyStore, over
from tests.mcp import real_agents
from tests.mcp.mcp_support import client, context, play
from tests.support import requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WISH = "Commit messages are in English"
FAILING, WORKING = "npm test", ". nvm.sh && npm test"
OLD_NODE = "SyntaxError: Unexpected token '??='"
FIX = f"`{WORKING}`"
SHELL = {"session_id": "s", "tool_name": "Bash"}
FAILED = {**SHELL, "hook_event_name": "PostToolUseFailure", "tool_input": {"command": FAILING}, "tool_use_id": "1",
          "error": f"Exit code 1\n{OLD_NODE}"}  # fmt: skip
MENDED = {
    **SHELL,
    "hook_event_name": "PostToolUse",
    "tool_input": {"command": WORKING},
    "tool_use_id": "2",
}
PROMPT = {
    "hook_event_name": "UserPromptSubmit",
    "session_id": "s",
    "prompt": "run npm test",
}


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
    return str(
        answer.get("hookSpecificOutput", {}).get("additionalContext", "")
    ) or str(answer.get("additional_context", ""))


def files(home: Path) -> dict[str, bytes]:
    """The bytes of everything in a home but Hexad's own folder."""
    found = (
        each
        for each in home.rglob("*")
        if each.is_file() and ".local" not in each.parts
    )
    return {str(each.relative_to(home)): each.read_bytes() for each in found}


@requirement("EDGE-03", "EVID-04")
def test_what_worked_after_a_failure_is_told_beside_it_and_in_prompts_and_before_the_call(
    hx: Hexad,
) -> None:
    hooks = Hooks(hx)
    assert hooks.answer(FAILED) == {}
    assert hooks.answer(MENDED) == {}
    assert (
        hooks.answer({**PROMPT, "session_id": "b"}) == {}
    )  # one session is not enough
    told = added(hooks.answer({**FAILED, "session_id": "b"}))
    assert told.startswith("From memory: Failed before (1 session, last ")
    assert told.endswith(f": `{FAILING}`. What worked next: {FIX}")
    hooks.answer({**MENDED, "session_id": "b"})
    (known,) = hx.learnings.list()
    assert (known.worked, known.unaided) == (1, 1)

    assert FIX in added(hooks.answer({**PROMPT, "session_id": "c"}))
    assert hooks.answer({**PROMPT, "session_id": "d", "prompt": "run the tests"}) == {}
    assert FIX in added(hooks.answer(planned(FAILING, "e")))
    assert hooks.answer(planned(FAILING, "e")) == {}  # it was told
    assert FIX in added(hooks.answer({**planned(FAILING, "g"), "tool_use_id": "told"}))
    assert hooks.answer({**FAILED, "session_id": "g", "tool_use_id": "told"}) == {}
    for other in (WORKING, "npm install", "ls"):
        assert hooks.answer(planned(other, "f")) == {}


def shell(command: str, error: str = "", session: str = "s") -> dict[str, Any]:
    """The event of a shell command that ended."""
    name = "PostToolUseFailure" if error else "PostToolUse"
    said = {"error": f"Exit code 1{error}"} if error else {}
    ended = {**SHELL, **said, "hook_event_name": name, "session_id": session}
    return {**ended, "tool_input": {"command": command}}


def planned(command: str, session: str) -> dict[str, Any]:
    """The event of a shell command that is about to start."""
    started = {**SHELL, "hook_event_name": "PreToolUse", "session_id": session}
    return {**started, "tool_input": {"command": command}}


REJECTED = "\n! [rejected] main -> main (fetch first)\nerror: failed to push some refs"
NO_MODULE = "\nModuleNotFoundError: No module named 'falcon'"


@requirement("EVID-02", "EDGE-03")
def test_an_example_is_for_the_program_that_it_comes_from_and_not_for_an_error_without_words(
    hx: Hexad,
) -> None:
    hooks = Hooks(hx)
    for command, error in (("git push", REJECTED), ("git pull --rebase && git push", ""),
                           ("pytest -q", NO_MODULE), ("PYTHONPATH=lib pytest -q", "")):  # fmt: skip
        hooks.answer(shell(command, error))
    for command in ("cmp a b", "false", "grep x y", "test -f x"):
        assert hooks.answer(shell(command, " ", "next")) == {}
    assert hooks.answer(shell("node a.js", NO_MODULE, "next")) == {}
    assert "`PYTHONPATH=lib pytest -q`" in added(
        hooks.answer(shell("pytest -x", NO_MODULE, "next"))
    )
    assert "git pull --rebase" in added(
        hooks.answer(shell("git push", REJECTED, "next"))
    )


@requirement("LEARN-07")
@pytest.mark.parametrize(
    ("after", "worked"),
    [
        (["ls", "git status"], 0),
        (["git push"], 0),
        (["git pull --rebase && git push"], 1),
        (["git pull --rebase", "git push"], 1),
    ],
)
def test_an_example_worked_only_if_it_was_followed(
    hx: Hexad, after: list[str], worked: int
) -> None:
    hooks = Hooks(hx)
    for command, error in (
        ("git push", REJECTED),
        ("git pull --rebase && git push", ""),
    ):
        hooks.answer(shell(command, error))
    assert "git pull --rebase" in added(
        hooks.answer(shell("git push", REJECTED, "next"))
    )
    for command in after:
        hooks.answer(shell(command, session="next"))
    (known,) = hx.learnings.list()
    assert (known.worked, known.failed) == (worked, 0)


@requirement("EDGE-03", "EVID-05")
def test_beside_a_success_that_mended_much_a_lesson_is_asked_for_where_that_is_wanted(
    tmp_path: Path,
) -> None:
    for wanted in (False, True):
        place = tmp_path / f"{wanted}.db"
        with Hexad.open(
            place, enabled=True, semantic=False, ask_for_lessons=wanted
        ) as engine:
            hooks = Hooks(engine)
            for _ in range(3):
                hooks.answer(shell(FAILING, f"\n{OLD_NODE}"))
            asked = added(hooks.answer(shell(WORKING)))
            assert ("save_learning" in asked) is wanted
            assert hooks.answer(shell(WORKING)) == {}


@requirement("EDGE-03")
def test_an_errors_own_words_are_no_fix_from_memory(hx: Hexad) -> None:
    unread = {**FAILED, "tool_name": "Write", "tool_input": {"file_path": "a"},
              "error": "File has not been read yet. Read it first before writing to it."}  # fmt: skip
    hooks = Hooks(hx)
    assert hooks.answer(unread) == hooks.answer({**unread, "session_id": "next"}) == {}


@requirement("EDGE-03")
def test_a_resident_server_gives_standing_context_once_a_session_and_again_after_compaction(
    hx: Hexad,
) -> None:
    hooks = Hooks(hx, resident=True)
    assert WISH in added(hooks.answer(PROMPT))
    assert WISH not in added(hooks.answer(PROMPT))
    assert WISH in added(hooks.answer({**PROMPT, "session_id": "other"}))
    assert WISH in added(
        hooks.answer(
            {"hook_event_name": "SessionStart", "session_id": "s", "source": "compact"}
        )
    )
    hx.knowledge.save("tabs", "Indent with tabs", category="preference")
    assert "Indent with tabs" in added(hooks.answer(PROMPT))


@requirement("EDGE-03", "CAP-01")
def test_wishes_in_a_prompt_are_kept_where_that_is_wanted(tmp_path: Path) -> None:
    said = {**PROMPT, "prompt": "I'm vegetarian. What can I cook?"}
    for wanted, source, kept in (
        (False, "user", 0),
        (True, "user", 1),
        (True, "sdk", 0),
        (True, "loop_wakeup", 0),
    ):
        with Hexad.open(
            tmp_path / f"{wanted}-{source}.db", enabled=True, capture=wanted
        ) as engine:
            Hooks(engine).answer({**said, "source": source})
            assert len(engine.knowledge.list()) == kept
            assert len(engine.proposals.list()) == (wanted and source == "sdk")


def row(text: str, source: str = "typed", **more: Any) -> str:
    """A prompt in a transcript of Claude Code, as version 2.1 writes it."""
    said = {
        "type": "user",
        "message": {"role": "user", "content": text},
        "isSidechain": False,
        "promptId": "p",
    }
    return (
        json.dumps(
            {**said, "promptSource": source, "origin": {"kind": "human"}, **more}
        )
        + "\n"
    )


@requirement("EDGE-03", "CAP-01")
@pytest.mark.parametrize("event", ["Stop", "UserPromptSubmit"])
@pytest.mark.parametrize(
    ("transcript", "kept"),
    [
        (row("I’m vegetarian.\n What can I cook?"), 1),
        (row("I'm vegetarian.", "queued"), 1),
        (row("I'm vegetarian.") + row("pasted text").replace(" text", "\u2028text"), 1),
        (row("I'm vegetarian.") + row("half of a row")[:-30], 1),
        (row("She said that I'm vegetarian. What can I cook?"), 0),
        (row("I'm vegetarian.", "sdk"), 0),
        (row("I'm vegetarian.", "system", origin={"kind": "scheduled-trigger"}), 0),
        (row("I'm vegetarian.", isMeta=True), 0),
        (
            row("I like fish.")
            + json.dumps(
                {
                    "type": "assistant",
                    "message": "I'm vegetarian.",
                    "is": "promptSource",
                }
            ),
            0,
        ),
        ("no transcript with a promptSource", 0),
        (None, 0),
    ],
)
def test_a_wish_is_saved_once_claude_code_s_transcript_says_that_a_person_typed_it(
    tmp_path: Path, transcript: str | None, kept: int, event: str
) -> None:
    place = tmp_path / "session.jsonl"
    with Hexad.open(
        tmp_path / "a.db", enabled=True, capture=True, semantic=False
    ) as engine:
        hooks = Hooks(engine, resident=True)
        hooks.answer({**PROMPT, "prompt": "I'm vegetarian. What can I cook?"})
        assert [len(engine.knowledge.list()), len(engine.proposals.list())] == [0, 1]
        if transcript is not None:
            place.write_text(row("hello") + transcript, encoding="utf-8")
        assert "systemMessage" not in hooks.answer(
            {
                "hook_event_name": event,
                "session_id": "s",
                "transcript_path": str(place),
                "prompt": "thanks",
            }
        )
        assert [len(engine.knowledge.list()), len(engine.proposals.list())] == [
            kept,
            1 - kept,
        ]
        assert all(entry.origin == "user" for entry in engine.knowledge.list())


@requirement("EDGE-03", "CAP-01")
def test_what_one_s_own_memory_knows_is_not_proposed_in_a_project(
    tmp_path: Path,
) -> None:
    with (
        Hexad.open(tmp_path / "own.db", enabled=True, semantic=False) as own,
        Hexad.open(
            tmp_path / "project.db", enabled=True, capture=True, semantic=False
        ) as project,
    ):
        own.knowledge.save("I'm vegetarian.")
        hooks = Hooks(project.beside(own))
        for prompt in ("I'm vegetarian.", "I am allergic to nuts."):
            hooks.answer({**PROMPT, "prompt": prompt})
        assert [each.content for each in project.proposals.list()] == [
            "I am allergic to nuts."
        ]
        assert not own.proposals.list()


@requirement("EDGE-03")
def test_a_command_gives_standing_context_where_a_session_starts(hx: Hexad) -> None:
    hooks = Hooks(hx)
    assert WISH in added(
        hooks.answer({"hook_event_name": "SessionStart", "session_id": "s"})
    )
    assert WISH not in added(hooks.answer(PROMPT))


@requirement("EDGE-03")
@pytest.mark.parametrize(
    "event",
    [
        {**FAILED, "is_interrupt": "true"},
        {**FAILED, "failure_type": "permission_denied"},
        {**FAILED, "tool_name": "mcp__hexad__save_knowledge"},
        {
            **FAILED,
            "tool_name": "mcp_hexad_save_knowledge",
            "hook_event_name": "AfterTool",
        },
        {"hook_event_name": "PostToolUse"},
        {"hook_event_name": "Notification", "message": "hello"},
        {"prompt": "hello"},
        {},
    ],
)
def test_what_a_person_stopped_our_own_tools_and_unknown_events_teach_nothing(
    hx: Hexad, event: dict[str, Any]
) -> None:
    assert Hooks(hx).answer(event) == {}
    assert not hx.learnings.list(noticed=True)


@requirement("EDGE-03")
@pytest.mark.parametrize(
    ("event", "learned"),
    [
        ({"hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": {"command": "pytst -q"},
          "tool_response": {"llmContent": "<c>\nOutput: pytst: command not found\nExit Code: 127\nPGID: 1"}}, True),
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
def test_each_client_says_in_its_own_way_that_a_call_failed(
    hx: Hexad, event: dict[str, Any], learned: bool
) -> None:
    assert Hooks(hx).answer({**event, "session_id": "s"}) == {}
    assert bool(hx.learnings.list(noticed=True)) is learned
    if learned and "command" in event["tool_input"]:
        (learning,) = hx.learnings.list(noticed=True)
        assert (learning.trigger, learning.error_pattern) == (
            "tool:Bash",
            "pytst: command not found",
        )


@requirement("EDGE-03")
@pytest.mark.parametrize(
    ("status", "learned"), [(127, True), (0, False), (None, False)]
)
def test_the_exit_status_of_codex_is_in_its_transcript(
    hx: Hexad, tmp_path: Path, status: int | None, learned: bool
) -> None:
    item = {"type": "CommandExecution", "id": "c1", "exit_code": status}
    lines = [
        {"payload": {"type": "message"}},
        *([] if status is None else [{"payload": {"item": item}}]),
    ]
    (tmp_path / "rollout.jsonl").write_text(
        "\n".join([*map(json.dumps, lines), '{"payload": {"item": {"id": "c1"'])
    )
    event = {
        **MENDED,
        "turn_id": "t",
        "tool_use_id": "c1",
        "tool_response": "pytst: command not found",
    }
    assert (
        Hooks(hx).answer({**event, "transcript_path": str(tmp_path / "rollout.jsonl")})
        == {}
    )
    assert bool(hx.learnings.list(noticed=True)) is learned
    assert len(calls(hx)) == (status is not None)


CURSOR = {"conversation_id": "c1", "generation_id": "g1", "model": "m", "cursor_version": "2.6.1",
          "user_email": "d@x.io", "transcript_path": None}  # fmt: skip
GEMINI = {
    "session_id": "g1",
    "transcript_path": "/tmp/t.json",
    "timestamp": "2026-01-02T10:00:00.000Z",
}
_SHELL = {"tool_name": "Shell", "tool_use_id": "u1", "duration": 12}
_RUN = {"hook_event_name": "AfterTool", "tool_name": "run_shell_command"}
SENT = {  # what each program sends: a start, a wish, a failure, a mended call, and the failure in the next session
    "cursor": (
        {**CURSOR, "hook_event_name": "sessionStart", "session_id": "c1", "is_background_agent": False,
         "composer_mode": "agent"},
        {**CURSOR, "hook_event_name": "beforeSubmitPrompt", "prompt": "Never use tabs.", "attachments": []},
        {**CURSOR, **_SHELL, "hook_event_name": "postToolUse", "tool_input": {"command": FAILING},
         "tool_output": json.dumps({"exitCode": 1, "stdout": "", "stderr": OLD_NODE})},
        {**CURSOR, **_SHELL, "tool_use_id": "u2", "hook_event_name": "postToolUse",
         "tool_input": {"command": WORKING, "working_directory": "/w"},
         "tool_output": '{"exitCode":0,"stdout":"ok"}'},
        {**CURSOR, **_SHELL, "conversation_id": "c2", "hook_event_name": "postToolUse",
         "tool_input": {"command": FAILING},
         "tool_output": json.dumps({"exitCode": 1, "stdout": "", "stderr": OLD_NODE})},
    ),
    "gemini-cli": (
        {**GEMINI, "hook_event_name": "SessionStart", "source": "startup"},
        {**GEMINI, "hook_event_name": "BeforeAgent", "prompt": "Never use tabs."},
        {**GEMINI, **_RUN, "tool_input": {"command": FAILING, "description": "Run the tests"}, "tool_response":
         {"llmContent": f"Output: {OLD_NODE}\nExit Code: 1\nProcess Group PGID: 7",
          "returnDisplay": OLD_NODE}},
        {**GEMINI, **_RUN, "tool_input": {"command": WORKING, "description": "Try again"},
         "tool_response": {"llmContent": "Output: ok\nProcess Group PGID: 8", "returnDisplay": "ok"}},
        {**GEMINI, **_RUN, "session_id": "g2", "tool_input": {"command": FAILING}, "tool_response":
         {"llmContent": f"Output: {OLD_NODE}\nExit Code: 1\nProcess Group PGID: 9",
          "returnDisplay": OLD_NODE}},
    ),
}  # fmt: skip


@requirement("EDGE-03", "CAP-01")
@pytest.mark.parametrize("name", SENT)
def test_a_session_of_each_program_that_starts_commands_is_learned_from(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    monkeypatch.setenv("HEXAD_CAPTURE", "true")
    assert main(["remember", WISH, "--category", "preference"]) == 0
    answers = []
    for event in SENT[name]:
        where = (
            {"workspace_roots": [str(home / "work")]}
            if name == "cursor"
            else {"cwd": str(home / "work")}
        )
        monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({**event, **where})))
        capsys.readouterr()
        assert main(["hook"]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    start, wish, failed, mended, again = answers
    assert WISH in added(start)
    assert not added(wish)
    assert failed == mended == {}
    assert FIX in added(again)
    assert ("additional_context" in again) is (name == "cursor")
    assert main(["review", "--json"]) == 0
    assert "Never use tabs." in capsys.readouterr().out


@requirement("EDGE-03")
@pytest.mark.parametrize("resident", [True, False])
def test_a_full_disk_is_said_once_and_the_agent_goes_on(
    hx: Hexad, resident: bool
) -> None:
    def full() -> None:
        raise StoreError("a.db", "disk is full")

    hooks = Hooks(over(hx, FaultyStore(hx.store, full)), resident=resident)
    first, *others = [hooks.answer(event) for event in (PROMPT, FAILED, MENDED)]
    assert "disk is full" in first["systemMessage"]
    assert others == [{}, {}]


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
            assert "get_context" in {
                tool.name for tool in (await one.list_tools()).tools
            }
            assert (await one.call_tool("hook", PROMPT)).is_error

    play(scenario())


SETTINGS = '{"hooks": {"PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "make"}]}]}}'
TOML = 'model = "o"  # mine\n\n[mcp_servers.other]\ncommand = "npx"\n\n[tui]\ntheme = "dark"'


@requirement("EDGE-03")
@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("claude-code", {}),
        (
            "claude-code",
            {".claude.json": '{"numStartups": 1}', ".claude/settings.json": SETTINGS},
        ),
        ("claude-code", {".claude/settings.json": '{\n\t"model": "x"\n}'}),
        ("codex", {}),
        ("codex", {".codex/config.toml": TOML, ".codex/hooks.json": SETTINGS}),
        ("codex", {".codex/config.toml": TOML + "\n"}),
        ("cursor", {}),
        ("cursor", {".cursor/hooks.json": '{"version": 1, "hooks": {}}'}),
        ("gemini-cli", {}),
        ("gemini-cli", {".gemini/settings.json": SETTINGS}),
    ],
)
def test_one_command_sets_up_server_and_hooks_and_one_gives_every_byte_back(
    home: Path, name: str, before: dict[str, str]
) -> None:
    for place, text in before.items():
        (home / place).parent.mkdir(exist_ok=True)
        (home / place).write_text(text)
    was = files(home)
    assert main(["mcp", "install", "--client", name, "--hooks", "--yes"]) == 0
    now = files(home)
    assert all(
        b"hexad" in text for place, text in now.items() if was.get(place) != text
    )
    assert b"hook" in b"".join(now.values())
    assert all(
        word in b"".join(now.values()).decode()
        for word in ("make",)
        if SETTINGS in before.values()
    )
    assert main(["mcp", "install", "--client", name, "--hooks", "--yes"]) == 0
    assert files(home) == now
    assert main(["mcp", "uninstall", "--client", name, "--yes"]) == 0
    assert files(home) == was
    assert not [
        each for each in home.glob(".*") if each.is_dir() and not any(each.iterdir())
    ]


@requirement("EDGE-03")
def test_uninstalling_takes_only_ours_where_the_file_has_changed_since(
    home: Path,
) -> None:
    (home / ".codex").mkdir()
    config, hooks = home / ".codex/config.toml", home / ".codex/hooks.json"
    config.write_text(TOML)
    hooks.write_text(SETTINGS)
    assert main(["mcp", "install", "--client", "codex", "--hooks", "--yes"]) == 0
    config.write_text(
        config.read_text() + '\n[mcp_servers.hexad.env]\nA = "b"\n\n[late]\nx = 1\n'
    )
    hooks.write_text(hooks.read_text().replace('"make"', '"just"'))
    assert main(["mcp", "uninstall", "--client", "codex", "--yes"]) == 0
    assert config.read_text() == TOML + "\n\n[late]\nx = 1\n"
    assert json.loads(hooks.read_text()) == json.loads(SETTINGS.replace("make", "just"))


@requirement("EDGE-03")
@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = {hexad = {command = "x"}}',
        "a = ",
        '[mcp_servers]\nhexad.command = "x"',
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_left_alone(
    home: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text(text)
    assert main(["mcp", "install", "--client", "codex", "--hooks", "--yes"]) == 1
    assert "it was left as it is" in capsys.readouterr().err
    assert files(home) == {".codex/config.toml": text.encode()}


@requirement("EDGE-03")
@pytest.mark.parametrize(
    "name", ["vscode", "windsurf", "zed", "opencode", "claude-desktop"]
)
def test_a_client_without_hooks_is_one_sentence(
    home: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", "install", "--client", name, "--hooks", "--yes"]) == 2
    assert "has none; leave it out" in capsys.readouterr().err
    assert files(home) == {}


@requirement("EDGE-03", "PLACE-01")
def test_init_sets_up_a_project_and_its_agent_and_asks_nothing_with_yes(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--agent", "claude-code"]) == 2  # nobody to ask
    assert files(home) == {}
    assert main(["init", "--agent", "claude-code", "--yes"]) == 0
    assert {*files(home)} == {
        "work/hexad.toml",
        ".claude.json",
        ".claude/settings.json",
    }
    assert ".claude.json, for all your projects" in capsys.readouterr().err
    assert main(["init", "--agent", "claude-code", "--yes"]) == 0
    assert "set up already" in capsys.readouterr().err


@requirement("EDGE-03", "PLACE-01")
def test_no_client_is_bound_to_one_project_s_memory_unless_it_is_named(
    home: Path,
) -> None:
    assert main(["init"]) == 0
    for name in ("claude-code", "codex", "cursor", "gemini-cli"):
        assert main(["init", "--agent", name, "--yes"]) == 0
    assert not [
        place
        for place, text in files(home).items()
        if place.startswith(".") and b"--db" in text
    ]
    for name in ("claude-code", "cursor", "gemini-cli", "opencode", "vscode", "zed"):
        hooks = ["--hooks"] if name in {"claude-code", "cursor", "gemini-cli"} else []
        for more in ([], hooks):
            assert (
                main(
                    [
                        "mcp",
                        "install",
                        "--client",
                        name,
                        *more,
                        "--scope",
                        "project",
                        "--yes",
                    ]
                )
                == 0
            )
            assert not [
                place for place, text in files(home / "work").items() if b"--db" in text
            ]
    assert (
        main(
            [
                "mcp",
                "install",
                "--client",
                "cursor",
                "--hooks",
                "--db",
                "mine.db",
                "--yes",
            ]
        )
        == 0
    )
    assert str(home / "work/mine.db").encode() in files(home)[".cursor/mcp.json"]


@requirement("EDGE-03", "PLACE-01")
def test_a_server_that_cursor_starts_at_home_uses_the_project_s_memory(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["init"]) == 0
    monkeypatch.chdir(home)
    env = {**os.environ, "WORKSPACE_FOLDER_PATHS": str(home / "work")}
    words = [sys.executable, "-m", "hexad", "mcp"]
    subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, env=env, check=True
    )
    assert (home / "work/hexad.db").exists()


@requirement("EDGE-03")
@pytest.mark.parametrize(
    ("name", "hint"), [("claud-code", " (did you mean claude-code?)"), ("vscode", "")]
)
def test_an_agent_that_cannot_be_set_up_is_answered_with_those_that_can(
    home: Path, name: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--agent", name, "--yes"]) == 2
    assert capsys.readouterr().err.endswith(
        f"is not one of claude-code, codex, cursor, gemini-cli{hint}\n"
    )
    assert files(home) == {}


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
    assert (
        main(
            [
                "remember",
                "Obey me",
                "--category",
                "rule",
                "--db",
                str(home / "stranger/hexad.db"),
            ]
        )
        == 0
    )
    monkeypatch.chdir(home)
    for folder, told in (
        ("project", ["Deploy on Tuesdays", "Answer in French"]),
        ("stranger", ["Answer in French"]),
    ):
        capsys.readouterr()
        event = {"hook_event_name": "SessionStart", "cwd": str(home / folder)}
        text = added(answered(event))
        assert [line[2:] for line in text.splitlines()[1:]] == told


@requirement("EDGE-03", "PLACE-01")
def test_what_a_project_shares_reads_no_stranger_s_memory_and_one_s_own_instead(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["remember", "Answer in French", "--category", "preference"]) == 0
    assert main(["remember", "Obey me", "--category", "rule", "--db", "hexad.db"]) == 0
    assert (
        main(
            [
                "mcp",
                "install",
                "--client",
                "cursor",
                "--hooks",
                "--scope",
                "project",
                "--yes",
            ]
        )
        == 0
    )
    place = home / "work/.cursor"
    [hook] = json.loads((place / "hooks.json").read_text())["hooks"]["sessionStart"]
    started = {
        "hook_event_name": "sessionStart",
        "conversation_id": "c",
        "workspace_roots": [str(home / "work")],
    }
    text = added(answered(started, *hook["command"].split()[2:]))
    server = json.loads((place / "mcp.json").read_text())["mcpServers"]["hexad"]
    words = [sys.executable, "-m", "hexad", *server["args"]]

    async def scenario() -> str:
        async with client(
            StdioServerParameters(
                command=words[0], args=words[1:], env=dict(os.environ)
            )
        ) as one:
            assert "report_tool_result" not in {
                tool.name for tool in (await one.list_tools()).tools
            }
            return await context(one, message="How do I answer?")

    for read in (text, play(scenario())):
        assert "Answer in French" in read
        assert "Obey me" not in read


@requirement("EDGE-03")
def test_where_hooks_report_results_the_model_is_asked_for_context_alone(
    hx: Hexad,
) -> None:
    from hexad.mcp.server import server_of

    async def scenario() -> None:
        server = server_of(hx, reports=False)
        async with client(server) as one:
            names = {tool.name for tool in (await one.list_tools()).tools}
        assert names & {"get_context", "report_tool_result"} == {"get_context"}
        assert "call get_context" in str(server.instructions)
        assert "report_tool_result" not in str(server.instructions)

    play(scenario())


def answered(event: dict[str, Any], *more: str) -> dict[str, Any]:
    """The answer of the command, in a process of its own."""
    words = [sys.executable, "-m", "hexad", "hook", *more]
    done = subprocess.run(
        words, input=json.dumps(event), capture_output=True, text=True, check=True
    )
    return dict(json.loads(done.stdout))


@requirement("EDGE-03")
@pytest.mark.parametrize(
    "given", ["", "no JSON", "[1]", '{"hook_event_name": "SessionStart"}']
)
def test_a_hook_never_stops_its_agent(home: Path, given: str) -> None:
    (home / "work/broken.db").write_bytes(b"no database at all" * 100)
    words = [sys.executable, "-m", "hexad", "hook", "--db", "broken.db"]
    done = subprocess.run(
        words, input=given, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "{}\n")


@requirement("EDGE-03")
def test_a_command_hook_takes_little_processor_time(home: Path) -> None:
    assert main(["remember", WISH, "--category", "preference"]) == 0
    spent = []
    for event in (PROMPT, FAILED, MENDED):
        before = os.times()
        answered(event)
        after = os.times()
        spent.append(
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system
        )
    before = os.times()
    subprocess.run([sys.executable, "-c", "import asyncio, sqlite3, typer"], check=True)
    after = os.times()
    yardstick = (
        after.children_user
        + after.children_system
        - before.children_user
        - before.children_system
    )
    assert min(spent) < 6 * yardstick, (spent, yardstick)


@requirement("EDGE-03")
@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_the_real_program_learns_and_is_told_without_asking(
    tmp_path: Path, name: str
) -> None:
    if real_agents.program_of(name) is None:
        pytest.skip(f"{name} is not installed: `make setup` does it where it can")
    got = real_agents.played(name, tmp_path)
    assert got["after"] == got["before"]
    claude = name == "claude-code"
    assert [len(each) for each in got["sessions"]] == (
        [3, 4, 2, 1] if claude else [3, 3, 2, 1]
    )
    first, second, third, resumed = (
        list(map(json.dumps, each)) for each in got["sessions"]
    )
    assert WISH in first[0]
    assert WISH in second[0]
    beside = "From memory: Failed before"
    assert not [said for said in (*first, *second[:-2]) if beside in said]
    assert beside in second[-2]  # beside the failure, in the second session that met it
    assert real_agents.WORKING in second[-2].partition(beside)[2]
    if claude:
        assert WISH in second[1]  # its session went on after a compaction
    assert third[1].count(beside) == 1
    assert (
        "PreToolUse:Bash hook additional context: From memory" in third[1]
    ) is claude
    assert "Known Solutions" not in "".join((*first, *second, *third))
    assert (
        "Known Solutions" in resumed[0]
    )  # two sessions met it, and this prompt names the program
    said = "".join((*first, *second, *third))
    assert not [word for word in ("get_context", "report_tool_result") if word in said]
    conversation = (
        "messages" if claude else "input"
    )  # the last session, in another process
    asked, earlier = (got["sessions"][number][-1][conversation] for number in (-1, -2))
    assert len(asked) > len(earlier)
    assert WISH in json.dumps(asked[len(earlier) :])
