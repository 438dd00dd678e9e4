"""`completion`: a script for bash, zsh or fish that completes commands and options."""

from enum import StrEnum
from typing import Annotated, Final

import typer
from typer.completion import get_completion_script  # type: ignore[attr-defined]  # it is documented

from hexad.cli.terminal import screen

_VARIABLE: Final = "_HEXAD_COMPLETE"
_ZSH_READY: Final = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }"  # if ~/.zshrc has not

app = typer.Typer()


class Shell(StrEnum):
    """The shells that typer knows."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


@app.command(epilog="Example: hexad completion bash")
def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Print a completion script for your shell: commands and options.

    To use it in every shell, put this into ~/.bashrc or ~/.zshrc: eval "$(hexad completion bash)", or zsh. For fish:
    hexad completion fish > ~/.config/fish/completions/hexad.fish
    """
    script = get_completion_script(prog_name="hexad", complete_var=_VARIABLE, shell=shell.value)
    if shell is Shell.ZSH:
        script = script.replace("\ncompdef ", f"\n{_ZSH_READY}\n\ncompdef ")
    if as_json:
        screen.emit({"shell": shell.value, "script": script})
    else:
        screen.say(script)
