"""The assistant: an ordinary ADK agent, and one line that gives it a memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.runners import InMemoryRunner
from google.genai import types

from hexad.adapters.adk import HexadPlugin, shared

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.tool_context import ToolContext

    from hexad import Hexad
    from tools import Workspace

APP, USER = "assistant", "me"
INSTRUCTION = "You look after a folder of notes. Save with save_knowledge what the user wants you to remember."


def _tell(
    tool: BaseTool,
    args: dict[str, Any],
    tool_context: ToolContext,
    error: Exception,
) -> dict[str, Any]:
    """Let the model read what went wrong, rather than end the conversation."""
    return {"error": str(error)}


@dataclass(frozen=True)
class Assistant:
    """One conversation with the agent."""

    runner: InMemoryRunner
    session: str

    @classmethod
    async def begin(
        cls,
        hx: Hexad,
        workspace: Workspace,
        model: Any,
        *,
        session: str | None = None,
        web: bool = False,
    ) -> Assistant:
        """A new conversation; what earlier ones left behind is in the database."""
        agent = LlmAgent(
            name="assistant",
            model=model,
            instruction=INSTRUCTION,
            tools=workspace.tools(web=web),
            on_tool_error_callback=_tell,
        )
        # One person uses it, so the engine's own memory is theirs: `hexad` on the
        # command line shows the same.
        app = App(
            name=APP, root_agent=agent, plugins=[HexadPlugin(hx, namespace=shared)]
        )
        runner = InMemoryRunner(app=app)
        made = await runner.session_service.create_session(
            app_name=APP, user_id=USER, session_id=session
        )
        return cls(runner, made.id)

    async def say(self, text: str) -> AsyncIterator[types.Part]:
        """The agent's calls and words, part by part."""
        said = types.Content(role="user", parts=[types.Part(text=text)])
        async for event in self.runner.run_async(
            user_id=USER, session_id=self.session, new_message=said
        ):
            for part in (event.content.parts or []) if event.content else []:
                yield part
