"""What came of a tool call: did it work, what does the error say, and what kind of trouble is it."""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hexad.learning.arguments import shapes, summarised
from hexad.learning.fingerprints import fingerprints
from hexad.learning.pattern import MOST_TEXT, words_of
from hexad.memory.redaction import redact
from hexad.model import ErrorCategory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hexad.learning.arguments import Argument
    from hexad.learning.pattern import Words
    from hexad.model import Json

    FailureRule: TypeAlias = Callable[[object], str | None]

NO_MESSAGE: Final = "(no message)"
_LOOKED_AT: Final = 16 * MOST_TEXT  # characters of an error in which secrets are looked for
ADVICE: Final = "\nKnown fix (trust {trust:.2f}): {fix}"  # what `watch(advise=True)` puts behind an error
ADVISED: Final = re.compile(r"""(?:\n|\\n)?Known fix \(trust \d\.\d\d\): [^\n]*?(?=['"]?(?:\n|\Z))""")
_CARRIERS: Final = ("message", "detail", "text", "msg")  # where a part of a result keeps its words
_MOST_PARTS: Final = 16
_MOST_CAUSES: Final = 16
_FAILED_STATUS: Final = frozenset({"error", "failed", "failure"})
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_CANCELLED: Final = frozenset({"CancelledError", "Cancelled"})


class Passing(dict[str, Any]):
    """A tool's answer that teaches nothing about it, such as that a limit is reached or the store is locked.

    A call that came to it is not written down: it would be a learning that nobody asked for, or wait for the same lock.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One call of a tool, as learning sees it. What it tells holds no secret, and is no larger than it needs to be."""

    tool: str
    session: str | None = None
    ok: bool = True
    error: str = ""
    words: Words = ()
    given: object = field(default=None, repr=False)  # the arguments themselves, while they are looked at
    trouble: object = field(default=None, repr=False)  # and the error
    came: object = field(default=None, repr=False)  # the result of a success, likewise

    @property
    def category(self) -> ErrorCategory:
        """What kind of trouble it is: an error that is known already needs none."""
        return category_of(self.trouble)

    @property
    def summary(self) -> dict[str, Json]:
        """The arguments as the log tells them."""
        return summarised(self.tool, self.given)

    @property
    def arguments(self) -> dict[str, Argument]:
        """The arguments' shapes: most successes need none."""
        return shapes(self.tool, self.given)

    @property
    def fingerprints(self) -> str:
        """Of a success's arguments and result: discovery sees in them where values came from and went to."""
        return fingerprints(self.tool, self.given, self.came)

    @property
    def trigger(self) -> str:
        """What a learning about this tool is kept under."""
        return trigger_of(self.tool)


def trigger_of(tool: str) -> str:
    """What a learning about a tool is kept under; a trigger stays as it is.

    >>> trigger_of("deploy"), trigger_of("tool:deploy")
    ('tool:deploy', 'tool:deploy')
    """
    return tool if tool.startswith("tool:") else f"tool:{tool}"


def outcome_of(
    tool: str,
    *,
    arguments: object = None,
    result: object = None,
    error: object = None,
    session: str | None = None,
    failure: FailureRule | None = None,
) -> Outcome:
    """What a call came to. ``error`` is an exception or a text; without one, ``failure`` judges the result."""
    trouble = error if error is not None else (failure or reported_failure)(result)
    if trouble is None:
        return Outcome(tool=tool, session=session, given=arguments, came=result)
    text = text_of(trouble)
    return Outcome(
        tool=tool, session=session, given=arguments, ok=False, error=text, words=words_of(text), trouble=trouble
    )


def reported_failure(result: object) -> str | None:
    """The usual ways of a tool to say by its result that it failed; None if it did not. This is the default rule.

    A mapping with a true ``error``, with ``status`` "error", "failed" or "failure", with a true ``is_error`` or
    ``isError``, with ``ok`` or ``success`` that is False, or with a ``returncode`` other than 0; an object with a true
    ``is_error`` or ``isError``, or with such a ``returncode``.

    >>> reported_failure({"error": "no such channel"}), reported_failure({"status": "ok", "error": None})
    ('no such channel', None)
    """
    if isinstance(result, Mapping):
        return _failure_in(result)
    if result is None or isinstance(result, str | bytes | int | float | list | tuple):
        return None
    flags = {name: _held(result, name) for name in ("is_error", "isError", "returncode")}
    if flags["is_error"] is True or flags["isError"] is True or _bad_code(flags["returncode"]):
        told = {name: _held(result, name) for name in ("error", "message", "content", "stderr")}
        return _told(told, flags["returncode"])
    return None


def failure_text(rule: FailureRule, result: object) -> str | None:
    """What a rule says of a result's failure, as text; a rule that raises says nothing."""
    try:
        trouble = rule(result)
    except Exception:  # noqa: BLE001 - it is not ours, and the tool did return
        return None
    return None if trouble is None else text_of(trouble)


def _failure_in(result: Mapping[Any, Any]) -> str | None:
    get = result.get
    status = get("status")
    failed = (
        bool(get("error"))
        or (isinstance(status, str) and status.casefold() in _FAILED_STATUS)
        or get("is_error") is True
        or get("isError") is True
        or get("ok") is False
        or get("success") is False
        or _bad_code(get("returncode"))
    )
    return _told(result, get("returncode")) if failed else None


def _bad_code(code: object) -> bool:
    return isinstance(code, int) and not isinstance(code, bool) and code != 0


def _told(result: Mapping[Any, Any], code: object) -> str:
    """What a result says of its failure."""
    for name in ("error", "error_message", "message", "detail", "stderr", "content", "reason"):
        said = _said(result.get(name))
        if said.strip():
            return said
    return f"exit status {code}" if _bad_code(code) else NO_MESSAGE


def _said(value: object) -> str:
    """The words of a message, of an object that carries one, or of a list of such, as MCP and JSON-RPC send them."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, list | tuple):
        return "\n".join(filter(str.strip, (_carried(each, _CARRIERS) for each in value[:_MOST_PARTS])))
    told = _carried(value, (*_CARRIERS, "type"))
    code = value.get("code") if isinstance(value, Mapping) and not told.strip() else None
    return told if code is None else f"error code {code}"


def _carried(value: object, names: Sequence[str]) -> str:
    """The first text that an object or mapping holds under one of the names; a text is its own."""
    if isinstance(value, str):
        return value
    held = (value.get(name) if isinstance(value, Mapping) else _held(value, name) for name in names)
    return next((each for each in held if isinstance(each, str) and each.strip()), "")


def is_cancellation(error: BaseException) -> bool:
    """Whether somebody stopped the call: that says nothing about the tool."""
    return not isinstance(error, Exception) or type(error).__name__ in _CANCELLED


def text_of(error: object) -> str:
    """What an error says, with its type where it has one: bounded, storable, without secrets.

    >>> text_of(ValueError("no file 'a'")), text_of(KeyError())
    ("ValueError: no file 'a'", 'KeyError')
    """
    if isinstance(error, BaseException):
        message = _message(error).strip()
        name = type(error).__name__
        return _storable(f"{name}: {message}" if message else name)
    if isinstance(error, bytes | bytearray):
        return _storable(bytes(error[:MOST_TEXT]).decode(errors="replace"))
    if isinstance(error, Mapping):
        return _storable(_told(error, error.get("returncode")))
    return _storable(error if isinstance(error, str) else _message(error))


def _message(error: object) -> str:
    try:
        if isinstance(error, KeyError) and len(error.args) == 1 and " " in str(error.args[0]):
            return str(error.args[0])  # a message: `str` would put it in quotes, as if it were a key
        return str(error)
    except Exception:  # noqa: BLE001 - an error that cannot tell itself is still an error
        return NO_MESSAGE


def _storable(text: str) -> str:
    """Bounded, without secrets and without our own advice.

    A part that is larger than what stays is searched for secrets, so that no cut leaves a half of one.
    """
    said = _UNSTORABLE.sub("\ufffd", _ends(text, _LOOKED_AT))
    clean = redact(ADVISED.sub("", said) if "Known fix" in said else said).text
    return _ends(clean, MOST_TEXT).strip() or NO_MESSAGE


def _ends(text: str, most: int) -> str:
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}\n{text[-half:]}"


# --- what kind of trouble -------------------------------------------------------------------------------------------

_PERMISSION_CODES: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_TIMEOUT_CODES: Final = frozenset({errno.ETIMEDOUT})
_PROVIDER_CODES: Final = frozenset(
    {errno.ECONNREFUSED, errno.ECONNRESET, errno.ECONNABORTED, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EPIPE}
)
_TELLING: Final = (
    (
        ErrorCategory.TIMEOUT,
        re.compile(
            r"time[sd][ -]?out|deadline[ _]exceeded|took too long|"
            r"(?<!invalid )time[ -]?out(?! (?:value|must|should|parameter|argument|option|setting))",
            re.IGNORECASE,
        ),
    ),
    (
        ErrorCategory.PERMISSION,
        re.compile(
            r"permission|forbidden|unauthori[sz]ed|unauthenticated|not authori[sz]ed|access (?:is )?denied|not allowed|"
            r"authentication|invalid (?:api[ _-]?key|credentials|token)",
            re.IGNORECASE,
        ),
    ),
    (
        ErrorCategory.PROVIDER_ERROR,
        re.compile(
            r"rate[ _-]?limit|too many requests|quota|overloaded|service unavailable|bad gateway|internal server error|"
            r"connection (?:was )?(?:refused|reset|aborted|error)|name or service not known|provider",
            re.IGNORECASE,
        ),
    ),
)
_STATUS: Final = re.compile(
    r"\b(?:http\S*|status(?:[ _-]?code)?|error code)\W{1,3}(?:error\W{1,3})?(\d{3})\b", re.IGNORECASE
)
_ANYTHING: Final = re.compile(  # literal beginnings in lower case: most errors hold none, and callers wait for this
    "time|deadline|took too|permission|forbidden|unauth|not auth|access|not allow|authent|invalid|rate|too many|quota|"
    "overload|service|bad gate|internal|connection|name or|provider|http|status|error code"
)
_NAMES: Final = (
    (ErrorCategory.TIMEOUT, re.compile(r"Timeout|TimedOut|DeadlineExceeded")),
    (
        ErrorCategory.PERMISSION,
        re.compile(r"Permission|Forbidden|Unauthori[sz]ed|Unauthenticated|AccessDenied|AuthError"),
    ),
    (
        ErrorCategory.PROVIDER_ERROR,
        re.compile(r"RateLimit|Quota|Overloaded|ServiceUnavailable|ServerError|APIError|ApiError|Connection|Network"),
    ),
)


def category_of(error: object) -> ErrorCategory:
    """What kind of trouble an error is: the first of it and its causes that tells, outermost first.

    >>> [category_of(each).value for each in (TimeoutError(), "HTTP 403", ValueError("no such file"))]
    ['timeout', 'permission', 'tool_error']
    """
    if not isinstance(error, BaseException):
        text = text_of(error)
        return _by_text(text) or (ErrorCategory.GENERAL if text == NO_MESSAGE else ErrorCategory.TOOL_ERROR)
    for each in _causes(error):
        found = _by_type(each) or _by_status(each) or _by_name(each) or _by_text(_message(each)[:MOST_TEXT])
        if found is not None:
            return found
    plain = type(error) is Exception and not _message(error).strip()
    return ErrorCategory.GENERAL if plain else ErrorCategory.TOOL_ERROR


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, what caused it, and what a group holds; each once, and not without end."""
    waiting, seen = [error], set[int]()
    while waiting and len(seen) < _MOST_CAUSES:
        each = waiting.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        inner = [each.__cause__, None if each.__suppress_context__ else each.__context__]
        group = each.exceptions if isinstance(each, BaseExceptionGroup) else ()
        waiting += [*group, *(cause for cause in inner if cause is not None)]


def _held(holder: object, name: str) -> Any:
    """An attribute of somebody's error or result, or None: reading one may run code that fails."""
    try:
        return getattr(holder, name, None)
    except Exception:  # noqa: BLE001 - an error that cannot be asked is still an error
        return None


def _by_type(error: BaseException) -> ErrorCategory | None:
    if isinstance(error, TimeoutError):
        return ErrorCategory.TIMEOUT
    if isinstance(error, PermissionError):
        return ErrorCategory.PERMISSION
    code = _held(error, "errno") if isinstance(_held(error, "errno"), int) else None
    if code in _TIMEOUT_CODES:
        return ErrorCategory.TIMEOUT
    if code in _PERMISSION_CODES:
        return ErrorCategory.PERMISSION
    provider = isinstance(error, ConnectionError) or (isinstance(error, OSError) and code in _PROVIDER_CODES)
    return ErrorCategory.PROVIDER_ERROR if provider else None


def _by_status(error: BaseException) -> ErrorCategory | None:
    """By the HTTP status that the error, or the response that it carries, has."""
    for holder in (error, _held(error, "response")):
        for name in ("status_code", "status", "code"):
            status = _held(holder, name)
            if isinstance(status, int) and not isinstance(status, bool):
                found = _of_status(status)
                if found is not None:
                    return found
    return None


def _of_status(status: int) -> ErrorCategory | None:
    if status in {408, 504}:
        return ErrorCategory.TIMEOUT
    if status in {401, 403, 407}:
        return ErrorCategory.PERMISSION
    return ErrorCategory.PROVIDER_ERROR if status == 429 or 500 <= status <= 599 else None


def _by_name(error: BaseException) -> ErrorCategory | None:
    names = " ".join(kind.__name__ for kind in type(error).__mro__[:-3])
    return next((category for category, pattern in _NAMES if pattern.search(names)), None)


def _by_text(text: str) -> ErrorCategory | None:
    if _ANYTHING.search(text.lower()) is None:
        return None
    status = _STATUS.search(text)
    found = _of_status(int(status[1])) if status else None
    return found or next((category for category, pattern in _TELLING if pattern.search(text)), None)
