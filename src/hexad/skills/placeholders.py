r"""How a step's arguments refer to parameters and earlier results: ``{{ name }}``, ``{{
name.field.0 }}``.

A name is a parameter or what an earlier step saved; behind dots follow fields of
objects and places in lists. Nothing else is understood, and nothing is evaluated: only
objects and lists are walked, never an attribute. A string that is one reference and
nothing else becomes the value itself, of any type. Inside a longer text a string is put
in as it is, anything else as JSON. ``\{{`` stands for the two characters themselves.

>>> fill({"to": "{{ who }}", "text": "Dear {{ who.name }}, n={{ n }}"}, {"who": {"name": "Ann"}, "n": [1, 2]})
{'to': {'name': 'Ann'}, 'text': 'Dear Ann, n=[1, 2]'}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

_NAME: Final = r"[A-Za-z_][A-Za-z0-9_-]*"
_REFERENCE: Final = rf"\{{\{{\s*({_NAME}(?:\.[A-Za-z0-9_-]+)*)\s*\}}\}}"
_PIECE: Final = re.compile(rf"\\(?P<literal>\{{\{{)|{_REFERENCE}|(?P<stray>\{{\{{)")
_WHOLE: Final = re.compile(_REFERENCE)
_VALID_NAME: Final = re.compile(_NAME)


class Unresolved(Exception):
    """A reference that leads nowhere: the reason as a sentence."""


def is_name(text: object) -> bool:
    """Whether something can be referred to by this name."""
    return isinstance(text, str) and _VALID_NAME.fullmatch(text) is not None


def references(value: Any) -> Iterator[str]:
    """Every reference in an argument, however deep; `Unresolved` for two braces that
    are none.
    """
    if isinstance(value, str):
        for piece in _PIECE.finditer(value):
            if piece["stray"]:
                raise Unresolved(
                    f"{value[piece.start() :][:40]!r} is not a reference: write {{{{ name.field.0 }}}}, "
                    r"or \{{ for the two characters themselves"
                )
            if piece[2]:
                yield piece[2]
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from references(each)


def name_of(reference: str) -> str:
    """The name that a reference begins with."""
    return reference.partition(".")[0]


def whole(value: object) -> str | None:
    """The reference that a string is, if it is nothing else."""
    found = _WHOLE.fullmatch(value) if isinstance(value, str) else None
    return found[1] if found else None


def fill(value: Any, known: Mapping[str, Any], *, partly: bool = False) -> Any:
    """An argument with every reference replaced; `Unresolved` names the one that leads
    nowhere.

    With ``partly``, references to names that are not known stay as they are.
    """
    if isinstance(value, str):
        only = whole(value)
        return (
            _value(only, known, partly)
            if only
            else _PIECE.sub(lambda piece: _written(piece, known, partly), value)
        )
    if isinstance(value, Mapping):
        return {name: fill(each, known, partly=partly) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [fill(each, known, partly=partly) for each in value]
    return value


def _written(piece: re.Match[str], known: Mapping[str, Any], partly: bool) -> str:  # noqa: FBT001 - of `fill`
    """The text that replaces a reference inside a longer text."""
    if not piece[2]:
        return "{{"
    value = _value(piece[2], known, partly)
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise Unresolved(
            f"{shown(piece[2])}: a {type(value).__name__} cannot stand inside a text"
        ) from None


def shown(reference: str) -> str:
    """A reference as it is written in an argument."""
    return f"{{{{ {reference} }}}}"


def _value(reference: str, known: Mapping[str, Any], partly: bool) -> Any:  # noqa: FBT001 - the same
    name, *way = reference.split(".")
    if name not in known:
        if partly:
            return shown(reference)
        raise Unresolved(f"{shown(reference)}: there is no {name!r}")
    value, here = known[name], name
    for step in way:
        value = _inside(value, step, f"{shown(reference)}: {here}")
        here = f"{here}.{step}"
    return value


def _inside(value: Any, step: str, where: str) -> Any:
    if isinstance(value, Mapping):
        if step in value:
            return value[step]
        names = ", ".join(str(name)[:40] for name in [*value][:10])
        raise Unresolved(f"{where} has no {step!r}; it has {names or 'nothing'}")
    if isinstance(value, list | tuple):
        if step.isdecimal() and len(step) < 10 and int(step) < len(value):
            return value[int(step)]
        raise Unresolved(f"{where} is a list of {len(value)} and has no place {step!r}")
    raise Unresolved(
        f"{where} is a {type(value).__name__} and has nothing inside; only objects and lists have"
    )
