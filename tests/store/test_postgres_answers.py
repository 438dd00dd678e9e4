"""SQLite and PostgreSQL, filled alike, give the same answers: order, scores and
reasons.
"""

from __future__ import annotations

import random
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hexad import json_form
from hexad.memory.index.indexing import document_of
from hexad.model import Layer
from hexad.store import Embedded, Entry, Question
from hexad.text.document import facet
from hexad_testing.nouns import MOMENT, knowledge, learning, reference
from tests.store.postgres import drop_schema, new_schema
from tests.support import FixedClock, opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hexad import Hexad

WORDS = ["deploy", "window", "tuesday", "server", "password", "rotate", "backup"]
WORDS += ["invoice", "tea", "anna", "report", "timeout", "region", "error"]
QUESTIONS = (
    "when do we deploy?",
    "rotate the server password",
    "tea for anna",
    "timeout error in the region report",
)
clock = FixedClock()
_namespaces = (f"pair {number}" for number in count())


def embed(texts: Sequence[str]) -> Any:
    """A vector that distinguishes words, and knows that some are near each other."""
    vectors = np.zeros((len(texts), len(WORDS)), dtype=np.float32)
    for row, text in enumerate(texts):
        for place, word in enumerate(WORDS):
            if word in text.lower():
                vectors[row, place] += 1
                vectors[row, (place + 1) % len(WORDS)] += 0.4
    return vectors + 0.01


embed.name = "test words"  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hexad, Hexad]]:
    """An engine on each store."""
    url, file = new_schema(), tmp_path_factory.mktemp("answers") / "agent.db"
    with ExitStack() as stack:
        common = {
            "embedder": embed,
            "semantic": True,
            "max_knowledge": 10_000,
            "max_learnings": 10_000,
        }
        engines = [
            stack.enter_context(opened(place, clock=clock, **common))
            for place in (file, url)
        ]
        yield engines[0], engines[1]
    drop_schema(url)


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
entries = st.fixed_dictionaries(
    {"content": texts},
    optional={
        "category": st.sampled_from(["rule", "fact", "preference"]),
        "pinned": st.booleans(),
        "subject": st.sampled_from(["anna", "server"]),
        "thread": st.sampled_from(["t", "u"]),
        "position": st.integers(0, 5),
        "relevance": st.sampled_from([0.2, 0.5, 1.0]),
        "origin": st.sampled_from(["user", "agent"]),
        "expires": st.sampled_from(
            [MOMENT + timedelta(days=1), MOMENT - timedelta(days=1)]
        ),
        "tags": st.lists(st.sampled_from(WORDS), max_size=2),
    },
)
saves = st.tuples(st.just("save"), st.sampled_from("abcdefgh"), entries)
steps = st.one_of(
    saves,
    st.tuples(st.just("delete"), st.sampled_from("abcdefgh"), st.none()),
    st.tuples(st.just("refer"), st.sampled_from("xyz"), texts),
    st.tuples(st.just("learn"), st.sampled_from("pqr"), texts),
    st.tuples(st.just("fail"), st.sampled_from(["deploy", "mail"]), texts),
    st.tuples(st.just("work"), st.sampled_from(["deploy", "mail"]), st.none()),
    st.tuples(st.just("skill"), st.sampled_from("mn"), texts),
    st.tuples(st.just("ask"), st.sampled_from(QUESTIONS), st.none()),
    st.tuples(st.just("forget"), st.sampled_from("abc"), st.none()),
)


def do(hx: Hexad, kind: str, name: str, given: Any) -> None:  # noqa: C901 - one case a kind
    match kind:
        case "save":
            hx.knowledge.save(name, **given)
        case "delete" if any(entry.key == name for entry in hx.knowledge.list()):
            hx.knowledge.delete(name)
        case "refer":
            hx.references.save(
                name, location=f"https://example.com/{name}", summary=given
            )
        case "learn":
            hx.learnings.save(
                trigger=f"tool:{name}",
                error_pattern=f"{given} failed",
                fix=f"{given} again",
            )
        case "fail":
            hx.observe(
                tool=name, error=f"Error: {given}", args={"a": given}, session="s"
            )
        case "work":
            hx.observe(tool=name, result="done", args={"a": 1}, session="s")
        case "skill":
            if all(skill.name != name for skill in hx.skills.list()):
                definition = {"template": f"Do {given}."}
                hx.skills.create(
                    name,
                    description=f"How to {given}",
                    kind="template",
                    definition=definition,
                )
            hx.skills.activate(name)
        case "ask":
            found = hx.retrieve(name)
            for items in found.items.values():
                for item in items[:1]:
                    hx.used(item, name)
        case "forget" if any(entry.key == name for entry in hx.knowledge.list()):
            hx.knowledge.forget(name)


def answers(hx: Hexad) -> list[Any]:
    found: list[Any] = []
    for question in QUESTIONS:
        found.append(_without_ids(json_form.retrieval(hx.retrieve(question))))
        found.append(
            [
                json_form.item(item)
                for item in hx.knowledge.search(question, category="rule")
            ]
        )
        candidates = hx.explain(question).candidates
        found.append(
            [
                [(each.item.content, each.verdict) for each in judged]
                for judged in candidates.values()
            ]
        )
    return found


def _without_ids(shape: Any) -> Any:
    """Learnings have random ids."""
    for item in shape["items"].get("agent_learnings", ()):
        item["id"] = ""
        item["key"] = ""
    return shape


@requirement("PG-01")
@settings(max_examples=12)
@given(
    st.lists(saves, min_size=2, max_size=6), st.lists(steps, min_size=3, max_size=14)
)
def test_any_history_gives_the_same_answers_on_both(
    both: tuple[Hexad, Hexad], saved: list[Any], others: list[Any]
) -> None:
    namespace, history = next(_namespaces), [*saved, *others]
    found = []
    for each in both:
        hx, clock.now = each.scoped(namespace=namespace), MOMENT
        for step in history:
            do(hx, *step)
            clock.advance(seconds=1)
        found.append(answers(hx))
        assert hx.audit.verify().ok
    assert found[0] == found[1]


def fill(hx: Hexad, namespace: str) -> None:
    """So many rows that terms are common, blocks are full and some rows have been
    changed and removed since.
    """
    chance = random.Random(7)  # noqa: S311
    store = hx._engine.workspace.store
    records: list[Any] = []
    for number in range(1000):
        text = " ".join(chance.choices(WORDS, k=chance.randint(1, 9)))
        at = MOMENT + timedelta(minutes=number)
        fields: dict[str, Any] = {
            "updated": at,
            "category": chance.choice(["rule", "fact"]),
        }
        if number % 5 == 0:
            fields |= {"thread": f"t{number % 3}", "position": number // 15}
        if number % 17 == 0:
            fields |= {"expires": MOMENT + timedelta(days=chance.choice([-1, 400]))}
        records.append(knowledge(f"k{number}", f"{text} note {number}", **fields))
        if number % 9 == 0:
            records += [
                reference(f"r{number}", summary=text),
                learning(f"l{number}", fix=text, error_pattern=text),
            ]
    with store.transaction(namespace) as unit:
        unit.put([_entry(record) for record in records])
        unit.scrub()
    with store.transaction(namespace) as unit:
        for record in records[::11]:
            unit.put([_entry(replace(record, updated=MOMENT + timedelta(days=3)))])
        for record in records[5::13]:
            unit.remove(record.layer, record.id)
        for number in range(0, 1000, 23):
            unit.put(
                [_entry(knowledge(f"k{number}", " ".join(chance.choices(WORDS, k=4))))]
            )


def _entry(record: Any) -> Entry:
    vector = np.asarray(embed([record.fields().body])[0], dtype=np.float32)
    return Entry(record, document_of(record), Embedded("test words", vector.tobytes()))


@requirement("PG-01")
def test_thousands_of_rows_give_the_same_evidence_and_answers_on_both(
    both: tuple[Hexad, Hexad],
) -> None:
    found = []
    for each in both:
        clock.now = MOMENT + timedelta(days=4)
        fill(each, "many")
        found.append((_evidence(each), answers(each.scoped(namespace="many"))))
        assert len(found[-1][1][0]["items"]["user_knowledge"]) >= 3
    assert found[0] == found[1]


def _evidence(hx: Hexad) -> list[Any]:
    """The content of the index, by the order of rows instead of their numbers, which
    each store gives as it likes.
    """
    found: list[Any] = []
    with hx._engine.workspace.store.reading("many") as view:
        rules = (facet("category", "rule"),)
        for terms, facets in (
            (WORDS, ()),
            ([*WORDS[:2], "note"], ()),
            (WORDS[:3], rules),
            (["7", "note"], rules),
        ):
            question = Question(
                layers=list(Layer)[2:],
                now=clock(),
                terms=terms,
                facets=facets,
                standing=5,
            )
            for layer, evidence in view.evidence(question).items():
                order = {
                    row.number: row.record.id
                    for row in view.fetch({layer: _numbers(evidence)})[layer]
                }
                postings = {
                    term: [
                        (order[posting[0]], *posting[1:])
                        for posting in sorted(rows, reverse=True)
                    ]
                    for term, rows in evidence.postings.items()
                }
                found.append((layer, evidence.statistics, postings, evidence.filtered))
    return found


def _numbers(evidence: Any) -> set[int]:
    return {
        posting[0] for postings in evidence.postings.values() for posting in postings
    }
