"""`skills new|list|show|run|review|activate|deprecate|delete|history`: procedures, and who lets them run."""

import shlex
import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from hexad.cli import completing, screen, skills_checking, skills_moving, skills_review
from hexad.cli.opening import opened, place, refuse_absent
from hexad.cli.options import (
    AsJson,
    Database,
    KeepSecrets,
    Namespace,
    RunnableSkill,
    Session,
    SkillName,
    Tags,
    UnapprovedSkill,
    UndeprecatedSkill,
)
from hexad.cli.reviewing import Draft, go_through
from hexad.cli.screen import Column
from hexad.cli.skills_input import definition_from, object_from, parameters_from
from hexad.cli.skills_review import tell
from hexad.errors import InvalidInput
from hexad.model import Capability, Origin, Skill, SkillKind, SkillStatus
from hexad.wire import to_json

if TYPE_CHECKING:
    from hexad.facade import Hexad
    from hexad.skills.run import SkillResult

_LISTED: Final = (
    Column("name", "fold", 24),
    Column("kind"),
    Column("status"),
    Column("runs"),
    Column("worked"),
    Column("description", "fold"),
)
_MAKER: Final = "skills new"
_VERSIONS: Final = (Column("version"), Column("said"), Column("origin"), Column("kind"), Column("description", "fold"))

Set = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A parameter; several times.")]
Params = Annotated[str | None, typer.Option("--params", metavar="JSON", help="All parameters as one JSON object.")]
Shell = Annotated[
    str | None,
    typer.Option(
        "--shell",
        metavar="WORD",
        help="Of a script: sh or bash, if its first line does not say.",
        autocompletion=completing.one_of(skills_checking.SHELLS),
    ),
]
By = Annotated[str | None, typer.Option("--by", metavar="PERSON", help="Who approves; your login name if not given.")]

app = typer.Typer(
    help="Procedures: kept as drafts, approved by a person, run safely.",
    epilog="Example: hexad skills list --status draft",
)
skills_checking.register(app)
skills_moving.register(app)


@app.callback(invoke_without_command=True)
def _before(context: typer.Context) -> None:
    screen.help_if_alone(context)


@app.command(epilog='Example: hexad skills new greet --kind template --description "Greet" --text "Hello {{ name }}"')
def new(
    name: SkillName,
    *,
    kind: Annotated[SkillKind, typer.Option("--kind", metavar="WORD", help=f"{', '.join(SkillKind)}.")],
    description: Annotated[str, typer.Option("--description", metavar="TEXT", help="What it does.")],
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="Its script, template or text.")] = None,
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="The same from a file; - is stdin.")
    ] = None,
    definition: Annotated[str | None, typer.Option("--definition", metavar="JSON", help="All of it as JSON.")] = None,
    parameters: Annotated[str | None, typer.Option("--parameters", metavar="JSON", help="Their JSON Schema.")] = None,
    when: Annotated[str, typer.Option("--when", metavar="TEXT", help="When to use it.")] = "",
    shell: Shell = None,
    needs: Annotated[
        list[Capability] | None, typer.Option("--needs", metavar="WORD", help=f"Of a script: {', '.join(Capability)}.")
    ] = None,
    tags: Tags = None,
    author: Annotated[str, typer.Option("--author", metavar="NAME", help="Who wrote it.")] = "",
    keep_secrets: KeepSecrets = False,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Keep a procedure as a draft. A composite skill's text is the JSON list of its steps. A script sees none of your
    files, only its own folder with the skill's files, and its parameters.

    The parameters of a template are what it uses, unless --parameters says more of them.
    """
    made = definition_from(kind, text=text, file=file, definition=definition, shell=shell, needs=needs)
    schema = object_from(parameters, "--parameters") if parameters else None
    with opened(db, namespace, create=True) as hx:
        before = next((each for each in hx.skills.list() if each.name == name), None)
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
    tell(skill, as_json=as_json)
    if not as_json:
        _remark_on(skill, before)


def _remark_on(skill: Skill, before: Skill | None) -> None:
    """What whoever wrote a skill has to know: what was changed of it, what it took the place of, what it may see."""
    if skill.redactions:
        screen.warn(f"redacted: {', '.join(skill.redactions)}")
    if before is not None and before.version != skill.version and before.status is SkillStatus.ACTIVE:
        what = (
            f"version {before.version} ({before.kind})"
            if before.kind is not skill.kind
            else f"version {before.version}"
        )
        screen.warn(f"{what} was active: this took its place, and nothing runs until it is approved")
    if skill.kind is SkillKind.SCRIPT:
        screen.remark(skills_review.sees(skill))
    if skill.status is SkillStatus.DRAFT:
        look = f"hexad skills review {shlex.quote(skill.name)}"
        screen.remark(f"a draft does not run yet; to look at it and let it: `{look}`")


@app.command("list", epilog="Example: hexad skills list --status draft")
def list_(
    *,
    status: Annotated[
        SkillStatus | None, typer.Option("--status", metavar="WORD", help=f"{', '.join(SkillStatus)}.")
    ] = None,
    kind: Annotated[SkillKind | None, typer.Option("--kind", metavar="WORD", help=f"{', '.join(SkillKind)}.")] = None,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Show the skills, in the order of first saving."""
    with opened(db, namespace, maker=_MAKER) as hx:
        found = [skill for skill in hx.skills.list() if status in {None, skill.status} and kind in {None, skill.kind}]
    if as_json:
        screen.emit({"skills": [to_json(skill) for skill in found]})
    elif found:
        rows = [(each.name, each.kind, each.status, each.run_count, each.success_count, _about(each)) for each in found]
        screen.table(_LISTED, rows)
    else:
        screen.remark("no skill fits")


@app.command(epilog="Example: hexad skills show greet")
def show(name: SkillName, *, db: Database = None, namespace: Namespace = None, as_json: AsJson = False) -> None:
    """Show all of a skill: what it does, who approved it, how its runs went."""
    with opened(db, namespace) as hx:
        skill = hx.skills.get(name)
    if as_json:
        screen.emit({"skill": to_json(skill)})
    else:
        screen.facts(skills_review.FACTS, list(skills_review.facts(skill)))


@app.command(epilog="Example: hexad skills run greet --set name=Ada --dry-run")
def run(
    name: RunnableSkill,
    *,
    given: Set = None,
    params: Params = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done; a draft too.")] = False,
    session: Session = None,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Run an active skill, or show its plan. Composite skills need an agent's tools: here only their plan is shown."""
    with opened(db, namespace) as hx:
        skill = hx.skills.get(name)
        if skill.kind is SkillKind.COMPOSITE and not dry_run:
            raise InvalidInput(
                "run", "a composite skill calls the agent's tools, which are not here: add --dry-run for its plan"
            )
        values = parameters_from(given, params, skill.parameters)
        result = _ran(hx, name, values, session=session, dry_run=dry_run)
        after = skill if result.ok else hx.skills.get(name)
    if as_json:
        from hexad.skills.run import result_json

        screen.emit({"result": result_json(result)})
    else:
        skills_review.show_result(result)
        if skill.status is SkillStatus.ACTIVE and after.status is SkillStatus.DRAFT:
            screen.warn(f"it {after.reason.partition(';')[0]}, and is a draft again")
    if not result.ok:
        raise typer.Exit(1)


@app.command(epilog="Example: hexad skills review --json; on a terminal it asks: hexad skills review greet")
def review(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="One skill; all drafts if not given.", autocompletion=completing.unapproved
        ),
    ] = None,
    *,
    given: Set = None,
    params: Params = None,
    by: By = None,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Go through drafts, or one skill: findings, a dry run, a question. `hexad review` goes through learnings too."""
    refuse_absent(place(db), _MAKER)
    if not as_json and not sys.stdin.isatty():
        approve = f"hexad skills activate {shlex.quote(name) if name else 'NAME'}"
        raise InvalidInput("review", f"asks a person; --json shows without asking, `{approve}` approves")
    with opened(db, namespace) as hx:
        drafts = [skill.name for skill in hx.skills.list() if skill.status is SkillStatus.DRAFT]
        names = [hx.skills.get(name).name] if name else drafts
        if as_json:
            seen = [hx.skills.review(each) for each in names]
            told = [skills_review.review_json(each, skills_review.plan(hx, each.skill, given, params)) for each in seen]
            screen.emit({"reviews": told})
        else:
            go_through([Draft(hx, each, by, given=given, params=params) for each in names])
    if not names and not as_json:
        screen.remark("there is no draft")


@app.command(epilog="Example: hexad skills activate greet --by ada")
def activate(
    name: UnapprovedSkill, *, by: By = None, db: Database = None, namespace: Namespace = None, as_json: AsJson = False
) -> None:
    """Approve a skill as it is now. One that needs more than the sandbox gives wants --by."""
    with opened(db, namespace) as hx:
        skill = hx.skills.activate(name, by=by or "")
    tell(skill, as_json=as_json)


@app.command(epilog="Example: hexad skills deprecate greet")
def deprecate(
    name: UndeprecatedSkill, *, db: Database = None, namespace: Namespace = None, as_json: AsJson = False
) -> None:
    """Let a skill no longer be found or run, and keep it."""
    with opened(db, namespace) as hx:
        skill = hx.skills.deprecate(name)
    tell(skill, as_json=as_json)


@app.command(epilog="Example: hexad skills delete greet --yes")
def delete(
    name: SkillName,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Remove a skill with its earlier versions, for good; on a terminal it asks. `deprecate` keeps it."""
    with opened(db, namespace) as hx:
        versions = hx.skills.get(name).version
        question = f"{name} and its {screen.counted(versions, 'version')} go for good: delete?"
        if not yes and sys.stdin.isatty() and not screen.confirmed(question):
            screen.remark("nothing was deleted")
            raise typer.Exit(1)
        hx.skills.delete(name)
    if as_json:
        screen.emit({"name": name, "deleted": True})
    else:
        screen.say(f"{name} is deleted")


@app.command(epilog="Example: hexad skills history greet --json")
def history(name: SkillName, *, db: Database = None, namespace: Namespace = None, as_json: AsJson = False) -> None:
    """Show what a skill is and was, newest first."""
    with opened(db, namespace) as hx:
        versions = hx.skills.history(name)
    if as_json:
        screen.emit({"versions": [to_json(each) for each in versions]})
    else:
        rows = [(each.version, each.created, each.origin, each.kind, each.description) for each in versions]
        screen.table(_VERSIONS, rows)


def _ran(hx: "Hexad", name: str, values: dict[str, Any], *, session: str | None, dry_run: bool) -> "SkillResult":
    """What a run gives; of a parameter that is missing, how it is given here."""
    try:
        return hx.skills.run(name, values, session=session, origin=Origin.USER, dry_run=dry_run)
    except InvalidInput as error:
        if not error.reason.startswith("is missing"):
            raise
        raise InvalidInput(error.field, f"{error.reason}; give it with --set NAME=VALUE") from error


def _about(skill: Skill) -> str:
    return f"{skill.description}\n({skill.reason})" if skill.reason else skill.description
