"""Postings as bytes. A leaf holds the newest postings of all terms in a range, a block
some older ones of one term.

Most terms are rare. In rows of their own they would cost ten times their bytes, so they
share leaves, as in a B-tree.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate, pairwise
from struct import calcsize, unpack_from
from struct import pack as pack_struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hexad.text.index import Posting

FULL: Final = 256  # postings of a block
_LARGEST: Final = 1200  # bytes of a leaf: some of them fit on half a page, so that an update finds room there
_WIDTHS: Final = "BHIQ"  # numbers of 1, 2, 4 and 8 bytes


def pack(postings: Sequence[Posting]) -> bytes:
    """Postings in the order of their numbers, as bytes: the widths, the first number,
    differences, weights, lengths.
    """
    if not postings:
        return b""
    numbers, weights, lengths = zip(*postings, strict=True)
    parts = (
        numbers[:1],
        [later - earlier for earlier, later in pairwise(numbers)],
        weights,
        lengths,
    )
    widths = [_width(max(part, default=0)) for part in parts]
    head = sum(width << (2 * place) for place, width in enumerate(widths))
    values = (value for part in parts for value in part)
    return bytes((head,)) + pack_struct(_form(widths, len(postings)), *values)


def unpack(packed: bytes) -> list[Any]:
    """The postings, newest first."""
    count = count_of(packed)
    if not count:
        return []
    first, *values = unpack_from(_form(_widths_of(packed), count), packed, 1)
    numbers = accumulate(values[: count - 1], initial=first)
    return list(
        zip(
            numbers,
            values[count - 1 : 2 * count - 1],
            values[2 * count - 1 :],
            strict=True,
        )
    )[::-1]


def count_of(packed: bytes) -> int:
    """How many postings there are."""
    if not packed:
        return 0
    first, step, weight, length = (1 << width for width in _widths_of(packed))
    return (len(packed) - 1 - first + step) // (step + weight + length)


def split(postings: Iterable[Posting]) -> list[list[Posting]]:
    """Postings in blocks of `FULL`, oldest first, and the rest of them, which may be
    none.
    """
    ordered = sorted(postings)
    whole = len(ordered) // FULL * FULL
    return [
        *(ordered[start : start + FULL] for start in range(0, whole, FULL)),
        ordered[whole:],
    ]


class Term(NamedTuple):
    """A term in its leaf: how many postings its blocks hold, and its newest ones."""

    in_blocks: int = 0
    packed: bytes = b""


def pack_leaves(low: int, terms: Mapping[int, Term]) -> list[tuple[int, bytes]]:
    """Terms as a leaf for those from ``low`` on, or as several if they are too many:
    the first term of each, and it.
    """
    keys = sorted(terms)
    form, data = _leaf_form(len(keys)), b"".join(terms[key].packed for key in keys)
    if len(keys) > 1 and calcsize(form) + len(data) > _LARGEST:
        half = len(keys) // 2
        lower = {key: terms[key] for key in keys[:half]}
        upper = {key: terms[key] for key in keys[half:]}
        return [*pack_leaves(low, lower), *pack_leaves(keys[half], upper)]
    ends = accumulate(len(terms[key].packed) for key in keys)
    return [
        (
            low,
            pack_struct(
                form, len(keys), *keys, *(terms[key].in_blocks for key in keys), *ends
            )
            + data,
        )
    ]


def unpack_leaf(leaf: bytes) -> dict[int, Term]:
    """The terms of a leaf."""
    (count,) = unpack_from("<H", leaf)
    form = _leaf_form(count)
    _, *values = unpack_from(form, leaf)
    starts = (calcsize(form) + end for end in (0, *values[2 * count :]))
    places = zip(values, values[count : 2 * count], pairwise(starts), strict=False)
    return {
        key: Term(in_blocks, leaf[start:end]) for key, in_blocks, (start, end) in places
    }


def find(leaf: bytes, key: int) -> Term | None:
    """One term of a leaf, if it is there."""
    (count,) = unpack_from("<H", leaf)
    keys = unpack_from(f"<{count}q", leaf, 2)
    place = bisect_left(keys, key)
    if place == count or keys[place] != key:
        return None
    (in_blocks,) = unpack_from("<I", leaf, 2 + 8 * count + 4 * place)
    start, end = (
        unpack_from("<HH", leaf, 12 * count + 2 * place)
        if place
        else (0, *unpack_from("<H", leaf, 2 + 12 * count))
    )
    return Term(in_blocks, leaf[2 + 14 * count + start : 2 + 14 * count + end])


def _leaf_form(count: int) -> str:
    return f"<H{count}q{count}I{count}H"


def _form(widths: Sequence[int], count: int) -> str:
    first, step, weight, length = (_WIDTHS[width] for width in widths)
    return f"<{first}{count - 1}{step}{count}{weight}{count}{length}"


def _widths_of(packed: bytes) -> list[int]:
    return [packed[0] >> place & 3 for place in (0, 2, 4, 6)]


def _width(largest: int) -> int:
    return (largest > 0xFF) + (largest > 0xFFFF) + (largest > 0xFFFFFFFF)
