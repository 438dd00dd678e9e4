"""Hexad over HTTP: interface (`api/`), pages for people (`dashboard/`), a gateway to models (`gateway.py`), and MCP.

`app.py` puts them together and `cli/setup/hosting.py` starts it. `tokens.py` decides who may do what.
"""

from hexad.extras import require_extra


def require_server() -> None:
    """Raise `MissingExtra` or `PackageTooOld` unless the packages of the extra are installed."""
    for package, needed in (("starlette", "1"), ("uvicorn", "0.35"), ("httpx2", "2"), ("mcp", "2")):
        require_extra("server", what="`hexad serve`", package=package, module=package, needed=needed)
