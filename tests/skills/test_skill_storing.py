"""How skills lie in the file: what older files hold stays, and what a skill does is
read when it runs.
"""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

import pytest

from hexad.errors import InvalidInput, SkillRefused, StoreDamaged
from hexad.store.sqlite import SqliteStore
from hexad.store.sqlite.migrating import migrate
from hexad.store.sqlite.statements import migrations
from tests.skills.test_skill_lifecycle import instruct
from tests.support import opened, requirement

if TYPE_CHECKING:
    from pathlib import Path

    from hexad import Hexad


@requirement("STORE-04")
def test_skills_from_before_are_kept_found_and_wait_for_approval(
    tmp_path: Path,
) -> None:
    path = tmp_path / "agent.db"
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, path, migrations()[:3])
    connection.execute(
        "INSERT INTO hexad_skill (namespace, name, description, kind, definition, parameters, tags, status, author,"
        " requires_approval, origin, session, verbatim, redactions, use_count, success_count, created, updated)"
        " VALUES ('default', 'old', 'Greet', 'instruction', '{}', '{}', '[]', 'active', '', 1, 'user', '', 0, '[]',"
        " 3, 0, 0, 0)"
    )
    connection.close()
    SqliteStore(path).close()
    with opened(path) as hx:
        assert [item.key for item in hx.retrieve("greet").all()] == ["old"]
        with pytest.raises(SkillRefused, match="is not what was approved"):
            hx.skills.run("old")
        with pytest.raises(InvalidInput, match="needs 'text'"):
            hx.skills.activate("old")
        with pytest.raises(InvalidInput, match="needs 'text'"):
            hx.skills.run("old", dry_run=True)
        assert instruct(hx, name="old").version == 2


@requirement("STORE-04")
def test_what_a_skill_does_is_still_there_when_its_table_was_divided(
    tmp_path: Path,
) -> None:
    path = tmp_path / "agent.db"
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, path, migrations()[:5])
    for number, name in enumerate(["greet", "part"]):
        connection.execute(
            "INSERT INTO hexad_skill (namespace, name, description, kind, definition, parameters, tags, status, author,"
            " requires_approval, origin, session, verbatim, redactions, use_count, success_count, created, updated)"
            " VALUES ('default', ?, 'Say it', 'instruction', ?, '{}', '[]', 'draft', '', 1, 'user', '', 0, '[]',"
            " 0, 0, 0, 0)",
            (name, json.dumps({"text": f"Words {number}"})),
        )
    connection.close()
    with opened(path) as hx:
        assert {each.name: each.definition["text"] for each in hx.skills.list()} == {
            "greet": "Words 0",
            "part": "Words 1",
        }
        hx.skills.delete("part")
        instruct(hx, name="part")
        assert hx.skills.get("part").definition == {"text": "Say hello"}


@requirement("SKILL-09")
def test_a_skill_is_found_and_counted_without_reading_what_it_does(
    file_hx: Hexad,
) -> None:
    """It may be megabytes of files: only a run needs them."""
    instruct(file_hx)
    file_hx.skills.activate("greet")
    with sqlite3.connect(file_hx.store.location) as connection:
        connection.execute(
            "UPDATE hexad_skill_definition SET definition = 'unreadable'"
        )
    connection.close()
    assert [item.key for item in file_hx.retrieve("greet somebody").all()] == ["greet"]
    assert "Greet a visitor" in str(
        file_hx.assemble("", file_hx.retrieve("greet somebody"))
    )
    with pytest.raises(StoreDamaged):
        file_hx.skills.get("greet")


@requirement("STORE-01")
def test_a_skill_without_what_it_does_is_damaged_and_said_to_be(file_hx: Hexad) -> None:
    instruct(file_hx)
    with sqlite3.connect(file_hx.store.location) as connection:
        connection.execute("DELETE FROM hexad_skill_definition")
    connection.close()
    with pytest.raises(StoreDamaged, match="restore a backup"):
        file_hx.skills.get("greet")
