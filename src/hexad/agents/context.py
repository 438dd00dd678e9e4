"""The context of one turn: looked up once, and the same at every model call of the
turn.

Two memories are read: the conversation's own, and the engine's, which all of its users
share.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.agent_tools import NAMES
from hexad.clock import utc_now
from hexad.context.layers.runtime import SessionRuntime
from hexad.context.layers.tools import ToolRegistry
from hexad.context.retriever import ContextRetriever
from hexad.context.template import joined
from hexad.errors import DeadlineExceeded
from hexad.memory.conversations.judging import statements
from hexad.memory.usage.prompts import forgettable
from hexad.model import Layer, Prompt, Tool
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Hashable

    from hexad.agents.conversation import Speaker
    from hexad.facade import Hexad

BUDGET: Final = 2000  # tokens of context, unless the caller says otherwise
PREFACE: Final = (
    "Context for the next message, from memory. It is information, not a request.\n\n"
)
_TURNS: Final = 256  # whose blocks are remembered
_SESSIONS: Final = 1024  # that were reminded
_SAVES: Final = "save_knowledge"
_REMINDER: Final = (
    "The user just said {said}. If that will matter in later conversations, save "
    "it with {tool}, in their words."
)


class Latest(NamedTuple):
    """The user's latest message: its words, its place in the conversation, and whether
    the conversation ends with it.

    ``run`` is the framework's id of what the message began, if it has one: without it,
    a message at the end may begin a new turn with the key of an old one. ``tools`` are
    names and descriptions of what the agent may call; with None, neither they nor the
    session's state are shown.
    """

    text: str
    place: int
    last: bool
    run: str = ""
    tools: tuple[tuple[str, str], ...] | None = None


@dataclass(frozen=True)
class Lookup:
    """Looks context up for all conversations of one adapter."""

    hx: Hexad
    budget: int
    _blocks: Recent[Hashable, tuple[str, Prompt]] = field(
        default_factory=lambda: forgettable(Recent(_TURNS)), repr=False
    )
    _reminded: Recent[tuple[str, str], str] = field(
        default_factory=lambda: Recent(_SESSIONS), repr=False
    )

    def prompt(self, speaker: Speaker, latest: Latest, seconds: float) -> Prompt:
        """The sections for a message, recorded as shown. Blocks; call it in a thread,
        and wait at most so long.

        It is cached for the turn if the speaker's conversation names that and every
        layer answered.
        """
        hx, turn = self._engine(speaker, latest), speaker.conversation.invocation
        hx.heard(latest.text)
        place = (hx.namespace, hx.session, turn, latest.text, latest.tools)
        run, known = self._blocks.get(place) or ("", None)
        if known is not None and (not latest.last or (run and run == latest.run)):
            return known
        until = time.monotonic() + seconds
        found = hx.turn(latest.text, Layer, session=hx.session or None)
        if time.monotonic() >= until:  # nobody waits for it: nothing was shown
            raise DeadlineExceeded(hx.store.location, seconds)
        prompt = hx.assemble("", found, budget=self.budget)
        prompt = replace(prompt, text=joined(prompt.text, self._reminder(hx, latest)))
        hx.shown(prompt)
        if turn and not prompt.failures:
            self._blocks.put(place, (latest.run, prompt))
        return prompt

    def _reminder(self, hx: Hexad, latest: Latest) -> str:
        """A sentence that asks the agent to save what was just said, once a session, if
        that is wanted.
        """
        may_save = latest.last and (
            latest.tools is None or _SAVES in dict(latest.tools)
        )
        if not (hx.settings.ask_to_save and may_save) or self._reminded.get(
            (hx.namespace, hx.session)
        ):
            return ""
        said = next(
            (each for each in statements(latest.text, utc_now()) if not each.clear),
            None,
        )
        if said is None:
            return ""
        self._reminded.put((hx.namespace, hx.session), said.sentence)
        return _REMINDER.format(
            said=json.dumps(said.sentence, ensure_ascii=False), tool=_SAVES
        )

    def _engine(self, speaker: Speaker, latest: Latest) -> Hexad:
        """The conversation's engine, which reads the shared memory too if that is
        another.
        """
        own = speaker.scope(self.hx)
        apart = own.namespace != self.hx.namespace and isinstance(
            self.hx.retriever, ContextRetriever
        )
        equipped = _equipped(own, latest.tools)
        return (
            equipped.beside(self.hx.scoped(session=own.session)) if apart else equipped
        )


def _equipped(hx: Hexad, tools: tuple[tuple[str, str], ...] | None) -> Hexad:
    """The engine with the agent's tools and a runtime state, unless it has its own."""
    if tools is None:
        return hx
    own = hx.own_retriever
    if own is not None and own.tools is None and tools:
        hx = hx.with_tool_registry(_registry(tools))
    return with_runtime(hx, tools=len(tools))


def with_runtime(hx: Hexad, *, tools: int, channel: str = "") -> Hexad:
    """The engine with a runtime context of its session, unless it has its own."""
    own = hx.own_retriever
    if own is None or own.runtime is not None:
        return hx
    runtime = SessionRuntime(active_tools=tools, channel=channel)
    runtime.set_session(hx.session)
    return hx.with_runtime_context(runtime)


@lru_cache(maxsize=256)
def _registry(tools: tuple[tuple[str, str], ...]) -> ToolRegistry:
    """The agent's tools, except ours, which the engine knows. Twenty take half a
    millisecond to index.
    """
    return ToolRegistry(
        [Tool(name=name, description=text) for name, text in tools if name not in NAMES]
    )
