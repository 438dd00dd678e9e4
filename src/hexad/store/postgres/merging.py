"""Merging the index: the words of the latest rows become postings in leaves and blocks,
and stale ones go.

It runs outside users' saves, in a transaction of its own; readers see no difference. A
save only ever changes its row.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from hexad.store.codec import CODES, upsert
from hexad.store.postgres.blocks import (
    FULL,
    Term,
    pack,
    pack_leaves,
    split,
    unpack,
    unpack_leaf,
)
from hexad.store.postgres.connection import Sql, columns
from hexad.store.postgres.search import BLOCKS_OF_ROWS, UNSPLIT, term_key
from hexad.text.document import Document
from hexad.text.index import Posting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hexad.model import Layer
    from hexad.store.postgres.work import Work

_LEAVES: Final = (
    "SELECT DISTINCT ON (l.low) l.low, l.terms FROM unnest($2::bigint[]) AS t (term) CROSS JOIN LATERAL "
    "(SELECT low, terms FROM hexad.leaf WHERE tenant = $1 AND low <= t.term ORDER BY low DESC LIMIT 1) l"
)
_PUT_LEAF: Final = upsert("hexad.leaf", ("low", "terms"), "low")
_PUT_BLOCK: Final = upsert(
    "hexad.block", ("term", "newest", "postings"), "term", "newest"
)
_REMOVE_BLOCK: Final = (
    "DELETE FROM hexad.block WHERE tenant = $1 AND term = $2 AND newest = $3"
)
_NO_LONGER_STALE: Final = "DELETE FROM hexad.stale WHERE tenant = $1 AND layer = $2"
_LOWEST: Final = -(2**63)

Changes = dict[int, Posting | None]  # by number; None removes a posting


def merge(work: Work, layer: Layer, merged: int) -> None:
    """Bring a layer's index up to date with its rows; ``merged`` is the number up to
    which it was.
    """
    code = CODES[layer]
    rows = sorted(
        work.ask(Sql(UNSPLIT, (work.tenant, [code])))[0], key=itemgetter(3)
    )  # stale words first
    changes: dict[int, Changes] = defaultdict(dict)
    for _, number, words, is_latest in rows:
        document = Document.unpack(words)
        for term, weight in document.weights().items():
            posting = Posting(number, weight, document.length) if is_latest else None
            changes[term_key(layer, term)][number] = posting
    if changes:
        _write(work, changes, merged)
    work.queue(_NO_LONGER_STALE, work.tenant, code)


def _write(work: Work, changes: Mapping[int, Changes], merged: int) -> None:
    """Change the leaves of some terms, and those of their blocks that hold changed
    rows.
    """
    terms = sorted(changes)
    old = [
        (term, number) for term in terms for number in changes[term] if number <= merged
    ]
    asked = [Sql(_LEAVES, (work.tenant, terms))]
    found, *of_rows = work.ask(
        *asked, *([Sql(BLOCKS_OF_ROWS, (work.tenant, *columns(old)))] if old else ())
    )
    leaves = {low: unpack_leaf(leaf) for low, leaf in found}
    blocks: dict[int, dict[int, bytes]] = defaultdict(dict)
    for term, newest, packed in (row for rows in of_rows for row in rows):
        blocks[term][newest] = packed
    if not leaves or terms[0] < min(leaves):
        leaves[_LOWEST] = {}
    lows = sorted(leaves)
    for term in terms:
        home = leaves[lows[bisect_right(lows, term) - 1]]
        home[term], changed = _edited(
            home.get(term, Term()), blocks[term], changes[term]
        )
        if not any(home[term]):
            del home[term]
        for newest, packed in changed.items():
            block = (term, newest, packed) if packed else (term, newest)
            work.queue(_PUT_BLOCK if packed else _REMOVE_BLOCK, work.tenant, *block)
    for low in lows:
        for leaf in pack_leaves(low, leaves[low]):
            work.queue(_PUT_LEAF, work.tenant, *leaf)


def _edited(
    term: Term, blocks: Mapping[int, bytes], changes: Changes
) -> tuple[Term, dict[int, bytes]]:
    """A term with changed rows, and its changed blocks by the highest number they may
    hold; without rows, one goes.
    """
    parts = {}
    for newest, packed in blocks.items():
        parts[newest] = {posting[0]: posting for posting in unpack(packed)}
    newest_rows = {posting[0]: posting for posting in unpack(term.packed)}
    bounds = sorted(parts)
    in_blocks = term.in_blocks - sum(map(len, parts.values()))
    for number, posting in changes.items():
        place = bisect_left(bounds, number)
        rows = parts[bounds[place]] if place < len(bounds) else newest_rows
        rows.pop(number, None)
        if posting is not None:
            rows[number] = posting
    written: dict[int, bytes] = {}
    for newest, rows in parts.items():
        *others, last = (
            split(rows.values()) if len(rows) > 2 * FULL else [sorted(rows.values())]
        )
        written |= _by_newest(others) | {newest: pack(last)}
        in_blocks += len(rows)
    *full, rest = split(newest_rows.values())
    return Term(in_blocks + FULL * len(full), pack(rest)), written | _by_newest(full)


def _by_newest(blocks: Iterable[list[Posting]]) -> dict[int, bytes]:
    return {block[-1][0]: pack(block) for block in blocks}
