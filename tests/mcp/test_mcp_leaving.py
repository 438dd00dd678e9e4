"""A client over pipes that dies: the process ends as with any end, whichever pipe
closes first, and its script too.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.mcp.mcp_support import process
from tests.mcp.test_mcp_cancelling import scripts
from tests.mcp.test_mcp_stdio import Spoken, call
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator

NAP = f"sleep 600.{os.getpid()}"  # its argument identifies the process


@pytest.fixture
def napping(tmp_path: Path) -> Iterator[Spoken]:
    """A server on which a script runs, whose progress is reported."""
    _teach_nap(tmp_path / "agent.db")
    server = Spoken(tmp_path / "agent.db")
    server.greet()
    server.say(_with_progress(call(2, "run_skill", name="long")))
    assert server.hear()["method"] == "notifications/progress"
    assert server.hear()["method"] == "notifications/progress"
    try:
        yield server
    finally:
        _closed(server.process)


def _closed(process: subprocess.Popen[Any]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _teach_nap(database: Path) -> None:
    with opened(database) as hx:
        hx.skills.create(
            "long", kind="script", description="Wait", definition={"script": NAP}
        )
        hx.skills.activate("long", by="ada")


def _with_progress(message: dict[str, Any]) -> dict[str, Any]:
    message["params"]["_meta"] = {"progressToken": "t"}
    return message


def _naps() -> list[str]:
    """The processes of the script on this machine."""
    shown = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = each.read_bytes().split(b"\0")
        except OSError:
            continue
        if NAP.split()[1].encode() in words:
            shown.append(each.parent.name)
    return shown


def _ended_well(server: Spoken) -> None:
    assert server.process.wait(timeout=500) == 0
    assert server.process.stderr
    assert server.process.stderr.read() == ""
    for _ in range(10_000):  # a killed process may still be on its way out
        if not _naps():
            break
        time.sleep(0.05)
    assert _naps() == []


@requirement("STORE-02")
@scripts
@pytest.mark.parametrize("first", ["stdout"])
def test_both_pipes_close_while_a_script_runs(napping: Spoken, first: str) -> None:
    pipes = {"stdin": napping.process.stdin, "stdout": napping.process.stdout}
    for pipe in (pipes.pop(first), *pipes.values()):
        assert pipe
        pipe.close()
    _ended_well(napping)


@requirement("STORE-02")
def test_nobody_reads_the_answer_to_a_request(tmp_path: Path) -> None:
    server = Spoken(tmp_path / "agent.db")
    server.greet()
    assert server.process.stdout
    server.process.stdout.close()
    server.say(
        call(2, "save_knowledge", key="late", content="Said with the last breath")
    )
    _ended_well(server)
    _closed(server.process)
    with opened(tmp_path / "agent.db") as hx:
        assert hx.knowledge.get("late")


@requirement("STORE-02")
@pytest.mark.soak
@scripts
def test_the_client_is_killed(tmp_path: Path) -> None:
    _teach_nap(tmp_path / "agent.db")
    server = process(tmp_path / "agent.db")
    code = textwrap.dedent(
        f"""
        import asyncio
        from mcp import Client, StdioServerParameters

        async def beat(*_):
            print("beat", flush=True)

        async def main():
            server = StdioServerParameters(command={server.command!r}, args={server.args!r}, env={server.env!r})
            async with Client(server) as one:
                await one.call_tool("run_skill", {{"name": "long"}}, None, beat)

        asyncio.run(main())
        """
    )
    dying = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert dying.stdout
    assert dying.stderr
    assert [dying.stdout.readline() for _ in range(2)] == [b"beat\n"] * 2
    dying.send_signal(signal.SIGKILL)
    dying.wait(timeout=500)
    assert (
        dying.stderr.read() == b""
    )  # the server has the same one: it is read until that has ended too
    _closed(dying)
    assert _naps() == []
