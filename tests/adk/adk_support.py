"""Shared by the ADK tests: real agents and runners over a scripted model; a store that
can be made to fail.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from typing import TYPE_CHECKING, Any

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.models.llm_request import LlmRequest
from google.adk.runners import InMemoryRunner, Runner
from google.genai import types

from hexad.adapters.adk import ContextAwareModel
from hexad.agents.context import PREFACE
from hexad_testing.scripted_model import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    import pytest
    from google.adk.events.event import Event
    from google.adk.models.base_llm import BaseLlm
    from google.adk.plugins.base_plugin import BasePlugin

    from hexad import Hexad


APP, USER = "desk", "dana"


def done(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine."""
    return asyncio.run(work)


def message(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


def agent(model: Any, tools: Sequence[Any] = (), **more: Any) -> LlmAgent:
    return LlmAgent(
        name="helper", model=model, instruction="Be terse.", tools=list(tools), **more
    )


def runner(root: LlmAgent, plugins: Sequence[BasePlugin] = ()) -> Runner:
    return InMemoryRunner(app=App(name=APP, root_agent=root, plugins=list(plugins)))


async def said(
    place: Runner,
    *texts: str | types.Content,
    user: str = USER,
    session: str = "s1",
    stream: bool = False,
) -> list[Event]:
    """The events of one session in which a user says these things."""
    known = await place.session_service.get_session(
        app_name=APP, user_id=user, session_id=session
    )
    if known is None:
        await place.session_service.create_session(
            app_name=APP, user_id=user, session_id=session
        )
    how = RunConfig(streaming_mode=StreamingMode.SSE if stream else StreamingMode.NONE)
    return [
        event
        for text in texts
        async for event in place.run_async(
            user_id=user,
            session_id=session,
            new_message=message(text) if isinstance(text, str) else text,
            run_config=how,
        )
    ]


def talk(place: Runner, *texts: str | types.Content, **whose: Any) -> list[Event]:
    return done(said(place, *texts, **whose))


def parts_of(event: Event) -> list[Any]:
    """The content of an event, without ids and times."""
    parts = (event.content.parts or []) if event.content else []
    return [
        part.text
        or (
            part.function_call
            and ("call", part.function_call.name, part.function_call.args)
        )
        or (
            part.function_response
            and ("answer", part.function_response.name, part.function_response.response)
        )
        for part in parts
    ]


def instruction(request: LlmRequest) -> str:
    text = request.config.system_instruction
    assert isinstance(text, str)
    return text


def context(request: LlmRequest) -> str:
    """The instruction, and found context in front of the user's message."""
    texts = [
        part.text or "" for content in request.contents for part in content.parts or ()
    ]
    return "\n\n".join(
        [instruction(request), *(text for text in texts if text.startswith(PREFACE))]
    )


def echo(*_: Any) -> ScriptedModel:
    """A model that answers every message with one word."""
    return ScriptedModel.playing(lambda _request: "Yes.")


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Everything logged as a warning or worse, by any logger: a failure of ours shows
    in no other log either.
    """
    gc.collect()  # asyncio reports a future that nobody awaited when it is collected
    return [
        each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING
    ]


def request(*texts: str, system: Any = None) -> LlmRequest:
    config = types.GenerateContentConfig(system_instruction=system)
    return LlmRequest(contents=[message(text) for text in texts], config=config)


async def responses(
    model: BaseLlm, asked: LlmRequest, *, stream: bool = False
) -> list[Any]:
    return [
        response
        async for response in model.generate_content_async(asked, stream=stream)
    ]


def sent(hx: Hexad, asked: LlmRequest, **how: Any) -> LlmRequest:
    """The request as the wrapped model gets it."""
    inner = echo()
    done(responses(ContextAwareModel.wrap(hx, inner, **how), asked))
    (got,) = inner.requests
    return got
