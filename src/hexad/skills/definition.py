"""The definition of each kind of skill, checked before it is stored; the error names
the field.

- composite: ``{"steps": [{"tool": name, "args": {…}, "save_as"?: name}, …], "files"?}``
- script: ``{"script": text, "shell"?: "sh" | "bash", "needs"?: [capability, …], "writable"?: [folder, …], "files"?}``
- template: ``{"template": text, "files"?}``
- instruction: ``{"text": text, "files"?}``

``files`` maps a relative path to ``{"text": …}`` or ``{"base64": …}``, with
``"executable": true`` where it is. Every kind may carry ``document``: what a `SKILL.md`
said that has no place elsewhere.
"""

from __future__ import annotations

import ast
import base64
import binascii
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, assert_never

from hexad.errors import InvalidInput
from hexad.memory import admission
from hexad.model import Capability, Skill, SkillKind, SkillStatus
from hexad.skills import parameters
from hexad.skills.names import MAINS, MANIFEST, path_fault, variable_fault
from hexad.skills.placeholders import Unresolved, is_name, name_of, references, shown

if TYPE_CHECKING:
    from types import ModuleType

    from hexad.model import Json, Record

_canonical: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
DEEPEST: Final = 32  # objects and lists inside each other
MOST_STEPS: Final = 32
MOST_FILES: Final = 256
LARGEST_FOLDER: Final = 8 * 1024 * 1024  # bytes
SHELLS: Final = ("sh", "bash")
_OF_A_SHELL: Final = re.compile(r"#!.*\b(?:ba|da|a|z|k)?sh\b").match
_FOR_BASH: Final = re.compile(r"#!.*\bbash\b").match
BODIES: Final[Mapping[SkillKind, str]] = {
    SkillKind.COMPOSITE: "steps",
    SkillKind.SCRIPT: "script",
    SkillKind.TEMPLATE: "template",
    SkillKind.INSTRUCTION: "text",
}
"""The field of a definition that says what the skill does."""


def check(
    kind: SkillKind, definition: Mapping[str, Any], schema: Mapping[str, Json]
) -> None:
    """Refuse a definition that does not fit its kind, or parameters that cannot be
    checked.
    """
    if _deeper(definition, DEEPEST):
        raise InvalidInput("definition", f"is nested more than {DEEPEST} deep")
    parameters.check_schema(schema)
    _check_fields(kind, definition)
    match kind:
        case SkillKind.COMPOSITE:
            _check_composite(definition, schema)
        case SkillKind.SCRIPT:
            _check_script(definition, schema)
        case SkillKind.TEMPLATE:
            if mistakes := templates().problems(_text(definition, "template")):
                raise _wrong("template", "; ".join(mistakes))
        case SkillKind.INSTRUCTION:
            if not isinstance(
                definition["text"], str
            ):  # it may be empty: the description or its files may say it all
                raise _wrong("text", "must be text")
        case never:
            assert_never(never)
    _check_files(definition.get("files", {}), {MANIFEST, MAINS.get(kind, MANIFEST)})


def fingerprint(skill: Skill) -> str:
    """A hash of what a person approves: all that a skill does and all that the model
    reads about it.
    """
    approved = [
        skill.kind.value,
        skill.definition,
        skill.parameters,
        skill.description,
        skill.when,
    ]
    return hashlib.sha256(_canonical(approved).encode()).hexdigest()


def is_altered(record: Record) -> bool:
    """Whether it is an active skill that is not what was approved."""
    return (
        isinstance(record, Skill)
        and record.status is SkillStatus.ACTIVE
        and record.approved != fingerprint(record)
    )


def normalised(definition: Any) -> Any:
    """Normalise a definition before it is stored: text files as text, however they were
    given, and no empty `files`.

    So the same folder always has the same definition, and secrets in texts are found.
    Mistakes stay as they are.
    """
    files = definition.get("files") if isinstance(definition, Mapping) else None
    if not isinstance(files, Mapping):
        return definition
    kept = {
        path: as_text(file) if isinstance(file, Mapping) else file
        for path, file in files.items()
    }
    others = {name: value for name, value in definition.items() if name != "files"}
    return {**others, "files": kept} if kept else others


def as_text(file: Mapping[str, Any]) -> dict[str, Any]:
    """A file of a definition with its content as text, if it is text."""
    kept = dict(file)
    if not kept.get("executable", True):
        del kept["executable"]
    if kept.keys() & {"text", "base64"} != {"base64"}:
        return kept
    try:
        text = _content(kept).decode()
    except (TypeError, ValueError):
        return kept
    if "\0" in text:
        return kept
    del kept["base64"]
    return {"text": text, **kept}


def files_of(definition: Mapping[str, Any]) -> dict[str, tuple[bytes, bool]]:
    """The files of a definition: content, and whether it is executable."""
    return {
        name: (_content(file), bool(file.get("executable", False)))
        for name, file in definition.get("files", {}).items()
    }


def needs_of(definition: Mapping[str, Any]) -> frozenset[Capability]:
    """The capabilities that a script declares."""
    return frozenset(Capability(name) for name in definition.get("needs", ()))


def _check_fields(kind: SkillKind, definition: Mapping[str, Json]) -> None:
    needed = BODIES[kind]
    known = {
        needed,
        "document",
        "files",
        *(("shell", "needs", "writable") if kind is SkillKind.SCRIPT else ()),
    }
    if needed not in definition:
        raise InvalidInput(
            "definition",
            f"a {kind} skill needs {needed!r}; it may have {_listed(known - {needed})}",
        )
    for name in definition:
        if name not in known:
            raise _wrong(name, f"is not known; a {kind} skill has {_listed(known)}")
    if not isinstance(definition.get("document", {}), Mapping):
        raise _wrong("document", "must be an object")


# --- composite ----------------------------------------------------------------------------------------------------


def _check_composite(definition: Mapping[str, Any], schema: Mapping[str, Json]) -> None:
    steps = definition["steps"]
    if not isinstance(steps, list) or not 1 <= len(steps) <= MOST_STEPS:
        raise _wrong("steps", f"must be a list of 1 to {MOST_STEPS} steps")
    known = {name for name in parameters.properties_of(schema) if is_name(name)}
    for place, step in enumerate(steps):
        _check_step(step, f"steps.{place}", known)
        saved = step.get("save_as")
        if saved is not None:
            if saved in known:
                raise _wrong(
                    f"steps.{place}.save_as",
                    f"{saved!r} is taken by a parameter or an earlier step",
                )
            known.add(saved)


def _check_step(step: Any, where: str, known: set[str]) -> None:
    if not isinstance(step, Mapping):
        raise _wrong(where, 'must be an object: {"tool": name, "args": {…}}')
    strange = [name for name in step if name not in {"tool", "args", "save_as"}]
    if strange:
        raise _wrong(
            f"{where}.{strange[0]}", "is not known; a step has tool, args, save_as"
        )
    if not isinstance(step.get("tool"), str) or not step["tool"].strip():
        raise _wrong(f"{where}.tool", "must be the name of a tool")
    admission.key(f"definition.{where}.tool", step["tool"])
    if not isinstance(step.get("args", {}), Mapping):
        raise _wrong(f"{where}.args", "must be an object: the tool's arguments by name")
    if "save_as" in step and not is_name(step["save_as"]):
        raise _wrong(
            f"{where}.save_as",
            "must be a name of letters, digits, _ and -, beginning with a letter",
        )
    for name, argument in step.get("args", {}).items():
        _check_references(argument, f"{where}.args.{name}", known)


def _check_references(argument: Any, where: str, known: set[str]) -> None:
    try:
        strange = [
            reference
            for reference in references(argument)
            if name_of(reference) not in known
        ]
    except Unresolved as error:
        raise _wrong(where, str(error)) from None
    if strange:
        reason = f"is neither a parameter nor saved by an earlier step; known here: {_listed(known)}"
        raise _wrong(
            where,
            f"{shown(strange[0])} {reason}; a parameter has to be in the schema (parameters)",
        )


# --- script -------------------------------------------------------------------------------------------------------


def shell_of(definition: Mapping[str, Any]) -> str:
    """The shell of a script: the one its definition names, else that of its first line,
    else `sh`.

    >>> shell_of({"script": "#!/usr/bin/env bash"})
    'bash'
    """
    first = str(definition["script"]).partition("\n")[0]
    return str(definition.get("shell") or ("bash" if _FOR_BASH(first) else "sh"))


def _is_python(script: str) -> bool:
    """Whether a script is a Python program: it parses as one that imports, defines or
    calls something.

    >>> _is_python("import sys"), _is_python("print('hello')"), _is_python("ls"), _is_python("echo hello")
    (True, True, False, False)
    """
    try:
        tree = ast.parse(script)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(
        isinstance(node, ast.Import | ast.ImportFrom | ast.Call | ast.FunctionDef)
        for node in ast.walk(tree)
    )


def _refuse_another_language(script: str) -> None:
    first = script.partition("\n")[0]
    if first.startswith("#!"):
        if not _OF_A_SHELL(first):
            reason = f"begins with {first[:40]!r}, but scripts run in {' or '.join(SHELLS)}; call that from one"
            raise _wrong("script", reason)
    elif _is_python(script):
        raise _wrong(
            "script",
            "is Python, but scripts run in sh or bash; put it between python3 - <<'END' and END",
        )


def _check_script(definition: Mapping[str, Any], schema: Mapping[str, Json]) -> None:
    _refuse_another_language(_text(definition, "script"))
    if definition.get("shell", "sh") not in SHELLS:
        raise _wrong("shell", f"must be one of {', '.join(SHELLS)}")
    needs, folders = definition.get("needs", []), definition.get("writable", [])
    if not isinstance(needs, list):
        raise _wrong("needs", f"must be a list of {', '.join(Capability)}")
    for name in needs:
        Capability.parse(name, "definition.needs")
    if not isinstance(folders, list) or not all(map(_is_folder, folders)):
        raise _wrong(
            "writable",
            "must be a list of absolute folders, without .. and without the root itself",
        )
    if folders and Capability.WRITE not in needs:
        raise _wrong("writable", 'needs "write" among its "needs"')
    for name in parameters.properties_of(schema):
        if reason := variable_fault(name):
            raise InvalidInput(f"parameters.{name}", reason)


def _is_folder(value: object) -> bool:
    path = (
        PurePosixPath(value) if isinstance(value, str) and "\0" not in value else None
    )
    return (
        path is not None
        and path.is_absolute()
        and len(path.parts) > 1
        and ".." not in path.parts
    )


# --- template -------------------------------------------------------------------------------------


def templates() -> ModuleType:
    """The template engine, loaded when the first template is met."""
    from hexad.skills import templates as engine  # noqa: PLC0415 - loads jinja2: 45 ms

    return engine


def inferred_parameters(definition: object) -> dict[str, Json]:
    """A default schema: the values that a template uses; empty for other kinds."""
    template = definition.get("template") if isinstance(definition, Mapping) else None
    found: dict[str, Json] = (
        templates().inferred_parameters(template) if isinstance(template, str) else {}
    )
    return found


# --- shared by all kinds ----------------------------------------------------------------------------------------------


def _text(definition: Mapping[str, Any], name: str) -> str:
    text = definition[name]
    if not isinstance(text, str) or not text.strip():
        raise _wrong(name, "must be text that is not empty")
    return text


def _check_files(files: Any, taken: set[str]) -> None:
    if not isinstance(files, Mapping) or len(files) > MOST_FILES:
        raise _wrong(
            "files", f"must be an object with at most {MOST_FILES} files by their paths"
        )
    for path, file in files.items():
        where = f"files.{path}"
        if reason := path_fault(path):
            raise _wrong(where, reason)
        if any(str(each) in taken for each in (path, *PurePosixPath(path).parents)):
            raise _wrong(
                where, "is where an export writes the skill itself; choose another name"
            )
        if not isinstance(file, Mapping) or not file.keys() <= {
            "text",
            "base64",
            "executable",
        }:
            raise _wrong(
                where,
                'must be {"text": …} or {"base64": …}, with "executable" if it is',
            )
        if ("text" in file) == ("base64" in file) or not isinstance(
            file.get("executable", False), bool
        ):
            raise _wrong(
                where,
                "needs exactly one of text and base64, and executable is true or false",
            )
        try:
            _content(file)
        except (TypeError, ValueError, AttributeError, binascii.Error):
            raise _wrong(
                where, "its text must be text, its base64 must be base64"
            ) from None
    for path in (*files, *taken):
        if any(str(folder) in files for folder in PurePosixPath(path).parents):
            raise _wrong(f"files.{path}", "lies in a path that is a file itself")


def _content(file: Mapping[str, Any]) -> bytes:
    if "text" in file:
        encoded: bytes = file["text"].encode()
        return encoded
    return base64.b64decode(file["base64"], validate=True)


def _deeper(value: Any, levels: int) -> bool:
    """Whether objects and lists are nested deeper than ``levels``."""
    if not isinstance(value, Mapping | list):
        return False
    inner = value.values() if isinstance(value, Mapping) else value
    return levels == 0 or any(_deeper(each, levels - 1) for each in inner)


def _wrong(where: str, reason: str) -> InvalidInput:
    return InvalidInput(f"definition.{where}", reason)


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"
