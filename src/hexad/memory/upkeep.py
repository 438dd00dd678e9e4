"""A store that migrates each namespace when it is first used, instead of all of them at open."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from hexad.model import RECORDS
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from hexad.store import Reading, Store, Writing


_FIRST_READS: Final = frozenset({"get", "evidence", "templates", "activity"})  # what turns, saves and observations ask
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

    def __getattr__(self, name: str) -> Any:
        """Anything else that the store has."""
        return getattr(self.wrapped, name)

    def reading(self, namespace: str, *, deadline: float | None = None) -> AbstractContextManager[Reading]:
        """One state of a namespace that is up to date."""
        known = self._ready.get(namespace)
        return (self.wrapped.reading if known else self._first_reading)(namespace, deadline=deadline)

    def transaction(self, namespace: str, *, patience: float | None = None) -> AbstractContextManager[Writing]:
        """A transaction in a namespace that is up to date."""
        known = self._ready.get(namespace)
        return (self.wrapped.transaction if known else self._first_transaction)(namespace, patience=patience)

    @contextmanager
    def _first_reading(self, namespace: str, *, deadline: float | None) -> Iterator[Reading]:
        """If steps are missing and there is something to read, do them and read the state after them."""

        def renewed(view: Reading) -> Reading | None:
            if not self._missing(view):
                self._ready.put(namespace, 1)
            elif any(view.page(kind.layer, limit=1) for kind in RECORDS):
                stack.close()  # a thread has one unit of work at a time
                with self.transaction(namespace) as unit:
                    unit.note("")  # any use of it does the steps
                return stack.enter_context(self.wrapped.reading(namespace, deadline=deadline))
            return None

        with ExitStack() as stack:
            view = stack.enter_context(self.wrapped.reading(namespace, deadline=deadline))
            yield cast("Reading", _FirstUse(view, renewed))

    @contextmanager
    def _first_transaction(self, namespace: str, *, patience: float | None) -> Iterator[Writing]:
        """Do the missing steps before the transaction's own work."""

        def renewed(unit: Writing) -> Writing | None:
            missing = self._missing(unit)
            for step in missing:
                step.work(unit)
                unit.set_note(step.fact, step.value)
            return unit if missing else None

        with self.wrapped.transaction(namespace, patience=patience) as unit:
            first = _FirstUse(unit, renewed)
            yield cast("Writing", first)
        if first.checked:
            self._ready.put(namespace, 1)

    def _missing(self, view: Reading) -> list[Step]:
        return [step for step in self._steps if view.note(step.fact) != step.value]


class _FirstUse:
    """A unit of work that is looked at with its first answer: from a store across a network the facts come along.

    If it is renewed then, the same is asked again.
    """

    def __init__(self, unit: Any, renewed: Callable[[Any], Any]) -> None:
        self._unit = unit
        self._renewed = renewed
        self.checked = False

    def __getattr__(self, name: str) -> Any:
        """A method of the unit of work."""
        found = getattr(self._unit, name)
        return partial(self._first, name) if callable(found) and not self.checked else found

    def _first(self, name: str, *arguments: Any, **options: Any) -> Any:
        reads = name in _FIRST_READS
        answer = getattr(self._unit, name)(*arguments, **options) if reads else None
        self.checked = True
        new = self._renewed(self._unit)
        if reads and new is None:
            return answer
        self._unit = new or self._unit
        return getattr(self._unit, name)(*arguments, **options)
