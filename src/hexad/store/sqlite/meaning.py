"""Vectors and associations in SQL: what a scope's rows mean to an embedder, and which words led to an item before."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from hexad.store import Vector, VectorState
from hexad.store.sqlite.index import chunks
from hexad.store.sqlite.rows import ASSOCIATIONS
from hexad.store.sqlite.statements import statements

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Sequence

    from hexad.model import Association
    from hexad.store import Embedded, Scope


class Meanings:
    """The vectors of all scopes and embedders, over one connection inside one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._sql = statements()

    def state(self, scope: Scope, embedder: str) -> VectorState:
        """How many vectors there are, and the latest stamp."""
        found = self._run("meaning", *scope, embedder).fetchone()
        return VectorState(found[1], found[2]) if found else VectorState(0, 0)

    def vectors(self, scope: Scope, embedder: str, after: int, limit: int) -> Sequence[Vector]:
        """The vectors above a stamp."""
        home = self.home(scope, embedder)
        return [] if home is None else list(map(Vector._make, self._run("vectors", home, after, limit)))

    def numbers(self, scope: Scope, embedder: str) -> Collection[int]:
        """The rows that have one."""
        home = self.home(scope, embedder)
        return set() if home is None else {number for (number,) in self._run("vector_numbers", home)}

    def home(self, scope: Scope, embedder: str) -> int | None:
        """Where the vectors of a scope and an embedder lie, once there was one."""
        found = self._run("meaning", *scope, embedder).fetchone()
        return None if found is None else int(found[0])

    def add(self, scope: Scope, number: int, embedded: Embedded) -> None:
        """Keep a vector, in the place of the row's earlier one; the same again changes nothing."""
        if self.home(scope, embedded.embedder) is None:
            self._run("add_meaning", *scope, embedded.embedder)
        home, _, stamp = self._run("meaning", *scope, embedded.embedder).fetchone()
        if self._run("vector", home, number).fetchone() == (embedded.vector,):
            return
        replaced = self._run("remove_vector", home, number).rowcount
        self._run("add_vector", home, stamp + 1, number, embedded.vector)
        self._run("grow_meaning", 1 - replaced, 1, home)

    def remove(self, scope: Scope, number: int) -> None:
        """Remove a row's vectors, whichever embedder made them."""
        for (home,) in self._run("meanings", *scope).fetchall():
            removed = self._run("remove_vector", home, number).rowcount
            if removed:
                self._run("grow_meaning", -removed, 0, home)

    def associations(self, scope: Scope, terms: Collection[str], limit: int) -> Sequence[Association]:
        """What was learned of these terms; nothing of a term that was learned of too many items."""
        found = [row for chunk in chunks(terms) for row in self._associated(scope, chunk, limit)]
        counts = Counter(row[2] for row in found) if len(found) > limit else {}
        return [ASSOCIATIONS.decode(row) for row in found if counts.get(row[2], 0) <= limit]

    def _associated(self, scope: Scope, terms: Sequence[str], limit: int) -> Sequence[tuple[Any, ...]]:
        """One statement for all terms, and of each one row more than is too many."""
        of_term = (
            f"SELECT * FROM (SELECT {ASSOCIATIONS.selected} FROM {ASSOCIATIONS.name} "
            "WHERE namespace = ? AND layer = ? AND term = ? LIMIT ?)"
        )
        values = [value for term in terms for value in (*scope, term, limit + 1)]
        return self._connection.execute(" UNION ALL ".join([of_term] * len(terms)), values).fetchall()

    def associations_of(self, scope: Scope, id: str) -> Sequence[Association]:
        """What was learned of an item."""
        return [ASSOCIATIONS.decode(row) for row in self._run("associations_of", *scope, id)]

    def all_associations(self, namespace: str) -> Sequence[Association]:
        """What was learned in a namespace."""
        return [ASSOCIATIONS.decode(row) for row in self._run("all_associations", namespace)]

    def associate(self, scope: Scope, id: str, associations: Collection[Association]) -> None:
        """Replace what was learned of an item."""
        self._run("remove_associations", *scope, id)
        rows = [(*ASSOCIATIONS.encode(each), scope.namespace) for each in associations]
        self._connection.executemany(self._sql["add_association"], rows)

    def _run(self, name: str, *values: object) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[name], values)
