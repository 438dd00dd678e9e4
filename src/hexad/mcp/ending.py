"""How a server ends: what waits is written before the process goes, however it is told to."""

from __future__ import annotations

import asyncio
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def on_signal(end: Callable[[], None]) -> Iterator[None]:
    """Call ``end`` in the running event loop when the process is interrupted or told to terminate.

    In a thread that is not the main one signals are somebody else's, and stay so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    names = (signal.SIGINT, signal.SIGTERM)
    before = {name: signal.signal(name, lambda *_: loop.call_soon_threadsafe(end)) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
