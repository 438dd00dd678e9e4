"""`FaultyStore`: a real store that fails, blocks or counts at its port, for tests of what depends on one."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hexad.facade import Hexad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from hexad.model import Erasure
    from hexad.store import Reading, Store, Writing


@dataclass
class FaultyStore:
    """A store behind its port: ``before`` is called before anything is read or written."""

    inner: Store
    before: Callable[[], object] = lambda: None
    touched: int = field(default=0)

    def __post_init__(self) -> None:
        self.durable = self.inner.durable
        self.location = f"faulty {id(self)}"
        self.shared_as = self.inner.shared_as
        self.files = self.inner.files

    @contextmanager
    def reading(self, namespace: str, *, deadline: float | None = None) -> Iterator[Reading]:
        with self._through(self.inner.reading(namespace, deadline=deadline)) as view:
            yield view

    @contextmanager
    def transaction(self, namespace: str, *, patience: float | None = None) -> Iterator[Writing]:
        with self._through(self.inner.transaction(namespace, patience=patience)) as unit:
            yield unit

    def namespaces(self, *, after: str = "", limit: int = 1000) -> Sequence[str]:
        return self.inner.namespaces(after=after, limit=limit)

    @contextmanager
    def _through(self, opened: AbstractContextManager[Any]) -> Iterator[Any]:
        self.touched += 1
        self.before()
        with opened as inside:
            yield inside

    def flush_traces(self) -> Erasure:
        return self.inner.flush_traces()

    def close(self) -> None:
        self.inner.close()


def over(hx: Hexad, store: Any) -> Hexad:
    """The same engine over another store, put in at the port."""
    engine = hx._engine  # noqa: SLF001 - a store is chosen when an engine is opened; this is for tests
    retriever = replace(hx.retriever, store=store)  # type: ignore[type-var]
    changed = replace(engine, workspace=replace(engine.workspace, store=store), retriever=retriever)
    return Hexad(changed, hx.settings, owner=False)
