"""Everything, as JSON Lines: a header, the rows and the audit chain of each namespace, and a last line that counts."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hexad.errors import BackupError, HexadError
from hexad.memory import admission, audit
from hexad.memory.indexing import all_namespaces, records
from hexad.model import RECORDS, Association, AuditRecord, Knowledge, Proposal, Skill, SkillVersion, Version
from hexad.wire import TYPES, WIRE, from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from hexad.model import Record
    from hexad.store import Reading, Store

Noun: TypeAlias = "Record | Version | SkillVersion | Association | Proposal | AuditRecord"
HEADER: Final = "hexad-backup"
END: Final = "end"
_HEAD: Final = b'{"type":"hexad-backup"'  # how every backup begins


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a backup that holds a noun."""

    number: int
    namespace: str
    fields: dict[str, Any]

    def noun(self, file: str, **defaults: Any) -> Noun:
        """The noun, or an error that names file and line."""
        try:
            noun: Noun = from_json(TYPES[self.fields["type"]], self.fields, defaults=defaults)
        except (HexadError, RecursionError) as error:
            raise BackupError(file, str(error), self.number) from error
        return noun


def write_backup(store: Store, path: Path, now: datetime, *, namespace: str | None = None) -> int:
    """Write everything, each namespace in one state, whole or not at all; returns the lines of data."""
    partial = path.with_name(f"{path.name}.partial")
    _refuse_other_files(store, path)
    if not path.parent.is_dir():
        raise BackupError(str(path), f"there is no folder {str(path.parent)!r}; create it first")
    try:
        with os.fdopen(_private(partial), "w", encoding="utf-8") as file:
            count = _write_lines(file.write, store, now, all_namespaces(store) if namespace is None else (namespace,))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise BackupError(str(path), f"cannot be written: {error.strerror}; choose another place") from error
    finally:
        partial.unlink(missing_ok=True)
    return count


def read_lines(path: Path, *, whole: bool = True) -> list[Line]:
    """The nouns' lines of a file. ``whole`` asks for the header and the last line that a backup has."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BackupError(str(path), f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BackupError(str(path), "is not UTF-8 text") from error
    parsed = [(n, _parsed(raw, n, str(path))) for n, raw in enumerate(text.split("\n"), start=1) if raw.strip()]
    body = [Line(n, str(fields.get("namespace", "")), fields) for n, fields in parsed if fields["type"] in TYPES]
    _check_frame(str(path), parsed, len(body), whole=whole)
    return body


def _check_frame(file: str, parsed: list[tuple[int, dict[str, Any]]], count: int, *, whole: bool) -> None:
    headers = [fields for _, fields in parsed if fields["type"] == HEADER]
    for fields in headers:
        if fields.get("wire") != WIRE:
            raise BackupError(file, f"has format {fields.get('wire')!r}, this program reads {WIRE}; upgrade Hexad", 1)
    if not whole and not headers:  # somebody wrote it by hand
        return
    if not headers or parsed[0][1]["type"] != HEADER:
        raise BackupError(file, "is not a Hexad backup: its first line is not a header", 1)
    last, fields = parsed[-1]
    if fields["type"] != END or fields.get("lines") != count:
        raise BackupError(file, "is cut short: the last line does not close it", last)


def _parsed(raw: str, number: int, file: str) -> dict[str, Any]:
    try:
        fields = json.loads(raw, parse_constant=_no_number)
        json.dumps(fields, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BackupError(file, "holds a lone surrogate, which cannot be stored", number) from None
    except (ValueError, RecursionError):
        raise BackupError(file, "is not JSON", number) from None
    if "\\u0000" in raw and admission.holds_nul(fields):
        raise BackupError(file, "holds NUL, which cannot be stored", number)
    kind = fields.get("type") if isinstance(fields, dict) else None
    if not isinstance(kind, str) or kind not in {HEADER, END, *TYPES}:
        raise BackupError(file, f"must be an object whose type is one of {', '.join(TYPES)}", number)
    return dict(fields)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a number that JSON has")


def _refuse_other_files(store: Store, path: Path) -> None:
    """A backup replaces an earlier backup, never the database or any other file."""
    linked = path.exists() and any(path.samefile(own) for own in store.files if own.exists())
    if linked or os.path.realpath(path) in {os.path.realpath(own) for own in store.files}:
        raise BackupError(str(path), "is the database itself; choose another file")
    if path.is_file() and path.stat().st_size and not _is_backup(path):
        raise BackupError(str(path), "exists and is not a backup; choose another file")


def _is_backup(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_HEAD)) == _HEAD


def _private(path: Path) -> int:
    path.unlink(missing_ok=True)
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)


def _write_lines(write: Callable[[str], object], store: Store, now: datetime, namespaces: Iterable[str]) -> int:
    write(_line({"type": HEADER, "wire": WIRE, "created": now.isoformat()}))
    count = 0
    for namespace in namespaces:
        with store.reading(namespace) as view:
            for noun in _nouns(view):
                write(_line({"namespace": namespace, **to_json(noun)}))
                count += 1
    write(_line({"type": END, "lines": count}))
    return count


def _line(fields: dict[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"


def _nouns(view: Reading) -> Iterator[Noun]:
    for kind in RECORDS:
        for record in records(view, kind.layer):
            yield record
            if isinstance(record, Knowledge | Skill):
                yield from reversed(view.versions(kind.layer, record.id))
    yield from view.associations()
    yield from view.proposals()
    yield from audit.records(view)
