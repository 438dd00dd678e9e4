r"""How a step's arguments refer to parameters and earlier results: ``{{ name }}``, ``{{ name.field.0 }}``.

A name is a parameter or what an earlier step saved; behind dots follow fields of objects and places in lists. Nothing
else is understood, and nothing is evaluated: only objects and lists are walked, never an attribute. A string that is
one reference and nothing else becomes the value itself, of any type. Inside a longer text a string is put in as
it is, anything else as JSON. ``\{{`` stands for the two characters themselves.

>>> fill({"to": "{{ who }}", "text": "Dear {{ who.name }}, n={{ n }}"}, {"who": {"name": "Ann"}, "n": [1, 2]})
{'to': {'name': 'Ann'}, 'text': 'Dear Ann, n=[1, 2]'}
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NAME: Final = r"[A-Za-z_][A-Za-z0-9_-]*"
_REFERENCE: Final = rf"\{{\{{\s*({_NAME}(?:\.[A-Za-z0-9_-]+)*)\s*\}}\}}"
_PIECE: Final = re.compile(rf"\\(?P<literal>\{{\{{)|{_REFERENCE}|(?P<stray>\{{\{{)")
_WHOLE: Final = re.compile(_REFERENCE)
_VALID_NAME: Final = re.compile(_NAME)


class Unresolved(Exception):
    """A reference that leads nowhere: the reason as a sentence."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference: the name it begins with, and the way from there."""

    name: str
    way: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Reference:
        """The reference between the braces."""
        name, *way = text.split(".")
        return cls(name, tuple(way))

    def __str__(self) -> str:
        return f"{{{{ {'.'.join((self.name, *self.way))} }}}}"

    def value(self, known: Mapping[str, Any]) -> Any:
        """The value that it refers to."""
        if self.name not in known:
            raise Unresolved(f"{self}: there is no {self.name!r}")
        value, here = known[self.name], self.name
        for step in self.way:
            value = _inside(value, step, f"{self}: {here}")
            here = f"{here}.{step}"
        return value


def is_name(text: object) -> bool:
    """Whether something can be referred to by this name."""
    return isinstance(text, str) and _VALID_NAME.fullmatch(text) is not None


def references(value: Any) -> Iterator[Reference]:
    """Every reference in an argument, however deep; `Unresolved` for two braces that are none."""
    if isinstance(value, str):
        for piece in _PIECE.finditer(value):
            if piece["stray"]:
                raise Unresolved(
                    f"{value[piece.start() :][:40]!r} is not a reference: write {{{{ name.field.0 }}}}, "
                    r"or \{{ for the two characters themselves"
                )
            if piece[2]:
                yield Reference.parse(piece[2])
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from references(each)


def fill(value: Any, known: Mapping[str, Any]) -> Any:
    """An argument with every reference replaced; `Unresolved` names the one that leads nowhere."""
    return _fill(value, lambda reference: reference.value(known))


def fill_known(value: Any, known: Mapping[str, Any]) -> Any:
    """The same with the names that are known: references to other names stay as they are."""

    def found(reference: Reference) -> Any:
        return reference.value(known) if reference.name in known else _Later(str(reference))

    return _fill(value, found)


def whole(value: object) -> Reference | None:
    """The reference that a string is, if it is nothing else."""
    found = _WHOLE.fullmatch(value) if isinstance(value, str) else None
    return Reference.parse(found[1]) if found else None


class _Later(str):
    """A reference that is not known yet, as it was written."""

    __slots__ = ()


def _fill(value: Any, found: Callable[[Reference], Any]) -> Any:
    if isinstance(value, str):
        only = whole(value)
        return found(only) if only is not None else _PIECE.sub(lambda piece: _piece(piece, found), value)
    if isinstance(value, Mapping):
        return {name: _fill(each, found) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_fill(each, found) for each in value]
    return value


def _piece(piece: re.Match[str], found: Callable[[Reference], Any]) -> str:
    if not piece[2]:
        return "{{"
    reference = Reference.parse(piece[2])
    value = found(reference)
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise Unresolved(f"{reference}: a {type(value).__name__} cannot stand inside a text") from None


def _inside(value: Any, step: str, where: str) -> Any:
    if isinstance(value, Mapping):
        if step in value:
            return value[step]
        raise Unresolved(f"{where} has no {step!r}; it has {_names(value)}")
    if isinstance(value, list | tuple):
        if step.isdecimal() and len(step) < 10 and int(step) < len(value):
            return value[int(step)]
        raise Unresolved(f"{where} is a list of {len(value)} and has no place {step!r}")
    raise Unresolved(f"{where} is a {type(value).__name__} and has nothing inside; only objects and lists have")


def _names(value: Mapping[Any, Any]) -> str:
    names = [str(name)[:40] for name in value][:10]
    return ", ".join(names) or "nothing"
