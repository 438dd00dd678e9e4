"""Facts about what the engine does, never content, for metrics and traces. Without a listener they cost nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator


class Signal(NamedTuple):
    """Something that has ended: its name, how long it took, and facts about it: numbers, and words of closed sets."""

    name: str
    seconds: float
    facts: Mapping[str, str | int | float]


Listener: TypeAlias = Callable[[Signal], None]
_listeners: Final[list[Listener]] = []


def emit(name: str, seconds: float = 0.0, **facts: str | float) -> None:
    """Pass a signal to every listener, in the thread of the one who emits it."""
    if not _listeners:
        return
    signal = Signal(name, seconds, facts)
    for listener in tuple(_listeners):
        listener(signal)


def wanted() -> bool:
    """Whether anybody listens."""
    return bool(_listeners)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Pass signals to a listener inside of this block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
