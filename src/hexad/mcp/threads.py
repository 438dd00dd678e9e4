"""The engine is synchronous, MCP is not: its work is done in threads, so that one client does not wait for another.

What may take long has threads of its own: skills that wait must not keep questions from being answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import anyio
from anyio import to_thread
from anyio.lowlevel import RunVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
QUICK: Final = 12  # a store keeps a connection for each
SLOW: Final = 4
_limiters: Final[dict[int, RunVar[anyio.CapacityLimiter]]] = {
    count: RunVar(f"hexad_mcp_{count}_threads") for count in (QUICK, SLOW)
}


async def in_thread(work: Callable[[], T], *, among: int = QUICK) -> T:
    """The work's result. Where nobody waits for it any more, it goes on to its end by itself."""
    return await to_thread.run_sync(work, abandon_on_cancel=True, limiter=_limiter(among))


def _limiter(count: int) -> anyio.CapacityLimiter:
    """Each event loop has its own."""
    try:
        return _limiters[count].get()
    except LookupError:
        limiter = anyio.CapacityLimiter(count)
        _limiters[count].set(limiter)
        return limiter
