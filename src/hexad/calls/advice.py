"""What is shown beside an error that goes back to the model: one line, which is left
out when it is read again.
"""

from __future__ import annotations

from typing import Any, Final

from hexad.calls.error_text import SHOWN_BEFORE, warn
from hexad.text.visible import visible

_MESSAGES: Final = ("error", "message", "detail", "stderr")


def beside_error(text: str) -> str:
    """The line for a text about an error."""
    return f"{SHOWN_BEFORE}{' '.join(visible(text).split())}"


def advise_error(error: Exception, text: str) -> None:
    """Append the text to the error's message, wherever that is kept; add a note if the
    message does not show it.

    An error that has such a line already, from another tool, stays as it is.
    """
    line = beside_error(text)
    try:
        if SHOWN_BEFORE in "\n".join((str(error), *getattr(error, "__notes__", ()))):
            return
        if isinstance(error, OSError) and isinstance(error.strerror, str):
            error.strerror += f"\n{line}"
        elif error.args and isinstance(error.args[0], str):
            error.args = (f"{error.args[0]}\n{line}", *error.args[1:])
        elif not error.args:
            error.args = (line,)
        if line not in str(error):
            error.add_note(line)
    except Exception as problem:  # noqa: BLE001 - the error goes on as it was
        warn("a tool", problem)


def advised_result(result: Any, text: str) -> Any:
    """A copy of an error dict with the line in its message, or beside it."""
    if not isinstance(result, dict):
        return result
    line = beside_error(text)
    message = next(
        (name for name in _MESSAGES if isinstance(result.get(name), str)), None
    )
    if message is None:
        return {**result, "from_memory": line.removeprefix(SHOWN_BEFORE)}
    return {**result, message: f"{result[message]}\n{line}"}
