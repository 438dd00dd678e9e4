"""Which items went into prompts: counted in memory, written with the next change, so that no answer waits for it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from hexad.errors import StoreError
from hexad.fork import survive_fork
from hexad.store import Scope, Use

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from hexad.store import Store

FLUSH_AT: Final = 512  # items that may wait; a process that only ever reads writes them then


class Uses:
    """Uses that wait to be written. Losing them to a crash costs a count, never content."""

    def __init__(self) -> None:
        self.after_fork()
        survive_fork(self)

    def after_fork(self) -> None:
        """What waits is the parent's to write; a thread of the parent may have held the lock."""
        self._waiting: dict[tuple[Scope, str], Use] = {}
        self._enough = FLUSH_AT
        self._lock = threading.Lock()

    def add(self, scope: Scope, ids: Iterable[str], at: datetime) -> bool:
        """Count one use of each; whether so many wait that they should be written."""
        with self._lock:
            for used in ids:
                before = self._waiting.get((scope, used))
                self._waiting[scope, used] = Use(scope, used, before.count + 1 if before else 1, at)
            return len(self._waiting) >= self._enough

    def waiting(self, scope: Scope, id: str) -> Use | None:
        """What is not written yet of one item."""
        return self._waiting.get((scope, id))

    def take(self) -> Sequence[Use]:
        """All that waits; give it to the store, or `put_back`."""
        with self._lock:
            taken = tuple(self._waiting.values())
            self._waiting = {}
            self._enough = FLUSH_AT
            return taken

    def put_back(self, uses: Sequence[Use]) -> None:
        """What could not be written waits again, together with what came since; the next try waits for as many more."""
        with self._lock:
            self._enough = len(self._waiting) + len(uses) + FLUSH_AT
            for use in uses:
                since = self._waiting.get((use.scope, use.id))
                at, count = (since.at, since.count) if since else (use.at, 0)
                self._waiting[use.scope, use.id] = Use(use.scope, use.id, use.count + count, at)

    def flush(self, store: Store, *, patience: float | None = None) -> None:
        """Write what waits. A store that is busy, full or gone keeps its users' answers going: it waits on."""
        uses = self.take()
        if not uses:
            return
        try:
            with store.transaction(patience=patience) as unit:
                unit.use(uses)
        except StoreError:
            self.put_back(uses)
