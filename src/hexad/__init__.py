r"""Hexad: the context engine for AI agents.

Six layers of context in one file; for each message the few items that matter, in a
prompt ready to send; no language model in the path.

>>> from hexad import Hexad
>>> hx = Hexad.open(":memory:", enabled=True)
>>> _ = hx.knowledge.save("units", "Always answer in metric units", category="rule", pinned=True)
>>> str(hx.prompt("You are terse.", "how far is it?"))
'You are terse.\n\n## Standing Rules and Preferences\n- Always answer in metric units'
"""

from importlib import import_module
from typing import TYPE_CHECKING

from hexad._version import __version__

if TYPE_CHECKING:
    from hexad.context.explanation import Explanation as Explanation
    from hexad.context.layers.runtime import (
        RuntimeContextProvider as RuntimeContextProvider,
    )
    from hexad.context.layers.runtime import SessionRuntime as SessionRuntime
    from hexad.context.layers.tools import ToolRegistry as ToolRegistry
    from hexad.context.layers.tools import ToolRegistryProvider as ToolRegistryProvider
    from hexad.context.retriever import ContextRetriever as ContextRetriever
    from hexad.context.retriever import Retriever as Retriever
    from hexad.errors import HexadError as HexadError
    from hexad.facade import Hexad as Hexad
    from hexad.model import Failure as Failure
    from hexad.model import Item as Item
    from hexad.model import Knowledge as Knowledge
    from hexad.model import Layer as Layer
    from hexad.model import Learning as Learning
    from hexad.model import Prompt as Prompt
    from hexad.model import Reason as Reason
    from hexad.model import Reference as Reference
    from hexad.model import Retrieval as Retrieval
    from hexad.model import RuntimeState as RuntimeState
    from hexad.model import Skill as Skill
    from hexad.model import Tool as Tool
    from hexad.model import Version as Version
    from hexad.settings import Settings as Settings

_HOMES = {
    "facade": ("Hexad",),
    "context.explanation": ("Explanation",),
    "context.layers.runtime": ("RuntimeContextProvider", "SessionRuntime"),
    "context.layers.tools": ("ToolRegistry", "ToolRegistryProvider"),
    "context.retriever": ("ContextRetriever", "Retriever"),
    "errors": ("HexadError",),
    "model": (
        *(
            "Failure",
            "Item",
            "Knowledge",
            "Layer",
            "Learning",
            "Prompt",
            "Reason",
            "Reference",
            "Retrieval",
        ),
        *("RuntimeState", "Skill", "Tool", "Version"),
    ),
    "settings": ("Settings",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
__all__ = ["__version__", *sorted(_HOME_OF)]  # noqa: PLE0604 - they are strings


def __getattr__(name: str) -> object:
    """Load a public name when it is first used: a program that may never use Hexad pays
    nothing for it.
    """
    if name not in _HOME_OF:
        raise AttributeError(f"module 'hexad' has no attribute {name!r}")
    value = getattr(import_module(f"hexad.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
