"""The tools this agent may call: from a provider of the caller's, or from a plain list,
copied and indexed once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from hexad.context.candidates import opened, weigh
from hexad.context.floor import Floor
from hexad.context.keywords import extract
from hexad.context.layers import Fate, Judged
from hexad.context.matching import NEAREST, Habit, Matches
from hexad.context.ranking import Ranking
from hexad.errors import InvalidInput
from hexad.memory.index.similarity import (
    Nearness,
    Similarity,
    Space,
    embedded_text,
    or_by_words_alone,
)
from hexad.model import Item, Layer, Origin, Query, Reason, Tool
from hexad.store import Sketch
from hexad.text.document import Document
from hexad.text.index import TermIndex

_FRAGMENT: Final = 2  # characters that a fragment of a name needs
_FRAGMENT_SCORE: Final = 0.05
_FEW_TOOLS: Final = 30
_TELLING: Final = 4  # characters of a fragment that is no accident
_FEW_WORDS: Final = (
    3  # of a question so short that a fragment of a name is what was meant
)
_CHOSEN: Final = 0.05  # the most that a provider's own order adds
_LONG_AFTER: Final = 2**62  # a tool has no age: seen from here nothing is recent


@runtime_checkable
class ToolRegistryProvider(Protocol):
    """Knows the agent's tools. It is called from a worker thread; an answer after the
    deadline is discarded.
    """

    def list_tools(self) -> Sequence[Tool]:
        """Every tool."""

    def search_tools(self, query: str, limit: int) -> Sequence[Tool]:
        """The tools that fit a question best, best first."""


class ToolRegistry:
    """A provider over a list of callables, `Tool`s or descriptors; it copies what it is
    given.

    >>> def book_hotel(city: str) -> str:
    ...     "Reserve a room in a city."
    >>> [tool.name for tool in ToolRegistry([book_hotel]).search_tools("a room please", 5)]
    ['book_hotel']
    """

    def __init__(
        self, tools: Iterable[Tool | Mapping[str, Any] | Callable[..., object]]
    ) -> None:
        if isinstance(tools, str | Mapping) or not isinstance(tools, Iterable):
            raise InvalidInput(
                "tools", "must be a list of callables, Tools or descriptors"
            )
        listed = [(_described(tool), tool) for tool in tools]
        self._tools = tuple(tool for tool, _ in listed)
        self._callables = {
            tool.name: given for tool, given in reversed(listed) if callable(given)
        }
        self._names = tuple(tool.name.casefold() for tool in self._tools)
        self._index = TermIndex()
        self._spaces: dict[str, Space] = {}
        self._sketches = tuple(
            self._indexed(number, tool) for number, tool in enumerate(self._tools)
        )

    def list_tools(self) -> Sequence[Tool]:
        """Every tool, in the order given."""
        return self._tools

    @property
    def callables(self) -> Mapping[str, Callable[..., Any]]:
        """Those that were given as something to call, by name; of two with the same
        name, the first.
        """
        return self._callables

    def search_tools(self, query: str, limit: int) -> Sequence[Tool]:
        """The tools that share words with the question, or whose name holds one of its
        words.
        """
        return [tool for tool, _, _ in self.ranked(extract(query), limit)]

    def ranked(
        self,
        query: Query,
        limit: int,
        *,
        similarity: Similarity | None = None,
        habits: Mapping[str, Habit] | None = None,
        floor: bool = False,
        wide: int = 0,
    ) -> Sequence[tuple[Tool, tuple[Reason, ...], Fate]]:
        """The same with the reasons for each tool's score, then others up to ``wide``
        in all, each with its verdict.

        ``habits`` says what each tool was used for before. With ``floor``, probable
        noise is not kept.
        """
        near = None
        if (
            similarity is not None
            and similarity.reads(query.text)
            and similarity.ready()
        ):
            near = or_by_words_alone(lambda: self._near(query, similarity))
        nearest = near.nearest(NEAREST) if near is not None else ()
        matches = Matches(
            weigh(
                *opened(self._index, query.terms, query.terms),
                query.terms,
                query.common,
                query.parts,
            ),
            len(query.terms),
            near,
            {
                number: habits[tool.name]
                for number, tool in enumerate(self._tools)
                if tool.name in habits
            }
            if habits
            else {},
            nearest,
        )
        ranking = Ranking(query, matches.candidates.measure, _LONG_AFTER)
        fragments = self._holding(
            [word for word in query.keywords if len(word) >= _FRAGMENT]
        )
        scored = {
            number: ranking.score(matches.value(number), self._sketches[number])
            + (_FRAGMENT_SCORE if number in fragments else 0.0)
            for number in {*matches.numbers, *fragments}
        }
        best = sorted(scored, key=lambda number: (-scored[number], number))
        short, few = len(query.keywords) <= _FEW_WORDS, len(self._tools) <= _FEW_TOOLS
        enough = {
            number
            for number, word in fragments.items()
            if short and (few or len(word) >= _TELLING)
        }
        least = Floor(matches, max(1, len(self._tools)), nearest)
        known = not floor or any(map(least.convinces, best))
        answers = [
            number
            for number in best
            if not floor or number in enough or (known and least.answers(number))
        ]
        fates = dict.fromkeys(answers[:limit], Fate.KEPT) | dict.fromkeys(
            answers[limit:wide], Fate.BEYOND
        )
        below = (
            [number for number in best if number not in answers]
            if len(fates) < wide
            else []
        )
        fates |= dict.fromkeys(below[: max(0, wide - len(fates))], Fate.TOO_LITTLE)
        own = {
            n: [Reason("fragment", f"{word} in the name", _FRAGMENT_SCORE)]
            for n, word in fragments.items()
        }
        reasons = {
            number: (*self._reasons(number, matches, ranking), *own.get(number, ()))
            for number in fates
        }
        return [
            (self._tools[number], reasons[number], fate)
            for number, fate in fates.items()
        ]

    def _near(self, query: Query, similarity: Similarity) -> Nearness:
        """How near the tools are; their vectors are made when the first question comes,
        once for each embedder.
        """
        space = self._spaces.get(similarity.name)
        if space is None:
            space = similarity.space(
                [embedded_text(tool.fields()) for tool in self._tools]
            )
            self._spaces[similarity.name] = space
        return space.near(query.text)

    def _holding(self, words: Sequence[str]) -> dict[int, str]:
        """The number of each tool whose name holds one of the words, with the first of
        them that it holds.
        """
        held = (
            (number, word)
            for number, name in enumerate(self._names)
            for word in words
            if word in name
        )
        return dict(reversed([*held]))

    def _indexed(self, number: int, tool: Tool) -> Sketch:
        document = Document.of(tool.fields())
        self._index.add(number, document)
        return Sketch(
            number, tool.name, document.pack(), Origin.TOOL, 0, 0, relevance=0.0
        )

    def _reasons(
        self, number: int, matches: Matches, ranking: Ranking
    ) -> tuple[Reason, ...]:
        sketch, habit = self._sketches[number], matches.habits.get(number)
        return ranking.reasons(
            sketch,
            Document.unpack(sketch.words),
            matches.of(number),
            habit.terms if habit else (),
        )


class ToolSource(NamedTuple):
    """The Tool Registry layer."""

    provider: ToolRegistryProvider
    similarity: Similarity | None = None
    habits: Mapping[str, Habit] | None = None
    floor: bool = True

    def examine(self, query: Query, limit: int, wide: int = 0) -> Sequence[Judged]:
        """The provider's answer, ranked by words; its own order decides among equals."""
        if isinstance(self.provider, ToolRegistry):
            ranked = self.provider.ranked(
                query,
                limit,
                similarity=self.similarity,
                habits=self.habits,
                floor=self.floor,
                wide=wide,
            )
            return [
                Judged(_item(tool, why), fate, limit if fate is Fate.BEYOND else 0)
                for tool, why, fate in ranked
            ]
        found = list(self.provider.search_tools(query.text, limit))[:limit]
        return [
            *map(
                Judged,
                sorted(_in_their_order(found, query), key=lambda item: -item.score),
            )
        ]


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


def _in_their_order(tools: Sequence[Tool], query: Query) -> Iterable[Item]:
    """A custom provider's tools: the place it gave each of them is a reason too."""
    chosen = ToolRegistry(tools)
    reasons = {tool.name: why for tool, why, _ in chosen.ranked(query, len(tools))}
    for place, tool in enumerate(chosen.list_tools(), start=1):
        given = Reason("provider", f"place {place} of its answer", _CHOSEN / place)
        yield _item(tool, (*reasons.get(tool.name, ()), given))


def _described(tool: Tool | Mapping[str, Any] | Callable[..., object]) -> Tool:
    if isinstance(tool, Tool):
        return _checked(tool)
    if isinstance(tool, Mapping):
        return _from_descriptor(tool)
    name, description = getattr(tool, "name", None), getattr(tool, "description", None)
    if isinstance(name, str):
        return Tool(
            name=name,
            description=description
            if isinstance(description, str)
            else inspect.getdoc(tool) or "",
        )
    if callable(tool):
        return _from_callable(tool)
    raise InvalidInput(
        "tools",
        f"{type(tool).__name__} is neither a callable nor a descriptor with a name",
    )


def _checked(tool: Tool) -> Tool:
    texts = (tool.name, tool.description, *tool.tags, *tool.parameters)
    if not str(tool.name).strip():
        raise InvalidInput("tools", "a tool has no name; give each one its name")
    if not all(isinstance(each, str) for each in texts):
        raise InvalidInput(
            "tools",
            f"a tool's name, description, tags and parameter names must be text: {tool!r:.80}",
        )
    return tool


def _from_callable(tool: Callable[..., object]) -> Tool:
    inner = getattr(
        tool, "func", tool
    )  # a partial's own name and text are those of what it wraps
    name = getattr(inner, "__name__", type(tool).__name__)
    return Tool(
        name=name, description=inspect.getdoc(inner) or "", parameters=_parameters(tool)
    )


def _parameters(tool: Callable[..., object]) -> dict[str, Any]:
    try:
        signature = inspect.signature(tool)
    except (TypeError, ValueError):
        return {}
    return {
        name: {}
        for name in signature.parameters
        if name not in {"self", "args", "kwargs"}
    }


def _from_descriptor(descriptor: Mapping[str, Any]) -> Tool:
    name, description = descriptor.get("name"), descriptor.get("description", "")
    if not isinstance(name, str) or not name or not isinstance(description, str):
        raise InvalidInput(
            "tools", "a descriptor needs a name, and its description must be text"
        )
    parameters = descriptor.get("parameters") or {}
    properties = (
        parameters.get("properties", parameters)
        if isinstance(parameters, Mapping)
        else {}
    )
    return _checked(
        Tool(name=name, description=description, parameters=dict(properties))
    )
