"""Settings that are wrong: every command says where they were written, and `config show` shows them still."""

# ruff: noqa: F811 - the fixture

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import requirement
from tests.test_cli import Ran, rows, run  # noqa: F401 - the fixture

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., Ran]


@requirement("CONF-01")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('namespace = "a\\u0007b"', "hexad.toml must be one line without control characters"),
        ('namespace = " "', "hexad.toml must not be empty"),
        ("max_pinned = -1", "hexad.toml must be from 0 to 1,000, not -1"),
        ('mcp_token = "short"', "hexad.toml must have 16 visible"),
    ],
)
def test_a_value_of_the_file_that_cannot_hold_is_reported_with_its_file_and_no_database_is_made(
    run: Run, tmp_path: Path, text: str, says: str
) -> None:
    (tmp_path / "hexad.toml").write_text(text)
    ran = run("remember", "k", "v")
    assert ran.code == 2
    assert says in ran.err
    assert [each.name for each in tmp_path.iterdir()] == ["hexad.toml"]


@requirement("CONF-01")
@pytest.mark.parametrize(
    ("name", "value"), [("HEXAD_MAX_PINNED", "-1"), ("HEXAD_MAX_PINNED", "many"), ("HEXAD_NAMESPACE", "a\x07b")]
)
def test_a_value_of_the_environment_that_cannot_hold_is_reported_with_its_variable(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    ran = run("remember", "k", "v")
    assert ran.code == 2
    assert name in ran.err
    assert list(tmp_path.iterdir()) == []


@requirement("CONF-01")
def test_config_show_marks_what_is_wrong_and_shows_the_rest(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hexad.toml").write_text('max_pinned = -1\nmax_text = 9\nmcp_token = "hunter2"\nmax_skils = 1')
    monkeypatch.setenv("HEXAD_FLOOR", "perhaps")
    ran = run("config", "show")
    shown = {row[0]: row[1:3] for row in rows(ran)}
    assert ran.code == 2
    assert shown["max_pinned"] == ["-1", "hexad.toml (WRONG)"]
    assert shown["max_text"] == ["9", "hexad.toml"]
    assert shown["floor"] == ['"perhaps"', "HEXAD_FLOOR (WRONG)"]
    assert shown["namespace"] == ['"default"', "default"]
    assert "hunter2" not in ran.out + ran.err
    assert ran.err.count("error: ") == 4
    assert "max_skils" in ran.err
    output = run("config", "show", "--json").json
    assert [each["name"] for each in output["settings"] if each["wrong"]] == ["max_pinned", "floor", "mcp_token"]
    assert len(output["problems"]) == 4


@requirement("CONF-01")
def test_config_show_works_beside_a_file_that_is_no_toml(run: Run, tmp_path: Path) -> None:
    (tmp_path / "hexad.toml").write_text("max_pinned = ")
    ran = run("config", "show")
    assert (ran.code, len(rows(ran))) == (2, len(run("config", "show", "--json").json["settings"]))
    assert "hexad.toml is not TOML" in ran.err
