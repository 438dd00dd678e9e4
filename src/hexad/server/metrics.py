"""Counters and sums in the text format that Prometheus and others read; labels are
words of closed sets.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad.signals import Signal

_HELP: Final = {
    "hexad_requests_total": "HTTP requests, by area, method and status.",
    "hexad_request_seconds": "Seconds that requests took until the end of their answer, by area.",
    "hexad_retrievals_total": "Messages that context was looked up for.",
    "hexad_retrieval_seconds": "Seconds of retrieval: in all, and of each layer's own work.",
    "hexad_retrieved_items_total": "Items that retrieval returned, by layer.",
    "hexad_changes_total": "Changes of the memory and outcomes of tools, by action.",
    "hexad_gateway_requests_total": "Requests to the provider, by kind and whether context was added.",
    "hexad_gateway_seconds": "Seconds that the gateway itself took before it sent a request on, by kind.",
}
_OF_A_LAYER: Final = {
    "seconds": "hexad_retrieval_seconds",
    "items": "hexad_retrieved_items_total",
}


class Metrics:
    """The figures of one process since it was started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, dict[str, list[float]]] = {}

    def count(self, name: str, by: float = 1, /, **labels: str | float) -> None:
        """Add to a counter, or a duration to a sum."""
        written = ",".join(f'{label}="{value}"' for label, value in labels.items())
        with self._lock:
            values = self._values.setdefault(name, {}).setdefault(written, [0.0, 0])
            values[0] += by
            values[1] += 1

    def heard(self, signal: Signal) -> None:
        """Count what the engine says about itself."""
        facts = {name: value for name, value in signal.facts.items() if name != "error"}
        if signal.name == "retrieval":
            self.count("hexad_retrievals_total")
            self.count("hexad_retrieval_seconds", signal.seconds, layer="all")
            for name, value in facts.items():
                layer, _, what = name.partition(".")
                if what:
                    self.count(_OF_A_LAYER[what], float(value), layer=layer)
        elif signal.name == "request":
            self.count("hexad_requests_total", 1, **facts)
            self.count("hexad_request_seconds", signal.seconds, area=facts["area"])
        elif signal.name == "gateway":
            self.count("hexad_gateway_requests_total", 1, **facts)
            self.count("hexad_gateway_seconds", signal.seconds, kind=facts["kind"])
        for action, times in signal.actions.items():
            self.count("hexad_changes_total", times, action=action)

    def text(self) -> str:
        """Every figure."""
        with self._lock:
            return "".join(f"{line}\n" for name in _HELP for line in self._lines(name))

    def _lines(self, name: str) -> Iterator[str]:
        sums = name.endswith("_seconds")
        yield f"# HELP {name} {_HELP[name]}\n# TYPE {name} {'summary' if sums else 'counter'}"
        for labels, (total, times) in sorted(self._values.get(name, {}).items()):
            where = f"{{{labels}}}" if labels else ""
            yield (
                f"{name}_sum{where} {total:.6f}\n{name}_count{where} {times}"
                if sums
                else f"{name}{where} {total:g}"
            )
