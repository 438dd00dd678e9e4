"""How the outcomes of a skill's latest runs are written."""

from typing import Final

REMEMBERED: Final = 5  # runs whose outcome a skill remembers
WORKED: Final = "+"
FAILED: Final = "-"
