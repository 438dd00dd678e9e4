"""Traces and metrics by OpenTelemetry: spans and counters of what the engine and the
server do, without content.

The API alone is needed (extra `otel`). Without an SDK that a program has set up,
nothing is recorded.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from hexad import signals
from hexad._version import __version__
from hexad.extras import is_importable, require_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from opentelemetry.trace import Span

    from hexad.signals import Signal

_LAYER: Final = ".seconds"  # the end of a fact that says how long one layer took


@contextmanager
def instrumented() -> Iterator[None]:
    """Inside, everything that the engines of this process do is traced and counted.

    >>> with instrumented():
    ...     pass
    """
    require_extra("otel", "tracing", "opentelemetry")
    with signals.listening(_Recorder().begun):
        yield


def continue_trace(headers: Mapping[str, str]) -> None:
    """Spans of this task belong to the trace that the headers of its request name
    (`traceparent`), if they name one.
    """
    if "traceparent" in headers and is_importable("opentelemetry"):
        from opentelemetry import context, propagate  # noqa: PLC0415 - behind its extra

        context.attach(propagate.extract(headers))


class _Recorder:
    """Turns signals into spans, counters and durations."""

    def __init__(self) -> None:
        from opentelemetry import context, metrics, trace  # noqa: PLC0415 - behind its extra

        self._context, self._trace = context, trace
        self._tracer, meter = (
            trace.get_tracer("hexad", __version__),
            metrics.get_meter("hexad", __version__),
        )
        self._durations = meter.create_histogram(
            "hexad.duration", "s", "how long something took"
        )
        self._counts = meter.create_counter(
            "hexad.count", "1", "how often something happened"
        )

    def begun(self, name: str) -> Callable[[Signal], None]:
        """Open a span inside of the current one; what begins before it ends is inside
        of it.
        """
        span = self._tracer.start_span(f"hexad.{name}")
        before = self._context.attach(self._trace.set_span_in_context(span))

        def ended(signal: Signal) -> None:
            try:
                self._count(signal)
                if span.is_recording():
                    self._describe(span, signal)
            finally:  # else what comes later would be inside of it
                self._context.detach(before)
                span.end()

        return ended

    def _count(self, signal: Signal) -> None:
        words = {
            f"hexad.{name}": each
            for name, each in signal.facts.items()
            if isinstance(each, str)
        }
        kind = {"hexad.what": signal.name, **words}
        self._durations.record(signal.seconds, kind)
        self._counts.add(1, kind)
        for action, times in signal.actions.items():
            self._counts.add(times, {"hexad.what": "action", "hexad.action": action})

    def _describe(self, span: Span, signal: Signal) -> None:
        """The facts as attributes, and a span for each layer: as long as its own work,
        behind the read they share.
        """
        facts = signal.facts
        if signal.actions:
            span.update_name(f"hexad.{next(iter(signal.actions))}")
        if "error" in facts:
            span.set_status(self._trace.StatusCode.ERROR)
        span.set_attributes(
            {
                f"hexad.{name}": value
                for name, value in facts.items()
                if not name.endswith(_LAYER)
            }
        )
        layers = {
            name.removesuffix(_LAYER): round(float(facts[name]) * 1e9)
            for name in facts
            if name.endswith(_LAYER)
        }
        start = time.time_ns() - sum(layers.values())
        for layer, length in layers.items():
            self._tracer.start_span(f"hexad.layer.{layer}", start_time=start).end(
                start := start + length
            )
