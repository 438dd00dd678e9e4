"""Vectors in SQL: each embedder's vectors of each layer, in the order of their stamps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.store import Vector
from hexad.store.sqlite.statements import Queries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexad.model import Layer
    from hexad.store import Embedded


class Vectors(Queries):
    """The vectors of a namespace, over one connection inside one transaction."""

    def after(self, layer: Layer, embedder: str, stamp: int, limit: int) -> Sequence[Vector]:
        """The vectors above a stamp."""
        home = self.home(layer, embedder)
        return [] if home is None else list(map(Vector._make, self._run("vectors", home, stamp, limit)))

    def numbers(self, layer: Layer, embedder: str) -> set[int]:
        """The rows that have one."""
        home = self.home(layer, embedder)
        return set() if home is None else {number for (number,) in self._run("vector_numbers", home)}

    def home(self, layer: Layer, embedder: str) -> int | None:
        """The id under which the vectors of a layer and an embedder are stored, if there ever was one."""
        found = self._run("meaning", self.namespace, layer, embedder).fetchone()
        return None if found is None else int(found[0])

    def add(self, layer: Layer, number: int, embedded: Embedded) -> None:
        """Keep a vector, in the place of the row's earlier one; the same again changes nothing."""
        place = (self.namespace, layer, embedded.embedder)
        if self.home(layer, embedded.embedder) is None:
            self._run("add_meaning", *place)
        home, stamp = self._run("meaning", *place).fetchone()
        if self._run("vector", home, number).fetchone() == (embedded.vector,):
            return
        replaced = self._run("remove_vector", home, number).rowcount
        self._run("add_vector", home, stamp + 1, number, embedded.vector)
        self._run("grow_meaning", 1 - replaced, 1, home)

    def remove(self, layer: Layer, number: int) -> None:
        """Remove a row's vectors, whichever embedder made them."""
        for (home,) in self._run("meanings", self.namespace, layer).fetchall():
            removed = self._run("remove_vector", home, number).rowcount
            if removed:
                self._run("grow_meaning", -removed, 0, home)
