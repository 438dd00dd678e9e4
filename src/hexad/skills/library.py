"""Skill Patterns: procedures by name, drafts until somebody activates them, and run
from then on.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from hexad.calls.arguments import is_constant
from hexad.errors import DailyLimit, Disabled, InvalidInput, SkillRefused
from hexad.memory import admission
from hexad.memory.collection import Finder, RecordCollection
from hexad.model import Layer, Origin, Skill, SkillKind, SkillStatus, SkillVersion
from hexad.skills import definition as shapes
from hexad.skills import tools as callables
from hexad.skills.review import AUTOMATIC, Review, review
from hexad.skills.run import Agent, Runner, SkillResult, may_run, unapproved
from hexad.skills.waiting import Halt, Here

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from hexad.memory.workspace import Change, Workspace
    from hexad.model import Item, Json
    from hexad.skills.folders.transfer import ImportedSkill

_WORK: Final = (
    "kind",
    "definition",
    "parameters",
    "description",
    "when",
)  # an approval holds while these stay
_STANDING: Final = (
    "status",
    "requires_approval",
    "approved",
    "approved_by",
    "reason",
    "recent",
    "version",
)
_LARGEST_DEFINITION: Final = (
    2 * shapes.LARGEST_FOLDER
)  # bytes as JSON: base64 and escapes need more than the files
_COUNTED: Final = ("run_count", "success_count")
_TRUSTED: Final = frozenset(
    {Origin.USER, Origin.AGENT}
)  # whose skills `auto_approve_skills` activates
_PERSONS: Final = frozenset(
    {Origin.USER, Origin.IMPORT}
)  # who may take up again what a person has deprecated
_IN_SERVICE: Final = (
    "is approved and in use, and stays as it is: propose yours under another "
    "name; a person can put it in its place"
)
_REFUSED: Final = "a person deprecated it, and an agent changed it since"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Limits on what agents may do with skills."""

    auto_approve: bool = False
    max_per_day: int = 10


class SkillLibrary(RecordCollection[Skill]):
    """Skills by name; only active ones are found by a search, given to agents, or run."""

    layer: ClassVar[Layer] = Layer.SKILL_PATTERNS

    def __init__(
        self,
        workspace: Workspace,
        find: Finder,
        agent: Agent | None = None,
        rules: Rules | None = None,
    ) -> None:
        super().__init__(workspace, find)
        self._runner = Runner(workspace, agent or Agent())
        self._rules = rules or Rules()

    def create(
        self,
        name: str,
        *,
        kind: str,
        description: str,
        definition: Mapping[str, Json],
        parameters: Mapping[str, Json] | None = None,
        when: str = "",
        tags: Iterable[str] = (),
        author: str = "",
        origin: str = Origin.USER,
        session: str | None = None,
        redact: bool = True,
    ) -> Skill:
        """Save a procedure as a draft. Saving it again changes nothing; another
        definition makes it a draft again.

        What ``definition`` holds depends on the kind: `hexad.skills.definition` says
        what. ``parameters`` is a JSON Schema; without one, those of a template are what
        it uses. With the setting `auto_approve_skills` it is active at once, unless it
        is a script that needs something beyond the sandbox or is rejected. What an
        agent makes never takes an active skill of that name out of service: it is
        refused.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> hx.skills.create("greet", kind="instruction", description="Greet", definition={"text": "Say hello"}).status
        <SkillStatus.DRAFT: 'draft'>
        """
        parameters = (
            shapes.inferred_parameters(definition) if parameters is None else parameters
        )
        intake = admission.Intake(limit=self._workspace.max_text, redact=redact)
        draft = Skill(
            name=admission.key("name", name),
            description=intake.text("description", description, required=True),
            kind=SkillKind.parse(kind, "kind"),
            definition=intake.mapping("definition", shapes.normalised(definition)),
            parameters=intake.mapping("parameters", parameters),
            when=intake.text("when", when),
            tags=admission.tags("tags", tags),
            author=admission.label("author", author),
            **self._said(intake, origin, session),
        )
        shapes.check(draft.kind, draft.definition, draft.parameters)
        return self._upsert(self._approved_or_not(draft), carried=_COUNTED)

    def review(self, name: str) -> Review:
        """The facts for a person who activates a skill: a script's findings, and what
        it would be granted.
        """
        return review(self.get(name))

    def activate(self, name: str, *, by: str = "", seen: str | None = None) -> Skill:
        """Approve a skill as it is now, so that it is found and may run; from then on a
        change makes it a draft.

        ``by`` is the person who approves; a script that needs something beyond the
        sandbox must have one. ``seen`` is the fingerprint that `review` showed: with
        it, what was changed since is refused.
        """
        person = admission.label("by", by)
        if person == AUTOMATIC:
            raise InvalidInput("by", "must be a person")
        looked = self.review(name)
        if looked.obstacle:
            raise SkillRefused(looked.skill.name, looked.obstacle)
        if looked.grants and not person:
            needs = ", ".join(looked.grants)
            raise InvalidInput(
                "by", f"must name the person who approves that {name!r} gets: {needs}"
            )
        approved = seen or looked.fingerprint
        with self._workspace.change(actor=Origin.USER) as change:
            found = self._present(change, looked.skill.name)
            if shapes.fingerprint(found) != approved:
                raise SkillRefused(
                    found.name, "is not what was reviewed any more: review it again"
                )
            active = _active(
                found, approved, person or found.approved_by.replace(AUTOMATIC, "")
            )
            return (
                found
                if active == found
                else self._changed(change, replace(active, recent=""))
            )

    def deprecate(self, name: str) -> Skill:
        """Hide a skill and stop it from running. Later versions by an agent are
        deprecated too.
        """
        with self._workspace.change(actor=Origin.USER) as change:
            found = self._present(change, name)
            if found.status is SkillStatus.DEPRECATED:
                return found
            return self._changed(
                change, replace(found, status=SkillStatus.DEPRECATED, reason="")
            )

    def import_folder(
        self,
        folder: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        redact: bool = True,
    ) -> ImportedSkill:
        """Keep the skill of an Agent Skills folder (a SKILL.md and its files) as a
        draft; nothing in it is run.
        """
        from hexad.skills.folders.transfer import import_folder  # noqa: PLC0415 - loads yaml: 36 ms

        library = SkillLibrary(
            roomy(self._workspace), self._find, self._runner.agent, self._rules
        )
        return import_folder(
            library,
            admission.path("folder", folder),
            overwrite=overwrite,
            redact=redact,
        )

    def export_folder(
        self,
        name: str,
        into: str | os.PathLike[str],
        *,
        force: bool = False,
        strict: bool = True,
    ) -> Path:
        """Write a skill as an Agent Skills folder of its name inside of ``into``;
        returns that folder.

        One that is there is left alone, unless ``force``. A skill that the format does
        not allow is an error, unless ``strict`` is False.
        """
        from hexad.skills.folders.transfer import export_folder  # noqa: PLC0415 - loads yaml: 36 ms

        return export_folder(
            self.get(name), admission.path("into", into), force=force, strict=strict
        )

    def discover(self, *, session: str | None = None) -> tuple[Skill, ...]:
        """Offer what was done in several sessions as drafts of composite skills; those
        that are new, at most five.

        With ``session`` only what was done in that one too. What was offered once is
        not offered again.
        """
        from hexad.skills.discovery.drafts import discover  # noqa: PLC0415 - 13 ms, rarely needed

        wanted = None if session is None else admission.label("session", session)
        return discover(self, self._workspace, wanted, is_constant)

    def joining(self, change: Change) -> SkillLibrary:
        """This library inside the caller's change; it never activates a skill by
        itself.
        """
        rules = replace(self._rules, auto_approve=False)
        return SkillLibrary(
            self._workspace.joining(change.unit), self._find, self._runner.agent, rules
        )

    def search(
        self, query: str, *, kind: str | None = None, limit: int = 10
    ) -> tuple[Item, ...]:
        """The active skills that match best, best first."""
        return self._search(
            query,
            limit=limit,
            kind=None if kind is None else SkillKind.parse(kind, "kind").value,
        )

    def history(self, name: str) -> tuple[SkillVersion, ...]:
        """All versions of a skill, newest first.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> for text in ("Say hello", "Say good morning"):
        ...     _ = hx.skills.create("greet", kind="instruction", description="Greet", definition={"text": text})
        >>> [version.definition["text"] for version in hx.skills.history("greet")]
        ['Say good morning', 'Say hello']
        """
        skill = self.get(name)
        with self._workspace.reading() as view:
            earlier = cast(
                "Sequence[SkillVersion]", view.versions(self.layer, skill.name)
            )
        return (_version_of(skill), *earlier)

    def run(
        self,
        name: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        session: str | None = None,
        origin: str = Origin.AGENT,
        dry_run: bool = False,
        tools: Mapping[str, Callable[..., Any]] | None = None,
        halt: Halt | None = None,
    ) -> SkillResult:
        """Run an active skill. A run that fails is a result with ``ok`` false; what
        must not run is an error.

        A composite skill calls the tools of ``hx.with_tool_registry([…])``, and those
        of ``tools``, which are stronger; coroutines are waited for. With ``dry_run``
        nothing is called, and a draft is shown too. ``halt``, called in another thread,
        ends a script or a coroutine that is waited for, and the run raises `Halted`.
        ``origin`` is who runs it, for the audit.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> steps = [{"tool": "upper", "args": {"text": "{{ word }}"}}]
        >>> _ = hx.skills.create("shout", kind="composite", description="Shout", definition={"steps": steps},
        ...     parameters={"properties": {"word": {"type": "string"}}})
        >>> _ = hx.skills.activate("shout")
        >>> hx.skills.run("shout", {"word": "hey"}, tools={"upper": lambda text: text.upper()}).output
        'HEY'
        """
        job = self._runner.job(
            self.get(name),
            parameters,
            session=session,
            origin=origin,
            dry_run=dry_run,
            tools=tools,
        )
        here = Here(halt or Halt())
        return here.run(self._runner.run(job, here))

    async def arun(
        self,
        name: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        session: str | None = None,
        origin: str = Origin.AGENT,
        dry_run: bool = False,
        tools: Mapping[str, Callable[..., Any]] | None = None,
    ) -> SkillResult:
        """The same in a running event loop: coroutines are awaited in it, and a script
        does not block it.
        """
        from hexad.skills.event_loop import InLoop  # noqa: PLC0415 - loads asyncio: 26 ms

        job = self._runner.job(
            self.get(name),
            parameters,
            session=session,
            origin=origin,
            dry_run=dry_run,
            tools=tools,
        )
        return await self._runner.run(job, InLoop(Halt()))

    def as_tools(
        self, *, session: str | None = None, asynchronous: bool = False
    ) -> tuple[Callable[..., Any], ...]:
        """The active skills as functions ``skill_<name>`` with signature and docstring,
        in the order of their names.

        Each returns the output of a run; a run that fails is `SkillFailed`. With
        ``asynchronous`` they are coroutine functions. Ask when an agent starts: what is
        activated later is in the next answer.
        """
        try:
            named = self.by_tool()
        except Disabled:  # an agent is made in the same way, and remembers nothing
            return ()
        run = partial(self.arun if asynchronous else self.run, session=session)
        return tuple(
            callables.tool_of(own, skill, run, asynchronous=asynchronous)
            for own, skill in named.items()
        )

    def by_tool(self) -> Mapping[str, Skill]:
        """The active skills by the names of their tools, in the order of their own
        names.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> for name in ("send-mail", "send mail"):
        ...     _ = hx.skills.create(name, kind="instruction", description="Send", definition={"text": "…"})
        ...     _ = hx.skills.activate(name)
        >>> {tool: skill.name for tool, skill in hx.skills.by_tool().items()}
        {'skill_send_mail_7fe0a52b': 'send mail', 'skill_send_mail': 'send-mail'}
        """
        named = callables.tool_names(self._records())
        return dict(
            sorted(
                ((own, each) for own, each in named.items() if may_run(each)),
                key=lambda pair: pair[1].name,
            )
        )

    def _changed(self, change: Change, skill: Skill) -> Skill:
        kept = replace(skill, updated=self._workspace.clock())
        change.put(kept)
        change.audit(
            f"skill.{kept.status}",
            kept.name,
            {"by": kept.approved_by} if kept.approved_by else None,
        )
        return kept

    def _approved_or_not(self, draft: Skill) -> Skill:
        """A new skill, active already if the setting says so and nothing stands against
        it.
        """
        if not self._rules.auto_approve or draft.origin not in _TRUSTED:
            return draft
        looked = review(draft)
        if looked.obstacle or looked.grants:
            asks = f"a person must approve that it gets: {', '.join(looked.grants)}"
            return replace(draft, reason=looked.obstacle or asks)
        return _active(draft, looked.fingerprint, AUTOMATIC)

    def _settled(self, change: Change, new: Skill) -> tuple[Skill, Skill | None]:
        """The record to store: unchanged work keeps its status, changed work becomes a
        new version.
        """
        old = cast("Skill | None", change.get(self.layer, new.name))
        if old is not None and all(
            getattr(old, name) == getattr(new, name) for name in _WORK
        ):
            if old.origin in _PERSONS and new.origin not in _PERSONS:
                return (
                    old,
                    old,
                )  # a person's own skill stays theirs if an agent repeats it
            return replace(new, **{name: getattr(old, name) for name in _STANDING}), old
        if (
            old is not None
            and new.origin is Origin.AGENT
            and may_run(old)
            and new.status is not SkillStatus.ACTIVE
        ):
            raise SkillRefused(old.name, _IN_SERVICE)
        if new.origin is Origin.AGENT and (
            old is None or old.origin is not Origin.AGENT
        ):
            _count_today(change, self._rules.max_per_day)
        if old is None:
            return new, None
        change.unit.add_versions([_version_of(old)])
        later = replace(new, version=old.version + 1)
        refused = old.status is SkillStatus.DEPRECATED and new.origin not in _PERSONS
        return unapproved(
            later, SkillStatus.DEPRECATED, _REFUSED
        ) if refused else later, old


def roomy(workspace: Workspace) -> Workspace:
    """A workspace that admits a definition with a whole folder in it."""
    return replace(workspace, max_text=max(workspace.max_text, _LARGEST_DEFINITION))


def _active(skill: Skill, approved: str, by: str) -> Skill:
    facts: dict[str, Any] = {
        "requires_approval": False,
        "approved": approved,
        "approved_by": by,
        "reason": "",
    }
    return replace(skill, status=SkillStatus.ACTIVE, **facts)


def _version_of(skill: Skill) -> SkillVersion:
    said = {
        each.name: getattr(skill, each.name)
        for each in fields(SkillVersion)
        if each.name != "created"
    }
    return SkillVersion(**said, created=skill.updated)


def _count_today(change: Change, limit: int) -> None:
    """Count one more skill made by an agent today, in the transaction that stores it."""
    note = "skills by agents"
    today = change.workspace.clock().date().isoformat()
    day, _, count = (change.unit.note(note) or "").partition(" ")
    made = int(count) if day == today else 0
    if made >= limit:
        raise DailyLimit(limit, change.session, change.workspace.namespace)
    change.unit.set_note(note, f"{today} {made + 1}")
