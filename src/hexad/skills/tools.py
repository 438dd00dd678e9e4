"""Active skills as plain callables, for any framework that makes tools of functions: name, signature, docstring."""

from __future__ import annotations

import hashlib
import inspect
import keyword
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, Optional, Union

from hexad.errors import SkillFailed
from hexad.model import SkillKind
from hexad.skills import parameters

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable

    from hexad.model import Skill
    from hexad.skills.run import SkillResult

PREFIX: Final = "skill_"
_LONGEST_NAME: Final = 64  # what providers of models accept
_TYPES: Final[Mapping[str, Any]] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": None,
}


def tool_names(skills: Iterable[Skill]) -> dict[str, Skill]:
    """The skills by the names of their tools, each name once: letters, digits and _, at most 64 of them.

    A name that another skill took before gets a number.
    """
    named: dict[str, Skill] = {}
    for skill in skills:
        named[_free(_identifier(skill.name), named)] = skill
    return named


def tool_of(name: str, skill: Skill, run: Callable[[str, dict[str, Any]], SkillResult]) -> Callable[..., Any]:
    """A function that runs the skill and returns its output; a run that failed is `SkillFailed`."""
    signature, originals = _signature(skill)

    def call(*given: Any, **named: Any) -> Any:
        return _output(run(skill.name, _bound(signature, originals, given, named)))

    return _dressed(call, name, skill, signature, originals)


def async_tool_of(
    name: str, skill: Skill, run: Callable[[str, dict[str, Any]], Awaitable[SkillResult]]
) -> Callable[..., Any]:
    """The same as a coroutine function."""
    signature, originals = _signature(skill)

    async def call(*given: Any, **named: Any) -> Any:
        return _output(await run(skill.name, _bound(signature, originals, given, named)))

    return _dressed(call, name, skill, signature, originals)


def _output(result: SkillResult) -> Any:
    if not result.ok:
        raise SkillFailed(result.name, result.error)
    return result.output


def _bound(
    signature: inspect.Signature, originals: Mapping[str, str], given: tuple[Any, ...], named: Mapping[str, Any]
) -> dict[str, Any]:
    """The parameters of a call by their own names; an optional one that is None was not given."""
    bound = signature.bind(*given, **named).arguments
    left_out = {name for name, value in bound.items() if value is None and signature.parameters[name].default is None}
    return {originals[name]: value for name, value in bound.items() if name not in left_out}


def _dressed(
    call: Callable[..., Any], name: str, skill: Skill, signature: inspect.Signature, originals: Mapping[str, str]
) -> Callable[..., Any]:
    call.__name__ = call.__qualname__ = name
    call.__doc__ = _docstring(skill, originals)
    call.__signature__ = signature  # type: ignore[attr-defined]
    hints = {each.name: each.annotation for each in signature.parameters.values()}
    call.__annotations__ = {**hints, "return": signature.return_annotation}
    call.needs = needs_of(skill)  # type: ignore[attr-defined]  # for whoever offers it: an agent may lack them
    return call


def needs_of(skill: Skill) -> frozenset[str]:
    """The tools that the steps of a composite skill call; none for other kinds."""
    steps = skill.definition.get("steps") if skill.kind is SkillKind.COMPOSITE else None
    listed = steps if isinstance(steps, list | tuple) else ()
    return frozenset(str(step["tool"]) for step in listed if isinstance(step, Mapping) and "tool" in step)


def _signature(skill: Skill) -> tuple[inspect.Signature, Mapping[str, str]]:
    """The parameters, those that must be given first, and what each is called in the schema."""
    listed, needed = parameters.properties_of(skill.parameters), parameters.required_of(skill.parameters)
    must = [name for name in listed if name in needed and "default" not in listed[name]]
    originals: dict[str, str] = {}
    found = []
    for name in [*must, *(name for name in listed if name not in must)]:
        own = _free(_argument(name), originals)
        originals[own] = name
        found.append(_parameter(own, listed[name], required=name in must))
    return inspect.Signature(found, return_annotation=Any), originals


def _parameter(name: str, schema: Mapping[str, Any], *, required: bool) -> inspect.Parameter:
    kind, annotation = inspect.Parameter.POSITIONAL_OR_KEYWORD, _annotation(schema)
    if required:
        return inspect.Parameter(name, kind, annotation=annotation)
    default = schema.get("default")
    optional = Optional[annotation] if default is None else annotation  # noqa: UP045 - of a value, not of a type
    return inspect.Parameter(name, kind, default=default, annotation=optional)


def _annotation(schema: Mapping[str, Any]) -> Any:
    choices = schema.get("enum")
    if choices and all(isinstance(each, str | int) for each in choices):
        return Literal[tuple(choices)]
    kinds = schema.get("type")
    if kinds is None:
        return Any
    if isinstance(kinds, str):
        return _plain(kinds, schema)
    return Union[tuple(_plain(kind, schema) for kind in kinds)]  # noqa: UP007 - likewise


def _plain(kind: str, schema: Mapping[str, Any]) -> Any:
    if kind == "array":
        return list[_annotation(schema.get("items", {}))]  # type: ignore[misc]  # made while the program runs
    return dict[str, Any] if kind == "object" else _TYPES[kind]


def _docstring(skill: Skill, originals: Mapping[str, str]) -> str:
    listed = parameters.properties_of(skill.parameters)
    told = [skill.description]
    if skill.when:
        told.append(f"Use it when: {skill.when}")
    if originals:
        told.append("\n".join(("Args:", *(f"    {own}: {_says(listed[name])}" for own, name in originals.items()))))
    return "\n\n".join(told)


def _says(schema: Mapping[str, Any]) -> str:
    says = schema.get("description") or schema.get("title") or ""
    choices = f"one of {', '.join(map(str, schema['enum']))}" if "enum" in schema else ""
    default = f"{schema['default']!r} if not given" if "default" in schema else ""
    return "; ".join(part for part in (" ".join(str(says).split()), choices, default) if part) or "a value"


def _identifier(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    if not plain:  # a name in another script still needs one of its own
        plain = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{PREFIX}{plain}"[:_LONGEST_NAME]


def _argument(name: str) -> str:
    plain = re.sub(r"\W", "_", name) or "_"
    plain = f"_{plain}" if plain[0].isdigit() else plain
    return f"{plain}_" if keyword.iskeyword(plain) or plain in {"self", "cls"} else plain


def _free(name: str, taken: Collection[str]) -> str:
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name[: _LONGEST_NAME - len(str(number)) - 1]}_{number}"
    return free
