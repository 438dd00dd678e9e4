"""The difference between a call that failed and the next one that worked, and whether
it speaks to another call.

Nothing is concluded from it: a change is shown as the two calls that it was read from.
What is decided here is only whether the same change could be made to the call at hand,
and whether that would say anything new.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hexad.calls.commands import (
    commands,
    head,
    is_misnamed,
    main_commands,
    runs_the_same,
    same_program,
    shell_text,
    takes_rights,
    telling,
    words_in,
)
from hexad.examples import ABSENT, FEWER_WORDS
from hexad.learning.shapes import ArgumentForm, compared, flat, form_of, has_form

if TYPE_CHECKING:
    from collections.abc import Mapping

_LEAST_SHARED: Final = (
    0.5  # of a failed command's words that stand in the one that worked
)
_IN_ANY_CALL: Final = frozenset({ABSENT, FEWER_WORDS})


@dataclass(frozen=True, slots=True)
class Difference:
    """What differed: words of a shell text, or forms and values of arguments; nothing
    if the same call worked.
    """

    removed: tuple[str, ...] = ()  # words of a shell text that were taken away
    added: tuple[str, ...] = ()
    forms: tuple[ArgumentForm, ...] = ()
    values: tuple[tuple[str, Any, Any], ...] = ()  # path, value before, value after
    steps: tuple[
        str, ...
    ] = ()  # the tools that were called in between, where the very same call worked then
    rights: bool = False  # whether it takes rights or turns a check off

    @property
    def nothing(self) -> bool:
        """Whether the same call worked later, and nothing else was done for it."""
        return not (
            self.removed or self.added or self.forms or self.values or self.steps
        )

    @property
    def signature(self) -> str:
        """A text that is the same for the same change."""
        forms = [f"{each.path} {each.before} {each.after}" for each in self.forms]
        return json.dumps(
            [self.removed, self.added, forms, self.values, self.steps],
            ensure_ascii=False,
        )

    def speaks_to(self, arguments: Mapping[str, Any], error: str) -> bool:
        """Whether the same change can be made to a call that failed, and says what call
        and error do not say.
        """
        text = shell_text(arguments)
        if text is not None:
            return self._speaks_to_command(words_in(text), error)
        if self.steps:
            return not any(step.casefold() in error.casefold() for step in self.steps)
        own = flat(arguments)
        said = [each for each in self.values if _is_in(each[1], error)] or list(
            self.values
        )
        if said:
            applies = all(own.get(path, ABSENT) == before for path, before, _ in said)
            return applies and not all(
                _is_in(after, error, path) for path, _, after in said
            )
        return any(has_form(own, form, error) for form in self.forms)

    def _speaks_to_command(self, words: Mapping[str, int], error: str) -> bool:
        if any(word not in words for word in self.removed):
            return False
        fresh = [
            word
            for word in self.added
            if word not in words and word.strip("\"'") not in error
        ]
        return bool(fresh or self.removed)

    def is_made_in(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a call has what the call that worked had."""
        text = shell_text(arguments)
        if text is not None:
            words = words_in(text)
            return all(word in words for word in self.added) and not any(
                word in words for word in self.removed
            )
        if self.steps:
            return False  # one call does not show what was done before it
        own = flat(arguments)
        formed = all(
            form_of(own, form.path) == form.after or form.after == FEWER_WORDS
            for form in self.forms
        )
        return formed and all(own.get(path) == after for path, _, after in self.values)

    def is_failing_in(self, own: Mapping[str, Any], failed: Mapping[str, Any]) -> bool:
        """Whether a call is one that failed: in the forms that failed, or else to the
        letter.
        """
        if self.steps:
            return False
        if (
            self.forms
            and not self.values
            and all(
                _IN_ANY_CALL.isdisjoint({each.before, each.after})
                for each in self.forms
            )
        ):
            return all(form_of(own, form.path) == form.before for form in self.forms)
        return own == failed

    def runs_more(self, failed: Mapping[str, Any], worked: Mapping[str, Any]) -> bool:
        """Whether the call that worked runs another program too, or is no shell's."""
        before, after = shell_text(failed), shell_text(worked)
        if before is None or after is None:
            return True
        known = {head(command)[:2] for command in commands(before)}
        return any(head(command)[:2] not in known for command in commands(after))

    def to_json(self) -> dict[str, Any]:
        """The form that the store keeps."""
        held = {
            "removed": list(self.removed),
            "added": list(self.added),
            "forms": [[form.path, form.before, form.after] for form in self.forms],
            "values": [list(each) for each in self.values],
            "steps": list(self.steps),
            "rights": self.rights,
        }
        return {name: value for name, value in held.items() if value}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Difference:
        """The change that `to_json` wrote."""
        return cls(
            removed=tuple(map(str, stored.get("removed", ()))),
            added=tuple(map(str, stored.get("added", ()))),
            forms=tuple(
                ArgumentForm(*map(str, each)) for each in stored.get("forms", ())
            ),
            values=tuple(
                (str(path), before, after)
                for path, before, after in stored.get("values", ())
            ),
            steps=tuple(map(str, stored.get("steps", ()))),
            rights=stored.get("rights") is True,
        )


def between(
    failed: Mapping[str, Any], worked: Mapping[str, Any], error: str
) -> Difference | None:
    """The change from a call that failed to one that worked; None if that one did
    something else.

    Other values of arguments are another task, unless the error names the old ones.
    """
    before, after = shell_text(failed), shell_text(worked)
    if (before is None) != (after is None):
        return None
    if before is not None and after is not None:
        return _between_commands(before, after, error)
    forms, values, rights = compared(flat(failed), flat(worked))
    if (
        values
        and not forms
        and not any(_is_in(old, error) or old is ABSENT for _, old, _ in values)
    ):
        return None
    return Difference(forms=tuple(forms), values=tuple(values), rights=rights)


def _between_commands(before: str, after: str, error: str) -> Difference | None:
    """The words that differ, up to the last command that both have: what ran behind it
    mended nothing.
    """
    failed, worked = words_in(before), words_in(after)
    shared = sum(min(count, worked.get(word, 0)) for word, count in failed.items())
    if is_misnamed(before, after, error):
        removed, added = (
            tuple((failed - worked).keys()),
            tuple((worked - failed).keys()),
        )
        return Difference(
            removed=removed,
            added=added,
            rights=takes_rights(after) and not takes_rights(before),
        )
    if not runs_the_same(before, after) or shared < _LEAST_SHARED * sum(
        failed.values()
    ):
        return None
    if _hides_failure(before, after):
        return None
    first, second = _up_to_shared(before, after), _up_to_shared(after, before)
    removed = tuple(
        word
        for word in dict.fromkeys(first)
        if word not in second and word not in worked
    )
    added = tuple(
        word
        for word in dict.fromkeys(second)
        if word not in first and word not in failed
    )
    ran_less = not added and len(commands(after)) < len(commands(before))
    if ran_less and not any(
        command[0] == "cd" for command in set(commands(before)) - set(commands(after))
    ):
        return None  # only a part of it was run
    return Difference(
        removed=removed,
        added=added,
        rights=takes_rights(after) and not takes_rights(before),
    )


def _hides_failure(before: str, after: str) -> bool:
    """Whether a text would have worked even if what failed before had failed again:
    behind it stands `;` or a pipe.
    """
    known = telling(before)
    return not any(same_program(each, its) for each in telling(after) for its in known)


def _up_to_shared(text: str, other: str) -> list[str]:
    """The words of a text's commands, up to the last that the other text runs too."""
    others = main_commands(other)
    every = list(commands(text))
    shared = []
    for place, each in enumerate(every):
        if any(same_program(each, its) for its in others):
            shared.append(place)
    return (
        [word for command in every[: shared[-1] + 1] for word in command]
        if shared
        else []
    )


def _is_in(value: object, error: str, path: str = "") -> bool:
    """Whether an error holds a value as a whole, and not as a part of a longer one; a
    flag beside its name.
    """
    if isinstance(value, bool):
        name = path.rsplit("/", 1)[-1]
        return (
            bool(name) and name in error and str(value).casefold() in error.casefold()
        )
    if value is ABSENT or value in (None, ""):
        return False
    return (
        re.search(rf"(?<![\w/.-]){re.escape(str(value))}(?![\w/-]|\.\w)", error)
        is not None
    )
