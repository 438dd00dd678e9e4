"""Which items and fixes went into prompts: kept in memory and written with the namespace's next change.

So no answer waits for it, and what many sessions saw at once is written together.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.fork import survive_fork
from hexad.store import Use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from hexad.memory.workspace import Change
    from hexad.model import Layer

FLUSH_AT: Final = 512  # items of all namespaces that may wait; a process that only reads writes them then
_MOST_OFFERS: Final = 10_000  # of a namespace that wait; beyond them the oldest are lost


class Waiting(NamedTuple):
    """Uses that wait in a namespace, and for each offer, by session and fixes, the function that writes it."""

    uses: Sequence[Use]
    offers: Mapping[tuple[str, ...], Callable[[Change], None]]

    def write(self, change: Change) -> None:
        """Write all of it inside a transaction."""
        if self.uses:
            change.unit.use(self.uses)
        for offer in self.offers.values():
            offer(change)


_NOTHING: Final = Waiting((), {})


class Uses:
    """Uses and offers that wait to be written, by namespace. Losing them to a crash costs a count, never content."""

    def __init__(self) -> None:
        self.after_fork()
        survive_fork(self)

    def after_fork(self) -> None:
        """The parent writes its own; a thread of the parent may have held the lock."""
        self._waiting: dict[str, dict[tuple[Layer, str], Use]] = {}
        self._offers: dict[str, dict[tuple[str, ...], Callable[[Change], None]]] = {}
        self._enough = FLUSH_AT
        self.refused = False  # whether the last try to write failed: the log says so once
        self._lock = threading.Lock()

    def namespaces(self) -> Iterable[str]:
        """The namespaces where something waits."""
        return {*self._waiting, *self._offers}

    def offer(self, namespace: str, key: tuple[str, ...], write: Callable[[Change], None]) -> None:
        """Let an offer wait, in the place of an earlier one of the same key."""
        with self._lock:
            offers = self._offers.setdefault(namespace, {})
            offers[key] = write
            if len(offers) > _MOST_OFFERS:
                del offers[next(iter(offers))]

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

    def take(self, namespace: str) -> Waiting:
        """All that waits in a namespace; write it, or `put_back`."""
        if namespace not in self._waiting and namespace not in self._offers:
            return _NOTHING
        with self._lock:
            self._enough = FLUSH_AT
            uses = tuple(self._waiting.pop(namespace, {}).values())
            return Waiting(uses, self._offers.pop(namespace, {}))

    def put_back(self, namespace: str, taken: Waiting) -> None:
        """Let what could not be written wait again; the next try waits for as many more uses."""
        if taken is _NOTHING:
            return
        with self._lock:
            self._enough = self._count() + len(taken.uses) + FLUSH_AT
            waiting = self._waiting.setdefault(namespace, {})
            for use in taken.uses:
                since = waiting.get((use.layer, use.id))
                at, count = (since.at, since.count) if since else (use.at, 0)
                waiting[use.layer, use.id] = Use(use.layer, use.id, use.count + count, at)
            self._offers[namespace] = {**taken.offers, **self._offers.get(namespace, {})}

    def _count(self) -> int:
        return sum(map(len, self._waiting.values()))
