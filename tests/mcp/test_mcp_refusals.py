"""Every refusal over HTTP reaches the agent behind the official client, as a sentence."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from hexad.mcp.http import Access
from tests.mcp.mcp_support import ANY_PORT, MODES, ask, client, listening, play
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from mcp import Client

TOKEN = "a-token-of-some-length"


@asynccontextmanager
async def official(
    url: str, mode: str, changing: dict[str, str] | None = None
) -> AsyncIterator[Client]:
    """The official client, whose requests carry what ``changing`` holds at that time."""

    async def dress(request: httpx2.Request) -> None:
        request.headers.update(changing or {})

    async with (
        httpx2.AsyncClient(event_hooks={"request": [dress]}) as sender,
        client(streamable_http_client(url, http_client=sender), mode=mode) as one,
    ):
        yield one


async def heard(one: Client, **given: Any) -> str:
    with pytest.raises(MCPError) as refused:
        await one.call_tool("search_knowledge", {"query": "deploy", **given})
    return refused.value.message


async def repeated(one: Client, times: int) -> None:
    for _ in range(times):
        await ask(one, "search_knowledge", query="deploy")


@requirement("META-01")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("headers", "says"),
    [
        (
            {"Authorization": "Bearer wrong"},
            "send the header Authorization: Bearer TOKEN",
        ),
        ({"Host": "evil.example"}, "does not answer to that Host; --allow-host"),
        (
            {"Origin": "http://evil.example"},
            "pages of that Origin may not call this server",
        ),
    ],
)
def test_an_agent_hears_why_its_requests_are_refused(
    tmp_path: Path, mode: str, headers: dict[str, str], says: str
) -> None:
    async def scenario() -> None:
        with opened(tmp_path / "agent.db", mcp_token=TOKEN) as hx:
            changing = {"Authorization": f"Bearer {TOKEN}"}
            async with (
                listening(hx, Access(address=ANY_PORT)) as url,
                official(url, mode, changing) as one,
            ):
                good = dict(changing)
                changing.update(headers)
                assert says in await heard(one)
                for name in headers:
                    changing.pop(name)
                changing.update(good)

    play(scenario())


@requirement("META-01", "LIMIT-01")
@pytest.mark.parametrize("mode", MODES)
def test_an_agent_hears_that_it_asks_too_often(tmp_path: Path, mode: str) -> None:
    async def scenario() -> None:
        with opened(tmp_path / "agent.db", mcp_rate=8) as hx:
            async with listening(hx) as url, official(url, mode) as one:
                with pytest.raises(MCPError, match=r"\(mcp_rate\); ask again in"):
                    await repeated(one, 9)

    play(scenario())


@requirement("LIMIT-01")
@pytest.mark.parametrize(
    "headers", [{}, {"Host": "evil.example"}, {"Origin": "http://evil.example"}]
)
def test_who_is_refused_cannot_use_up_what_others_of_its_address_may_ask(
    tmp_path: Path, headers: dict[str, str]
) -> None:
    async def scenario() -> None:
        with opened(tmp_path / "agent.db", mcp_token=TOKEN, mcp_rate=20) as hx:
            async with listening(hx) as url:
                async with httpx2.AsyncClient() as stranger:
                    came = [
                        (
                            await stranger.post(url, content=b"{}", headers=headers)
                        ).status_code
                        for _ in range(30)
                    ]
                assert came[0] in {401, 403, 421}
                assert came[-1] == 429
                async with official(
                    url, "auto", {"Authorization": f"Bearer {TOKEN}"}
                ) as one:
                    await ask(one, "search_knowledge", query="deploy")

    play(scenario())
