"""`init`, `trust`, `config show`: make a project's memory, trust one, and show which
value each setting has and why.
"""

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any, Final

from hexad.cli import places
from hexad.cli.commands import Commands, Common, group
from hexad.cli.opening import server
from hexad.cli.options import AsJson, Database, Yes, argument, flag, option
from hexad.cli.setup.installing import apply, planned, refuse_asking
from hexad.cli.terminal import screen
from hexad.cli.terminal.suggesting import masked
from hexad.errors import ConfigError, InvalidInput, UnknownChoice
from hexad.mcp import require_sdk
from hexad.mcp.coding.installing import WITH_HOOKS, Installation
from hexad.mcp.install.clients import Client, Scope
from hexad.settings import (
    FILE_NAME,
    KNOWN,
    PREFIX,
    Setting,
    Traced,
    file_place,
    in_digits,
    survey,
    variable,
)

_COLUMNS: Final = (
    "setting",
    screen.Wide("value", 14),
    screen.Wide("from", 30),
    screen.Wide("purpose"),
)
_PRIVATE: Final = 0o600
_HEAD: Final = """\
# Settings of Hexad for the databases in this folder. Every line shows a default; remove the # to change one.
# An argument of `Hexad.open` wins over a variable such as HEXAD_MAX_PER_LAYER, which wins over this file.
# `hexad config show` shows each value and where it comes from.
"""

app = Commands()
config = group(
    "Show the settings and where each value comes from.",
    epilog="Example: hexad config show",
)
app.add_typer(config, name="config")


@app.command(epilog="Example: hexad init")
def init(
    *,
    force: Annotated[bool, flag("--force", "Overwrite an existing file.")] = False,
    agent: Annotated[
        str | None,
        option("NAME", f"Set up a coding agent too: {', '.join(WITH_HOOKS)}."),
    ] = None,
    scope: Annotated[
        str, option("WORD", "With --agent: user (all your projects) or project.")
    ] = "user",
    own: Annotated[
        bool, flag("--own", "With --agent: use your own memory, make none here.")
    ] = False,
    capture: Annotated[
        bool,
        flag(
            "--capture",
            "Propose lasting things that you say to agents (asked on a terminal).",
        ),
    ] = False,
    yes: Yes = False,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """Make this folder a project with its own memory, and write a hexad.toml with every
    setting.

    With --agent it also sets up a coding agent: a server and hooks, as `hexad mcp
    install --hooks` does, for all your projects unless --scope says otherwise. It asks
    whether this project should have a memory of its own, and before it changes the
    agent's configuration.
    """
    if own and agent is None:
        raise InvalidInput(
            "--own",
            "goes with --agent: without one, this folder gets a memory of its own",
        )
    ask = sys.stdin.isatty() and not (yes or as_json or capture)
    if agent is None:
        Common(db=db, as_json=as_json).answer(
            *_made(db, force=force, capture=capture or (ask and _asked()))
        )
        return
    require_sdk()
    if agent not in WITH_HOOKS:
        raise UnknownChoice("--agent", agent, WITH_HOOKS)
    place = Installation(Client(agent), where := Scope.parse(scope, "--scope"))
    plan = planned(place, db, None, hooks=True, quiet=as_json)
    refuse_asking(plan, yes=yes)
    made = str(places.database_in(Path.cwd())) == str(places.found().path.absolute())
    if not (own or made) and (
        yes or screen.confirmed("Give this project a memory of its own, beside yours?")
    ):
        screen.remark(
            _made(db, force=force, capture=capture or (ask and _asked()), lessons=True)[
                1
            ]
        )
    elif capture:
        folder = places.own().parent if own else Path.cwd()
        screen.remark(
            f"--capture is for a new hexad.toml: put `capture = true` into {file_place(folder)} yourself"
        )
    apply(
        plan,
        "hexad added to",
        where,
        f"{agent} is set up already",
        dry_run=False,
        yes=yes,
        as_json=as_json,
    )


def _asked() -> bool:
    return screen.confirmed(
        "May agents propose lasting facts from your messages? `hexad review` lets you decide."
    )


def _made(
    db: str | None, *, force: bool, capture: bool, lessons: bool = False
) -> tuple[dict[str, Any], str]:
    """Make a project of this folder; what was made, as a document and as a sentence."""
    named = db or variable("HEXAD_DB")
    database = places.database_in(Path.cwd())
    if (
        named is None
        and database.exists()
        and database != places.found().path.absolute()
    ):
        raise InvalidInput(
            "init",
            f"{database} is here already; `hexad trust .` uses it, if it is yours",
        )
    file = file_place(Common(db=named or places.DEFAULT).path.parent)
    text = file_text()
    for name in [
        name
        for name, wanted in (("capture", capture), ("ask_for_lessons", lessons))
        if wanted
    ]:
        text = text.replace(f"# {name} = false\n", f"{name} = true\n")
    _write(file, text, force=force)
    if named is None:
        places.trust(database)
    made = (
        f"this folder's memory is {places.DEFAULT}; keep it out of version control\n"
        if named is None
        else ""
    )
    kept = "every other setting" if capture or lessons else "every setting"
    sentence = f"{made}{file}: written; {kept} keeps its default until you remove its #"
    return {"file": str(file), "written": True}, sentence


@app.command(epilog="Example: hexad trust .")
def trust(
    path: Annotated[
        Path,
        argument(
            "PATH",
            "A folder with a hexad.db, or the file itself; default: this folder.",
        ),
    ] = Path(),
    *,
    off: Annotated[bool, flag("--off", "No longer trust it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Use a project's hexad.db and hexad.toml, which somebody else may have written,
    when you work in its folder.
    """
    database = places.database_in(path)
    if not off and not database.exists() and not database.with_name(FILE_NAME).exists():
        raise InvalidInput(
            "PATH",
            f"there is no {database}; `hexad init` in its folder makes a new memory",
        )
    places.trust(database, trusted=not off)
    sentence = f"{database} is {'no longer used' if off else 'used in its folder and below, with its hexad.toml'}"
    Common(db=str(database), as_json=as_json).answer(
        {"database": str(database), "trusted": not off}, sentence
    )


@config.command(epilog="Example: hexad config show --namespace team")
def show(common: Common) -> None:
    """Show each setting, its value here, and where the value comes from."""
    url = server(common.db)
    found = survey(
        {"namespace": common.namespace},
        beside=common.path.parent if url is None else None,
    )
    rows = [_row(each, found) for each in KNOWN]
    document = {
        "database": str(common.path) if url is None else masked(url),
        "file": None if found.file is None else str(found.file),
        "settings": rows,
    }
    shown = [
        (row["name"], _toml(row["value"]), _where(row, found), row["purpose"])
        for row in rows
    ]
    common.listing(document, _COLUMNS, shown)


def file_text() -> str:
    """A configuration file that explains every setting and changes none."""
    return "\n".join(
        [
            _HEAD,
            *(
                f"# {_with_range(each)}\n# {each.name} = {_toml(each.default)}\n"
                for each in KNOWN
            ),
        ]
    )


def _with_range(setting: Setting) -> str:
    low_and_high = [
        in_digits(limit).replace(",", "_") for limit in setting.range
    ]  # as TOML writes them
    return (
        f"{setting.purpose} ({' to '.join(low_and_high)})"
        if low_and_high
        else setting.purpose
    )


def _toml(value: object) -> str:
    """A value as TOML; for the types of settings that is the same as JSON."""
    return json.dumps(value, ensure_ascii=False)


def _row(setting: Setting, found: Traced) -> dict[str, Any]:
    value = getattr(found.settings, setting.name)
    return {
        "name": setting.name,
        "value": "(set)" if setting.secret and value != setting.default else value,
        "from": found.sources[setting.name].replace("argument", "option"),
        "default": setting.default,
        "purpose": setting.purpose,
    }


def _where(row: dict[str, Any], found: Traced) -> str:
    exactly = {
        "file": str(found.file),
        "environment": f"{PREFIX}{row['name'].upper()}",
        "option": f"--{row['name']}",
    }
    return exactly.get(row["from"], str(row["from"]))


def _write(file: Path, text: str, *, force: bool) -> None:
    """Write a file that only its owner can read, because it may hold a token."""
    try:
        with open(
            file,
            "w" if force else "x",
            encoding="utf-8",
            opener=lambda path, flags: os.open(path, flags, _PRIVATE),
        ) as opened:
            file.chmod(_PRIVATE)
            opened.write(text)
    except FileExistsError:
        raise InvalidInput(
            "init", f"{file} exists already; --force overwrites it"
        ) from None
    except OSError as error:
        raise ConfigError(
            "config", f"{file} cannot be written: {error.strerror}"
        ) from error
