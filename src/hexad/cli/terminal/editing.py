"""Edit named texts as a TOML form in the user's editor."""

import json
import shlex
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hexad.cli.terminal import screen
from hexad.errors import InvalidInput
from hexad.settings import variable

_NO_EDITOR: Final = "no editor is set; set EDITOR, for example: export EDITOR=nano"
_UNWRITABLE: Final = frozenset(map(chr, range(32))) - {"\n", "\t"} | {
    "\x7f"
}  # not allowed in a literal string of TOML


def form(head: Sequence[str], fields: Mapping[str, str]) -> str:
    """A form: comment lines, then the fields.

    >>> print(form(["About a fix"], {"fix": "ask ops"}))
    # About a fix
    <BLANKLINE>
    fix = "ask ops"
    <BLANKLINE>
    """
    comments = [
        f"# {screen.one_line(line)}" for each in head for line in each.splitlines()
    ]
    return "\n".join(
        [
            *comments,
            "",
            *(f"{name} = {_written(value)}" for name, value in fields.items()),
            "",
        ]
    )


def read(text: str, fields: Sequence[str]) -> dict[str, str]:
    """Parse an edited form and check its fields."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput("form", f"cannot be read: {error}") from None
    for name, value in found.items():
        if name not in fields:
            raise InvalidInput(
                name, f"is not a field of this form; the fields are {', '.join(fields)}"
            )
        if not isinstance(value, str):
            raise InvalidInput(name, "must be text in quotes")
    missing = [name for name in fields if name not in found]
    if missing:
        raise InvalidInput(missing[0], "is missing in the form")
    return found


def in_editor(text: str) -> str:
    """Open the user's editor and return the edited text."""
    command = variable("VISUAL", "EDITOR")
    if command is None:
        raise InvalidInput("edit", _NO_EDITOR)
    with TemporaryDirectory(prefix="hexad-") as folder:
        file = Path(folder) / "review.toml"
        file.write_text(text, encoding="utf-8")
        try:
            done = subprocess.run([*shlex.split(command), str(file)], check=False)  # noqa: S603 - the user's own choice
        except (OSError, ValueError) as error:
            raise InvalidInput(
                "edit", f"{command!r} cannot be started: {error}; set EDITOR"
            ) from None
        if done.returncode:
            raise InvalidInput(
                "edit",
                f"{command!r} ended with code {done.returncode}, so nothing was changed",
            )
        try:
            return file.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            reason = f"{command!r} left nothing to read ({error.strerror}), so nothing was changed"
            raise InvalidInput("edit", reason) from None


def _written(value: str) -> str:
    """A text as TOML; several lines as a literal string if TOML allows it."""
    plain = (
        "\n" in value
        and "'''" not in value
        and not value.endswith("'")
        and not _UNWRITABLE & set(value)
    )
    if plain:
        return f"'''\n{value}'''"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
