"""The whole server as one ASGI application: interface, pages, gateway, MCP, health and
metrics behind one guard.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from hexad import signals
from hexad.agents.guard import Guard, Rates, Refusal, for_pages
from hexad.agents.threads import ThreadPool
from hexad.clock import utc_now
from hexad.errors import ConfigError, HexadError
from hexad.mcp.http import PATH as MCP_PATH
from hexad.mcp.http import Access, sdk_app
from hexad.mcp.server import server_of
from hexad.otel import continue_trace
from hexad.server.api.openapi import PREFIX as API_PATH
from hexad.server.api.problems import document, problem
from hexad.server.api.serving import Api
from hexad.server.dashboard.site import Dashboard
from hexad.server.gateway import PREFIX as GATEWAY_PATH
from hexad.server.gateway import Gateway
from hexad.server.manual import SITE
from hexad.server.metrics import Metrics
from hexad.server.tokens import Callers, Right, Tokens

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from hexad.facade import Hexad

LOG: Final = logging.getLogger("hexad.server")
_HEALTH: Final = ThreadPool(1, "hexad-health")
_HEALTHY_WITHIN: Final = 2.0  # seconds
_SAFE: Final = (  # without a referrer, a form of our own page would come from the origin "null"
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)
_MOST_NAMESPACES: Final = 500  # with an MCP server of their own


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosting:
    """How the server is reached, where its gateway leads, and what it logs."""

    access: Access
    upstream: str = ""  # the provider that the gateway passes requests on to
    behind_proxy: bool = False  # whether forwarded headers are a trusted proxy's, and pages come over TLS
    log_requests: bool = False
    evals: Path | None = (
        None  # the folder with questions that the page Evaluation offers
    )
    manual: Path = SITE  # the folder with the pages of the manual


def app_of(hx: Hexad, tokens: Tokens, hosting: Hosting) -> ASGIApp:
    """The server over an engine, guarded."""
    callers = Callers(tokens, hx.namespace, hx.settings.mcp_token)
    reachable = (
        not hosting.access.address.local or hosting.behind_proxy or hosting.access.hosts
    )
    if reachable and callers.open:
        reason = "is needed where others can reach the server: `hexad tokens make NAME` makes one"
        raise ConfigError("tokens", reason)
    access = hosting.access
    site = Site(hx, callers, hosting)
    rates = Rates(hx.settings.server_rate)

    def refused(refusal: Refusal) -> Response:
        return document(refusal.status, "Refused", refusal.sentence, refusal.headers)

    guarded = Guard(
        site,
        access.address,
        rates,
        refused,
        "",
        access.hosts,
        access.origins,
        "server_rate",
    )
    return for_pages(
        _forwarded(guarded) if hosting.behind_proxy else guarded, access.origins
    )


def _forwarded(app: ASGIApp) -> ASGIApp:
    """Take the client's address from the header of the proxy that stands before this
    server.
    """

    async def passed_on(scope: Scope, receive: Receive, send: Send) -> None:
        chain = (
            Headers(scope=scope).get("x-forwarded-for", "")
            if scope["type"] == "http"
            else ""
        )
        nearest = chain.rpartition(",")[2].strip()
        await app(
            {**scope, "client": (nearest, 0)} if nearest else scope, receive, send
        )

    return passed_on


class Site:
    """Passes each request to the part of its path, counts it, and logs it without
    content.
    """

    def __init__(self, hx: Hexad, callers: Callers, hosting: Hosting) -> None:
        self.hx, self.callers, self.hosting, self.metrics = (
            hx,
            callers,
            hosting,
            Metrics(),
        )
        self._gateway = Gateway(hx, callers, hosting.upstream)
        self._pages = Dashboard(
            hx,
            callers,
            secure=hosting.behind_proxy,
            evals=hosting.evals,
            manual=hosting.manual,
        )
        self._life, self._making = Starlette(lifespan=self._alive), anyio.Lock()
        self._mcp_apps: dict[str, Starlette] = {}
        self.parts: dict[str, Callable[[Request], Awaitable[ASGIApp]]] = {
            API_PATH: Api(hx, callers, hosting.evals).answer,
            MCP_PATH: self._mcp,
            GATEWAY_PATH: self._gateway.answer,
            "/healthz": self._health,
            "/metrics": self._figures,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "lifespan":
            await self._life(scope, receive, send)
            return
        path = scope["path"]
        area = next(
            (
                part
                for part in self.parts
                if path == part or path.startswith(f"{part}/")
            ),
            "",
        )
        await self._measured(area, scope, receive, send)

    async def _answered(self, area: str, request: Request) -> ASGIApp:
        try:
            return await self.parts.get(area, self._pages.answer)(request)
        except Exception as error:  # noqa: BLE001 - every error is an answer
            return problem(error)

    async def _measured(
        self, area: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        name, started = area.strip("/") or "pages", time.perf_counter()

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                facts["status"] = message["status"]
                if area != GATEWAY_PATH:
                    message["headers"] = [*message.get("headers", ()), *_SAFE]
            await send(message)

        continue_trace(Headers(scope=scope))
        with signals.measured(
            "request", area=name, method=_method(scope), status=500
        ) as facts:
            try:
                app = await self._answered(area, Request(scope, receive))
                await app(scope, receive, noting)
            finally:
                if (
                    self.hosting.log_requests
                ):  # which route, not which key; no query, no body, no token
                    route, took = (
                        scope.get("hexad.route", f"/{name}"),
                        time.perf_counter() - started,
                    )
                    said = {
                        "area": name,
                        "method": _method(scope),
                        "route": route,
                        "status": facts["status"],
                    }
                    sys.stderr.write(f"{_line(**said, ms=round(took * 1000, 2))}\n")

    async def _health(self, _request: Request) -> Response:
        """Whether the store answers; anybody may ask."""

        def look() -> None:
            with self.hx.store.reading(
                self.hx.namespace, deadline=_HEALTHY_WITHIN
            ) as view:
                view.chain_end()

        try:
            await _HEALTH.run(look, seconds=_HEALTHY_WITHIN)
        except HexadError as error:
            LOG.warning("the store does not answer: %s", error)
            return JSONResponse({"status": "the store does not answer"}, 503)
        return JSONResponse({"status": "ok"})

    async def _figures(self, request: Request) -> Response:
        """The metrics, for who may read the server's own namespace."""
        caller = self.callers.bearer(request)
        caller.require(Right.READ)
        caller.engine(self.hx, self.hx.namespace)
        return PlainTextResponse(
            self.metrics.text(), media_type="text/plain; version=0.0.4"
        )

    async def _mcp(self, request: Request) -> ASGIApp:
        """The MCP server of the caller's namespace, so that no session's id reaches
        into the memory of another.
        """
        caller = self.callers.bearer(request)
        caller.require(Right.WRITE)
        hx = caller.engine(self.hx, request.query_params.get("namespace"))
        async with self._making:
            if hx.namespace not in self._mcp_apps:
                if len(self._mcp_apps) >= _MOST_NAMESPACES:
                    return document(
                        503,
                        "Too many namespaces",
                        "restart the server to serve MCP in other namespaces",
                    )
                app = sdk_app(server_of(hx), hx.settings)
                await self._tasks.start(_running, app)
                self._mcp_apps[hx.namespace] = app
        return self._mcp_apps[hx.namespace]

    @asynccontextmanager
    async def _alive(self, _app: Starlette) -> AsyncIterator[None]:
        with signals.listening(lambda _: self.metrics.heard):
            async with anyio.create_task_group() as tasks:
                self._tasks = tasks
                yield
                tasks.cancel_scope.cancel()
        for client in self._gateway.clients:
            await client.aclose()


async def _running(app: Starlette, *, task_status: anyio.abc.TaskStatus[None]) -> None:
    """Keep the SDK's session manager alive until the server ends."""
    async with app.router.lifespan_context(app):
        task_status.started()
        await anyio.sleep_forever()


def _method(scope: Scope) -> str:
    known = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}
    return scope["method"] if scope["method"] in known else "other"


class AsJson(logging.Formatter):
    """Warnings as lines of JSON too, between those of the requests."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        return _line(level=record.levelname.lower(), message=record.getMessage())


def _line(**facts: object) -> str:
    return json.dumps({"at": utc_now().isoformat(timespec="milliseconds"), **facts})
