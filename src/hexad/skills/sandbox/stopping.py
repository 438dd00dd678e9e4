"""How a run is ended by somebody else than the thread that waits for it."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Stop:
    """Call it, from any thread, and the runs that have it end; said once it holds, also for a run that begins later.

    It is heard through a pipe, by the thread that waits for the process: nobody else kills it, so that a number
    which belongs to another process by then is never meant.
    """

    def __init__(self) -> None:
        self.said = False
        self._lock = threading.Lock()
        self._listening: set[int] = set()

    def __call__(self) -> None:
        """Say it; it does not wait for the end."""
        with self._lock:
            if not self.said:
                self.said = True
                for end in self._listening:
                    os.write(end, b"!")

    @contextmanager
    def heard(self) -> Iterator[int]:
        """A descriptor that can be read from as soon as it is said."""
        hearing, saying = os.pipe()
        with self._lock:
            self._listening.add(saying)
            if self.said:
                os.write(saying, b"!")
        try:
            yield hearing
        finally:
            with self._lock:
                self._listening.discard(saying)
                os.close(saying)
            os.close(hearing)
