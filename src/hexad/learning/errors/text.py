"""The text of an error or of a failure that a result reports: bounded, storable, without secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from hexad.learning.errors.pattern import MOST_TEXT, ends
from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_MESSAGE: Final = "(no message)"
_SEARCHED: Final = 16 * MOST_TEXT  # characters of an error in which secrets are masked
ADVICE: Final = "\nKnown fix (trust {trust:.2f}): {fix}"  # appended to an error by `watch(advise=True)`
ADVISED: Final = re.compile(r"""(?:\n|\\n)?Known fix \(trust \d\.\d\d\): [^\n]*?(?=['"]?(?:\n|\Z))""")
_CARRIERS: Final = ("message", "detail", "text", "msg")  # keys under which a part of a result holds its text
_MOST_PARTS: Final = 16
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
        return _storable(failure_message(error, error.get("returncode")))
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
    clean = redact(ADVISED.sub("", text) if "Known fix" in text else text).text
    return ends(clean, MOST_TEXT).strip() or NO_MESSAGE


def attribute(holder: object, name: str) -> Any:
    """An attribute of a foreign error or result; None if it has none, or if reading it fails."""
    try:
        return getattr(holder, name, None)
    except Exception:  # noqa: BLE001 - reading it runs code that is not ours
        return None


def failure_message(result: Mapping[Any, Any], code: object) -> str:
    """The text with which a result reports its failure."""
    for name in ("error", "error_message", "message", "detail", "stderr", "content", "reason"):
        message = _text_in(result.get(name))
        if message.strip():
            return message
    return f"exit status {code}" if is_bad_code(code) else NO_MESSAGE


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


def is_bad_code(code: object) -> bool:
    """Whether it is the exit status of a failure."""
    return isinstance(code, int) and not isinstance(code, bool) and code != 0
