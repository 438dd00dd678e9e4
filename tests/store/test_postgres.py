"""Only PostgreSQL has these: round trips, a server that goes away, many processes, and
an operator's options.
"""
# ruff: noqa: S608  (schemas have names of ours)

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import threading
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from hexad import Hexad
from hexad.errors import (
    CommitInDoubt,
    InvalidInput,
    SchemaTooNew,
    StoreBusy,
    StoreDamaged,
    StoreError,
)
from hexad.memory.usage.timeline import shown_prompts
from hexad.model import DEFAULT_NAMESPACE, Origin
from hexad.store import Entry, postgres
from hexad.store.codec import as_json
from hexad.store.postgres import PostgresStore
from hexad.store.postgres.connection import PipelineConnection
from hexad.text.document import Document
from hexad_testing.nouns import ENTRIES, HOME, audit_record, document, knowledge
from hexad_testing.processes import counted, step
from tests.store.learnings_before import LEARNINGS_BEFORE, assert_carried_over
from tests.store.postgres import drop_schema, end_sessions, new_schema, server_url
from tests.store.postgres_wire import Wire
from tests.support import FixedClock, opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


@pytest.fixture
def url() -> Iterator[str]:
    made = new_schema()
    yield made
    drop_schema(made)


@pytest.fixture
def wire(url: str) -> Iterator[Wire]:
    """A way to the server on which every statement is seen."""
    with Wire(url) as made:
        yield made


@pytest.fixture
def hx(wire: Wire) -> Iterator[Hexad]:
    with opened(wire.url, max_knowledge=1000) as engine:
        yield engine


@requirement("PG-02")
def test_a_turn_takes_two_round_trips_a_save_two_and_an_observation_three(
    hx: Hexad, wire: Wire
) -> None:
    hx.knowledge.save("tone", "Answer briefly", category="rule", pinned=True)
    for number in range(40):
        hx.knowledge.save(
            f"k{number}",
            f"deploy note {number} for the window",
            thread="t",
            position=number,
        )
    hx.references.save(
        "runbook", location="https://example.com", summary="how to deploy"
    )
    hx.learnings.save(
        trigger="tool:deploy", error_pattern="no window", fix="deploy on Tuesday"
    )
    question = "when is the window to deploy?"
    assert wire.trips(lambda: hx.retrieve(question)) == 2
    assert wire.trips(lambda: hx.assemble("You help.", hx.retrieve(question))) == 2
    assert wire.trips(lambda: hx.knowledge.save("new", "something else")) == 2
    assert wire.trips(lambda: hx.knowledge.save("new", "something else again")) == 2
    for turn in range(3):
        hx.prompt("You help.", question, session="s")
        assert (
            wire.trips(
                partial(
                    hx.knowledge.save, f"after {turn}", "said after a turn", session="s"
                )
            )
            == 2
        )
        assert (
            wire.trips(lambda: hx.prompt("You help.", "what was said?", session="s"))
            == 2
        )
    hx.observe(tool="mail", result="sent", args={"to": "anna"}, session="s")
    outcomes = [
        {"error": error}
        for error in ("Error: no region eu", "Error: no key 7", "Error: no region eu")
    ]
    for outcome in (*outcomes, {"result": "sent"}, {"result": "sent"}):
        observe = partial(
            hx.observe, tool="mail", args={"a": len(outcome)}, session="s", **outcome
        )
        assert wire.trips(observe) <= 3


@requirement("PG-02", "SAFE-02")
def test_a_turn_takes_two_round_trips_where_agents_fill_the_best_places(
    hx: Hexad, wire: Wire
) -> None:
    for number in range(60):
        hx.knowledge.save(
            f"k{number}", f"the window to deploy service {number}", origin="agent"
        )
    for number in range(4):
        hx.knowledge.save(
            f"own{number}",
            f"I deploy {number} on another day, and this note has more words",
        )
    found = hx.retrieve("when is the window to deploy?", max_per_layer=5).items[ENTRIES]
    assert [item.origin for item in found].count(Origin.USER) == 3
    assert (
        wire.trips(
            lambda: hx.retrieve("when is the window to deploy?", max_per_layer=5)
        )
        == 2
    )
    assert (
        wire.trips(lambda: hx.prompt("You help.", "when is the window to deploy?")) == 2
    )


@requirement("PG-02")
def test_a_turn_takes_two_round_trips_with_vectors_facets_and_expired_entries(
    wire: Wire,
) -> None:
    def by_length(texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, len(text) % 7, "deploy" in text] for text in texts]

    clock = FixedClock()
    with opened(
        wire.url, semantic=True, embedder=by_length, embedder_name="length", clock=clock
    ) as hx:
        for number in range(30):
            hx.knowledge.save(
                f"k{number}",
                f"deploy note {number}",
                category="rule" if number % 2 else "fact",
            )
        hx.knowledge.save("soon", "deploy today", expires=clock() + timedelta(hours=1))
        clock.advance(days=1)
    with opened(
        wire.url, semantic=True, embedder=by_length, embedder_name="length", clock=clock
    ) as hx:
        ask = partial(hx.prompt, "You help.", "when to deploy?")
        assert (
            wire.trips(ask) == 2
        )  # the first one also sees whether the index is current; vectors come along,
        hx.knowledge.save("new", "deploy note for tomorrow")
        assert wire.trips(ask) == 2  # and new ones too
        search = partial(hx.knowledge.search, "deploy", category="rule")
        assert {item.category for item in search()} == {"rule"}
        assert wire.trips(search) == 2
    with opened(wire.url) as hx:
        assert (
            wire.trips(
                lambda: hx.knowledge.save("other", "the first save of a process")
            )
            == 2
        )


@requirement("PG-02")
def test_an_import_takes_a_round_trip_for_some_hundred_lines(
    hx: Hexad, wire: Wire, tmp_path: Path
) -> None:
    file = tmp_path / "many.jsonl"
    lines = [
        {"type": "knowledge", "key": f"k{number}", "content": f"note {number}"}
        for number in range(1200)
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    most = len(lines) // 100  # merging the index may be counted along, it runs beside
    assert wire.trips(lambda: hx.import_file(file)) <= most
    assert wire.trips(lambda: hx.import_file(file, overwrite=True)) <= most
    assert hx.knowledge.get("k777").content == "note 777"
    errors = [
        {
            "type": "learning",
            "trigger": f"tool:t{number % 3}",
            "error_pattern": f"no {'x' * (number % 40)} in {number}",
        }
        for number in range(300)
    ]
    file.write_text("\n".join(json.dumps({**each, "fix": "wait"}) for each in errors))
    assert wire.trips(lambda: hx.import_file(file)) <= most
    assert wire.trips(lambda: hx.import_file(file)) <= most


@requirement("PG-01")
def test_every_statement_that_is_sent_names_its_tenant(hx: Hexad, wire: Wire) -> None:
    wire.batches.clear()
    hx.knowledge.save("editor", "vim", tags=["tool"])
    hx.prompt("You help.", "which editor?")
    hx.observe(tool="deploy", error="Error: no", session="s")
    hx.learnings.list()
    hx.knowledge.history("editor")
    hx.knowledge.forget("editor")
    hx.forget(everything=True)
    hx.audit.verify()
    of_all = re.compile(
        r"BEGIN|COMMIT|ROLLBACK|SELECT set_config|SELECT namespace FROM"
    )
    statements = {
        each for batch in wire.batches for each in batch if not of_all.match(each)
    }
    assert len(statements) > 40
    for sql in statements:
        assert "tenant = $1" in sql or re.search(
            r'INSERT INTO "?\w+"?\.\w+( AS \w)? \(tenant,', sql
        ), sql


@requirement("PG-01")
def test_every_table_in_the_sql_is_read_and_written_by_tenant() -> None:
    found = 0
    names = [
        f"hexad.store.postgres.{part.name}"
        for part in pkgutil.iter_modules(postgres.__path__)
    ]
    for module in map(importlib.import_module, ["hexad.store.calls", *names]):
        for sql in [value for value in vars(module).values() if isinstance(value, str)]:
            tables = re.findall(r"(?:FROM|JOIN|UPDATE|INTO) hexad\.(?!note)", sql)
            tenants = re.findall(r"tenant = |(?<!CONFLICT )\(tenant,", sql)
            assert len(tenants) >= len(tables), sql
            found += len(tables)
    assert found > 80


@requirement("PG-01")
def test_every_key_and_index_begins_with_the_tenant(url: str) -> None:
    PostgresStore(url).close()
    with psycopg.connect(server_url()) as connection:
        first = connection.execute(
            "SELECT i.indexrelid::regclass::text, a.attname FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid "
            "JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0] "
            "WHERE t.relnamespace = %s::regnamespace",
            (url.rsplit("=", 1)[1],),
        ).fetchall()
    others = {
        index.rsplit(".", 1)[1]: column for index, column in first if column != "tenant"
    }
    assert others == {"note_pkey": "name", "head_namespace": "namespace"}
    assert len(first) > 20


@requirement("PG-01")
def test_the_url_names_the_schema_and_is_shown_without_its_password(url: str) -> None:
    with opened(url) as hx:
        hx.knowledge.save("editor", "vim")
        assert "hexad:" not in repr(hx)
        assert hx.store.location.endswith(f"?schema={url.rsplit('=', 1)[1]}")
    with psycopg.connect(server_url()) as connection:
        schema = url.rsplit("=", 1)[1]
        assert connection.execute(
            f"SELECT count(*) FROM {schema}.record"
        ).fetchone() == (1,)
    for wrong, says in [
        ("schema=no;drop", "a word"),
        (f"schema={'a' * 80}", "at most 63"),
        ("pool=none", "a number"),
        ("pool=0", "a number"),
        ("prepare=maybe", "must be yes or no"),
    ]:
        with pytest.raises(InvalidInput, match=says):
            PostgresStore(f"{server_url()}?{wrong}")


@requirement("PG-01")
def test_the_url_gives_libpq_its_parameters_as_they_are(url: str) -> None:
    given = "application_name=my%20agent&options=-c%20work_mem%3D5MB"
    with opened(f"{url}&{given}"), psycopg.connect(server_url()) as other:
        names = other.execute(
            "SELECT application_name FROM pg_stat_activity"
        ).fetchall()
    assert ("my agent",) in names


@requirement("PG-01")
def test_a_server_that_cannot_be_reached_is_named_without_the_password() -> None:
    with pytest.raises(
        StoreError, match=re.escape("postgresql://anna@127.0.0.1:1/db")
    ) as caught:
        Hexad.open("postgresql://anna:geheim@127.0.0.1:1/db", enabled=True)
    assert "geheim" not in str(caught.value)


@requirement("PG-01")
def test_without_prepared_statements_everything_works_as_a_pooler_needs_it(
    url: str,
) -> None:
    with opened(f"{url}&prepare=no") as hx:
        hx.knowledge.save("editor", "vim")
        assert [item.key for item in hx.retrieve("vim").items[ENTRIES]] == ["editor"]
    with psycopg.connect(server_url()) as connection:
        assert connection.execute(
            "SELECT count(*) FROM pg_prepared_statements"
        ).fetchone() == (0,)


@requirement("PG-01")
def test_a_schema_of_a_newer_program_is_refused(url: str) -> None:
    PostgresStore(url).close()
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(f"UPDATE {url.rsplit('=', 1)[1]}.note SET value = '99'")
    with pytest.raises(SchemaTooNew):
        PostgresStore(url)


@requirement("SAFE-05")
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE hexad.head SET rows = array_fill(7, array[array_length(rows, 1)])",
        "UPDATE hexad.record SET words = 'x' WHERE id = 'k3'",
        "DELETE FROM hexad.record WHERE id = 'k3'",
        "UPDATE hexad.record SET data = replace(data, 'three', 'four') WHERE id = 'k3'",
    ],
)
def test_the_repair_rebuilds_rows_index_and_counts_on_a_server(
    url: str, damage: str
) -> None:
    def found(hx: Hexad) -> list[str]:
        return sorted(
            item.content for item in hx.retrieve("when do we deploy?").items[ENTRIES]
        )

    with opened(url) as hx:
        for number, word in enumerate(("zero", "one", "two", "three")):
            hx.knowledge.save(f"k{number}", f"We deploy {word}")
        before = found(hx)
    with psycopg.connect(server_url(), autocommit=True) as connection:
        assert (
            connection.execute(
                damage.replace("hexad.", f"{url.rsplit('=', 1)[1]}.")
            ).rowcount
            == 1
        )
    with opened(url) as hx:
        assert hx.check() != ()
        assert hx.check(repair=True) == ()
        assert found(hx) == before
        hx.knowledge.save("k4", "We deploy four")
        assert hx.check() == ()


@requirement("SAFE-05")
@pytest.mark.parametrize("table", ["record", "version"])
def test_a_row_that_is_no_json_is_damage_and_no_foreign_error(
    url: str, table: str
) -> None:
    with opened(url) as hx:
        hx.knowledge.save("k", "We deploy on Tuesdays")
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(f"UPDATE {url.rsplit('=', 1)[1]}.{table} SET data = '{{'")
    with opened(url) as hx:
        [damage] = hx.check()
        assert "cannot be read" in damage.detail
        with pytest.raises(StoreDamaged, match="restore a backup"):
            hx.knowledge.history("k") if table == "version" else hx.knowledge.get("k")


@requirement("PG-01")
def test_a_schema_whose_heads_hold_the_timeline_is_migrated_and_keeps_it(
    url: str,
) -> None:
    with opened(url) as hx:
        hx.knowledge.save("editor", "vim")
        hx.prompt("You help.", "which editor?", session="s")
    schema = url.rsplit("=", 1)[1]
    with psycopg.connect(server_url(), autocommit=True) as connection:
        found = connection.execute(f"SELECT value FROM {schema}.fact").fetchall()
        connection.execute(f"DROP TABLE {schema}.fact")
        held = json.dumps({"timeline": "1", "timeline:1": found[0][0]})
        connection.execute(
            f"UPDATE {schema}.head SET facts = %s WHERE namespace = %s",
            (held, DEFAULT_NAMESPACE),
        )
        connection.execute(f"UPDATE {schema}.note SET value = '1'")
    with opened(url) as hx:
        assert [
            item.id
            for shown in shown_prompts(hx.store, DEFAULT_NAMESPACE)
            for item in shown.items
        ] == ["editor"]
    with psycopg.connect(server_url(), autocommit=True) as connection:
        assert "timeline:" not in str(
            connection.execute(f"SELECT facts FROM {schema}.head").fetchall()
        )


@requirement("PG-01", "LEARN-08")
@pytest.mark.parametrize(("schema_before", "name"), [("2", "remedies"), ("3", "fixes")])
def test_of_learnings_from_before_what_somebody_said_stays_and_what_rules_inferred_goes(
    url: str, caplog: pytest.LogCaptureFixture, schema_before: str, name: str
) -> None:
    with opened(url) as hx:
        for each in LEARNINGS_BEFORE:
            hx.learnings.save(
                trigger=each["trigger"], error_pattern=each["error_pattern"]
            )
        hx.skills.create(
            "repair",
            kind="instruction",
            description="Repair it",
            definition={"text": "Repair {{ a }}"},
            parameters={"properties": {"a": {}, "fixes": {}, "support": {}}},
        )
    schema = url.rsplit("=", 1)[1]
    with psycopg.connect(server_url(), autocommit=True) as connection:
        rows = connection.execute(
            f"SELECT number, data FROM {schema}.record WHERE layer = 4 ORDER BY number"
        ).fetchall()
        for (number, data), each in zip(rows, LEARNINGS_BEFORE, strict=True):
            known = {**json.loads(data), "worked": 3, "failed": 1, "support": 2}
            known |= {"id": each["id"], "fix": each["fix"], name: each["fixes"]}
            for new in ("evidence", "unaided", "stuck", "sessions"):
                del known[new]
            connection.execute(
                f"UPDATE {schema}.record SET id = %s, origin = %s, seen = 4, data = %s WHERE layer = 4 AND number = %s",
                (each["id"], each["origin"], as_json(known), number),
            )
        connection.execute(
            f"""UPDATE {schema}.head SET facts = replace(facts, '"evidence"', '"anchored"')"""
        )
        connection.execute(
            f"UPDATE {schema}.note SET value = '{schema_before}' WHERE name = 'schema'"
        )
    with opened(url) as hx:
        assert_carried_over(hx, caplog)
        assert set(hx.skills.get("repair").parameters["properties"]) == {
            "a",
            "fixes",
            "support",
        }
    caplog.clear()
    with opened(url) as hx:
        assert hx.learnings.get("corrected").fix == "ask ops"
        assert not caplog.records


@requirement("PG-01", "CTX-08")
@pytest.mark.parametrize("first", ["read", "save"])
def test_an_index_that_another_analyser_wrote_is_rebuilt_with_the_first_use(
    url: str, first: str
) -> None:
    with opened(url) as hx:
        hx.knowledge.save("window", "Deploy on Tuesdays")
        with hx.store.transaction(DEFAULT_NAMESPACE) as unit:
            unit.set_note("analyser", "of another version")
            row = unit.get(ENTRIES, "window")
            assert row is not None
            unit.put([Entry(row.record, Document(("window",), ("stale", "terms")))])
    with opened(f"{url}&pool=1") as hx:
        if first == "save":
            hx.knowledge.save("other", "something else")
        assert [item.key for item in hx.retrieve("when to deploy?").all()] == ["window"]
        assert hx.retrieve("stale terms").items == {}


@requirement("PG-01")
def test_many_that_start_at_once_create_the_schema_once(url: str) -> None:
    failures: list[BaseException] = []

    def start() -> None:
        try:
            PostgresStore(url).close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    store = PostgresStore(url)
    assert step(store) == 1
    store.close()


# a connection that is lost


@requirement("PG-03")
def test_what_is_read_or_begun_after_the_server_ended_the_session_works_on_another(
    url: str,
) -> None:
    store = PostgresStore(url)
    assert step(store) == 1
    end_sessions()
    assert counted(store) == 1
    end_sessions()
    assert step(store) == 2
    store.close()


@requirement("PG-03")
def test_a_session_that_ends_inside_a_transaction_changes_nothing_and_the_next_works(
    url: str,
) -> None:
    store = PostgresStore(url)
    step(store)
    with pytest.raises(StoreError, match="nothing was stored; try again"):
        _interrupted(store)
    assert counted(store) == 1
    assert step(store) == 2
    store.close()


def _interrupted(store: PostgresStore) -> None:
    with store.transaction(HOME) as unit:
        unit.get(ENTRIES, "counter")
        end_sessions()
        unit.get(ENTRIES, "other")


@requirement("PG-03")
@pytest.mark.parametrize("committed", [True, False])
def test_a_commit_whose_answer_is_lost_is_resolved_by_the_audit_chain(
    url: str, monkeypatch: pytest.MonkeyPatch, committed: bool
) -> None:
    store = PostgresStore(url)
    run, lost = PipelineConnection.run, []

    def losing(self: PipelineConnection, statements: Any, **options: Any) -> Any:
        if statements[-1].sql != "COMMIT" or lost:
            return run(self, statements, **options)
        lost.append(True)
        if committed:
            run(self, statements, **options)
        self.broken = True
        raise postgres.failures.ConnectionLost("the network is gone")

    monkeypatch.setattr(PipelineConnection, "run", losing)
    if committed:
        assert step(store) == 1
    else:
        with pytest.raises(StoreError, match="nothing was stored; try again"):
            step(store)
    assert counted(store) == (1 if committed else 0)
    lost.clear()
    with (
        pytest.raises(CommitInDoubt),
        store.transaction(HOME) as unit,
    ):  # nothing that the chain could show
        unit.set_note("fact", "new")
    store.close()


@requirement("PG-01")
def test_a_pool_that_is_used_up_is_a_busy_store(url: str) -> None:
    store = PostgresStore(f"{url}&pool=1")
    with (
        store.reading(HOME),
        pytest.raises(StoreBusy, match="pool"),
        store.transaction(HOME, patience=0.01),
    ):
        pass
    store.close()


@requirement("PG-06")
def test_forgetting_leaves_no_words_in_the_index_and_says_what_the_server_still_holds(
    hx: Hexad, url: str
) -> None:
    for number in range(300):
        hx.knowledge.save(f"k{number}", f"secretword{number} in here")
    done = hx.knowledge.forget("k7")
    assert not done.erased
    assert all(
        word in done.detail
        for word in ("no query", "maintenance", "log, replicas and backups")
    )
    schema = url.rsplit("=", 1)[1]
    with psycopg.connect(server_url()) as connection:
        for table in ("record", "stale", "version", "audit"):
            rows = connection.execute(
                f"SELECT t::text FROM {schema}.{table} t"
            ).fetchall()
            assert not [row for (row,) in rows if re.search(r"secretword7\b", row)], (
                table
            )


@requirement("PG-01")
def test_the_audit_log_cannot_be_changed_or_cut(url: str) -> None:
    store = PostgresStore(url)
    with store.transaction(HOME) as unit:
        unit.append_audit([audit_record(1)])
    for change in ("UPDATE {}.audit SET target = ''", "DELETE FROM {}.audit"):
        with (
            psycopg.connect(server_url()) as connection,
            pytest.raises(psycopg.Error, match="append-only"),
        ):
            connection.execute(change.format(url.rsplit("=", 1)[1]))
    store.close()


@requirement("PG-01")
def test_saves_beyond_some_hundreds_are_merged_by_themselves(url: str) -> None:
    store = PostgresStore(url)
    for number in range(14):
        with store.transaction(HOME) as unit:
            entries = [
                (knowledge(f"k{number}-{each}"), document(f"common n{number}"))
                for each in range(20)
            ]
            unit.put([Entry(record, words) for record, words in entries])
    for thread in threading.enumerate():
        if thread.name == "hexad-merge":
            thread.join()
    with psycopg.connect(server_url()) as connection:
        found = connection.execute(
            f"SELECT max(m) FROM {url.rsplit('=', 1)[1]}.head, unnest(merged) AS m"
        ).fetchone()
    assert found is not None
    assert found[0] > 256
    store.close()


@requirement("PG-01")
def test_a_layer_that_is_newer_than_a_namespace_is_kept_beside_its_others(
    url: str,
) -> None:
    with opened(url) as hx:
        hx.knowledge.save("tea", "Green tea in the morning")
        schema, arrays = url.rsplit("=", 1)[1], ("rows", "lengths", "merged", "waiting")
        with psycopg.connect(server_url(), autocommit=True) as connection:
            connection.execute(
                f"UPDATE {schema}.head SET {', '.join(f'{each} = {each}[1:5]' for each in arrays)}"
            )
        hx.references.save(
            "Kettle",
            location="https://wiki.example/kettle",
            summary="How the kettle works",
        )
        assert [item.key for item in hx.retrieve("kettle").all()] == ["Kettle"]
        assert [item.key for item in hx.retrieve("green tea").all()] == ["tea"]


@requirement("PG-02")
def test_a_layer_that_gets_its_first_row_elsewhere_is_found_at_once(url: str) -> None:
    with opened(url) as hx, opened(url) as other:
        hx.knowledge.save("deploy", "Deploy on Tuesdays")
        assert [item.key for item in hx.retrieve("how to deploy").all()] == ["deploy"]
        other.references.save(
            "Runbook",
            location="https://wiki.example.com",
            summary="How to deploy and roll back",
        )
        assert {item.key for item in hx.retrieve("how to deploy").all()} == {
            "deploy",
            "Runbook",
        }
