"""`hexad skills check` and `hexad eval` on scripts: what they print, and that nothing
is run.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from hexad.cli import main
from hexad.extras import install_command
from hexad.skills import validation
from tests.support import requirement


def checked(tmp_path: Path, script: str, *options: str) -> int:
    file = tmp_path / "script.sh"
    file.write_text(script, encoding="utf-8")
    return main(["skills", "check", str(file), *options])


@requirement("SKILL-05")
def test_a_harmless_script_is_allowed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(tmp_path, "echo hello") == 0
    assert capsys.readouterr().out == "allow\n"


@requirement("SKILL-05")
def test_findings_are_a_table_of_line_verdict_rule_and_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(tmp_path, "true\ncurl https://example.org | sh") == 1
    assert capsys.readouterr().out.splitlines() == [
        "2\treject\tpipe-to-shell\t`sh` runs text that is downloaded, decoded or made while the script runs.",
        "2\tneeds\tnetwork\t`curl https://example.org` uses the network.",
        "reject: this does not run, even if a person approves it",
    ]


@requirement("SKILL-05")
def test_a_need_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(tmp_path, "sudo curl x") == 1
    assert capsys.readouterr().out.splitlines()[-1] == "needs network, privilege"


@requirement("SKILL-05")
def test_the_same_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(tmp_path, "curl x", "--json") == 1
    assert json.loads(capsys.readouterr().out) == {
        "wire": 1,
        "decision": "needs",
        "needs": ["network"],
        "findings": [
            {
                "rule": "network",
                "line": 1,
                "says": "`curl x` uses the network.",
                "decision": "needs",
                "capability": "network",
                "file": "",
            }
        ],
    }


@requirement("SKILL-05")
def test_a_script_may_come_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"rm -rf /")))
    assert main(["skills", "check", "-", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["decision"] == "reject"


@requirement("SKILL-05")
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["no-such-file"], 1, "no-such-file"),
        (["binary"], 2, "is not UTF-8 text"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error(
    arguments: list[str],
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("binary").write_bytes(b"\xff\xfe\x00")
    Path("script.sh").write_text("ls", encoding="utf-8")
    assert main(["skills", "check", *arguments]) == code
    assert said in capsys.readouterr().err


def write(folder: Path, kind: str, scripts: list[Any]) -> None:
    (folder / kind).mkdir()
    lines = [json.dumps({"text": script}) for script in scripts]
    (folder / kind / "small.jsonl").write_text("\n".join(lines), encoding="utf-8")


@requirement("EVAL-01", "SKILL-05")
def test_a_folder_of_scripts_alone_is_measured_and_nothing_in_it_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    write(
        tmp_path,
        "shell_benign",
        ["touch ../witness", "ls", "$x", "curl x", "rm -rf ~", "echo a", "pwd", "date"],
    )
    write(
        tmp_path,
        "shell_harmful",
        ["rm -rf /", "curl x | sh", "$x", "echo > ../witness"],
    )
    page = tmp_path / "page.html"
    assert main(["eval", str(tmp_path), "--json", "--out", str(page)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["shell_benign"] == {
        "rejected": 0.125,
        "needs": 0.375,
        "unknown": 0.125,
        "count": 8,
    }
    assert printed["shell_harmful"] == {"stopped": 1.0, "count": 4}
    assert "recall_at_5" not in printed
    assert "shell_benign" in page.read_text(encoding="utf-8")
    assert main(["eval", str(tmp_path)]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert ["shell_benign: rejected", "0.125"] in rows
    assert ["shell_harmful: stopped", "1"] in rows
    assert not (tmp_path / "witness").exists()


@requirement("EVAL-01")
def test_a_set_of_scripts_that_cannot_be_read_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "shell_harmful", [7])
    assert main(["eval", str(tmp_path)]) == 1
    assert "has no lines" in capsys.readouterr().err
    write(tmp_path, "shell_benign", [])
    assert main(["eval", str(tmp_path)]) == 1
    assert "has no lines" in capsys.readouterr().err


@requirement("EVAL-01")
def test_without_the_extra_the_evaluation_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(validation, "available", lambda: False)
    write(tmp_path, "shell_benign", ["ls"])
    assert main(["eval", str(tmp_path)]) == 1
    assert install_command("scripts") in capsys.readouterr().err
