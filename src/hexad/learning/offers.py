"""What a session was shown about errors, and what came of it: rows that every process
reads.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final, cast

from hexad.errors import HexadError
from hexad.memory.troubles import tell
from hexad.model import Layer, Learning
from hexad.store.learning import (
    MET,
    OFFERED,
    SHOWN,
    STUCK,
    LearningChanges,
    SessionOffer,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from hexad.memory.workspace import Change, Workspace

PATIENCE: Final = 5.0  # seconds that a tool's caller waits at most for other writers
OFFER_HOLDS: Final = timedelta(days=1)


def remember_offers(
    workspace: Workspace,
    ids: Iterable[str],
    *,
    session: str | None = None,
    patience: float = PATIENCE,
) -> None:
    """Store that a session was shown something about these learnings.

    If the store is busy or full, this waits for the next change: the answer does not
    depend on it.
    """
    try:
        with workspace.reading() as view:
            rows = [
                row
                for each in ids
                if (row := view.get(Layer.AGENT_LEARNINGS, each)) is not None
            ]
    except HexadError as error:
        tell("what was shown could not be stored", error)
        return
    if rows:
        known = [cast("Learning", row.record) for row in rows]
        name, now = workspace.session_of(session), workspace.clock()
        key = (name, *(each.id for each in known))
        workspace.uses.offer(
            workspace.namespace,
            key,
            lambda change: offer(replace(change, session=name), known, now),
        )
        workspace.flush(patience=patience)


def offer(change: Change, learnings: Iterable[Learning], now: datetime) -> None:
    """Store, inside a transaction, that the change's session was shown something about
    these learnings.
    """
    known = {
        each.learning: each for each in change.unit.activity(change.session, "").offers
    }
    made = [
        new_offer(change, learning, _shown_again(known.get(learning.id), now), now)
        for learning in learnings
        if _shown_again(known.get(learning.id), now)
    ]
    change.unit.learn(
        LearningChanges(offers=made, drop_offers_before=now - OFFER_HOLDS)
    )


def new_offer(
    change: Change, learning: Learning, state: str, now: datetime
) -> SessionOffer:
    """An offer in the change's session."""
    return SessionOffer(
        session=change.session,
        learning=learning.id,
        trigger=learning.trigger,
        state=state,
        at=now,
    )


def _shown_again(known: SessionOffer | None, now: datetime) -> str:
    """The state of an offer that is made now, given an earlier one in the session;
    empty if that one stays.
    """
    if known is None or abs(now - known.at) > OFFER_HOLDS:
        return OFFERED
    return SHOWN if known.state in {MET, STUCK} else ""
