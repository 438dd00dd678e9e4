"""Who may call the server: the holder of a token, in its namespaces, with its rights;
the file holds hashes alone.

While no token was ever made, anybody on this machine may do everything.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import tempfile
import threading
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hexad.choices import Choice
from hexad.clock import utc_now
from hexad.errors import AccessRefused, ConfigError, InvalidInput, NotFound
from hexad.memory import admission
from hexad.model import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from starlette.requests import Request

    from hexad.facade import Hexad

FILE_NAME: Final = "hexad-tokens.json"  # beside hexad.toml
EVERYWHERE: Final = "*"
_PREFIX: Final = "hx_"
_BELOW: Final = "/*"


class Right(Choice):
    """A right that a token gives."""

    READ = "read"
    WRITE = (
        "write"  # save as an agent; what the user said can only be proposed to change
    )
    APPROVE = "approve"  # a person's word: review, pin, activate, run, forget, tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token without its secret: what its holder, who calls, may do and where."""

    id: str = ""  # empty for a caller who needs none of the file
    name: str = ""
    hash: str = ""
    namespaces: tuple[str, ...]
    rights: tuple[Right, ...]
    made: datetime = field(default_factory=utc_now)

    def as_json(self) -> dict[str, Any]:
        """The token as it is shown; its hash stays in its file."""
        return {
            name: value for name, value in asdict(self).items() if name != "hash"
        } | {"made": self.made.isoformat()}

    @property
    def origin(self) -> Origin:
        """Whose word a save is: who may approve is a person, anybody else an agent."""
        return Origin.USER if Right.APPROVE in self.rights else Origin.AGENT

    def require(self, right: Right) -> None:
        """Raise unless the caller has a right."""
        if right not in self.rights:
            raise AccessRefused(
                403,
                f"this token has no right to {right}; `hexad tokens make --right {right}` makes one",
            )

    def require_everywhere(self) -> None:
        """Raise unless every namespace is the caller's."""
        if not self.reaches(EVERYWHERE):
            raise AccessRefused(
                403,
                f"this is about every namespace, so it needs a token for '{EVERYWHERE}'",
            )

    def reaches(self, namespace: str) -> bool:
        """Whether a namespace is the caller's."""
        return covers(self.namespaces, namespace)

    def may_grant(self, namespaces: Sequence[str], rights: Sequence[str]) -> bool:
        """Whether a token for these gives nothing that the caller does not have."""
        return all(map(self.reaches, namespaces)) and set(rights) <= set(self.rights)

    def home(self, own: str) -> str:
        """The namespace that is meant where none is named: the server's own, else the
        first of the token.
        """
        if self.reaches(own):
            return own
        return next(
            (each for each in self.namespaces if not each.endswith(EVERYWHERE)), ""
        )

    def engine(
        self, hx: Hexad, namespace: str | None = None, session: str | None = None
    ) -> Hexad:
        """The engine in a namespace that is the caller's."""
        wanted = namespace or self.home(hx.namespace)
        if not wanted:
            raise AccessRefused(
                403, "this token is for many namespaces; name one: ?namespace=NAME"
            )
        if wanted.endswith(EVERYWHERE):
            raise AccessRefused(
                403,
                f"{wanted!r} is no namespace; name one, or ask for all: GET /export?all=true",
            )
        if not self.reaches(wanted):
            raise AccessRefused(403, f"this token is not for the namespace {wanted!r}")
        return hx.scoped(namespace=wanted, session=session)


def covers(grants: Iterable[str], wanted: str) -> bool:
    """Whether a namespace is granted: by its name, by `above/*` for all below a name,
    or by `*` for all.

    What is wanted may be a grant itself: then all that it covers is granted.

    >>> covers(["acme/*"], "acme/dana"), covers(["acme/*"], "acme"), covers(["*"], "acme")
    (True, False, True)
    >>> covers(["acme/*"], "acme/dana/*"), covers(["acme/*"], "*"), covers(["acme"], "acme/*")
    (True, False, False)
    """
    return any(
        each in {EVERYWHERE, wanted}
        or (each.endswith(_BELOW) and wanted.startswith(each[:-1]))
        for each in grants
    )


class Tokens:
    """The tokens of one file. It is read again whenever it has changed, so that
    revoking one works at once.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = threading.Lock()
        self._read: tuple[tuple[int, ...], tuple[Token, ...]] | None = None

    @property
    def needed(self) -> bool:
        """Whether a token was ever made: from then on every request needs one."""
        return self._stamp() is not None

    def list(self) -> tuple[Token, ...]:
        """Every token that is valid, oldest first."""
        stamp = self._stamp()
        if stamp is None:
            return ()
        known = self._read
        if known is None or known[0] != stamp:
            known = self._read = (stamp, self._load())
        return known[1]

    def find(self, secret: str) -> Token | None:
        """The token of a secret."""
        digest = _hash(secret)
        return next(
            (each for each in self.list() if secrets.compare_digest(each.hash, digest)),
            None,
        )

    def get(self, id: str) -> Token:
        """The token of that id, or the only one of that name; else `NotFound`."""
        known = self.list()
        found = [each for each in known if each.id == id] or [
            each for each in known if each.name == id
        ]
        if not found:
            raise NotFound("token", id, str(self.file))
        if len(found) > 1:
            ids = " and ".join(each.id for each in found)
            raise InvalidInput("token", f"{ids} are called {id!r}; give the id of one")
        return found[0]

    def make(
        self, name: str, namespaces: Sequence[str], rights: Iterable[str]
    ) -> tuple[Token, str]:
        """A new token and its secret, which is not stored: nobody can show it again."""
        granted = tuple(Right.parse(right, "rights") for right in dict.fromkeys(rights))
        if not namespaces or not granted:
            raise InvalidInput("token", "needs at least one namespace and one right")
        secret = _PREFIX + secrets.token_urlsafe(32)
        token = Token(
            id=secrets.token_hex(4),
            name=admission.label("name", name),
            hash=_hash(secret),
            namespaces=tuple(
                admission.key("namespace", each) for each in dict.fromkeys(namespaces)
            ),
            rights=tuple(right for right in Right if right in granted),
            made=utc_now().replace(microsecond=0),
        )
        with self._lock:
            self._write((*self.list(), token))
        return token, secret

    def revoke(self, id: str) -> Token:
        """Remove a token: the next request with it is refused."""
        with self._lock:
            token = self.get(id)
            self._write([each for each in self.list() if each.id != token.id])
        return token

    def _stamp(self) -> tuple[int, ...] | None:
        try:
            found = self.file.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unusable(f"cannot be read: {error.strerror}") from error
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _load(self) -> tuple[Token, ...]:
        try:
            return tuple(
                map(_token, json.loads(self.file.read_text(encoding="utf-8"))["tokens"])
            )
        except OSError as error:
            raise self._unusable(f"cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise self._unusable(
                "is not a file of tokens; restore it from a backup, or delete it"
            ) from error

    def _write(self, tokens: Iterable[Token]) -> None:
        """Replace the file in one step; it is readable by its owner alone."""
        document = json.dumps(
            {"tokens": [{**each.as_json(), "hash": each.hash} for each in tokens]},
            indent=1,
        )
        try:
            with tempfile.NamedTemporaryFile(
                "w", dir=self.file.parent, prefix=FILE_NAME, delete=False
            ) as file:
                file.write(f"{document}\n")
                file.flush()
                os.fsync(file.fileno())
            Path(file.name).replace(self.file)
        except OSError as error:
            raise self._unusable(f"cannot be written: {error.strerror}") from error

    def _unusable(self, reason: str) -> ConfigError:
        return ConfigError("tokens", f"{self.file} {reason}")


ANYBODY: Final = Token(namespaces=(EVERYWHERE,), rights=tuple(Right))


@dataclass(frozen=True, slots=True)
class Callers:
    """Finds the caller of a request. ``own_token`` is the setting `mcp_token`, for the
    server's own namespace.
    """

    tokens: Tokens
    namespace: str
    own_token: str = ""

    @property
    def open(self) -> bool:
        """Whether nobody needs a token."""
        return not self.own_token and not self.tokens.needed

    def bearer(self, request: Request) -> Token:
        """The caller of a request with an Authorization header; else `AccessRefused`."""
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        return self.of(secret.strip() if scheme.casefold() == "bearer" else "")

    def of(self, secret: str, header: str = "Authorization: Bearer TOKEN") -> Token:
        """The caller with this secret; anybody while no token was ever made; else
        `AccessRefused`.
        """
        if self.open:
            return ANYBODY
        if self.own_token and hmac.compare_digest(
            secret.encode(errors="surrogateescape"), self.own_token.encode()
        ):
            return Token(
                name="mcp_token",
                namespaces=(self.namespace,),
                rights=(Right.READ, Right.WRITE),
            )
        token = self.tokens.find(secret) if secret else None
        if token is None:
            raise AccessRefused(
                401, f"send the header {header} with a token of `hexad tokens make`"
            )
        return token


def _hash(secret: str) -> str:
    """A plain hash is enough: the secret has 256 random bits."""
    return hashlib.sha256(secret.encode(errors="surrogateescape")).hexdigest()


def _token(fields: dict[str, Any]) -> Token:
    names, rights = (
        tuple(map(str, fields["namespaces"])),
        tuple(map(Right, fields["rights"])),
    )
    made = datetime.fromisoformat(fields["made"])
    return Token(**{**fields, "namespaces": names, "rights": rights, "made": made})
