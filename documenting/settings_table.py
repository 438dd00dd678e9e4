"""Every setting: its default, its range, its meaning."""

from __future__ import annotations

import json

from hexad.settings import KNOWN, PREFIX, Setting, in_digits

_HEAD = """\
# Settings

`make docs` writes this page. An argument of `Hexad.open` is stronger than a variable. A variable is stronger than
`hexad.toml` beside the database, or the file that `config=` or `HEXAD_CONFIG` names. An unknown name or a value out of
range is an error that names it. [Decision 8](../decisions/0008-configuration-in-three-places.md) says why.

`hexad init` writes a file with all of these. `hexad config show` shows each value and where it comes from.

`HEXAD_DB` names the database of the commands. `HEXAD_CONFIG` names the configuration file.

| setting | variable | default | from – to | meaning |
|---|---|---|---|---|
"""


def settings_table() -> str:
    """The page."""
    return _HEAD + "".join(map(_row, KNOWN))


def _row(setting: Setting) -> str:
    limits = " – ".join(map(in_digits, setting.range)) if setting.range else ""
    cells = (
        f"`{setting.name}`",
        f"`{PREFIX}{setting.name.upper()}`",
        f"`{json.dumps(setting.default)}`",
        limits,
    )
    return f"| {' | '.join((*cells, setting.purpose))} |\n"
