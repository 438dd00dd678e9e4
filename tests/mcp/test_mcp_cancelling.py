"""Calls over MCP that nobody waits for any more: what can be stopped is, and its place
is free when it has ended.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
import threading
import uuid
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from hexad.errors import NoSandbox
from hexad.mcp.server import server_of
from hexad.skills.sandbox import find_sandbox
from tests.mcp.mcp_support import MODES, ask, client, listening, play, teach_greeting
from tests.scripts.sandboxed import gone
from tests.support import opened, requirement

SLOW = 4  # skills that run at a time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from hexad import Hexad


def _sandboxed() -> bool:
    try:
        find_sandbox()
    except NoSandbox:
        return False
    return True


scripts = pytest.mark.skipif(not _sandboxed(), reason="no sandbox for scripts here")


MODERN = {  # what a client since 2026 says of itself with each request
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
}


class Napping:
    """An engine with a script that says when it has begun, and then sleeps for ten
    minutes.
    """

    def __init__(self, folder: Path) -> None:
        self.nap = f"600.{uuid.uuid4().int}"
        self.database = folder / "agent.db"
        self._pipe = folder / "below" / "pipe"
        self._pipe.parent.mkdir()
        os.mkfifo(self._pipe)
        for each in (folder, self._pipe.parent, self._pipe):
            each.chmod(0o777)
        definition = {
            "script": f"echo begun > {self._pipe}; sleep {self.nap}",
            "needs": ["write"],
            "writable": [str(self._pipe.parent)],
        }
        with self.opened() as hx:
            teach_greeting(hx)
            hx.skills.create(
                "nap", kind="script", description="Sleep", definition=definition
            )
            hx.skills.activate("nap", by="ada")

    def opened(self) -> Hexad:
        return opened(self.database, script_seconds=600)

    async def begun(self) -> None:
        assert await anyio.to_thread.run_sync(self._pipe.read_text) == "begun\n"

    async def ended(self) -> None:
        assert await anyio.to_thread.run_sync(gone, self.nap)


@pytest.fixture
def napping() -> Iterator[Napping]:
    folder = Path(tempfile.mkdtemp(prefix="hexad-nap-"))
    yield Napping(folder)
    shutil.rmtree(folder)


def outcomes(hx: Hexad) -> list[Any]:
    return sorted(
        str(each.details["outcome"])
        for each in hx.audit.records()
        if each.action == "skill.run"
    )


async def written_down(hx: Hexad, *expected: str) -> None:
    """Wait until so many runs are: nobody waits for one that was cancelled."""
    while len(outcomes(hx)) < len(expected):
        await anyio.sleep(0.01)
    assert outcomes(hx) == list(expected)


@asynccontextmanager
async def serving(hx: Hexad, where: str, **given: Any) -> AsyncIterator[Any]:
    """The server, to be called in process or over HTTP."""
    if where == "http":
        async with listening(hx, **given) as url:
            yield url
    else:
        yield server_of(hx, **given)


@requirement("SKILL-04", "SKILL-06")
@scripts
@pytest.mark.parametrize(("where", "mode"), [("process", "auto"), ("http", "legacy")])
def test_cancelling_a_call_ends_its_script_and_then_its_place_is_free(
    napping: Napping, where: str, mode: str
) -> None:
    async def scenario(hx: Hexad) -> None:
        async with serving(hx, where) as server, client(server, mode=mode) as one:
            for _ in range(SLOW + 1):  # each leaves its place to the next
                async with anyio.create_task_group() as group:
                    group.start_soon(one.call_tool, "run_skill", {"name": "nap"})
                    await napping.begun()
                    group.cancel_scope.cancel()
                await napping.ended()
            await ask(one, "run_skill", name="greet", parameters={"who": "Ada"})
            await written_down(hx, *["cancelled"] * (SLOW + 1), "ok")

    with napping.opened() as hx:
        play(scenario(hx))


def posted(connection: socket.socket, body: dict[str, Any], **headers: str) -> None:
    content = json.dumps(body).encode()
    head = {
        "Host": "127.0.0.1",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "Content-Length": str(len(content)),
        **headers,
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    connection.sendall(f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode() + content)


@requirement("SKILL-04", "SKILL-06")
@scripts
@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_hangs_up_ends_the_script_that_it_waited_for(
    napping: Napping, mode: str
) -> None:
    async def scenario(hx: Hexad) -> None:
        async with listening(hx) as url:
            port = int(url.split(":")[2].split("/")[0])
            headers, meta = await _introduced(url, mode)
            call = {"name": "run_skill", "arguments": {"name": "nap"}, **meta}
            connection = await anyio.to_thread.run_sync(
                socket.create_connection, ("127.0.0.1", port)
            )
            with connection:
                posted(
                    connection,
                    {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call},
                    **headers,
                )
                await napping.begun()
            await napping.ended()
            async with client(url) as one:
                await ask(one, "run_skill", name="greet", parameters={"who": "Ada"})
            await written_down(hx, "cancelled", "ok")

    with napping.opened() as hx:
        play(scenario(hx))


async def _introduced(url: str, mode: str) -> tuple[dict[str, str], dict[str, Any]]:
    """The header that a client of each age sends with a call: the session that it has
    opened, or who it is.
    """
    from tests.mcp.test_mcp_http import post

    if mode == "legacy":
        return {"Mcp-Session-Id": (await post(url)).headers["mcp-session-id"]}, {}
    headers = {
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "run_skill",
    }
    return headers, {"_meta": MODERN}


class Steps:
    """A skill of two steps: the first waits until it is released."""

    def __init__(self, hx: Hexad) -> None:
        self.begun, self.release = threading.Semaphore(0), threading.Event()
        self.after: list[str] = []
        steps = [{"tool": "slow", "args": {}}, {"tool": "last", "args": {}}]
        hx.skills.create(
            "walk", kind="composite", description="Walk", definition={"steps": steps}
        )
        hx.skills.activate("walk")

    @property
    def tools(self) -> list[Any]:
        def slow() -> str:
            self.begun.release()
            assert self.release.wait(500)
            return "done"

        def last() -> str:
            self.after.append("last")
            return "done"

        return [slow, last]


@requirement("SKILL-04")
@pytest.mark.parametrize(("where", "mode"), [("process", "auto"), ("http", "legacy")])
def test_a_step_that_cannot_be_stopped_keeps_its_place_until_it_has_ended(
    file_hx: Hexad, where: str, mode: str
) -> None:
    walk = Steps(file_hx)
    teach_greeting(file_hx)
    greeted: list[str] = []

    async def greet(one: Any) -> None:
        greeted.append(
            (await ask(one, "run_skill", name="greet", parameters={"who": "Ada"}))[
                "result"
            ]["output"]
        )

    async def scenario() -> None:
        async with (
            serving(file_hx, where, tools=walk.tools) as server,
            client(server, mode=mode) as one,
        ):
            async with anyio.create_task_group() as group:
                for _ in range(SLOW):
                    group.start_soon(one.call_tool, "run_skill", {"name": "walk"})
                for _ in range(SLOW):
                    await anyio.to_thread.run_sync(walk.begun.acquire)
                group.cancel_scope.cancel()
            async with anyio.create_task_group() as group:
                group.start_soon(greet, one)
                assert (await ask(one, "search_knowledge", query="anything"))[
                    "count"
                ] == 0
                assert (
                    greeted == []
                )  # all places are taken, though nobody waits for what is done in them
                walk.release.set()
            await written_down(file_hx, *["cancelled"] * SLOW, "ok")

    play(scenario())
    assert greeted == ["Hello Ada"]
    assert walk.after == []  # nothing more was begun


@requirement("SKILL-04")
def test_a_tool_that_is_a_coroutine_is_cancelled(file_hx: Hexad) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def waits() -> None:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    steps = [{"tool": "waits", "args": {}}]
    file_hx.skills.create(
        "wait", kind="composite", description="Wait", definition={"steps": steps}
    )
    file_hx.skills.activate("wait")

    async def scenario() -> None:
        async with (
            client(server_of(file_hx, tools=[waits])) as one,
            anyio.create_task_group() as group,
        ):
            group.start_soon(one.call_tool, "run_skill", {"name": "wait"})
            await anyio.to_thread.run_sync(begun.wait)
            group.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(ended.wait, 500)

    play(scenario())


@requirement("SKILL-04")
def test_what_was_cancelled_while_it_waited_for_a_place_never_begins(
    file_hx: Hexad,
) -> None:
    walk = Steps(file_hx)

    async def scenario() -> None:
        async with (
            client(server_of(file_hx, tools=walk.tools)) as one,
            anyio.create_task_group() as group,
        ):
            for _ in range(SLOW):
                group.start_soon(one.call_tool, "run_skill", {"name": "walk"})
            for _ in range(SLOW):
                await anyio.to_thread.run_sync(walk.begun.acquire)
            async with anyio.create_task_group() as waiting:
                waiting.start_soon(one.call_tool, "run_skill", {"name": "walk"})
                await anyio.wait_all_tasks_blocked()
                waiting.cancel_scope.cancel()
            walk.release.set()

    play(scenario())
    assert walk.after == ["last"] * SLOW
    assert not walk.begun.acquire(blocking=False)
