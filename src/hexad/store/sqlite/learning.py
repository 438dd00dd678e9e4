"""What learning's ports mean in SQL, over one connection inside one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexad.shape import from_microseconds, to_microseconds
from hexad.store.learning import OFFERED, Call, Offer
from hexad.store.sqlite.statements import statements

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import datetime


class LearningSession:
    """The learning part of a session; each method's contract is the port's."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._sql = statements()

    def templates(self, namespace: str, trigger: str, length: int | None, limit: int) -> Sequence[tuple[str, str]]:
        values = {"namespace": namespace, "trigger": trigger, "length": length, "limit": limit}
        name = "all_templates" if length is None else "templates"
        return self._connection.execute(self._sql[name], values).fetchall()

    def open_templates(self, namespace: str, trigger: str, length: int, limit: int) -> Sequence[tuple[str, str]]:
        return self._run("open_templates", namespace, trigger, length, limit).fetchall()

    def like_skeleton(self, namespace: str, trigger: str, skeleton: str, length: int) -> Sequence[tuple[str, str]]:
        return self._run("like_skeleton", namespace, trigger, skeleton, length).fetchall()

    def least_known(self, namespace: str, trigger: str, beyond: int) -> str | None:
        values = {"namespace": namespace, "trigger": trigger, "beyond": beyond}
        row = self._connection.execute(self._sql["least_known"], values).fetchone()
        return row[0] if row else None

    def calls(self, namespace: str, session: str, limit: int) -> Sequence[Call]:
        return [_call(row) for row in self._run("calls", namespace, session, limit)]

    def all_calls(self, namespace: str) -> Sequence[Call]:
        return [_call(row) for row in self._run("all_calls", namespace)]

    def awaits_success(self, namespace: str, session: str, tool: str) -> bool:
        place = (namespace, session)
        return bool(self._run("awaits_success", *place, OFFERED, *place, tool).fetchone()[0])

    def offers(self, namespace: str, session: str) -> Sequence[Offer]:
        return [_offer(row) for row in self._run("offers", namespace, session)]

    def see(self, namespace: str, id: str, at: datetime) -> None:
        self._run("see", to_microseconds(at), namespace, id)

    def see_template(self, namespace: str, trigger: str, template: str, length: int, at: datetime) -> str | None:
        # In two steps: one that returns what it changed takes half as long again.
        found = self._run("like_template", namespace, trigger, template, length).fetchone()
        if found is None:
            return None
        self._run("see_number", to_microseconds(at), found[0])
        known: str = found[1]
        return known

    def add_call(self, namespace: str, call: Call) -> None:
        values = (call.session, call.number, call.tool, int(call.ok), call.learning, call.arguments)
        self._run("add_call", namespace, *values, to_microseconds(call.at))

    def keep_calls(self, namespace: str, session: str, latest: int) -> None:
        values = {"namespace": namespace, "session": session, "keep": latest}
        self._connection.execute(self._sql["drop_calls_but"], values)

    def drop_calls(self, namespace: str, before: int) -> None:
        self._run("drop_old_calls", namespace, before)

    def put_offer(self, namespace: str, offer: Offer) -> None:
        values = (offer.session, offer.learning, offer.trigger, offer.state, to_microseconds(offer.at))
        self._run("put_offer", namespace, *values)

    def drop_offers(self, namespace: str, before: datetime) -> None:
        self._run("drop_offers", namespace, to_microseconds(before))

    def relink(self, namespace: str, old: str, new: str | None) -> None:
        self._run("relink_calls", new or "", namespace, old)
        if new is not None:
            self._run("relink_offers", new, namespace, old)
        self._run("drop_offers_of", namespace, old)

    def forget_calls(self, namespace: str, session: str | None) -> None:
        for name in ("forget_calls", "forget_offers"):
            self._connection.execute(self._sql[name], {"namespace": namespace, "session": session})

    def _run(self, name: str, *values: object) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[name], values)


def _call(row: Any) -> Call:
    number, session, tool, ok, learning, arguments, at = row
    return Call(
        number=number,
        session=session,
        tool=tool,
        ok=bool(ok),
        learning=learning,
        arguments=arguments,
        at=from_microseconds(at),
    )


def _offer(row: Any) -> Offer:
    session, learning, trigger, state, at = row
    return Offer(session=session, learning=learning, trigger=trigger, state=state, at=from_microseconds(at))
