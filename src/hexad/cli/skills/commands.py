"""`skills new|list|show|edit|run|review|activate|deprecate|delete|history|check`:
write, approve and run procedures.
"""

import json
import re
import shlex
from typing import Annotated, Any, Final

import typer

from hexad.cli.commands import Common, group
from hexad.cli.options import (
    AsJson,
    By,
    KeepSecrets,
    SkillName,
    Tags,
    Yes,
    argument,
    flag,
    option,
)
from hexad.cli.reviewing import Draft, review
from hexad.cli.skills import folders, showing
from hexad.cli.skills.input import definition_from, object_from, parameters_from, read
from hexad.cli.skills.showing import tell
from hexad.cli.terminal import screen
from hexad.errors import InvalidInput
from hexad.facade import Hexad
from hexad.json_form import to_json
from hexad.model import Capability, Origin, Skill, SkillKind, SkillStatus
from hexad.skills import validation
from hexad.skills.parameters import properties_of
from hexad.skills.run import SkillResult, result_json

_LISTED: Final = (
    screen.Wide("name", 24),
    "kind",
    "status",
    "runs",
    "worked",
    screen.Wide("description"),
)
_FINDINGS: Final = ("line", "verdict", "rule", screen.Wide("what it would do"))
_VERSIONS: Final = ("version", "created", "origin", "kind", screen.Wide("description"))

app = group(
    "Write, approve and run procedures. A new skill is a draft until a person approves it.",
    epilog="Example: hexad skills list --status draft",
)
app.add_typer(folders.app)
app.command(
    "review",
    epilog="Example: hexad skills review --json",
    help="The same as `hexad review`.",
)(review)


@app.command(
    epilog='Example: hexad skills new greet --kind template --description "Greet" --text "Hello {{ name }}"'
)
def new(
    name: SkillName,
    *,
    kind: Annotated[SkillKind, option("WORD", f"{', '.join(SkillKind)}.")],
    description: Annotated[str, option("TEXT", "What it does.")],
    text: Annotated[str | None, option("TEXT", "Its script, template or text.")] = None,
    file: Annotated[
        str | None, option("FILE", "Read that text from a file; - is stdin.")
    ] = None,
    definition: Annotated[
        str | None, option("JSON", "The whole definition as JSON.")
    ] = None,
    parameters: Annotated[
        str | None, option("JSON", "JSON Schema of the parameters.")
    ] = None,
    when: Annotated[str, option("TEXT", "When to use it.")] = "",
    shell: Annotated[
        str | None, option("WORD", "For a script without #! line: sh or bash.")
    ] = None,
    needs: Annotated[
        list[Capability] | None,
        option("WORD", f"For a script: {', '.join(Capability)}."),
    ] = None,
    tags: Tags = None,
    author: Annotated[str, option("NAME", "Who wrote it.")] = "",
    keep_secrets: KeepSecrets = False,
    common: Common,
) -> None:
    """Save a procedure as a draft.

    The text of a composite skill is the JSON list of its steps. A script sees its own
    folder with the skill's files and its parameters, and none of your other files. The
    parameters of a template are the names it uses, unless --parameters describes them.
    """
    made = definition_from(
        kind, text=text, file=file, definition=definition, shell=shell, needs=needs
    )
    schema = object_from(parameters, "--parameters") if parameters else None
    with common.opened(create=True) as hx:
        skill = hx.skills.create(
            name,
            kind=kind,
            description=description,
            definition=made,
            parameters=schema,
            when=when,
            tags=tags or (),
            author=author,
            redact=not keep_secrets,
        )
    tell(skill, as_json=common.as_json)
    if not common.as_json:
        _remark_on(skill)


def _undeclared(skill: Skill) -> list[str]:
    """Variables in lower case that a script reads, and neither sets nor gets as
    parameters.
    """
    script, known = (
        str(skill.definition.get("script", "")),
        properties_of(skill.parameters),
    )
    names = dict.fromkeys(re.findall(r"\$\{?([a-z_][a-z0-9_]*)", script))
    set_here = r"\b{0}=|\bfor {0}\b|\bread\b[^;|\n]*\b{0}\b"
    return [
        name
        for name in names
        if name not in known and not re.search(set_here.format(name), script)
    ]


def _remark_on(skill: Skill) -> None:
    """Say what was redacted, which variables are empty, and how to approve it."""
    if skill.redactions:
        screen.warn(f"redacted: {', '.join(skill.redactions)}")
    for name in _undeclared(skill):
        schema = json.dumps({"properties": {name: {"type": "string"}}})
        screen.warn(
            f"${name} is no parameter, so it will be empty; declare it: --parameters '{schema}'"
        )
    if skill.status is SkillStatus.DRAFT:
        look = f"hexad review {shlex.quote(skill.name)}"
        screen.remark(f"a draft does not run; review and approve it: `{look}`")


@app.command("list", epilog="Example: hexad skills list --status draft")
def list_(
    *,
    status: Annotated[
        SkillStatus | None, option("WORD", f"{', '.join(SkillStatus)}.")
    ] = None,
    kind: Annotated[
        SkillKind | None, option("WORD", f"{', '.join(SkillKind)}.")
    ] = None,
    common: Common,
) -> None:
    """List the skills, oldest first."""
    with common.opened() as hx:
        found = [
            skill
            for skill in hx.skills.list()
            if status in {None, skill.status} and kind in {None, skill.kind}
        ]
    about = {
        each.name: each.description + (f"\n({each.reason})" if each.reason else "")
        for each in found
    }
    rows = [
        (s.name, s.kind, s.status, s.run_count, s.success_count, about[s.name])
        for s in found
    ]
    common.listing(
        {"skills": [to_json(skill) for skill in found]},
        _LISTED,
        rows,
        empty="no skill matches",
    )


@app.command(epilog="Example: hexad skills show greet")
def show(name: SkillName, common: Common) -> None:
    """Show a skill: its definition, who approved it, and how its runs went."""
    with common.opened() as hx:
        skill = hx.skills.get(name)
    common.listing({"skill": to_json(skill)}, screen.FACTS, list(showing.facts(skill)))


@app.command(epilog="Example: hexad skills edit greet")
def edit(name: SkillName, common: Common) -> None:
    """Change a skill's description and text in your EDITOR; the new version is a draft."""
    with common.opened() as hx:
        skill = Draft(hx, hx.skills.get(name), None).changed()
    tell(skill, as_json=common.as_json)


@app.command(epilog="Example: hexad skills run greet --set name=Ada --dry-run")
def run(
    name: SkillName,
    *,
    given: Annotated[
        list[str] | None, option("KEY=VALUE", "A parameter; repeatable.", "--set")
    ] = None,
    params: Annotated[
        str | None, option("JSON", "All parameters as one JSON object.")
    ] = None,
    dry_run: Annotated[
        bool, flag("--dry-run", "Show the plan; works for a draft too.")
    ] = False,
    session: Annotated[str | None, option("NAME", "The session of this run.")] = None,
    common: Common,
) -> None:
    """Run an active skill, or show its plan.

    A composite skill needs an agent's tools, so here it only shows its plan.
    """
    with common.opened() as hx:
        skill = hx.skills.get(name)
        if skill.kind is SkillKind.COMPOSITE and not dry_run:
            reason = (
                "a composite skill calls an agent's tools, which are not available here"
            )
            raise InvalidInput("run", f"{reason}; --dry-run shows its plan")
        values = parameters_from(given, params, skill.parameters)
        result = _ran(hx, name, values, session=session, dry_run=dry_run)
        after = skill if result.ok else hx.skills.get(name)
    if common.as_json:
        screen.emit({"result": result_json(result)})
    else:
        showing.show_result(result)
        if skill.status is SkillStatus.ACTIVE and after.status is SkillStatus.DRAFT:
            screen.warn(f"it {after.reason.partition(';')[0]}, and is a draft again")
    if not result.ok:
        raise typer.Exit(1)


@app.command(epilog="Example: hexad skills activate greet --by ada")
def activate(name: SkillName, *, by: By = None, common: Common) -> None:
    """Approve a skill as it is now; --by is required if it needs more than the sandbox
    allows.
    """
    with common.opened() as hx:
        skill = hx.skills.activate(name, by=by or "")
    tell(skill, as_json=common.as_json)


@app.command(epilog="Example: hexad skills deprecate greet")
def deprecate(name: SkillName, *, common: Common) -> None:
    """Stop a skill from being found or run, but keep it."""
    with common.opened() as hx:
        skill = hx.skills.deprecate(name)
    tell(skill, as_json=common.as_json)


@app.command(epilog="Example: hexad skills delete greet --yes")
def delete(name: SkillName, *, yes: Yes = False, common: Common) -> None:
    """Delete a skill with all its versions, for good. `deprecate` keeps it."""
    with common.opened() as hx:
        versions = hx.skills.get(name).version
        question = (
            f"Delete {name} and its {screen.counted(versions, 'version')} for good?"
        )
        if not yes:
            screen.exit_unless_agreed(
                "skills delete", question, otherwise="nothing was deleted"
            )
        hx.skills.delete(name)
    common.answer({"name": name, "deleted": True}, f"{name} is deleted")


@app.command(epilog="Example: hexad skills history greet --json")
def history(name: SkillName, common: Common) -> None:
    """Show all versions of a skill, newest first."""
    with common.opened() as hx:
        versions = hx.skills.history(name)
    rows = [
        (each.version, each.created, each.origin, each.kind, each.description)
        for each in versions
    ]
    common.listing({"versions": [to_json(each) for each in versions]}, _VERSIONS, rows)


@app.command(epilog="Example: hexad skills check deploy.sh")
def check(
    file: Annotated[str, argument("FILE", "The script; - reads standard input.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Check a shell script without running it: allowed, needs a capability, or
    rejected, and why.

    As a skill it would run in its own folder with the skill's files and parameters, and
    see none of your other files. The exit code is 0 if the script is allowed, otherwise
    1.
    """
    verdict = validation.check(read(file, "FILE"))
    if as_json:
        screen.emit(verdict.as_json())
    else:
        if verdict.findings:
            rows = [
                (found.line, found.decision.value, found.rule, found.says)
                for found in verdict.findings
            ]
            screen.table(_FINDINGS, rows)
        allowed = (
            f"needs {', '.join(sorted(verdict.needs))}" if verdict.needs else "allow"
        )
        rejected = "reject: this does not run, even if a person approves it"
        screen.say(rejected if verdict.decision == "reject" else allowed)
    if verdict.decision != "allow":
        raise typer.Exit(1)


def _ran(
    hx: Hexad, name: str, values: dict[str, Any], *, session: str | None, dry_run: bool
) -> SkillResult:
    """Run a skill; the error for a missing parameter says how to give it here."""
    try:
        return hx.skills.run(
            name, values, session=session, origin=Origin.USER, dry_run=dry_run
        )
    except InvalidInput as error:
        if not error.reason.startswith("is missing"):
            raise
        raise InvalidInput(
            error.field, f"{error.reason}; give it with --set NAME=VALUE"
        ) from error
