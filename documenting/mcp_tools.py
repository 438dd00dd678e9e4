"""The tools of the MCP server: what each takes and answers, read from their schemas and
docstrings.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

from hexad import Hexad, agent_tools
from hexad.mcp import CONTEXT_TOOLS
from hexad.mcp.backend import Backend
from hexad.mcp.context_tools import ContextTools
from hexad.mcp.sessions import ClientSessions
from hexad.mcp.tools import tools_of

_HEAD = """\
# The tools of the MCP server

`make docs` writes this page from the schemas that clients get. [MCP](../mcp.md) explains the set-up. Every
answer but that of `get_context` has a `status`: "ok", "proposed" (a person has to accept it) or "error". An error has
an `error`, one sentence that says what to do. An argument that is not in these tables is refused.
"""


def mcp_tools() -> str:
    """The page."""
    with Hexad.open(":memory:", enabled=True, semantic=False) as hx:
        tools = tools_of(Backend(hx, ClientSessions(), {}, beat=1.0))
    return _HEAD + "".join(map(_section, tools))


def _section(tool: Any) -> str:
    summary = " ".join(str(tool.description).split())
    return f"\n## {tool.name}\n\n{summary}\n\n{_arguments(tool.parameters)}\n{_answer(tool.name)}\n"


def _arguments(schema: dict[str, Any]) -> str:
    if not schema["properties"]:
        return "It takes no arguments.\n"
    needed = schema.get("required", [])
    rows = [
        (
            f"`{name}`",
            _kind(argument, schema),
            "needed" if name in needed else _default(argument),
            argument["description"],
        )
        for name, argument in schema["properties"].items()
    ]
    return "| argument | is | if left out | meaning |\n|---|---|---|---|\n" + "".join(
        map(_row, rows)
    )


def _default(argument: dict[str, Any]) -> str:
    return (
        ""
        if argument.get("default") in (None, "")
        else f"`{json.dumps(argument['default'])}`"
    )


def _answer(name: str) -> str:
    tool = getattr(
        ContextTools if name in CONTEXT_TOOLS else agent_tools._AgentTools,
        name,
    )
    return "Returns: " + " ".join(
        inspect.cleandoc(tool.__doc__).partition("Returns:")[2].split()
    )


def _kind(argument: dict[str, Any], schema: dict[str, Any]) -> str:
    """Describe an argument."""
    if "anyOf" in argument:
        return " or ".join(
            _kind(each, schema)
            for each in argument["anyOf"]
            if each.get("type") != "null"
        )
    if "$ref" in argument:
        fields = schema["$defs"][argument["$ref"].rpartition("/")[2]]["properties"]
        return f"object with {', '.join(f'`{name}`' for name in fields)}"
    if "enum" in argument:
        return "one of " + ", ".join(f"`{each}`" for each in argument["enum"])
    if argument.get("type") == "array":
        return f"list of: {_kind(argument['items'], schema)}"
    return str(argument.get("type", "anything"))


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"
