"""Where items come from: the stored layers together, and one source for each other
layer.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from hexad.model import Item


class Fate(Enum):
    """What happened to a candidate, in words for people."""

    KEPT = "kept"
    STANDING = "standing, in every prompt"
    NOTED = "noted by an agent, in every prompt of a small memory"
    BEYOND = "beyond the layer's limit"
    BEHIND = "far behind the best match"
    UNSOLVED = "an example of another tool or program than the message names"
    TOO_LITTLE = "below the floor: too little to go by"
    TOO_MANY_PINS = "pinned, over max_pinned"
    OVER_BUDGET = "over the token budget"


_TOLD: Final = frozenset({Fate.KEPT, Fate.STANDING, Fate.NOTED})


class Judged(NamedTuple):
    """A candidate, and what happened to it; ``limit`` is the one that it is beyond, if
    it is.
    """

    item: Item
    fate: Fate = Fate.KEPT
    limit: int = 0

    @property
    def kept(self) -> bool:
        """Whether it is in the answer; in an explanation, whether it is in the prompt."""
        return self.fate in _TOLD

    @property
    def verdict(self) -> str:
        """Its fate in words."""
        return f"{self.fate.value} of {self.limit}" if self.limit else self.fate.value
