"""Advice: a trusted fix, added to the error that goes back to the model."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from hexad.learning.errors.text import ADVICE, ADVISED
from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from hexad.model import Learning


def warn(tool: str, error: Exception) -> None:
    """Log that a call could not be recorded."""
    try:
        reason = redact(f"{type(error).__name__}: {error}").text
    except Exception:  # noqa: BLE001 - an error whose `str` fails is still named
        reason = type(error).__name__
    logging.getLogger("hexad").warning("a call of %s was not recorded: %s", tool, reason)


def _advice(learning: Learning) -> str:
    return ADVICE.format(trust=learning.trust, fix=" ".join(learning.fix.split()))


def advise_error(error: Exception, learning: Learning) -> None:
    """Append the fix to the error's message, wherever that is kept; add a note if the message does not show it.

    An error that has advice already, from another tool, stays as it is.
    """
    advice = _advice(learning)
    try:
        if ADVISED.search("\n".join((str(error), *getattr(error, "__notes__", ())))):
            return
        if isinstance(error, OSError) and isinstance(error.strerror, str):
            error.strerror += advice
        elif error.args and isinstance(error.args[0], str):
            error.args = (error.args[0] + advice, *error.args[1:])
        elif not error.args:
            error.args = (advice.strip(),)
        if learning.fix not in str(error):
            error.add_note(advice.strip())
    except Exception as problem:  # noqa: BLE001 - the error goes on as it was
        warn(learning.trigger, problem)


def advised_result(result: Any, learning: Learning) -> Any:
    """A copy of an error dict with the fix in its message, or beside it."""
    if not isinstance(result, dict):
        return result
    names = ("error", "message", "detail", "stderr")
    message = next((name for name in names if isinstance(result.get(name), str)), None)
    if message is None:
        return {**result, "known_fix": _advice(learning).strip()}
    return {**result, message: result[message] + _advice(learning)}
