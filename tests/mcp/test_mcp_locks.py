"""While another process keeps the database locked: who reads is answered, who writes
hears of it, nothing is lost.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from hexad.agent_tools import agent_tools
from hexad.errors import StoreFull
from hexad.mcp.server import server_of
from hexad_testing.faulty_store import FaultyStore, over
from tests.mcp.mcp_support import MODES, ask, client, context, in_process, play, refusal
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mcp import Client

SHORT = 1.0  # seconds that a writer waits for the lock: enough for writers of this process on a busy machine


@contextmanager
def locked(database: Path) -> Iterator[sqlite3.Connection]:
    """Another connection that keeps the write lock."""
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield other
    finally:
        other.close()


@requirement("LEARN-01")
@pytest.mark.parametrize("mode", MODES)
def test_a_report_that_cannot_be_stored_is_an_error_and_can_be_made_again(
    tmp_path: Path, mode: str
) -> None:
    database = tmp_path / "agent.db"
    failure = {"tool": "book", "args": {"day": "31/01"}, "error": "cannot read the day"}

    async def scenario() -> None:
        with opened(database, lock_timeout=SHORT) as hx:
            async with in_process(hx, mode=mode) as one:
                with locked(database):
                    assert "locked; try again" in await refusal(
                        one, "report_tool_result", **failure
                    )
                assert (await ask(one, "report_tool_result", **failure))["failed"]
                assert [each.seen for each in hx.learnings.list(noticed=True)] == [1]

    play(scenario())


@requirement("LEARN-01")
def test_calls_that_cannot_be_recorded_are_answered_and_one_warning_says_why(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = tmp_path / "agent.db"

    async def scenario() -> None:
        with opened(database, lock_timeout=SHORT) as hx:
            async with in_process(hx) as one:
                with locked(database):
                    for tool in ("list_knowledge", "list_skills"):
                        assert (await ask(one, tool))["status"] == "ok"
                        assert (await ask(one, tool))["status"] == "ok"

    play(scenario())
    assert caplog.text.count("was not recorded: StoreBusy") == 1


class FullStore(FaultyStore):
    """A store whose disk has no room left: it is read, and not written."""

    @contextmanager
    def transaction(
        self, namespace: str, *, patience: float | None = None
    ) -> Iterator[Any]:
        raise StoreFull(namespace, "no space left on the disk")
        yield


@requirement("SAFE-06", "LEARN-01")
def test_on_a_full_disk_context_is_answered_and_one_warning_says_why(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        with opened(tmp_path / "agent.db") as hx:
            hx.knowledge.save("window", "Deploy on Tuesdays only")
            async with in_process(over(hx, FullStore(hx.store))) as one:
                for _ in range(3):
                    assert "Tuesdays" in await context(
                        one, message="when may I deploy?"
                    )
                    assert (await ask(one, "list_knowledge"))["status"] == "ok"

    play(scenario())
    assert caplog.text.count("no space left") == 1


@requirement("LEARN-01", "LIMIT-01")
def test_a_limit_or_a_lock_is_no_lesson_about_the_tool(tmp_path: Path) -> None:
    database = tmp_path / "agent.db"
    with opened(
        database, lock_timeout=SHORT, max_knowledge=1, max_skills_per_day=0
    ) as hx:
        tools = {
            tool.__name__: tool for tool in agent_tools(hx.scoped(session="chat:1"))
        }
        assert tools["save_knowledge"]("a", "first")["status"] == "ok"
        with locked(database):
            assert "locked; try again" in tools["save_knowledge"]("a", "other")["error"]
        assert "limit of 1" in tools["save_knowledge"]("b", "second")["error"]
        assert (
            "skills"
            in tools["create_skill"]("s", "instruction", "d", {"text": "t"})["error"]
        )
        assert hx.learnings.list() == ()
        actions = [record.action for record in hx.audit.records()]
    assert {"knowledge.reject", "skills.reject"} <= set(actions)


@requirement("LEARN-01")
def test_a_save_that_found_the_store_locked_does_not_wait_for_it_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = tmp_path / "agent.db"
    with opened(database, lock_timeout=SHORT) as hx:
        save = agent_tools(hx)[0]
        with locked(database):
            assert save("a", "first")["status"] == "error"
    assert (
        "was not recorded" not in caplog.text
    )  # what it would say after it had waited


@requirement("META-01")
def test_writers_that_wait_keep_no_reader_waiting(tmp_path: Path) -> None:
    database = tmp_path / "agent.db"

    async def save(one: Client, number: int) -> None:
        await ask(one, "save_knowledge", key=f"k{number}", content="later")

    async def scenario() -> None:
        with opened(database, max_knowledge=100, lock_timeout=600) as hx:
            hx.knowledge.save("kettle", "The kettle is known")
            server = server_of(hx)
            async with client(server, "w") as one, client(server, "r") as two:
                async with anyio.create_task_group() as group:
                    with locked(database):
                        for number in range(8):
                            group.start_soon(save, one, number)
                        await anyio.wait_all_tasks_blocked()
                        assert "The kettle is known" in await context(
                            two, message="which kettle?"
                        )
                        assert (await ask(two, "search_knowledge", query="kettle"))[
                            "count"
                        ] == 1
                        assert len(hx.knowledge.list()) == 1
                assert len(hx.knowledge.list()) == 9

    play(scenario())


@requirement("META-01")
@pytest.mark.parametrize("mode", MODES)
def test_a_save_that_waits_reports_progress(tmp_path: Path, mode: str) -> None:
    database = tmp_path / "agent.db"

    async def scenario() -> list[str | None]:
        heard: list[str | None] = []
        with opened(database) as hx, locked(database) as other:

            async def note(
                _done: float, _total: float | None, message: str | None
            ) -> None:
                heard.append(message)
                if len(heard) == 2:
                    other.rollback()

            async with in_process(hx, mode=mode, beat=0.05) as one:
                given: dict[str, Any] = {"key": "a", "content": "first"}
                assert not (
                    await one.call_tool("save_knowledge", given, None, note)
                ).is_error
        return heard

    assert play(scenario())[:2] == ["save_knowledge is in progress"] * 2
