"""Several runs of the same tools → one procedure: what was always the same stays, what differed becomes a parameter.

Each argument has a fingerprint (does it differ?) and, where it is short and no secret, its value. A value that is the
same in every run is a constant. One that was given to an earlier step too is the same parameter. One that an earlier
step's result held, at the same place in every run, refers to that result. Everything else is a parameter of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from hexad.memory.value_fingerprints import MOST_FINGERPRINTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hexad.model import Json

    Path: TypeAlias = tuple[str, ...]

_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_STEP_IN: Final = re.compile(r"[A-Za-z0-9_-]+")  # what a reference may have behind a dot
_NAMELESS: Final = re.compile(r"argument \d+")  # the name of an argument whose tool has no signature
_TYPES: Final = {"s": "string", "b": "boolean", "i": "integer", "n": "number", "a": "array", "o": "object"}


class Seen(NamedTuple):
    """One call of a run: fingerprints of its arguments and its result by path, and the values that a draft may hold."""

    given: Mapping[Path, str]
    gave: Mapping[Path, str]
    values: Mapping[Path, Json]


Runs: TypeAlias = "Sequence[Sequence[Seen]]"  # each as long as the sequence of tools


@dataclass(slots=True)
class Procedure:
    """A composite skill's steps and parameters, while they are being found."""

    tools: Sequence[str]
    runs: Runs
    steps: list[dict[str, Any]] = field(default_factory=list)
    parameters: dict[str, dict[str, Json]] = field(default_factory=dict)
    _known: dict[tuple[str, ...], str] = field(default_factory=dict)  # parameters, by their fingerprints in the runs
    _saved: dict[int, str] = field(default_factory=dict)

    @property
    def schema(self) -> dict[str, Json]:
        """Its parameters as JSON Schema."""
        if not self.parameters:
            return {}
        return {"type": "object", "properties": dict(self.parameters), "required": [*self.parameters]}

    def add(self, place: int) -> None:
        """Find out what the step at a place is given."""
        arguments: dict[str, Any] = {}
        whole = _of_other_keys(self.runs, place)
        for path in _always_given(self.runs, place):
            if path[0] not in whole:
                _put(arguments, path, self._argument(place, path))
        for name in whole:
            arguments[name] = f"{{{{ {self._new_parameter(place, (name,), ('o',))} }}}}"
        self.steps.append({"tool": self.tools[place], "args": arguments})

    def finish(self) -> None:
        """Name the results that later steps refer to."""
        for place, name in self._saved.items():
            self.steps[place]["save_as"] = name

    def _argument(self, place: int, path: Path) -> Json:
        constant, value = _constant(self.runs, place, path)
        if constant:
            return value
        fingerprints = _fingerprints(self.runs, place, path)
        same = fingerprints if _differs(fingerprints) else (*fingerprints, path[-1])  # a constant also by its name
        if same not in self._known:
            source = _source(self.runs, place, fingerprints)
            if source is not None:
                return self._reference(*source)
            self._known[same] = self._new_parameter(place, path, fingerprints)
        return f"{{{{ {self._known[same]} }}}}"

    def _reference(self, place: int, path: Path) -> str:
        name = self._saved.get(place) or self._free(f"{_name(self.tools[place])}_result")
        self._saved[place] = name
        return f"{{{{ {'.'.join((name, *path))} }}}}"

    def _new_parameter(self, place: int, path: Path, fingerprints: tuple[str, ...]) -> str:
        plain = _name(path[-1])
        name = self._free(plain if plain not in self.parameters else f"{_name(self.tools[place])}_{plain}")
        kinds = {fingerprint[0] for fingerprint in fingerprints}
        known = {"type": _TYPES[next(iter(kinds))]} if len(kinds) == 1 and kinds <= _TYPES.keys() else {}
        number = {"type": "number"} if kinds == {"i", "n"} else known
        self.parameters[name] = {**number, "description": f"{'.'.join(path)} of {self.tools[place]}"}
        return name

    def _free(self, name: str) -> str:
        taken = {*self.parameters, *self._saved.values()}
        numbered = (f"{name}_{number}" for number in range(2, len(taken) + 3))
        return next(each for each in (name, *numbered) if each not in taken)


def generalised(tools: Sequence[str], runs: Runs) -> Procedure | None:
    """One procedure that covers all runs; None if a step needs a value that no skill can supply."""
    if any(len(seen.given) >= MOST_FINGERPRINTS for run in runs for seen in run):
        return None  # the recorder keeps no more fingerprints, so values may be missing
    given = [each for run in runs for seen in run for each in seen.given.items()]
    if any(fingerprint[:1] == "x" or _NAMELESS.fullmatch(path[0]) for path, fingerprint in given):
        return None
    procedure = Procedure(tools, runs)
    for place in range(len(tools)):
        procedure.add(place)
    procedure.finish()
    return procedure


def _of_other_keys(runs: Runs, place: int) -> list[str]:
    """Object arguments whose keys differ between runs: each becomes one parameter as a whole."""
    keys: list[dict[str, set[Path]]] = []
    for run in runs:
        keys.append({})
        for path in run[place].given:
            keys[-1].setdefault(path[0], set()).add(path)
    always = [name for name in keys[0] if all(name in found for found in keys)]
    return [name for name in always if any(found[name] != keys[0][name] for found in keys)]


def is_linked(runs: Runs) -> bool:
    """Whether every step shares a value with another step: the same within a run, different between runs."""
    steps = range(len(runs[0]))
    held = [_held(runs, place) for place in steps]
    tied = {place: {other for other in steps if other != place and _tied(held, place, other)} for place in steps}
    reached, waiting = {0}, [0]
    while waiting:
        new = tied[waiting.pop()] - reached
        reached |= new
        waiting += new
    return len(reached) == len(runs[0])


def _held(runs: Runs, place: int) -> tuple[set[tuple[str, ...]], set[tuple[str, ...]]]:
    """Fingerprints of a step's arguments and results in each run; only those that differ between the runs."""
    gave = {path for path in runs[0][place].gave if all(path in run[place].gave for run in runs)}
    given = {_fingerprints(runs, place, path) for path in _always_given(runs, place)}
    results = {tuple(run[place].gave[path] for run in runs) for path in gave}
    return {each for each in given if _differs(each)}, {each for each in results if _differs(each)}


def _tied(held: Sequence[tuple[set[tuple[str, ...]], set[tuple[str, ...]]]], one: int, other: int) -> bool:
    early, late = sorted((one, other))
    given, gave = held[early]
    return not held[late][0].isdisjoint(given | gave)


def _differs(fingerprints: tuple[str, ...]) -> bool:
    """Whether values differ enough to identify them: a flag that is sometimes true identifies nothing."""
    return len(set(fingerprints)) > 1 and all(fingerprint[0] in "sinao" for fingerprint in fingerprints)


def _always_given(runs: Runs, place: int) -> list[Path]:
    """The arguments that every run gave, in the order of the first."""
    return [path for path in runs[0][place].given if all(path in run[place].given for run in runs)]


def _fingerprints(runs: Runs, place: int, path: Path) -> tuple[str, ...]:
    return tuple(run[place].given[path] for run in runs)


def _constant(runs: Runs, place: int, path: Path) -> tuple[bool, Json]:
    """Whether an argument was the same in every run and a draft may hold it; and its value."""
    if len(set(_fingerprints(runs, place, path))) > 1 or any(path not in run[place].values for run in runs):
        return False, None
    values = [run[place].values[path] for run in runs]
    same = all(type(each) is type(values[0]) and each == values[0] for each in values)
    braces = isinstance(values[0], str) and "{{" in values[0]  # it would be read as a reference
    return same and not braces, values[0]


def _source(runs: Runs, place: int, fingerprints: tuple[str, ...]) -> tuple[int, Path] | None:
    """The latest earlier step whose result held these values, and where; nothing for what might be chance."""
    if not _differs(fingerprints):
        return None
    for earlier in range(place - 1, -1, -1):
        for path, first in runs[0][earlier].gave.items():
            held = (run[earlier].gave.get(path, "") for run in runs)
            same = _alike(first, fingerprints[0]) and all(
                _alike(*pair) for pair in zip(held, fingerprints, strict=True)
            )
            if same and all(_STEP_IN.fullmatch(part) for part in path):
                return earlier, path
    return None


def _alike(one: str, other: str) -> bool:
    """Whether two fingerprints may be of the same value; a secret's is shortened."""
    return len(one) > 1 and len(other) > 1 and (one.startswith(other) or other.startswith(one))


def _put(arguments: dict[str, Any], path: Path, value: Json) -> None:
    for name in path[:-1]:
        arguments = arguments.setdefault(name, {})
    arguments[path[-1]] = value


def _name(text: str) -> str:
    """A word that a reference can begin with.

    >>> _name("get user-id"), _name("2nd"), _name("…")
    ('get_user_id', 'p_2nd', 'value')
    """
    name = "_".join(_WORD.findall(text))[:40] or "value"
    return name if name[0].isalpha() else f"p_{name}"
