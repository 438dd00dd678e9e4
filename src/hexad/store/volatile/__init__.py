"""A store of dictionaries: for tests, trials and memory that may vanish with the process."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hexad.errors import DeadlineExceeded, StoreBusy, StoreClosed, StoreError
from hexad.fork import survive_fork
from hexad.model import Erasure
from hexad.store import IN_MEMORY
from hexad.store.volatile.namespace import Namespace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["VolatileStore"]


class VolatileStore:
    """Everything in dictionaries behind one lock; a transaction that fails is undone step by step."""

    durable: bool = False
    location: str = IN_MEMORY
    shared_as: str | None = None
    files: Sequence[Path] = ()

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._namespaces: dict[str, Namespace] | None = {}
        self._writing: Namespace | None = None
        survive_fork(self)

    def after_fork(self) -> None:
        """A thread of the parent may have been in the middle of a transaction."""
        self._lock = threading.RLock()
        if self._writing is not None:
            self._writing.roll_back()
            self._writing = None

    @contextmanager
    def reading(self, namespace: str, *, deadline: float | None = None) -> Iterator[Namespace]:
        """One state: writers wait until the block ends, and it waits for them, but not beyond its deadline."""
        if not self._lock.acquire(timeout=-1 if deadline is None else deadline):
            raise DeadlineExceeded(IN_MEMORY, deadline or 0.0)
        try:
            yield self._open().get(namespace) or Namespace(namespace)
        finally:
            self._lock.release()

    @contextmanager
    def transaction(self, namespace: str, *, patience: float | None = None) -> Iterator[Namespace]:
        """All or nothing, one writer at a time."""
        if not self._lock.acquire(timeout=-1 if patience is None else patience):
            raise StoreBusy(IN_MEMORY, "another thread is writing; try again")
        try:
            known = self._open()
            data = known.get(namespace) or known.setdefault(namespace, Namespace(namespace))
            if self._writing is not None:
                raise StoreError(IN_MEMORY, "this thread is in a transaction already; use that one")
            self._writing = data
            try:
                yield data
            except BaseException:
                data.roll_back()
                raise
            finally:
                self._writing = None
            data.commit()
        finally:
            self._lock.release()

    def namespaces(self, *, after: str = "", limit: int = 1000) -> Sequence[str]:
        """The namespaces that hold anything."""
        with self._lock:
            return sorted(name for name, data in self._open().items() if name > after and data.holds_anything())[:limit]

    def flush_traces(self) -> Erasure:
        """There is no log."""
        return Erasure.DONE

    def close(self) -> None:
        """Drop everything."""
        with self._lock:
            self._namespaces = None

    def _open(self) -> dict[str, Namespace]:
        if self._namespaces is None:
            raise StoreClosed(IN_MEMORY, "this store was closed; open a new one")
        return self._namespaces
