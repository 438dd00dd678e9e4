"""The Claude Agent SDK keeps the contract of adapters: its own program runs, against a
scripted server on loopback.
"""

from __future__ import annotations

import asyncio
import atexit
import inspect
import json
import uuid
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip(
    "claude_agent_sdk", reason="the extra claude-agent is not installed: it is 350 MB"
)

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    ResultMessage,
    SdkMcpTool,
    create_sdk_mcp_server,
)
from pydantic import TypeAdapter

from hexad.adapters.claude_agent import HexadClaude
from hexad.agent_tools import NAMES
from hexad.agents.context import PREFACE
from hexad_testing.adapter_suite import *  # noqa: F403
from hexad_testing.adapter_suite import BASE, Agents, answered, book, booked, calls
from hexad_testing.script import Call, Request, Script
from tests.adapters.hidden_errors import CASES, assert_table_holds
from tests.provider import provider as scripted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hexad import Hexad

pytestmark = [
    pytest.mark.requirement("EDGE-01", "EDGE-02"),
    pytest.mark.filterwarnings(
        "ignore::claude_agent_sdk.types.CanUseToolShadowedWarning"
    ),  # only `pay` is asked for
]


def _words(block: Any) -> str:
    content = block.get("text") or block.get("content") or block.get("input") or ""
    return content if isinstance(content, str) else str(content)


def _said(message: Any) -> Iterator[tuple[str, str]]:
    """Role and text of each block, without what the program itself reminds the model
    of.
    """
    content = message["content"]
    for block in (
        [{"type": "text", "text": content}] if isinstance(content, str) else content
    ):
        text = _words(block)
        if block["type"] == "tool_result":
            _, hook, added = text.partition("hook additional context: ")
            yield (
                "tool",
                text.partition("<system-reminder>")[0]
                + hook
                + added.partition("</system-reminder>")[0],
            )
        elif PREFACE in text:
            yield (
                message["role"],
                text[text.index(PREFACE) :].removesuffix("\n</system-reminder>"),
            )
        elif "\nPreToolUse:" in text:
            yield (
                "tool",
                text.partition("hook additional context: ")[2].partition(
                    "\n</system-reminder>"
                )[0],
            )
        elif "<system-reminder>" not in text:
            yield message["role"], text


def _request(body: Any) -> Request:
    said = tuple(each for message in body["messages"] for each in _said(message))
    return Request(
        body["system"][-1]["text"],
        said,
        tuple(t["name"].rpartition("__")[2] for t in body["tools"]),
    )


def _named(each: str | Call) -> str | Call:
    """A call by the program's name for the tool."""
    if isinstance(each, str):
        return each
    return Call(
        f"mcp__{'hexad' if each.tool in NAMES or each.tool.startswith('skill_') else 'desk'}__{each.tool}",
        each.args,
    )


@dataclass
class Provider:
    """The address of a provider, and the script that a request's key names."""

    address: str = ""
    scripts: dict[str, Script] = field(default_factory=dict)

    def answer(self, body: dict[str, Any], key: str) -> list[str | Call]:
        return [_named(each) for each in self.scripts[key].play(_request(body))]

    def options(self, script: Script, home: Path) -> dict[str, Any]:
        """The options of an agent that plays a script, in a home of its own."""
        key = uuid.uuid4().hex
        self.scripts[key] = script
        env = {
            "ANTHROPIC_BASE_URL": self.address,
            "ANTHROPIC_API_KEY": key,
            "HOME": str(home),
            "CLAUDE_CONFIG_DIR": str(home / "claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
            "ENABLE_TOOL_SEARCH": "false",
            "HTTPS_PROXY": "http://127.0.0.1:9",  # nothing but loopback
            "NO_PROXY": "127.0.0.1",
        }
        return {"system_prompt": BASE, "tools": [], "env": env, "model": "claude-sonnet-4-5", "setting_sources": [],
                "cwd": str(home)}  # fmt: skip


_PAGE = ExitStack()
atexit.register(_PAGE.close)


def on_loopback(model: Callable[[Request], Any]) -> dict[str, Any]:
    """Options for the page about the SDK, which ends no server itself."""
    served = Provider()
    served.address = _PAGE.enter_context(scripted(served.answer))
    return served.options(Script(model), Path.cwd())


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    served = Provider()
    with scripted(served.answer) as served.address:
        yield served


def _tool(function: Callable[..., Any]) -> SdkMcpTool[Any]:
    async def handle(given: dict[str, Any]) -> dict[str, Any]:
        result = function(**given)
        result = await result if inspect.isawaitable(result) else result
        text = result if isinstance(result, str) else json.dumps(result)
        return {"content": [{"type": "text", "text": text}]}

    return SdkMcpTool(
        function.__name__,
        function.__doc__ or "",
        TypeAdapter(function).json_schema(),
        handle,
    )


@dataclass
class ClaudeAgent:
    hexad: HexadClaude | None
    given: dict[str, Any]
    with_tools: bool
    sessions: dict[str, str] = field(default_factory=dict)
    waiting: dict[str, tuple[asyncio.Event, asyncio.Task[str]]] = field(
        default_factory=dict
    )

    def say(self, text: str, *, user: str, session: str, stream: bool) -> str:
        raise NotImplementedError

    async def asay(self, text: str, *, user: str, session: str, stream: bool) -> str:
        asked, approved = asyncio.Event(), asyncio.Event()

        async def ask(
            _tool: str, _given: dict[str, Any], _context: Any
        ) -> PermissionResultAllow:
            asked.set()
            await approved.wait()
            return PermissionResultAllow()

        run = asyncio.create_task(
            self._answer(
                text, user, session, include_partial_messages=stream, can_use_tool=ask
            )
        )
        waiting = asyncio.create_task(asked.wait())
        self.waiting[session] = approved, run
        try:
            await asyncio.wait([run, waiting], return_when=asyncio.FIRST_COMPLETED)
            return await run if run.done() else ""
        finally:
            waiting.cancel()
            if not asked.is_set() and run.cancel():
                await asyncio.wait([run])

    async def _answer(self, text: str, user: str, session: str, **more: Any) -> str:
        known = {"resume": self.sessions[session]} if session in self.sessions else {}
        own = {**self.given, **known, **more}
        if self.hexad is not None:
            own = self.hexad.options(user=user, with_tools=self.with_tools, **own)
        async with ClaudeSDKClient(ClaudeAgentOptions(**own)) as client:
            await client.query(text)
            *_, result = [each async for each in client.receive_response()]
        assert isinstance(result, ResultMessage)
        if result.is_error:
            raise ConnectionError(result.result)
        self.sessions[session] = result.session_id
        return str(result.result)

    async def approve(self, *, user: str, session: str) -> str:
        approved, run = self.waiting[session]
        approved.set()
        return await run

    def stored(self, session: str) -> str:
        raise NotImplementedError


def test_a_watched_handler_of_the_sdk_counts_once(agents: Agents, hx: Hexad) -> None:
    async def handle(given: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": book(given["day"])}]}

    agent = agents.make(hx, booked("31/01/2026", "2026-01-31"), [book])
    watched = agents.own(hx).watch(handle, name="book")
    made = SdkMcpTool("book", "Book a room for a day.", {"day": str}, watched)
    agent.given["mcp_servers"] = {"desk": create_sdk_mcp_server("desk", tools=[made])}  # type: ignore[attr-defined]
    answered(agent)
    assert calls(agents.own(hx)) == [("book", False), ("book", True)]


@pytest.mark.parametrize("column", CASES)
def test_the_table_says_what_the_model_reads(agents: Agents, column: str) -> None:
    assert_table_holds(
        "Claude Agent SDK",
        column,
        lambda script: answered(agents.make(None, script, [book])),
    )


@pytest.fixture
def agents(provider: Provider, tmp_path: Path) -> Agents:
    def make(
        hx: Hexad | None,
        script: Script,
        tools: Sequence[Callable[..., Any]] = (),
        *,
        budget: int = 2000,
        tools_of_ours: bool = True,
    ) -> ClaudeAgent:
        own = [_tool(each) for each in tools]
        allowed = [f"mcp__desk__{each.name}" for each in own if each.name != "pay"]
        servers = {"desk": create_sdk_mcp_server("desk", tools=own)}
        given = {
            **provider.options(script, tmp_path),
            "mcp_servers": servers,
            "allowed_tools": allowed,
        }
        return ClaudeAgent(
            None if hx is None else HexadClaude(hx, budget=budget), given, tools_of_ours
        )

    missing = {
        "sync": "the SDK runs in an event loop only",
        "notes": "the SDK describes a tool where it is made",
        "history": "Claude Code itself keeps what a hook adds to a prompt",
        "user function": "the SDK hands no context of the program's to its hooks, so the user is named in the options",
    }
    return Agents(make, missing=missing, wraps=False, repeats=True)


@pytest.mark.requirement("EVID-04")
def test_before_a_call_that_failed_so_in_two_sessions_the_model_reads_what_worked(
    agents: Agents, hx: Hexad
) -> None:
    own = agents.own(hx)
    for session in ("monday", "tuesday"):
        own.observe(
            tool="mcp__desk__book",
            args={"day": "31/01/2026"},
            error="cannot read the day",
            session=session,
        )
        own.observe(
            tool="mcp__desk__book",
            args={"day": "2026-01-31"},
            result="booked",
            session=session,
        )
    script = booked("28/02/2026")
    answered(agents.make(hx, script, [book]), "hello")
    told = [text for role, text in script.requests[-1].messages if role == "tool"]
    assert [
        text.startswith("From memory: Failed before (2 sessions") for text in told
    ] == [False, True]
