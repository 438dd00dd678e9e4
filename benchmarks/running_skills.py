"""The cost of running a composite skill beyond the calls of its tools."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias

from benchmarks.figures import Figure, seconds
from hexad import Hexad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Tool: TypeAlias = "Callable[..., Any]"
RUNS, WARM, SKILLS = 500, 200, 2_000
STEPS = [
    {"tool": "_fetch", "args": {"city": "{{ city }}"}, "save_as": "found"},
    {"tool": "_format", "args": {"degrees": "{{ found.degrees }}"}, "save_as": "text"},
    {"tool": "_send", "args": {"text": "{{ city }}: {{ text }}"}},
]


def measure(folder: Path) -> Iterator[Figure]:
    """A run with three steps over the three watched calls that it makes, in watched
    calls.
    """
    with Hexad.open(
        folder / "running.db", enabled=True, session="bench", semantic=False
    ) as bare:
        tools = [bare.watch(tool) for tool in (_fetch, _format, _send)]
        hx = bare.with_tool_registry(tools)
        _fill(hx)
        runs = [partial(_checked, hx, f"city {n}") for n in range(WARM + RUNS)]
        calls = [partial(_by_hand, *tools, f"city {n}") for n in range(WARM + RUNS)]
        turns = [tuple(map(seconds, turn)) for turn in zip(runs, calls, strict=True)][
            WARM:
        ]
        assert hx.skills.get("weather").success_count == WARM + RUNS, (
            "a run was not counted"
        )
    run, by_hand = (median(each) for each in zip(*turns, strict=True))
    more, call = run - by_hand, by_hand / len(STEPS)
    detail = f"{more * 1000:.2f} ms more than its three watched calls, one of which takes {call * 1000:.2f} ms"
    name = "running a composite skill of three steps, beyond its watched calls, in watched calls, median"
    yield Figure(name, more / call, 2.0, detail=f"{detail}; {SKILLS:,} skills")


def _fetch(city: str) -> dict[str, object]:
    return {"city": city, "degrees": 21}


def _format(degrees: int) -> str:
    return f"{degrees} °C"


def _send(text: str) -> str:
    return text


def _checked(hx: Hexad, city: str) -> None:
    assert hx.skills.run("weather", {"city": city}).ok


def _by_hand(fetch: Tool, format_: Tool, send: Tool, city: str) -> None:
    found = fetch(city=city)
    text = format_(degrees=found["degrees"])
    send(text=f"{city}: {text}")


def _fill(hx: Hexad) -> None:
    schema = {"properties": {"city": {"type": "string"}}, "required": ["city"]}
    hx.skills.create(
        "weather",
        kind="composite",
        description="Weather",
        definition={"steps": STEPS},
        parameters=schema,
    )
    hx.skills.activate("weather")
    for number in range(SKILLS):
        hx.skills.create(
            f"other {number}",
            kind="instruction",
            description="Other",
            definition={"text": "x"},
        )
