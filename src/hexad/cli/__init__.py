"""The command line: `main` runs one command and reports an error in one sentence.

Exit codes: 0 done, 1 failed, 2 a mistake in the command or the configuration, 130
interrupted. Errors go to standard error as text, even with ``--json``. `tree.py` says
which file holds which command, and loads it when it runs.
"""

import logging
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer
from typer.completion import completion_init  # type: ignore[attr-defined]  # it is documented
from typer.main import get_group

from hexad._version import __version__
from hexad.cli.options import AsJson, Database, Namespace, flag
from hexad.cli.terminal import screen, suggesting
from hexad.cli.tree import LazyGroup, pass_down
from hexad.errors import ConfigError, HexadError, InvalidInput

FAILED: Final = 1
USAGE: Final = 2
_MANY: Final = 12  # commands that a sentence does not list
_UsageError: Final[type[Any]] = typer.BadParameter.__bases__[
    0
]  # typer exports only this subclass of it

app = typer.Typer(
    name="hexad",
    epilog='Example: hexad remember deploy-window "Deploy on Tuesdays only"; then: hexad recall "deploy when?"\n\n'
    "Exit codes: 0 done, 1 failed, 2 usage. Errors are text on standard error, even with --json. "
    "The memory is the project's hexad.db, after hexad init or hexad trust, else your own. "
    "Settings come from HEXAD_… variables and from hexad.toml beside the database.",
    cls=LazyGroup,
    pretty_exceptions_enable=False,
    add_completion=False,  # `_HEXAD_COMPLETE=source_bash hexad` prints a script, and no file is changed
    rich_markup_mode="rich",
)


@app.callback(invoke_without_command=True)
def _before(
    context: typer.Context,
    *,
    debug: Annotated[bool, flag("--debug", "Show the traceback of an error.")] = False,
    version: Annotated[bool, flag("--version", "Show the version and exit.")] = False,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """The context engine for AI agents: remember, recall, and see why. Without a
    command it shows the status.
    """
    context.ensure_object(dict)["debug"] = debug
    if version:
        screen.say(f"hexad {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from hexad.cli.commands import Common  # noqa: PLC0415 - loads the engine: 50 ms
        from hexad.cli.memory.status import status  # noqa: PLC0415 - the same

        status(Common(db=db, namespace=namespace, as_json=as_json))
    else:
        given = {"db": db, "namespace": namespace, "as_json": as_json or None}
        pass_down(
            context, {name: value for name, value in given.items() if value is not None}
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; ``arguments`` are those of the process unless given. Returns the
    exit code.
    """
    running: dict[str, bool] = {}
    suggesting.clear()
    screen.begin()
    log = logging.getLogger("hexad")
    before = [*log.handlers]
    log.addHandler(
        logging.NullHandler()
    )  # the command itself reports a layer's failure
    words = sys.argv[1:] if arguments is None else list(arguments)
    if (
        words[:1] == ["hook"]
        and len(words) % 2
        and {*words[1::2]} <= {"--db", "--namespace"}
    ):
        from hexad.cli.setup import hooking  # noqa: PLC0415 - not by typer, which takes a third of a hook's time

        return hooking.answer_hook(
            **{
                name[2:]: value
                for name, value in zip(words[1::2], words[2::2], strict=True)
            }
        )
    completion_init()
    try:
        code = get_group(app).main(
            args=arguments, prog_name="hexad", standalone_mode=False, obj=running
        )
        screen.finish()
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the last resort: a user sees a sentence
        if running.get("debug"):
            traceback.print_exception(error)
        screen.error(_sentence(error))
        return (
            USAGE
            if isinstance(error, InvalidInput | ConfigError | _UsageError)
            else FAILED
        )
    finally:
        log.handlers[:] = before  # a command may run within another program
    return code if isinstance(code, int) else 0


def _sentence(error: Exception) -> str:
    if isinstance(error, HexadError):
        return str(error)
    if isinstance(error, _UsageError):
        return _usage(error)
    if isinstance(error, OSError) and error.strerror:
        return (
            f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        )
    return f"unexpected {type(error).__name__}: {error}; `hexad --debug …` shows where it happened"


def _usage(error: Any) -> str:
    path = error.ctx.command_path if error.ctx else "hexad"
    message = error.format_message().replace("Value error, ", "").rstrip(".")
    message = message.replace(
        "Input should be greater than or equal to", "must be at least"
    )
    known = getattr(error.ctx and error.ctx.command, "commands", ())
    if (
        message.startswith("No such command")
        and len(known) < _MANY
        and not message.endswith("?")
    ):
        message += f"; there are {', '.join(known)}"
    if "extra argument" in message:
        message += "; put quotes around a text of several words"
    if message.startswith("Missing ") and "Choose from" not in message:
        message += _about(error.param)
    return (
        f"{message} Try '{path} --help'"
        if message.endswith("?")
        else f"{message}; try '{path} --help'"
    )


def _about(param: Any) -> str:
    """The help of an option or argument, to put into a sentence."""
    text = (getattr(param, "help", None) or "").rstrip(".")
    return (
        f" ({text if text[:2].isalpha() and text[:2].isupper() else text[:1].lower() + text[1:]})"
        if text
        else ""
    )
