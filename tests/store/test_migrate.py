"""`hexad migrate` between stores, and the commands that move a memory on a server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from hexad.cli import main
from hexad.errors import StoreError
from hexad.memory.backup.copying import copy_store
from hexad.store import Entry
from hexad_testing.nouns import ENTRIES, document, knowledge
from tests.store.postgres import drop_schema, new_schema
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hexad import Hexad


@pytest.fixture
def url() -> Iterator[str]:
    made = new_schema()
    yield made
    drop_schema(made)


def furnished(hx: Hexad) -> None:
    hx.knowledge.save("editor", "vim", pinned=True)
    hx.knowledge.save("editor", "emacs", tags=["tool"])
    hx.knowledge.save("gone", "hidden")
    hx.knowledge.delete("gone")
    hx.references.save(
        "runbook", location="https://example.com", summary="how to deploy"
    )
    hx.observe(tool="deploy", error="Error: no region", session="s")
    hx.skills.create(
        "greet", kind="template", description="greet", definition={"template": "Hello"}
    )
    hx.used(hx.retrieve("emacs").items[ENTRIES][0], "which editor?")
    hx.scoped(namespace="other").knowledge.save("tea", "green")


@requirement("PG-05")
def test_migrate_carries_a_database_there_and_back_without_loss(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, back = tmp_path / "first.db", tmp_path / "back.db"
    with opened(first) as hx:
        furnished(hx)
        hx.backup(tmp_path / "first.jsonl")
    for source, target in (
        (first, url),
        (first, url),
        (url, back),
    ):  # the second time there is nothing to do
        assert main(["migrate", str(source), str(target), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["namespaces"] == 2
    with opened(back) as hx:
        hx.backup(tmp_path / "back.jsonl")
        assert hx.audit.verify().ok
    lines = [
        (tmp_path / f"{name}.jsonl").read_text().splitlines()[1:]
        for name in ("first", "back")
    ]
    assert lines[0] == lines[1]


@requirement("PG-05")
def test_migrate_refuses_a_target_that_holds_something_else(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(tmp_path / "one.db") as one, opened(url) as two:
        one.knowledge.save("editor", "vim")
        two.knowledge.save("editor", "emacs")
    assert main(["migrate", str(tmp_path / "one.db"), url]) != 0
    assert "holds something else" in capsys.readouterr().err


@requirement("PG-05")
def test_commands_work_on_a_server(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*words: str) -> str:
        code = main([*words, "--db", url])
        out, err = capsys.readouterr()
        assert code == 0, err
        return out + err

    run("remember", "editor", "vim is the editor")
    assert "vim is the editor" in run("recall", "which editor")
    assert "PostgreSQL" in run("doctor")
    assert "postgresql://" in run("status")
    measured = json.loads(run("eval", str(_questions(tmp_path)), "--json"))
    assert measured["recall_at_5"] == 1.0
    run("backup", str(tmp_path / "a.jsonl"))
    assert "maintenance" in run("forget", "editor", "--yes")


@requirement("PG-05", "SAFE-03")
def test_a_backup_is_restored_onto_a_server_and_from_there_into_a_file(
    url: str, tmp_path: Path
) -> None:
    with opened(tmp_path / "first.db") as hx:
        furnished(hx)
        hx.backup(tmp_path / "0.jsonl")
    for number, place in enumerate((url, tmp_path / "back.db")):
        with opened(place) as hx:
            hx.restore(tmp_path / f"{number}.jsonl")
            assert hx.audit.verify().ok
            assert [item.key for item in hx.retrieve("emacs").all()] == ["editor"]
            hx.backup(tmp_path / f"{number + 1}.jsonl")
    assert (
        len(
            {
                (tmp_path / f"{number}.jsonl").read_text().split("\n", 1)[1]
                for number in range(3)
            }
        )
        == 1
    )


@requirement("PG-01")
def test_no_message_shows_a_password(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = urlsplit(url)
    secret = str(parts.password)
    expected = {
        url.replace(secret, f"{secret}x"): "password authentication failed",
        parts._replace(path="/nowhere").geturl(): "does not exist",
        f"postgresql://hexad:{secret}@127.0.0.1:1/postgres": "no connection",
        url.replace(secret, f"{secret} x"): "not a PostgreSQL URL",
        f"{url}&nonsense=1": "nonsense",
        url: "hexad remember",
    }
    for place, words in expected.items():
        assert (main(["status", "--db", place]) == 0) == (place == url)
        said = "".join(capsys.readouterr())
        assert words in said
        assert secret not in said


@requirement("PG-01")
def test_a_server_that_is_too_old_is_named(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hexad.store.postgres.migrating._OLDEST", 99)
    with pytest.raises(StoreError, match="Hexad needs 99 or newer"):
        opened(url)


class BrokenOff(Exception):
    pass


def break_off(done: int, total: int) -> None:
    if 500 <= done < total:
        raise BrokenOff


@requirement("PG-05")
@pytest.mark.parametrize("direction", ["to the server", "from the server"])
def test_a_copy_that_broke_off_goes_on_where_it_stopped(
    url: str, tmp_path: Path, direction: str
) -> None:
    places: list[Any] = [tmp_path / "many.db", url]
    source, target = places if direction == "to the server" else reversed(places)
    with opened(source, max_knowledge=10_000) as old, opened(target) as new:
        furnished(old)
        with old.store.transaction("default") as unit:
            unit.put(
                [
                    Entry(knowledge(f"k{number}"), document(f"note {number}"))
                    for number in range(1200)
                ]
            )
        with pytest.raises(BrokenOff):
            copy_store(old.store, new.store, break_off)
        steps: list[tuple[int, int]] = []
        done = copy_store(old.store, new.store, lambda *step: steps.append(step))
        assert steps[-1] == (done.records, done.records)
        assert steps[0] == (
            1202,
            1206,
        )  # the first 1,000 of 1,202 entries were not copied again
        assert len(new.knowledge.list()) == len(old.knowledge.list())
        assert new.audit.verify().ok


@requirement("PG-05")
def test_a_copy_of_a_source_that_changed_in_between_takes_what_is_new_and_refuses_what_differs(
    url: str, tmp_path: Path
) -> None:
    with opened(tmp_path / "many.db") as old, opened(url) as new:
        with old.store.transaction("default") as unit:
            unit.put(
                [
                    Entry(knowledge(f"k{number}"), document(f"note {number}"))
                    for number in range(1200)
                ]
            )
        with pytest.raises(BrokenOff):
            copy_store(old.store, new.store, break_off)
        old.knowledge.save("editor", "vim")
        assert copy_store(old.store, new.store, lambda *_: None).records == 1201
        old.knowledge.save("editor", "emacs")
        with pytest.raises(StoreError, match="something else"):
            copy_store(old.store, new.store, lambda *_: None)


@requirement("PG-05")
def test_a_copy_that_differs_in_one_record_is_noticed(url: str, tmp_path: Path) -> None:
    with opened(tmp_path / "one.db") as old, opened(url) as new:
        old.knowledge.save("editor", "vim")
        copy_store(old.store, new.store, lambda *_: None)
        with new.store.transaction("default") as unit:
            unit.put([Entry(knowledge("editor", "emacs"), document("emacs"))])
        with pytest.raises(StoreError, match="something else"):
            copy_store(old.store, new.store, lambda *_: None)


def _questions(folder: Path) -> Path:
    file = folder / "questions.jsonl"
    file.write_text(
        json.dumps({"text": "which editor?", "relevant": ["editor"]}) + "\n",
        encoding="utf-8",
    )
    return file
