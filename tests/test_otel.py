"""Traces and metrics by OpenTelemetry: what happened and how long it took, never what was said."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from hexad.otel import instrumented
from tests.support import opened, requirement


@pytest.fixture(scope="module")
def spans() -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


@requirement("OBS-01")
def test_a_retrieval_is_a_span_with_one_for_each_layer_inside_the_callers_own(
    tmp_path: Path, spans: InMemorySpanExporter
) -> None:
    with opened(tmp_path / "agent.db", semantic=False) as hx:
        hx.knowledge.save("unmistakable-key", "unmistakable content about deploys")
        with instrumented(), trace.get_tracer("mine").start_as_current_span("turn"):
            hx.retrieve("unmistakable question about deploys", session="unmistakable-session")
            hx.knowledge.save("other", "unmistakable too")
        hx.retrieve("after it")
    found = {span.name: span for span in spans.get_finished_spans()}
    whole, layer, mine = found["hexad.retrieval"], found["hexad.layer.user_knowledge"], found["turn"]
    assert whole.parent is not None
    assert layer.parent is not None
    assert whole.parent.span_id == mine.context.span_id
    assert layer.parent.span_id == whole.context.span_id
    assert whole.attributes is not None
    assert whole.attributes["hexad.user_knowledge.items"] == 1
    assert len([span for span in spans.get_finished_spans() if span.name == "hexad.retrieval"]) == 1
    assert "unmistakable" not in "".join(span.to_json() for span in spans.get_finished_spans())


@requirement("OBS-01")
def test_the_picture_of_a_trace_is_drawn_from_spans(tmp_path: Path) -> None:
    file, root = tmp_path / "trace.svg", Path(__file__).parent.parent
    subprocess.run([sys.executable, str(root / "examples" / "trace.py"), str(file)], check=True)
    for name in ("turn", "hexad.retrieval", "hexad.layer.user_knowledge", "tool deploy"):
        assert f">{name}</text>" in file.read_text()
        assert f">{name}</text>" in (root / "docs" / "how-to" / "trace.svg").read_text()
