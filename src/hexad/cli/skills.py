"""`skills`: procedures, and what their scripts would do."""

import typer

from hexad.cli import skills_checking

app = typer.Typer(help="Procedures: what a script would do, before it does.", no_args_is_help=True)
skills_checking.register(app)


@app.callback()
def _group() -> None:
    """A group keeps its name also with one command."""
