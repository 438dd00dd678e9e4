"""Damaged databases: the check finds what would give a wrong answer, and the repair
rebuilds what can be rebuilt.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from hexad.clock import utc_now
from hexad.errors import HexadError, StoreDamaged
from hexad.memory.index.indexing import all_namespaces
from hexad.model import Association, Layer
from tests.support import opened, requirement

if TYPE_CHECKING:
    from hexad import Hexad

TOPICS = [
    "deploy",
    "release",
    "lunch",
    "budget",
    "printer",
    "parking",
    "garden",
    "piano",
]
PLACES = ["Berlin", "Oslo", "Quito", "Dakar", "Lima"]
QUESTIONS = [
    *TOPICS[:4],
    "the rule about release in Oslo",
    "piano lessons in Dakar",
    "why does the printer fail",
]
ENTRIES = Layer.USER_KNOWLEDGE
pytestmark = requirement("SAFE-05")


def letters(texts: list[str]) -> Any:
    """An embedder that counts letters."""
    return np.array(
        [
            [text.lower().count(letter) + 0.1 for letter in "abcdefghijklmnop"]
            for text in texts
        ],
        np.float32,
    )


def engine(path: Path) -> Hexad:
    hx = opened(
        path,
        semantic=True,
        embedder=letters,
        embedder_name="letters",
        standing_budget=400,
    )
    assert hx.ready(60)
    return hx


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "agent.db"
    with engine(path) as hx:
        for topic in TOPICS:
            for place in PLACES:
                category = "rule" if place == "Oslo" else "fact"
                hx.knowledge.save(
                    f"{topic}-{place}",
                    f"About {topic} in {place}: do not be late",
                    category=category,
                )
            hx.references.save(
                topic,
                location=f"https://wiki.example.com/{topic}",
                summary=f"All about {topic}",
            )
            hx.learnings.save(
                trigger=f"tool:{topic}",
                error_pattern=f"{topic} is not ready",
                fix="do not try again",
            )
            hx.skills.create(
                topic,
                kind="instruction",
                description=f"How to {topic}",
                definition={"text": topic},
            )
            hx.skills.activate(topic)
        for topic in TOPICS[:3]:
            hx.knowledge.save(f"{topic}-Oslo", f"In Oslo {topic} is on Tuesdays only")
        hx.knowledge.delete("piano-Quito")
        hx.scoped(namespace="other").knowledge.save(
            "deploy", "Another tenant deploys on Fridays"
        )
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "agent.db"))


def answers(hx: Hexad) -> list[object]:
    """What an agent and a person see of the database."""
    found = [hx.turn(question) for question in QUESTIONS]
    if failures := [each.failures for each in found if each.failures]:
        raise StoreDamaged(hx.store.location, str(failures))
    said = [
        [
            (item.layer, item.key, item.content, item.origin)
            for item in (*each.standing, *each.all())
        ]
        for each in found
    ]
    listed = [
        (
            entry.key,
            entry.content,
            [each.content for each in hx.knowledge.history(entry.key)[:1]],
        )
        for entry in hx.knowledge.list()
    ]
    fixes = [hx.learnings.fix_for(topic, f"{topic} is not ready") for topic in TOPICS]
    others = [(each.name, each.location, each.summary) for each in hx.references.list()]
    skills = [(each.name, each.status, each.definition) for each in hx.skills.list()]
    return [said, sorted(listed), fixes, others, skills]


def is_whole(path: Path) -> bool:
    with engine(path) as hx:
        inside = hx.store.wrapped.inspect()["integrity"] == "ok"  # type: ignore[attr-defined]
        chains = all(
            hx.scoped(namespace=each).audit.verify().ok
            for each in all_namespaces(hx.store)
        )
        return inside and chains and not hx.check()


DAMAGE = {
    "emptied postings": "DELETE FROM hexad_posting",
    "a lost posting": "DELETE FROM hexad_posting WHERE term = (SELECT min(term) FROM hexad_posting) AND number < 99",
    "emptied fresh rows": "DELETE FROM hexad_fresh",
    "a wrong weight": "UPDATE hexad_posting SET weight = weight + 7 WHERE number < 40",
    "a wrong count": "UPDATE hexad_posting SET weight = weight + 1 WHERE number >= 4611686018427387904",
    "an unknown layer": "UPDATE hexad_scope SET layer = 'skills?' WHERE layer = 'skill_patterns'",
    "a wrong number of rows": "UPDATE hexad_scope SET rows = rows + 5",
    "changed content": "UPDATE hexad_knowledge SET content = 'Deploy on Sundays' WHERE key = 'deploy-Oslo'",
    "changed small words": "UPDATE hexad_knowledge SET content = replace(content, 'do not', 'do now')",
    "a changed version": "UPDATE hexad_knowledge_version SET content = 'never said' WHERE key = 'lunch-Oslo'",
    "a changed category": "UPDATE hexad_knowledge SET category = 'definition' WHERE key = 'lunch-Oslo'",
    "a lost row": "DELETE FROM hexad_knowledge WHERE key = 'garden-Oslo'",
    "lost versions": "DELETE FROM hexad_knowledge_version WHERE key = 'garden-Oslo'",
    "a lost older version": "DELETE FROM hexad_knowledge_version WHERE key = 'deploy-Oslo' AND version = 1",
    "a rule that no longer stands": "UPDATE hexad_knowledge SET standing = 0 WHERE key = 'piano-Oslo'",
    "an unknown category": "UPDATE hexad_knowledge SET category = '?' WHERE key = 'deploy-Oslo'",
    "unreadable words": "UPDATE hexad_knowledge SET words = 'x' WHERE key = 'deploy-Oslo'",
    "other words": "UPDATE hexad_reference SET words = (SELECT words FROM hexad_reference LIMIT 1)",
    "other vectors": "UPDATE hexad_vector SET vector = zeroblob(length(vector)) WHERE number = 3",
    "vectors of nothing": "UPDATE hexad_vector SET number = number + 100000 WHERE number = 3",
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_what_gives_wrong_answers_is_found_and_rebuilt(
    whole: Path, path: Path, damage: str
) -> None:
    assert is_whole(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(damage).rowcount
        connection.commit()
    assert not is_whole(path)
    with engine(path) as hx:
        assert all("could not be read" in each.detail for each in hx.check(repair=True))
    assert is_whole(path)
    with engine(whole) as before, engine(path) as after:
        assert answers(after) == answers(before)


def test_older_versions_that_were_forgotten_are_not_missed(path: Path) -> None:
    with engine(path) as hx:
        for session, text in (("a", "one"), ("b", "two"), ("c", "three")):
            hx.knowledge.save("said", text, session=session)
        hx.forget(session="b")
        assert [each.content for each in hx.knowledge.history("said")] == [
            "three",
            "one",
        ]
    assert is_whole(path)


def test_the_repair_says_what_it_cannot_mend(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            'UPDATE hexad_skill_definition SET definition = \'{"text": "other"}\' WHERE number = 1'
        )
        connection.commit()
    with engine(path) as hx:
        [left] = hx.check(repair=True)
    assert left.detail == "1 are not what was approved: 'deploy'"
    assert "activate" in left.advice


UNREADABLE = {
    "reference": "UPDATE hexad_reference SET tags = '{' WHERE name = 'lunch'",
    "learning": "UPDATE hexad_learning SET category = '?' WHERE \"trigger\" = 'tool:lunch'",
    "skill": "UPDATE hexad_skill SET tags = '{' WHERE name = 'lunch'",
    "skill without a definition": "DELETE FROM hexad_skill_definition WHERE number = 3",
    "skill version": "UPDATE hexad_skill_version SET definition = '{'",
    "version": "UPDATE hexad_knowledge_version SET category = '?' WHERE key = 'deploy-Oslo' AND version = 1",
    "entry and its version": "UPDATE hexad_knowledge SET tags = 7 WHERE key = 'lunch-Lima'; "
    "DELETE FROM hexad_knowledge_version WHERE key = 'lunch-Lima'",
    "entry with versions": "UPDATE hexad_knowledge SET tags = '{' WHERE key = 'lunch-Oslo'",
    "association": "UPDATE hexad_association SET used = 'x'",
    "association of no layer": "UPDATE hexad_association SET layer = 'x'",
}


@pytest.mark.parametrize("damage", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_row_that_cannot_be_read_is_set_aside_and_everything_else_can_be_backed_up(
    path: Path, damage: str
) -> None:
    with engine(path) as hx:
        new = {"text": "wait for Tuesday"}
        hx.skills.create(
            "deploy", kind="instruction", description="How to deploy", definition=new
        )
        with hx.store.transaction(hx.namespace) as unit:
            word = Association(
                id="deploy-Oslo",
                term="ship",
                weight=1.0,
                session="s",
                used=utc_now(),
                layer=ENTRIES,
            )
            unit.associate(ENTRIES, "deploy-Oslo", [word])
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(damage)
        connection.commit()
    aside = Path(f"{path}-unreadable.jsonl")
    with engine(path) as hx:
        [found] = hx.check()
        assert "cannot be read" in found.detail
        moved = hx.check(repair=True)
        assert moved
        assert all(str(aside) in each.detail for each in moved)
        assert len(aside.read_text().splitlines()) == len(moved)
        assert aside.stat().st_mode & 0o077 == 0
        assert hx.backup(path.parent / "saved.jsonl") > len(TOPICS) * len(PLACES)
        hx.skills.create(
            "lunch-2",
            kind="instruction",
            description="How to lunch",
            definition={"text": "eat"},
        )
    assert is_whole(path)


def flip(made: random.Random, path: Path) -> None:
    """Some bytes in a row become others."""
    content = bytearray(path.read_bytes())
    start, size = made.randrange(100, len(content)), made.choice([1, 1, 4, 64])
    content[start : start + size] = made.randbytes(len(content[start : start + size]))
    path.write_bytes(content)


def lose(made: random.Random, path: Path) -> None:
    """A page, or the end of the file, is not written."""
    content = bytearray(path.read_bytes())
    start = made.randrange(1, len(content) // 4096) * 4096
    content[start : start + 4096] = bytes(4096)
    path.write_bytes(content if made.random() < 0.7 else content[:start])


def swap(made: random.Random, path: Path) -> None:
    """Two pages are written to each other's places."""
    content = bytearray(path.read_bytes())
    one, other = (4096 * made.randrange(1, len(content) // 4096) for _ in range(2))
    content[one : one + 4096], content[other : other + 4096] = (
        content[other : other + 4096],
        content[one : one + 4096],
    )
    path.write_bytes(content)


TABLES = {
    "hexad_knowledge": "content", "hexad_knowledge_version": "content", "hexad_learning": "fix",
    "hexad_reference": "summary", "hexad_skill": "description", "hexad_skill_definition": "definition",
    "hexad_posting": "weight", "hexad_fresh": "words", "hexad_scope": "length", "hexad_vector": "vector",
}  # fmt: skip


KEYS = {
    "hexad_knowledge_version": "namespace, key, version",
    "hexad_posting": "term, number",
    "hexad_fresh": "scope, number",
    "hexad_vector": "meaning, stamp",
}


def alter(made: random.Random, path: Path) -> None:
    """A row is lost, or a letter or number in it is another one."""
    table, column = made.choice(list(TABLES.items()))
    place = KEYS.get(table, "rowid")
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(f"SELECT {column}, {place} FROM {table}").fetchall()  # noqa: S608
        value, *key = made.choice(rows)
        where = " AND ".join(f"{name} = ?" for name in place.split(", "))
        if made.random() < 0.5:
            connection.execute(f"DELETE FROM {table} WHERE {where}", key)  # noqa: S608
        else:
            connection.execute(
                f"UPDATE {table} SET {column} = ? WHERE {where}",  # noqa: S608
                [altered(made, value), *key],
            )
        connection.commit()


def altered(made: random.Random, value: Any) -> Any:
    if isinstance(value, int):
        return value + made.choice([-1, 1, 100])
    place = made.randrange(len(value))
    return (
        value[:place] + (b"!" if isinstance(value, bytes) else "x") + value[place + 1 :]
    )


WAYS = (flip, flip, flip, lose, swap, alter, alter)


@pytest.mark.parametrize("copies", [14, pytest.param(210, marks=pytest.mark.soak)])
def test_no_damaged_copy_gives_wrong_answers_in_silence(
    whole: Path, tmp_path: Path, copies: int
) -> None:
    with engine(whole) as hx:
        right = answers(hx)
    silent = []
    for number in range(copies):
        path = Path(shutil.copy(whole, tmp_path / f"{number}.db"))
        WAYS[number % len(WAYS)](random.Random(number), path)  # noqa: S311 - the same every time
        try:
            with engine(path) as hx:
                wrong = answers(hx) != right
            if wrong and is_whole(path):
                silent.append(number)
        except HexadError:
            pass
    assert silent == []
