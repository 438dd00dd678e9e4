"""The commands as one tree: what holds for all of them."""

from collections.abc import Iterator, Mapping
from typing import Any

import typer
from typer.main import get_command

from hexad.errors import InvalidInput


def tree(app: typer.Typer) -> Any:
    """The commands, ready to run; their help shows no Python type beside a flag, or beside an argument's own name."""
    root = get_command(app)
    for command in _all(root):
        for param in (*command.params, command.get_help_option(typer.Context(command))):
            if getattr(param, "is_flag", False):
                param.metavar = ""
            elif param.param_type_name == "argument":
                param.display_type_rich = _nothing
    return root


def _nothing(ctx: object) -> None:
    """What stands beside an argument."""


def pass_down(context: typer.Context, given: Mapping[str, object]) -> None:
    """Let options that were given before a command hold for it, and for those below it, unless they say otherwise."""
    tree: Any = context.command
    command = tree.commands[context.invoked_subcommand]
    known = {param.name for param in command.params}
    for name in given:
        if name not in known and not hasattr(command, "commands"):
            option = next(each.opts[0] for each in tree.params if each.name == name)
            raise InvalidInput(option, f"is no option of 'hexad {context.invoked_subcommand}'; leave it out")
    context.default_map = _everywhere(tree, given)


def _everywhere(command: Any, given: Mapping[str, object]) -> dict[str, Any]:
    inner = getattr(command, "commands", {})
    return {**given, **{name: _everywhere(each, given) for name, each in inner.items()}}


def _all(command: Any) -> Iterator[Any]:
    yield command
    for inner in getattr(command, "commands", {}).values():
        yield from _all(inner)
