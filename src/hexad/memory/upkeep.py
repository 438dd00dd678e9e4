"""A store whose namespaces are brought up to date when they are first used, and not all of them at open."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hexad.model import RECORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from types import TracebackType

    from hexad.model import Erasure
    from hexad.store import Reading, Store, Writing


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
        self._ready: set[str] = set()
        self.durable = store.durable
        self.location = store.location
        self.shared_as = store.shared_as
        self.files = store.files

    def reading(self, namespace: str, *, deadline: float | None = None) -> AbstractContextManager[Reading]:
        """One state of a namespace that is up to date."""
        if namespace not in self._ready and self._needs_work(namespace):
            with self.transaction(namespace):
                pass
        return self.wrapped.reading(namespace, deadline=deadline)

    def transaction(self, namespace: str, *, patience: float | None = None) -> AbstractContextManager[Writing]:
        """A transaction in a namespace that is up to date."""
        unit = self.wrapped.transaction(namespace, patience=patience)
        return unit if namespace in self._ready else _FirstTransaction(self, namespace, unit)

    def namespaces(self, *, after: str = "", limit: int = 1000) -> Sequence[str]:
        """The store's namespaces."""
        return self.wrapped.namespaces(after=after, limit=limit)

    def flush_traces(self) -> Erasure:
        """Remove the last traces."""
        return self.wrapped.flush_traces()

    def close(self) -> None:
        """Close the store."""
        self.wrapped.close()

    def bring_up_to_date(self, unit: Writing) -> None:
        """Do the missing steps."""
        for step in self._steps:
            if unit.note(step.fact) != step.value:
                step.work(unit)
                unit.set_note(step.fact, step.value)

    def mark_ready(self, namespace: str) -> None:
        """Remember that a namespace is up to date."""
        self._ready.add(namespace)

    def _needs_work(self, namespace: str) -> bool:
        with self.wrapped.reading(namespace) as view:
            if all(view.note(step.fact) == step.value for step in self._steps):
                self.mark_ready(namespace)
                return False
            return any(view.page(kind.layer, limit=1) for kind in RECORDS)


class _FirstTransaction:
    """The first transaction of a namespace, which does the missing steps before its own work."""

    def __init__(self, store: MaintainedStore, namespace: str, inner: AbstractContextManager[Writing]) -> None:
        self._store = store
        self._namespace = namespace
        self._inner = inner

    def __enter__(self) -> Writing:
        unit = self._inner.__enter__()
        try:
            self._store.bring_up_to_date(unit)
        except BaseException as error:
            self._inner.__exit__(type(error), error, error.__traceback__)
            raise
        return unit

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inner.__exit__(kind, error, trace)
        if error is None:
            self._store.mark_ready(self._namespace)
