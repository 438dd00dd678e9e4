"""Every public call with something wrong: one clear error of Hexad's own, and nothing
half-written.
"""

from __future__ import annotations

import socket
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from hexad import Hexad
from hexad.errors import HexadError, InvalidInput
from tests.support import opened, requirement

if TYPE_CHECKING:
    from pathlib import Path


WRONG_KEYS = [
    None,
    7,
    b"key",
    "",
    "  ",
    "two\nlines",
    "nul\0",
    "\ud800",
    "x" * 257,
    ["key"],
    "tab\tkey",
    "a\u2028b",
]


@requirement("KNOW-09")
@pytest.mark.parametrize("key", WRONG_KEYS, ids=map(repr, range(len(WRONG_KEYS))))
def test_a_key_that_cannot_name_anything_is_an_error_everywhere(
    hx: Hexad, key: Any
) -> None:
    attempts: list[Any] = [
        lambda: hx.knowledge.save(
            "" if key is None else key, "text"
        ),  # without a key, the text makes one
        lambda: hx.knowledge.get(key),
        lambda: hx.knowledge.history(key),
        lambda: hx.knowledge.delete(key),
        lambda: hx.knowledge.forget(key),
        lambda: hx.knowledge.pin(key),
        lambda: hx.references.save(key, location="x"),
        lambda: hx.references.delete(key),
        lambda: hx.learnings.save(trigger=key),
        lambda: hx.learnings.get(key),
        lambda: hx.skills.create(
            key, kind="instruction", description="d", definition={"text": "t"}
        ),
        lambda: hx.skills.activate(key),
        lambda: hx.scoped(namespace="" if key is None else key),
    ]
    for attempt in attempts:
        with pytest.raises(InvalidInput):
            attempt()
    assert hx.audit.records() == ()


@requirement("KNOW-02", "KNOW-09")
@pytest.mark.parametrize(
    "wrong",
    [
        {"content": 7},
        {"content": b"bytes"},
        {"content": "   "},
        {"category": None},
        {"category": ["rule"]},
        {"tags": "abc"},
        {"tags": 7},
        {"tags": [7]},
        {"tags": [""]},
        {"tags": [f"t{number}" for number in range(65)]},
        {"source": 7},
        {"source": "a\0b"},
        {"origin": "god"},
        {"origin": None},
        {"session": 7},
        {"session": "a\nb"},
        {"subject": 7},
        {"thread": "a\0"},
        {"position": -1},
        {"position": 1.5},
        {"position": 2**60},
        {"pinned": "yes"},
        {"pinned": None},
        {"expires": "tomorrow"},
        {"expires": datetime(2030, 1, 1)},  # noqa: DTZ001 - without a zone, that is what is wrong
        {"relevance": 2},
        {"relevance": float("nan")},
        {"relevance": True},
        {"redact": "no"},
    ],
)
def test_a_field_of_the_wrong_kind_is_an_error_that_names_it(
    hx: Hexad, wrong: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        hx.knowledge.save("key", **{"content": "text", **wrong})
    assert hx.knowledge.list() == ()
    assert hx.audit.records() == ()


@requirement("KNOW-09")
@pytest.mark.parametrize(
    "wrong",
    [
        {"description": ""},
        {"definition": "text"},
        {"definition": {"x": object()}},
        {"definition": {"x": "\ud800"}},
        {"parameters": []},
        {"author": 7},
        {"kind": None},
    ],
)
def test_a_skill_that_cannot_be_kept_is_an_error(
    hx: Hexad, wrong: dict[str, Any]
) -> None:
    fields = {
        "kind": "instruction",
        "description": "d",
        "definition": {"text": "t"},
        **wrong,
    }
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        hx.skills.create("s", **fields)
    assert hx.skills.list() == ()


@requirement("KNOW-09")
@pytest.mark.parametrize(
    "wrong", [{"fix": 7}, {"error_pattern": "\0"}, {"category": "oops"}, {"tags": "x"}]
)
def test_a_learning_that_cannot_be_kept_is_an_error(
    hx: Hexad, wrong: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        hx.learnings.save(**{"trigger": "tool:x", **wrong})
    assert hx.learnings.list() == ()


@requirement("KNOW-09")
def test_a_json_bomb_is_an_error_not_a_crash(hx: Hexad) -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"x": deep}
    with pytest.raises(InvalidInput, match="metadata"):
        hx.references.save("r", location="x", metadata=deep)


@requirement("STORE-01")
def test_a_closed_engine_says_so_and_may_be_closed_again(tmp_path: Path) -> None:
    for place in (":memory:", tmp_path / "a.db"):
        hx = opened(place)
        hx.knowledge.save("a", "deploy")
        hx.prompt("", "deploy")
        hx.close()
        hx.close()
        with pytest.raises(HexadError, match="closed"):
            hx.knowledge.save("b", "text")
        assert len(hx.retrieve("deploy").failures) == 4


@requirement("STORE-02")
def test_closing_a_scope_leaves_the_engine_open(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as hx:
        with hx.scoped(namespace="acme") as acme:
            acme.knowledge.save("a", "text")
        assert hx.scoped(namespace="acme").knowledge.get("a").content == "text"


@requirement("STORE-05")
@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("198.51.100.7", 443)])
def test_the_guard_that_keeps_tests_on_this_machine_works(
    address: tuple[str, int],
) -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outside,
        pytest.raises(RuntimeError, match=address[0]),
    ):
        outside.connect(address)
    with pytest.raises(RuntimeError, match="example"):
        socket.getaddrinfo("example.com", 80)


@requirement("STORE-05")
def test_loopback_is_allowed() -> None:
    with socket.socket() as server, socket.socket() as client:
        server.bind(("127.0.0.1", 0))
        server.listen()
        client.connect(server.getsockname())


@requirement("CONF-01")
def test_an_address_that_no_store_knows_is_named_without_its_password() -> None:
    with pytest.raises(InvalidInput, match="mysql:// is not supported") as caught:
        Hexad.open("mysql://user:geheim@host/db", enabled=True)
    assert "geheim" not in str(caught.value)


@requirement("STORE-03")
@pytest.mark.parametrize("wrong", ["\ud800", "\0", 5, None, b"x"], ids=ascii)
def test_a_correction_with_a_wrong_trigger_or_pattern_is_an_error_of_ours(
    hx: Hexad, wrong: Any
) -> None:
    for given in (
        {"trigger": wrong},
        {"trigger": "tool:deploy", "error_pattern": wrong},
    ):
        with pytest.raises(InvalidInput):
            hx.learnings.correct(fix="wait", **given)


@requirement("SAFE-01")
@pytest.mark.parametrize("patience", ["long", float("nan"), float("inf"), -1, {}])
def test_a_patience_that_is_no_time_is_an_error_that_names_it(
    hx: Hexad, patience: Any
) -> None:
    with pytest.raises(InvalidInput, match="patience"):
        hx.observe(tool="weather", error="no such city", patience=patience)


@requirement("SAFE-01")
@pytest.mark.parametrize("id", [2**70, "\ud800", "a\0b"])
def test_an_id_that_no_store_takes_is_an_error_that_names_it(
    hx: Hexad, id: Any
) -> None:
    for asked in (hx.habits.of, hx.habits.reset):
        with pytest.raises(InvalidInput, match="id"):
            asked("user_knowledge", id)
