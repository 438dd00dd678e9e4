"""LangChain keeps the contract of adapters."""
# ruff: noqa: E402  (the suite's asserts are rewritten before it is imported)

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

pytest.register_assert_rewrite("hexad.testing.adapter_suite")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain.tools import tool as langchain_tool
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphBubbleUp
from langgraph.types import interrupt
from pydantic import PrivateAttr

from hexad.adapters.langchain import HexadMiddleware
from hexad.testing.adapter_suite import *  # noqa: F403
from hexad.testing.adapter_suite import BASE, Agents
from hexad.testing.script import Call, Request, Script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hexad import Hexad

_ROLES = {"human": "user", "ai": "assistant", "tool": "tool"}


class ScriptedChat(BaseChatModel):
    """A chat model that plays a script."""

    _script: Script = PrivateAttr()

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        return self.bind(tools=[each["name"] if isinstance(each, dict) else each.name for each in tools])

    def _generate(self, messages: list[BaseMessage], *_: Any, tools: Sequence[str] = (), **__: Any) -> ChatResult:
        system = "\n".join(each.text for each in messages if each.type == "system")
        said = tuple((_ROLES[each.type], each.text) for each in messages if each.type != "system")
        reply = self._script.play(Request(system, said, tuple(tools)))
        calls = [each for each in reply if isinstance(each, Call)]
        message = AIMessage(
            "".join(each for each in reply if isinstance(each, str)),
            tool_calls=[{"name": each.tool, "args": each.args, "id": f"c{place}"} for place, each in enumerate(calls)],
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


def scripted(script: Script) -> ScriptedChat:
    model = ScriptedChat()
    model._script = script
    return model


class Forgiving(AgentMiddleware):
    """Shows the model what a tool raised, instead of ending the run."""

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        try:
            return handler(request)
        except GraphBubbleUp:
            raise
        except Exception as error:
            return ToolMessage(str(error), tool_call_id=request.tool_call["id"], status="error")

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        try:
            return await handler(request)
        except GraphBubbleUp:
            raise
        except Exception as error:
            return ToolMessage(str(error), tool_call_id=request.tool_call["id"], status="error")


@dataclass
class LangChainAgent:
    graph: Any

    def _given(self, text: str, user: str, session: str) -> dict[str, Any]:
        return {
            "input": {"messages": [{"role": "user", "content": text}]},
            "config": {"configurable": {"thread_id": session}},
            "context": {"user": user} if user else {},
        }

    def say(self, text: str, *, user: str, session: str) -> str:
        return self.graph.invoke(**self._given(text, user, session))["messages"][-1].text

    async def asay(self, text: str, *, user: str, session: str, stream: bool) -> str:
        given = self._given(text, user, session)
        if not stream:
            return (await self.graph.ainvoke(**given))["messages"][-1].text
        seen = [each async for each in self.graph.astream(**given, stream_mode="messages")]
        return str(seen[-1][0].text)

    def stored(self, session: str) -> str:
        return str(self.graph.get_state({"configurable": {"thread_id": session}}).values["messages"])


def _tool(function: Callable[..., Any]) -> Any:
    if function.__name__ != "pay":
        return langchain_tool(function)

    def pay(day: str) -> str:
        """Pay for a day."""
        return str(interrupt(f"pay for {day}?"))

    return langchain_tool(pay)


def make(
    hx: Hexad | None,
    script: Script,
    tools: Sequence[Callable[..., Any]] = (),
    *,
    budget: int = 2000,
    tools_of_ours: bool = True,
) -> LangChainAgent:
    ours = []
    if hx is not None:
        ours = [HexadMiddleware(hx, user=lambda runtime: runtime.context["user"], budget=budget, tools=tools_of_ours)]
    graph = create_agent(
        scripted(script),
        [_tool(each) for each in tools],
        system_prompt=BASE,
        middleware=[Forgiving(), *ours],
        checkpointer=InMemorySaver(),
        context_schema=dict,
    )
    return LangChainAgent(graph)


@pytest.fixture
def agents() -> Agents:
    return Agents(make)
