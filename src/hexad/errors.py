"""Every error that Hexad raises, in one tree. Each has its facts as attributes, and its
message says what to do next.

`docs/reference/python.md` draws the tree, from the classes below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class HexadError(Exception):
    """The root: catch this to catch everything that Hexad raises on purpose."""


class InvalidInput(HexadError, ValueError):
    """A value that cannot be accepted; nothing was changed."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class UnknownChoice(InvalidInput):
    """A value that is not one of the known ones."""

    def __init__(self, field: str, value: object, known: Iterable[str]) -> None:
        self.value = value
        self.known = tuple(known)
        close = nearest(str(value), self.known, cutoff=0.75)
        hint = f" (did you mean {close}?)" if close else ""
        shown = text if len(text := ascii(value)) <= 80 else text[:77] + "..."
        super().__init__(field, f"{shown} is not one of {', '.join(self.known)}{hint}")


class UnknownLayer(UnknownChoice):
    """A layer that does not exist; the message names the six that do."""

    def __init__(self, name: object, known: Iterable[str]) -> None:
        super().__init__("layer", name, known)
        self.name = name


class UnstorableText(InvalidInput):
    """Text that a database cannot return unchanged: it holds NUL or a lone surrogate."""

    def __init__(self, field: str, what: str) -> None:
        super().__init__(
            field, f"holds {what}, which cannot be stored; remove it and save again"
        )


class TextTooLong(InvalidInput):
    """Text above the limit; split it into several entries."""

    def __init__(self, field: str, size: int, limit: int) -> None:
        super().__init__(
            field,
            f"has {size:,} bytes, the limit is {limit:,}; split it into several entries",
        )
        self.size = size
        self.limit = limit


class NotFound(HexadError, LookupError):
    """Nothing is stored under that key in this namespace."""

    def __init__(
        self, kind: str, key: str, namespace: str, *, next_step: str = ""
    ) -> None:
        command = {
            "knowledge": "list",
            "deleted knowledge": "list --deleted",
            "skill": "skills list",
        }.get(kind)
        usual = (
            f"`hexad {command}` shows them"
            if command
            else "list what there is, or save it first"
        )
        super().__init__(
            f"no {kind} {key!r} in namespace {namespace!r}; {next_step or usual}"
        )
        self.kind = kind
        self.key = key
        self.namespace = namespace


class NotOwn(HexadError):
    """An entry that an agent may not change, because the user said or pinned it; it can
    propose the change.
    """

    def __init__(self, key: str) -> None:
        super().__init__(
            f"{key!r} is the user's own entry; propose the change, so that a person decides"
        )
        self.key = key


class RateLimited(HexadError):
    """A session has reached its limit of saves; other sessions are not affected."""

    def __init__(self, kind: str, limit: int, session: str) -> None:
        super().__init__(
            f"session {session!r} has reached its limit of {limit} (max_{kind}={limit}); "
            f"raise max_{kind}, or save with another session"
        )
        self.kind = kind
        self.limit = limit
        self.session = session


class DailyLimit(RateLimited):
    """Agents have reached a namespace's limit of new skills in one day; people are not
    affected.
    """

    def __init__(self, limit: int, session: str, namespace: str) -> None:
        super().__init__("skills", limit, session)
        created = f"agents have created {limit} skills in namespace {namespace!r} today (max_skills_per_day={limit})"
        self.args = (
            f"{created}; raise max_skills_per_day, or wait until tomorrow (UTC)",
        )
        self.namespace = namespace


class SkillRefused(HexadError):
    """A skill that may not be activated, or not run; nothing was run."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"skill {name!r} {reason}")
        self.name = name
        self.reason = reason


class SkillFailed(HexadError):
    """A skill that failed when it was called as a tool."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"skill {name!r} failed: {reason}")
        self.name = name
        self.reason = reason


class AccessRefused(HexadError):
    """A request that its token does not allow; ``status`` is 401 without a token that
    is known, else 403.
    """

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class ChangedMeanwhile(HexadError):
    """A record that somebody changed, or made, since the caller read it; nothing was
    written.
    """

    def __init__(self, key: str, *, made: bool = False) -> None:
        found = "is there already" if made else "has changed since you read it"
        super().__init__(f"{key!r} {found}; read it again, and repeat your change")
        self.key = key


class Disabled(HexadError):
    """The knowledge system is off, so nothing can be stored or read by key."""

    def __init__(self) -> None:
        super().__init__(
            "the knowledge system is off; open it with enabled=True, or set HEXAD_ENABLED=true"
        )


class ConfigError(HexadError):
    """A setting that is unknown, of the wrong type or out of range."""

    def __init__(self, setting: str, reason: str) -> None:
        super().__init__(f"setting {setting!r}: {reason}")
        self.setting = setting


class _FileError(HexadError):
    def __init__(self, file: str, reason: str, line: int | None = None) -> None:
        super().__init__(f"{file}{'' if line is None else f', line {line}'}: {reason}")
        self.file = file
        self.reason = reason
        self.line = line


class BackupError(_FileError):
    """A backup that cannot be read or restored; nothing was changed."""


class FolderRefused(_FileError):
    """A SKILL.md folder that cannot be taken in or written; nothing was changed."""


class EvalError(_FileError):
    """Evaluation data that cannot be read."""


class ClientConfigError(_FileError):
    """An MCP client's configuration file that cannot be read or changed; it was left as
    it is.
    """


class MissingExtra(HexadError):
    """Something needs a package that is not installed."""

    def __init__(self, what: str, install: str) -> None:
        super().__init__(f"{what} needs a package that is not installed: {install}")
        self.install = install


class PackageTooOld(MissingExtra):
    """Something needs a newer version of a package than the one that is installed."""

    def __init__(
        self, what: str, package: str, *, found: str, needed: str, install: str
    ) -> None:
        HexadError.__init__(
            self,
            f"{what} needs {package} {needed} or newer, and {found} is installed: {install} -U",
        )
        self.install = install


class NoSandbox(HexadError):
    """This machine has no sandbox for scripts; the script was not started."""

    def __init__(self, reason: str, install: str = "hexad[scripts]") -> None:
        super().__init__(
            f"scripts run only in a sandbox, and this machine has none: {reason}; "
            f"on Linux, install the system's package bubblewrap, or {install}"
        )
        self.reason = reason


class TemplateFailed(HexadError):
    """A template that cannot be rendered, or that reached a limit; no part of its text
    is returned.

    ``missing`` names a value that was absent; with ``parameter`` it is one that the
    caller did not give.
    """

    def __init__(
        self,
        reason: str,
        *,
        line: int | None = None,
        missing: str | None = None,
        parameter: bool = False,
    ) -> None:
        super().__init__(
            f"template{'' if line is None else f', line {line}'}: {reason}"
        )
        self.reason = reason
        self.line = line
        self.missing = missing
        self.parameter = parameter


class EmbedderFailed(HexadError):
    """An embedder raised, or returned something that is not vectors."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"embedder {name!r}: {reason}")
        self.name = name


class StoreError(HexadError):
    """The database could not do what was asked; nothing was half-written."""

    def __init__(self, location: str, reason: str) -> None:
        super().__init__(f"{location}: {reason}")
        self.location = location
        self.reason = reason


class NotADatabase(StoreError):
    """The path names something that is not a SQLite database."""


class SchemaTooNew(StoreError):
    """The database was written by a newer Hexad; it was not changed."""

    def __init__(self, location: str, found: int, known: int) -> None:
        super().__init__(
            location,
            f"has schema {found}, this program knows {known}; upgrade Hexad to open it",
        )
        self.found = found
        self.known = known


class StoreReadOnly(StoreError):
    """The file or its folder cannot be written."""


class StoreFull(StoreError):
    """The disk is full, or the file may not grow."""


class StoreBusy(StoreError):
    """Another writer kept the write lock longer than the timeout."""


class StoreClosed(StoreError):
    """The engine was closed before this call."""


class StoreDamaged(StoreError):
    """The file is corrupt, or the record of that id cannot be read; see `hexad doctor
    --repair`.
    """

    def __init__(self, location: str, reason: str, id: str | None = None) -> None:
        super().__init__(location, reason)
        self.id = id


class CommitInDoubt(StoreError):
    """The connection was lost while a change was being committed: it was stored whole,
    or not at all.
    """

    def __init__(self, location: str) -> None:
        super().__init__(
            location,
            "the connection was lost during a commit; look whether it was stored, then retry",
        )


class DeadlineExceeded(StoreError):
    """A query took longer than it was given, and was stopped."""

    def __init__(self, location: str, seconds: float) -> None:
        super().__init__(
            location,
            f"no answer within {seconds:g} s; ask again, or raise layer_deadline",
        )
        self.seconds = seconds


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """The known name that looks most like another; empty if none does."""
    from difflib import get_close_matches  # noqa: PLC0415 - loads in 1 ms; only an error needs it

    return next(iter(get_close_matches(name, tuple(known), n=1, cutoff=cutoff)), "")
