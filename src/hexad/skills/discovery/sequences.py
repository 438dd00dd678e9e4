"""Finds sequences of tools that occur in more sessions than chance explains. Pure and bounded.

A session is the tools of its successful calls, in their order. A sequence is two to eight of them that followed each
other. It is worth offering if it is in at least three sessions, in clearly more than a shuffle of the same calls would
give, and if no longer or more frequent one says it already.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Tools: TypeAlias = tuple[str, ...]
    Places: TypeAlias = dict[str, list[int]]  # where a sequence begins, by session

SHORTEST, LONGEST = 2, 8
FEWEST: Final = 3  # sessions
_MORE_THAN_CHANCE: Final = 2.0  # times as many sessions as a shuffle would give
_BY_CHANCE: Final = 0.5  # sequences as frequent as this one that a shuffle would give among all that can be made


class Repeated(NamedTuple):
    """A sequence of tools, and where it was seen."""

    tools: Tools
    places: Places

    @property
    def sessions(self) -> int:
        """In how many sessions it was seen."""
        return len(self.places)

    @property
    def saved(self) -> int:
        """How many calls it would have saved."""
        return self.sessions * (len(self.tools) - 1)


def repeated(sessions: Mapping[str, Sequence[str]], linked: Callable[[Repeated], bool]) -> list[Repeated]:
    """The sequences worth offering, the most worthwhile first.

    ``linked`` says whether values are handed from step to step: that is no chance, however frequent the tools are.

    >>> work = {name: ["fetch", "parse", "store"] for name in ("a", "b", "c")}
    >>> [(each.tools, each.sessions) for each in repeated(work, lambda _: False)]
    [(('fetch', 'parse', 'store'), 3)]
    """
    frequent = _frequent(sessions)
    chance = _Chance(sessions, {each.tools: each.sessions for each in frequent})
    several = [each for each in frequent if len(set(each.tools)) > 1]  # one tool alone is a loop over data
    likely = [each for each in several if chance.exceeded(each) and (chance.is_ruled_out(each) or linked(each))]
    return _telling(sorted(likely, key=lambda each: (-each.saved, -len(each.tools), each.tools)))


def _frequent(sessions: Mapping[str, Sequence[str]]) -> list[Repeated]:
    """All frequent sequences, grown step by step from frequent ones (Apriori)."""
    found: list[Repeated] = []
    growing = _grown({(): {name: [*range(len(tools))] for name, tools in sessions.items()}}, sessions)
    for length in range(2, LONGEST + 1):
        growing = _grown(growing, sessions)
        if length >= SHORTEST:
            found += [Repeated(tools, places) for tools, places in growing.items()]
    return found


def _grown(known: Mapping[Tools, Places], sessions: Mapping[str, Sequence[str]]) -> dict[Tools, Places]:
    """Every sequence that is one call longer and still in enough sessions."""
    longer: dict[Tools, Places] = {}
    for tools, places in known.items():
        for name, starts in places.items():
            calls = sessions[name]
            for start in starts:
                end = start + len(tools)
                if end < len(calls):
                    longer.setdefault((*tools, calls[end]), {}).setdefault(name, []).append(start)
    return {tools: places for tools, places in longer.items() if len(places) >= FEWEST}


def _telling(ordered: Iterable[Repeated]) -> list[Repeated]:
    """Drop sequences that overlap a better one, unless they are significant by themselves."""
    kept: list[Repeated] = []
    for each in ordered:
        if not any(_is_said_by(each, better) for better in kept):
            kept.append(each)
    return kept


def _is_said_by(each: Repeated, better: Repeated) -> bool:
    if _inside(each.tools, better.tools):
        alone = len(each.places.keys() - better.places.keys())
        return alone < max(FEWEST, better.sessions / 2)
    return _overlap(each.tools, better.tools) and each.sessions < better.sessions * 2


def _inside(one: Tools, other: Tools) -> bool:
    return any(other[start : start + len(one)] == one for start in range(len(other) - len(one) + 1))


def _overlap(one: Tools, other: Tools) -> bool:
    """Whether one contains the other, or the end of one is the beginning of the other for two steps or more."""
    if _inside(other, one):
        return True
    shared = range(SHORTEST, min(len(one), len(other)))
    return any(one[-size:] == other[:size] or other[-size:] == one[:size] for size in shared)


class _Chance:
    """How often sequences would appear if the same calls were shuffled."""

    def __init__(self, sessions: Mapping[str, Sequence[str]], known: Mapping[Tools, int]) -> None:
        counted = Counter(tool for tools in sessions.values() for tool in tools)
        total = sum(counted.values()) or 1
        self._share = {tool: count / total for tool, count in counted.items()}
        self._lengths = Counter(len(tools) for tools in sessions.values())
        self._known = known
        present = Counter(tool for tools in sessions.values() for tool in set(tools))
        self._kinds = float(sum(count >= FEWEST for count in present.values()))  # of which a sequence can be made

    def exceeded(self, each: Repeated) -> bool:
        """Whether it is in clearly more sessions than chance would have it."""
        return all(each.sessions >= _MORE_THAN_CHANCE * expected for expected, _ in self._accounts(each.tools))

    def is_ruled_out(self, each: Repeated) -> bool:
        """Whether chance cannot explain even the most frequent combination of these tools."""
        accounts = self._accounts(each.tools)
        return all(
            math.log(possible) + _log_tail(expected, each.sessions) <= math.log(_BY_CHANCE)
            for expected, possible in accounts
        )

    def _accounts(self, tools: Tools) -> Iterator[tuple[float, float]]:
        """Explanations to test: pure chance, or a known sequence plus one chance call before or after it.

        Each as the number of sessions it predicts, and the number of sequences it could produce.
        """
        kinds = self._kinds
        yield self._expected(tools), kinds ** len(tools)
        if len(tools) > SHORTEST:
            yield self._known[tools[1:]] * self._share[tools[0]], kinds
            yield self._known[tools[:-1]] * self._share[tools[-1]], kinds

    def _expected(self, tools: Tools) -> float:
        likely = math.prod(self._share[tool] for tool in tools)
        missing = math.log1p(-likely) if likely < 1 else -math.inf
        return sum(
            -math.expm1(missing * (length - len(tools) + 1)) * count
            for length, count in self._lengths.items()
            if length >= len(tools)
        )


def _log_tail(expected: float, least: int) -> float:
    """The logarithm of at most the chance of so many rare events or more, where so many are expected (Poisson).

    >>> round(math.exp(_log_tail(0.75, 3)), 3)
    0.07
    """
    return least * math.log(expected) - math.lgamma(least + 1) if expected > 0 else -math.inf
