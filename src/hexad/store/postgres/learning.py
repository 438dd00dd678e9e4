"""Learning's part of the ports: templates, calls and offers; the contract is the ports'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hexad.model import Layer
from hexad.shape import from_microseconds, to_microseconds
from hexad.store.learning import Activity, Call, Offer
from hexad.store.postgres.connection import Statement, columns
from hexad.store.postgres.records import CODES, hashed
from hexad.store.postgres.work import Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexad.store.learning import LearningChanges, TemplateFilter

_LEARNINGS: Final = CODES[Layer.AGENT_LEARNINGS]
_CALL: Final = "SELECT number, session, tool, ok, learning, arguments, at FROM hexad.call WHERE tenant = $1"
_LATEST_CALLS: Final = f"{_CALL} AND session = $2 ORDER BY number DESC LIMIT $3"
_LATEST_OF_TOOL: Final = (
    "SELECT ok FROM hexad.call WHERE tenant = $1 AND session = $2 AND tool = $3 ORDER BY number DESC LIMIT 1"
)
_OFFERS: Final = (
    'SELECT session, learning, "trigger", state, at FROM hexad.offer '
    "WHERE tenant = $1 AND session = $2 ORDER BY learning"
)
_SEE: Final = (
    f"UPDATE hexad.record SET seen = seen + 1, updated = $3 WHERE tenant = $1 AND layer = {_LEARNINGS} AND id = $2"
)
_ADD_CALLS: Final = (
    "INSERT INTO hexad.call (tenant, session, number, tool, ok, learning, arguments, at) SELECT $1, * FROM "
    "unnest($2::text[], $3::bigint[], $4::text[], $5::boolean[], $6::text[], $7::text[], $8::bigint[])"
)
_PUT_OFFERS: Final = (
    'INSERT INTO hexad.offer (tenant, session, learning, "trigger", state, at) SELECT $1, * FROM '
    "unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[]) ON CONFLICT (tenant, session, learning) "
    'DO UPDATE SET "trigger" = excluded."trigger", state = excluded.state, at = excluded.at'
)
_RELINK_CALLS: Final = "UPDATE hexad.call SET learning = $3 WHERE tenant = $1 AND learning = $2"
_RELINK_OFFERS: Final = (
    "UPDATE hexad.offer SET learning = $3 WHERE tenant = $1 AND learning = $2 AND session NOT IN "
    "(SELECT session FROM hexad.offer WHERE tenant = $1 AND learning = $3)"
)
_DROP_OFFERS_OF: Final = "DELETE FROM hexad.offer WHERE tenant = $1 AND learning = $2"
_KEEP_CALLS: Final = (
    "DELETE FROM hexad.call WHERE tenant = $1 AND session = $2 AND number <= (SELECT number FROM hexad.call "
    "WHERE tenant = $1 AND session = $2 ORDER BY number DESC LIMIT 1 OFFSET $3)"
)
_DROP_CALLS: Final = "DELETE FROM hexad.call WHERE tenant = $1 AND number < $2"
_DROP_OFFERS: Final = "DELETE FROM hexad.offer WHERE tenant = $1 AND at < $2"
_TABLES: Final = ("hexad.call", "hexad.offer")
_FORGET: Final = "DELETE FROM {} WHERE tenant = $1 AND ($2::text[] IS NULL OR session = ANY($2))"


class LearningReads(Work):
    """Reads templates, calls and offers."""

    def templates(self, wanted: Sequence[TemplateFilter]) -> Sequence[tuple[str, str]]:
        """Template and id, filter by filter."""
        answers = self.ask(*(self._filtered(each) for each in wanted))
        return [(template, learning) for rows in answers for template, learning in rows]

    def activity(self, session: str, tool: str, *, calls: int = 0) -> Activity:
        """A session's offers and calls."""
        offers, latest, recent = self.ask(
            Statement(_OFFERS, (self.tenant, session)),
            Statement(_LATEST_OF_TOOL, (self.tenant, session, tool)),
            Statement(_LATEST_CALLS, (self.tenant, session, calls)),
        )
        failed = any(not ok for (ok,) in latest)
        return Activity(list(map(_offer, offers)), failed, list(map(_call, recent)))

    def calls(self) -> Sequence[Call]:
        """The calls of every session."""
        return list(map(_call, self.ask(Statement(f"{_CALL} ORDER BY session, number", (self.tenant,)))[0]))

    def _filtered(self, wanted: TemplateFilter) -> Statement:
        """The statement for a filter. Texts are compared by their hashes."""
        where, values = '"trigger" = $2', [self.tenant, hashed(wanted.trigger)]
        texts = {"template_hash": wanted.template, "skeleton": wanted.skeleton, "error": wanted.error_pattern}
        for column, text in texts.items():
            if text is not None:
                values.append(hashed(text))
                where += f" AND {column} = ${len(values)}"
        if wanted.length is not None:
            values.append(wanted.length)
            where += f" AND length = ${len(values)}"
        where += " AND wildcard" if wanted.wildcard else ""
        values.append(wanted.limit)
        return Statement(
            f"SELECT template, id FROM hexad.record WHERE tenant = $1 AND {where} "
            f"ORDER BY number DESC LIMIT ${len(values)}",
            values,
        )


class LearningWrites(LearningReads):
    """Changes them; everything is queued."""

    def learn(self, changes: LearningChanges) -> None:
        """Write changes, in the order of their fields."""
        for learning, at in changes.seen.items():
            self.queue(_SEE, self.tenant, learning, to_microseconds(at))
        if changes.calls:
            self.queue(_ADD_CALLS, self.tenant, *columns(map(_call_values, changes.calls)))
        if changes.offers:
            latest = {(offer.session, offer.learning): _offer_values(offer) for offer in changes.offers}
            self.queue(_PUT_OFFERS, self.tenant, *columns(latest.values()))
        for old, new in changes.renamed.items():
            self._rename(old, new)
        for session, latest_calls in changes.keep_calls.items():
            self.queue(_KEEP_CALLS, self.tenant, session, latest_calls)
        if changes.drop_calls_below is not None:
            self.queue(_DROP_CALLS, self.tenant, changes.drop_calls_below)
        if changes.drop_offers_before is not None:
            self.queue(_DROP_OFFERS, self.tenant, to_microseconds(changes.drop_offers_before))
        forgotten = None if changes.forget_everything else list(changes.forget_sessions)
        for table in _TABLES if forgotten != [] else ():
            self.queue(_FORGET.format(table), self.tenant, forgotten)

    def _rename(self, old: str, new: str | None) -> None:
        self.queue(_RELINK_CALLS, self.tenant, old, new or "")
        if new is not None:
            self.queue(_RELINK_OFFERS, self.tenant, old, new)
        self.queue(_DROP_OFFERS_OF, self.tenant, old)


def _call_values(call: Call) -> tuple[Any, ...]:
    at = to_microseconds(call.at)
    return call.session, call.number, call.tool, call.ok, call.learning, call.arguments, at


def _offer_values(offer: Offer) -> tuple[Any, ...]:
    return offer.session, offer.learning, offer.trigger, offer.state, to_microseconds(offer.at)


def _call(row: Any) -> Call:
    number, session, tool, ok, learning, arguments, at = row
    return Call(
        number=number,
        session=session,
        tool=tool,
        ok=ok,
        learning=learning,
        arguments=arguments,
        at=from_microseconds(at),
    )


def _offer(row: Any) -> Offer:
    session, learning, trigger, state, at = row
    return Offer(session=session, learning=learning, trigger=trigger, state=state, at=from_microseconds(at))
