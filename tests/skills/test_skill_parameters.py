"""Parameters: a documented part of JSON Schema, checked when a skill is stored and
before it runs.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexad.errors import InvalidInput
from hexad.skills.parameters import DEEPEST, admit, check_schema
from hexad_testing.strategies import json_objects, json_values
from tests.support import requirement

if TYPE_CHECKING:
    from hexad.model import Json


def one(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": schema}, **more}


@requirement("SKILL-08")
@pytest.mark.parametrize(
    ("schema", "good", "bad", "message"),
    [
        ({"type": "string"}, "a", 7, "must be text, not 7"),
        ({"type": "integer"}, 3, 3.5, "must be a whole number, not 3.5"),
        ({"type": "integer"}, 3.0, True, "must be a whole number, not True"),
        ({"type": "number"}, 0.5, float("nan"), "must be a number"),
        ({"type": "boolean"}, False, 0, "must be true or false, not 0"),
        ({"type": "array"}, [], "a", "must be a list, not text"),
        ({"type": "object"}, {}, [], "must be an object, not a list"),
        ({"type": "null"}, None, 0, "must be null"),
        ({"type": ["string", "null"]}, None, 0, "must be text or null, not 0"),
        ({}, {"a": [None]}, object(), "is not a value of JSON"),
        ({"enum": ["a", 1]}, 1, True, "must be one of 'a', 1"),
        ({"const": [1, {"a": True}]}, [1, {"a": True}], [1, {"a": 1}], "must be"),
        ({"minimum": 2}, 2, 1, "must be at least 2, not 1"),
        ({"maximum": 2}, 2, 3, "must be at most 2, not 3"),
        ({"exclusiveMinimum": 2}, 3, 2, "must be above 2"),
        ({"exclusiveMaximum": 2}, 1, 2, "must be below 2"),
        ({"minLength": 2}, "ab", "a", "must have at least 2 characters, not 1"),
        ({"maxLength": 2}, "ab", "abc", "must have at most 2 characters"),
        ({"minItems": 1}, [0], [], "must have at least 1 items, not 0"),
        ({"maxItems": 1}, [0], [0, 0], "must have at most 1 items"),
        (
            {"anyOf": [{"type": "string"}, {"minimum": 5}]},
            5,
            4,
            "fits none of its forms: must be text, not 4; must be at",
        ),
    ],
)
def test_a_value_fits_its_schema_or_the_error_says_what_was_expected(
    schema: dict[str, Any], good: Any, bad: Any, message: str
) -> None:
    check_schema(one(schema))
    assert admit(one(schema), {"x": good}) == {"x": good}
    with pytest.raises(InvalidInput, match=re.escape(message)) as error:
        admit(one(schema), {"x": bad})
    assert error.value.field == "parameters.x"


@requirement("SKILL-08")
def test_an_error_names_the_place_however_deep_it_is() -> None:
    schema = one(
        {
            "type": "array",
            "items": {"properties": {"name": {"type": "string"}}, "required": ["name"]},
        }
    )
    with pytest.raises(InvalidInput, match=r"parameters\.x\.1\.name: must be text"):
        admit(schema, {"x": [{"name": "a"}, {"name": 2}]})
    with pytest.raises(InvalidInput, match=r"parameters\.x\.0\.name: is missing"):
        admit(schema, {"x": [{}]})


@requirement("SKILL-08")
def test_what_is_missing_or_unknown_is_named() -> None:
    schema = one({"type": "string", "description": "the city"}, required=["x"])
    with pytest.raises(InvalidInput, match=r"parameters\.x: is missing \(the city\)"):
        admit(schema, {})
    with pytest.raises(InvalidInput, match=r"parameters\.y: is not known; known are x"):
        admit(schema, {"x": "a", "y": 1})
    with pytest.raises(
        InvalidInput,
        match=r"parameters\.x: is missing \(the city\); 'y' was given, which is not known",
    ):
        admit(schema, {"y": 1})
    with pytest.raises(
        InvalidInput, match="is not known; the skill takes no parameters"
    ):
        admit({}, {"y": 1})
    for strange in ([], "x", None, {1: "a"}):
        with pytest.raises(InvalidInput, match="must be an object with names"):
            admit(schema, strange)


@requirement("SKILL-08")
def test_defaults_are_filled_in_and_belong_to_one_call() -> None:
    schema = one({"type": "array", "default": [1]}, required=["x"])
    first = admit(schema, {})
    assert first == {"x": [1]}
    first["x"].append(2)  # type: ignore[union-attr]
    assert admit(schema, {}) == {"x": [1]}
    inner = one({"properties": {"deep": {"default": "d"}}})
    assert admit(inner, {"x": {}}) == {"x": {"deep": "d"}}
    assert admit(
        one({"properties": {"deep": {"default": "d"}}, "default": {}}), {}
    ) == {"x": {"deep": "d"}}


@requirement("SKILL-08")
def test_a_whole_number_is_one_however_it_is_written() -> None:
    kinds: dict[type, list[Json]] = {
        int: ["integer", ["integer", "string"]],
        float: ["number", ["integer", "number"], ["number", "null"]],
    }
    for came, named in kinds.items():
        assert {
            type(admit(one({"type": kind}), {"x": 3.0})["x"]) for kind in named
        } == {came}


@requirement("SKILL-08")
@pytest.mark.parametrize(
    ("schema", "where"),
    [
        ({"type": "string"}, "parameters"),
        ({"type": "object", "properties": []}, "parameters.properties"),
        (one("string"), "parameters.x"),  # type: ignore[arg-type]
        (one({"type": "text"}), "parameters.x.type"),
        (one({"type": []}), "parameters.x.type"),
        (one({"format": "date"}), "parameters.x.format"),
        (one({"$ref": "#/a"}), "parameters.x.$ref"),
        (one({"oneOf": []}), "parameters.x.oneOf"),
        (one({"anyOf": []}), "parameters.x.anyOf"),
        (one({"anyOf": [{"what": 1}]}), "parameters.x.anyOf.0.what"),
        (one({"enum": []}), "parameters.x.enum"),
        (one({"minimum": "1"}), "parameters.x.minimum"),
        (one({"minLength": -1}), "parameters.x.minLength"),
        (one({"maxItems": True}), "parameters.x.maxItems"),
        (one({"items": []}), "parameters.x.items"),
        (one({"items": {"kind": 1}}), "parameters.x.items.kind"),
        (one({"additionalProperties": 1}), "parameters.x.additionalProperties"),
        (one({"pattern": "(a+)+$"}), "parameters.x.pattern"),
        (one({"type": "string", "default": 1}), "parameters.x.default"),
        (one({}, required=["y"]), "parameters.required"),
        (one({}, required="x"), "parameters.required"),
        ({"properties": {f"p{n}": {} for n in range(65)}}, "parameters"),
    ],
)
def test_a_schema_with_anything_that_would_not_be_checked_is_refused(
    schema: Any, where: str
) -> None:
    with pytest.raises(InvalidInput) as error:
        check_schema(schema)
    assert error.value.field == where


@requirement("SKILL-08")
def test_what_is_nested_too_deeply_is_refused_in_schema_and_value() -> None:
    schema: dict[str, Any] = {}
    value: Any = 1
    for _ in range(DEEPEST + 2):
        schema, value = {"items": schema}, [value]
    with pytest.raises(InvalidInput, match="nested more than"):
        check_schema(one(schema))
    with pytest.raises(InvalidInput, match="nested more than"):
        admit(one({}), {"x": value})


@requirement("SKILL-08")
@given(schema=json_objects, value=json_values)
def test_any_input_gets_a_value_or_one_clear_error(
    schema: dict[str, Json], value: Json
) -> None:
    with suppress(InvalidInput):
        check_schema({"properties": {"x": schema}})
        admit({"properties": {"x": schema}}, {"x": value})


@requirement("SKILL-08")
@given(value=json_values)
def test_without_rules_a_value_comes_through_as_it_is(value: Json) -> None:
    assert admit({"properties": {"x": {}}}, {"x": value}) == {"x": value}


@requirement("SKILL-08")
@given(low=st.integers(-5, 5), high=st.integers(-5, 5), value=st.integers(-9, 9))
def test_bounds_admit_exactly_what_is_between_them(
    low: int, high: int, value: int
) -> None:
    schema = one({"minimum": low, "exclusiveMaximum": high})
    if low <= value < high:
        assert admit(schema, {"x": value}) == {"x": value}
    else:
        with pytest.raises(InvalidInput):
            admit(schema, {"x": value})
