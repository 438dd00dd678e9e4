"""The category of an error: by its HTTP status, by the names of its classes, or by its
text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.calls.error_text import NO_MESSAGE, attribute, message_of, text_of
from hexad.calls.error_words import MOST_TEXT
from hexad.model import ErrorCategory

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_CAUSES: Final = 16
_TIMEOUT: Final = re.compile(
    r"(?i)time[sd][ -]?out|deadline[ _]?exceeded|took too long|"
    r"(?<!invalid )time[ -]?out(?! (?:value|must|should|parameter|argument|option|setting))"
)
_PERMISSION: Final = re.compile(
    r"(?i)permission|forbidden|unauthori[sz]ed|unauthenticated|not authori[sz]ed|access ?(?:is )?denied|not allowed|"
    r"read-only file|authentication|autherror|invalid (?:api[ _-]?key|credentials|token)"
)
_PROVIDER: Final = re.compile(
    r"(?i)rate[ _-]?limit|too many requests|quota|overloaded|service ?unavailable|bad gateway|\bapierror|"
    r"internal ?server ?error|connection (?:was )?(?:refused|reset|aborted|error)|connection\w*error|"
    r"networkerror|unreachable|no route to host|name or service not known|could not resolve|\benotfound|\beconn\w+|"
    r"temporary failure|provider"
)
_SIGNS: Final = (  # statuses, and words of texts and class names; the first category that shows wins
    (ErrorCategory.TIMEOUT, {408, 504}, _TIMEOUT),
    (ErrorCategory.PERMISSION, {401, 403, 407}, _PERMISSION),
    (ErrorCategory.PROVIDER_ERROR, {429, *range(500, 600)}, _PROVIDER),
)
_STATUS: Final = re.compile(
    r"(?i)\b(?:http\S*|status(?:[ _-]?code)?|error code)\W{1,3}(?:error\W{1,3})?(\d{3})\b"
)


def category_of(error: object) -> ErrorCategory:
    """The category of an error: of the first among it and its causes that shows one,
    outermost first.

    >>> [category_of(each).value for each in (TimeoutError(), "HTTP 403", ValueError("no such file"))]
    ['timeout', 'permission', 'tool_error']
    """
    if not isinstance(error, BaseException):
        text = text_of(error)
        return _of_text(text) or (
            ErrorCategory.GENERAL if text == NO_MESSAGE else ErrorCategory.TOOL_ERROR
        )
    for each in _causes(error):
        names = " ".join(kind.__name__ for kind in type(each).__mro__[:-3])
        found = (
            _of_status(_status(each))
            or _of_text(names)
            or _of_text(message_of(each)[:MOST_TEXT])
        )
        if found is not None:
            return found
    plain = type(error) is Exception and not message_of(error).strip()
    return ErrorCategory.GENERAL if plain else ErrorCategory.TOOL_ERROR


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, its causes, and the members of a group: each once, and at most
    `_MOST_CAUSES`.
    """
    waiting, seen = [error], set[int]()
    while waiting and len(seen) < _MOST_CAUSES:
        each = waiting.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        inner = [
            each.__cause__,
            None if each.__suppress_context__ else each.__context__,
        ]
        group = each.exceptions if isinstance(each, BaseExceptionGroup) else ()
        waiting += [*group, *(cause for cause in inner if cause is not None)]


def _status(error: BaseException) -> int:
    """The HTTP status of an error, or of the response that it carries; 0 if there is
    none that shows a category.
    """
    holders = (error, attribute(error, "response"))
    held = (
        attribute(holder, name)
        for holder in holders
        for name in ("status_code", "status", "code")
    )
    return next(
        (each for each in held if isinstance(each, int) and _of_status(each)), 0
    )


def _of_status(status: int) -> ErrorCategory | None:
    return next(
        (category for category, statuses, _ in _SIGNS if status in statuses), None
    )


def _of_text(text: str) -> ErrorCategory | None:
    status = _STATUS.search(text)
    named = (category for category, _, words in _SIGNS if words.search(text))
    return (_of_status(int(status[1])) if status else None) or next(named, None)
