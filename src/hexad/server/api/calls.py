"""One call of the interface: what it is given, and what it answers."""

from __future__ import annotations

import hashlib
import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from hexad.errors import AccessRefused, ChangedMeanwhile, InvalidInput, NotOwn
from hexad.json_form import to_json
from hexad.model import Layer, Origin, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from starlette.requests import Request

    from hexad.facade import Hexad
    from hexad.memory.collection import RecordCollection
    from hexad.server.tokens import Token, Tokens

R = TypeVar("R", bound=Record)
T = TypeVar("T")
_UNSTABLE: Final = ("use_count", "last_used")  # counting a use is no change of a record
_SCANNED: Final = 500  # rows that are read at once
_NEWEST: Final = 2**62
_DIGITS: Final = 18  # of a number that a database can hold


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A request whose caller may make it: the engine in the caller's namespace, and the
    checked values.
    """

    hx: Hexad
    caller: Token
    tokens: Tokens
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    if_match: str = ""
    if_none_match: str = ""
    raw: bytes = b""
    evals: Path | None = None  # the folder with stored questions

    @property
    def named(self) -> str:
        """The last name in the path."""
        return list(self.path.values())[-1]


class Reply(NamedTuple):
    """An answer that is more than a JSON document with the usual status."""

    document: Any = None
    status: int = 0  # 0: the route's
    etag: str = ""


def tag_of(record: Record) -> str:
    """The ETag of a record: it changes with every change, not with a use."""
    fields = {
        name: value for name, value in to_json(record).items() if name not in _UNSTABLE
    }
    return f'"{hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:20]}"'


def shown(record: Record, status: int = 0) -> Reply:
    """A record with its ETag."""
    return Reply(to_json(record), status, tag_of(record))


@contextmanager
def unchanged(
    call: ApiCall, collection: RecordCollection[R]
) -> Iterator[tuple[Any, R | None]]:
    """The collection in one transaction, and the record that the path names: who is no
    person changes only what no person said, and with If-Match or If-None-Match only if
    nobody changed it since.
    """
    with collection.together() as here:
        before = here.lookup(call.named)
        if (
            before is not None
            and before.origin is Origin.USER
            and call.caller.origin is not Origin.USER
        ):
            raise NotOwn(before.id)
        tag = "" if before is None else tag_of(before)
        if (call.if_match and not _matches(call.if_match, tag)) or _matches(
            call.if_none_match, tag
        ):
            raise ChangedMeanwhile(call.named, made="*" in call.if_none_match)
        yield here, before


def saved(
    call: ApiCall, collection: RecordCollection[R], save: Callable[[Any], R]
) -> Reply:
    """Save under the name in the path."""
    with unchanged(call, collection) as (here, before):
        return shown(save(here), 201 if before is None else 200)


def _matches(header: str, tag: str) -> bool:
    known = {each.strip().removeprefix("W/") for each in header.split(",")}
    return bool(tag) and (tag in known or "*" in known)


def page(
    hx: Hexad, layer: Layer, *, cursor: str, limit: int, keep: Callable[[Any], bool]
) -> tuple[Sequence[Any], str | None]:
    """Records of a layer, newest first, and the cursor of the next page."""
    before, found, size = number_in(cursor), list[Any](), limit + 1
    with hx.store.reading(hx.namespace) as view:
        while len(found) <= limit:
            some = view.page(
                layer, before=_NEWEST if before is None else before, limit=size
            )
            found += [row for row in some if keep(row.record)]
            if not some:
                break
            before, size = some[-1].number, _SCANNED
    return [row.record for row in found[:limit]], str(found[limit - 1].number) if found[
        limit:
    ] else None


def part(
    every: Sequence[T], query: Mapping[str, Any]
) -> tuple[Sequence[T], str | None]:
    """A page of what is at hand in its order, and the cursor of the next one."""
    start, limit = number_in(query.get("cursor", "")) or 0, query.get("limit", 50)
    return every[start : start + limit], str(start + limit) if every[
        start + limit :
    ] else None


def listing(items: Iterable[Any], next: str | None = None) -> dict[str, Any]:
    """A page of records as JSON."""
    return {"items": list(items), "next": next}


def number_in(text: str, name: str = "cursor") -> int | None:
    """A whole number that was asked for; None if there is none."""
    digits = text.strip()
    if digits and not (
        digits.isascii() and digits.isdecimal() and len(digits) <= _DIGITS
    ):
        raise InvalidInput(name, f"must be a whole number, not {digits[:20]!r}")
    return int(digits) if digits else None


async def body_of(request: Request, limit: int) -> bytes:
    """The body of a request; `AccessRefused` if it has more bytes than the limit."""
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > limit:
            raise AccessRefused(413, f"a body may have {limit:,} bytes at most")
    return bytes(raw)
