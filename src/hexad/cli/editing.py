"""A small form in a person's own editor: texts by name as TOML, and back, checked."""

import json
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hexad.cli import screen
from hexad.errors import InvalidInput

_NO_EDITOR: Final = "no editor is known; set EDITOR, for example: export EDITOR=nano"
_UNWRITABLE: Final = frozenset(map(chr, range(32))) - {"\n", "\t"} | {"\x7f"}  # what a literal text of TOML cannot hold


def form(head: Sequence[str], fields: Mapping[str, str]) -> str:
    """Fields to fill in, behind lines of comment.

    >>> print(form(["About a fix"], {"fix": "ask ops"}))
    # About a fix
    <BLANKLINE>
    fix = "ask ops"
    <BLANKLINE>
    """
    comments = [f"# {screen.one_line(line)}" for each in head for line in each.splitlines()]
    return "\n".join([*comments, "", *(f"{name} = {_written(value)}" for name, value in fields.items()), ""])


def read(told: str, fields: Sequence[str]) -> dict[str, str]:
    """The fields of a form that came back; an error names what is wrong with it."""
    try:
        found = tomllib.loads(told)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput("form", f"cannot be read: {error}") from None
    for name, value in found.items():
        if name not in fields:
            raise InvalidInput(name, f"is no field of this form; it has {', '.join(fields)}")
        if not isinstance(value, str):
            raise InvalidInput(name, "must be text in quotes")
    missing = [name for name in fields if name not in found]
    if missing:
        raise InvalidInput(missing[0], "is missing in the form")
    return found


def in_editor(text: str) -> str:
    """The text as it is after the person's editor was closed."""
    import subprocess

    from hexad.settings import editor_from_environment

    command = editor_from_environment()
    if command is None:
        raise InvalidInput("edit", _NO_EDITOR)
    with TemporaryDirectory(prefix="hexad-") as folder:
        file = Path(folder) / "review.toml"
        file.write_text(text, encoding="utf-8")
        try:
            done = subprocess.run([*shlex.split(command), str(file)], check=False)  # noqa: S603 - the user's own choice
        except (OSError, ValueError) as error:
            raise InvalidInput("edit", f"{command!r} cannot be started: {error}; set EDITOR") from None
        if done.returncode:
            raise InvalidInput("edit", f"{command!r} ended with code {done.returncode}, so nothing was changed")
        try:
            return file.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            reason = f"{command!r} left nothing to read ({error.strerror}), so nothing was changed"
            raise InvalidInput("edit", reason) from None


def _written(value: str) -> str:
    """A text as TOML: one of several lines stands as it is, if TOML can hold it so."""
    plain = "\n" in value and "'''" not in value and not value.endswith("'") and not _UNWRITABLE & set(value)
    if plain:
        return f"'''\n{value}'''"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
