"""Around a model, `ContextAwareModel` behaves as the model: events, streams, errors,
capabilities, live connections.
"""

from __future__ import annotations

from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from google.adk.agents.live_request_queue import LiveRequestQueue
from google.adk.agents.run_config import RunConfig
from google.adk.events.event import Event
from google.adk.models.base_llm_connection import BaseLlmConnection
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from hexad import Hexad
from hexad.adapters.adk import ContextAwareModel, adk_tools
from hexad_testing.scripted_model import Call, ScriptedModel
from tests.adk.adk_support import (
    APP,
    agent,
    done,
    echo,
    instruction,
    message,
    parts_of,
    request,
    responses,
    runner,
    sent,
    talk,
)
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_request import LlmRequest

RULE = "Deploy on Tuesdays and Thursdays only"


@pytest.fixture
def hx(tmp_path: Path) -> Iterator[Hexad]:
    with opened(tmp_path / "agent.db") as engine:
        engine.knowledge.save("deploy-window", RULE, category="rule")
        yield engine


def deploy(day: str) -> str:
    """Deploy the release on a day."""
    return f"deployed on {day}"


@requirement("ADK-05")
@pytest.mark.parametrize("stream", [False, True])
def test_the_events_are_the_same_with_and_without(hx: Hexad, stream: bool) -> None:
    script = [["I look. ", Call("deploy", {"day": "Tuesday"})], "All of it is done."]
    bare, inner = ScriptedModel.playing(script), ScriptedModel.playing(script)
    without = talk(runner(agent(bare, [deploy])), "May I deploy?", stream=stream)
    with_it = talk(
        runner(agent(ContextAwareModel.wrap(hx, inner), [deploy])),
        "May I deploy?",
        stream=stream,
    )
    assert [(parts_of(each), each.partial, each.author) for each in without] == [
        (parts_of(each), each.partial, each.author) for each in with_it
    ]
    for one, other in zip(bare.requests, inner.requests, strict=True):
        one_dump, other_dump = one.model_dump(), other.model_dump()
        assert (
            other_dump["config"]
            .pop("system_instruction")
            .startswith(one_dump["config"].pop("system_instruction"))
        )
        assert _without_ids(one_dump) == _without_ids(other_dump)


def _without_ids(dump: Any) -> Any:
    if isinstance(dump, dict):
        return {
            name: _without_ids(value) for name, value in dump.items() if name != "id"
        }
    return [_without_ids(each) for each in dump] if isinstance(dump, list) else dump


@requirement("ADK-05")
def test_the_models_own_error_is_the_callers(hx: Hexad) -> None:
    trouble = ConnectionError("the provider is down")
    with pytest.raises(ConnectionError) as caught:
        done(
            responses(
                ContextAwareModel.wrap(hx, ScriptedModel.playing([trouble])),
                request("deploy"),
            )
        )
    assert caught.value is trouble


@requirement("ADK-05")
def test_capabilities_are_those_of_the_model_inside(hx: Hexad) -> None:
    class Able(ScriptedModel):
        @property
        def capabilities(self) -> Any:
            return super().capabilities.model_copy(
                update={"output_schema_and_tools": True}
            )

    inner = Able.playing(["Yes."], model="gemini-2.5-flash")
    assert ContextAwareModel.wrap(hx, inner).capabilities == inner.capabilities


@requirement("ADK-05")
def test_a_stream_that_is_left_early_is_closed_inside(hx: Hexad) -> None:
    closed = []

    class Closing(ScriptedModel):
        async def generate_content_async(
            self, llm_request: LlmRequest, stream: bool = False
        ) -> AsyncIterator[Any]:  # type: ignore[override]
            try:
                async for each in super().generate_content_async(llm_request, stream):
                    yield each
            finally:
                closed.append(True)

    async def leave() -> None:
        responses = ContextAwareModel.wrap(
            hx, Closing.playing(["one two"])
        ).generate_content_async(request("deploy"), stream=True)
        await anext(responses)
        await responses.aclose()

    done(leave())
    assert closed == [True]


class Live(ScriptedModel):
    """A model with live connections."""

    @asynccontextmanager
    async def connect(self, llm_request: LlmRequest) -> AsyncIterator[Any]:  # type: ignore[override]
        self.requests.append(llm_request)
        yield _CONNECTION


class Line(BaseLlmConnection):
    """A connection."""


_CONNECTION = Line()


async def _connected(model: BaseLlm, asked: LlmRequest) -> BaseLlmConnection:
    async with model.connect(asked) as connection:
        return connection


@requirement("ADK-05")
def test_a_live_connection_is_the_models_own_and_knows_the_context(hx: Hexad) -> None:
    inner = Live.playing([])
    asked = request("when may I deploy?")
    assert done(_connected(ContextAwareModel.wrap(hx, inner), asked)) is _CONNECTION
    assert RULE in instruction(inner.requests[0])
    assert asked.config.system_instruction is None


@requirement("ADK-05")
def test_a_model_without_live_connections_still_has_none(hx: Hexad) -> None:
    with pytest.raises(NotImplementedError, match="Live connection is not supported"):
        done(_connected(ContextAwareModel.wrap(hx, echo()), request("deploy")))


# off


@requirement("ADK-07", "CONF-01")
@pytest.mark.parametrize("placement", ["system", "user_turn"])
def test_with_the_engine_off_the_very_request_goes_through_and_nothing_is_created(
    tmp_path: Path, placement: str
) -> None:
    hx = Hexad.open(tmp_path / "agent.db")
    asked = request("when may I deploy?", system="Be terse.")
    before, config = asked.model_dump(), asked.config
    assert sent(hx, asked, placement=placement) is asked
    assert asked.config is config
    assert asked.model_dump() == before
    inner = Live.playing([])
    done(_connected(ContextAwareModel.wrap(hx, inner), asked))
    assert inner.requests[0] is asked
    assert not list(tmp_path.iterdir())


# a live run


class Speaking(BaseLlmConnection):
    """A connection that answers once."""

    async def send_history(self, history: Any) -> None:
        """Nothing to do."""

    async def send_content(self, content: Any) -> None:
        """Nothing to do."""

    async def send_realtime(self, blob: Any) -> None:
        """Nothing to do."""

    async def receive(self) -> AsyncIterator[LlmResponse]:
        yield LlmResponse(
            content=types.Content(role="model", parts=[types.Part(text="Hi.")]),
            turn_complete=True,
        )

    async def close(self) -> None:
        """Nothing to do."""


class Telephone(ScriptedModel):
    """A model whose live connections answer; it keeps the instruction that each was
    opened with.
    """

    @asynccontextmanager
    async def connect(self, llm_request: LlmRequest) -> AsyncIterator[Any]:  # type: ignore[override]
        self.requests.append(llm_request.model_copy(deep=False))
        yield Speaking()


async def _called_up(model: Any, tools: list[Any], *users: str) -> None:
    """Each user asks when to deploy, and then opens a live connection, all in one task."""
    place = runner(agent(model, tools))
    for user in users:
        session = await place.session_service.create_session(
            app_name=APP, user_id=user, session_id=user
        )
        said = Event(
            author="user", invocation_id="before", content=message("when may I deploy?")
        )
        await place.session_service.append_event(session, said)
        queue = LiveRequestQueue()
        how = RunConfig(response_modalities=["TEXT"])  # type: ignore[list-item]
        live = place.run_live(
            user_id=user, session_id=user, live_request_queue=queue, run_config=how
        )
        async with aclosing(live) as events:
            async for event in events:
                if event.turn_complete:
                    break


@requirement("ADK-05", "ADK-03")
@pytest.mark.filterwarnings("ignore")
def test_with_tools_of_ours_a_wrapper_opens_a_live_connection_with_the_memory_of_its_user(
    hx: Hexad,
) -> None:
    hx.scoped(namespace=f"default/{APP}/dana").knowledge.save(
        "place", "Deploy from the train"
    )
    inner = Telephone.playing([])
    model = ContextAwareModel.wrap(hx, inner)
    done(_called_up(model, adk_tools(hx), "dana", "eve"))
    dana, eve = (instruction(each) for each in inner.requests)
    assert RULE in dana
    assert RULE in eve
    assert ("from the train" in dana, "from the train" in eve) == (True, False)
    assert "session: dana," in dana
