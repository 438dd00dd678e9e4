"""The server: what the gateway adds to a provider's first byte, what a page costs
beside its query.
"""

from __future__ import annotations

import asyncio
import os
import re
import ssl
import statistics
import subprocess
import sys
import time
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import httpx2
from starlette.requests import Request

from benchmarks.figures import Figure
from benchmarks.filling import filled
from hexad import Hexad
from hexad.model import Layer
from hexad.server.dashboard.site import Dashboard
from hexad.server.tokens import Callers, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

CLIENTS, ROUNDS, SLOW = 32, 6, 0.3
_PROVIDER = f"""
import asyncio, anyio
from hexad.agents.address import Address
from hexad.mcp.http import HttpServer
async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive(); await send({{"type": "lifespan.startup.complete"}}); await receive()
        return await send({{"type": "lifespan.shutdown.complete"}})
    more = True
    while more:
        more = (await receive()).get("more_body", False)
    await asyncio.sleep({SLOW})
    await send({{"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]}})
    await send({{"type": "http.response.body", "body": b'{{"choices": []}}'}})
address = Address("127.0.0.1", 0)
anyio.run(HttpServer(app, address, lambda port: print(f"at http://127.0.0.1:{{port}}/;", flush=True)).listen)
"""


def measure(folder: Path) -> Iterator[Figure]:
    """The gateway, then pages over 100,000 entries."""
    yield from _gateway(folder)
    yield from _pages(filled(folder, 100_000))


@contextmanager
def _started(*command: str) -> Iterator[tuple[str, int]]:
    """A server in a process of its own: its address and its id."""
    with subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "HEXAD_SEMANTIC": "false"},
    ) as process:
        try:
            assert process.stdout is not None
            found = next(
                filter(
                    None,
                    (
                        re.search(r"at (http://[\d.:]+)/;", line)
                        for line in process.stdout
                    ),
                )
            )
            yield found[1], process.pid
        finally:
            process.terminate()


def _gateway(folder: Path) -> Iterator[Figure]:
    database = folder / "gateway.db"
    with Hexad.open(database, enabled=True, semantic=False) as hx:
        for number in range(200):
            hx.knowledge.save(
                f"entry-{number}",
                f"Service {number} is deployed on day {number % 7}",
                origin="agent",
            )
    serve = (
        "-m",
        "hexad",
        "serve",
        "--http",
        "127.0.0.1:0",
        "--db",
        str(database),
        "--upstream",
    )
    with (
        _started("-c", _PROVIDER) as (provider, _),
        _started(*serve, provider) as (server, pid),
    ):
        asyncio.run(
            _storm(f"{server}/gateway", 1)
        )  # once, so that everything is loaded
        spread, all_at_once = (
            _turns(provider, f"{server}/gateway", pid, within) for within in (SLOW, 0)
        )
    told = f"{CLIENTS} clients, a provider that takes {SLOW * 1000:.0f} ms"
    name = "median time to the first byte through the gateway, against direct"
    apart = (
        f"{name}, clients that begin one after the other within {SLOW * 1000:.0f} ms"
    )
    yield Figure(apart, spread.ratio, 1.1, detail=f"{spread}, {told}")
    yield Figure(
        f"{name}, all clients in the same moment",
        all_at_once.ratio,
        None,
        detail=f"{all_at_once}, {told}",
    )
    yield Figure(
        "processor time of the gateway for a request",
        spread.processor * 1000,
        None,
        "ms",
    )


class Turns(NamedTuple):
    """Seconds in the median, direct and through the gateway, and the gateway's
    processor time for a request.
    """

    direct: float
    through: float
    processor: float

    @property
    def ratio(self) -> float:
        return self.through / self.direct

    def __str__(self) -> str:
        return f"{self.through * 1000:.0f} ms against {self.direct * 1000:.0f} ms"


def _turns(provider: str, gateway: str, pid: int, spread: float) -> Turns:
    """Both in turns, so that a busy machine slows both."""
    before, direct, through = _cpu(pid), list[float](), list[float]()
    for _ in range(ROUNDS):
        direct += asyncio.run(_storm(provider, 2, spread))
        through += asyncio.run(_storm(gateway, 2, spread))
    return Turns(
        statistics.median(direct),
        statistics.median(through),
        (_cpu(pid) - before) / len(through),
    )


def _cpu(pid: int) -> float:
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:  # noqa: PTH123 - no file of ours
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _storm(base: str, requests: int, spread: float = SLOW) -> list[float]:
    """Seconds to the first byte of each request of many clients, which begin within
    ``spread`` seconds.
    """
    tls = (
        ssl.create_default_context()
    )  # once: making one for each client takes longer than all that is measured
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(httpx2.AsyncClient(timeout=60, verify=tls))
            for _ in range(CLIENTS)
        ]

        async def one(number: int) -> list[float]:
            await asyncio.sleep(number / CLIENTS * spread)
            return [
                await _first_byte(clients[number], base, number, turn)
                for turn in range(requests)
            ]

        return [
            each
            for times in await asyncio.gather(*map(one, range(CLIENTS)))
            for each in times
        ]


async def _first_byte(
    client: httpx2.AsyncClient, base: str, number: int, turn: int
) -> float:
    message = {
        "role": "user",
        "content": f"when is service {number * 7 % 200} deployed? ({turn})",
    }
    body, started = {"model": "m", "messages": [message]}, time.perf_counter()
    async with client.stream(
        "POST", f"{base}/v1/chat/completions", json=body
    ) as answer:
        await anext(answer.aiter_raw())
        return time.perf_counter() - started


def _pages(database: Path) -> Iterator[Figure]:
    with (
        Hexad.open(database, enabled=True, semantic=False) as hx,
        asyncio.Runner() as loop,
    ):  # one, as a server has
        site = Dashboard(
            hx, Callers(Tokens(database.with_name("no-tokens")), hx.namespace)
        )

        def query() -> None:
            with hx.store.reading(hx.namespace) as view:
                view.page(Layer.USER_KNOWLEDGE, before=2**62, limit=51)

        def entries() -> None:
            loop.run(_shown(site, "/knowledge"))

        def answer() -> None:
            loop.run(_shown(site, f"/playground?message={question.replace(' ', '+')}"))

        question, name = (
            "when is the release of the search service",
            "a page of 50 entries of 100,000",
        )
        yield _against(f"{name}, against its query", 5.0, _medians(entries, query))
        yield _against(
            f"{name} after a change, against its query",
            5.0,
            _medians(entries, query, lambda: _change(hx)),
        )
        retrieval = _medians(answer, lambda: hx.retrieve(question))
        yield _against(
            "an answer of the playground, against one retrieval", 3.0, retrieval
        )


def _against(name: str, limit: float | None, medians: tuple[float, float]) -> Figure:
    ours, theirs = medians
    return Figure(
        name,
        ours / theirs,
        limit,
        detail=f"{ours * 1000:.1f} ms against {theirs * 1000:.2f} ms",
    )


def _change(hx: Hexad) -> None:
    """A record of the log: the counts beside a page are read again."""
    hx.references.save(
        "changed", location=f"https://wiki.example/{time.monotonic_ns()}"
    )


async def _shown(site: Dashboard, path: str) -> None:
    """A page, without the network."""
    page, _, query = path.partition("?")
    scope = {
        "type": "http",
        "method": "GET",
        "path": page,
        "query_string": query.encode(),
        "headers": [],
    }

    async def receive() -> dict[str, object]:
        return {"type": "http.request"}

    async def send(message: dict[str, object]) -> None:
        assert message.get("status", 200) == 200

    whole = {**scope, "scheme": "http", "server": ("127.0.0.1", 80)}
    response = await site.answer(Request(whole, receive))  # type: ignore[arg-type]
    await response(whole, receive, send)  # type: ignore[arg-type]


def _medians(
    ours: Callable[[], None],
    theirs: Callable[[], object],
    before: Callable[[], None] = lambda: None,
    turns: int = 25,
) -> tuple[float, float]:
    """Both in turns, in processor time, as a server that has run for a while;
    ``before`` is not measured.
    """
    for _ in range(turns):
        ours()
        theirs()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(turns):
        before()
        for work, found in zip((ours, theirs), times, strict=True):
            started = time.process_time()
            work()
            found.append(time.process_time() - started)
    return statistics.median(times[0]), statistics.median(times[1])
