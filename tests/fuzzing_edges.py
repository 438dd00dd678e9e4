"""The edges as `fuzzing` calls them, in this process: the command line, the MCP tools,
and requests over HTTP.
"""

from __future__ import annotations

import asyncio
import io
import json
import re
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from hypothesis import strategies as st
from mcp.shared.exceptions import MCPError
from starlette.testclient import TestClient

from hexad.agents.address import Address
from hexad.cli import main
from hexad.cli.tree import COMMANDS
from hexad.mcp.http import PATH, Access, app_of
from hexad.mcp.server import server_of
from tests.mcp.mcp_support import TOOLS, client

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hexad import Hexad

UNEXPECTED: Final = re.compile(
    r"error: unexpected \w+:|failed unexpectedly"
)  # how an edge says that we have a bug
_OUTSIDE: Final = {
    "mcp",
    "eval",
    "serve",
    "trust",
    "init",
    "capture",
}  # they serve, take long or write elsewhere
_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}
_HERE: Final = "http://127.0.0.1:8765"


class Unexpected(Exception):
    """An edge answered that something failed which should not."""


def calls(hx: Hexad, folder: Path) -> dict[str, Callable[..., Any]]:
    """The edges of one engine, by name."""

    def command(words: list[str], stdin: str) -> None:
        said = io.StringIO()
        given = patch.object(sys, "stdin", io.StringIO(stdin))
        with (
            chdir(folder),
            given,
            redirect_stdout(io.StringIO()),
            redirect_stderr(said),
        ):
            main([*words, "--db", str(folder / "cli.db")])
        _refuse_unexpected(said.getvalue())

    def tool(mcp_tool: str, given: dict[str, Any]) -> None:
        async def ask() -> str:
            async with client(server_of(hx)) as one:
                return str(await one.call_tool(mcp_tool, given))

        try:
            _refuse_unexpected(asyncio.run(ask()))
        except (MCPError, ExceptionGroup) as error:
            _refuse_unexpected(repr(error))
        except UnicodeEncodeError:
            pass  # the client cannot send it

    def request(method: str, body: bytes, host: str) -> None:
        app = app_of(
            server_of(hx), hx.settings, Access(address=Address("127.0.0.1", 8765))
        )
        with TestClient(app, base_url=_HERE) as http:
            answer = http.request(
                method, PATH, content=body, headers={**_HEADERS, "Host": host}
            )
        if answer.status_code >= 500 or UNEXPECTED.search(answer.text):
            raise Unexpected(f"{answer.status_code} {answer.text[:200]}")

    return {"edges.command": command, "edges.tool": tool, "edges.request": request}


def _refuse_unexpected(text: str) -> None:
    if UNEXPECTED.search(text):
        raise Unexpected(text[:300])


def strategies(
    word: st.SearchStrategy[str], json_value: st.SearchStrategy[Any]
) -> dict[str, st.SearchStrategy[Any]]:
    """What the edges are given."""
    commands = sorted(COMMANDS.keys() - _OUTSIDE)
    options = st.sampled_from(
        [
            "--json",
            "--yes",
            "--namespace",
            "--category",
            "--tag",
            "--limit",
            "show",
            "list",
            "new",
        ]
    )
    called = st.fixed_dictionaries(
        {"name": st.sampled_from(TOOLS) | word, "arguments": json_value}
    )
    messages = st.fixed_dictionaries(
        {
            "jsonrpc": st.just("2.0"),
            "id": json_value,
            "method": st.sampled_from(["tools/call", "initialize"]) | word,
        },
        optional={"params": called | json_value},
    )
    written = (messages | json_value).map(lambda each: json.dumps(each).encode())
    return {
        "words": st.tuples(
            st.sampled_from(commands), st.lists(options | word, max_size=4)
        ).map(lambda each: [each[0], *each[1]]),
        "stdin": word,
        "mcp_tool": st.sampled_from(TOOLS) | word,
        "given": st.dictionaries(
            st.sampled_from(["key", "content", "query", "name", "message", "args"])
            | word,
            json_value,
            max_size=4,
        ),
        "method": st.sampled_from(["POST", "POST", "GET", "DELETE", "PUT"]),
        "body": written | word.map(lambda each: each.encode(errors="replace")),
        "host": st.sampled_from(
            [
                "127.0.0.1:8765",
                "localhost:8765",
                "127.0.0.1:evil",
                "evil.example.com",
                "",
            ]
        ),
    }
