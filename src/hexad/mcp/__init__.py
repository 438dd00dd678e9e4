"""MCP: the six layers for every agent, in any language.

`server.server_of(hx)` makes the server, `stdio.serve_stdio` and `http.serve_http` run
it. `install/` writes it into a client's configuration, and needs no package for that;
`coding/` answers the hooks of coding agents.
"""

from typing import Final

from hexad.extras import require_extra

CONTEXT_TOOLS: Final = (
    "get_context",
    "run_skill",
    "report_tool_result",
)  # beside the agent tools
HOOK_TOOL: Final = "hook"  # answers hooks, and is listed to nobody
REPORTING: Final = "report_tool_result"
DONE_BY_HOOKS: Final = ("get_context", REPORTING)  # of a coding agent


def require_sdk() -> None:
    """Raise `MissingExtra` or `PackageTooOld` unless there is an SDK that this server
    works with.
    """
    require_extra("mcp", "the MCP server", "mcp")
