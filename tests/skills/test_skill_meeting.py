"""Skills that meet others: agents that repeat them, odd names, machines that cannot run
them, long outputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hexad import Hexad
from hexad.agent_tools import agent_tools
from hexad.cli.skills.input import parameters_from
from hexad.errors import InvalidInput, NoSandbox
from hexad.skills import parameters
from hexad.skills.sandbox import find_sandbox, this_sandbox
from tests.support import opened, requirement

if TYPE_CHECKING:
    from pathlib import Path

    from hexad.model import Skill

TEXT = {"kind": "instruction", "description": "Greet a visitor"}


def persons(hx: Hexad, text: str = "Say hello") -> Skill:
    hx.skills.create(
        "greet",
        **TEXT,
        definition={"text": text},
        session="desk",
        author="Ann",
        tags=["hall"],
    )
    return hx.skills.activate("greet", by="Ann")


def by_an_agent(hx: Hexad, text: str) -> Any:
    create = next(
        tool
        for tool in agent_tools(hx.scoped(session="chat:1"))
        if tool.__name__ == "create_skill"
    )
    return create("greet", "instruction", "Greet a visitor", {"text": text})


@requirement("SKILL-01", "KNOW-04")
def test_an_agent_that_repeats_a_persons_skill_does_not_own_it(tmp_path: Path) -> None:
    with opened(tmp_path / "agent.db") as hx:
        before = persons(hx)
        by_an_agent(hx, "Say hello")
        assert hx.skills.get("greet") == before
        hx.forget(session="chat:1")
        assert hx.skills.get("greet").author == "Ann"


@requirement("LIMIT-05")
def test_repeating_a_persons_skill_gives_no_way_around_the_daily_limit(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "agent.db", max_skills_per_day=0) as hx:
        persons(hx)
        hx.skills.deprecate("greet")
        assert by_an_agent(hx, "Say hello")["status"] == "ok"
        answer = by_an_agent(hx, "Say something else")
        assert answer["status"] == "error"
        assert "max_skills_per_day" in answer["error"]


@requirement("SKILL-11")
@pytest.mark.parametrize("name", ["m²", "½", "①", "größe", "a b", "class"])
def test_a_skill_with_any_parameter_name_is_a_tool(hx: Hexad, name: str) -> None:
    persons(hx)
    schema = {"properties": {name: {"type": "number"}}, "required": [name]}
    hx.skills.create(
        "area",
        kind="instruction",
        description="Measure",
        definition={"text": "…"},
        parameters=schema,
    )
    hx.skills.activate("area")
    area, greet = hx.skills.as_tools()
    assert (greet(), area(3)) == ("Say hello", "…")


@requirement("SKILL-11")
def test_without_the_knowledge_system_there_are_no_tools_and_no_error(
    tmp_path: Path,
) -> None:
    with Hexad.open(tmp_path / "agent.db", enabled=False) as hx:
        assert hx.skills.as_tools() == ()


@requirement("SKILL-08")
def test_a_number_of_thousands_of_digits_is_refused_in_a_sentence() -> None:
    with pytest.raises(InvalidInput, match="is a number of thousands of digits"):
        parameters.admit(
            {"properties": {"n": {"type": "integer", "maximum": 5}}}, {"n": 10**5000}
        )


@requirement("SKILL-06")
def test_a_script_can_open_its_own_outputs() -> None:
    came = find_sandbox().run(
        "echo to the one > /dev/stdout; echo to the other > /dev/stderr"
    )
    assert (came.exit_code, came.stdout, came.stderr) == (
        0,
        "to the one\n",
        "to the other\n",
    )


@requirement("SKILL-06")
def test_a_sandbox_that_was_found_is_kept() -> None:
    assert this_sandbox() is this_sandbox()


@requirement("SKILL-06", "SKILL-11")
def test_a_skill_called_as_a_tool_says_that_its_output_was_cut(hx: Hexad) -> None:
    text = "head -c 1100000 /dev/zero | tr '\\0' a"
    hx.skills.create(
        "long", kind="script", description="Much", definition={"script": text}
    )
    hx.skills.activate("long")
    (long,) = hx.skills.as_tools()
    assert "a\n[stdout was cut after 1,048,576 bytes" in long()


@requirement("SKILL-03")
def test_what_cannot_run_on_this_machine_is_not_counted_against_a_skill(
    hx: Hexad,
) -> None:
    def skill_script() -> None:
        raise NoSandbox("bubblewrap is not installed")

    steps: dict[str, Any] = {"steps": [{"tool": "skill_script", "args": {}}]}
    hx.skills.create("both", kind="composite", description="Both", definition=steps)
    hx.skills.activate("both")
    for _ in range(4):
        with pytest.raises(NoSandbox):
            hx.skills.run("both", tools={"skill_script": skill_script})
    assert (hx.skills.get("both").status, hx.skills.get("both").run_count) == (
        "active",
        0,
    )


@requirement("SKILL-10")
def test_an_object_that_had_other_keys_each_time_is_a_parameter_as_a_whole(
    hx: Hexad,
) -> None:
    def find(name: str) -> str:
        return f"id of {name}"

    def store(id: str, fields: dict[str, Any]) -> str:
        return f"{id}: {sorted(fields)}"

    for number in range(3):
        own = hx.scoped(session=f"s{number}")
        found = own.watch(find)(name=f"customer {number}")
        own.watch(store)(id=found, fields={f"key {number}": number})
    (draft,) = hx.skills.discover()
    assert draft.parameters["properties"]["fields"]["type"] == "object"  # type: ignore[call-overload,index]
    hx.skills.activate(draft.name)
    ran = hx.skills.run(
        draft.name,
        {"name": "Ada", "fields": {"x": 1}},
        tools={"find": find, "store": store},
    )
    assert ran.output == "id of Ada: ['x']"


@requirement("SKILL-08")
@pytest.mark.parametrize(
    ("given", "schema", "came"),
    [
        ("1.10", {}, "1.10"),
        ("1e3", {}, "1e3"),
        ("3", {}, 3),
        ("[1, 2]", {}, [1, 2]),
        ("1", {"enum": ["1", "2"]}, "1"),
        ("null", {"type": ["string", "null"]}, "null"),
        ("1.10", {"type": "number"}, 1.1),
    ],
)
def test_a_word_on_the_command_line_is_what_it_looks_like_unless_the_schema_says_more(
    given: str, schema: dict[str, Any], came: object
) -> None:
    assert parameters_from([f"x={given}"], None, {"properties": {"x": schema}}) == {
        "x": came
    }
