"""The tools that an agent gets: save, find, correct and delete knowledge, save and find
learnings, propose skills.

An agent changes and deletes what it saved itself. Pinning, and any change to the user's
own entries, is a proposal. Plain callables: every adapter and the MCP server offer
these. Models read their names, signatures and docstrings, so those say what to give and
when. Each answers with a status and raises nothing.
"""

from __future__ import annotations

import functools
import json
import shlex
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from hexad.calls.outcome import Passing
from hexad.errors import (
    HexadError,
    InvalidInput,
    NotFound,
    NotOwn,
    RateLimited,
    StoreError,
)
from hexad.memory.admission import whole
from hexad.memory.grounded import Refused
from hexad.memory.redaction import redact
from hexad.memory.troubles import tell
from hexad.model import (
    DEFAULT_NAMESPACE,
    KEEP,
    Category,
    Item,
    Knowledge,
    Origin,
    ProposedChange,
)
from hexad.skills.run import may_run
from hexad.text import terms
from hexad.text.changes import corrected, rest
from hexad.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hexad.facade import Hexad

_AUTHOR: Final = "agent"
_NOT_SHOWN: Final = (
    "the fix takes rights or turns a check off: it is not shown unless a person "
    "says it (hexad learnings correct)"
)
_Category: TypeAlias = Literal[
    "rule", "definition", "preference", "fact", "pattern", "correction"
]


def agent_tools(
    hx: Hexad,
    *,
    shared: Hexad | None = None,
    describe: Callable[[HexadError], str] = str,
) -> tuple[Callable[..., dict[str, Any]], ...]:
    """The ten tools, over one engine. What they save has the origin agent; every call
    is in the audit log.

    ``shared`` is a second engine that is only read: the memory that all users share, if
    ``hx`` is one user's own. ``describe`` puts an error into words, if an agent must
    act otherwise than a programmer.

    >>> hx = Hexad.open(":memory:", enabled=True)
    >>> save, search, *_ = agent_tools(hx)
    >>> save("deploy-window", "Deploy on Tuesdays only", category="rule")["status"]
    'ok'
    >>> search("when to deploy")["results"][0]["content"]
    'Deploy on Tuesdays only'
    >>> save("deploy-window", "", category="rule")
    {'status': 'error', 'error': 'content: must not be empty'}
    """
    tools = _AgentTools(hx, shared)
    return tuple(hx.watch(_answering(getattr(tools, name), describe)) for name in NAMES)


class _Word(NamedTuple):
    """What is saved, the user's sentences behind it, and why it is not the user's word,
    if it is not.
    """

    content: str
    said: str
    refused: Refused | None

    @property
    def origin(self) -> Origin:
        """Whose word it is."""
        return Origin.USER if self.refused is None else Origin.AGENT


@dataclass(frozen=True, slots=True)
class _AgentTools:
    """The tools; a model reads the docstrings of the methods."""

    hx: Hexad
    shared: Hexad | None

    def save_knowledge(
        self,
        key: str = "",
        content: str = "",
        category: _Category | None = None,
        tags: list[str] | None = None,
        subject: str = "",
        said: str = "",
    ) -> dict[str, Any]:
        """Remember something the user said that will matter in later conversations.

        Use it for rules, preferences, definitions and lasting facts. Do not save small
        talk, guesses, or secrets. Keep to the user's own words, numbers and names: then
        it counts as the user's word. What you conclude is a note. Saving under a key of
        yours replaces what was there; the old version stays in the history. Under a key
        of the user's it is a proposal, and the user's words stay in force until a
        person accepts it. What a correction does not speak of is kept: the answer shows
        what was replaced, and the content now.

        Args:
            key: A short name to find it by, such as "deploy-window". Left out, one is made from the content.
            content: What to remember: one self-contained statement.
            category: "rule" (must be followed), "preference", "definition", "fact", "pattern" or "correction".
                Left out, it stays what it was, and is "fact" for a new key.
            tags: Words it should also be found by.
            subject: Whom or what it is about, if not the user.
            said: The user's own words that it comes from, for the person who reviews it.

        Returns:
            A status ("ok" or "proposed"), the key, the version that is stored now, similar entries, and the command
            with which a person accepts what was proposed.
        """
        before = self.hx.knowledge.lookup(key) if key else None
        word = self._weighed(before, key, content)
        save = partial(
            self.hx.knowledge.save,
            category=KEEP if category is None else category,
            tags=KEEP if tags is None else tags,
            subject=subject or KEEP,
            said=word.said,
        )
        try:
            entry = save(
                key or None,
                word.content,
                origin=word.origin,
                own_only=word.origin is Origin.AGENT,
            )
        except NotOwn as error:
            proposed = partial(
                self._proposed, error.key, word.content, sentence=word.said or said
            )
            answer = proposed(category=category, tags=tags or (), subject=subject)
            with suppress(RateLimited):  # the proposal is there all the same
                if word.said:  # until somebody decides, prompts tell what the user said beside what they said before
                    beside = save(None, content, origin=Origin.AGENT)
                    answer |= {"told_until_then": word.said, "noted_as": beside.key}
            return answer
        answer = _ok(
            key=entry.key,
            version=entry.version,
            category=entry.category.value,
            **_redacted(entry.redactions),
        )
        if entry == before:
            return answer
        if (
            before is not None
            and before.deleted is None
            and before.content != entry.content
        ):
            answer |= {"replaced": _shown(before), "content": _shown(entry)}
        similar = [
            {"key": item.key, "content": _shown(item)}
            for item in self.hx.knowledge.similar(entry)
        ]
        return (
            answer
            | ({"similar": similar} if similar else {})
            | self._counted(entry, word, said)
        )

    def search_knowledge(
        self, query: str, category: _Category | None = None, limit: int = 10
    ) -> dict[str, Any]:
        """Look up what is known about the user and their world, when the context you
        were given does not say.

        Args:
            query: What you want to know, in plain words.
            category: Only entries of this kind: "rule", "preference", "definition", "fact", "pattern", "correction".
            limit: How many entries at most.

        Returns:
            A status and the entries that match best, best first, each with who said it ("origin").
        """
        return self._found(
            lambda hx: hx.knowledge.search(query, category=category, limit=limit), limit
        )

    def list_knowledge(
        self, category: _Category | None = None, limit: int = 50
    ) -> dict[str, Any]:
        """List what is remembered, the latest changes first, for a user who asks what
        you know.

        Args:
            category: Only entries of this kind: "rule", "preference", "definition", "fact", "pattern", "correction".
            limit: How many entries at most.

        Returns:
            A status, how many entries there are, and the entries, each with who said it ("origin").
        """
        most = whole("limit", limit, low=1)
        kind = None if category is None else Category.parse(category, "category")
        found = [
            each
            for hx in self._readable()
            for each in hx.knowledge.list()
            if kind in {None, each.category}
        ]
        found.sort(key=lambda each: each.updated, reverse=True)
        return _ok(
            count=len(found),
            entries=[{**_facts(each), "pinned": each.pinned} for each in found[:most]],
        )

    def update_knowledge(
        self, key: str, content: str, category: _Category | None = None, said: str = ""
    ) -> dict[str, Any]:
        """Correct an entry when the user says that it has changed: "no, I am vegan
        now".

        What you saved yourself changes at once. Any other entry is the user's: then it
        is a proposal, which a person accepts; give them the command that the answer
        names.

        Args:
            key: The entry's key, or its whole text as you read it.
            content: What to remember from now on: one self-contained statement.
            category: Another kind; left out, it stays what it was.
            said: The user's own words that call for it, for the person who reviews it.

        Returns:
            A status ("ok" or "proposed"), the key, and what a person types to accept a proposal.
        """
        return self.save_knowledge(self._named(key).key, content, category, said=said)

    def delete_knowledge(self, key: str, said: str = "") -> dict[str, Any]:
        """Delete an entry when the user asks you to forget it. A person can bring it
        back, or erase it for good.

        What you saved yourself is deleted at once. Any other entry is the user's: then
        it is a proposal, which a person accepts; give them the command that the answer
        names.

        Args:
            key: The entry's key, or its whole text as you read it.
            said: The user's own words that call for it, for the person who reviews it.

        Returns:
            A status ("ok" or "proposed"), the key, and what a person types to accept a proposal.
        """
        entry = self._named(key)
        try:
            self.hx.knowledge.delete(entry.key, origin=Origin.AGENT)
        except NotOwn as error:
            return self._proposed(
                error.key, change=ProposedChange.DELETE, sentence=said
            )
        return _ok(key=entry.key, deleted=True)

    def pin_knowledge(
        self,
        key: str,
        pinned: bool = True,  # noqa: FBT001, FBT002 - models name every argument
        said: str = "",
    ) -> dict[str, Any]:
        """Propose that an entry applies to every message: "always do that". Only a
        person pins.

        Args:
            key: The entry's key, or its whole text as you read it.
            pinned: False proposes that it no longer applies always.
            said: The user's own words that call for it, for the person who reviews it.

        Returns:
            The status "proposed", and what a person types to accept it; tell the user.
        """
        change = ProposedChange.PIN if pinned else ProposedChange.UNPIN
        return self._proposed(self._named(key).key, change=change, sentence=said)

    def save_learning(
        self,
        trigger: str,
        error_pattern: str,
        diagnosis: str = "",
        fix: str = "",
        category: Literal[
            "timeout", "permission", "provider_error", "tool_error", "general"
        ]
        | None = None,
        tags: list[str] | None = None,
    ) -> dict[str, Any]:
        """Note down what went wrong with a tool and what fixed it, so that it does not
        happen again.

        Args:
            trigger: What it is about: "tool:" and the tool's name, such as "tool:deploy".
            error_pattern: The error as the tool reported it.
            diagnosis: Why it happened.
            fix: What to do instead, as one instruction.
            category: "timeout", "permission", "provider_error", "tool_error" or "general". Left out, it stays the same.
            tags: Words it should also be found by.

        Returns:
            A status and the learning's id.
        """
        learning = self.hx.learnings.save(
            trigger=trigger,
            error_pattern=error_pattern,
            diagnosis=diagnosis or KEEP,
            fix=fix or KEEP,
            category=KEEP if category is None else category,
            tags=KEEP if tags is None else tags,
            origin=Origin.AGENT,
        )
        kept = {"note": _NOT_SHOWN} if fix and not learning.fix else {}
        return _ok(
            id=learning.id,
            trigger=learning.trigger,
            **_redacted(learning.redactions),
            **kept,
        )

    def search_learnings(self, query: str, limit: int = 10) -> dict[str, Any]:
        """Look up how an error was solved before. Use it when a tool fails in a way
        that you cannot explain.

        Args:
            query: The tool's name and what its error says.
            limit: How many learnings at most.

        Returns:
            A status and the learnings that match best, best first, each with its fix and how far that is trusted.
        """
        return self._found(lambda hx: hx.learnings.search(query, limit=limit), limit)

    def create_skill(
        self,
        name: str,
        kind: Literal["composite", "script", "template", "instruction"],
        description: str,
        definition: dict[str, Any],
        parameters: dict[str, Any] | None = None,
        tags: list[str] | None = None,
    ) -> dict[str, Any]:
        """Propose a procedure that worked as a skill for later. A person has to approve
        it before it can be used.

        The name of a skill that is in use is refused: choose another, and tell the user
        if yours should replace it.

        Args:
            name: A short name in lower case with hyphens, such as "weekly-report".
            kind: "composite" (steps through tools), "script" (shell), "template" (text with values) or "instruction".
            description: What it does and when to use it, in one or two sentences.
            definition: For composite {"steps": [{"tool": ..., "args": {...}, "save_as": ...}]}, for script
                {"script": ...}, for template {"template": ...}, for instruction {"text": ...}.
            parameters: A JSON Schema (type object) of what it takes; scripts get them as variables. Left out, a
                template takes the values that it uses, and others take none.
            tags: Words it should also be found by.

        Returns:
            A status, the skill's name, whether it is a draft or active, and how a person approves a draft.
        """
        skill = self.hx.skills.create(
            name,
            kind=kind,
            description=description,
            definition=definition,
            parameters=parameters,
            tags=tags or (),
            author=_AUTHOR,
            origin=Origin.AGENT,
        )
        approve = (
            {} if may_run(skill) else {"approve": review_command(self.hx, skill.name)}
        )
        return _ok(
            name=skill.name,
            state=skill.status.value,
            **approve,
            **_redacted(skill.redactions),
        )

    def list_skills(self) -> dict[str, Any]:
        """List the procedures that are ready to be used, each with the tool that runs
        it.

        Returns:
            A status and the active skills, each with its description, kind, parameters and tool.
        """
        active = {
            tool: skill
            for hx in self._readable()
            for tool, skill in hx.skills.by_tool().items()
        }
        skills = [
            {
                "name": skill.name,
                "description": skill.description,
                "kind": skill.kind.value,
                "parameters": dict(skill.parameters),
                "tool": tool,
            }
            for tool, skill in active.items()
        ]
        return _ok(count=len(skills), skills=skills)

    def _weighed(self, before: Knowledge | None, key: str, content: str) -> _Word:
        """Whose word a save is, with what it does not speak of in the entry that it
        corrects.
        """
        grounded = self.hx.said(content)
        if before is None or before.deleted is not None:
            return _Word(content, grounded.sentence, grounded.refused)
        if grounded.refused is None and not _is_about(before, key, content):
            return _Word(content, grounded.sentence, Refused.OTHER)
        whole = corrected(before.content, content, grounded.sentence)
        if whole == content or before.origin is Origin.USER:
            return _Word(whole, grounded.sentence, grounded.refused)
        earlier = (
            rest(before.said, [grounded.sentence])
            if before.said != grounded.sentence
            else ""
        )
        said = " ".join(each for each in (earlier, grounded.sentence) if each)
        return _Word(whole, said, grounded.refused or Refused.KEPT)

    def _named(self, key: str) -> Knowledge:
        """The entry of that key, or with that text: the context does not show a key
        that was made from the text.
        """
        try:
            return self.hx.knowledge.get(key)
        except (InvalidInput, NotFound):
            found = (
                item.key
                for item in self.hx.knowledge.search(key)
                if item.content.strip() == key.strip()
            )
            if (same := next(found, None)) is None:
                raise
            return self.hx.knowledge.get(same)

    def _proposed(self, key: str, content: str = "", **proposed: Any) -> dict[str, Any]:
        """Propose a change, and say how a person accepts it."""
        proposal = self.hx.proposals.propose(key, content, **proposed)
        return {
            "status": "proposed",
            "key": proposal.key,
            "proposal": proposal.id,
            "accept": review_command(self.hx, proposal.id),
            **_redacted(proposal.redactions),
        }

    def _counted(self, entry: Knowledge, word: _Word, said: str) -> dict[str, Any]:
        """Whose word an entry is. What the user did not say is proposed to them, unless
        enough was proposed.
        """
        if entry.origin is not Origin.AGENT:
            self.hx.proposals.withdraw(entry.key)
            return {"counts_as": "the user's word"} if entry.said else {}
        heard = word.refused is not Refused.UNHEARD
        answer = (
            {"counts_as": f"your note, not the user's word ({word.refused})"}
            if heard
            else {}
        )
        answer |= {"told_beside_it": entry.said} if entry.said else {}
        sentence = entry.said or said
        try:
            proposal = self.hx.proposals.propose(
                entry.key, entry.content, category=entry.category, sentence=sentence
            )
        except RateLimited:
            return answer
        return {**answer, "accept": review_command(self.hx, proposal.id)}

    def _readable(self) -> Sequence[Hexad]:
        """The instances to search, the shared one first: a skill of the user replaces a
        shared one of that name.
        """
        return (self.hx,) if self.shared is None else (self.shared, self.hx)

    def _found(
        self, search: Callable[[Hexad], Sequence[Item]], limit: int
    ) -> dict[str, Any]:
        items = [item for hx in self._readable() for item in search(hx)]
        best = sorted(items, key=lambda item: -item.score)[:limit]
        return _ok(
            count=len(best),
            results=[{**_facts(item), "score": round(item.score, 3)} for item in best],
        )


NAMES: Final = tuple(
    name
    for name, each in vars(_AgentTools).items()
    if name[0] != "_" and callable(each)
)


def review_command(hx: Hexad, name: str) -> str:
    """The command with which a person looks at a proposal or a skill, and accepts it.

    >>> review_command(Hexad.open(":memory:", enabled=True), "weekly report")
    "hexad review 'weekly report'"
    """
    command = ["hexad", "review", name]
    if hx.store.durable and "://" not in hx.store.location:
        command += ["--db", hx.store.location]
    if hx.namespace != DEFAULT_NAMESPACE:
        command += ["--namespace", hx.namespace]
    return shlex.join(command)


def _answering(
    tool: Callable[..., dict[str, Any]], describe: Callable[[HexadError], str]
) -> Callable[..., dict[str, Any]]:
    """The tool, with errors as answers: a model can act on a sentence, not on an
    exception.
    """

    @functools.wraps(tool)
    def answer(*given: Any, **named: Any) -> dict[str, Any]:
        try:
            return tool(*given, **named)
        except (
            RateLimited,
            StoreError,
        ) as error:  # this will pass, and says nothing about the tool
            return Passing(error_answer(describe(error)))
        except HexadError as error:
            return error_answer(describe(error))
        except TypeError as error:  # an argument too many, too few, or of a wrong type
            return error_answer(str(error).replace(f"{_AgentTools.__name__}.", ""))
        except Exception as error:  # noqa: BLE001 - the agent goes on
            tell(f"{tool.__name__} failed", error)
            return error_answer(f"{type(error).__name__}: {error}")

    return answer


def _ok(**fields: Any) -> dict[str, Any]:
    """The answer without invisible characters, in keys and schemas too."""
    seen: dict[str, Any] = json.loads(
        visible(json.dumps({"status": "ok", **fields}, ensure_ascii=False))
    )
    return seen


def error_answer(sentence: str) -> dict[str, Any]:
    """An error as a tool's answer, without secrets."""
    return {"status": "error", "error": redact(sentence).text}


def _redacted(kinds: Sequence[str]) -> dict[str, Any]:
    return {"redacted": list(kinds)} if kinds else {}


def _shown(said: Item | Knowledge) -> str:
    """Its text without what nobody sees, redacted again: an older Hexad may have stored
    it.
    """
    text = visible(said.content)
    return text if said.verbatim else redact(text).text


def _is_about(entry: Knowledge, key: str, content: str) -> bool:
    """Whether a text is about what an entry, or its key, is about: it may replace that."""
    return not set(terms(content)).isdisjoint({*terms(entry.content), *terms(key)})


def _facts(said: Item | Knowledge) -> dict[str, Any]:
    category, origin = str(said.category), said.origin.value
    return {
        "key": said.key,
        "content": _shown(said),
        "category": category,
        "origin": origin,
    }
