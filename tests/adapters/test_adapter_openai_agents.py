"""The OpenAI Agents SDK keeps the contract of adapters."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from agents import (
    Agent,
    RunConfig,
    Runner,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call

from hexad.adapters.openai_agents import HexadAgents
from hexad_testing.adapter_suite import *  # noqa: F403
from hexad_testing.adapter_suite import BASE, Agents
from hexad_testing.script import Call, Request, Script
from tests.support import own_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agents.testing import ModelCall

    from hexad import Hexad

set_tracing_disabled(True)


def _message(item: Any) -> tuple[str, str]:
    if item.get("type") == "function_call_output":
        return "tool", str(item["output"])
    content = item.get("content") or item.get("arguments")
    text = (
        content
        if isinstance(content, str)
        else "".join(part.get("text", "") for part in content or ())
    )
    return item.get("role", "assistant"), text


class scripted(ScriptedModel):  # noqa: N801 - a function in its place elsewhere
    """The SDK's scripted model, endlessly asking ours."""

    def __init__(self, script: Script) -> None:
        super().__init__([ModelStep.respond(self._reply) for _ in range(20)])
        self._said = script
        self._made = 0

    def _reply(self, call: ModelCall) -> Any:
        items = (
            [{"role": "user", "content": call.input}]
            if isinstance(call.input, str)
            else call.input
        )
        names = tuple(tool.name for tool in call.tools)
        parts = self._said.play(
            Request(call.system_instructions or "", tuple(map(_message, items)), names)
        )
        return [self._part(part) for part in parts]

    def _part(self, part: str | Call) -> Any:
        if isinstance(part, str):
            return assistant_message(part)
        self._made += 1
        return function_call(part.tool, part.args, call_id=f"c{self._made}")


@dataclass
class OpenAIAgent:
    agent: Any
    h: HexadAgents | None
    sessions: dict[str, SQLiteSession] = field(default_factory=dict)
    last: Any = None

    def _given(self, user: str, session: str) -> dict[str, Any]:
        kept = self.sessions.setdefault(session, SQLiteSession(session))
        config = RunConfig(tool_not_found_behavior="return_error_to_model")
        if self.h is None:
            return {"session": kept, "run_config": config}
        return {"context": {"user": user} if user else {}} | self.h.run(
            user=lambda context: context["user"], session=kept, run_config=config
        )

    def say(self, text: str, *, user: str, session: str, stream: bool) -> str:
        assert not stream
        with own_loop():
            return str(
                Runner.run_sync(
                    self.agent, text, **self._given(user, session)
                ).final_output
            )

    async def asay(self, text: str, *, user: str, session: str, stream: bool) -> str:
        if not stream:
            self.last = await Runner.run(self.agent, text, **self._given(user, session))
            return str(self.last.final_output)
        run = Runner.run_streamed(self.agent, text, **self._given(user, session))
        async for _ in run.stream_events():
            pass
        return str(run.final_output)

    async def approve(self, *, user: str, session: str) -> str:
        state = self.last.to_state()
        for each in self.last.interruptions:
            state.approve(each)
        return str(
            (
                await Runner.run(self.agent, state, **self._given(user, session))
            ).final_output
        )

    def stored(self, session: str) -> str:
        return json.dumps(asyncio.run(self.sessions[session].get_items()))


def make(
    hx: Hexad | None,
    script: Script,
    tools: Sequence[Callable[..., Any]] = (),
    *,
    budget: int = 2000,
    tools_of_ours: bool = True,
) -> OpenAIAgent:
    h = None if hx is None else HexadAgents(hx, budget=budget)
    own = [function_tool(each, needs_approval=each.__name__ == "pay") for each in tools]
    ours = h.tools() if h is not None and tools_of_ours else []
    return OpenAIAgent(
        Agent(
            name="desk", instructions=BASE, model=scripted(script), tools=[*own, *ours]
        ),
        h,
    )


@pytest.fixture
def agents() -> Agents:
    missing = {
        "sync stream": "the SDK streams in an event loop only",
        "notes": "the SDK describes a tool where it is made",
    }
    return Agents(make, missing=missing, wraps=False, told_of="book")
