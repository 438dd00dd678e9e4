"""The options that commands share, each written down once."""

from typing import Annotated, Final

import typer

from hexad.cli import completing
from hexad.model import Category, Layer

_PANEL: Final = "Every command"

Database = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="FILE",
        rich_help_panel=_PANEL,
        help="The database; without it HEXAD_DB, else hexad.db in this folder.",
    ),
]
Namespace = Annotated[
    str | None, typer.Option("--namespace", metavar="NAME", rich_help_panel=_PANEL, help="Whose memory it is.")
]
AsJson = Annotated[bool, typer.Option("--json", rich_help_panel=_PANEL, help="Print one JSON document.")]

Key = Annotated[str, typer.Argument(metavar="KEY", help="The name it is kept under.", autocompletion=completing.keys)]
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
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="WORD", help="A tag; may be given several times.")]
InCategory = Annotated[Category | None, typer.Option("--category", metavar="WORD", help=f"{', '.join(Category)}.")]
Layers = Annotated[
    list[Layer] | None,
    typer.Option("--layer", metavar="LAYER", help=f"May be given several times: {', '.join(Layer)}."),
]
Session = Annotated[str | None, typer.Option("--session", metavar="NAME", help="The conversation it was said in.")]
KeepSecrets = Annotated[bool, typer.Option("--keep-secrets", help="Store secrets as they are, not redacted.")]
