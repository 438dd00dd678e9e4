"""Every setting, its default, its range, and where it may come from: arguments, environment, file, in that order.

This is the only module that reads the environment or a configuration file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hexad.context.retriever import DEADLINE, MAX_PER_LAYER, MAX_PINNED
from hexad.errors import ConfigError, InvalidInput
from hexad.memory import admission
from hexad.model import DEFAULT_NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")
PREFIX: Final = "HEXAD_"
FILE_NAME: Final = "hexad.toml"  # looked for beside the database
_NOT_SETTINGS: Final = frozenset({"HEXAD_CONFIG", "HEXAD_DB"})  # they say where to look, not how to work
_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_SHORTEST_TOKEN: Final = 16
_MOST_DIGITS: Final = 10**15  # beyond it nobody counts them
_FALSE: Final = frozenset({"0", "false", "no", "off"})


def _setting(default: T, meaning: str, *, secret: bool = False) -> T:
    """A field with what it means to a reader, so that files, tables and pages tell the same; a secret is not shown."""
    return field(default=default, metadata={"meaning": meaning}, repr=not secret)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How an engine works. A file or the environment may name each of these; an argument is stronger."""

    enabled: bool = _setting(default=False, meaning="whether the engine does anything; commands turn it on")
    namespace: str = _setting(DEFAULT_NAMESPACE, "whose memory it is")
    max_knowledge: int = _setting(20, "knowledge entries that one session may save; no limit without a session")
    max_learnings: int = _setting(10, "learnings that one session may save; what is observed does not count")
    max_skills_per_day: int = _setting(10, "skills that agents may create in a namespace, each day in UTC")
    max_per_layer: int = _setting(MAX_PER_LAYER, "items that one layer returns")
    max_pinned: int = _setting(MAX_PINNED, "pinned entries in a retrieval")
    max_text: int = _setting(admission.MAX_TEXT, "bytes of any one text")
    layer_deadline: float = _setting(DEADLINE, "seconds that one layer may take")
    lock_timeout: float = _setting(30.0, "seconds that a writer waits for other writers")
    floor: bool = _setting(default=True, meaning="leave out what is probably noise, rather than fill the prompt")
    auto_approve_skills: bool = _setting(
        default=False, meaning="activate skills when they are created, but no script that needs more than the sandbox"
    )
    script_seconds: float = _setting(30.0, "seconds that a script may take")
    script_memory: int = _setting(512, "MB that each process of a script may use")
    discover_skills: bool = _setting(
        default=True, meaning="when an engine is closed, offer what was done in several sessions as drafts of skills"
    )
    mcp_token: str = _setting("", "what clients of `hexad mcp --http` must present", secret=True)
    mcp_rate: int = _setting(600, "requests a minute that one address may make over HTTP")
    semantic: bool = _setting(default=True, meaning="search by meaning too, if the extra `semantic` is installed")

    def __post_init__(self) -> None:
        for name in _TYPES:
            if fault := _fault(name, getattr(self, name)):
                raise ConfigError(name, fault)


def in_digits(number: float) -> str:
    """A number as a person reads it.

    >>> in_digits(1_000_000), in_digits(30.0), in_digits(0.001)
    ('1,000,000', '30', '0.001')
    """
    if abs(number) < _MOST_DIGITS and number == int(number):
        return f"{int(number):,}"
    try:
        return f"{number:g}"
    except OverflowError:
        return "a number of very many digits"


def _fault(name: str, value: Any) -> str:
    """What is wrong with a value of the right type; nothing, if nothing is."""
    low, high = _RANGES.get(name, (value, value))
    if name in _RANGES and not low <= value <= high:
        return f"must be from {in_digits(low)} to {in_digits(high)}, not {in_digits(value)}"
    if name == "namespace" and not value.strip():
        return "must not be empty"
    if name == "mcp_token" and value and not _fit_for_a_header(value):
        return f"must have {_SHORTEST_TOKEN} visible ASCII characters or more, no spaces"
    return ""


def _fit_for_a_header(token: str) -> bool:
    return len(token) >= _SHORTEST_TOKEN and all("!" <= character <= "~" for character in token)


_RANGES: Final[dict[str, tuple[float, float]]] = {
    "max_knowledge": (0, 1_000_000),
    "max_learnings": (0, 1_000_000),
    "max_skills_per_day": (0, 1_000_000),
    "max_per_layer": (1, 1_000),
    "max_pinned": (0, 1_000),
    "max_text": (1, 64 * 1024 * 1024),
    "layer_deadline": (0.001, 3600),
    "lock_timeout": (0, 3600),
    "script_seconds": (0.1, 3600),
    "script_memory": (16, 65_536),
    "mcp_rate": (1, 1_000_000),
}
_TYPES: Final[dict[str, type]] = {
    each.name: {"bool": bool, "int": int, "float": float, "str": str}[str(each.type)] for each in fields(Settings)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting as a reader sees it; ``range`` is empty where every value of its type will do."""

    name: str
    default: Any
    meaning: str
    range: tuple[float, float] | tuple[()] = ()
    secret: bool = False


KNOWN: Final = tuple(
    Setting(
        name=each.name,
        default=each.default,
        meaning=each.metadata["meaning"],
        range=_RANGES.get(each.name, ()),
        secret=not each.repr,
    )
    for each in fields(Settings)
)
_SECRET: Final = frozenset(each.name for each in KNOWN if each.secret)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """Settings, and for each of them where its value is from: default, file, environment or argument."""

    settings: Settings
    sources: Mapping[str, str]
    file: Path | None = None  # the one that was read
    said: Mapping[str, Any] = field(default_factory=dict)  # what was written there, be it right or wrong
    problems: Mapping[str, ConfigError] = field(default_factory=dict)  # what is wrong, where a default holds instead


def load(
    arguments: Mapping[str, Any],
    *,
    beside: Path | None = None,
    config: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Settings from all three places. Arguments that are None were not given.

    The file is ``config``, else the one that HEXAD_CONFIG names, else `hexad.toml` in the folder ``beside``.
    """
    return traced(arguments, beside=beside, config=config, environ=environ).settings


def traced(
    arguments: Mapping[str, Any],
    *,
    beside: Path | None = None,
    config: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Traced:
    """The same, with where each value is from."""
    found = surveyed(arguments, beside=beside, config=config, environ=environ)
    for problem in found.problems.values():
        raise problem
    return found


def surveyed(
    arguments: Mapping[str, Any],
    *,
    beside: Path | None = None,
    config: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Traced:
    """The same, whatever is wrong: that is told as problems, by setting or as that of the file, ``config``."""
    world = os.environ if environ is None else environ
    given = {name: value for name, value in arguments.items() if value is not None}
    file = _file(config, beside, world)
    problems: dict[str, ConfigError] = {}
    said, right, sources = {}, {}, {}
    for source, values in (
        ("file", _told_by(file, problems)),
        ("environment", _from_environment(world)),
        ("argument", given),
    ):
        for name, value in values.items():
            said[name], sources[name] = value, source
            try:
                right[name] = _read(name, value, source, _where(name, source, file))
            except ConfigError as error:
                problems[name] = error
    for name, value in right.items():
        if fault := _fault(name, value):
            where = "" if sources[name] == "argument" else f"{_where(name, sources[name], file)} "
            problems.setdefault(name, ConfigError(name, where + fault))
    settings = Settings(**{name: value for name, value in right.items() if name not in problems})
    known = {each: sources.get(each, "default") for each in _TYPES}
    return Traced(settings=settings, sources=known, file=file, said=said, problems=problems)


def _told_by(file: Path | None, problems: dict[str, ConfigError]) -> dict[str, Any]:
    try:
        return _from_file(file)
    except ConfigError as error:
        problems[error.setting] = error
        return {}


def _where(name: str, source: str, file: Path | None) -> str:
    """Where a value was said, as a part of a sentence."""
    places = {"file": f"in {file}", "environment": f"in the environment, {PREFIX}{name.upper()},"}
    return places.get(source, "as argument")


def _read(name: str, value: Any, source: str, where: str) -> Any:
    """A value in the type that its setting has."""
    if source == "environment":
        value = _parsed(PREFIX + name.upper(), value)
    value = _typed(name, value, where)
    if name == "namespace" and source != "argument" and value.strip():  # of an argument whoever gave it is told
        try:
            admission.key(name, value)
        except InvalidInput as error:
            raise ConfigError(name, f"{where} {error.reason}") from None
    return value


def secrets_in(file: Path) -> tuple[str, ...]:
    """The secret settings that a configuration file has, whatever else says of them."""
    return tuple(name for name in _from_file(file) if name in _SECRET)


def file_place(beside: Path, environ: Mapping[str, str] | None = None) -> Path:
    """Where the configuration file of a database in that folder is, or would be."""
    return Path((os.environ if environ is None else environ).get("HEXAD_CONFIG") or beside / FILE_NAME)


def editor_from_environment(environ: Mapping[str, str] | None = None) -> str | None:
    """The command that opens a person's editor: VISUAL, else EDITOR."""
    world = os.environ if environ is None else environ
    return world.get("VISUAL") or world.get("EDITOR") or None


def database_from_environment(environ: Mapping[str, str] | None = None) -> str | None:
    """The database that HEXAD_DB names."""
    return (os.environ if environ is None else environ).get("HEXAD_DB") or None


def colour_is_wanted(environ: Mapping[str, str] | None = None) -> bool:
    """Whether FORCE_COLOR asks for colours also where nobody watches."""
    return bool((os.environ if environ is None else environ).get("FORCE_COLOR"))


def namespace_from_environment(environ: Mapping[str, str] | None = None) -> str | None:
    """The namespace that HEXAD_NAMESPACE names."""
    return (os.environ if environ is None else environ).get("HEXAD_NAMESPACE") or None


def claude_code_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Where Claude Code keeps its own file: a user's home, unless CLAUDE_CONFIG_DIR says otherwise."""
    said = (os.environ if environ is None else environ).get("CLAUDE_CONFIG_DIR")
    return Path(said).expanduser() if said else Path.home()


def data_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Where Hexad keeps what belongs to a user, and to no project or database."""
    world = os.environ if environ is None else environ
    windows = os.name == "nt"
    said = Path(world.get("LOCALAPPDATA" if windows else "XDG_DATA_HOME") or "")
    usual = Path.home() / ("AppData/Local" if windows else ".local/share")
    return (said if said.is_absolute() else usual) / "hexad"


def _file(config: str | os.PathLike[str] | None, beside: Path | None, environ: Mapping[str, str]) -> Path | None:
    named = config or environ.get("HEXAD_CONFIG")
    if named:
        return Path(named)
    found = beside / FILE_NAME if beside else None
    return found if found and os.path.isfile(found) else None  # noqa: PTH113 - unlike the method it never raises


def _from_file(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    import tomllib  # noqa: PLC0415 - most engines have no file

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError("config", f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError("config", f"{path} is not TOML: {error}; {_MEND}") from error


def _from_environment(environ: Mapping[str, str]) -> dict[str, str]:
    named = {name: value for name, value in environ.items() if name.startswith(PREFIX) and name not in _NOT_SETTINGS}
    return {name.removeprefix(PREFIX).lower(): value for name, value in named.items()}


def _parsed(name: str, value: str) -> Any:
    """A variable's text as the type its setting has."""
    wanted = _TYPES.get(name.removeprefix(PREFIX).lower())
    if wanted is bool:
        if value.casefold() in _TRUE | _FALSE:
            return value.casefold() in _TRUE
        raise ConfigError(name, f"must be true or false, not {value!r}")
    if wanted is None or wanted is str:
        return value
    try:
        return wanted(value)
    except ValueError:
        raise ConfigError(name, f"must be a number, not {value!r}") from None


def _typed(name: str, value: Any, where: str) -> Any:
    wanted = _TYPES.get(name)
    if wanted is None:
        raise ConfigError(name, f"{where} is unknown{_hint(name)}; known are {', '.join(_TYPES)}")
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        got = "; put it in quotes" if name in _SECRET else f", not {value!r}"
        raise ConfigError(name, f"{where} must be {_WORDS[wanted]}{got}")
    return value


_MEND: Final = "mend it, or write a new one: `hexad init --force`"
_WORDS: Final[dict[type, str]] = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


def _hint(name: str) -> str:
    import difflib  # noqa: PLC0415 - only an error needs it

    close = difflib.get_close_matches(name, _TYPES, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
