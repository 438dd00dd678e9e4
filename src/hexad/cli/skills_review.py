"""How a person is shown a skill, and asked about it: for `skills review`, and for the queue of `review`."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

from hexad.cli import screen
from hexad.cli.screen import Column
from hexad.cli.skills_input import parameters_from
from hexad.cli.suggesting import command
from hexad.errors import HexadError
from hexad.model import SkillKind
from hexad.wire import to_json

if TYPE_CHECKING:
    from hexad.facade import Hexad
    from hexad.model import Skill
    from hexad.skills.approving import Review
    from hexad.skills.run import SkillResult

FACTS: Final = (Column("what"), Column("value", "fold"))
_STEPS: Final = (Column("step"), Column("tool", "fold", 24), Column("arguments", "fold"))


def tell(skill: "Skill", *, as_json: bool = False) -> None:
    """What a skill is now."""
    if as_json:
        screen.emit({"skill": to_json(skill)})
        return
    screen.say(f"{skill.name}: {skill.status}, version {skill.version}")
    if skill.reason:
        screen.remark(skill.reason)


def sees(skill: "Skill") -> str:
    """What a script sees of this machine, and how it is given more."""
    known = skill.parameters.get("properties", {})
    name = next(iter(known), "") if isinstance(known, Mapping) else ""
    folders = _folders(skill)
    hint = f'. Hand it data with --set {name}="$(cat FILE)"' if name else "; data comes with parameters (--parameters)"
    return (
        "a script sees only its own working folder, which is empty but for the skill's files, and its parameters as "
        f"variables: no file of yours{f' outside {folders}' if folders else ''}{hint}"
    )


def _folders(skill: "Skill") -> str:
    folders = skill.definition.get("writable", [])
    return ", ".join(map(str, folders)) if isinstance(folders, list) else ""


def facts(skill: "Skill") -> Iterator[tuple[str, str]]:
    """All of a skill, as rows."""
    approved = f"by {skill.approved_by}" if skill.approved_by else "yes" if skill.approved else "no"
    last = skill.last_used.isoformat(timespec="seconds") if skill.last_used else "never"
    told = {
        "name": skill.name,
        "description": skill.description,
        "when": skill.when,
        "kind": skill.kind.value,
        "status": f"{skill.status}: {skill.reason}" if skill.reason else skill.status.value,
        "approved": approved,
        "version": str(skill.version),
        "author": skill.author,
        "origin": skill.origin.value,
        "tags": ", ".join(skill.tags),
        "runs": f"{skill.run_count}, of which {skill.success_count} went well; last used {last}",
        "parameters": _pretty(skill.parameters) if skill.parameters else "",
    }
    yield from ((name, value) for name, value in told.items() if value)
    yield from _parts(skill.definition)


def _parts(definition: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a skill does, part by part, each text as it is: who approves it reads every line."""
    if "script" in definition and "shell" not in definition:
        from hexad.skills.definition import shell_of

        yield "shell", shell_of(definition)
    for name, value in definition.items():
        if name != "files":
            yield name, _numbered(value) if name == "script" else _pretty(value)
    for path, file in definition.get("files", {}).items():
        kinds = ", ".join(word for word in ("base64", "executable") if file.get(word))
        text = _numbered(file["text"]) if "text" in file else file.get("base64", "")
        yield f"file {path} ({kinds})" if kinds else f"file {path}", text


def _numbered(text: str) -> str:
    """A text that may be run; on a terminal, which breaks long lines, with a number before each that is one."""
    if not sys.stdout.isatty():
        return text
    lines = text.removesuffix("\n").split("\n")
    width = len(str(len(lines)))
    return "\n".join(f"{number:>{width}} {line}" for number, line in enumerate(lines, start=1))


def _pretty(value: object) -> str:
    """Text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def show_result(result: "SkillResult") -> None:
    """What a run gave, or a plan."""
    if result.dry_run and result.steps:
        rows = [(place, step.tool, _arguments(step.args)) for place, step in enumerate(result.steps, start=1)]
        screen.table(_STEPS, rows)
    elif isinstance(result.output, str) and result.output:
        screen.show(result.output.removesuffix("\n"))
    if result.script is not None:
        said = result.script.stderr.strip()
        screen.show_beside("" if result.error.endswith(said) else said)  # one line the error tells itself
        for cut in result.script.cut:
            screen.warn(cut)
    if result.error:
        screen.error(result.error)


def _arguments(args: Mapping[str, Any]) -> str:
    return "\n".join(f"{name} = {_shown(value)}" for name, value in args.items())


def _shown(value: object) -> str:
    """A value; text of several lines as JSON where each row is one line, so that its lines stay apart."""
    if isinstance(value, str) and (sys.stdout.isatty() or "\n" not in value):
        return value
    return json.dumps(value, ensure_ascii=False, default=repr)


def plan(hx: "Hexad", skill: "Skill", given: "Sequence[str] | None", params: str | None) -> "SkillResult | str":
    """A dry run, or why there is none."""
    try:
        return hx.skills.run(skill.name, parameters_from(given, params, skill.parameters), dry_run=True)
    except HexadError as error:
        again = command(f"skills review {quote(skill.name)} --set NAME=VALUE")
        return f"{error}; for a dry run: `{again}`"


def review_json(seen: "Review", plan: "SkillResult | str") -> dict[str, Any]:
    """A review and its dry run, as JSON."""
    from hexad.skills.run import result_json

    return {
        "skill": to_json(seen.skill),
        "fingerprint": seen.fingerprint,
        "findings": [json.loads(json.dumps(asdict(finding), default=str)) for finding in seen.findings],
        "grants": list(seen.grants),
        "obstacle": seen.obstacle,
        "dry_run": plan if isinstance(plan, str) else result_json(plan),
    }


def show_review(seen: "Review", plan: "SkillResult | str") -> None:
    """A review and its dry run, on the screen."""
    screen.heading(seen.skill.name)
    screen.facts(FACTS, list(facts(seen.skill)))
    for finding in seen.findings:
        screen.say(f"line {finding.line}: {finding.decision} ({finding.rule}): {finding.says}")
    if seen.skill.kind is SkillKind.SCRIPT:
        screen.say(sees(seen.skill))
    screen.heading("dry run")
    if isinstance(plan, str):
        screen.say(plan)
    else:
        show_result(plan)
    if seen.grants:
        folders = _folders(seen.skill)
        where = f" (in {folders})" if folders else ""
        screen.warn(f"approving it gives its script: {', '.join(seen.grants)}{where}")


def activate(hx: "Hexad", seen: "Review", by: str | None) -> None:
    """Approve what was shown, and nothing that took its place since."""
    tell(hx.skills.activate(seen.skill.name, by=by or login(), seen=seen.fingerprint))


def login() -> str:
    """The name of who sits here, as far as the system knows it."""
    try:
        import os
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return "a person at the terminal"
