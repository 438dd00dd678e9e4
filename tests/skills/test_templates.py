"""Templates: what they write, what they miss, and that they reach nothing and take no
longer than they may.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import Environment

from hexad.errors import TemplateFailed
from hexad.skills.templates import (
    RenderLimits,
    inferred_parameters,
    parameters_of,
    problems,
    render,
)
from hexad.skills.templates.budget import Budget, Stop
from hexad.skills.templates.evaluating import Evaluator
from hexad.skills.templates.filters import FILTERS, TESTS
from hexad.skills.templates.language import parse
from tests.support import requirement

if TYPE_CHECKING:
    from hexad import Hexad

pytestmark = requirement("SKILL-07")
PAGE = (Path(__file__).parents[2] / "docs" / "sandbox.md").read_text(encoding="utf-8")
PATIENT = RenderLimits(
    seconds=600
)  # so that it is a count that ends a test, and not a busy machine
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=10,
)
VALUES: dict[str, Any] = {
    "name": "ada lovelace",
    "n": 3,
    "x": 2.5,
    "none": None,
    "words": ["pear", "Apple", "fig", "fig"],
    "people": [{"name": "Ada", "age": 36}, {"name": "Grace", "age": 85}],
    "nested": [{"a": {"b": 2}}, {"a": {"b": 1}}],
    "map": {"b": 2, "a": [1, {"deep": "yes"}]},
}


def failure(
    template: str, values: dict[str, Any] | None = None, limits: RenderLimits = PATIENT
) -> TemplateFailed:
    with pytest.raises(TemplateFailed) as caught:
        render(template, values or {}, limits=limits)
    return caught.value


# What is written


@pytest.mark.parametrize(
    "template",
    [
        "plain text, { braces } and 100 %\n",
        "{{ name }} {{ n + 1 }} {{ n * 2 - 1 }} {{ n / 2 }} {{ n % 2 }} {{ n ** 3 }} {{ -n }} {{ +x }}",
        "{{ name|upper }} {{ name|title }} {{ name|capitalize }} {{ 'A'|lower }} {{ '  x '|trim }} {{ name|length }}",
        "{{ name|replace('a', 'oo') }} {{ name|truncate(6, true) }} {{ name|truncate(9, end='!') }} {{ name|reverse }}",
        "{{ words|join(', ') }} {{ people|join('+', attribute='name') }} {{ words|first }} {{ words|last }}",
        "{{ words|sort|join }} {{ words|sort(reverse=true)|join }} {{ words|reverse|list }}",
        "{{ people|sort(attribute='age', reverse=true)|map(attribute='name')|join('/') }}",
        "{{ people|sum(attribute='age') }} {{ [1, 5, 2]|max }} {{ [1, 5, 2]|min }} {{ -3|abs }} {{ 2.567|round(2) }}",
        "{{ 2.9|round }} {{ '12'|int + 1 }} {{ 'x'|int(7) }} {{ '1.5'|float }}",
        "{% for one in words %}{{ loop.index }}/{{ loop.length }}:{{ one }}{% if not loop.last %}, {% endif %}{% endfor %}",
        "{% for k, v in map|items %}{{ k }}={{ v }};{% endfor %}{% for k, v in map|dictsort %}{{ k }}{% endfor %}",
        "{% for p in people if p.age > 40 %}{{ p.name }}{% else %}nobody{% endfor %}",
        "{% for p in [] %}{{ p }}{% else %}nobody{% endfor %}",
        "{% for i in range(2, 9, 3) %}{{ i }}{% if not loop.last %}<{{ loop.index0 }}{% endif %}{% endfor %}",
        "{% if n == 3 %}three{% elif n > 3 %}more{% else %}less{% endif %}{% if none %}x{% endif %}",
        "{% set total = n + 1 %}{{ total }}{% set a, b = [1, 2] %}{{ a ~ b ~ 'c' }}",
        "{% set i = 1 %}{% for w in words %}{% set i = i + 1 %}{% endfor %}{{ i }}",
        "{{ map.a[1].deep }} {{ map['b'] }} {{ words[0] }} {{ words[-1] }}",
        "{{ 'yes' if n in [1, 3] else 'no' }} {{ 'ad' in name }} {{ 4 not in [1] }} {{ 1 < n <= 3 }} {{ not n }}",
        "{{ missing|default('there') }} {{ missing|d }} {{ ''|default('empty', true) }} {{ map.zzz|default(1) }}",
        "{{ missing is defined }} {{ n is defined }} {{ missing is undefined }} {{ n is odd }} {{ n is even }}",
        "{{ n is divisibleby(3) }} {{ none is none }} {{ map is mapping }}",
        "{{ x is float }} {{ n is integer }} {{ n is number }} {{ name is string }} {{ words is sequence }} {{ n is iterable }}",
        "{{ true is true }} {{ false is false }} {{ true is boolean }} {{ 'a' is lower }} {{ 'A' is upper }}",
        "{{ '<b>'|e }} {{ 'a b/ü'|urlencode }} {{ n|string ~ 1 }} {{ none }} {{ true }} {{ [1, 'a'] }} {{ (1, 2)[0] }}",
        "{{ 'a\nb\n\nc'|indent }} {{ 'a\nb'|indent(2) }}",
        "{{ n and name }} {{ none or 'else' }} {{ [1] + [2] }} {{ 'ab' * 2 }} {{ 'a' + 'b' }}",
        "{{ people|map(attribute='name')|join(' ') }}",
        "{{ nested|sort(attribute='a.b')|join(',', attribute='a.b') }} {{ nested|map(attribute='a.b')|list }}",
        "{# a comment #}{% raw %}{{ not evaluated }}{% endraw %}{%- if true -%}  tight  {%- endif %}",
    ],
)  # fmt: skip
def test_a_template_writes_what_jinja_writes(template: str) -> None:
    theirs = Environment(keep_trailing_newline=True, autoescape=False).from_string(  # noqa: S701
        template
    )
    assert render(template, VALUES).replace("&#x27;", "&#39;") == theirs.render(VALUES)


def test_json_is_written_as_json() -> None:
    assert (
        render("{{ m|tojson }}", {"m": {"a": [1, None, "ü<"]}})
        == '{"a": [1, null, "ü<"]}'
    )
    assert render("{{ [1]|tojson(indent=1) }}", {}) == "[\n 1\n]"


@given(
    st.text(
        st.characters(exclude_characters="{}%#\r", exclude_categories=["Cs"]),
        max_size=200,
    ),
    st.sampled_from(["\n", "\r\n"]),
)
def test_text_without_expressions_stays_as_it_is(text: str, newline: str) -> None:
    text = text.replace("\n", newline)
    assert render(text, {}) == text


@given(_json)
@settings(max_examples=50)
def test_any_value_can_be_written_and_read_again(value: Any) -> None:
    assert json.loads(render("{{ value|tojson }}", {"value": value})) == value


# What is missing or wrong


@pytest.mark.parametrize(
    ("template", "missing", "line"),
    [
        ("Dear {{ name }}", "name", 1),
        ("\n\n{{ name|upper }}", "name", 3),
        ("{% for one in\nguests %}{% endfor %}", "guests", 2),
        ("{% if wanted %}{% endif %}", "wanted", 1),
        ("{{ here.gone }}", "gone", 1),
        ("{{ here['gone'].deeper }}", "gone", 1),
        ("{{ here ~ gone }}", "gone", 1),
        ("{{ gone + 1 }}", "gone", 1),
        ("{{ 1 == gone }}", "gone", 1),
    ],
)
def test_a_missing_parameter_is_an_error_that_names_it_and_its_line(
    template: str, missing: str, line: int
) -> None:
    failed = failure(template, {"here": {}})
    assert (failed.missing, failed.line) == (missing, line)
    assert repr(missing) in str(failed)


@pytest.mark.parametrize(
    ("template", "about"),
    [
        ("a\n{% if %}", "line 2: cannot be read"),
        ("{{ 'a }}", "line 1: cannot be read"),
        ("{% include 'x' %}", "`include`"),
        ("{% import 'x' as y %}", "`import`"),
        ("{% from 'x' import y %}", "`import`"),
        ("{% extends 'x' %}", "`extends`"),
        ("{% block b %}{% endblock %}", "`block`"),
        ("{% macro m() %}{% endmacro %}", "`macro`"),
        ("{% call f() %}{% endcall %}", "`call`"),
        ("{% filter upper %}{% endfilter %}", "`filter`"),
        ("{% set a %}x{% endset %}", "`set with a body`"),
        ("{% set a.b = 1 %}", "`namespace`"),
        ("{% for a in b recursive %}{% endfor %}", "recursive"),
        ("{{ a.items() }}", "calls a function"),
        ("{{ lipsum() }}", "calls a function"),
        ("{{ range(*a) }}", "spreads arguments"),
        ("{{ a|join(*b) }}", "spreads arguments"),
        ("{{ a|attr('b') }}", "the filter `attr`"),
        ("{{ a|pprint }}", "the filter `pprint`"),
        ("{{ a is callable }}", "the test `callable`"),
        (
            "\n{% autoescape true %}{% endautoescape %}",
            "line 2: uses `autoescape`, which templates do not have here",
        ),
        (
            "{{ a|map('upper')|join }}",
            "line 1: gives `map` other arguments than it takes: attribute=…",
        ),
        ("{{ a|map }}", "gives `map` other arguments"),
        ("{{ a|upper(1) }}", "gives `upper` other arguments than it takes: none"),
        (
            "{{ a|replace('b') }}",
            "gives `replace` other arguments than it takes: old, new",
        ),
        (
            "{{ a|join(between=1) }}",
            "gives `join` other arguments than it takes: d, attribute",
        ),
        ("{% with a = 1 %}{{ a }}{% endwith %}", "`with`"),
        ("{{ a[1:2] }}", "`a slice`"),
        ("{{ 3 // 2 }}", "`//`"),
        ("{{ {'a': 1} }}", "`a mapping in braces`"),
        (
            "{{ a|default(1, true, 2) }}",
            "gives `default` other arguments than it takes: default_value, boolean",
        ),
        (
            "{{ a is defined(1) }}",
            "gives `defined` other arguments than it takes: none",
        ),
        (
            "{{ a is divisibleby }}",
            "gives `divisibleby` other arguments than it takes: num",
        ),
        ("{{ a is default }}", "the test `default`"),
        ("{{ range(stop=3) }}", "calls a function"),
        ("{{ 1 }}" * 20_000, "characters, the limit is"),
        ("{{1}}" * 4_001, "places where something is put in"),
        ("{{ " + "[1, 2, 3]," * 3_000 + " }}", "parts; split it"),
        ("{{ " + "(" * 3000 + ")" * 3000 + " }}", "nested too deeply"),
    ],
)
def test_a_template_that_cannot_be_is_reported_when_it_is_stored_and_when_it_is_used(
    template: str, about: str
) -> None:
    (problem,) = problems(template)
    assert about in problem
    assert str(failure(template)) == problem


def test_a_template_that_can_be_has_no_problems_and_names_its_parameters() -> None:
    template = "{% set a = b %}{% for c in d|sort(attribute=e) %}{{ a ~ c ~ loop.index ~ range(f) }}{% endfor %}"
    assert problems(template) == ()
    assert parameters_of(template) == {"b", "d", "e", "f"}


@pytest.mark.parametrize(
    ("template", "needed"),
    [
        (
            "{% if x %}{% set y = 1 %}{% elif z %}{% set y = 2 %}{% else %}{% set y = 3 %}{% endif %}{{ y }}",
            "x z",
        ),
        (
            "{{ y }}{% set y = 1 %}{{ y }}{% set a, b = c %}{{ a ~ b }}{% set d = d %}",
            "y c d",
        ),
        (
            "{% for a in a if a > m %}{{ loop.index }}{% set z = a %}{{ z }}{% else %}{{ e }}{% endfor %}",
            "a m e",
        ),
        ("{{ " + " + ".join(["n"] * 2000) + " }}{{ range(k) }}", "n k"),
    ],
)
def test_the_parameters_of_a_template_are_the_names_that_it_reads_and_does_not_set(
    template: str, needed: str
) -> None:
    assert parameters_of(template) == set(needed.split())


@requirement("SAFE-01")
@pytest.mark.parametrize(
    "costly", ["3**(10**8)", "'a'*10**9", "[0]*10**9", "range(10**9)|list|length"]
)
def test_creating_a_template_evaluates_nothing_of_it(hx: Hexad, costly: str) -> None:
    definition = {"template": "{{ " + costly + " }} {{ who }}"}
    skill = hx.skills.create(
        "costly", kind="template", description="grows", definition=definition
    )
    assert list(skill.parameters["properties"]) == ["who"]


@pytest.mark.parametrize(
    "value", [object(), b"bytes", {"a": {1, 2}}, print, [[]] * 2 + [re]]
)
def test_only_data_gets_into_a_template(value: Any) -> None:
    assert "no JSON" in str(failure("{{ value }}", {"value": value}))


def test_a_value_that_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert "nested deeper" in str(failure("", {"a": endless}))


# What cannot be reached

_HOLDERS = [
    "name",
    "n",
    "none",
    "words",
    "map",
    "loop",
    "self",
    "range",
    "''",
    "[]",
    "(1).real",
    "range(3)",
    "true",
]
_ATTRIBUTES = [
    *(
        "__class__",
        "__init__",
        "__globals__",
        "__mro__",
        "__subclasses__",
        "__builtins__",
        "__dict__",
        "__doc__",
    ),
    *(
        "upper",
        "format",
        "format_map",
        "keys",
        "append",
        "real",
        "mro",
        "gi_frame",
        "func_globals",
        "environment",
    ),
]


@given(
    st.sampled_from(_HOLDERS),
    st.lists(st.sampled_from(_ATTRIBUTES), min_size=1, max_size=3),
    st.booleans(),
)
def test_no_expression_reaches_an_attribute(
    holder: str, attributes: list[str], dotted: bool
) -> None:
    path = "".join(f".{name}" if dotted else f"['{name}']" for name in attributes)
    failed = failure(
        f"{{% for one in [1] %}}{{{{ {holder}{path} }}}}{{% endfor %}}", VALUES
    )
    assert failed.missing in {attributes[0], "self", "range", "real"}


_expressions = st.recursive(
    st.sampled_from([*_HOLDERS[:4], "'a'", "2", "10", "-1", "1.5", "[1, [2]]", "map", "range(3)", "self", "open", "import"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "**", "%", "/", "~", "==", "<", "in", "and", "or"]), inner).map(
            lambda parts: f"({' '.join(parts)})"
        ),
        st.tuples(inner, st.sampled_from([*FILTERS, "default", "attr", "format", "map('upper')"])).map("|".join).map("({})".format),
        st.tuples(inner, st.sampled_from([*TESTS, "defined", "callable"])).map(" is ".join).map("({})".format),
        st.tuples(inner, st.sampled_from(_ATTRIBUTES)).map(".".join),
        st.tuples(inner, inner).map(lambda parts: f"{parts[0]}[{parts[1]}]"),
        inner.map("{}()".format),
        inner.map("(not {})".format),
    ),
    max_leaves=8,
)  # fmt: skip


@given(_expressions)
@settings(max_examples=400)
def test_any_expression_gives_text_or_fails_as_a_template(expression: str) -> None:
    try:
        text = render(f"{{{{ {expression} }}}}", VALUES, limits=PATIENT)
    except TemplateFailed as failed:
        text = str(failed).split("there are")[0]
    assert not re.search(
        r"<(class|function|built-in|module|bound|method|generator|slot|_io)", text
    )


@given(st.text("{}%#()[]'\"|.,:~+-*/ \nabcdefinorslt_0123456789", max_size=60))
@settings(max_examples=300)
def test_any_text_written_as_a_template_gives_text_or_fails_as_one(
    template: str,
) -> None:
    try:
        assert isinstance(render(template, VALUES, limits=PATIENT), str)
    except TemplateFailed:
        assert problems(template) or parameters_of(template) is not None


# What takes too much

HOSTILE = {
    "text times a number": "{{ 'a' * 10**9 }}",
    "a number times text": "{{ 10**9 * 'a' }}",
    "a list times a number": "{{ [1] * 10**9 }}",
    "a tower of powers": "{{ 9**9**9**9 }}",
    "a large power": "{{ 2**100000 }}",
    "a number squared again and again": "{% set a = 10**9 %}" + "{% set b = a * a %}{% set a = b * b %}" * 20,
    "a long range": "{% for i in range(10**9) %}{% endfor %}",
    "a range beyond all numbers": "{{ range(10**90) }}",
    "loops in loops": "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}",
    "text doubled": "{% set a = 'aaaaaaaa' %}" + "{% set a = a ~ a %}" * 30,
    "text doubled by adding": "{% set a = 'aaaaaaaa' %}" + "{% set a = a + a %}" * 30,
    "a list of itself twice": "{% set a = [1] %}" + "{% set a = [a, a] %}" * 40 + "{{ a }}",
    "comparing what is large": "{% set a = 'a' * 10**6 %}{% for i in range(99) %}{% if a == a %}{% endif %}{% endfor %}",
    "joining with much": "{{ range(9999)|join('a' * 9999) }}",
    "replacing with much": "{{ ('a' * 9999)|replace('a', 'b' * 9999) }}",
    "indenting by much": "{{ 'a'|indent(10**9) }}",
    "indenting much": "{{ ('a\n' * 99999)|indent(99) }}",
    "many large texts at once": "{% set a = 'a' * 10**6 %}{{ " + "~".join(["a"] * 50) + " }}",
    "many large lists as text": "{% set a = ['a' * 10**5] %}{{ " + "~".join(["a"] * 500) + " }}",
    "sorting again and again": "{% set a = range(99999) %}{% for i in a %}{% if a|sort %}{% endif %}{% endfor %}",
    "much output": "{% for i in range(99999) %}" + "x" * 999 + "{% endfor %}",
    "much output of values": "{% set a = 'a' * 10**6 %}{{ a }}{{ a }}",
    "a width in a format": "{{ '%1000000000d' % 1 }}",
    "deep nesting": "{% set a = [] %}" + "{% set a = [a] %}" * 60,
    "a deep expression": "{{ 1" + " + 1" * 3000 + " }}",
    "digits": "{{ " + "9" * 5000 + " }}",
    "dividing by nothing": "{{ 1 / 0 }}",
    "precision": "{{ 1.5|round(10**9) }}",
    "no element": "{{ []|first }}",
    "digits in a text": "{{ ('9' * 5000)|int }}",
    "digits in a text with a point": "{{ ('9' * 5000)|float }}",
    "a number that JSON has not": "{{ ('9' * 99 ~ 'e999')|float|tojson }}",
    "half a character": "{{ '\\ud800' }}",
    "half a character as JSON": "{{ ['\\ud800']|tojson }}",
}  # fmt: skip


@pytest.mark.parametrize("template", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_template_ends_within_its_limits(template: str) -> None:
    failure(template)


def test_time_is_looked_at_in_each_step() -> None:
    assert "longer than 1e-09 s" in str(
        failure("{{ 1 }}", limits=RenderLimits(seconds=1e-9))
    )


@pytest.mark.parametrize("template", ["{{ xs|join }}"])
def test_time_is_looked_at_inside_of_a_filter_too(template: str) -> None:
    seconds = count()  # each look at the clock is a second after the one before
    evaluator = Evaluator(
        {"xs": list(range(50))},
        Budget(RenderLimits(seconds=20), lambda: float(next(seconds))),
    )
    with pytest.raises(Stop, match="longer than 20 s"):
        evaluator.render(parse(template, RenderLimits()))


def test_a_template_says_which_values_it_cannot_do_without() -> None:
    template = "{{ a }}{{ b|d('x') }}{% if c is defined %}{{ c }}{% endif %}{% for e in f %}{{ e.g }}{% endfor %}"
    assert inferred_parameters(template)["required"] == ["a", "f"]
    assert parameters_of(template) == {"a", "b", "c", "f"}


def test_values_that_are_too_large_are_refused() -> None:
    assert "handles more than 20,971,520 characters" in str(
        failure("", {"a": "x" * 2**25})
    )


def test_the_page_names_every_filter_test_and_limit() -> None:
    shown = {
        kind: set(
            re.findall(
                r"\w+",
                re.search(rf"^{kind}: (.*?)\.$", PAGE, re.MULTILINE | re.DOTALL)[1],
            )
        )
        for kind in ("Filters", "Tests")
    }  # type: ignore[index]
    assert shown["Filters"] == set(FILTERS)
    assert shown["Tests"] == set(TESTS)
    rows = re.findall(
        r"^\| `(\w+)` \| ([\d,.]+) \|",
        PAGE.split("`RenderLimits` |")[1],
        flags=re.MULTILINE,
    )
    assert {name: float(value.replace(",", "")) for name, value in rows} == {
        field.name: getattr(RenderLimits(), field.name)
        for field in fields(RenderLimits)
    }
