"""Where items come from: the stored layers together, and one source for each other layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from hexad.model import Item

KEPT: Final = "kept"
STANDING: Final = "standing, in every prompt"
NOTED: Final = "noted by an agent, in every prompt of a small memory"
BEYOND: Final = "beyond the layer's limit of {limit}"
BEHIND: Final = "far behind the best match"
UNSOLVED: Final = "an example of another tool or program than the message names"
TOO_LITTLE: Final = "below the floor: too little to go by"
TOO_MANY_PINS: Final = "pinned, over max_pinned"


class Judged(NamedTuple):
    """A candidate, and what happened to it."""

    item: Item
    verdict: str = KEPT

    @property
    def kept(self) -> bool:
        """Whether it is in the answer; in an explanation, whether it is in the prompt."""
        return self.verdict in {KEPT, STANDING, NOTED}
