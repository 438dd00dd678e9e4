"""Shared by the tests of `hexad serve`: the whole server on a free port of this
machine, and callers with tokens.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import anyio
import httpx2

from hexad.agents.address import Address
from hexad.mcp.http import Access, HttpServer
from hexad.server.app import Hosting, app_of
from hexad.server.tokens import FILE_NAME, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hexad import Hexad

ANY_PORT = Address("127.0.0.1", 0)
EVERYTHING = ("read", "write", "approve")


def tokens_in(folder: Path) -> Tokens:
    return Tokens(folder / FILE_NAME)


def secret(
    tokens: Tokens, *rights: str, namespaces: tuple[str, ...] = ("default",)
) -> str:
    return tokens.make("test", namespaces, rights or EVERYTHING)[1]


@contextmanager
def running(app: Any) -> Iterator[str]:
    """An application on a free port, in a thread; its URL."""
    ready, ports = threading.Event(), list[int]()

    def listens(port: int) -> None:
        ports.append(port)
        ready.set()

    server = HttpServer(app, ANY_PORT, listens)
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    thread = threading.Thread(target=lambda: anyio.run(server.listen), daemon=True)
    thread.start()
    assert ready.wait(500)
    try:
        yield f"http://127.0.0.1:{ports[0]}"
    finally:
        server.should_exit = True
        thread.join(500)


@contextmanager
def serving(hx: Hexad, tokens: Tokens, **given: Any) -> Iterator[str]:
    """The whole server; its URL."""
    with running(
        app_of(hx, tokens, Hosting(**{"access": Access(address=ANY_PORT), **given}))
    ) as url:
        yield url


@contextmanager
def caller(url: str, token: str = "", **headers: str) -> Iterator[httpx2.Client]:
    """A client of the interface."""
    sent = {**headers, **({"Authorization": f"Bearer {token}"} if token else {})}
    with httpx2.Client(base_url=f"{url}/api/v1", headers=sent, timeout=60) as client:
        yield client


def stock(hx: Hexad) -> None:
    """Something on every page."""
    hx.knowledge.save("deploy-window", "Deploy on Tuesdays only", category="rule")
    hx.knowledge.save(
        "deploy-window", "Deploy on Tuesdays and Thursdays only", category="rule"
    )
    for number in range(3):
        hx.knowledge.save(f"note-{number}", f"Deploy note {number}", origin="tool")
    hx.references.save(
        "Runbook", location="https://wiki.example/deploy", summary="How to deploy"
    )
    hx.skills.create(
        "greet",
        kind="template",
        description="Greet",
        definition={"template": "Hello {{ name }}"},
    )
    hx.proposals.propose("diet", "I am vegan", sentence="I am vegan now")
    session = hx.scoped(session="chat:1")
    session.prompt("", "when may I deploy?")
    for each in (session, hx.scoped(session="chat:2")):
        for day, error in (
            ("31/01", "cannot read the day '31/01'"),
            ("2026-01-31", None),
        ):
            each.observe(
                tool="book",
                args={"day": day},
                error=error,
                result=None if error else "ok",
            )
