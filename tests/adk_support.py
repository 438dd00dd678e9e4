"""Shared by the ADK tests: real agents and runners over a scripted model; a store that can be made to fail."""

from __future__ import annotations

import asyncio
import gc
import logging
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.models.llm_request import LlmRequest
from google.adk.runners import InMemoryRunner, Runner
from google.genai import types

from hexad import Hexad
from hexad.adapters.adk import ContextAwareModel
from hexad.testing.scripted_model import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Sequence
    from contextlib import AbstractContextManager

    import pytest
    from google.adk.events.event import Event
    from google.adk.models.base_llm import BaseLlm
    from google.adk.plugins.base_plugin import BasePlugin

    from hexad.model import Erasure
    from hexad.store import Reading, Store, Writing

APP, USER = "desk", "dana"


def done(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine."""
    return asyncio.run(work)


def message(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


def agent(model: Any, tools: Sequence[Any] = (), **more: Any) -> LlmAgent:
    return LlmAgent(name="helper", model=model, instruction="Be terse.", tools=list(tools), **more)


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
    known = await place.session_service.get_session(app_name=APP, user_id=user, session_id=session)
    if known is None:
        await place.session_service.create_session(app_name=APP, user_id=user, session_id=session)
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
        or (part.function_call and ("call", part.function_call.name, part.function_call.args))
        or (part.function_response and ("answer", part.function_response.name, part.function_response.response))
        for part in parts
    ]


def instruction(request: LlmRequest) -> str:
    text = request.config.system_instruction
    assert isinstance(text, str)
    return text


def echo(*_: Any) -> ScriptedModel:
    """A model that answers every message with one word."""
    return ScriptedModel.playing(lambda _request: "Yes.")


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Everything logged as a warning or worse, by any logger: a failure of ours shows in no other log either."""
    gc.collect()  # asyncio reports a future that nobody awaited when it is collected
    return [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]


@dataclass
class FaultyStore:
    """A store behind its port: ``before`` is called before anything is read or written."""

    inner: Store
    before: Callable[[], None] = lambda: None
    touched: int = field(default=0)

    def __post_init__(self) -> None:
        self.durable = self.inner.durable
        self.location = f"faulty {id(self)}"
        self.shared_as = self.inner.shared_as
        self.files = self.inner.files

    @contextmanager
    def reading(self, namespace: str, *, deadline: float | None = None) -> Iterator[Reading]:
        with self._through(self.inner.reading(namespace, deadline=deadline)) as view:
            yield view

    @contextmanager
    def transaction(self, namespace: str, *, patience: float | None = None) -> Iterator[Writing]:
        with self._through(self.inner.transaction(namespace, patience=patience)) as unit:
            yield unit

    def namespaces(self, *, after: str = "", limit: int = 1000) -> Sequence[str]:
        return self.inner.namespaces(after=after, limit=limit)

    @contextmanager
    def _through(self, opened: AbstractContextManager[Any]) -> Iterator[Any]:
        self.touched += 1
        self.before()
        with opened as inside:
            yield inside

    def flush_traces(self) -> Erasure:
        return self.inner.flush_traces()

    def close(self) -> None:
        self.inner.close()


def over(hx: Hexad, store: Any) -> Hexad:
    """The same engine over another store, put in at the port."""
    workspace = replace(hx._engine.workspace, store=store)
    retriever = replace(hx.retriever, store=store)  # type: ignore[type-var]
    return Hexad(replace(hx._engine, workspace=workspace, retriever=retriever), hx.settings, owner=False)


def request(*texts: str, system: Any = None) -> LlmRequest:
    config = types.GenerateContentConfig(system_instruction=system)
    return LlmRequest(contents=[message(text) for text in texts], config=config)


async def responses(model: BaseLlm, asked: LlmRequest, *, stream: bool = False) -> list[Any]:
    return [response async for response in model.generate_content_async(asked, stream=stream)]


def sent(hx: Hexad, asked: LlmRequest, **how: Any) -> LlmRequest:
    """The request as the wrapped model gets it."""
    inner = echo()
    done(responses(ContextAwareModel.wrap(hx, inner, **how), asked))
    (got,) = inner.requests
    return got
