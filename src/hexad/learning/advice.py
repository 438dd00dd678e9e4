"""Advice: a trusted fix, put behind the error that goes back to the model; and a warning where none could be given."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from hexad.learning.outcome import ADVICE, ADVISED
from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from hexad.model import Learning


def warn(tool: str, error: Exception) -> None:
    """Say in the log that a call could not be written down; an error that cannot tell itself is named."""
    try:
        reason = redact(f"{type(error).__name__}: {error}").text
    except Exception:  # noqa: BLE001 - likewise
        reason = type(error).__name__
    logging.getLogger("hexad").warning("a call of %s was not recorded: %s", tool, reason)


def _advice(learning: Learning) -> str:
    return ADVICE.format(trust=learning.trust, fix=" ".join(learning.fix.split()))


def advise_error(error: Exception, learning: Learning) -> None:
    """Put the fix behind what the error says, wherever its message is kept; a note if that cannot be told.

    An error that was advised before, when it was raised or inside of another tool, stays as it is.
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
    except Exception as trouble:  # noqa: BLE001 - the error goes on as it was
        warn(learning.trigger, trouble)


def advised_result(result: Any, learning: Learning | None) -> Any:
    """A copy of an error dict with the fix in its message, or beside it."""
    if learning is None or not isinstance(result, dict):
        return result
    said = next((name for name in ("error", "message", "detail", "stderr") if isinstance(result.get(name), str)), None)
    if said is None:
        return {**result, "known_fix": _advice(learning).strip()}
    return {**result, said: result[said] + _advice(learning)}
