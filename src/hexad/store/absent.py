"""The store of an engine that is off: it holds nothing, and says how to turn the engine on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hexad.errors import Disabled

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from hexad.store import Reading, Writing


class AbsentStore:
    """Creates nothing, opens nothing; every call but `close` is `Disabled`."""

    durable: Final = False
    location: Final = "(off)"
    path: Final = None

    def reading(self, *, deadline: float | None = None) -> AbstractContextManager[Reading]:
        """There is nothing to read."""
        raise Disabled

    def transaction(self, *, patience: float | None = None) -> AbstractContextManager[Writing]:
        """There is nothing to change."""
        raise Disabled

    def flush_traces(self) -> bool:
        """There are no traces."""
        raise Disabled

    def close(self) -> None:
        """There is nothing to close."""
