"""Every requirement, by its ID: the sentence that must hold, as `requirements.md` has
it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_PAGE: Final = Path(__file__).with_name("requirements.md").read_text(encoding="utf-8")

REQUIREMENTS: Final[dict[str, str]] = dict(
    re.findall(r"^- ([A-Z]+-\d+) (.*)$", _PAGE, flags=re.MULTILINE)
)

PLANNED: Final[frozenset[str]] = frozenset(
    {
        *("CONTRACT-01", "CONTRACT-02"),
        *("DOC-01", "DOC-02", "DOC-03"),
        "FILES-01",
        *("PAST-01", "PAST-02", "PAST-03"),
        *("REFL-01", "REFL-02", "REFL-03"),
    }
)
"""Not built yet, and without tests."""
