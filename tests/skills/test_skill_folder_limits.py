"""SKILL.md folders: a bad one is refused and the next is taken, and everything stored
goes out and comes back.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from hexad.cli import main
from hexad.errors import FolderRefused, InvalidInput
from tests.support import opened, requirement

GOOD = "---\nname: good\ndescription: Does good\n---\nBody\n"
PLAIN = "---\nname: odd\ndescription: Does odd things\n---\nBody\n"


def manifest(**metadata: object) -> str:
    return (
        "---\n"
        + yaml.safe_dump({"name": "odd", "description": "d", "metadata": metadata})
        + "---\nBody\n"
    )


def composite(steps: str) -> dict[str, str]:
    return {"SKILL.md": manifest(**{"hexad-kind": "composite"}), "steps.json": steps}


def make(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return folder


# --- one bad folder costs itself --------------------------------------------------------------------------------------

BAD: dict[str, tuple[dict[str, str], str]] = {
    "no main file": (
        {"SKILL.md": manifest(**{"hexad-kind": "composite"})},
        "steps.json is not among the folder's files",
    ),
    "steps with NaN": (
        composite('[{"tool": "x", "args": {"a": NaN}}]'),
        "steps.json: is not JSON: it holds NaN",
    ),
    "steps too large": (
        composite('[{"tool": "x", "args": {"a": 1e400}}]'),
        "a number that is too large",
    ),
    "steps with half a character": (
        composite('[{"tool": "x", "args": {"a": "\\ud800"}}]'),
        "half a character",
    ),
    "parameters with NaN": (
        {"SKILL.md": manifest(**{"hexad-parameters": '{"default": NaN}'})},
        "hexad-parameters",
    ),
    "a document": (
        {"SKILL.md": manifest(**{"hexad-definition": '{"document": {"head": "x"}}'})},
        "'document'",
    ),
    "a text": (
        {"SKILL.md": manifest(**{"hexad-definition": '{"text": "x"}'})},
        "must not hold 'text'",
    ),
    "files that are none": (
        {"SKILL.md": manifest(**{"hexad-definition": '{"files": [1]}'})},
        "must not hold 'files'",
    ),
}


def imported(
    capsys: pytest.CaptureFixture[str], folder: Path, database: Path
) -> dict[str, dict[str, Any]]:
    """The lines of `hexad skills import` for each folder, by its name."""
    main(["skills", "import", str(folder), "--db", str(database), "--json"])
    return {
        Path(each["folder"]).name: each
        for each in json.loads(capsys.readouterr().out)["folders"]
    }


@requirement("SKILL-09")
@pytest.mark.parametrize("bad", BAD)
def test_a_bad_folder_is_refused_with_a_sentence_and_the_next_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bad: str
) -> None:
    files, reason = BAD[bad]
    make(tmp_path / "all" / "bad", files)
    make(tmp_path / "all" / "good", {"SKILL.md": GOOD})
    printed = imported(capsys, tmp_path / "all", tmp_path / "agent.db")
    assert (printed["bad"]["result"], printed["good"]["result"]) == ("refused", "new")
    assert reason in printed["bad"]["notes"][0]


@requirement("SKILL-09")
def test_what_nobody_foresaw_is_a_refusal_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(loader: yaml.SafeLoader) -> Any:
        raise (
            LookupError("nobody foresaw it")
            if "odd" in loader.buffer
            else yaml.YAMLError
        )  # type: ignore[attr-defined]

    make(tmp_path / "all" / "bad", {"SKILL.md": PLAIN})
    make(tmp_path / "all" / "good", {"SKILL.md": GOOD})
    monkeypatch.setattr(yaml.SafeLoader, "get_single_node", fail)
    printed = imported(capsys, tmp_path / "all", tmp_path / "agent.db")
    assert (
        "cannot be imported (LookupError: nobody foresaw it)"
        in printed["bad"]["notes"][0]
    )
    assert "is not YAML" in printed["good"]["notes"][0]


@requirement("SKILL-09")
def test_a_folder_that_cannot_be_read_is_refused_and_the_next_is_taken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with tempfile.TemporaryDirectory() as place:
        top = Path(place)
        make(top / "all" / "good", {"SKILL.md": GOOD})
        make(top / "all" / "bad", {"SKILL.md": GOOD})
        assert imported(
            capsys, top / "all" / "good", top / "before.db"
        )  # all modules are loaded now
        top.chmod(0o777)
        (top / "all" / "bad").chmod(0)
        before = os.geteuid()
        if before == 0:
            os.seteuid(65534)  # root may read everything
        try:
            printed = imported(capsys, top / "all", top / "agent.db")
        finally:
            os.seteuid(before)
            (top / "all" / "bad").chmod(0o755)
    assert (printed["bad"]["result"], printed["good"]["result"]) == ("refused", "new")
    assert "cannot be read: Permission denied" in printed["bad"]["notes"][0]


# --- whole, or not at all ---------------------------------------------------------------------------------------------


@requirement("SKILL-09")
def test_a_folder_with_too_many_entries_is_refused_rather_than_taken_in_part(
    tmp_path: Path,
) -> None:
    folder = make(
        tmp_path / "odd",
        {"SKILL.md": PLAIN, **{f"sub/keep{n}.txt": "keep me" for n in range(20)}},
    )
    with opened(":memory:") as hx:
        for number in range(2500):
            (folder / "sub" / f"empty{number}").mkdir()
        kept = hx.skills.import_folder(folder).skill.definition["files"]
        assert isinstance(kept, dict)
        assert len(kept) == 20
        for number in range(100):
            (folder / "more" / f"empty{number}").mkdir(parents=True)
        with pytest.raises(
            FolderRefused,
            match="more than 2,560 files and folders; nothing was imported",
        ):
            hx.skills.import_folder(folder)


@requirement("SKILL-09")
def test_files_lie_up_to_eight_folders_deep(tmp_path: Path) -> None:
    with opened(":memory:") as hx:
        deep = make(
            tmp_path / "odd", {"SKILL.md": PLAIN, "a/b/c/d/e/f/g/h/x.txt": "deep"}
        )
        assert hx.skills.import_folder(deep).new
        make(deep, {"a/b/c/d/e/f/g/h/i/x.txt": "deeper"})
        with pytest.raises(FolderRefused, match="more than 8 folders deep"):
            hx.skills.import_folder(deep, overwrite=True)


@requirement("SKILL-09")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("\U0001f469\u200d\U0001f4bb.md", r"it holds U\+200D ZERO WIDTH JOINER"),
        ("no\u00a0break.txt", r"it holds U\+00A0 NO-BREAK SPACE"),
        ("soft\u00adhyphen.txt", r"it holds U\+00AD SOFT HYPHEN"),
        ("wide\u3000space.txt", r"it holds U\+3000 IDEOGRAPHIC SPACE"),
        ("a:b", r"it holds U\+003A COLON"),
        ("tab\t", r"it holds U\+0009"),
        ("space ", "begins or ends with a space"),
    ],
)
def test_the_refusal_of_a_name_says_what_is_wrong_with_it(
    tmp_path: Path, name: str, reason: str
) -> None:
    with (
        opened(":memory:") as hx,
        pytest.raises(FolderRefused, match=f"{reason}.*rename the file"),
    ):
        hx.skills.import_folder(make(tmp_path / "odd", {"SKILL.md": PLAIN, name: "x"}))


@requirement("SKILL-09")
def test_what_import_would_not_take_is_not_written_and_that_is_said(
    tmp_path: Path,
) -> None:
    large: Any = {
        "text": "t",
        "files": {"large.txt": {"text": "x" * (1024 * 1024 + 1)}},
    }
    with opened(":memory:", max_text=20 * 1024 * 1024) as hx:
        hx.skills.create("large", kind="instruction", description="d", definition=large)
        with pytest.raises(
            FolderRefused,
            match=r"large\.txt has more than 1,048,576 bytes; nothing was written",
        ):
            hx.skills.export_folder("large", tmp_path)
        hx.skills.create(
            "long",
            kind="instruction",
            description="d",
            definition={"text": "t"},
            when="x" * 1_100_000,
        )
        with pytest.raises(
            FolderRefused, match=r"SKILL\.md has more than 1,048,576 bytes"
        ):
            hx.skills.export_folder("long", tmp_path)
        hx.skills.create(
            "wordy",
            kind="instruction",
            description="d" * 70_000,
            definition={"text": "t"},
        )
        with pytest.raises(InvalidInput, match="the limit is 1024"):
            hx.skills.export_folder("wordy", tmp_path)
    assert not any(tmp_path.iterdir())
