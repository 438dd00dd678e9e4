"""Ending a run from another thread than the one that waits for it."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Stop:
    """Call it from any thread to end the runs that have it, also those that begin later.

    The thread that waits for the process reads it through a pipe and kills the process itself, so a process id that
    was reused meanwhile is never killed.
    """

    def __init__(self) -> None:
        self.said = False
        self._lock = threading.Lock()
        self._listening: set[int] = set()

    def __call__(self) -> None:
        """End the runs, without waiting for them."""
        with self._lock:
            if not self.said:
                self.said = True
                for end in self._listening:
                    os.write(end, b"!")

    @contextmanager
    def heard(self) -> Iterator[int]:
        """A descriptor that becomes readable when it is called."""
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
