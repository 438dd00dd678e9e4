"""The MCP server over HTTP among many: idle connections, forgotten sessions, requests that are no requests."""

from __future__ import annotations

import json
import logging
import socket
import threading
from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from hexad.mcp.bodies import METHOD
from hexad.mcp.callers import IDLE
from hexad.mcp.connections import Crowd
from hexad.mcp.sessions import Sessions
from tests.mcp_support import MODES, client, listening, play, teach_greeting, told, tour
from tests.support import opened, requirement
from tests.test_mcp_http import HEADERS, HELLO, post

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from hexad import Hexad


def port_of(url: str) -> int:
    return int(url.split(":")[2].split("/", maxsplit=1)[0])


@pytest.fixture
def open_sockets() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


async def connected(url: str, stack: ExitStack, *, source: str = "127.0.0.1") -> socket.socket:
    """A connection that nothing was sent over yet."""

    def connect() -> socket.socket:
        return socket.create_connection(("127.0.0.1", port_of(url)), timeout=30, source_address=(source, 0))

    return stack.enter_context(await anyio.to_thread.run_sync(connect))


async def heard(connection: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""

    def received() -> bytes:
        said = b""
        try:
            while more := connection.recv(65536):
                said += more
        except ConnectionResetError:
            pass
        return said

    return await anyio.to_thread.run_sync(received)


def head(length: int, **headers: str) -> bytes:
    told_of = {"Host": "127.0.0.1", **HEADERS, "Content-Length": str(length), **headers}
    return (
        "POST /mcp HTTP/1.1\r\n" + "".join(f"{name}: {each}\r\n" for name, each in told_of.items()) + "\r\n"
    ).encode()


# --- connections ----------------------------------------------------------------------------------------------------


@requirement("CONF-03", "META-01")
@pytest.mark.parametrize("begun", [b"", b"POST /mcp HTTP/1.1\r\nHost: 127", head(100) + b"{"])
def test_hundreds_of_idle_connections_keep_nobody_out(file_hx: Hexad, open_sockets: ExitStack, begun: bytes) -> None:
    teach_greeting(file_hx)

    async def scenario() -> None:
        async with listening(file_hx) as url:
            for _ in range(300):
                (await connected(url, open_sockets)).sendall(begun)
            async with client(url) as one:
                await tour(one)

    play(scenario())


@requirement("CONF-03")
@pytest.mark.parametrize(
    ("begun", "crowd"),
    [
        (b"", Crowd(head=0.05)),
        (b"POST /mcp HTTP/1.1\r\nHost: 127", Crowd(head=0.05)),
        (head(100) + b"{", Crowd(body=0.05)),
    ],
)
def test_a_connection_whose_request_does_not_come_is_closed(
    file_hx: Hexad, open_sockets: ExitStack, begun: bytes, crowd: Crowd, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> bytes:
        async with listening(file_hx, crowd=crowd) as url:
            silent = await connected(url, open_sockets)
            silent.sendall(begun)
            return await heard(silent)

    assert play(scenario()) == b""
    assert caplog.records == []


@requirement("CONF-03")
def test_a_connection_whose_answer_is_not_read_is_closed(
    file_hx: Hexad, open_sockets: ExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    crowd = Crowd(rest=0.05)

    async def scenario() -> bytes:
        async with listening(file_hx, crowd=crowd) as url:
            session = await introduced(url)
            params = {"name": "get_context", "arguments": {"message": "hi", "base": "x" * 3_000_000}}
            body = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}).encode()
            deaf = await connected(url, open_sockets)
            await anyio.to_thread.run_sync(deaf.sendall, head(len(body), **{"Mcp-Session-Id": session}) + body)
            while len(crowd):
                await anyio.sleep(0.01)
            return await heard(deaf)

    assert not play(scenario()).endswith(b"0\r\n\r\n")  # as a whole answer does
    assert [record.getMessage() for record in caplog.records] == []


@asynccontextmanager
async def waiting_calls(hx: Hexad, crowd: Crowd) -> AsyncIterator[tuple[str, Any]]:
    """A server, and a way to have a call under way that ends when the block does."""
    release = threading.Event()
    begun = threading.Semaphore(0)

    def slow() -> str:
        begun.release()
        assert release.wait(30)
        return "done"

    hx.skills.create("wait", kind="composite", description="Wait", definition={"steps": [{"tool": "slow"}]})
    hx.skills.activate("wait")
    params = {"name": "run_skill", "arguments": {"name": "wait"}}
    callers: list[socket.socket] = []
    async with listening(hx, crowd=crowd, tools=[slow]) as url:
        session = (await post(url)).headers["mcp-session-id"]

        async def call(connection: socket.socket) -> None:
            request = {"jsonrpc": "2.0", "id": len(callers), "method": "tools/call", "params": params}
            body = json.dumps(request).encode()
            connection.sendall(head(len(body), Connection="close", **{"Mcp-Session-Id": session}) + body)
            await anyio.to_thread.run_sync(begun.acquire)
            callers.append(connection)

        try:
            yield url, call
        finally:
            release.set()
            assert all([b'"done"' in await heard(each) for each in callers])


@requirement("CONF-03")
def test_one_address_cannot_take_every_connection_and_calls_under_way_stay(
    file_hx: Hexad, open_sockets: ExitStack
) -> None:
    async def scenario() -> tuple[bytes, int]:
        async with waiting_calls(file_hx, Crowd(most=3, each=2)) as (url, call):
            for _ in range(2):
                await call(await connected(url, open_sockets))
            third = await heard(await connected(url, open_sockets))
            other = await connected(url, open_sockets, source="127.0.0.2")
            body = json.dumps(HELLO).encode()
            other.sendall(head(len(body), Connection="close") + body)
            return third, (await heard(other)).count(b"200 OK")

    refused, served = play(scenario())
    assert b"503" in refused
    assert b"Retry-After" in refused
    assert b"try again later" in refused
    assert served == 1


@requirement("CONF-03")
def test_where_all_are_taken_the_one_goes_that_was_silent_longest_of_who_has_most(
    file_hx: Hexad, open_sockets: ExitStack
) -> None:
    async def scenario() -> bytes:
        async with listening(file_hx, crowd=Crowd(most=3, each=3)) as url:
            single = await connected(url, open_sockets, source="127.0.0.2")
            first, _second = [await connected(url, open_sockets) for _ in range(2)]
            new = await connected(url, open_sockets, source="127.0.0.3")
            assert await heard(first) == b""
            answers = []
            body = json.dumps(HELLO).encode()
            for each in (single, new):
                each.sendall(head(len(body), Connection="close") + body)
                answers.append(await heard(each))
            return b"".join(answers)

    assert play(scenario()).count(b"200 OK") == 2


@requirement("CONF-03")
def test_a_stream_that_only_listens_makes_room_after_all_others(file_hx: Hexad, open_sockets: ExitStack) -> None:
    async def scenario() -> bytes:
        async with waiting_calls(file_hx, Crowd(most=3, each=3)) as (url, call):
            headers = {"Accept": "text/event-stream", "Mcp-Session-Id": await introduced(url)}
            listener = await connected(url, open_sockets)
            listener.sendall(head(0, **headers).replace(b"POST", b"GET"))
            begun = await anyio.to_thread.run_sync(listener.recv, 65536)
            silent = await connected(url, open_sockets)
            await call(await connected(url, open_sockets))
            await call(await connected(url, open_sockets))  # in the place of the silent one
            assert await heard(silent) == b""
            async with client(url) as one:  # in the place of the listener
                await told(one, "list_skills")
            await heard(listener)
            return begun

    assert b"200 OK" in play(scenario())


# --- sessions -------------------------------------------------------------------------------------------------------


async def introduced(url: str) -> str:
    answer = await post(url)
    assert answer.status_code == 200
    return str(answer.headers["mcp-session-id"])


async def listed(url: str, session: str) -> Any:
    return await post(url, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, **{"Mcp-Session-Id": session})


@requirement("LIMIT-01", "META-01")
def test_forgotten_sessions_make_room_for_new_ones_the_longest_silent_first(file_hx: Hexad) -> None:
    async def scenario() -> None:
        async with listening(file_hx, most_sessions=12) as url:  # three of each address
            first, second, third = [await introduced(url) for _ in range(3)]
            assert (await listed(url, first)).status_code == 200
            fourth = await introduced(url)
            statuses = {each: (await listed(url, each)).status_code for each in (first, second, third, fourth)}
            assert statuses == {first: 200, second: 404, third: 200, fourth: 200}
            assert (await post(url, LIST)).status_code == 400  # opens none, and drops none
            assert (await listed(url, first)).status_code == 200
            dropped = await listed(url, second)
            assert "send initialize" in dropped.json()["error"]["message"]
            for _ in range(30):
                await introduced(url)
            async with client(url, mode="legacy") as one:
                await told(one, "list_skills")

    play(scenario())


@requirement("LIMIT-01")
def test_a_session_with_a_call_under_way_is_not_dropped(file_hx: Hexad) -> None:
    release, begun = threading.Event(), threading.Event()

    def slow() -> str:
        begun.set()
        assert release.wait(30)
        return "late"

    file_hx.skills.create("wait", kind="composite", description="Wait", definition={"steps": [{"tool": "slow"}]})
    file_hx.skills.activate("wait")
    answers: list[str] = []

    async def scenario() -> None:
        async with listening(file_hx, most_sessions=8, tools=[slow]) as url, anyio.create_task_group() as group:
            session = await introduced(url)
            params = {"name": "run_skill", "arguments": {"name": "wait"}}

            async def call() -> None:
                body = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params}
                answers.append((await post(url, body, **{"Mcp-Session-Id": session})).text)

            group.start_soon(call)
            await anyio.to_thread.run_sync(begun.wait)
            for _ in range(10):
                await introduced(url)
            release.set()

    play(scenario())
    assert "late" in answers[0]


@requirement("LIMIT-01")
def test_sessions_that_were_ended_or_fell_silent_are_known_no_more() -> None:
    now = [0.0]
    asked: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["method"])
        headers = [] if scope["method"] == "DELETE" else [(b"mcp-session-id", b"one")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def status(method: str, session: str | None = None) -> int:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [] if session is None else [(b"mcp-session-id", session.encode())]
        read = {METHOD: "initialize" if session is None else "tools/list"}
        await sessions({"type": "http", "method": method, "headers": headers, **read}, None, send)  # type: ignore[arg-type]
        return int(sent[0]["status"])

    async def scenario() -> list[int]:
        seen = [await status("POST"), await status("POST", "one"), await status("DELETE", "one")]
        seen += [await status("POST", "one"), await status("POST")]
        now[0] += IDLE
        return [*seen, await status("POST", "one")]

    sessions = Sessions(app, now=lambda: now[0])
    assert play(scenario()) == [200, 200, 200, 404, 200, 404]
    assert asked == ["POST", "POST", "DELETE", "POST"]


# --- requests -------------------------------------------------------------------------------------------------------


@requirement("META-01")
@pytest.mark.parametrize("mode", MODES)
def test_who_hangs_up_in_the_middle_or_speaks_no_http_leaves_no_trace_in_the_log(
    file_hx: Hexad, open_sockets: ExitStack, caplog: pytest.LogCaptureFixture, mode: str
) -> None:
    version = {"MCP-Protocol-Version": "2026-07-28" if mode == "auto" else "2025-06-18"}

    async def scenario() -> None:
        async with listening(file_hx) as url:
            upgrade = head(2, Connection="upgrade", Upgrade="websocket") + b"{}"
            strange = (b"\x16\x03\x01\x00 no HTTP\r\n\r\n", upgrade)
            halves = (b"POST /mcp HT", head(100, **version), head(100, **version) + b'{"jsonrpc": "2.0",')
            for begun in (*halves, *strange):
                leaving = await connected(url, open_sockets)
                leaving.sendall(begun)
                leaving.shutdown(socket.SHUT_WR)
                leaving.close()
            async with client(url, mode=mode) as one:
                await told(one, "list_skills")

    with caplog.at_level(logging.WARNING):
        play(scenario())
    assert [record.getMessage() for record in caplog.records] == []


LIST = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
WRONG: Any = [
    ({"Content-Type": "text/plain"}, b"{}", 415, "Content-Type: application/json"),
    ({"Accept": "application/json"}, b"{}", 406, "Accept: application/json, text/event-stream"),
    ({"Accept": ""}, b"{}", 406, "Accept: application/json, text/event-stream"),
    ({}, b"", 400, "it is not JSON"),
    ({}, b"no", 400, "send one JSON object"),
    ({}, b"\xff\xfe", 400, "UTF-8"),
    ({}, b" " * 70_000, 413, "raise max_text"),
    ({}, b'{"hunter2": 1}', 400, "no message of JSON-RPC; send an object"),
    ({}, b"[1]", 400, "no message of JSON-RPC; send an object"),
    ({}, LIST, 400, "Mcp-Session-Id is missing; send initialize"),
    ({"Mcp-Session-Id": "guessed"}, LIST, 404, "send initialize"),
]


@requirement("META-01", "KNOW-09")
@pytest.mark.parametrize(("headers", "body", "status", "says"), WRONG)
def test_a_request_that_is_none_is_told_what_to_send(
    tmp_path: Path, headers: dict[str, str], body: bytes, status: int, says: str
) -> None:
    async def scenario() -> tuple[int, str]:
        with opened(tmp_path / "agent.db", max_text=1000) as hx:
            async with listening(hx) as url:
                answer = await post(url, body, **headers)
                return answer.status_code, answer.text

    answered, sentence = play(scenario())
    assert answered == status
    assert says in sentence
    assert "hunter2" not in sentence


@requirement("META-01")
@pytest.mark.parametrize(
    ("method", "path", "status", "says"),
    [("PUT", "/mcp", 405, "send POST"), ("GET", "/mcp", 405, "send POST"), ("GET", "/", 404, "/mcp")],
)
def test_another_place_or_method_is_told_where_to_go(
    file_hx: Hexad, open_sockets: ExitStack, method: str, path: str, status: int, says: str
) -> None:
    async def scenario() -> str:
        async with listening(file_hx) as url:
            asking = await connected(url, open_sockets)
            headers = "Host: 127.0.0.1\r\nConnection: close\r\nMCP-Protocol-Version: 2026-07-28\r\n"
            asking.sendall(f"{method} {path} HTTP/1.1\r\n{headers}\r\n".encode())
            return (await heard(asking)).decode()

    answer = play(scenario())
    assert answer.startswith(f"HTTP/1.1 {status} ")
    assert says in answer
