"""Skills as an agent meets them: plain functions with a signature, and lines of its
prompt.
"""

from __future__ import annotations

import asyncio
import inspect
import re
import typing
from typing import TYPE_CHECKING, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hexad.errors import InvalidInput, SkillFailed, SkillRefused
from hexad.skills.tools import tool_names
from hexad_testing.nouns import skill
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hexad import Hexad
    from hexad.model import Json

SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "unit": {"enum": ["C", "F"], "default": "C"},
        "city": {"type": "string", "description": "Where"},
        "from": {"type": ["integer", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "more-of": {"type": "object"},
        "any": {},
    },
    "required": ["city", "any"],
}


def active(hx: Hexad, name: str, text: str = "x", **fields: Any) -> None:
    given_ = {
        "kind": "template",
        "description": f"Do {name}",
        "definition": {"template": text},
        **fields,
    }
    hx.skills.create(name, **given_)
    hx.skills.activate(name)


def named(hx: Hexad, **options: Any) -> dict[str, Callable[..., Any]]:
    return {tool.__name__: tool for tool in hx.skills.as_tools(**options)}


@requirement("SKILL-11")
def test_each_active_skill_is_a_function_with_a_correct_signature_and_docstring(
    hx: Hexad,
) -> None:
    active(
        hx,
        "tell weather",
        "{{ city }} {{ unit }}",
        parameters=SCHEMA,
        when="somebody asks",
    )
    hx.skills.create(
        "draft", kind="instruction", description="d", definition={"text": "x"}
    )
    tools = named(hx)
    assert list(tools) == ["skill_tell_weather"]
    tool = tools["skill_tell_weather"]
    signature = inspect.signature(tool)
    assert list(signature.parameters) == [
        "city",
        "any",
        "unit",
        "from_",
        "tags",
        "more_of",
    ]
    hints = typing.get_type_hints(tool)
    assert (hints["city"], hints["unit"], hints["tags"]) == (
        str,
        Literal["C", "F"],
        list[str] | None,
    )
    assert hints["from_"] == (int | None)
    assert {name: each.default for name, each in signature.parameters.items()} == {
        "city": inspect.Parameter.empty,
        "any": inspect.Parameter.empty,
        "unit": "C",
        "from_": None,
        "tags": None,
        "more_of": None,
    }
    assert inspect.getdoc(tool) == (
        "Do tell weather\n\nUse it when: somebody asks\n\nArgs:\n"
        "    city: Where\n    any: a value\n    unit: one of C, F; 'C' if not given\n"
        "    from_: a value\n    tags: a value\n    more_of: a value"
    )


@requirement("SKILL-11")
def test_calling_the_function_runs_the_skill_with_its_own_parameter_names(
    hx: Hexad,
) -> None:
    text = "{{ city }} {{ unit }} {{ tags|join('+') if tags is defined else '-' }}"
    active(hx, "tell", text, parameters=SCHEMA)
    tool = named(hx, session="chat:1")["skill_tell"]
    assert tool("Bonn", 1) == "Bonn C -"
    assert (
        tool(city="Bonn", any=None, tags=["a", "b"], more_of={"x": 1}, from_=None)
        == "Bonn C a+b"
    )
    with pytest.raises(InvalidInput, match=r"parameters\.unit: must be one of"):
        tool("Bonn", 1, unit="K")
    with pytest.raises(TypeError):
        tool()
    runs = [record for record in hx.audit.records() if record.action == "skill.run"]
    assert [record.session for record in runs] == ["chat:1"] * 2


@requirement("SKILL-11")
def test_a_parameter_that_may_be_null_can_be_given_as_none_and_left_out(
    hx: Hexad,
) -> None:
    kinds: dict[str, Json] = {
        "listed": {"type": ["string", "null"]},
        "chosen": {"enum": ["x", None]},
        "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "text": {"type": "string"},
        "free": {},
    }
    shown = "".join(
        f"{{{{ '{name}=' ~ {name} ~ ' ' if {name} is defined else '' }}}}"
        for name in kinds
    )
    active(hx, "tell", shown, parameters={"properties": kinds})
    tool = named(hx)["skill_tell"]
    assert tool(None, None, None, None, None) == "listed=None chosen=None either=None "
    assert tool() == ""
    assert tool(listed="a", free=0) == "listed=a free=0 "


@requirement("SKILL-11")
def test_a_skill_takes_nothing_that_it_does_not_list(hx: Hexad) -> None:
    active(hx, "closed", "x", parameters={"properties": {}})
    with pytest.raises(TypeError):
        named(hx)["skill_closed"](a=2)


@requirement("SKILL-11")
def test_parameters_whose_names_differ_only_in_signs_are_different_arguments(
    hx: Hexad,
) -> None:
    schema: dict[str, Json] = {"properties": {"a": {}, "a-b": {}, "a_b": {}, "a b": {}}}
    active(hx, "tell", "{{ a_b }}", parameters=schema)
    tool = named(hx)["skill_tell"]
    assert list(inspect.signature(tool).parameters) == ["a", "a_b", "a_b_2", "a_b_3"]
    assert tool(a_b=1, a_b_2="this", a_b_3=3) == "this"


@requirement("SKILL-11")
def test_a_failing_skill_is_a_failing_tool_and_one_that_was_changed_does_not_run(
    hx: Hexad,
) -> None:
    active(hx, "tell", "{{ missing }}", parameters={})
    tool = named(hx)["skill_tell"]
    with pytest.raises(SkillFailed, match="missing") as error:
        tool()
    assert error.value.name == "tell"
    hx.skills.create(
        "tell", kind="instruction", description="Wire money", definition={"text": "x"}
    )
    with pytest.raises(SkillRefused):
        tool()


@requirement("SKILL-11")
def test_there_are_coroutine_functions_for_agents_that_await(hx: Hexad) -> None:
    active(hx, "tell", "hello")
    tool = named(hx, asynchronous=True)["skill_tell"]
    assert inspect.iscoroutinefunction(tool)
    assert asyncio.run(tool()) == "hello"


@requirement("SKILL-11")
def test_skills_can_be_registered_and_watched_as_any_tool(hx: Hexad) -> None:
    active(
        hx,
        "tell weather",
        "{{ city }}",
        parameters={"properties": {"city": {"type": "string"}}},
    )
    agent = hx.with_tool_registry([hx.watch(tool) for tool in hx.skills.as_tools()])
    [item] = agent.retrieve("weather", ["tool_registry"]).all()
    assert item.key == "skill_tell_weather"
    steps: dict[str, Json] = {
        "steps": [{"tool": "skill_tell_weather", "args": {"city": "Bonn"}}]
    }
    agent.skills.create("twice", kind="composite", description="d", definition=steps)
    agent.skills.activate("twice")
    assert agent.skills.run("twice").output == "Bonn"


@requirement("SKILL-11")
def test_names_become_identifiers_and_each_is_there_once(hx: Hexad) -> None:
    for name in (
        "send mail",
        "send-mail",
        "send_mail",
        "메일 보내기",
        "メール",
        "x" * 100,
        "Größe",
    ):
        active(hx, name)
    names = list(named(hx))
    assert (
        len(
            [
                name
                for name in names
                if re.fullmatch(r"skill_send_mail(_[0-9a-f]{8})?", name)
            ]
        )
        == 3
    )
    assert len(set(names)) == 7
    assert names == list(named(hx))
    assert all(
        name.isidentifier() and name.isascii() and len(name) <= 64 for name in names
    )


@requirement("SKILL-11")
@settings(max_examples=50)
@given(st.lists(st.text(min_size=1, max_size=80), unique=True, max_size=12))
def test_skills_of_any_names_have_tools_whose_names_differ(names: list[str]) -> None:
    tools = tool_names(skill(name) for name in names)
    assert [each.name for each in tools.values()] == names
    assert all(
        tool.isidentifier() and tool.isascii() and tool.startswith("skill_")
        for tool in tools
    )
    assert all(len(tool) <= 64 for tool in tools)


def called_by_tool(hx: Hexad) -> dict[str, str]:
    return {tool: skill.name for tool, skill in hx.skills.by_tool().items()}


@requirement("SKILL-11")
def test_the_name_of_a_tool_belongs_to_the_skill_that_had_it_first(hx: Hexad) -> None:
    active(hx, "a-b", "GOOD")
    steps: dict[str, Json] = {"steps": [{"tool": "skill_a_b"}]}
    hx.skills.create("main", kind="composite", description="d", definition=steps)
    hx.skills.activate("main", by="ada")
    active(hx, "a b", "EVIL", origin="agent")  # whose name is the first in the alphabet
    assert named(hx)["skill_a_b"]() == "GOOD"
    assert (
        hx.with_tool_registry(hx.skills.as_tools()).skills.run("main").output == "GOOD"
    )
    active(hx, "a-b", "BETTER")
    assert named(hx)["skill_a_b"]() == "BETTER"
    hx.skills.deprecate("a-b")
    assert "skill_a_b" not in named(hx)
    with pytest.raises(InvalidInput, match="needs skill_a_b"):
        hx.with_tool_registry(hx.skills.as_tools()).skills.run("main")


@requirement("SKILL-11")
def test_a_skill_that_goes_changes_the_names_of_no_others(hx: Hexad) -> None:
    for name in ("a-b", "a b", "a_b"):
        active(hx, name)
    before = called_by_tool(hx)
    hx.skills.delete("a b")
    assert called_by_tool(hx) == {
        tool: name for tool, name in before.items() if name != "a b"
    }


@requirement("SKILL-11", "STORE-04")
def test_tools_are_called_the_same_after_a_backup_came_back(
    hx: Hexad, tmp_path: Path
) -> None:
    for name in ("b-c", "b c", "a-b", "a b"):
        active(hx, name)
    hx.backup(tmp_path / "all.jsonl")
    with opened(":memory:") as back:
        back.restore(tmp_path / "all.jsonl")
        assert called_by_tool(back) == called_by_tool(hx)
        assert {"skill_a_b": "a-b", "skill_b_c": "b-c"}.items() < called_by_tool(
            back
        ).items()


@requirement("SKILL-03", "SKILL-11")
def test_what_is_activated_later_is_a_tool_from_the_next_asking_on(hx: Hexad) -> None:
    hx.skills.create(
        "tell", kind="instruction", description="d", definition={"text": "x"}
    )
    assert hx.skills.as_tools() == ()
    hx.skills.activate("tell")
    assert list(named(hx)) == ["skill_tell"]
    hx.skills.deprecate("tell")
    assert hx.skills.as_tools() == ()


@requirement("SKILL-03")
def test_the_prompt_shows_name_kind_description_and_when_to_use_it(hx: Hexad) -> None:
    active(
        hx,
        "city-trip",
        description="Plan a trip",
        when="a customer names a city and dates",
    )
    active(hx, "plain", description="Plan nothing")
    prompt = hx.assemble("You plan.", hx.retrieve("plan for a customer"))
    assert prompt.added.strip().splitlines() == [
        "## Available Skills",
        "- [template] city-trip: Plan a trip (use it when: a customer names a city and dates)",
        "- [template] plain: Plan nothing",
    ]


@requirement("SKILL-03")
def test_the_right_skill_is_found_among_two_thousand() -> None:
    verbs = (
        "archive",
        "book",
        "cancel",
        "deploy",
        "export",
        "forward",
        "merge",
        "print",
        "rotate",
        "translate",
    )
    things = (
        "invoice",
        "flight",
        "ticket",
        "server",
        "report",
        "mail",
        "branch",
        "label",
        "key",
        "letter",
    )
    places = [f"region{number}" for number in range(20)]
    with opened(":memory:") as hx:
        with hx.store.transaction("default") as unit:
            joined = hx.skills.__class__(hx._engine.workspace.joining(unit), hx._find)
            for verb in verbs:
                for thing in things:
                    for place in places:
                        joined.create(
                            f"{verb}-{thing}-{place}",
                            kind="instruction",
                            description=f"How to {verb} a {thing}",
                            when=f"the office of {place} asks for it",
                            definition={"text": "…"},
                        )
                        joined.activate(f"{verb}-{thing}-{place}")
        assert len(hx.skills.list()) == 2000
        for verb, thing, place in (
            ("deploy", "server", "region7"),
            ("rotate", "key", "region19"),
        ):
            found = hx.retrieve(f"please {verb} the {thing}, {place} is asking")
            assert found.all()[0].key == f"{verb}-{thing}-{place}"
