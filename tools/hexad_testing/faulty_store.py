"""`FaultyStore`: a real store that fails, blocks or counts at its port, for tests of
what depends on one.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hexad.facade import Hexad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hexad.store import Reading, Store, Writing


@dataclass
class FaultyStore:
    """A store behind its port: ``before`` is called before anything is read or written."""

    inner: Store
    before: Callable[[], object] = lambda: None
    touched: int = field(default=0)

    def __getattr__(self, name: str) -> Any:
        """Anything else of the store, which never fails."""
        return getattr(self.inner, name)

    @property
    def location(self) -> str:
        return f"faulty {id(self)}"

    def reading(
        self, namespace: str, *, deadline: float | None = None
    ) -> AbstractContextManager[Reading]:
        return self._through(self.inner.reading(namespace, deadline=deadline))

    def transaction(
        self, namespace: str, *, patience: float | None = None
    ) -> AbstractContextManager[Writing]:
        return self._through(self.inner.transaction(namespace, patience=patience))

    @contextmanager
    def _through(self, opened: AbstractContextManager[Any]) -> Iterator[Any]:
        self.touched += 1
        self.before()
        with opened as inside:
            yield inside


def over(hx: Hexad, store: Any) -> Hexad:
    """The same engine over another store, put in at the port."""
    engine = hx._engine  # noqa: SLF001 - a store is chosen when an engine is opened; this is for tests
    retriever = replace(hx.retriever, store=store)  # type: ignore[type-var]
    changed = replace(
        engine, workspace=replace(engine.workspace, store=store), retriever=retriever
    )
    return Hexad(changed, hx.settings, owner=False)
