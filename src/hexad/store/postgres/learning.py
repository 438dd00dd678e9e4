"""Learning's part of the ports: templates, calls and offers; the contract is the
ports'.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from hexad.model import Layer
from hexad.store.calls import (
    CALLS,
    LATEST_CALLS,
    LATEST_OF_TOOL,
    OFFERS,
    OFFERS_OF,
    CallTables,
)
from hexad.store.codec import CODES
from hexad.store.learning import Activity, LearningChanges, TemplateFilter
from hexad.store.postgres.connection import Rows, Sql
from hexad.store.postgres.records import WHOLE, hashed
from hexad.store.postgres.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_LEARNINGS: Final = CODES[Layer.AGENT_LEARNINGS]
_CALLS_AHEAD: Final = (
    32  # calls of a session that are read before somebody asks for them
)
_ABOUT: Final = (
    "SELECT r.* FROM (SELECT learning FROM hexad.offer WHERE tenant = $1 AND session = $2 "
    "AND state IN ('offered', 'met', 'shown', 'stuck', 'failed') "
    "UNION SELECT learning FROM (SELECT learning, ok FROM hexad.call WHERE tenant = $1 AND session = $2 AND tool = $3 "
    "ORDER BY number DESC LIMIT 12) c WHERE NOT ok AND learning <> '' LIMIT 16) o CROSS JOIN LATERAL ("
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
_SEE: Final = (
    f"UPDATE hexad.record SET seen = seen + 1, updated = $3 WHERE tenant = $1 AND "
    f"layer = {_LEARNINGS} AND id = $2"
)


class PostgresLearning(Work, CallTables):
    """Reads templates, calls and offers, and changes them: that is queued."""

    see = _SEE
    of_sessions = ("hexad.call", "hexad.offer", "hexad.slot")

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._templates: dict[
            str, dict[str, Sequence[Any]]
        ] = {}  # by trigger: of its learnings, oldest first
        self._activities: dict[tuple[str, str], list[Rows]] = {}

    def templates(self, wanted: Sequence[TemplateFilter]) -> Sequence[tuple[str, str]]:
        """Template and id, filter by filter: those of a trigger are read once, with the
        row of a template itself.
        """
        named = dict.fromkeys(each.trigger for each in wanted)
        triggers = [each for each in named if each not in self._templates]
        if triggers:
            asked = [Sql(_TEMPLATES, (self.tenant, hashed(each))) for each in triggers]
            exact = [
                (self.tenant, hashed(each.trigger), each.template)
                for each in wanted
                if each.template is not None
            ]
            answers = self.ask(*asked, *(Sql(_OF_TEMPLATE, values) for values in exact))
            for trigger, rows in zip(triggers, answers, strict=False):
                self._templates[trigger] = {
                    learning: others for learning, *others in rows
                }
            self.keep(list(chain.from_iterable(answers[len(triggers) :])))
        return [
            found
            for each in wanted
            for found in islice(self._passing(each), each.limit)
        ]

    def _passing(self, wanted: TemplateFilter) -> Iterator[tuple[str, str]]:
        for learning, known in reversed(self._templates[wanted.trigger].items()):
            if wanted.passes(*known):
                yield known[0], learning

    def activity(self, session: str, tool: str, *, calls: int = 0) -> Activity:
        """A session's offers and calls, the calls before somebody asks for them."""
        if (session, tool) not in self._activities or calls > _CALLS_AHEAD:
            given = (self.tenant, session, tool)
            latest = Sql(LATEST_CALLS, (self.tenant, session, max(calls, _CALLS_AHEAD)))
            asked = (Sql(OFFERS_OF, given[:2]), Sql(LATEST_OF_TOOL, given), latest)
            *self._activities[session, tool], about = self.ask(
                *asked, Sql(_ABOUT, given)
            )
            self.keep(about)
        offers, outcome, recent = self._activities[session, tool]
        failed = any(not ok for (ok,) in outcome)
        return Activity(
            list(map(OFFERS.of_row, offers)),
            failed,
            list(map(CALLS.of_row, recent[:calls])),
        )

    def learn(self, changes: LearningChanges) -> None:
        """Write changes; what was read of activities is no longer true."""
        self._activities.clear()
        super().learn(changes)

    def _write(self, sql: str, *values: Any) -> None:
        self.queue(sql, self.tenant, *values)

    def _rows(self, sql: str, *values: Any) -> Rows:
        return self.ask(Sql(sql, (self.tenant, *values)))[0]
