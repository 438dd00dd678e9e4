"""A record's text as the index holds it: the terms of each of its fields, in reading
order.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.text.words import operands, terms

if TYPE_CHECKING:
    from hexad.model import Fields

SUBJECT: Final = "subject"
FIELD_WEIGHTS: Final = {"name": 2, "body": 1, "tags": 1}
_NAME, _TAGS = FIELD_WEIGHTS["name"], FIELD_WEIGHTS["tags"]
"""How much an occurrence counts in each field. They are written into the index: a change means another `ANALYSER`."""


class Document(NamedTuple):
    """One record in the index; `pack` and `unpack` convert it to text and back."""

    name: tuple[str, ...]
    body: tuple[str, ...]
    tags: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()

    @classmethod
    def of(cls, fields: Fields) -> Document:
        """Analyse a record's fields."""
        return cls(
            name=terms(fields.name),
            body=(*terms(fields.body), *operands(fields.body)),
            tags=terms("\n".join(fields.tags)) if fields.tags else (),
            facets=(
                *(facet(name, value) for name, value in fields.facets),
                *(facet(SUBJECT, term) for term in terms(fields.subject)),
            ),
        )

    @classmethod
    def unpack(cls, packed: str) -> Document:
        """The document that `pack` wrote."""
        facets, name, tags, body = (
            tuple(line.split(" ")) if line else () for line in packed.split("\n")
        )
        return cls(name, body, tags, facets)

    def pack(self) -> str:
        """One line for each field, the body last; terms hold no white space, so this is
        lossless.
        """
        return "\n".join(
            " ".join(field) for field in (self.facets, self.name, self.tags, self.body)
        )

    @property
    def length(self) -> int:
        """How many terms its fields have, facets aside."""
        return len(self.name) + len(self.body) + len(self.tags)

    def weight(self, term: str) -> int:
        """The occurrences of one term, weighted by field."""
        return (
            self.body.count(term)
            + _NAME * self.name.count(term)
            + _TAGS * self.tags.count(term)
        )

    def weights(self) -> dict[str, int]:
        """Each term with its occurrences, weighted by field; each facet with one."""
        counts: dict[str, int] = dict(Counter(self.body))
        for field, weight in ((self.name, _NAME), (self.tags, _TAGS), (self.facets, 1)):
            for term in field:
                counts[term] = counts.get(term, 0) + weight
        return counts


def facet(name: str, value: str) -> str:
    """The term for an exact value. No word's term begins with ``=``, so the two never
    meet.
    """
    return f"={name}/{value}"
