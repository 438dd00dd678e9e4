"""Google ADK keeps the contract of adapters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from hexad.adapters.adk import ContextAwareModel, Conversation, HexadPlugin
from hexad.agents.context import PREFACE
from hexad_testing.adapter_suite import *  # noqa: F403
from hexad_testing.adapter_suite import Agents
from hexad_testing.script import Request, Script
from hexad_testing.scripted_model import ScriptedModel
from tests.adk.adk_support import APP, agent, done, message, runner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from google.adk.models.llm_request import LlmRequest

    from hexad import Hexad

_GIVEN = ("Available Tools", "Runtime Context")


def _stored(block: str) -> str:
    """A block without the layers that need no store: ADK's also shows the agent's tools
    and session.
    """
    first, *sections = block.split("\n\n## ")
    return "\n\n## ".join(
        [first, *(each for each in sections if not each.startswith(_GIVEN))]
    )


def _words(part: types.Part) -> tuple[str, str]:
    if part.function_response:
        return "tool", str(part.function_response.response)
    return "", part.text or str(part.function_call)


def _request(asked: LlmRequest) -> Request:
    """The request in words."""
    said = [
        (
            _words(part)[0] or ("user" if content.role == "user" else "assistant"),
            _words(part)[1],
        )
        for content in asked.contents
        for part in content.parts or ()
    ]
    stored = [
        (role, _stored(text) if text.startswith(PREFACE) else text)
        for role, text in said
    ]
    kept = tuple(
        (role, text) for role, text in stored if text.strip() != PREFACE.strip()
    )
    declared = [
        each
        for tool in asked.config.tools or ()
        for each in tool.function_declarations or ()
    ]
    names, described = (
        tuple(each.name for each in declared),
        tuple(each.description for each in declared),
    )
    return Request(str(asked.config.system_instruction).strip(), kept, names, described)


class Mending(BasePlugin):
    """Shows the model a tool's error, or that there is no such tool, instead of ending
    the run.
    """

    async def on_tool_error_callback(
        self, *, error: Exception, **_: Any
    ) -> dict[str, Any]:
        return {"error": str(error)}


@dataclass
class AdkAgent:
    runner: Any

    async def _given(
        self, text: str, user: str, session: str, *, stream: bool
    ) -> dict[str, Any]:
        whose = {"user_id": user or "nobody", "session_id": session}
        service = self.runner.session_service
        if await service.get_session(app_name=APP, **whose) is None:
            await service.create_session(app_name=APP, **whose)
        how = RunConfig(
            streaming_mode=StreamingMode.SSE if stream else StreamingMode.NONE
        )
        return {**whose, "new_message": message(text), "run_config": how}

    def say(self, text: str, *, user: str, session: str, stream: bool) -> str:
        *_, last = self.runner.run(
            **done(self._given(text, user, session, stream=stream))
        )
        return "".join(part.text or "" for part in last.content.parts)

    async def asay(self, text: str, *, user: str, session: str, stream: bool) -> str:
        events = self.runner.run_async(
            **await self._given(text, user, session, stream=stream)
        )
        seen = [event async for event in events]
        return "".join(part.text or "" for part in seen[-1].content.parts)

    async def approve(self, *, user: str, session: str) -> str:
        whose = {"app_name": APP, "user_id": user, "session_id": session}
        said = (await self.runner.session_service.get_session(**whose)).events
        (asked,) = [
            call
            for event in said
            for call in event.get_function_calls()
            if call.name.startswith("adk_")
        ]
        yes = types.FunctionResponse(
            id=asked.id, name=asked.name, response={"confirmed": True}
        )
        answer = types.Content(role="user", parts=[types.Part(function_response=yes)])
        events = self.runner.run_async(
            user_id=user, session_id=session, new_message=answer
        )
        return [event async for event in events][-1].content.parts[0].text

    def stored(self, session: str) -> str:
        whose = {"app_name": APP, "user_id": "dana", "session_id": session}
        return str(done(self.runner.session_service.get_session(**whose)).events)


def _make(
    wrapped: str,
    hx: Hexad | None,
    script: Script,
    tools: Sequence[Callable[..., Any]] = (),
    *,
    budget: int = 2000,
    tools_of_ours: bool = True,
) -> AdkAgent:
    model: Any = ScriptedModel.playing(lambda asked: script.play(_request(asked)))
    own = [
        FunctionTool(each, require_confirmation=each.__name__ == "pay")
        for each in tools
    ]
    plugins: list[BasePlugin] = []
    if hx is not None:
        plugins = [
            HexadPlugin(hx, budget=budget, tools=tools_of_ours, namespace=_known)
        ]
        model = (
            ContextAwareModel.wrap(hx, model, placement="user_turn", budget=budget)
            if wrapped
            else model
        )
    return AdkAgent(runner(agent(model, own), [*plugins, Mending("mending")]))


def _known(conversation: Conversation) -> str:
    if conversation.user == "nobody":
        raise KeyError("user")
    return f"{APP}/{conversation.user}"


@pytest.fixture(params=["", "wrapped"], ids=["plugin", "model"])
def agents(request: pytest.FixtureRequest) -> Agents:
    def make(*given: Any, **named: Any) -> AdkAgent:
        return _make(request.param, *given, **named)

    return Agents(make, lambda user: f"default/{APP}/{user}")
