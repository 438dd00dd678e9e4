"""Microsoft Agent Framework keeps the contract of adapters."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
    tool,
)

from hexad.adapters.agent_framework import HexadProvider
from hexad_testing.adapter_suite import *  # noqa: F403
from hexad_testing.adapter_suite import BASE, Agents
from hexad_testing.script import Request, Script

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from hexad import Hexad

_IDS = count(1)


class scripted(  # noqa: N801 - a function in its place elsewhere
    FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]
):
    """A chat client that plays a script."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self._said = script

    def _inner_get_response(
        self,
        *,
        messages: Sequence[Message],
        stream: bool,
        options: Mapping[str, Any],
        **_: Any,
    ) -> Any:
        if stream:
            return ResponseStream(
                self._streamed(messages, options), finalizer=ChatResponse.from_updates
            )
        return self._answered(messages, options)

    async def _answered(
        self, messages: Sequence[Message], options: Mapping[str, Any]
    ) -> ChatResponse:
        return ChatResponse(
            messages=[Message("assistant", self._contents(messages, options))]
        )

    async def _streamed(
        self, messages: Sequence[Message], options: Mapping[str, Any]
    ) -> AsyncIterator[ChatResponseUpdate]:
        yield ChatResponseUpdate(
            role="assistant", contents=self._contents(messages, options)
        )

    def _contents(
        self, messages: Sequence[Message], options: Mapping[str, Any]
    ) -> list[Content]:
        system = [
            options.get("instructions") or "",
            *(each.text for each in messages if each.role == "system"),
        ]
        said = tuple(
            (str(each.role), _words(each)) for each in messages if each.role != "system"
        )
        names = tuple(each.name for each in options.get("tools") or ())
        described = tuple(each.description for each in options.get("tools") or ())
        reply = self._said.play(
            Request("\n".join(filter(None, system)), said, names, described)
        )
        return [
            Content.from_text(each)
            if isinstance(each, str)
            else Content.from_function_call(
                f"c{next(_IDS)}", each.tool, arguments=each.args
            )
            for each in reply
        ]


def _words(message: Message) -> str:
    return message.text or " ".join(
        str(each.result) for each in message.contents if each.type == "function_result"
    )


@dataclass
class FrameworkAgent:
    agent: Any
    sessions: dict[str, AgentSession] = field(default_factory=dict)
    last: Any = None

    def say(self, text: str, *, user: str, session: str, stream: bool) -> str:
        raise NotImplementedError

    async def asay(self, text: str, *, user: str, session: str, stream: bool) -> str:
        kept = self.sessions.setdefault(session, AgentSession(session_id=session))
        if user:
            kept.state["user"] = user
        if not stream:
            self.last = await self.agent.run(text, session=kept)
            return str(self.last.text)
        return "".join(
            [
                each.text
                async for each in self.agent.run(text, session=kept, stream=True)
            ]
        )

    async def approve(self, *, user: str, session: str) -> str:
        yes = [
            each.to_function_approval_response(True)
            for each in self.last.user_input_requests
        ]
        return str(
            (
                await self.agent.run(
                    Message("user", yes), session=self.sessions[session]
                )
            ).text
        )

    def stored(self, session: str) -> str:
        return str(self.sessions[session].to_dict())


def make(
    hx: Hexad | None,
    script: Script,
    tools: Sequence[Callable[..., Any]] = (),
    *,
    budget: int = 2000,
    tools_of_ours: bool = True,
) -> FrameworkAgent:
    ours = []
    if hx is not None:
        ours = [
            HexadProvider(
                hx,
                user=lambda session: session.state["user"],
                budget=budget,
                tools=tools_of_ours,
            )
        ]
    own = [
        tool(each, approval_mode="always_require" if each.__name__ == "pay" else None)
        for each in tools
    ]
    return FrameworkAgent(
        Agent(
            client=scripted(script),
            instructions=BASE,
            tools=own,
            context_providers=ours,
        )
    )


@pytest.fixture
def agents() -> Agents:
    return Agents(
        make, missing={"sync": "an agent of the framework runs in an event loop only"}
    )
