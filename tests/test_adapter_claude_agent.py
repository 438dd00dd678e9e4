"""The Claude Agent SDK keeps the contract of adapters: its own program runs, against a scripted server on loopback."""
# ruff: noqa: E402  (the suite's asserts are rewritten before it is imported)

from __future__ import annotations

import inspect
import json
import threading
import uuid
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

pytest.register_assert_rewrite("hexad.testing.adapter_suite")
pytest.importorskip("claude_agent_sdk", reason="the extra claude-agent is not installed: it is 350 MB")

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, SdkMcpTool, create_sdk_mcp_server, query
from pydantic import TypeAdapter

from hexad.adapters.claude_agent import HexadClaude
from hexad.agent_tools import NAMES
from hexad.edges.context import PREFACE
from hexad.testing.adapter_suite import *  # noqa: F403
from hexad.testing.adapter_suite import BASE, Agents
from hexad.testing.script import Call, Request, Script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from hexad import Hexad

_IDS = count(1)
_START = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
          "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip


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


def _events(reply: list[str | Call]) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": _START}
    for index, each in enumerate(reply):
        if isinstance(each, str):
            block: Any = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": each}
        else:
            server = "hexad" if each.tool in NAMES else "desk"
            block = {"type": "tool_use", "id": f"t{next(_IDS)}", "name": f"mcp__{server}__{each.tool}", "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(each.args)}
        yield {"type": "content_block_start", "index": index, "content_block": block}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = "tool_use" if any(isinstance(each, Call) for each in reply) else "end_turn"
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": stop, "stop_sequence": None},
        "usage": {"output_tokens": 1},
    }
    yield {"type": "message_stop"}


class Provider(ThreadingHTTPServer):
    """Answers by the script that a request's key names."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.scripts: dict[str, Script] = {}


class Handler(BaseHTTPRequestHandler):
    server: Provider

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        try:
            reply = self.server.scripts[self.headers["x-api-key"]].play(_request(body))
        except Exception as error:
            failed = {"type": "error", "error": {"type": "invalid_request_error", "message": str(error)}}
            return self._answer(400, "application/json", json.dumps(failed))
        text = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in _events(reply))
        return self._answer(200, "text/event-stream", text)

    def _answer(self, status: int, kind: str, text: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(text.encode())


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    server = Provider()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


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
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{provider.server_port}",
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
        "watch": "the SDK wraps no call: functions of its tools are not watched",
        "model errors": "the program itself repeats a request that failed",
        "user function": "the user of a client is named when it is made",
    }
    return Agents(make, missing=missing)
