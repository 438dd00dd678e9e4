"""An agent that reads what Hexad shows against one that does not: 20 tools with hidden
rules, 200 tasks.

Run it with ``python -m benchmarks.simulated_agent 1 2 3`` for some seeds. Both agents
are the same program. Each sees a task, the tools' names and parameters, the text of its
prompt, and the errors of its calls. Where a call fails it tries what one would try:
other forms for the argument that the error names, other helpers, once more. The reader
also does as the examples did: those in its prompt, those beside an error, and the notes
with a tool. It knows nothing else of Hexad.
"""

from __future__ import annotations

import json
import random
import re
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.figures import Figure
from hexad import Hexad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Rule = Callable[["Attempt"], str | None]

TOOLS, TASKS, LAST, SEEDS, MOST_TRIES = 20, 200, 50, 20, 16
TWO_RULES = 6  # tools that have a second rule
OUTAGE = 0.03  # calls that fail for no reason that anybody could learn
WANTED = 0.6
VERBS = (
    "create",
    "update",
    "cancel",
    "list",
    "send",
    "fetch",
    "book",
    "archive",
    "share",
    "export",
)
NOUNS = (
    "invoice",
    "meeting",
    "ticket",
    "parcel",
    "report",
    "contract",
    "booking",
    "playlist",
    "recipe",
    "payment",
)
HELPERS = ("login", "open_session", "refresh_token", "select_workspace")
WORDS = (
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "harbor",
    "iris",
    "juniper",
    "kelp",
    "lotus",
)


# --- the world: tools whose rules nobody explains -------------------------------------------------------------------


@dataclass(frozen=True)
class Attempt:
    """One call, as a rule sees it."""

    arguments: dict[str, Any]
    helped: set[str]
    number: int


@dataclass(frozen=True)
class Tool:
    """A tool: what it takes, and a rule that it keeps to itself."""

    name: str
    parameters: tuple[str, ...]
    rules: tuple[Rule, ...]


class World:
    """Twenty tools, in one session: a helper that was called is remembered until the
    session ends.
    """

    def __init__(self, tools: Sequence[Tool], chance: random.Random) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self.chance = chance
        self.helped: set[str] = set()
        self.failed = 0
        self.calls = 0

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The result of the tool, or the error that it raises."""
        if name in HELPERS:
            self.helped.add(name)
            return "ok"
        self.calls += 1
        trouble = self._trouble(self.tools[name], arguments)
        if trouble is not None:
            self.failed += 1
            raise ValueError(trouble)
        return "done"

    def _trouble(self, tool: Tool, arguments: dict[str, Any]) -> str | None:
        if self.chance.random() < OUTAGE:
            return f"upstream temporarily unavailable, incident {self.calls:04d}"
        attempt = Attempt(
            arguments, self.helped, self.calls + self.chance.randrange(10_000)
        )
        return next((said for rule in tool.rules if (said := rule(attempt))), None)


def must_match(parameter: str, pattern: str) -> Rule:
    """A text in one form."""

    def rule(attempt: Attempt) -> str | None:
        value = attempt.arguments.get(parameter)
        if isinstance(value, str) and re.fullmatch(pattern, value):
            return None
        return f"invalid value {value!r} for field '{parameter}' (request {attempt.number}-a{attempt.number % 97})"

    return rule


def must_be(parameter: str, kind: type) -> Rule:
    """A value of one type."""

    def rule(attempt: Attempt) -> str | None:
        value = attempt.arguments.get(parameter)
        if type(value) is kind:
            return None
        return (
            f"could not read parameter '{parameter}': unexpected {type(value).__name__} "
            f"at offset {attempt.number * 7}"
        )

    return rule


def needs(parameter: str, value: str) -> Rule:
    """An argument that nobody mentions, with one right value."""

    def rule(attempt: Attempt) -> str | None:
        if attempt.arguments.get(parameter) == value:
            return None
        return f"rejected by policy: option '{parameter}' is not acceptable [trace {attempt.number:08x}]"

    return rule


def refuses(parameter: str) -> Rule:
    """An argument that must not be there."""

    def rule(attempt: Attempt) -> str | None:
        return (
            None
            if parameter not in attempt.arguments
            else f"conflict around option '{parameter}' in transaction {attempt.number}"
        )

    return rule


def after(helper: str) -> Rule:
    """Another tool must have been called before."""

    def rule(attempt: Attempt) -> str | None:
        return (
            None
            if helper in attempt.helped
            else f"precondition not met for request {attempt.number} (state 0x{attempt.number * 97:x})"
        )

    return rule


def make_tools(chance: random.Random) -> list[Tool]:
    """Tools with names, parameters and rules drawn by a seed."""
    names = chance.sample([f"{verb}_{noun}" for verb in VERBS for noun in NOUNS], TOOLS)
    rules: list[Callable[[], tuple[str, Rule]]] = [
        lambda: ("day", must_match("day", r"\d{4}-\d\d-\d\d")),
        lambda: ("day", must_match("day", r"\d\d/\d\d/\d{4}")),
        lambda: ("start", must_match("start", r"\d{4}-\d\d-\d\d \d\d:\d\d")),
        lambda: ("owner", must_be("owner", list)),
        lambda: ("amount", must_be("amount", int)),
        lambda: ("amount", must_match("amount", r"\d+")),
        lambda: ("currency", must_match("currency", r"[A-Z]+")),
        lambda: ("label", must_match("label", r"#\w+")),
        lambda: (
            "unit",
            needs("unit", chance.choice(("metric", "imperial", "nautical"))),
        ),
        lambda: (
            "region",
            needs(
                "region", chance.choice(("eu-west", "us-east", "ap-south", "sa-north"))
            ),
        ),
        lambda: ("verbose", refuses("verbose")),
        lambda: ("", after(chance.choice(HELPERS))),
    ]
    chosen = [*rules, *(chance.choice(rules) for _ in range(TOOLS - len(rules)))]
    chance.shuffle(chosen)
    seconds = [
        chance.choice(rules) if number < TWO_RULES else None for number in range(TOOLS)
    ]
    return [
        _tool(name, [make() for make in (first, second) if make is not None])
        for name, first, second in zip(names, chosen, seconds, strict=True)
    ]


def _tool(name: str, made: Sequence[tuple[str, Rule]]) -> Tool:
    different = dict(made)  # of two rules about one parameter the second
    parameters = dict.fromkeys(("subject", *filter(None, different), "note"))
    return Tool(name, tuple(parameters), tuple(different.values()))


# --- the agent -------------------------------------------------------------------------------------------------------

FORMS: Mapping[str, Callable[[Any], Any]] = {
    "YYYY-MM-DD": lambda value: "-".join(_date(value)),
    "DD/MM/YYYY": lambda value: "/".join(reversed(_date(value))),
    "YYYY-MM-DD HH:MM": lambda value: f"{'-'.join(_date(value))} {_time(value)}",
    "YYYY-MM-DDTHH:MM": lambda value: f"{'-'.join(_date(value))}T{_time(value)}",
    "a list of text": lambda value: value if isinstance(value, list) else [str(value)],
    "a whole number": lambda value: int(re.sub(r"\D", "", str(value)) or 0),
    "digits": lambda value: re.sub(r"\D", "", str(value)) or "0",
    "upper case": lambda value: _one(value).upper(),
    "lower case": lambda value: _one(value).lower(),
    "text that starts with '#'": lambda value: f"#{_one(value).lstrip('#')}",
    "text": lambda value: value if isinstance(value, str) else str(value),
}
GUESSES: Mapping[str, Sequence[str]] = {
    "unit": ("metric", "imperial", "nautical"),
    "region": ("eu-west", "us-east", "ap-south", "sa-north"),
}
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
)


IN_WORDS = (
    "Please {verb} the {noun} for {subject}, {note}.",
    "Could you {verb} my {noun}: {subject}, {note}?",
    "I need to {verb} a {noun} about {subject}. {note}",
    "{noun} {subject}: {verb} it, {note}",
)
BY_NAME = ("Please use {tool} for {subject}, {note}.",)


@dataclass(frozen=True)
class Task:
    """A wish of the user: a message, the tool for it, and the values as a person writes
    them.
    """

    message: str
    tool: str
    values: dict[str, Any]


def make_task(
    tools: Sequence[Tool], chance: random.Random, ways: Sequence[str]
) -> Task:
    """A task for one of the tools, described in one of the ways."""
    tool = chance.choice(tools)
    day, month, hour = (
        chance.randint(1, 28),
        chance.randrange(len(MONTHS)),
        chance.randint(8, 18),
    )
    said = {
        "subject": " ".join(chance.sample(WORDS, 2)),
        "note": " ".join(chance.sample(WORDS, 3)),
        "day": f"{day} {MONTHS[month]} 2026",
        "start": f"{day} {MONTHS[month]} 2026 at {hour}:00",
        "owner": chance.choice(WORDS),
        "amount": f"{chance.randint(5, 900)} pieces",
        "currency": chance.choice(("eur", "usd", "sek")),
        "label": chance.choice(WORDS),
        "verbose": True,
    }
    values = {name: said[name] for name in tool.parameters if name in said}
    verb, _, noun = tool.name.partition("_")
    said |= {"tool": tool.name, "verb": verb, "noun": noun}
    return Task(chance.choice(ways).format(**said), tool.name, values)


@dataclass
class Agent:
    """Tries, reads its prompt if it is a reader, and tries again."""

    chance: random.Random
    reads: bool

    def work(
        self,
        task: Task,
        call: Callable[[str, dict[str, Any]], str],
        prompt: Callable[[str], str],
    ) -> None:
        """Do one task: it ends with the first call that works, or when patience does."""
        arguments = dict(task.values)
        for text in read_prompt(prompt(task.message), task.tool) if self.reads else ():
            imitate(text, task.tool, arguments, call)
        ideas: dict[str, Iterator[Callable[[], object]]] = {}
        for _ in range(MOST_TRIES):
            before = dict(arguments)
            try:
                call(task.tool, arguments)
            except ValueError as error:
                said, _, shown = str(error).partition("\nFrom memory: ")
                if self.reads and shown:
                    imitate(shown, task.tool, arguments, call)
                if arguments != before or "then the same call" in shown:
                    continue
                named = re.search(r"(?:field|parameter|option) '(\w+)'", said)
                about = (
                    named[1] if named else "helper" if "precondition" in said else ""
                )
                if about and (
                    idea := next(
                        ideas.setdefault(about, self._ideas(about, arguments, call)),
                        None,
                    )
                ):
                    idea()
            else:
                return

    def _ideas(
        self, about: str, arguments: dict[str, Any], call: Callable[..., str]
    ) -> Iterator[Callable[[], object]]:
        """The next attempt: other forms of what the error names, leaving it out, or
        else a helper.
        """
        if about == "helper":
            yield from (
                partial(call, helper, {})
                for helper in self.chance.sample(HELPERS, len(HELPERS))
            )
            return
        was = arguments.get(about)
        forms = [*GUESSES.get(about, ())] or [form(was) for form in FORMS.values()]
        ideas = [
            partial(arguments.update, {about: value}) for value in forms if value != was
        ]
        ideas.append(partial(arguments.pop, about, None))
        yield from self.chance.sample(ideas, len(ideas))


def read_prompt(prompt: str, tool: str) -> Iterator[str]:
    """The texts about a tool in a prompt: its lines under Known Solutions, and the note
    with the tool.
    """
    section = prompt.partition("## Known Solutions\n")[2].partition("\n## ")[0]
    for line in section.splitlines():
        found = re.match(rf"- \[[^\]]*\] tool:{re.escape(tool)}: (.*)", line)
        if found:
            yield json.loads(found[1]) if found[1].startswith('"') else found[1]
    note = re.search(
        rf"^{re.escape(tool)}: Known from earlier calls: give (.*)\.$",
        prompt,
        re.MULTILINE,
    )
    if note:
        yield f"({note[1]})"


def imitate(
    text: str, tool: str, arguments: dict[str, Any], call: Callable[..., str]
) -> None:
    """Do as the call did that worked: give the forms that it had, and what it had
    besides.
    """
    _, _, worked = text.rpartition("What worked next")
    for helper in re.findall(r"(\w+)\(\), then the same call", worked):
        call(helper, {})
    for name, form in re.findall(r"`(\w+)` as (.+?), not as ", worked):
        _give(arguments, name, form)
    for name in re.findall(r"without `(\w+)`", worked):
        arguments.pop(name, None)
    held = worked.partition(f"{tool}(")[2].partition(")")[0]
    for name, value in re.findall(r"(\w+)=(\"[^\"]*\"|[\d.]+|true|false)", held):
        if f"with `{name}`" in worked:
            arguments[name] = json.loads(value)


def _give(arguments: dict[str, Any], name: str, form: str) -> None:
    if name in arguments and form in FORMS:
        arguments[name] = FORMS[form](arguments[name])


def _date(value: Any) -> tuple[str, str, str]:
    found = re.search(r"(\d+) (\w+) (\d{4})", str(value))
    if found is None or found[2] not in MONTHS:
        return "2026", "01", "01"
    return found[3], f"{MONTHS.index(found[2]) + 1:02d}", f"{int(found[1]):02d}"


def _time(value: Any) -> str:
    found = re.search(r"at (\d+):(\d\d)", str(value))
    return f"{int(found[1]):02d}:{found[2]}" if found else "00:00"


def _one(value: Any) -> str:
    return re.sub(r"\W", "", str(value).split()[0]) if str(value).split() else "x"


# --- the experiment --------------------------------------------------------------------------------------------------


def run(
    seed: int, *, reads: bool, folder: Path, ways: Sequence[str] = IN_WORDS
) -> list[int]:
    """How many calls failed in each task."""
    tools = make_tools(random.Random(seed))
    tasks, chance = random.Random(f"tasks {seed}"), random.Random(f"agent {seed}")
    agent, failures, outages = (
        Agent(chance, reads),
        [],
        random.Random(f"outages {seed}"),
    )
    with Hexad.open(
        folder / f"agent-{seed}-{reads}-{len(ways)}.db", enabled=reads
    ) as hx:
        for number in range(TASKS):
            world, scope = World(tools, outages), hx.scoped(session=f"task {number}")
            agent.work(
                make_task(tools, tasks, ways),
                _watched(world, scope),
                _prompting(scope, list(world.tools)),
            )
            failures.append(world.failed)
    return failures


def _watched(world: World, hx: Hexad) -> Callable[[str, dict[str, Any]], str]:
    def tool(name: str) -> Callable[..., str]:
        return hx.watch(
            lambda **arguments: world.call(name, arguments), name=name, advise=True
        )

    known = {name: tool(name) for name in (*world.tools, *HELPERS)}
    return lambda name, arguments: known[name](**arguments)


def _prompting(hx: Hexad, names: Sequence[str]) -> Callable[[str], str]:
    def prompt(message: str) -> str:
        notes = hx.learnings.notes(names) if hx.enabled else {}
        described = "\n".join(f"{name}: {note}" for name, note in notes.items())
        return f"{hx.prompt('You are an agent.', message)}\n\n{described}\n"

    return prompt


def measure(
    folder: Path, seeds: Sequence[int], page: Path | None = None
) -> Iterator[Figure]:
    """Both agents over all seeds, tasks described in two ways: how many fewer of the
    last calls fail, and a plot.
    """
    for described, ways in (("in words", IN_WORDS), ("by the tool's name", BY_NAME)):
        reading = [run(seed, reads=True, folder=folder, ways=ways) for seed in seeds]
        plain = [run(seed, reads=False, folder=folder, ways=ways) for seed in seeds]
        if page is not None and ways is IN_WORDS:
            page.write_text(plot(_curve(reading), _curve(plain)), encoding="utf-8")
        yield _figure(f"tasks described {described}", reading, plain)


def _figure(
    about: str, reading: Sequence[Sequence[int]], plain: Sequence[Sequence[int]]
) -> Figure:
    left = [
        sum(ours[-LAST:]) / max(1, sum(theirs[-LAST:]))
        for ours, theirs in zip(reading, plain, strict=True)
    ]
    ours, theirs = (
        fmean(sum(each[-LAST:]) for each in runs) for runs in (reading, plain)
    )
    detail = f"{ours:.1f} failed calls with memory, {theirs:.1f} without; worst seed {max(left):.2f}"
    name = (
        f"simulated agent, {about}: failed calls in the last {LAST} of {TASKS}, share "
        f"left, mean of {len(left)} seeds"
    )
    return Figure(name, fmean(left), 1 - WANTED, "", detail)


def _curve(runs: Sequence[Sequence[int]], window: int = 10) -> list[float]:
    """Failed calls a task, the mean over seeds and over the tasks around it."""
    means = [fmean(run[task] for run in runs) for task in range(TASKS)]
    return [fmean(means[max(0, task - window) : task + 1]) for task in range(TASKS)]


def plot(reading: Sequence[float], plain: Sequence[float]) -> str:
    """Both curves as a small picture."""
    width, height, left, foot = 640, 300, 44, 36
    top = max(*reading, *plain) * 1.1

    def path(values: Sequence[float]) -> str:
        steps = (width - left - 10) / (len(values) - 1)
        points = (
            f"{left + n * steps:.1f},{(height - foot) * (1 - v / top) + 8:.1f}"
            for n, v in enumerate(values)
        )
        return " ".join(points)

    ticks = "".join(
        f'<text x="{left - 6}" y="{(height - foot) * (1 - n / top) + 12:.0f}" text-anchor="end">{n}</text>'
        for n in range(int(top) + 1)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="12"><rect width="{width}" height="{height}" fill="#ffffff"/>{ticks}'
        f'<path d="M{left},8 V{height - foot + 8} H{width - 10}" fill="none" stroke="#94a3b8"/>'
        f'<polyline points="{path(plain)}" fill="none" stroke="#f59e0b" stroke-width="2"/>'
        f'<polyline points="{path(reading)}" fill="none" stroke="#2563eb" stroke-width="2"/>'
        f'<text x="{left + 10}" y="24" fill="#f59e0b">without memory</text>'
        f'<text x="{left + 120}" y="24" fill="#2563eb">reads what is shown</text>'
        f'<text x="{width / 2}" y="{height - 8}" text-anchor="middle">task</text>'
        f'<text x="12" y="{height / 2}" transform="rotate(-90 12 {height / 2})" text-anchor="middle">'
        "failed calls a task</text></svg>\n"
    )


def main() -> int:
    seeds = [int(argument) for argument in sys.argv[1:]] or list(range(1, SEEDS + 1))
    with TemporaryDirectory(prefix="hexad-agent-") as name:
        figures = list(measure(Path(name), seeds))
    for figure in figures:
        print(*figure.row(), sep=" | ")
    return 1 if any(figure.verdict == "NO" for figure in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
