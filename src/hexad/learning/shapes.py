"""How arguments of a structured tool differed between two calls: the one thing that is
concluded.

A form is what kind of value stands at a path: a date in ISO form, a list of text,
nothing at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hexad.calls.arguments import in_words, is_strong, shape_of
from hexad.calls.commands import argument_takes_rights, shell_text
from hexad.examples import ABSENT, FEWER_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Change: TypeAlias = tuple[
    str, Any, Any
]  # of a value: its path, what it was before and after
_MOST_WORDS: Final = (
    12  # of a text of which a part may have worked better than the whole
)
_DEEPEST: Final = 3
_NOT_DONE: Final = {
    "description",
    "timeout",
    "run_in_background",
    "workdir",
}  # of a shell's call: not what it does


@dataclass(frozen=True, slots=True)
class ArgumentForm:
    """An argument that had another form in the call that worked: its path, and what it
    was before and after.
    """

    path: str
    before: str
    after: str

    def in_words(self) -> str:
        """The difference as a sentence has it.

        >>> ArgumentForm("/day", "DD/MM/YYYY", "YYYY-MM-DD").in_words()
        '`day` as YYYY-MM-DD, not as DD/MM/YYYY'
        """
        name = f"`{self.path.strip('/').replace('/', '.')}`"
        if self.after == ABSENT:
            return f"without {name}"
        if self.before == ABSENT:
            return f"with {name} ({in_words(self.after)})"
        if self.after == FEWER_WORDS:
            return f"{name} with fewer words"
        return f"{name} as {in_words(self.after)}, not as {in_words(self.before)}"


def compared(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[list[ArgumentForm], list[Change], bool]:
    """How two calls' arguments differed: forms, else values; and whether the second
    takes rights.
    """
    forms: list[ArgumentForm] = []
    values: list[Change] = []
    rights = False
    for path in sorted({*before, *after}):
        old, new = before.get(path, ABSENT), after.get(path, ABSENT)
        if old == new:
            continue
        rights |= argument_takes_rights(
            path.rsplit("/", 1)[-1], None if new is ABSENT else new
        )
        one, other = form_of(before, path), form_of(after, path)
        if one != other and (
            ABSENT in {one, other} or is_strong(one) or is_strong(other)
        ):
            forms.append(ArgumentForm(path, one, other))
        elif _is_part(old, new):
            forms.append(ArgumentForm(path, one, FEWER_WORDS))
        else:
            values.append((path, old, new))
    return forms, values, rights


def flat(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by path, those inside objects by theirs.

    >>> flat({"a": {"b": 1}, "c": [2]})
    {'/a/b': 1, '/c': [2]}
    """
    shell = shell_text(arguments) is not None
    return {
        path: value
        for path, value in _flat("", arguments, 0)
        if not (shell and path.strip("/") in _NOT_DONE)
    }


def _flat(path: str, value: object, depth: int) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value and depth < _DEEPEST:
        for name, each in value.items():
            yield from _flat(f"{path}/{name}", each, depth + 1)
    elif path:
        yield path, value


def form_of(arguments: Mapping[str, Any], path: str) -> str:
    """The form of what stands at a path; `ABSENT` if nothing does."""
    if path in arguments:
        return shape_of(arguments[path])
    inside = any(each.startswith(f"{path}/") for each in arguments)
    return "object" if inside else ABSENT


def has_form(own: Mapping[str, Any], form: ArgumentForm, error: str) -> bool:
    """Whether a call has an argument in the form that failed before, and the error does
    not name the other one.
    """
    if form_of(own, form.path) != form.before and form.after != FEWER_WORDS:
        return False
    if form.after == FEWER_WORDS:
        value = own.get(form.path)
        return isinstance(value, str) and len(value.split()) > 1
    if form.before == ABSENT:
        return form.path.rsplit("/", 1)[-1] not in error
    return form.after not in error


def _is_part(before: object, after: object) -> bool:
    """Whether a short text lost some of its words."""
    if not isinstance(before, str) or not isinstance(after, str):
        return False
    words, left = before.split(), after.split()
    return 0 < len(left) < len(words) <= _MOST_WORDS and set(left) <= set(words)


def forms_in_words(forms: Sequence[ArgumentForm]) -> str:
    """Changes of form as a sentence has them."""
    return "; ".join(form.in_words() for form in forms)
