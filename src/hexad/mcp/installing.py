"""The server in an MCP client's configuration, put in or taken out: planned first, then written, all or nothing."""

from __future__ import annotations

import difflib
import os
import shutil
import stat
import sys
import tempfile
from codecs import BOM_UTF8
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hexad.choices import Choice
from hexad.errors import ClientConfigError
from hexad.mcp.jsontext import NotJson, with_entry, without_entry
from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Callable

GROUP: Final = "mcpServers"
NAME: Final = "hexad"
_PRIVATE: Final = 0o600
_CONTEXT: Final = 2  # unchanged lines that a diff shows


class Client(Choice):
    """A program that starts MCP servers."""

    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"


class Scope(Choice):
    """For whom: a user in every project, or everybody in one project."""

    USER = "user"
    PROJECT = "project"


_FILES: Final = {
    (Client.CLAUDE_CODE, Scope.USER): ".claude.json",
    (Client.CLAUDE_CODE, Scope.PROJECT): ".mcp.json",
    (Client.CURSOR, Scope.USER): ".cursor/mcp.json",
    (Client.CURSOR, Scope.PROJECT): ".cursor/mcp.json",
}


@dataclass(frozen=True, slots=True)
class Change:
    """What a file holds, and what it is to hold; ``before`` is None where there is no file."""

    file: Path
    before: bytes | None
    after: bytes

    @property
    def needed(self) -> bool:
        """Whether there is something to write."""
        return self.after != (self.before or b"")

    @property
    def diff(self) -> str:
        """The change for a person's eyes: other servers' secrets may stand beside it, and are not shown."""
        old, new = (text.decode("utf-8-sig").splitlines() for text in (self.before or b"", self.after))
        name = str(self.file) if self.before is not None else os.devnull
        return redact("\n".join(difflib.unified_diff(old, new, name, str(self.file), n=_CONTEXT, lineterm=""))).text


def file_of(client: Client, scope: Scope, *, home: Path | None = None, project: Path | None = None) -> Path:
    """Where a client reads its servers from."""
    folder = (home or Path.home()) if scope is Scope.USER else (project or Path.cwd())
    return folder / _FILES[client, scope]


def entry_of(client: Client, database: Path, namespace: str | None) -> dict[str, Any]:
    """How a client is to start the server, from whatever folder."""
    command, *first = _command()
    named = ["--namespace", namespace] if namespace else []
    kind = {"type": "stdio"} if client is Client.CLAUDE_CODE else {}
    return {**kind, "command": command, "args": [*first, "mcp", "--db", str(database.absolute()), *named]}


def installed(file: Path, entry: dict[str, Any], name: str = NAME) -> Change:
    """The change that puts the entry in."""
    before = _read(file)
    return _changed(file, before, lambda text: with_entry(text, GROUP, name, entry))


def uninstalled(file: Path, name: str = NAME) -> Change:
    """The change that takes the entry out, and nothing else."""
    before = _read(file)
    return _changed(file, before, lambda text: without_entry(text, GROUP, name))


def write(change: Change) -> Path | None:
    """Make the change, atomically; returns the backup of what was there, if something was."""
    target = _target(change.file)
    if _read(change.file) != change.before:
        raise ClientConfigError(str(change.file), "was changed meanwhile; nothing was written, run the command again")
    try:
        _refuse_read_only(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        backup = None if change.before is None else _backed_up(target)
        _replace(target, change.after)
    except OSError as error:
        raise ClientConfigError(str(change.file), f"cannot be written: {error.strerror or error}") from error
    return backup


def _command() -> list[str]:
    """This very Hexad: its script if it has one, else the module, without the working folder on its path."""
    script = Path(sys.executable).with_name("hexad.exe" if os.name == "nt" else "hexad")
    return [str(script)] if script.is_file() else [sys.executable, "-P", "-m", "hexad"]


def _changed(file: Path, before: bytes | None, change: Callable[[str], str]) -> Change:
    mark = BOM_UTF8 if (before or b"").startswith(BOM_UTF8) else b""
    try:
        text = (before or b"").decode("utf-8-sig")
        after = change(text)
    except UnicodeDecodeError:
        raise ClientConfigError(str(file), "is not UTF-8, and was left as it is; save it as UTF-8 first") from None
    except NotJson as error:
        raise ClientConfigError(str(file), _left_alone(error), error.line) from None
    return Change(file, before, mark + after.encode())


def _left_alone(error: NotJson) -> str:
    if error.commented:
        return (
            "has comments or trailing commas, which JSON has not, and was left as it is; take them out, or add the "
            "server by hand: docs/mcp.md shows what to paste"
        )
    return f"{error.reason}; it was left as it is: mend it, then run the command again"


def _target(file: Path) -> Path:
    """The file itself, where the path is a link to it."""
    try:
        return file.resolve()
    except (OSError, RuntimeError) as error:
        raise ClientConfigError(str(file), "is a link to itself") from error


def _read(file: Path) -> bytes | None:
    target = _target(file)
    try:
        return target.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ClientConfigError(str(file), f"cannot be read: {error.strerror or error}") from error


def _refuse_read_only(target: Path) -> None:
    """Replacing a file would overcome its owner's wish that nobody writes to it."""
    if target.exists() and not (target.stat().st_mode & stat.S_IWUSR and os.access(target, os.W_OK)):
        raise PermissionError(0, "it is read-only; allow writing first")


def _backed_up(target: Path) -> Path:
    names = (target.with_name(f"{target.name}.before-hexad{number or ''}") for number in count())
    free = next(name for name in names if not name.exists())
    shutil.copy2(target, free)
    return free


def _replace(target: Path, content: bytes) -> None:
    """Write beside it, then put it in place; its permissions stay."""
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else _PRIVATE
    handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(beside).chmod(mode)
        Path(beside).replace(target)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
