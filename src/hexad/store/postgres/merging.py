"""Merging the index: the words of the latest rows become postings in blocks, and stale ones go.

It runs outside users' saves, in a transaction of its own; readers see no difference. A save only ever changes its row.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from hexad.store.postgres.blocks import FULL, OPEN, pack, split, unpack
from hexad.store.postgres.connection import Statement, columns
from hexad.store.postgres.records import CODES
from hexad.store.postgres.search import term_key
from hexad.text.document import Document
from hexad.text.index import Posting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hexad.model import Layer
    from hexad.store.postgres.work import Work

_LATEST: Final = (
    "SELECT number, words FROM hexad.record WHERE tenant = $1 AND layer = $2 AND words IS NOT NULL AND number > $3 "
    "UNION ALL SELECT s.number, r.words FROM hexad.stale s CROSS JOIN LATERAL (SELECT words FROM hexad.record "
    "WHERE tenant = $1 AND layer = $2 AND number = s.number LIMIT 1) r "
    "WHERE s.tenant = $1 AND s.layer = $2 AND r.words IS NOT NULL"
)
_STALE: Final = "SELECT number, words FROM hexad.stale WHERE tenant = $1 AND layer = $2"
_BLOCKS: Final = (
    "SELECT DISTINCT ON (b.term, b.newest) b.* FROM unnest($2::bigint[], $3::bigint[]) AS t (term, number) "
    "CROSS JOIN LATERAL (SELECT term, newest, total, postings FROM hexad.block "
    "WHERE tenant = $1 AND term = t.term AND newest >= t.number ORDER BY newest LIMIT 1) b"
)
_WRITE: Final = (
    "INSERT INTO hexad.block (tenant, term, newest, total, postings) SELECT $1, * FROM "
    "unnest($2::bigint[], $3::bigint[], $4::integer[], $5::bytea[]) "
    "ON CONFLICT (tenant, term, newest) DO UPDATE SET total = excluded.total, postings = excluded.postings"
)
_REMOVE: Final = (
    "DELETE FROM hexad.block b USING unnest($2::bigint[], $3::bigint[]) AS t (term, newest) "
    "WHERE b.tenant = $1 AND b.term = t.term AND b.newest = t.newest"
)
_NO_LONGER_STALE: Final = "DELETE FROM hexad.stale WHERE tenant = $1 AND layer = $2"


def merge(work: Work, layer: Layer, merged: int) -> None:
    """Bring a layer's blocks up to date with its rows; ``merged`` is the number up to which they were."""
    code = CODES[layer]
    latest, stale = work.ask(Statement(_LATEST, (work.tenant, code, merged)), Statement(_STALE, (work.tenant, code)))
    added: dict[int, dict[int, Posting]] = defaultdict(dict)
    removed: dict[int, set[int]] = defaultdict(set)
    for number, words in latest:
        document = Document.unpack(words)
        for term, weight in document.weights().items():
            added[term_key(layer, term)][number] = Posting(number, weight, document.length)
    for number, words in stale:
        for term in Document.unpack(words).weights():
            removed[term_key(layer, term)].add(number)
    if added or removed:
        _change(work, added, removed, merged)
    work.queue(_NO_LONGER_STALE, work.tenant, code)


def _change(
    work: Work, added: Mapping[int, Mapping[int, Posting]], removed: Mapping[int, set[int]], merged: int
) -> None:
    """Take rows out of their blocks and put others in."""
    terms = sorted(added.keys() | removed.keys())
    places = [(term, OPEN) for term in terms]
    places += [(term, number) for term, numbers in removed.items() for number in numbers]
    places += [(term, number) for term, rows in added.items() for number in rows if number <= merged]
    found = work.ask(Statement(_BLOCKS, (work.tenant, *columns(places))))[0]
    blocks: dict[int, dict[int, dict[int, Any]]] = {term: {OPEN: {}} for term in terms}
    totals = dict.fromkeys(terms, 0)
    for term, newest, total, packed in found:
        blocks[term][newest] = {posting[0]: posting for posting in unpack(packed)}
        totals[term] += total
    written: list[tuple[Any, ...]] = []
    gone: list[tuple[int, int]] = []
    for term in terms:
        totals[term] += _edit(blocks[term], added.get(term, {}), removed.get(term, set()))
        for newest, rows in blocks[term].items():
            total = totals[term] if newest == OPEN else 0
            if rows or total:
                written += [(term, *block) for block in _laid_out(newest, rows, total)]
            else:
                gone.append((term, newest))
    if written:
        work.queue(_WRITE, work.tenant, *columns(written))
    if gone:
        work.queue(_REMOVE, work.tenant, *columns(gone))


def _edit(blocks: Mapping[int, dict[int, Any]], added: Mapping[int, Posting], removed: set[int]) -> int:
    """Change a term's blocks; return by how many rows it grew."""
    grown = 0
    for number in removed:
        for rows in blocks.values():
            if rows.pop(number, None) is not None:
                grown -= 1
    bounds = sorted(blocks)
    for number, posting in added.items():
        home = blocks[next(newest for newest in bounds if newest >= number)]
        grown += number not in home
        home[number] = posting
    return grown


def _laid_out(newest: int, rows: Mapping[int, Any], total: int) -> list[tuple[int, int, bytes]]:
    """A block as it is written, or as several if it is too full."""
    *full, last = split(rows.values(), last=newest == OPEN) if len(rows) > FULL else [sorted(rows.values())]
    return [*((block[-1][0], 0, pack(block)) for block in full), (newest, total, pack(last))]
