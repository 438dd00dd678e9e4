"""ADK's function calls: which are calls of tools, and what their results say.

ADK uses function calls for purposes of its own too: to ask a person, to hand a conversation to another agent, to give
an answer its shape. Nothing can be learned from those about a tool, and no procedure is made of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_ADKS_OWN: Final = frozenset({"transfer_to_agent", "set_model_response"})
_ADKS_PREFIX: Final = "adk_"  # adk_request_confirmation, adk_request_credential, adk_request_input
_REFLECTED: Final = "ERROR_HANDLED_BY_REFLECT_AND_RETRY_PLUGIN"  # ADK's retry plugin, on behalf of a tool that failed


def is_adks_own(name: str) -> bool:
    """Whether ADK uses a function call of this name for itself.

    >>> is_adks_own("adk_request_confirmation"), is_adks_own("transfer_to_agent"), is_adks_own("book")
    (True, True, False)
    """
    return name in _ADKS_OWN or name.startswith(_ADKS_PREFIX)


def reflected_failure(result: object) -> str | None:
    """The failure that ADK's `ReflectAndRetryToolPlugin` reports for a tool, if the result is such a report.

    >>> reflected_failure({"response_type": _REFLECTED, "error_type": "ValueError", "error_details": "no such day"})
    'ValueError: no such day'
    """
    if not isinstance(result, Mapping) or result.get("response_type") != _REFLECTED:
        return None
    parts = (str(result.get(name) or "") for name in ("error_type", "error_details"))
    return ": ".join(filter(None, parts)) or "failed"
