"""Postings as bytes: a block holds some of a term's rows, oldest first, in as few bytes as their numbers allow."""

from __future__ import annotations

import struct
import sys
from array import array
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hexad.text.index import Posting

OPEN: Final = 2**63 - 1  # the `newest` of a term's last block, which new rows join
FULL: Final = 128  # postings of a block
_HEADER: Final = struct.Struct("<qHccc")  # the lowest number, how many, and the widths of numbers, weights and lengths
_WIDTHS: Final = (("B", 1 << 8), ("H", 1 << 16), ("I", 1 << 32))


def pack(postings: Sequence[Posting]) -> bytes:
    """Postings in the order of their numbers, as bytes."""
    lowest = postings[0][0] if postings else 0
    packed = [_packed([row[0] - lowest for row in postings]), _packed([row[1] for row in postings])]
    packed.append(_packed([row[2] for row in postings]))
    widths = [width.encode() for width, _ in packed]
    return _HEADER.pack(lowest, len(postings), *widths) + b"".join(data for _, data in packed)


def unpack(packed: bytes) -> list[Any]:
    """The postings, newest first."""
    lowest, count, *widths = _HEADER.unpack_from(packed)
    start, parts = _HEADER.size, []
    for width in widths:
        values = array(width.decode())
        end = start + count * values.itemsize
        values.frombytes(packed[start:end])
        if sys.byteorder == "big":
            values.byteswap()
        parts.append(values)
        start = end
    numbers, weights, lengths = parts
    return [
        (lowest + number, weight, length) for number, weight, length in zip(numbers, weights, lengths, strict=True)
    ][::-1]


def _packed(values: Sequence[int]) -> tuple[str, bytes]:
    largest = max(values, default=0)
    width = next((code for code, beyond in _WIDTHS if largest < beyond), "Q")
    packed = array(width, values)
    if sys.byteorder == "big":
        packed.byteswap()
    return width, packed.tobytes()


def split(postings: Iterable[Posting], *, last: bool) -> list[list[Posting]]:
    """Postings in blocks of `FULL`, oldest first. Of a term's ``last`` block the rest stays open, and may be empty."""
    ordered = sorted(postings)
    whole = len(ordered) // FULL * FULL if last else max(len(ordered) - FULL, 0) // FULL * FULL
    return [*(ordered[start : start + FULL] for start in range(0, whole, FULL)), ordered[whole:]]
