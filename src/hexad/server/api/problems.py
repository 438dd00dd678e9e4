"""Errors as problem documents (RFC 9457): what happened, what to do next, and the
status that fits.
"""

from __future__ import annotations

import json
import logging
import re
import traceback
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from hexad import errors
from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Mapping

FAULTS: Final[
    Mapping[int, tuple[str, tuple[type[errors.HexadError], ...]]]
] = {  # what each status says, and of what
    400: ("The body is not JSON.", ()),
    401: ("A token is missing or not known.", ()),
    403: ("The token does not allow it.", ()),
    404: ("There is no such thing.", (errors.NotFound,)),
    409: (
        "Only a person may change it, or it is in the wrong state.",
        (errors.NotOwn, errors.ConfigError, errors.SkillRefused, errors.SkillFailed),
    ),
    412: ("Somebody changed it since it was read.", (errors.ChangedMeanwhile,)),
    413: ("The body or a text is too large.", (errors.TextTooLong,)),
    415: ("The body must be JSON.", ()),
    422: (
        "A value cannot be accepted.",
        (
            errors.InvalidInput,
            errors.BackupError,
            errors.FolderRefused,
            errors.TemplateFailed,
            errors.EvalError,
        ),
    ),
    429: ("Too many requests, or a session has saved enough.", (errors.RateLimited,)),
    500: ("The server failed; its log says why.", ()),
    501: (
        "This server lacks an optional part.",
        (errors.MissingExtra, errors.NoSandbox),
    ),
    507: ("The disk is full.", (errors.StoreFull,)),
    503: (
        "The database does not answer; try again.",
        (errors.StoreError, errors.Disabled),
    ),
}
_HEADERS: Final = {
    401: {"WWW-Authenticate": "Bearer"},
    429: {"Retry-After": "60"},
    503: {"Retry-After": "1"},
}
_MEDIA_TYPE: Final = "application/problem+json"
_WORDS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


class BadRequest(errors.AccessRefused):
    """A request that is refused before anything is asked of the engine."""

    def __init__(self, status: int, sentence: str, **headers: str) -> None:
        super().__init__(status, sentence)
        self.headers = headers


def described(error: Exception) -> tuple[int, str]:
    """The HTTP status of an error, and what to say about it; what nobody foresaw is in
    the log alone.
    """
    if isinstance(error, errors.HexadError):
        fitting = next(
            (
                status
                for status, (_, kinds) in FAULTS.items()
                if isinstance(error, kinds)
            ),
            500,
        )
        return getattr(error, "status", fitting), redact(str(error)).text
    places = [
        f" in {each.filename}:{each.lineno}"
        for each in traceback.extract_tb(error.__traceback__)[-1:]
    ]
    logging.getLogger("hexad").error(
        "a request failed: %s%s", type(error).__name__, "".join(places)
    )
    return 500, "the server failed at this request; its log says why"


def problem(error: Exception) -> Response:
    """An error as an answer."""
    status, sentence = described(error)
    headers = error.headers if isinstance(error, BadRequest) else _HEADERS.get(status)
    facts = {"field": error.field} if isinstance(error, errors.InvalidInput) else {}
    known = "NotFound" if status == 404 else type(error).__name__
    name = known if isinstance(error, errors.HexadError) else "Error"
    return document(status, name, sentence, headers, **facts)


def document(
    status: int,
    name: str,
    detail: str,
    headers: dict[str, str] | None = None,
    **facts: Any,
) -> Response:
    """A problem document."""
    words = _WORDS.sub(" ", name)
    content = {
        "type": f"urn:hexad:{words.replace(' ', '-').lower()}",
        "title": words.capitalize(),
        "status": status,
        "detail": detail,
        **facts,
    }
    return Response(json.dumps(content), status, headers, media_type=_MEDIA_TYPE)
