"""A store that migrates each namespace when it is first used, instead of all of them at open."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.model import RECORDS
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from hexad.model import Erasure
    from hexad.store import Reading, Store, Writing


_REMEMBERED: Final = 10_000  # namespaces known to be up to date


class Step(NamedTuple):
    """Work that a namespace needs once: a fact of the namespace says whether it was done."""

    fact: str
    value: str  # the fact's value once it was done
    work: Callable[[Writing], None]


class MaintainedStore:
    """A store that does the missing steps before a namespace is first read or written in this process.

    A namespace that holds nothing needs none: reading it writes nothing.
    """

    def __init__(self, store: Store, steps: Sequence[Step]) -> None:
        self.wrapped = store
        self._steps = steps
        self._ready = Recent[str, int](_REMEMBERED, inherited=True)
        self.durable = store.durable
        self.location = store.location
        self.shared_as = store.shared_as
        self.files = store.files

    def reading(self, namespace: str, *, deadline: float | None = None) -> AbstractContextManager[Reading]:
        """One state of a namespace that is up to date."""
        if not self._ready.get(namespace) and self._needs_work(namespace):
            with self.transaction(namespace):
                pass
        return self.wrapped.reading(namespace, deadline=deadline)

    def transaction(self, namespace: str, *, patience: float | None = None) -> AbstractContextManager[Writing]:
        """A transaction in a namespace that is up to date."""
        known = self._ready.get(namespace)
        return (self.wrapped.transaction if known else self._first_transaction)(namespace, patience=patience)

    def namespaces(self, *, after: str = "", limit: int = 1000) -> Sequence[str]:
        """The store's namespaces."""
        return self.wrapped.namespaces(after=after, limit=limit)

    def flush_traces(self) -> Erasure:
        """Remove the last traces."""
        return self.wrapped.flush_traces()

    def close(self) -> None:
        """Close the store."""
        self.wrapped.close()

    @contextmanager
    def _first_transaction(self, namespace: str, *, patience: float | None) -> Iterator[Writing]:
        """Do the missing steps before the transaction's own work."""
        with self.wrapped.transaction(namespace, patience=patience) as unit:
            for step in self._steps:
                if unit.note(step.fact) != step.value:
                    step.work(unit)
                    unit.set_note(step.fact, step.value)
            yield unit
        self._ready.put(namespace, 1)

    def _needs_work(self, namespace: str) -> bool:
        with self.wrapped.reading(namespace) as view:
            if all(view.note(step.fact) == step.value for step in self._steps):
                self._ready.put(namespace, 1)
                return False
            return any(view.page(kind.layer, limit=1) for kind in RECORDS)
