"""Error grouping: the share of lines that get exactly the right group.

The format is `error_grouping/<system>.jsonl` with a line ``{"text", "template"}`` for each occurrence. Lines pass once,
in order, through the same patterns that the engine learns with. A line is right if the lines that share its pattern
are exactly those that share its template.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hexad.errors import EvalError
from hexad.evals.data import lines_of
from hexad.learning.errors.pattern import grouped, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from pathlib import Path

    from hexad.evals.run import Progress

    Grouper: TypeAlias = Callable[[Sequence[str]], Sequence[Hashable]]

try:
    from drain3 import TemplateMiner
    from drain3.masking import MaskingInstruction
    from drain3.template_miner_config import TemplateMinerConfig
except ImportError:
    TemplateMiner = None

FOLDER: Final = "error_grouping"
_DRAIN3_MASKS: Final = {
    "IP": r"(?<![A-Za-z0-9])\d{1,3}(?:\.\d{1,3}){3}(?![A-Za-z0-9])",
    "HEX": r"(?<![A-Za-z0-9])0x[0-9a-fA-F]+(?![A-Za-z0-9])",
    "NUM": r"(?<![A-Za-z0-9])[+-]?\d+(?![A-Za-z0-9])",
}


@dataclass(frozen=True, slots=True)
class System:
    """The lines of one system, each with the name of its group."""

    name: str
    lines: tuple[str, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grouped:
    """The accuracy of each way on each system."""

    systems: Mapping[str, float]
    baselines: Mapping[str, Mapping[str, float]]

    @property
    def mean(self) -> float:
        """The mean over systems."""
        return fmean(self.systems.values())

    def as_json(self) -> dict[str, Any]:
        """The documented shape."""
        return {
            "mean": round(self.mean, 4),
            "systems": {name: round(value, 4) for name, value in self.systems.items()},
            "baselines": {name: round(fmean(each.values()), 4) for name, each in self.baselines.items()},
        }


def read_systems(folder: Path) -> tuple[System, ...]:
    """Every system of a folder of evaluation data; none if it has no such folder."""
    return tuple(map(_read_system, sorted((folder / FOLDER).glob("*.jsonl"))))


def group(systems: Sequence[System], progress: Progress) -> Grouped:
    """Group every system's lines, by Hexad and by each baseline that is installed."""
    ways: dict[str, Grouper] = {"masking": _by_masking, **({} if TemplateMiner is None else {"drain3": _by_drain3})}
    ours: dict[str, float] = {}
    others: dict[str, dict[str, float]] = {name: {} for name in ways}
    for done, system in enumerate(systems, start=1):
        ours[system.name] = accuracy(grouped(system.lines), system.groups)
        for name, way in ways.items():
            others[name][system.name] = accuracy(way(system.lines), system.groups)
        progress(f"{FOLDER}/{system.name}", done, len(systems))
    return Grouped(ours, others)


def accuracy(found: Sequence[Hashable], right: Sequence[str]) -> float:
    """The share of lines whose group has exactly the right lines.

    >>> accuracy([1, 1, 2, 3], ["a", "a", "b", "b"])
    0.5
    """
    wanted, groups = defaultdict(list), defaultdict(list)
    for place, (own, name) in enumerate(zip(found, right, strict=True)):
        groups[own].append(place)
        wanted[name].append(place)
    exact = (places for places in groups.values() if places == wanted[right[places[0]]])
    return sum(map(len, exact)) / len(right)


def _by_masking(lines: Sequence[str]) -> Sequence[Hashable]:
    """Masking only, without merging patterns."""
    return [words_of(line) for line in lines]


def _by_drain3(lines: Sequence[str]) -> Sequence[Hashable]:
    """The package drain3 with its defaults and one general setting for all systems: addresses and numbers masked."""
    config = TemplateMinerConfig()
    config.masking_instructions = [MaskingInstruction(pattern, name) for name, pattern in _DRAIN3_MASKS.items()]
    miner = TemplateMiner(config=config)
    return [int(miner.add_log_message(line)["cluster_id"]) for line in lines]


def _read_system(file: Path) -> System:
    lines = [(line.text("text"), line.text("template")) for line in lines_of(file)]
    if not lines:
        raise EvalError(str(file), "has no lines")
    return System(file.stem, tuple(text for text, _ in lines), tuple(template for _, template in lines))
