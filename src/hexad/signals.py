"""Facts about what the engine does, never content, for metrics and traces. Without a
listener they cost nothing.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Facts: TypeAlias = dict[str, str | float]


class Signal(NamedTuple):
    """Something that has ended: its name, how long it took, and facts about it:
    numbers, and words of closed sets.
    """

    name: str
    seconds: float
    facts: Facts

    @property
    def actions(self) -> dict[str, int]:
        """How often each thing was done by a change; nothing if it failed."""
        facts = (
            self.facts if self.name == "change" and "error" not in self.facts else {}
        )
        return {action: int(times) for action, times in facts.items()}


Listener: TypeAlias = Callable[
    [str], Callable[[Signal], None]
]  # hears a beginning; its answer hears the end
_listeners: Final[list[Listener]] = []


class measured:  # noqa: N801 - used like a function: `with measured("retrieval") as facts`
    """A block that ends with a signal, which has the facts that the block noted.
    Signals inside it are its parts.
    """

    __slots__ = ("_ends", "_facts", "_name", "_started")

    def __init__(self, name: str, **facts: str | float) -> None:
        self._name, self._facts = name, facts

    def __enter__(self) -> Facts:
        self._ends = [begun(self._name) for begun in _listeners]
        self._started = time.perf_counter()
        return self._facts

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._ends:
            failed: Facts = {} if kind is None else {"error": kind.__name__}
            signal = Signal(
                self._name,
                time.perf_counter() - self._started,
                {**self._facts, **failed},
            )
            for ended in self._ends:
                try:
                    ended(signal)
                except Exception as error:  # noqa: BLE001 - what was measured is done
                    warn_once(
                        f"a listener failed, so metrics or traces miss something: {type(error).__name__}"
                    )


@cache
def warn_once(sentence: str) -> None:
    """Log a warning, once in a process."""
    logging.getLogger("hexad").warning(sentence)


def wanted() -> bool:
    """Whether anybody listens."""
    return bool(_listeners)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Pass signals to a listener inside of this block, in the thread of the one who
    emits them.
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
