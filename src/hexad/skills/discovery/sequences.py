"""Finds sequences of tools that occur in several sessions and belong together. Pure and
bounded.

A session is the tools of its successful calls, in their order. A sequence is two to
eight of them that followed each other. It is worth offering if it is in at least three
sessions, if its tools usually occur together, and if no longer or more frequent one has
two of its tools in the same order.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    Tools: TypeAlias = tuple[str, ...]
    Places: TypeAlias = dict[str, list[int]]  # where a sequence begins, by session

SHORTEST, LONGEST = 2, 8
FEWEST: Final = 3  # sessions
_OF_THE_RARER, _OF_THE_OTHER = (
    0.6,
    0.1,
)  # shares of the calls of two tools in which they follow each other


class Repeated(NamedTuple):
    """A sequence of tools, and where it was seen."""

    tools: Tools
    places: Places

    @property
    def sessions(self) -> int:
        """In how many sessions it was seen."""
        return len(self.places)


def repeated(
    sessions: Mapping[str, Sequence[str]], linked: Callable[[Repeated], bool]
) -> list[Repeated]:
    """The sequences worth offering, the most worthwhile first.

    ``linked`` says whether values are handed from step to step: that is no chance,
    however frequent the tools are.

    >>> work = {name: ["fetch", "parse", "store"] for name in ("a", "b", "c")}
    >>> [(each.tools, each.sessions) for each in repeated(work, lambda _: False)]
    [(('fetch', 'parse', 'store'), 3)]
    """
    together = _together(sessions.values())
    several = [
        each for each in _frequent(sessions) if len(set(each.tools)) > 1
    ]  # one tool alone is a loop over data
    likely = [
        each
        for each in several
        if together.issuperset(pairwise(each.tools)) or linked(each)
    ]
    # first those that would have saved the most calls
    likely.sort(
        key=lambda each: (
            -each.sessions * (len(each.tools) - 1),
            -len(each.tools),
            each.tools,
        )
    )
    return _telling(likely)


def _together(sessions: Collection[Sequence[str]]) -> set[tuple[str, str]]:
    """The pairs of tools that usually follow each other: most calls of the rarer one,
    and some of the other.
    """
    calls = Counter(chain.from_iterable(sessions))
    pairs = Counter(chain.from_iterable(map(pairwise, sessions)))
    found = set()
    for pair, count in pairs.items():
        rarer, other = sorted(calls[tool] for tool in pair)
        if count >= _OF_THE_RARER * rarer and count >= _OF_THE_OTHER * other:
            found.add(pair)
    return found


def _frequent(sessions: Mapping[str, Sequence[str]]) -> list[Repeated]:
    """All frequent sequences, grown step by step from frequent ones (Apriori)."""
    found: list[Repeated] = []
    growing = _grown(
        {(): {name: [*range(len(tools))] for name, tools in sessions.items()}}, sessions
    )
    for _ in range(SHORTEST, LONGEST + 1):
        growing = _grown(growing, sessions)
        found += [Repeated(tools, places) for tools, places in growing.items()]
    return found


def _grown(
    known: Mapping[Tools, Places], sessions: Mapping[str, Sequence[str]]
) -> dict[Tools, Places]:
    """Every sequence that is one call longer and still in enough sessions."""
    longer: dict[Tools, Places] = {}
    for tools, places in known.items():
        for name, starts in places.items():
            calls = sessions[name]
            for start in starts:
                end = start + len(tools)
                if end < len(calls):
                    longer.setdefault((*tools, calls[end]), {}).setdefault(
                        name, []
                    ).append(start)
    return {tools: places for tools, places in longer.items() if len(places) >= FEWEST}


def _telling(ordered: Iterable[Repeated]) -> list[Repeated]:
    """Drop sequences that share two neighbouring tools with a better one."""
    kept: list[Repeated] = []
    said: set[tuple[str, str]] = set()
    for each in ordered:
        if said.isdisjoint(pairwise(each.tools)):
            kept.append(each)
            said.update(pairwise(each.tools))
    return kept
