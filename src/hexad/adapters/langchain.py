"""LangChain: `HexadMiddleware` gives an agent its context, the agent tools, and
learning from what its tools do.

::

    create_agent(model, tools, middleware=[HexadMiddleware(hx, user="dana")])

Put it last: the first middleware is the outermost, and one inside ours hides failures
that it handles.

What is known of a tool's arguments stands behind its description, in the request alone.
What is known of a failure stands behind the error that a `ToolMessage` holds; an
exception goes on as it is.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from hexad.extras import require_extra

require_extra("langchain", "the LangChain adapter", "langchain.agents")

from langchain.agents.middleware import AgentMiddleware  # noqa: E402 - a missing package is reported first
from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage  # noqa: E402
from langchain_core.tools import BaseTool, StructuredTool  # noqa: E402
from langgraph.errors import GraphBubbleUp  # noqa: E402

from hexad.agents.agent import AgentMemory, Context, EndedCall, Named  # noqa: E402
from hexad.agents.context import BUDGET, Latest  # noqa: E402
from hexad.agents.transcripts import described  # noqa: E402
from hexad.agents.warnings import going_on  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from langchain.agents.middleware import ModelRequest, ModelResponse, ToolCallRequest

    from hexad.facade import Hexad


class HexadMiddleware(AgentMiddleware[Any, Any, Any]):
    """Everything for an agent of `create_agent`; ``tools=False`` leaves its tools as
    they are.

    ``user`` says whose memory it is: a name, or a function of LangGraph's runtime, such
    as ``lambda runtime: runtime.context["user"]``. The thread is the session, unless
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
        super().__init__()
        self._memory = AgentMemory(hx, user=user, session=session, budget=budget)
        self.tools = (
            [StructuredTool.from_function(tool) for tool in self._memory.tools()]
            if tools
            else []
        )

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """The model's answer to the request with context."""
        runtime, session = request.runtime, _thread(request.runtime)
        added = self._memory.recall(runtime, _latest(request), session=session)
        notes = self._memory.notes(runtime, _names(request), session=session)
        return handler(_noted(_with(request, added), notes))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Like `wrap_model_call`."""
        runtime, session = request.runtime, _thread(request.runtime)
        added = await self._memory.arecall(runtime, _latest(request), session=session)
        notes = await self._memory.anotes(runtime, _names(request), session=session)
        return await handler(_noted(_with(request, added), notes))

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]
    ) -> Any:
        """The tool's answer, recorded; its errors too."""
        runtime, session = request.runtime, _thread(request.runtime)
        try:
            with self._memory.serving(runtime, session=session):
                result = handler(request)
        except Exception as error:
            self._memory.learn(runtime, _ended(request, error=error), session=session)
            raise
        return _told(
            result,
            self._memory.beside(runtime, _ended(request, result), session=session),
        )

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[Any]],
    ) -> Any:
        """Like `wrap_tool_call`."""
        runtime, ended, session = (
            request.runtime,
            partial(_ended, request),
            _thread(request.runtime),
        )
        return await self._memory.recorded(
            runtime, lambda: handler(request), ended, session=session, beside=_told
        )


def _thread(runtime: Any) -> str:
    """The id of the thread; empty without a checkpointer."""
    return getattr(getattr(runtime, "execution_info", None), "thread_id", None) or ""


def _latest(request: ModelRequest[Any]) -> Latest | None:
    places = [
        place
        for place, each in enumerate(request.messages)
        if isinstance(each, HumanMessage)
    ]
    if not places:
        return None
    run = (
        getattr(getattr(request.runtime, "execution_info", None), "run_id", None) or ""
    )
    return Latest(
        request.messages[places[-1]].text,
        places[-1],
        places[-1] == len(request.messages) - 1,
        run,
    )


def _with(request: ModelRequest[Any], added: Context) -> ModelRequest[Any]:
    """The request with context; what is overridden is not stored in the agent's state."""
    latest = _latest(request)
    if added.found and latest is not None:
        messages = list(request.messages)
        messages.insert(latest.place, HumanMessage(added.found))
        request = request.override(messages=messages)
    return (
        request.override(system_message=_longer(request, added))
        if added.standing
        else request
    )


def _longer(request: ModelRequest[Any], added: Context) -> SystemMessage:
    before = request.system_message
    if before is None or isinstance(before.content, str):
        return SystemMessage(added.after(request.system_prompt))
    return before.model_copy(
        update={
            "content": [
                *before.content,
                {"type": "text", "text": f"\n\n{added.standing}"},
            ]
        }
    )


def _names(request: ModelRequest[Any]) -> list[str]:
    return [each.name for each in request.tools if isinstance(each, BaseTool)]


def _noted(request: ModelRequest[Any], notes: Mapping[str, str]) -> ModelRequest[Any]:
    """The request with notes behind the descriptions of tools, on copies; those that
    run stay the agent's own.
    """
    if not notes:
        return request
    noted = request
    with going_on("tools are described without what is known of them"):
        noted = request.override(
            tools=[_described(each, notes) for each in request.tools]
        )
    return noted  # noqa: RET504 - after an error it is the request


def _described(tool: Any, notes: Mapping[str, str]) -> Any:
    note = notes.get(tool.name) if isinstance(tool, BaseTool) else None
    return (
        tool.model_copy(update={"description": described(tool.description, note)})
        if note
        else tool
    )


def _told(result: Any, text: str) -> Any:
    """The tool's message with a text for the model behind its own."""
    if (
        not text
        or not isinstance(result, ToolMessage)
        or not isinstance(result.content, str)
    ):
        return result
    return result.model_copy(update={"content": f"{result.content}\n{text}"})


def _ended(
    request: ToolCallRequest, result: Any = None, error: Exception | None = None
) -> EndedCall | None:
    """The call's outcome; None for control flow, and for a tool that the model made up."""
    if (
        request.tool is None
        or isinstance(error, GraphBubbleUp)
        or getattr(result, "goto", None)
    ):
        return None
    call = request.tool_call
    if isinstance(result, ToolMessage) and result.status == "error":
        return EndedCall(call["name"], call["args"], error=result.text)
    return EndedCall(
        call["name"],
        call["args"],
        result.content if isinstance(result, ToolMessage) else None,
        error,
    )
