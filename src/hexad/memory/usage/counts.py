"""Which items and fixes went into prompts: kept in memory and written with the
namespace's next change.

So no answer waits for it, and what many sessions saw at once is written together.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from hexad.fork import survive_fork
from hexad.store import Use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from hexad.memory.workspace import Change
    from hexad.model import Layer

FLUSH_AT: Final = 512  # items of all namespaces that may wait; a process that only reads writes them then
_MOST: Final = 10_000  # offers, and prompts, of a namespace that wait; beyond them the oldest are lost


@dataclass(frozen=True, slots=True)
class Waiting:
    """Uses that wait in a namespace, the functions that write offers, by session and
    fixes, and prompts.
    """

    uses: dict[tuple[Layer, str], Use] = field(default_factory=dict)
    offers: dict[tuple[str, ...], Callable[[Change], None]] = field(
        default_factory=dict
    )
    prompts: list[list[Any]] = field(default_factory=list)

    def write(self, change: Change) -> None:
        """Write uses and offers inside a transaction; prompts are written at its end,
        see `timeline`.
        """
        if self.uses:
            change.unit.use(self.uses.values())
        for offer in self.offers.values():
            offer(change)


class Uses:
    """Uses and offers that wait to be written, by namespace. Losing them to a crash
    costs a count, never content.
    """

    def __init__(self) -> None:
        self.after_fork()
        survive_fork(self)

    def after_fork(self) -> None:
        """The parent writes its own; a thread of the parent may have held the lock."""
        self._waiting: defaultdict[str, Waiting] = defaultdict(Waiting)
        self._enough = FLUSH_AT
        self.refused = (
            False  # whether the last try to write failed: the log says so once
        )
        self._lock = threading.Lock()

    def namespaces(self) -> Iterable[str]:
        """The namespaces where something waits."""
        return set(self._waiting)

    def offer(
        self, namespace: str, key: tuple[str, ...], write: Callable[[Change], None]
    ) -> None:
        """Let an offer wait, in the place of an earlier one of the same key."""
        with self._lock:
            offers = self._waiting[namespace].offers
            offers[key] = write
            if len(offers) > _MOST:
                del offers[next(iter(offers))]

    def show(self, namespace: str, prompt: list[Any]) -> None:
        """Let a prompt wait to be noted."""
        with self._lock:
            prompts = self._waiting[namespace].prompts
            prompts.append(prompt)
            del prompts[:-_MOST]

    def add(
        self, namespace: str, layer: Layer, ids: Iterable[str], at: datetime
    ) -> bool:
        """Count one use of each; whether so many wait that they should be written."""
        with self._lock:
            waiting = self._waiting[namespace].uses
            for used in ids:
                before = waiting.get((layer, used))
                waiting[layer, used] = Use(
                    layer, used, before.count + 1 if before else 1, at
                )
            return self._count() >= self._enough

    def waiting(self, namespace: str, layer: Layer, id: str) -> Use | None:
        """The use of one item that is not written yet."""
        found = self._waiting.get(namespace)
        return found.uses.get((layer, id)) if found else None

    def take(self, namespace: str) -> Waiting:
        """All that waits in a namespace; write it, or `put_back`."""
        if namespace not in self._waiting:
            return Waiting()
        with self._lock:
            self._enough = FLUSH_AT
            return self._waiting.pop(namespace, None) or Waiting()

    def put_back(self, namespace: str, taken: Waiting) -> None:
        """Let what could not be written wait again; the next try waits for as many more
        uses.
        """
        if taken == Waiting():
            return
        with self._lock:
            self._enough = self._count() + len(taken.uses) + FLUSH_AT
            since = self._waiting.pop(namespace, Waiting())
            uses = taken.uses | {
                place: replace(
                    use,
                    count=use.count
                    + (taken.uses[place].count if place in taken.uses else 0),
                )
                for place, use in since.uses.items()
            }
            self._waiting[namespace] = Waiting(
                uses, taken.offers | since.offers, [*taken.prompts, *since.prompts]
            )

    def _count(self) -> int:
        return sum(len(each.uses) for each in self._waiting.values())
