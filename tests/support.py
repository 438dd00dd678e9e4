"""Shared by the tests: the requirement marker, and engines over real files with a clock
that stands still.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from hexad import Hexad
from hexad_testing.clock import FixedClock
from hexad_testing.script import Call

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hexad_testing.script import Reply, Request

__all__ = ["FixedClock", "booking", "opened", "own_loop", "requirement"]


def requirement(*ids: str) -> pytest.MarkDecorator:
    """Say which requirements a test checks."""
    return pytest.mark.requirement(*ids)


def opened(path: Path | str, **settings: Any) -> Hexad:
    """An enabled engine over a file; nothing of the machine's environment leaks in, nor
    how busy it is.

    Nothing stands, so that a few entries show what is found; tests of standing context
    give it its budget. What is found by meaning does not depend on how soon the
    embedder was loaded, unless a test gives it a deadline.
    """
    hx = Hexad.open(
        path,
        enabled=True,
        **{"layer_deadline": 600.0, "standing_budget": 0, **settings},
    )
    if settings.get("semantic") and "layer_deadline" not in settings:
        hx.ready(600)
    return hx


def booking(request: Request) -> Reply:
    """A model that books the 31st: it reads the fix if there is one, and otherwise
    mends its call.
    """
    role, said = request.messages[-1]
    if role == "tool":
        return Call("book", {"day": "2026-01-31"}) if "cannot" in said else "Booked."
    return Call(
        "book",
        {
            "day": "2026-01-31"
            if "YYYY-MM-DD" in str(request.messages)
            else "31/01/2026"
        },
    )


@contextmanager
def own_loop() -> Iterator[None]:
    """An event loop for frameworks whose synchronous calls leave theirs open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        loop.close()
        asyncio.set_event_loop(None)
