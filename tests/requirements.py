"""Every requirement, by its ID: the sentence that must hold, as `requirements.md` has it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_PAGE: Final = Path(__file__).with_name("requirements.md").read_text(encoding="utf-8")

REQUIREMENTS: Final[dict[str, str]] = dict(re.findall(r"^- ([A-Z]+-\d+) (.*)$", _PAGE, flags=re.MULTILINE))

PLANNED: Final[frozenset[str]] = frozenset()
"""Not built yet, and without tests."""
