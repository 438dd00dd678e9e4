"""The store of an engine that is off: it holds nothing, and says how to turn the engine on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.errors import Disabled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from hexad.model import Erasure
    from hexad.store import Reading, Writing


class AbsentStore:
    """Creates nothing, opens nothing; every call but `close` is `Disabled`."""

    durable: bool = False
    location: str = "(off)"
    shared_as: str | None = None
    files: Sequence[Path] = ()

    def reading(self, namespace: str, *, deadline: float | None = None) -> AbstractContextManager[Reading]:
        """There is nothing to read."""
        raise Disabled

    def transaction(self, namespace: str, *, patience: float | None = None) -> AbstractContextManager[Writing]:
        """There is nothing to change."""
        raise Disabled

    def namespaces(self, *, after: str = "", limit: int = 1000) -> Sequence[str]:
        """There are none."""
        raise Disabled

    def flush_traces(self) -> Erasure:
        """There are no traces."""
        raise Disabled

    def close(self) -> None:
        """There is nothing to close."""
