"""A deadline for calls of other people's code, which cannot be interrupted."""

from __future__ import annotations

import contextvars
import threading
from typing import TYPE_CHECKING, TypeVar

from hexad.errors import DeadlineExceeded

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def within(seconds: float | None, call: Callable[[], T], *, who: str) -> T:
    """The call's result or exception, or `DeadlineExceeded`; a late answer is discarded.

    The call runs in a thread of its own, with the caller's context variables: nothing else can leave a call that hangs.
    """
    if seconds is None:
        return call()
    outcome: list[Callable[[], T]] = []
    context = contextvars.copy_context()
    thread = threading.Thread(target=lambda: outcome.append(context.run(_settled, call)), daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcome:
        raise DeadlineExceeded(who, seconds)
    return outcome[0]()


def _settled(call: Callable[[], T]) -> Callable[[], T]:
    """The call's outcome, to be replayed in the caller's thread."""
    try:
        result = call()
    except Exception as error:  # noqa: BLE001 - it is raised again where it belongs
        return lambda error=error: _raise(error)  # type: ignore[misc]
    except BaseException as error:  # noqa: BLE001 - a provider that exits or is cancelled ends itself, not its caller
        gone = RuntimeError(f"the provider ended with {type(error).__name__}")
        return lambda: _raise(gone)
    return lambda: result


def _raise(error: BaseException) -> T:  # type: ignore[type-var]
    raise error
