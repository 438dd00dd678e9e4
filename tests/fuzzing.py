"""Calls everything public with hostile values: `make fuzz` for ten minutes, or `python
-m tests.fuzzing MINUTES`.

A finding is an exception that is not Hexad's, a call that computes for more than two
seconds, one that waits for a minute without computing, or one that needs more than 200
MB.
"""

from __future__ import annotations

import inspect
import json
import logging
import signal
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st

from hexad import Hexad, Settings
from hexad.agent_tools import agent_tools
from hexad.errors import HexadError
from hexad.json_form import TYPES, from_json
from hexad.memory.redaction import redact
from hexad.model import Knowledge, Layer
from hexad.skills import templates
from hexad.text.words import terms
from tests import fuzzing_edges

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS, MEGABYTES = 2.0, 200
HANGS = 60  # seconds on the clock, which a busy machine does not reach either
RESET, STATUS = (
    Path("/proc/self/clear_refs"),
    Path("/proc/self/status"),
)  # so it needs Linux
FRAGMENTS: Final = (
    *(
        "{{ 3**(10**8) }}",
        "{{ 'a'*10**9 }}",
        "{% for a in range(10**9) %}",
        "{{ x|join }}",
        "{%",
        "{{",
        "}}",
        "{# ",
    ),
    *(
        "(a+)+$",
        "(a|a)*b",
        "a" * 40 + "!",
        "[[:",
        "(?P<",
        "\\",
        "^" * 50,
        "((((",
        "))))",
        "[" * 600,
        '{"a":' * 600,
    ),
    *(
        "password: ",
        "api_key=",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "sk-",
        "://u:p@",
        "4111 1111 1111 1111",
        "DE89",
    ),
    *(
        "\ud800",
        "\x00",
        "\u202e",
        "\u200d",
        "\U000e0041",
        "\ufe0f",
        "\u0301" * 40,
        "İ",
        "ß",
        "ﷺ",
        "漢字",
        "비밀번호",
        "🙂",
    ),
    *(
        "&a [*a,*a]",
        "!!python/object:os.system",
        "---\n",
        "name: x\n",
        "\r\n",
        "\t",
        "$(",
        "`",
        "<<E\n",
        "| ",
        "&&",
        ";",
    ),
    *(
        "9" * 5000,
        "-1",
        "1e999",
        "nan",
        "0x",
        "../",
        "/etc/passwd",
        "~",
        "*",
        "%s",
        "=",
        ":",
        "'",
        '"',
        " ",
        "\n",
        ",",
    ),
    *(
        "deploy",
        "the",
        "not",
        "Error: 'x' must be one of a, b",
        "Traceback",
        "timed out",
        "HTTP 503",
        "file_id",
        "rule",
        "For the next sıx days I work from home.",
        "ſıİ",
    ),
)
TEXT: Final = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=8), max_size=12).map(
        "".join
    ),
    st.tuples(st.sampled_from(FRAGMENTS), st.integers(1, 20_000)).map(
        lambda each: (each[0] * each[1])[:150_000]
    ),
    st.text(max_size=40),
)
WORD: Final = (
    st.sampled_from(["a", "deploy", "A", "tool:deploy", "draft", "skill-1", "key"])
    | TEXT
)


class Hostile:
    """An object whose own methods fail."""

    def _fail(self, *_: object) -> Any:
        raise RuntimeError("hostile")

    __str__ = __repr__ = __eq__ = __hash__ = __len__ = __iter__ = __bool__ = (
        __getattr__
    ) = _fail


def _endless() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


def _deep() -> Any:
    found: Any = 1
    for _ in range(3000):
        found = [found]
    return found


ODD: Final = st.sampled_from(
    [None, True, -1, 0, 2**70, 1.5, float("nan"), float("inf"), [], {}, ["a"], {"a": 1}]
)
VALUE: Final = st.one_of(  # what a tool can be given and can return
    st.sampled_from(
        [
            10**5000,
            b"\xff",
            object(),
            print,
            {1, 2},
            {1: 2},
            datetime.min.replace(tzinfo=UTC),
            timedelta.max,
            Path("x"),
        ]
    ),
    st.builds(Hostile),
    st.builds(_endless),
    st.builds(_deep),
)
JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(WORD, inner, max_size=4)
    ),
    max_leaves=12,
)
SCHEMA: Final = st.dictionaries(
    st.sampled_from(
        [
            "type",
            "properties",
            "required",
            "pattern",
            "enum",
            "items",
            "minimum",
            "default",
            "anyOf",
            "$ref",
        ]
    ),
    st.sampled_from(["object", "string", "(a+)+$", "#"]) | JSON,
    max_size=5,
)
DEFINITION: Final = st.one_of(
    TEXT.map(lambda text: {"template": text}),
    TEXT.map(lambda text: {"text": text}),
    TEXT.map(lambda text: {"script": text, "shell": "sh"}),
    st.lists(st.fixed_dictionaries({"tool": WORD, "arguments": JSON}), max_size=4).map(
        lambda steps: {"steps": steps}
    ),
    JSON,
)
LAYERS: Final = st.lists(st.sampled_from([*Layer, "user_knowledge"]) | WORD, max_size=3)
BY_NAME: Final[dict[str, st.SearchStrategy[Any]]] = {
    "layers": st.none() | LAYERS,
    "layer": st.sampled_from(list(Layer)) | WORD,
    "kind": st.sampled_from(["template", "script", "composite", "instruction", "wiki"]) | WORD,
    "category": st.sampled_from(["rule", "fact", "timeout"]) | WORD,
    "origin": st.sampled_from(["user", "agent", "tool", "import"]) | WORD,
    "change": st.sampled_from(["save", "delete", "pin"]) | WORD,
    "definition": DEFINITION,
    "parameters": st.none() | SCHEMA | st.dictionaries(WORD, JSON, max_size=3),
    "metadata": JSON,
    "tags": st.lists(WORD, max_size=4),
    "budget": st.none() | st.integers(),
    "limit": st.integers(),
    "max_per_layer": st.none() | st.integers(),
    "args": JSON | VALUE,
    "result": JSON | VALUE,
    "error": st.none() | TEXT | TEXT.map(ValueError) | VALUE,
    "expires": st.none() | st.datetimes(timezones=st.just(UTC)) | TEXT,
    "position": st.none() | st.integers(),
    "relevance": st.floats(),
    "patience": st.none() | st.floats(0, 0.1),
    "timeout": st.floats(0, 0.1),
    "unseen_for": st.none() | st.timedeltas(),
    "tools": st.just([len, print]) | JSON,
    **dict.fromkeys(["redact", "pinned", "dry_run", "overwrite", "force", "strict", "everything"], st.booleans()),
}  # fmt: skip
OWN: Final = {
    "clock",
    "progress",
    "failure",
    "halt",
    "retriever",
    "provider",
    "token_counter",
    "other",
}  # their types say more
SKIPPED: Final = {"open", "close", "joining", "with_retriever", "arun"}


FIELDS: Final = dict.fromkeys(
    [
        "key",
        "content",
        "name",
        "location",
        "definition",
        "kind",
        "trigger",
        "lines",
        "namespace",
    ],
    JSON,
)


class World:
    """An engine with something in it, and the folder where its files are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hx = hx = Hexad.open(":memory:", enabled=True, semantic=False)
        hx.knowledge.save("deploy", "Deploy on Tuesdays only", category="rule")
        hx.learnings.save(
            trigger="tool:deploy", error_pattern="timed out", fix="wait a minute"
        )
        hx.skills.create(
            "skill-1",
            kind="template",
            description="greet",
            definition={"template": "{{ a }}"},
        )
        hx.skills.activate("skill-1")
        self.found = hx.retrieve("deploy")
        self.given = {
            "retrieval": self.found,
            "prompt": hx.assemble("", self.found),
            "item": self.found.all()[0],
            "entry": hx.knowledge.get("deploy"),
            "tool": len,
        }

    def calls(self) -> dict[str, Callable[..., Any]]:
        """Everything public, by name."""
        hx = self.hx
        parts = (
            hx,
            hx.knowledge,
            hx.proposals,
            hx.references,
            hx.learnings,
            hx.skills,
            hx.habits,
            hx.audit,
        )
        found = {
            f"{type(part).__name__}.{name}": getattr(part, name)
            for part in parts
            for name in dir(type(part))
            if not name.startswith("_")
            and name not in SKIPPED
            and callable(getattr(part, name))
        }
        tools = {f"agent_tools.{tool.__name__}": tool for tool in agent_tools(hx)}
        functions = {f"functions.{each.__name__}": each for each in FUNCTIONS}
        return {**found, **tools, **functions, **fuzzing_edges.calls(hx, self.folder)}

    def arguments(
        self, data: st.DataObject, name: str, call: Callable[..., Any]
    ) -> dict[str, Any]:
        """Some of a call's arguments, and all that it needs."""
        given = {}
        for parameter in inspect.signature(call).parameters.values():
            needed = parameter.default is parameter.empty
            extra = parameter.kind is parameter.VAR_KEYWORD or (
                parameter.name in OWN and not needed
            )
            if extra or (not needed and data.draw(st.integers(0, 2)) == 0):
                continue
            given[parameter.name] = self._value(data, name, parameter.name)
        return given

    def _value(self, data: st.DataObject, call: str, name: str) -> Any:
        if (
            not call.startswith(("functions.", "edges."))
            and data.draw(st.integers(0, 19)) == 0
        ):
            return data.draw(ODD)
        if name in {"file", "folder", "into"}:
            return self._written(data, call)
        if name in self.given and (name != "tool" or call == "Hexad.watch"):
            return self.given[name]
        return data.draw(BY_NAME.get(name, WORD))

    def _written(self, data: st.DataObject, call: str) -> Path:
        """A file, or a folder with one, that holds something hostile."""
        if call.endswith("folder"):
            path = self.folder / f"skill-{data.draw(st.integers(1, 3))}"
            path.mkdir(exist_ok=True)
            if call.endswith("import_folder"):
                head = f"---\nname: {path.name}\ndescription: x\n{data.draw(TEXT)}\n---\n{data.draw(TEXT)}"
                (path / "SKILL.md").write_text(head, encoding="utf-8", errors="replace")
            return path
        path = self.folder / f"{data.draw(st.integers(1, 3))}.jsonl"
        if not call.endswith("backup"):
            line = st.fixed_dictionaries(
                {"type": st.sampled_from([*TYPES, "end"])}, optional=FIELDS
            ).map(json.dumps)
            lines = data.draw(st.lists(line | TEXT, max_size=4))
            path.write_text("\n".join(lines), encoding="utf-8", errors="replace")
        return path


def run_skill(text: str, values: dict[str, Any]) -> None:
    """Find the parameters of a template and render it."""
    templates.parameters_of(text)
    templates.render(text, values)


def read_noun(kind: str, value: Any) -> None:
    """Read a noun from JSON."""
    from_json(TYPES.get(kind, Knowledge), value)


def redact_text(text: str) -> None:
    """Redact a text."""
    redact(text, accounts=True)


def analyse(text: str) -> None:
    """Analyse a text."""
    terms(text)


def open_with(setting: str, value: Any) -> None:
    """Open an engine with one setting."""
    Hexad.open(":memory:", enabled=True, semantic=False, **{setting: value}).close()


FUNCTIONS: Final = (run_skill, read_noun, redact_text, analyse, open_with)
BY_NAME |= {
    "text": TEXT,
    "values": st.dictionaries(WORD, JSON, max_size=3),
    "value": st.dictionaries(WORD, JSON, max_size=5),
    **fuzzing_edges.strategies(WORD, JSON),
    "setting": st.sampled_from(
        [
            each.name
            for each in fields(Settings)
            if each.name not in {"enabled", "semantic"}
        ]
    ),
}


class Hang(BaseException):
    """A call that waits."""


def _hangs(_signal: int, _frame: object) -> None:
    raise Hang


def fault_of(call: Callable[..., Any], given: dict[str, Any]) -> str:
    """What is wrong with a call: a foreign exception, too much time or too much memory;
    empty if nothing is.
    """
    RESET.write_text(
        "5"
    )  # the peak of this process's memory, which is then its present size
    before, started = _peak(), time.process_time()
    signal.signal(signal.SIGALRM, _hangs)
    signal.alarm(HANGS)
    try:
        call(**given)
    except HexadError:
        pass
    except Hang as hang:
        return f"hangs in {_place(hang)}"
    except fuzzing_edges.Unexpected as error:
        return ascii(error)
    except Exception as error:
        return f"{type(error).__name__} in {_place(error)}"
    finally:
        signal.alarm(0)
    if (spent := time.process_time() - started) > SECONDS:
        return f"computes for {spent:.0f} seconds"
    if (grown := _peak() - before) > MEGABYTES:
        return f"needs {grown:.0f} MB"
    return ""


def _place(error: BaseException) -> str:
    frames = [
        each
        for each in traceback.extract_tb(error.__traceback__)
        if "/hexad/" in each.filename
    ]
    return (
        f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
        if frames
        else "no file of ours"
    )


def _peak() -> float:
    """The most memory that this process had since the last reset, in megabytes."""
    [line] = (
        each for each in STATUS.read_text().splitlines() if each.startswith("VmHWM")
    )
    return int(line.split()[1]) / 1024


def fuzz(
    seconds: float, first: int = 0, show: Callable[[str], object] = print
) -> tuple[int, set[str]]:
    """Make calls until the time is over; returns how many, and the findings, each shown
    once.
    """
    logging.disable(logging.CRITICAL)
    try:
        return _fuzzed(seconds, first, show)
    finally:
        logging.disable(logging.NOTSET)


def _fuzzed(
    seconds: float, first: int, show: Callable[[str], object]
) -> tuple[int, set[str]]:
    end, made, findings = time.monotonic() + seconds, 0, set[str]()

    @settings(
        max_examples=200, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck), verbosity=Verbosity.quiet,
    )  # fmt: skip
    @given(st.data())
    def calls(data: st.DataObject) -> None:
        nonlocal made
        world = World(folder)
        known = world.calls()
        for _ in range(data.draw(st.integers(1, 6))):
            name = data.draw(st.sampled_from(sorted(known)))
            given = world.arguments(data, name, known[name])
            made += 1
            fault = fault_of(known[name], given)
            if fault and (finding := f"{name}: {fault}") not in findings:
                findings.add(finding)
                show(f"{finding} {_shown(given)}")
        if damage := world.hx.check():
            findings.add(f"{[str(each) for each in damage]} after {name}")
        world.hx.close()

    with tempfile.TemporaryDirectory() as made_for_it:
        folder = Path(made_for_it)
        while True:
            seed(first)(calls)()
            first += 1
            if time.monotonic() > end:
                break
    return made, findings


def _shown(given: dict[str, Any]) -> str:
    """The arguments, each cut short."""
    shown = []
    for name, value in given.items():
        with suppress(Exception):
            shown.append(f"{name}={repr(value)[:200]}")
    return ascii(", ".join(shown))


if __name__ == "__main__":
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    start = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    print(f"fuzzing for {minutes:g} minutes from seed {start}", flush=True)
    made, findings = fuzz(minutes * 60, start, partial(print, flush=True))
    print(f"{made:,} calls, {len(findings)} findings")
    sys.exit(bool(findings))
