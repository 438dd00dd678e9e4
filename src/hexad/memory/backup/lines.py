"""The lines of a backup, read one at a time: a file of any size takes little memory."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import BackupError, HexadError
from hexad.json_form import TYPES, WIRE, from_json, unique_keys
from hexad.memory import admission

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TextIO, TypeAlias

    from hexad.model import (
        Association,
        AuditRecord,
        Proposal,
        Record,
        SkillVersion,
        Version,
    )

    Noun: TypeAlias = (
        Record | Version | SkillVersion | Association | Proposal | AuditRecord
    )

HEADER: Final = "hexad-backup"
END: Final = "end"
_LONGEST: Final = 128 * 1024 * 1024  # characters of a line


@dataclass(frozen=True, slots=True)
class BackupLine:
    """A line of a backup that holds a noun."""

    number: int
    namespace: str
    fields: dict[str, Any]
    size: int  # characters

    def noun(self, file: str, **defaults: Any) -> Noun:
        """The noun, or an error that names file and line."""
        try:
            noun: Noun = from_json(
                TYPES[self.fields["type"]], self.fields, defaults=defaults
            )
        except (HexadError, RecursionError) as error:
            raise BackupError(file, str(error), self.number) from error
        return noun


@dataclass(frozen=True, slots=True)
class BackupLines:
    """The lines of an open file that hold nouns. Each iteration reads the file again,
    and ends with a check of it.
    """

    name: str
    whole: bool  # whether it must have the header and the last line of a backup
    _file: TextIO

    def __iter__(self) -> Iterator[BackupLine]:
        count, headed, number, closes = 0, False, 0, False
        for number, size, fields in self._objects():
            kind = fields["type"]
            closes = kind == END and fields.get("lines") == count
            if kind == HEADER:
                if fields.get("wire") != WIRE:
                    problem = f"has format {fields.get('wire')!r}, this program reads {WIRE}; upgrade Hexad"
                    raise BackupError(self.name, problem, 1)
                if count and not headed:
                    raise self._headless()
                headed = True
            elif self.whole and not headed:
                raise self._headless()
            elif kind in TYPES:
                count += 1
                yield BackupLine(number, str(fields.get("namespace", "")), fields, size)
        if self.whole and not headed:
            raise self._headless()
        if headed and not closes:
            raise BackupError(
                self.name, "is cut short: the last line does not close it", number
            )

    def _headless(self) -> BackupError:
        return BackupError(
            self.name, "is not a Hexad backup: its first line is not a header", 1
        )

    def _objects(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Every line that is not blank: its number, its size, its object."""
        number = 0
        try:
            self._file.seek(0)
            while raw := self._file.readline(_LONGEST):
                number += 1
                if len(raw) == _LONGEST:
                    raise BackupError(
                        self.name, f"has more than {_LONGEST:,} characters", number
                    )
                if raw.strip():
                    yield number, len(raw), _parsed(raw, number, self.name)
        except OSError as error:
            raise BackupError(self.name, f"cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise BackupError(self.name, "is not UTF-8 text") from error


@contextmanager
def backup_lines(path: Path, *, whole: bool = True) -> Iterator[BackupLines]:
    """The lines of the file at ``path``; a pipe is copied to disk first, because a file
    is read twice.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise BackupError(str(path), f"cannot be read: {error.strerror}") from error
    with file, tempfile.TemporaryFile() as copy:
        if not file.seekable():
            shutil.copyfileobj(file, copy)
        yield BackupLines(
            str(path),
            whole,
            io.TextIOWrapper(file if file.seekable() else copy, encoding="utf-8"),
        )


def _parsed(raw: str, number: int, file: str) -> dict[str, Any]:
    try:
        fields = json.loads(
            raw, parse_constant=_no_number, object_pairs_hook=unique_keys
        )
        json.dumps(fields, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BackupError(
            file, "holds a lone surrogate, which cannot be stored", number
        ) from None
    except (json.JSONDecodeError, RecursionError):
        raise BackupError(
            file, "is not JSON; it needs lines as `hexad backup` writes them", number
        ) from None
    except ValueError as error:
        raise BackupError(
            file,
            f"is not JSON: {error}; it needs lines as `hexad backup` writes them",
            number,
        ) from None
    if "\\u0000" in raw and admission.holds_nul(fields):
        raise BackupError(file, "holds NUL, which cannot be stored", number)
    kind = fields.get("type") if isinstance(fields, dict) else None
    if not isinstance(kind, str) or kind not in {HEADER, END, *TYPES}:
        other = "for a file of another program see `hexad import --help`, --as"
        raise BackupError(
            file,
            f"must be an object whose type is one of {', '.join(TYPES)}; {other}",
            number,
        )
    return dict(fields)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a number that JSON has")
