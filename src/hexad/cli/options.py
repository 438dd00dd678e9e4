"""The options that commands share."""

from typing import Annotated, Any, Final

import typer

from hexad.model import Category, Layer

_PANEL: Final = "Every command"


def option(metavar: str, help: str, *names: str, **more: Any) -> Any:
    """An option with a value; without ``names`` it has the name of its parameter."""
    return typer.Option(*names, metavar=metavar, help=help, **more)


def flag(name: str, help: str, **more: Any) -> Any:
    """An option without a value."""
    return typer.Option(name, help=help, **more)


def argument(metavar: str, help: str, **more: Any) -> Any:
    """A value without a name, found by its place."""
    return typer.Argument(metavar=metavar, help=help, **more)


Database = Annotated[
    str | None,
    option(
        "FILE",
        "The database file, or postgresql://…; default: HEXAD_DB, the project's (see init, trust), your own.",
        "--db",
        rich_help_panel=_PANEL,
    ),
]
Namespace = Annotated[
    str | None,
    option("NAME", "Whose memory to use.", "--namespace", rich_help_panel=_PANEL),
]
AsJson = Annotated[
    bool, flag("--json", "Print one JSON document.", rich_help_panel=_PANEL)
]

Key = Annotated[str, argument("KEY", "The entry's key.")]
Name = Annotated[str, argument("NAME", "The reference's name.")]
SkillName = Annotated[str, argument("NAME", "The skill's name.")]
By = Annotated[
    str | None, option("PERSON", "Who approves; your login name if not given.", "--by")
]
Tags = Annotated[list[str] | None, option("WORD", "A tag; repeatable.", "--tag")]
InCategory = Annotated[
    Category | None, option("WORD", f"{', '.join(Category)}.", "--category")
]
Layers = Annotated[
    list[Layer] | None, option("LAYER", f"Repeatable: {', '.join(Layer)}.", "--layer")
]
Session = Annotated[
    str | None, option("NAME", "The conversation it belongs to.", "--session")
]
KeepSecrets = Annotated[bool, flag("--keep-secrets", "Do not redact secrets.")]
Yes = Annotated[bool, flag("--yes", "Do not ask.")]
