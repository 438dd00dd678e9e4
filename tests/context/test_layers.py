"""A layer is known everywhere or nowhere: these tests name the place that was forgotten
when one is added.

Every table keyed by layer, by kind of record or by a record's name is found in the
source; each is complete, or is listed in `PARTIAL` with the reason why it speaks of
some only.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import hexad
from hexad import Hexad, Layer
from hexad.model import DEFAULT_LAYERS, RECORD_OF, RECORDS
from hexad_evals.data import EvalItem
from hexad_evals.loading import SAVERS
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(hexad.__file__).parent
FILES = {
    str(file.relative_to(SOURCE)): file.read_text(encoding="utf-8")
    for file in sorted(SOURCE.rglob("*.py"))
}
GIVEN = {Layer.TOOL_REGISTRY, Layer.RUNTIME_CONTEXT}  # by a provider, at each call
CLASSES = {record.__name__ for record in RECORDS}
NOUNS = {record.layer.noun for record in RECORDS}
PARTIAL = {
    "errors.py: knowledge, skill": "names commands that list these two",
    "answers.py: knowledge, skill": "names MCP's tools, which find these two",
    "rows.py: SKILL_PATTERNS, USER_KNOWLEDGE": "only these two keep earlier versions",
    "records.py: SKILL_PATTERNS, USER_KNOWLEDGE": "the same on PostgreSQL",
    "rows.py: AGENT_LEARNINGS, USER_KNOWLEDGE": "only these two have derived columns",
    "status.py: AGENT_LEARNINGS, SKILL_PATTERNS": "these two are listed, the others counted by a query",
    "verbs.py: AGENT_LEARNINGS, SKILL_PATTERNS": "the same over HTTP",
    "status.py: AGENT_LEARNINGS, SKILL_PATTERNS, USER_KNOWLEDGE": "the others are only counted",
}


def _member(node: ast.expr | None) -> str:
    """The meaning of a table's key: a layer, a kind of record, or a record's name."""
    match node:
        case ast.Attribute(value=ast.Name(id="Layer"), attr=name) if (
            name in Layer.__members__
        ):
            return name
        case ast.Attribute(value=inner, attr="value"):
            return _member(inner)
        case ast.Tuple(elts=[first, *_]):
            return _member(first)
        case ast.Name(id=name) if name in CLASSES:
            return name
        case ast.Constant(value=str(name)) if name in NOUNS | set(Layer):
            return name
    return ""


def _groups(tree: ast.AST) -> Iterator[set[str]]:
    """The members that each collection, each `Literal[…]` and each `match` of a module
    names.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Dict(keys=keys):
                yield {_member(key) for key in keys}
            case ast.Tuple(elts=values) | ast.List(elts=values) | ast.Set(elts=values):
                yield {_member(value) for value in values}
            case ast.Match(cases=cases):
                yield {
                    _member(each.pattern.cls)
                    for each in cases
                    if isinstance(each.pattern, ast.MatchClass)
                }


def _tables() -> Iterator[tuple[str, set[str]]]:
    for file, text in FILES.items():
        if file == "model.py":  # the layers themselves
            continue
        for found in _groups(ast.parse(text)):
            members = found - {""}
            if len(members) > 1:
                yield f"{Path(file).name}: {', '.join(sorted(members))}", members


@requirement("CTX-01")
def test_every_table_keyed_by_layer_or_by_kind_of_record_is_complete() -> None:
    stored = {layer.name for layer in RECORD_OF}
    complete = (
        set(Layer.__members__),
        stored,
        CLASSES,
        NOUNS,
        set(Layer),
        {layer.value for layer in RECORD_OF},
    )
    tables = list(_tables())
    assert len(tables) >= 5  # the search finds them
    assert {name for name, members in tables if members not in complete} == set(PARTIAL)


@requirement("CTX-01")
def test_every_match_over_records_ends_in_assert_never() -> None:
    for file, text in FILES.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Match):
                named = {
                    _member(each.pattern.cls)
                    for each in node.cases
                    if isinstance(each.pattern, ast.MatchClass)
                }
                assert len(named & CLASSES) < 2 or "assert_never" in ast.unparse(
                    node.cases[-1]
                ), file


@requirement("CTX-01")
def test_a_layer_is_given_by_a_provider_or_stored_and_then_searched_by_default() -> (
    None
):
    assert set(RECORD_OF) == set(Layer) - GIVEN == set(DEFAULT_LAYERS)
    for facts in (
        {each.heading for each in Layer},
        {each.noun for each in Layer},
        {each.code for each in Layer},
    ):
        assert len(facts) == len(Layer)


@requirement("STORE-04")
def test_every_sql_statement_over_several_kinds_of_record_is_over_all_of_them() -> None:
    tables = {f"hexad_{noun}" for noun in NOUNS}
    texts = [
        node
        for text in FILES.values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant)
    ]
    for statement in [node.value for node in texts if isinstance(node.value, str)]:
        named = {table for table in tables if re.search(rf"\b{table}\b", statement)}
        assert len(named) < 2 or named == tables, statement


@requirement("CTX-01")
def test_every_stored_layer_has_its_collection() -> None:
    hx = Hexad.open(":memory:", enabled=True)
    assert {each.layer for each in hx.collections.values()} == set(RECORD_OF)


@requirement("STORE-04")
@pytest.mark.parametrize("layer", RECORD_OF)
def test_a_record_of_every_kind_is_found_backed_up_restored_imported_and_forgotten(
    layer: Layer, tmp_path: Path
) -> None:
    with opened(tmp_path / "one.db") as hx:
        alone = hx.scoped(namespace="alone")  # a namespace with nothing but this kind
        SAVERS[layer](alone, EvalItem("marimba", "tune the marimba"), 0)
        assert [item.layer for item in alone.retrieve("marimba").all()] == [layer]
        hx.backup(tmp_path / "all.jsonl")
        alone.backup(tmp_path / "own.jsonl")
    with opened(tmp_path / "two.db") as restored:
        restored.restore(tmp_path / "all.jsonl")
        assert [
            item.layer
            for item in restored.scoped(namespace="alone").retrieve("marimba").all()
        ] == [layer]
    with opened(tmp_path / "three.db") as imported:
        assert imported.import_file(tmp_path / "own.jsonl").added == 1
        assert imported.forget(everything=True).entries == 1
