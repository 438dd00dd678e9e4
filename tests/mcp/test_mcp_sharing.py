"""Who shares a session, and that what a client reads about a limit of it is true, in
every protocol version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from hexad.mcp.server import server_of
from hexad.mcp.sessions import IDLE
from tests.mcp.mcp_support import MODES, ask, client, listening, play, refusal
from tests.support import opened, requirement

if TYPE_CHECKING:
    from pathlib import Path

FIRST: dict[str, Any] = {"key": "a", "content": "first"}
SECOND: dict[str, Any] = {"key": "b", "content": "second"}


@requirement("LIMIT-01")
def test_with_sessions_a_new_connection_has_room_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        with opened(tmp_path / "agent.db", max_knowledge=1) as hx:
            async with listening(hx) as url:
                async with client(url, mode="legacy") as one:
                    await ask(one, "save_knowledge", **FIRST)
                    assert "a new session has room again" in await refusal(
                        one, "save_knowledge", **SECOND
                    )
                async with client(url, mode="legacy") as again:
                    await ask(again, "save_knowledge", **SECOND)

    play(scenario())


@requirement("LIMIT-01")
def test_without_sessions_clients_of_one_name_and_address_share_one_until_they_are_silent(
    tmp_path: Path,
) -> None:
    now = [0.0]

    async def scenario() -> None:
        with opened(tmp_path / "agent.db", max_knowledge=1) as hx:
            async with listening(hx, now=lambda: now[0]) as url:
                async with client(url) as one:
                    await ask(one, "save_knowledge", **FIRST)
                async with client(url) as other:
                    await refusal(other, "save_knowledge", **SECOND)
                    now[0] += IDLE
                    await ask(other, "save_knowledge", **SECOND)

    play(scenario())


@requirement("LIMIT-01")
def test_without_sessions_a_header_distinguishes_clients(tmp_path: Path) -> None:
    async def scenario() -> None:
        with opened(tmp_path / "agent.db", max_knowledge=1) as hx:
            async with listening(hx) as url:
                for name, save in (("dana", FIRST), ("kim", SECOND)):
                    async with (
                        httpx2.AsyncClient(headers={"Hexad-Session": name}) as sender,
                        client(streamable_http_client(url, http_client=sender)) as one,
                    ):
                        await ask(one, "save_knowledge", **save)
                        await refusal(one, "save_knowledge", key="c", content="third")

    play(scenario())


@requirement("LIMIT-01")
@pytest.mark.parametrize("mode", MODES)
def test_in_process_a_server_that_is_restarted_has_room(
    tmp_path: Path, mode: str
) -> None:
    async def scenario() -> None:
        with opened(tmp_path / "agent.db", max_knowledge=1) as hx:
            async with client(server_of(hx), mode=mode) as one:
                await ask(one, "save_knowledge", **FIRST)
                await refusal(one, "save_knowledge", **SECOND)
            async with client(server_of(hx), mode=mode) as again:
                await ask(again, "save_knowledge", **SECOND)

    play(scenario())
