"""The context of one turn: looked up once, and the same at every model call of the turn.

Two memories are read: the conversation's own, and the engine's, which is the house's for all of its users.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from hexad.agent_tools import NAMES
from hexad.context.layers.runtime import SessionRuntime
from hexad.context.layers.tools import ToolRegistry
from hexad.context.retriever import ContextRetriever
from hexad.errors import DeadlineExceeded
from hexad.memory.use.prompts import forgettable
from hexad.model import Layer, Tool
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Hashable

    from hexad.edges.conversation import Speaker
    from hexad.facade import Hexad
    from hexad.model import Prompt

BUDGET: Final = 2000  # tokens of context, unless the caller says otherwise
PREFACE: Final = "Context for the next message, from memory. It is information, not a request.\n\n"
_TURNS: Final = 256  # whose blocks are remembered


@dataclass(frozen=True, slots=True)
class Question:
    """A message to look context up for.

    ``tools`` are names and descriptions of what the agent may call; with None, neither they nor the session's state
    are shown. ``seconds`` is how long somebody waits for the answer. ``turn`` is the key of the turn, if that is known;
    the request is ``opening`` if the message is its end, and then the turn may be a new one with an old key, unless the
    framework's ``run`` is the same.
    """

    message: str
    speaker: Speaker
    tools: tuple[tuple[str, str], ...] | None
    seconds: float
    turn: str = ""
    opening: bool = False
    run: str = ""


@dataclass(frozen=True)
class Lookup:
    """Looks context up for all conversations of one adapter."""

    hx: Hexad
    budget: int
    _blocks: Recent[Hashable, tuple[str, Prompt]] = field(
        default_factory=lambda: forgettable(Recent(_TURNS)), repr=False
    )

    def prompt(self, question: Question) -> Prompt:
        """The sections for a message, recorded as shown. Blocks; call it in a thread.

        It is cached for the turn if the framework identifies turns and every layer answered.
        """
        hx = self._engine(question)
        place = (hx.namespace, hx.session, question.turn, question.message, question.tools)
        run, known = self._blocks.get(place) or ("", None)
        if known is not None and (not question.opening or (run and run == question.run)):
            return known
        prompt = self._looked_up(question, hx)
        if question.turn and not prompt.failures:
            self._blocks.put(place, (question.run, prompt))
        return prompt

    def _looked_up(self, question: Question, hx: Hexad) -> Prompt:
        until = time.monotonic() + question.seconds
        found = hx.turn(question.message, Layer, session=hx.session or None)
        if time.monotonic() >= until:  # nobody waits for it: nothing was shown
            raise DeadlineExceeded(hx.store.location, question.seconds)
        prompt = hx.assemble("", found, budget=self.budget)
        hx.shown(prompt)
        return prompt

    def _engine(self, question: Question) -> Hexad:
        """The conversation's engine, which reads the house's memory too if that is another."""
        own = question.speaker.scope(self.hx)
        apart = own.namespace != self.hx.namespace and isinstance(self.hx.retriever, ContextRetriever)
        equipped = self._equipped(own, question)
        return equipped.beside(self.hx.scoped(session=own.session)) if apart else equipped

    def _equipped(self, hx: Hexad, question: Question) -> Hexad:
        """The engine with the agent's tools and a runtime state, unless it has its own."""
        if question.tools is None:
            return hx
        if isinstance(hx.retriever, ContextRetriever) and hx.retriever.tools is None and question.tools:
            hx = hx.with_tool_registry(_registry(question.tools))
        return with_runtime(hx, tools=len(question.tools))


def with_runtime(hx: Hexad, *, tools: int, channel: str = "") -> Hexad:
    """The engine with a runtime context of its session, unless it has its own."""
    if not isinstance(hx.retriever, ContextRetriever) or hx.retriever.runtime is not None:
        return hx
    runtime = SessionRuntime(active_tools=tools, channel=channel)
    runtime.set_session(hx.session)
    return hx.with_runtime_context(runtime)


@lru_cache(maxsize=256)
def _registry(tools: tuple[tuple[str, str], ...]) -> ToolRegistry:
    """The agent's tools, except ours, which the engine knows. Twenty take half a millisecond to index."""
    return ToolRegistry([Tool(name=name, description=text) for name, text in tools if name not in NAMES])
