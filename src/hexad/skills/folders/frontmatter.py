"""The front matter of a SKILL.md: YAML between two lines of dashes, read so that
nothing in it can do harm.

Only plain data is understood: text, numbers, true and false, null, lists and objects
with text as keys. Aliases (with which a few lines become gigabytes), tags that name
types, keys given twice, deep nesting and too many values are refused. A date is the
text that was written.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml

from hexad.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST: Final = 1024 * 1024  # characters
_DEEPEST: Final = 16
_MOST: Final = 10_000  # values and names
_FIELD: Final = "front matter"
_HEAD: Final = re.compile(
    r"\ufeff?---[ \t]*\r?\n(?P<yaml>.*?)(?<=\n)---[ \t]*(?:\r?\n(?:[ \t]*\r?\n)?|\Z)",
    re.DOTALL,
)
_PREFIX: Final = "tag:yaml.org,2002:"


class Split(NamedTuple):
    """A SKILL.md in two: what stands before its text, dashes and one empty line
    included, and the text.
    """

    head: str
    yaml: str
    body: str


def split(document: str) -> Split:
    """Divide a SKILL.md; an error where no front matter is."""
    found = _HEAD.match(document)
    if found is None:
        raise InvalidInput(
            _FIELD,
            "is missing: SKILL.md begins with a line ---, then name and description, then ---",
        )
    return Split(found[0], found["yaml"], document[found.end() :])


def parse(yaml_text: str) -> dict[str, Any]:
    r"""The fields of a front matter.

    >>> parse("name: pdf  # a comment\nmetadata: {version: '1.0', made: 2024-05-19}")
    {'name': 'pdf', 'metadata': {'version': '1.0', 'made': '2024-05-19'}}
    """
    if len(yaml_text) > LARGEST:
        raise InvalidInput(
            _FIELD, f"has {len(yaml_text):,} characters, the limit is {LARGEST:,}"
        )
    try:
        _refuse_aliases(yaml_text)
        fields = _plain(yaml.compose(yaml_text, Loader=yaml.SafeLoader))
    except yaml.YAMLError as error:
        mark, problem = (
            getattr(error, "problem_mark", None),
            getattr(error, "problem", None),
        )
        where = "" if mark is None else f"line {mark.line + 2}: "
        why = f"{where}{problem or 'it holds characters that YAML does not allow'}"
        raise InvalidInput(
            _FIELD, f"is not YAML: {why}; text that holds ': ' or '#' needs quotes"
        ) from None
    except (ValueError, RecursionError) as error:
        raise (
            error
            if isinstance(error, InvalidInput)
            else InvalidInput(_FIELD, f"is not YAML: {error}")
        ) from None
    if not isinstance(fields, dict):
        raise InvalidInput(_FIELD, "must be lines of 'name: value'")
    return fields


def write(fields: Mapping[str, Any]) -> str:
    """A head with these fields, as `split` finds it."""
    written = yaml.dump(
        dict(fields), Dumper=_Writer, sort_keys=False, allow_unicode=True, width=1 << 30
    )
    return f"---\n{written}---\n\n"


class _Writer(yaml.SafeDumper):  # type: ignore[misc]
    """Writes text with anything but plain characters in double quotes, where all of it
    can be escaped.
    """

    def represent_str(self, value: str) -> Any:
        return self.represent_scalar(
            f"{_PREFIX}str", value, style=None if value.isprintable() else '"'
        )


_Writer.add_representer(str, _Writer.represent_str)


def _refuse_aliases(text: str) -> None:
    """Go through what is written before anything is built of it."""
    depth = 0
    for seen, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader), start=1):
        if seen > _MOST:
            raise InvalidInput(_FIELD, f"holds more than {_MOST:,} names and values")
        if isinstance(event, yaml.AliasEvent):
            raise InvalidInput(
                _FIELD,
                f"line {event.start_mark.line + 2}: aliases (*name) are not supported",
            )
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(
            event, yaml.CollectionEndEvent
        )
        if depth > _DEEPEST:
            raise InvalidInput(_FIELD, f"is nested deeper than {_DEEPEST} levels")


def _plain(node: Any) -> Any:
    """The data of a node. `_refuse_aliases` checked it before, so its depth is bounded."""
    if node is None:
        return {}
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    if isinstance(node, yaml.SequenceNode) and node.tag == f"{_PREFIX}seq":
        return [_plain(each) for each in node.value]
    if not (isinstance(node, yaml.MappingNode) and node.tag == f"{_PREFIX}map"):
        raise InvalidInput(
            _FIELD,
            f"line {node.start_mark.line + 2}: the type {node.tag} is not supported",
        )
    found: dict[str, Any] = {}
    for key, value in node.value:
        name = _plain(key) if isinstance(key, yaml.ScalarNode) else None
        if not isinstance(name, str):
            raise InvalidInput(
                _FIELD,
                f"line {key.start_mark.line + 2}: a name must be text; put it in quotes",
            )
        if name in found:
            raise InvalidInput(
                _FIELD, f"line {key.start_mark.line + 2}: {name!r} is given twice"
            )
        found[name] = _plain(value)
    return found


def _scalar(node: Any) -> Any:
    kind = node.tag.removeprefix(_PREFIX)
    if kind in {"str", "timestamp", "value"}:
        return node.value
    if kind not in {"int", "float", "bool", "null"}:
        raise InvalidInput(
            _FIELD,
            f"line {node.start_mark.line + 2}: {node.tag} is not supported; put it in quotes",
        )
    try:
        return yaml.SafeLoader("").construct_object(node)
    except (ValueError, LookupError, OverflowError):
        return node.value
