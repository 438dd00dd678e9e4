"""Loads for a store that many processes share: a mixed storm, and ten thousand small
tenants. Processes are spawned.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from random import Random
from typing import TYPE_CHECKING, Any

from benchmarks.corpus import entries, questions
from hexad import Hexad
from hexad.errors import HexadError, NotFound
from hexad.memory.index.indexing import document_of
from hexad.store import Entry
from hexad_testing.nouns import knowledge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

IN_EACH = 60  # entries of a tenant
TEXTS = list(entries(IN_EACH, seed=3))
QUESTIONS = list(questions(200, seed=4, entries=TEXTS))


def in_processes(count: int, work: Callable[..., None], *arguments: Any) -> list[Any]:
    """What each process put into its queue: ``work(number, queue, …)``."""
    spawn = multiprocessing.get_context("spawn")
    queue = spawn.SimpleQueue()
    started = [
        spawn.Process(target=work, args=(number, queue, *arguments))
        for number in range(count)
    ]
    for process in started:
        process.start()
    found = [queue.get() for _ in started]
    for process in started:
        process.join()
    return found


def storm(number: int, queue: Any, place: str, rounds: int) -> None:
    """Do everything that engines do to a memory, among others that do the same; report
    what failed.
    """
    errors: list[str] = []
    with Hexad.open(place, enabled=True, semantic=False, max_knowledge=1_000_000) as hx:
        for turn in range(rounds):
            own, session = f"p{number}-{turn}", f"s{number}"
            for action in _actions(hx, own, session, turn):
                try:
                    action()
                except NotFound:  # another process has just removed it
                    continue
                except HexadError as error:
                    errors.append(f"{type(error).__name__}: {error}")
    queue.put(errors)


def _actions(
    hx: Hexad, own: str, session: str, turn: int
) -> Sequence[Callable[[], object]]:
    other = hx.scoped(namespace=f"n{turn % 5}")
    return (
        lambda: hx.knowledge.save(
            own, f"note {own}: {TEXTS[turn % IN_EACH].content}", session=session
        ),
        lambda: hx.knowledge.save("shared", f"the latest is {own}"),
        lambda: hx.prompt(
            "You help.", QUESTIONS[turn % len(QUESTIONS)], session=session
        ),
        lambda: hx.observe(
            tool="deploy",
            args={"region": own},
            error="Error: no such region",
            session=session,
        ),
        lambda: hx.observe(
            tool="deploy", args={"region": "eu"}, result="done", session=session
        ),
        lambda: hx.references.save(
            f"page {turn % 7}", location="https://example.com", summary=f"about {own}"
        ),
        lambda: other.knowledge.save(
            own, f"note {own}", category="rule", pinned=turn % 9 == 0
        ),
        lambda: other.retrieve(QUESTIONS[turn % len(QUESTIONS)]),
        lambda: (
            hx.knowledge.delete(own)
            if turn % 4 == 0
            else hx.knowledge.history("shared")
        ),
        lambda: (
            hx.knowledge.forget("shared")
            if turn % 40 == 39
            else hx.knowledge.get("shared")
        ),
    )


def fill_tenants(
    number: int, queue: Any, url: str, tenants: int, processes: int
) -> None:
    """Give every tenant its entries, one transaction each."""
    rows = [knowledge(text.key, text.content) for text in TEXTS]
    batch = [Entry(row, document_of(row)) for row in rows]
    with Hexad.open(url, enabled=True, semantic=False) as hx:
        for tenant in range(number, tenants, processes):
            with hx.store.transaction(f"tenant-{tenant}") as unit:
                unit.put(batch)
    queue.put(None)


def ask_and_save(
    number: int, queue: Any, url: str, tenants: int, clients: int, each: int
) -> None:
    """Some clients of this process: nine questions for each save, each of another
    tenant. Report seconds and errors.

    A machine that is busy with other work may need longer than a layer's usual
    deadline.
    """
    seconds: list[float] = []
    errors: list[str] = []
    with Hexad.open(
        f"{url}&pool={clients}", enabled=True, semantic=False, layer_deadline=60.0
    ) as hx:

        def talk(client: int) -> None:
            chance = Random(number * 1000 + client)  # noqa: S311
            for turn in range(each):
                own = hx.scoped(namespace=f"tenant-{chance.randrange(tenants)}")
                started = time.perf_counter()
                try:
                    if turn % 10:
                        assert not own.retrieve(chance.choice(QUESTIONS)).failures
                    else:
                        own.knowledge.save(
                            f"{number}-{client}-{turn}",
                            "said in the load, a sentence of some words",
                        )
                except (HexadError, AssertionError) as error:
                    errors.append(repr(error))
                seconds.append(time.perf_counter() - started)

        threads = [
            threading.Thread(target=talk, args=(client,)) for client in range(clients)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    queue.put((seconds, errors))
