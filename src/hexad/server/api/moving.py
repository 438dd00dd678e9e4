"""Data in and out: a backup's lines, files of other programs, and folders as ZIP files."""

from __future__ import annotations

import io
import shutil
import tempfile
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import InvalidInput
from hexad.memory import admission
from hexad.model import Origin
from hexad.server.tokens import Right
from hexad.skills.folders.files import skill_folders
from hexad.skills.folders.transfer import import_report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad.server.api.calls import ApiCall

LINES, ZIP, BYTES = (
    "application/x-ndjson",
    "application/zip",
    "application/octet-stream",
)
LARGEST: Final = 64 * 1024 * 1024  # bytes of a body, and of the files in a ZIP file
_MOST_FILES: Final = 20_000
_ZIPPED: Final = b"PK\x03\x04"


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hexad-") as name:
        yield Path(name)


def export(call: ApiCall) -> bytes:
    """A backup of the namespace, or with `all` of every namespace, as JSON Lines; `all`
    needs a token for `*`.
    """
    if everything := call.query.get("all", False):
        call.caller.require_everywhere()
    with _folder() as folder:
        call.hx.backup(folder / "backup.jsonl", everything=everything)
        return (folder / "backup.jsonl").read_bytes()


def export_pages(call: ApiCall) -> bytes:
    """Each record, or what is known about a subject, as a page of Markdown in a ZIP
    file.
    """
    with _folder() as folder:
        call.hx.export(folder / "pages", subject=call.query.get("subject"))
        return _zipped(folder / "pages")


def export_skill(call: ApiCall) -> bytes:
    """A skill as an Agent Skills folder in a ZIP file."""
    with _folder() as folder:
        call.hx.skills.export_folder(
            call.named, folder / "skills", strict=not call.query.get("lenient", False)
        )
        return _zipped(folder / "skills")


def import_file(call: ApiCall) -> dict[str, Any]:
    """Add a file, or a folder in a ZIP file: origins become import, skills drafts,
    nothing is pinned, unless `mine`.
    """
    wish = {
        name: value
        for name, value in call.query.items()
        if name in {"overwrite", "preview", "format", "mine"}
    }
    if wish.get("mine"):
        call.caller.require(Right.APPROVE)
    with _folder() as folder:
        return asdict(call.hx.import_file(_received(call, folder), **wish))


def import_skills(call: ApiCall) -> dict[str, Any]:
    """Keep the skills of a ZIP file's folders as drafts; says which were refused and
    why.
    """
    given = {
        "overwrite": call.query.get("overwrite", False),
        "redact": not call.query.get("keep_secrets", False),
    }
    if not given["redact"]:
        call.caller.require(Right.APPROVE)
    with _folder() as folder:
        inside = _received(call, folder)
        if not inside.is_dir():
            raise InvalidInput(
                "body", "is no ZIP file; send one with the folder of a SKILL.md in it"
            )
        found = [
            import_report(call.hx.skills, each, **given)
            for each in skill_folders(inside)
        ]
        return {
            "folders": [
                {**each, "folder": Path(each["folder"]).relative_to(inside).as_posix()}
                for each in found
            ]
        }


def restore(call: ApiCall) -> dict[str, Any]:
    """Restore a whole backup into this server's database, which must be empty."""
    call.caller.require_everywhere()
    with _folder() as folder:
        return {"lines": call.hx.restore(_received(call, folder))}


def capture(call: ApiCall) -> dict[str, Any]:
    """Propose what the user of a conversation said that lasts."""
    done = call.hx.capture(
        call.body["messages"], session=call.query.get("session"), origin=Origin.IMPORT
    )
    found = [
        {**asdict(each), "expires": each.expires and each.expires.isoformat()}
        for each in done.proposed
    ]
    return {"proposed": found, "left_out": done.left_out}


def _zipped(folder: Path) -> bytes:
    return Path(shutil.make_archive(f"{folder}-packed", "zip", folder)).read_bytes()


def _received(call: ApiCall, folder: Path) -> Path:
    """The body as a file with the name that was given, or as the folder that a ZIP file
    holds.
    """
    if call.raw.startswith(_ZIPPED):
        return _unzipped(call.raw, folder / "folder")
    if (
        call.raw.startswith(b"--")
        and b"Content-Disposition: form-data" in call.raw[:1000]
    ):
        raise InvalidInput(
            "body",
            "is a form; send the file itself as the body (curl --data-binary @FILE)",
        )
    name = Path(admission.label("name", call.query.get("name", ""))).name.lstrip(".")[
        -100:
    ]
    kind = {b"{": ".jsonl", b"[": ".json"}.get(call.raw.lstrip()[:1], ".txt")
    file = folder / (name or f"import{kind}")
    file.write_bytes(call.raw)
    return file


def _unzipped(raw: bytes, folder: Path) -> Path:
    """The files of a ZIP file below a folder; `zipfile` keeps them there, and writes
    links as plain files.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as file:
            every = file.infolist()
            if (
                sum(each.file_size for each in every) > LARGEST
                or len(every) > _MOST_FILES
            ):
                raise InvalidInput(
                    "body",
                    f"unpacks to more than {LARGEST:,} bytes or {_MOST_FILES:,} files",
                )
            for each in every:
                runs = each.is_dir() or each.external_attr >> 16 & 0o100
                Path(file.extract(each, folder)).chmod(0o755 if runs else 0o644)
    except (
        zipfile.BadZipFile,
        zlib.error,
        OSError,
        RuntimeError,
        UnicodeError,
    ) as error:
        raise InvalidInput(
            "body", f"is a ZIP file that cannot be unpacked ({type(error).__name__})"
        ) from error
    return folder
