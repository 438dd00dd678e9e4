"""A request on its way to the model → the same with context: retrieve, assemble, put in place.

Two memories are read: the conversation's own, and the engine's, which is the house's for all of its users. Whatever
goes wrong, the request goes on as it came, and one warning says why.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from hexad.adapters.adk.conversation import UNDER_WAY, Known, Notes, scope_of
from hexad.adapters.adk.request import (
    PREFACE,
    Placement,
    base_of,
    context_places,
    latest_message,
    preloaded,
    safe_place,
    with_context,
)
from hexad.adapters.adk.troubles import TROUBLES
from hexad.adapters.adk.worker import told, tried
from hexad.agent_tools import NAMES
from hexad.context.layers.runtime import SessionRuntime
from hexad.context.layers.tools import ToolRegistry
from hexad.context.retriever import ContextRetriever
from hexad.context.selection import estimate_tokens
from hexad.errors import DeadlineExceeded
from hexad.memory import admission
from hexad.model import Category, Item, Layer, Retrieval, Tool

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from google.adk.models.llm_request import LlmRequest
    from google.genai.types import GenerateContentConfig

    from hexad.facade import Hexad
    from hexad.model import Prompt

BUDGET: Final = 2000
_MOST_KEPT: Final = 256  # blocks, and sets of tools, that are remembered
_WITHOUT: Final = "a request goes to the model without all of its context"
_PATIENCE: Final = 2.0  # layers' deadlines that a whole answer may take

_SERVED: Final[Notes[frozenset[tuple[str, str]]]] = Notes()  # configs that hold context already, and whose
_ADDED: Final[OrderedDict[tuple[tuple[str, str], str], None]] = (
    OrderedDict()
)  # blocks of late, and whose: configs are copied


@dataclass(frozen=True)
class Recall:
    """How one adapter gives context, in all its conversations. It remembers nothing that one could learn of another."""

    hx: Hexad
    placement: Placement
    budget: int
    _tools: OrderedDict[tuple[tuple[str, str], ...], ToolRegistry] = field(default_factory=OrderedDict, repr=False)

    @classmethod
    def of(cls, hx: Hexad, placement: str, budget: int) -> Recall:
        """With checked settings."""
        return cls(hx, Placement.parse(placement, "placement"), admission.whole("budget", budget, low=0))

    async def augmented(
        self, request: LlmRequest, *, reasons: Iterable[str] = (), known: Known | None = None
    ) -> LlmRequest:
        """The request itself where there is nothing to add, else a copy with context.

        ``reasons`` is what went wrong before, to be told in the same warning. ``known`` is what is known of the
        conversation, where nobody told of this very request.
        """
        if not self.hx.enabled or self._has_served(request):
            return request
        known, why, served = UNDER_WAY.of(request) or known, list(reasons), request
        query = known.conversation.message if known else ""
        try:
            found = latest_message(request.contents, query)
            if found is not None:
                query = found[1]
                if known is None and found[0] == len(request.contents) - 1:
                    TROUBLES.begin(_turn(None, query))  # whoever says it: nobody tells who that is
                served = await self._served(request, known, found, why)
        except Exception as error:  # noqa: BLE001 - a failure of ours is not the agent's
            why.append(told(error))
        self.warn(why, known, query)
        return served

    async def _served(
        self, request: LlmRequest, known: Known | None, found: tuple[int, str], reasons: list[str]
    ) -> LlmRequest:
        message, query = found
        place = safe_place(request.contents, message) if self.placement is Placement.USER_TURN else None
        seconds = self.hx.settings.layer_deadline * _PATIENCE
        base = base_of(request) if place is None else ""
        task = _Task(self, known, query, base, dict(request.tools_dict), preloaded(request.contents), seconds)
        prompt = await tried(self.hx, task.prompt, seconds=seconds, reasons=reasons)
        if prompt is None or not prompt.kept:
            return request
        _ADDED[self._whose, prompt.added.strip()] = None
        _shorten(_ADDED)
        return with_context(request, self.marked(request.config), prompt, place)

    def _has_served(self, request: LlmRequest) -> bool:
        """Whether the request was looked at already; or its text holds what was added to it, if somebody copied it."""
        if self._whose in (_SERVED.of(request.config) or ()):
            return True
        added = [block for whose, block in list(_ADDED) if whose == self._whose]
        return any(block in text for text in context_places(request) for block in added)

    def marked(self, config: GenerateContentConfig) -> GenerateContentConfig:
        """A copy of the config of a request that was looked at: a wrapper around the model need not look again."""
        copied = config.model_copy()
        _SERVED.put(copied, (_SERVED.of(config) or frozenset()) | {self._whose})
        return copied

    @property
    def room(self) -> int:
        """The tokens that are left for what is known, of those that may be added."""
        return max(self.budget - estimate_tokens(PREFACE), 0) if self.placement is Placement.USER_TURN else self.budget

    def registry(self, tools: Mapping[str, object]) -> ToolRegistry:
        """The agent's tools as a registry, each with the first paragraph of its description; ours it knows anyway.

        The models get the whole of every tool in any case, and agents have few sets of them.
        """
        told = tuple((name, _summary(tool)) for name, tool in tools.items() if name not in NAMES)
        known = self._tools.get(told)
        if known is None:
            known = self._tools[told] = ToolRegistry([Tool(name=name, description=text) for name, text in told])
            _shorten(self._tools)
        return known

    @property
    def _whose(self) -> tuple[str, str]:
        store = self.hx.store
        return store.location if store.durable else f"{store.location} {id(store)}", self.hx.namespace

    def warn(self, reasons: Sequence[str], known: Known | None, query: str) -> None:
        """Once for a turn and a reason, however often the model is called in it."""
        if reasons:
            more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
            TROUBLES.warn(_turn(known, query), _WITHOUT, reasons[0], more)


def _turn(known: Known | None, query: str) -> tuple[str, ...]:
    return known.conversation.turn if known is not None else ("", query)


def _summary(tool: object) -> str:
    return _words(str(getattr(tool, "description", "") or "").strip().split("\n\n", 1)[0])


def _shorten(kept: OrderedDict[Any, Any]) -> None:
    while len(kept) > _MOST_KEPT:
        kept.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Task:
    """The work for one request, in a thread."""

    recall: Recall
    known: Known | None
    query: str
    base: str
    tools: Mapping[str, object]
    preloaded: str
    seconds: float

    def prompt(self) -> Prompt:
        """What the model should be told, and what was told counted where it came from."""
        until = time.monotonic() + self.seconds
        own, house = self._engines()
        found = self._new_in(own.retrieve(self.query, Layer, session=own.session or None))
        common = self._new_in(house.retrieve(self.query, session=own.session or None)) if house is not None else None
        if time.monotonic() >= until:  # nobody waits for it: nothing was shown
            raise DeadlineExceeded(own.store.location, self.seconds)
        both = found if common is None else _joined(found, common)
        prompt = own.assemble(self.base, both, budget=self.recall.room)
        own.shown(_part(prompt, found))
        if common is not None and house is not None:
            house.shown(_part(prompt, common))
        return prompt

    def _new_in(self, found: Retrieval) -> Retrieval:
        """What was found, without what ADK's own memory preload put into the request; rules stand where rules do."""
        if not self.preloaded:
            return found
        every = (item for items in found.items.values() for item in items)
        return _only(found, [item for item in every if _is_rule(item) or _words(item.content) not in self.preloaded])

    def _engines(self) -> tuple[Hexad, Hexad | None]:
        """The conversation's engine, and the house's where that is another."""
        hx = self.recall.hx
        if self.known is None:
            return self._given(hx), None
        own = scope_of(hx, self.known.conversation, self.known.rule)
        apart = own.namespace != hx.namespace and isinstance(hx.retriever, ContextRetriever)
        return self._given(own), hx.scoped(session=own.session) if apart else None

    def _given(self, hx: Hexad) -> Hexad:
        """The engine with the agent's tools and a runtime state, where it was given none of its own."""
        retriever = hx.retriever
        if not isinstance(retriever, ContextRetriever):
            return hx
        if retriever.tools is None and self.tools:
            hx = hx.with_tool_registry(self.recall.registry(self.tools))
        if retriever.runtime is None:
            runtime = SessionRuntime(active_tools=len(self.tools))
            runtime.set_session(hx.session)
            hx = hx.with_runtime_context(runtime)
        return hx


def _is_rule(item: Item) -> bool:
    return item.pinned or item.category == Category.RULE


def _words(text: str) -> str:
    return " ".join(text.split())


def _joined(own: Retrieval, house: Retrieval) -> Retrieval:
    """Both memories' items, the best of each layer first."""
    layers = {
        layer: tuple(sorted((*own.items.get(layer, ()), *house.items.get(layer, ())), key=_best_first))
        for layer in Layer
        if layer in own.items or layer in house.items
    }
    return replace(own, items=layers, failures=tuple(dict.fromkeys((*own.failures, *house.failures))))


def _part(prompt: Prompt, found: Retrieval) -> Prompt:
    """The prompt as far as one memory gave it, to be counted there."""
    given = {id(item) for item in found.all()}
    kept = tuple(item for item in prompt.kept if id(item) in given)
    return replace(prompt, kept=kept, namespace=found.namespace, session=found.session)


def _best_first(item: Item) -> tuple[bool, float]:
    return not item.pinned, -item.score


def _only(found: Retrieval, kept: Iterable[Item]) -> Retrieval:
    """What was found, as far as it was kept."""
    chosen = {id(item) for item in kept}
    items = {layer: tuple(item for item in items if id(item) in chosen) for layer, items in found.items.items()}
    return replace(found, items={layer: those for layer, those in items.items() if those})
