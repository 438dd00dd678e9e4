"""What the protocol's own part of the server refuses, in sentences: which method, what is wrong, what to do."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND
from pydantic import ValidationError

from hexad.errors import HexadError
from hexad.mcp.answers import faults, sentence, shown, unexpected
from hexad.mcp.incoming import fault_in
from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_METHODS: Final = (
    "tools/list, tools/call, resources/list, resources/templates/list, resources/read, prompts/list, prompts/get"
)
_UNINTRODUCED: Final = "Invalid request parameters"  # what the SDK says to who has not said initialize


async def explained(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
    """Middleware of the SDK's: every error of a request leaves as one that tells what to do."""
    method = str(ctx.method)
    wrong = fault_in(dict(ctx.params or {}))
    if ctx.request_id is None:  # nobody waits for an answer to a notification
        return None if wrong else await call_next(ctx)
    if wrong:
        raise MCPError(INVALID_PARAMS, f"{method}: {wrong}")
    try:
        return await call_next(ctx)
    except MCPError as error:
        raise _told(method, error) from error
    except ValidationError as error:
        raise MCPError(INVALID_PARAMS, f"{method}: {faults(error)}") from error
    except HexadError as error:
        raise MCPError(INTERNAL_ERROR, redact(f"{method}: {sentence(error)}").text) from error
    except Exception as error:
        logging.getLogger("hexad").warning("%s failed: %s", method, redact(repr(error)).text)
        raise MCPError(INTERNAL_ERROR, unexpected(method, error)) from error


def _told(method: str, error: MCPError) -> MCPError:
    if error.code == METHOD_NOT_FOUND:
        return MCPError(METHOD_NOT_FOUND, f"there is no method {shown(method)}; there are {_METHODS}", error.data)
    if error.code == INVALID_PARAMS and error.message == _UNINTRODUCED:
        return MCPError(INVALID_PARAMS, f"{method} came too early; send initialize, then notifications/initialized")
    return error
