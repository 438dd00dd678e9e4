"""Scripts put together at random of what the short way of the check looks at, and of what it must not overlook."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

_NAMES = ["a", "b", "x", "tmp", "d", "line", "file", "OUT", "HOME", "PATH", "PWD", "IFS", "0", "1", "@"]
_COMMANDS = """
    echo printf cat mkdir touch cp mv rm tar sort head cut grep basename dirname read cd set trap local export tool log
    f g [ [[ test find sed awk date mktemp chmod tee shift ls true : tr rev exit return wc unset command
""".split()  # noqa: SIM905
_BARE = """
    x a.txt build a/b tmp/ ./z . .. ../y / /srv /srv/x /dev/null /dev/sda ~ * *.csv = ] ! - -- --x=y -f -rf -p -o -d
    -C -v -r -c -u -euo -exec -delete pipefail EXIT czf xzf rm sh eval +x 755 4755 0 5 #x a#b
""".split()  # noqa: SIM905
_QUOTED = [
    "''",
    '""',
    "'a b'",
    "'/srv/x'",
    '"-o /srv/x"',
    '"a;b"',
    "'$(rm -rf /)'",
    "'rm -rf \"$tmp\"'",
    "'rm -rf \"$a\"'",
]
_MEANT = [
    "$!",
    "$_",
    "$$",
    '"${x:1}"',
    "${x:--o}",
    "${x:+-o}",
    '."."',
    "''-v",
    '"%n"',
    "'%s'",
    "'$('",
    "')'",
    '".[.]"',
    "$(case x in x)",
    "'s/a/b/'",
    "'s/a/b/e'",
    "'{print $1}'",
    "'{system(\"x\")}'",
    "$((a + 1))",
    '"$((x))"',
    "'a[$(date)]'",
]
_WORDS = [*_BARE, *_QUOTED, *_MEANT]
_SLIPS = ["\\\n", "\\", "'", '"', "$", "`", "\n", ";", "&", " ", "#", "(", ")", "{", "}", "\t", "<", "|", "~", "!"]


def random_script(random: Random) -> str:
    """A few statements, often with a slip of the pen."""
    script = random.choice(["", "#!/bin/bash\n"]) + "\n".join(_statement(random) for _ in range(random.randint(1, 4)))
    for _ in range(random.choice([0, 0, 0, 1, 2])):
        place = random.randrange(len(script) + 1)
        script = script[:place] + random.choice(_SLIPS) + script[place:]
    return script


def _variable(random: Random) -> str:
    name, other = random.choice(_NAMES), random.choice(_NAMES)
    default = random.choice(["x", "/srv", "..", ""])
    behind = random.choice(_WORDS).strip("'\"")
    forms = [
        f'"${name}"',
        f'"${name}"',
        f"${name}",
        f'"${{{name}}}"',
        f'"${{{name}:-{default}}}"',
        f'"${name}${other}"',
    ]
    return random.choice([*forms, f'"${name}/{behind}"', f'"${{{name}%.*}}"'])


def _word(random: Random) -> str:
    form = random.random()
    if form < 0.5:
        return random.choice(_WORDS)
    if form < 0.8:
        return _variable(random)
    if form < 0.85:
        return _variable(random) + random.choice(_WORDS)
    substituted = f"$({_command(random, most=2)})"
    return substituted if form < 0.95 else f'"{substituted}"'


def _command(random: Random, *, most: int = 4) -> str:
    words = [_word(random) if most > 2 else random.choice(_WORDS) for _ in range(random.randint(0, most))]
    return " ".join([random.choice(_COMMANDS), *words])


def _simple(random: Random) -> str:
    command = _command(random)
    if random.random() < 0.2:
        command += f" {random.choice(['>', '>>', '<', '2>'])}{random.choice(['', ' '])}{_word(random)}"
        if random.random() < 0.1:
            command += f" {_word(random)}"
    return command


def _statement(random: Random, depth: int = 0) -> str:
    form = random.random() if depth < 3 else 0.0
    if form < 0.42:
        return _simple(random)
    if form < 0.45:
        mark = random.choice(["EOF", "'EOF'", "-EOF"])
        return f"{_simple(random)} <<{mark}\n{_word(random)}\nEOF"
    if form < 0.7:
        before = random.choice(["", "", "", "", "local ", "export ", "readonly "])
        return f"{before}{random.choice(_NAMES)}={_word(random)}"
    if form < 0.77:
        return _simple(random) + random.choice([" | ", " && ", " || ", "; ", " & "]) + _simple(random)
    inner = _statement(random, depth + 1)
    words = " ".join(_word(random) for _ in range(random.randint(1, 3)))
    return random.choice(
        [
            f"for {random.choice(_NAMES)} in {words}; do\n{inner}\ndone",
            f"while {random.choice(['IFS= ', ''])}read -r {random.choice(_NAMES)}; do\n  {inner}\ndone",
            f"while {_simple(random)}; do\n  {inner}\ndone < {_word(random)}",
            f"if {_simple(random)}; then\n{inner}\nelse {_statement(random, depth + 1)}\nfi",
            f"{random.choice(['f', 'g', 'log', 'rm', 'echo'])}() {{\n{inner}\n}}",
            f"case {_word(random)} in\n{_word(random)}) {inner} ;;\nesac",
        ]
    )
