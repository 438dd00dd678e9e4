"""Which database a command uses if nobody names one: the project's, if this user made
or trusted it, else their own.
"""

import json
import os
from pathlib import Path
from shlex import quote
from typing import Final, NamedTuple

from hexad.settings import FILE_NAME, data_folder

DEFAULT: Final = "hexad.db"
_TRUSTED: Final = "trusted.jsonl"  # in the user's data folder: the paths of trusted databases, one a line


class DatabasePlace(NamedTuple):
    """A database, and what to say about it."""

    path: Path
    note: str
    untrusted: str = ""  # a sentence about somebody else's files, which are not read


def own() -> Path:
    """The user's own database, which belongs to no project."""
    return data_folder() / DEFAULT


def found() -> DatabasePlace:
    """The nearest trusted database of this folder and those above it, else the user's
    own.
    """
    here, untrusted, known = Path.cwd(), "", _trusted()
    for folder in (here, *here.parents):
        path = folder / DEFAULT
        if str(path) in known:
            path = Path(DEFAULT) if folder == here else path
            return DatabasePlace(
                path, f"using this project's memory, {path}", untrusted
            )
        files = [name for name in (DEFAULT, FILE_NAME) if os.path.exists(folder / name)]  # noqa: PTH110 - it never raises
        if files and not untrusted and path != own():
            named = " and ".join(str(folder / name) for name in files)
            are, them = ("is", "it") if len(files) == 1 else ("are", "them")
            why = f"because somebody else may have written {them}"
            untrusted = f"{named} {are} not read, {why}; `hexad trust {quote(str(folder))}` uses {them}"
    return DatabasePlace(own(), f"using your own memory, {own()}", untrusted)


def database_in(path: Path) -> Path:
    """The database that a folder or a database file stands for, as it is kept in the
    list; links are not followed.
    """
    whole = Path(os.path.realpath(path if path.is_dir() else path.parent))
    return whole / (DEFAULT if path.is_dir() else path.name)


def trust(database: Path, *, trusted: bool = True) -> None:
    """Remember that the user trusts a database, or no longer."""
    file, known = (
        data_folder() / _TRUSTED,
        [each for each in _trusted() if each != str(database)],
    )
    lines = [*known, *([str(database)] if trusted else [])]
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.write_text(
        "".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8"
    )


def _trusted() -> tuple[str, ...]:
    try:
        return tuple(
            map(
                json.loads,
                (data_folder() / _TRUSTED).read_text(encoding="utf-8").splitlines(),
            )
        )
    except (OSError, ValueError):
        return ()
