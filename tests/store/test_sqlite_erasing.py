"""Forgetting leaves no bytes: not in the file, not in its index, not in its log."""

from __future__ import annotations

import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hexad.store import Entry
from hexad.store.sqlite.unit import SCRUBBED
from hexad.text.document import Document
from hexad_testing.nouns import knowledge, version
from tests.support import opened, requirement

SCHEMA = Path(__file__).parents[2] / "docs/reference/schema.sql"

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hexad import Hexad
    from hexad.model import Forgotten

MARK = "zqxw"  # every word that is to be forgotten begins so, and so do its terms


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


@pytest.fixture
def hx(path: Path) -> Iterator[Hexad]:
    with opened(path, max_knowledge=1000) as engine:
        yield engine


def traces(path: Path) -> list[str]:
    """The files in which a marked word can be read."""
    files = sorted(path.parent.glob("agent.db*"))
    return [file.name for file in files if MARK.encode() in file.read_bytes().lower()]


def confide(hx: Hexad, key: str = "diary") -> None:
    """An entry with several versions, changed fields, tags, a source, a subject and a
    page that overflows.
    """
    hx.knowledge.save(
        key,
        f"{MARK}first is what I said",
        tags=(f"{MARK}tag", "plain"),
        source=f"{MARK}source",
    )
    hx.knowledge.save(
        key, f"{MARK}second " * 3000, subject="anna", session="confession"
    )
    hx.knowledge.save(
        key, f"{MARK}third is shorter", tags=(f"{MARK}othertag",), category="rule"
    )
    hx.knowledge.save(
        key, f"{MARK}fourth, {MARK}CamelCase and {MARK}/path.txt", pinned=True
    )


def fill(hx: Hexad, rows: int) -> int:
    """Entries in any order of keys, so that pages split and cells move; some are about
    Anna, and marked. How many?
    """
    chance = random.Random(7)  # noqa: S311  (a story, not a secret)
    marked = 0
    with hx.store.transaction("default") as unit:
        for number in range(rows):
            secret = chance.random() < 0.1
            words = [
                f"{MARK if secret else 'word'}{chance.randrange(2000)}"
                for _ in range(chance.choice((5, 25, 90)))
            ]
            key, subject = f"{chance.random()}-{number}", "anna" if secret else ""
            entry = knowledge(key, " ".join(words), subject=subject)
            unit.put([Entry(entry, Document.of(entry.fields()))])
            unit.add_versions([version(1, key, content=entry.content)])
            marked += secret
    return marked


WAYS: dict[str, Callable[[Hexad], Forgotten]] = {
    "key": lambda hx: hx.knowledge.forget("diary"),
    "subject": lambda hx: hx.knowledge.forget(subject="anna"),
    "session": lambda hx: hx.knowledge.forget(session="confession"),
    "subject of all": lambda hx: hx.forget(subject="anna"),
    "everything": lambda hx: hx.forget(everything=True),
}


@requirement("KNOW-04", "KNOW-08")
@pytest.mark.parametrize("way", WAYS)
def test_forgetting_leaves_no_bytes_of_any_version_tag_or_term(
    hx: Hexad, path: Path, way: str
) -> None:
    confide(hx)
    if way == "session":  # what was said elsewhere stays: say nothing elsewhere
        hx.forget(everything=True)
        hx.scoped(session="confession").knowledge.save(
            "diary", f"{MARK}only", tags=(f"{MARK}tag",)
        )
    assert traces(path)
    forgotten = WAYS[way](hx)
    assert (forgotten.entries, forgotten.erased, forgotten.detail) == (1, True, "")
    assert traces(path) == []
    hx.close()
    assert traces(path) == []


@requirement("KNOW-04", "KNOW-08")
@pytest.mark.soak
def test_forgetting_leaves_no_bytes_among_thousands_of_other_rows(
    hx: Hexad, path: Path
) -> None:
    marked = fill(hx, 3000)
    confide(hx)
    assert hx.erase_traces()
    assert traces(path) == ["agent.db"]
    forgotten = hx.knowledge.forget(subject="anna")
    assert (forgotten.entries, forgotten.erased) == (marked + 1, True)
    assert traces(path) == []
    assert len(hx.knowledge.list()) == 3000 - marked
    assert hx.knowledge.search("word17")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@requirement("KNOW-04")
def test_what_was_hidden_before_it_was_forgotten_leaves_no_bytes_either(
    hx: Hexad, path: Path
) -> None:
    confide(hx)
    hx.knowledge.delete("diary")
    hx.knowledge.save("diary", "something harmless")
    assert hx.knowledge.forget("diary").erased
    assert traces(path) == []


@requirement("KNOW-04", "KNOW-08")
def test_other_nouns_leave_no_bytes_either(hx: Hexad, path: Path) -> None:
    hx.references.save(
        "Runbook",
        location=f"https://wiki/{MARK}",
        summary=f"{MARK}summary",
        metadata={"a": MARK},
    )
    hx.skills.create(
        "release",
        kind="instruction",
        description=f"{MARK}how",
        definition={"text": MARK},
    )
    hx.skills.activate("release")
    learned = hx.learnings.save(
        trigger="deploy", error_pattern=f"{MARK}error", diagnosis=MARK, fix=f"{MARK}fix"
    )
    assert traces(path)
    for shelf, name in (
        (hx.references, "Runbook"),
        (hx.skills, "release"),
        (hx.learnings, learned.id),
    ):
        assert shelf.forget(name).erased
    assert traces(path) == []


@requirement("KNOW-04")
def test_while_another_connection_reads_an_older_state_forgetting_says_so_and_is_finished_later(
    hx: Hexad, path: Path
) -> None:
    confide(hx)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM hexad_knowledge").fetchone()
        forgotten = hx.knowledge.forget("diary")
        assert (forgotten.entries, forgotten.erased) == (1, False)
        assert "erase_traces()" in forgotten.detail
        assert hx.erase_traces() is False
        assert traces(path)
        assert not hx.knowledge.list()
        other.execute("COMMIT")
        assert hx.erase_traces() is True
        assert traces(path) == []


@requirement("KNOW-04")
def test_a_reader_in_the_same_process_holds_traces_too(hx: Hexad, path: Path) -> None:
    confide(hx)
    with opened(path) as other, other.store.reading("default") as view:
        assert view.chain_end() is not None
        assert hx.knowledge.forget("diary").erased is False
    assert hx.erase_traces() is True
    assert traces(path) == []


@requirement("KNOW-04")
def test_what_was_forgotten_can_be_said_and_forgotten_again(
    hx: Hexad, path: Path
) -> None:
    confide(hx)
    hx.knowledge.forget("diary")
    confide(hx)
    assert len(hx.knowledge.history("diary")) == 4
    assert hx.knowledge.forget("diary").entries == 1
    assert traces(path) == []


@requirement("KNOW-04")
def test_every_table_that_holds_what_was_said_is_rewritten_when_it_is_forgotten() -> (
    None
):
    tables = set(
        re.findall(r"CREATE TABLE (hexad_\w+)", SCHEMA.read_text(encoding="utf-8"))
    )
    nothing_said = {"hexad_note", "hexad_scope", "hexad_meaning", "hexad_audit"}
    assert set(SCRUBBED) == tables - nothing_said
