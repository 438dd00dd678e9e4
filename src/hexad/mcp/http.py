"""Serving over streamable HTTP, one process for many clients.

Sessions, idle time and body size are bounded by the SDK, connections by uvicorn; the
guard of `hexad.agents` decides who may call.
"""

from __future__ import annotations

import logging
import socket
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import INVALID_REQUEST
from starlette.responses import JSONResponse, Response

from hexad.agents.address import Address, host_of
from hexad.agents.guard import Guard, Rates, Refusal, for_pages
from hexad.errors import ConfigError
from hexad.mcp.sessions import IDLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mcp.server.mcpserver import MCPServer
    from starlette.applications import Starlette
    from starlette.types import ASGIApp

    from hexad.settings import Settings

PATH: Final = "/mcp"
_LARGER_THAN_TEXT: Final = (
    16  # JSON may need six bytes for one of a text, and a call has several texts
)
_SMALLEST_BODY: Final = 64 * 1024
_SESSIONS: Final = 1000
_CONNECTIONS: Final = 512
_GRACE: Final = 2  # seconds for requests in flight when the server ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The address a server listens on, and the hosts and origins it lets in; token and
    rate are settings.
    """

    address: Address
    hosts: frozenset[str] = field(default_factory=frozenset)
    origins: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(
        cls,
        address: Address,
        hosts: Iterable[str] | None,
        origins: Iterable[str] | None,
    ) -> Access:
        """The names as a person wrote them."""
        allowed = frozenset(origin.rstrip("/").casefold() for origin in origins or ())
        return cls(
            address=address, hosts=frozenset(map(host_of, hosts or ())), origins=allowed
        )


def largest_body(settings: Settings) -> int:
    """The most bytes of a request's JSON."""
    return max(_SMALLEST_BODY, _LARGER_THAN_TEXT * settings.max_text)


def sdk_app(server: MCPServer[Any], settings: Settings) -> Starlette:
    """The SDK's application, which no guard stands before yet."""
    return server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=largest_body(settings),
        session_idle_timeout=IDLE,
        max_sessions=_SESSIONS,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=False
        ),  # the guard does it
    )


def app_of(server: MCPServer[Any], settings: Settings, access: Access) -> ASGIApp:
    """The server as an ASGI application, guarded."""
    access.address.refuse_open(settings.mcp_token)
    app, rates, token = (
        sdk_app(server, settings),
        Rates(settings.mcp_rate),
        settings.mcp_token,
    )
    guarded = Guard(
        app, access.address, rates, _refused, token, access.hosts, access.origins
    )
    return for_pages(guarded, access.origins)


def _refused(refusal: Refusal) -> Response:
    """An error of the protocol, since its clients pass on no other."""
    error = {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": INVALID_REQUEST, "message": refusal.sentence},
    }
    return JSONResponse(error, status_code=refusal.status, headers=refusal.headers)


def serve_http(app: ASGIApp, address: Address, *, ready: Callable[[int], None]) -> None:
    """Serve until SIGINT or SIGTERM; ``ready`` gets the port once it listens."""
    anyio.run(HttpServer(app, address, ready).listen)


class HttpServer(uvicorn.Server):
    """One server, in a running event loop, until ``should_exit`` is set or a signal
    comes.
    """

    def __init__(
        self, app: ASGIApp, address: Address, ready: Callable[[int], None]
    ) -> None:
        self._address = address
        self._ready = ready
        logging.getLogger("mcp.server").setLevel(
            logging.CRITICAL
        )  # a client that hangs up must not fill the log
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                log_level="critical",  # nor what strangers send
                access_log=False,
                server_header=False,
                proxy_headers=False,  # anybody can write them: the rate goes by the address that really connects
                ws="none",
                lifespan="on",
                limit_concurrency=_CONNECTIONS,
                timeout_graceful_shutdown=_GRACE,
            )
        )

    async def listen(self) -> None:
        """Serve until the end."""
        address, family = (
            self._address,
            socket.AF_INET6 if self._address.ipv6 else socket.AF_INET,
        )
        # asyncio turns Nagle's delay of 40 ms off only where the protocol is named
        with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
            try:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listener.bind((address.host, address.port))
                listener.listen(128)
            except OSError as error:
                reason = f"cannot listen on {address.host} port {address.port}: {error.strerror or error}; give another"
                raise ConfigError("http", reason) from error
            await self.serve(sockets=[listener])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so: from here on a signal ends the server, not the process."""
        await super().startup(sockets)
        self._ready((sockets or [])[0].getsockname()[1])

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As uvicorn does it, without sending the signal to the process again: the
        store is closed first.
        """
        with super().capture_signals():
            yield
            self._captured_signals.clear()
