"""Settings that are wrong: every command says where they were written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.test_cli import run  # noqa: F401 - the fixture
from tests.support import requirement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.test_cli import Ran

    Run = Callable[..., Ran]


@requirement("CONF-01")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            'namespace = "a\\u0007b"',
            "hexad.toml must be one line without control characters",
        ),
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
    ("name", "value"),
    [
        ("HEXAD_MAX_PINNED", "-1"),
        ("HEXAD_MAX_PINNED", "many"),
        ("HEXAD_NAMESPACE", "a\x07b"),
    ],
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
def test_config_show_names_what_is_wrong_and_no_secret(
    run: Run, tmp_path: Path
) -> None:
    for text, says in {
        'max_skils = 1\nmcp_token = "hunter2"': "did you mean 'max_skills_per_day'?",
        'mcp_token = "hunter2"': "'mcp_token': in hexad.toml must have 16 visible",
        "max_pinned = ": "hexad.toml is not TOML",
    }.items():
        (tmp_path / "hexad.toml").write_text(text)
        ran = run("config", "show")
        assert (ran.code, ran.out) == (2, "")
        assert says in ran.err
        assert "hunter2" not in ran.err
