"""Figures as JSON of a documented shape, and as an HTML page."""

from __future__ import annotations

from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING, Any, Final

from hexad.evals.run import by_layer, overall
from hexad.evals.tables import (
    OURS,
    baseline_names,
    learning_tables,
    quality_of,
    recall_lost,
    retrieval_tables,
    unanswered,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hexad.evals.learning import Learned
    from hexad.evals.run import Measured, SetResult, Taught
    from hexad.evals.tables import Table
    from hexad.model import Layer

_ours: Final = quality_of(OURS)
_COLOURS: Final = ("#2563eb", "#94a3b8", "#f59e0b", "#10b981", "#ef4444")


def as_json(results: Sequence[SetResult]) -> dict[str, Any]:
    """The documented shape: overall, each layer, each set with its baselines."""
    document: dict[str, Any] = {
        **asdict(overall(results, _ours)),
        "layers": {layer.value: asdict(quality) for layer, quality in by_layer(results, _ours).items()},
        "sets": {result.data.path: _set_json(result) for result in results},
        "baselines": {name: asdict(overall(results, quality_of(name))) for name in baseline_names(results)},
    }
    if any(result.foreign for result in results):
        document["foreign"] = {"unanswered": unanswered(results), "recall_lost": recall_lost(results)}
    return document


def as_page(results: Sequence[SetResult], learned: Learned) -> str:
    """A self-contained page: a bar chart for each layer, every figure, and the other kinds of evaluation."""
    tables = (*retrieval_tables(results), *learning_tables(learned))
    return _PAGE.format(body=(_retrieval(results) if results else "") + "".join(map(_html, tables)))


def _retrieval(results: Sequence[SetResult]) -> str:
    names = [OURS, *baseline_names(results)]
    charts = "\n".join(_chart(layer.value, _layer_bars(results, layer, names)) for layer in by_layer(results, _ours))
    taught = any(result.feedback for result in results)
    return _RETRIEVAL.format(
        whole=f"{overall(results, _ours).recall_at_5:.3f}",
        when=", after feedback, on the questions that were not replayed" if taught else "",
        charts=charts + _feedback_chart(results),
        legend=_legend(names),
    )


def _html(table: Table) -> str:
    title, *names = map(escape, table.head)
    head = "".join(f"<th>{name}</th>" for name in ("", *names))
    rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in table.rows)
    return f"\n<h2>{title}</h2>\n<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def feedback_points(results: Sequence[SetResult]) -> dict[str, list[tuple[int, float]]]:
    """The gain in recall at five by uses of each item, for each set with feedback."""
    return {
        result.data.path: [(0, 0.0), *((each.uses, each.gain) for each in result.feedback)]
        for result in results
        if result.feedback and any(each.questions for each in result.feedback)
    }


def feedback_svg(results: Sequence[SetResult]) -> str:
    """A line for each set: uses to the right, gained recall upwards."""
    sets = feedback_points(results)
    most = max(uses for points in sets.values() for uses, _ in points) or 1
    highest = max((gain for points in sets.values() for _, gain in points), default=0.0) or 1.0
    lines = [
        f'<line x1="40" y1="{y}" x2="430" y2="{y}" stroke="#e2e8f0"/>'
        f'<text x="0" y="{y + 4}">{highest * share:+.2f}</text>'
        for share, y in ((0.0, 220), (0.5, 120), (1.0, 20))
    ]
    lines += [f'<text x="40" y="245">uses of each item, 0 to {most}</text>']
    for place, (path, points) in enumerate(sets.items()):
        dots = [(40 + 390 * uses / most, 220 - 200 * max(0.0, gain) / highest) for uses, gain in points]
        way = " ".join(f"{x:.0f},{y:.0f}" for x, y in dots)
        lines.append(f'<polyline points="{way}" fill="none" stroke="{_colour(place)}" stroke-width="2"/>')
        lines += [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3" fill="{_colour(place)}"/>' for x, y in dots]
        lines.append(f'<text x="440" y="{20 + place * 16}" fill="{_colour(place)}">{escape(path)}</text>')
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 260" role="img" font-family="sans-serif" '
        f'font-size="12">{"".join(lines)}</svg>'
    )


def _feedback_chart(results: Sequence[SetResult]) -> str:
    if not feedback_points(results):
        return ""
    chart = feedback_svg(results).replace(' xmlns="http://www.w3.org/2000/svg"', "")  # HTML does not need it
    return f"\n<h2>What use teaches: recall@5 gained on other questions</h2>\n{chart}"


def _set_json(result: SetResult) -> dict[str, Any]:
    document: dict[str, Any] = {
        **_measured(result.hexad),
        "queries": result.questions,
        "baselines": {name: _measured(measured) for name, measured in result.baselines.items()},
    }
    if result.feedback:
        document["feedback"] = {str(each.uses): _taught(each) for each in result.feedback}
    if result.foreign:
        document["foreign"] = {
            "queries": result.foreign.questions,
            "unanswered": round(result.foreign.share, 4),
            "recall_lost": round(result.foreign.recall_lost, 4),
        }
    return document


def _taught(learned: Taught) -> dict[str, Any]:
    return {
        "queries": learned.questions,
        "before": _measured(learned.before) if learned.questions else None,
        "after": _measured(learned.after) if learned.questions else None,
    }


def _measured(measured: Measured) -> dict[str, float]:
    return {**asdict(measured.quality), "p50_ms": round(measured.p50_ms, 4), "p95_ms": round(measured.p95_ms, 4)}


def _layer_bars(results: Sequence[SetResult], layer: Layer, names: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
    return {
        result.data.name: {name: quality_of(name)(result).recall_at_5 for name in names}
        for result in results
        if result.layer is layer
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


_PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Hexad: evaluation</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 760px; margin: 2rem auto; padding: 0 1rem; color: #0f172a }}
svg {{ width: 100%; font-size: 12px }} .set {{ font-weight: 600 }}
table {{ border-collapse: collapse; font-size: 14px }} td, th {{ padding: .2rem .6rem; text-align: right }}
td:first-child {{ text-align: left }} tr:nth-child(even) {{ background: #f1f5f9 }}
</style>
<h1>Hexad</h1>
{body}</html>
"""
_RETRIEVAL: Final = """<h2>Retrieval</h2>
<p>Recall at five, the mean of the layers' means{when}: <strong>{whole}</strong>. {legend}</p>
{charts}"""
