"""The tools of an agent: they check what they get, answer with a status, are audited,
and raise nothing.
"""

from __future__ import annotations

import inspect
import json
import logging
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import pytest
from google.adk.events.event import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools import load_memory, preload_memory
from hypothesis import given, settings
from hypothesis import strategies as st

from hexad import Hexad
from hexad.adapters.adk import HexadMemoryService, HexadPlugin, adk_tools, per_app
from hexad.agent_tools import NAMES, agent_tools
from hexad.agents.agent import AgentMemory
from hexad.calls.arguments import OWN_TOOLS
from hexad.errors import InvalidInput
from hexad.extras import install_command
from hexad.model import Category, ErrorCategory, Origin, SkillKind
from hexad_testing.faulty_store import FaultyStore, over
from hexad_testing.scripted_model import Call, ScriptedModel
from tests.adk.adk_support import (
    APP,
    USER,
    agent,
    done,
    echo,
    message,
    parts_of,
    runner,
    said,
    talk,
    warnings,
)
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from google.adk.sessions.session import Session


def tools(hx: Hexad, **more: Any) -> dict[str, Callable[..., dict[str, Any]]]:
    return {tool.__name__: tool for tool in agent_tools(hx, **more)}


# META-01


@requirement("META-01", "EDGE-01")
def test_in_an_adapter_a_tool_takes_an_argument_of_any_name(hx: Hexad) -> None:
    create = next(
        each for each in AgentMemory(hx).tools() if each.__name__ == "create_skill"
    )
    assert (
        create(
            name="greet",
            kind="instruction",
            description="Greet",
            definition={"text": "Wave"},
        )["status"]
        == "ok"
    )


@requirement("META-01")
def test_they_have_the_names_that_the_log_treats_as_its_own(hx: Hexad) -> None:
    assert tuple(tools(hx)) == NAMES
    assert set(NAMES) == OWN_TOOLS


@requirement("META-01")
def test_what_they_save_has_the_origin_agent_and_the_engines_session(hx: Hexad) -> None:
    mine = tools(hx.scoped(session="chat:1"))
    mine["save_knowledge"](
        "seat", "An aisle seat", category="preference", tags=["flight"], subject="dana"
    )
    learned = mine["save_learning"](
        "tool:book", "no such day", diagnosis="a typo", fix="look at a calendar"
    )
    mine["create_skill"](
        "greet", "instruction", "Greet somebody", {"text": "Say hello"}, tags=["hello"]
    )
    saved = [
        hx.knowledge.get("seat"),
        hx.learnings.get(learned["id"]),
        hx.skills.get("greet"),
    ]
    assert {(each.origin, each.session) for each in saved} == {(Origin.AGENT, "chat:1")}
    assert (hx.knowledge.get("seat").subject, hx.skills.get("greet").author) == (
        "dana",
        "agent",
    )
    assert hx.skills.get("greet").status == "draft"


@requirement("META-01")
def test_they_find_what_is_there(hx: Hexad) -> None:
    hx.knowledge.save("seat", "Prefers an aisle seat", category="preference")
    hx.knowledge.save("seat-rule", "A seat needs a ticket", category="rule")
    hx.learnings.save(
        trigger="tool:book", error_pattern="no such day", fix="look at a calendar"
    )
    mine = tools(hx)
    found = mine["search_knowledge"]("which seat?", category="preference")
    assert (found["status"], found["count"]) == ("ok", 1)
    assert found["results"][0] | {"score": 0} == {
        "key": "seat",
        "content": "Prefers an aisle seat",
        "category": "preference",
        "origin": "user",
        "score": 0,
    }
    assert mine["search_knowledge"]("seat", limit=1)["count"] == 1
    assert (
        "look at a calendar"
        in mine["search_learnings"]("book: no such day")["results"][0]["content"]
    )
    assert mine["search_knowledge"]("zebra") == {
        "status": "ok",
        "count": 0,
        "results": [],
    }


@requirement("META-01")
def test_only_active_skills_are_listed_each_with_its_tool(hx: Hexad) -> None:
    mine = tools(hx)
    mine["create_skill"](
        "greet", "instruction", "Greet somebody", {"text": "Say hello"}
    )
    assert mine["list_skills"]() == {"status": "ok", "count": 0, "skills": []}
    hx.skills.activate("greet")
    (listed,) = mine["list_skills"]()["skills"]
    assert (listed["name"], listed["tool"], listed["kind"]) == (
        "greet",
        "skill_greet",
        "instruction",
    )
    for name in ("say-bye", "say bye"):
        mine["create_skill"](name, "instruction", "Take leave", {"text": "Say goodbye"})
        hx.skills.activate(name)
    shown = {each["tool"]: each["name"] for each in mine["list_skills"]()["skills"]}
    assert list(shown) == [tool.__name__ for tool in hx.skills.as_tools()]
    assert shown["skill_say_bye"] == "say-bye"


@requirement("META-01")
@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("save_knowledge", {"key": "\n", "content": "x"}, "key: must not be empty"),
        ("update_knowledge", {"key": "k", "content": "x"}, "no knowledge 'k'"),
        ("delete_knowledge", {"key": "k"}, "no knowledge 'k'"),
        ("pin_knowledge", {"key": "k"}, "no knowledge 'k'"),
        ("list_knowledge", {"limit": 0}, "limit: must be from 1"),
        (
            "save_knowledge",
            {"key": "k", "content": "x", "category": "rumour"},
            "is not one of rule, definition",
        ),
        ("save_knowledge", {"key": "k", "content": "nul \0"}, "NUL"),
        (
            "save_knowledge",
            {"key": "k", "content": "x" * 300_000},
            "split it into several entries",
        ),
        ("save_knowledge", {"key": "k"}, "content: must not be empty"),
        (
            "update_knowledge",
            {"key": "k"},
            "missing 1 required positional argument: 'content'",
        ),
        (
            "save_knowledge",
            {"key": "k", "content": "x", "colour": "red"},
            "unexpected keyword argument 'colour'",
        ),
        (
            "save_knowledge",
            {"key": "k", "content": 7},
            "content: must be text, not int",
        ),
        ("search_knowledge", {"query": "x", "limit": 0}, "limit: must be from 1"),
        ("search_knowledge", {"query": "x", "category": "rumour"}, "is not one of"),
        (
            "save_learning",
            {"trigger": "", "error_pattern": "x"},
            "trigger: must not be empty",
        ),
        (
            "save_learning",
            {"trigger": "t", "error_pattern": "x", "category": "rumour"},
            "is not one of timeout",
        ),
        ("search_learnings", {"query": "x", "limit": "many"}, "limit"),
        (
            "create_skill",
            {"name": "s", "kind": "dance", "description": "d", "definition": {}},
            "is not one of composite",
        ),
        (
            "create_skill",
            {"name": "s", "kind": "template", "description": "", "definition": {}},
            "description",
        ),
        ("list_skills", {"all": True}, "unexpected keyword argument 'all'"),
    ],
)
def test_wrong_input_is_an_answer_that_says_what_is_wrong(
    hx: Hexad, tool: str, arguments: dict[str, Any], says: str
) -> None:
    answer = tools(hx)[tool](**arguments)
    assert answer["status"] == "error"
    assert says in answer["error"]
    assert not hx.knowledge.list()


@requirement("META-01", "LEARN-01")
def test_every_call_is_audited_with_names_and_sizes_alone(hx: Hexad) -> None:
    mine = tools(hx)
    mine["save_knowledge"]("seat", "An aisle seat, and this is private")
    mine["search_knowledge"]("private seat")
    mine["list_skills"]()
    mine["save_knowledge"]("also private")
    records = [record for record in hx.audit.records() if record.action == "tool.call"]
    assert [(record.target, record.details["ok"]) for record in records] == [
        ("save_knowledge", True),
        ("search_knowledge", True),
        ("list_skills", True),
        ("save_knowledge", False),
    ]
    assert "private" not in str(hx.audit.records())


@requirement("META-01", "LIMIT-01")
def test_a_limit_is_an_answer(tmp_path: Path) -> None:
    with opened(tmp_path / "agent.db", session="chat:1", max_knowledge=1) as hx:
        mine = tools(hx)
        assert mine["save_knowledge"]("a", "one")["status"] == "ok"
        assert (
            "has reached its limit of 1" in mine["save_knowledge"]("b", "two")["error"]
        )


@requirement("META-01", "CONF-04")
def test_a_secret_is_redacted_and_the_answer_says_so(hx: Hexad) -> None:
    answer = tools(hx)["save_knowledge"]("login", "user dana, password=Tr0ub4dor-and-3")
    assert (answer["status"], answer["redacted"]) == ("ok", ["password"])


@requirement("META-01")
def test_a_failure_that_nobody_thought_of_is_an_answer_and_a_warning(
    hx: Hexad, caplog: pytest.LogCaptureFixture
) -> None:
    def burst() -> None:
        raise RuntimeError("burst")

    mine = tools(over(hx, FaultyStore(hx.store, burst)))
    for call in (lambda: mine["save_knowledge"]("a", "b"), mine["list_skills"]):
        assert call() == {"status": "error", "error": "RuntimeError: burst"}
    assert any("save_knowledge failed" in each for each in warnings(caplog))


@requirement("META-01", "CONF-01")
def test_with_the_engine_off_they_say_how_to_turn_it_on(tmp_path: Path) -> None:
    off = Hexad.open(tmp_path / "agent.db")
    answer = tools(off)["save_knowledge"]("a", "b")
    assert answer["status"] == "error"
    assert "enabled=True" in answer["error"]
    assert adk_tools(off) == []
    assert not list(tmp_path.iterdir())


@requirement("META-01")
def test_the_choices_that_a_model_is_shown_are_those_that_exist(hx: Hexad) -> None:
    mine = tools(hx)

    def shown(tool: str, argument: str) -> set[str]:
        hint = get_type_hints(mine[tool])[argument]
        inner = [each for each in get_args(hint) if get_args(each)]
        return set(get_args(inner[0] if inner else hint))

    assert (
        shown("save_knowledge", "category")
        == set(Category)
        == shown("search_knowledge", "category")
    )
    assert shown("save_learning", "category") == set(ErrorCategory) - {
        "user_correction"
    }  # only a user can correct
    assert shown("create_skill", "kind") == set(SkillKind)


@requirement("META-01")
def test_every_argument_is_described_and_has_a_type(hx: Hexad) -> None:
    for tool in agent_tools(hx):
        described = inspect.getdoc(tool) or ""
        for name, parameter in inspect.signature(tool).parameters.items():
            assert f"    {name}: " in described
            assert parameter.annotation is not inspect.Parameter.empty


_anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


@requirement("META-01")
@settings(max_examples=60)
@given(
    name=st.sampled_from(NAMES),
    arguments=st.dictionaries(
        st.sampled_from(
            [
                "key",
                "content",
                "query",
                "limit",
                "name",
                "kind",
                "definition",
                "tags",
                "trigger",
            ]
        ),
        _anything,
    ),
)
def test_any_argument_of_a_model_gets_a_status(
    name: str, arguments: dict[str, Any]
) -> None:
    with opened(":memory:") as hx:
        logging.getLogger("hexad").setLevel(logging.ERROR)
        try:
            assert tools(hx)[name](**arguments)["status"] in {"ok", "proposed", "error"}
        finally:
            logging.getLogger("hexad").setLevel(logging.NOTSET)


# as ADK tools


@requirement("META-01")
def test_adk_offers_them_with_descriptions_and_schemas(hx: Hexad) -> None:
    inner = echo()
    talk(runner(agent(inner, adk_tools(hx))), "Hello there")
    (declared,) = [
        tool.function_declarations for tool in inner.requests[0].config.tools or []
    ]  # type: ignore[union-attr]
    schemas = {each.name: each.parameters_json_schema for each in declared or []}
    assert set(schemas) == set(NAMES)
    assert schemas["update_knowledge"]["required"] == ["key", "content"]  # type: ignore[index]
    assert schemas["create_skill"]["properties"]["kind"]["enum"] == list(SkillKind)  # type: ignore[index]
    assert all(each.description for each in declared or [])


@requirement("META-01", "STORE-06")
def test_in_adk_they_work_in_the_memory_of_their_conversation_and_read_the_house(
    file_hx: Hexad,
) -> None:
    file_hx.knowledge.save("house", "Deploy on Tuesdays")
    inner = ScriptedModel.playing(
        [
            Call("save_knowledge", {"key": "own", "content": "Deploy from the train"}),
            Call("search_knowledge", {"query": "deploy"}),
            "So.",
            Call("search_knowledge", {"query": "deploy"}),
            "So.",
        ]
    )
    place = runner(agent(inner, adk_tools(file_hx)))

    async def both() -> list[Event]:
        return [
            *await said(place, "Deploy", session="slack:C1"),
            *await said(place, "Deploy", user="eve"),
        ]

    answers = [
        each[2]
        for event in done(both())
        for each in parts_of(event)
        if each[0] == "answer"
    ]
    found = [
        {each["key"] for each in answer["results"]}
        for answer in answers
        if "results" in answer
    ]
    assert found == [{"own", "house"}, {"house"}]
    own = file_hx.scoped(namespace=f"default/{APP}/{USER}")
    assert own.knowledge.get("own").session == "slack:C1"
    assert [entry.key for entry in file_hx.knowledge.list()] == ["house"]


@requirement("META-01")
def test_an_argument_that_a_model_forgot_is_named_in_the_answer(file_hx: Hexad) -> None:
    events = talk(
        runner(
            agent(
                ScriptedModel.playing([Call("save_knowledge", {"key": "a"}), "So."]),
                adk_tools(file_hx),
            )
        ),
        "x",
    )
    (answer,) = [
        each[2] for event in events for each in parts_of(event) if each[0] == "answer"
    ]
    assert "content" in str(answer)
    assert answer["status"] == "error"


# as ADK's memory


def _service(hx: Hexad, **how: Any) -> HexadMemoryService:
    return HexadMemoryService(hx, **how)


async def _conversation(user: str = USER, session: str = "s1") -> Session:
    """Messages of two people to an agent."""
    sessions = InMemorySessionService()
    known = await sessions.create_session(
        app_name=APP, user_id=user, session_id=session
    )
    for author, text in (
        ("user", f"The kettle of {user} is broken"),
        ("helper", "I have ordered a new kettle."),
        ("user", ""),
    ):
        await sessions.append_event(known, Event(author=author, content=message(text)))
    return known


async def _search(
    service: HexadMemoryService, query: str, user: str = USER
) -> list[tuple[str | None, str]]:
    found = await service.search_memory(app_name=APP, user_id=user, query=query)
    return [(each.author, each.content.parts[0].text) for each in found.memories]  # type: ignore[index, misc]


@requirement("KNOW-06", "STORE-06")
def test_a_session_is_remembered_for_its_user_once(hx: Hexad) -> None:
    service = _service(hx)

    async def work() -> tuple[list[Any], list[Any]]:
        known = await _conversation()
        await service.add_session_to_memory(known)
        await service.add_session_to_memory(known)
        return await _search(service, "kettle"), await _search(
            service, "kettle", user="eve"
        )

    own, others = done(work())
    assert sorted(own) == [
        ("helper", "I have ordered a new kettle."),
        ("user", "The kettle of dana is broken"),
    ]
    assert others == []
    entries = hx.scoped(namespace=f"default/{APP}/{USER}").knowledge.list()
    assert [(entry.origin, entry.thread, entry.version) for entry in entries] == [
        ("user", "s1", 1),
        ("agent", "s1", 1),
    ]


@requirement("CAP-01")
def test_a_session_that_is_remembered_proposes_what_its_user_said_that_lasts(
    hx: Hexad,
) -> None:
    async def work() -> None:
        known = await _conversation()
        for author in ("user", "helper"):
            said = Event(
                author=author,
                content=message(f"Thanks! I live in {author.title()}town."),
            )
            known.events.append(said)
        for _ in range(2):
            await _service(hx).add_session_to_memory(known)

    done(work())
    (proposal,) = hx.scoped(namespace=f"default/{APP}/{USER}").proposals.list()
    assert (proposal.content, proposal.session) == ("I live in Usertown.", "s1")


@requirement("KNOW-06")
def test_a_memory_has_the_time_at_which_it_was_said(hx: Hexad) -> None:
    service = _service(hx)
    given = MemoryEntry(
        content=message("The teapot is blue"), timestamp="2024-05-06T07:08:09+02:00"
    )
    unreadable = MemoryEntry(
        content=message("The saucer is green"), timestamp="long ago"
    )

    async def work() -> list[str | None]:
        known = await _conversation()
        for event in known.events:
            event.timestamp = 1_700_000_000.5
        await service.add_session_to_memory(known)
        await service.add_memory(
            app_name=APP, user_id=USER, memories=[given, unreadable]
        )
        hx.knowledge.save("jug", "The jug is red", position=7)
        found = [
            await service.search_memory(app_name=APP, user_id=USER, query=query)
            for query in ("kettle broken", "teapot", "saucer", "jug")
        ]
        return [each.memories[0].timestamp for each in found]

    kettle, teapot, *others = done(work())
    assert (kettle, teapot) == (
        "2023-11-14T22:13:20.500000+00:00",
        "2024-05-06T05:08:09+00:00",
    )
    assert all(each[:4] >= "2025" for each in others)  # when they were saved


@requirement("ADK-06")
def test_a_rule_that_fails_is_a_warning_and_an_answer_and_one_that_is_none_is_refused(
    hx: Hexad, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: Any) -> str:
        raise KeyError("no such tenant")

    found = done(
        _service(hx, namespace=broken).search_memory(
            app_name=APP, user_id=USER, query="kettle"
        )
    )
    assert not found.memories
    inner = ScriptedModel.playing(
        [Call("search_knowledge", {"query": "kettle"}), "So."]
    )
    events = talk(runner(agent(inner, adk_tools(hx, namespace=broken))), "Kettle?")
    (answer,) = [
        each[2] for event in events for each in parts_of(event) if each[0] == "answer"
    ]
    assert answer["status"] == "error"
    assert all("no such tenant" in each for each in warnings(caplog))
    assert len(warnings(caplog)) == 2
    for refusing in (HexadPlugin, HexadMemoryService, adk_tools):
        with pytest.raises(InvalidInput, match="namespace: must be a function"):
            refusing(hx, namespace="tenant")  # type: ignore[operator]


@requirement("KNOW-08")
def test_memories_can_be_added_and_deleted_one_by_one(
    hx: Hexad, caplog: pytest.LogCaptureFixture
) -> None:
    service = _service(hx, namespace=per_app)

    async def work() -> tuple[list[Any], list[Any]]:
        known = await _conversation()
        await service.add_events_to_memory(
            app_name=APP, user_id=USER, events=known.events[:1]
        )
        await service.add_memory(
            app_name=APP,
            user_id=USER,
            memories=[MemoryEntry(content=message("Tea, no kettle"))],
        )
        before = await service.search_memory(
            app_name=APP, user_id="eve", query="kettle"
        )
        for each in (*before.memories, MemoryEntry(id="nothing", content=message(""))):
            await service.delete_memory(app_name=APP, user_id=USER, memory_id=each.id)
        return list(before.memories), await _search(service, "kettle")

    before, after = done(work())
    assert len(before) == 2
    assert after == []
    assert not caplog.records


@requirement("KNOW-09")
def test_what_cannot_be_kept_is_a_warning_and_the_rest_is_kept(
    hx: Hexad, caplog: pytest.LogCaptureFixture
) -> None:
    service = _service(hx)
    memories = [
        MemoryEntry(id=name, content=message(text))
        for name, text in (("a", "kettle \0"), ("b", "kettle two"))
    ]

    async def work() -> list[Any]:
        await service.add_memory(app_name=APP, user_id=USER, memories=memories)
        return await _search(service, "kettle")

    assert [text for _, text in done(work())] == ["kettle two"]
    assert any("NUL" in each for each in warnings(caplog))


@requirement("ADK-07", "CONF-01")
def test_with_the_engine_off_nothing_is_remembered_or_found(tmp_path: Path) -> None:
    service = _service(Hexad.open(tmp_path / "agent.db"))

    async def work() -> list[Any]:
        await service.add_session_to_memory(await _conversation())
        return await _search(service, "kettle")

    assert done(work()) == []
    assert not list(tmp_path.iterdir())


@requirement("KNOW-05")
def test_adks_own_memory_tools_use_it(file_hx: Hexad) -> None:
    service = _service(file_hx)
    inner = ScriptedModel.playing([Call("load_memory", {"query": "kettle"}), "So."])
    place = Runner(
        app_name=APP,
        agent=agent(inner, [load_memory, preload_memory]),
        session_service=InMemorySessionService(),
        memory_service=service,
    )

    async def work() -> list[Event]:
        await service.add_session_to_memory(await _conversation(session="before"))
        return await said(place, "What about the kettle?")

    answers = [
        each
        for event in done(work())
        for each in parts_of(event)
        if each[0] == "answer"
    ]
    assert "I have ordered a new kettle." in str(answers)
    assert "<PAST_CONVERSATIONS>" in str(inner.requests[0].contents)


# without ADK


def _python(script: str, **environment: str) -> str:
    done_ = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=False,
        env={**environment},
    )
    assert done_.returncode == 0, done_.stderr
    return done_.stdout.strip()


@requirement("ADK-01")
def test_without_adk_one_sentence_says_what_to_install() -> None:
    script = """
        import sys
        sys.modules["google.adk"] = None  # as if it were not installed
        try:
            import hexad.adapters.adk
        except Exception as error:
            print(type(error).__name__, error)
    """
    assert _python(script) == (
        f"MissingExtra the ADK adapter needs a package that is not installed: {install_command('adk')}"
    )


@requirement("ADK-01")
@pytest.mark.parametrize(
    ("origin", "installer", "command"),
    [
        (None, "pip", "pip install 'hexad[adk]'"),
        (None, "uv", "uv pip install 'hexad[adk]'"),
        (
            {"url": "file:///src/hexad", "dir_info": {}},
            "pip",
            "pip install '/src/hexad[adk]'",
        ),
        (
            {"url": "file:///src/hexad", "dir_info": {"editable": True}},
            "pip",
            "pip install '--editable=/src/hexad[adk]'",
        ),
    ],
)
def test_what_to_install_depends_on_how_hexad_was_installed(
    tmp_path: Path, origin: object, installer: str, command: str
) -> None:
    papers = tmp_path / "hexad-1.0.dist-info"
    papers.mkdir()
    (papers / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: hexad\nVersion: 1.0\n", encoding="utf-8"
    )
    (papers / "INSTALLER").write_text(f"{installer}\n", encoding="utf-8")
    if origin is not None:
        (papers / "direct_url.json").write_text(json.dumps(origin), encoding="utf-8")
    script = "from hexad.extras import install_command; print(install_command('adk'))"
    assert _python(script, PYTHONPATH=str(tmp_path)) == command


@requirement("STORE-05", "META-01")
def test_the_agents_tools_need_no_framework() -> None:
    script = """
        import sys
        from hexad import Hexad
        from hexad.agent_tools import agent_tools
        agent_tools(Hexad.open(":memory:", enabled=True, semantic=False))[0]("a", "b")
        print([name for name in ("google", "pydantic", "asyncio", "mcp") if name in sys.modules])
    """
    assert _python(script) == "[]"


@requirement("META-01", "SAVE-03")
def test_an_agent_names_an_entry_by_the_text_that_it_read(hx: Hexad) -> None:
    mine = {tool.__name__: tool for tool in agent_tools(hx)}
    hx.knowledge.save("I am vegetarian")
    mine["save_knowledge"](content="The user likes oolong tea")
    assert (
        mine["update_knowledge"]("I am vegetarian", "I am vegan")["key"] == "vegetarian"
    )
    assert mine["pin_knowledge"]("I am vegetarian")["status"] == "proposed"
    assert mine["delete_knowledge"]("The user likes oolong tea")["deleted"]
    assert mine["delete_knowledge"]("The user likes oolong tea")["status"] == "error"
    assert (
        hx.knowledge.undelete("user-likes-oolong-tea").content
        == "The user likes oolong tea"
    )


@requirement("META-01", "LEARN-01")
def test_a_mistake_in_calling_our_own_tools_is_audited_and_not_learned(
    hx: Hexad,
) -> None:
    mine = {tool.__name__: tool for tool in agent_tools(hx)}
    assert mine["delete_knowledge"]("nothing")["status"] == "error"
    assert hx.learnings.list() == ()
    assert [(each.target, each.details["ok"]) for each in hx.audit.records()] == [
        ("delete_knowledge", False)
    ]
