"""The assistant of `examples/adk_assistant`: its demo is true, and its tools keep to
their folder.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hexad.errors import NoSandbox
from hexad.skills.sandbox import find_sandbox
from hexad_testing.scripted_model import Call, ScriptedModel
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parents[2] / "examples" / "adk_assistant"


def _demo(folder: Path, *arguments: str, **environment: str) -> str:
    world = {
        name: value
        for name, value in os.environ.items()
        if name not in {"COLUMNS", "LINES", "FORCE_COLOR"}
    }
    world = {
        name: value for name, value in world.items() if not name.endswith("_API_KEY")
    }
    done = subprocess.run(
        [sys.executable, str(FOLDER), *arguments],
        cwd=folder,
        env={
            **world,
            "TMPDIR": str(folder),
            "PYTHONIOENCODING": "utf-8",
            **environment,
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    assert not list(folder.iterdir())
    return done.stdout


@requirement("ADK-09", "META-01")
def test_the_demo_shows_a_wish_remembered_an_error_learned_from_and_a_skill_used(
    tmp_path: Path,
) -> None:
    output = _demo(
        tmp_path, "--folder", "notes"
    )  # without a key the demo is what it does
    assert output.startswith(
        "Neither GOOGLE_API_KEY nor GEMINI_API_KEY is set: this plays a script"
    )
    first, second, third = re.split(r"^Conversation \d.*$", output, flags=re.MULTILINE)[
        1:
    ]
    third, changed = re.split(r"^What changed.*$", third, flags=re.MULTILINE)
    assert "fails    cannot read the day '02/03/2026'" in first
    assert "save_knowledge(" in first
    assert "fails" not in second + third
    assert "export_page(day='2026-03-03')" in second
    assert second.rstrip().endswith("assistant  site/2026-03-03.html")
    assert "approve export-page-add-to-index" in third
    assert "calls    skill_export_page_add_to_index(day='2026-03-05')" in third
    rows = re.findall(
        r"^conversation (\d(?: again)?) +(\d) +(\d) ", changed, flags=re.MULTILINE
    )
    assert rows == [
        ("1", "3", "1"),
        ("2", "2", "0"),
        ("3", "2", "0"),
        ("3 again", "1", "0"),
    ]
    assert (
        "remembered When I ask you to export a page, answer with its path and nothing"
        in changed
    )
    learned = " ".join(changed.partition("learned")[2].split())
    assert (
        'What worked next: export_page(day="2026-03-02") (`day` as YYYY-MM-DD, not as DD/MM/YYYY)'
        in learned
    )
    assert "can do     export-page-add-to-index (active, run once)" in changed


@requirement("PROMPT-04")
def test_the_demo_is_plain_in_a_pipe_and_needs_no_stream_that_speaks_every_language(
    tmp_path: Path,
) -> None:
    output = _demo(
        tmp_path,
        "--demo",
        COLUMNS="80",
        PYTHONIOENCODING="ascii",
        GOOGLE_API_KEY="none",
    )
    assert "\x1b" not in output
    assert max(map(len, output.splitlines())) <= 80
    assert "What changed" in output


# its tools


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("tools", "assistant", "story", "chat"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    tools = importlib.import_module("tools")
    place = tmp_path.resolve()
    (place / "desk" / "notes").mkdir(parents=True)
    (place / "memory.db").write_text("secret", encoding="utf-8")
    yield tools.Workspace(place / "desk", place / "memory.db")
    for name in ("tools", "assistant", "story", "chat"):
        sys.modules.pop(name, None)


@requirement("SKILL-06")
@pytest.mark.parametrize(
    "path",
    ["../x", "/etc/passwd", "notes/../../x", "../memory.db", "notes/link/passwd"],
)
def test_files_outside_of_the_folder_and_the_memory_itself_are_out_of_reach(
    workspace: Any, path: str
) -> None:
    (workspace.folder / "notes" / "link").symlink_to("/etc")
    with pytest.raises(PermissionError):
        workspace.read_file(path)
    with pytest.raises(PermissionError):
        workspace.write_file(path, "mine")
    assert workspace.database.read_text(encoding="utf-8") == "secret"


@requirement("SKILL-06")
def test_notes_become_pages(workspace: Any) -> None:
    workspace.write_file("notes/2026-03-02.md", "- a < b\n- second")
    assert workspace.list_files("notes") == ["notes/2026-03-02.md"]
    page = workspace.export_page("2026-03-02")
    assert (
        workspace.read_file(page)
        == "<h1>2026-03-02</h1><ul><li>a &lt; b</li><li>second</li></ul>"
    )
    assert (
        workspace.add_to_index(page)
        == workspace.add_to_index(page)
        == "1 page on the front page"
    )


def _sandbox() -> bool:
    try:
        find_sandbox()
    except NoSandbox:
        return False
    return True


@requirement("SKILL-06")
@pytest.mark.skipif(not _sandbox(), reason="there is no sandbox here")
def test_a_shell_script_sees_a_copy_of_the_folder_and_reaches_neither_the_memory_nor_the_network(
    workspace: Any,
) -> None:
    workspace.write_file("notes/2026-03-02.md", "call the plumber")
    came = workspace.run_shell(
        "grep -l plumber notes/*; rm notes/*; cat ../memory.db; ls /sys/class/net"
    )
    assert came["stdout"].startswith("notes/2026-03-02.md\n")
    assert workspace.read_file("notes/2026-03-02.md") == "call the plumber"
    assert "secret" not in str(came)
    assert "eth0" not in str(came)
    assert workspace.run_shell("exit 3")["returncode"] == 3


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write("grüß".encode())

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@requirement("STORE-05")
def test_the_web_is_there_only_on_request(workspace: Any) -> None:
    assert "fetch" not in {tool.__name__ for tool in workspace.tools(web=False)}
    (fetch,) = [tool for tool in workspace.tools(web=True) if tool.__name__ == "fetch"]
    with HTTPServer(("127.0.0.1", 0), _Page) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        assert fetch(f"http://127.0.0.1:{server.server_port}/") == {
            "http": 200,
            "text": "grüß",
        }
        thread.join()
    with pytest.raises(ValueError, match="is not an address of the web"):
        fetch("file:///etc/passwd")


@requirement("ADK-09")
def test_a_conversation_goes_on_after_a_tool_failed(
    workspace: Any, tmp_path: Path
) -> None:
    assistant = importlib.import_module("assistant")
    model = ScriptedModel.playing(
        [Call("read_file", {"path": "no.md"}), "There is no such file."]
    )

    async def talk() -> list[str]:
        with opened(tmp_path / "real.db") as hx:
            one = await assistant.Assistant.begin(hx, workspace, model)
            return [part.text async for part in one.say("Read no.md") if part.text]

    assert asyncio.run(talk()) == ["There is no such file."]


# its conversation at the terminal


def _chatted(workspace: Any, hx: Any, model: ScriptedModel, *typed: str) -> None:
    lines = iter([*typed, EOFError()])

    def ask(prompt: str) -> str:
        line = next(lines)
        print(prompt, end="")
        if isinstance(line, EOFError):
            raise line
        return line

    asyncio.run(
        importlib.import_module("chat").chat(hx, workspace, model, web=False, ask=ask)
    )


@requirement("ADK-06")
def test_neither_an_empty_line_nor_a_model_that_fails_ends_a_conversation(
    workspace: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = ScriptedModel.playing([ConnectionError("no route\nto host"), "Here I am."])
    with opened(tmp_path / "real.db") as hx:
        _chatted(
            workspace,
            hx,
            model,
            "Hello",
            "",
            "Hello again",
            "/memory",
            "/nonsense",
            "/approve no-such",
        )
    printed = capsys.readouterr().out
    assert "The model did not answer (ConnectionError: no route to host)." in printed
    assert "Here I am." in printed
    assert "nothing yet" in printed
    assert "no-such" in printed


@requirement("SKILL-03")
@pytest.mark.parametrize(
    ("answer", "status"), [("y", "active"), ("", "draft"), ("no", "draft")]
)
def test_a_skill_is_shown_whole_before_it_is_approved_and_only_a_yes_approves_it(
    workspace: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    answer: str,
    status: str,
) -> None:
    steps = [{"tool": "export_page", "args": {"day": "{{ day }}"}}]
    day = {"properties": {"day": {"type": "string"}}, "required": ["day"]}
    with opened(tmp_path / "real.db") as hx:
        hx.skills.create(
            "ship",
            kind="composite",
            description="Ship it",
            definition={"steps": steps},
            parameters=day,
        )
        _chatted(
            workspace, hx, ScriptedModel.playing([]), "/skills", "/approve ship", answer
        )
        assert hx.skills.get("ship").status == status
    printed = capsys.readouterr().out
    assert "ship (draft): Ship it" in printed
    assert '"tool": "export_page"' in printed
    assert 'Dry run:\nexport_page {"day": "<day>"}' in printed
    assert "Approve it? [y/N]" in printed


@requirement("SKILL-03", "SKILL-05")
def test_a_script_that_may_not_be_approved_is_shown_with_what_was_found_and_not_asked_about(
    workspace: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(tmp_path / "real.db") as hx:
        hx.skills.create(
            "wipe", kind="script", description="Wipe", definition={"script": "rm -rf /"}
        )
        _chatted(workspace, hx, ScriptedModel.playing([]), "/approve wipe")
        assert hx.skills.get("wipe").status == "draft"
    printed = capsys.readouterr().out
    assert "line 1: reject" in printed
    assert "It cannot be approved: it is rejected" in printed
    assert "[y/N]" not in printed
