"""`hexad` without a command, and `status`: what is stored, learned, waiting for review,
and what to do next.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hexad._version import __version__
from hexad.cli.commands import Commands, Common
from hexad.cli.memory.learnings import known_in_words, listed
from hexad.cli.opening import absence_of
from hexad.cli.terminal import screen
from hexad.cli.terminal.suggesting import command
from hexad.clock import utc_now
from hexad.facade import Hexad
from hexad.json_form import to_json
from hexad.model import (
    DEFAULT_LAYERS,
    Layer,
    Learning,
    Proposal,
    Skill,
    SkillStatus,
    shown_trust,
)
from hexad.settings import survey
from hexad.store import Question

_REMEMBER: Final = 'remember "I like green tea"'
_EXPLAIN: Final = 'explain "a message"'
_MOST_PINNED: Final = 1000  # that are counted
_LATEST: Final = 3  # rows of learnings and of the review queue on the screen
_STORED: Final = ("layer", "stored", screen.Wide("of these"))
_LEARNED: Final = (
    screen.Wide("tool", 18),
    "trust",
    screen.Wide("pattern and what worked"),
)
_AWAITING: Final = ("what", screen.Wide("which", 26), screen.Wide("about"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The contents of one namespace."""

    namespace: str
    stored: Mapping[Layer, int]
    pinned: int
    learnings: tuple[Learning, ...]  # newest first
    skills: tuple[Skill, ...]
    doubtful: tuple[Learning, ...]
    proposals: tuple[Proposal, ...] = ()
    noticed: int = 0  # failures that only one session met
    unfit: str = ""  # a sentence about the rules for which every prompt has no room

    @property
    def drafts(self) -> tuple[Skill, ...]:
        """The skills that wait for approval."""
        return tuple(
            skill for skill in self.skills if skill.status is SkillStatus.DRAFT
        )


app = Commands()


@app.command(epilog="Example: hexad status --db agent.db")
def status(common: Common) -> None:
    """Show what is stored, what was learned recently and what awaits review; the same
    as `hexad` alone.
    """
    path = None if common.is_server else common.path
    if path is not None and absence_of(path):
        survey(
            {"namespace": common.namespace}, beside=path.parent
        )  # report wrong settings first
        greeting = (
            f"hexad {__version__}: there is no database yet ({path})\nnext: "
            f"{_first()}\nall commands: hexad --help"
        )
        common.answer(
            {"database": str(path), "exists": False, "next": _first()}, greeting
        )
        return
    with common.opened() as hx:
        found, shown = status_of(hx), hx.store.location
    if common.as_json:
        screen.emit(_as_json(shown, found))
    else:
        _show(shown, found)


def status_of(hx: Hexad) -> Status:
    """Count the contents of an engine's namespace."""
    with hx.store.reading(
        hx.namespace
    ) as view:  # counted, since there may be very many
        found = view.evidence(
            Question(DEFAULT_LAYERS, utc_now(), standing=_MOST_PINNED)
        )
    every, skills = hx.learnings.list(noticed=True), hx.skills.list()
    learnings = [each for each in every if each.learned]
    counted = {layer: evidence.statistics.rows for layer, evidence in found.items()}
    return Status(
        namespace=hx.namespace,
        stored={
            **counted,
            Layer.AGENT_LEARNINGS: len(learnings),
            Layer.SKILL_PATTERNS: len(skills),
        },
        pinned=len(found[Layer.USER_KNOWLEDGE].standing),
        unfit=hx.explain("").unfit,
        noticed=len(every) - len(learnings),
        learnings=tuple(sorted(learnings, key=lambda each: each.updated, reverse=True)),
        skills=skills,
        doubtful=hx.learnings.doubtful(),
        proposals=hx.proposals.list(),
    )


def advice(found: Status) -> str:
    """The most useful next command."""
    waiting = len(found.proposals) + len(found.drafts) + len(found.doubtful)
    if waiting:
        return f"{command('review')} ({screen.counted(waiting, 'thing')} to review)"
    if not found.stored[Layer.USER_KNOWLEDGE]:
        return _first()
    if not (found.learnings or found.noticed):
        return f"{command('mcp install --client NAME')}, or hx.watch(tool) in Python (let an agent use it and learn)"
    return f"{command(_EXPLAIN)} (see the prompt for a message, and why)"


def _first() -> str:
    return f"{command(_REMEMBER)} (a rule, a preference, a fact)"


def _show(path: str, found: Status) -> None:
    screen.say(f"hexad {__version__}: {path}, namespace {found.namespace}")
    counts = []
    for layer, numbers in _counts(found).items():
        said = ", ".join(f"{name} {number}" for name, number in numbers.items())
        counts.append((layer, said))
    screen.table(
        _STORED, [(layer.value, found.stored[layer], text) for layer, text in counts]
    )
    if found.learnings:
        rows = [
            (tool, trust, text)
            for _, tool, _, _, trust, text in map(listed, found.learnings[:_LATEST])
        ]
        screen.table(_LEARNED, rows, title="learned recently", first="learned")
    drafts = [("skill", each.name, each.description) for each in found.drafts[::-1]]
    proposals = [
        ("proposal", f"{each.id}: {each.change} {each.key}", each.content)
        for each in found.proposals
    ]
    doubts: list[tuple[str, str, str]] = []
    for each in found.doubtful:
        about = f"{known_in_words(each)} (trust {shown_trust(each.trust)})"
        doubts.append(("learning", each.tool, about))
    waiting = [*proposals, *drafts, *doubts]
    if waiting:
        screen.table(
            _AWAITING,
            waiting[:_LATEST],
            title=f"awaits review: {len(waiting)}",
            first="review",
        )
    if found.unfit:
        screen.say(found.unfit)
    screen.say(f"next: {advice(found)}")


def _counts(found: Status) -> dict[Layer, dict[str, int]]:
    """How many of the records of each layer are what."""
    return {layer: dict[str, int]() for layer in DEFAULT_LAYERS} | {
        Layer.USER_KNOWLEDGE: {"pinned": found.pinned},
        Layer.AGENT_LEARNINGS: {
            "trusted": sum(each.trusted for each in found.learnings),
            "doubtful": len(found.doubtful),
            "noticed": found.noticed,
        },
        Layer.SKILL_PATTERNS: {
            "active": sum(skill.status is SkillStatus.ACTIVE for skill in found.skills),
            "drafts": len(found.drafts),
        },
    }


def _as_json(path: str, found: Status) -> dict[str, Any]:
    return {
        "database": str(path),
        "exists": True,
        "namespace": found.namespace,
        "layers": {
            layer.value: {"stored": found.stored[layer], **each}
            for layer, each in _counts(found).items()
        },
        "learned": [to_json(each) for each in found.learnings[:_LATEST]],
        "review": {
            "proposals": [each.id for each in found.proposals],
            "skills": [each.name for each in found.drafts],
            "learnings": [each.id for each in found.doubtful],
        },
        "unfit": found.unfit,
        "next": advice(found),
    }
