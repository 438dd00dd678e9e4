"""Running skills: steps over the agent's tools, templates, instructions; failures are
reported, misuse is refused.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import TYPE_CHECKING, Any

import pytest

from hexad import ToolRegistry
from hexad.errors import InvalidInput, NotFound, SkillRefused
from hexad.model import SkillStatus
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from hexad import Hexad
    from hexad.model import Json

CITY: dict[str, Json] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "minimum": 1},
    },
    "required": ["city"],
}
STEPS: dict[str, Json] = {
    "steps": [
        {
            "tool": "fetch",
            "args": {"city": "{{ city }}", "days": "{{ days }}"},
            "save_as": "weather",
        },
        {
            "tool": "send",
            "args": {
                "text": "{{ weather.city }}: {{ weather.degrees.0 }} of {{ weather.degrees }}"
            },
        },
    ]
}


class Tools:
    """An agent's tools that remember how they were called."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def fetch(self, city: str, days: int = 7) -> dict[str, Any]:
        """Look up the weather."""
        self.calls.append(("fetch", {"city": city, "days": days}))
        if city == "Nowhere":
            raise LookupError("no such city")
        return {"error": "too many"} if days > 9 else {"city": city, "degrees": [3, 4]}

    def send(self, text: str) -> str:
        """Send a text."""
        self.calls.append(("send", {"text": text}))
        return f"sent {text}"


@pytest.fixture
def tools() -> Tools:
    return Tools()


@pytest.fixture
def agent(hx: Hexad, tools: Tools) -> Hexad:
    knowing = hx.with_tool_registry([tools.fetch, tools.send])
    make(knowing)
    return knowing


def make(hx: Hexad, definition: dict[str, Json] | None = None, **fields: Any) -> None:
    given: dict[str, Any] = {
        "kind": "composite",
        "description": "Tell the weather",
        "parameters": CITY,
        **fields,
    }
    hx.skills.create("weather", definition=definition or STEPS, **given)
    hx.skills.activate("weather")


@requirement("SKILL-04")
def test_steps_run_in_order_and_pass_parameters_and_results_on(
    agent: Hexad, tools: Tools
) -> None:
    result = agent.skills.run("weather", {"city": "Bonn", "days": 2})
    assert tools.calls == [
        ("fetch", {"city": "Bonn", "days": 2}),
        ("send", {"text": "Bonn: 3 of [3, 4]"}),
    ]
    assert (result.ok, result.output, result.error) == (
        True,
        "sent Bonn: 3 of [3, 4]",
        "",
    )
    assert [(step.tool, step.ok, step.save_as) for step in result.steps] == [
        ("fetch", True, "weather"),
        ("send", True, ""),
    ]
    assert result.steps[0].result == {"city": "Bonn", "degrees": [3, 4]}
    assert result.seconds >= sum(step.seconds for step in result.steps) > 0


@requirement("SKILL-04")
def test_an_optional_parameter_that_is_not_given_leaves_its_argument_out(
    agent: Hexad, tools: Tools
) -> None:
    assert agent.skills.run("weather", {"city": "Bonn"}).ok
    assert tools.calls[0] == ("fetch", {"city": "Bonn", "days": 7})


@requirement("SKILL-04", "SKILL-08")
def test_an_optional_parameter_inside_a_text_must_be_given_before_anything_runs(
    hx: Hexad, tools: Tools
) -> None:
    steps: list[Json] = [
        {"tool": "send", "args": {"text": "now"}},
        {"tool": "send", "args": {"text": "in {{ days }} days"}},
    ]
    make(hx, {"steps": steps})
    with pytest.raises(
        InvalidInput,
        match=r"parameters\.days: is missing: step 2 \(send\) puts it into 'text'",
    ):
        hx.skills.run("weather", {"city": "Bonn"}, tools={"send": tools.send})
    assert tools.calls == []


@requirement("SKILL-04")
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"city": "Nowhere"}, "step 1 (fetch): LookupError: no such city"),
        ({"city": "Bonn", "days": 10}, "step 1 (fetch): too many"),
    ],
)
def test_a_run_stops_at_the_first_failure_raised_or_reported(
    agent: Hexad, tools: Tools, given: dict[str, Any], message: str
) -> None:
    result = agent.skills.run("weather", given)
    assert (result.ok, result.error, result.output) == (False, message, None)
    assert [name for name, _ in tools.calls] == ["fetch"]
    assert [(step.ok, bool(step.error)) for step in result.steps] == [
        (False, True),
        (None, False),
    ]


@requirement("SKILL-04")
def test_a_reference_that_leads_nowhere_is_its_steps_failure(
    hx: Hexad, tools: Tools
) -> None:
    steps: list[Json] = [
        {"tool": "fetch", "args": {"city": "{{ city }}"}, "save_as": "w"},
        {"tool": "send", "args": {"text": "{{ w.humidity }}"}},
    ]
    make(hx, {"steps": steps})
    result = hx.skills.run(
        "weather", {"city": "Bonn"}, tools={"fetch": tools.fetch, "send": tools.send}
    )
    assert (
        result.error
        == "step 2 (send): {{ w.humidity }}: w has no 'humidity'; it has city, degrees"
    )


@requirement("SKILL-04")
def test_a_dry_run_is_the_plan_and_calls_nothing(agent: Hexad, tools: Tools) -> None:
    audit = agent.audit.records()
    plan = agent.skills.run("weather", {"city": "Bonn"}, dry_run=True)
    assert plan.dry_run
    assert [(step.tool, step.args, step.ok) for step in plan.steps] == [
        ("fetch", {"city": "Bonn"}, None),
        (
            "send",
            {
                "text": "{{ weather.city }}: {{ weather.degrees.0 }} of {{ weather.degrees }}"
            },
            None,
        ),
    ]
    assert tools.calls == []
    assert agent.audit.records() == audit
    assert agent.skills.get("weather").run_count == 0


@requirement("SKILL-08")
@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"city": 7},
        {"city": "Bonn", "days": 0},
        {"city": "Bonn", "country": "DE"},
        "Bonn",
        [("city", "B")],
    ],
)
def test_wrong_parameters_are_refused_before_anything_runs(
    agent: Hexad, tools: Tools, wrong: Any
) -> None:
    audit = agent.audit.records()
    for dry_run in (False, True):
        with pytest.raises(InvalidInput, match="parameters"):
            agent.skills.run("weather", wrong, dry_run=dry_run)
    assert (tools.calls, agent.audit.records()) == ([], audit)


@requirement("SKILL-04")
def test_a_tool_that_is_not_there_is_named_before_anything_runs(
    hx: Hexad, tools: Tools
) -> None:
    make(hx)
    with pytest.raises(InvalidInput, match="needs fetch, send; give them as tools="):
        hx.skills.run("weather", {"city": "Bonn"})
    with pytest.raises(InvalidInput, match="needs send;"):
        hx.skills.run("weather", {"city": "Bonn"}, tools={"fetch": tools.fetch})
    for strange in ([tools.fetch], {"fetch": "fetch"}):
        with pytest.raises(
            InvalidInput, match="must be a mapping of names to callables"
        ):
            hx.skills.run("weather", {"city": "Bonn"}, tools=strange)  # type: ignore[arg-type]
    assert tools.calls == []


@requirement("SKILL-04")
def test_the_tools_of_a_registry_are_called_too_the_first_of_each_name(
    hx: Hexad, tools: Tools
) -> None:
    def fetch(city: str) -> str:
        raise AssertionError(city)

    make(hx)
    agent = hx.with_tool_registry(
        ToolRegistry(tool for tool in (tools.fetch, tools.send, fetch))
    )
    assert agent.skills.run("weather", {"city": "Bonn"}).ok
    assert agent.scoped(session="chat:1").skills.run("weather", {"city": "Bonn"}).ok
    described = hx.with_tool_registry([{"name": "fetch"}, {"name": "send"}])
    with pytest.raises(InvalidInput, match="needs fetch, send"):
        described.skills.run("weather", {"city": "Bonn"})


@requirement("SKILL-04")
def test_given_tools_are_stronger_than_those_of_the_registry(
    agent: Hexad, tools: Tools
) -> None:
    result = agent.skills.run(
        "weather", {"city": "Bonn"}, tools={"send": lambda text: text.upper()}
    )
    assert result.output == "BONN: 3 OF [3, 4]"


@requirement("SKILL-04", "LEARN-01")
def test_learning_sees_each_step_once_also_of_a_tool_that_is_watched_already(
    hx: Hexad, tools: Tools
) -> None:
    make(hx)
    watched = hx.watch(tools.fetch, name="look_up")
    result = hx.skills.run(
        "weather",
        {"city": "Nowhere"},
        tools={"fetch": watched, "send": tools.send},
        session="chat:1",
    )
    assert not result.ok
    called = [record for record in hx.audit.records() if record.action == "tool.call"]
    assert [(record.target, record.session) for record in called] == [
        ("look_up", "chat:1")
    ]
    assert [learning.trigger for learning in hx.learnings.list(noticed=True)] == [
        "tool:look_up"
    ]


@requirement("SKILL-04")
def test_a_tools_own_failure_rule_decides(hx: Hexad, tools: Tools) -> None:
    make(hx)
    strict = hx.watch(
        tools.send,
        failure=lambda result: "it was sent" if "sent" in str(result) else None,
    )
    broken = hx.watch(tools.send, failure=lambda _: 1 / 0)  # type: ignore[arg-type,return-value]
    result = hx.skills.run(
        "weather", {"city": "Bonn"}, tools={"fetch": tools.fetch, "send": strict}
    )
    assert result.error == "step 2 (send): it was sent"
    assert hx.skills.run(
        "weather", {"city": "Bonn"}, tools={"fetch": tools.fetch, "send": broken}
    ).ok


async def slow_fetch(city: str, days: int = 7) -> dict[str, Any]:
    """Look up the weather, slowly."""
    await asyncio.sleep(0)
    if city == "Nowhere":
        raise LookupError("no such city")
    return {
        "city": city,
        "degrees": [days],
        "loop": asyncio.get_running_loop(),
        "thread": threading.get_ident(),
    }


@requirement("SKILL-04")
def test_coroutines_are_waited_for_outside_a_loop_and_inside_of_one(
    hx: Hexad, tools: Tools
) -> None:
    make(hx)
    given = {"fetch": slow_fetch, "send": tools.send}
    assert (
        hx.skills.run("weather", {"city": "Bonn"}, tools=given).output
        == "sent Bonn: 7 of [7]"
    )
    assert hx.skills.run("weather", {"city": "Nowhere"}, tools=given).error.endswith(
        "LookupError: no such city"
    )

    async def inside() -> tuple[Any, Any]:
        blocking = hx.skills.run("weather", {"city": "Bonn"}, tools=given)
        awaited = await hx.skills.arun("weather", {"city": "Bonn"}, tools=given)
        failed = await hx.skills.arun("weather", {"city": "Nowhere"}, tools=given)
        assert awaited.steps[0].result["loop"] is asyncio.get_running_loop()
        assert (
            awaited.steps[0].result["thread"]
            == threading.get_ident()
            != blocking.steps[0].result["thread"]
        )
        assert failed.error.endswith("LookupError: no such city")
        return blocking.output, awaited.output

    assert asyncio.run(inside()) == ("sent Bonn: 7 of [7]",) * 2


@requirement("SKILL-04")
def test_a_run_that_is_cancelled_ends_and_is_audited_and_counts_nothing(
    hx: Hexad,
) -> None:
    steps: dict[str, Json] = {"steps": [{"tool": "wait"}]}
    hx.skills.create("wait", kind="composite", description="Wait", definition=steps)
    hx.skills.activate("wait")

    async def inside() -> None:
        started = asyncio.Event()

        async def wait() -> None:
            started.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(hx.skills.arun("wait", tools={"wait": wait}))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(inside())
    assert hx.skills.get("wait").run_count == 0
    assert outcomes(hx) == ["cancelled"]


@requirement("SKILL-04")
def test_what_comes_piece_by_piece_is_collected(hx: Hexad) -> None:
    def count(to: int) -> Iterator[int]:
        yield from range(to)

    async def stream(to: int) -> AsyncIterator[int]:
        for number in range(to):
            yield number

    steps: list[Json] = [
        {"tool": "count", "args": {"to": 3}, "save_as": "n"},
        {"tool": "stream", "args": {"to": "{{ n.2 }}"}},
    ]
    hx.skills.create(
        "pieces", kind="composite", description="Count", definition={"steps": steps}
    )
    hx.skills.activate("pieces")
    result = hx.skills.run("pieces", tools={"count": count, "stream": stream})
    assert ([step.result for step in result.steps], result.error) == (
        [[0, 1, 2], [0, 1]],
        "",
    )


@requirement("SKILL-04")
def test_skills_may_call_skills_but_not_without_end(hx: Hexad) -> None:
    for name, tool in (("a", "skill_b"), ("b", "skill_a"), ("c", "upper")):
        steps: dict[str, Json] = {"steps": [{"tool": tool}]}
        hx.skills.create(name, kind="composite", description=name, definition=steps)
        hx.skills.activate(name)

    def upper() -> str:
        return "C"

    agent = hx.with_tool_registry([upper])
    circle = agent.with_tool_registry([upper, *hx.skills.as_tools()])
    again = circle.with_tool_registry([upper, *circle.skills.as_tools()])
    for _ in range(9):
        again = again.with_tool_registry([upper, *again.skills.as_tools()])
    result = again.skills.run("a")
    assert not result.ok
    assert "is called 8 skills deep: a > b > a" in result.error
    assert agent.skills.run("c").output == "C"


@requirement("SKILL-01")
def test_templates_and_instructions_run_too(hx: Hexad) -> None:
    schema: dict[str, Json] = {"properties": {"name": {"type": "string"}}}
    hx.skills.create(
        "letter",
        kind="template",
        description="d",
        definition={"template": "Dear {{ name }},"},
        parameters=schema,
    )
    files: Json = {"a.txt": {"text": "x"}}
    hx.skills.create(
        "how",
        kind="instruction",
        description="d",
        definition={"text": "Do this", "files": files},
    )
    for name in ("letter", "how"):
        hx.skills.activate(name)
    assert hx.skills.run("letter", {"name": "Ada"}).output == "Dear Ada,"
    assert hx.skills.run("letter", {"name": "Ada"}, dry_run=True).output == "Dear Ada,"
    result = asyncio.run(hx.skills.arun("how"))
    assert (result.output, result.files, result.kind) == (
        "Do this",
        ("a.txt",),
        "instruction",
    )
    assert [hx.skills.get(name).success_count for name in ("letter", "how")] == [1, 1]


@requirement("SKILL-01", "SKILL-07")
def test_a_parameter_that_a_template_needs_and_is_not_given_is_no_failure_of_the_skill(
    hx: Hexad,
) -> None:
    hx.skills.create(
        "letter",
        kind="template",
        description="d",
        definition={"template": "{{ who.name if who is defined else name }}"},
        parameters={"properties": {"name": {}, "who": {}}},
    )
    hx.skills.activate("letter")
    for dry_run in (False, False, False, True):
        with pytest.raises(
            InvalidInput,
            match=r"parameters\.name: is used by the template, and was not given",
        ):
            hx.skills.run("letter", dry_run=dry_run)
    skill = hx.skills.get("letter")
    assert (skill.status, skill.run_count) == (SkillStatus.ACTIVE, 0)
    assert (
        "uses 'name', which is not there" in hx.skills.run("letter", {"who": {}}).error
    )


@requirement("SKILL-01")
def test_a_template_that_uses_what_its_schema_has_no_place_for_fails(hx: Hexad) -> None:
    hx.skills.create(
        "letter",
        kind="template",
        description="d",
        definition={"template": "{{ name }}"},
        parameters={},
    )
    hx.skills.activate("letter")
    assert "needs the parameter 'name'" in hx.skills.run("letter").error


@requirement("SKILL-03")
def test_only_active_skills_run_and_a_draft_can_be_tried_dry(
    hx: Hexad, tools: Tools
) -> None:
    make(hx)
    given = {"fetch": tools.fetch, "send": tools.send}
    for status, change in (
        (
            "draft",
            lambda: hx.skills.create(
                "weather", kind="instruction", description="d", definition={"text": "t"}
            ),
        ),
        ("deprecated", lambda: hx.skills.deprecate("weather")),
    ):
        change()
        with pytest.raises(SkillRefused, match=f"'weather' is (a )?{status}: see"):
            hx.skills.run("weather", tools=given)
        assert hx.skills.run("weather", dry_run=True).output == "t"
    with pytest.raises(NotFound):
        hx.skills.run("nothing")
    assert tools.calls == []


@requirement("SKILL-01", "AUDIT-01")
def test_each_run_is_counted_and_audited_with_its_outcome_and_without_content(
    agent: Hexad,
) -> None:
    agent.skills.run("weather", {"city": "Bonn"}, session="chat:1")
    agent.skills.run("weather", {"city": "Nowhere"}, session="chat:1")
    skill = agent.skills.get("weather")
    assert (skill.run_count, skill.success_count, skill.use_count, skill.recent) == (
        2,
        1,
        2,
        "+-",
    )
    assert skill.last_used is not None
    runs = [record for record in agent.audit.records() if record.action == "skill.run"]
    assert [
        (each.target, each.session, each.actor, dict(each.details)) for each in runs
    ] == [
        (
            "weather",
            "chat:1",
            "agent",
            {"kind": "composite", "version": 1, "outcome": "ok", "steps": 2},
        ),
        (
            "weather",
            "chat:1",
            "agent",
            {"kind": "composite", "version": 1, "outcome": "failed", "steps": 1},
        ),
    ]
    assert agent.audit.verify().ok


@requirement("SKILL-01")
def test_a_run_that_cannot_be_recorded_still_gives_its_result(
    tmp_path: Path, tools: Tools, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        opened(tmp_path / "agent.db", lock_timeout=0.05) as hx,
        opened(tmp_path / "agent.db") as other,
    ):
        make(hx)
        with (
            caplog.at_level(logging.WARNING, "hexad"),
            other.store.transaction("default"),
        ):
            result = hx.skills.run(
                "weather",
                {"city": "Bonn"},
                tools={"fetch": tools.fetch, "send": tools.send},
            )
        assert result.ok
        assert "a run of skill weather was not recorded" in caplog.text
        assert hx.skills.get("weather").run_count == 0


@requirement("SKILL-01")
def test_a_skill_that_was_offered_and_worked_is_found_by_that_questions_words(
    agent: Hexad,
) -> None:
    scope = agent.scoped(session="chat:1")
    scope.prompt("", "weather before the picnic")
    scope.skills.run("weather", {"city": "Nowhere"})
    assert agent.habits.of("skill_patterns", "weather") == ()
    scope.skills.run("weather", {"city": "Bonn"})
    assert "picnic" in {
        each.term for each in agent.habits.of("skill_patterns", "weather")
    }
    assert [item.key for item in agent.retrieve("picnic").all()] == ["weather"]


def outcomes(hx: Hexad) -> list[Json]:
    return [
        record.details["outcome"]
        for record in hx.audit.records()
        if record.action == "skill.run"
    ]


def called(hx: Hexad) -> list[str]:
    return [
        record.target for record in hx.audit.records() if record.action == "tool.call"
    ]


@requirement("SKILL-04", "LEARN-01")
def test_what_a_cancelled_run_did_before_is_learned_and_the_run_is_not_counted(
    hx: Hexad, tools: Tools
) -> None:
    make(hx)

    async def inside() -> None:
        started = asyncio.Event()

        async def send(text: str) -> str:
            started.set()
            await asyncio.Event().wait()
            return text

        task = asyncio.create_task(
            hx.skills.arun(
                "weather", {"city": "Bonn"}, tools={"fetch": tools.fetch, "send": send}
            )
        )
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(inside())
    assert called(hx) == ["fetch"]
    assert outcomes(hx) == ["cancelled"]
    assert (hx.skills.get("weather").run_count, hx.skills.get("weather").recent) == (
        0,
        "",
    )


@requirement("SKILL-04")
def test_an_interrupted_run_lets_the_interrupt_through(hx: Hexad, tools: Tools) -> None:
    make(hx)

    def interrupt(text: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hx.skills.run(
            "weather", {"city": "Bonn"}, tools={"fetch": tools.fetch, "send": interrupt}
        )
    assert called(hx) == ["fetch"]
    assert outcomes(hx) == ["cancelled"]


@requirement("SKILL-04")
def test_a_tools_wrong_arguments_are_its_steps_failure(hx: Hexad, tools: Tools) -> None:
    make(hx)
    result = hx.skills.run(
        "weather",
        {"city": "Bonn"},
        tools={"fetch": lambda town: town, "send": tools.send},
    )
    assert "step 1 (fetch): TypeError" in result.error
