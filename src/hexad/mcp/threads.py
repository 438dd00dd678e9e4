"""The engine is synchronous, MCP is not: its work is done in threads, so that one client does not wait for another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import anyio
from anyio import to_thread
from anyio.lowlevel import RunVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_THREADS: Final = 16  # a store keeps a connection for each
_limiter: Final[RunVar[anyio.CapacityLimiter]] = RunVar("hexad_mcp_threads")


async def in_thread(work: Callable[[], T]) -> T:
    """The work's result. Where nobody waits for it any more, it goes on to its end by itself."""
    try:
        limiter = _limiter.get()
    except LookupError:
        limiter = anyio.CapacityLimiter(_THREADS)
        _limiter.set(limiter)
    return await to_thread.run_sync(work, abandon_on_cancel=True, limiter=limiter)
