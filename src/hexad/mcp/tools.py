"""The tools as MCP tools: schemas from signatures and docstrings, work in threads,
errors as sentences.
"""

from __future__ import annotations

import inspect
import json
import re
from contextlib import asynccontextmanager
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any, Final, get_type_hints

import anyio
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

from hexad import agent_tools
from hexad.agent_tools import error_answer
from hexad.agents.warnings import said_once
from hexad.errors import HexadError
from hexad.mcp import CONTEXT_TOOLS, context_tools
from hexad.mcp.answers import faults, result_of, sentence, unexpected
from hexad.mcp.backend import READING, RUNNING, SEARCHING, WRITING, Backend
from hexad.memory.troubles import tell
from hexad.schemas import BOUNDS
from hexad.skills.waiting import Halt

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from mcp.server.mcpserver import Context
    from starlette.requests import Request


BEAT: Final = 1.0  # seconds between reports of a call in flight
_SEARCHES: Final = (
    "search_knowledge",
    "list_knowledge",
    "search_learnings",
    "list_skills",
)
_READ_ONLY: Final = frozenset({*_SEARCHES, "get_context"})
_POOLS: Final = {
    "get_context": READING,
    "run_skill": RUNNING,
    **dict.fromkeys(_SEARCHES, SEARCHING),
}
_SECTION: Final = re.compile(r"^(?:Args|Returns):$", re.MULTILINE)
_ARGUMENT: Final = re.compile(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", re.MULTILINE)


def _shown(**schema: Any) -> dict[str, Any]:
    """A bound that a model sees; the engine checks it, with a sentence of its own."""
    return {"json_schema_extra": schema}


_BOUNDS: Final[
    dict[str, dict[str, Any]]
] = {  # of arguments, by name; the same in every tool
    "limit": {"ge": 1, "le": 200},  # nothing else bounds an answer
    "budget": _shown(minimum=0),
    "tools": _shown(maxItems=context_tools.MOST_TOOLS),
    "tool": _shown(**BOUNDS["name"]),
    **{name: _shown(**bounds) for name, bounds in BOUNDS.items()},  # as over HTTP
}


class McpTool(Tool):
    """A tool of ours. It is called with the request's context and the arguments, once
    they are checked.
    """

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        convert_result: bool = False,  # noqa: FBT001, FBT002 - the SDK's
    ) -> Any:
        """The tool's answer; an error is an answer too."""
        shape = self.fn_metadata.arg_model
        try:
            given = {
                name: _unwrapped(shape, name, value)
                for name, value in arguments.items()
                if value is not None
            }
            checked = shape.model_validate(given).model_dump_one_level()
        except ValidationError as error:
            return result_of(
                error_answer(
                    f"{self.name}: {faults(error, list(self.parameters['properties']))}"
                )
            )
        return await self.fn(context, **checked)


def _unwrapped(shape: type[BaseModel], name: str, value: object) -> object:
    """An argument; some clients send an object or a list as a text of JSON."""
    field = shape.model_fields.get(name)
    if (
        field is None
        or field.annotation is str
        or not isinstance(value, str)
        or value.lstrip()[:1] not in {"{", "["}
    ):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):  # a text that only looks like JSON
        return value


def tools_of(backend: Backend) -> list[Tool]:
    """Every tool, over one backend."""
    shared = agent_tools.agent_tools(backend.hx)
    context = (
        getattr(context_tools.ContextTools(backend.hx), name) for name in CONTEXT_TOOLS
    )
    return [
        _tool(shape.__name__, shape, _call(backend, shape.__name__))
        for shape in (*shared, *context)
    ]


def _call(backend: Backend, name: str) -> Callable[..., Any]:
    """Calls a tool in the session of a request; the work ends when the client
    disconnects, if it can be stopped.
    """

    async def call(context: Context[Any, Any], **given: Any) -> CallToolResult:
        halt = Halt()
        answer = error_answer(
            f"{name} was stopped, since the client disconnected; call it again"
        )
        async with _in_flight(
            context,
            f"{name} is in progress",
            beat=backend.beat,
            at_once=name == "run_skill",
        ):
            with said_once((__name__, backend.sessions.of(context).id)):
                answer = await _answer(
                    name, lambda: backend.tool(name, context, halt)(**given), stop=halt
                )
        if (
            name == "list_skills" and "skills" in answer
        ):  # over MCP one tool runs every skill
            answer["skills"] = [
                {**skill, "tool": "run_skill"} for skill in answer["skills"]
            ]
        return result_of(answer)

    return call


@asynccontextmanager
async def _in_flight(
    context: Context[Any, Any], doing: str, *, beat: float, at_once: bool
) -> AsyncIterator[None]:
    """Report every ``beat`` seconds that the body still runs, and cancel it when the
    connection of its client closes.

    Without ``at_once``, work that ends within one beat is not reported. Pipes end with
    the server.
    """
    request: Request | None = context.request_context.request

    async def report() -> None:
        for number in count():
            if number or at_once:
                await context.report_progress(number, None, doing)
            await anyio.sleep(beat)

    async def cancel_on_disconnect(request: Request) -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(report)
        if request is not None:
            group.start_soon(cancel_on_disconnect, request)
        yield
        group.cancel_scope.cancel()


async def _answer(
    name: str, work: Callable[[], dict[str, Any]], **given: Any
) -> dict[str, Any]:
    """The result of the work, in a thread. Any error is an answer too, in one sentence."""
    try:
        return await _POOLS.get(name, WRITING).run(work, **given)
    except HexadError as error:
        return error_answer(sentence(error))
    except Exception as error:  # noqa: BLE001 - the client gets a sentence
        tell(f"{name} failed", error)
        return error_answer(unexpected(name, error))


def _tool(name: str, shape: Callable[..., Any], call: Callable[..., Any]) -> Tool:
    """A tool with the signature and docstring of one callable and the work of another."""
    text = inspect.cleandoc(shape.__doc__ or "")
    described = {
        argument: " ".join(said.split()) for argument, said in _ARGUMENT.findall(text)
    }
    tool = McpTool.from_function(
        _with_descriptions(name, shape, described),
        name=name,
        title=name.replace("_", " ").capitalize(),
        description=_SECTION.split(text, maxsplit=1)[0].strip(),
        annotations=ToolAnnotations(
            read_only_hint=name in _READ_ONLY,
            destructive_hint=name in {"run_skill", "delete_knowledge"},
            idempotent_hint=name not in {"run_skill", "report_tool_result"},
            open_world_hint=name == "run_skill",
        ),
        structured_output=False,
    )
    arguments = tool.fn_metadata.arg_model
    arguments.model_config["extra"] = (
        "forbid"  # a misspelt argument must not be ignored
    )
    arguments.model_rebuild(force=True)
    return tool.model_copy(
        update={"fn": call, "parameters": arguments.model_json_schema(by_alias=True)}
    )


def _with_descriptions(
    name: str, tool: Callable[..., Any], described: Mapping[str, str]
) -> Callable[..., Any]:
    """A callable of the same signature, each argument with its description."""
    signature, hints = inspect.signature(tool), get_type_hints(inspect.unwrap(tool))
    fields = {
        each: Field(description=described[each], **_BOUNDS.get(each, {}))
        for each in signature.parameters
    }
    listed = signature.parameters.values()
    parameters = [
        each.replace(annotation=Annotated[hints[each.name], fields[each.name]])
        for each in listed
    ]

    def shape(**given: Any) -> Any:
        raise NotImplementedError(
            given
        )  # the SDK reads its signature; `McpTool` calls another

    shape.__name__ = name
    seen = signature.replace(parameters=parameters, return_annotation=dict)
    shape.__signature__ = seen  # type: ignore[attr-defined]
    return shape
