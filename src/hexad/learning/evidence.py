"""Evidence on a learning: examples and lessons come in, and what is shown, with how
much trust, follows from them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.calls.commands import (
    advises_rights,
    head,
    main_commands,
    runs_the_same,
    shell_text,
    words_in,
)
from hexad.examples import Evidence, Example, Lesson
from hexad.learning.confidence import confidence
from hexad.learning.difference import Difference
from hexad.model import TRUSTED, Learning, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

MOST_EXAMPLES: Final = 4  # of a learning
MOST_LESSONS: Final = 8
_MOST_NAMES: Final = 4
_WORD: Final = re.compile(r"[\w.+-]+")
_SAYS: Final = {
    Origin.USER: "A person says",
    Origin.AGENT: "An agent noted",
    Origin.IMPORT: "An import says",
}


class Shown(NamedTuple):
    """What is shown about an error: a lesson, or an example."""

    learning: Learning
    text: str
    trust: float
    example: Example | None = None
    by_user: bool = False

    @property
    def note(self) -> str:
        """The text with who says it: an example speaks for itself."""
        if self.example is not None:
            return self.text
        return f"{_SAYS.get(self.learning.origin, 'Somebody said')}: {self.text}"

    @property
    def trusted(self) -> bool:
        """Whether it has enough trust for `fix_for`."""
        return self.trust > TRUSTED


def settled(learning: Learning, evidence: Evidence) -> Learning:
    """A learning with this evidence: its lesson, its counts and its trust follow."""
    example_trust = _trust_of_examples(learning, evidence)
    best = _best_lesson(learning, evidence)
    held = replace(learning, evidence=evidence.to_json())
    if best is None:
        origin = learning.origin if learning.diagnosis else Origin.TOOL
        worked, failed = evidence.worked, evidence.failed
        return replace(
            held,
            fix="",
            origin=origin,
            trust=example_trust,
            worked=worked,
            failed=failed,
        )
    lesson_trust = _trust_of(learning, best)
    by_lesson = lesson_trust >= example_trust
    counted = best if by_lesson else evidence
    return replace(
        held,
        fix=best.text,
        origin=Origin(best.origin),
        trust=max(lesson_trust, example_trust),
        worked=counted.worked,
        failed=counted.failed,
    )


def with_example(learning: Learning, example: Example) -> Learning:
    """A learning that knows one more example, or one better."""
    evidence = learning.known
    signature = Difference.from_json(example.change).signature
    others = [
        each
        for each in evidence.examples
        if Difference.from_json(each.change).signature != signature
    ]
    same = [each for each in evidence.examples if each not in others]
    every = [same[0].again(example) if same else example, *others]
    kept = sorted(
        every, key=lambda each: (each.rejected, each.times, each.at), reverse=True
    )[:MOST_EXAMPLES]
    if every[0] not in kept:  # the latest stays, so that it can be seen again
        kept[-1] = every[0]
    return settled(learning, replace(evidence, examples=tuple(kept)))


def with_lesson(learning: Learning, text: str, origin: Origin) -> Learning:
    """A learning with a lesson in somebody's words; the same again by the user
    overrules its failures so far.
    """
    evidence = learning.known
    said = [
        each for each in evidence.lessons if each.text == text and each.origin == origin
    ]
    fresh = Lesson(text=text, origin=origin)
    keeps = said and origin is not Origin.USER
    others = [each for each in evidence.lessons if each not in said]
    lessons = (*others, said[0] if keeps else fresh)[-MOST_LESSONS:]
    return settled(learning, replace(evidence, lessons=lessons))


def with_same_call(learning: Learning) -> Learning:
    """A learning about an error after which the very same call worked: it was no
    mistake of the call.
    """
    evidence = learning.known
    return settled(learning, replace(evidence, same=evidence.same + 1))


def with_names(learning: Learning, names: Iterable[str]) -> Learning:
    """A learning that is also about these programs."""
    evidence = learning.known
    every = tuple(dict.fromkeys((*evidence.names, *names)))[:_MOST_NAMES]
    return (
        learning
        if every == evidence.names
        else settled(learning, replace(evidence, names=every))
    )


def counted(learning: Learning, *, worked: bool, by_lesson: bool) -> Learning:
    """A learning after a session that was shown its lesson, or its example, tried it,
    and went on or did not.
    """
    evidence = learning.known
    name = "worked" if worked else "failed"
    if not by_lesson:
        return settled(
            learning, replace(evidence, **{name: getattr(evidence, name) + 1})
        )
    lessons = [
        replace(each, **{name: getattr(each, name) + 1})
        if each.text == learning.fix
        else each
        for each in evidence.lessons
    ]
    return settled(learning, replace(evidence, lessons=tuple(lessons)))


def rejected(learning: Learning) -> Learning:
    """A learning whose lesson, or whose examples if it has none, a person rejected."""
    evidence = learning.known
    if learning.fix:
        lessons = [
            replace(each, rejected=each.rejected or each.text == learning.fix)
            for each in evidence.lessons
        ]
        return settled(learning, replace(evidence, lessons=tuple(lessons)))
    examples = [replace(each, rejected=True) for each in evidence.examples]
    return settled(learning, replace(evidence, examples=tuple(examples)))


def without_session(learning: Learning, session: str) -> Learning:
    """A learning without the examples that only one session gave."""
    evidence = learning.known
    left: list[Example] = []
    for each in evidence.examples:
        if session not in each.sessions:
            left.append(each)
        elif each.sessions != (session,):
            others = tuple(name for name in each.sessions if name != session)
            left.append(
                replace(each, sessions=others, times=max(1, each.times - 1), said="")
            )
    same = tuple(left) == evidence.examples
    return (
        learning if same else settled(learning, replace(evidence, examples=tuple(left)))
    )


def joined(first: Learning, others: Sequence[Learning]) -> Learning:
    """One learning of several about the same error: every count, lesson and example of
    them.
    """
    whole = first
    for other in others:
        evidence, more = whole.known, other.known
        said = {known.text for known in evidence.lessons}
        lessons = [each for each in more.lessons if each.text not in said]
        merged = replace(
            evidence,
            lessons=(*evidence.lessons, *lessons)[-MOST_LESSONS:],
            worked=evidence.worked + more.worked,
            failed=evidence.failed + more.failed,
            same=evidence.same + more.same,
            names=tuple(dict.fromkeys((*evidence.names, *more.names)))[:_MOST_NAMES],
        )
        whole = replace(
            whole,
            seen=whole.seen + other.seen,
            sessions=whole.sessions + other.sessions,
            unaided=whole.unaided + other.unaided,
            stuck=whole.stuck + other.stuck,
            diagnosis=whole.diagnosis or other.diagnosis,
            tags=tuple(dict.fromkeys((*whole.tags, *other.tags))),
            use_count=whole.use_count + other.use_count,
            redactions=tuple(sorted({*whole.redactions, *other.redactions})),
            verbatim=whole.verbatim or other.verbatim,
        )
        whole = settled(whole, merged)
        for example in more.examples:
            whole = with_example(whole, example)
    return whole


def is_corrected(learning: Learning) -> bool:
    """Whether a user gave one of its lessons."""
    return any(each.origin == Origin.USER for each in learning.known.lessons)


def shown_of(
    learning: Learning,
    arguments: Mapping[str, Any] | None,
    error: str,
    *,
    asked: bool,
    brief: bool,
) -> list[Shown]:
    """What a learning can show about a failed call: its lesson, and the example that
    speaks to this call.

    Without ``arguments`` any of its examples. What takes rights is shown only to who
    ``asked``.
    """
    found: list[Shown] = []
    if learning.fix and _may_say(learning, arguments, asked=asked):
        lesson = _best_lesson(learning, learning.known)
        by_user = lesson is not None and lesson.origin == Origin.USER
        trust = learning.trust if lesson is None else _trust_of(learning, lesson)
        found.append(Shown(learning, learning.fix, trust, by_user=by_user))
    example = example_for(learning, arguments, error, asked=asked)
    if example is not None:
        before = (
            learning.sessions - 1 if brief else learning.sessions
        )  # who reads about it now has met it too
        text = example.text(learning.tool, sessions=before, brief=brief)
        found.append(
            Shown(learning, text, _trust_of_examples(learning, learning.known), example)
        )
    return found


def example_for(
    learning: Learning, arguments: Mapping[str, Any] | None, error: str, *, asked: bool
) -> Example | None:
    """The example that speaks to a failed call: the most frequent, then the most alike,
    then the latest.
    """
    every = [each for each in learning.known.shown if asked or not each.rights]
    if arguments is None:
        return every[0] if every else None
    fitting = [each for each in every if _speaks_to(each, arguments, error)]
    return (
        max(fitting, key=lambda each: (each.times, _alike(each, arguments), each.at))
        if fitting
        else None
    )


def general_examples(learning: Learning) -> list[Example]:
    """The examples that do not hang on the values of one call."""
    return [each for each in learning.known.shown if each.general]


def _may_say(
    learning: Learning, arguments: Mapping[str, Any] | None, *, asked: bool
) -> bool:
    """Whether a lesson belongs beside a call: a risky one is a person's, one about a
    shell names its program.
    """
    if (
        not asked
        and learning.origin is not Origin.USER
        and advises_rights(learning.fix)
    ):
        return False
    text = shell_text(arguments)
    if learning.template or text is None:
        return True
    said = set(_WORD.findall(learning.fix.casefold()))
    return any(said.intersection(head(command)) for command in main_commands(text))


def _speaks_to(example: Example, arguments: Mapping[str, Any], error: str) -> bool:
    own, other = shell_text(arguments), shell_text(example.failed)
    if (own is None) != (other is None) or (
        own and other and not runs_the_same(own, other)
    ):
        return False
    return Difference.from_json(example.change).speaks_to(arguments, error)


def _alike(example: Example, arguments: Mapping[str, Any]) -> int:
    own, other = shell_text(arguments), shell_text(example.failed)
    if own is None or other is None:
        return sum(
            example.failed.get(name) == value for name, value in arguments.items()
        )
    return sum((words_in(own) & words_in(other)).values())


def _best_lesson(learning: Learning, evidence: Evidence) -> Lesson | None:
    kept = [each for each in evidence.lessons if not each.rejected]
    ranked = [
        (_trust_of(learning, each), each.origin == Origin.USER, place)
        for place, each in enumerate(kept)
    ]
    return kept[max(ranked)[2]] if ranked else None


def _trust_of(learning: Learning, lesson: Lesson) -> float:
    base = {"unaided": learning.unaided, "stuck": learning.stuck}
    return confidence(
        lesson.worked, lesson.failed, origin=lesson.origin, visible=False, **base
    )


def _trust_of_examples(learning: Learning, evidence: Evidence) -> float:
    if not evidence.shown:
        return 0.0
    return confidence(
        evidence.worked, evidence.failed, unaided=learning.unaided, stuck=learning.stuck
    )
