"""Brings each namespace up to date when it is first used in a process, instead of all
of them at open.

A namespace that holds nothing needs no work: reading it writes nothing.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.model import RECORDS
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from hexad.store import Reading, Store, Writing

_REMEMBERED: Final = 10_000  # namespaces known to be up to date


class UpkeepStep(NamedTuple):
    """Work that a namespace needs once: a fact of the namespace says whether it was
    done.
    """

    fact: str
    value: str  # the fact's value once it was done
    work: Callable[[Writing], None]


class Steps:
    """The steps that a namespace may need, and the namespaces that need none."""

    def __init__(self, *steps: UpkeepStep) -> None:
        self._steps = steps
        self._ready = Recent[str, int](_REMEMBERED, inherited=True)

    def done(self, namespace: str) -> bool:
        """Whether this process knows that a namespace is up to date."""
        return self._ready.get(namespace) is not None

    def due(self, view: Reading) -> bool:
        """Whether a namespace must be brought up to date before it is read."""
        return bool(self._missing(view)) and any(
            view.page(kind.layer, limit=1) for kind in RECORDS
        )

    def do(self, unit: Writing) -> bool:
        """Do the missing steps, before a transaction's own work; whether there were
        any.
        """
        missing = self._missing(unit)
        for step in missing:
            step.work(unit)
            unit.set_note(step.fact, step.value)
        return bool(missing)

    def _missing(self, view: Reading) -> list[UpkeepStep]:
        if self.done(view.namespace):
            return []
        missing = [step for step in self._steps if view.note(step.fact) != step.value]
        if not missing:
            self._ready.put(view.namespace, 1)
        return missing


class MaintainedStore:
    """A store that does the missing steps before a namespace is first read or written
    in this process.
    """

    def __init__(self, store: Store, steps: Steps) -> None:
        self.wrapped = store
        self._steps = steps
        self.durable, self.location = store.durable, store.location
        self.shared_as, self.namespaces = store.shared_as, store.namespaces
        self.flush_traces, self.close = store.flush_traces, store.close
        self.inspect, self.mend = store.inspect, store.mend

    def reading(
        self, namespace: str, *, deadline: float | None = None
    ) -> AbstractContextManager[Reading]:
        """One state of a namespace that is up to date."""
        if not self._steps.done(namespace):
            with self.wrapped.reading(namespace) as view:
                due = self._steps.due(view)
            if due:
                with self._first_transaction(namespace, patience=None):
                    pass
        return self.wrapped.reading(namespace, deadline=deadline)

    def transaction(
        self, namespace: str, *, patience: float | None = None
    ) -> AbstractContextManager[Writing]:
        """A transaction in a namespace that is up to date."""
        known = self._steps.done(namespace)
        return (self.wrapped.transaction if known else self._first_transaction)(
            namespace, patience=patience
        )

    @contextmanager
    def _first_transaction(
        self, namespace: str, *, patience: float | None
    ) -> Iterator[Writing]:
        with self.wrapped.transaction(namespace, patience=patience) as unit:
            self._steps.do(unit)
            yield unit
