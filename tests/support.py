"""Shared by the tests: the requirement marker, and engines over real files with a clock that stands still."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hexad import Hexad
from hexad.testing.clock import FixedClock

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FixedClock", "opened", "requirement"]


def requirement(*ids: str) -> pytest.MarkDecorator:
    """Say which requirements a test checks."""
    return pytest.mark.requirement(*ids)


def opened(path: Path | str, **settings: Any) -> Hexad:
    """An enabled engine over a file; nothing of the machine's environment leaks in, nor how busy it is.

    Nothing stands, so that a few entries show what is found; tests of standing context give it its budget.
    """
    return Hexad.open(path, enabled=True, **{"layer_deadline": 600.0, "standing_budget": 0, **settings})
