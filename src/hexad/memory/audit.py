"""The audit log: one chain of hashes for each namespace, appended inside the
transaction that it records.
"""

from __future__ import annotations

import hashlib
import json
from json.encoder import encode_basestring_ascii as _quoted
from typing import TYPE_CHECKING, Final

from hexad.memory import admission
from hexad.model import AuditRecord, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from hexad.model import Json
    from hexad.store import Reading, Store, Writing

GENESIS: Final = "0" * 64  # the `previous` of the first record
_canonical: Final = json.JSONEncoder(
    ensure_ascii=True, sort_keys=True, separators=(",", ":")
).encode
_PAGE: Final = 1000


def append(
    unit: Writing,
    action: str,
    target: str,
    details: Mapping[str, Json],
    *,
    at: datetime,
    session: str,
    actor: str,
) -> int:
    """Log a change; returns its record's sequence. Details are sizes, numbers and
    names, never content or its hash.
    """
    last, previous = unit.chain_end() or (0, GENESIS)
    words, written = (session, action, actor, target), _canonical(details)
    record = AuditRecord(
        sequence=last + 1,
        at=at,
        session=session,
        action=action,
        actor=actor,
        target=target,
        details=details,
        previous=previous,
        hash=_hash(unit.namespace, (last + 1, at), words, written, previous),
    )
    unit.append_audit([record], [written])
    return last + 1


def fingerprint(namespace: str, record: AuditRecord) -> str:
    """The hash over a record and, through ``previous``, all before it."""
    words = (record.session, record.action, record.actor, record.target)
    return _hash(
        namespace,
        (record.sequence, record.at),
        words,
        _canonical(record.details),
        record.previous,
    )


def _hash(
    namespace: str,
    when: tuple[int, datetime],
    words: Iterable[str],
    details: str,
    previous: str,
) -> str:
    """The hash of a JSON list, written by hand for speed: every watched call passes
    here.
    """
    sequence, at = when
    quoted = ",".join(map(_quoted, words))
    text = f'[{_quoted(namespace)},{sequence},"{at.isoformat()}",{quoted},{details},{_quoted(previous)}]'
    return hashlib.sha256(text.encode()).hexdigest()


def records(view: Reading) -> Iterator[AuditRecord]:
    """The whole log in order, page by page."""
    last = 0
    while page := view.audit(after=last, limit=_PAGE):
        yield from page
        last = page[-1].sequence


def _problem(namespace: str, record: AuditRecord, sequence: int, previous: str) -> str:
    if record.sequence != sequence:
        return f"record {sequence} is missing"
    if record.previous != previous:
        return f"record {sequence} does not follow the one before it"
    if record.hash != fingerprint(namespace, record):
        return f"record {sequence} was altered"
    return ""


class AuditLog:
    """One namespace's log, to read and to verify; there is no way to change it."""

    def __init__(self, store: Store, namespace: str) -> None:
        self.store: Final = store
        self.namespace: Final = namespace

    def records(self) -> tuple[AuditRecord, ...]:
        """Every record, oldest first."""
        with self.store.reading(self.namespace) as view:
            return tuple(records(view))

    def latest(
        self, limit: int, *, before: int | None = None
    ) -> tuple[AuditRecord, ...]:
        """The newest records, newest first; with ``before`` (a sequence) those before
        it.
        """
        most = admission.whole("limit", limit, low=1)
        end = None if before is None else admission.whole("before", before, low=0)
        with self.store.reading(self.namespace) as view:
            last = (view.chain_end() or (0, ""))[0]
            last = last if end is None else min(last, end - 1)
            found = (
                view.audit(after=max(0, last - most), limit=most) if last > 0 else ()
            )
        return tuple(record for record in reversed(found) if record.sequence <= last)

    def verify(self, *, expect: str | None = None) -> Verdict:
        """Whether all records are intact; with ``expect`` (an earlier head) also
        whether the tail was cut.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> _ = hx.knowledge.save("editor", "vim")
        >>> hx.audit.verify().ok
        True
        """
        if expect is not None:
            admission.instance("expect", expect, str, "the hash of a record")
        count, head, expected, namespace = (
            0,
            GENESIS,
            expect in {None, GENESIS},
            self.namespace,
        )
        with self.store.reading(namespace) as view:
            for record in records(view):
                problem = _problem(namespace, record, count + 1, head)
                if problem:
                    return Verdict(namespace, count, head, record.sequence, problem)
                count, head = count + 1, record.hash
                expected = expected or head == expect
        missing = (
            ""
            if expected
            else f"the record with hash {expect} is missing: the tail was cut"
        )
        return Verdict(namespace, count, head, count + 1 if missing else None, missing)
