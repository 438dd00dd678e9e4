"""The closed sets of words that the nouns' fields hold."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from hexad.errors import UnknownChoice

if TYPE_CHECKING:
    from typing import Self


class Choice(StrEnum):
    """A closed set of words."""

    @classmethod
    def parse(cls, value: object, name: str) -> Self:
        """The member for ``value``; else an error that lists the members. ``name`` is
        the argument's name in it.
        """
        for member in cls:
            if member.value == value:
                return member
        raise UnknownChoice(name, value, cls)


class Category(Choice):
    """The kind of knowledge that an entry is."""

    RULE = "rule"
    DEFINITION = "definition"
    PREFERENCE = "preference"
    FACT = "fact"
    PATTERN = "pattern"
    CORRECTION = "correction"


class Origin(Choice):
    """Who said it. Only the user's words are shown to the model unquoted."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    IMPORT = "import"


class ProposedChange(Choice):
    """The change that a proposal would make to an entry."""

    SAVE = "save"
    DELETE = "delete"
    PIN = "pin"
    UNPIN = "unpin"


class ErrorCategory(Choice):
    """The kind of error that a learning is about."""

    TIMEOUT = "timeout"
    PERMISSION = "permission"
    PROVIDER_ERROR = "provider_error"
    TOOL_ERROR = "tool_error"
    USER_CORRECTION = "user_correction"
    GENERAL = "general"


class SkillKind(Choice):
    """How a skill does its work."""

    COMPOSITE = "composite"
    SCRIPT = "script"
    TEMPLATE = "template"
    INSTRUCTION = "instruction"


class SkillStatus(Choice):
    """The state of a skill; only active ones are retrieved."""

    DRAFT = "draft"
    ACTIVE = "active"
    DEPRECATED = "deprecated"

    @property
    def phrase(self) -> str:
        """The status after "is" in a sentence: a draft, active, deprecated."""
        return "a draft" if self is SkillStatus.DRAFT else self.value


class Capability(Choice):
    """A permission that a script needs beyond the sandbox; a person grants it."""

    NETWORK = "network"
    PRIVILEGE = "privilege"
    WRITE = "write"  # outside its own directory
    COMMAND = "command"  # a command that is known only when the script runs


class Decision(Choice):
    """The result of checking a script."""

    ALLOW = "allow"
    NEEDS = "needs"  # a capability that a person may grant
    REJECT = "reject"


class ReferenceKind(Choice):
    """The kind of thing that a reference points at."""

    DOCUMENTATION = "documentation"
    API = "api"
    WIKI = "wiki"
    REPOSITORY = "repository"
    TOOL = "tool"
