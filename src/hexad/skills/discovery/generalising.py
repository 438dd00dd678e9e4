"""Several runs of the same tools → one procedure: what was always the same stays, what
differed becomes a parameter.

Each argument has a fingerprint (does it differ?) and, where it is short and no secret,
its value. A value that is the same in every run is a constant. One that was given to an
earlier step too is the same parameter. One that an earlier step's result held, at the
same place in every run, refers to that result. Everything else is a parameter of its
own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from hexad.memory.keys import numbered
from hexad.memory.value_fingerprints import MOST_FINGERPRINTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hexad.model import Json

    Path: TypeAlias = tuple[str, ...]
    Values: TypeAlias = tuple[str, ...]  # the fingerprints of a value in each run

_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_STEP_IN: Final = re.compile(
    r"[A-Za-z0-9_-]+"
)  # what a reference may have behind a dot
_NAMELESS: Final = re.compile(
    r"argument \d+"
)  # the name of an argument whose tool has no signature
_TYPES: Final = {
    "s": "string",
    "b": "boolean",
    "i": "integer",
    "n": "number",
    "a": "array",
    "o": "object",
}


class Seen(NamedTuple):
    """One call of a run: fingerprints of its arguments and its result by path, and the
    values that a draft may hold.
    """

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
    _known: dict[Values, str] = field(
        default_factory=dict
    )  # parameters, by their fingerprints in the runs
    _saved: dict[int, str] = field(default_factory=dict)

    @property
    def schema(self) -> dict[str, Json]:
        """Its parameters as JSON Schema."""
        if not self.parameters:
            return {}
        return {
            "type": "object",
            "properties": dict(self.parameters),
            "required": [*self.parameters],
        }

    def add(self, place: int) -> None:
        """Find out what the step at a place is given."""
        arguments: dict[str, Any] = {}
        whole = _of_other_keys(self.runs, place)
        for path, fingerprints in _in_all(
            run[place].given for run in self.runs
        ).items():
            if path[0] not in whole:
                _put(arguments, path, self._argument(place, path, fingerprints))
        for name in whole:
            arguments[name] = f"{{{{ {self._new_parameter(place, (name,), ('o',))} }}}}"
        self.steps.append({"tool": self.tools[place], "args": arguments})

    def _argument(self, place: int, path: Path, fingerprints: Values) -> Json:
        if len(set(fingerprints)) == 1 and all(
            path in run[place].values for run in self.runs
        ):
            held = self.runs[0][place].values[path]
            is_same = all(run[place].values[path] == held for run in self.runs)
            if is_same and "{{" not in str(held):  # it would be read as a reference
                return held
        same = (
            fingerprints if _differs(fingerprints) else (*fingerprints, path[-1])
        )  # a constant also by its name
        if same not in self._known:
            source = _source(self.runs, place, fingerprints)
            if source is not None:
                return self._reference(*source)
            self._known[same] = self._new_parameter(place, path, fingerprints)
        return f"{{{{ {self._known[same]} }}}}"

    def _reference(self, place: int, path: Path) -> str:
        name = self._saved.get(place) or self._free(
            f"{_name(self.tools[place])}_result"
        )
        self._saved[place] = self.steps[place]["save_as"] = name
        return f"{{{{ {'.'.join((name, *path))} }}}}"

    def _new_parameter(self, place: int, path: Path, fingerprints: Values) -> str:
        plain = _name(path[-1])
        name = self._free(
            plain
            if plain not in self.parameters
            else f"{_name(self.tools[place])}_{plain}"
        )
        kinds = {fingerprint[0] for fingerprint in fingerprints}
        known = (
            {"type": _TYPES[next(iter(kinds))]}
            if len(kinds) == 1 and kinds <= _TYPES.keys()
            else {}
        )
        number = {"type": "number"} if kinds == {"i", "n"} else known
        self.parameters[name] = {
            **number,
            "description": f"{'.'.join(path)} of {self.tools[place]}",
        }
        return name

    def _free(self, name: str) -> str:
        taken = {*self.parameters, *self._saved.values()}
        return next(each for each in numbered(name, "_") if each not in taken)


def generalised(tools: Sequence[str], runs: Runs) -> Procedure | None:
    """One procedure that covers all runs; None if a step needs a value that no skill
    can supply.
    """
    if any(len(seen.given) >= MOST_FINGERPRINTS for run in runs for seen in run):
        return None  # the recorder keeps no more fingerprints, so values may be missing
    given = [each for run in runs for seen in run for each in seen.given.items()]
    if any(
        fingerprint[:1] == "x" or _NAMELESS.fullmatch(path[0])
        for path, fingerprint in given
    ):
        return None
    procedure = Procedure(tools, runs)
    for place in range(len(tools)):
        procedure.add(place)
    return procedure


def _of_other_keys(runs: Runs, place: int) -> list[str]:
    """Object arguments whose keys differ between runs: each becomes one parameter as a
    whole.
    """
    paths = [set(run[place].given) for run in runs]
    partly = {
        path[0] for path in paths[0].union(*paths) - paths[0].intersection(*paths)
    }
    everywhere = partly
    for each in paths:
        everywhere &= {path[0] for path in each}
    return sorted(everywhere)


def is_linked(runs: Runs) -> bool:
    """Whether every later step is given a value of an earlier one: the same within a
    run, different between runs.
    """
    known: set[Values] = set()
    for place in range(len(runs[0])):
        given = _in_all(run[place].given for run in runs).values()
        gave = _in_all(run[place].gave for run in runs).values()
        if place and known.isdisjoint(given):
            return False
        known |= {each for each in (*given, *gave) if _differs(each)}
    return True


def _differs(fingerprints: Values) -> bool:
    """Whether values differ enough to identify them: a flag that is sometimes true
    identifies nothing.
    """
    return len(set(fingerprints)) > 1 and all(
        fingerprint[0] in "sinao" for fingerprint in fingerprints
    )


def _in_all(runs: Iterable[Mapping[Path, str]]) -> dict[Path, Values]:
    """The fingerprints common to all runs, by path."""
    first, *others = runs
    common = {}
    for path in first:
        if all(path in each for each in others):
            common[path] = tuple(each[path] for each in (first, *others))
    return common


def _source(runs: Runs, place: int, fingerprints: Values) -> tuple[int, Path] | None:
    """The latest earlier step whose result held these values, and where; nothing for
    what might be chance.
    """
    for earlier in range(place - 1, -1, -1) if _differs(fingerprints) else ():
        for path, gave in _in_all(run[earlier].gave for run in runs).items():
            if all(map(_alike, gave, fingerprints)) and all(
                _STEP_IN.fullmatch(part) for part in path
            ):
                return earlier, path
    return None


def _alike(one: str, other: str) -> bool:
    """Whether two fingerprints may be of the same value; a secret's is shortened."""
    return (
        len(one) > 1
        and len(other) > 1
        and (one.startswith(other) or other.startswith(one))
    )


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
