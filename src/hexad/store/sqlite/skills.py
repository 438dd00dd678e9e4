"""What the ports of skills mean in SQL, over one connection inside one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.shape import to_microseconds
from hexad.store.skills import FAILED, REMEMBERED, WORKED
from hexad.store.sqlite.rows import SKILL_VERSIONS
from hexad.store.sqlite.statements import statements

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from hexad.model import SkillVersion


class SkillSession:
    """The part of a session that is about skills; each method's contract is the port's."""

    _connection: sqlite3.Connection

    def skill_versions(self, namespace: str, name: str) -> Sequence[SkillVersion]:
        rows = self._connection.execute(
            f"SELECT {SKILL_VERSIONS.selected} FROM {SKILL_VERSIONS.name} "
            "WHERE namespace = ? AND name = ? ORDER BY version DESC",
            (namespace, name),
        )
        return [SKILL_VERSIONS.decode(row) for row in rows]

    def add_skill_version(self, namespace: str, version: SkillVersion) -> None:
        self._connection.execute(
            f"INSERT INTO {SKILL_VERSIONS.name} ({SKILL_VERSIONS.written}, namespace) "
            f"VALUES ({SKILL_VERSIONS.placeholders}, ?)",
            (*SKILL_VERSIONS.encode(version), namespace),
        )

    def remove_skill_versions(self, namespace: str, name: str, numbers: Collection[int] | None = None) -> None:
        if numbers is None:
            self._connection.execute(statements()["drop_skill_versions"], (namespace, name))
        else:
            places = [(namespace, name, number) for number in numbers]
            self._connection.executemany(statements()["drop_skill_version"], places)

    def count_run(self, namespace: str, name: str, version: int, at: datetime, *, ok: bool) -> str | None:
        values = {
            "namespace": namespace,
            "name": name,
            "version": version,
            "at": to_microseconds(at),
            "worked": int(ok),
            "outcome": WORKED if ok else FAILED,
            "remembered": -REMEMBERED,
        }
        counted = self._connection.execute(statements()["count_run"], values).fetchall()
        return counted[0][0] if counted else None
