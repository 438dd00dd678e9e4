"""The category of an error: by its type, its HTTP status, its class name or its text."""

from __future__ import annotations

import errno
import re
from typing import TYPE_CHECKING, Final

from hexad.learning.errors.pattern import MOST_TEXT
from hexad.learning.errors.text import NO_MESSAGE, attribute, message_of, text_of
from hexad.model import ErrorCategory

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_CAUSES: Final = 16
_PERMISSION_CODES: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_TIMEOUT_CODES: Final = frozenset({errno.ETIMEDOUT})
_PROVIDER_CODES: Final = frozenset(
    {errno.ECONNREFUSED, errno.ECONNRESET, errno.ECONNABORTED, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EPIPE}
)
_BY_TEXT: Final = (
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
_ANY_WORD: Final = re.compile(  # most errors hold none of these, and skip the slower patterns
    "time|deadline|took too|permission|forbidden|unauth|not auth|access|not allow|authent|invalid|rate|too many|quota|"
    "overload|service|bad gate|internal|connection|name or|provider|http|status|error code"
)
_BY_NAME: Final = (
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
    """The category of an error: of the first among it and its causes that shows one, outermost first.

    >>> [category_of(each).value for each in (TimeoutError(), "HTTP 403", ValueError("no such file"))]
    ['timeout', 'permission', 'tool_error']
    """
    if not isinstance(error, BaseException):
        text = text_of(error)
        return _by_text(text) or (ErrorCategory.GENERAL if text == NO_MESSAGE else ErrorCategory.TOOL_ERROR)
    for each in _causes(error):
        found = _by_type(each) or _by_status(each) or _by_name(each) or _by_text(message_of(each)[:MOST_TEXT])
        if found is not None:
            return found
    plain = type(error) is Exception and not message_of(error).strip()
    return ErrorCategory.GENERAL if plain else ErrorCategory.TOOL_ERROR


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, its causes, and the members of a group: each once, and at most `_MOST_CAUSES`."""
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


def _by_type(error: BaseException) -> ErrorCategory | None:
    if isinstance(error, TimeoutError):
        return ErrorCategory.TIMEOUT
    if isinstance(error, PermissionError):
        return ErrorCategory.PERMISSION
    code = attribute(error, "errno") if isinstance(attribute(error, "errno"), int) else None
    if code in _TIMEOUT_CODES:
        return ErrorCategory.TIMEOUT
    if code in _PERMISSION_CODES:
        return ErrorCategory.PERMISSION
    provider = isinstance(error, ConnectionError) or (isinstance(error, OSError) and code in _PROVIDER_CODES)
    return ErrorCategory.PROVIDER_ERROR if provider else None


def _by_status(error: BaseException) -> ErrorCategory | None:
    """By the HTTP status of the error, or of the response that it carries."""
    for holder in (error, attribute(error, "response")):
        for name in ("status_code", "status", "code"):
            status = attribute(holder, name)
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
    return next((category for category, pattern in _BY_NAME if pattern.search(names)), None)


def _by_text(text: str) -> ErrorCategory | None:
    if _ANY_WORD.search(text.lower()) is None:
        return None
    status = _STATUS.search(text)
    found = _of_status(int(status[1])) if status else None
    return found or next((category for category, pattern in _BY_TEXT if pattern.search(text)), None)
