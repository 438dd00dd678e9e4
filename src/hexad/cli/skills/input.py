"""Definitions, schemas and parameters of a skill, read from options, JSON or a file."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from hexad.errors import InvalidInput
from hexad.model import Capability, SkillKind
from hexad.skills.definition import BODIES
from hexad.skills.parameters import properties_of

if TYPE_CHECKING:
    from hexad.model import Json

_STEPS: Final = """give a list such as '[{"tool": "search", "args": {"query": "{{ topic }}"}, "save_as": "found"}]'"""


def definition_from(
    kind: SkillKind,
    *,
    text: str | None,
    file: str | None,
    definition: str | None,
    shell: str | None,
    needs: Sequence[Capability] | None,
) -> "dict[str, Json]":
    """The definition that the options describe."""
    if sum(each is not None for each in (text, file, definition)) != 1:
        raise InvalidInput("new", "give exactly one of --text, --file or --definition")
    if definition is not None:
        made = object_from(definition, "--definition")
    else:
        body = body_from(kind, text if text is not None else read(str(file), "--file"))
        made = body if isinstance(body, dict) else {BODIES[kind]: body}
    extra: dict[str, Json] = {"shell": shell} if shell else {}
    return {
        **made,
        **extra,
        **({"needs": [each.value for each in needs]} if needs else {}),
    }


def body_from(kind: SkillKind, text: str) -> "Json":
    """The part of a definition that people write: the steps of a composite skill, or
    the text of another.
    """
    if kind is not SkillKind.COMPOSITE:
        return text
    try:
        return _json(text, "the steps")
    except InvalidInput as error:
        raise InvalidInput("the steps", f"{error.reason}; {_STEPS}") from None


def object_from(text: str | None, option: str) -> "dict[str, Json]":
    """A JSON object from an option, or from the file behind an @; empty if not given."""
    if text is None:
        return {}
    parsed = _json(read(text[1:], option) if text.startswith("@") else text, option)
    if not isinstance(parsed, dict):
        raise InvalidInput(option, "must be a JSON object")
    return parsed


def parameters_from(
    given: Sequence[str] | None, params: str | None, schema: "Mapping[str, Json]"
) -> "dict[str, Json]":
    """Parameters from ``--params`` and ``--set``, which wins. A value stays text where
    the schema wants text.
    """
    values = object_from(params, "--params")
    for each in given or ():
        name, equals, text = each.partition("=")
        if not equals or not name.strip():
            raise InvalidInput("--set", f"must be KEY=VALUE, not {each!r}")
        values[name.strip()] = _typed(text, schema, name.strip())
    return values


def read(name: str, field: str) -> str:
    """The text of a file for an option or argument; - is standard input."""
    try:
        data = (
            typer.get_binary_stream("stdin").read()
            if name == "-"
            else Path(name).read_bytes()
        )
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(
            field, f"{'standard input' if name == '-' else name} is not UTF-8 text"
        ) from None


def _typed(text: str, schema: "Mapping[str, Json]", name: str) -> Any:
    wanted = properties_of(schema).get(name, {})
    kinds = wanted.get("type")
    if (
        kinds == "string"
        or (isinstance(kinds, list) and "string" in kinds)
        or text in wanted.get("enum", ())
    ):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return (
            [each.strip() for each in text.split(",")]
            if "array" in str(kinds)
            else text
        )
    exact = (
        kinds is not None or isinstance(value, list | dict) or json.dumps(value) == text
    )
    return value if exact else text  # `1.10` is a version before it is a number


def _json(text: str, what: str) -> "Json":
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(what, f"is not JSON: {error}") from None
    return value
