"""LangChain keeps the contract of adapters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolRetryMiddleware
from langchain.tools import tool as langchain_tool
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command, interrupt
from pydantic import PrivateAttr

from hexad.adapters.langchain import HexadMiddleware
from hexad_testing.adapter_suite import *  # noqa: F403
from hexad_testing.adapter_suite import (
    BASE,
    BOOKING,
    FORM,
    Agents,
    blocks,
    book,
    booked,
    calls,
    pay,
    warned,
)
from hexad_testing.script import Call, Request, Script
from tests.support import requirement

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
        return self.bind(tools=[(each.name, each.description) for each in tools])

    def _generate(
        self, messages: list[BaseMessage], *_: Any, **given: Any
    ) -> ChatResult:
        tools = given.get("tools", ())
        system = "\n".join(each.text for each in messages if each.type == "system")
        said = tuple(
            (_ROLES[each.type], each.text) for each in messages if each.type != "system"
        )
        names, described = (
            tuple(name for name, _ in tools),
            tuple(text for _, text in tools),
        )
        reply = self._script.play(Request(system, said, names, described))
        calls = [each for each in reply if isinstance(each, Call)]
        message = AIMessage(
            "".join(each for each in reply if isinstance(each, str)),
            tool_calls=[
                {"name": each.tool, "args": each.args, "id": f"c{place}"}
                for place, each in enumerate(calls)
            ],
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
            return ToolMessage(
                str(error), tool_call_id=request.tool_call["id"], status="error"
            )

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        try:
            return await handler(request)
        except GraphBubbleUp:
            raise
        except Exception as error:
            return ToolMessage(
                str(error), tool_call_id=request.tool_call["id"], status="error"
            )


@dataclass
class LangChainAgent:
    graph: Any

    def _given(self, text: str, user: str, session: str) -> dict[str, Any]:
        return {
            "input": {"messages": [{"role": "user", "content": text}]},
            "config": {"configurable": {"thread_id": session}},
            "context": {"user": user} if user else {},
        }

    def say(self, text: str, *, user: str, session: str, stream: bool) -> str:
        given = self._given(text, user, session)
        if not stream:
            return self.graph.invoke(**given)["messages"][-1].text
        return str([*self.graph.stream(**given, stream_mode="messages")][-1][0].text)

    async def asay(self, text: str, *, user: str, session: str, stream: bool) -> str:
        given = self._given(text, user, session)
        if not stream:
            return (await self.graph.ainvoke(**given))["messages"][-1].text
        seen = [
            each async for each in self.graph.astream(**given, stream_mode="messages")
        ]
        return str(seen[-1][0].text)

    async def approve(self, *, user: str, session: str) -> str:
        given = {**self._given("", user, session), "input": Command(resume="paid")}
        return (await self.graph.ainvoke(**given))["messages"][-1].text

    def stored(self, session: str) -> str:
        return str(
            self.graph.get_state({"configurable": {"thread_id": session}}).values[
                "messages"
            ]
        )


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
        ours = [
            HexadMiddleware(
                hx,
                user=lambda runtime: runtime.context["user"],
                budget=budget,
                tools=tools_of_ours,
            )
        ]
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


# what only LangChain has


def _said(agent: Any, **config: Any) -> Any:
    return agent.invoke({"messages": [("user", BOOKING)]}, {"configurable": config})


@requirement("EDGE-01")
def test_an_exception_that_nobody_handles_ends_the_run_as_it_was_and_is_learned(
    hx: Hexad,
) -> None:
    agent = create_agent(
        scripted(booked("31/01/2026")), [book], middleware=[HexadMiddleware(hx)]
    )
    with pytest.raises(ValueError, match="cannot read the day"):
        _said(agent)
    assert calls(hx) == [("book", False)]


@requirement("EDGE-01")
def test_each_attempt_of_a_tool_that_the_framework_repeats_counts_once(
    hx: Hexad,
) -> None:
    left = [
        ConnectionError("the desk is closed"),
        ConnectionError("the desk is closed"),
    ]

    def ring(day: str) -> str:
        """Ring the desk."""
        if left:
            raise left.pop()
        return day

    script, retrying = (
        booked("2026-01-31", tool="ring"),
        ToolRetryMiddleware(initial_delay=0.0, jitter=False),
    )
    _said(
        create_agent(
            scripted(script), [ring], middleware=[retrying, HexadMiddleware(hx)]
        )
    )
    assert calls(hx) == [("ring", False), ("ring", False), ("ring", True)]
    assert len(script.requests) == 2


@requirement("EDGE-02")
def test_without_threads_a_message_that_is_said_again_begins_a_new_turn(
    hx: Hexad,
) -> None:
    days = ("31/01/2026", "2026-01-31")
    script = Script([*(Call("book", {"day": day}) for day in days), "Booked.", "Yes."])
    agent = create_agent(
        scripted(script), [book], middleware=[Forgiving(), HexadMiddleware(hx)]
    )
    _said(agent)
    _said(agent)
    assert [FORM in str(request.messages) for request in script.requests] == [
        False,
        False,
        False,
        True,
    ]


@requirement("EDGE-02")
def test_a_run_that_goes_on_after_approval_keeps_its_block_and_counts_once(
    hx: Hexad,
) -> None:
    hx.knowledge.save("room", "Book a quiet room")
    script = booked("2026-01-31", tool="pay")
    agent = create_agent(
        scripted(script),
        [_tool(pay)],
        middleware=[HexadMiddleware(hx)],
        checkpointer=InMemorySaver(),
    )
    _said(agent, thread_id="s1")
    hx.knowledge.save("hall", "Book a room in the hall")
    agent.invoke(Command(resume="paid"), {"configurable": {"thread_id": "s1"}})
    first, second = script.requests
    assert first.messages[blocks(first)[0]] == second.messages[blocks(second)[0]]
    assert calls(hx) == [("pay", True)]


@requirement("EDGE-01")
def test_for_a_user_who_is_not_known_nothing_is_saved_where_all_see_it(
    hx: Hexad, caplog: pytest.LogCaptureFixture
) -> None:
    script = Script(
        [
            Call("save_knowledge", {"key": "salary", "content": "Dana earns 100"}),
            "Noted.",
        ]
    )
    agent = create_agent(
        scripted(script),
        [],
        middleware=[HexadMiddleware(hx, user=lambda runtime: None)],
    )
    _said(agent)
    assert not hx.knowledge.list()
    assert "could not be determined" in str(script.requests[-1].messages)
    assert len(warned(caplog)) == 1
