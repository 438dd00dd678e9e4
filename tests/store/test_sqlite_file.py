"""A store in one file: how it is made, migrated, shared with strangers, and where it
may lie.
"""
# ruff: noqa: S608  (columns have names of ours)

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import resource
import sqlite3
import stat
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hexad.errors import (
    DeadlineExceeded,
    HexadError,
    NotADatabase,
    NotFound,
    SchemaTooNew,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from hexad.model import Layer
from hexad.store import Entry, Question
from hexad.store.sqlite import SqliteStore
from hexad.store.sqlite.migrating import backup_path, migrate, schema_of
from hexad.store.sqlite.statements import migrations
from hexad.text.document import Document
from hexad_testing.nouns import ENTRIES, HOME, MOMENT, document, knowledge
from hexad_testing.processes import finish, start
from tests.store.learnings_before import LEARNINGS_BEFORE, assert_carried_over
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.synchronize import Barrier

    from hexad import Hexad
    from hexad.store import Reading

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


def raw(path: Path) -> closing[sqlite3.Connection]:
    """Somebody else's connection to the file."""
    return closing(sqlite3.connect(path, isolation_level=None))


def remember(path: Path, *keys: str) -> None:
    with opened(path) as hx:
        for key in keys:
            hx.knowledge.save(key, f"content of {key}")


def remembered(path: Path) -> set[str]:
    with opened(path) as hx:
        assert hx.audit.verify().ok
        return {entry.key for entry in hx.knowledge.list()}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def tables_of(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    return connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name"
    ).fetchall()


# made for its owner


@requirement("STORE-07")
def test_a_new_file_and_its_logs_are_readable_by_their_owner_alone(path: Path) -> None:
    before = os.umask(0)
    try:
        with opened(path) as hx:
            hx.knowledge.save("editor", "vim")
            assert {file.name: mode(file) for file in path.parent.iterdir()} == {
                "agent.db": 0o600,
                "agent.db-wal": 0o600,
                "agent.db-shm": 0o600,
            }
    finally:
        os.umask(before)


@requirement("STORE-07")
def test_the_permissions_of_a_file_that_is_there_are_its_owners_business(
    path: Path,
) -> None:
    path.touch(mode=0o640)
    path.chmod(0o640)
    remember(path, "editor")
    assert mode(path) == 0o640


# the schema


@requirement("STORE-01")
def test_the_schema_is_the_sum_of_its_migrations() -> None:
    schema = (Path(__file__).parents[2] / "docs/reference/schema.sql").read_text(
        encoding="utf-8"
    )
    with (
        closing(sqlite3.connect(":memory:")) as written,
        closing(sqlite3.connect(":memory:")) as grown,
    ):
        written.executescript(schema)
        grown.executescript("\n".join(migrations()))
        assert tables_of(written) == tables_of(grown)


@requirement("STORE-01", "LEARN-08")
@pytest.mark.parametrize(("schema", "column"), [(10, "remedies"), (11, "fixes")])
def test_of_learnings_from_before_what_somebody_said_stays_and_what_rules_inferred_goes(
    path: Path, caplog: pytest.LogCaptureFixture, schema: int, column: str
) -> None:
    with raw(path) as connection:
        migrate(connection, path, migrations()[:schema])
        for each in LEARNINGS_BEFORE:
            connection.execute(
                "INSERT INTO hexad_learning (namespace, id, trigger, error_pattern, fix, origin,"
                f" {column}, diagnosis, category, tags, session, verbatim, redactions, seen, worked,"
                " failed, support, use_count, created, updated) VALUES ('default', ?, ?, ?, ?, ?, ?,"
                " '', 'general', '[]', '', 0, '[]', 4, 3, 1, 2, 0, 0, 0)",
                [*list(each.values())[:-1], json.dumps(each["fixes"])],
            )
    with opened(path) as hx:
        assert_carried_over(hx, caplog)
    caplog.clear()
    with opened(path) as hx:
        assert hx.learnings.get("corrected").fix == "ask ops"
        assert not caplog.records


@requirement("STORE-01")
def test_before_a_migration_a_copy_is_made_that_opens_and_holds_what_there_was(
    path: Path,
) -> None:
    remember(path, "editor")
    known = len(migrations())
    with raw(path) as connection:
        migrate(
            connection,
            path,
            [
                *migrations(),
                "CREATE TABLE hexad_extra (a);\nINSERT INTO hexad_extra VALUES (1);",
            ],
        )
        assert schema_of(connection) == known + 1
        assert connection.execute("SELECT a FROM hexad_extra").fetchall() == [(1,)]
    copy = backup_path(path, known)
    assert mode(copy) == 0o600
    assert remembered(copy) == {"editor"}
    assert not list(path.parent.glob("*.partial"))


@requirement("STORE-01")
@pytest.mark.parametrize(
    ("failing", "reason"),
    [
        ("INSERT INTO nowhere VALUES (1);", "nowhere"),
        (
            "INSERT OR ROLLBACK INTO hexad_note VALUES ('schema', 'twice');",
            "UNIQUE",
        ),  # SQLite ends the transaction
    ],
)
def test_a_migration_that_fails_changes_nothing(
    path: Path, failing: str, reason: str
) -> None:
    remember(path, "editor")
    with raw(path) as connection:
        before = list(connection.iterdump())
        with pytest.raises(sqlite3.Error, match=reason):
            migrate(
                connection,
                path,
                [*migrations(), f"CREATE TABLE hexad_extra (a);\n{failing}"],
            )
        assert list(connection.iterdump()) == before
        assert not connection.in_transaction
    assert remembered(path) == {"editor"}


@requirement("STORE-01")
def test_without_a_copy_nothing_is_migrated(path: Path) -> None:
    remember(path, "editor")
    backup_path(path, len(migrations())).mkdir()
    with raw(path) as connection:
        before = list(connection.iterdump())
        with pytest.raises(StoreReadOnly, match="nothing was migrated"):
            migrate(connection, path, [*migrations(), "CREATE TABLE hexad_extra (a);"])
        assert list(connection.iterdump()) == before
    assert not list(path.parent.glob("*.partial"))


@requirement("STORE-01")
@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_newer_schema_is_refused_and_not_a_byte_is_changed(
    path: Path, journal: str
) -> None:
    remember(path, "editor")
    with raw(path) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.execute("UPDATE hexad_note SET value = '99' WHERE name = 'schema'")
    before = path.read_bytes()
    with pytest.raises(SchemaTooNew, match="upgrade Hexad") as refused:
        opened(path)
    assert (refused.value.found, refused.value.known) == (99, len(migrations()))
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["agent.db"]


@requirement("STORE-01")
def test_a_schema_that_is_no_number_is_damage(path: Path) -> None:
    remember(path, "editor")
    with raw(path) as connection:
        connection.execute("UPDATE hexad_note SET value = 'new' WHERE name = 'schema'")
    with pytest.raises(StoreDamaged, match="restore"):
        opened(path)


def open_and_save(path: Path, key: str, together: Barrier) -> None:
    together.wait()
    remember(path, key)


@requirement("STORE-01", "STORE-02")
def test_processes_that_create_one_file_at_once_share_it(path: Path) -> None:
    together = multiprocessing.get_context("spawn").Barrier(4)
    finish(
        *[start(open_and_save, path, f"key-{number}", together) for number in range(4)]
    )
    assert remembered(path) == {"key-0", "key-1", "key-2", "key-3"}


# other people's tables


THEIRS = """
PRAGMA user_version = 7;
PRAGMA application_id = 42;
CREATE TABLE people (name TEXT, age INTEGER);
CREATE INDEX people_by_age ON people (age);
CREATE VIEW adults AS SELECT * FROM people WHERE age > 17;
CREATE TRIGGER no_ghosts BEFORE INSERT ON people WHEN new.name = '' BEGIN SELECT RAISE(ABORT, 'who?'); END;
INSERT INTO people VALUES ('Ann', 3), ('Bob', 40), ('Cem', 50), ('Dee', 60);
DELETE FROM people WHERE name IN ('Ann', 'Cem');
"""


def theirs(path: Path) -> list[Any]:
    with raw(path) as connection:
        return [
            connection.execute("SELECT rowid, * FROM people").fetchall(),
            connection.execute("SELECT * FROM adults").fetchall(),
            [table for table in tables_of(connection) if "hexad" not in table[2]],
            connection.execute("PRAGMA user_version").fetchone(),
            connection.execute("PRAGMA application_id").fetchone(),
        ]


@requirement("STORE-01")
def test_other_peoples_tables_in_the_file_are_left_alone(path: Path) -> None:
    with raw(path) as connection:
        connection.executescript(THEIRS)
    before = theirs(path)
    with opened(path) as hx:
        hx.knowledge.save("editor", "vim " * 5000)
        hx.knowledge.save("shell", "zsh", subject="anna")
        assert hx.knowledge.forget("editor").erased
        assert hx.forget(everything=True).erased
    assert theirs(path) == before
    with raw(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@requirement("AUDIT-01")
@pytest.mark.parametrize(
    "sql", ["UPDATE hexad_audit SET target = 'x'", "DELETE FROM hexad_audit"]
)
def test_the_file_itself_refuses_to_change_the_audit_log(path: Path, sql: str) -> None:
    remember(path, "editor")
    with (
        raw(path) as connection,
        pytest.raises(sqlite3.IntegrityError, match="append-only"),
    ):
        connection.execute(sql)


# places where no database can be


@requirement("STORE-01")
def test_a_directory_is_not_a_database(tmp_path: Path) -> None:
    with pytest.raises(NotADatabase, match="is a directory; give the path of a file"):
        opened(tmp_path)


@requirement("STORE-01")
def test_a_missing_folder_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(StoreReadOnly, match="create it first"):
        opened(tmp_path / "none" / "agent.db")
    assert not list(tmp_path.iterdir())


@requirement("STORE-01")
@pytest.mark.parametrize(
    "name",
    ["a\0b.db", "a\udfffb.db", "x" * 300 + ".db"],
    ids=["nul", "surrogate", "long"],
)
def test_a_path_that_no_file_can_have_is_one_clear_error(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(StoreError):
        SqliteStore(tmp_path / name)


@requirement("STORE-01")
def test_an_empty_file_becomes_a_database(path: Path) -> None:
    path.touch()
    remember(path, "editor")
    assert remembered(path) == {"editor"}


@requirement("STORE-01")
@pytest.mark.parametrize("size", [1, 99, 100, 5000])
def test_a_file_of_something_else_is_refused_and_kept(path: Path, size: int) -> None:
    path.write_bytes(b"dear diary, " * size)
    before = path.read_bytes()
    with pytest.raises(NotADatabase, match="another file"):
        opened(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["agent.db"]


def use_everything(path: Path) -> None:
    with opened(path) as hx:
        for entry in hx.knowledge.list():
            hx.knowledge.history(entry.key)
        hx.retrieve("what is the content of the key?")
        hx.knowledge.save("new", "something new about the content")
        hx.habits.list()
        hx.habits.teach(Layer.USER_KNOWLEDGE, "new", "something new")
        learning = hx.learnings.save(
            trigger="tool:deploy", error_pattern="quota exceeded", fix="wait"
        )
        hx.learnings.delete(learning.id)
        hx.audit.verify()


@requirement("STORE-01")
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_truncated_database_is_damaged(path: Path, share: float) -> None:
    remember(path, *(f"key-{number}" for number in range(40)))
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    with pytest.raises(StoreDamaged, match="restore a backup"):
        use_everything(path)


@requirement("STORE-01")
def test_a_damaged_page_is_an_error_of_ours_or_goes_unnoticed(path: Path) -> None:
    remember(path, *(f"key-{number}" for number in range(40)))
    whole, noticed = path.read_bytes(), 0
    for start_of_page in range(4096, len(whole), 4096):
        path.write_bytes(
            whole[:start_of_page] + b"\xa5" * 4096 + whole[start_of_page + 4096 :]
        )
        try:
            use_everything(path)
        except StoreError:
            noticed += 1
    assert (
        noticed > len(whole) / 4096 / 3
    )  # a page of a table that is empty is never looked at


@requirement("STORE-01")
@pytest.mark.parametrize("column", ["category", "tags", "origin", "created"])
def test_a_value_that_no_entry_has_is_damage(path: Path, column: str) -> None:
    remember(path, "editor")
    with raw(path) as connection:
        connection.execute(f"UPDATE hexad_knowledge SET {column} = '?'")
    with opened(path) as hx, pytest.raises(StoreDamaged, match="restore a backup"):
        hx.knowledge.get("editor")


@requirement("STORE-02")
def test_a_file_that_was_removed_is_not_made_anew(path: Path) -> None:
    with opened(path) as hx:
        hx.knowledge.save("editor", "vim")
        path.rename(path.with_name("moved.db"))
        assert isinstance(
            error_in_a_thread(lambda: hx.knowledge.save("shell", "zsh")), StoreReadOnly
        )
        assert not path.exists()


@requirement("STORE-02")
def test_the_file_stays_the_same_when_the_current_folder_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    with opened("agent.db") as hx:
        monkeypatch.chdir(elsewhere)
        assert error_in_a_thread(lambda: hx.knowledge.save("editor", "vim")) is None
    assert not list(elsewhere.iterdir())
    assert remembered(tmp_path / "agent.db") == {"editor"}


def error_in_a_thread(work: Callable[[], object]) -> BaseException | None:
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except HexadError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return errors[0] if errors else None


# places where a database can be read at most


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user of the machine can reach; pytest's own is root's alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


def _as_nobody(work: Callable[[Path], None], folder: Path) -> None:
    """In a process of its own: root may write anywhere, so it becomes somebody else
    first.

    Somebody else may not be allowed to read this Python's modules, so all that are
    needed are loaded before.
    """
    with tempfile.TemporaryDirectory() as own:
        remember(Path(own) / "agent.db", "editor")
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        work(folder)
    finally:
        os.seteuid(before)


def _save_into_what_cannot_be_written(folder: Path) -> None:
    with pytest.raises(StoreReadOnly, match="check"), opened(folder / "agent.db") as hx:
        hx.knowledge.save("shell", "zsh")


@requirement("STORE-01")
@pytest.mark.parametrize(
    ("permissions", "folders"), [(0o444, 0o555), (0o444, 0o777), (0o000, 0o755)]
)
def test_a_file_that_cannot_be_written_stays_as_it_is(
    open_folder: Path, permissions: int, folders: int
) -> None:
    path = open_folder / "agent.db"
    remember(path, "editor")
    before = path.read_bytes()
    path.chmod(permissions)
    open_folder.chmod(folders)
    finish(start(_as_nobody, _save_into_what_cannot_be_written, open_folder))
    open_folder.chmod(0o700)
    path.chmod(0o600)
    assert path.read_bytes() == before
    assert remembered(path) == {"editor"}


# a full disk


def _limit_files_to(size: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))


def _saving(hx: Hexad) -> Iterator[str]:
    """The keys that were saved, each once it is."""
    for number in range(1000):
        yield hx.knowledge.save(f"key-{number}", f"text {number} " * 1000).key


def _save_until_full(path: Path) -> None:
    saved: list[str] = []
    with opened(path) as hx:
        _limit_files_to(400_000)
        with pytest.raises(StoreFull, match="free"):
            saved.extend(_saving(hx))
        assert {entry.key for entry in hx.knowledge.list()} == set(saved)
        with pytest.raises(NotFound):
            hx.knowledge.get(f"key-{len(saved)}")
        _limit_files_to(resource.RLIM_INFINITY)
        hx.knowledge.save("afterwards", "there is room again")
    assert saved
    assert remembered(path) == {*saved, "afterwards"}


def _forget_when_full(path: Path) -> None:
    with opened(path) as hx:
        hx.knowledge.save("editor", "vim")
        _limit_files_to(20_000)
        with pytest.raises(StoreFull):
            hx.knowledge.forget("editor")
        assert hx.knowledge.get("editor").content == "vim"
        _limit_files_to(resource.RLIM_INFINITY)
        assert hx.knowledge.forget("editor").erased


def _prompt_when_full(path: Path) -> None:
    warned: list[logging.LogRecord] = []
    logging.getLogger("hexad").addFilter(lambda record: warned.append(record) or True)  # type: ignore[func-returns-value]
    with opened(path) as hx:
        hx.learnings.correct(
            trigger="tool:deploy",
            error_pattern="the deploy timed out",
            fix="wait a minute",
        )
        _limit_files_to(20_000)
        for number in range(5):
            assert "wait a minute" in str(
                hx.prompt("", "the deploy timed out", session=f"session-{number}")
            )
        assert len(warned) == 1
        _limit_files_to(resource.RLIM_INFINITY)
    with raw(path) as connection:
        assert connection.execute("SELECT count(*) FROM hexad_offer").fetchone() == (5,)


def _create_when_full(path: Path) -> None:
    _limit_files_to(8192)
    with pytest.raises(StoreFull, match="free"):
        opened(path)
    _limit_files_to(resource.RLIM_INFINITY)
    remember(path, "editor")


@requirement("STORE-02", "STORE-03")
@pytest.mark.parametrize(
    "work", [_save_until_full, _forget_when_full, _create_when_full, _prompt_when_full]
)
def test_on_a_full_disk_nothing_is_half_written_and_work_goes_on_once_there_is_room(
    path: Path, work: Callable[[Path], None]
) -> None:
    finish(start(work, path))
    remembered(path)


# locks, deadlines, threads, forks


@requirement("STORE-02")
def test_a_locked_database_is_busy_once_the_timeout_is_over(path: Path) -> None:
    with opened(path, lock_timeout=0.01) as hx, raw(path) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match="try again"):
            hx.knowledge.save("editor", "vim")
        assert not hx.knowledge.list()
        other.execute("ROLLBACK")
        hx.knowledge.save("editor", "vim")
    assert remembered(path) == {"editor"}


@requirement("STORE-02")
def test_a_file_that_somebody_keeps_to_themselves_is_busy_at_opening(
    path: Path,
) -> None:
    with raw(path) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreBusy, match="try again"):
            opened(path, lock_timeout=0.01)
        other.execute("ROLLBACK")
    assert remembered(path) == set()


@requirement("CTX-10")
def test_a_query_that_takes_longer_than_its_deadline_is_stopped(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        with store.transaction(HOME) as unit:
            unit.put(
                [
                    Entry(knowledge(f"key-{number}"), document("vim"))
                    for number in range(500)
                ]
            )
        with (
            pytest.raises(DeadlineExceeded, match="within 0 s"),
            store.reading(HOME, deadline=0) as view,
        ):
            view.page(ENTRIES)
        with store.reading(HOME) as view:
            assert len(view.page(ENTRIES)) == 500


@requirement("STORE-02")
@linux_only
def test_connections_of_finished_threads_do_not_pile_up(path: Path) -> None:
    def files_open() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    with opened(path) as hx:
        for _ in range(5):
            error_in_a_thread(hx.knowledge.list)
        before = files_open()
        for _ in range(50):
            error_in_a_thread(hx.knowledge.list)
        assert files_open() <= before
    assert [file.name for file in path.parent.iterdir()] == ["agent.db"]


def _fork_and_save(path: Path) -> None:
    with opened(path) as hx:
        hx.knowledge.save("before", "the fork", session="s")
        child = os.fork()
        if child == 0:
            hx.knowledge.save("child", "after the fork", session="s")
            assert hx.retrieve("fork").items
            os._exit(0)
        hx.knowledge.save("parent", "after the fork", session="s")
        assert os.waitpid(child, 0)[1] == 0
        hx.knowledge.save("end", "after the child", session="s")


@requirement("STORE-02")
def test_an_engine_survives_a_fork(path: Path) -> None:
    finish(start(_fork_and_save, path))
    assert remembered(path) == {"before", "child", "parent", "end"}


def _fork_and_close_first(path: Path) -> None:
    """The child saves before and after its parent, the last that has it open, has
    closed the store.
    """
    to_parent, to_child = os.pipe(), os.pipe()
    with opened(path) as hx:
        child = os.fork()
        if child == 0:
            hx.knowledge.save("before", "the parent closes")
            os.write(to_parent[1], b".")
            os.read(to_child[0], 1)
            hx.knowledge.save("after", "the parent has closed")
            os._exit(0)
        os.read(to_parent[0], 1)
    os.write(to_child[1], b".")
    assert os.waitpid(child, 0)[1] == 0


@requirement("STORE-02", "STORE-03")
def test_a_forked_child_loses_nothing_when_its_parent_closes(path: Path) -> None:
    finish(start(_fork_and_close_first, path))
    assert remembered(path) == {"before", "after"}


@requirement("STORE-01", "CTX-08")
def test_an_index_that_another_analyser_wrote_is_rebuilt_when_its_namespace_is_first_used(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "a.db") as hx:
        hx.knowledge.save("window", "Deploy on Tuesdays")
        hx.knowledge.save("hidden", "Deploy never")
        hx.knowledge.delete("hidden")
        hx.skills.create(
            "draft", kind="instruction", description="Deploy", definition={"text": "x"}
        )
        with hx.store.transaction("default") as unit:
            unit.set_note("analyser", "of another version")
            (row,) = [row for row in unit.page(ENTRIES) if row.record.id == "window"]
            unit.put([Entry(row.record, Document(("window",), ("stale", "terms")))])
    with opened(tmp_path / "a.db") as hx:
        assert [item.key for item in hx.retrieve("when to deploy?").all()] == ["window"]
        assert hx.retrieve("stale terms").items == {}


@requirement("KNOW-09")
@pytest.mark.parametrize(
    "damage",
    [
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET name = x'ff00' WHERE name = 'hexad_knowledge'",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'garbage' WHERE name = 'hexad_knowledge'",
        "UPDATE hexad_note SET value = 'x'",
        "UPDATE hexad_knowledge SET content = x'ff'",
        "UPDATE hexad_knowledge SET words = 'x'",
        "UPDATE hexad_knowledge SET first_version = 'x'",
        "UPDATE hexad_knowledge SET given_by = '5'",
    ],
)
def test_a_damaged_file_is_an_error_of_ours(tmp_path: Path, damage: str) -> None:
    with opened(tmp_path / "a.db") as hx:
        hx.knowledge.save("editor", "vim")
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript(damage)

    def use() -> None:
        with opened(tmp_path / "a.db") as hx:
            hx.knowledge.list()

    with pytest.raises(StoreError):
        use()


@requirement("STORE-03")
@pytest.mark.parametrize("replaced", [False, True])
def test_a_save_into_a_file_that_was_deleted_or_replaced_is_an_error(
    tmp_path: Path, replaced: bool
) -> None:
    with opened(tmp_path / "a.db") as hx:
        hx.knowledge.save("editor", "vim")
        (tmp_path / "a.db").rename(tmp_path / "gone.db")
        if replaced:
            (tmp_path / "a.db").touch()
        with pytest.raises(StoreError, match="deleted or replaced"):
            hx.knowledge.save("editor", "emacs")


@requirement("STORE-02")
def test_the_message_says_who_keeps_the_database_locked(path: Path) -> None:
    remember(path, "editor")
    with (
        opened(path, lock_timeout=0.05) as hx,
        opened(path, lock_timeout=0.05) as other,
    ):
        with raw(path) as connection:
            connection.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreBusy, match="another process kept"):
                hx.knowledge.save("editor", "nano")
            connection.execute("ROLLBACK")
        with other.store.transaction("default"), ThreadPoolExecutor(1) as pool:
            saved = pool.submit(hx.knowledge.save, "editor", "nano")
            with pytest.raises(StoreBusy, match="another thread of this process kept"):
                saved.result()
        assert hx.knowledge.save("editor", "nano").content == "nano"


@requirement("STORE-02")
def test_the_writers_of_a_process_take_turns_in_the_order_in_which_they_came(
    path: Path,
) -> None:
    order, waiting = list[int](), list[threading.Thread]()
    with opened(path) as hx:

        def write(number: int) -> None:
            with hx.store.transaction("default"):
                order.append(number)

        with hx.store.transaction("default"):
            turns = hx.store.wrapped._connections.turns  # type: ignore[attr-defined]
            for number in range(8):
                waiting.append(threading.Thread(target=write, args=[number]))
                waiting[-1].start()
                while len(turns._waiting) <= number:
                    os.sched_yield()
        for thread in waiting:
            thread.join()
    assert order == list(range(8))


@requirement("STORE-02")
@pytest.mark.skipif(sys.platform != "linux", reason="locks on folders and /proc")
def test_a_folder_that_another_program_locks_delays_a_save_and_does_not_stop_it(
    path: Path,
) -> None:
    import fcntl

    with opened(path) as hx:
        hx.knowledge.save("editor", "vim")
        before = set(Path("/proc/self/fd").iterdir())
        folder = os.open(path.parent, os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        assert hx.knowledge.save("editor", "emacs").version == 2
        os.close(folder)
        while (
            set(Path("/proc/self/fd").iterdir()) != before
        ):  # who stood in line has left it
            os.sched_yield()


@requirement("LEARN-05")
def test_no_offer_is_lost_among_many_sessions_and_a_locked_database(path: Path) -> None:
    with opened(path) as hx:
        hx.learnings.correct(
            trigger="tool:deploy",
            error_pattern="the deploy timed out",
            fix="wait a minute",
        )

        def show(number: int) -> None:
            hx.prompt("", "the deploy timed out", session=f"session-{number}")

        with raw(path) as connection:
            connection.execute("BEGIN IMMEDIATE")
            show(0)
            show(1)
            connection.execute("ROLLBACK")
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(show, range(2, 66)))
    with raw(path) as connection:
        [offered] = connection.execute("SELECT count(*) FROM hexad_offer").fetchone()
        [used] = connection.execute("SELECT use_count FROM hexad_learning").fetchone()
    assert (offered, used) == (66, 66)


@requirement("CTX-08")
def test_a_question_knows_what_others_wrote_since_the_last_one_and_nothing_that_was_taken_back(
    path: Path,
) -> None:
    def saved(store: SqliteStore, key: str, *, lost: bool = False) -> None:
        with suppress(KeyError), store.transaction(HOME) as unit:
            unit.put([Entry(knowledge(key), document("quokka"))])
            if lost:
                assert rows(unit) == len(keys) + 1
                raise KeyError

    def rows(view: Reading) -> int:
        found = view.evidence(
            Question(layers=[ENTRIES], now=MOMENT, terms=("quokka",))
        )[ENTRIES]
        assert len(found.postings.get("quokka", ())) == found.statistics.rows
        return found.statistics.rows

    keys = ["one", "two", "three"]
    with closing(SqliteStore(path)) as here, closing(SqliteStore(path)) as there:
        for place, key in enumerate(keys):
            saved([here, there][place % 2], key)
            for store in (here, there):
                with store.reading(HOME) as view:
                    assert rows(view) == place + 1
        saved(here, "never", lost=True)
        with here.reading(HOME) as view:
            assert rows(view) == len(keys)


@requirement("SAFE-02")
@pytest.mark.parametrize(
    "more",
    ["", " with billing, ledger, invoices, refunds, webhooks, scheduler and gateway"],
)
def test_a_retrieve_takes_at_most_sixteen_statements_also_where_others_echo_the_question(
    path: Path, monkeypatch: pytest.MonkeyPatch, more: str
) -> None:
    statements: list[str] = []
    connect = sqlite3.connect

    def traced(*args: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*args, **options)
        connection.set_trace_callback(statements.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    question = f"When may I deploy the payment service{more} to production?"
    with opened(path, max_knowledge=1000) as hx:
        hx.references.save(
            "runbook",
            location="https://example.com",
            summary="how to deploy the payment service",
        )
        hx.learnings.save(
            trigger="tool:deploy",
            error_pattern="no payment service",
            fix="deploy on Tuesday",
        )
        hx.skills.create(
            "deploy",
            kind="instruction",
            description="deploy to production",
            definition={"text": "wait"},
        )
        hx.knowledge.save("own", "Deploy is announced in the channel of the operators")
        for number in range(620):
            hx.knowledge.save(
                f"echo-{number}", f"{question} Any time. {number}", origin="agent"
            )
            if number in {5, 70, 300, 619}:
                hx.retrieve(question)
                statements.clear()
                assert hx.retrieve(question).items[ENTRIES]
                assert 5 < len(statements) <= 16
