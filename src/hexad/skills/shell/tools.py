"""Programs that run code of their own: which files they read by themselves, and what they are given.

A program that reads a file by its name runs what the script wrote there, without a word of it on the command line.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.skills.shell.embedded import look_within
from hexad.skills.shell.held_files import held
from hexad.skills.shell.lasting import rejected
from hexad.skills.shell.values import LONGEST, known

if TYPE_CHECKING:
    from hexad.skills.shell.machine import Shell


class Tool(NamedTuple):
    """What a program runs: files by these names, files that the script wrote with these ends, its words and input."""

    names: str = ""
    ends: str = ""
    words: bool = True
    is_code: bool = True  # which may also just print what looks like a command


_C: Final = Tool("", "c h cc cpp cxx hpp m s")
_JAVA: Final = Tool("pom.xml build.gradle build.gradle.kts settings.gradle", "java kt kts groovy scala sc gradle")
_LISP: Final = Tool("", "lisp lsp cl scm rkt clj edn")
_NODE: Final = Tool("package.json .npmrc .yarnrc", "js mjs cjs ts tsx", words=False)
_PYTHON: Final = Tool(
    "conftest.py setup.py noxfile.py tox.ini setup.cfg pyproject.toml tasks.py", "py pth cfg", words=False
)
_RUBY: Final = Tool("Rakefile rakefile Gemfile Guardfile Fastfile Vagrantfile Capfile", "rb rake gemspec")
_TEX: Final = Tool("latexmkrc .latexmkrc", "tex sty cls ltx")
_HOOKS: Final = """applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg
    commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive
    post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman"""
_LOGIN: Final = ".bash_profile .bash_login .profile .bashrc .bash_logout .inputrc"
_ZSH: Final = ".zshenv .zprofile .zshrc .zlogin .zlogout"
_ROWS: Final[dict[str, Tool]] = {
    "make gmake": Tool("Makefile makefile GNUmakefile", "mk mak", is_code=False),
    "cmake ctest cpack": Tool("CMakeLists.txt CMakePresets.json", "cmake", is_code=False),
    "ninja samu": Tool("build.ninja", "ninja", is_code=False),
    "meson": Tool("meson.build"),
    "just": Tool("justfile Justfile .justfile", "just", is_code=False),
    "task go-task": Tool("Taskfile.yml Taskfile.yaml Taskfile.dist.yml", ""),
    "scons": Tool("SConstruct SConscript"),
    "bazel bazelisk buck": Tool("BUILD BUILD.bazel WORKSPACE", "bzl bazelrc"),
    "ant": Tool("build.xml"),
    "npm npx yarn pnpm bun node nodejs deno tsx ts-node": _NODE,
    "python pypy pytest py.test tox nox invoke fab scrapy django-admin": _PYTHON,
    "ipython": _PYTHON._replace(words=True),
    "ruby rake bundle rails": _RUBY._replace(words=False),
    "irb pry": _RUBY,
    "perl prove": Tool("", "pl pm t", words=False),
    "php composer": Tool("composer.json", "php", words=False),
    "lua luajit": Tool("", "lua", words=False),
    "R Rscript": Tool(".Rprofile", "R r", words=False),
    "java javac jshell kotlin kotlinc groovy scala gradle gradlew mvn mvnw sbt": _JAVA,
    "go": Tool("", "go"),
    "cargo rustc rust-script": Tool("Cargo.toml build.rs", "rs"),
    "gcc cc clang g++ c++ clang++ tcc": _C,
    "zig": Tool("build.zig", "zig"),
    "swift swiftc": Tool("Package.swift", "swift"),
    "dotnet csc mono": Tool("", "cs csproj fsx"),
    "ghc ghci runghc runhaskell stack cabal": Tool(".ghci", "hs cabal"),
    "ocaml": Tool(".ocamlinit", "ml"),
    "elixir iex mix": Tool("mix.exs", "ex exs"),
    "erl escript": Tool(".erlang", "erl escript"),
    "sbcl clisp ecl racket guile scheme clojure clj lein bb": _LISP,
    "octave julia maxima gp": Tool(".octaverc", "m jl"),
    "gnuplot": Tool(".gnuplot", "gp plt gnuplot"),
    "latex pdflatex xelatex lualatex tex pdftex latexmk tectonic": _TEX,
    "gdb lldb": Tool(".gdbinit .lldbinit", "gdb py"),
    "vim vi nvim gvim view ex": Tool(".vimrc .exrc .gvimrc init.vim init.lua", "vim lua"),
    "emacs": Tool(".emacs init.el .dir-locals.el", "el"),
    "git": Tool(f"{_HOOKS} config .gitconfig .gitmodules", words=False),
    "pre-commit lefthook husky": Tool(".pre-commit-config.yaml lefthook.yml", words=False),
    "bash sh": Tool(_LOGIN, words=False),
    "zsh": Tool(_ZSH, words=False),
    "logrotate": Tool("", "conf", is_code=False),
    "tmux screen": Tool(".tmux.conf .screenrc", "conf", words=False, is_code=False),
    "ansible ansible-playbook": Tool("", "yml yaml", is_code=False),
    "terraform tofu packer vagrant": Tool("Vagrantfile", "tf hcl"),
    "direnv": Tool(".envrc"),
    "expect tclsh wish": Tool("", "exp tcl"),
    "awk gawk mawk nawk": Tool("", "awk", words=False),
    "sed gsed": Tool("", "sed", words=False, is_code=False),
}
_SHELL_FILES: Final = frozenset([*_HOOKS.split(), *_LOGIN.split(), *_ZSH.split(), ".envrc"])


TOOLS: Final = {
    name: (frozenset(tool.names.split()), tuple(f".{end}" for end in tool.ends.split()), tool)
    for names, tool in _ROWS.items()
    for name in names.split()
}
"""By the names of the programs: the names and the ends of the files, and the rest."""
_VERSION: Final = re.compile(r"[\d.]+$")
_GIT_COMMAND: Final = re.compile(r"(?:.*/)?git-[\w-]+").fullmatch


def is_tool(name: str) -> bool:
    """Whether a program reads files by itself."""
    return name in TOOLS or _VERSION.sub("", name) in TOOLS


def look_at_tool(shell: Shell, name: str, argv: list[str]) -> None:
    """Note what a program would destroy by what it is given, and by the files that it reads by itself."""
    name = name if name in TOOLS else _VERSION.sub("", name)
    if shell.files:
        look_at_files(shell, name, argv)
        for word in argv[1:] if TOOLS[name][2].words else ():
            for text in _named(shell, word):
                look_within(shell, argv, text, is_code=True)
    if TOOLS[name][2].words:
        for text in (*argv[1:], *(shell.stdin or ())):
            look_within(shell, argv, text, is_code=True)
    shell.tools.setdefault(name, (argv, shell.line_now()))


def look_at_files(shell: Shell, name: str, argv: list[str]) -> None:
    """The files that a program reads without being told."""
    named, ends, tool = TOOLS[name]
    paths = [path for path in shell.files if path.rpartition("/")[2] in named]
    paths += [path for path in shell.wrote if path.endswith(ends) or (name == "git" and _GIT_COMMAND(path))]
    for path in paths:
        for text in shell.files[path]:
            _look_at_file(shell, argv, path, text, is_code=tool.is_code and path.endswith(ends))


def _look_at_file(shell: Shell, argv: list[str], path: str, text: str, *, is_code: bool) -> None:
    by_shell = path.rpartition("/")[2] in _SHELL_FILES or _GIT_COMMAND(path) is not None
    if by_shell and known(text) and len(text) <= LONGEST and (path, text) not in shell.searched:
        shell.searched.add((path, text))
        rejected(shell, partial(shell.run_text, text))
    look_within(shell, argv, text, is_code=is_code)


def _named(shell: Shell, word: str) -> tuple[str, ...]:
    """What the file holds that a word names, behind an option's sign too."""
    paths = [word, word.rpartition("=")[2]] if "=" in word else [word]
    return tuple(text for path in paths for text in held(shell, path) or ())
