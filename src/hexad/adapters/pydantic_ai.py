"""pydantic-ai: `HexadMemory` is a capability: context, the agent tools, and learning
from what tools do.

::

    Agent(model, capabilities=[HexadMemory(hx, user="dana")])

Put it last: the first capability is the outermost, and one inside ours hides failures
that it handles.

What is known of a tool's arguments stands behind its description, in the request alone.
What is known of a failure stands behind the message of a `ModelRetry`; other exceptions
go on as they are, and so do arguments that do not fit, which the model reads as a list.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from hexad.extras import require_extra

require_extra("pydantic-ai", "the pydantic-ai adapter", "pydantic_ai.capabilities")

from pydantic_ai.capabilities import AbstractCapability  # noqa: E402 - a missing package is reported first
from pydantic_ai.exceptions import (  # noqa: E402
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    SkipToolExecution,
    ToolRetryError,
)
from pydantic_ai.messages import (  # noqa: E402
    InstructionPart,
    ModelRequest,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.toolsets import FunctionToolset  # noqa: E402

from hexad.agents.agent import AgentMemory, EndedCall, Named  # noqa: E402
from hexad.agents.context import BUDGET, Latest  # noqa: E402
from hexad.agents.transcripts import described  # noqa: E402
from hexad.calls.advice import advised_result  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pydantic_ai import RunContext
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.tools import ToolDefinition

    from hexad.facade import Hexad

_CONTROL_FLOW: Final = (ApprovalRequired, CallDeferred, SkipToolExecution)


class HexadMemory(AbstractCapability[Any]):
    """Everything for an agent; ``tools=False`` leaves its tools as they are.

    ``user`` says whose memory it is: a name, or a function of the run's context, such
    as ``lambda ctx: ctx.deps.user``. The conversation's id is the session, unless
    ``session`` says otherwise.
    """

    def __init__(
        self,
        hx: Hexad,
        *,
        user: Named = "",
        session: Named = "",
        budget: int = BUDGET,
        tools: bool = True,
    ) -> None:
        self._memory = AgentMemory(hx, user=user, session=session, budget=budget)
        self._tools = self._memory.tools() if tools else ()

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """The agent tools."""
        return FunctionToolset(self._tools) if self._tools else None

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """The request with context; its messages are the request's own, and are not
        stored.
        """
        found = _latest(request_context.messages)
        latest = None if found is None else Latest(*found[1:], ctx.run_id or "")
        session = ctx.conversation_id or ""
        added = await self._memory.arecall(ctx, latest, session=session)
        names = [
            each.name
            for each in request_context.model_request_parameters.function_tools
        ]
        notes = await self._memory.anotes(ctx, names, session=session)
        if added.found and found is not None:
            messages, (inside, _, place, _) = list[Any](request_context.messages), found
            parts = list(messages[place].parts)
            parts.insert(
                inside, UserPromptPart(added.found)
            )  # before the user's, and behind results of tools
            messages[place] = replace(messages[place], parts=parts)
            request_context = replace(request_context, messages=messages)
        if added.standing:
            parameters = request_context.model_request_parameters
            parts = [
                *(parameters.instruction_parts or ()),
                InstructionPart(added.standing, dynamic=True),
            ]
            changed = replace(parameters, instruction_parts=parts)
            request_context = replace(request_context, model_request_parameters=changed)
        if notes:
            parameters = request_context.model_request_parameters
            tools = [
                _described(each, notes.get(each.name, ""))
                for each in parameters.function_tools
            ]
            changed = replace(parameters, function_tools=tools)
            request_context = replace(request_context, model_request_parameters=changed)
        return request_context

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: Any,
        args: dict[str, Any],
        handler: Callable[[dict[str, Any]], Awaitable[Any]],
    ) -> Any:
        """The tool's result, recorded; its errors and retries too."""
        session = ctx.conversation_id or ""
        try:
            with self._memory.serving(ctx, session=session):
                result = await handler(args)
        except _CONTROL_FLOW:
            raise
        except (ModelRetry, ToolRetryError) as error:
            ended = EndedCall(call.tool_name, args, error=_said(error))
            _tell(error, await self._memory.abeside(ctx, ended, session=session))
            raise
        except Exception as error:
            await self._memory.alearn(
                ctx, EndedCall(call.tool_name, args, error=error), session=session
            )
            raise
        text = await self._memory.abeside(
            ctx, EndedCall(call.tool_name, args, result), session=session
        )
        return _told(result, text) if text else result

    async def on_tool_validate_error(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: Any,
        args: Any,
        error: Any,
    ) -> dict[str, Any]:
        """Learn from arguments that do not fit."""
        ended = EndedCall(call.tool_name, args, error=error)
        await self._memory.alearn(ctx, ended, session=ctx.conversation_id or "")
        raise error


def _described(tool: ToolDefinition, note: str) -> ToolDefinition:
    """The tool as the model sees it, with a note behind its description."""
    return (
        replace(tool, description=described(tool.description, note)) if note else tool
    )


def _told(result: Any, text: str) -> Any:
    """The result with a text for the model."""
    if isinstance(result, str):
        return f"{result}\n{text}"
    return advised_result(result, text)


def _said(error: ModelRetry | ToolRetryError) -> str:
    """The text that the model reads of a tool that wants to be called again."""
    return (
        error.message
        if isinstance(error, ModelRetry)
        else str(error.tool_retry.content)
    )


def _tell(error: ModelRetry | ToolRetryError, text: str) -> None:
    """Put a text for the model behind the message of a tool that wants to be called
    again.
    """
    if text and isinstance(error, ModelRetry):
        error.message = f"{error.message}\n{text}"
    elif (
        text
        and isinstance(error, ToolRetryError)
        and isinstance(error.tool_retry.content, str)
    ):
        error.tool_retry = replace(
            error.tool_retry, content=f"{error.tool_retry.content}\n{text}"
        )


def _latest(messages: Sequence[Any]) -> tuple[int, str, int, bool] | None:
    """The user's latest message: the place of its part in it, its words, its own place,
    and whether it is the last.
    """
    for place in reversed(range(len(messages))):
        parts = (
            messages[place].parts if isinstance(messages[place], ModelRequest) else ()
        )
        for inside in reversed(range(len(parts))):
            if isinstance(parts[inside], UserPromptPart):
                return (
                    inside,
                    _text(parts[inside].content),
                    place,
                    place == len(messages) - 1,
                )
    return None


def _text(content: Any) -> str:
    parts = [content] if isinstance(content, str) else content
    return "\n".join(
        filter(
            None,
            (
                part if isinstance(part, str) else getattr(part, "text", "")
                for part in parts
            ),
        )
    )
