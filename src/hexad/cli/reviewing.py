"""`review`: one queue of draft skills and doubtful learnings for a person to decide."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hexad.cli.commands import Commands, Common
from hexad.cli.memory.learnings import facts as learning_facts
from hexad.cli.opening import refuse_absent
from hexad.cli.options import By
from hexad.cli.skills import showing
from hexad.cli.skills.input import BODY, body_from
from hexad.cli.terminal import editing, screen
from hexad.errors import HexadError, InvalidInput, SkillRefused
from hexad.facade import Hexad
from hexad.model import Learning, SkillStatus
from hexad.wire import to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexad.skills.review import Review

_ASKED: Final = "a = accept, e = edit, r = reject, s = skip, q = quit"
_WAYS: Final = ("accept", "edit", "reject", "skip", "quit")
_COMMENTS: Final = ("Change the text in quotes, save, and close the editor.",)

app = Commands()


@app.command(epilog="Example: hexad review --json; on a terminal it asks: hexad review --by ada")
def review(*, by: By = None, common: Common) -> None:
    """Accept, edit or reject draft skills and doubtful learnings, one by one; --json lists them."""
    refuse_absent(common.path)
    with common.opened() as hx:
        queue = queue_of(hx, by)
        if queue and not common.as_json and not sys.stdin.isatty():
            raise InvalidInput("review", "needs a terminal to ask on; --json lists the queue")
        if common.as_json:
            screen.emit({"queue": [entry.as_json() for entry in queue]})
        elif queue:
            go_through(queue)
        else:
            screen.remark("nothing awaits review")


def queue_of(hx: Hexad, by: str | None = None) -> "list[Entry]":
    """Draft skills, newest first, then doubtful learnings, most frequent first."""
    drafts = [skill for skill in hx.skills.list() if skill.status is SkillStatus.DRAFT]
    drafts.sort(key=lambda skill: skill.updated, reverse=True)
    return [*(Draft(hx, skill.name, by) for skill in drafts), *(Doubt(hx, each) for each in hx.learnings.doubtful())]


@dataclass(slots=True)
class Draft:
    """A skill that waits for approval."""

    hx: Hexad
    name: str
    by: str | None
    given: "Sequence[str] | None" = None  # parameters for the dry run
    params: str | None = None
    settled: bool = False
    seen: "Review | None" = None
    text: str = ""  # the edited form, if it could not be parsed

    @property
    def title(self) -> str:
        """Kind and name."""
        return f"skill {self.name}"

    def show(self) -> None:
        """Print the skill, the findings of the check, and a dry run."""
        self.seen = self.hx.skills.review(self.name)
        plan = showing.plan(self.hx, self.seen.skill, self.given, self.params)
        showing.show_review(self.seen, plan)
        if self.seen.obstacle:
            screen.warn(f"{self.name} {self.seen.obstacle}")

    def accept(self) -> None:
        """Approve what was shown."""
        if self.seen is None or self.seen.obstacle:
            raise SkillRefused(self.name, self.seen.obstacle if self.seen else "was not shown")
        showing.activate(self.hx, self.seen, self.by)
        self.settled = True

    def edit(self) -> None:
        """Save the edited skill; it is still a draft and is shown again."""
        skill = self.hx.skills.get(self.name)
        key = BODY[skill.kind]
        fields = {
            "description": skill.description,
            "when": skill.when,
            key: showing.pretty(skill.definition.get(key, "")),
        }
        self.text = editing.in_editor(self.text or editing.form([f"The skill {self.name}.", *_COMMENTS], fields))
        edited = editing.read(self.text, list(fields))
        self.hx.skills.create(
            skill.name,
            kind=skill.kind,
            description=edited["description"],
            when=edited["when"],
            definition={**skill.definition, key: body_from(skill.kind, edited[key])},
            parameters=skill.parameters,
            tags=skill.tags,
            author=skill.author,
            redact=not skill.verbatim,
        )
        self.text = ""
        self.show()

    def reject(self) -> None:
        """Deprecate it: kept, but not found, run or discovered again."""
        showing.tell(self.hx.skills.deprecate(self.name))
        self.settled = True

    def as_json(self) -> dict[str, Any]:
        """The skill with findings and dry run, or with the reason why it cannot be reviewed."""
        try:
            seen = self.hx.skills.review(self.name)
        except InvalidInput as error:
            return {"what": "skill", "skill": to_json(self.hx.skills.get(self.name)), "obstacle": str(error)}
        plan = showing.plan(self.hx, seen.skill, None, None)
        return {"what": "skill", **showing.review_json(seen, plan)}


@dataclass(slots=True)
class Doubt:
    """A learning whose fix is not trusted, although it was tried or observed."""

    hx: Hexad
    learning: Learning
    settled: bool = False
    text: str = ""

    @property
    def title(self) -> str:
        """Kind and id."""
        return f"learning {self.learning.id}"

    def show(self) -> None:
        """Print the error and its fixes."""
        screen.heading(self.title)
        screen.table(screen.FACTS, learning_facts(self.learning))

    def accept(self) -> None:
        """Confirm the known fix."""
        self._correct(self.learning.fix)

    def edit(self) -> None:
        """Let the user write the fix."""
        about = [f"{self.learning.trigger}: {self.learning.error_pattern}", *_COMMENTS]
        self.text = editing.in_editor(self.text or editing.form(about, {"fix": self.learning.fix}))
        self._correct(editing.read(self.text, ["fix"])["fix"])

    def reject(self) -> None:
        """Delete it."""
        self.hx.learnings.delete(self.learning.id)
        screen.say(f"{self.learning.id}: deleted")
        self.settled = True

    def as_json(self) -> dict[str, Any]:
        """The learning."""
        return {"what": "learning", "learning": to_json(self.learning)}

    def _correct(self, fix: str) -> None:
        kept = self.hx.learnings.correct(learning=self.learning.id, fix=fix, redact=not self.learning.verbatim)
        screen.say(f"{kept.id}: trusted {kept.trust:.2f}")
        self.settled = True


Entry: TypeAlias = Draft | Doubt


def go_through(queue: "Sequence[Entry]") -> None:
    """Show each entry and ask about it."""
    for number, entry in enumerate(queue, start=1):
        _show(entry)
        if not _settled(entry, f"{number} of {len(queue)}: {_ASKED}"):
            break
    left = sum(not entry.settled for entry in queue)
    if left:
        screen.say(f"{screen.counted(left, 'entry', 'entries')} left for later")


def _settled(entry: Entry, question: str) -> bool:
    """Ask about one entry until it is settled or skipped, as an empty answer does; False to quit."""
    while not entry.settled:
        answer = screen.asked(question, at_end="q") or "skip"
        way = next((way for way in _WAYS if way.startswith(answer)), "")
        if way in {"quit", "skip"}:
            return way == "skip"
        _try(entry, way)
    return True


def _show(entry: Entry) -> None:
    """Show an entry; one that cannot be shown, such as an invalid skill, can still be rejected."""
    try:
        entry.show()
    except HexadError as error:
        screen.error(f"{entry.title}: {error}")


def _try(entry: Entry, way: str) -> None:
    """Do it; after an error the question is asked again."""
    doing = {"accept": entry.accept, "edit": entry.edit, "reject": entry.reject}
    if way not in doing:
        screen.remark("type one of these letters")
        return
    try:
        doing[way]()
    except HexadError as error:
        screen.error(str(error))
