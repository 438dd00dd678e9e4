"""An Agent Skills folder ⇄ a skill, without loss in either direction. Pure: `folders.py` reads and writes the files.

A folder is a SKILL.md (front matter and text) and any other files. It becomes an instruction, unless its front matter
says ``hexad-kind`` under ``metadata``: then the file that ``hexad-main`` names holds its script, template or steps.
Comments, licence and key order, for which a skill has no field, are kept as written in ``definition["document"]``.
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
from hexad.skills.names import MANIFEST, path_fault

if TYPE_CHECKING:
    from hexad.model import Json, Skill

LONGEST_NAME: Final = 64  # these two and the next are the format's
LONGEST_DESCRIPTION: Final = 1024
_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LARGEST_FILE: Final = 1024 * 1024  # bytes
_KIND, _MAIN, _REST, _PARAMETERS, _TAGS, _WHEN = (
    f"hexad-{name}" for name in ("kind", "main", "definition", "parameters", "tags", "when")
)
_OWN: Final = (_KIND, _MAIN, _REST, _PARAMETERS, _TAGS, _WHEN, "author")


class _Main(NamedTuple):
    """Where a kind keeps what it does: the field of its definition, and the file in a folder."""

    field: str
    path: str


_MAINS: Final[Mapping[SkillKind, _Main]] = {
    SkillKind.COMPOSITE: _Main("steps", "steps.json"),
    SkillKind.SCRIPT: _Main("script", "scripts/run.sh"),
    SkillKind.TEMPLATE: _Main("template", "template.txt"),
}


_ELSEWHERE: Final = frozenset({"text", "files", "document", *(main.field for main in _MAINS.values())})


class File(NamedTuple):
    """A file of a folder."""

    data: bytes
    executable: bool = False


Files: TypeAlias = Mapping[str, File]  # by their paths in the folder, with / between the parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """The skill that a folder describes; ``notes`` are sentences about deviations from the format."""

    name: str
    description: str
    kind: SkillKind = SkillKind.INSTRUCTION
    rest: Mapping[str, Json] = field(default_factory=dict)  # of the definition: what no file of the folder holds
    parameters: Mapping[str, Json] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    author: str = ""
    when: str = ""
    definition: Mapping[str, Json] = field(default_factory=dict, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)


def skill_in(files: Files, folder: str) -> Described:
    """The skill that a folder's files are; ``folder`` is its name."""
    if MANIFEST not in files:
        raise InvalidInput(MANIFEST, "is missing; a skill's folder has one")
    written = frontmatter.split(_text(MANIFEST, files[MANIFEST].data))
    fields = frontmatter.parse(written.yaml)
    described = _described(fields, folder)
    main = _main_in(fields, described.kind, files)
    definition = {**described.rest, **_content(described.kind, main, files, written.body)}
    others = {path: _as_json(file) for path, file in files.items() if path not in {MANIFEST, main}}
    if others:
        definition["files"] = others
    document = _as_written(described, definition, main, files, written)
    if document:
        definition["document"] = document
    notes = (*described.notes, *_remarks(fields, folder, files[MANIFEST]))
    return replace(described, definition=definition, notes=notes)


def files_of(skill: Skill) -> dict[str, File]:
    """The files of a skill's folder; unchanged parts are written byte for byte as imported."""
    definition = skill.definition
    files = {path: File(*each) for path, each in shapes.files_of(definition).items()}
    described = _of_skill(skill)
    document: Mapping[str, Any] = definition.get("document", {})  # type: ignore[assignment]  # it was checked
    main = _main_of(described.kind, document, files)
    head = _head(described, main, document.get("head"))
    if described.kind is SkillKind.INSTRUCTION:
        body = str(definition.get("text", ""))
    else:
        body = str(document.get("body", _explained(described, main)))
    if main:
        files[main] = _main_file(described.kind, definition, document)
    if frontmatter.split(head + body).head != head:
        head = frontmatter.write(_fields(described, main, frontmatter.parse(frontmatter.split(head).yaml)))
    executable = document.get("manifest_executable") is True
    return {MANIFEST: File((head + body).encode(), executable), **files}


def problems(name: str, description: str) -> list[str]:
    """Sentences about what the Agent Skills format does not allow in a skill."""
    found = []
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        found.append(f"the name {name!r} is not lower-case letters, digits and single hyphens, at most {LONGEST_NAME}")
    if len(description) > LONGEST_DESCRIPTION:
        found.append(f"the description has {len(description)} characters, the limit is {LONGEST_DESCRIPTION}")
    return found


# --- what the front matter says -------------------------------------------------------------------------------------


def _described(fields: Mapping[str, Any], folder: str) -> Described:
    name, description = fields.get("name", folder), fields.get("description")
    for each, value in (("name", name), ("description", description)):
        if not isinstance(value, str) or not value.strip():
            raise InvalidInput(each, "is missing in the front matter, or is no text; put a number in quotes")
    metadata = fields.get("metadata")
    said = metadata if isinstance(metadata, dict) else {}
    author, notes = _author(said.get("author"))
    return Described(
        name=admission.key("name", name),
        description=str(description),
        kind=SkillKind.parse(said.get(_KIND, SkillKind.INSTRUCTION.value), f"metadata {_KIND}"),
        rest=_rest(said),
        parameters=_json(said, _PARAMETERS, {}),
        tags=admission.tags(_TAGS, _json(said, _TAGS, [])),
        author=author,
        when=when if isinstance(when := said.get(_WHEN, ""), str) else "",
        notes=notes,
    )


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
        raise InvalidInput(f"metadata {name}", f"must be JSON in quotes, as `hexad skills export` writes it{why}")
    return value


def _rest(said: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a definition in the front matter: nothing that the folder's files hold."""
    rest: dict[str, Any] = _json(said, _REST, {})
    strange = sorted(_ELSEWHERE & rest.keys())
    if strange:
        raise InvalidInput(f"metadata {_REST}", f"must not hold {strange[0]!r}: the folder's files hold it; remove it")
    return rest


def _of_skill(skill: Skill) -> Described:
    return Described(
        name=skill.name,
        description=skill.description,
        kind=skill.kind,
        rest={name: value for name, value in skill.definition.items() if name not in _ELSEWHERE},
        parameters=dict(skill.parameters),
        tags=skill.tags,
        author=skill.author,
        when=skill.when,
    )


def _fields(described: Described, main: str, others: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a front matter: the skill's own, and unknown ones that others wrote."""
    metadata = others.get("metadata")
    kept = {name: value for name, value in metadata.items() if name not in _OWN} if isinstance(metadata, dict) else {}
    own: dict[str, Any] = {
        name: value for name, value in (("author", described.author), (_WHEN, described.when)) if value
    }
    if described.kind is not SkillKind.INSTRUCTION:
        own |= {_KIND: described.kind.value, _MAIN: main}
    for name, value in ((_REST, described.rest), (_PARAMETERS, described.parameters), (_TAGS, described.tags)):
        if value:
            own[name] = json.dumps(value, ensure_ascii=False, allow_nan=False)
    fields = {**others, "name": described.name, "description": described.description}
    if own or kept:
        return {**fields, "metadata": {**kept, **own}}
    return fields if isinstance(metadata, str | list) else {n: v for n, v in fields.items() if n != "metadata"}


def _head(described: Described, main: str, written: object) -> str:
    """The original front matter if it still matches the skill; else a new one that keeps unknown fields."""
    if not isinstance(written, str):
        return frontmatter.write(_fields(described, main, {}))
    try:
        fields = frontmatter.parse(frontmatter.split(written).yaml)
        same = _described(fields, described.name) == described
        if same and main:
            same = fields["metadata"].get(_MAIN, _MAINS[described.kind].path) == main
    except InvalidInput:
        return frontmatter.write(_fields(described, main, {}))
    return written if same else frontmatter.write(_fields(described, main, fields))


def _remarks(fields: Mapping[str, Any], folder: str, manifest: File) -> list[str]:
    name = fields.get("name")
    found = problems(name or folder, fields["description"])
    if name is None:
        found.append("its front matter has no name; the folder's is taken")
    elif name != folder and _NAME.fullmatch(name):
        found.append(f"the format wants the folder to be called {name!r}, not {folder!r}")
    return [*found, f"{MANIFEST} is executable"] if manifest.executable else found


# --- content --------------------------------------------------------------------------------------------------------


def _main_in(fields: Mapping[str, Any], kind: SkillKind, files: Files) -> str:
    if kind is SkillKind.INSTRUCTION:
        return ""
    path = fields["metadata"].get(_MAIN, _MAINS[kind].path)
    if not isinstance(path, str) or path == MANIFEST or path not in files:
        raise InvalidInput(f"metadata {_MAIN}", f"names {path!r}, which is not among the folder's files")
    return path


def _main_of(kind: SkillKind, document: Mapping[str, Any], files: Files) -> str:
    """The path of a skill's own text: the imported one, else the usual one, else a free one beside or above it."""
    if kind is SkillKind.INSTRUCTION:
        return ""
    usual = _MAINS[kind].path
    written = document.get("main")
    wanted = [written] if isinstance(written, str) and not path_fault(written) else []
    stem, _, ending = usual.rpartition("/")[2].rpartition(".")
    above = (f"{stem}-{number}.{ending}" for number in range(2, len(files) + 4))
    return next(path for path in (*wanted, usual, *above) if not _clashes(path, files))


def _content(kind: SkillKind, main: str, files: Files, body: str) -> dict[str, Json]:
    if kind is SkillKind.INSTRUCTION:
        return {"text": body}
    text = _text(main, files[main].data)
    return {_MAINS[kind].field: _steps(main, text) if kind is SkillKind.COMPOSITE else text}


def _steps(path: str, text: str) -> Json:
    try:
        steps: Json = _loaded(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(path, f"is not JSON: {error}") from None
    return steps


def _loaded(text: str) -> Any:
    """A text parsed as JSON, if it can be written as JSON again."""
    value = json.loads(text)
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        raise ValueError("it holds NaN, a number that is too large, or half a character") from None
    return value


def _main_file(kind: SkillKind, definition: Mapping[str, Any], document: Mapping[str, Any]) -> File:
    value = definition.get(_MAINS[kind].field)
    text = value if isinstance(value, str) else _written_steps(value, document.get("steps"))
    executable = document.get("executable", kind is SkillKind.SCRIPT)
    return File(text.encode(), executable is True)


def _written_steps(steps: Json, written: object) -> str:
    """Steps as they were written, if these are still the same."""
    described = json.dumps(steps, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if len(described.encode()) > LARGEST_FILE:
        described = json.dumps(steps, ensure_ascii=False, allow_nan=False) + "\n"
    if isinstance(written, str):
        try:
            return written if json.dumps(json.loads(written)) == json.dumps(steps) else described
        except (ValueError, RecursionError):
            return described
    return described


def _explained(described: Described, main: str) -> str:
    """Markdown for people and other agents; Hexad itself reads the front matter and the file ``main``."""
    schema: Mapping[str, Any] = described.parameters
    listed = [
        f"- `{name}` ({facts.get('type', 'anything')}{'' if name in schema.get('required', ()) else ', optional'})"
        + (f": {facts['description']}" if "description" in facts else "")
        for name, facts in schema.get("properties", {}).items()
    ]
    work = f"## Work\n\nDo what `{main}` says. A script gets the parameters as environment variables.\n"
    parts = [f"# {described.name}", described.description, "## Parameters" if listed else "", "\n".join(listed), work]
    return "\n\n".join(filter(None, parts))


def _as_written(
    described: Described, definition: Mapping[str, Json], main: str, files: Files, written: frontmatter.Split
) -> dict[str, Json]:
    """The parts of a folder that export would write differently: only these are kept beside the skill."""
    document: dict[str, Json] = {}
    others = {path: file for path, file in files.items() if path not in {MANIFEST, main}}
    if main and main != _main_of(described.kind, {}, others):
        document["main"] = main
    if written.head != _head(described, main, None):
        document["head"] = written.head
    if files[MANIFEST].executable:
        document["manifest_executable"] = True
    if not main:
        return document
    if written.body != _explained(described, main):
        document["body"] = written.body
    own = _main_file(described.kind, definition, {})
    if files[main].data != own.data:
        document["steps"] = files[main].data.decode()
    if files[main].executable != own.executable:
        document["executable"] = files[main].executable
    return document


# --- files ----------------------------------------------------------------------------------------------------------


def _text(path: str, data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(path, f"is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    if "\0" in text:
        raise InvalidInput(path, "holds NUL, which is no text")
    return text


def _as_json(file: File) -> dict[str, Json]:
    return shapes.as_text({"base64": base64.b64encode(file.data).decode(), "executable": file.executable})


def _clashes(path: str, files: Files) -> bool:
    """Whether a path is taken, or is a folder where a file is, or the other way round."""
    within = any(each.startswith(f"{path}/") for each in files)
    return path in files or within or any(each in files for each in _above(path))


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]
