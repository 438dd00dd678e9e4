"""`HexadPlugin`: one line for an existing agent; learning once from each call; users
apart from each other.
"""

from __future__ import annotations

import asyncio
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.models.registry import LLMRegistry
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.plugins.reflect_retry_tool_plugin import ReflectAndRetryToolPlugin
from google.adk.tools import ToolContext  # noqa: TC002 - ADK reads the annotation
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.long_running_tool import LongRunningFunctionTool
from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams
from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
from google.genai import types
from mcp import StdioServerParameters
from pydantic import BaseModel

from hexad import Hexad
from hexad.adapters.adk import (
    ContextAwareModel,
    Conversation,
    HexadPlugin,
    adk_tools,
    per_app,
    shared,
)
from hexad.agent_tools import NAMES
from hexad_testing.scripted_model import Call, ScriptedModel
from tests.adk.adk_support import (
    APP,
    USER,
    agent,
    context,
    done,
    echo,
    parts_of,
    runner,
    said,
    talk,
    warnings,
)
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OWN = f"default/{APP}/{USER}"
RULE = "Deploy on Tuesdays and Thursdays only"


@pytest.fixture
def hx(tmp_path: Path) -> Iterator[Hexad]:
    with opened(tmp_path / "agent.db") as engine:
        engine.knowledge.save("deploy-window", RULE, category="rule")
        yield engine


def book(day: str) -> str:
    """Book a room for a day."""
    if "/" in day:
        raise ValueError(f"cannot read the day {day!r}")
    return f"a room on {day}"


def calls(hx: Hexad) -> list[tuple[str, str, bool]]:
    """The recorded calls: session, tool, whether it worked."""
    return [
        (record.session, record.target, bool(record.details["ok"]))
        for record in hx.audit.records()
        if record.action == "tool.call"
    ]


def working(*days: str) -> ScriptedModel:
    """A model that books these days, and then says so."""
    return ScriptedModel.playing(working_script(*days))


def working_script(*days: str) -> list[Any]:
    return [*(Call("book", {"day": day}) for day in days), "Booked."]


class Forgiving(BasePlugin):
    """Turns a tool's error into a result that looks like a success."""

    async def on_tool_error_callback(self, **_: Any) -> dict[str, Any]:
        return {"result": "let us say it worked"}


# everything, in one line


@requirement("ADK-09", "META-01")
def test_one_line_gives_an_agent_context_tools_runtime_and_learning(hx: Hexad) -> None:
    inner = ScriptedModel.playing(
        [
            Call(
                "save_knowledge",
                {
                    "key": "room",
                    "content": "Prefers a quiet room",
                    "category": "preference",
                },
            ),
            "Noted.",
            Call("book", {"day": "31/01/2026"}),
            Call("book", {"day": "2026-01-31"}),
            "Booked.",
            "Yes.",
        ]
    )
    place = runner(agent(inner, [book]), [HexadPlugin(hx), Forgiving("forgiving")])

    async def conversations() -> None:
        await said(
            place,
            "I like quiet rooms, remember that",
            "Book a room for the 31st",
            session="slack:C1",
        )
        await said(place, "Book a quiet room for tomorrow", session="slack:C2")

    done(conversations())
    last = context(inner.requests[-1])
    assert "Prefers a quiet room" in last
    assert "session: slack:C2, channel: slack, active tools: 11" in last
    assert "`day` as YYYY-MM-DD, not as DD/MM/YYYY" in last
    assert set(NAMES) <= set(inner.requests[0].tools_dict)
    own = hx.scoped(namespace=OWN)
    assert own.knowledge.get("room").origin == "user"
    assert calls(own) == [
        ("slack:C1", "save_knowledge", True),
        ("slack:C1", "book", False),
        ("slack:C1", "book", True),
    ]


@requirement("ADK-04")
def test_the_block_of_a_turn_is_looked_up_once_and_the_same_at_every_call_of_the_model(
    hx: Hexad,
) -> None:
    rule = Call(
        "save_knowledge",
        {"key": "room", "content": "Book quiet rooms", "category": "rule"},
    )
    inner = ScriptedModel.playing([rule, "Noted.", rule, "Booked."])
    own = hx.scoped(namespace=OWN)
    own.knowledge.save("hall", "Book the small room")
    talk(runner(agent(inner), [HexadPlugin(hx)]), "Book a room", "Book a room")
    first, second, third, fourth = map(context, inner.requests)
    assert first == second != third == fourth
    assert ["Book quiet rooms" in each for each in (first, third)] == [False, True]
    hx.close()  # uses are written
    with Hexad.open(
        hx.store.location, enabled=True, namespace=OWN, semantic=False
    ) as again:
        assert again.knowledge.get("hall").use_count == 2


@requirement("ADK-09")
def test_the_fifteen_lines_of_the_documents_are_fifteen_and_learn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "adk.md").read_text(encoding="utf-8")
    program = page.partition("```py\n")[2].partition("```")[0]
    model = ScriptedModel.playing(
        [*working_script("31/01/2026", "2026-01-31"), *working_script("2026-01-31")]
    )
    monkeypatch.setattr(
        LLMRegistry, "new_llm", lambda name: {"gemini-2.5-flash": model}[name]
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    runpy.run_path("program.py", run_name="__main__")["hx"].close()
    assert len([line for line in program.splitlines() if line.strip()]) <= 15
    assert "`day` as YYYY-MM-DD, not as DD/MM/YYYY" in capsys.readouterr().out


@requirement("ADK-07", "CONF-01")
def test_with_the_engine_off_request_and_tools_are_as_without_the_plugin(
    tmp_path: Path,
) -> None:
    off = Hexad.open(tmp_path / "agent.db")
    with_it, without = working("2026-01-31"), working("2026-01-31")
    seen: list[Any] = []

    class Looking(BasePlugin):
        async def before_model_callback(self, *, llm_request: Any, **_: Any) -> None:
            seen.append((llm_request, llm_request.config, llm_request.contents))

    plugins = [HexadPlugin(off), Looking("looking")]
    talk(
        runner(
            agent(
                ContextAwareModel.wrap(off, with_it),
                [hx_watched(off, book), *adk_tools(off)],
            ),
            plugins,
        ),
        "Book",
    )
    talk(runner(agent(without, [book])), "Book")
    for (asked, config, contents), got in zip(seen, with_it.requests, strict=True):
        assert got is asked
        assert got.config is config
        assert got.contents is contents
    assert [set(each.tools_dict) for each in with_it.requests] == [
        set(each.tools_dict) for each in without.requests
    ]
    assert [context(each) for each in with_it.requests] == [
        context(each) for each in without.requests
    ]
    assert not list(tmp_path.iterdir())


def hx_watched(hx: Hexad, tool: Callable[..., Any]) -> Callable[..., Any]:
    watched = hx.watch(tool)
    assert watched is tool
    return watched


# whose memory


def _speaking(hx: Hexad, **how: Any) -> ScriptedModel:
    """Dana says something, Eve asks for it."""
    inner = ScriptedModel.playing(
        [
            Call(
                "save_knowledge",
                {"key": "salary", "content": "The deploy team earns 100"},
            ),
            "Noted.",
            "Yes.",
        ]
    )
    place = runner(agent(inner), [HexadPlugin(hx, **how)])

    async def both() -> None:
        await said(place, "Remember what the deploy team earns", user="dana")
        await said(place, "What does the deploy team earn?", user="eve", session="s2")

    done(both())
    return inner


@requirement("STORE-06", "ADK-03")
def test_users_of_one_app_do_not_see_each_others_memory(hx: Hexad) -> None:
    inner = _speaking(hx)
    assert "earns 100" not in str(inner.requests[-1].model_dump())
    assert RULE in context(
        inner.requests[-1]
    )  # what the engine itself holds is for all


@requirement("STORE-06")
@pytest.mark.parametrize("rule", [per_app, shared, lambda conversation: "team"])
def test_asked_to_share_they_do(hx: Hexad, rule: Any) -> None:
    assert "earns 100" in context(_speaking(hx, namespace=rule).requests[-1])


@requirement("STORE-06")
def test_no_two_users_share_a_namespace_with_any_names() -> None:
    from hexad.adapters.adk import per_user

    names = [
        "a/b",
        "a",
        "b",
        "a%2Fb",
        "",
        "x" * 500,
        "x" * 501,
        "sk-proj-" + "a1B2" * 12,
        "한국",
        "\ud800",
        "#",
        "%",
    ]
    spaces = [per_user(Conversation(app, user, "s")) for app in names for user in names]
    assert len(set(spaces)) == len(spaces)
    for space in spaces:
        with opened(":memory:") as engine:
            assert (
                engine.scoped(namespace=f"default/{space}").namespace
                == f"default/{space}"
            )


@requirement("ADK-06")
def test_a_rule_that_fails_costs_the_context_and_not_the_answer(
    hx: Hexad, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: Conversation) -> str:
        raise KeyError("no such tenant")

    events = talk(
        runner(
            agent(working("2026-01-31"), [book]), [HexadPlugin(hx, namespace=broken)]
        ),
        "Book to deploy",
    )
    assert parts_of(events[-1]) == ["Booked."]
    assert all("KeyError: 'no such tenant'" in each for each in warnings(caplog))


@requirement("STORE-06", "ADK-09")
@pytest.mark.parametrize("rule", [per_app, shared])
def test_two_users_sessions_of_one_id_are_two_and_no_fix_is_learned_across_them(
    hx: Hexad, rule: Any
) -> None:
    inner = ScriptedModel.playing(
        [*working_script("31/01/2026"), *working_script("2026-01-31")]
    )
    place = runner(
        agent(inner, [book]), [HexadPlugin(hx, namespace=rule), Forgiving("forgiving")]
    )

    async def both() -> None:
        await said(place, "Book a room", user="dana", session="slack:C1")
        await said(place, "Book a room", user="eve", session="slack:C1")

    done(both())
    engine = hx.scoped(namespace=f"default/{APP}") if rule is per_app else hx
    sessions = [session for session, _, _ in calls(engine)]
    assert sessions == [f"slack:C1@{APP}/dana", f"slack:C1@{APP}/eve"]
    (learning,) = engine.learnings.list(noticed=True)
    assert not learning.says
    assert "channel: slack" in context(inner.requests[-1])


# learning, once


@requirement("ADK-09")
def test_an_error_that_something_turns_into_a_result_is_still_an_error_and_counted_once(
    hx: Hexad,
) -> None:
    place = runner(
        agent(working("31/01/2026"), [book]), [HexadPlugin(hx), Forgiving("forgiving")]
    )
    events = talk(place, "Book a room")
    assert ("answer", "book", {"result": "let us say it worked"}) in [
        each for event in events for each in parts_of(event)
    ]
    own = hx.scoped(namespace=OWN)
    assert calls(own) == [("s1", "book", False)]
    (learning,) = own.learnings.list(noticed=True)
    assert (learning.seen, learning.error_pattern) == (
        1,
        "ValueError: cannot read the day <value>",
    )


@requirement("ADK-09", "ADK-04")
def test_two_plugins_of_one_engine_record_and_tell_once(hx: Hexad) -> None:
    inner = working("31/01/2026", "2026-01-31")
    plugins = [HexadPlugin(hx), HexadPlugin(hx, name="again"), Forgiving("forgiving")]
    talk(runner(agent(inner, [book]), plugins), "Book a room, when may I deploy?")
    assert calls(hx.scoped(namespace=OWN)) == [
        ("s1", "book", False),
        ("s1", "book", True),
    ]
    assert context(inner.requests[0]).count(RULE) == 1


@requirement("ADK-09")
def test_an_error_that_nobody_catches_is_learned_from_and_reaches_the_caller(
    hx: Hexad,
) -> None:
    with pytest.raises(ValueError, match="cannot read the day"):
        talk(
            runner(agent(working("31/01/2026"), [book]), [HexadPlugin(hx)]),
            "Book a room",
        )
    assert calls(hx.scoped(namespace=OWN)) == [("s1", "book", False)]


@requirement("ADK-09")
def test_a_result_that_reports_a_failure_and_missing_arguments_are_failures(
    hx: Hexad,
) -> None:
    def report() -> dict[str, Any]:
        """Report."""
        return {"status": "error", "error": "the printer is on fire"}

    inner = ScriptedModel.playing([Call("report"), Call("book", {}), "So."])
    talk(runner(agent(inner, [report, book]), [HexadPlugin(hx)]), "Report")
    assert calls(hx.scoped(namespace=OWN)) == [
        ("s1", "report", False),
        ("s1", "book", False),
    ]


def _watched(hx: Hexad, kind: str) -> Any:
    kinds = {
        "plain function": lambda: hx.watch(book),
        "function": lambda: FunctionTool(hx.watch(book)),
        "tool": lambda: hx.watch(FunctionTool(book)),
    }
    return kinds[kind]()


WATCHED = pytest.mark.parametrize("kind", ["plain function", "function", "tool"])


@requirement("ADK-09")
@WATCHED
def test_a_watched_tool_beside_the_plugin_is_written_down_once_in_its_conversation(
    hx: Hexad, kind: str
) -> None:
    place = runner(
        agent(working("2026-01-31"), [_watched(hx, kind)]), [HexadPlugin(hx)]
    )
    talk(place, "Book a room", session="slack:C1")
    assert calls(hx.scoped(namespace=OWN)) == [("slack:C1", "book", True)]
    assert not calls(hx)


@requirement("ADK-09", "STORE-06")
@WATCHED
def test_a_watched_tools_error_is_shown_to_nobody_else(hx: Hexad, kind: str) -> None:
    inner = ScriptedModel.playing(
        [
            Call("book", {"day": "31/01/2026"}),
            Call("book", {"day": "2026-01-31"}),
            "So.",
            "So.",
        ]
    )
    place = runner(
        agent(inner, [_watched(hx, kind)]), [HexadPlugin(hx), Forgiving("forgiving")]
    )

    async def both() -> None:
        await said(place, "Book a room", session="s1")
        await said(place, "Book a room", user="eve", session="s2")

    done(both())
    assert not hx.learnings.list(noticed=True)
    assert len(hx.scoped(namespace=OWN).learnings.list(noticed=True)) == 1
    assert "cannot read the day" not in context(inner.requests[-1])


@requirement("ADK-09")
def test_a_watch_in_a_namespace_of_its_own_stays_there(hx: Hexad) -> None:
    team = hx.scoped(namespace="team")
    talk(
        runner(
            agent(working("2026-01-31"), [team.watch(FunctionTool(book))]),
            [HexadPlugin(hx)],
        ),
        "Book a room",
    )
    assert calls(team) == [("s1", "book", True)]
    assert not calls(hx)
    assert not calls(hx.scoped(namespace=OWN))


@requirement("ADK-09")
def test_after_a_run_a_watched_function_is_the_engines_again(hx: Hexad) -> None:
    watched = hx.watch(book)

    async def one_task() -> None:
        await said(
            runner(agent(working("2026-01-31"), [watched]), [HexadPlugin(hx)]),
            "Book a room",
        )
        watched("2026-02-01")

    done(one_task())
    assert calls(hx) == [("", "book", True)]


@requirement("ADK-09")
@pytest.mark.parametrize("way", ["plugin", "watch"])
def test_a_cancelled_tool_is_not_learned_from(hx: Hexad, way: str) -> None:
    started = asyncio.Event()

    async def wait() -> str:
        """Wait for ever."""
        started.set()
        await asyncio.Event().wait()
        return "never"

    tool = hx.watch(FunctionTool(wait)) if way == "watch" else wait
    plugins = [HexadPlugin(hx)] if way == "plugin" else []
    place = runner(agent(ScriptedModel.playing([Call("wait"), "So."]), [tool]), plugins)

    async def cancelled() -> None:
        task = asyncio.create_task(said(place, "Wait"))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    done(cancelled())
    for engine in (hx, hx.scoped(namespace=OWN)):
        assert not calls(engine)
        assert not engine.learnings.list()
        assert engine.audit.verify().ok


@requirement("ADK-09")
def test_a_tool_that_the_model_made_up_teaches_nothing(hx: Hexad) -> None:
    talk(
        runner(
            agent(ScriptedModel.playing([Call("no_such_tool"), "So."]), [book]),
            [HexadPlugin(hx)],
        ),
        "Book a room",
    )
    assert not calls(hx.scoped(namespace=OWN))


@requirement("ADK-09")
def test_a_call_that_waits_for_a_persons_word_is_no_failure(hx: Hexad) -> None:
    tool = FunctionTool(book, require_confirmation=True)
    talk(runner(agent(working("2026-01-31"), [tool]), [HexadPlugin(hx)]), "Book a room")
    assert not calls(hx.scoped(namespace=OWN))


@requirement("ADK-09", "LEARN-07")
def test_what_a_prompt_showed_is_credited_in_a_session_that_met_the_error_and_in_no_other(
    hx: Hexad,
) -> None:
    for number in range(4):
        place = runner(
            agent(working(f"0{number + 1}/02/2026", f"2026-02-0{number + 1}"), [book]),
            [HexadPlugin(hx), Forgiving("f")],
        )
        talk(place, "Book a room", session=f"chat:{number}")
    own = hx.scoped(namespace=OWN)
    (before,) = own.learnings.list()
    assert (before.unaided, before.worked, before.failed) == (1, 3, 0)
    inner = working("2026-03-01")
    talk(
        runner(agent(inner, [book]), [HexadPlugin(hx)]), "Book a room", session="chat:9"
    )
    assert "`day` as YYYY-MM-DD" in context(inner.requests[0])
    (after,) = own.learnings.list()
    assert (after.worked, after.trust) == (before.worked, before.trust)


# tools of every kind


@requirement("ADK-09", "LEARN-10")
def test_a_watched_function_tool_is_the_same_tool(hx: Hexad) -> None:
    tool = FunctionTool(book)
    watched = hx.watch(tool)
    assert isinstance(watched, FunctionTool)
    assert type(watched).__name__ == "FunctionTool"
    assert (watched.name, watched.description) == (tool.name, tool.description)
    assert watched._get_declaration() == tool._get_declaration()
    assert hx.watch(watched) is watched
    talk(
        runner(agent(working("2026-01-31"), [watched])),
        "Book a room",
        session="slack:C1",
    )
    assert calls(hx) == [("slack:C1", "book", True)]
    with pytest.raises(ValueError, match="cannot read the day"):
        talk(runner(agent(working("31/01/2026"), [watched])), "Book a room")
    assert calls(hx)[1:] == [("s1", "book", False)]


@requirement("ADK-09")
def test_a_watched_tool_can_advise(hx: Hexad) -> None:
    hx.learnings.correct(
        trigger="tool:book",
        error_pattern="cannot read the day",
        fix="write days as YYYY-MM-DD",
    )
    place = runner(
        agent(working("31/01/2026"), [hx.watch(FunctionTool(book), advise=True)])
    )
    with pytest.raises(
        ValueError, match="From memory: A person says: write days as YYYY-MM-DD"
    ):
        talk(place, "Book a room")


def _long_running(
    hx: Hexad, way: str, first: dict[str, Any], *later: dict[str, Any]
) -> list[tuple[str, str, bool]]:
    """A long-running tool begins; what is known later comes back as messages."""

    def order(what: str) -> dict[str, Any]:
        """Order something."""
        return first

    tool: Any = LongRunningFunctionTool(order)
    tool = hx.watch(tool) if way == "watch" else tool
    inner = ScriptedModel.playing(
        [Call("order", {"what": "a chair"}), "It is under way.", *["So."] * len(later)]
    )
    place = runner(agent(inner, [tool]), [HexadPlugin(hx)] if way == "plugin" else [])

    async def conversation() -> None:
        events = await said(place, "Order a chair")
        (call,) = [each for event in events for each in event.get_function_calls()]
        for result in later:
            await said(place, _answer(call.id, "order", result))

    done(conversation())
    return [*calls(hx), *calls(hx.scoped(namespace=OWN))]


def _answer(id: str | None, name: str, result: dict[str, Any]) -> types.Content:
    answer = types.FunctionResponse(id=id, name=name, response=result)
    return types.Content(role="user", parts=[types.Part(function_response=answer)])


PENDING = {"status": "pending", "ticket": 7}


@requirement("ADK-09")
@pytest.mark.parametrize("way", ["plugin", "watch"])
def test_a_long_running_tool_has_no_outcome_unless_it_fails_at_once(
    hx: Hexad, way: str
) -> None:
    assert not _long_running(hx, way, PENDING, {"status": "done"})
    assert not _long_running(hx, way, {"ticket": 7}, {"error": "sold out"})
    assert _long_running(hx, way, {"error": "no such thing"}) == [
        ("s1", "order", False)
    ]


@requirement("ADK-09")
@pytest.mark.parametrize("confirmed", [True, False])
def test_what_a_person_is_asked_by_adk_is_no_call_of_a_tool(
    hx: Hexad, confirmed: bool
) -> None:
    inner = ScriptedModel.playing(
        [Call("book", {"day": "2026-01-31"}), "May I?", "Booked.", "So."]
    )
    place = runner(
        agent(inner, [FunctionTool(book, require_confirmation=True)]), [HexadPlugin(hx)]
    )

    async def conversation() -> None:
        events = await said(place, "Book a room")
        asked = [
            call
            for event in events
            for call in event.get_function_calls()
            if call.name.startswith("adk_")
        ]
        await said(
            place,
            _answer(asked[0].id, "adk_request_confirmation", {"confirmed": confirmed}),
        )

    done(conversation())
    assert calls(hx.scoped(namespace=OWN)) == [("s1", "book", True)] * confirmed


@requirement("ADK-09", "SKILL-10")
def test_what_adk_calls_for_itself_is_no_call_of_a_tool_and_no_step_of_a_skill(
    hx: Hexad,
) -> None:
    own = hx.scoped(namespace=OWN)
    for number in range(4):
        second = LlmAgent(
            name="second",
            description="Books.",
            model=working(f"2026-01-0{number + 1}"),
            tools=[book],
        )
        inner = ScriptedModel.playing(
            [Call("transfer_to_agent", {"agent_name": "second"})]
        )
        talk(
            runner(agent(inner, sub_agents=[second]), [HexadPlugin(hx)]),
            "Book a room",
            session=f"s{number}",
        )
    shaped = ScriptedModel.playing([Call("set_model_response", {"answer": "yes"})])
    talk(
        runner(agent(shaped, [book], output_schema=Shape), [HexadPlugin(hx)]),
        "May I deploy?",
    )
    assert {tool for _, tool, _ in calls(own)} == {"book"}
    assert not own.skills.discover()


@requirement("ADK-09")
@pytest.mark.parametrize("place", [0, 1])
def test_an_error_that_adks_retry_plugin_answers_for_is_a_failure_wherever_that_stands(
    hx: Hexad, place: int
) -> None:
    plugins: list[BasePlugin] = [ReflectAndRetryToolPlugin()]
    plugins.insert(place, HexadPlugin(hx))
    talk(
        runner(agent(working("31/01/2026", "2026-01-31"), [book]), plugins),
        "Book a room",
    )
    own = hx.scoped(namespace=OWN)
    assert calls(own) == [("s1", "book", False), ("s1", "book", True)]
    (learning,) = own.learnings.list(noticed=True)
    assert learning.error_pattern == "ValueError: cannot read the day <value>"


_SERVER = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("rooms")

@server.tool()
def book(day: str) -> str:
    "Book a room for a day."
    if "/" in day:
        raise ValueError(f"cannot read the day {day!r}")
    return f"a room on {day}"

server.run("stdio")
"""


@requirement("ADK-09")
@pytest.mark.parametrize("way", ["plugin", "watch"])
def test_the_tools_of_an_mcp_server_are_learned_from(
    hx: Hexad, tmp_path: Path, way: str
) -> None:
    script = tmp_path / "server.py"
    script.write_text(_SERVER, encoding="utf-8")
    command = StdioServerParameters(command=sys.executable, args=[str(script)])
    tools: Any = McpToolset(
        connection_params=StdioConnectionParams(server_params=command, timeout=600),
        tool_name_prefix="rooms",
    )
    toolset = hx.watch(tools) if way == "watch" else tools
    assert isinstance(toolset, McpToolset)
    inner = ScriptedModel.playing(
        [
            Call("rooms_book", {"day": "31/01/2026"}),
            Call("rooms_book", {"day": "2026-01-31"}),
            "Booked.",
        ]
    )
    place = runner(
        agent(inner, [toolset]), [HexadPlugin(hx)] if way == "plugin" else []
    )

    async def conversation() -> None:
        await said(place, "Book a room")
        await place.close()

    done(conversation())
    recorded = [*calls(hx), *calls(hx.scoped(namespace=OWN))]
    assert recorded == [("s1", "rooms_book", False), ("s1", "rooms_book", True)]


# where our tools do not belong


class Shape(BaseModel):
    """The form of an answer."""

    answer: str


@requirement("META-01")
def test_an_agent_with_an_answers_schema_gets_no_tools_of_ours(hx: Hexad) -> None:
    inner = ScriptedModel.playing(['{"answer": "yes"}'])
    talk(runner(agent(inner, output_schema=Shape), [HexadPlugin(hx)]), "May I deploy?")
    assert not inner.requests[0].tools_dict
    assert RULE in context(inner.requests[0])


@requirement("META-01")
def test_the_agents_own_tool_of_a_name_stays_and_ours_can_be_left_out(
    hx: Hexad,
) -> None:
    def list_skills() -> str:
        """List what I can."""
        return "swimming"

    inner = ScriptedModel.playing([Call("list_skills"), "So."])
    events = talk(
        runner(agent(inner, [list_skills]), [HexadPlugin(hx)]), "May I deploy?"
    )
    assert ("answer", "list_skills", {"result": "swimming"}) in [
        each for event in events for each in parts_of(event)
    ]
    bare = echo()
    talk(runner(agent(bare), [HexadPlugin(hx, tools=False)]), "May I deploy?")
    assert not bare.requests[0].tools_dict


@requirement("META-01")
def test_tools_that_use_the_context_of_adk_still_get_it(hx: Hexad) -> None:
    def who(tool_context: ToolContext) -> str:
        """Say who asks."""
        return tool_context.user_id

    events = talk(
        runner(
            agent(
                ScriptedModel.playing([Call("who"), "So."]),
                [hx.watch(FunctionTool(who))],
            )
        ),
        "Who am I?",
    )
    assert ("answer", "who", {"result": USER}) in [
        each for event in events for each in parts_of(event)
    ]
