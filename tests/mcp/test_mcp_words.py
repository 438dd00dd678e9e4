"""The messages of the MCP server when something is wrong: which part, what about it,
and what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mcp.shared.exceptions import MCPError

from hexad.errors import InvalidInput
from hexad.mcp.server import server_of
from tests.mcp.mcp_support import MODES, ask, client, in_process, play, refusal
from tests.mcp.test_mcp_stdio import HELLO, READY, Spoken
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hexad import Hexad

both = pytest.mark.parametrize("mode", MODES)


@pytest.fixture
def memory_hx() -> Iterator[Hexad]:
    with opened(":memory:") as engine:
        yield engine


@pytest.fixture
def spoken(tmp_path: Path) -> Iterator[Spoken]:
    server = Spoken(tmp_path / "agent.db")
    try:
        server.say(HELLO)
        server.hear()
        server.say(READY)
        yield server
    finally:
        server.process.kill()
        server.process.communicate()


# --- text that is not JSON --------------------------------------------------------------------------------------------


@requirement("META-01")
@both
@pytest.mark.parametrize("value", ['{"n": ', "[1]", "[" * 50_000], ids=len)
def test_an_argument_that_should_be_an_object_and_is_none_is_named(
    memory_hx: Hexad, mode: str, value: str
) -> None:
    async def scenario() -> str:
        async with in_process(memory_hx, mode=mode) as one:
            return await refusal(one, "run_skill", name="x", parameters=value)

    assert "parameters: should be a valid dictionary" in play(scenario())


@requirement("META-01")
def test_arguments_that_come_as_a_text_of_json_are_taken(memory_hx: Hexad) -> None:
    async def scenario() -> dict[str, Any]:
        async with in_process(memory_hx) as one:
            await ask(
                one, "save_knowledge", key="k", content="[one] thing", tags='["a", "b"]'
            )
            return await ask(one, "search_knowledge", query="thing")

    assert play(scenario())["results"][0]["content"] == "[one] thing"
    assert memory_hx.knowledge.get("k").tags == ("a", "b")


@requirement("META-01")
def test_a_request_that_nobody_knows_or_that_lacks_its_parameters_is_answered(
    spoken: Spoken,
) -> None:
    for line, code, says, request in (
        (
            '{"jsonrpc": "2.0", "id": "x", "method": "tools/fly"}',
            -32601,
            "Method not found",
            "x",
        ),
        (
            '{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {}}',
            -32602,
            "params.name is missing",
            5,
        ),
    ):
        spoken.say("", line)
        answer = spoken.hear()
        assert (answer["id"], answer["error"]["code"]) == (request, code)
        assert says in answer["error"]["message"]


@requirement("KNOW-01", "SKILL-01", "META-01")
@pytest.mark.parametrize("name", ["  ", "a\nb", "\x1b[31mred"])
def test_a_name_that_is_empty_or_holds_control_characters_is_refused(
    memory_hx: Hexad, name: str
) -> None:
    step = {"steps": [{"tool": name}]}
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("save_knowledge", {"key": name, "content": "c"}, "key"),
        ("save_knowledge", {"key": "k", "content": "c", "tags": [name]}, "tags"),
        ("save_learning", {"trigger": name, "error_pattern": "e"}, "trigger"),
        (
            "create_skill",
            {
                "name": name,
                "kind": "instruction",
                "description": "d",
                "definition": {"text": "t"},
            },
            "name",
        ),
        (
            "create_skill",
            {"name": "n", "kind": "composite", "description": "d", "definition": step},
            "steps.0.tool",
        ),
        ("run_skill", {"name": name}, "name"),
        ("report_tool_result", {"tool": name, "error": "e"}, "tool"),
        (
            "get_context",
            {"message": "m", "tools": [{"name": name, "description": "d"}]},
            "tools.0.name",
        ),
    ]

    async def scenario() -> None:
        async with in_process(memory_hx) as one:
            for tool, given, field in calls:
                sentence = await refusal(one, tool, **given)
                assert sentence.partition(":")[0].endswith(field)
                assert "must" in sentence
                assert sentence.isprintable()

    play(scenario())
    assert list(memory_hx.knowledge.list()) == []


@requirement("SKILL-04")
def test_a_tool_for_skills_without_a_proper_name_is_refused(memory_hx: Hexad) -> None:
    def tool() -> None:
        """Do nothing."""

    tool.__name__ = "a\x07b"
    with pytest.raises(
        InvalidInput, match="tools: must be one line without control characters"
    ):
        server_of(memory_hx, tools=[tool])


# --- errors that say what to do -------------------------------------------------------------------------------------


@requirement("KNOW-01")
@both
@pytest.mark.parametrize(
    ("uri", "says"),
    [
        ("hexad://knowledge/none", "search_knowledge finds those that exist"),
        ("hexad://skill/none", "list_skills names those that exist"),
        ("hexad://learning/none", "search_learnings finds those that exist"),
        ("hexad://attic/box", "hexad://attic/box"),
        ("hexad://knowledge/a%00b", "holds NUL"),
    ],
)
def test_a_resource_that_is_not_there_says_where_to_look(
    memory_hx: Hexad, mode: str, uri: str, says: str
) -> None:
    async def scenario() -> MCPError:
        async with in_process(memory_hx, mode=mode) as one:
            with pytest.raises(MCPError) as refused:
                await one.read_resource(uri)
            return refused.value

    error = play(scenario())
    assert says in str(error)
    assert error.code == -32602


@requirement("LIMIT-01")
@both
def test_a_limit_that_is_reached_says_what_an_agent_can_do(mode: str) -> None:
    async def scenario(hx: Hexad) -> list[str]:
        skill = {"kind": "instruction", "description": "d", "definition": {"text": "t"}}
        async with in_process(hx, mode=mode) as one:
            await ask(one, "save_knowledge", key="a", content="first")
            await ask(one, "create_skill", name="a", **skill)
            return [
                await refusal(one, "save_knowledge", key="b", content="second"),
                await refusal(one, "create_skill", name="b", **skill),
            ]

    with opened(":memory:", max_knowledge=1, max_skills_per_day=1) as hx:
        session, daily = play(scenario(hx))
    assert "limit of 1 (max_knowledge=1)" in session
    assert "tell the user: a new session has room again" in session
    assert "mcp:" not in session
    assert "max_skills_per_day=1" in daily


@requirement("META-01")
@both
def test_a_store_that_is_gone_is_a_sentence_for_resources_too(
    tmp_path: Path, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    hx = opened(tmp_path / "agent.db")
    server = server_of(hx)
    hx.close()

    async def scenario() -> list[str]:
        said = []
        async with client(server, mode=mode) as one:
            for read_one in (
                one.list_resources,
                lambda: one.read_resource("hexad://knowledge/a"),
            ):
                with pytest.raises(MCPError) as refused:
                    await read_one()
                said.append(str(refused.value))
        return said

    for sentence in play(scenario()):
        assert "closed" in sentence
    assert [record for record in caplog.records if record.exc_info] == []
