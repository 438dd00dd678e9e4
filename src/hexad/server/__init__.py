"""Hexad over HTTP: interface (`api/`), pages for people (`dashboard/`), a gateway to
models (`gateway.py`), and MCP.

`app.py` puts them together and `cli/setup/hosting.py` starts it. `tokens.py` decides
who may do what.
"""

from hexad.extras import require_extra


def require_server() -> None:
    """Raise `MissingExtra` or `PackageTooOld` unless the packages of the extra are
    installed.
    """
    require_extra("server", "`hexad serve`", "starlette", "uvicorn", "httpx2", "mcp")
