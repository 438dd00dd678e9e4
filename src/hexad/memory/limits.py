"""How much one session may save: counted in this process, one atomic step for check and increment."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from hexad.errors import RateLimited
from hexad.fork import survive_fork

if TYPE_CHECKING:
    from collections.abc import Mapping

_SESSIONS_COUNTED: Final = 100_000  # the least recently active are dropped, so that a long life needs bounded memory


class Limits:
    """Slots for each namespace, session and kind. An empty session is not limited."""

    def __init__(self, maxima: Mapping[str, int]) -> None:
        self._maxima = dict(maxima)
        self._taken: OrderedDict[tuple[str, str, str], int] = OrderedDict()
        self.after_fork()
        survive_fork(self)

    def after_fork(self) -> None:
        """A thread of the parent may have held the lock."""
        self._lock = threading.Lock()

    def take(self, namespace: str, session: str, kind: str) -> None:
        """Take a slot, or say which limit is reached."""
        limit = self._maxima.get(kind)
        if not session or limit is None:
            return
        place = (namespace, session, kind)
        with self._lock:
            count = self._taken.get(place, 0)
            if count >= limit:
                raise RateLimited(kind, limit, session)
            self._taken[place] = count + 1
            self._taken.move_to_end(place)
            if len(self._taken) > _SESSIONS_COUNTED:
                self._taken.popitem(last=False)

    def give_back(self, namespace: str, session: str, kind: str) -> None:
        """Undo `take`."""
        place = (namespace, session, kind)
        with self._lock:
            if self._taken.get(place, 0) > 0:
                self._taken[place] -= 1
