"""A long life of `hexad mcp` as a process of its own: a thousand calls in a row leave nothing behind in it."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from tests.mcp_support import MODES, process
from tests.support import opened, requirement
from tests.test_mcp_cancelling import MODERN
from tests.test_mcp_http import HEADERS, HELLO
from tests.test_mcp_stdio import READY, Spoken, call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what another process holds")

WARMING, CALLS = 200, 1000
FILLING = 12_000  # characters that each call carries, and that would be there still if calls were kept
MOST = CALLS * FILLING * 3 // 4  # bytes; what is measured is far less: SQLite's caches, and gaps
THREADS, FILES = 12, 3  # they come as they are needed, each with its connection to the database
numbers = itertools.count(10)


@dataclass(frozen=True, slots=True)
class Held:
    """What a process holds: memory of its own, open files and connections, threads."""

    memory: int
    files: int
    threads: int

    @classmethod
    def by(cls, process: int) -> Held:
        place = Path(f"/proc/{process}")
        lines = (place / "status").read_text(encoding="utf-8").splitlines()
        memory = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))
        return cls(memory, len(list((place / "fd").iterdir())), len(list((place / "task").iterdir())))


def next_call() -> tuple[dict[str, Any], bool]:
    """A cheap call that is like no other, and whether it fails."""
    number = next(numbers)
    text = f"where does counter {number} stand? " + f"{number:07} " * (FILLING // 8)
    given: list[tuple[str, dict[str, Any], bool]] = [
        ("search_knowledge", {"query": text}, False),
        ("get_context", {"message": text, "explain": False}, False),
        ("list_skills", {}, False),
        ("save_knowledge", {"key": text}, True),
    ]
    tool, arguments, fails = given[number % len(given)]
    return call(number, tool, **arguments), fails


def lasts(server: int, say: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Call a server a thousand times, and compare what it holds before and after."""

    def calls(count: int) -> Held:
        for _ in range(count):
            request, fails = next_call()
            answer = say(request)
            assert answer["id"] == request["id"]
            assert answer["result"].get("isError", False) is fails, answer
        return Held.by(server)

    before, after = calls(WARMING), calls(CALLS)
    assert after.memory - before.memory < MOST
    assert after.threads <= before.threads + THREADS
    assert after.files <= before.files + FILES * THREADS


@requirement("META-01")
def test_a_thousand_calls_over_pipes_leave_nothing_behind(tmp_path: Path) -> None:
    opened(tmp_path / "agent.db").close()
    spoken = Spoken(tmp_path / "agent.db")

    def say(request: dict[str, Any]) -> dict[str, Any]:
        spoken.say(request)
        return spoken.hear()

    try:
        say(HELLO)
        spoken.say(READY)
        lasts(spoken.process.pid, say)
    finally:
        spoken.process.kill()
        spoken.process.communicate()


@contextmanager
def serving(database: Path) -> Iterator[tuple[int, str]]:
    """The process, serving over HTTP, and its address."""
    server = process(database, "--http", "127.0.0.1:0", HEXAD_MCP_RATE="1000000")
    running = subprocess.Popen(
        [server.command, *server.args],
        stderr=subprocess.PIPE,
        env=os.environ | (server.env or {}),
        encoding="utf-8",
    )
    try:
        assert running.stderr
        yield running.pid, running.stderr.readline().strip().removeprefix("serving MCP at ")
    finally:
        running.kill()
        running.communicate()


def answer_of(response: httpx2.Response) -> dict[str, Any]:
    if response.headers["content-type"].startswith("application/json"):
        return response.json()  # type: ignore[no-any-return]
    [data] = [line for line in response.text.splitlines() if line.startswith("data: {") and '"id"' in line]
    return json.loads(data.removeprefix("data: "))  # type: ignore[no-any-return]


@requirement("META-01")
@pytest.mark.parametrize("mode", MODES)
def test_a_thousand_calls_over_http_leave_nothing_behind(tmp_path: Path, mode: str) -> None:
    opened(tmp_path / "agent.db").close()
    with serving(tmp_path / "agent.db") as (server, url), httpx2.Client(headers=HEADERS) as sender:
        headers: dict[str, str] = {}
        if mode == "legacy":
            headers["Mcp-Session-Id"] = sender.post(url, json=HELLO).headers["mcp-session-id"]

        def say(request: dict[str, Any]) -> dict[str, Any]:
            if mode == "legacy":
                return answer_of(sender.post(url, json=request, headers=headers))
            name = request["params"]["name"]
            routed = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": request["method"], "Mcp-Name": name}
            asked = {**request, "params": {**request["params"], "_meta": MODERN}}
            return answer_of(sender.post(url, json=asked, headers=routed))

        lasts(server, say)
