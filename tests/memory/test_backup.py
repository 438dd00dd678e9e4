"""Backup, restore and import."""

from __future__ import annotations

import fcntl
import json
import sqlite3
import stat
import tempfile
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hexad import Hexad, Layer
from hexad.errors import BackupError
from hexad.model import Category, Origin
from tests.support import FixedClock, opened, requirement


def fill(hx: Hexad) -> None:
    hx.knowledge.save(
        "editor",
        "vim",
        session="slack:1",
        tags=("tools",),
        expires=datetime(2030, 1, 1, tzinfo=UTC),
    )
    hx.knowledge.save("editor", "emacs", origin="agent", pinned=True)
    hx.knowledge.save("hidden", "gone but not forgotten")
    hx.knowledge.delete("hidden")
    hx.references.save(
        "Runbook",
        location="https://wiki",
        summary="Night",
        kind="wiki",
        metadata={"a": [1, {"b": None}]},
    )
    hx.learnings.save(
        trigger="tool:deploy", error_pattern="quota", fix="wait", category="tool_error"
    )
    hx.skills.create(
        "draft", kind="template", description="a draft", definition={"template": "x"}
    )
    hx.skills.create(
        "active",
        kind="instruction",
        description="an active one",
        definition={"text": "x"},
    )
    hx.skills.activate("active")
    hx.scoped(namespace="acme").knowledge.save("other", "another tenant's")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@requirement("STORE-04")
@pytest.mark.parametrize("target", ["memory", "sqlite"])
def test_a_restored_backup_is_the_same_database(
    hx: Hexad, tmp_path: Path, target: str
) -> None:
    fill(hx)
    hx.backup(tmp_path / "one.jsonl")
    with opened(
        ":memory:" if target == "memory" else tmp_path / "new.db", clock=FixedClock()
    ) as back:
        count = back.restore(tmp_path / "one.jsonl")
        back.backup(tmp_path / "two.jsonl")
        assert back.knowledge.list() == hx.knowledge.list()
        assert back.knowledge.history("editor") == hx.knowledge.history("editor")
        assert back.skills.list() == hx.skills.list()
        assert back.audit.records() == hx.audit.records()
        assert back.audit.verify().ok
        assert (
            back.retrieve("emacs active quota night").items
            == hx.retrieve("emacs active quota night").items
        )
        assert (
            back.scoped(namespace="acme").knowledge.get("other").content
            == "another tenant's"
        )
        assert back.knowledge.undelete("hidden").content == "gone but not forgotten"
    assert (tmp_path / "one.jsonl").read_bytes() == (
        tmp_path / "two.jsonl"
    ).read_bytes()
    assert count == len(lines(tmp_path / "one.jsonl")) - 2


@requirement("STORE-04", "STORE-07")
def test_a_backup_is_readable_by_its_owner_alone_and_appears_whole(
    hx: Hexad, tmp_path: Path
) -> None:
    fill(hx)
    hx.backup(tmp_path / "b.jsonl")
    assert stat.S_IMODE((tmp_path / "b.jsonl").stat().st_mode) == 0o600
    assert not list(tmp_path.glob("*.partial"))
    with pytest.raises(BackupError, match="no folder"):
        hx.backup(tmp_path / "nowhere" / "b.jsonl")
    with pytest.raises(BackupError, match="cannot be written"):
        hx.backup(tmp_path)


@requirement("STORE-04")
def test_restoring_into_a_database_that_holds_something_is_refused(
    hx: Hexad, tmp_path: Path
) -> None:
    fill(hx)
    hx.backup(tmp_path / "b.jsonl")
    with pytest.raises(BackupError, match="not empty"):
        hx.restore(tmp_path / "b.jsonl")
    assert len(hx.audit.records()) == 9


@requirement("STORE-04")
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda text: text[: len(text) // 2], "line"),
        (lambda text: "\n".join(text.splitlines()[:-1]), "cut short"),
        (lambda text: "\n".join(text.splitlines()[1:]), "not a header"),
        (lambda text: text.replace('"wire":1', '"wire":99', 1), "upgrade"),
        (
            lambda text: text.replace('"type":"reference"', '"type":"rumour"', 1),
            "type is one of",
        ),
        (lambda text: text.replace('"pinned":true', '"pinned":"very"', 1), "pinned"),
        (
            lambda text: text.replace('"category":"fact"', '"category":"gossip"', 1),
            "gossip",
        ),
        (lambda text: text.replace('"subject":', '"sujet":', 1), "sujet"),
        (
            lambda text: text.replace('"updated":"2026', '"updated":"once 2026'),
            "line 2: updated.*ISO",
        ),
        (
            lambda text: text.replace(
                '"position":null', '"position":99999999999999999999', 1
            ),
            "larger",
        ),
        (lambda text: text.replace('"content":"vim', '"content":"\\u0000', 1), "NUL"),
        (
            lambda text: text.replace('"content":"vim', '"content":"\\ud800', 1),
            "surrogate",
        ),
        (
            lambda text: text.replace('"relevance":1.0', '"relevance":NaN', 1),
            "not JSON",
        ),
        (lambda text: "", "not a Hexad backup|header"),
        (lambda text: "[1]\n", "object"),
    ],
)
def test_a_spoiled_backup_is_an_error_that_names_the_line_and_changes_nothing(
    hx: Hexad, tmp_path: Path, spoil: Any, message: str
) -> None:
    fill(hx)
    hx.backup(tmp_path / "b.jsonl")
    (tmp_path / "spoiled.jsonl").write_text(
        spoil((tmp_path / "b.jsonl").read_text(encoding="utf-8")), encoding="utf-8"
    )
    with opened(tmp_path / "new.db") as back:
        with pytest.raises(BackupError, match=message):
            back.restore(tmp_path / "spoiled.jsonl")
        assert back.knowledge.list() == ()
        assert back.audit.records() == ()
        assert back.retrieve("emacs").items == {}


@requirement("STORE-04")
def test_a_file_that_is_missing_or_no_text_is_an_error(
    hx: Hexad, tmp_path: Path
) -> None:
    with pytest.raises(BackupError, match="cannot be read"):
        hx.restore(tmp_path / "nowhere.jsonl")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BackupError, match="UTF-8"):
        hx.import_file(tmp_path / "binary")


@requirement("STORE-04")
def test_an_import_is_marked_as_such_its_skills_are_drafts_and_nothing_of_it_is_pinned(
    hx: Hexad, tmp_path: Path
) -> None:
    fill(hx)
    hx.scoped(namespace="acme").forget(everything=True)
    hx.backup(tmp_path / "theirs.jsonl")
    kept = [
        line
        for line in lines(tmp_path / "theirs.jsonl")
        if line.get("namespace") != "acme"
    ]
    records = [line for line in kept if line["type"] not in {"hexad-backup", "end"}]
    (tmp_path / "theirs.jsonl").write_text(
        "\n".join(map(json.dumps, records)), encoding="utf-8"
    )
    with opened(tmp_path / "mine.db") as mine:
        done = mine.import_file(tmp_path / "theirs.jsonl")
        assert (done.added, done.kept) == (5, 0)
        everything = (
            *mine.knowledge.list(),
            *mine.references.list(),
            *mine.learnings.list(),
            *mine.skills.list(),
        )
        assert {record.origin for record in everything} == {Origin.IMPORT}
        assert {skill.status for skill in mine.skills.list()} == {"draft"}
        assert not mine.knowledge.get("editor").pinned
        assert mine.knowledge.get("editor").version == 1
        assert not mine.retrieve("active", layers=[Layer.SKILL_PATTERNS])
        assert mine.audit.records()[-1].details == {
            **dict.fromkeys(("replaced", "kept", "proposed"), 0),
            "added": 5,
            "left_out": done.left_out,
        }
        assert mine.audit.verify().ok


@requirement("STORE-04")
def test_an_import_keeps_what_is_here_unless_asked_to_overwrite(
    hx: Hexad, tmp_path: Path
) -> None:
    hx.knowledge.save("editor", "vim")
    hx.learnings.save(trigger="tool:x", error_pattern="p", fix="mine")
    (tmp_path / "theirs.jsonl").write_text(
        '{"type": "knowledge", "key": "editor", "content": "emacs"}\n'
        '{"type": "knowledge", "key": "new", "content": "news"}\n'
        '{"type": "learning", "trigger": "tool:x", "error_pattern": "p", "fix": "theirs"}\n'
    )
    done = hx.import_file(tmp_path / "theirs.jsonl")
    assert (done.added, done.kept) == (1, 2)
    assert (hx.knowledge.get("editor").content, hx.learnings.list()[0].fix) == (
        "vim",
        "mine",
    )
    again = hx.import_file(tmp_path / "theirs.jsonl", overwrite=True)
    assert (again.added, again.replaced, again.kept) == (0, 2, 1)
    assert (hx.knowledge.get("editor").content, hx.learnings.list()[0].fix) == (
        "emacs",
        "theirs",
    )
    assert [version.origin for version in hx.knowledge.history("editor")] == [
        "import",
        "user",
    ]


@requirement("STORE-04", "AUDIT-02")
def test_a_long_import_keeps_every_version_of_a_key_and_the_chain_whole(
    hx: Hexad, tmp_path: Path
) -> None:
    said = [
        {"type": "knowledge", "key": f"k{n % 700}", "content": f"line {n}"}
        for n in range(1100)
    ]
    (tmp_path / "theirs.jsonl").write_text("\n".join(map(json.dumps, said)))
    done = hx.import_file(tmp_path / "theirs.jsonl", overwrite=True)
    assert (done.added, done.replaced) == (700, 400)
    assert [version.content for version in hx.knowledge.history("k3")] == [
        "line 703",
        "line 3",
    ]
    assert next(item.key for item in hx.knowledge.search("line 699")) == "k699"
    assert hx.audit.verify().ok


@requirement("STORE-04", "KNOW-03")
def test_importing_ones_own_backup_again_changes_nothing(
    file_hx: Hexad, tmp_path: Path
) -> None:
    file_hx.knowledge.save("units", "Always metric", category="rule", pinned=True)
    before = file_hx.knowledge.list()
    file_hx.backup(tmp_path / "b.jsonl")
    done = file_hx.import_file(tmp_path / "b.jsonl", overwrite=True)
    assert (done.added, done.replaced, done.kept) == (0, 0, 1)
    assert file_hx.knowledge.list() == before


@requirement("STORE-04")
def test_an_import_of_nothing_or_of_half_a_backup_is_an_error(
    file_hx: Hexad, tmp_path: Path
) -> None:
    fill(file_hx)
    file_hx.backup(tmp_path / "b.jsonl")
    whole = (tmp_path / "b.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "half.jsonl").write_text("\n".join(whole[:-1]), encoding="utf-8")
    with pytest.raises(BackupError, match="cut short"):
        file_hx.import_file(tmp_path / "half.jsonl")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(BackupError, match="nothing to import"):
        file_hx.import_file(tmp_path / "empty.jsonl")


@requirement("STORE-04", "CONF-04")
def test_a_bad_line_in_an_import_names_it_and_nothing_is_imported(
    hx: Hexad, tmp_path: Path
) -> None:
    good = '{"type": "knowledge", "key": "a", "content": "fine, password=hunter22x"}\n'
    (tmp_path / "theirs.jsonl").write_text(
        good + '{"type": "knowledge", "key": "b", "content": ""}\n'
    )
    with pytest.raises(BackupError, match="line 2: content: must not be empty"):
        hx.import_file(tmp_path / "theirs.jsonl")
    assert (hx.knowledge.list(), hx.audit.records()) == ((), ())
    (tmp_path / "theirs.jsonl").write_text(good)
    hx.import_file(tmp_path / "theirs.jsonl")
    assert hx.knowledge.get("a").redactions == ("password",)


@requirement("STORE-04", "STORE-06")
def test_a_file_of_several_namespaces_is_not_poured_into_one(
    hx: Hexad, tmp_path: Path
) -> None:
    fill(hx)
    hx.backup(tmp_path / "b.jsonl")
    with pytest.raises(BackupError, match="2 namespaces"):
        hx.scoped(namespace="mine").import_file(tmp_path / "b.jsonl")


@requirement("STORE-04")
def test_progress_grows_to_the_number_of_lines(hx: Hexad, tmp_path: Path) -> None:
    fill(hx)
    hx.backup(tmp_path / "b.jsonl")
    seen: list[tuple[int, int]] = []
    with opened(":memory:") as back:
        total = back.restore(
            tmp_path / "b.jsonl",
            progress=lambda done, all_of: seen.append((done, all_of)),
        )
    assert seen == sorted(set(seen))
    assert seen[-1] == (total, total)


texts = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30
).filter(str.strip)
names = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3)
    ),
    max_leaves=6,
)
entries = st.fixed_dictionaries(
    {"key": names, "content": texts},
    optional={
        "category": st.sampled_from([*Category]),
        "tags": st.lists(names, max_size=3),
        "source": texts,
        "origin": st.sampled_from([*Origin]),
        "subject": names,
        "thread": names,
        "position": st.integers(0, 2**40),
        "pinned": st.booleans(),
        "relevance": st.floats(0, 1),
        "expires": st.datetimes(
            timezones=st.just(UTC),
            min_value=datetime(1971, 1, 1),  # noqa: DTZ001
            max_value=datetime(9000, 1, 1),  # noqa: DTZ001
        ),
        "session": names,
    },
)


@requirement("STORE-04")
@given(
    st.lists(entries, max_size=6),
    st.lists(
        st.tuples(names, texts, st.dictionaries(names, values, max_size=3)), max_size=3
    ),
)
@settings(max_examples=40)
def test_everything_stored_survives_backup_and_restore(
    knowledge: list[dict[str, Any]], references: list[tuple[str, str, dict[str, Any]]]
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        opened(":memory:", max_knowledge=1000) as hx,
    ):
        for entry in knowledge:
            hx.knowledge.save(
                entry.pop("key"), entry.pop("content"), redact=False, **entry
            )
        for name, location, metadata in references:
            hx.references.save(name, location=location, metadata=metadata, redact=False)
        hx.backup(Path(folder) / "b.jsonl")
        with opened(Path(folder) / "new.db") as back:
            back.restore(Path(folder) / "b.jsonl")
            assert back.knowledge.list() == hx.knowledge.list()
            assert back.references.list() == hx.references.list()
            assert back.audit.records() == hx.audit.records()
            assert back.audit.verify().ok


@requirement("STORE-04")
def test_a_backup_replaces_a_backup_and_no_other_file(
    file_hx: Hexad, tmp_path: Path
) -> None:
    file_hx.knowledge.save("editor", "vim")
    (tmp_path / "notes.md").write_text("my notes")
    with pytest.raises(BackupError, match="is not a backup; choose another file"):
        file_hx.backup(tmp_path / "notes.md")
    assert (tmp_path / "notes.md").read_text() == "my notes"
    assert file_hx.backup(tmp_path / "b.jsonl") == file_hx.backup(tmp_path / "b.jsonl")


def back_up(database: Path, file: Path, times: int) -> None:
    """Write some backups through an engine of its own."""
    with Hexad.open(database, enabled=True) as hx:
        for _ in range(times):
            hx.backup(file)


@requirement("SAFE-03")
@pytest.mark.parametrize(
    ("writers", "times"), [(3, 4), pytest.param(8, 40, marks=pytest.mark.soak)]
)
def test_backups_to_one_file_at_once_leave_a_backup_that_can_be_restored(
    file_hx: Hexad, tmp_path: Path, writers: int, times: int
) -> None:
    for number in range(100):
        file_hx.knowledge.save(f"entry {number}", f"what number {number} says")
    database, file = Path(file_hx.store.location), tmp_path / "b.jsonl"
    with ThreadPoolExecutor(writers) as pool:
        for done in [
            pool.submit(back_up, database, file, times) for _ in range(writers)
        ]:
            done.result()
    with opened(":memory:") as back:
        back.restore(tmp_path / "b.jsonl")
        assert len(back.knowledge.list()) == 100
    assert not list(tmp_path.glob("*.partial"))


@requirement("SAFE-03")
def test_a_backup_removes_what_killed_ones_left_and_nothing_that_is_being_written(
    file_hx: Hexad, tmp_path: Path
) -> None:
    left, busy = tmp_path / "b.jsonl.killed.partial", tmp_path / "b.jsonl.busy.partial"
    left.write_text("{")
    with busy.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file_hx.backup(tmp_path / "b.jsonl")
        assert [found.name for found in tmp_path.glob("*.partial")] == [busy.name]


@requirement("SAFE-03")
def test_a_backup_that_could_not_be_restored_is_refused_and_leaves_the_earlier_one(
    file_hx: Hexad, tmp_path: Path
) -> None:
    file_hx.knowledge.save("editor", "vim")
    file_hx.backup(tmp_path / "b.jsonl")
    before = (tmp_path / "b.jsonl").read_bytes()
    with closing(sqlite3.connect(file_hx.store.location)) as connection, connection:
        connection.execute("UPDATE hexad_knowledge SET content = ''")
    with pytest.raises(BackupError, match=r"would not be restorable.*hexad doctor"):
        file_hx.backup(tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").read_bytes() == before


@requirement("SAFE-01", "STORE-04")
@pytest.mark.soak
def test_import_and_restore_read_a_file_line_by_line(tmp_path: Path) -> None:
    entry: dict[str, Any] = {
        "type": "knowledge",
        "namespace": "default",
        "content": "x " * 50_000,
    }
    times = {
        "created": "2026-01-01T00:00:00+00:00",
        "updated": "2026-01-01T00:00:00+00:00",
    }
    lines = [json.dumps({**entry, **times, "key": str(number)}) for number in range(60)]
    lines = [
        '{"type": "hexad-backup", "wire": 1}',
        *lines,
        '{"type": "end", "lines": 60}',
    ]
    (tmp_path / "large.jsonl").write_text("\n".join(lines))
    for bring in (Hexad.restore, Hexad.import_file):
        with opened(tmp_path / f"{bring.__name__}.db", max_knowledge=1000) as hx:
            tracemalloc.start()
            try:
                bring(hx, tmp_path / "large.jsonl")
                assert tracemalloc.get_traced_memory()[1] < 5_000_000  # the file has 6
            finally:
                tracemalloc.stop()


@requirement("STORE-04")
def test_a_key_that_is_there_twice_in_a_line_is_an_error(
    hx: Hexad, tmp_path: Path
) -> None:
    (tmp_path / "twice.jsonl").write_text(
        '{"type": "knowledge", "key": "a", "content": "x", "key": "b"}'
    )
    with pytest.raises(
        BackupError, match="line 1: is not JSON: the key 'key' is there twice"
    ):
        hx.import_file(tmp_path / "twice.jsonl")
