"""The closed sets of words that the nouns' fields hold."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from hexad.errors import UnknownChoice

if TYPE_CHECKING:
    from typing import Self


class Choice(StrEnum):
    """A closed set of words; `parse` turns a caller's word into one of them or names those that exist."""

    @classmethod
    def parse(cls, value: object, name: str) -> Self:
        """The member for ``value``; ``name`` is the argument's name, for the error."""
        for member in cls:
            if member.value == value:
                return member
        raise UnknownChoice(name, value, cls)


class Category(Choice):
    """What kind of knowledge an entry is."""

    RULE = "rule"
    DEFINITION = "definition"
    PREFERENCE = "preference"
    FACT = "fact"
    PATTERN = "pattern"
    CORRECTION = "correction"


class Origin(Choice):
    """Who said it. Only a user's word is shown to the model unquoted."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    IMPORT = "import"


class ErrorCategory(Choice):
    """What kind of trouble a learning is about."""

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
    """Where a skill is in its life; only active ones are retrieved."""

    DRAFT = "draft"
    ACTIVE = "active"
    DEPRECATED = "deprecated"

    @property
    def told(self) -> str:
        """As a sentence says it: a skill is a draft, active, or deprecated."""
        return "a draft" if self is SkillStatus.DRAFT else self.value


class Capability(Choice):
    """What a script may need beyond what the sandbox gives; a person grants it."""

    NETWORK = "network"
    PRIVILEGE = "privilege"
    WRITE = "write"  # outside its own directory
    COMMAND = "command"  # one whose name is known only when it runs


class Decision(Choice):
    """What a check of a script says."""

    ALLOW = "allow"
    NEEDS = "needs"  # a capability that a person may grant
    REJECT = "reject"


class ReferenceKind(Choice):
    """What a reference points at."""

    DOCUMENTATION = "documentation"
    API = "api"
    WIKI = "wiki"
    REPOSITORY = "repository"
    TOOL = "tool"
