"""A deadline for calls of other people's code, which cannot be interrupted."""

from __future__ import annotations

import contextvars
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from hexad.errors import DeadlineExceeded

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def within(seconds: float | None, call: Callable[[], T], *, who: str) -> T:
    """The call's result or exception, or `DeadlineExceeded`; a late answer is
    discarded.

    The call runs in a thread of its own, with the caller's context variables: nothing
    else can leave a call that hangs.
    """
    if seconds is None:
        return call()
    outcome: Future[T] = Future()
    context = contextvars.copy_context()
    thread = threading.Thread(
        target=context.run, args=(_settle, outcome, call), daemon=True
    )
    thread.start()
    thread.join(seconds)
    if not outcome.done():
        raise DeadlineExceeded(who, seconds)
    return outcome.result()


def _settle(outcome: Future[T], call: Callable[[], T]) -> None:
    try:
        outcome.set_result(call())
    except Exception as error:  # noqa: BLE001 - it is raised again where it belongs
        outcome.set_exception(error)
    except BaseException as error:  # noqa: BLE001 - a provider that exits or is cancelled ends itself, not its caller
        outcome.set_exception(
            RuntimeError(f"the provider ended with {type(error).__name__}")
        )
