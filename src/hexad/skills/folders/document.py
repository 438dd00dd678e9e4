"""An Agent Skills folder ⇄ a skill, without loss in either direction. Pure: `files.py`
reads and writes the files.

A folder is a SKILL.md (front matter and text) and any other files. It becomes an
instruction, unless its front matter says ``hexad-kind`` under ``metadata``: then one of
its files holds the script, the template or the steps (`MAINS`). Comments, licence and
key order, for which a skill has no field, are kept as written in
``definition["document"]``.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from hexad.errors import InvalidInput
from hexad.memory import admission
from hexad.model import SkillKind
from hexad.skills import definition as shapes
from hexad.skills.folders import frontmatter
from hexad.skills.names import MAINS, MANIFEST

if TYPE_CHECKING:
    from hexad.model import Json, Skill

LONGEST_NAME: Final = 64  # these two and the next are the format's
LONGEST_DESCRIPTION: Final = 1024
_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LARGEST_FILE: Final = 1024 * 1024  # bytes
_KIND, _REST, _PARAMETERS, _TAGS, _WHEN = (
    f"hexad-{name}" for name in ("kind", "definition", "parameters", "tags", "when")
)
_OWN: Final = (_KIND, _REST, _PARAMETERS, _TAGS, _WHEN, "author")


_ELSEWHERE: Final = frozenset({"files", "document", *shapes.BODIES.values()})


class File(NamedTuple):
    """A file of a folder."""

    data: bytes
    executable: bool = False


Files: TypeAlias = Mapping[
    str, File
]  # by their paths in the folder, with / between the parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """The skill that a folder describes; ``notes`` are sentences about deviations from
    the format.
    """

    name: str
    description: str
    kind: SkillKind = SkillKind.INSTRUCTION
    definition: Mapping[str, Json] = field(default_factory=dict)
    parameters: Mapping[str, Json] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    author: str = ""
    when: str = ""
    notes: tuple[str, ...] = field(default=(), compare=False)


FACTS: Final = (
    "name",
    "description",
    "kind",
    "definition",
    "parameters",
    "tags",
    "author",
    "when",
)  # in a folder


def skill_in(files: Files, folder: str) -> Described:
    """The skill that a folder's files are; ``folder`` is its name."""
    if MANIFEST not in files:
        raise InvalidInput(MANIFEST, "is missing; a skill's folder has one")
    written = frontmatter.split(_text(MANIFEST, files[MANIFEST].data))
    fields = frontmatter.parse(written.yaml)
    described = _described(fields, folder)
    main = MAINS.get(described.kind)
    if main and main not in files:
        raise InvalidInput(
            f"metadata {_KIND}",
            f"is {described.kind}, and {main} is not among the folder's files",
        )
    definition = {
        **described.definition,
        **_content(described.kind, main, files, written.body),
    }
    others = {
        path: shapes.as_text(
            {
                "base64": base64.b64encode(file.data).decode(),
                "executable": file.executable,
            }
        )
        for path, file in files.items()
        if path not in {MANIFEST, main}
    }
    if others:
        definition["files"] = others
    described = replace(
        described,
        definition=definition,
        notes=(*described.notes, *_remarks(fields, folder, files[MANIFEST])),
    )
    document = _as_written(described, main, written)
    return (
        replace(described, definition={**definition, "document": document})
        if document
        else described
    )


def files_of(skill: Skill | Described) -> dict[str, File]:
    """The files of a skill's folder; the unchanged parts of SKILL.md are byte for byte
    as imported.
    """
    document: Mapping[str, Any] = skill.definition.get("document", {})  # type: ignore[assignment]  # it was checked
    files = {
        path: File(*each) for path, each in shapes.files_of(skill.definition).items()
    }
    before = _fields_of(document.get("head"))
    head = (
        str(document["head"])
        if _says(before, skill)
        else frontmatter.write(_fields(skill, before))
    )
    body = str(skill.definition.get("text", ""))
    if main := MAINS.get(skill.kind):
        work = skill.definition.get(shapes.BODIES[skill.kind])
        text = (
            work
            if isinstance(work, str)
            else json.dumps(work, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        )
        files[main] = File(text.encode(), skill.kind is SkillKind.SCRIPT)
        body = str(document.get("body", _explained(skill, main)))
    return {MANIFEST: File((head + body).encode()), **files}


def problems(name: str, description: str) -> list[str]:
    """Sentences about what the Agent Skills format does not allow in a skill."""
    found = []
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        found.append(
            f"the name {name!r} is not lower-case letters, digits and single hyphens, at most {LONGEST_NAME}"
        )
    if len(description) > LONGEST_DESCRIPTION:
        found.append(
            f"the description has {len(description)} characters, the limit is {LONGEST_DESCRIPTION}"
        )
    return found


# --- what the front matter says -------------------------------------------------------------------------------------


def _described(fields: Mapping[str, Any], folder: str) -> Described:
    """A skill as its front matter says, with the part of the definition that stands
    there.
    """
    name, description = fields.get("name", folder), fields.get("description")
    for each, value in (("name", name), ("description", description)):
        if not isinstance(value, str) or not value.strip():
            raise InvalidInput(
                each,
                "is missing in the front matter, or is no text; put a number in quotes",
            )
    said = _metadata(fields)
    author, notes = _author(said.get("author"))
    return Described(
        name=admission.key("name", name),
        description=str(description),
        kind=SkillKind.parse(
            said.get(_KIND, SkillKind.INSTRUCTION.value), f"metadata {_KIND}"
        ),
        definition=_rest(said),
        parameters=_json(said, _PARAMETERS, {}),
        tags=admission.tags(_TAGS, _json(said, _TAGS, [])),
        author=author,
        when=when if isinstance(when := said.get(_WHEN, ""), str) else "",
        notes=notes,
    )


def _metadata(fields: Mapping[str, Any]) -> dict[str, Any]:
    metadata = fields.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _author(value: object) -> tuple[str, tuple[str, ...]]:
    if value is None:
        return "", ()
    try:
        return admission.label("author", value), ()
    except InvalidInput as error:
        return "", (f"its author is not taken over: {error.reason}",)


def _json(said: Mapping[str, Any], name: str, empty: Any) -> Any:
    """A value that export wrote as JSON into one line of metadata."""
    value, why = empty, ""
    try:
        value = _loaded(said[name]) if name in said else empty
    except (ValueError, TypeError, RecursionError) as error:
        value, why = None, f" ({error})"
    if type(value) is not type(empty):
        raise InvalidInput(
            f"metadata {name}",
            f"must be JSON in quotes, as `hexad skills export` writes it{why}",
        )
    return value


def _rest(said: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a definition in the front matter: nothing that the folder's files
    hold.
    """
    rest: dict[str, Any] = _json(said, _REST, {})
    strange = sorted(_ELSEWHERE & rest.keys())
    if strange:
        raise InvalidInput(
            f"metadata {_REST}",
            f"must not hold {strange[0]!r}: the folder's files hold it; remove it",
        )
    return rest


def _rest_of(skill: Skill | Described) -> dict[str, Json]:
    """The part of a definition that no file of the folder holds."""
    return {
        name: value
        for name, value in skill.definition.items()
        if name not in _ELSEWHERE
    }


def _fields(skill: Skill | Described, before: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a front matter: the skill's own, and unknown ones that others
    wrote.
    """
    metadata = {
        name: value for name, value in _metadata(before).items() if name not in _OWN
    }
    metadata |= {
        name: value
        for name, value in (("author", skill.author), (_WHEN, skill.when))
        if value
    }
    if skill.kind is not SkillKind.INSTRUCTION:
        metadata[_KIND] = skill.kind.value
    for name, value in (
        (_REST, _rest_of(skill)),
        (_PARAMETERS, skill.parameters),
        (_TAGS, skill.tags),
    ):
        if value:
            metadata[name] = json.dumps(value, ensure_ascii=False, allow_nan=False)
    others = {name: value for name, value in before.items() if name != "metadata"}
    fields = {**others, "name": skill.name, "description": skill.description}
    return {**fields, "metadata": metadata} if metadata else fields


def _fields_of(head: object) -> dict[str, Any]:
    """The fields of a front matter that was kept; none if there is none, or if it
    cannot be read any more.
    """
    try:
        return (
            frontmatter.parse(frontmatter.split(head).yaml)
            if isinstance(head, str)
            else {}
        )
    except InvalidInput:
        return {}


def _says(fields: Mapping[str, Any], skill: Skill | Described) -> bool:
    """Whether a front matter says what the skill is now."""
    try:
        said = _described(fields, skill.name)
    except InvalidInput:
        return False
    now = {name: getattr(skill, name) for name in FACTS} | {
        "definition": _rest_of(skill)
    }
    return all(getattr(said, name) == value for name, value in now.items())


def _remarks(fields: Mapping[str, Any], folder: str, manifest: File) -> list[str]:
    name = fields.get("name")
    found = problems(name or folder, fields["description"])
    if name is None:
        found.append("its front matter has no name; the folder's is taken")
    elif name != folder and _NAME.fullmatch(name):
        found.append(
            f"the format wants the folder to be called {name!r}, not {folder!r}"
        )
    return [*found, f"{MANIFEST} is executable"] if manifest.executable else found


# --- content --------------------------------------------------------------------------------------------------------


def _content(
    kind: SkillKind, main: str | None, files: Files, body: str
) -> dict[str, Json]:
    if not main:
        return {"text": body}
    text = _text(main, files[main].data)
    if kind is not SkillKind.COMPOSITE:
        return {shapes.BODIES[kind]: text}
    try:
        return {shapes.BODIES[kind]: _loaded(text)}
    except (ValueError, RecursionError) as error:
        raise InvalidInput(main, f"is not JSON: {error}") from None


def _loaded(text: str) -> Any:
    """A text parsed as JSON, if it can be written as JSON again."""
    value = json.loads(text)
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        raise ValueError(
            "it holds NaN, a number that is too large, or half a character"
        ) from None
    return value


def _explained(skill: Skill | Described, main: str) -> str:
    """Markdown for people and other agents; Hexad itself reads the front matter and the
    file ``main``.
    """
    schema: Mapping[str, Any] = skill.parameters
    listed = [
        f"- `{name}` ({facts.get('type', 'anything')}{'' if name in schema.get('required', ()) else ', optional'})"
        + (f": {facts['description']}" if "description" in facts else "")
        for name, facts in schema.get("properties", {}).items()
    ]
    work = f"## Work\n\nDo what `{main}` says. A script gets the parameters as environment variables.\n"
    parts = [
        f"# {skill.name}",
        skill.description,
        "## Parameters" if listed else "",
        "\n".join(listed),
        work,
    ]
    return "\n\n".join(filter(None, parts))


def _as_written(
    described: Described, main: str | None, written: frontmatter.Split
) -> dict[str, Json]:
    """The parts of a SKILL.md that export would write differently: only these are kept
    beside the skill.
    """
    usual = frontmatter.split(files_of(described)[MANIFEST].data.decode())
    document: dict[str, Json] = (
        {} if written.head == usual.head else {"head": written.head}
    )
    if main and written.body != _explained(described, main):
        document["body"] = written.body
    return document


# --- files ----------------------------------------------------------------------------------------------------------


def _text(path: str, data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(
            path, f"is not UTF-8 (byte {error.start}); save it as UTF-8"
        ) from None
    if "\0" in text:
        raise InvalidInput(path, "holds NUL, which is no text")
    return text
