"""Figures → JSON of a stable shape, and a page that a person can read."""

from __future__ import annotations

from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING, Any, Final

from hexad.evals.run import by_layer, overall

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hexad.evals.metrics import Quality
    from hexad.evals.run import Measured, SetResult

OURS: Final = "hexad"
_COLOURS: Final = ("#2563eb", "#94a3b8", "#f59e0b", "#10b981", "#ef4444")


def as_json(results: Sequence[SetResult]) -> dict[str, Any]:
    """The documented shape: the whole, each layer, each set with its baselines."""
    return {
        **asdict(overall(results, _ours)),
        "layers": {layer.value: asdict(quality) for layer, quality in by_layer(results, _ours).items()},
        "sets": {result.data.path: _set_json(result) for result in results},
        "baselines": {name: asdict(overall(results, _theirs(name))) for name in baseline_names(results)},
    }


def baseline_names(results: Sequence[SetResult]) -> list[str]:
    """The baselines that ran, in the order they were asked for."""
    return list(results[0].baselines) if results else []


def quality_of(name: str) -> Callable[[SetResult], Quality]:
    """How to read one side's quality off a result."""
    return _ours if name == OURS else _theirs(name)


def as_page(results: Sequence[SetResult]) -> str:
    """A self-contained page: a bar chart for each layer, then every figure."""
    names = [OURS, *baseline_names(results)]
    charts = "\n".join(
        _chart(layer.value, _layer_bars(results, layer.value, names)) for layer in by_layer(results, _ours)
    )
    whole = overall(results, _ours).recall_at_5
    return _PAGE.format(whole=f"{whole:.3f}", charts=charts, legend=_legend(names), rows=_rows(results, names))


def _ours(result: SetResult) -> Quality:
    return result.hexad.quality


def _theirs(name: str) -> Callable[[SetResult], Quality]:
    return lambda result: result.baselines[name].quality


def _set_json(result: SetResult) -> dict[str, Any]:
    return {
        **_measured(result.hexad),
        "queries": result.questions,
        "baselines": {name: _measured(measured) for name, measured in result.baselines.items()},
    }


def _measured(measured: Measured) -> dict[str, float]:
    return {**asdict(measured.quality), "p50_ms": round(measured.p50_ms, 4), "p95_ms": round(measured.p95_ms, 4)}


def _layer_bars(results: Sequence[SetResult], layer: str, names: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
    return {
        result.data.name: {name: quality_of(name)(result).recall_at_5 for name in names}
        for result in results
        if result.layer.value == layer
    }


def _chart(title: str, sets: Mapping[str, Mapping[str, float]]) -> str:
    """Horizontal bars of recall at five, a group for each set."""
    lines, top = [], 0
    for name, bars in sets.items():
        lines.append(f'<text x="0" y="{top + 14}" class="set">{escape(name)}</text>')
        for place, (side, value) in enumerate(bars.items()):
            y = top + 20 + place * 18
            lines.append(
                f'<rect x="0" y="{y}" width="{value * 480:.1f}" height="14" fill="{_colour(place)}"/>'
                f'<text x="{value * 480 + 6:.1f}" y="{y + 12}">{value:.3f} {escape(side)}</text>'
            )
        top += 32 + len(bars) * 18
    return f'<h2>{escape(title)}</h2>\n<svg viewBox="0 0 640 {top}" role="img">{"".join(lines)}</svg>'


def _legend(names: Sequence[str]) -> str:
    return " ".join(f'<span style="color:{_colour(place)}">■ {escape(name)}</span>' for place, name in enumerate(names))


def _colour(place: int) -> str:
    return _COLOURS[place % len(_COLOURS)]


def _rows(results: Sequence[SetResult], names: Sequence[str]) -> str:
    return "\n".join(
        _row(result.data.path, name, result.hexad if name == OURS else result.baselines[name])
        for result in results
        for name in names
    )


def _row(path: str, name: str, measured: Measured) -> str:
    figures = (*asdict(measured.quality).values(), measured.p50_ms, measured.p95_ms)
    cells = "".join(f"<td>{figure:.3f}</td>" for figure in figures)
    return f"<tr><td>{escape(path)}</td><td>{escape(name)}</td>{cells}</tr>"


_PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Hexad: retrieval</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 760px; margin: 2rem auto; padding: 0 1rem; color: #0f172a }}
svg {{ width: 100%; font-size: 12px }} .set {{ font-weight: 600 }}
table {{ border-collapse: collapse; font-size: 14px }} td, th {{ padding: .2rem .6rem; text-align: right }}
td:nth-child(-n+2), th:nth-child(-n+2) {{ text-align: left }} tr:nth-child(even) {{ background: #f1f5f9 }}
</style>
<h1>Retrieval</h1>
<p>Recall at five, the mean of the layers' means: <strong>{whole}</strong>. {legend}</p>
{charts}
<h2>Every figure</h2>
<table><tr><th>set</th><th></th><th>recall@5</th><th>recall@10</th><th>MRR</th><th>nDCG@10</th><th>median ms</th>
<th>95 % ms</th></tr>
{rows}
</table></html>
"""
