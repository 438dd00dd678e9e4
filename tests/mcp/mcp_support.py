"""Shared by the tests of the MCP server: the official client over each transport, and a
tour of all there is.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from mcp import Client, StdioServerParameters
from mcp_types import Implementation, TextContent

from hexad.agents.address import Address
from hexad.mcp.http import PATH, Access, HttpServer, app_of
from hexad.mcp.server import server_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine
    from pathlib import Path

    from mcp_types import CallToolResult

    from hexad import Hexad

T = TypeVar("T")
ANY_PORT = Address("127.0.0.1", 0)
MODES = ("auto", "legacy")
TOOLS = (
    "save_knowledge",
    "search_knowledge",
    "list_knowledge",
    "update_knowledge",
    "delete_knowledge",
    "pin_knowledge",
    "save_learning",
    "search_learnings",
    "create_skill",
    "list_skills",
    "get_context",
    "run_skill",
    "report_tool_result",
)


def play(scenario: Coroutine[Any, Any, T]) -> T:
    """Run a scenario in an event loop of its own; one that hangs is an error."""

    async def limited() -> T:
        with anyio.fail_after(500):  # ends a hang, on the slowest machine too
            return await scenario

    return asyncio.run(limited())


def client(server: Any, name: str = "tester", mode: str = "auto") -> Client:
    return Client(server, client_info=Implementation(name=name, version="1"), mode=mode)


def in_process(
    hx: Hexad, name: str = "tester", mode: str = "auto", **given: Any
) -> Client:
    return client(server_of(hx, **given), name, mode)


def process(
    database: Path, *arguments: str, **environment: str
) -> StdioServerParameters:
    """`hexad mcp` as a client starts it."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "hexad", "mcp", "--db", str(database), *arguments],
        env={
            "HEXAD_SEMANTIC": "false",
            "HEXAD_LAYER_DEADLINE": "600",
            "HEXAD_STANDING_BUDGET": "0",
            **environment,
        },
    )


@asynccontextmanager
async def listening(
    hx: Hexad, access: Access | None = None, **given: Any
) -> AsyncIterator[str]:
    """The server on a free port of this machine; its address."""
    ports: list[int] = []
    ready = anyio.Event()

    def listens(port: int) -> None:
        ports.append(port)
        ready.set()

    app = app_of(
        server_of(hx, **given), hx.settings, access or Access(address=ANY_PORT)
    )
    server = HttpServer(app, ANY_PORT, listens)
    async with anyio.create_task_group() as group:
        group.start_soon(server.listen)
        await ready.wait()
        try:
            yield ANY_PORT.url(ports[0], PATH)
        finally:
            server.should_exit = True


async def ask(one: Client, tool: str, /, **given: Any) -> dict[str, Any]:
    """The answer of a tool, as structure; it must be what its schema says, which the
    client checks.
    """
    result = await one.call_tool(tool, given)
    assert result.structured_content is not None, result
    assert not result.is_error, result.structured_content
    return result.structured_content


async def context(one: Client, **given: Any) -> str:
    """The context that an agent reads first: text alone, since a client may show only
    text or only structure.
    """
    result = await one.call_tool("get_context", given)
    assert not result.is_error, result
    assert result.structured_content is None
    return text_of(result)


async def refusal(one: Client, tool: str, /, **given: Any) -> str:
    """The sentence with which a tool refuses."""
    result = await one.call_tool(tool, given)
    assert result.is_error
    assert result.structured_content == {
        **result.structured_content,
        "status": "error",
        "error": text_of(result),
    }
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text


async def read(one: Client, uri: str) -> dict[str, Any]:
    [content] = (await one.read_resource(uri)).contents
    assert content.mime_type == "application/json"
    return json.loads(content.text)  # type: ignore[union-attr]


async def tour(one: Client) -> None:
    """Every tool, resource and prompt once, on a database where the skill `greet` is
    active.
    """
    assert [tool.name for tool in (await one.list_tools()).tools] == list(TOOLS)
    saved = await ask(
        one,
        "save_knowledge",
        key="deploy-window",
        content="Deploy on Tuesdays only",
        category="rule",
    )
    assert saved.pop("accept").startswith("hexad review ")
    assert saved == {
        "status": "ok",
        "key": "deploy-window",
        "version": 1,
        "category": "rule",
    }
    assert (await ask(one, "list_knowledge"))["entries"][0]["key"] == "deploy-window"
    assert (await ask(one, "pin_knowledge", key="deploy-window"))[
        "status"
    ] == "proposed"
    found = await ask(one, "search_knowledge", query="when to deploy")
    assert [each["key"] for each in found["results"]] == ["deploy-window"]
    learning = await ask(
        one,
        "save_learning",
        trigger="tool:deploy",
        error_pattern="quota exceeded",
        fix="ask ops",
    )
    assert (await ask(one, "search_learnings", query="deploy quota exceeded"))[
        "count"
    ] == 1
    drafted = await ask(
        one,
        "create_skill",
        name="wave",
        kind="instruction",
        description="Wave",
        definition={"text": "Wave a hand"},
    )
    assert (drafted["name"], drafted["state"]) == ("wave", "draft")
    assert "hexad review wave" in drafted["approve"]
    assert [skill["name"] for skill in (await ask(one, "list_skills"))["skills"]] == [
        "greet"
    ]
    assert (await ask(one, "run_skill", name="greet", parameters={"who": "Ada"}))[
        "result"
    ]["output"] == "Hello Ada"
    assert "Deploy on Tuesdays only" in await context(one, message="when may I deploy?")
    reported = await ask(
        one,
        "report_tool_result",
        tool="deploy",
        args={"env": "prod"},
        error="no such branch",
    )
    assert reported["failed"]
    templates = (await one.list_resource_templates()).resource_templates
    assert {each.uri_template for each in templates} == {
        "hexad://knowledge/{key}",
        "hexad://skill/{name}",
        "hexad://learning/{id}",
    }
    assert (await read(one, "hexad://knowledge/deploy-window"))[
        "content"
    ] == "Deploy on Tuesdays only"
    assert (await read(one, "hexad://skill/greet"))["kind"] == "template"
    assert (await read(one, f"hexad://learning/{learning['id']}"))["fix"] == "ask ops"


def teach_greeting(hx: Hexad) -> None:
    """An active skill, as a person would have approved it."""
    hx.skills.create(
        "greet",
        kind="template",
        description="Greet somebody",
        definition={"template": "Hello {{ who }}"},
        parameters={
            "type": "object",
            "properties": {"who": {"type": "string"}},
            "required": ["who"],
        },
    )
    hx.skills.activate("greet")
