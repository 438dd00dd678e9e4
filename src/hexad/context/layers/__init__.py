"""Where items come from: one source for each layer. A new layer is a member of `Layer` and a file here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexad.model import Item, Layer, Query


class Source(Protocol):
    """Answers for one layer."""

    @property
    def layer(self) -> Layer:
        """Which layer it answers for."""
        ...

    def find(self, query: Query, limit: int) -> Sequence[Item]:
        """At most ``limit`` items, best first. What it raises becomes the layer's failure."""
        ...
