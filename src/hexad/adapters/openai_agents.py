"""OpenAI Agents SDK: `HexadAgents` gives runs their context, the agent tools, and
learning from what tools do.

::

    h = HexadAgents(hx)
    agent = Agent(name="desk", tools=[*mine, *h.tools()])
    await Runner.run(agent, text, **h.run(user="dana", session="chat-7"))

What is known of a failure stands behind the words that the model reads about it. The
SDK has no place for what is known of a tool's arguments, since a tool is described
where it is made; nor for a question beside a tool's result.
"""

from __future__ import annotations

import inspect
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hexad.extras import require_extra

require_extra("openai-agents", "the Agents adapter", "agents")

from agents import FunctionTool, RunConfig, RunHooks, function_tool  # noqa: E402 - a missing package is reported first
from agents.run_config import CallModelData, ModelInputData, ToolErrorFormatterArgs  # noqa: E402

from hexad.agents.agent import AgentMemory, EndedCall, Named, failure_in_text, named  # noqa: E402
from hexad.agents.context import BUDGET  # noqa: E402
from hexad.agents.transcripts import SHAPES  # noqa: E402

if TYPE_CHECKING:
    from hexad.facade import Hexad


_SHAPE: Final = SHAPES["/responses"]  # of the input's items


class _Speaking(NamedTuple):
    """A run, and its context as the user of the SDK gave it."""

    run: _Run
    context: Any


class HexadAgents:
    """Everything for agents of the SDK: `tools` for the agent, `run` for each run of
    it.

    By default the SDK hides a tool's error from the model. With ``show_errors`` the
    model reads it, and can mend its call; without, it is only learned.
    """

    def __init__(
        self, hx: Hexad, *, budget: int = BUDGET, show_errors: bool = False
    ) -> None:
        self.show_errors = show_errors and hx.enabled
        self.memory = AgentMemory(
            hx,
            user=lambda speaking: named(
                speaking.run.user, speaking.context, needed=True
            ),
            session=lambda speaking: named(speaking.run.session, speaking.context),
            budget=budget,
        )

    def tools(self) -> list[FunctionTool]:
        """The agent tools; they work in the memory of the run that calls them."""
        return [
            self._tool(function_tool(tool, strict_mode=False))
            for tool in self.memory.tools()
        ]

    def run(
        self,
        *,
        user: Named = "",
        session: Any = "",
        run_config: RunConfig | None = None,
        hooks: RunHooks[Any] | None = None,
    ) -> dict[str, Any]:
        """The keyword arguments of `Runner.run`, `run_sync` and `run_streamed` for one
        run.

        ``user`` and ``session`` are names, or functions of the run's context; a session
        may also be one of the SDK's, which is passed on. ``run_config`` and ``hooks``
        are your own; they stay in force.
        """
        own = (
            {}
            if isinstance(session, str) or callable(session)
            else {"session": session}
        )
        given = {
            **own,
            **({"run_config": run_config} if run_config else {}),
            **({"hooks": hooks} if hooks else {}),
        }
        if not self.memory.hx.enabled:
            return given
        config = run_config or RunConfig()
        run = _Run(self, user, session.session_id if own else session, config, hooks)
        ours = replace(
            config,
            call_model_input_filter=run.add_context,
            tool_error_formatter=run.format_error,
        )
        return {**given, "run_config": ours, "hooks": run}

    def _tool(self, tool: FunctionTool) -> FunctionTool:
        inner = tool.on_invoke_tool

        async def invoke(context: Any, arguments: str) -> Any:
            formatter = (
                context.run_config.tool_error_formatter
                if context.run_config is not None
                else None
            )
            run = getattr(formatter, "__self__", None)
            with self.memory.serving(
                _Speaking(run, context.context) if isinstance(run, _Run) else None
            ):
                return await inner(context, arguments)

        return replace(tool, on_invoke_tool=invoke)


class _Run(RunHooks[Any]):
    """One run: its input filter, its error formatter and its hooks, over those of the
    user.
    """

    def __init__(
        self, h: HexadAgents, user: Named, session: Named, config: RunConfig, hooks: Any
    ) -> None:
        self.user, self.session, self._config, self._hooks = (
            user,
            session,
            config,
            hooks,
        )
        self._h, self._id = h, uuid.uuid4().hex
        for name in (
            each
            for each in dir(RunHooks)
            if each.startswith("on_") and each != "on_tool_end" and hooks
        ):
            setattr(self, name, getattr(hooks, name))

    async def add_context(self, data: CallModelData[Any]) -> ModelInputData:
        """The model's input with context."""
        before = self._config.call_model_input_filter
        given = data.model_data if before is None else await _awaited(before(data))
        body = {"input": given.input, "instructions": given.instructions}
        latest = _SHAPE.latest(body)
        latest = latest and latest._replace(run=self._id)
        written = _SHAPE.written(
            body, await self._h.memory.arecall(_Speaking(self, data.context), latest)
        )
        return ModelInputData(written["input"], written["instructions"])

    async def format_error(self, args: ToolErrorFormatterArgs[Any]) -> str | None:
        """Learn from an exception; the words for the model are the user's, the error's
        own if shown, or the SDK's.

        Behind them stands what is known of the failure.
        """
        words, theirs = None, self._config.tool_error_formatter
        if theirs is None and self._h.show_errors and args.error is not None:
            words = f"{type(args.error).__name__}: {args.error}"
        if args.kind == "tool_exception":
            given = getattr(args.run_context, "tool_arguments", None)
            call = EndedCall(args.tool_name, given, error=args.error, id=args.call_id)
            text = await self._h.memory.abeside(
                _Speaking(self, args.run_context.context), call
            )
        else:
            text = ""
        if theirs is not None:
            words = await _awaited(theirs(args))
        return (
            f"{args.default_message if words is None else words}\n{text}"
            if text
            else words
        )

    async def on_tool_end(
        self, context: Any, agent: Any, tool: Any, result: Any
    ) -> None:
        """Learn from a result, unless it stands for an exception."""
        if hasattr(context, "tool_call_id"):
            error = failure_in_text(result) if isinstance(result, str) else None
            call = EndedCall(
                tool.name, context.tool_arguments, result, error, context.tool_call_id
            )
            await self._h.memory.alearn(_Speaking(self, context.context), call)
        if self._hooks is not None:
            await self._hooks.on_tool_end(context, agent, tool, result)


async def _awaited(result: Any) -> Any:
    return await result if inspect.isawaitable(result) else result
