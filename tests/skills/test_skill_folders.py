"""SKILL.md folders: in and out without loss, and nothing that leaves its folder or is
too large.
"""

from __future__ import annotations

import base64
import json
import os
import socket
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hexad.cli import main
from hexad.errors import FolderRefused, InvalidInput
from hexad.memory.redaction import redact
from hexad.model import Origin, Skill, SkillKind, SkillStatus
from hexad.skills.folders import frontmatter
from hexad.skills.folders.document import LARGEST_FILE, File, files_of, skill_in
from hexad.skills.folders.files import MOST_FILES
from tests.support import FixedClock, opened, requirement

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hexad import Hexad

PLAIN = "---\nname: pdf\ndescription: Fill in forms\n---\n\n# PDF\n\nUse the script.\n"
CURIOUS = (
    "\ufeff---\r\n"
    "# who wrote this\r\n"
    "description: >-\r\n  Fill in forms, also large ones.\r\n"
    "license: 'Apache-2.0'   # see LICENSE\r\n"
    'name: "pdf"\r\n'
    "allowed-tools: Bash(git:*) Read\r\n"
    "compatibility: needs poppler\r\n"
    'metadata: {author: example-org, version: "1.0", made: 2024-05-19}\r\n'
    "---   \r\n"
    "no blank line, no final newline"
)


def make(
    folder: Path, files: Mapping[str, bytes | str], *, executable: tuple[str, ...] = ()
) -> Path:
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data.encode() if isinstance(data, str) else data)
        place.chmod(0o755 if path in executable else 0o644)
    return folder


def everything(folder: Path) -> dict[str, tuple[bytes, bool]]:
    found = [each for each in folder.rglob("*") if each.is_file()]
    return {
        each.relative_to(folder).as_posix(): (
            each.read_bytes(),
            bool(each.stat().st_mode & 0o100),
        )
        for each in found
    }


# --- without loss ---------------------------------------------------------------------------------------------------


@requirement("SKILL-09")
@pytest.mark.parametrize("manifest", [PLAIN, CURIOUS], ids=["plain", "curious"])
def test_a_folder_comes_out_as_it_went_in(
    hx: Hexad, tmp_path: Path, manifest: str
) -> None:
    folder = make(
        tmp_path / "in" / "pdf",
        {
            "SKILL.md": manifest,
            "scripts/fill.py": "#!/usr/bin/env python\r\nprint('hello')",
            "references/deep/er/notes.md": "ünïcode\n",
            "assets/font.bin": bytes(range(256)),
            "assets/empty": b"",
            "LICENSE": "none",
        },
        executable=("scripts/fill.py",),
    )
    imported = hx.skills.import_folder(folder)
    assert imported.new
    assert not imported.changed
    assert hx.skills.export_folder("pdf", tmp_path / "out") == tmp_path / "out" / "pdf"
    assert everything(tmp_path / "out" / "pdf") == everything(folder)


@requirement("SKILL-09")
def test_an_imported_folder_is_a_draft_instruction_with_its_text(
    hx: Hexad, tmp_path: Path
) -> None:
    skill = hx.skills.import_folder(
        make(tmp_path / "pdf", {"SKILL.md": CURIOUS, "a.txt": "A"})
    ).skill
    assert (skill.name, skill.kind, skill.status, skill.origin) == (
        "pdf",
        SkillKind.INSTRUCTION,
        SkillStatus.DRAFT,
        Origin.IMPORT,
    )
    assert skill.description == "Fill in forms, also large ones."
    assert skill.author == "example-org"
    assert skill.definition["text"] == "no blank line, no final newline"
    assert skill.definition["files"] == {"a.txt": {"text": "A"}}


@requirement("SKILL-09")
def test_importing_again_changes_nothing_and_another_skill_of_the_name_stays(
    hx: Hexad, tmp_path: Path
) -> None:
    folder = make(tmp_path / "pdf", {"SKILL.md": PLAIN})
    first = hx.skills.import_folder(folder)
    again = hx.skills.import_folder(folder)
    assert (again.new, again.skill) == (False, first.skill)
    make(folder, {"SKILL.md": PLAIN + "And more.\n"})
    with pytest.raises(FolderRefused, match="another skill 'pdf'"):
        hx.skills.import_folder(folder)
    assert hx.skills.get("pdf") == first.skill
    assert (
        hx.skills.import_folder(folder, overwrite=True).skill.definition["text"]
        == "# PDF\n\nUse the script.\nAnd more.\n"
    )


@requirement("SKILL-09")
def test_what_is_changed_afterwards_is_written_anew_and_the_rest_stays(
    hx: Hexad, tmp_path: Path
) -> None:
    skill = hx.skills.import_folder(make(tmp_path / "pdf", {"SKILL.md": CURIOUS})).skill
    hx.skills.create(
        "pdf",
        kind="instruction",
        description="Other",
        definition=skill.definition,
        author=skill.author,
    )
    text = (hx.skills.export_folder("pdf", tmp_path / "out") / "SKILL.md").read_text(
        encoding="utf-8"
    )
    fields = frontmatter.parse(frontmatter.split(text).yaml)
    assert fields["description"] == "Other"
    assert (fields["license"], fields["allowed-tools"]) == (
        "Apache-2.0",
        "Bash(git:*) Read",
    )
    assert fields["metadata"]["version"] == "1.0"
    assert frontmatter.split(text).body == "no blank line, no final newline"


names = st.from_regex(r"[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,3}", fullmatch=True)
words = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60
)
lines = words.filter(lambda text: bool(text.strip()))
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | words
)
objects = st.dictionaries(
    words,
    st.recursive(scalars, lambda inner: st.lists(inner, max_size=3), max_leaves=5),
    max_size=3,
)
paths = st.lists(
    st.from_regex(r"[A-Za-z0-9_.-]{1,12}", fullmatch=True), min_size=1, max_size=4
).map("/".join)
file_paths = paths.filter(
    lambda path: path != "SKILL.md" and not {".", "..", ".git"} & set(path.split("/"))
)
contents = st.one_of(words.map(str.encode), st.binary(max_size=40))
trees = st.dictionaries(
    file_paths, st.builds(File, contents, st.booleans()), max_size=4
).filter(
    lambda files: (
        not any(other.startswith(f"{path}/") for path in files for other in files)
    )
)


def as_json(files: Mapping[str, File]) -> dict[str, Any]:
    described = skill_in({"SKILL.md": File(PLAIN.encode()), **files}, "pdf")
    return {"files": described.definition["files"]} if files else {}


def definitions(kind: SkillKind) -> st.SearchStrategy[dict[str, Any]]:
    steps = st.lists(
        st.fixed_dictionaries(
            {"tool": words, "args": objects}, optional={"save_as": names}
        ),
        max_size=3,
    )
    own = {
        SkillKind.INSTRUCTION: st.fixed_dictionaries({"text": words}),
        SkillKind.TEMPLATE: st.fixed_dictionaries({"template": words}),
        SkillKind.COMPOSITE: st.fixed_dictionaries({"steps": steps}),
        SkillKind.SCRIPT: st.fixed_dictionaries(
            {"script": words},
            optional={
                "shell": st.sampled_from(["sh", "bash"]),
                "needs": st.just(["network"]),
            },
        ),
    }[kind]
    return st.builds(lambda one, files: {**one, **as_json(files)}, own, trees)


def _gives_nothing_away(name: str) -> bool:
    return redact(name).text == name  # a tag that looks like a secret is refused


@st.composite
def skills(draw: st.DrawFn) -> Skill:
    kind = draw(st.sampled_from(list(SkillKind)))
    now = FixedClock()()
    return Skill(
        name=draw(names),
        description=draw(lines),
        kind=kind,
        definition=draw(definitions(kind)),
        parameters=draw(objects),
        tags=tuple(
            dict.fromkeys(draw(st.lists(names.filter(_gives_nothing_away), max_size=3)))
        ),
        author=draw(st.just("") | names),
        created=now,
        updated=now,
    )


@requirement("SKILL-09")
@settings(max_examples=150)
@given(skills())
def test_any_skill_comes_back_from_its_folder_as_it_was(skill: Skill) -> None:
    described = skill_in(files_of(skill), skill.name)
    facts = (
        "name",
        "description",
        "kind",
        "definition",
        "parameters",
        "tags",
        "author",
    )
    assert {name: getattr(described, name) for name in facts} == {
        name: getattr(skill, name) for name in facts
    }
    assert not [note for note in described.notes if "is not lower-case" in note]


heads = st.builds(
    lambda bom, keys, comment, end, gap: (
        f"{bom}---{end}{comment}{end}"
        + "".join(f"{key}{end}" for key in keys)
        + f"---{gap}"
    ),
    st.sampled_from(["", "\ufeff"]),
    st.permutations(
        [
            "name: pdf",
            "description: 'Fill: forms'",
            "license: MIT # why",
            "x-y: [1, 2.50, yes]",
        ]
    ),
    st.sampled_from(["", "# comment", "#"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n", "  \n", "\r\n\r\n", "\n\n\n"]),
)


@requirement("SKILL-09")
@settings(max_examples=150)
@given(heads, words, trees)
def test_any_folder_comes_back_byte_for_byte(
    head: str, body: str, others: dict[str, File]
) -> None:
    text = head + body if head.endswith("\n") else head
    files = {"SKILL.md": File(text.encode()), **others}
    described = skill_in(files, "pdf")
    now = FixedClock()()
    skill = Skill(
        name=described.name,
        description=described.description,
        kind=described.kind,
        definition=described.definition,
        parameters=described.parameters,
        created=now,
        updated=now,
    )
    assert files_of(skill) == files


@requirement("SKILL-09")
@pytest.mark.parametrize(
    ("kind", "definition"),
    [
        (
            "composite",
            {
                "steps": [
                    {
                        "tool": "build",
                        "args": {"tag": "{{ version }}"},
                        "save_as": "image",
                    }
                ]
            },
        ),
        (
            "script",
            {
                "script": 'echo "$version"\n',
                "shell": "bash",
                "files": {"scripts/more.sh": {"text": "more"}},
            },
        ),
        ("template", {"template": "Version {{ version }}"}),
    ],
)
def test_hexads_own_kinds_are_folders_that_people_can_read(
    hx: Hexad, tmp_path: Path, clock: FixedClock, kind: str, definition: dict[str, Any]
) -> None:
    schema = {
        "type": "object",
        "properties": {"version": {"type": "string"}},
        "required": ["version"],
    }
    kept = hx.skills.create(
        "release",
        kind=kind,
        description="Make a release",
        definition=definition,
        parameters=schema,
        tags=["ops"],
    )
    folder = hx.skills.export_folder("release", tmp_path)
    text = (folder / "SKILL.md").read_text(encoding="utf-8")
    assert "- `version` (string)" in text
    assert f"hexad-kind: {kind}" in text
    with opened(":memory:", clock=clock) as other:
        imported = other.skills.import_folder(folder)
        assert not imported.changed
        same = ("name", "kind", "description", "definition", "parameters", "tags")
        assert {n: getattr(imported.skill, n) for n in same} == {
            n: getattr(kept, n) for n in same
        }
        other.skills.export_folder("release", tmp_path / "again")
    assert everything(tmp_path / "again" / "release") == everything(folder)


@requirement("SKILL-09")
def test_a_secret_in_a_text_that_was_given_as_base64_is_taken_out(hx: Hexad) -> None:
    files: Any = {
        "up.sh": {"base64": base64.b64encode(f"token={SECRET}\n".encode()).decode()}
    }
    kept = hx.skills.create(
        "up",
        kind="instruction",
        description="d",
        definition={"text": "t", "files": files},
    )
    assert kept.redactions
    assert SECRET not in json.dumps(kept.definition)


# --- secrets --------------------------------------------------------------------------------------------------------

SECRET = "ghp_" + "a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6"


@requirement("SKILL-09")
def test_a_secret_in_a_file_is_taken_out_and_said_so_or_kept_on_request(
    hx: Hexad, tmp_path: Path
) -> None:
    folder = make(
        tmp_path / "pdf",
        {
            "SKILL.md": PLAIN,
            "scripts/up.sh": f"curl -H 'Authorization: Bearer {SECRET}'\n",
        },
    )
    imported = hx.skills.import_folder(folder)
    assert imported.changed == ("scripts/up.sh",)
    assert SECRET not in str(imported.skill.definition)
    kept = hx.skills.import_folder(folder, overwrite=True, redact=False)
    assert kept.changed == ()
    assert everything(hx.skills.export_folder("pdf", tmp_path / "out")) == everything(
        folder
    )


@requirement("SKILL-09")
def test_a_secret_in_the_front_matter_is_taken_out_of_it_too(
    hx: Hexad, tmp_path: Path
) -> None:
    manifest = PLAIN.replace(
        "name: pdf\n", f'name: pdf\nmetadata: {{key: "{SECRET}", version: "2"}}\n'
    )
    imported = hx.skills.import_folder(make(tmp_path / "pdf", {"SKILL.md": manifest}))
    assert imported.changed == ("SKILL.md",)
    text = (hx.skills.export_folder("pdf", tmp_path / "out") / "SKILL.md").read_text(
        encoding="utf-8"
    )
    assert SECRET not in text
    assert skill_in({"SKILL.md": File(text.encode())}, "pdf").name == "pdf"


@requirement("SKILL-09")
def test_a_secret_that_cannot_be_taken_out_is_refused(
    hx: Hexad, tmp_path: Path
) -> None:
    with pytest.raises(FolderRefused, match="looks like a secret"):
        hx.skills.import_folder(
            make(tmp_path / "pdf", {"SKILL.md": PLAIN, f"{SECRET}.txt": ""})
        )
    assert hx.skills.list() == ()


# --- refused --------------------------------------------------------------------------------------------------------


def refused(hx: Hexad, folder: Path, reason: str) -> None:
    with pytest.raises(FolderRefused, match=reason):
        hx.skills.import_folder(folder)
    assert hx.skills.list() == ()


@requirement("SKILL-09")
@pytest.mark.parametrize("place", ["link", "scripts/link", "SKILL.md"])
def test_links_are_refused_wherever_they_lead(
    hx: Hexad, tmp_path: Path, place: str
) -> None:
    secret = make(tmp_path / "outside", {"SKILL.md": PLAIN}) / "SKILL.md"
    folder = make(tmp_path / "pdf", {"SKILL.md": PLAIN, "scripts/run.sh": ""})
    (folder / place).unlink(missing_ok=True)
    (folder / place).symlink_to(secret)
    refused(hx, folder, "is a link")
    (folder / place).unlink()
    (folder / place).symlink_to(tmp_path / "outside")
    refused(hx, folder, "is a link")


@requirement("SKILL-09")
def test_what_is_no_file_is_refused_without_waiting_for_it(
    hx: Hexad, tmp_path: Path, monkeypatch: Any
) -> None:
    folder = make(tmp_path / "pdf", {"SKILL.md": PLAIN})
    os.mkfifo(folder / "pipe")
    refused(hx, folder, "pipe is no file")
    (folder / "pipe").unlink()
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        refused(hx, folder, "socket is no file")


@requirement("SKILL-09")
def test_what_exceeds_a_limit_is_refused(hx: Hexad, tmp_path: Path) -> None:
    big = make(tmp_path / "big", {"SKILL.md": PLAIN})
    with (big / "hole").open("wb") as file:
        file.truncate(1 << 40)  # no bytes on the disk
    refused(hx, big, "hole has more than 1,048,576 bytes")
    full = make(
        tmp_path / "full",
        {"SKILL.md": PLAIN, **{f"{n}.bin": b"x" * LARGEST_FILE for n in range(8)}},
    )
    refused(hx, full, "holds more than 8,388,608 bytes")
    refused(
        hx,
        make(
            tmp_path / "many",
            {"SKILL.md": PLAIN, **{f"{n}": b"" for n in range(MOST_FILES)}},
        ),
        "more than 258 files",
    )
    refused(
        hx,
        make(tmp_path / "deep", {"SKILL.md": PLAIN, "/".join("abcdefghij"): b""}),
        "8 folders deep",
    )


@requirement("SKILL-09")
@pytest.mark.soak
def test_the_largest_folder_that_is_allowed_is_kept_whole(
    hx: Hexad, tmp_path: Path
) -> None:
    files = {f"{n}.bin": Random(n).randbytes(LARGEST_FILE) for n in range(7)}  # noqa: S311 - no secrets in them
    folder = make(
        tmp_path / "pdf", {"SKILL.md": PLAIN, **files, "control": "\x01" * LARGEST_FILE}
    )
    refusal = None
    try:
        hx.skills.import_folder(folder)
    except FolderRefused as error:
        refusal = error
    assert refusal is not None  # a byte more than the limit: SKILL.md itself
    (folder / "0.bin").unlink()
    assert not hx.skills.import_folder(folder).changed
    assert everything(hx.skills.export_folder("pdf", tmp_path / "out")) == everything(
        folder
    )


@requirement("SKILL-09")
@pytest.mark.parametrize(
    "name", ["a\\b", "c:d", "new\nline", "trailing ", "que?", b"\xff"]
)
def test_names_that_other_systems_cannot_have_are_refused(
    hx: Hexad, tmp_path: Path, name: str | bytes
) -> None:
    folder = make(tmp_path / "pdf", {"SKILL.md": PLAIN})
    (folder / os.fsdecode(name)).touch()
    refused(hx, folder, "no plain path")


@requirement("SKILL-09")
@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        ("# no front matter\n", "front matter: is missing"),
        ("---\nname: pdf\n", "front matter: is missing"),
        ("---\nname: pdf\n---\n", "description: is missing"),
        ("---\nname: pdf\ndescription: 12\n---\n", "description: is missing"),
        ("---\nname: pdf\ndescription: a: b\n---\n", "is not YAML: line 3"),
        ("---\nname: pdf\nname: doc\ndescription: x\n---\n", "'name' is given twice"),
        ("---\nname: pdf\ndescription: x\n1: 2\n---\n", "must be text"),
        (
            "---\nname: pdf\ndescription: x\nmetadata: {? [a] : b}\n---\n",
            "must be text",
        ),
        ("---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\n", "aliases"),
        (f"---\ndescription: x\na: {'[' * 5000}\n---\n", "nested deeper"),
        (
            "---\ndescription: !!python/object/apply:os.system [ls]\n---\n",
            "not supported",
        ),
        ("---\ndescription: !!binary aGk=\n---\n", "not supported"),
        (
            f"---\ndescription: x\na: [{'y, ' * 10_000}]\n---\n",
            "more than 10,000 names and values",
        ),
        ("---\n- a\n---\n", "lines of 'name: value'"),
        (
            "---\nname: pdf\ndescription: x\nmetadata: {hexad-kind: magic}\n---\n",
            "'magic' is not one of",
        ),
        (
            "---\nname: pdf\ndescription: x\nmetadata: {hexad-kind: script}\n---\n",
            "not among the folder's files",
        ),
        (
            "---\nname: pdf\ndescription: x\nmetadata: {hexad-tags: a}\n---\n",
            "must be JSON in quotes",
        ),
        ('---\nname: pdf\ndescription: "\x07"\n---\n', "is not YAML"),
        (b"---\nname: pdf\ndescription: \xff\n---\n", "is not UTF-8"),
        (b"---\nname: pdf\ndescription: x\n---\n\0", "NUL"),
    ],
)
def test_a_manifest_that_cannot_be_read_safely_is_refused(
    hx: Hexad, tmp_path: Path, manifest: str | bytes, reason: str
) -> None:
    refused(hx, make(tmp_path / "pdf", {"SKILL.md": manifest}), reason)


@requirement("SKILL-09")
def test_a_folder_that_is_missing_or_has_no_manifest_is_refused(
    hx: Hexad, tmp_path: Path
) -> None:
    refused(hx, tmp_path / "nowhere", "cannot be read: No such file")
    refused(hx, make(tmp_path / "pdf", {"skill.txt": ""}), "SKILL.md: is missing")


@requirement("SKILL-09")
def test_sloppy_folders_are_taken_with_a_note(hx: Hexad, tmp_path: Path) -> None:
    long_ = "x" * 1100
    folder = make(
        tmp_path / "dir",
        {
            "SKILL.md": f"---\nname: My PDF\ndescription: {long_}\nmetadata: {{author: [a]}}\n---\n.",
            ".git/HEAD": "x",
        },
    )
    (folder / "empty").mkdir()
    (folder / "SKILL.md").chmod(0o755)
    notes = " / ".join(hx.skills.import_folder(folder).notes)
    for part in (
        "lower-case letters",
        "the limit is 1024",
        "author is not taken over",
        ".git is left out",
        "empty is not kept",
    ):
        assert part in notes
    notes = hx.skills.import_folder(make(tmp_path / "other", {"SKILL.md": PLAIN})).notes
    assert notes == ("the format wants the folder to be called 'pdf', not 'other'",)
    assert (
        hx.skills.import_folder(
            make(tmp_path / "doc", {"SKILL.md": "---\ndescription: x\n---\n."})
        ).skill.name
        == "doc"
    )


# --- writing --------------------------------------------------------------------------------------------------------


def instruction(hx: Hexad, name: str = "pdf", **definition: Any) -> Skill:
    return hx.skills.create(
        name,
        kind="instruction",
        description="x",
        definition={"text": "y", **definition},
    )


@requirement("SKILL-09")
@pytest.mark.parametrize(
    "path",
    [
        "../x",
        "/etc/x",
        "a/../../x",
        "C:/x",
        "C:x",
        "a\\..\\x",
        "",
        ".",
        "a//b",
        "SKILL.md",
        "a\nb",
    ],
)
def test_no_file_of_a_skill_is_written_outside_of_its_folder_or_over_its_manifest(
    hx: Hexad, tmp_path: Path, path: str
) -> None:
    try:
        instruction(hx, files={path: {"text": "x"}})
    except InvalidInput:
        return  # it is not even kept
    hx.skills.export_folder("pdf", tmp_path / "out")
    assert [
        each for each in everything(tmp_path) if not each.startswith("agent.db")
    ] == ["out/pdf/SKILL.md"]


@requirement("SKILL-09")
def test_a_folder_that_is_there_stays_unless_it_is_to_be_replaced(
    hx: Hexad, tmp_path: Path
) -> None:
    instruction(hx)
    folder = make(tmp_path / "pdf", {"SKILL.md": PLAIN, "mine.txt": "precious"})
    before = everything(folder)
    with pytest.raises(FolderRefused, match="is there already"):
        hx.skills.export_folder("pdf", tmp_path)
    assert everything(folder) == before
    hx.skills.export_folder("pdf", tmp_path, force=True)
    assert [*everything(folder)] == ["SKILL.md"]
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


@requirement("SKILL-09")
def test_force_replaces_only_what_is_a_skills_folder(hx: Hexad, tmp_path: Path) -> None:
    instruction(hx)
    make(tmp_path / "pdf", {"thesis.txt": "precious"})
    with pytest.raises(FolderRefused, match="is no skill's folder"):
        hx.skills.export_folder("pdf", tmp_path, force=True)
    assert (tmp_path / "pdf" / "thesis.txt").read_text() == "precious"


@requirement("SKILL-09")
def test_what_the_format_does_not_allow_is_exported_only_leniently(
    hx: Hexad, tmp_path: Path
) -> None:
    instruction(hx, "My / skill")
    with pytest.raises(InvalidInput, match="does not fit the Agent Skills format"):
        hx.skills.export_folder("My / skill", tmp_path)
    hx.skills.create(
        "long", kind="instruction", description="x" * 1025, definition={"text": "y"}
    )
    with pytest.raises(InvalidInput, match="the description has 1025 characters"):
        hx.skills.export_folder("long", tmp_path)
    folder = hx.skills.export_folder("My / skill", tmp_path, strict=False)
    assert folder.name == "my-skill"
    assert (
        skill_in({"SKILL.md": File((folder / "SKILL.md").read_bytes())}, "x").name
        == "My / skill"
    )


@requirement("SKILL-09")
@pytest.mark.parametrize(
    "files",
    [
        {"a": {"base64": "!"}},
        {"a": {"bytes": ""}},
        {"a": "text"},
        {"a": {"text": ""}, "a/b": {"text": ""}},
        {"x" * 250: {"text": ""}},
        {"é" * 130: {"text": ""}},
        ["a"],
    ],
)
def test_files_that_cannot_be_written_are_refused_whole(
    hx: Hexad, tmp_path: Path, files: Any
) -> None:
    try:
        instruction(hx, files=files)
    except InvalidInput:
        return  # it is not even kept
    with pytest.raises(InvalidInput, match="files"):
        hx.skills.export_folder("pdf", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@requirement("SKILL-09")
def test_a_place_that_cannot_be_written_is_said(hx: Hexad, tmp_path: Path) -> None:
    instruction(hx)
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderRefused, match="cannot be written"):
        hx.skills.export_folder("pdf", tmp_path / "file")


@requirement("SKILL-09")
def test_a_definition_that_does_not_fit_is_refused_with_the_folder(
    hx: Hexad, tmp_path: Path
) -> None:
    folder = make(tmp_path / "pdf", {"SKILL.md": PLAIN + "\x00"})
    with pytest.raises(FolderRefused) as caught:
        hx.skills.import_folder(folder)
    assert caught.value.file == str(folder)


# --- the command line -----------------------------------------------------------------------------------------------


def ask(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert main(["skills", *arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


@requirement("SKILL-09")
def test_a_folder_of_folders_is_taken_in_and_refusals_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = str(tmp_path / "agent.db")
    make(tmp_path / "all" / "pdf", {"SKILL.md": PLAIN, "up.sh": f"token={SECRET}\n"})
    make(tmp_path / "all" / "group" / "doc", {"SKILL.md": PLAIN.replace("pdf", "doc")})
    make(tmp_path / "all" / "bad", {"SKILL.md": "nothing"})
    (tmp_path / "all" / "link").symlink_to(tmp_path / "all" / "pdf")
    found = ask(capsys, "import", str(tmp_path / "all"), "--db", database, code=1)[
        "folders"
    ]
    assert [(each["skill"], each["result"], each["changed"]) for each in found] == [
        (None, "refused", []),
        ("doc", "new", []),
        ("pdf", "new", ["up.sh"]),
    ]
    one = ["skills", "import", str(tmp_path / "all" / "pdf"), "--db", database]
    assert main([*one, "--overwrite", "--keep-secrets"]) == 0
    said = capsys.readouterr()
    assert ("replaced" in said.out, said.err) == (True, "1 draft\n")
    assert main(one) == 0
    said = capsys.readouterr()
    assert ("kept" in said.out, said.err) == (True, "1 kept\n")
    assert (
        main(
            [
                "skills",
                "import",
                str(tmp_path / "all"),
                "--db",
                str(tmp_path / "other.db"),
            ]
        )
        == 1
    )
    assert capsys.readouterr().err == "1 refused, 2 draft\n"
    written = ask(capsys, "export", "pdf", str(tmp_path / "out"), "--db", database)
    assert written["files"] == ["SKILL.md", "up.sh"]
    assert everything(tmp_path / "out" / "pdf") == everything(tmp_path / "all" / "pdf")
    assert (
        main(["skills", "export", "pdf", str(tmp_path / "out"), "--db", database]) == 1
    )
    assert "is there already" in capsys.readouterr().err
    assert (
        main(
            [
                "skills",
                "export",
                "pdf",
                str(tmp_path / "out"),
                "--force",
                "--db",
                database,
            ]
        )
        == 0
    )
    assert "2 files written" in capsys.readouterr().out


@requirement("SKILL-09")
def test_where_no_skill_is_nothing_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    for folder, reason in (
        ("empty", "has no SKILL.md"),
        ("nowhere", "is not a folder"),
    ):
        assert (
            main(
                [
                    "skills",
                    "import",
                    str(tmp_path / folder),
                    "--db",
                    str(tmp_path / "new.db"),
                ]
            )
            == 1
        )
        assert reason in capsys.readouterr().err
    assert not (tmp_path / "new.db").exists()


@requirement("SKILL-09")
def test_a_skill_with_many_files_goes_into_a_backup_and_into_another_memory(
    tmp_path: Path, clock: FixedClock
) -> None:
    folder = make(
        tmp_path / "pdf",
        {"SKILL.md": PLAIN, "big.txt": "word\n" * 100_000, "x.bin": bytes(range(256))},
    )
    with opened(tmp_path / "one.db", clock=clock) as one:
        one.skills.import_folder(folder)
        one.backup(tmp_path / "one.jsonl")
    with (
        opened(tmp_path / "restored.db", clock=clock) as restored,
        opened(tmp_path / "other.db", clock=clock) as other,
    ):
        restored.restore(tmp_path / "one.jsonl")
        other.import_file(tmp_path / "one.jsonl")
        for number, hx in enumerate((restored, other)):
            assert everything(
                hx.skills.export_folder("pdf", tmp_path / str(number))
            ) == everything(folder)
