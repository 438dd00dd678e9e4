"""Composite skills: the agent's own tools, one after the other, each with arguments
from parameters and results.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from hexad.errors import InvalidInput, MissingExtra, NoSandbox
from hexad.skills.placeholders import Unresolved, fill, name_of, references, whole

if TYPE_CHECKING:
    from hexad.skills.waiting import Wait

ToolCall: TypeAlias = Callable[..., Any]


class StepTool(Protocol):
    """A tool as a step calls it, with a rule for failed results."""

    call: ToolCall

    def failure(self, result: object) -> str | None:
        """The failure that a result reports, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a run: what was called, with what, and what came of it. ``ok`` is
    None for one that did not run.
    """

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    save_as: str = ""
    ok: bool | None = None
    result: Any = None
    error: str = ""
    seconds: float = 0.0


def refuse_gaps(steps: Sequence[Mapping[str, Any]], absent: frozenset[str]) -> None:
    """Refuse to run without an optional parameter that a step needs.

    An argument that is only such a reference is left out; one inside a longer text or
    object must be given.
    """
    for place, step in enumerate(steps if absent else (), start=1):
        for name, argument in step.get("args", {}).items():
            missing = next(
                (name for name in map(name_of, references(argument)) if name in absent),
                None,
            )
            if missing is not None and whole(argument) is None:
                where = f"step {place} ({step['tool']}) puts it into {name!r}"
                raise InvalidInput(f"parameters.{missing}", f"is missing: {where}")


async def perform(
    wait: Wait,
    steps: Sequence[Mapping[str, Any]],
    given: Mapping[str, Any],
    absent: frozenset[str],
    tools: Mapping[str, StepTool],
) -> tuple[Step, ...]:
    """Every step in order, until one fails; those behind it are reported as not run."""
    known, done = dict(given), []
    for place, step in enumerate(steps):
        came = await _perform(wait, step, known, absent, tools[step["tool"]])
        done.append(came)
        if not came.ok:
            return (*done, *plan(steps[place + 1 :], known, absent))
        if came.save_as:
            known[came.save_as] = came.result
    return tuple(done)


async def _perform(
    wait: Wait,
    step: Mapping[str, Any],
    known: Mapping[str, Any],
    absent: frozenset[str],
    tool: StepTool,
) -> Step:
    started, args = perf_counter(), _present(step, absent)
    result, error = None, ""
    try:
        args = fill(args, known)
    except Unresolved as gap:
        error = str(gap)
    else:
        result, error = await _attempted(wait, tool, args)
    seconds, saved = perf_counter() - started, step.get("save_as", "")
    return Step(
        tool=step["tool"],
        args=args,
        save_as=saved,
        ok=not error,
        result=result,
        error=error,
        seconds=seconds,
    )


async def _attempted(
    wait: Wait, tool: StepTool, args: Mapping[str, Any]
) -> tuple[Any, str]:
    """The result of a call, and its error if it failed."""
    result, failed = None, None
    try:
        result = await _called(wait, tool.call, args)
        failed = tool.failure(result)
    except (NoSandbox, MissingExtra):
        raise  # nothing is wrong with the steps: they cannot run on this machine
    except Exception as error:  # noqa: BLE001 - every error of a tool is this step's error
        failed = one_line(error)
    return result, "" if failed is None else failed or "it reports a failure"


def one_line(error: BaseException) -> str:
    """The type of an error, and what it says."""
    return f"{type(error).__name__}: {error}".removesuffix(": ")


async def _called(wait: Wait, tool: ToolCall, args: Mapping[str, Any]) -> Any:
    """The value of a tool's result: a coroutine is awaited, a generator is collected."""
    result = tool(**args)
    if inspect.isawaitable(result):
        result = await wait.awaited(result)
    if inspect.isasyncgen(result):
        result = await wait.awaited(_collected(result))
    return list(result) if inspect.isgenerator(result) else result


async def _collected(pieces: AsyncIterable[Any]) -> list[Any]:
    return [piece async for piece in pieces]


def plan(
    steps: Sequence[Mapping[str, Any]], known: Mapping[str, Any], absent: frozenset[str]
) -> Iterator[Step]:
    """The steps with their arguments filled in as far as they are known before they
    run.
    """
    for step in steps:
        args = {
            name: _known(argument, known)
            for name, argument in _present(step, absent).items()
        }
        yield Step(tool=step["tool"], args=args, save_as=step.get("save_as", ""))


def _known(argument: Any, known: Mapping[str, Any]) -> Any:
    """An argument as far as it is known; a reference that leads nowhere is reported by
    its step.
    """
    try:
        return fill(argument, known, partly=True)
    except Exception:  # noqa: BLE001 - a plan shows what it can
        return argument


def _present(step: Mapping[str, Any], absent: frozenset[str]) -> dict[str, Any]:
    """A step's arguments, without references to optional parameters that the caller
    omitted.
    """
    args: dict[str, Any] = step.get("args", {})
    if not absent:
        return args
    return {
        name: value
        for name, value in args.items()
        if (only := whole(value)) is None or name_of(only) not in absent
    }
