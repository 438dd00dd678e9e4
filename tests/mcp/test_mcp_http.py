"""The MCP server over real HTTP on this machine: who gets in, what is bounded, and how
it ends.
"""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import socket
import subprocess
import threading
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import anyio
import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.client.streamable_http import streamable_http_client

from hexad.agents.address import Address
from hexad.agents.guard import Rates
from hexad.errors import ConfigError, InvalidInput
from hexad.mcp.http import Access, HttpServer, app_of
from hexad.mcp.server import server_of
from hexad.mcp.sessions import IDLE
from tests.mcp.mcp_support import (
    ANY_PORT,
    MODES,
    ask,
    client,
    context,
    listening,
    play,
    process,
    teach_greeting,
    tour,
)
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from mcp import Client

    from hexad import Hexad

TOKEN = "a-token-of-some-length"
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}


async def post(url: str, body: Any = HELLO, **headers: str) -> httpx2.Response:
    """One request, as any program could make it."""
    async with httpx2.AsyncClient() as sender:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await sender.post(url, content=content, headers={**HEADERS, **headers})


@asynccontextmanager
async def with_headers(url: str, headers: dict[str, str]) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=headers) as sender,
        client(streamable_http_client(url, http_client=sender)) as one,
    ):
        yield one


@requirement("META-01")
@pytest.mark.parametrize("mode", MODES)
def test_each_tool_resource_and_prompt_answers_over_http(
    file_hx: Hexad, mode: str
) -> None:
    teach_greeting(file_hx)

    async def scenario() -> None:
        async with listening(file_hx) as url, client(url, mode=mode) as one:
            await tour(one)

    play(scenario())


@requirement("LIMIT-01")
def test_a_client_without_a_session_is_a_new_one_after_half_an_hour_of_silence(
    file_hx: Hexad,
) -> None:
    now = [0.0]

    async def scenario() -> list[str]:
        sessions = []
        async with listening(file_hx, now=lambda: now[0]) as url, client(url) as one:
            for passed in (0.0, IDLE - 1, IDLE):
                now[0] += passed
                text = await context(
                    one, message="hello there", layers=["runtime_context"]
                )
                sessions.append(re.findall(r"session: (mcp:\w+)", text)[0])
        return sessions

    first, second, third = play(scenario())
    assert first == second != third


@requirement("META-01")
def test_a_session_cannot_be_claimed_by_naming_it(file_hx: Hexad) -> None:
    async def scenario() -> tuple[str, str]:
        described = []
        async with listening(file_hx) as url:
            for claimed in ("one", "two"):
                async with with_headers(url, {"Mcp-Session-Id": claimed}) as one:
                    described.append(
                        await context(
                            one, message="hello there", layers=["runtime_context"]
                        )
                    )
        return described[0], described[1]

    first, second = play(scenario())
    assert first == second


# --- who gets in ----------------------------------------------------------------------------------------------------


@requirement("CONF-03")
def test_a_token_is_needed_where_one_is_set(tmp_path: Path) -> None:
    async def scenario() -> None:
        with opened(tmp_path / "agent.db", mcp_token=TOKEN) as hx:
            async with listening(hx) as url:
                for headers in (
                    {},
                    {"Authorization": "Bearer wrong"},
                    {"Authorization": TOKEN},
                    {"Authorization": "Bearer"},
                ):
                    refused = await post(url, **headers)
                    assert refused.status_code == 401
                    assert refused.headers["www-authenticate"] == "Bearer"
                    assert "Authorization: Bearer" in refused.text
                    assert TOKEN not in refused.text
                assert (
                    await post(url, Authorization=f"Bearer {TOKEN}")
                ).status_code == 200
                async with with_headers(
                    url, {"Authorization": f"bearer {TOKEN}"}
                ) as one:
                    await ask(one, "list_skills")

    play(scenario())


@requirement("CONF-03")
@pytest.mark.parametrize(
    "token", ["short", "with a space in the middle", "ünïcödé-tökén-lông"]
)
def test_a_token_that_is_too_weak_for_a_header_is_refused(
    tmp_path: Path, token: str
) -> None:
    with pytest.raises(ConfigError, match="mcp_token") as refused:
        opened(tmp_path / "agent.db", mcp_token=token)
    assert token not in str(refused.value)


@requirement("CONF-04")
def test_a_token_is_in_no_representation(tmp_path: Path) -> None:
    with opened(tmp_path / "agent.db", mcp_token=TOKEN) as hx:
        app = app_of(server_of(hx), hx.settings, Access(address=ANY_PORT))
        assert TOKEN not in repr(hx.settings) + repr(app)


@requirement("CONF-03")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.com"])  # noqa: S104 - that is the point
def test_others_are_let_in_only_with_a_token(tmp_path: Path, host: str) -> None:
    access = Access(address=Address(host, 0))
    with (
        opened(tmp_path / "agent.db") as hx,
        pytest.raises(ConfigError, match="HEXAD_MCP_TOKEN"),
    ):
        app_of(server_of(hx), hx.settings, access)
    with opened(tmp_path / "agent.db", mcp_token=TOKEN) as hx:
        assert app_of(server_of(hx), hx.settings, access)


NAMES_AND_PAGES: Final = [
    ({}, 200),
    ({"Host": "localhost:{port}"}, 200),
    ({"Host": "[::1]:{port}"}, 200),
    ({"Host": "allowed.example"}, 200),
    ({"Host": "rebound.example:{port}"}, 421),
    ({"Host": "192.0.2.7:{port}"}, 421),
    ({"Host": "127.0.0.1.evil.example"}, 421),
    ({"Host": "127.0.0.1:evil"}, 421),
    ({"Host": "[::1].evil.example"}, 421),
    ({"Host": "user@127.0.0.1:{port}"}, 421),
    ({"Origin": "http://127.0.0.1:{port}"}, 200),
    ({"Origin": "https://allowed.example"}, 200),
    ({"Origin": "http://127.0.0.1:1"}, 403),
    ({"Origin": "http://localhost:{port}"}, 403),
    ({"Origin": "https://evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": "http://["}, 403),
    ({"Origin": "file://"}, 403),
]


@requirement("META-01")
def test_only_our_own_names_and_pages_are_served(file_hx: Hexad) -> None:
    access = Access(
        address=ANY_PORT,
        hosts=frozenset({"allowed.example"}),
        origins=frozenset({"https://allowed.example"}),
    )

    async def scenario() -> list[tuple[dict[str, str], int]]:
        async with listening(file_hx, access) as url:
            port = url.split(":")[2].split("/")[0]

            async def status(headers: dict[str, str]) -> int:
                named = {
                    name: value.replace("{port}", port)
                    for name, value in headers.items()
                }
                return (await post(url, **named)).status_code

            return [(headers, await status(headers)) for headers, _ in NAMES_AND_PAGES]

    assert play(scenario()) == NAMES_AND_PAGES


@requirement("CONF-03")
@pytest.mark.parametrize(
    ("origin", "lets"),
    [("https://allowed.example", True), ("https://evil.example", False)],
)
def test_a_browser_lets_pages_that_were_named_ask_and_no_others(
    tmp_path: Path, origin: str, lets: bool
) -> None:
    access = Access(address=ANY_PORT, origins=frozenset({"https://allowed.example"}))
    asks = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,mcp-protocol-version",
    }

    async def scenario() -> tuple[httpx2.Response, httpx2.Response]:
        with opened(tmp_path / "agent.db", mcp_token=TOKEN) as hx:
            async with listening(hx, access) as url, httpx2.AsyncClient() as browser:
                before = await browser.options(url, headers=asks)
                return before, await post(
                    url, Origin=origin, Authorization=f"Bearer {TOKEN}"
                )

    before, answer = play(scenario())
    described = [
        each.headers.get("access-control-allow-origin") for each in (before, answer)
    ]
    assert described == ([origin, origin] if lets else [None, None])
    assert (before.status_code, answer.status_code) == (
        (200, 200) if lets else (400, 403)
    )
    if lets:
        assert "authorization" in before.headers["access-control-allow-headers"]
        assert "mcp-session-id" in answer.headers["access-control-expose-headers"]


@requirement("CONF-03")
def test_who_asks_too_often_has_to_wait(tmp_path: Path) -> None:
    async def scenario() -> list[httpx2.Response]:
        with opened(tmp_path / "agent.db", mcp_rate=3, mcp_token=TOKEN) as hx:
            async with listening(hx) as url:
                forwarded = [
                    {"X-Forwarded-For": f"10.0.0.{n}"} for n in range(4)
                ]  # it is one caller with any of them
                return [
                    await post(url, Authorization="Bearer wrong", **each)
                    for each in forwarded
                ]

    *guesses, refused = play(scenario())
    assert [guess.status_code for guess in guesses] == [401, 401, 401]
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 21


@requirement("CONF-03")
@given(
    per_minute=st.integers(1, 1000),
    gaps=st.lists(st.floats(0, 90, allow_nan=False), max_size=60),
)
def test_no_minute_holds_more_than_the_bucket_and_its_refill(
    per_minute: int, gaps: list[float]
) -> None:
    now = [0.0]
    rates = Rates(per_minute, lambda: now[0])
    taken = []
    for gap in gaps:
        now[0] += gap
        if rates.wait("ada") == 0:
            taken.append(now[0])
    for start in taken:
        assert sum(start <= each < start + 60 for each in taken) <= 2 * per_minute + 1


@requirement("CONF-03")
def test_waiting_as_long_as_asked_is_enough() -> None:
    now = [0.0]
    rates = Rates(2, lambda: now[0])
    assert [rates.wait("ada"), rates.wait("ada")] == [0.0, 0.0]
    seconds = rates.wait("ada")
    assert seconds == pytest.approx(30)
    assert rates.wait("bob") == 0.0
    now[0] += seconds + 0.001
    assert rates.wait("ada") == 0.0


@requirement("KNOW-09")
def test_a_body_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    async def scenario() -> tuple[int, int]:
        with opened(tmp_path / "agent.db", max_text=1000) as hx:
            async with listening(hx) as url:
                small = await post(url)
                large = await post(url, b"[" + b" " * 70_000 + b"]")
                return small.status_code, large.status_code

    assert play(scenario()) == (200, 413)


# --- addresses ------------------------------------------------------------------------------------------------------


@requirement("CONF-03")
@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("8765", "127.0.0.1", 8765),
        (":0", "127.0.0.1", 0),
        ("localhost:80", "127.0.0.1", 80),
        ("[::1]:80", "::1", 80),
        ("192.0.2.7:80", "192.0.2.7", 80),
    ],
)
def test_an_address_without_a_host_is_this_machine(
    text: str, host: str, port: int
) -> None:
    assert Address.parse(text) == Address(host, port)


@requirement("CONF-03")
@pytest.mark.parametrize(
    "text",
    ["", "localhost", "a:b", "1:70000", "::1:80", "127.0.0.1:-1", "127.0.0.1:8٣"],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="HOST:PORT"):
        Address.parse(text)


@requirement("CONF-03")
def test_beyond_this_machine_addresses_are_answered_to_and_foreign_names_are_not() -> (
    None
):
    server, hosts = (
        Address("0.0.0.0", 80),  # noqa: S104
        ("192.0.2.7:80", "[2001:db8::1]", "desk.example", "evil.example", ""),
    )
    admitted = [
        host for host in hosts if server.answers_to(host, frozenset({"desk.example"}))
    ]
    assert admitted == ["192.0.2.7:80", "[2001:db8::1]", "desk.example"]


@requirement("CONF-03")
def test_a_port_that_is_taken_is_one_sentence(file_hx: Hexad) -> None:
    async def scenario(port: int) -> None:
        address = Address("127.0.0.1", port)
        await HttpServer(
            app_of(server_of(file_hx), file_hx.settings, Access(address=address)),
            address,
            print,
        ).listen()

    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(ConfigError, match="cannot listen on 127"),
    ):
        play(scenario(taken.getsockname()[1]))


# --- the command ----------------------------------------------------------------------------------------------------


@requirement("META-01", "CTX-09")
def test_the_command_serves_until_it_is_interrupted_also_while_a_client_listens(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "agent.db") as hx:
        hx.knowledge.save("deploy-window", "Deploy on Tuesdays only")
    server = process(
        tmp_path / "agent.db", "--http", "127.0.0.1:0", HEXAD_MCP_TOKEN=TOKEN
    )
    running = subprocess.Popen(
        [server.command, *server.args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | (server.env or {}),
        encoding="utf-8",
    )
    try:
        assert running.stderr
        url = running.stderr.readline().strip().removeprefix("serving MCP at ")
        play(_visit_and_interrupt(url, running))
        output, complaints = running.communicate(timeout=500)
    finally:
        running.kill()
        running.communicate()
    assert (running.returncode, output, complaints) == (0, "", "")
    with opened(tmp_path / "agent.db") as hx:
        assert hx.knowledge.get("deploy-window").use_count == 1


async def _visit_and_interrupt(url: str, running: subprocess.Popen[str]) -> None:
    assert (await post(url)).status_code == 401
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with with_headers(url, headers) as one:
        await context(one, message="deploy")
    opened_by = await post(url, **headers)
    listens = {
        **HEADERS,
        **headers,
        "Mcp-Session-Id": opened_by.headers["mcp-session-id"],
    }
    async with (
        httpx2.AsyncClient(headers=listens) as sender,
        sender.stream("GET", url) as stream,
    ):
        assert stream.status_code == 200
        running.send_signal(signal.SIGINT)
        with suppress(
            httpx2.RemoteProtocolError
        ):  # the stream is cut when the server ends
            assert [
                line async for line in stream.aiter_lines() if line.startswith("data")
            ] == []


@requirement("META-01")
@pytest.mark.parametrize("version", ["2026-07-28", "2025-06-18"])
def test_a_client_that_disconnects_in_the_middle_of_its_request_leaves_no_trace_in_the_log(
    file_hx: Hexad, caplog: pytest.LogCaptureFixture, version: str
) -> None:
    fields = {
        "Host": "127.0.0.1",
        **HEADERS,
        "Content-Length": "100",
        "MCP-Protocol-Version": version,
    }
    head = (
        "POST /mcp HTTP/1.1\r\n"
        + "".join(f"{name}: {each}\r\n" for name, each in fields.items())
        + "\r\n"
    )

    async def scenario() -> None:
        async with listening(file_hx) as url:
            port = int(url.split(":")[2].split("/", maxsplit=1)[0])
            for begun in (
                head[:12],
                head,
                head + '{"jsonrpc": "2.0",',
                "\x16\x03\x01 no HTTP\r\n\r\n",
            ):
                async with await anyio.connect_tcp("127.0.0.1", port) as connection:
                    await connection.send(begun.encode())
            async with client(url) as one:
                await ask(one, "list_skills")

    with caplog.at_level(logging.WARNING):
        play(scenario())
    assert [record.getMessage() for record in caplog.records] == []


@requirement("SKILL-04")
def test_a_call_that_does_not_end_is_cut_short_when_the_server_ends(
    file_hx: Hexad,
) -> None:
    begun, release = threading.Event(), threading.Event()

    def slow() -> str:
        begun.set()
        release.wait(500)
        return "late"

    file_hx.skills.create(
        "wait",
        kind="composite",
        description="Wait",
        definition={"steps": [{"tool": "slow", "args": {}}]},
    )
    file_hx.skills.activate("wait")
    body = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "run_skill", "arguments": {"name": "wait"}},
    }
    cut = threading.Event()

    async def call(url: str) -> None:
        session = (await post(url)).headers["mcp-session-id"]
        with pytest.raises(httpx2.RemoteProtocolError):
            await post(url, body, **{"Mcp-Session-Id": session})
        cut.set()

    async def scenario() -> None:
        async with (
            anyio.create_task_group() as group,
            listening(file_hx, tools=[slow]) as url,
        ):
            group.start_soon(call, url)
            await anyio.to_thread.run_sync(begun.wait)
        release.set()

    play(scenario())
    assert cut.is_set()


@requirement("CONF-03")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--http", "0.0.0.0:0"], "HEXAD_MCP_TOKEN"),
        (["--http", "nonsense"], "HOST:PORT"),
        (["--token", TOKEN], "--http"),
        (["--http", "127.0.0.1:0", "--token", "short"], "mcp_token"),
    ],
)
def test_a_mistake_in_the_command_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    from hexad.cli import main

    assert main(["mcp", "--db", str(tmp_path / "new.db"), *arguments]) == 2
    printed = capsys.readouterr()
    assert says in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""
