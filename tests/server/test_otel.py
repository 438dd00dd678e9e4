"""Traces and metrics by OpenTelemetry: what happened and how long it took, never what
was said.
"""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from hexad.errors import NotFound
from hexad.model import Layer
from hexad.otel import instrumented
from hexad.signals import Signal, listening
from tests.server.server_support import serving, tokens_in
from tests.support import opened, requirement

if TYPE_CHECKING:
    from opentelemetry.context import Context


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
            hx.retrieve(
                "unmistakable question about deploys", session="unmistakable-session"
            )
            hx.knowledge.save("other", "unmistakable too")
        hx.retrieve("after it")
    found = {span.name: span for span in spans.get_finished_spans()}
    whole, layer, mine = (
        found["hexad.retrieval"],
        found["hexad.layer.user_knowledge"],
        found["turn"],
    )
    assert whole.parent is not None
    assert layer.parent is not None
    assert whole.parent.span_id == mine.context.span_id
    assert layer.parent.span_id == whole.context.span_id
    assert whole.attributes is not None
    assert whole.attributes["hexad.user_knowledge.items"] == 1
    assert (
        len(
            [
                span
                for span in spans.get_finished_spans()
                if span.name == "hexad.retrieval"
            ]
        )
        == 1
    )
    assert "unmistakable" not in "".join(
        span.to_json() for span in spans.get_finished_spans()
    )


@requirement("OBS-01")
def test_a_layer_takes_the_time_of_its_own_work_inside_the_retrieval(
    tmp_path: Path, spans: InMemorySpanExporter
) -> None:
    with opened(tmp_path / "agent.db", semantic=False) as hx, instrumented():
        hx.knowledge.save("window", "deploys are on Tuesdays")
        spans.clear()
        found = hx.retrieve("deploys").seconds
    whole, *layers = sorted(
        spans.get_finished_spans(), key=lambda span: span.name, reverse=True
    )
    assert [span.name for span in layers] == ["hexad.layer.user_knowledge"], (
        "the others hold nothing"
    )
    assert abs(length(layers[0]) - found[Layer.USER_KNOWLEDGE]) < 1e-6
    assert sum(map(length, layers)) < length(whole)


@requirement("OBS-01")
def test_a_save_is_a_span_with_what_it_did_and_a_failed_one_is_marked(
    tmp_path: Path, spans: InMemorySpanExporter
) -> None:
    with opened(tmp_path / "agent.db", semantic=False) as hx, instrumented():
        spans.clear()
        hx.knowledge.save("window", "unmistakable")
        hx.observe(tool="deploy", args={}, error="quota exceeded")
        with pytest.raises(NotFound):
            hx.knowledge.delete("unmistakable")
    *done, failed = spans.get_finished_spans()
    assert [span.name for span in done] == ["hexad.knowledge.save", "hexad.tool.call"]
    assert [
        (span.attributes or {})["hexad." + span.name.removeprefix("hexad.")]
        for span in done
    ] == [1, 1]
    assert (failed.name, failed.status.status_code) == (
        "hexad.change",
        trace.StatusCode.ERROR,
    )
    assert "unmistakable" not in "".join(span.to_json() for span in (*done, failed))


@requirement("OBS-01")
def test_a_request_through_the_gateway_is_the_parent_of_its_retrieval(
    tmp_path: Path, spans: InMemorySpanExporter
) -> None:
    with opened(tmp_path / "agent.db", semantic=False) as hx, instrumented():
        hx.knowledge.save("window", "deploys are on Tuesdays", origin="agent")
        with serving(hx, tokens_in(tmp_path), upstream="http://127.0.0.1:1/v1") as url:
            spans.clear()
            body = {
                "model": "m",
                "messages": [{"role": "user", "content": "unmistakable deploys"}],
            }
            assert (
                httpx2.post(f"{url}/gateway/v1/chat/completions", json=body).status_code
                == 502
            )
    found = {span.name: span for span in spans.get_finished_spans()}
    names = (
        "hexad.layer.user_knowledge",
        "hexad.retrieval",
        "hexad.gateway",
        "hexad.request",
    )
    for inner, outer in pairwise(found[name] for name in names):
        assert inner.parent is not None
        assert inner.parent.span_id == outer.context.span_id
    assert found["hexad.request"].parent is None
    provider = found["hexad.provider"]
    assert provider.parent is not None
    assert provider.parent.span_id == found["hexad.request"].context.span_id
    assert provider.status.status_code is trace.StatusCode.ERROR
    assert "unmistakable" not in "".join(span.to_json() for span in found.values())


def length(span: ReadableSpan) -> float:
    return ((span.end_time or 0) - (span.start_time or 0)) / 1e9


class ExporterGone(Exception):
    pass


@requirement("OBS-01")
def test_a_listener_that_fails_does_not_fail_what_it_hears_about_and_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def ended(_signal: Signal) -> None:
        raise ExporterGone

    heard: list[str] = []
    with opened(":memory:", semantic=False) as hx, listening(lambda _name: ended):
        with listening(lambda name: lambda _signal: heard.append(name)):
            hx.knowledge.save("first", "deploys are on Tuesdays")
            hx.knowledge.save("second", "never on Fridays")
        assert len(hx.knowledge.list()) == 2
    assert heard == ["change", "change"]
    assert [record.message.endswith("ExporterGone") for record in caplog.records] == [
        True
    ]


class Refusing(SpanProcessor):
    """Fails at each layer while it is on."""

    on = True

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        if self.on and span.name.startswith("hexad.layer."):
            raise ExporterGone


@requirement("OBS-01")
def test_what_comes_after_a_span_that_failed_is_not_inside_of_it(
    tmp_path: Path, spans: InMemorySpanExporter
) -> None:
    refusing, provider = Refusing(), trace.get_tracer_provider()
    assert isinstance(provider, TracerProvider)
    provider.add_span_processor(refusing)
    with opened(tmp_path / "agent.db", semantic=False) as hx, instrumented():
        hx.knowledge.save("window", "deploys are on Tuesdays")
        spans.clear()
        assert hx.retrieve("deploys").items
        refusing.on = False
        assert hx.retrieve("deploys").items
    found = [
        span for span in spans.get_finished_spans() if span.name == "hexad.retrieval"
    ]
    assert [span.parent for span in found] == [None, None]


@requirement("OBS-01")
def test_the_picture_of_a_trace_is_drawn_from_spans(tmp_path: Path) -> None:
    file, root = tmp_path / "trace.svg", Path(__file__).parents[2]
    subprocess.run(
        [sys.executable, str(root / "examples" / "trace.py"), str(file)], check=True
    )
    for name in (
        "turn",
        "hexad.retrieval",
        "hexad.layer.user_knowledge",
        "tool deploy",
        "hexad.tool.call",
    ):
        assert f">{name}</text>" in file.read_text()
        assert f">{name}</text>" in (root / "docs" / "how-to" / "trace.svg").read_text()


@requirement("OBS-01")
def test_a_request_continues_the_trace_of_its_caller(
    tmp_path: Path, spans: InMemorySpanExporter
) -> None:
    trace_id, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    with (
        opened(tmp_path / "agent.db", semantic=False) as hx,
        instrumented(),
        serving(hx, tokens_in(tmp_path)) as url,
    ):
        spans.clear()
        asked = {"traceparent": f"00-{trace_id}-{parent}-01"}
        assert (
            httpx2.post(
                f"{url}/api/v1/retrieve", json={"message": "deploy"}, headers=asked
            ).status_code
            == 200
        )
        assert httpx2.get(f"{url}/healthz").status_code == 200
    requests = [
        span for span in spans.get_finished_spans() if span.name == "hexad.request"
    ]
    assert [(f"{each.context.trace_id:032x}" == trace_id) for each in requests] == [
        True,
        False,
    ]
    assert requests[0].parent is not None
    assert f"{requests[0].parent.span_id:016x}" == parent
    [found] = [
        span for span in spans.get_finished_spans() if span.name == "hexad.retrieval"
    ]
    assert f"{found.context.trace_id:032x}" == trace_id
