"""The commands that run another one, and where among their words it begins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

SHELLS: Final = frozenset(
    """sh bash dash zsh ksh ksh93 mksh pdksh ash fish csh tcsh yash rbash posh rc elvish nu xonsh osh oksh
    newgrp""".split()  # noqa: SIM905
)
"""Programs that run a text as a script."""


@dataclass(frozen=True, slots=True)
class Wrapper:
    """How a command names the one that it runs: behind its options and so many words of its own."""

    values: str = ""  # letters of the options that take the next word
    skips: int = 0
    long: frozenset[str] = frozenset()  # long options that take the next word


WRAPPERS: Final[dict[str, Wrapper]] = {
    "sudo": Wrapper("ugpCThRDrtU", long=frozenset({"--user", "--group", "--chdir", "--prompt", "--host"})),
    "doas": Wrapper("uC"),
    "pkexec": Wrapper("", long=frozenset({"--user"})),
    "env": Wrapper("uC", long=frozenset({"--unset", "--chdir"})),
    "nohup": Wrapper(),
    "setsid": Wrapper(),
    "setarch": Wrapper("", 1),
    **dict.fromkeys(("linux32", "linux64", "i386", "x86_64"), Wrapper()),
    "aa-exec": Wrapper("pn"),
    "logsave": Wrapper("", 1),
    "fakechroot": Wrapper(),
    **dict.fromkeys(("mpirun", "mpiexec"), Wrapper("nHx")),
    "lxc-execute": Wrapper("nf"),
    "lxc-attach": Wrapper("nef"),
    "systemd-socket-activate": Wrapper("lE"),
    "tsp": Wrapper("L"),
    "time": Wrapper("fo"),
    "gtime": Wrapper("fo"),
    "nice": Wrapper("n"),
    "ionice": Wrapper("cnpPu"),
    "chrt": Wrapper("TPD", 1),
    "taskset": Wrapper("", 1),
    "numactl": Wrapper("NCmil"),
    "stdbuf": Wrapper("ioe", long=frozenset({"--input", "--output", "--error"})),
    "unbuffer": Wrapper(),
    "timeout": Wrapper("sk", 1, frozenset({"--signal", "--kill-after"})),
    "gtimeout": Wrapper("sk", 1),
    "command": Wrapper(),
    "builtin": Wrapper(),
    "exec": Wrapper("a"),
    "coproc": Wrapper(),
    "chroot": Wrapper("", 1),
    "unshare": Wrapper("SGwR"),
    "nsenter": Wrapper("tSGrw"),
    "systemd-run": Wrapper("pMHuE"),
    "systemd-inhibit": Wrapper(),
    "gosu": Wrapper("", 1),
    "su-exec": Wrapper("", 1),
    "setpriv": Wrapper(),
    "strace": Wrapper("eopsauEIOPS"),
    "ltrace": Wrapper("eopsauEnlx"),
    "valgrind": Wrapper(),
    "fakeroot": Wrapper("lis"),
    "proot": Wrapper("rbwq"),
    "firejail": Wrapper(),
    "bwrap": Wrapper(),
    "xvfb-run": Wrapper("nsewfp"),
    "dbus-run-session": Wrapper(),
    "dbus-launch": Wrapper(),
    "caffeinate": Wrapper("tw"),
    "chronic": Wrapper(),
    "torsocks": Wrapper(),
    "torify": Wrapper(),
    "proxychains": Wrapper("f"),
    "proxychains4": Wrapper("f"),
    "busybox": Wrapper(),
    "toybox": Wrapper(),
    "catchsegv": Wrapper(),
    "cgexec": Wrapper("g"),
    "prlimit": Wrapper("p"),
    "choom": Wrapper("np"),
    "daemonize": Wrapper("ceolpu"),
    "start-stop-daemon": Wrapper("xapnu"),
    "runcon": Wrapper("turlc", 1),
    "rlwrap": Wrapper("abcdfHpPsStw"),
    "entr": Wrapper(),
    "noglob": Wrapper(),
    "nocorrect": Wrapper(),
    "trickle": Wrapper("dus"),
    "cpulimit": Wrapper("lpe"),
    "faketime": Wrapper("", 1),
    "eatmydata": Wrapper(),
    "ifne": Wrapper(),
    "sshpass": Wrapper("pfdP"),
    "chpst": Wrapper("uUbe/nlLmdofprtc"),
    "setuidgid": Wrapper("", 1),
    "s6-setuidgid": Wrapper("", 1),
    "envdir": Wrapper("", 1),
    "s6-envdir": Wrapper("", 1),
    "setlock": Wrapper("", 1),
    "lckdo": Wrapper("W", 1),
    "softlimit": Wrapper("adfmnorstlpc"),
    "tini": Wrapper("pe"),
    "dumb-init": Wrapper("r"),
    "catatonit": Wrapper(),
    "dtach": Wrapper("", 1),
    "abduco": Wrapper("e", 1),
    "systemd-nspawn": Wrapper("DMuiSE"),
    "systemd-cat": Wrapper("tp"),
    "run0": Wrapper("ugD"),
    "uncork": Wrapper(),
    "xwait": Wrapper(),
    "heaptrack": Wrapper("op"),
    "cross-env": Wrapper(),
    "env-cmd": Wrapper("fre"),
    "envchain": Wrapper("", 1),
    "flatpak-spawn": Wrapper(),
    "x-terminal-emulator": Wrapper("T"),
    "kitty": Wrapper("odTc"),
    "foot": Wrapper("cTad"),
    **dict.fromkeys(
        (
            "ld.so",
            "ld-linux.so.2",
            "ld-linux-x86-64.so.2",
            "ld-linux-aarch64.so.1",
            "ld-linux-armhf.so.3",
            "ld-linux-riscv64-lp64d.so.1",
            "ld-musl-x86_64.so.1",
            "ld-musl-aarch64.so.1",
        ),
        Wrapper("", long=frozenset({"--argv0", "--library-path", "--preload", "--inhibit-rpath", "--audit"})),
    ),
}
RUNNERS: Final[dict[str, frozenset[str]]] = {
    name: frozenset(signs.split())
    for names, signs in (
        ("poetry pipenv pdm rye hatch pixi conda mamba micromamba devbox", "run"),
        ("doppler infisical teller op dotenvx foreman honcho volta toolbox", "run"),
        ("uv", "run"),
        ("mise rtx", "exec x"),
        (
            "asdf direnv bundle bundler rbenv pyenv nodenv goenv jenv opam stack cabal dune aws-vault chamber fnm",
            "exec",
        ),
        ("dotenv", "run -- -f"),
        ("npm pnpm yarn bun", "exec x run dlx"),
        ("npx bunx uvx pipx", ""),
        ("nvm", "exec run"),
        ("rustup", "run"),
        ("perf", "record stat trace"),
        ("rr", "record"),
        ("gnome-terminal xfce4-terminal mate-terminal terminator lxterminal", "-- -e -x --command --execute"),
        ("konsole alacritty urxvt rxvt st wezterm tilix", "-e start --"),
        ("distrobox", "enter --"),
        ("nodemon watchexec concurrently chokidar", "--exec -x --"),
        ("sem pee", ""),
    )
    for name in names.split()
}
"""Programs that run a command for somebody: the words behind one of which it stands."""


def without_options(words: list[str], letters: str, long: frozenset[str] = frozenset()) -> list[str]:
    """Words without the options before them; ``letters`` and ``long`` name those that take the next word."""
    left = list(words)
    while left and left[0].startswith("-") and len(left[0]) > 1:
        word = left[0]
        if word == "--":
            return left[1:]
        left = left[2 if _takes_next(word, left[1:2], letters, long) else 1 :]
    return left


def _takes_next(word: str, following: list[str], letters: str, long: frozenset[str]) -> bool:
    """Whether an option takes the next word: among several letters in one word only the last can."""
    if word.startswith("--") or word in long:
        return word in long or ("=" not in word and bool(following) and following[0].isdigit())
    return word[-1] in letters and not any(letter in letters for letter in word[1:-1])


def inner_words(name: str, arguments: list[str]) -> list[str]:
    """The words of the command that a wrapper runs; none if it runs nothing."""
    how = WRAPPERS[name]
    left = without_options(arguments, how.values, how.long)
    while name in {"env", "sudo", "doas", "cross-env"} and left and (re.match(r"\w+=", left[0]) or left[0] == "-"):
        left = without_options(left[1:], how.values, how.long)
    return left[how.skips :]


def behind_sign(name: str, arguments: list[str]) -> list[str] | None:
    """The words behind the one that says that a runner runs something; None if none does."""
    signs = RUNNERS[name]
    start = next((n for n, word in enumerate(arguments, 1) if word in signs), None) if signs else 0
    return None if start is None else without_options(arguments[start:], "nepCw")
