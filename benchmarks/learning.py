"""The cost of watching, the quality of error grouping and fixes, and what an agent
gains.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import simulated_agent
from benchmarks.figures import Figure, in_turns, seconds
from hexad import Hexad
from hexad_evals.failures import replay_failures
from hexad_evals.grouping import group_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "evals"
PLOT = ROOT / "docs" / "simulated-agent.svg"
LEARNINGS, CALLS, WARM = 10_000, 1_000, 1_200
DATABASES = 5  # the figure of one differs by a fifth from run to run
LIMITS = {
    "that succeeds": 3.0,
    "that fails": 4.0,
}  # a failure is kept with its call and what the session met before
SILENT = 0.05  # of fixed failures: the same call worked as often, or the error repeats nothing of its pattern


def measure(folder: Path) -> Iterator[Figure]:
    """Every figure about learning."""
    yield from _watching(folder)
    yield from _shared_data()
    yield from simulated_agent.measure(
        folder, range(1, simulated_agent.SEEDS + 1), PLOT
    )


def _watching(folder: Path) -> Iterator[Figure]:
    """A watched call over the bare call, against INSERT and COMMIT into a plain table
    on the same disk.

    The median of several databases: single ones differ by a fifth on the same program.
    """
    filled = folder / "watching.db"
    _fill(filled)
    measured: dict[str, list[Cost]] = {}
    for number in range(DATABASES):
        path = folder / f"watching-{number}.db"
        shutil.copy(filled, path)
        for name, cost in _costs(path):
            measured.setdefault(name, []).append(cost)
    for name, costs in measured.items():
        ratios = sorted(each.more / each.commit for each in costs)
        more, commit = (median(each) * 1000 for each in zip(*costs, strict=True))
        spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f} in {DATABASES} databases with {LEARNINGS:,} learnings"
        detail = f"{more:.2f} ms more, INSERT and COMMIT {commit:.2f} ms; {spread}"
        title = f"watching a call {name}, in INSERTs with their COMMIT, median"
        yield Figure(title, median(ratios), LIMITS[name], detail=detail)


class Cost(NamedTuple):
    more: float
    commit: float


def _costs(path: Path) -> Iterator[tuple[str, Cost]]:
    """The seconds that a watched call takes more than a bare one, and those of a
    commit, in turns.
    """
    plain = Plain(path.with_suffix(".plain.db"))
    with Hexad.open(path, enabled=True, session="bench") as hx:
        watched = hx.watch(_tool)
        for name, fails in (("that succeeds", False), ("that fails", True)):
            ours = [
                partial(_quietly, watched, f"row {n}", n, fails=fails)
                for n in range(WARM + CALLS)
            ]
            bare = [
                partial(_quietly, _tool, f"row {n}", n, fails=fails)
                for n in range(CALLS)
            ]
            theirs = [partial(plain.insert, f"row {n}") for n in range(WARM + CALLS)]
            before = len(hx.audit.records())
            in_turns(ours[:WARM], theirs[:WARM])
            pair = in_turns(ours[WARM:], theirs[WARM:])
            assert len(hx.audit.records()) == before + len(ours), (
                "a call was not recorded"
            )
            yield (
                name,
                Cost(
                    median(pair.ours) - median(seconds(call) for call in bare),
                    median(pair.theirs),
                ),
            )
    plain.close()


def _tool(name: str, number: int, *, fails: bool) -> str:
    if fails:
        raise ValueError(f"no row {number} in '{name}' at 10.0.0.{number % 250}")
    return "done"


def _quietly(
    tool: Callable[..., object], name: str, number: int, *, fails: bool
) -> None:
    with suppress(ValueError):
        tool(name, number, fails=fails)


class Plain:
    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT)")

    def insert(self, text: str) -> None:
        self._connection.execute("BEGIN")
        self._connection.execute("INSERT INTO row (text) VALUES (?)", (text,))
        self._connection.execute("COMMIT")

    def close(self) -> None:
        self._connection.close()


def _fill(path: Path) -> None:
    """Learnings of 50 tools, the watched one among them."""
    lines = path.with_suffix(".jsonl")
    words = (
        "alpha",
        "bravo",
        "coral",
        "drift",
        "eagle",
        "flint",
        "grain",
        "haven",
        "ivory",
        "jade",
    )
    with lines.open("w", encoding="utf-8") as file:
        for number in range(LEARNINGS):
            tool = "_tool" if number % 50 == 0 else f"tool{number % 50}"
            pattern = (
                " ".join(words[int(digit)] for digit in f"{number:05d}") + " is broken"
            )
            detail = {
                "type": "learning",
                "trigger": f"tool:{tool}",
                "error_pattern": pattern,
                "fix": "mend it",
            }
            file.write(json.dumps(detail) + "\n")
    with Hexad.open(path, enabled=True) as hx:
        hx.import_file(lines)
    lines.unlink()


def _shared_data() -> Iterator[Figure]:
    """The figures of `hexad eval` on the shared data, if it is there."""
    if not DATA.is_dir():
        return
    quiet = lambda _what, _done, _total: None  # noqa: E731 - for both
    if (groups := group_errors(DATA, quiet)) is not None:
        mean = groups.json["mean"]
        detail = f"accuracy {mean:.3f} over {len(groups.json['systems'])} systems"
        yield Figure(
            "error grouping: share of lines grouped wrong", 1 - mean, 0.22, "", detail
        )
    if (replayed := replay_failures(DATA, quiet)) is not None:
        known = replayed.json
        detail = f"{known['with_fix']} of {known['failures']} fixed by other arguments"
        missed = (known["with_fix"] - known["remedy_found"]) / known["with_fix"]
        yield Figure(
            "tool failures: share with nothing to show to who asks",
            missed,
            SILENT,
            "",
            detail,
        )
        missed = known["remedy_found"] - known["retrieved_in_3"]
        yield Figure(
            "tool failures: known fixes not among the first three items",
            missed,
            0,
            "",
            detail,
        )
