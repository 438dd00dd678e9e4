"""`hexad mcp` as a client starts it: a real process, spoken to over its standard input
and output.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from importlib import metadata
from typing import TYPE_CHECKING, Any

import pytest

from hexad.errors import PackageTooOld
from hexad.extras import install_command
from hexad.mcp import require_sdk
from tests.mcp.mcp_support import ask, client, play, process, teach_greeting, tour
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "by-hand", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


class Spoken:
    """The process with pipes that the test writes and reads by hand."""

    def __init__(self, database: Path) -> None:
        server = process(database)
        self.process = subprocess.Popen(
            [server.command, *server.args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | (server.env or {}),
            encoding="utf-8",
        )

    def say(self, *messages: dict[str, Any] | str) -> None:
        assert self.process.stdin
        for message in messages:
            self.process.stdin.write(
                (message if isinstance(message, str) else json.dumps(message)) + "\n"
            )
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())  # type: ignore[no-any-return]

    def greet(self) -> None:
        self.say(HELLO)
        assert self.hear()["result"]["serverInfo"]["name"] == "hexad"
        self.say(READY)


@pytest.fixture
def spoken(tmp_path: Path) -> Iterator[Spoken]:
    with opened(tmp_path / "agent.db") as hx:
        teach_greeting(hx)
        hx.knowledge.save("deploy-window", "Deploy on Tuesdays only")
    server = Spoken(tmp_path / "agent.db")
    try:
        yield server
    finally:
        server.process.kill()
        server.process.communicate()


@requirement("META-01")
def test_a_process_answers_each_tool_and_resource(tmp_path: Path) -> None:
    with opened(tmp_path / "agent.db") as hx:
        teach_greeting(hx)

    async def scenario() -> None:
        async with client(process(tmp_path / "agent.db")) as one:
            await tour(one)

    play(scenario())
    with opened(tmp_path / "agent.db") as hx:
        assert hx.knowledge.get("deploy-window").session.startswith("mcp:")


@requirement("META-01", "CONF-01")
def test_starting_it_is_enabling_it_in_the_namespace_that_is_named(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with client(
            process(tmp_path / "new.db", "--namespace", "team"), mode="legacy"
        ) as one:
            await ask(one, "save_knowledge", key="a", content="first")

    play(scenario())
    with opened(tmp_path / "new.db", namespace="team") as hx:
        assert [entry.key for entry in hx.knowledge.list()] == ["a"]


@requirement("META-01")
def test_nothing_but_the_protocol_is_on_standard_output(spoken: Spoken) -> None:
    spoken.greet()
    spoken.say(
        "this is no JSON", call(2, "save_knowledge", key="a"), call(3, "no_such_tool")
    )
    answers = {
        answer["id"]: answer for answer in (spoken.hear() for _ in range(2))
    }  # none to what is no message
    assert all(answers[number]["result"]["isError"] for number in (2, 3))
    rest, _ = spoken.process.communicate(timeout=500)
    assert [json.loads(line)["jsonrpc"] for line in rest.splitlines()] == ["2.0"] * len(
        rest.splitlines()
    )


@requirement("META-01", "CTX-09")
def test_the_end_of_input_ends_it_and_what_waits_is_written(
    spoken: Spoken, tmp_path: Path
) -> None:
    spoken.greet()
    spoken.say(call(2, "get_context", message="deploy"))
    assert not spoken.hear()["result"]["isError"]
    _, complaints = spoken.process.communicate(timeout=500)
    assert (spoken.process.returncode, complaints) == (0, "")
    with opened(tmp_path / "agent.db") as hx:
        assert hx.knowledge.get("deploy-window").use_count == 1


@requirement("META-01", "CTX-09")
def test_a_signal_ends_it_and_what_waits_is_written(
    spoken: Spoken, tmp_path: Path
) -> None:
    spoken.greet()
    spoken.say(call(2, "get_context", message="deploy"))
    spoken.hear()
    spoken.process.send_signal(signal.SIGTERM)
    assert spoken.process.wait(timeout=500) == 0
    assert spoken.process.stderr
    assert spoken.process.stderr.read() == ""
    with opened(tmp_path / "agent.db") as hx:
        assert hx.knowledge.get("deploy-window").use_count == 1


@requirement("META-01")
def test_without_the_extra_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    hide = "import sys; sys.modules['mcp'] = None; from hexad.cli import main; sys.exit(main(sys.argv[1:]))"
    for arguments in (
        ["mcp"],
        ["mcp", "install", "--client", "cursor", "--path", "c.json", "--yes"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", hide, *arguments],
            cwd=tmp_path,
            input="",
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 1
        assert done.stderr == (
            f"error: the MCP server needs a package that is not installed: {install_command('mcp')}\n"
        )
        assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


@requirement("META-01")
@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["mcp", "--help"],
        ["mcp", "uninstall", "--client", "cursor", "--path", "c"],
    ],
)
def test_the_package_is_not_loaded_before_it_is_needed(
    tmp_path: Path, arguments: list[str]
) -> None:
    look = (
        "import sys; from hexad.cli import main; main(sys.argv[1:]); "
        "sys.exit(bool({'mcp', 'mcp_types', 'anyio', 'starlette', 'uvicorn'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", look, *arguments],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0


@requirement("META-01")
@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("1.27.0", "needs mcp 2 or newer, and 1.27.0 is installed"),
        ("2.0.0", ""),
        ("dev", ""),
    ],
)
def test_an_sdk_that_is_too_old_is_named(
    monkeypatch: pytest.MonkeyPatch, version: str, says: str
) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: version)
    with pytest.raises(PackageTooOld, match=says) if says else nullcontext():
        require_sdk()
