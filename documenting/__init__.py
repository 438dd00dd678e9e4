"""The pages under docs/reference, made of the code that they are about. `make docs`
writes them, a test compares.
"""

from __future__ import annotations

from pathlib import Path

from documenting.command_line import command_line
from documenting.mcp_tools import mcp_tools
from documenting.python_names import python_names
from documenting.settings_table import settings_table

HOME = Path(__file__).parent.parent / "docs" / "reference"
PAGES = {
    "cli.md": command_line,
    "mcp-tools.md": mcp_tools,
    "python.md": python_names,
    "settings.md": settings_table,
}
