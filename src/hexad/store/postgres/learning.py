"""Learning's part of the ports: templates, calls and offers; the contract is the ports'."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from hexad.model import Layer
from hexad.shape import to_microseconds
from hexad.store.learning import Activity, Call
from hexad.store.postgres.connection import Statement
from hexad.store.postgres.records import CALLS, CODES, OFFERS, WHOLE, hashed, insert, upsert
from hexad.store.postgres.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hexad.store.learning import LearningChanges, TemplateFilter
    from hexad.store.postgres.connection import Rows

_LEARNINGS: Final = CODES[Layer.AGENT_LEARNINGS]
_CALL: Final = "SELECT number, session, tool, ok, learning, arguments, at FROM hexad.call WHERE tenant = $1"
_CALLS_AHEAD: Final = 32  # calls of a session that are read before somebody asks for them
_LATEST_CALLS: Final = f"{_CALL} AND session = $2 ORDER BY number DESC LIMIT $3"
_LATEST_OF_TOOL: Final = (
    "SELECT ok FROM hexad.call WHERE tenant = $1 AND session = $2 AND tool = $3 ORDER BY number DESC LIMIT 4"
)
_ABOUT: Final = (
    "SELECT r.* FROM (SELECT learning FROM hexad.offer WHERE tenant = $1 AND session = $2 AND state = 'offered' "
    "UNION SELECT learning FROM (SELECT learning, ok FROM hexad.call WHERE tenant = $1 AND session = $2 AND tool = $3 "
    "ORDER BY number DESC LIMIT 4) c WHERE NOT ok AND learning <> '' LIMIT 16) o CROSS JOIN LATERAL ("
    f"SELECT {WHOLE} FROM hexad.record WHERE tenant = $1 AND layer = {_LEARNINGS} AND id = o.learning LIMIT 1) r"
)
_TEMPLATES: Final = (
    "SELECT id, template, length, coalesce(error, template) FROM hexad.record "
    'WHERE tenant = $1 AND "trigger" = $2 ORDER BY number'
)
_OF_TEMPLATE: Final = (
    f'SELECT {WHOLE} FROM hexad.record WHERE tenant = $1 AND "trigger" = $2 AND template = $3 '
    "ORDER BY number DESC LIMIT 1"
)
_OFFERS: Final = (
    'SELECT session, learning, "trigger", state, at FROM hexad.offer '
    "WHERE tenant = $1 AND session = $2 ORDER BY learning"
)
_SEE: Final = (
    f"UPDATE hexad.record SET seen = seen + 1, updated = $3 WHERE tenant = $1 AND layer = {_LEARNINGS} AND id = $2"
)
_ADD_CALL: Final = insert("hexad.call", CALLS.names)
_PUT_OFFER: Final = upsert("hexad.offer", OFFERS.names, "session", "learning")
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
_TABLES: Final = ("hexad.call", "hexad.offer", "hexad.slot")
_FORGET: Final = "DELETE FROM {} WHERE tenant = $1 AND ($2::text[] IS NULL OR session = ANY($2))"


class LearningTables(Work):
    """Reads templates, calls and offers, and changes them: that is queued."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._templates: dict[str, dict[str, Sequence[Any]]] = {}  # by trigger: of its learnings, oldest first
        self._activities: dict[tuple[str, str], list[Rows]] = {}

    def templates(self, wanted: Sequence[TemplateFilter]) -> Sequence[tuple[str, str]]:
        """Template and id, filter by filter: those of a trigger are read once, with the row of a template itself."""
        triggers = [each for each in dict.fromkeys(each.trigger for each in wanted) if each not in self._templates]
        if triggers:
            asked = [Statement(_TEMPLATES, (self.tenant, hashed(each))) for each in triggers]
            exact = [(self.tenant, hashed(each.trigger), each.template) for each in wanted if each.template is not None]
            answers = self.ask(*asked, *(Statement(_OF_TEMPLATE, values) for values in exact))
            for trigger, rows in zip(triggers, answers, strict=False):
                self._templates[trigger] = {learning: others for learning, *others in rows}
            self.keep(list(chain.from_iterable(answers[len(triggers) :])))
        return [found for each in wanted for found in islice(self._passing(each), each.limit)]

    def _passing(self, wanted: TemplateFilter) -> Iterator[tuple[str, str]]:
        for learning, known in reversed(self._templates[wanted.trigger].items()):
            if wanted.passes(*known):
                yield known[0], learning

    def activity(self, session: str, tool: str, *, calls: int = 0) -> Activity:
        """A session's offers and calls, the calls before somebody asks for them."""
        if (session, tool) not in self._activities or calls > _CALLS_AHEAD:
            given = (self.tenant, session, tool)
            latest = Statement(_LATEST_CALLS, (self.tenant, session, max(calls, _CALLS_AHEAD)))
            asked = (Statement(_OFFERS, given[:2]), Statement(_LATEST_OF_TOOL, given), latest)
            *self._activities[session, tool], about = self._settle(*asked, Statement(_ABOUT, given))
            self.keep(about)
        offers, outcome, recent = self._activities[session, tool]
        failed = any(not ok for (ok,) in outcome)
        return Activity(list(map(OFFERS.of_row, offers)), failed, list(map(CALLS.of_row, recent[:calls])))

    def calls(self) -> Sequence[Call]:
        """The calls of every session."""
        return list(map(CALLS.of_row, self.ask(Statement(f"{_CALL} ORDER BY session, number", (self.tenant,)))[0]))

    def learn(self, changes: LearningChanges) -> None:
        """Write changes, in the order of their fields."""
        self._activities.clear()
        for learning, at in changes.seen.items():
            self.queue(_SEE, self.tenant, learning, to_microseconds(at))
        for call in changes.calls:
            self.queue(_ADD_CALL, self.tenant, *CALLS.row(call))
        for offer in changes.offers:
            self.queue(_PUT_OFFER, self.tenant, *OFFERS.row(offer))
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
