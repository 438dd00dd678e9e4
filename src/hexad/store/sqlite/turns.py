"""Whose turn it is to write: first among the threads of this process, then among the processes that share a file.

This is about order alone. SQLite's own lock decides who writes, but those who wait for it try again after a pause, and
the next one in is anybody.
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
    """Lets the writers of a process wait for each other, in the order in which they came."""

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


_turns: Final[weakref.WeakValueDictionary[tuple[int, str], Turns]] = weakref.WeakValueDictionary()


def turns_of(path: str) -> Turns:
    """The turns of this process at a file."""
    return _turns.setdefault((os.getpid(), path), Turns())


class Line:
    """A place in the line of all processes: the kernel lets those in that wait for a lock on the folder, in order.

    Such a wait has no time limit, so a thread waits; if it comes too late, it gives the place back.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._came = threading.Event()  # nobody but us uses the file from now on
        self._left = False
        self._fd: int | None = None

    def stand(self, folder: str, seconds: float) -> None:
        """Wait until it is one's turn, or a while has passed."""
        with suppress(OSError):  # such as on Windows: go on without
            self._fd = os.open(folder, os.O_RDONLY)
            if not self._came_at_once(self._fd):
                threading.Thread(target=self._wait, args=[self._fd], daemon=True).start()
                self._came.wait(min(seconds, _IN_LINE))

    def leave(self) -> None:
        """Let the next process in."""
        with self._lock:
            self._left = True
            if self._fd is not None and self._came.is_set():
                os.close(self._fd)

    def _came_at_once(self, fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass  # a file system without such locks
        self._came.set()
        return True

    def _wait(self, fd: int) -> None:
        with suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_EX)
        with self._lock:
            self._came.set()
            if self._left:
                os.close(fd)
