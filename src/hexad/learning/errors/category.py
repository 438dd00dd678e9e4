"""The category of an error: by the names of its classes, its HTTP status or its text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.learning.errors.pattern import MOST_TEXT
from hexad.learning.errors.text import NO_MESSAGE, attribute, message_of, text_of
from hexad.model import ErrorCategory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MOST_CAUSES: Final = 16


class _Signs(NamedTuple):
    """The signs of a category: HTTP statuses, words of the names of an exception's classes, words of texts."""

    category: ErrorCategory
    statuses: tuple[int, ...]
    names: re.Pattern[str]
    text: re.Pattern[str]


_SIGNS: Final = (  # the first category that shows wins
    _Signs(
        ErrorCategory.TIMEOUT,
        (408, 504),
        re.compile(r"Timeout|TimedOut|DeadlineExceeded"),
        re.compile(
            r"time[sd][ -]?out|deadline[ _]exceeded|took too long|"
            r"(?<!invalid )time[ -]?out(?! (?:value|must|should|parameter|argument|option|setting))",
            re.IGNORECASE,
        ),
    ),
    _Signs(
        ErrorCategory.PERMISSION,
        (401, 403, 407),
        re.compile(r"Permission|Forbidden|Unauthori[sz]ed|Unauthenticated|AccessDenied|AuthError"),
        re.compile(
            r"permission|forbidden|unauthori[sz]ed|unauthenticated|not authori[sz]ed|access (?:is )?denied|not allowed|"
            r"read-only file|authentication|invalid (?:api[ _-]?key|credentials|token)",
            re.IGNORECASE,
        ),
    ),
    _Signs(
        ErrorCategory.PROVIDER_ERROR,
        (429, *range(500, 600)),
        re.compile(r"RateLimit|Quota|Overloaded|ServiceUnavailable|ServerError|APIError|ApiError|Connection|Network"),
        re.compile(
            r"rate[ _-]?limit|too many requests|quota|overloaded|service unavailable|bad gateway|internal server error|"
            r"connection (?:was )?(?:refused|reset|aborted|error)|unreachable|no route to host|"
            r"name or service not known|provider",
            re.IGNORECASE,
        ),
    ),
)
_STATUS: Final = re.compile(
    r"\b(?:http\S*|status(?:[ _-]?code)?|error code)\W{1,3}(?:error\W{1,3})?(\d{3})\b", re.IGNORECASE
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
        found = _by_status(each) or _by_name(each) or _by_text(message_of(each)[:MOST_TEXT])
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


def _first(shows: Callable[[_Signs], object]) -> ErrorCategory | None:
    return next((signs.category for signs in _SIGNS if shows(signs)), None)


def _by_status(error: BaseException) -> ErrorCategory | None:
    """By the HTTP status of the error, or of the response that it carries."""
    holders = (error, attribute(error, "response"))
    held = (attribute(holder, name) for holder in holders for name in ("status_code", "status", "code"))
    return next((found for each in held if isinstance(each, int) and (found := _of_status(each))), None)


def _of_status(status: int) -> ErrorCategory | None:
    return _first(lambda signs: status in signs.statuses)


def _by_name(error: BaseException) -> ErrorCategory | None:
    names = " ".join(kind.__name__ for kind in type(error).__mro__[:-3])
    return _first(lambda signs: signs.names.search(names))


def _by_text(text: str) -> ErrorCategory | None:
    status = _STATUS.search(text)
    return (_of_status(int(status[1])) if status else None) or _first(lambda signs: signs.text.search(text))
