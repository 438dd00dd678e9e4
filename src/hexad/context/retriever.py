"""Finds the items for a message in each requested layer; a failing layer does not fail
the others.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from hexad.clock import utc_now
from hexad.context import assemble
from hexad.context.deadline import within
from hexad.context.keywords import extract
from hexad.context.layers.runtime import (
    RuntimeContextProvider,
    RuntimeSource,
    SessionRuntime,
)
from hexad.context.layers.stored import Examined, StoredLayers
from hexad.context.layers.tools import (
    ToolRegistry,
    ToolRegistryProvider,
    ToolSource,
    registry_of,
)
from hexad.context.matching import Habit, habits
from hexad.context.standing import Room, read_standing
from hexad.errors import InvalidInput
from hexad.memory.redaction import described
from hexad.memory.troubles import tell
from hexad.model import (
    DEFAULT_LAYERS,
    DEFAULT_NAMESPACE,
    RECORD_OF,
    Failure,
    Item,
    Layer,
    Query,
    Retrieval,
)
from hexad.text.document import facet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hexad.context.layers import Judged
    from hexad.memory.index.similarity import Similarity
    from hexad.model import Clock, Prompt
    from hexad.store import Store

MAX_PER_LAYER: Final = 5
MAX_PINNED: Final = 3
DEADLINE: Final = 2.0


class Retriever(Protocol):
    """Anything that finds items for a message: Hexad's own, a vector service, a remote
    one.
    """

    def retrieve(
        self,
        query: str,
        layers: Iterable[Layer | str] | None = None,
        max_per_layer: int | None = None,
        *,
        session: str | None = None,
    ) -> Retrieval:
        """The items of each layer, best first; a layer that fails is in the result's
        failures.
        """


def checked(retriever: Retriever) -> Retriever:
    """The retriever, if it is one."""
    if not callable(getattr(retriever, "retrieve", None)):
        raise InvalidInput(
            "retriever",
            "needs a method retrieve(query, layers, max_per_layer, session=…)",
        )
    return retriever


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContextRetriever:
    """Retrieves from a store and, if it has them, from a tool registry and a runtime
    provider.

    >>> from hexad.store.volatile import VolatileStore
    >>> ContextRetriever(VolatileStore(), 5).retrieve("when may I deploy?").keywords
    ('deploy',)
    """

    store: Store
    max_per_layer: int = MAX_PER_LAYER
    namespace: str = DEFAULT_NAMESPACE
    clock: Clock = utc_now
    deadline: float | None = DEADLINE
    max_pinned: int = MAX_PINNED
    tools: ToolRegistryProvider | None = None
    runtime: RuntimeContextProvider | None = None
    similarity: Similarity | None = None
    floor: bool = True  # whether what is probably noise is left out
    warned: set[str] = field(
        default_factory=set
    )  # failures that the log has, as long as they go on

    def __post_init__(self) -> None:
        _at_least_one("max_per_layer", self.max_per_layer)

    def with_tool_registry(self, provider: object) -> ContextRetriever:
        """A retriever that also knows these tools: a provider, or a list of callables
        or descriptors.
        """
        return replace(self, tools=registry_of(provider))

    def with_runtime_context(
        self, provider: RuntimeContextProvider
    ) -> ContextRetriever:
        """A retriever that also knows the state of the process."""
        if not isinstance(provider, RuntimeContextProvider):
            raise InvalidInput(
                "provider", "needs a method get_runtime_context(session)"
            )
        return replace(self, runtime=provider)

    def retrieve(
        self,
        query: str,
        layers: Iterable[Layer | str] | None = None,
        max_per_layer: int | None = None,
        *,
        session: str | None = None,
    ) -> Retrieval:
        """The items of the named layers, or of the four default ones, best first."""
        return self.examine(query, layers, max_per_layer, session=session)[0]

    def examine(
        self,
        query: str,
        layers: Iterable[Layer | str] | None = None,
        max_per_layer: int | None = None,
        *,
        session: str | None = None,
        wide: int = 0,
        room: Room | None = None,
    ) -> tuple[Retrieval, Mapping[Layer, Sequence[Judged]]]:
        """The retrieval, and the candidates of each layer, up to ``wide`` of them, from
        the same pass.

        With ``room`` the retrieval has standing context too, also for a message without
        words.
        """
        wanted = asked_for(layers)
        limit = (
            self.max_per_layer
            if max_per_layer is None
            else _at_least_one("max_per_layer", max_per_layer)
        )
        asked = extract(query, session=session)
        empty = Retrieval(
            query=query,
            keywords=asked.keywords,
            namespace=self.namespace,
            session=session,
        )
        if asked:
            return self._gather(wanted, asked, limit, wide, empty, room=room)
        return self._with_standing(empty, room) if room is not None else empty, {}

    def assemble_prompt(
        self, base: str, retrieval: Retrieval, *, budget: int | None = None
    ) -> Prompt:
        """The base prompt with the retrieved items after it."""
        return assemble(base, retrieval, budget=budget)

    def search(
        self, layer: Layer, query: str, *, limit: int, facets: Mapping[str, str]
    ) -> tuple[Item, ...]:
        """The best items of one persisted layer, pinned ones only if they match; a
        failure is raised.

        A search has no floor: it shows everything that matches.
        """
        asked = extract(query)
        if not asked:
            return ()
        held = tuple(facet(name, value) for name, value in facets.items())
        stored = self._stored()._replace(max_pinned=0, facets=held, floor=False)
        found = stored.examine([layer], asked, limit).candidates[layer]
        if isinstance(found, Exception):
            raise found
        return tuple(judged.item for judged in found)

    def _gather(
        self,
        layers: Sequence[Layer],
        query: Query,
        limit: int,
        wide: int,
        empty: Retrieval,
        *,
        room: Room | None,
    ) -> tuple[Retrieval, Mapping[Layer, Sequence[Judged]]]:
        """Ask the stored layers together, then each of the others; a failing layer
        loses only its own items.
        """
        stored = [layer for layer in layers if layer in RECORD_OF]
        tools = (
            [Layer.TOOL_REGISTRY]
            if Layer.TOOL_REGISTRY in layers and isinstance(self.tools, ToolRegistry)
            else []
        )
        source, none = self._stored(room), Examined({})
        examined = (
            source.examine(stored, query, limit, wide=wide, also=tools)
            if stored or tools or room
            else none
        )
        found: dict[Layer, Sequence[Judged] | Exception] = {}
        seconds = dict(examined.seconds)
        for layer in layers:
            started = time.perf_counter()
            if layer in RECORD_OF:
                found[layer] = examined.candidates[layer]
            elif (given := self._source(layer, examined, query)) is not None:
                deadline = (
                    None
                    if isinstance(given.provider, ToolRegistry | SessionRuntime)
                    else self.deadline
                )
                found[layer] = _asked(
                    layer, partial(given.examine, query, limit, wide), deadline
                )
                seconds[layer] = time.perf_counter() - started
        candidates = {
            layer: each
            for layer, each in found.items()
            if not isinstance(each, Exception)
        }
        kept = {}
        for layer, each in candidates.items():
            kept[layer] = tuple(judged.item for judged in each if judged.kept)[:limit]
        failed = {
            layer: each for layer, each in found.items() if isinstance(each, Exception)
        }
        failures = _told(failed, self.warned)
        items = {layer: each for layer, each in kept.items() if each}
        standing, unfit, noted = examined.stands
        found_items = replace(empty, items=items, failures=failures, seconds=seconds)
        return replace(
            found_items, standing=standing, unfit=unfit, noted=noted
        ), candidates

    def _with_standing(self, empty: Retrieval, room: Room) -> Retrieval:
        """The answer to a message without words."""
        try:
            standing, unfit, noted = read_standing(
                self.store, self.namespace, self.clock(), room, self.deadline
            )
        except Exception as error:  # noqa: BLE001 - the agent answers all the same
            failures = _told({Layer.USER_KNOWLEDGE: error}, self.warned)
            return replace(empty, failures=failures)
        return replace(empty, standing=standing, unfit=unfit, noted=noted)

    def _source(
        self, layer: Layer, examined: Examined, query: Query
    ) -> ToolSource | RuntimeSource | None:
        if layer is Layer.TOOL_REGISTRY and self.tools is not None:
            return ToolSource(
                self.tools,
                self.similarity,
                self._tool_habits(examined, query),
                self.floor,
            )
        if layer is Layer.RUNTIME_CONTEXT and self.runtime is not None:
            known = (
                len(self.tools.list_tools())
                if isinstance(self.tools, ToolRegistry)
                else 0
            )
            return RuntimeSource(self.runtime, known)
        return None

    def _stored(self, room: Room | None = None) -> StoredLayers:
        return StoredLayers(
            store=self.store,
            namespace=self.namespace,
            clock=self.clock,
            deadline=self.deadline,
            max_pinned=self.max_pinned,
            similarity=self.similarity,
            floor=self.floor,
            room=room,
        )

    def _tool_habits(
        self, examined: Examined, query: Query
    ) -> Mapping[str, Habit] | None:
        """The habits of each tool: tools are not stored, but the questions they were
        used for are.
        """
        failed = examined.candidates.get(Layer.TOOL_REGISTRY)
        if isinstance(failed, Exception):  # the tools are here all the same
            tell("tools are ranked without what they were used for", failed)
        if (
            not isinstance(self.tools, ToolRegistry)
            or Layer.TOOL_REGISTRY not in examined.associations
        ):
            return None
        known = examined.associations[Layer.TOOL_REGISTRY]
        return habits(
            known, query.terms, rows=len(self.tools.list_tools()), now=self.clock()
        )


def _asked(
    layer: Layer, examine: Callable[[], Sequence[Judged]], deadline: float | None
) -> Sequence[Judged] | Exception:
    try:
        return tuple(within(deadline, examine, who=f"the {layer} provider"))
    except Exception as error:  # noqa: BLE001 - the other layers answer all the same
        return error


def _told(failed: Mapping[Layer, Exception], warned: set[str]) -> tuple[Failure, ...]:
    """The failures of layers; each reason is told once, until a turn is without it."""
    failures = tuple(Failure(layer, described(each)) for layer, each in failed.items())
    reasons = dict(
        zip((each.reason for each in failures), failed.values(), strict=True)
    )
    for reason, error in reasons.items():
        if reason not in warned:
            names = [each.layer for each in failures if each.reason == reason]
            tell(f"no answer from {', '.join(names)}", error)
    if warned and not reasons:
        logging.getLogger("hexad").info("all layers answer again")
    warned.intersection_update(reasons)
    warned.update(reasons)
    return failures


def failed_everywhere(
    layers: Iterable[Layer | str] | None, error: Exception
) -> tuple[Failure, ...]:
    """The failures of all layers that were asked for, when a whole retriever fails."""
    return _told(dict.fromkeys(asked_for(layers), error), set())


def asked_for(layers: Iterable[Layer | str] | None) -> tuple[Layer, ...]:
    """The layers that a caller named, each once; the four default ones if none was."""
    if layers is None:
        return DEFAULT_LAYERS
    if isinstance(layers, str) or not isinstance(layers, Iterable):
        raise InvalidInput("layers", "must be a list of layers")
    return tuple(dict.fromkeys(Layer.parse(layer) for layer in layers))


def _at_least_one(field: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInput(
            field, f"must be a whole number of at least 1, not {value!r}"
        )
    return value
