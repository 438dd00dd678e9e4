"""The fixes that a session was shown, so that later success or failure counts for the fix."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final, cast

from hexad.errors import HexadError
from hexad.model import Layer, Learning
from hexad.store.learning import OFFERED, LearningChanges, Offer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from hexad.memory.workspace import Change, Workspace

PATIENCE: Final = 5.0  # seconds that a tool's caller waits at most for other writers
WORKED, FAILED = "worked", "failed"
FOUND: Final = "found"  # by the session itself, without an offer
BOTH: Final = "worked and failed"  # in one session: nothing more is counted there
ONE_TASK: Final = timedelta(hours=1)  # calls without a session belong together for so long
OFFER_HOLDS: Final = timedelta(days=1)


def remember_offers(
    workspace: Workspace, ids: Iterable[str], *, session: str | None = None, fix: str = "", patience: float = PATIENCE
) -> None:
    """Store that a session was shown the fixes of these learnings; those without a fix, or with another, are left out.

    If the store is busy or full, they wait for the next change: the answer does not depend on it.
    """
    try:
        with workspace.reading() as view:
            rows = [row for each in ids if (row := view.get(Layer.AGENT_LEARNINGS, each)) is not None]
        known = [cast("Learning", row.record) for row in rows]
        shown = [each for each in known if each.fix and fix in {"", each.fix}]
    except HexadError as error:
        logging.getLogger("hexad").warning("the offered fixes could not be stored: %s", error)
        return
    if shown:
        name, now = workspace.session_of(session), workspace.clock()
        key = (name, *(each.id for each in shown))
        workspace.uses.offer(workspace.namespace, key, lambda change: offer(replace(change, session=name), shown, now))
        workspace.flush(patience=patience)


def offer(change: Change, learnings: Iterable[Learning], now: datetime) -> None:
    """Store, inside a transaction, that the change's session was shown the fixes of these learnings.

    A session in which a fix has worked, or that found it, does not count for it again.
    """
    known = {each.learning: each for each in change.unit.activity(change.session, "").offers}
    made = [
        new_offer(change, learning, _offered_again(change, known.get(learning.id), now), now)
        for learning in learnings
        if learning.fix
    ]
    change.unit.learn(LearningChanges(offers=made, drop_offers_before=now - OFFER_HOLDS))


def new_offer(change: Change, learning: Learning, state: str, now: datetime) -> Offer:
    """An offer in the change's session."""
    return Offer(session=change.session, learning=learning.id, trigger=learning.trigger, state=state, at=now)


def _offered_again(change: Change, known: Offer | None, now: datetime) -> str:
    """The state of an offer that is made now, given an earlier one in the session."""
    another_task = known is not None and not change.session and abs(now - known.at) > ONE_TASK
    if known is None or another_task or known.state == FAILED:
        return OFFERED
    return WORKED if known.state == FOUND else known.state
