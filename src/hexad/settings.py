"""Every setting, its default, its range, and its sources: arguments, the environment, a
file, in this order.

This is the only module that reads the environment or a configuration file.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from hexad.context.retriever import DEADLINE, MAX_PER_LAYER, MAX_PINNED
from hexad.context.standing import BUDGET as STANDING
from hexad.errors import ConfigError, InvalidInput, nearest
from hexad.memory import admission
from hexad.model import DEFAULT_NAMESPACE, Category
from hexad.signals import warn_once

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")
PREFIX: Final = "HEXAD_"
FILE_NAME: Final = "hexad.toml"  # looked for beside the database
_NOT_SETTINGS: Final = frozenset(
    {"HEXAD_CONFIG", "HEXAD_DB"}
)  # these say where to look
_BOOLEANS: Final = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(
    ("0", "false", "no", "off"), False
)
_SHORTEST_TOKEN: Final = 16
_MOST_DIGITS: Final = 10**15  # a larger number is shown with an exponent
_MANY: Final = (0, 1_000_000)
_RATES: Final = (1, 1_000_000)
_AN_HOUR: Final = 3600
STATIC, ENCODER, NO_EMBEDDER = EMBEDDERS = ("static", "encoder", "none")


def _setting(
    default: T,
    purpose: str,
    between: tuple[float, float] | None = None,
    *,
    secret: bool = False,
) -> T:
    """A field with its purpose and its range, which files, tables and pages show; a
    secret's value is never shown.
    """
    return field(
        default=default,
        metadata={"purpose": purpose, "range": between or ()},
        repr=not secret,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How an engine works. Each may be set in a file, in the environment or by an
    argument; the last is stronger.
    """

    enabled: bool = _setting(
        default=False, purpose="whether the engine does anything; commands turn it on"
    )
    namespace: str = _setting(DEFAULT_NAMESPACE, "whose memory it is")
    max_knowledge: int = _setting(
        20,
        "knowledge entries that one session may save; no limit without a session",
        _MANY,
    )
    max_learnings: int = _setting(
        10, "learnings that one session may save; observed calls do not count", _MANY
    )
    max_proposals: int = _setting(
        20, "changes to the user's entries that one session may propose", _MANY
    )
    max_skills_per_day: int = _setting(
        10, "skills that agents may create in a namespace, each day in UTC", _MANY
    )
    max_per_layer: int = _setting(
        MAX_PER_LAYER, "items that one layer returns", (1, 1_000)
    )
    max_pinned: int = _setting(MAX_PINNED, "pinned entries in a retrieval", (0, 1_000))
    standing_budget: int = _setting(
        STANDING, "tokens of the rules, preferences and pins in every prompt", _MANY
    )
    max_text: int = _setting(
        admission.MAX_TEXT, "bytes of any one text", (1, 64 * 1024 * 1024)
    )
    layer_deadline: float = _setting(
        DEADLINE, "seconds that one layer may take", (0.001, _AN_HOUR)
    )
    lock_timeout: float = _setting(
        30.0, "seconds that a writer waits for other writers", (0, _AN_HOUR)
    )
    floor: bool = _setting(
        default=True, purpose="leave out items that are probably noise"
    )
    auto_approve_skills: bool = _setting(
        default=False,
        purpose="activate skills when they are created, but no script that needs more than the sandbox",
    )
    script_seconds: float = _setting(
        30.0, "seconds that a script may take", (0.1, _AN_HOUR)
    )
    script_memory: int = _setting(
        512, "MB that each process of a script may use", (16, 65_536)
    )
    discover_skills: bool = _setting(
        default=True,
        purpose="when an engine closes, offer what several sessions did as drafts of skills",
    )
    capture: bool = _setting(
        default=False,
        purpose="agents keep what their users say that lasts, as `hx.capture` does",
    )
    capture_typed: bool = _setting(
        default=False,
        purpose="a person typed each message to an adapter: `capture` saves clear statements at once",
    )
    auto_accept: str = _setting(
        "",
        "categories of an extractor's candidates that `capture` saves, separated by commas",
    )
    ask_to_save: bool = _setting(
        default=False,
        purpose="remind the agent, once a session, to save what the user said, if it may last",
    )
    ask_for_lessons: bool = _setting(
        default=False,
        purpose="ask the agent, once a session, to put into words what took several tries",
    )
    mcp_token: str = _setting(
        "", "the token that clients of `hexad mcp --http` must present", secret=True
    )
    mcp_rate: int = _setting(
        600, "requests a minute that one address may make of `hexad mcp --http`", _RATES
    )
    timeline: bool = _setting(
        default=True,
        purpose="keep which items the latest 256 prompts had, by key and score",
    )
    server_rate: int = _setting(
        60_000, "requests a minute that one address may make of `hexad serve`", _RATES
    )
    semantic: bool = _setting(
        default=True,
        purpose="search by meaning too, if the extra `semantic` is installed",
    )
    embedder: str = _setting(
        STATIC,
        f"what finds by meaning: {', '.join(EMBEDDERS)}; `{ENCODER}` finds more, is slower and needs its extra",
    )

    def __post_init__(self) -> None:
        for name in _TYPES:
            if fault := _fault(name, getattr(self, name)):
                raise ConfigError(name, fault)


class Setting(NamedTuple):
    """One setting as a reader sees it; ``range`` is empty where every value of its type
    is allowed.
    """

    name: str
    default: Any
    purpose: str
    range: tuple[float, float] | tuple[()] = ()
    secret: bool = False


KNOWN: Final = tuple(
    Setting(name=each.name, default=each.default, secret=not each.repr, **each.metadata)
    for each in fields(Settings)
)
_RANGES: Final = {each.name: each.range for each in KNOWN if each.range}
_SECRET: Final = frozenset(each.name for each in KNOWN if each.secret)
_TYPES: Final[dict[str, type]] = {each.name: type(each.default) for each in KNOWN}
_TYPE_NAMES: Final[dict[type, str]] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
}


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
    """The fault of a value of the right type; empty if it has none."""
    if name in _RANGES and not _RANGES[name][0] <= value <= _RANGES[name][-1]:
        low, high = map(in_digits, _RANGES[name])
        return f"must be from {low} to {high}, not {in_digits(value)}"
    if name == "embedder" and value not in EMBEDDERS:
        return f"must be one of {', '.join(EMBEDDERS)}, not {value!r}"
    if name == "auto_accept" and (wrong := {*words_of(value)} - {*Category}):
        return f"must name categories ({', '.join(Category)}), not {', '.join(sorted(wrong))}"
    if name == "namespace" and not value.strip():
        return "must not be empty"
    if (
        name == "mcp_token"
        and value
        and not re.fullmatch(f"[!-~]{{{_SHORTEST_TOKEN},}}", value)
    ):
        return (
            f"must have {_SHORTEST_TOKEN} visible ASCII characters or more, no spaces"
        )
    return ""


def words_of(text: str) -> frozenset[str]:
    """The words of a setting that lists some, separated by commas."""
    return frozenset(filter(None, map(str.strip, text.split(","))))


class Traced(NamedTuple):
    """Settings, the source of each value (default, file, environment or argument), and
    the file that was read.
    """

    settings: Settings
    sources: Mapping[str, str]
    file: Path | None


def survey(
    arguments: Mapping[str, Any],
    *,
    beside: Path | None = None,
    config: str | os.PathLike[str] | None = None,
) -> Traced:
    """Settings from all sources; an argument of None was not given.

    The file is ``config``, else the one that HEXAD_CONFIG names, else `hexad.toml` in
    the folder ``beside``.
    """
    for sentence in unknown_variables():
        warn_once(sentence)
    file, values, sources = (
        _file(config, beside),
        dict[str, Any](),
        dict.fromkeys(_TYPES, "default"),
    )
    for source, given in (
        ("file", {} if file is None else _from_file(file)),
        (
            "environment",
            {
                name: value
                for name, value in _from_environment().items()
                if name in _TYPES
            },
        ),
        (
            "argument",
            {name: value for name, value in arguments.items() if value is not None},
        ),
    ):
        for name, value in given.items():
            values[name], sources[name] = _read(name, value, source, file), source
    return Traced(Settings(**values), sources, file)


def secrets_in(file: Path) -> tuple[str, ...]:
    """The secret settings that a configuration file holds."""
    return tuple(name for name in _from_file(file) if name in _SECRET)


def file_place(beside: Path) -> Path:
    """Where the configuration file of a database in that folder is, or would be."""
    return Path(os.environ.get("HEXAD_CONFIG") or beside / FILE_NAME)


def variable(*names: str) -> str | None:
    """The first of these variables that is set, such as HEXAD_DB or another program's
    EDITOR.
    """
    return next((os.environ[name] for name in names if os.environ.get(name)), None)


def named_folder(variable: str, usual: str) -> Path:
    """The folder that another program's variable names, such as CLAUDE_CONFIG_DIR; else
    one in the user's home.
    """
    named = os.environ.get(variable)
    return Path(named).expanduser() if named else Path.home() / usual


def data_folder() -> Path:
    """Where Hexad keeps a user's files that belong to no project or database."""
    windows = os.name == "nt"
    named = Path(os.environ.get("LOCALAPPDATA" if windows else "XDG_DATA_HOME") or "")
    unix = "Library/Application Support" if sys.platform == "darwin" else ".local/share"
    usual = Path.home() / ("AppData/Local" if windows else unix)
    return (named if named.is_absolute() else usual) / "hexad"


def _file(config: str | os.PathLike[str] | None, beside: Path | None) -> Path | None:
    named = config or os.environ.get("HEXAD_CONFIG")
    if named:
        return Path(named)
    found = beside / FILE_NAME if beside else None
    return found if found and os.path.isfile(found) else None  # noqa: PTH113 - unlike the method it never raises


def _from_file(path: Path) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - loads in 2 ms; most engines have no file

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            "config", f"{path} cannot be read: {error.strerror}"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        hint = "mend it, or write a new one: `hexad init --force`"
        raise ConfigError("config", f"{path} is not TOML: {error}; {hint}") from error


def unknown_variables() -> tuple[str, ...]:
    """A sentence about each HEXAD_ variable that is no setting; such a variable may be
    meant for another program.
    """
    known = (*_TYPES, *(name.removeprefix(PREFIX).lower() for name in _NOT_SETTINGS))
    unknown = {
        name: nearest(name, known, cutoff=0.0)
        for name in _from_environment()
        if name not in _TYPES
    }
    return tuple(
        f"{PREFIX}{name.upper()} is no setting, so it is ignored; the nearest is {PREFIX}{near.upper()}"
        for name, near in unknown.items()
    )


def _from_environment() -> dict[str, str]:
    named = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(PREFIX) and name not in _NOT_SETTINGS
    }
    return {name.removeprefix(PREFIX).lower(): value for name, value in named.items()}


def _read(name: str, value: Any, source: str, file: Path | None) -> Any:
    """A value in the type of its setting; the error of a wrong one says where it was
    written.
    """
    if source == "argument":
        return _typed(name, value, "as argument")  # the engine checks the rest
    where = (
        f"in {file}"
        if source == "file"
        else f"in the environment, {PREFIX}{name.upper()},"
    )
    value = _typed(
        name, _parsed(name, value) if source == "environment" else value, where
    )
    try:
        fault = _fault(name, value) or (
            name == "namespace" and admission.key(name, value) and ""
        )
    except InvalidInput as error:
        fault = error.reason
    if fault:
        raise ConfigError(name, f"{where} {fault}")
    return value


def _parsed(name: str, value: str) -> Any:
    """A variable's text in the type of its setting."""
    wanted, variable = _TYPES.get(name, str), PREFIX + name.upper()
    if wanted is bool and value.casefold() not in _BOOLEANS:
        raise ConfigError(variable, f"must be true or false, not {value!r}")
    try:
        return _BOOLEANS[value.casefold()] if wanted is bool else wanted(value)
    except ValueError:
        raise ConfigError(variable, f"must be a number, not {value!r}") from None


def _typed(name: str, value: Any, where: str) -> Any:
    wanted = _TYPES.get(name)
    if wanted is None:
        close = nearest(name, _TYPES)
        hint = f" (did you mean {close!r}?)" if close else ""
        raise ConfigError(
            name, f"{where} is unknown{hint}; known are {', '.join(_TYPES)}"
        )
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, wanted) or (
        isinstance(value, bool) and wanted is not bool
    ):
        got = "; put it in quotes" if name in _SECRET else f", not {value!r}"
        raise ConfigError(name, f"{where} must be {_TYPE_NAMES[wanted]}{got}")
    return value
