"""`skills check`: what a script would do, and whether it may."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer

from hexad.cli import screen
from hexad.cli.completing import one_of
from hexad.cli.options import AsJson
from hexad.cli.screen import Column
from hexad.errors import InvalidInput

SHELLS: Final = ("sh", "bash")
_COLUMNS: Final = (Column("line"), Column("verdict"), Column("rule"), Column("what it would do", "fold"))


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command("check", epilog="Example: hexad skills check deploy.sh")(check_)


def check_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The script; - reads standard input.")],
    *,
    shell: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="sh or bash, if its first line does not say.", autocompletion=one_of(SHELLS)),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Judge a shell script without running it: allowed, in need of a capability, or rejected, and why.

    It would run in a folder of its own, with the skill's files and its parameters, and would see no file of yours.
    The exit code is 0 if it is allowed, else 1.
    """
    from hexad.skills.definition import shell_of
    from hexad.skills.validation import check

    script = _script(file)
    verdict = check(script, shell=shell or shell_of({"script": script}))
    if as_json:
        findings = [asdict(found) for found in verdict.findings]
        needs = sorted(verdict.needs)
        screen.emit({"decision": verdict.decision, "needs": needs, "findings": findings})
    else:
        if verdict.findings:
            rows = [(found.line, found.decision.value, found.rule, found.says) for found in verdict.findings]
            screen.table(_COLUMNS, rows)
        screen.say(_sentence(verdict.decision.value, [need.value for need in sorted(verdict.needs)]))
    if verdict.decision != "allow":
        raise typer.Exit(1)


def _sentence(decision: str, needs: list[str]) -> str:
    if decision == "reject":
        return "reject: this is not run, whoever approves it"
    return f"needs {', '.join(needs)}" if needs else "allow"


def _script(file: str) -> str:
    """The text of a script; what is no text cannot be judged."""
    try:
        told = typer.get_binary_stream("stdin").read() if file == "-" else Path(file).read_bytes()
        return told.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("FILE", f"{file} is not UTF-8 text; a script must be") from None
