"""The nouns: the records that Hexad keeps, its queries and its answers. Frozen; the
standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, TypeAlias, get_args

from hexad.choices import Capability as Capability
from hexad.choices import Category as Category
from hexad.choices import Choice as Choice
from hexad.choices import Decision as Decision
from hexad.choices import ErrorCategory as ErrorCategory
from hexad.choices import Origin as Origin
from hexad.choices import ProposedChange as ProposedChange
from hexad.choices import ReferenceKind as ReferenceKind
from hexad.choices import SkillKind as SkillKind
from hexad.choices import SkillStatus as SkillStatus
from hexad.errors import UnknownLayer
from hexad.examples import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from typing import Self

    Clock: TypeAlias = Callable[[], datetime]
    TokenCounter: TypeAlias = Callable[[str], int]
    Json: TypeAlias = (
        "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
    )

DEFAULT_NAMESPACE: Final = "default"
_NAME_PARTS: Final = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|\d+")
_PLACEHOLDER: Final = re.compile(r"<[\w*]+>")
_PATTERN_WORD: Final = re.compile(r"\w+")
_WORDLESS: Final = re.compile(r"Exit code <\w+>|\W*")  # an error that says nothing
_FEWEST_QUOTED: Final = 3  # words of a pattern in a message that quotes it
TRUSTED: Final = (
    0.7  # `fix_for` and `watch(advise=True)` offer a fix with more trust than this
)


def shown_trust(trust: float) -> str:
    """Trust as people read it, rounded down: 0.697 is not shown as the 0.70 that it
    does not reach.
    """
    return f"{int(trust * 100 + 1e-9) / 100:.2f}"


class Layer(StrEnum):
    """The six layers of context. Their order here is their order in the prompt."""

    heading: str  # of its section in the prompt
    noun: str  # the name of one item
    code: int  # in databases that number layers: never change one

    def __new__(cls, value: str, heading: str, noun: str, code: int) -> Self:
        """A member with its heading, noun and code."""
        layer = str.__new__(cls, value)
        layer._value_ = value
        layer.heading, layer.noun, layer.code = heading, noun, code
        return layer

    TOOL_REGISTRY = "tool_registry", "Available Tools", "tool", 2
    USER_KNOWLEDGE = "user_knowledge", "User Knowledge", "knowledge", 3
    AGENT_LEARNINGS = "agent_learnings", "Known Solutions", "learning", 4
    SKILL_PATTERNS = "skill_patterns", "Available Skills", "skill", 5
    EXTERNAL_KNOWLEDGE = "external_knowledge", "External References", "reference", 6
    RUNTIME_CONTEXT = "runtime_context", "Runtime Context", "state", 1

    @classmethod
    def parse(cls, name: object) -> Layer:
        """The layer of that name.

        >>> Layer.parse("user_knowledge")
        <Layer.USER_KNOWLEDGE: 'user_knowledge'>
        """
        for layer in cls:
            if layer.value == name:
                return layer
        raise UnknownLayer(name, cls)


class Keep(Enum):
    """The default of an argument that was not given: the field stays as it is."""

    KEEP = "keep"


KEEP: Final = Keep.KEEP


class Fields(NamedTuple):
    """A record's searchable text: its name, body and tags, each with its own weight."""

    name: str
    body: str
    tags: tuple[str, ...] = ()
    facets: tuple[tuple[str, str], ...] = ()  # exact values that a search can filter by
    subject: str = ""  # the person or thing that it is about


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class _Said:
    """The fields of every record and of every version: who said it, when, and what was
    redacted.
    """

    origin: Origin = Origin.USER
    session: str = ""
    verbatim: bool = False  # saved with redact=False: its secrets are kept
    redactions: tuple[str, ...] = ()  # the kinds of secret that were replaced
    created: datetime


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class _Stored(_Said):
    """The fields of every record."""

    tags: tuple[str, ...] = ()
    use_count: int = 0
    last_used: datetime | None = None
    updated: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge(_Stored):
    """An entry of User Knowledge: the newest version under its key."""

    layer: ClassVar[Layer] = Layer.USER_KNOWLEDGE

    key: str
    content: str
    category: Category = Category.FACT
    source: str = ""
    subject: str = ""
    thread: str = ""
    position: int | None = None
    pinned: bool = False
    expires: datetime | None = None
    relevance: float = 1.0
    version: int = 1
    first_version: int = 1  # the first version that `history` shows
    said: str = ""  # the user's own sentences, if an agent put them into other words
    given_by: Mapping[str, str] = field(
        default_factory=dict
    )  # the session that set each field that is not its default
    deleted: datetime | None = None

    @property
    def id(self) -> str:
        """Its identity in its layer and namespace."""
        return self.key

    @property
    def said_by(self) -> str:
        """Who said it, and how it came here."""
        if not self.said:
            return self.origin.value
        noted = (
            "noted by the agent"
            if self.origin is Origin.USER
            else "in the agent's words"
        )
        return f"said by the user on {self.updated:%Y-%m-%d}, {noted}"

    def fields(self) -> Fields:
        """Its searchable text."""
        tags = (*self.tags, self.subject) if self.subject else self.tags
        return Fields(
            self.key, self.content, tags, (("category", self.category),), self.subject
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Version(_Said):
    """One version of a knowledge entry."""

    key: str
    version: int
    content: str
    category: Category
    source: str = ""
    subject: str = ""
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning(_Stored):
    """An error pattern, what is known to have worked after it, and what somebody says
    about it.

    ``seen`` counts the error, ``sessions`` the sessions that met it. ``fix`` is a
    lesson in somebody's words; what the calls themselves show is in ``evidence``.
    ``worked`` and ``failed`` count sessions that met the error, were shown something
    and tried it; ``unaided`` and ``stuck`` those that were shown nothing and went on,
    or met it again. ``trust`` follows from these.
    """

    layer: ClassVar[Layer] = Layer.AGENT_LEARNINGS

    id: str
    trigger: str
    error_pattern: str = ""
    diagnosis: str = ""
    fix: str = ""
    category: ErrorCategory = ErrorCategory.GENERAL
    seen: int = 0
    worked: int = 0
    failed: int = 0
    template: str = ""  # the pattern that errors are matched with
    length: int = 0  # of the template, in words
    unaided: int = 0
    trust: float = 0.0
    evidence: Mapping[str, Json] = field(
        default_factory=dict
    )  # see `hexad.examples.Evidence`
    stuck: int = 0
    sessions: int = 0

    @property
    def trusted(self) -> bool:
        """Whether what it shows has enough trust for `fix_for`."""
        return self.trust > TRUSTED

    @property
    def in_words(self) -> bool:
        """Whether somebody said something about it."""
        return bool(self.fix or self.diagnosis)

    @property
    def says(self) -> bool:
        """Whether it says more than that an error occurred."""
        return self.in_words or bool(self.known.shown)

    @property
    def learned(self) -> bool:
        """Whether it is a learning: met in a second session, or put into words. Other
        failures are only noticed.
        """
        return self.in_words or self.sessions > 1 or self.origin is not Origin.TOOL

    @property
    def known(self) -> Evidence:
        """Its evidence as nouns."""
        return Evidence.from_json(self.evidence)

    @property
    def tool(self) -> str:
        """The tool that it is about."""
        return self.trigger.removeprefix("tool:")

    def is_told(self, message: str) -> bool:
        """Whether it belongs into a prompt for a message: a lesson always, an example
        if the message names its tool.

        A program is named by its own words (`npm test`) once two sessions met the
        error, a tool by the parts of its name in any order.
        """
        if self.in_words:
            return True
        examples = [each for each in self.known.shown if not each.rights]
        text = " ".join(message.casefold().split())
        words = {part.casefold() for part in _NAME_PARTS.findall(message)}
        name = self.tool.rpartition("__")[
            2
        ]  # of an MCP server's tool, which clients give its server's name
        own = {part.casefold() for part in _NAME_PARTS.findall(name)}
        if examples and self._is_quoted(text, named=own <= words):
            return True
        if not any(each.general for each in examples) or _WORDLESS.fullmatch(
            self.error_pattern
        ):
            return False
        programs = self.known.names if self.sessions > 1 else ()
        if any(
            re.search(rf"(?<![\w-]){re.escape(name.casefold())}(?![\w-])", text)
            for name in programs
        ):
            return True
        return not self.known.names and own <= words

    def _is_quoted(self, text: str, *, named: bool) -> bool:
        """Whether a message holds the words of its pattern in a row: enough of them,
        unless it names the tool too.
        """
        parts = [
            " ".join(_PATTERN_WORD.findall(each.casefold()))
            for each in _PLACEHOLDER.split(self.error_pattern)
        ]
        said = f" {' '.join(_PATTERN_WORD.findall(text))} "
        count = sum(len(part.split()) for part in parts)
        enough = count >= _FEWEST_QUOTED or (named and count > 0)
        return enough and all(f" {part} " in said for part in parts if part)

    def fields(self) -> Fields:
        """Its searchable text."""
        names = self.evidence.get("names")
        programs = " ".join(map(str, names)) if isinstance(names, list) else ""
        parts = dict.fromkeys(
            part
            for part in (self.error_pattern, self.diagnosis, self.fix, programs)
            if part
        )
        return Fields(
            self.trigger, "\n".join(parts), self.tags, (("category", self.category),)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill(_Stored):
    """A reusable procedure.

    ``use_count`` counts prompts and runs; ``run_count`` the runs, and ``success_count``
    those that went well.
    """

    layer: ClassVar[Layer] = Layer.SKILL_PATTERNS

    name: str
    description: str
    kind: SkillKind
    definition: Mapping[str, Json]
    parameters: Mapping[str, Json] = field(default_factory=dict)
    when: str = ""  # the situation to use it in
    status: SkillStatus = SkillStatus.DRAFT
    author: str = ""
    requires_approval: bool = True  # until a person, or `auto_approve_skills`, has approved its present definition
    approved: str = ""  # the fingerprint of the approved definition
    approved_by: str = ""
    reason: str = ""  # why it is a draft, if something turned it back into one
    version: int = 1
    recent: str = (
        ""  # the outcomes of its latest runs since activation, one character each
    )
    run_count: int = 0
    success_count: int = 0

    @property
    def id(self) -> str:
        """Its identity in its layer and namespace."""
        return self.name

    def fields(self) -> Fields:
        """Its searchable text."""
        body = f"{self.description}\n{self.when}" if self.when else self.description
        return Fields(self.name, body, self.tags, (("kind", self.kind),))


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillVersion(_Said):
    """One version of a skill."""

    name: str
    version: int
    description: str
    kind: SkillKind
    definition: Mapping[str, Json]
    parameters: Mapping[str, Json] = field(default_factory=dict)
    when: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference(_Stored):
    """A pointer to a document, an API, a wiki, a repository or a tool."""

    layer: ClassVar[Layer] = Layer.EXTERNAL_KNOWLEDGE

    name: str
    location: str
    summary: str = ""
    kind: ReferenceKind = ReferenceKind.DOCUMENTATION
    metadata: Mapping[str, Json] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Its identity in its layer and namespace."""
        return self.name

    def fields(self) -> Fields:
        """Its searchable text."""
        return Fields(
            self.name,
            f"{self.summary}\n{self.location}",
            self.tags,
            (("kind", self.kind),),
        )


Record: TypeAlias = Knowledge | Learning | Skill | Reference
RECORDS: Final[tuple[type[Record], ...]] = get_args(Record)
RECORD_OF: Final[dict[Layer, type[Record]]] = {
    record.layer: record for record in RECORDS
}  # the stored layers
DEFAULT_LAYERS: Final = tuple(RECORD_OF)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal(_Said):
    """A change to an entry that waits for a person's decision; no retrieval finds it."""

    id: str
    key: str  # of the entry that it would write, delete or pin
    change: ProposedChange = ProposedChange.SAVE
    content: str = ""
    category: Category = Category.FACT
    subject: str = ""
    tags: tuple[str, ...] = ()
    sentence: str = ""  # the user's words that it came from
    against: str = ""  # the key of the entry that it changes or contradicts


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """A word of an earlier question after which an item was used: it helps to find the
    item again.
    """

    layer: Layer
    id: str
    term: str
    weight: float  # the number of uses, decayed to the time ``used``
    session: str = ""  # of the last use
    used: datetime  # the time of the last use


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecord:
    """One change in the audit log: who did what to which record, never the content."""

    sequence: int
    at: datetime
    session: str
    action: str
    actor: str
    target: str
    details: Mapping[str, Json]
    previous: str
    hash: str


class Verdict(NamedTuple):
    """The result of verifying an audit chain."""

    namespace: str
    records: int
    head: str
    broken_at: int | None = None
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether the chain is whole."""
        return not self.problem


class Erasure(StrEnum):
    """The state of the bytes of forgotten rows, which no query finds any more."""

    DONE = "done"
    HELD = "held"  # another connection still reads an older state
    SCHEDULED = "scheduled"  # the database removes them with its next maintenance


class Forgotten(NamedTuple):
    """The result of `forget`: how many entries, whether no bytes of them are left, and
    if not, why and what to do.
    """

    entries: int
    erased: bool
    detail: str = ""
    state: Erasure = Erasure.DONE


class Reason(NamedTuple):
    """One part of an item's score: a signal, what it matched, and the value that it
    added.
    """

    signal: str
    detail: str
    value: float

    def __str__(self) -> str:
        return f"{self.signal} {self.value:+.3f} ({self.detail})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One piece of context: layers return items, and a prompt consists of them."""

    layer: Layer
    id: str
    key: str
    content: str
    category: str
    source: str = ""
    origin: Origin = Origin.USER
    score: float = 0.0
    reasons: tuple[Reason, ...] = ()
    pinned: bool = False
    verbatim: bool = False
    distance: int = (
        0  # of the memory that holds it, where several are read: 0 is the engine's own
    )
    said: str = ""  # the user's sentences behind what an agent saved


class Failure(NamedTuple):
    """A layer that failed, and the reason."""

    layer: Layer
    reason: str


class Query(NamedTuple):
    """A message as the layers see it: its keywords for people, and its terms for the
    index.
    """

    text: str
    keywords: tuple[str, ...]
    terms: tuple[str, ...]
    session: str | None = None
    spelled: Mapping[str, str] = {}  # each term as it is spelled in the message
    common: frozenset[str] = frozenset()  # the terms that say little about a topic
    parts: frozenset[str] = (
        frozenset()
    )  # the terms that stand for a part of a word: they count only where they match
    names: frozenset[str] = frozenset()  # the terms that are written like a name

    def __bool__(self) -> bool:
        return bool(self.terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """The items that were found. A layer that found nothing is absent from ``items``."""

    query: str
    items: Mapping[Layer, tuple[Item, ...]] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
    keywords: tuple[str, ...] = ()
    standing: tuple[Item, ...] = ()  # in every prompt; `retrieve` leaves them out
    unfit: str = ""  # a sentence about the rules for which every prompt has no room
    noted: tuple[
        Item, ...
    ] = ()  # the agent's notes that every prompt of a small memory has
    namespace: str = DEFAULT_NAMESPACE
    session: str | None = None
    seconds: Mapping[Layer, float] = field(default_factory=dict, compare=False)

    def __bool__(self) -> bool:
        return bool(self.items)

    def all(self) -> tuple[Item, ...]:
        """Every item, layer by layer in prompt order."""
        return tuple(item for layer in Layer for item in self.items.get(layer, ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt ready to send, with the items in it and those left out. ``str(prompt)``
    is its text.

    After the base comes the ``block`` of ``standing`` items, then the ``sections`` of
    those that were ``kept`` of what was found.
    """

    text: str
    base: str
    block: str = ""
    standing: tuple[Item, ...] = ()
    noted: tuple[Item, ...] = ()  # the agent's notes, behind what stands
    kept: tuple[Item, ...] = ()
    dropped: tuple[Item, ...] = ()
    failures: tuple[Failure, ...] = ()
    keywords: tuple[str, ...] = ()
    tokens: int = 0  # of all that was added to the base
    budget: int | None = None
    query: str = ""  # the message that the items were retrieved for
    namespace: str = DEFAULT_NAMESPACE
    session: str | None = None

    def __str__(self) -> str:
        return self.text

    @property
    def added(self) -> str:
        """The text after the base."""
        return self.text[len(self.base) :]

    @property
    def sections(self) -> str:
        """The text of what was found, without the standing block."""
        return self.added.strip("\n").removeprefix(self.block).strip("\n")

    def explain(self) -> str:
        """The keywords, the items that were kept or left out with their reasons, and
        the layers that failed.
        """
        lines = [f"searched for: {', '.join(self.keywords) or 'nothing'}"]
        lines += [f"standing {item.layer}/{item.key}" for item in self.standing]
        lines += [f"noted {item.layer}/{item.key}" for item in self.noted]
        lines += [f"kept {_reason_line(item)}" for item in self.kept]
        lines += [
            f"dropped {_reason_line(item)}: over the token budget of {self.budget}"
            for item in self.dropped
        ]
        lines += [
            f"failed {failure.layer}: {failure.reason}" for failure in self.failures
        ]
        return "\n".join(lines)


def _reason_line(item: Item) -> str:
    return f"{item.layer}/{item.key} {item.score:.3f} = {', '.join(map(str, item.reasons))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool, as a registry describes it."""

    name: str
    description: str = ""
    parameters: Mapping[str, Json] = field(default_factory=dict)
    tags: tuple[str, ...] = ()

    def fields(self) -> Fields:
        """Its searchable text."""
        return Fields(self.name, self.description, (*self.tags, *self.parameters))


class RuntimeState(NamedTuple):
    """The present state of the agent's process; never stored."""

    session: str = ""
    channel: str = "direct"
    active_tools: int = 0
    encryption: bool = False
    knowledge: bool = False
    memory: bool = False
