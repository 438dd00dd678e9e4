"""`skills …`: procedures, from files, into files, and out of what was done."""

import typer

from hexad.cli import screen, skills_moving

app = typer.Typer(help="Procedures: from folders, into folders, and out of what was done again and again.")
skills_moving.register(app)


@app.callback(invoke_without_command=True)
def _before(context: typer.Context) -> None:
    screen.help_if_alone(context)
