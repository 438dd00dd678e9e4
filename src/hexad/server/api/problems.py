"""Errors as problem documents (RFC 9457): what happened, what to do next, and the status that fits."""

from __future__ import annotations

import json
import logging
import re
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from hexad import errors
from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from hexad.edges.guard import Refusal

_STATUS: Final[tuple[tuple[type[errors.HexadError], int], ...]] = (
    (errors.NotFound, 404),
    (errors.ChangedMeanwhile, 412),
    (errors.TextTooLong, 413),
    (errors.InvalidInput, 422),
    (errors.BackupError, 422),
    (errors.FolderRefused, 422),
    (errors.TemplateFailed, 422),
    (errors.EvalError, 422),
    (errors.NotOwn, 409),
    (errors.ConfigError, 409),
    (errors.SkillRefused, 409),
    (errors.SkillFailed, 409),
    (errors.RateLimited, 429),
    (errors.MissingExtra, 501),
    (errors.NoSandbox, 501),
    (errors.StoreFull, 507),
    (errors.StoreError, 503),
    (errors.Disabled, 503),
)
_MEDIA_TYPE: Final = "application/problem+json"
_WORDS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def status_of(error: Exception) -> int:
    """The HTTP status of an error."""
    if isinstance(error, errors.AccessRefused):
        return error.status
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def problem(error: Exception) -> Response:
    """An error as an answer. What nobody foresaw is in the log, without its text here."""
    status = status_of(error)
    if not isinstance(error, errors.HexadError):
        logging.getLogger("hexad").error("a request failed: %s", redact(repr(error)).text)
        return document(500, "Error", "the server failed at this request; its log says why")
    headers = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "60"}, 503: {"Retry-After": "1"}}
    facts = {"field": error.field} if isinstance(error, errors.InvalidInput) else {}
    return document(status, type(error).__name__, redact(str(error)).text, headers.get(status), **facts)


def document(status: int, name: str, detail: str, headers: dict[str, str] | None = None, **facts: Any) -> Response:
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


def refused(refusal: Refusal) -> Response:
    """A refusal of the guard."""
    return document(refusal.status, "Refused", refusal.sentence, refusal.headers)
