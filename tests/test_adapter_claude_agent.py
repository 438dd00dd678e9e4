"""The Claude Agent SDK keeps the contract of adapters: its own program runs, against a scripted server on loopback."""

from __future__ import annotations

import inspect
import json
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("claude_agent_sdk", reason="the extra claude-agent is not installed: it is 350 MB")

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, SdkMcpTool, create_sdk_mcp_server, query
from pydantic import TypeAdapter

from hexad.adapters.claude_agent import HexadClaude
from hexad.agent_tools import NAMES
from hexad.edges.context import PREFACE
from hexad.testing.adapter_suite import *  # noqa: F403
from hexad.testing.adapter_suite import BASE, Agents
from hexad.testing.script import Call, Request, Script
from tests.provider import provider as scripted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from hexad import Hexad


def _words(block: Any) -> str:
    content = block.get("text") or block.get("content") or block.get("input") or ""
    return content if isinstance(content, str) else str(content)


def _said(message: Any) -> Iterator[tuple[str, str]]:
    """Role and text of each block, without what the program itself reminds the model of."""
    content = message["content"]
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        text = _words(block)
        if block["type"] == "tool_result":
            yield "tool", text.partition("<system-reminder>")[0]
        elif PREFACE in text:
            yield message["role"], text[text.index(PREFACE) :].removesuffix("\n</system-reminder>")
        elif "<system-reminder>" not in text:
            yield message["role"], text


def _request(body: Any) -> Request:
    said = tuple(each for message in body["messages"] for each in _said(message))
    return Request(body["system"][-1]["text"], said, tuple(t["name"].rpartition("__")[2] for t in body["tools"]))


def _named(each: str | Call) -> str | Call:
    """A call by the program's name for the tool."""
    if isinstance(each, str):
        return each
    return Call(
        f"mcp__{'hexad' if each.tool in NAMES or each.tool.startswith('skill_') else 'desk'}__{each.tool}", each.args
    )


@dataclass
class Provider:
    """The address of a provider, and the script that a request's key names."""

    address: str = ""
    scripts: dict[str, Script] = field(default_factory=dict)

    def answer(self, body: dict[str, Any], key: str) -> list[str | Call]:
        return [_named(each) for each in self.scripts[key].play(_request(body))]


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

    return SdkMcpTool(function.__name__, function.__doc__ or "", TypeAdapter(function).json_schema(), handle)


@dataclass
class ClaudeAgent:
    hexad: HexadClaude | None
    given: dict[str, Any]
    with_tools: bool
    sessions: dict[str, str] = field(default_factory=dict)

    def say(self, text: str, *, user: str, session: str) -> str:
        raise NotImplementedError

    async def asay(self, text: str, *, user: str, session: str, stream: bool) -> str:
        known = {"resume": self.sessions[session]} if session in self.sessions else {}
        own = {**self.given, **known, "include_partial_messages": stream}
        if self.hexad is not None:
            own = self.hexad.options(user=user, with_tools=self.with_tools, **own)
        result = None
        async for each in query(prompt=text, options=ClaudeAgentOptions(**own)):
            result = each if isinstance(each, ResultMessage) else result
        assert result is not None
        if result.is_error:
            raise ConnectionError(result.result)
        self.sessions[session] = result.session_id
        return str(result.result)

    async def approve(self, *, user: str, session: str) -> str:
        raise NotImplementedError

    def stored(self, session: str) -> str:
        raise NotImplementedError


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
        key = uuid.uuid4().hex
        provider.scripts[key] = script
        env = {
            "ANTHROPIC_BASE_URL": provider.address,
            "ANTHROPIC_API_KEY": key,
            "HOME": str(tmp_path),
            "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
            "ENABLE_TOOL_SEARCH": "false",
            "HTTPS_PROXY": "http://127.0.0.1:9",  # nothing but loopback
            "NO_PROXY": "127.0.0.1",
        }
        own = [_tool(each) for each in tools]
        allowed = [f"mcp__desk__{each.name}" for each in own if each.name != "pay"]
        servers = {"desk": create_sdk_mcp_server("desk", tools=own)}
        given = {"system_prompt": BASE, "mcp_servers": servers, "allowed_tools": allowed, "tools": [], "env": env,
                 "model": "claude-sonnet-4-5", "setting_sources": [], "cwd": str(tmp_path)}  # fmt: skip
        return ClaudeAgent(None if hx is None else HexadClaude(hx, budget=budget), given, tools_of_ours)

    missing = {
        "sync": "the SDK is asynchronous",
        "history": "Claude Code keeps what a hook adds",
        "approving": "the SDK asks while the run goes on, and a call that was not approved has failed",
        "watch": "the SDK wraps no call: functions of its tools are not watched",
        "model errors": "the program itself repeats a request that failed",
        "user function": "the user of a client is named when it is made",
    }
    return Agents(make, missing=missing)
