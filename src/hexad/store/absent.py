"""The store of an engine that is off: it holds nothing, and says how to turn the engine
on.
"""

from __future__ import annotations

from typing import NoReturn

from hexad.errors import Disabled


class AbsentStore:
    """Creates nothing, opens nothing; every call but `close` is `Disabled`."""

    durable: bool = False
    location: str = "(off)"
    shared_as: str | None = None

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise Disabled

    reading = transaction = namespaces = flush_traces = inspect = mend = _refuse

    def close(self) -> None:
        """There is nothing to close."""
