"""Draws a turn of an agent as its spans: python examples/trace.py trace.svg (needs
opentelemetry-sdk).
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from xml.sax.saxutils import escape

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from hexad import Hexad
from hexad.otel import instrumented

if TYPE_CHECKING:
    from collections.abc import Iterator

Spans: TypeAlias = list[ReadableSpan]
ROW, LEFT, WIDTH = 26, 300, 900
OURS, YOURS = "#1f6f5c", "#9aa5b1"


def turn(hx: Hexad) -> None:
    """One turn: look context up, ask a model, call its tool, and learn from how the
    call ended.
    """
    tracer = trace.get_tracer("agent")
    with tracer.start_as_current_span("turn"):
        hx.prompt("You are terse.", "when may I deploy the search service?")
        with tracer.start_as_current_span("model"):
            time.sleep(0.012)  # in place of a model
        with tracer.start_as_current_span("tool deploy"):
            hx.observe(
                tool="deploy", args={"to": "prod"}, error="quota exceeded: ask for more"
            )


def recorded() -> Spans:
    """The spans of a turn over a memory that has something to say."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    with (
        tempfile.TemporaryDirectory() as folder,
        Hexad.open(Path(folder) / "agent.db", enabled=True) as hx,
    ):
        hx.knowledge.save("deploy-window", "Deploy on Tuesdays only", category="rule")
        hx.references.save(
            "Runbook", location="https://wiki.example/deploy", summary="How to deploy"
        )
        turn(hx)  # once before, so that everything is loaded
        exporter.clear()
        with instrumented():
            turn(hx)
    return list(exporter.get_finished_spans())


def in_order(
    spans: Spans, parent: int | None = None, depth: int = 0
) -> Iterator[tuple[int, ReadableSpan]]:
    """Spans with their depth, each behind the one that it belongs to."""
    for span in sorted(spans, key=lambda span: span.start_time or 0):
        if (span.parent and span.parent.span_id) == parent:
            yield depth, span
            yield from in_order(spans, span.context.span_id, depth + 1)


def drawn(spans: Spans) -> str:
    """Spans as SVG: a line for each, as wide as it took, below the span that it belongs
    to.
    """
    first, last = (
        min(span.start_time or 0 for span in spans),
        max(span.end_time or 0 for span in spans),
    )
    scale, height = (WIDTH - LEFT - 90) / (last - first), ROW * (len(spans) + 1)
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">',
        f'<title>The spans of one turn</title><rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    ]
    for place, (depth, span) in enumerate(in_order(spans)):
        start, end = span.start_time or 0, span.end_time or 0
        x, wide, y = (
            LEFT + (start - first) * scale,
            max((end - start) * scale, 2),
            ROW * place + ROW / 2,
        )
        colour = OURS if span.name.startswith("hexad.") else YOURS
        rows += [
            f'<text x="{12 + depth * 18}" y="{y + 13}" fill="#222" font-size="13">{escape(span.name)}</text>',
            f'<rect x="{x:.1f}" y="{y + 2}" width="{wide:.1f}" height="{ROW - 10}" rx="2" fill="{colour}"/>',
            f'<text x="{x + wide + 6:.1f}" y="{y + 13}" fill="#555" font-size="12">{(end - start) / 1e6:.1f} ms</text>',
        ]
    return "\n".join([*rows, "</svg>\n"])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(drawn(recorded()), encoding="utf-8")
