"""The command line: `main` runs one command and says in one sentence what went wrong, if something did.

Exit codes: 0 done, 1 failed, 2 a mistake in the command or the configuration, 130 interrupted. Errors go to standard
error as text, also with ``--json``. Nothing here loads the database driver or rich before a command needs it.
"""

import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import typer

from hexad._version import __version__
from hexad.cli import (
    auditing,
    completing,
    configuring,
    doctor,
    evaluating,
    habits,
    learnings,
    moving,
    recalling,
    references,
    remembering,
    reviewing,
    screen,
    serving,
    skills,
    status,
    streams,
    suggesting,
)
from hexad.cli.options import AsJson, Database, Namespace
from hexad.cli.tree import pass_down, tree
from hexad.errors import ConfigError, HexadError, InvalidInput

FAILED: Final = 1
USAGE: Final = 2
_UsageError: Final[type[Any]] = typer.BadParameter.__bases__[0]  # typer names only this heir of it

app = typer.Typer(
    name="hexad",
    epilog='Example: hexad remember deploy-window "Deploy on Tuesdays only"; then: hexad recall "deploy when?"\n\n'
    "Exit codes: 0 done, 1 failed, 2 usage. Errors are text on standard error, also with --json. "
    "Settings come from HEXAD_… variables and from hexad.toml beside the database.",
    pretty_exceptions_enable=False,
    add_completion=False,  # `hexad completion` prints the script, and changes nobody's files
    rich_markup_mode="rich",
)
for commands in (status, remembering, recalling, reviewing, moving, configuring, doctor, evaluating, completing):
    commands.register(app)
app.add_typer(references.app, name="reference")
app.add_typer(auditing.app, name="audit")
app.add_typer(habits.app, name="habits")
app.add_typer(learnings.app, name="learnings")
app.add_typer(skills.app, name="skills")
app.add_typer(serving.app, name="mcp")


@dataclass(slots=True)
class Running:
    """What the options before the command said."""

    debug: bool = False


@app.callback(invoke_without_command=True)
def _before(
    context: typer.Context,
    *,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """The context engine for AI agents: remember, recall, and see why. Alone it shows what there is."""
    context.ensure_object(Running).debug = debug
    if version:
        screen.say(f"hexad {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        status.status(db=db, namespace=namespace, as_json=as_json)
    else:
        given = {"db": db, "namespace": namespace, "as_json": as_json or None}
        pass_down(context, {name: value for name, value in given.items() if value is not None})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; ``arguments`` are those of the process unless given. Returns the exit code."""
    running = Running()
    suggesting.clear()
    _prepare_streams()
    completing.prepare()
    try:
        code = tree(app).main(args=arguments, prog_name="hexad", standalone_mode=False, obj=running)
        screen.finish()
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the last place: a user sees a sentence, whatever happened
        return _report(error, debug=running.debug)
    return code if isinstance(code, int) else 0


def _prepare_streams() -> None:
    """Text that a stream's encoding lacks is escaped, and a layer's failure is told once, by the command."""
    streams.open_closed()
    logging.getLogger("hexad").addHandler(logging.NullHandler())
    for stream in (sys.stdout, sys.stderr):
        if getattr(stream, "errors", None) == "strict":
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _report(error: Exception, *, debug: bool) -> int:
    if debug:
        import traceback

        traceback.print_exception(error)
    screen.error(_sentence(error))
    return USAGE if isinstance(error, InvalidInput | ConfigError | _UsageError) else FAILED


def _sentence(error: Exception) -> str:
    if isinstance(error, HexadError):
        return str(error)
    if isinstance(error, _UsageError):
        return _usage(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"unexpected {type(error).__name__}: {error}; `hexad --debug …` shows where it happened"


def _usage(error: Any) -> str:
    path = error.ctx.command_path if error.ctx else "hexad"
    message = error.format_message().replace("Value error, ", "").rstrip(".")
    message = message.replace("Input should be greater than or equal to", "must be at least")
    if message.startswith("Missing ") and "Choose from" not in message:
        message += _about(error.param)
    return f"{message} Try '{path} --help'" if message.endswith("?") else f"{message}; try '{path} --help'"


def _about(param: Any) -> str:
    """What the help says of an option or argument, as a part of a sentence."""
    told = (getattr(param, "help", None) or "").rstrip(".")
    return f" ({told if told[:2].isupper() else told[:1].lower() + told[1:]})" if told else ""
