"""Serving over streamable HTTP, one process for many clients."""

from __future__ import annotations

import asyncio
import socket
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware

from hexad.errors import ConfigError
from hexad.mcp import sessions
from hexad.mcp.address import Names
from hexad.mcp.bodies import Bodies
from hexad.mcp.callers import HEADER, IDLE
from hexad.mcp.connections import Crowd
from hexad.mcp.ending import on_signal
from hexad.mcp.guard import Guard, Rates
from hexad.mcp.visits import Visits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcp.server.mcpserver import MCPServer
    from starlette.types import ASGIApp

    from hexad.mcp.address import Address
    from hexad.settings import Settings

PATH: Final = "/mcp"
_LARGER_THAN_TEXT: Final = 16  # JSON may need six bytes for one of a text, and a call has several texts
_SMALLEST_BODY: Final = 64 * 1024
PATIENCE: Final = 2  # seconds that requests under way have to end


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """How the server is reached: where, under which names, from which pages; the token and the rate are settings."""

    address: Address
    hosts: frozenset[str] = field(default_factory=frozenset)
    origins: frozenset[str] = field(default_factory=frozenset)


def app_of(server: MCPServer[Any], settings: Settings, door: Door, *, most_sessions: int = sessions.MOST) -> ASGIApp:
    """The server as an ASGI application, guarded."""
    door.address.refuse_open(settings.mcp_token)
    largest = max(_SMALLEST_BODY, _LARGER_THAN_TEXT * settings.max_text)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=largest,
        session_idle_timeout=IDLE,
        max_sessions=None,  # those in front of it bound them
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guard does it
    )
    checked = Bodies(sessions.Sessions(app, most=most_sessions), PATH, largest)
    names, rates = Names(door.address, door.hosts), Rates(settings.mcp_rate)
    guarded = Guard(checked, names, rates, settings.mcp_token, door.origins)
    return _open_to_pages(guarded, door.origins) if door.origins else guarded


def _open_to_pages(app: ASGIApp, origins: frozenset[str]) -> ASGIApp:
    """With the headers that a browser wants to see before it lets a page of another origin ask."""
    return CORSMiddleware(
        app,
        allow_origins=sorted(origins),
        allow_methods=["POST", "GET", "DELETE"],
        allow_headers=["*"],
        expose_headers=[HEADER],
    )


def serve_http(app: ASGIApp, address: Address, *, ready: Callable[[int], None]) -> None:
    """Serve until the process is told to end; ``ready`` gets the port once it listens."""
    anyio.run(HttpServer(app, address).run, ready)


class HttpServer(uvicorn.Server):
    """One server, in a running event loop."""

    def __init__(
        self, app: ASGIApp, address: Address, *, patience: float = PATIENCE, crowd: Crowd | None = None
    ) -> None:
        self._address = address
        self._patience = patience
        self._visits = Visits(app)
        super().__init__(
            uvicorn.Config(
                self._visits,
                log_config=None,
                log_level="error",  # what strangers send is theirs: it must not fill the log
                access_log=False,
                server_header=False,
                proxy_headers=False,  # anybody can write them: rates and sessions go by who really connects
                ws="none",
                lifespan="on",
                http=(Crowd() if crowd is None else crowd).protocol(),
                timeout_graceful_shutdown=2 * PATIENCE,
            )
        )

    async def run(self, ready: Callable[[int], None]) -> None:  # type: ignore[override]
        """Serve until `end`, or a signal."""
        with _listening(self._address) as listener, on_signal(self.end):
            ready(listener.getsockname()[1])
            await self.serve(sockets=[listener])

    def end(self) -> None:
        """Take no more requests, let those under way end for a while, and return."""
        self.should_exit = True
        self._visits.end_streams()
        asyncio.get_running_loop().call_later(self._patience, self._visits.end_all)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are ours: uvicorn would send them to the process again, and what waits would not be written."""
        yield


@contextmanager
def _listening(address: Address) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if address.ipv6 else socket.AF_INET
    try:
        listener = socket.create_server((address.host, address.port), family=family, backlog=128)
    except OSError as error:
        reason = f"cannot listen on {address.host} port {address.port}: {error.strerror or error}; give another"
        raise ConfigError("http", reason) from error
    with listener:
        yield listener
