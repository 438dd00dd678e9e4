"""Active skills as tools of ADK agents: whose they are, what they may call, and what
becomes of them later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool

from hexad.adapters.adk import HexadPlugin, adk_tools
from hexad_testing.faulty_store import FaultyStore, over
from hexad_testing.scripted_model import Call, ScriptedModel
from tests.adk.adk_support import (
    APP,
    agent,
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
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from google.adk.events.event import Event

    from hexad import Hexad

OWN = f"default/{APP}/dana"
DAY = {
    "properties": {"day": {"type": "string", "description": "YYYY-MM-DD"}},
    "required": ["day"],
}
STEPS = [
    {"tool": "book", "args": {"day": "{{ day }}"}, "save_as": "room"},
    {"tool": "invite", "args": {"room": "{{ room }}"}},
]


@pytest.fixture
def hx(tmp_path: Path) -> Iterator[Hexad]:
    with opened(tmp_path / "agent.db") as engine:
        yield engine


def book(day: str) -> str:
    """Book a room for a day."""
    if "/" in day:
        raise ValueError(f"cannot read the day {day!r}")
    return f"a room on {day}"


async def invite(room: str) -> str:
    """Invite everybody to a room."""
    return f"all are invited to {room}"


def meeting(hx: Hexad, name: str = "plan-meeting") -> None:
    hx.skills.create(
        name,
        kind="composite",
        description="Plan a meeting",
        definition={"steps": STEPS},
        parameters=DAY,
    )
    hx.skills.activate(name)


def answers(events: Sequence[Event]) -> list[Any]:
    return [
        each[2] for event in events for each in parts_of(event) if each[0] == "answer"
    ]


def calling(tool: str, **args: Any) -> ScriptedModel:
    return ScriptedModel.playing([Call(tool, args), "So."])


@requirement("META-01")
@pytest.mark.parametrize("way", ["tools", "plugin"])
def test_a_composite_skill_is_a_tool_and_its_steps_go_through_the_agents_tools(
    hx: Hexad, way: str
) -> None:
    meeting(hx)
    model = calling("skill_plan_meeting", day="2026-01-31")
    offered = adk_tools(hx) if way == "tools" else []
    place = runner(
        agent(model, [book, invite, *offered]),
        [HexadPlugin(hx)] if way == "plugin" else [],
    )
    came = answers(talk(place, "Plan a meeting", session="chat:1"))
    assert came == [
        {"status": "ok", "output": "all are invited to a room on 2026-01-31"}
    ]
    schema = model.requests[0].tools_dict["skill_plan_meeting"]._get_declaration()
    assert schema is not None
    assert schema.parameters_json_schema["required"] == ["day"]  # type: ignore[index]
    assert "Plan a meeting" in str(schema.description)


@requirement("META-01", "ADK-09")
@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("way", ["tools", "plugin"])
def test_the_steps_of_the_houses_skill_are_written_down_once_and_are_the_callers(
    hx: Hexad, way: str, watched: bool
) -> None:
    meeting(hx)
    tools = (
        [hx.watch(FunctionTool(book)), hx.watch(invite)] if watched else [book, invite]
    )
    offered = adk_tools(hx) if way == "tools" else []
    model = calling("skill_plan_meeting", day="2026-01-31")
    place = runner(
        agent(model, [*tools, *offered]), [HexadPlugin(hx)] if way == "plugin" else []
    )
    talk(place, "Plan a meeting", session="chat:1")
    calls = [
        each
        for each in hx.scoped(namespace=OWN).audit.records()
        if each.action == "tool.call"
    ]
    assert [(each.target, each.session) for each in calls] == [
        ("book", "chat:1"),
        ("invite", "chat:1"),
    ]
    assert not [each for each in hx.audit.records() if each.action == "tool.call"]
    runs = [each for each in hx.audit.records() if each.action == "skill.run"]
    assert [(each.target, each.session) for each in runs] == [
        ("plan-meeting", "chat:1")
    ]
    assert hx.skills.get("plan-meeting").success_count == 1


@requirement("META-01", "STORE-06")
@pytest.mark.parametrize("way", ["tools", "plugin"])
def test_what_a_step_of_the_houses_skill_taught_one_user_is_shown_to_no_other(
    hx: Hexad, way: str
) -> None:
    meeting(hx)
    model = ScriptedModel.playing(
        [Call("skill_plan_meeting", {"day": "31/01/2026"}), "So.", "So."]
    )
    offered = adk_tools(hx) if way == "tools" else []
    place = runner(
        agent(model, [book, invite, *offered]),
        [HexadPlugin(hx)] if way == "plugin" else [],
    )

    async def both() -> None:
        await said(place, "Book a room and plan a meeting")
        await said(place, "Book a room and plan a meeting", user="eve", session="s2")

    done(both())
    assert "cannot read the day" not in str(
        model.requests[-1].config.system_instruction
    )
    assert len(hx.scoped(namespace=OWN).learnings.list(noticed=True)) == 1
    assert not hx.learnings.list(noticed=True)


@requirement("META-01")
def test_list_skills_names_the_tools_that_there_are(hx: Hexad) -> None:
    meeting(hx)
    meeting(hx, "Plan: meeting 2")
    model = ScriptedModel.playing([Call("list_skills"), "So."])
    (came,) = answers(
        talk(
            runner(agent(model, [book, invite]), [HexadPlugin(hx)]), "What can you do?"
        )
    )
    named = {each["tool"] for each in came["skills"]}
    assert named == {
        name for name in model.requests[0].tools_dict if name.startswith("skill_")
    }
    assert "skill_plan_meeting" in named


@requirement("META-01")
def test_a_skill_that_fails_and_one_that_is_called_wrongly_answer_with_the_reason(
    hx: Hexad,
) -> None:
    meeting(hx)
    model = ScriptedModel.playing(
        [
            Call("skill_plan_meeting", {"day": "31/01/2026"}),
            Call("skill_plan_meeting", {"dya": "x"}),
            "So.",
        ]
    )
    failed, wrong = answers(
        talk(runner(agent(model, [book, invite]), [HexadPlugin(hx)]), "Plan a meeting")
    )
    assert failed["status"] == wrong["status"] == "error"
    assert "cannot read the day" in failed["error"]
    assert "day" in wrong["error"]


@requirement("META-01")
def test_a_tool_that_needs_a_persons_word_is_not_called_by_a_skill(hx: Hexad) -> None:
    meeting(hx)
    asked = []

    def book(day: str) -> str:
        """Book a room."""
        asked.append(day)
        return day

    guarded = FunctionTool(book, require_confirmation=True)
    place = runner(
        agent(calling("skill_plan_meeting", day="2026-01-31"), [guarded, invite]),
        [HexadPlugin(hx)],
    )
    (came,) = answers(talk(place, "Plan a meeting"))
    assert "needs a person's confirmation" in came["error"]
    assert not asked


@requirement("META-01", "STORE-06")
def test_a_users_own_skills_are_the_users_and_the_engines_are_for_all(
    hx: Hexad,
) -> None:
    meeting(hx)
    own = hx.scoped(namespace=OWN)
    own.skills.create(
        "greet",
        kind="template",
        description="Greet",
        definition={"template": "Hello {{ name }}"},
        parameters={"properties": {"name": {"type": "string"}}, "required": ["name"]},
    )
    own.skills.activate("greet")
    model = ScriptedModel.playing([Call("skill_greet", {"name": "Eve"}), "So.", "So."])
    place = runner(agent(model, [book, invite]), [HexadPlugin(hx)])

    async def both() -> list[Event]:
        return [
            *await said(place, "Greet Eve"),
            *await said(place, "Greet Eve", user="eve"),
        ]

    assert answers(done(both())) == [{"status": "ok", "output": "Hello Eve"}]
    offered = [
        {name for name in each.tools_dict if name.startswith("skill_")}
        for each in model.requests
    ]
    assert offered[0] == {"skill_plan_meeting", "skill_greet"}
    assert offered[-1] == {"skill_plan_meeting"}


@requirement("META-01")
def test_the_plugin_offers_a_composite_skill_to_agents_that_have_its_tools(
    hx: Hexad,
) -> None:
    meeting(hx)
    for tools, offered in (([book, invite], True), ([book], False), ([], False)):
        model = echo()
        talk(runner(agent(model, tools), [HexadPlugin(hx)]), "Plan a meeting")
        assert ("skill_plan_meeting" in model.requests[0].tools_dict) == offered


@requirement("META-01")
def test_a_skill_whose_tool_a_toolset_turns_out_not_to_have_says_so_to_the_model(
    hx: Hexad,
) -> None:
    meeting(hx)

    class Booking(BaseToolset):
        async def get_tools(self, readonly_context: Any = None) -> list[Any]:
            return [FunctionTool(book)]

    model = calling("skill_plan_meeting", day="2026-01-31")
    (came,) = answers(
        talk(runner(agent(model, [Booking(), *adk_tools(hx)])), "Plan a meeting")
    )
    assert came == {
        "status": "error",
        "error": "skill_plan_meeting calls invite, which you do not have",
    }


@requirement("META-01")
def test_a_users_draft_does_not_hide_the_houses_skill_of_its_name(hx: Hexad) -> None:
    hx.skills.create(
        "greet",
        kind="instruction",
        description="Greet",
        definition={"text": "Say hello"},
    )
    hx.skills.activate("greet")
    draft = {
        "name": "greet",
        "kind": "instruction",
        "description": "Greet",
        "definition": {"text": "Wave"},
    }
    inner = ScriptedModel.playing(
        [Call("create_skill", draft), Call("list_skills"), "So."]
    )
    proposed, listed = answers(
        talk(runner(agent(inner), [HexadPlugin(hx)]), "Greet Eve")
    )
    assert proposed["state"] == "draft"
    assert [skill["name"] for skill in listed["skills"]] == ["greet"]


@requirement("META-01")
def test_what_is_activated_or_withdrawn_while_an_agent_runs_is_offered_or_not_from_then_on(
    hx: Hexad,
) -> None:
    model = ScriptedModel.playing(lambda _request: "So.")
    place = runner(agent(model, [book, invite]), [HexadPlugin(hx)])

    async def conversation() -> None:
        await said(place, "Plan a meeting")
        meeting(hx)
        await said(place, "Plan a meeting")
        hx.skills.deprecate("plan-meeting")
        await said(place, "Plan a meeting")

    done(conversation())
    assert ["skill_plan_meeting" in each.tools_dict for each in model.requests] == [
        False,
        True,
        False,
    ]


@requirement("META-01")
def test_a_skill_that_was_withdrawn_after_the_agent_started_says_so(hx: Hexad) -> None:
    meeting(hx)
    offered = adk_tools(hx)
    hx.skills.deprecate("plan-meeting")
    (came,) = answers(
        talk(
            runner(
                agent(calling("skill_plan_meeting", day="x"), [book, invite, *offered])
            ),
            "Plan a meeting",
        )
    )
    assert came == {
        "status": "error",
        "error": "skill_plan_meeting is no longer an active skill",
    }


@requirement("ADK-06")
def test_an_agent_starts_over_a_broken_store_without_its_skills(
    hx: Hexad, caplog: pytest.LogCaptureFixture
) -> None:
    from hexad.errors import StoreDamaged

    def broken() -> None:
        raise StoreDamaged("agent.db", "the file is corrupt")

    offered = adk_tools(over(hx, FaultyStore(hx.store, broken)))
    assert len(offered) == 10
    events = talk(runner(agent(echo(), offered)), "Hello there")
    assert parts_of(events[-1]) == ["Yes."]
    (warning,) = warnings(caplog)
    assert "the file is corrupt" in warning
