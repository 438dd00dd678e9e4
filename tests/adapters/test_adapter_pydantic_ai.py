"""pydantic-ai keeps the contract of adapters."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from pydantic_ai import Agent, ModelRetry, Tool
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_ai.tools import DeferredToolRequests

from hexad.adapters.pydantic_ai import HexadMemory
from hexad_testing.adapter_suite import *  # noqa: F403
from hexad_testing.adapter_suite import BASE, Agents
from hexad_testing.script import Call, Request, Script
from tests.support import own_loop

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models.function import AgentInfo

    from hexad import Hexad


def _request(messages: list[ModelMessage], info: AgentInfo) -> Request:
    said = [(_role(part), _words(part)) for each in messages for part in each.parts]
    tools = info.function_tools
    names, described = (
        tuple(tool.name for tool in tools),
        tuple(tool.description or "" for tool in tools),
    )
    return Request(info.instructions or "", tuple(said), names, described)


def _words(part: Any) -> str:
    return str(part.args) if isinstance(part, ToolCallPart) else str(part.content)


def _role(part: Any) -> str:
    if isinstance(part, UserPromptPart):
        return "user"
    return "assistant" if isinstance(part, TextPart | ToolCallPart) else "tool"


def scripted(script: Script) -> FunctionModel:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        reply = script.play(_request(messages, info))
        return ModelResponse(
            [TextPart(each) if isinstance(each, str) else _call(each) for each in reply]
        )

    async def stream(
        messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[Any]:
        for place, each in enumerate(script.play(_request(messages, info))):
            part = _call(each) if isinstance(each, Call) else each
            is_call = isinstance(part, ToolCallPart)
            yield (
                {place: DeltaToolCall(part.tool_name, part.args_as_json_str())}
                if is_call
                else part
            )

    return FunctionModel(answer, stream_function=stream)


def _call(each: Call) -> ToolCallPart:
    return ToolCallPart(each.tool, each.args)


@dataclass
class PydanticAgent:
    agent: Any
    histories: dict[str, list[Any]] = field(default_factory=dict)
    last: Any = None

    def _given(self, user: str, session: str) -> dict[str, Any]:
        deps = {"user": user} if user else {}
        return {
            "deps": deps,
            "message_history": self.histories.get(session),
            "conversation_id": session,
        }

    def _ended(self, session: str, run: Any) -> str:
        self.histories[session], self.last = run.all_messages(), run.output
        return str(run.output)

    def say(self, text: str, *, user: str, session: str, stream: bool) -> str:
        with own_loop():
            if not stream:
                return self._ended(
                    session, self.agent.run_sync(text, **self._given(user, session))
                )
            run = self.agent.run_stream_sync(text, **self._given(user, session))
            output = str(run.get_output())
            self.histories[session] = run.all_messages()
            return output

    async def asay(self, text: str, *, user: str, session: str, stream: bool) -> str:
        if not stream:
            return self._ended(
                session, await self.agent.run(text, **self._given(user, session))
            )
        async with self.agent.run_stream(text, **self._given(user, session)) as run:
            output = await run.get_output()
            self.histories[session] = run.all_messages()
        return str(output)

    async def approve(self, *, user: str, session: str) -> str:
        yes = self.last.build_results(approve_all=True)
        run = await self.agent.run(
            deferred_tool_results=yes, **self._given(user, session)
        )
        return self._ended(session, run)

    def stored(self, session: str) -> str:
        return str(self.histories[session])


def _retrying(function: Callable[..., Any]) -> Tool:
    """The tool as pydantic-ai wants it: an error that the model may mend is a
    `ModelRetry`.
    """
    if function.__name__ == "pay":
        return Tool(function, requires_approval=True)
    if inspect.iscoroutinefunction(function):
        return Tool(function)

    @functools.wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except ValueError as error:
            raise ModelRetry(str(error)) from error

    return Tool(call, max_retries=5)


def make(
    hx: Hexad | None,
    script: Script,
    tools: Sequence[Callable[..., Any]] = (),
    *,
    budget: int = 2000,
    tools_of_ours: bool = True,
) -> PydanticAgent:
    ours = (
        []
        if hx is None
        else [
            HexadMemory(
                hx,
                user=lambda ctx: ctx.deps["user"],
                budget=budget,
                tools=tools_of_ours,
            )
        ]
    )
    agent = Agent(
        scripted(script),
        instructions=BASE,
        tools=[_retrying(each) for each in tools],
        capabilities=ours,
        deps_type=dict,
        output_type=[str, DeferredToolRequests],
        retries=5,
    )
    return PydanticAgent(agent)


@pytest.fixture
def agents() -> Agents:
    return Agents(make)
