"""The check of shell scripts: what is stopped in any disguise, what needs a person's word, and what just passes.

Nothing in here is ever run: every script is only read.
"""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from pathlib import Path
from time import thread_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hexad.errors import MissingExtra, UnknownChoice
from hexad.model import Capability, Decision
from hexad.skills import validation
from hexad.skills.shell.rules import RULES
from hexad.skills.validation import check
from tests.shell_scripts import ALLOWED, NEEDING, REJECTED
from tests.shell_scripts_carried import CARRIED, CARRIED_ALLOWED, CARRIED_STOPPED
from tests.shell_scripts_code import CODE_ALLOWED, CODE_NEEDS, CODE_REJECTED
from tests.shell_scripts_hidden import HIDDEN, HIDDEN_ALLOWED, HIDDEN_NEEDS, HIDDEN_STOPPED
from tests.shell_scripts_later import LATER, STOPPED
from tests.shell_scripts_needing import OPTIONS_ALLOWED, OPTIONS_NEEDS, OPTIONS_REJECTED
from tests.shell_scripts_roundabout import ROUNDABOUT, ROUNDABOUT_ALLOWED, ROUNDABOUT_STOPPED
from tests.shell_scripts_scopes import SCOPED, SCOPED_ALLOWED
from tests.shell_scripts_wrapped import WRAPPED_ALLOWED, WRAPPED_NEEDS, WRAPPED_REJECTED
from tests.support import requirement

EVERY_REJECTED = {
    **REJECTED,
    **LATER,
    **HIDDEN,
    **CODE_REJECTED,
    **WRAPPED_REJECTED,
    **OPTIONS_REJECTED,
    **ROUNDABOUT,
    **CARRIED,
}
EVERY_NEED = {**NEEDING, **HIDDEN_NEEDS, **CODE_NEEDS, **WRAPPED_NEEDS, **OPTIONS_NEEDS}
EVERY_ALLOWED = [
    *ALLOWED,
    *HIDDEN_ALLOWED,
    *CODE_ALLOWED,
    *WRAPPED_ALLOWED,
    *OPTIONS_ALLOWED,
    *ROUNDABOUT_ALLOWED,
    *CARRIED_ALLOWED,
]
ROOT = Path(__file__).parent.parent
TLDR = ROOT.parent / "shared" / "evals" / "shell_benign" / "tldr.jsonl"
BESIDE = pytest.mark.skipif(not TLDR.exists(), reason="the evaluation data is not beside this checkout")


@requirement("SKILL-05")
@pytest.mark.parametrize(("script", "rule"), EVERY_REJECTED.items())
def test_what_destroys_is_rejected_however_it_is_written(script: str, rule: str) -> None:
    verdict = check(script, shell="bash")
    assert verdict.decision is Decision.REJECT
    assert not rule or rule in {found.rule for found in verdict.findings}


@requirement("SKILL-05")
@pytest.mark.parametrize("script", SCOPED)
def test_what_was_set_on_another_way_through_the_script_hides_nothing(script: str) -> None:
    assert check(script, shell="bash").decision is Decision.REJECT


@requirement("SKILL-05")
@pytest.mark.parametrize("script", SCOPED_ALLOWED)
def test_honest_ways_through_a_script_are_allowed(script: str) -> None:
    assert check(script, shell="bash").findings == ()


@requirement("SKILL-05")
@pytest.mark.parametrize("script", [*STOPPED, *HIDDEN_STOPPED, *ROUNDABOUT_STOPPED, *CARRIED_STOPPED])
def test_what_may_destroy_is_stopped_at_the_least(script: str) -> None:
    assert check(script, shell="bash").decision is not Decision.ALLOW


@requirement("SKILL-05")
@pytest.mark.parametrize(("script", "needed"), EVERY_NEED.items())
def test_what_needs_a_capability_says_which_and_nothing_worse(script: str, needed: set[str]) -> None:
    verdict = check(script, shell="bash")
    assert verdict.decision is Decision.NEEDS
    assert verdict.needs == needed


@requirement("SKILL-05")
@pytest.mark.parametrize("script", EVERY_ALLOWED)
def test_ordinary_scripts_pass_without_a_word(script: str) -> None:
    assert check(script, shell="bash").findings == ()


@requirement("SKILL-05")
def test_a_finding_has_a_rule_a_line_and_a_sentence() -> None:
    (found,) = check("echo a\n\nif true; then\n  rm -rf \\\n    /\nfi\n").findings
    assert (found.rule, found.line, found.decision) == ("delete-root-or-home", 4, Decision.REJECT)
    assert found.says == "`rm -rf /` deletes the root folder, the system or a home folder."


@requirement("SKILL-05")
def test_lines_are_counted_as_the_author_counts_them() -> None:
    (found,) = check("ec\\\nho a\ncurl x\n").findings
    assert found.line == 3


@requirement("SKILL-05")
def test_what_a_nested_text_does_is_told_at_the_line_that_runs_it() -> None:
    assert {found.line for found in check("true\nsh -c 'true\ncurl x'").findings} == {2}


@requirement("SKILL-05")
def test_the_worst_comes_first_and_decides() -> None:
    verdict = check("curl x\nsudo y\nrm -rf /")
    assert [found.rule for found in verdict.findings] == ["delete-root-or-home", "network", "privilege"]
    assert verdict.decision is Decision.REJECT
    assert verdict.needs == {Capability.NETWORK, Capability.PRIVILEGE}


@requirement("SKILL-05")
def test_every_rule_is_met_by_a_script_of_these_tests() -> None:
    scripts = [*REJECTED, *NEEDING, "( " * 200 + "a" + " )" * 200]
    assert {found.rule for script in scripts for found in check(script, shell="bash").findings} == set(RULES)


MOST_WORK = 30_000
"""How many times the work of an ordinary line a hostile script may take: a few seconds at the most."""


def measured(script: str) -> tuple[validation.Verdict, float]:
    """A verdict, and its work: the processor's time as a multiple of that of an ordinary line of this run."""
    ordinary = [f'for f in *.txt; do cp "$f" /tmp/{n}; done; grep -c x a | sort > b{n}' for n in range(200)]
    before = thread_time()
    for line in ordinary:
        validation._followed(line, {})
    between = thread_time()
    verdict = validation._judged.__wrapped__(script, ())
    return verdict, (thread_time() - between) / ((between - before) / len(ordinary))


@requirement("SKILL-05")
@pytest.mark.parametrize(
    "script",
    [
        "sed '" + "s/a/b/" * 8_000 + "' x",
        "sed '" + ";e x" * 20_000 + "\n' x",
        "perl -e '" + "system " * 8_000 + "'",
        "python3 -c '" + "for " * 40_000 + "'",
        "python3 -c '" + '"\\' * 60_000 + "'",
        "perl -e '" + "qx(" * 40_000 + "'",
        "python3 -c 'system " + "mkfs-" * 30_000 + "'",
        "x='" + "echo aaa; " * 5_000 + "'\n" + 'eval "$x"\n' * 4_000,
        "x=" + "a" * 1_000 + "\n" + "y=${x//a*a*b/}\n" * 2_000,
        "parallel rm " + "{} " * 30_000 + " ::: " + "a" * 50_000,
        "elixir -e '" + "rm" * 30_000 + "'",
        "elixir -e 'System " + "rm a;" * 12_000 + "'",
        "awk '" + "print " * 10_000 + "|'",
        "awk '" + '"a" ' * 15_000 + "'",
        "echo '" + "a:" * 30_000 + "' > Makefile; make",
        "echo '" + "$(shell " * 8_000 + "' > Makefile; make",
        "echo '" + "rm a\n" * 12_000 + "' > package.json\n" + "npm test\n" * 2_000,
        "vim -c '" + ":w " * 20_000 + "'",
        "python3 -c 'open" + " " * 60_000 + "'",
        "python3 -c 'unlink" + " " * 60_000 + "'",
        "\n".join(f"echo {n} > $d/f{n}.sh" for n in range(1_000)) + "\n./x.sh" * 1_000,
    ],
    ids=[
        *("sed", "sed e", "calls", "loops", "quotes", "qx", "mkfs", "evals", "patterns", "parallel"),
        *("names", "commands", "prints", "texts", "targets", "makefile", "tools", "editor"),
        *("gap", "another gap", "names that may be"),
    ],
)
def test_the_work_of_a_check_does_not_grow_beyond_bounds(script: str) -> None:
    assert measured(script)[1] < MOST_WORK


@requirement("SKILL-05")
@pytest.mark.parametrize(
    "script",
    [
        "x=" + "a" * 50_000 + "\ny=${x//a/" + "b" * 50_000 + "}",
        "x=" + "a" * 50_000 + "\necho " + "$x" * 2_000 + "\nrm " + "$x " * 2_000,
        "echo " + "a" * 50_000 + " | sed 's/a/" + "b" * 50_000 + "/g' | sh",
        "echo " + "a" * 50_000 + " | xargs -I{} rm " + "{}" * 20_000,
    ],
    ids=["replaced", "repeated", "sed", "xargs"],
)
def test_the_memory_of_a_check_does_not_grow_beyond_bounds(script: str) -> None:
    """The first of them once took 2.5 GB."""
    check("ls")
    tracemalloc.start()
    check(script, shell="bash")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000_000


@requirement("SKILL-05")
@pytest.mark.parametrize(
    "script",
    [
        "(" * 5_000 + "ls" + ")" * 5_000,
        "$(" * 3_000 + "ls" + ")" * 3_000,
        'eval "' * 1_000 + "ls" + '"' * 1_000,
        "${a:-" * 2_000 + "ls" + "}" * 2_000,
        "\n".join(f"v{n}=$v{n - 1}x" for n in range(1, 20_000)),
        "a=xxxxxxxx\n" + "a=$a$a\n" * 200 + "$a",
        "x={a,b}" * 30 + "\necho " + "{a,b}" * 40,
        "{1..999999}{1..999999} -rf /",
        "f() { f; f; f; }\n" + "f\n" * 3_000,
        "\n".join(f"f{n}() {{ f{n + 1}; f{n + 1}; }}" for n in range(50)) + "\nf0",
        "for a in 1 2; do " * 30 + "x=$x$a; $x" + "; done" * 30,
        "x=(" + "a " * 60_000 + ")\n${x[@]}",
        "a" * 300_000,
        "rm -rf \x00/",
        "<<A <<B <<C\n" * 500,
        "case x in " + "a) b;; " * 20_000,
    ],
    ids=range(16),
)
def test_hostile_scripts_end_quickly_and_are_never_just_allowed_if_too_much(script: str) -> None:
    verdict, cost = measured(script)
    assert cost < MOST_WORK
    if len(script) > 262_144 or "\x00" in script:
        assert verdict.needs == {Capability.COMMAND}


PIECES = st.sampled_from(
    [
        *REJECTED,
        *ALLOWED,
        *"(){}[]<>|&;$\"'`\\ \n\t=*?~#!",
        "$(",
        "${",
        "}}",
        "<<EOF\n",
        "EOF\n",
        "if ",
        "fi",
        "do ",
        "x=",
        "$x",
        "$'",
        "eval ",
    ]
)


@requirement("SKILL-05")
@settings(max_examples=150)
@given(st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=60))
def test_no_text_makes_the_check_fail(script: str) -> None:
    verdict = check(script)
    assert (verdict.decision is Decision.ALLOW) == (not verdict.findings)
    assert verdict == check(script)
    assert all(1 <= found.line <= script.count("\n") + 1 for found in verdict.findings)


@requirement("SKILL-05")
@given(st.sampled_from([s for s in REJECTED if "\n" not in s and "#" not in s]), st.sampled_from(ALLOWED))
@settings(max_examples=60)
def test_harm_is_found_behind_and_in_front_of_what_is_harmless(harm: str, other: str) -> None:
    if "exec " not in other and "exit" not in other:
        assert check(f"{harm}\n{other}", shell="bash").decision is Decision.REJECT


WORDS = (
    "rm",
    "-rf",
    "/",
    "$HOME",
    '"$a"',
    '"$b/x"',
    "$c",
    "${b}",
    '"${c:-/}"',
    '"$a $b"',
    "'/etc'",
    '"/tmp/$c"',
    "*",
    "eval",
    "sh",
)


@requirement("SKILL-05")
@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
    st.sampled_from(["a=rm", "a='rm -rf'", 'a="$b"', "a=$(echo rm)", 'a="$(basename /x/rm)"']),
    st.sampled_from(["", " > x.sh; sh x.sh", ' > "$b"', " >&2"]),
)
@settings(max_examples=150)
def test_an_empty_pair_of_quotes_behind_a_word_changes_nothing(words: list[str], first: str, behind: str) -> None:
    """A word alone is read from its text, one that is put together from its parts: both come to the same."""
    before = f"b=/; c='-r /'; {first}; "
    alone = check(before + " ".join(["rm", *words]) + behind, shell="bash")
    joined = check(before + " ".join(["rm", *(f"{word}''" for word in words)]) + behind, shell="bash")
    assert [(found.rule, found.line) for found in alone.findings] == [
        (found.rule, found.line) for found in joined.findings
    ]


@requirement("SKILL-05")
@pytest.mark.parametrize(
    "script",
    [
        "rm " + "$a " * 30_000,
        'rm "' + "${a " * 60_000 + '"',
        "say() { " + "echo a; " * 100 + "}\n" + "say\n" * 4_000,
        "trap 'rm -rf x' EXIT\n" * 10_000,
    ],
    ids=["many words", "open braces", "many calls", "many texts"],
)
def test_a_script_that_repeats_itself_is_judged_all_the_same(script: str) -> None:
    """Each of them took minutes, or would, if the work grew with the square of the length."""
    assert check(script, shell="bash").decision is not Decision.REJECT


@requirement("SKILL-05")
def test_another_shell_is_an_error_that_names_those_that_exist() -> None:
    with pytest.raises(UnknownChoice, match="sh, bash"):
        check("ls", shell="fish")


@requirement("SKILL-05")
def test_without_the_extra_nothing_is_judged_and_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(validation, "available", lambda: False)
    with pytest.raises(MissingExtra, match=r"hexad\[scripts\]"):
        check("ls")


def _lines() -> list[str]:
    return [json.loads(line)["text"] for line in TLDR.read_text(encoding="utf-8").splitlines()]


@requirement("SKILL-05")
@BESIDE
def test_of_harmless_command_lines_few_are_rejected_and_few_unknown() -> None:
    verdicts = [check(line, shell="bash") for line in _lines()]
    rejected = sum(verdict.decision is Decision.REJECT for verdict in verdicts)
    unknown = sum(Capability.COMMAND in verdict.needs for verdict in verdicts)
    assert rejected <= 0.01 * len(verdicts)
    assert unknown <= 0.05 * len(verdicts)


JUDGED = {
    "7a3ac4d40d77": "network",
    "0b1acfd349a7": "network",
    "dabcac330033": "privilege",
    "9da079ab86b1": "network",
    "b60a8b6c5684": "network",
    "3eaa0b631959": "network privilege",
    "0091f21890d4": "privilege",
    "15d5ce7819dd": "network",
    "ad2f6a9a4843": "privilege",
    "a055bf1d61d0": "network",
    "d4c6cbf138d9": "network",
    "1e0acbbdcc86": "network privilege",
    "f7935e090c04": "privilege",
    "11e0ba05875d": "network",
    "0d7effed8048": "network privilege",
    "4397ee2dfad9": "network",
    "0fc7ed8c1f04": "network",
    "5b4fc0efc697": "privilege",
    "f66de4c9ac64": "network",
    "11f3f866e39b": "privilege",
    "2436c9adf7a1": "network",
    "fd5b1dfd77cd": "privilege",
    "7ef9fd22cd3b": "privilege",
    "44b1dd49ba85": "privilege",
    "40779c94f51f": "network",
    "28f67af09de9": "privilege",
    "174c1428db89": "network",
    "5afe648edd2b": "network",
    "98237c4ac798": "privilege",
    "8e3b7fd02ddf": "privilege",
    "05c8c0478415": "network",
    "a3efef0778f4": "privilege",
    "ad0c5e9ec22d": "network",
    "f44777f8caf6": "privilege",
    "5964fff2e3b3": "network privilege",
    "d08136a05106": "network",
    "7160b98cbd77": "privilege",
    "3c3bab5c76c8": "network",
    "0ae7bf6d0b1c": "network",
    "94afe95b4ee4": "privilege",
    "481e60be344e": "privilege",
    "55161c87ef8f": "network",
    "66a25dbfb2e0": "network",
    "472bf0eb9e26": "privilege",
    "5a2ae2083fa0": "network",
    "9f3289ccba12": "privilege",
    "cbcd2df205b1": "privilege",
    "6f7fa258834d": "network",
    "1002e3068b86": "privilege",
    "5169ecce97f6": "network",
}
"""Every fifth line that needs something, by its hash: what a person who read it found that it needs."""


@requirement("SKILL-05")
@BESIDE
def test_what_needs_a_capability_really_does() -> None:
    found = {hashlib.sha256(line.encode()).hexdigest()[:12]: check(line, shell="bash").needs for line in _lines()}
    assert len(JUDGED) == 50
    assert {mark: " ".join(sorted(found[mark])) for mark in JUDGED if mark in found} == JUDGED
