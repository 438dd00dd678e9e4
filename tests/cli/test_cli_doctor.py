from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_cli import Ran, _tamper, run
from tests.support import requirement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["run"]


def verdicts(ran: Ran) -> dict[str, str]:
    return {check["name"]: check["verdict"] for check in ran.json["checks"]}


@requirement("STORE-01")
def test_a_healthy_database_is_said_to_be_healthy(run: Callable[..., Ran]) -> None:
    run("remember", "k", "v")
    run("remember", "k", "v", "--namespace", "acme")
    ran = run("doctor", "--json")
    found = verdicts(ran)
    assert (ran.code, ran.json["ok"]) == (0, True)
    assert [
        found[name] for name in ("SQLite", "permissions", "database", "audit log")
    ] == ["ok"] * 4
    details = {check["name"]: check["detail"] for check in ran.json["checks"]}
    assert "user_knowledge 1, agent_learnings 0" in details["entries"]
    assert details["audit log"] == "whole: 2 records, namespaces: 2"
    assert {
        "sandbox",
        "extra semantic",
        "extra scripts",
        "extra adk",
        "extra mcp",
    } <= set(found)


@requirement("SAFE-05")
def test_doctor_names_what_does_not_agree_and_repairs_it(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    run("remember", "editor", "Use vim")
    with closing(sqlite3.connect(tmp_path / "hexad.db")) as connection:
        connection.execute("UPDATE hexad_knowledge SET content = 'Use emacs'")
        connection.commit()
    ran = run("doctor", "--json")
    details = {
        check["name"]: check["detail"]
        for check in ran.json["checks"]
        if check["verdict"] == "problem"
    }
    assert (ran.code, sorted(details)) == (1, ["rows", "versions"])
    assert details["versions"].endswith(
        "have none: 'editor'; run `hexad doctor --repair`"
    )
    ran = run("doctor", "--repair", "--json")
    assert (ran.code, verdicts(ran)["repair"], verdicts(ran)["content"]) == (
        0,
        "ok",
        "ok",
    )
    assert "Use vim" in run("list").out
    with closing(sqlite3.connect(tmp_path / "hexad.db")) as connection:
        connection.execute("UPDATE hexad_knowledge SET category = '?'")
        connection.execute("DELETE FROM hexad_knowledge_version")
        connection.commit()
    ran = run("doctor", "--repair")
    assert ran.code == 1
    assert "found 1 kind of damage before" in ran.out
    assert "hexad_knowledge 'editor' could not be read and is in" in ran.out
    assert run("doctor").code == 0
    assert run("backup", "saved.jsonl").code == 0


@requirement("CONF-01")
def test_without_a_database_the_machine_is_still_described_and_nothing_is_created(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    ran = run("doctor", "--json")
    assert ran.code == 0
    assert verdicts(ran)["database"] == "warning"
    assert verdicts(ran)["SQLite"] == "ok"
    assert list(tmp_path.iterdir()) == []


@requirement("STORE-07")
def test_a_database_that_others_can_read_is_a_warning_that_says_how_to_close_it(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    run("remember", "k", "v")
    (tmp_path / "hexad.db").chmod(0o644)
    ran = run("doctor")
    assert ran.code == 0
    assert (
        "warning\tpermissions\tother users can read it; run: chmod 600 hexad.db\n"
        in ran.out
    )


@requirement("AUDIT-02")
def test_a_broken_audit_chain_is_a_problem(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    run("remember", "k", "v")
    _tamper(tmp_path / "hexad.db", "UPDATE hexad_audit SET action = 'nothing'")
    ran = run("doctor")
    assert ran.code == 1
    assert "problem\taudit log\tnamespace 'default': record 1 was altered\n" in ran.out


@requirement("STORE-01")
def test_a_damaged_database_is_a_problem(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    for number in range(20):
        run("remember", f"k{number}", "word " * 500)
    data = bytearray((tmp_path / "hexad.db").read_bytes())
    data[8192:-4096] = b"\xff" * (len(data) - 8192 - 4096)
    (tmp_path / "hexad.db").write_bytes(data)
    ran = run("doctor", "--json")
    assert (ran.code, verdicts(ran)["database"]) == (1, "problem")
    ran = run("doctor", "--repair")
    assert ran.code == 1
    assert "and the repair could not help; restore a backup" in ran.out
    assert "--repair" not in ran.out


@requirement("CONF-03")
def test_a_wrong_setting_is_a_problem_among_the_others(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    run("remember", "k", "v")
    (tmp_path / "hexad.toml").write_text("nonsense = 1\n")
    ran = run("doctor")
    assert ran.code == 1
    assert "problem\tsettings\tsetting 'nonsense'" in ran.out
    assert "info\tdatabase\tnot checked" in ran.out
    assert "ok\tSQLite" in ran.out


TOKEN = 'mcp_token = "0123456789abcdef-secret"\n'


@requirement("CONF-04")
@pytest.mark.parametrize("also_in_environment", [True, False])
def test_a_secret_in_a_file_that_others_can_read_is_a_warning_that_says_how_to_close_it(
    run: Callable[..., Ran],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    also_in_environment: bool,
) -> None:
    if also_in_environment:
        monkeypatch.setenv("HEXAD_MCP_TOKEN", "another-token-0123456789")
    (tmp_path / "hexad.toml").write_text(TOKEN)
    (tmp_path / "hexad.toml").chmod(0o640)
    ran = run("doctor")
    assert ran.code == 0
    assert (
        "warning\tsettings\thexad.toml holds mcp_token, and others can read it; run: `chmod 600 hexad.toml`"
        in ran.out
    )
    assert "abcdef" not in ran.out
    (tmp_path / "hexad.toml").chmod(0o600)
    assert "ok\tsettings\thexad.toml" in run("doctor").out


@requirement("PG-01")
def test_a_servers_advice_can_be_copied_and_holds_no_password(
    run: Callable[..., Ran],
) -> None:
    ran = run(
        "doctor",
        "--db",
        "postgresql://anna:geheim@127.0.0.1:1/db?password=geheim&schema=a",
    )
    assert ran.code == 1
    assert "hexad init" not in ran.out
    ran = run(
        "doctor", "--db", "postgresql://anna:geheim@127.0.0.1:1/db?connect_timeout=x"
    )
    assert "geheim" not in ran.out
    assert "***" not in ran.out
