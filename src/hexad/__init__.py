r"""Hexad: the context engine for AI agents.

Six layers of context in one file, the right few items for each message, a prompt ready to send; no model in the path.

>>> from hexad import Hexad
>>> hx = Hexad.open(":memory:", enabled=True)
>>> _ = hx.knowledge.save("units", "Always answer in metric units", category="rule", pinned=True)
>>> str(hx.assemble("You are terse.", hx.retrieve("how far is it?")))
'You are terse.\n\n## User Knowledge\n- [rule] units: Always answer in metric units'
"""

from hexad._version import __version__
from hexad.bootstrap import Hexad
from hexad.context.explanation import Explanation
from hexad.context.layers.runtime import RuntimeContextProvider, SessionRuntime
from hexad.context.layers.tools import ToolRegistry, ToolRegistryProvider
from hexad.context.retriever import ContextRetriever, Retriever
from hexad.errors import HexadError
from hexad.model import (
    Failure,
    Item,
    Knowledge,
    Layer,
    Learning,
    Prompt,
    Reason,
    Reference,
    Retrieval,
    RuntimeState,
    Skill,
    Tool,
    Version,
)
from hexad.settings import Settings

__all__ = [
    "ContextRetriever",
    "Explanation",
    "Failure",
    "Hexad",
    "HexadError",
    "Item",
    "Knowledge",
    "Layer",
    "Learning",
    "Prompt",
    "Reason",
    "Reference",
    "Retrieval",
    "Retriever",
    "RuntimeContextProvider",
    "RuntimeState",
    "SessionRuntime",
    "Settings",
    "Skill",
    "Tool",
    "ToolRegistry",
    "ToolRegistryProvider",
    "Version",
    "__version__",
]
