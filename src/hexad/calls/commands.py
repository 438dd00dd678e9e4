"""A shell text as its simple commands: which programs it runs, in words that two texts
can be compared by.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Command: TypeAlias = tuple[str, ...]

ARGUMENTS: Final = (
    "command",
    "cmd",
    "script",
)  # names of the argument that holds a shell text
_LONGEST: Final = 4000  # characters of a text that are read
_HEREDOC: Final = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?.*", re.DOTALL)
_REDIRECTION: Final = re.compile(r"\d?>&\d|&?\d?>>?\s*[^\s;&|]+|<\s*[^\s;&|(<]+")
_WORD: Final = re.compile(
    r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s;&|()"'\\])+|&&|\|\||[;|&()\n]"""
)
_ENDS: Final = frozenset({"&&", "||", ";", "|", "&", "\n", "(", ")"})
_SETTING: Final = re.compile(r"[A-Za-z_]\w*=")
_NOT_THERE: Final = re.compile(
    r"(?i)command not found|missing script|no rule to make|unknown (?:command|task)|no module named|not found"
)
_NEARLY: Final = 0.8  # of the characters of two texts that are the same
_PLAIN: Final = re.compile(r"[a-z][\w:.-]*\Z")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LEADING: Final = _words("sudo time timeout env command exec then do if ! { nohup")
_VIEWERS: Final = _words(
    "head tail cat less more wc sort uniq tee grep rg"
)  # behind a pipe
_BESIDE: Final = _words(  # programs that stand beside what a text is for
    "cd export echo source . set [ pwd ls cat sleep true test which head tail mkdir nvm"
)
_WITH_VERBS: Final = _words(  # programs of which the first word alone says too little
    """apt brew bun bundle cargo docker dotnet gcloud gh git go gradle helm just kubectl make mise mvn
    npm npx pip pnpm podman poetry systemctl terraform uv yarn aws az"""
)


def shell_text(arguments: object) -> str | None:
    """The shell text among a call's arguments; None if the tool is no shell."""
    if not isinstance(arguments, dict):
        return None
    texts = (arguments.get(name) for name in ARGUMENTS)
    return next(
        (text for text in texts if isinstance(text, str) and text.strip()), None
    )


class Part(NamedTuple):
    """One simple command of a text, and the sign behind it."""

    command: Command
    end: str  # "&&", "|", ";" …; a text ends with ";"


@lru_cache(maxsize=512)
def parts(text: str) -> tuple[Part, ...]:
    """The simple commands of a text in order, without redirections."""
    plain = _REDIRECTION.sub("", _HEREDOC.sub("", text[:_LONGEST]))
    found: list[Part] = []
    words: list[str] = []
    for word in (*_WORD.findall(plain), ";"):
        if word not in _ENDS:
            words.append(word)
            continue
        if words:
            found.append(Part(tuple(words), word))
        words = []
    return tuple(found)


@lru_cache(maxsize=512)
def commands(text: str) -> tuple[Command, ...]:
    """The simple commands of a text, without redirections and without what only views
    their output.

    >>> commands("cd web && npm test 2>&1 | tail -20")
    (('cd', 'web'), ('npm', 'test'))
    """
    found: list[Command] = []
    before = ""
    for command, end in parts(text):
        if not (before == "|" and command[0] in _VIEWERS):
            found.append(command)
        before = end
    return tuple(found)


def telling(text: str) -> frozenset[Command]:
    """The commands of a text that would make it fail if they failed: not those before
    `;`, `||` or a pipe.

    >>> sorted(telling("cd web && npm test")), telling("npm test | tail; git stash pop")
    ([('cd', 'web'), ('npm', 'test')], frozenset({('git', 'stash', 'pop')}))
    """
    every = parts(text)
    found: set[Command] = set()
    for place, (command, end) in reversed(list(enumerate(every))):
        last = place == len(every) - 1
        if last or end == "&&" or (end == "|" and "pipefail" in text):
            found.add(command)
        elif end != "|":
            break
    return frozenset(found)


def head(command: Command) -> Command:
    """The program of a command and up to two plain words behind it.

    >>> head(("CI=1", "sudo", "/usr/bin/git", "push", "origin", "main"))
    ('git', 'push', 'origin')
    """
    start = 0
    for word in command:
        if (
            not _SETTING.match(word)
            and word not in _LEADING
            and not word.rstrip("s").isdecimal()
        ):
            break
        start += 1
    if start == len(command):
        return ()
    found = [command[start].rsplit("/", 1)[-1]]
    for word in command[start + 1 : start + 3]:
        if not _PLAIN.match(word):
            break
        found.append(word)
    return tuple(found)


def main_commands(text: str) -> list[Command]:
    """The commands that a text is for: not `cd`, `export` and the like, unless there is
    nothing else.
    """
    every = [each for each in commands(text) if head(each)]
    return [each for each in every if head(each)[0] not in _BESIDE] or every[-1:]


def same_program(one: Command, other: Command) -> bool:
    """Whether two commands run the same program and, of programs with verbs, the same
    verb.

    >>> same_program(("git", "push"), ("git", "push", "-u")), same_program(("git", "push"), ("git", "pull"))
    (True, False)
    """
    first, second = head(one), head(other)
    shorter = min(len(first), len(second))
    if not shorter or first[:shorter] != second[:shorter]:
        return False
    return shorter > 1 or first[0] not in _WITH_VERBS or len(first) == len(second)


def runs_the_same(one: str, other: str) -> bool:
    """Whether two texts have a main command in common, by program."""
    others = main_commands(other)
    return any(same_program(each, its) for each in main_commands(one) for its in others)


def is_misnamed(before: str, after: str, error: str) -> bool:
    """Whether a program or script did not exist, and the next text runs the same but
    for that name.

    >>> is_misnamed("pytst -q", "pytest -q", "command not found: pytst"), is_misnamed("make a", "make b", "failed")
    (True, False)
    """
    if (
        not _NOT_THERE.search(error)
        or runs_the_same(before, after)
        or re.sub(r"\d+", "", before) == after
    ):
        return False
    return (
        before in after
        or SequenceMatcher(None, before, after, autojunk=False).ratio() >= _NEARLY
    )


def words_in(text: str) -> Counter[str]:
    """How often each word occurs in the commands of a text."""
    return Counter(word for command in commands(text) for word in command)


def names_of(text: str) -> list[Sequence[str]]:
    """The names by which people speak of a text's main commands: the program, with its
    verb where it has verbs.

    >>> names_of("npm test"), names_of("terraform")
    ([('npm', 'test')], [('terraform',)])
    """
    heads = (head(each) for each in main_commands(text))
    return [each[:2] if each[0] in _WITH_VERBS else each[:1] for each in heads]


_TAKES_RIGHTS: Final = re.compile(  # a word of a command
    r"""(?ix) (?:sudo|doas|runas|su|setenforce) | 0?777 | 0?666 | [ao]\+r?wx?
    | \w*verify\w*=(?:false|0|no|1|true) | \w*(?:unauthorized|husky|strict_?ssl|sandbox)\w*=(?:false|0|no)
    | stricthostkeychecking=no | mode=force
    | -{1,2}(?: no-?verify\S* | force\S* | insecure\S* | no-?check\S* | skip-\S+ | allow-\S+ | privileged | trust\S*
      | dangerously\S* | unsafe\S* | break-system-packages | admin | no-?sandbox | disable-\S+ | ignore-\S+
      | yes-i-\S+ | no-gpg\S* | exit-zero | deselect | auto-approve | no-lock | lock )(?:=.*)?"""
)
_DESTROYS: Final = re.compile(  # a whole command
    r"""(?ix) rm\s | git\s(?:reset\s.*--hard|checkout\s(?:\S+\s)?(?:--|\.)|clean\s|push\s.*(?:--delete|\s\+\w))
    | .*\b(?:drop|truncate)\s(?:table|schema|database) | npm\sconfig\sset\sstrict-ssl
    | docker\s.*--user[ =](?:root|0)\b | pytest\s.*-k\s*\W*not\b"""
)
_SHORT_OPTIONS: Final = {
    "git": "fD",
    "curl": "k",
    **dict.fromkeys(("npm", "mv", "cp", "ln", "docker"), "f"),
}
_NAMED: Final = re.compile(
    r"(?i)force|(?:skip|no|bypass|override|ignore|disable|allow)_?\w*(?:check|verif|valid|approv|auth|safe|guard|limit)"
    r"|^(?:insecure|sudo|admin|as_root|privileged|unsafe|override|bypass|approved(?:_by)?)$"
)
_OFF: Final = re.compile(r"(?i)verif|valid|check|safe|secure|sandbox|confirm|dry_?run")
_RIGHTS: Final = frozenset(
    {"admin", "root", "superuser", "owner", "force"}
)  # values of any argument
_ADVISES: Final = re.compile(  # a sentence
    r"(?i)\bas (?:root|admin|superuser)\b|\b(?:delete|remove|skip|disable|comment out|turn off|bypass)\b.{0,30}"
    r"\b(?:tests?|checks?|hooks?|verification|validation|firewall|sandbox)\b"
)
_FORBIDS: Final = re.compile(
    r"(?i)(?<![-\w])(?:not|never|without|don't|avoid|no)\b(?!-)"
)
_EDITS: Final = re.compile(
    r"(?i)(?:^|_)(?:multi)?(?:edit|write|patch|create|replace|str_?replace)|notebook_?edit"
)


def takes_rights(text: str) -> bool:
    """Whether a shell text takes rights, turns a check off, or destroys something.

    >>> takes_rights("git push --force"), takes_rights("sudo make"), takes_rights("git push -u origin main")
    (True, True, False)
    """
    for command in commands(text):
        short = _SHORT_OPTIONS.get((head(command) or ("",))[0], "")
        for word in command:
            letters = word[1:] if re.fullmatch(r"-[A-Za-z]+", word) else ""
            if _TAKES_RIGHTS.fullmatch(word) or any(
                letter in short for letter in letters
            ):
                return True
        if _DESTROYS.match(" ".join(command)):
            return True
    return (
        "commit" in text and re.search(r"git\s+commit\s(?:.*\s)?-n\b", text) is not None
    )


def advises_rights(text: str) -> bool:
    """Whether a sentence advises to take rights or to turn a check off.

    >>> [advises_rights(text) for text in ("commit with --no-verify", "never use sudo", "check the date first")]
    [True, False, False]
    """
    if _FORBIDS.search(text):
        return False
    quoted = re.findall(r"`([^`]+)`", text)
    return _ADVISES.search(text) is not None or any(map(takes_rights, (*quoted, text)))


def edits_files(tool: str) -> bool:
    """Whether a tool of a coding agent changes files, by its name.

    >>> edits_files("Edit"), edits_files("apply_patch"), edits_files("Read")
    (True, True, False)
    """
    return _EDITS.search(tool) is not None


def argument_takes_rights(name: str, value: object) -> bool:
    """Whether a named argument takes rights or turns a check off.

    >>> argument_takes_rights("force", True), argument_takes_rights("verify", False), argument_takes_rights("n", 3)
    (True, True, False)
    """
    off = value in (False, 0, None, "", "false", "no", "off")
    if isinstance(value, str) and value.casefold() in _RIGHTS:
        return True
    return (
        bool(_OFF.search(name))
        if off and value is not None
        else not off and _NAMED.search(name) is not None
    )
