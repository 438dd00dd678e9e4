"""The tools that an agent gets: save and search knowledge and learnings, propose and list skills.

Plain callables: every adapter and the MCP server offer these. Models read their names, signatures and docstrings, so
those say what to give and when. Each answers with a status and raises nothing.
"""

from __future__ import annotations

import functools
import logging
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from hexad.errors import HexadError, RateLimited, StoreError
from hexad.learning.outcome import Passing
from hexad.memory.redaction import redact
from hexad.model import DEFAULT_NAMESPACE, KEEP, Origin
from hexad.skills.run import may_run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hexad.facade import Hexad
    from hexad.model import Item

NAMES: Final = (
    "save_knowledge",
    "search_knowledge",
    "save_learning",
    "search_learnings",
    "create_skill",
    "list_skills",
)
_AUTHOR: Final = "agent"
_Category: TypeAlias = Literal["rule", "definition", "preference", "fact", "pattern", "correction"]


def agent_tools(
    hx: Hexad, *, house: Hexad | None = None, describe: Callable[[HexadError], str] = str
) -> tuple[Callable[..., dict[str, Any]], ...]:
    """The six tools, over one engine. What they save has the origin agent; every call is in the audit log.

    ``house`` is a second engine that is only read: the memory that all users share, if ``hx`` is one user's own.
    ``describe`` puts an error into words, if an agent must act otherwise than a programmer.

    >>> hx = Hexad.open(":memory:", enabled=True)
    >>> save, search, *_ = agent_tools(hx)
    >>> save("deploy-window", "Deploy on Tuesdays only", category="rule")["status"]
    'ok'
    >>> search("when to deploy")["results"][0]["content"]
    'Deploy on Tuesdays only'
    >>> save("deploy-window", "", category="rule")
    {'status': 'error', 'error': 'content: must not be empty'}
    """
    tools = _AgentTools(hx, house)
    return tuple(hx.watch(_answering(getattr(tools, name), describe)) for name in NAMES)


@dataclass(frozen=True, slots=True)
class _AgentTools:
    """The tools; a model reads the docstrings of the methods."""

    hx: Hexad
    house: Hexad | None

    def save_knowledge(
        self,
        key: str,
        content: str,
        category: _Category | None = None,
        tags: list[str] | None = None,
        subject: str = "",
    ) -> dict[str, Any]:
        """Remember something the user said that will matter in later conversations.

        Use it for rules, preferences, definitions and lasting facts. Do not save small talk, guesses, or secrets.
        Saving under a known key replaces what was there; the old version stays in the history, what you leave out stays
        as it is, and the same again changes nothing. Other words are no longer pinned: only a person pins.

        Args:
            key: A short name to find it by, such as "deploy-window" or "seat-preference".
            content: What to remember: one self-contained statement.
            category: "rule" (must be followed), "preference", "definition", "fact", "pattern" or "correction".
                Left out, it stays what it was, and is "fact" for a new key.
            tags: Words it should also be found by.
            subject: Whom or what it is about, if not the user.

        Returns:
            A status, the key and the version that is stored now.
        """
        was_pinned = self._is_pinned(key)
        entry = self.hx.knowledge.save(
            key,
            content,
            category=KEEP if category is None else category,
            tags=KEEP if tags is None else tags,
            subject=subject or KEEP,
            origin=Origin.AGENT,
        )
        notes = _redacted(entry.redactions) | ({"unpinned": True} if was_pinned and not entry.pinned else {})
        return _ok(key=entry.key, version=entry.version, category=entry.category.value, **notes)

    def search_knowledge(self, query: str, category: _Category | None = None, limit: int = 10) -> dict[str, Any]:
        """Look up what is known about the user and their world, when the context you were given does not say.

        Args:
            query: What you want to know, in plain words.
            category: Only entries of this kind: "rule", "preference", "definition", "fact", "pattern", "correction".
            limit: How many entries at most.

        Returns:
            A status and the entries that match best, best first, each with who said it ("origin").
        """
        return self._found(lambda hx: hx.knowledge.search(query, category=category, limit=limit), limit)

    def save_learning(
        self,
        trigger: str,
        error_pattern: str,
        diagnosis: str = "",
        fix: str = "",
        category: Literal["timeout", "permission", "provider_error", "tool_error", "general"] | None = None,
        tags: list[str] | None = None,
    ) -> dict[str, Any]:
        """Note down what went wrong with a tool and what fixed it, so that it does not happen again.

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
        return _ok(id=learning.id, trigger=learning.trigger, **_redacted(learning.redactions))

    def search_learnings(self, query: str, limit: int = 10) -> dict[str, Any]:
        """Look up how an error was solved before. Use it when a tool fails in a way that you cannot explain.

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
        """Propose a procedure that worked as a skill for later. A person has to approve it before it can be used.

        The name of a skill that is in use is refused: choose another, and tell the user if yours should replace it.

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
        approve = {} if may_run(skill) else {"approve": review_command(self.hx, skill.name)}
        return _ok(name=skill.name, state=skill.status.value, **approve, **_redacted(skill.redactions))

    def list_skills(self) -> dict[str, Any]:
        """List the procedures that are ready to be used, each with the tool that runs it.

        Returns:
            A status and the active skills, each with its description, kind, parameters and tool.
        """
        active = {tool: skill for hx in self._readable() for tool, skill in hx.skills.by_tool().items()}
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

    def _is_pinned(self, key: str) -> bool:
        """Whether the entry of that key is pinned; the agent is warned if its save unpins it."""
        try:
            return self.hx.knowledge.get(key).pinned
        except HexadError:
            return False

    def _readable(self) -> Sequence[Hexad]:
        """The instances to search, the house first: a skill of the user replaces the house's skill of that name."""
        return (self.hx,) if self.house is None else (self.house, self.hx)

    def _found(self, search: Callable[[Hexad], Sequence[Item]], limit: int) -> dict[str, Any]:
        items = [item for hx in self._readable() for item in search(hx)]
        best = sorted(items, key=lambda item: -item.score)[:limit]
        return _ok(count=len(best), results=[_found_item(item) for item in best])


def review_command(hx: Hexad, name: str) -> str:
    """The command with which a person looks at a skill and approves it.

    >>> review_command(Hexad.open(":memory:", enabled=True), "weekly report")
    "hexad skills review 'weekly report'"
    """
    command = ["hexad", "skills", "review", name]
    if hx.store.files:
        command += ["--db", str(hx.store.files[0])]
    if hx.namespace != DEFAULT_NAMESPACE:
        command += ["--namespace", hx.namespace]
    return shlex.join(command)


def _answering(
    tool: Callable[..., dict[str, Any]], describe: Callable[[HexadError], str]
) -> Callable[..., dict[str, Any]]:
    """The tool, with errors as answers: a model can act on a sentence, not on an exception."""

    @functools.wraps(tool)
    def answer(*given: Any, **named: Any) -> dict[str, Any]:
        try:
            return tool(*given, **named)
        except (RateLimited, StoreError) as error:  # this will pass, and says nothing about the tool
            return Passing(error_answer(describe(error)))
        except HexadError as error:
            return error_answer(describe(error))
        except TypeError as error:  # an argument too many, too few, or of a wrong type
            return error_answer(str(error).replace(f"{_AgentTools.__name__}.", ""))
        except Exception as error:  # noqa: BLE001 - the agent goes on
            logging.getLogger("hexad").warning("%s failed: %s", tool.__name__, redact(repr(error)).text)
            return error_answer(f"{type(error).__name__}: {error}")

    return answer


def _ok(**fields: Any) -> dict[str, Any]:
    return {"status": "ok", **fields}


def error_answer(sentence: str) -> dict[str, Any]:
    """An error as a tool's answer, without secrets."""
    return {"status": "error", "error": redact(sentence).text}


def _redacted(kinds: Sequence[str]) -> dict[str, Any]:
    return {"redacted": list(kinds)} if kinds else {}


def _found_item(item: Item) -> dict[str, Any]:
    return {
        "key": item.key,
        "content": item.content if item.verbatim else redact(item.content).text,
        "category": item.category,
        "origin": item.origin.value,
        "score": round(item.score, 3),
    }
