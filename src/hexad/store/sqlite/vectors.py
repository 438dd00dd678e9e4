"""Vectors in SQL: each embedder's vectors of each layer, in the order of their stamps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hexad.store import Embedded, Vector
from hexad.store.sqlite.statements import Queries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hexad.model import Layer

_MEANING: Final = "SELECT id, stamp FROM hexad_meaning WHERE namespace = ? AND layer = ? AND embedder = ?"
_MEANINGS: Final = "SELECT id FROM hexad_meaning WHERE namespace = ? AND layer = ?"
_ADD_MEANING: Final = "INSERT INTO hexad_meaning (namespace, layer, embedder, rows, stamp) VALUES (?, ?, ?, 0, 0)"
_GROW_MEANING: Final = (
    "UPDATE hexad_meaning SET rows = rows + ?, stamp = stamp + ? WHERE id = ?"
)
_VECTOR: Final = "SELECT vector FROM hexad_vector INDEXED BY hexad_vector_number WHERE meaning = ? AND number = ?"
_ADD_VECTOR: Final = (
    "INSERT INTO hexad_vector (meaning, stamp, number, vector) VALUES (?, ?, ?, ?)"
)
_REMOVE_VECTOR: Final = "DELETE FROM hexad_vector WHERE meaning = ? AND number = ?"
_VECTORS: Final = (
    "SELECT number, stamp, vector FROM hexad_vector WHERE meaning = ? AND stamp "
    "> ? ORDER BY stamp LIMIT ?"
)
_VECTOR_NUMBERS: Final = (
    "SELECT number FROM hexad_vector INDEXED BY hexad_vector_number WHERE meaning = ?"
)


class Vectors(Queries):
    """The vectors of a namespace: `Unit` adds the rest of the ports."""

    def vectors(
        self, layer: Layer, embedder: str, *, after: int = 0, limit: int = 1000
    ) -> Sequence[Vector]:
        """The vectors above a stamp."""
        home = self._meaning(layer, embedder)
        return (
            []
            if home is None
            else list(map(Vector._make, self._run(_VECTORS, home, after, limit)))
        )

    def vector_numbers(self, layer: Layer, embedder: str) -> set[int]:
        """The rows that have one."""
        home = self._meaning(layer, embedder)
        return (
            set()
            if home is None
            else {number for (number,) in self._run(_VECTOR_NUMBERS, home)}
        )

    def embed(self, layer: Layer, vectors: Mapping[int, Embedded]) -> None:
        """Keep vectors, in the place of earlier ones; the same again changes nothing."""
        for number, embedded in vectors.items():
            place = (self.namespace, layer, embedded.embedder)
            home, stamp = self._run(_MEANING, *place).fetchone() or (
                self._run(_ADD_MEANING, *place).lastrowid,
                0,
            )
            if self._run(_VECTOR, home, number).fetchone() != (embedded.vector,):
                replaced = self._run(_REMOVE_VECTOR, home, number).rowcount
                self._run(_ADD_VECTOR, home, stamp + 1, number, embedded.vector)
                self._run(_GROW_MEANING, 1 - replaced, 1, home)

    def _meaning(self, layer: Layer, embedder: str) -> int | None:
        """The id under which the vectors of a layer and an embedder are stored, if
        there ever was one.
        """
        found = self._run(_MEANING, self.namespace, layer, embedder).fetchone()
        return None if found is None else int(found[0])

    def _remove_vectors(self, layer: Layer, number: int) -> None:
        """Remove a row's vectors, whichever embedder made them."""
        for (home,) in self._run(_MEANINGS, self.namespace, layer).fetchall():
            removed = self._run(_REMOVE_VECTOR, home, number).rowcount
            if removed:
                self._run(_GROW_MEANING, -removed, 0, home)
