"""Configuration, the off switch, and secrets."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import hexad
from hexad import Hexad, Layer, SessionRuntime
from hexad.errors import ConfigError, Disabled, HexadError, InvalidInput
from hexad.settings import data_folder
from tests.support import opened, requirement


@requirement("CONF-01")
def test_off_unless_enabled_and_then_nothing_is_created_or_retrieved(
    tmp_path: Path,
) -> None:
    hx = Hexad.open(tmp_path / "agent.db")
    rich = (
        hx.with_tool_registry([len])
        .with_runtime_context(SessionRuntime())
        .scoped(namespace="x", session="slack:1")
    )
    for engine in (hx, rich):
        found = engine.retrieve("when may I deploy?", layers=list(Layer))
        assert (found.items, found.failures) == ({}, ())
        assert (
            engine.assemble("base", found).text
            == str(engine.prompt("base", "when may I deploy?"))
            == "base"
        )
        assert engine.knowledge.search("deploy") == ()
        assert not engine.enabled
    hx.close()
    assert list(tmp_path.iterdir()) == []


@requirement("CONF-01")
def test_when_off_a_save_is_an_error_that_says_how_to_enable_it(tmp_path: Path) -> None:
    hx = Hexad.open(tmp_path / "agent.db", enabled=False)
    attempts: list[Any] = [
        lambda: hx.knowledge.save("a", "b"),
        lambda: hx.references.save("a", location="b"),
        lambda: hx.learnings.save(trigger="a"),
        lambda: hx.skills.create(
            "a", kind="instruction", description="b", definition={"text": "t"}
        ),
        lambda: hx.knowledge.get("a"),
        hx.knowledge.list,
        lambda: hx.forget(everything=True),
        hx.audit.verify,
        hx.erase_traces,
    ]
    for attempt in attempts:
        with pytest.raises(Disabled, match="enabled=True"):
            attempt()
    assert list(tmp_path.iterdir()) == []


@requirement("CONF-02")
def test_turning_it_off_leaves_the_data_and_turning_it_on_finds_it(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "agent.db") as hx:
        hx.knowledge.save("a", "deploy")
    Hexad.open(tmp_path / "agent.db", enabled=False).close()
    with opened(tmp_path / "agent.db") as hx:
        assert hx.knowledge.get("a").content == "deploy"


@requirement("CONF-03")
def test_arguments_are_stronger_than_the_environment_and_that_than_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hexad.toml").write_text(
        "enabled = true\nmax_knowledge = 1\nmax_learnings = 1\nmax_per_layer = 1\n"
    )
    monkeypatch.setenv("HEXAD_MAX_LEARNINGS", "2")
    monkeypatch.setenv("HEXAD_MAX_PER_LAYER", "2")
    with Hexad.open(tmp_path / "agent.db", max_per_layer=3) as hx:
        settings = hx.settings
    assert (
        settings.enabled,
        settings.max_knowledge,
        settings.max_learnings,
        settings.max_per_layer,
    ) == (True, 1, 2, 3)


@requirement("CONF-03")
def test_the_file_may_be_named_by_argument_or_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, limit in (("a.toml", 11), ("b.toml", 12)):
        (tmp_path / name).write_text(f"max_knowledge = {limit}\nlayer_deadline = 3\n")
    monkeypatch.setenv("HEXAD_CONFIG", str(tmp_path / "a.toml"))
    assert Hexad.open(":memory:").settings.max_knowledge == 11
    assert (
        Hexad.open(":memory:", config=tmp_path / "b.toml").settings.max_knowledge == 12
    )


@requirement("CONF-03")
@pytest.mark.parametrize("value", ["1", "true", "YES", "on"])
def test_the_environment_can_enable_it(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("HEXAD_ENABLED", value)
    assert Hexad.open(":memory:").enabled


@requirement("CONF-03")
@pytest.mark.parametrize(
    ("where", "name", "value", "message"),
    [
        ("argument", "max_knowlege", 3, "did you mean 'max_knowledge'"),
        ("argument", "max_per_layer", 0, "max_per_layer"),
        ("argument", "max_per_layer", True, "whole number"),
        ("argument", "layer_deadline", "soon", "a number"),
        ("argument", "layer_deadline", float("nan"), "layer_deadline"),
        ("argument", "namespace", " ", "namespace"),
        ("environment", "HEXAD_MAX_PINNED", "many", "HEXAD_MAX_PINNED"),
        ("environment", "HEXAD_ENABLED", "maybe", "HEXAD_ENABLED"),
        ("file", "max_text", -1, "max_text"),
        ("file", "surprise", 1, "surprise"),
    ],
)
def test_an_unknown_key_or_a_value_out_of_range_is_an_error_that_names_it(
    where: str,
    name: str,
    value: Any,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments = {name: value} if where == "argument" else {}
    if where == "environment":
        monkeypatch.setenv(name, value)
    if where == "file":
        (tmp_path / "hexad.toml").write_text(f"{name} = {value}\n")
    with pytest.raises(ConfigError, match=message):
        Hexad.open(tmp_path / "agent.db", enabled=True, **arguments)
    assert not (tmp_path / "agent.db").exists()


@requirement("CONF-03")
def test_a_file_that_is_missing_or_no_toml_is_an_error_that_names_it(
    tmp_path: Path,
) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml cannot be read"):
        Hexad.open(":memory:", config=tmp_path / "nowhere.toml")
    (tmp_path / "bad.toml").write_text("= =")
    with pytest.raises(ConfigError, match=r"bad\.toml is not TOML"):
        Hexad.open(":memory:", config=tmp_path / "bad.toml")


@requirement("CONF-03", "CONF-04")
@pytest.mark.parametrize(
    "written",
    [
        "mcp_token = 7391845026473910",
        "mcp_token = [7391845026473910]",
        "[mcp_token]\na = 7391845026473910",
    ],
)
def test_an_error_about_a_secret_does_not_tell_it(tmp_path: Path, written: str) -> None:
    (tmp_path / "hexad.toml").write_text(written)
    with pytest.raises(
        ConfigError, match=r"mcp_token.*hexad\.toml must be text.*in quotes"
    ) as raised:
        Hexad.open(tmp_path / "agent.db", enabled=True)
    assert "73918" not in str(raised.value)


@requirement("CONF-03", "CONF-04")
@pytest.mark.parametrize(
    "token", ["short-s3cret", "a s3cret with blanks in it", "größer-s3cret-aaaaaaaaa"]
)
def test_nor_does_an_error_about_a_secret_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("HEXAD_MCP_TOKEN", token)
    with pytest.raises(ConfigError, match="mcp_token") as raised:
        Hexad.open(":memory:", enabled=True)
    assert "s3cret" not in str(raised.value)


@requirement("CONF-03")
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("max_knowledge", 2_500_000, "must be from 0 to 1,000,000, not 2,500,000"),
        ("max_text", 0, "must be from 1 to 67,108,864, not 0"),
        ("layer_deadline", 0.0001, "must be from 0.001 to 3,600, not 0.0001"),
        ("layer_deadline", float("inf"), "not inf"),
        pytest.param("max_text", 10**400, "must be from", id="huge"),
    ],
)
def test_a_range_is_shown_in_numbers_that_a_person_reads(
    name: str, value: float, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        Hexad.open(":memory:", **{name: value})


@requirement("CONF-03")
def test_what_belongs_to_a_user_is_kept_where_the_system_keeps_such_things(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Path.home() / ".local/share/hexad"
    for named, folder in (
        (str(tmp_path), tmp_path / "hexad"),
        ("not/whole", usual),
        ("", usual),
    ):
        monkeypatch.setenv("XDG_DATA_HOME", named)
        assert data_folder() == folder


@requirement("CONF-03")
def test_only_one_module_reads_the_environment() -> None:
    source = Path(hexad.__file__).parent
    reads = {
        ast.unparse(node)
        for node in ast.walk(ast.parse("os.environ; os.getenv"))
        if isinstance(node, ast.Attribute)
    }
    readers = {
        file.name
        for file in source.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in reads
    }
    assert readers == {"settings.py"}


KEY = "AKIA" + "QWERTYUIOPASDFGH"
TOKEN = "ghp_" + "a1B2" * 9


@requirement("CONF-04")
def test_secrets_are_redacted_before_anything_is_stored_and_the_caller_learns_of_it(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "agent.db") as hx:
        saved = hx.knowledge.save(
            "login", f"Use {KEY} and password=hunter22x", source=f"mail with {TOKEN}"
        )
        reference = hx.references.save(
            "db",
            location="postgres://bob:s3cretpw@db/x",
            metadata={"deep": [{"token": TOKEN}]},
        )
        learned = hx.learnings.save(
            trigger="tool:x",
            error_pattern=f"bad token {TOKEN}",
            fix="password=hunter22x",
        )
        skill = hx.skills.create(
            "s",
            kind="template",
            description="d",
            definition={"template": f"curl -H {TOKEN}"},
        )
        hx.backup(tmp_path / "backup.jsonl")
    assert set(saved.redactions) == {"aws-access-key", "github-token", "password"}
    assert "[redacted:aws-access-key]" in saved.content
    assert reference.redactions
    assert learned.redactions
    assert skill.redactions
    for file in tmp_path.iterdir():
        data = file.read_bytes()
        assert not any(
            secret.encode() in data for secret in (KEY, TOKEN, "hunter22x", "s3cretpw")
        )


@requirement("CONF-04")
def test_redaction_can_be_overridden_for_one_save_and_then_reaches_the_prompt(
    hx: Hexad,
) -> None:
    kept = hx.knowledge.save(
        "sandbox-login", "The sandbox has password=hunter22x", redact=False
    )
    assert (kept.content, kept.redactions) == ("The sandbox has password=hunter22x", ())
    assert "hunter22x" in str(hx.assemble("", hx.retrieve("sandbox login")))
    again = hx.knowledge.save("sandbox-login", "The sandbox has password=hunter22x")
    assert again.redactions == ("password",)
    assert "hunter22x" not in str(hx.assemble("", hx.retrieve("sandbox login")))


@requirement("CONF-04")
def test_a_key_that_is_a_secret_is_refused(hx: Hexad) -> None:
    with pytest.raises(InvalidInput, match="looks like a secret"):
        hx.knowledge.save(TOKEN, "text")
    assert hx.audit.records() == ()


@requirement("CONF-01")
@pytest.mark.parametrize("database", [None, 7, "", b"agent.db"])
def test_a_database_that_is_no_path_is_an_error_of_hexads_own(database: Any) -> None:
    with pytest.raises(HexadError, match="database"):
        Hexad.open(database, enabled=True)
