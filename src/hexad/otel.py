"""Traces and metrics by OpenTelemetry: spans and counters of what the engine and the server do, without content.

The API alone is needed (extra `otel`). Without an SDK that a program has set up, nothing is recorded.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from hexad import signals
from hexad._version import __version__
from hexad.extras import require_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from opentelemetry.context import Context
    from opentelemetry.metrics import Counter, Histogram, Meter
    from opentelemetry.trace import Span, Tracer

    from hexad.signals import Signal

_LAYER: Final = ".seconds"  # the end of a fact that says how long one layer took


@contextmanager
def instrumented() -> Iterator[None]:
    """Inside, everything that the engines of this process do is traced and counted.

    >>> with instrumented():
    ...     pass
    """
    require_extra("otel", "tracing", "opentelemetry")
    from opentelemetry import metrics, trace  # noqa: PLC0415 - behind its extra

    tracer, meter = trace.get_tracer("hexad", __version__), metrics.get_meter("hexad", __version__)
    with signals.listening(_Recorder(tracer, meter, trace.set_span_in_context).heard):
        yield


class _Recorder:
    """Turns signals into spans, counters and durations."""

    def __init__(self, tracer: Tracer, meter: Meter, inside: Callable[[Span], Context]) -> None:
        self._tracer = tracer
        self._inside = inside
        self._durations: Histogram = meter.create_histogram("hexad.duration", "s", "how long something took")
        self._counts: Counter = meter.create_counter("hexad.count", "1", "how often something happened")

    def heard(self, signal: Signal) -> None:
        """Record one signal; its span ends now, inside of the span that is current here."""
        facts = {f"hexad.{name}": value for name, value in signal.facts.items() if not name.endswith(_LAYER)}
        kind = {"hexad.what": signal.name, **{name: each for name, each in facts.items() if isinstance(each, str)}}
        self._counts.add(1, kind)
        if signal.name == "change":  # it has no duration of its own
            return
        self._durations.record(signal.seconds, kind)
        end = time.time_ns()
        start = end - round(signal.seconds * 1e9)
        span = self._tracer.start_span(f"hexad.{signal.name}", start_time=start, attributes=facts)
        if span.is_recording():
            inside = self._inside(span)
            for name, seconds in signal.facts.items():
                if name.endswith(_LAYER):
                    layer = f"hexad.layer.{name.removesuffix(_LAYER)}"
                    self._tracer.start_span(layer, inside, start_time=start).end(start + round(float(seconds) * 1e9))
        span.end(end)
