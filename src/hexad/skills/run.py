"""Running a skill: parameters first, then the work of its kind, then one transaction
that counts and audits it.

A run that fails is a result with ``ok`` false and its error. A run that must not begin
(a draft, wrong parameters, a missing tool, a rejected script) raises, and nothing has
run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from glob import escape
from pathlib import Path
from shlex import quote
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, assert_never, cast

from hexad.errors import InvalidInput, SkillRefused, TemplateFailed
from hexad.memory.redaction import redact
from hexad.memory.troubles import tell
from hexad.memory.usage.habits import credit
from hexad.model import Capability, Layer, Origin, Skill, SkillKind, SkillStatus
from hexad.recent import Recent
from hexad.skills import composite, parameters
from hexad.skills.composite import Step, StepTool, ToolCall
from hexad.skills.definition import (
    check,
    files_of,
    fingerprint,
    needs_of,
    shell_of,
    templates,
)
from hexad.skills.review import review
from hexad.store import Entry, Writing
from hexad.text.visible import visible

if TYPE_CHECKING:
    from datetime import datetime

    from hexad.memory.workspace import Change, Workspace
    from hexad.model import Json
    from hexad.skills.sandbox import SandboxLimits, ScriptResult
    from hexad.skills.waiting import Wait

DEEPEST: Final = 8  # skills that call each other as tools
TOO_MANY: Final = 3  # failures among the latest runs that make a skill a draft again
LATEST: Final = 5  # runs among which they are
REMEMBERED: Final = 10  # runs whose outcome a skill remembers
_WORKED, _FAILED = "+", "-"  # in a skill's `recent`
_LONGEST_REASON: Final = 200
_recent: Final = partial(Recent[Any, Any], 256)
_running: Final[ContextVar[tuple[str, ...]]] = ContextVar(
    "hexad_running_skills", default=()
)
_UNSEEN: Final = (
    " (the sandbox hides your folders: a script sees the system's programs, the skill's files in its own folder, "
    'and the folders that its definition lists as "writable"; add the file to the skill, pass its text as a parameter, '
    "or list its folder)"
)
_CRASHED: Final = frozenset(
    {134, 137, 139}
)  # exit codes after SIGABRT, SIGKILL, SIGSEGV


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillResult:
    """The result of a run. ``output`` is the last step's result, the script's output,
    or the text.
    """

    name: str
    kind: SkillKind
    ok: bool
    output: Any = None
    error: str = ""
    steps: tuple[Step, ...] = ()  # of a dry run the plan: nothing was called
    script: ScriptResult | None = None
    files: tuple[str, ...] = ()
    seconds: float = 0.0
    dry_run: bool = False


class _Plain:
    """A tool that nobody watches."""

    def __init__(self, name: str, tool: ToolCall, session: str | None) -> None:
        self.call = tool

    def failure(self, result: object) -> str | None:
        """No failure rule is known, so None."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """The parts of the agent that skills use: its tools by name, how calls are watched,
    and the limits of scripts.
    """

    tools: Mapping[str, ToolCall] = field(default_factory=dict)
    step_tool: Callable[[str, ToolCall, str | None], StepTool] = _Plain
    script_seconds: float = 30.0
    script_memory: int = 512  # MB of each process


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run, with everything checked that can be checked before it."""

    skill: Skill
    given: Mapping[str, Json]
    absent: frozenset[str]
    tools: Mapping[str, StepTool]
    session: str
    origin: Origin  # who runs it
    dry_run: bool


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs the skills of one workspace."""

    workspace: Workspace
    agent: Agent
    _stepped: Recent[tuple[str, int, str | None], tuple[ToolCall, StepTool]] = field(
        default_factory=_recent
    )
    _understood: Recent[str, str] = field(
        default_factory=_recent
    )  # schemas that were checked, by what was approved

    def job(
        self,
        skill: Skill,
        given: object,
        *,
        session: str | None,
        origin: str,
        dry_run: bool,
        tools: Mapping[str, ToolCall] | None,
    ) -> Job:
        """A run that may begin; else the error that says why it may not."""
        if dry_run:
            check(
                skill.kind, skill.definition, skill.parameters
            )  # a draft may be older than the rules
        else:
            _refuse(skill)
            if self._understood.get(skill.approved) is None:
                parameters.check_schema(
                    skill.parameters
                )  # so may a skill: what is not understood is not passed over
                self._understood.put(skill.approved, skill.name)
        admitted = parameters.admit(skill.parameters, {} if given is None else given)
        absent = frozenset(
            name
            for name in parameters.properties_of(skill.parameters)
            if name not in admitted
        )
        job = Job(
            skill=skill,
            given=admitted,
            absent=absent,
            tools={} if dry_run else self._step_tools(skill, tools, session),
            session=self.workspace.session_of(session),
            origin=Origin.parse(origin, "origin"),
            dry_run=dry_run,
        )
        if skill.kind is SkillKind.COMPOSITE:
            composite.refuse_gaps(_steps(skill), absent)
        return job

    async def run(self, job: Job, wait: Wait) -> SkillResult:
        """The run itself."""
        started = perf_counter()
        if job.dry_run:
            return replace(_plan(job), seconds=perf_counter() - started)
        try:
            with _nested(job.skill.name):
                result = await _work(self, job, wait)
        except BaseException as error:
            if not isinstance(error, Exception):
                self._record(job, None)
            raise
        result = replace(result, seconds=perf_counter() - started)
        self._record(job, result)
        return result

    def hidden(self) -> list[Path]:
        """Hexad's own database, with what lies beside it under its name."""
        own = self.workspace.own_files
        return sorted(
            {
                *own,
                *(
                    each
                    for file in own
                    for each in file.parent.glob(f"{escape(file.name)}*")
                ),
            }
        )

    def _step_tools(
        self, skill: Skill, tools: Mapping[str, ToolCall] | None, session: str | None
    ) -> Mapping[str, StepTool]:
        if skill.kind is not SkillKind.COMPOSITE:
            return {}
        given: Any = {} if tools is None else tools
        if not isinstance(given, Mapping) or not all(map(callable, given.values())):
            raise InvalidInput("tools", "must be a mapping of names to callables")
        known = {**self.agent.tools, **given}
        wanted = {step["tool"] for step in _steps(skill)}
        missing = sorted(wanted - known.keys())
        if missing:
            raise InvalidInput(
                "tools",
                f"skill {skill.name!r} needs {', '.join(missing)}; give them as tools={{name: callable}}, "
                "or make the engine know them: hx.with_tool_registry([…])",
            )
        return {name: self._step_tool(name, known[name], session) for name in wanted}

    def _step_tool(self, name: str, tool: ToolCall, session: str | None) -> StepTool:
        """A tool as a step calls it, kept for the next run: to watch it anew takes as
        long as to call it.
        """
        place = name, id(tool), session
        kept = self._stepped.get(place)
        if kept is None or kept[0] is not tool:
            kept = tool, self.agent.step_tool(name, tool, session)
            self._stepped.put(place, kept)
        return kept[1]

    def _record(self, job: Job, result: SkillResult | None) -> None:
        """Count and audit the run. It has happened: what fails here is logged, and the
        caller gets the result.

        A run without a result was cancelled, and went neither well nor badly: it is
        audited, and not counted.
        """
        try:
            with self.workspace.change(actor=job.origin, session=job.session) as change:
                if result is None:
                    change.audit(
                        "skill.run",
                        job.skill.name,
                        _audited(job.skill, "cancelled", None),
                    )
                    return
                skill = job.skill
                now = count_run(
                    change.unit,
                    skill.name,
                    skill.version,
                    self.workspace.clock(),
                    ok=result.ok,
                )
                change.audit(
                    "skill.run",
                    skill.name,
                    _audited(skill, "ok" if result.ok else "failed", result),
                )
                if result.ok:
                    credit(change, Layer.SKILL_PATTERNS, skill.name)
                elif now is not None and _fails_often(now):
                    _demote(change, now, result.error)
        except Exception as error:  # noqa: BLE001 - the run has happened
            tell(f"a run of skill {job.skill.name} was not recorded", error)


def count_run(
    unit: Writing, name: str, version: int, at: datetime, *, ok: bool
) -> Skill | None:
    """Count one run of a skill in that version; returns the skill with this run.

    None, and nothing counted, if the skill does not exist or has another version now.
    """
    row = unit.get(Layer.SKILL_PATTERNS, name)
    if (
        row is None
        or not isinstance(row.record, Skill)
        or row.record.version != version
    ):
        return None
    skill = row.record
    counted = replace(
        skill,
        use_count=skill.use_count + 1,
        run_count=skill.run_count + 1,
        success_count=skill.success_count + ok,
        last_used=at,
        recent=(skill.recent + (_WORKED if ok else _FAILED))[-REMEMBERED:],
    )
    unit.put([Entry(counted, row.document)])
    return counted


def _fails_often(skill: Skill) -> bool:
    """Whether many of the latest runs failed, and most of those that are remembered.

    A good skill that got wrong input a few times stays.
    """
    return _failures(skill.recent[-LATEST:]) >= TOO_MANY and 2 * _failures(
        skill.recent
    ) > len(skill.recent)


def _failures(recent: str) -> int:
    return recent.count(_FAILED)


def result_json(result: SkillResult) -> dict[str, Json]:
    """A result as JSON; values that JSON does not have become their `repr`."""
    facts: dict[str, Json] = json.loads(json.dumps(asdict(result), default=repr))
    return facts


def may_run(skill: Skill) -> bool:
    """Whether a skill is active, and what was approved."""
    return skill.status is SkillStatus.ACTIVE and skill.approved == fingerprint(skill)


def unapproved(skill: Skill, status: SkillStatus, reason: str) -> Skill:
    """The skill without its approval, in another status."""
    return replace(
        skill,
        status=status,
        requires_approval=True,
        approved="",
        approved_by="",
        reason=reason,
    )


def _refuse(skill: Skill) -> None:
    """Refuse a skill that is not active, or was changed since its approval, or a script
    that is rejected.
    """
    if skill.status is not SkillStatus.ACTIVE:
        why = f" ({skill.reason})" if skill.reason else ""
        raise SkillRefused(
            skill.name,
            f"is {skill.status.phrase}{why}: see `hexad review {quote(skill.name)}`",
        )
    if skill.approved != fingerprint(skill):
        raise SkillRefused(
            skill.name, "is not what was approved: review it, and activate it again"
        )
    if skill.kind is SkillKind.SCRIPT and (
        obstacle := review(skill).obstacle
    ):  # the rules may be newer than it
        raise SkillRefused(skill.name, obstacle)


def _demote(change: Change, skill: Skill, error: str) -> None:
    """A skill that fails often is a draft again, with the reason."""
    if skill.status is not SkillStatus.ACTIVE:
        return
    runs = skill.recent[-LATEST:]
    failed = _failures(runs)
    last = (
        " ".join(redact(error).text.replace("\0", "").split())
        .encode(errors="replace")
        .decode()[:_LONGEST_REASON]
    )
    reason = f"failed {failed} of its last {len(runs)} runs; the last time: {last}"
    change.put(
        unapproved(
            replace(skill, updated=change.workspace.clock()), SkillStatus.DRAFT, reason
        )
    )
    change.audit("skill.demote", skill.name, {"failed": failed, "runs": len(runs)})


def _audited(skill: Skill, outcome: str, result: SkillResult | None) -> dict[str, Json]:
    """A run for the audit log: its outcome, without content."""
    facts: dict[str, Json] = {
        "kind": skill.kind.value,
        "version": skill.version,
        "outcome": outcome,
    }
    if result is not None and result.steps:
        facts["steps"] = sum(step.ok is not None for step in result.steps)
    if result is not None and result.script is not None:
        facts["exit_code"] = result.script.exit_code
    return facts


@contextmanager
def _nested(name: str) -> Iterator[None]:
    """Bound how deep skills call skills."""
    above = _running.get()
    if len(above) >= DEEPEST:
        raise SkillRefused(
            name,
            f"is called {DEEPEST} skills deep: {' > '.join(above)}; break the circle",
        )
    token = _running.set((*above, name))
    try:
        yield
    finally:
        _running.reset(token)


# --- the kinds ----------------------------------------------------------------------------------------------------


def _steps(skill: Skill) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", skill.definition["steps"])


def _result(job: Job, **came: Any) -> SkillResult:
    names = tuple(cast("Mapping[str, object]", job.skill.definition.get("files", {})))
    return SkillResult(
        name=job.skill.name,
        kind=job.skill.kind,
        files=names,
        dry_run=job.dry_run,
        **{"ok": True, **came},
    )


async def _run_composite(job: Job, wait: Wait) -> SkillResult:
    steps = await composite.perform(
        wait, _steps(job.skill), job.given, job.absent, job.tools
    )
    failed = next((place for place, step in enumerate(steps) if step.ok is False), None)
    if failed is None:
        return _result(job, steps=steps, output=steps[-1].result)
    step = steps[failed]
    return _result(
        job,
        steps=steps,
        ok=False,
        error=f"step {failed + 1} ({step.tool}): {step.error}",
    )


async def _run_script(runner: Runner, job: Job, wait: Wait) -> SkillResult:
    """A script in the sandbox; no transaction is open meanwhile."""
    from hexad.skills.sandbox import SandboxLimits, this_sandbox  # noqa: PLC0415 - 40 ms, only scripts

    sandbox, definition = this_sandbox(), job.skill.definition
    limits = SandboxLimits(
        seconds=runner.agent.script_seconds,
        memory=runner.agent.script_memory * 1024 * 1024,
    )
    came: ScriptResult = await wait.blocking(
        lambda: sandbox.run(
            cast("str", definition["script"]),
            shell=shell_of(definition),
            environment=_environment(job.given),
            files=files_of(definition),
            limits=limits,
            network=Capability.NETWORK in needs_of(definition),
            writable=[
                Path(folder)
                for folder in cast("list[str]", definition.get("writable", []))
            ],
            hidden=runner.hidden(),
            halt=wait.halt,
        )
    )
    error = "" if came.ok else _script_error(came, limits)
    return _result(job, ok=came.ok, output=came.stdout, script=came, error=error)


def _script_error(came: ScriptResult, limits: SandboxLimits) -> str:
    late = f"took longer than {limits.seconds:g} s, the limit script_seconds"
    full = f" (perhaps it needs more than {limits.memory >> 20} MB, the limit script_memory)"
    last = "".join(came.stderr.strip().splitlines()[-1:])
    why = (
        late
        if came.timed_out
        else f"ended with exit code {came.exit_code}{full * (came.exit_code in _CRASHED)}"
    )
    unseen = (
        _UNSEEN if "No such file or directory" in last or "not found" in last else ""
    )
    return f"the script {why}" + (f": {last}{unseen}" if last else "")


def _environment(given: Mapping[str, Json]) -> dict[str, str]:
    """Parameters as variables: text as it is, everything else as JSON."""
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in given.items()
    }


def _rendered(job: Job) -> SkillResult:
    try:
        rendered = templates().render(
            cast("str", job.skill.definition["template"]), job.given
        )
        return _result(job, output=visible(rendered))
    except TemplateFailed as error:
        if error.parameter and error.missing in job.absent:  # the caller left it out
            raise InvalidInput(
                f"parameters.{error.missing}",
                "is used by the template, and was not given",
            ) from None
        return _result(job, ok=False, error=str(error))


def _plan(job: Job) -> SkillResult:
    """A dry run."""
    definition = job.skill.definition
    match job.skill.kind:
        case SkillKind.COMPOSITE:
            return _result(
                job,
                steps=tuple(composite.plan(_steps(job.skill), job.given, job.absent)),
            )
        case SkillKind.SCRIPT:
            args = {
                "script": definition["script"],
                "environment": _environment(job.given),
            }
            return _result(job, steps=(Step(tool=shell_of(definition), args=args),))
        case SkillKind.TEMPLATE:
            return _rendered(job)
        case SkillKind.INSTRUCTION:
            return _result(job, output=visible(cast("str", definition["text"])))
        case never:
            assert_never(never)


async def _work(runner: Runner, job: Job, wait: Wait) -> SkillResult:
    """A run; of a template or an instruction it is the plan."""
    if job.skill.kind is SkillKind.COMPOSITE:
        return await _run_composite(job, wait)
    if job.skill.kind is SkillKind.SCRIPT:
        return await _run_script(runner, job, wait)
    return cast("SkillResult", await wait.blocking(lambda: _plan(job)))
