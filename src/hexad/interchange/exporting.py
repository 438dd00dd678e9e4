"""Export: every record of a namespace, or those about one subject, as Markdown with front matter."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import BackupError
from hexad.interchange.formats import BODY
from hexad.model import RECORD_OF, Knowledge
from hexad.skills.folders import frontmatter
from hexad.wire import WIRE, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hexad.memory.workspace import Workspace
    from hexad.model import Record

_OURS: Final = ("use_count", "last_used", "given_by", "version", "first_version", "created", "updated", "redactions")
_UNSAFE: Final = re.compile(r"[^\w.-]+")


def export_files(workspace: Workspace, folder: Path, subject: str | None) -> int:
    """Write a page for each record; return their number. The folder must be empty or new."""
    count = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BackupError(str(folder), "is not empty; name a new folder")
        for record in _records(workspace, subject):
            place = folder / record.layer.noun
            place.mkdir(exist_ok=True)
            count += 1
            name = _UNSAFE.sub("-", record.id).strip("-.")[:80] or "entry"
            page = place / f"{name}.md"
            page = page if not page.exists() else place / f"{name}-{count}.md"
            page.write_bytes(_page(record).encode())
    except OSError as error:
        raise BackupError(str(folder), f"cannot be written: {error.strerror}") from error
    return count


def _records(workspace: Workspace, subject: str | None) -> Iterator[Record]:
    for layer in RECORD_OF:
        for row in workspace.rows(layer):
            record = row.record
            hidden = isinstance(record, Knowledge) and record.deleted is not None
            if not hidden and (subject is None or getattr(record, "subject", None) == subject):
                yield record


def _page(record: Record) -> str:
    """The body is the record's main text; the front matter holds every other field that is not its default."""
    written: dict[str, Any] = to_json(record)
    kind = str(written["type"])
    usual = {each.name: each.default for each in fields(record) if each.default is not MISSING}
    kept = {
        name: value
        for name, value in written.items()
        if name not in _OURS and name != BODY[kind] and value not in (usual.get(name, MISSING), [], {})
    }
    return f"{frontmatter.write({'hexad': WIRE, **kept})}{written[BODY[kind]]}\n"
