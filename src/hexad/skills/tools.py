"""Active skills as plain callables, for any framework that makes tools of functions:
name, signature, docstring.
"""

from __future__ import annotations

import hashlib
import inspect
import keyword
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Optional, Union, cast

from hexad.errors import SkillFailed
from hexad.memory.keys import numbered
from hexad.model import Skill, SkillKind
from hexad.skills import parameters
from hexad.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hexad.skills.run import SkillResult

PREFIX: Final = "skill_"
_LONGEST_NAME: Final = 64  # what providers of models accept
_TYPES: Final[Mapping[str, Any]] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "object": dict[str, Any],
    "null": None,
}


def tool_names(skills: Iterable[Skill]) -> dict[str, Skill]:
    """The skills by the names of their tools, each name once: letters, digits and _, at
    most 64 of them.

    Pass every skill, also those that may not run, oldest first: a name belongs to the
    skill that had it first, so a caller never gets a later one instead. The later one's
    name ends with a digest.
    """
    named: dict[str, Skill] = {}
    for skill in skills:
        plain = re.sub(r"[^A-Za-z0-9]+", "_", skill.name).strip("_")
        own = f"{PREFIX}{plain or _digest(skill.name)}"[
            :_LONGEST_NAME
        ]  # also a name in another script needs its own
        named[
            f"{own[: _LONGEST_NAME - 9]}_{_digest(skill.name)}" if own in named else own
        ] = skill
    return named


def tool_of(
    name: str, skill: Skill, run: Callable[..., Any], *, asynchronous: bool = False
) -> Callable[..., Any]:
    """A function that runs the skill and returns its output; a run that failed is
    `SkillFailed`.

    With ``asynchronous`` it is a coroutine function, and ``run`` is one.
    """
    takes = _Takes.what(skill)

    def call(*given: Any, **named: Any) -> Any:
        return _output(run(skill.name, takes.parameters(given, named)))

    async def call_async(*given: Any, **named: Any) -> Any:
        return _output(await run(skill.name, takes.parameters(given, named)))

    made: Any = call_async if asynchronous else call
    made.__name__ = made.__qualname__ = name
    made.__doc__, made.__signature__ = _docstring(skill, takes), takes.signature
    hints = {each.name: each.annotation for each in takes.signature.parameters.values()}
    made.__annotations__ = {**hints, "return": takes.signature.return_annotation}
    made.needs = needs_of(skill)  # for edges that offer it: an agent may lack them
    return cast("Callable[..., Any]", made)


def _output(result: SkillResult) -> Any:
    if not result.ok:
        raise SkillFailed(result.name, result.error)
    if result.script is not None and result.script.cut:
        return "\n".join(
            [str(result.output), *(f"[{sentence}]" for sentence in result.script.cut)]
        )
    return result.output


@dataclass(frozen=True, slots=True)
class _Takes:
    """A parameter of a skill's function."""

    signature: inspect.Signature
    originals: Mapping[str, str]  # what each parameter is called in the schema
    nullable: frozenset[str]  # those that the schema lets be null

    @classmethod
    def what(cls, skill: Skill) -> _Takes:
        """The parameters that the schema lists, those that must be given first."""
        listed, needed = (
            parameters.properties_of(skill.parameters),
            parameters.required_of(skill.parameters),
        )
        must = [
            name for name in listed if name in needed and "default" not in listed[name]
        ]
        originals: dict[str, str] = {}
        found = []
        for name in [*must, *(name for name in listed if name not in must)]:
            plain = _argument(name)[: _LONGEST_NAME - len("_99")]
            own = next(each for each in numbered(plain, "_") if each not in originals)
            originals[own] = name
            found.append(_parameter(own, listed[name], required=name in must))
        nullable = frozenset(
            own for own, name in originals.items() if _may_be_null(listed[name])
        )
        return cls(inspect.Signature(found, return_annotation=Any), originals, nullable)

    def parameters(
        self, given: tuple[Any, ...], named: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The parameters of a call by their own names. An optional one that is None,
        but not nullable, is omitted.
        """
        bound = self.signature.bind(*given, **named).arguments
        return {
            self.originals[name]: value
            for name, value in bound.items()
            if not self._left_out(name, value)
        }

    def _left_out(self, name: str, value: object) -> bool:
        return (
            value is None
            and name not in self.nullable
            and self.signature.parameters[name].default is None
        )


def _may_be_null(schema: Mapping[str, Any]) -> bool:
    either = any(map(_may_be_null, schema.get("anyOf", ())))
    return (
        either
        or "null" in parameters.kinds_of(schema)
        or None in schema.get("enum", ())
    )


def needs_of(skill: Skill) -> frozenset[str]:
    """The tools that the steps of a composite skill call; none for other kinds."""
    steps: Any = skill.definition["steps"] if skill.kind is SkillKind.COMPOSITE else ()
    return frozenset(
        step["tool"] for step in steps
    )  # only what was checked becomes a tool


def _parameter(
    name: str, schema: Mapping[str, Any], *, required: bool
) -> inspect.Parameter:
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
    kinds = parameters.kinds_of(schema)
    listed = list[_annotation(schema.get("items", {}))] if "array" in kinds else None  # type: ignore[misc]
    return Union[tuple(_TYPES.get(kind, listed) for kind in kinds)] if kinds else Any  # noqa: UP007 - the same


def _docstring(skill: Skill, takes: _Takes) -> str:
    listed = parameters.properties_of(skill.parameters)
    parts = [skill.description]
    if skill.when:
        parts.append(f"Use it when: {skill.when}")
    arguments = [
        f"    {own}: {_says(listed[name])}" for own, name in takes.originals.items()
    ]
    if arguments:
        parts.append("\n".join(("Args:", *arguments)))
    return visible("\n\n".join(parts))


def _says(schema: Mapping[str, Any]) -> str:
    says = schema.get("description") or schema.get("title") or ""
    choices = (
        f"one of {', '.join(map(str, schema['enum']))}" if "enum" in schema else ""
    )
    default = f"{schema['default']!r} if not given" if "default" in schema else ""
    return (
        "; ".join(
            part for part in (" ".join(str(says).split()), choices, default) if part
        )
        or "a value"
    )


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:8]


def _argument(name: str) -> str:
    plain = re.sub(r"\W", "_", name) or "_"
    plain = f"_{plain}" if plain[0].isdigit() else plain
    plain = (
        plain if plain.isidentifier() else re.sub(r"[^A-Za-z0-9_]", "_", plain)
    )  # `m²` is of letters, and no name
    return (
        f"{plain}_" if keyword.iskeyword(plain) or plain in {"self", "cls"} else plain
    )
