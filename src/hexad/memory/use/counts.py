"""Which items went into prompts: counted in memory and written with the namespace's next change, so no answer waits."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from hexad.errors import StoreError
from hexad.fork import survive_fork
from hexad.store import Use

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from hexad.model import Layer
    from hexad.store import Store

FLUSH_AT: Final = 512  # items of all namespaces that may wait; a process that only reads writes them then


class Uses:
    """Uses that wait to be written, by namespace. Losing them to a crash costs a count, never content."""

    def __init__(self) -> None:
        self.after_fork()
        survive_fork(self)

    def after_fork(self) -> None:
        """The parent writes its own uses; a thread of the parent may have held the lock."""
        self._waiting: dict[str, dict[tuple[Layer, str], Use]] = {}
        self._enough = FLUSH_AT
        self._lock = threading.Lock()

    def add(self, namespace: str, layer: Layer, ids: Iterable[str], at: datetime) -> bool:
        """Count one use of each; whether so many wait that they should be written."""
        with self._lock:
            waiting = self._waiting.setdefault(namespace, {})
            for used in ids:
                before = waiting.get((layer, used))
                waiting[layer, used] = Use(layer, used, before.count + 1 if before else 1, at)
            return self._count() >= self._enough

    def waiting(self, namespace: str, layer: Layer, id: str) -> Use | None:
        """The use of one item that is not written yet."""
        return self._waiting.get(namespace, {}).get((layer, id))

    def take(self, namespace: str) -> Sequence[Use]:
        """All that wait in a namespace; give them to the store, or `put_back`."""
        if namespace not in self._waiting:
            return ()
        with self._lock:
            self._enough = FLUSH_AT
            return tuple(self._waiting.pop(namespace, {}).values())

    def put_back(self, namespace: str, uses: Sequence[Use]) -> None:
        """Let uses that could not be written wait again; the next try waits for as many more."""
        if not uses:
            return
        with self._lock:
            self._enough = self._count() + len(uses) + FLUSH_AT
            waiting = self._waiting.setdefault(namespace, {})
            for use in uses:
                since = waiting.get((use.layer, use.id))
                at, count = (since.at, since.count) if since else (use.at, 0)
                waiting[use.layer, use.id] = Use(use.layer, use.id, use.count + count, at)

    def flush(self, store: Store, *, patience: float | None = None) -> None:
        """Write all that wait, a transaction for each namespace. If the store is busy, full or gone they wait on."""
        for namespace in tuple(self._waiting):
            uses = self.take(namespace)
            try:
                with store.transaction(namespace, patience=patience) as unit:
                    unit.use(uses)
            except StoreError:
                self.put_back(namespace, uses)
                return

    def _count(self) -> int:
        return sum(map(len, self._waiting.values()))
