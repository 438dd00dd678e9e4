"""The tools this agent may call: from a provider of the caller's, or from a plain list, copied and indexed once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol, runtime_checkable

from hexad.context.candidates import Candidates, gather
from hexad.context.keywords import extract
from hexad.context.ranking import Ranking
from hexad.errors import InvalidInput
from hexad.model import Item, Layer, Origin, Query, Reason, Tool
from hexad.store import Sketch
from hexad.text.document import Document
from hexad.text.index import TermIndex

_FRAGMENT: Final = 2  # characters that a fragment of a name needs
_FRAGMENT_SCORE: Final = 0.05
_CHOSEN: Final = 0.05  # what a provider's own order is worth, at most
_LONG_AFTER: Final = 2**62  # a tool has no age: seen from here nothing is recent


@runtime_checkable
class ToolRegistryProvider(Protocol):
    """Knows the agent's tools. It is called from a worker thread; an answer after the deadline is discarded."""

    def list_tools(self) -> Sequence[Tool]:
        """Every tool."""
        ...

    def search_tools(self, query: str, limit: int) -> Sequence[Tool]:
        """The tools that fit a question best, best first."""
        ...


class ToolRegistry:
    """A provider over a list of callables, `Tool`s or descriptors; it copies what it is given.

    >>> def book_hotel(city: str) -> str:
    ...     "Reserve a room in a city."
    >>> [tool.name for tool in ToolRegistry([book_hotel]).search_tools("a room please", 5)]
    ['book_hotel']
    """

    def __init__(self, tools: Iterable[Tool | Mapping[str, Any] | Callable[..., object]]) -> None:
        if isinstance(tools, str | Mapping) or not isinstance(tools, Iterable):
            raise InvalidInput("tools", "must be a list of callables, Tools or descriptors")
        self._tools = tuple(_described(tool) for tool in tools)
        self._index = TermIndex()
        self._sketches = tuple(self._indexed(number, tool) for number, tool in enumerate(self._tools))

    def list_tools(self) -> Sequence[Tool]:
        """Every tool, in the order given."""
        return self._tools

    def search_tools(self, query: str, limit: int) -> Sequence[Tool]:
        """The tools that share words with the question, or whose name holds one of its words."""
        return [tool for tool, _ in self.ranked(extract(query), limit)]

    def ranked(self, query: Query, limit: int) -> Sequence[tuple[Tool, tuple[Reason, ...]]]:
        """The same with the reasons for each tool's score."""
        candidates = gather(self._index, query.terms)
        numbers = {*candidates.scores, *self._named_like(query)}
        ranking = Ranking(query, candidates.measure, _LONG_AFTER)
        scored = [(self._score(number, query, candidates, ranking), -number) for number in numbers]
        return [
            (self._tools[-place], (*self._told(-place, ranking), *_fragments(self._tools[-place], query)))
            for _, place in sorted(scored, reverse=True)[:limit]
        ]

    def _indexed(self, number: int, tool: Tool) -> Sketch:
        document = Document.of(tool.fields())
        self._index.add(number, document)
        return Sketch(number, tool.name, document.pack(), Origin.TOOL, 0, 0, relevance=0.0)

    def _score(self, number: int, query: Query, candidates: Candidates, ranking: Ranking) -> float:
        words = candidates.words(number) if number in candidates.scores else 0.0
        return ranking.score(words, self._sketches[number]) + sum(
            reason.value for reason in _fragments(self._tools[number], query)
        )

    def _told(self, number: int, ranking: Ranking) -> tuple[Reason, ...]:
        sketch = self._sketches[number]
        return ranking.reasons(sketch, Document.unpack(sketch.words))

    def _named_like(self, query: Query) -> Iterable[int]:
        return (number for number, tool in enumerate(self._tools) if _fragments(tool, query))


@dataclass(frozen=True, slots=True)
class ToolSource:
    """The Tool Registry layer."""

    layer: ClassVar[Layer] = Layer.TOOL_REGISTRY

    provider: ToolRegistryProvider

    def find(self, query: Query, limit: int) -> Sequence[Item]:
        """The provider's answer, ranked by words; its own order decides among equals."""
        if isinstance(self.provider, ToolRegistry):
            return [_item(tool, why) for tool, why in self.provider.ranked(query, limit)]
        chosen = ToolRegistry(list(self.provider.search_tools(query.text, limit))[:limit])
        return sorted(_in_their_order(chosen, query), key=lambda item: -item.score)


def registry_of(tools: object) -> ToolRegistryProvider:
    """A provider as it is, or one over a plain list."""
    if isinstance(tools, ToolRegistryProvider):
        return tools
    return ToolRegistry(tools)  # type: ignore[arg-type]  # the registry itself says what it accepts


def _item(tool: Tool, why: tuple[Reason, ...]) -> Item:
    return Item(
        layer=Layer.TOOL_REGISTRY,
        id=tool.name,
        key=tool.name,
        content=tool.description,
        category="tool",
        origin=Origin.TOOL,
        score=sum(reason.value for reason in why),
        reasons=why,
    )


def _in_their_order(chosen: ToolRegistry, query: Query) -> Iterable[Item]:
    """A custom provider's tools: the place it gave each of them is a reason too."""
    told = {tool.name: why for tool, why in chosen.ranked(query, len(chosen.list_tools()))}
    for place, tool in enumerate(chosen.list_tools(), start=1):
        given = Reason("provider", f"place {place} of its answer", _CHOSEN / place)
        yield _item(tool, (*told.get(tool.name, ()), given))


def _fragments(tool: Tool, query: Query) -> tuple[Reason, ...]:
    """A word of the question inside the tool's name, as it is written there."""
    name = tool.name.casefold()
    inside = [word for word in query.keywords if len(word) >= _FRAGMENT and word in name]
    return (Reason("fragment", f"{inside[0]} in the name", _FRAGMENT_SCORE),) if inside else ()


def _described(tool: Tool | Mapping[str, Any] | Callable[..., object]) -> Tool:
    if isinstance(tool, Tool):
        return _checked(tool)
    if isinstance(tool, Mapping):
        return _from_descriptor(tool)
    name, description = getattr(tool, "name", None), getattr(tool, "description", None)
    if isinstance(name, str):
        return Tool(name=name, description=description if isinstance(description, str) else inspect.getdoc(tool) or "")
    if callable(tool):
        return _from_callable(tool)
    raise InvalidInput("tools", f"{type(tool).__name__} is neither a callable nor a descriptor with a name")


def _checked(tool: Tool) -> Tool:
    texts = (tool.name, tool.description, *tool.tags, *tool.parameters)
    if not tool.name or not all(isinstance(each, str) for each in texts):
        raise InvalidInput("tools", f"a tool's name, description, tags and parameter names must be text: {tool!r:.80}")
    return tool


def _from_callable(tool: Callable[..., object]) -> Tool:
    inner = getattr(tool, "func", tool)  # a partial's own name and text are those of what it wraps
    name = getattr(inner, "__name__", type(tool).__name__)
    return Tool(name=name, description=inspect.getdoc(inner) or "", parameters=_parameters(tool))


def _parameters(tool: Callable[..., object]) -> dict[str, Any]:
    try:
        signature = inspect.signature(tool)
    except (TypeError, ValueError):
        return {}
    return {name: {} for name in signature.parameters if name not in {"self", "args", "kwargs"}}


def _from_descriptor(descriptor: Mapping[str, Any]) -> Tool:
    name, description = descriptor.get("name"), descriptor.get("description", "")
    if not isinstance(name, str) or not name or not isinstance(description, str):
        raise InvalidInput("tools", "a descriptor needs a name, and its description must be text")
    parameters = descriptor.get("parameters") or {}
    properties = parameters.get("properties", parameters) if isinstance(parameters, Mapping) else {}
    return _checked(Tool(name=name, description=description, parameters=dict(properties)))
