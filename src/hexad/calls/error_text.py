"""The text of an error or of a failure that a result reports: bounded, storable,
without secrets.

Examples that were shown beside an error are left out when it is read again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from hexad.calls.error_words import MOST_TEXT, ends
from hexad.memory.redaction import redact
from hexad.memory.troubles import tell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NO_MESSAGE: Final = "(no message)"
_SEARCHED: Final = 16 * MOST_TEXT  # characters of an error in which secrets are masked
SHOWN_BEFORE: Final = "From memory: "  # begins what is shown beside an error
_SHOWN: Final = re.compile(rf"""(?:\n|\\n)?{SHOWN_BEFORE}[^\n]*?(?=['"]?(?:\n|\Z))""")
_ANSI: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|(?<![\w\]])\[\d{1,2}(?:;\d{1,3})*m")
_WRAPPED: Final = re.compile(r"</?tool_use_error>")
_EXIT: Final = re.compile(r"Exit code -?\d+\s*")
_NO_MESSAGE_LINE: Final = re.compile(
    r"\s*(?:at |File \"|\^|~|- /|\.{3} |node:internal|\d+ \|)|\s*\Z"
)
_TELLS: Final = re.compile(
    r"(?:^|[\s:\]])(?:[A-Z]\w*(?:Error|Exception)|ERR_\w+|[Ee]rror|ERROR|[Ff]atal|FATAL|panic)\b"
)
_CARRIERS: Final = (
    "message",
    "detail",
    "text",
    "msg",
)  # keys under which a part of a result holds its text
_EXIT_CODES: Final = ("returncode", "exit_code", "exitCode", "exit_status")
_MOST_PARTS: Final = 16
_SHORT_LINE: Final = 8  # characters of a line that many texts have
_LONG: Final = 100  # characters of a text of the call that an error may repeat in part
_WORD: Final = re.compile(r"\w+")
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+")
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def text_of(error: object) -> str:
    """The text of an error, with its type if it has one: bounded, storable, without
    secrets.

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
        if (
            isinstance(error, KeyError)
            and len(error.args) == 1
            and " " in str(error.args[0])
        ):
            return str(error.args[0])  # a sentence: `str` would quote it like a key
        return str(error)
    except Exception:  # noqa: BLE001 - an error whose `str` fails is still an error
        return NO_MESSAGE


def _storable(text: str) -> str:
    """Bounded, without secrets and without our own advice.

    Secrets are masked in more text than is kept, so that a cut never leaves half of
    one.
    """
    text = _UNSTORABLE.sub("\ufffd", ends(text, _SEARCHED))
    if "[" in text:
        text = _ANSI.sub("", text)
    if "tool_use_error" in text:
        text = _WRAPPED.sub("", text)
    clean = redact(
        _SHOWN.sub("", text) if SHOWN_BEFORE in text else text, accounts=True
    ).text
    return ends(clean, MOST_TEXT).strip() or NO_MESSAGE


def telling(error: str, given: Iterable[object], *, of_a_shell: bool) -> str:
    r"""The lines of an error that tell what went wrong: of a shell's output one, else
    all but copies of the call.

    >>> telling("Exit code 1\nthrow err;\nError: Cannot find module 'x'\n    at Module.load", [], of_a_shell=True)
    "Error: Cannot find module 'x'"
    """
    lines = error.splitlines()
    if len(lines) > 1 and _EXIT.fullmatch(lines[0]):
        lines = lines[1:]
    if not of_a_shell:
        long = "\n".join(
            each for each in given if isinstance(each, str) and "\n" in each
        )
        own = [
            line
            for line in lines
            if not long or len(line.strip()) < _SHORT_LINE or line.strip() not in long
        ]
        return "\n".join(own or lines)
    kept = [line for line in lines if not _NO_MESSAGE_LINE.match(line)]
    tells = [line for line in kept if _TELLS.search(line)]
    return (tells or kept or lines or [error])[-1].strip()


def unrepeated(error: str, given: Iterable[object]) -> str:
    """An error without the sentences that repeat a long text of the call: they are
    somebody else's words.

    >>> unrepeated("bad text: go away now and come again. It is too long.", ["go away now and come again " * 4])
    '… It is too long.'
    """
    for value in given:
        if isinstance(value, str) and len(value) > _LONG:
            words = set(_WORD.findall(value[:_SEARCHED]))
            parts = [(each, _WORD.findall(each)) for each in _SENTENCE.split(error)]
            error = " ".join(
                "…" if len(words & set(own)) > len(own) / 2 else each
                for each, own in parts
            )
    return error


def attribute(holder: object, name: str) -> Any:
    """An attribute of a tool's error or result; None if it is missing or reading it
    fails.
    """
    try:
        return getattr(holder, name, None)
    except Exception:  # noqa: BLE001 - reading it runs code that is not ours
        return None


def failure_message(result: Mapping[Any, Any], code: int | None) -> str:
    """The text with which a result reports its failure."""
    for name in (
        "error",
        "error_message",
        "message",
        "detail",
        "stderr",
        "content",
        "reason",
        "output",
    ):
        message = _text_in(result.get(name))
        if message.strip():
            return message
    return NO_MESSAGE if code is None else f"exit status {code}"


def _text_in(value: object) -> str:
    """The text of a message, of an object that carries one, or of a list of such, as
    MCP and JSON-RPC send them.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, list | tuple):
        return "\n".join(
            filter(
                str.strip, (_carried(each, _CARRIERS) for each in value[:_MOST_PARTS])
            )
        )
    text = _carried(value, (*_CARRIERS, "type"))
    code = (
        value.get("code") if isinstance(value, Mapping) and not text.strip() else None
    )
    return text if code is None else f"error code {code}"


def _carried(value: object, names: Sequence[str]) -> str:
    """The first text that an object or mapping holds under one of the names; a text
    itself.
    """
    if isinstance(value, str):
        return value
    held = (
        value.get(name) if isinstance(value, Mapping) else attribute(value, name)
        for name in names
    )
    return next((each for each in held if isinstance(each, str) and each.strip()), "")


def bad_code(result: object) -> int | None:
    """The exit status of a failure that a result has under one of the usual names; None
    if it has none.
    """
    codes = map(
        result.get
        if isinstance(result, Mapping)
        else lambda name: attribute(result, name),
        _EXIT_CODES,
    )
    return next(
        (
            code
            for code in codes
            if isinstance(code, int) and not isinstance(code, bool) and code
        ),
        None,
    )


def warn(tool: str, error: Exception) -> None:
    """Log that a call could not be recorded."""
    tell(f"a call of {tool} was not recorded", error)
