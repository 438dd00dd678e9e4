"""The hooks of coding agents: processor time of one that the server answers, and of one
that starts a command.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
from time import process_time
from typing import TYPE_CHECKING, Any

from mcp import Client

from benchmarks.corpus import entries, questions
from benchmarks.figures import Figure
from hexad import Hexad
from hexad.mcp.server import server_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENTRIES, CALLS, COMMANDS = 1000, 40, 7


def _events(number: int) -> dict[str, dict[str, Any]]:
    call = {
        "session_id": f"s{number % 4}",
        "tool_name": "Bash",
        "tool_use_id": f"c{number}",
    }
    failed = {
        "hook_event_name": "PostToolUseFailure",
        "error": "Exit code 127\nbash: pytst: command not found",
    }
    return {
        "a prompt": {
            "hook_event_name": "UserPromptSubmit",
            "session_id": f"s{number % 4}",
        },
        "a call that worked": {
            "hook_event_name": "PostToolUse",
            **call,
            "tool_input": {"command": f"pytest {number}"},
        },
        "a call that failed": {
            **failed,
            **call,
            "tool_input": {"command": f"pytst -k t{number}"},
        },
    }


def measure(folder: Path) -> Iterator[Figure]:
    """Over the server, then by command."""
    database = folder / "hooks.db"
    with Hexad.open(database, enabled=True) as hx:
        known = list(entries(ENTRIES, seed=7))
        for each in known:
            hx.knowledge.save(each.key, each.content, origin="import")
        spent = asyncio.run(_answered(hx, list(questions(CALLS + 5, 8, known))))
    for name, times in spent.items():
        detail = f"median of {CALLS}, processor time of client and server, {ENTRIES:,} entries"
        yield Figure(
            f"hook over MCP, {name}",
            statistics.median(times[5:]) * 1000,
            20,
            "ms",
            detail,
        )
    for name, event in _events(0).items():
        times = [_command(database, event) for _ in range(COMMANDS)]
        yield Figure(
            f"hook by command, {name}",
            min(times),
            0.4,
            "s",
            f"processor time, least of {COMMANDS} processes",
        )


async def _answered(hx: Hexad, asked: list[str]) -> dict[str, list[float]]:
    spent: dict[str, list[float]] = {name: [] for name in _events(0)}
    async with Client(server_of(hx, hooks=True)) as agent:
        for number, question in enumerate(asked):
            for name, event in _events(number).items():
                before = process_time()
                await agent.call_tool("hook", {"prompt": question, **event})
                spent[name].append(process_time() - before)
    return spent


def _command(database: Path, event: dict[str, Any]) -> float:
    before = os.times()
    words = [sys.executable, "-m", "hexad", "hook", "--db", str(database)]
    subprocess.run(
        words,
        input=json.dumps({"prompt": "how to run tests?", **event}),
        text=True,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = os.times()
    return (
        after.children_user
        + after.children_system
        - before.children_user
        - before.children_system
    )
