"""One warning for a trouble and a turn of a conversation, whichever parts of the adapter run into it."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, TypeAlias

from hexad.adapters.adk.worker import LOG
from hexad.errors import StoreBusy

Turn: TypeAlias = tuple[str, ...]
_MOST_KEPT: Final = 256  # turns of which it is remembered what went wrong


class Troubles:
    """What was warned of, by turn."""

    def __init__(self) -> None:
        self._known: OrderedDict[Turn, list[str]] = OrderedDict()

    def warn(self, turn: Turn, what: str, reason: str, more: str = "") -> None:
        """Say what did not happen and why, unless a warning gave that reason in this turn."""
        told = self._known.setdefault(turn, [])
        if any(reason in each or each in reason for each in told):
            return
        told.append(reason)
        while len(self._known) > _MOST_KEPT:
            self._known.popitem(last=False)
        LOG.warning("%s: %s%s", what, reason, more)

    def met_a_lock(self, turn: Turn) -> bool:
        """Whether something waited in vain for other writers in this turn: nothing need wait again."""
        return any(StoreBusy.__name__ in reason for reason in self._known.get(turn, ()))

    def begin(self, turn: Turn) -> None:
        """Forget a turn that cannot be told from one before it."""
        self._known.pop(turn, None)


TROUBLES: Final = Troubles()
