from __future__ import annotations

import os
import signal
import socket
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite(
    "hexad_testing"
)  # the contract suites, before anything imports them

from tests.support import FixedClock, opened  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hexad import Hexad

_LOOPBACK = ("127.", "::1", "localhost")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--pictures",
        action="store_true",
        help="write the docs' pictures of the pages anew",
    )


class OutsideSocket(RuntimeError):
    """Something tried to leave the machine."""


def _guard(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook sees every connection of the interpreter, whichever library makes
    it.
    """
    if event in {"socket.connect", "socket.sendto"}:
        family, address = arguments[0].family, arguments[1]
        if family != getattr(socket, "AF_UNIX", None) and not str(
            address[0]
        ).startswith(_LOOPBACK):
            raise OutsideSocket(f"{event} to {address}")
    if event in {"socket.getaddrinfo", "socket.gethostbyname"} and arguments[0]:
        host = (
            arguments[0].decode()
            if isinstance(arguments[0], bytes)
            else str(arguments[0])
        )
        if not host.startswith(_LOOPBACK):
            raise OutsideSocket(f"{event} of {host}")


sys.addaudithook(_guard)

# No test fails because a machine is slow, and a suite that passed passes again. To look
# for what is new: pytest --hypothesis-profile=search
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "search",
    deadline=None,
    max_examples=1000,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # started in the background: processes of tests are interrupted
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _no_settings_from_outside(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for name in [
        name
        for name in os.environ
        if name.startswith("HEXAD_") or name in {"EDITOR", "VISUAL"}
    ]:
        monkeypatch.delenv(name)
    monkeypatch.setenv(
        "XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "data")
    )  # nobody's own memory is touched
    monkeypatch.setenv(
        "HEXAD_DB", "hexad.db"
    )  # in the folder of the test, unless it says otherwise
    monkeypatch.setenv(
        "HEXAD_SEMANTIC", "false"
    )  # words alone, unless a test says otherwise: as without the extra


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture(params=["memory", "sqlite"])
def hx(
    request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock
) -> Iterator[Hexad]:
    """An engine on each store: what is true of one is true of the other."""
    place = ":memory:" if request.param == "memory" else tmp_path / "agent.db"
    with opened(place, clock=clock, max_knowledge=1000, max_learnings=1000) as engine:
        yield engine


@pytest.fixture
def file_hx(tmp_path: Path, clock: FixedClock) -> Iterator[Hexad]:
    """An engine on a real file."""
    with opened(tmp_path / "agent.db", clock=clock) as engine:
        yield engine


def pytest_sessionfinish() -> None:
    postgres = sys.modules.get("tests.store.postgres")
    if postgres is not None:
        postgres.stop_server()
