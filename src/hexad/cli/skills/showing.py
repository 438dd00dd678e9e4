"""How a skill, its review and its results are shown, for `skills …` and `review`."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from hexad.cli.terminal import screen
from hexad.json_form import to_json
from hexad.model import Skill, SkillKind
from hexad.skills.definition import shell_of
from hexad.skills.parameters import properties_of, required_of
from hexad.skills.review import Review
from hexad.skills.run import SkillResult

_SEES: Final = "a script sees its own folder with the skill's files, its parameters as variables, and no other files"
_STEPS: Final = ("step", screen.Wide("tool", 24), screen.Wide("arguments"))


def tell(skill: Skill, *, as_json: bool = False) -> None:
    """Print the state of a skill."""
    if as_json:
        screen.emit({"skill": to_json(skill)})
        return
    screen.say(f"{skill.name}: {skill.status}, version {skill.version}")
    if skill.reason:
        screen.remark(skill.reason)


def facts(skill: Skill) -> Iterator[tuple[str, str]]:
    """A skill as rows."""
    approved = (
        f"by {skill.approved_by}"
        if skill.approved_by
        else "yes"
        if skill.approved
        else "no"
    )
    last = f"; last {screen.moment(skill.last_used)}" if skill.last_used else ""
    rows = {
        "name": skill.name,
        "description": skill.description,
        "when": skill.when,
        "kind": skill.kind.value,
        "status": f"{skill.status}: {skill.reason}"
        if skill.reason
        else skill.status.value,
        "approved": approved,
        "version": str(skill.version),
        "author": skill.author,
        "origin": skill.origin.value,
        "tags": ", ".join(skill.tags),
        "runs": f"{skill.run_count}, of which {skill.success_count} succeeded{last}"
        if skill.run_count
        else "",
        "parameters": "\n".join(_parameters(skill)),
    }
    yield from ((name, value) for name, value in rows.items() if value)
    yield from _parts(skill.definition)


def _parameters(skill: Skill) -> Iterator[str]:
    """A line for each parameter: its name, whether it is needed, and what its schema
    says.
    """
    needed = required_of(skill.parameters)
    for name, schema in properties_of(skill.parameters).items():
        said = [
            f"{word} {' or '.join(map(str, value)) if isinstance(value, list) else value}"
            for word, value in schema.items()
        ]
        yield f"{name} ({', '.join(['needed' if name in needed else 'optional', *said])})"


def _parts(definition: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The parts of a definition, each text in full, because a reviewer reads every
    line.
    """
    if "script" in definition and "shell" not in definition:
        yield "shell", shell_of(definition)
    for name, value in definition.items():
        if name != "files":
            yield (
                name,
                _numbered(value)
                if name == "script"
                else _steps(value)
                if name == "steps"
                else pretty(value),
            )
    for path, file in definition.get("files", {}).items():
        kinds = ", ".join(word for word in ("base64", "executable") if file.get(word))
        text = _numbered(file["text"]) if "text" in file else file.get("base64", "")
        yield f"file {path} ({kinds})" if kinds else f"file {path}", text


def _steps(steps: Sequence[Mapping[str, Any]]) -> str:
    """A line for each step: its tool, its arguments, and the name of its result."""
    lines = []
    for number, step in enumerate(steps, start=1):
        args = (
            f"{name}={json.dumps(value, ensure_ascii=False)}"
            for name, value in step.get("args", {}).items()
        )
        saved = f" → {step['save_as']}" if "save_as" in step else ""
        lines.append(f"{number}. {step['tool']}({', '.join(args)}){saved}")
    return "\n".join(lines)


def _numbered(text: str) -> str:
    """Number the lines on a terminal, where long lines are broken."""
    if not sys.stdout.isatty():
        return text
    lines = text.removesuffix("\n").split("\n")
    width = len(str(len(lines)))
    return "\n".join(
        f"{number:>{width}} {line}" for number, line in enumerate(lines, start=1)
    )


def pretty(value: object) -> str:
    """Text as it is, other values as JSON."""
    return (
        value
        if isinstance(value, str)
        else json.dumps(value, indent=2, ensure_ascii=False)
    )


def show_result(result: SkillResult) -> None:
    """Print the result of a run, or the plan."""
    if result.dry_run and result.steps:
        rows = []
        for place, step in enumerate(result.steps, start=1):
            args = [f"{name} = {_shown(value)}" for name, value in step.args.items()]
            rows.append((place, step.tool, "\n".join(args)))
        screen.table(_STEPS, rows)
    elif isinstance(result.output, str) and result.output:
        screen.say(result.output.removesuffix("\n"))
    if result.script is not None:
        said = result.script.stderr.strip()
        screen.show_beside(
            "" if said in result.error else said
        )  # the error may contain it already
        for cut in result.script.cut:
            screen.warn(cut)
    if result.error:
        screen.error(result.error)


def _shown(value: object) -> str:
    """A value; in a pipe, where each row is one line, text of several lines as JSON."""
    if isinstance(value, str) and (sys.stdout.isatty() or "\n" not in value):
        return value
    return json.dumps(value, ensure_ascii=False, default=repr)


def show_review(seen: Review) -> None:
    """A review on the screen."""
    screen.table(screen.FACTS, list(facts(seen.skill)))
    for finding in seen.findings:
        screen.say(
            f"line {finding.line}: {finding.decision} ({finding.rule}): {finding.says}"
        )
    if seen.skill.kind is SkillKind.SCRIPT:
        screen.say(_SEES)
    if seen.grants:
        folders: Any = seen.skill.definition.get("writable")
        where = f" (in {', '.join(folders)})" if folders else ""
        screen.warn(f"approving it gives its script: {', '.join(seen.grants)}{where}")
