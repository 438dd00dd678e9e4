"""The options that commands share."""

from typing import Annotated, Final

import typer

from hexad.model import Category, Layer

_PANEL: Final = "Every command"

Database = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="FILE",
        rich_help_panel=_PANEL,
        help="The database file, or postgresql://…; default: HEXAD_DB, the project's (see init, trust), your own.",
    ),
]
Namespace = Annotated[
    str | None, typer.Option("--namespace", metavar="NAME", rich_help_panel=_PANEL, help="Whose memory to use.")
]
AsJson = Annotated[bool, typer.Option("--json", rich_help_panel=_PANEL, help="Print one JSON document.")]

Key = Annotated[str, typer.Argument(metavar="KEY", help="The entry's key.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The reference's name.")]
SkillName = Annotated[str, typer.Argument(metavar="NAME", help="The skill's name.")]
By = Annotated[str | None, typer.Option("--by", metavar="PERSON", help="Who approves; your login name if not given.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="WORD", help="A tag; repeatable.")]
InCategory = Annotated[Category | None, typer.Option("--category", metavar="WORD", help=f"{', '.join(Category)}.")]
Layers = Annotated[
    list[Layer] | None, typer.Option("--layer", metavar="LAYER", help=f"Repeatable: {', '.join(Layer)}.")
]
Session = Annotated[str | None, typer.Option("--session", metavar="NAME", help="The conversation it belongs to.")]
KeepSecrets = Annotated[bool, typer.Option("--keep-secrets", help="Do not redact secrets.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
