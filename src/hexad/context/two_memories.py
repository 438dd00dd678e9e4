"""Several memories read as one: the nearest first, within the limits of one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hexad.model import Item, Layer, Retrieval

if TYPE_CHECKING:
    from collections.abc import Sequence


def merged(found: Sequence[Retrieval], limit: int) -> Retrieval:
    """One retrieval of several, nearest first: the best ``limit`` items of each layer,
    and each text once.

    An item's ``distance`` is the place of its memory.
    """
    standing = standing_of_all([each.standing for each in found])
    layers = {}
    for layer in Layer:
        layers[layer] = _placed([each.items.get(layer, ()) for each in found])
    best = {
        layer: _best(_once(items, standing), limit) for layer, items in layers.items()
    }
    return replace(
        found[0],
        items={layer: items for layer, items in best.items() if items},
        standing=standing,
        noted=_once(_placed([each.noted for each in found]), standing),
        failures=tuple(
            dict.fromkeys(failure for each in found for failure in each.failures)
        ),
    )


def standing_of_all(memories: Sequence[Sequence[Item]]) -> tuple[Item, ...]:
    """The standing items of all memories, nearest first, each text once."""
    return _once(_placed(memories), ())


def _placed(memories: Sequence[Sequence[Item]]) -> list[Item]:
    """The items of all memories, the nearest first, each with its distance."""
    return [
        replace(item, distance=place) if place else item
        for place, items in enumerate(memories)
        for item in items
    ]


def _once(items: Sequence[Item], said: Sequence[Item]) -> tuple[Item, ...]:
    """The items whose text no nearer memory has, and that is not among those that were
    said before.
    """
    first: dict[str, int] = {item.content: -1 for item in said}
    return tuple(
        item
        for item in items
        if first.setdefault(item.content, item.distance) == item.distance
    )


def _best(items: Sequence[Item], limit: int) -> tuple[Item, ...]:
    """The best items, pinned ones before all others, in the order they came in."""
    best = sorted(items, key=lambda item: (not item.pinned, -item.score))[:limit]
    return tuple(sorted(best, key=lambda item: item.distance))
