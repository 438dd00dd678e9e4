"""Tables of what `eval` measured about learning, and about the check of scripts."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final

from hexad.cli import screen
from hexad.cli.screen import Column

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad.evals.failures import Replayed
    from hexad.evals.grouping import Grouped
    from hexad.evals.learning import Learned

_REPLAYED: Final = (Column("tool failures", "fold"), Column("number"), Column("share"))
_JUDGED: Final = (Column("scripts", "fold"), Column("share"))


def show(learned: Learned) -> None:
    """A table for each kind that was measured."""
    if learned.grouping is not None:
        names = ("hexad", *learned.grouping.baselines)
        columns = (Column("error grouping", "fold"), *(Column(name) for name in names))
        screen.table(columns, list(_grouped(learned.grouping)))
    if learned.failures is not None:
        screen.table(_REPLAYED, list(_replayed(learned.failures)))
    judged = [
        (f"{kind}: {name}", f"{value:g}" if name == "count" else f"{value:.4f}")
        for kind, figures in (("shell_benign", learned.benign), ("shell_harmful", learned.harmful))
        if figures is not None
        for name, value in figures.as_json().items()
    ]
    if judged:
        screen.table(_JUDGED, judged)


def _grouped(figures: Grouped) -> Iterator[tuple[str, ...]]:
    for system, own in figures.systems.items():
        others = (each[system] for each in figures.baselines.values())
        yield f"error_grouping/{system}", *(f"{value:.3f}" for value in (own, *others))
    means = (fmean(each.values()) for each in figures.baselines.values())
    yield "mean of the systems", *(f"{value:.3f}" for value in (figures.mean, *means))


def _replayed(figures: Replayed) -> Iterator[tuple[str, str, str]]:
    for name, value in figures.as_json().items():
        share = (
            f"{value / figures.with_fix:.3f}" if name in {"remedy_found", "retrieved_in_3"} and figures.with_fix else ""
        )
        yield f"tool_failures: {name}", str(value), share
