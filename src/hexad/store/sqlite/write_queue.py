"""Whose turn it is to write: first among the threads of this process, then among the
processes that share a file.

This is about order alone. SQLite's own lock decides who writes, but those who wait for
it try again after a pause, and the next one in is anybody.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from contextlib import suppress
from typing import Final

try:
    import fcntl
except ImportError:  # Windows, where a folder cannot be opened either
    fcntl = None  # type: ignore[assignment]

_IN_LINE: Final = 0.25  # seconds that a writer stands in line before it tries its luck: others may lock folders too


class Turns:
    """Lets the writers of a process wait for each other, in the order in which they
    came.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._taken = False

    def take(self, seconds: float) -> bool:
        """Wait for one's turn; False if it did not come in time."""
        with self._lock:
            if not self._taken:
                self._taken = True
                return True
            mine = threading.Lock()
            mine.acquire()
            self._waiting.append(mine)
        if mine.acquire(timeout=seconds):
            return True
        with self._lock:
            came = mine not in self._waiting  # just now
            if not came:
                self._waiting.remove(mine)
            return came

    def give(self) -> None:
        """Let the next one in."""
        with self._lock:
            self._taken = bool(self._waiting)
            if self._waiting:
                self._waiting.popleft().release()


_turns: Final[weakref.WeakValueDictionary[tuple[int, str], Turns]] = (
    weakref.WeakValueDictionary()
)


def turns_of(path: str) -> Turns:
    """The turns of this process at a file."""
    return _turns.setdefault((os.getpid(), path), Turns())


class WriteQueue:
    """The line of all processes at a folder: the kernel lets those in that wait for a
    lock on it, in their order.

    One writer of a process stands in it at a time: whose turn it is.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._fd = -1
        self._place: _Place | None = None

    def stand(self, seconds: float) -> None:
        """Wait until it is this process's turn, or a while has passed."""
        try:
            if self._fd < 0:
                self._fd = os.open(self._folder, os.O_RDONLY)
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with suppress(OSError):
                self._place = _Place(self._folder, min(seconds, _IN_LINE))
        except (
            OSError
        ):  # as on Windows, and on file systems without such locks: go on without
            return

    def leave(self) -> None:
        """Let the next process in."""
        place, self._place = self._place, None
        if place is not None:
            place.leave()
        elif self._fd >= 0:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_UN)
            except OSError:
                return

    def __del__(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)


class _Place:
    """A place further back. A wait for the kernel has no time limit, so a thread waits;
    if it comes late, it leaves.
    """

    def __init__(self, folder: str, seconds: float) -> None:
        self._fd = os.open(folder, os.O_RDONLY)
        self._lock = threading.Lock()
        self._came = threading.Event()
        self._left = False
        threading.Thread(target=self._wait, daemon=True).start()
        self._came.wait(seconds)

    def leave(self) -> None:
        with self._lock:
            self._left = True
            if self._came.is_set():
                os.close(self._fd)

    def _wait(self) -> None:
        with suppress(OSError):
            fcntl.flock(self._fd, fcntl.LOCK_EX)
        with self._lock:
            self._came.set()
            if self._left:
                os.close(self._fd)
