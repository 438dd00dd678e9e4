"""The options that commands share, and how a group of commands is made."""

from typing import Annotated, Final

import typer

from hexad.cli import completing
from hexad.cli.terminal import screen
from hexad.model import Category, Layer

_PANEL: Final = "Every command"

Database = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="FILE",
        rich_help_panel=_PANEL,
        help="The database file; default: HEXAD_DB, then hexad.db in this folder.",
    ),
]
Namespace = Annotated[
    str | None, typer.Option("--namespace", metavar="NAME", rich_help_panel=_PANEL, help="Whose memory to use.")
]
AsJson = Annotated[bool, typer.Option("--json", rich_help_panel=_PANEL, help="Print one JSON document.")]

Key = Annotated[str, typer.Argument(metavar="KEY", help="The entry's key.", autocompletion=completing.keys)]
Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The reference's name.", autocompletion=completing.references)
]
SkillName = Annotated[str, typer.Argument(metavar="NAME", help="The skill's name.", autocompletion=completing.skills)]
RunnableSkill = Annotated[
    str, typer.Argument(metavar="NAME", help="The skill's name.", autocompletion=completing.runnable)
]
UnapprovedSkill = Annotated[
    str, typer.Argument(metavar="NAME", help="The skill's name.", autocompletion=completing.unapproved)
]
UndeprecatedSkill = Annotated[
    str, typer.Argument(metavar="NAME", help="The skill's name.", autocompletion=completing.undeprecated)
]
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="WORD", help="A tag; repeatable.")]
InCategory = Annotated[Category | None, typer.Option("--category", metavar="WORD", help=f"{', '.join(Category)}.")]
Layers = Annotated[
    list[Layer] | None,
    typer.Option("--layer", metavar="LAYER", help=f"Repeatable: {', '.join(Layer)}."),
]
Session = Annotated[str | None, typer.Option("--session", metavar="NAME", help="The conversation it belongs to.")]
KeepSecrets = Annotated[bool, typer.Option("--keep-secrets", help="Do not redact secrets.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


def group(help: str, *, epilog: str) -> typer.Typer:
    """A group of commands, which prints its help when it is called without one."""
    app = typer.Typer(help=help, epilog=epilog)
    app.callback(help=help, epilog=epilog, invoke_without_command=True)(screen.help_if_alone)
    return app
