"""`init` and `config show`: the configuration file, and which value holds and why."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from hexad.cli import screen
from hexad.cli.opening import place
from hexad.cli.options import AsJson, Database, Namespace
from hexad.cli.screen import Column
from hexad.errors import ConfigError

if TYPE_CHECKING:
    from hexad.settings import Setting, Traced

_COLUMNS: Final = (
    Column("setting"),
    Column("value", "fold", 14),
    Column("from", "fold", 30),
    Column("meaning", "fold"),
)
_WIDE: Final = 14  # columns of a value on an 80 column screen
_PRIVATE: Final = 0o600
_HEAD: Final = """\
# Settings of Hexad for the databases in this folder. Every line shows a default; take away the # to change one.
# A variable such as HEXAD_MAX_PER_LAYER is stronger than this file, an argument of `Hexad.open` stronger still.
# `hexad config show` tells which value holds, and why.
"""

app = typer.Typer(help="Settings: what holds here, and where it was said.", epilog="Example: hexad config show")


def register(root: typer.Typer) -> None:
    """Add these commands."""
    root.command(epilog="Example: hexad init")(init)
    root.add_typer(app, name="config")


@app.callback(invoke_without_command=True)
def _before(context: typer.Context) -> None:
    screen.help_if_alone(context)


def init(
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Write it anew if there is one; what it says is lost.")
    ] = False,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """Write a hexad.toml with every setting beside the database; the database itself is not made."""
    from hexad.settings import file_place

    file = file_place(place(db).parent)
    _write(file, file_text(), force=force)
    if as_json:
        screen.emit({"file": str(file), "written": True})
    else:
        screen.say(f"{file}: written; every setting has its default until you take away a #")


@app.command(epilog="Example: hexad config show --namespace team")
def show(*, db: Database = None, namespace: Namespace = None, as_json: AsJson = False) -> None:
    """Show each setting as a program would get it here, and where its value is from; what is wrong is marked."""
    from hexad.settings import KNOWN, survey

    database = place(db)
    found = survey({"namespace": namespace}, beside=database.parent)
    if as_json:
        file = None if found.file is None else str(found.file)
        told = {"database": str(database), "file": file, "settings": [_told(each, found) for each in KNOWN]}
        screen.emit({**told, "problems": [str(problem) for problem in found.problems.values()]})
    else:
        rows = [_told(each, found) for each in KNOWN]
        screen.table(_COLUMNS, [(row["name"], _toml(row["value"]), _where(row, found), row["meaning"]) for row in rows])
        for problem in found.problems.values():
            screen.error(str(problem))
    if found.problems:
        raise typer.Exit(2)  # as every command would here


def file_text() -> str:
    """A configuration file that says what each setting means and changes none."""
    from hexad.settings import KNOWN

    return "\n".join([_HEAD, *(f"# {_meaning(each)}\n# {each.name} = {_toml(each.default)}\n" for each in KNOWN)])


def shown(setting: "Setting", value: object) -> object:
    """A value as a screen may show it: of a secret only that there is one."""
    return "(set)" if setting.secret and value != setting.default else value


def _meaning(setting: "Setting") -> str:
    from hexad.settings import in_digits

    low_and_high = [in_digits(limit).replace(",", "_") for limit in setting.range]  # as TOML writes them
    return f"{setting.meaning} ({' to '.join(low_and_high)})" if low_and_high else setting.meaning


def _toml(value: object) -> str:
    """A default or a value as TOML writes it: as JSON does, for what settings hold."""
    return json.dumps(value, ensure_ascii=False)


def _told(setting: "Setting", found: "Traced") -> dict[str, Any]:
    source = found.sources[setting.name].replace("argument", "option")
    wrong = setting.name in found.problems
    value = found.given[setting.name] if wrong else getattr(found.settings, setting.name)
    return {
        "name": setting.name,
        "value": shown(setting, value),
        "wrong": wrong,
        "from": source,
        "default": setting.default,
        "meaning": setting.meaning,
    }


def _where(row: dict[str, Any], found: "Traced") -> str:
    from hexad.settings import PREFIX

    exactly = {"file": str(found.file), "environment": f"{PREFIX}{row['name'].upper()}", "option": f"--{row['name']}"}
    source: str = row["from"]
    return exactly.get(source, source) + (" (WRONG)" if row["wrong"] else "")


def _write(file: Path, text: str, *, force: bool) -> None:
    """Write it for its owner's eyes, since it may hold a token; without ``force`` only where nothing is there."""
    try:
        with open(file, "w" if force else "x", encoding="utf-8", opener=_private) as opened:
            file.chmod(_PRIVATE)
            opened.write(text)
    except FileExistsError:
        raise ConfigError(
            "config", f"{file} is there already; --force writes it anew, and what it says is lost"
        ) from None
    except OSError as error:
        raise ConfigError("config", f"{file} cannot be written: {error.strerror}") from error


def _private(path: str, flags: int) -> int:
    import os

    return os.open(path, flags, _PRIVATE)
