"""A server that goes away, fails over or stands behind a pooler; limits that many
processes share.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import shutil
import subprocess
import threading
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg.pq import PGconn, Ping

from hexad.adapters.adk import HexadPlugin
from hexad.errors import RateLimited, StoreError, StoreReadOnly
from hexad.store.postgres import PostgresStore
from hexad_testing.nouns import ENTRIES, HOME
from hexad_testing.processes import step
from hexad_testing.scripted_model import Call, ScriptedModel
from tests.adk.adk_support import agent, parts_of, runner, said, warnings
from tests.store.postgres import drop_schema, end_sessions, new_schema, server_url
from tests.store.postgres_server import PostgresServer, as_nobody, free_port
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


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    server_url()  # skips where there is none
    with PostgresServer() as own:
        yield own


# limits


def save_until_refused(url: str, name: str, saved: Any) -> None:
    with opened(url, max_knowledge=12) as hx:
        for number in range(10):
            try:
                hx.knowledge.save(f"{name}-{number}", "said", session="s")
                with saved.get_lock():
                    saved.value += 1
            except RateLimited as error:
                if (error.kind, error.limit, error.session) != ("knowledge", 12, "s"):
                    raise


@requirement("PG-04")
def test_processes_share_the_limit_of_a_session(url: str) -> None:
    spawn = multiprocessing.get_context("spawn")
    saved = spawn.Value("i", 0)
    others = [
        spawn.Process(target=save_until_refused, args=(url, f"p{number}", saved))
        for number in range(4)
    ]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert [other.exitcode for other in others] == [0] * 4
    with opened(url, max_knowledge=12) as hx:
        assert saved.value == 12 == len(hx.knowledge.list())
        assert (
            sum(record.action == "knowledge.reject" for record in hx.audit.records())
            == 40 - 12
        )
        assert hx.audit.verify().ok
        hx.knowledge.save("free", "no session, no limit")
        hx.knowledge.save("other", "another session", session="t")
        with pytest.raises(RateLimited):
            hx.knowledge.save("more", "said", session="s")
        hx.forget(session="s")
        hx.knowledge.save("more", "said", session="s")


@requirement("PG-04")
def test_a_save_that_fails_or_changes_nothing_takes_no_shared_slot(url: str) -> None:
    for _ in range(3):
        with opened(url, max_knowledge=1) as hx:
            with pytest.raises(ZeroDivisionError):
                _broken_off(hx)
            hx.knowledge.save("editor", "vim", session="s")
    with opened(url, max_knowledge=1) as hx, pytest.raises(RateLimited):
        hx.knowledge.save("editor", "emacs", session="s")


def _broken_off(hx: Hexad) -> None:
    with hx._engine.workspace.change(actor="user", session="s") as change:
        change.take_slot("knowledge")
        _ = 1 / 0


# starting


def start_store(url: str) -> None:
    PostgresStore(url).close()


@requirement("PG-01")
def test_processes_that_start_at_once_create_the_schema_once(url: str) -> None:
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=start_store, args=(url,)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4


@requirement("PG-01")
def test_a_user_needs_rights_on_a_schema_and_none_on_the_database(
    server: PostgresServer,
) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("CREATE ROLE app LOGIN PASSWORD 'secret'")
        connection.execute("CREATE SCHEMA given AUTHORIZATION app")
    address = f"postgresql://app:secret@127.0.0.1:{server.port}/postgres"
    with opened(f"{address}?schema=given") as hx:
        hx.knowledge.save("editor", "vim")
    with pytest.raises(StoreReadOnly, match="lacks rights"):
        PostgresStore(f"{address}?schema=other")


# a server that goes away


@requirement("PG-03")
def test_a_reader_whose_session_ends_reads_on_if_nothing_changed_in_the_meantime(
    url: str,
) -> None:
    store = PostgresStore(url)
    step(store)
    with store.reading(HOME) as view:
        assert view.get(ENTRIES, "counter")
        end_sessions()
        assert view.page(ENTRIES)
    with pytest.raises(StoreError, match="lost"):
        _read_across_a_change(store)
    store.close()


def _read_across_a_change(store: PostgresStore) -> None:
    with store.reading(HOME) as view:
        view.get(ENTRIES, "counter")
        step(store)
        end_sessions()
        view.page(ENTRIES)


def book(day: str) -> str:
    """Book a room for a day."""
    return f"a room on {day}"


def patient(server: PostgresServer) -> str:
    """Its URL, for clients that wait until a busy machine has let it answer; a closed
    port refuses at once.
    """
    return f"{server.url}?connect_timeout=600"


@requirement("PG-03", "ADK-06")
def test_an_agent_answers_while_the_server_is_away_says_so_once_and_recovers(
    server: PostgresServer,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "hexad.agents.agent._PATIENCE", 600.0
    )  # or a slow machine has a second thing to say
    booking = [Call("book", {"day": "Monday"}), "Booked."]
    model = ScriptedModel.playing([*booking, *booking, *booking])
    with opened(patient(server)) as hx:
        hx.knowledge.save(
            "rooms", "Rooms are booked for Tuesdays only", category="rule"
        )
        place = runner(agent(model, [book]), [HexadPlugin(hx)])

        async def talk() -> list[Any]:
            events = await said(place, "Book a room")
            server.kill()
            caplog.clear()
            events += await said(place, "Book a room")
            assert len(warnings(caplog)) == 1, warnings(caplog)
            server.start()
            caplog.clear()
            return events + await said(place, "Book a room")

        events = asyncio.run(talk())
        assert [
            parts for event in events if (parts := parts_of(event)) == ["Booked."]
        ] == [["Booked."]] * 3
        assert not warnings(caplog)
        found = [hx.retrieve("which rooms?").items.get(ENTRIES)]
        assert found[0] is not None
        assert [item.key for item in found[0]] == ["rooms"]


@requirement("PG-03")
def test_an_engine_without_its_server_says_which_layers_failed_and_finds_again_when_it_is_back(
    server: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(patient(server)) as hx:
        hx.knowledge.save("editor", "vim is the editor")
        server.kill()
        away = hx.retrieve("which editor?")
        assert not away.items
        assert away.failures
        for _turn in range(3):
            assert hx.prompt("You help.", "which editor?").text == "You help."
        said = [each for each in warnings(caplog) if "no answer" in each]
        assert len(said) <= 2, "the connection was lost, and then there was none"
        assert (
            "user_knowledge, agent_learnings, skill_patterns, external_knowledge"
            in said[-1]
        )
        assert "no connection" in said[-1]
        with pytest.raises(StoreError, match=r"127\.0\.0\.1"):
            hx.knowledge.save("editor", "emacs")
        server.start()
        back = hx.retrieve("which editor?")
        assert not back.failures
        assert [item.key for item in back.items[ENTRIES]] == ["editor"]
        hx.knowledge.save("editor", "emacs")
        assert hx.audit.verify().ok


@requirement("PG-03")
def test_clients_with_both_addresses_go_on_after_a_failover(
    server: PostgresServer,
) -> None:
    with PostgresServer(primary=server) as standby:
        account = urlsplit(server.url).netloc.rpartition("@")[0]
        both = f"postgresql://{account}@127.0.0.1:{standby.port},127.0.0.1:{server.port}/postgres"
        with opened(both) as hx:
            assert hx.store.location.endswith(
                f"@127.0.0.1:{standby.port},127.0.0.1:{server.port}/postgres"
            )
            hx.knowledge.save("editor", "vim is the editor")
            _wait_for_replay(server, standby)
            with opened(
                standby.url
            ) as replica:  # reads what was replayed, and writes nothing
                assert [
                    item.key
                    for item in replica.retrieve("which editor?").items[ENTRIES]
                ] == ["editor"]
                with pytest.raises(StoreReadOnly):
                    replica.knowledge.save("editor", "ed")
            server.kill()
            _promote(standby)
            assert [
                item.key for item in hx.retrieve("which editor?").items[ENTRIES]
            ] == ["editor"]
            hx.knowledge.save("editor", "emacs is the editor")
            assert len(hx.knowledge.history("editor")) == 2
            assert hx.audit.verify().ok


def _wait_for_replay(primary: PostgresServer, standby: PostgresServer) -> None:
    """Wait until the standby has what the primary has written: reading one's own writes
    from a replica.
    """
    with (
        psycopg.connect(primary.url) as one,
        psycopg.connect(standby.url, autocommit=True) as two,
    ):
        written = one.execute("SELECT pg_current_wal_insert_lsn()").fetchone()
        while two.execute(
            "SELECT pg_last_wal_replay_lsn() >= %s", written
        ).fetchone() != (True,):
            time.sleep(0.01)


def _promote(standby: PostgresServer) -> None:
    with psycopg.connect(standby.url, autocommit=True) as connection:
        assert connection.execute("SELECT pg_promote()").fetchone() == (True,)


# PgBouncer


@contextmanager
def pgbouncer(folder: Path, url: str) -> Iterator[str]:
    """A pooler in transaction mode, with fewer sessions than clients."""
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed")
    parts, port = urlsplit(url), free_port()
    (folder / "users").write_text(f'"{parts.username}" "{parts.password}"\n')
    (folder / "bouncer.ini").write_text(
        f"[databases]\n* = host={parts.hostname} port={parts.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
        f"listen_port = {port}\nauth_type = plain\nauth_file = {folder}/users\npool_mode = transaction\n"
        "default_pool_size = 3\nmax_client_conn = 100\nunix_socket_dir =\n"
    )
    as_nobody_owns = as_nobody(folder)
    quiet = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
    }
    with subprocess.Popen(
        [program, "bouncer.ini"], cwd=folder, **quiet, **as_nobody_owns
    ) as process:
        address = f"postgresql://{parts.username}:{parts.password}@127.0.0.1:{port}/{parts.path[1:]}"
        try:
            while PGconn.ping(address.encode()) != Ping.OK:
                assert process.poll() is None, "pgbouncer did not start"
                time.sleep(0.02)
            yield address
        finally:
            process.terminate()


@requirement("PG-01")
def test_pgbouncer_in_transaction_mode_serves_more_clients_than_it_has_sessions(
    url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    schema = url.rsplit("schema=", 1)[1]
    folder = tmp_path_factory.mktemp("pgbouncer")
    with (
        pgbouncer(folder, server_url()) as address,
        opened(f"{address}?schema={schema}&prepare=no") as hx,
    ):
        failures: list[BaseException] = []

        def work(number: int) -> None:
            try:
                own = hx.scoped(namespace=f"n{number % 3}")
                for each in range(8):
                    own.knowledge.save(
                        f"k{number}-{each}", f"note {each} of writer{number}"
                    )
                    assert own.retrieve(f"what did writer{number} note?").items[ENTRIES]
            except BaseException as error:
                failures.append(error)

        threads = [
            threading.Thread(target=work, args=(number,)) for number in range(12)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        for number in range(3):
            scope = hx.scoped(namespace=f"n{number}")
            assert len(scope.knowledge.list()) == 32
            assert scope.audit.verify().ok
        with psycopg.connect(
            address, autocommit=True, prepare_threshold=None
        ) as other:  # settings did not leak
            assert other.execute("SHOW statement_timeout").fetchone() == ("0",)
            assert other.execute("SHOW plan_cache_mode").fetchone() == ("auto",)


@requirement("PG-01")
def test_a_pooler_that_mixes_prepared_statements_is_an_error_that_says_how_to_go_on(
    url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    schema = url.rsplit("schema=", 1)[1]

    def save_with_several_clients(address: str) -> None:
        with ExitStack() as engines:
            for number in range(4):
                engines.enter_context(
                    opened(f"{address}?schema={schema}")
                ).knowledge.save(f"k{number}", "vim")

    with (
        pgbouncer(tmp_path_factory.mktemp("pgbouncer"), server_url()) as address,
        pytest.raises(StoreError, match="add prepare=no to the URL"),
    ):
        save_with_several_clients(address)
