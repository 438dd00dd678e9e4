"""MCP: the six layers for every agent, in any language.

`server.server_of(hx)` makes the server, `stdio.serve_stdio` and `http.serve_http` run it. `install/` writes it into a
client's configuration, and needs no package for that.
"""

from hexad.extras import require_extra


def require_sdk() -> None:
    """Raise `MissingExtra` or `PackageTooOld` unless there is an SDK that this server works with."""
    require_extra("mcp", what="the MCP server", package="mcp", module="mcp", needed="2")
