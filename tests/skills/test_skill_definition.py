"""Definitions: what does not fit its kind is rejected with the reason, before it is
stored; references are no code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexad.errors import InvalidInput
from hexad.model import SkillKind
from hexad.skills import definition as shapes
from hexad.skills.names import MAINS
from hexad.skills.placeholders import Unresolved, fill, references
from hexad_testing.strategies import json_values, texts
from tests.support import requirement

if TYPE_CHECKING:
    from hexad import Hexad
    from hexad.model import Json

STEP = {"tool": "t", "args": {}}
DEEP: Any = "x"
for _ in range(400):
    DEEP = [DEEP]


def steps(*given_: Any) -> dict[str, Any]:
    return {"steps": list(given_)}


@requirement("SKILL-02")
@pytest.mark.parametrize(
    ("kind", "definition", "message"),
    [
        ("composite", {}, "a composite skill needs 'steps'"),
        ("composite", steps(), "must be a list of 1 to 32 steps"),
        ("composite", {"steps": "t"}, "must be a list of 1 to 32 steps"),
        ("composite", steps(*[STEP] * 33), "must be a list of 1 to 32 steps"),
        ("composite", steps("t"), r"definition\.steps\.0: must be an object"),
        ("composite", steps({"args": {}}), r"steps\.0\.tool: must be the name"),
        ("composite", steps({"tool": " "}), r"steps\.0\.tool: must be the name"),
        (
            "composite",
            steps({"tool": "t", "args": []}),
            r"steps\.0\.args: must be an object",
        ),
        (
            "composite",
            steps({"tool": "t", "then": 1}),
            r"steps\.0\.then: is not known; a step has",
        ),
        (
            "composite",
            steps({"tool": "t", "save_as": "a.b"}),
            r"steps\.0\.save_as: must be a name",
        ),
        (
            "composite",
            steps({"tool": "t", "save_as": "p"}),
            r"'p' is taken by a parameter",
        ),
        (
            "composite",
            steps({**STEP, "save_as": "a"}, {**STEP, "save_as": "a"}),
            r"steps\.1\.save_as: 'a' is taken",
        ),
        (
            "composite",
            steps({"tool": "t", "args": {"a": "{{ q }}"}}),
            r"steps\.0\.args\.a: {{ q }} is neither",
        ),
        (
            "composite",
            steps({"tool": "t", "args": {"a": ["{{ s }}"]}}, {**STEP, "save_as": "s"}),
            "known here: p",
        ),
        (
            "composite",
            steps({"tool": "t", "args": {"a": "{{ p + 1 }}"}}),
            "is not a reference",
        ),
        (
            "composite",
            steps({"tool": "t", "args": {"a": "{{ p.__class__() }}"}}),
            "is not a reference",
        ),
        ("composite", steps({"tool": "t", "args": {"a": "{{"}}), "is not a reference"),
        (
            "composite",
            {**steps(STEP), "text": ""},
            "text: is not known; a composite skill has document, files, steps",
        ),
        ("script", {"text": "x"}, "a script skill needs 'script'"),
        ("script", {"script": " \n"}, "must be text that is not empty"),
        ("script", {"script": 7}, "must be text that is not empty"),
        ("script", {"script": "x", "shell": "fish"}, "must be one of sh, bash"),
        ("script", {"script": "x", "needs": "network"}, "must be a list of network"),
        ("script", {"script": "x", "needs": ["root"]}, "'root' is not one of network"),
        (
            "script",
            {"script": "x", "needs": ["write"], "writable": ["out"]},
            "must be a list of absolute folders",
        ),
        (
            "script",
            {"script": "x", "needs": ["write"], "writable": ["/"]},
            "without the root itself",
        ),
        (
            "script",
            {"script": "x", "needs": ["write"], "writable": ["/a/../b"]},
            "without ..",
        ),
        ("script", {"script": "x", "writable": ["/srv/out"]}, 'needs "write"'),
        ("template", {"template": "{{ a"}, "definition.template"),
        ("template", {"template": ""}, "must be text that is not empty"),
        ("instruction", {"text": None}, "definition.text: must be text"),
        ("instruction", {"text": "x", "steps": []}, "steps: is not known"),
        ("instruction", {"text": "x", "document": []}, "document: must be an object"),
        (
            "instruction",
            {"text": "x", "files": []},
            "must be an object with at most 256 files",
        ),
        ("instruction", {"text": "x", "files": {"a": "x"}}, r"files\.a: must be"),
        (
            "instruction",
            {"text": "x", "files": {"a": {}}},
            "exactly one of text and base64",
        ),
        (
            "instruction",
            {"text": "x", "files": {"a": {"text": "x", "base64": ""}}},
            "exactly one of text and base64",
        ),
        (
            "instruction",
            {"text": "x", "files": {"a": {"text": "x", "executable": 1}}},
            "executable is true or false",
        ),
        (
            "instruction",
            {"text": "x", "files": {"a": {"base64": "?"}}},
            "its base64 must be base64",
        ),
        (
            "instruction",
            {"text": "x", "files": {"a": {"text": 7}}},
            "its text must be text",
        ),
        (
            "instruction",
            {"text": "x", "files": {"a": {"text": ""}, "a/b": {"text": ""}}},
            "is a file itself",
        ),
        ("composite", steps({"tool": "t", "args": {"a": DEEP}}), "nested more than"),
    ],
)
def test_a_definition_that_does_not_fit_its_kind_is_refused_with_the_reason(
    hx: Hexad, kind: str, definition: dict[str, Any], message: str
) -> None:
    schema: dict[str, Json] = {"properties": {"p": {}}}
    with pytest.raises(InvalidInput, match=message):
        hx.skills.create(
            "s", kind=kind, description="d", definition=definition, parameters=schema
        )
    assert hx.skills.list() == ()
    assert hx.audit.records() == ()


@requirement("SKILL-02")
@pytest.mark.parametrize(
    "path",
    [
        "/a",
        "../a",
        "a/../b",
        "a//b",
        "./a",
        "a\\b",
        "a\nb",
        "",
        "a" * 241,
        "ä" * 128,
        "a/",
    ],
)
def test_a_file_that_would_leave_its_folder_is_refused(hx: Hexad, path: str) -> None:
    with pytest.raises(InvalidInput, match=r"definition\.files"):
        hx.skills.create(
            "s",
            kind="instruction",
            description="d",
            definition={"text": "x", "files": {path: {"text": "x"}}},
        )


@requirement("SKILL-02")
@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "LD_PRELOAD",
        "IFS",
        "BASH_ENV",
        "a-b",
        "1a",
        "PYTHONPATH",
        "PS4",
        "LANG",
        "GIT_BRANCH",
    ],
)
def test_a_parameter_that_would_steer_the_shell_is_refused(
    hx: Hexad, name: str
) -> None:
    schema: dict[str, Json] = {"properties": {name: {"type": "string"}}}
    with pytest.raises(InvalidInput, match=f"parameters.{name}"):
        hx.skills.create(
            "s",
            kind="script",
            description="d",
            definition={"script": "true"},
            parameters=schema,
        )
    for more in (True, {}, {"type": "string"}):
        open_ended: dict[str, Json] = {"additionalProperties": more}
        with pytest.raises(InvalidInput, match="additionalProperties"):
            hx.skills.create(
                "s",
                kind="script",
                description="d",
                definition={"script": "true"},
                parameters=open_ended,
            )


@requirement("SKILL-02")
def test_what_fits_is_stored_as_it_was_given(hx: Hexad) -> None:
    given_: list[tuple[str, dict[str, Any]]] = [
        (
            "composite",
            steps(
                {"tool": "t", "args": {"a": r"\{{ not one"}, "save_as": "x"},
                {"tool": "t"},
            ),
        ),
        (
            "script",
            {
                "script": "true",
                "shell": "bash",
                "needs": ["write"],
                "writable": ["/srv/out"],
            },
        ),
        (
            "template",
            {
                "template": "Hello {{ name }}",
                "files": {"a/b.txt": {"text": "x", "executable": True}},
            },
        ),
        (
            "instruction",
            {
                "text": "x",
                "files": {"a": {"base64": "AAE="}},
                "document": {"license": "MIT"},
            },
        ),
    ]
    for kind, definition in given_:
        assert (
            hx.skills.create(
                kind, kind=kind, description="d", definition=definition
            ).definition
            == definition
        )


# --- references ---------------------------------------------------------------------------------------------------


@requirement("SKILL-04")
def test_a_string_that_is_one_reference_keeps_the_type_and_one_inside_a_text_does_not() -> (
    None
):
    known = {"a": {"b": [1, {"c": None}]}, "t": "text", "n": 1.5}
    assert fill("{{ a.b }}", known) == [1, {"c": None}]
    assert fill("{{a.b.1.c}}", known) is None
    assert fill(["{{ n }}", {"k": "{{ t }}"}], known) == [1.5, {"k": "text"}]
    assert fill("<{{ t }}> {{ a.b }} {{ n }}", known) == '<text> [1, {"c": null}] 1.5'
    assert fill(7, known) == 7


@requirement("SKILL-04")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ b }}", "there is no 'b'"),
        ("{{ a.x }}", "has no 'x'; it has k"),
        ("{{ a.k.2 }}", "is a list of 2 and has no place '2'"),
        ("{{ a.k.-1 }}", "has no place '-1'"),
        ("{{ a.k.99999999999999999999 }}", "has no place"),
        ("{{ o.secret }}", "is a object and has nothing inside"),
        ("{{ a.k.0.real }}", "is a int and has nothing inside"),
        ("x {{ o }}", "cannot stand inside a text"),
    ],
)
def test_a_reference_that_leads_nowhere_says_how_far_it_came(
    text: str, message: str
) -> None:
    with pytest.raises(Unresolved, match=message):
        fill(text, {"a": {"k": [1, 2]}, "o": object()})


@requirement("SKILL-04")
@given(value=json_values)
def test_a_whole_reference_is_the_value_itself(value: Json) -> None:
    assert fill("{{ x }}", {"x": value}) == value
    assert fill({"a": ["{{ x.y }}"]}, {"x": {"y": value}}) == {"a": [value]}


@requirement("SKILL-04")
@given(text=texts, before=st.sampled_from(["", "{", "{{", "\\", "\\{{", "{{ x }}"]))
def test_any_text_can_be_written_so_that_it_stands_for_itself(
    text: str, before: str
) -> None:
    wanted = before + text
    escaped = wanted.replace("{{", r"\{{")
    assert list(references(escaped)) == []
    assert fill(escaped, {"x": "!"}) == wanted


@requirement("SKILL-04")
@given(text=st.text(alphabet="{} ax._(1)[]'\\|+", max_size=30))
def test_no_text_evaluates_anything(text: str) -> None:
    """Any text between braces: text, the value that was given, or a refusal."""

    class Trap:
        def __getattr__(self, name: str) -> object:
            raise AssertionError(f"reached for {name}")

    trap = Trap()
    try:
        list(references(text))
        filled = fill(text, {"a": trap, "x": {"a": 1}})
    except Unresolved:
        return
    assert filled is trap or isinstance(filled, str | int | dict)


@requirement("SKILL-04")
def test_a_plan_shows_what_is_known_and_leaves_the_rest() -> None:
    known = {"who": "Ada"}
    assert fill(
        ["{{ who }}", "{{ later.x }}", "{{ who }} of {{ later.0 }}"], known, partly=True
    ) == [
        "Ada",
        "{{ later.x }}",
        "Ada of {{ later.0 }}",
    ]


@requirement("SKILL-02")
def test_every_kind_of_skill_has_its_fields_and_its_file_in_a_folder() -> None:
    """The tables that are keyed by kind; `match` statements over kinds are checked by
    mypy.
    """
    assert set(shapes.BODIES) == set(SkillKind)
    assert set(MAINS) == set(SkillKind) - {SkillKind.INSTRUCTION}


@requirement("SKILL-02")
def test_a_python_program_is_not_taken_for_a_shell_script(hx: Hexad) -> None:
    for program in ("import sys\nprint(sys.argv)", "def main():\n    pass\n"):
        with pytest.raises(
            InvalidInput,
            match=r"is Python, but scripts run in sh or bash; put it between python3",
        ):
            hx.skills.create(
                "say",
                kind="script",
                description="Say it",
                definition={"script": program},
            )
    for script in ("ls", "x=1", "echo hello", "python3 - <<'END'\nimport sys\nEND"):
        hx.skills.create(
            "say", kind="script", description="Say it", definition={"script": script}
        )
