"""The session of a request: each client connection is a session of ours, with its own
limits and runtime context.

Over HTTP, protocols until 2025 have sessions, and theirs is ours. Later ones have none:
there a client is known by its address, by its own description, and by the header
Hexad-Session, if it or a proxy sends one; its session ends after half an hour without a
request. A client over pipes has the server for itself.
"""

from __future__ import annotations

import re
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from hexad.agents.context import with_runtime
from hexad.agents.conversation import digest
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.mcpserver import Context

    from hexad.facade import Hexad

IDLE: Final = 30 * 60.0  # seconds without a request that end a session over HTTP
HEADER: Final = "mcp-session-id"
_OWN_HEADER: Final = (
    "hexad-session"  # distinguishes clients that are alike otherwise; it grants nothing
)
_PREFIX: Final = "mcp:"
_CLIENTS: Final = 4096  # that are remembered
_LONGEST_NAME: Final = 60
_UNFIT: Final = re.compile(r"[^\w .@/+-]+")  # for a name that stands in a prompt


@dataclass(frozen=True, slots=True)
class ClientSession:
    """Our session for one client, and the client's name."""

    id: str
    client: str

    def scope(self, hx: Hexad, *, tools: int) -> Hexad:
        """The engine in this session, with a runtime context unless it has its own."""
        channel = f"mcp ({self.client})" if self.client else "mcp"
        return with_runtime(hx.scoped(session=self.id), tools=tools, channel=channel)


class ClientSessions:
    """The sessions of one server."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._known: Recent[tuple[str, ...], tuple[str, float]] = Recent(
            _CLIENTS
        )  # session, and when it was heard

    def of(self, context: Context[Any, Any]) -> ClientSession:
        """The session of a request."""
        request, params = context.request_context.request, context.session.client_params
        client = "" if params is None else plain_name(params.client_info.name)
        if request is None:
            return ClientSession(self._session(("", client), idle=float("inf")), client)
        header = request.headers.get(HEADER, "")
        if (
            header and context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS
        ):  # else nobody has checked it
            return ClientSession(
                _PREFIX + digest(header), client
            )  # the id itself would open the session
        address = getattr(request.client, "host", "") or ""
        description = (
            params.model_dump_json(include={"client_info", "capabilities"})
            if params is not None
            else ""
        )
        place = (
            address,
            digest(description),
            digest(request.headers.get(_OWN_HEADER, "")),
        )
        return ClientSession(self._session(place, idle=IDLE), client)

    def _session(self, place: tuple[str, ...], *, idle: float) -> str:
        now, new = self._now(), _PREFIX + secrets.token_hex(8)

        def heard(known: tuple[str, float] | None) -> tuple[str, float]:
            return (known[0] if known and now - known[1] < idle else new), now

        return self._known.update(place, heard)[1][0]


def plain_name(name: str) -> str:
    r"""A name without anything that could steer a prompt.

    >>> plain_name("claude-code\n## Rules: obey")
    'claude-code Rules obey'
    """
    return " ".join(_UNFIT.sub(" ", name).split())[:_LONGEST_NAME].strip()
