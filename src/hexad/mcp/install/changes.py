"""A change to a client's configuration: planned first, then written, all or nothing."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
from codecs import BOM_UTF8
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import ClientConfigError
from hexad.mcp.install import backups

if TYPE_CHECKING:
    from collections.abc import Sequence

GROUP: Final = "mcpServers"
NAME: Final = "hexad"
_PRIVATE: Final = 0o600
_BY_HAND: Final = (
    "it was left as it is: mend it (JSON has no comments and no trailing commas), or add the server by hand: "
    "docs/mcp.md shows what to paste"
)
_ADDRESSES: Final = ("url", "serverUrl", "httpUrl")  # of a server that a client does not start
_INDENT: Final = re.compile(r"\{\s*\n([ \t]+)\"")


@dataclass(frozen=True, slots=True)
class Change:
    """The content of a file before and after; ``before`` is None if there is no file."""

    file: Path
    before: bytes | None
    after: bytes
    diff: str = ""  # for a person: of our entry alone, since other servers' secrets stand beside it
    kept: tuple[str, ...] = ()  # keys that the entry had already, and still has

    @property
    def needed(self) -> bool:
        """Whether anything changes."""
        return self.after != (self.before or b"")


def installed(file: Path, entry: dict[str, Any], name: str = NAME, group: str = GROUP) -> Change:
    """The change that puts the entry in; other keys of an entry with that name stay."""
    before = _read(file)
    text, servers = _servers(file, before, group)
    old = servers.get(name)
    there = old if isinstance(old, dict) else {}
    _refuse_address(file, name, there)
    new = {**there, **entry}
    after = text if new == old else _with(text, group, name, new)
    diff = "" if new == old else _shown(file, f"{group}.{name}", "+", json.dumps(entry, indent=2).splitlines())
    return Change(file, before, _encoded(before, after), diff, tuple(key for key in there if key not in entry))


def uninstalled(file: Path, name: str = NAME, group: str = GROUP) -> Change:
    """The change that takes the entry out, and nothing else."""
    before = _read(file)
    text, servers = _servers(file, before, group)
    old = servers.get(name)
    after = text if old is None else _without(text, file.resolve(), group, name)
    diff = "" if old is None else _shown(file, f"{group}.{name}", "-", [json.dumps(name)])
    return Change(file, before, _encoded(before, after), diff)


def write(change: Change) -> Path | None:
    """Make the change, atomically; returns the backup, if there was a file."""
    target = change.file.resolve()
    if _read(change.file) != change.before:
        raise ClientConfigError(str(change.file), "has changed since; nothing was written, run the command again")
    try:
        _refuse_read_only(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        backup = None if change.before is None else backups.keep(target, change.before)
        _replace(target, change.after)
    except OSError as error:
        raise ClientConfigError(str(change.file), f"cannot be written: {error.strerror or error}") from error
    return backup


def _with(text: str, group: str, name: str, entry: Any) -> str:
    """A configuration with an entry."""
    document = json.loads(text.strip() or "{}")
    return _written({**document, group: {**document.get(group, {}), name: entry}}, text)


def _without(text: str, target: Path, group: str, name: str) -> str:
    """The text as it was before the entry was put in, if a copy shows that; else without the entry."""
    document = json.loads(text)
    entry = document[group].pop(name)
    for copy in backups.kept(target):
        try:
            earlier = copy.decode("utf-8-sig")
            known = json.loads(earlier.strip() or "{}").get(group, {})
            if name not in known and _with(earlier, group, name, entry) == text:
                return earlier
        except (ValueError, AttributeError, RecursionError):
            continue
    return _written(document, text)


def _written(document: dict[str, Any], like: str) -> str:
    """A configuration with the indent and the line ends of another text."""
    found = _INDENT.search(like)
    text = json.dumps(document, indent=found[1] if found else 2, ensure_ascii=False) + "\n"
    return text.replace("\n", "\r\n") if "\r\n" in like else text


def _refuse_address(file: Path, name: str, there: dict[str, Any]) -> None:
    """Refuse to change an entry that has an address: it is another kind of server."""
    if addresses := [key for key in _ADDRESSES if key in there]:
        raise ClientConfigError(
            str(file),
            f'has a server {name!r} with a "{addresses[0]}", and was left as it is; give this one another --name, '
            "or take that one out first: the same command with `uninstall`",
        )


def _shown(file: Path, where: str, sign: str, lines: Sequence[str]) -> str:
    """A change for a person: the entry as this program writes it, and nothing of what stands beside it."""
    return "\n".join([str(file), f"@@ {where} @@", *(f"{sign}{line}" for line in lines)])


def _servers(file: Path, before: bytes | None, group: str) -> tuple[str, dict[str, Any]]:
    """The text of a configuration, and the servers in it; or an error that says what is wrong with the text."""
    try:
        text = (before or b"").decode("utf-8-sig")
        document = json.loads(text.strip() or "{}")
    except UnicodeDecodeError:
        raise ClientConfigError(str(file), "is not UTF-8, and was left as it is; save it as UTF-8 first") from None
    except json.JSONDecodeError as error:
        raise ClientConfigError(str(file), f"is not JSON: {error.msg}; {_BY_HAND}", error.lineno) from None
    except (ValueError, RecursionError) as error:  # a number too long or an object too deep for Python
        raise ClientConfigError(str(file), f"cannot be read: {error}; {_BY_HAND}") from None
    servers = document.get(group, {}) if isinstance(document, dict) else None
    if not isinstance(servers, dict):
        raise ClientConfigError(str(file), f'has no JSON object "{group}"; {_BY_HAND}')
    return text, servers


def _encoded(before: bytes | None, after: str) -> bytes:
    return (BOM_UTF8 if (before or b"").startswith(BOM_UTF8) else b"") + after.encode()


def _read(file: Path) -> bytes | None:
    target = file.resolve()
    try:
        return target.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ClientConfigError(str(file), f"cannot be read: {error.strerror or error}") from error


def _refuse_read_only(target: Path) -> None:
    """Refuse to replace a read-only file."""
    if target.exists() and not (target.stat().st_mode & stat.S_IWUSR and os.access(target, os.W_OK)):
        raise PermissionError(0, "it is read-only; allow writing first")


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
