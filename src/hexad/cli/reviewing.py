"""`review`: one queue of proposals, draft skills and doubtful learnings for a person to
decide.
"""

import getpass
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Final

from hexad.cli.commands import Commands, Common
from hexad.cli.memory.learnings import facts as learning_facts
from hexad.cli.options import By, argument, flag
from hexad.cli.skills import showing
from hexad.cli.skills.input import body_from
from hexad.cli.terminal import editing, screen
from hexad.errors import HexadError, InvalidInput, SkillRefused
from hexad.facade import Hexad
from hexad.memory.conversations.expiry import timed
from hexad.model import Learning, Proposal, ProposedChange, Skill, shown_trust
from hexad.skills.definition import BODIES
from hexad.skills.review import Review, drafts, waiting

_ACCEPTED: Final = {  # what became of the entry
    ProposedChange.SAVE: "saved as yours",
    ProposedChange.DELETE: "deleted",
    ProposedChange.PIN: "pinned",
    ProposedChange.UNPIN: "no longer pinned",
}
_WAYS: Final = ("accept", "edit", "reject", "skip", "quit")

app = Commands()


@app.command(
    epilog="Example: hexad review --json; on a terminal it asks: hexad review --by ada"
)
def review(
    name: Annotated[
        str | None,
        argument("NAME", "Only this proposal, skill or learning.", show_default=False),
    ] = None,
    *,
    accept: Annotated[bool, flag("--accept", "Accept it without asking.")] = False,
    reject: Annotated[bool, flag("--reject", "Reject it without asking.")] = False,
    by: By = None,
    common: Common,
) -> None:
    """Accept, edit or reject proposals, draft skills and doubtful learnings, one by
    one; --json lists them.
    """
    if (accept or reject) and (name is None or accept == reject):
        raise InvalidInput(
            "review",
            "give NAME and one of --accept and --reject, or neither to be asked",
        )
    with common.opened() as hx:
        queue = [
            entry
            for entry in queue_of(hx, by)
            if name in {None, entry.name, getattr(entry, "key", None)}
        ]
        queue = queue or [
            Draft(hx, skill, by) for skill in hx.skills.list() if skill.name == name
        ]
        if name is not None and not queue:
            raise InvalidInput(
                "NAME",
                f"{name!r} does not await review; `hexad review --json` lists what does",
            )
        if accept or reject:
            queue[0].show()
            (queue[0].accept if accept else queue[0].reject)()
            return
        if queue and not common.as_json and not sys.stdin.isatty():
            raise InvalidInput(
                "review",
                "needs a terminal to ask on; --json lists the queue, NAME --accept accepts",
            )
        if common.as_json:
            screen.emit({"queue": [waiting(entry.record) for entry in queue]})
        elif queue:
            go_through(queue)
        else:
            screen.remark("nothing awaits review")


def queue_of(hx: Hexad, by: str | None = None) -> "list[WaitingItem]":
    """Proposals, oldest first, then draft skills, newest first, then doubtful
    learnings, most frequent first.
    """
    return [
        *(Suggestion(hx, proposal) for proposal in hx.proposals.list()),
        *(Draft(hx, skill, by) for skill in drafts(hx.skills.list())),
        *(Doubt(hx, each) for each in hx.learnings.doubtful()),
    ]


class WaitingItem:
    """Something that waits for a person's decision."""

    what: ClassVar[str]
    record: Proposal | Skill | Learning
    name: str
    editable = True
    settled = False
    text = ""  # the edited form, if it could not be parsed

    def show(self) -> None:
        """Print it."""
        raise NotImplementedError

    accept = edit = reject = show

    def edited(self, head: str, fields: Mapping[str, str]) -> dict[str, str]:
        """The texts as the person leaves them in their editor."""
        about = [head, "Change the text in quotes, save, and close the editor."]
        self.text = editing.in_editor(self.text or editing.form(about, fields))
        return editing.read(self.text, list(fields))


class Suggestion(WaitingItem):
    """A proposed change to a knowledge entry."""

    what = "proposal"
    record: Proposal

    def __init__(self, hx: Hexad, proposal: Proposal) -> None:
        self.hx, self.record, self.name, self.key = (
            hx,
            proposal,
            proposal.id,
            proposal.key,
        )
        self.editable = proposal.change is ProposedChange.SAVE

    def show(self) -> None:
        """Print the change, the words that it came from, and the entry as it is now."""
        proposal, known = self.record, self.hx.knowledge.lookup
        said = (
            self.hx.capture.understood(proposal.content) if proposal.content else None
        )  # an entry may be new
        now = known(proposal.against or proposal.key) or (
            known(said.against) if said and said.against else None
        )
        rows = {
            "change": f"{proposal.change} {proposal.key}",
            "to": f"[{proposal.category}] {proposal.content}"
            if proposal.content
            else "",
            "now": f"[{now.category}, from {now.origin}] {now.key}: {now.content}"
            if now
            else "",
            "until": screen.moment(end)
            if (end := timed(proposal.sentence, proposal.created)[0])
            else "",
            "the user said": proposal.sentence,
            "proposed by": f"{proposal.origin} {proposal.session}".strip(),
        }
        screen.table(
            screen.FACTS, [(name, value) for name, value in rows.items() if value]
        )

    def accept(self) -> None:
        """Carry it out: its words are the user's from now on."""
        entry = self.hx.proposals.accept(self.name)
        screen.say(f"{entry.key}: {_ACCEPTED[self.record.change]}")

    def edit(self) -> None:
        """Save what the user makes of it."""
        fields = {"key": self.record.key, "content": self.record.content}
        self.hx.proposals.edit(
            self.name, **self.edited(f"The proposal {self.name}.", fields)
        )
        self.accept()

    def reject(self) -> None:
        """Remove it; the entry stays as it is."""
        self.hx.proposals.reject(self.name)
        screen.say(f"{self.name}: rejected")


class Draft(WaitingItem):
    """A skill that waits for approval."""

    what = "skill"
    seen: Review | None = None

    def __init__(self, hx: Hexad, skill: Skill, by: str | None) -> None:
        self.hx, self.record, self.name, self.by = hx, skill, skill.name, by

    def show(self) -> None:
        """Print the skill and the findings of the check."""
        self.seen = self.hx.skills.review(self.name)
        showing.show_review(self.seen)
        if self.seen.obstacle:
            screen.warn(f"{self.name} {self.seen.obstacle}")

    def accept(self) -> None:
        """Approve exactly the version that was shown."""
        if self.seen is None or self.seen.obstacle:
            raise SkillRefused(
                self.name, self.seen.obstacle if self.seen else "was not shown"
            )
        by = self.by or getpass.getuser()
        showing.tell(
            self.hx.skills.activate(
                self.seen.skill.name, by=by, seen=self.seen.fingerprint
            )
        )

    def edit(self) -> None:
        """Save the edited skill; it is still a draft and is shown again."""
        self.changed()
        self.text = ""
        self.show()

    def changed(self) -> Skill:
        """The skill as the person leaves it in their editor, saved."""
        skill = self.hx.skills.get(self.name)
        key = BODIES[skill.kind]
        body = showing.pretty(skill.definition.get(key, ""))
        fields = {"description": skill.description, "when": skill.when, key: body}
        edited = self.edited(f"The skill {self.name}.", fields)
        return self.hx.skills.create(
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

    def reject(self) -> None:
        """Deprecate it: kept, but not found, run or discovered again."""
        showing.tell(self.hx.skills.deprecate(self.name))


class Doubt(WaitingItem):
    """A lesson that nobody proved, or examples that failed when somebody tried them."""

    what = "learning"
    record: Learning

    def __init__(self, hx: Hexad, learning: Learning) -> None:
        self.hx, self.record, self.name = hx, learning, learning.id

    def show(self) -> None:
        """Print the error, its lessons and its examples."""
        screen.table(screen.FACTS, learning_facts(self.record))

    def accept(self) -> None:
        """Confirm its lesson."""
        if not self.record.fix:
            reason = "it has examples only; edit it to say what helps, or reject them"
            raise InvalidInput("accept", reason)
        self._correct(self.record.fix)

    def edit(self) -> None:
        """Let the user write the lesson."""
        about = f"{self.record.trigger}: {self.record.error_pattern}"
        self._correct(self.edited(about, {"lesson": self.record.fix})["lesson"])

    def reject(self) -> None:
        """Never show its lesson again, or its examples if it has none."""
        self.hx.learnings.reject(self.name)
        rejected = "this lesson is" if self.record.fix else "its examples are"
        screen.say(f"{self.name}: rejected; {rejected} not shown again")

    def _correct(self, fix: str) -> None:
        kept = self.hx.learnings.correct(
            learning=self.name, fix=fix, redact=not self.record.verbatim
        )
        screen.say(f"{kept.id}: trusted {shown_trust(kept.trust)}")


def go_through(queue: Sequence[WaitingItem]) -> None:
    """Show each entry and ask about it."""
    for number, entry in enumerate(queue, start=1):
        screen.heading(f"{entry.what} {entry.name}")
        try:
            entry.show()
        except HexadError as error:  # what cannot be shown, such as an invalid skill, can still be rejected
            screen.error(f"{entry.what} {entry.name}: {error}")
        ways = ", ".join(
            f"{way[0]} = {way}" for way in _WAYS if way != "edit" or entry.editable
        )
        if not _settled(entry, f"{number} of {len(queue)}: {ways}"):
            break
    left = sum(not entry.settled for entry in queue)
    if left:
        screen.say(f"{screen.counted(left, 'entry', 'entries')} left for later")


def _settled(entry: WaitingItem, question: str) -> bool:
    """Ask about one entry until it is settled or skipped, as an empty answer does;
    False to quit.
    """
    while not entry.settled:
        answer = screen.asked(f"{question}:", at_end="q") or "skip"
        way = next((way for way in _WAYS if way.startswith(answer)), "")
        if way in {"quit", "skip"}:
            return way == "skip"
        _try(entry, way)
    return True


def _try(entry: WaitingItem, way: str) -> None:
    """Do it; after an error the question is asked again."""
    doing = {
        "accept": entry.accept,
        "reject": entry.reject,
        **({"edit": entry.edit} if entry.editable else {}),
    }
    if way not in doing:
        screen.remark("type one of these letters")
        return
    try:
        doing[way]()
        entry.settled = way != "edit" or not isinstance(
            entry, Draft
        )  # an edited skill is asked about again
    except HexadError as error:
        screen.error(str(error))
