"""Google ADK: a model that knows its context, a plugin that gives an agent everything,
tools, and a memory service.

::

    App(name="desk", root_agent=agent, plugins=[HexadPlugin(hx)])      everything, in one line
    LlmAgent(model=ContextAwareModel.wrap(hx, "gemini-2.5-flash"), …)  the context alone
    LlmAgent(tools=[*adk_tools(hx), hx.watch(my_tool)], …)             the tools alone
    Runner(memory_service=HexadMemoryService(hx), …)                   ADK's own memory

With an engine that is off, each of them passes everything through.
"""

from hexad.extras import require_extra

require_extra("adk", "the ADK adapter", "google.adk")

from hexad.adapters.adk.memory import HexadMemoryService  # noqa: E402 - a missing package is reported first
from hexad.adapters.adk.model import ContextAwareModel  # noqa: E402
from hexad.adapters.adk.plugin import HexadPlugin  # noqa: E402
from hexad.adapters.adk.request import ContextPlace  # noqa: E402
from hexad.adapters.adk.skills import adk_tools  # noqa: E402
from hexad.agents.conversation import (  # noqa: E402
    Conversation,
    NamespaceRule,
    per_app,
    per_user,
    shared,
)

__all__ = [
    "ContextAwareModel",
    "ContextPlace",
    "Conversation",
    "HexadMemoryService",
    "HexadPlugin",
    "NamespaceRule",
    "adk_tools",
    "per_app",
    "per_user",
    "shared",
]
