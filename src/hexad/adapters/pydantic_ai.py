"""pydantic-ai: `HexadMemory` is a capability: context, the agent tools, and learning from what tools do.

::

    Agent(model, capabilities=[HexadMemory(hx, user="dana")])

Put it last: the first capability is the outermost, and one inside ours hides failures that it handles.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from hexad.extras import require_extra

require_extra("pydantic-ai", "the pydantic-ai adapter", "pydantic_ai.capabilities")

from pydantic_ai.capabilities import AbstractCapability  # noqa: E402 - a missing package is reported first
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipToolExecution, ToolRetryError  # noqa: E402
from pydantic_ai.messages import InstructionPart, ModelRequest, ToolCallPart, UserPromptPart  # noqa: E402
from pydantic_ai.toolsets import FunctionToolset  # noqa: E402

from hexad.edges.agent import AgentMemory, Ended, Named  # noqa: E402
from hexad.edges.context import BUDGET, Latest  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pydantic_ai import RunContext
    from pydantic_ai.models import ModelRequestContext

    from hexad.facade import Hexad

_CONTROL_FLOW: Final = (ApprovalRequired, CallDeferred, SkipToolExecution)


class HexadMemory(AbstractCapability[Any]):
    """Everything for an agent; ``tools=False`` leaves its tools as they are.

    ``user`` says whose memory it is: a name, or a function of the run's context, such as ``lambda ctx: ctx.deps.user``.
    The conversation's id is the session, unless ``session`` says otherwise.
    """

    def __init__(
        self, hx: Hexad, *, user: Named = "", session: Named = "", budget: int = BUDGET, tools: bool = True
    ) -> None:
        self._memory = AgentMemory(hx, user=user, session=session, budget=budget)
        self._tools = self._memory.tools() if tools else ()

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """The agent tools."""
        return FunctionToolset(self._tools) if self._tools else None

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """The request with context; its messages are the request's own, and are not stored."""
        found = _latest(request_context.messages)
        latest = None if found is None else Latest(*found[1:], ctx.run_id or "")
        added = await self._memory.arecall(ctx, latest, session=ctx.conversation_id or "")
        if added.found and found is not None:
            messages, (inside, _, place, _) = list[Any](request_context.messages), found
            parts = list(messages[place].parts)
            parts.insert(inside, UserPromptPart(added.found))  # before the user's, and behind results of tools
            messages[place] = replace(messages[place], parts=parts)
            request_context = replace(request_context, messages=messages)
        if added.standing:
            parameters = request_context.model_request_parameters
            parts = [*(parameters.instruction_parts or ()), InstructionPart(added.standing, dynamic=True)]
            changed = replace(parameters, instruction_parts=parts)
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

        def ended(result: Any, error: Exception | None) -> Ended | None:
            said = str(error.tool_retry.content) if isinstance(error, ToolRetryError) else error
            return None if isinstance(error, _CONTROL_FLOW) else Ended(call.tool_name, args, result, said)

        return await self._memory.recorded(ctx, lambda: handler(args), ended, session=ctx.conversation_id or "")

    async def on_tool_validate_error(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: Any, args: Any, error: Any
    ) -> dict[str, Any]:
        """Learn from arguments that do not fit."""
        ended = Ended(call.tool_name, args, error=error)
        await self._memory.alearn(ctx, ended, session=ctx.conversation_id or "")
        raise error


def _latest(messages: Sequence[Any]) -> tuple[int, str, int, bool] | None:
    """The user's latest message: the place of its part in it, its words, its own place, and whether it is the last."""
    for place in reversed(range(len(messages))):
        parts = messages[place].parts if isinstance(messages[place], ModelRequest) else ()
        for inside in reversed(range(len(parts))):
            if isinstance(parts[inside], UserPromptPart):
                return inside, _text(parts[inside].content), place, place == len(messages) - 1
    return None


def _text(content: Any) -> str:
    parts = [content] if isinstance(content, str) else content
    return "\n".join(filter(None, (part if isinstance(part, str) else getattr(part, "text", "") for part in parts)))
