"""Export: every record of a namespace and its proposals, or those about one subject, as
Markdown with front matter.
"""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import BackupError
from hexad.interchange.formats import BODY
from hexad.json_form import WIRE, to_json
from hexad.memory.keys import numbered
from hexad.model import RECORD_OF, Knowledge, ProposedChange, Record
from hexad.skills.folders import frontmatter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hexad.memory.workspace import Workspace

_OURS: Final = (
    "id",
    "given_by",
    "version",
    "first_version",
    "created",
    "updated",
    "redactions",
)
_COUNTS: Final = ("use_count", "last_used", "run_count", "success_count", "recent")
_PROPOSED: Final = (
    "key",
    "category",
    "subject",
    "tags",
    "sentence",
)  # fields of a proposal's page
_UNSAFE: Final = re.compile(r"[^\w.-]+")


def export_files(workspace: Workspace, folder: Path, subject: str | None) -> int:
    """Write a page for each record and each proposal; return how many records. The
    folder must be empty or new.
    """
    count = 0
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BackupError(str(folder), "is not empty; name a new folder")
        for kind, key, text in _pages(workspace, subject and subject.casefold()):
            place = folder / kind
            place.mkdir(mode=0o700, exist_ok=True)
            count += kind != "proposal"
            name = _UNSAFE.sub("-", key).strip("-.")[:80] or "entry"
            page = next(
                page
                for each in numbered(name)
                if not (page := place / f"{each}.md").exists()
            )
            page.touch(mode=0o600)  # as the database: for its owner alone
            page.write_bytes(text.encode())
    except OSError as error:
        raise BackupError(
            str(folder), f"cannot be written: {error.strerror}"
        ) from error
    return count


def _pages(workspace: Workspace, subject: str | None) -> Iterator[tuple[str, str, str]]:
    """The folder, the name and the text of each page."""
    for layer in RECORD_OF:
        for row in workspace.rows(layer):
            record = row.record
            hidden = isinstance(record, Knowledge) and record.deleted is not None
            if not hidden and subject in {
                None,
                getattr(record, "subject", "").casefold(),
            }:
                yield layer.noun, getattr(record, "trigger", record.id), _page(record)
    with workspace.reading() as view:
        for each in view.proposals():
            if each.change is ProposedChange.SAVE and subject in {
                None,
                each.subject.casefold(),
            }:
                made = {"hexad": WIRE, "type": "knowledge", "proposed": True}
                held = {
                    name: value for name in _PROPOSED if (value := to_json(each)[name])
                }
                yield (
                    "proposal",
                    each.key,
                    f"{frontmatter.write({**made, **held})}{each.content}\n",
                )


def _page(record: Record) -> str:
    """The body is the record's main text; the front matter holds every other field that
    is not its default.
    """
    written: dict[str, Any] = to_json(record)
    kind = str(written["type"])
    usual = {
        each.name: each.default
        for each in fields(record)
        if each.default is not MISSING
    }
    kept = {
        name: value
        for name, value in written.items()
        if name not in (*_OURS, *_COUNTS)
        and name != BODY[kind]
        and value not in (usual.get(name, MISSING), [], {})
    }
    return f"{frontmatter.write({'hexad': WIRE, **kept})}{written[BODY[kind]]}\n"
