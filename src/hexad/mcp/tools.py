"""The nine tools as MCP tools: schemas from signatures and docstrings, work in threads, errors as sentences."""

from __future__ import annotations

import functools
import inspect
import logging
import re
from typing import TYPE_CHECKING, Annotated, Any, Final, get_type_hints

from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

from hexad import agent_tools
from hexad.errors import HexadError
from hexad.mcp import foreign
from hexad.mcp.answers import answered, failed, faults, refused, sentence, unexpected
from hexad.mcp.incoming import Unreadable, read
from hexad.mcp.leaving import while_connected
from hexad.mcp.progress import reporting
from hexad.mcp.schemas import ANSWERS, BOUNDS
from hexad.mcp.threads import READING, RUNNING, SEARCHING, WRITING, in_thread
from hexad.memory.redaction import redact
from hexad.skills.driving import Halt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp.server.mcpserver import Context
    from mcp_types import CallToolResult

    from hexad.facade import Hexad
    from hexad.mcp.callers import Caller, Callers

COUNT: Final = len(agent_tools.NAMES) + len(foreign.NAMES)
_READING: Final = frozenset({"search_knowledge", "search_learnings", "list_skills", "get_context"})
_PLACES: Final = {
    "get_context": READING,
    "search_knowledge": SEARCHING,
    "search_learnings": SEARCHING,
    "list_skills": SEARCHING,
    "run_skill": RUNNING,
}
_SECTION: Final = re.compile(r"^(?:Args|Returns):$", re.MULTILINE)
_ARGUMENT: Final = re.compile(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", re.MULTILINE)


class Desk:
    """Where requests are worked on: one engine, its callers, and the callables that skills may go through."""

    def __init__(
        self, hx: Hexad, callers: Callers, skill_tools: Mapping[str, Callable[..., Any]], *, beat: float
    ) -> None:
        self.hx = hx
        self.beat = beat
        self._callers = callers
        self._skill_tools = skill_tools

    def caller(self, context: Context[Any, Any]) -> Caller:
        """Who makes a request."""
        return self._callers.of(context)

    def scope(self, caller: Caller) -> Hexad:
        """The engine as a caller sees it."""
        return caller.scope(self.hx, tools=COUNT)

    def six(self, own: Hexad, caller: Caller) -> dict[str, Callable[..., Any]]:
        """The agent tools in one session."""
        tell = functools.partial(sentence, renewal=caller.renewal)
        return dict(zip(agent_tools.NAMES, agent_tools.agent_tools(own, tell=tell), strict=True))

    def foreign(self, caller: Caller, progress: Callable[[int, int, str], None], halt: Halt) -> foreign.Foreign:
        """The other tools in one session."""
        own = self.scope(caller)
        return foreign.Foreign(own, {**self.six(own, caller), **self._skill_tools}, progress, halt)


class OwnTool(Tool):
    """A tool of ours. It is called with the request's context and the arguments, once they are checked."""

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:  # noqa: FBT001, FBT002 - the SDK's
        """What the tool answers; an error is an answer too."""
        shape = self.fn_metadata.arg_model
        try:
            given = {name: _unwrapped(shape, name, value) for name, value in arguments.items() if value is not None}
            checked = shape.model_validate(given).model_dump_one_level()
        except ValidationError as error:
            return refused(f"{self.name}: {faults(error, list(self.parameters['properties']))}")
        except Unreadable as error:
            return refused(f"{self.name}: {error}")
        return await self.fn(context, **checked)


def _unwrapped(shape: type[BaseModel], name: str, value: object) -> object:
    """An argument; some clients send an object or a list as a text of JSON."""
    field = shape.model_fields.get(name)
    if field is None or field.annotation is str or not isinstance(value, str) or value.lstrip()[:1] not in {"{", "["}:
        return value
    try:
        return read(value)
    except Unreadable as error:
        if field.annotation is Any:  # then it is a text, whatever it looks like
            return value
        raise Unreadable(f"{name}, which came as text: {error}") from None


def tools_of(desk: Desk) -> list[Tool]:
    """Every tool, over one desk."""
    plain = foreign.Foreign(desk.hx)
    shapes = dict(zip(agent_tools.NAMES, agent_tools.agent_tools(desk.hx), strict=True))
    six = [_tool(name, shape, _agent_call(desk, name)) for name, shape in shapes.items()]
    return [*six, *(_tool(name, getattr(plain, name), _foreign_call(desk, name)) for name in foreign.NAMES)]


def _agent_call(desk: Desk, name: str) -> Callable[..., Any]:
    async def call(context: Context[Any, Any], **given: Any) -> CallToolResult:
        caller = desk.caller(context)
        async with reporting(context, f"{name} is under way", beat=desk.beat, at_once=False):
            told = await _told(name, lambda: desk.six(desk.scope(caller), caller)[name](**given))
        return answered(_adapted(name, told))

    return call


def _adapted(name: str, told: dict[str, Any]) -> dict[str, Any]:
    """Over MCP one tool runs every skill."""
    if name == "list_skills" and "skills" in told:
        return {**told, "skills": [{**skill, "tool": "run_skill"} for skill in told["skills"]]}
    return told


def _foreign_call(desk: Desk, name: str) -> Callable[..., Any]:
    async def call(context: Context[Any, Any], **given: Any) -> CallToolResult:
        caller, halt = desk.caller(context), Halt()
        told = failed(f"{name} was stopped, since the client hung up; call it again")
        async with (
            while_connected(context),
            reporting(context, f"{name} has begun", beat=desk.beat) as progress,
        ):
            tool = functools.partial(getattr(desk.foreign(caller, progress, halt), name), **given)
            told = await _told(name, tool, stop=halt)
        return answered(told, *_texts(told))

    return call


async def _told(name: str, work: Callable[[], dict[str, Any]], **given: Any) -> dict[str, Any]:
    """What the work comes to, in a thread. An error is an answer too: the client gets a sentence, whatever happened."""
    try:
        return await in_thread(work, among=_PLACES.get(name, WRITING), **given)
    except HexadError as error:
        return failed(sentence(error))
    except Exception as error:  # noqa: BLE001 - likewise
        logging.getLogger("hexad").warning("%s failed: %s", name, redact(repr(error)).text)
        return failed(unexpected(name, error))


def _texts(told: Mapping[str, Any]) -> list[str]:
    """Context is text: a client that reads no structure should not have to read JSON."""
    text = told["prompt"]["text"].strip() if "prompt" in told else ""
    return [text] if text else []


def _tool(name: str, shape: Callable[..., Any], call: Callable[..., Any]) -> Tool:
    """A tool that looks like one callable and is worked on by another."""
    summary, described = _documented(shape)
    tool = OwnTool.from_function(
        _with_descriptions(name, shape, described),
        name=name,
        title=name.replace("_", " ").capitalize(),
        description=summary,
        annotations=_annotations(name),
        structured_output=False,
    )
    arguments = tool.fn_metadata.arg_model
    arguments.model_config["extra"] = "forbid"  # a misspelt argument must not be ignored
    arguments.model_rebuild(force=True)
    tool.fn_metadata.output_schema = ANSWERS[name]
    return tool.model_copy(update={"fn": call, "parameters": arguments.model_json_schema(by_alias=True)})


def _annotations(name: str) -> ToolAnnotations:
    runs = name == "run_skill"
    return ToolAnnotations(
        read_only_hint=name in _READING,
        destructive_hint=runs,
        idempotent_hint=name not in {"run_skill", "report_tool_result"},
        open_world_hint=runs,
    )


def _documented(tool: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """What a docstring says of a callable, and of each of its arguments."""
    text = inspect.cleandoc(tool.__doc__ or "")
    summary = _SECTION.split(text, maxsplit=1)[0].strip()
    return summary, {name: " ".join(told.split()) for name, told in _ARGUMENT.findall(text)}


def _with_descriptions(name: str, tool: Callable[..., Any], described: Mapping[str, str]) -> Callable[..., Any]:
    """A callable of the same signature, each argument with its description."""
    signature, hints = inspect.signature(tool), get_type_hints(inspect.unwrap(tool))
    parameters = [
        each.replace(
            annotation=Annotated[hints[each.name], Field(description=described[each.name], **BOUNDS.get(each.name, {}))]
        )
        for each in signature.parameters.values()
    ]

    def shape(**given: Any) -> Any:
        raise NotImplementedError(given)  # the SDK reads its signature; `OwnTool` calls another

    shape.__name__ = name
    shape.__signature__ = signature.replace(parameters=parameters, return_annotation=dict)  # type: ignore[attr-defined]
    return shape
