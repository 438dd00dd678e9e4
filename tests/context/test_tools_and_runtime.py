"""The two layers that are not persisted: the agent's tools and the state of its
process.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest

from hexad import (
    ContextRetriever,
    Hexad,
    Layer,
    RuntimeState,
    SessionRuntime,
    Tool,
    ToolRegistry,
)
from hexad.errors import InvalidInput
from hexad.store.volatile import VolatileStore
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def search_flights(origin: str, destination: str) -> list[str]:
    """Find flights between two airports."""
    return [origin, destination]


def book_hotel(city: str) -> str:
    """Reserve a room in a city."""
    return city


class Weather:
    """The weather of tomorrow."""

    def __call__(self, place: str) -> str:
        return place


def names(hx: Hexad, query: str, limit: int | None = None) -> list[str]:
    return [
        item.key
        for item in hx.retrieve(
            query, layers=[Layer.TOOL_REGISTRY], max_per_layer=limit
        ).all()
    ]


@requirement("TOOL-01")
def test_a_registry_lists_all_tools_and_searches_them_in_any_case_by_name_and_description() -> (
    None
):
    registry = ToolRegistry([search_flights, book_hotel])
    assert [tool.name for tool in registry.list_tools()] == [
        "search_flights",
        "book_hotel",
    ]
    assert [tool.name for tool in registry.search_tools("FLIGHTS please", 5)] == [
        "search_flights"
    ]
    assert [tool.name for tool in registry.search_tools("a Room", 5)] == ["book_hotel"]
    assert len(registry.search_tools("room flights", 1)) == 1


@requirement("TOOL-01")
def test_a_fragment_of_a_tools_name_counts() -> None:
    registry = ToolRegistry(
        [search_flights, Tool(name="getUserProfile", description="…")]
    )
    assert [tool.name for tool in registry.search_tools("flig", 5)] == [
        "search_flights"
    ]
    assert [tool.name for tool in registry.search_tools("userprof", 5)] == [
        "getUserProfile"
    ]


@requirement("TOOL-02")
def test_changing_the_callers_list_later_changes_nothing(hx: Hexad) -> None:
    tools: list[Any] = [search_flights]
    rich = hx.with_tool_registry(tools)
    tools.clear()
    tools.append(book_hotel)
    assert names(rich, "flights or a room") == ["search_flights"]


@requirement("TOOL-03", "RUN-05")
def test_without_providers_both_layers_are_empty_without_error(hx: Hexad) -> None:
    found = hx.retrieve("flights", layers=[Layer.TOOL_REGISTRY, Layer.RUNTIME_CONTEXT])
    assert (found.items, found.failures) == ({}, ())


@requirement("TOOL-04")
def test_a_tool_is_found_by_shared_words_though_no_phrase_matches_whole(
    hx: Hexad,
) -> None:
    rich = hx.with_tool_registry([search_flights, book_hotel, Weather()])
    assert (
        names(rich, "could you reserve something nice in the city for me")[0]
        == "book_hotel"
    )
    assert names(rich, "tomorrow's weather") == ["Weather"]


@requirement("TOOL-05")
def test_giving_providers_makes_a_new_engine_and_leaves_the_original_as_it_was(
    hx: Hexad,
) -> None:
    rich = hx.with_tool_registry([search_flights]).with_runtime_context(
        SessionRuntime()
    )
    rich.knowledge.save("shared", "The same store")
    assert hx.knowledge.get("shared").content == "The same store"
    assert hx.retrieve("flights", layers=list(Layer)).items == {}
    assert set(rich.retrieve("flights", layers=list(Layer)).items) == {
        Layer.TOOL_REGISTRY,
        Layer.RUNTIME_CONTEXT,
    }


@requirement("TOOL-05")
def test_the_retriever_by_itself_takes_providers_the_same_way() -> None:
    plain = ContextRetriever(VolatileStore(), 5)
    rich = plain.with_tool_registry([book_hotel]).with_runtime_context(SessionRuntime())
    assert (plain.tools, plain.runtime) == (None, None)
    assert Layer.TOOL_REGISTRY in rich.retrieve("a room", layers=list(Layer)).items


@requirement("TOOL-05")
@pytest.mark.parametrize(
    ("tool", "name", "words"),
    [
        (functools.partial(book_hotel, city="Rome"), "book_hotel", "room"),
        (Weather(), "Weather", "weather"),
        (
            {"name": "ping", "description": "Check a host", "parameters": {"host": {}}},
            "ping",
            "host",
        ),
        (
            {
                "name": "dig",
                "parameters": {"type": "object", "properties": {"zone": {}}},
            },
            "dig",
            "zone",
        ),
        (Tool(name="t", description="Translate a text"), "t", "translate"),
        (lambda text: text, "<lambda>", "text"),
    ],
    ids=["partial", "callable object", "descriptor", "schema", "tool", "lambda"],
)
def test_callables_and_descriptors_of_all_kinds_are_tools(
    hx: Hexad, tool: Any, name: str, words: str
) -> None:
    assert names(hx.with_tool_registry([tool]), words) == [name]


@requirement("TOOL-05")
@pytest.mark.parametrize(
    "tools", [None, 7, "book_hotel", [7], [{"description": "nameless"}], {"name": "x"}]
)
def test_what_is_no_list_of_tools_is_an_error(hx: Hexad, tools: Any) -> None:
    with pytest.raises(InvalidInput, match="tools"):
        hx.with_tool_registry(tools)


@requirement("TOOL-05", "CTX-07")
def test_a_providers_own_answer_is_respected_and_its_order_decides_among_equals(
    hx: Hexad,
) -> None:
    class Provider:
        def list_tools(self) -> Sequence[Tool]:
            return [Tool(name="a"), Tool(name="b"), Tool(name="c")]

        def search_tools(self, query: str, limit: int) -> Sequence[Tool]:
            assert (query, limit) == ("another matter", 2)
            return [Tool(name="c"), Tool(name="a"), Tool(name="b")]

    assert names(hx.with_tool_registry(Provider()), "another matter", 2) == ["c", "a"]


def state(hx: Hexad, **options: Any) -> str:
    (item,) = hx.retrieve(
        "anything at hand", layers=[Layer.RUNTIME_CONTEXT], **options
    ).all()
    assert item.key == "session-state"
    return item.content


@requirement("RUN-01")
def test_the_runtime_item_has_session_channel_tools_and_switches(hx: Hexad) -> None:
    runtime = SessionRuntime(
        active_tools=7, encryption=True, knowledge=True, memory=False
    )
    assert state(hx.with_runtime_context(runtime), session="slack:C42:U7") == (
        "session: slack:C42:U7, channel: slack, active tools: 7, enabled: encryption knowledge"
    )


@requirement("RUN-01", "RUN-06")
def test_a_provider_of_ones_own_answers_every_query(hx: Hexad) -> None:
    class Provider:
        def get_runtime_context(self, session: str | None = None) -> RuntimeState:
            return RuntimeState(
                session=session or "none named", channel="telegram", active_tools=2
            )

    rich = hx.with_runtime_context(Provider())
    assert "session: none named, channel: telegram, active tools: 2" in state(rich)
    assert "session: s1" in state(rich, session="s1")
    with pytest.raises(InvalidInput, match="get_runtime_context"):
        hx.with_runtime_context(object())  # type: ignore[arg-type]


@requirement("RUN-02")
@pytest.mark.parametrize(
    ("session", "channel"),
    [
        ("telegram:1", "telegram"),
        ("discord:a:b", "discord"),
        ("slack:C1", "slack"),
        ("SLACK:C1", "slack"),
        ("web:1", "direct"),
        ("slackish", "direct"),
        ("", "direct"),
    ],
)
def test_the_channel_is_derived_from_the_sessions_prefix(
    session: str, channel: str
) -> None:
    runtime = SessionRuntime()
    assert runtime.get_runtime_context().channel == "direct"
    runtime.set_session(session)
    assert runtime.get_runtime_context() == RuntimeState(
        session=session, channel=channel, knowledge=True, memory=True
    )


@requirement("RUN-03")
def test_a_call_that_names_its_session_sees_that_one_and_others_see_the_one_that_was_set(
    hx: Hexad,
) -> None:
    runtime = SessionRuntime()
    rich = hx.with_runtime_context(runtime)
    runtime.set_session("telegram:1")
    assert "session: telegram:1, channel: telegram" in state(rich)
    assert "session: slack:2, channel: slack" in state(rich, session="slack:2")
    assert "session: discord:3, channel: discord" in state(
        rich.scoped(session="discord:3")
    )
    assert "session: telegram:1" in state(rich)


@requirement("RUN-04")
def test_runtime_context_is_never_persisted(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as hx:
        hx.knowledge.save("a", "something")
        rich = hx.with_runtime_context(SessionRuntime(active_tools=4711))
        rich.prompt("base", "something", layers=list(Layer), session="slack:zebra")
        rich.backup(tmp_path / "b.jsonl")
    for file in tmp_path.iterdir():
        assert b"zebra" not in file.read_bytes()


@requirement("RUN-06")
def test_a_budget_drops_the_runtime_item_last(hx: Hexad) -> None:
    hx.knowledge.save("pinned", "short", pinned=True)
    hx.knowledge.save("match", "deploy deploy deploy")
    rich = hx.with_runtime_context(SessionRuntime())
    found = rich.retrieve("deploy", layers=list(Layer))
    only_runtime = rich.assemble("", found, budget=30)
    assert [item.key for item in only_runtime.kept] == ["session-state"]
