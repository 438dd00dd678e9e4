"""The text of an error or of a failure that a result reports: bounded, storable, without secrets.

Also the advice that `watch(advise=True)` adds to such a text for the model, and that is left out when it is read again.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from hexad.learning.errors.pattern import MOST_TEXT, ends
from hexad.memory.redaction import described, redact
from hexad.model import Learning, shown_trust
from hexad.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NO_MESSAGE: Final = "(no message)"
_SEARCHED: Final = 16 * MOST_TEXT  # characters of an error in which secrets are masked
_ADVISED: Final = re.compile(r"""(?:\n|\\n)?Known fix \(trust \d\.\d\d\): [^\n]*?(?=['"]?(?:\n|\Z))""")
_CARRIERS: Final = ("message", "detail", "text", "msg")  # keys under which a part of a result holds its text
_EXIT_CODES: Final = ("returncode", "exit_code", "exitCode", "exit_status")
_MOST_PARTS: Final = 16
_LONG: Final = 100  # characters of a text of the call that an error may repeat in part
_WORD: Final = re.compile(r"\w+")
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+")
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def text_of(error: object) -> str:
    """The text of an error, with its type if it has one: bounded, storable, without secrets.

    >>> text_of(ValueError("no file 'a'")), text_of(KeyError())
    ("ValueError: no file 'a'", 'KeyError')
    """
    if isinstance(error, BaseException):
        message = message_of(error).strip()
        name = type(error).__name__
        return _storable(f"{name}: {message}" if message else name)
    if isinstance(error, bytes | bytearray):
        return _storable(bytes(error[:MOST_TEXT]).decode(errors="replace"))
    if isinstance(error, Mapping):
        return _storable(failure_message(error, bad_code(error)))
    return _storable(error if isinstance(error, str) else message_of(error))


def message_of(error: object) -> str:
    """The message of an error, even of one whose `str` fails."""
    try:
        if isinstance(error, KeyError) and len(error.args) == 1 and " " in str(error.args[0]):
            return str(error.args[0])  # a sentence: `str` would quote it like a key
        return str(error)
    except Exception:  # noqa: BLE001 - an error whose `str` fails is still an error
        return NO_MESSAGE


def _storable(text: str) -> str:
    """Bounded, without secrets and without our own advice.

    Secrets are masked in more text than is kept, so that a cut never leaves half of one.
    """
    text = _UNSTORABLE.sub("\ufffd", ends(text, _SEARCHED))
    clean = redact(_ADVISED.sub("", text) if "Known fix" in text else text, accounts=True).text
    return ends(clean, MOST_TEXT).strip() or NO_MESSAGE


def unrepeated(error: str, given: Iterable[object]) -> str:
    """An error without the sentences that repeat a long text of the call: they are somebody else's words.

    >>> unrepeated("bad text: go away now and come again. It is too long.", ["go away now and come again " * 4])
    '… It is too long.'
    """
    for value in given:
        if isinstance(value, str) and len(value) > _LONG:
            words = set(_WORD.findall(value[:_SEARCHED]))
            parts = [(each, _WORD.findall(each)) for each in _SENTENCE.split(error)]
            error = " ".join("…" if len(words & set(own)) > len(own) / 2 else each for each, own in parts)
    return error


def attribute(holder: object, name: str) -> Any:
    """An attribute of a tool's error or result; None if it is missing or reading it fails."""
    try:
        return getattr(holder, name, None)
    except Exception:  # noqa: BLE001 - reading it runs code that is not ours
        return None


def retry_after(error: object) -> str:
    """The header `Retry-After` of an error or of its response, as a line; empty if it has none."""
    for holder in (error, attribute(error, "response")):
        headers = None if holder is None else attribute(holder, "headers")
        if headers is None:
            continue
        with suppress(Exception):  # reading them runs code that is not ours
            asked = str(headers.get("Retry-After") or headers.get("retry-after"))
            if asked.isdecimal():
                return f"\nRetry-After: {asked}"
    return ""


def failure_message(result: Mapping[Any, Any], code: int | None) -> str:
    """The text with which a result reports its failure."""
    for name in ("error", "error_message", "message", "detail", "stderr", "content", "reason", "output"):
        message = _text_in(result.get(name))
        if message.strip():
            return message
    return NO_MESSAGE if code is None else f"exit status {code}"


def _text_in(value: object) -> str:
    """The text of a message, of an object that carries one, or of a list of such, as MCP and JSON-RPC send them."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, list | tuple):
        return "\n".join(filter(str.strip, (_carried(each, _CARRIERS) for each in value[:_MOST_PARTS])))
    text = _carried(value, (*_CARRIERS, "type"))
    code = value.get("code") if isinstance(value, Mapping) and not text.strip() else None
    return text if code is None else f"error code {code}"


def _carried(value: object, names: Sequence[str]) -> str:
    """The first text that an object or mapping holds under one of the names; a text itself."""
    if isinstance(value, str):
        return value
    held = (value.get(name) if isinstance(value, Mapping) else attribute(value, name) for name in names)
    return next((each for each in held if isinstance(each, str) and each.strip()), "")


def bad_code(result: object) -> int | None:
    """The exit status of a failure that a result has under one of the usual names; None if it has none."""
    codes = map(result.get if isinstance(result, Mapping) else lambda name: attribute(result, name), _EXIT_CODES)
    return next((code for code in codes if isinstance(code, int) and not isinstance(code, bool) and code), None)


def warn(tool: str, error: Exception) -> None:
    """Log that a call could not be recorded."""
    logging.getLogger("hexad").warning("a call of %s was not recorded: %s", tool, described(error))


def _advice(learning: Learning) -> str:
    return f"\nKnown fix (trust {shown_trust(learning.trust)}): {' '.join(visible(learning.fix).split())}"


def advise_error(error: Exception, learning: Learning) -> None:
    """Append the fix to the error's message, wherever that is kept; add a note if the message does not show it.

    An error that has advice already, from another tool, stays as it is.
    """
    advice = _advice(learning)
    try:
        if _ADVISED.search("\n".join((str(error), *getattr(error, "__notes__", ())))):
            return
        if isinstance(error, OSError) and isinstance(error.strerror, str):
            error.strerror += advice
        elif error.args and isinstance(error.args[0], str):
            error.args = (error.args[0] + advice, *error.args[1:])
        elif not error.args:
            error.args = (advice.strip(),)
        if visible(learning.fix) not in str(error):
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
