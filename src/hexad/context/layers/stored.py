"""The persisted layers, in one snapshot: evidence from the index, ranked in process;
only the best rows are read.
"""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from hexad.context.candidates import Candidates, opened, weigh
from hexad.context.floor import Floor
from hexad.context.keywords import personal, quoted
from hexad.context.later import newest_first
from hexad.context.layers import Fate, Judged
from hexad.context.layers.presenting import present
from hexad.context.matching import NEAREST, Matches, habits
from hexad.context.neighbours import lending, mixed
from hexad.context.policy import FEW, MANY, POLICY
from hexad.context.ranking import SLACK, SUBJECT, Ranking
from hexad.context.standing import Room, Stands, fitting
from hexad.errors import DeadlineExceeded, StoreBusy, StoreClosed
from hexad.memory.index.similarity import (
    Nearness,
    Similarity,
    or_by_words_alone,
    without_words,
)
from hexad.model import Item, Knowledge, Layer, Learning, Origin, Query, Reason
from hexad.shape import to_microseconds
from hexad.store import (
    OTHERS,
    LayerEvidence,
    Question,
    Reading,
    Row,
    Sketch,
    Sketches,
    Store,
    sketch_of,
)
from hexad.store.searching import counted_terms
from hexad.text.index import TermIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime

    from hexad.model import Association, Clock, Record

T = TypeVar("T")
_WITHOUT_FIX: Final = (
    4  # times as many learnings are looked at as are wanted: some do not belong here
)
_IN_ERRORS: Final = frozenset({  # stems of everyday words that errors hold by chance
    "user", "request", "call", "error", "name", "valu", "work", "continu", "open", "make", "find", "file", "chang",
    "write", "plan", "list", "show", "fix", "right", "issu",
})  # fmt: skip
_FIRST: Final = 8  # rows that are looked at before others are ruled out
_ROUNDING: Final = 1e-9
_NEAR_ROUNDS: Final = (
    256,
    20_000,
)  # rows that are looked through for those that have the facets and are unexpired
_PINNED: Final = Reason("pinned", "always in its layer", 1.0)


class Examined(NamedTuple):
    """The candidates of each layer, or its failure; and the associations of layers that
    are not stored.
    """

    candidates: Mapping[Layer, Sequence[Judged] | Exception]
    associations: Mapping[Layer, Sequence[Association]] = {}
    stands: Stands = Stands()
    seconds: Mapping[
        Layer, float
    ] = {}  # of each layer's own work: the rows are read for all of them together


class StoredLayers(NamedTuple):
    """The persisted layers of one namespace."""

    store: Store
    namespace: str
    clock: Clock
    deadline: float | None = None
    max_pinned: int = 0
    facets: Sequence[str] = ()  # terms that a row must hold
    similarity: Similarity | None = None
    floor: bool = True  # whether probable noise is left out
    room: Room | None = None  # for standing context; without it, nothing stands

    def examine(
        self,
        layers: Sequence[Layer],
        query: Query,
        limit: int,
        *,
        wide: int = 0,
        also: Sequence[Layer] = (),
    ) -> Examined:
        """Pinned entries first, then what matches best, then others, up to ``wide`` of
        a layer.

        ``also`` names layers that are not stored, of which only the associations are
        read. A failure of one layer alone does not reach the others; a deadline that
        has passed fails all of them.
        """
        if (
            self.similarity is not None
            and self.similarity.reads(query.text)
            and not self.similarity.ready()
        ):
            return self._replace(similarity=None).examine(
                layers, query, limit, wide=wide, also=also
            )
        try:
            return self._examine(layers, query, limit, wide, also)
        except Exception as error:  # noqa: BLE001 - the other layers answer all the same
            final = isinstance(error, DeadlineExceeded | StoreBusy | StoreClosed)
            if final or len(layers) + len(also) <= 1:
                return Examined(dict.fromkeys((*layers, *also), error))
        each = [self.examine([layer], query, limit, wide=wide) for layer in layers]
        habits_of = self.examine((), query, limit, also=also)
        candidates = {
            layer: found
            for one in (*each, habits_of)
            for layer, found in one.candidates.items()
        }
        stands = next((one.stands for one in each if any(one.stands)), Stands())
        seconds = {layer: taken for one in each for layer, taken in one.seconds.items()}
        return Examined(candidates, habits_of.associations, stands, seconds)

    def _examine(
        self,
        layers: Sequence[Layer],
        query: Query,
        limit: int,
        wide: int,
        also: Sequence[Layer],
    ) -> Examined:
        now = self.clock()
        with self.store.reading(self.namespace, deadline=self.deadline) as view:
            ends = None if self.deadline is None else time.monotonic() + self.deadline
            found = view.evidence(self._question((*layers, *also), query, now, wide))
            stands = Stands()
            if self.room is not None:
                stands = fitting(
                    self.namespace, found[Layer.USER_KNOWLEDGE].standing, self.room
                )
            asked = _Asked(
                self,
                view,
                query,
                now,
                limit,
                wide,
                frozenset(item.id for item in (*stands.items, *stands.notes)),
                [],
            )
            some, spent = (
                [layer for layer in layers if found[layer].statistics.rows],
                dict[Layer, float](),
            )
            passes = [
                _timed(spent, layer, _Pass, asked, layer, found[layer])
                for layer in some
            ]
            self._look(view, passes, now, ends)
            for each in passes:
                _timed(spent, each.layer, each.answer)
            if wide:
                for each in passes:
                    each.wanted = wide
                self._look(view, passes, now, ends)
                for each in passes:
                    each.widen(wide)
            rows = view.fetch(
                {each.layer: each.numbers for each in passes if each.numbers}
            )
        judged = {
            each.layer: _timed(
                spent, each.layer, each.judged, rows.get(each.layer, ()), wide
            )
            for each in passes
        }
        associations = {layer: found[layer].associations for layer in also}
        return Examined(
            {**dict.fromkeys(layers, ()), **judged}, associations, stands, spent
        )

    def _question(
        self, layers: Sequence[Layer], query: Query, now: datetime, wide: int
    ) -> Question:
        similarity, room = self.similarity, self.room
        pins = max(self.max_pinned, wide) if self.max_pinned else 0
        return Question(
            layers=layers if room is None else {*layers, Layer.USER_KNOWLEDGE},
            now=now,
            terms=query.terms,
            facets=self.facets,
            with_subjects=(Layer.USER_KNOWLEDGE,),
            embedder=None
            if similarity is None
            else or_by_words_alone(lambda: similarity.name),
            standing=pins if room is None else max(pins, room.rows),
            with_rules=room is not None,
        )

    def _look(
        self, view: Reading, passes: Sequence[_Pass], now: datetime, ends: float | None
    ) -> None:
        """Read sketches in rounds, for all layers at once, until each layer has enough."""
        while chosen := {
            each.layer: batch for each in passes if (batch := each.next_batch())
        }:
            if (
                ends is not None and time.monotonic() > ends
            ):  # the database only interrupts its own queries
                raise DeadlineExceeded(self.store.location, self.deadline or 0.0)
            entries = next(
                (each for each in passes if each.layer is Layer.USER_KNOWLEDGE), None
            )
            sketches = view.sketch(
                chosen, now, rest=tuple if entries is None else entries.rest
            )
            for each in passes:
                if each.layer in sketches:
                    each.add(sketches[each.layer])


def _timed(
    spent: dict[Layer, float], layer: Layer, work: Callable[..., T], *given: object
) -> T:
    """The result of some work for a layer, whose time is added to what the layer has
    spent.
    """
    started = time.perf_counter()
    result = work(*given)
    spent[layer] = spent.get(layer, 0.0) + time.perf_counter() - started
    return result


class _Asked(NamedTuple):
    """A question to all layers, in one state of the store."""

    source: StoredLayers
    view: Reading
    query: Query
    now: datetime
    limit: int
    wide: int
    standing: frozenset[str]  # ids of entries that are in the prompt already
    failed: list[Exception]  # of the embedder: it is not asked again for other layers

    def matches(
        self, layer: Layer, evidence: LayerEvidence, candidates: Candidates
    ) -> tuple[Matches, Floor]:
        """How well rows match: by words, by vectors if there are any, and by earlier
        use; and which of them are answers.
        """
        terms, near = self.query.terms, self._near(layer, evidence, candidates)
        found = habits(evidence.associations, terms, rows=candidates.rows, now=self.now)
        numbers = {
            evidence.numbers[key]: habit
            for key, habit in found.items()
            if key in evidence.numbers
        }
        nearest = (
            self._nearest(layer, near, filtered=evidence.filtered)
            if near is not None
            else ()
        )
        matches = Matches(candidates, len(terms), near, numbers, nearest)
        rows, ours = candidates.rows, True
        if layer is Layer.AGENT_LEARNINGS:  # a fix is no answer to most messages
            rows, ours = max(FEW, rows), False
        elif layer is Layer.USER_KNOWLEDGE:  # entries that stand are known
            rows, ours = rows - len(self.standing), personal(self.query.text)
        return matches, Floor(matches, max(1, rows), nearest, personal=ours)

    def _near(
        self, layer: Layer, evidence: LayerEvidence, candidates: Candidates
    ) -> Nearness | None:
        similarity, store = self.source.similarity, self.source.store
        if similarity is None or self.failed:
            return None
        text = without_words(
            self.query.text, [self.query.spelled[term] for term in candidates.named]
        )
        return or_by_words_alone(
            lambda: similarity.near(store, self.view, layer, evidence.vectors, text),
            failures=self.failed,
        )

    def _nearest(
        self, layer: Layer, near: Nearness, *, filtered: bool
    ) -> Sequence[int]:
        """The nearest rows among those that may be answers."""
        if not filtered:
            return near.nearest(NEAREST)
        facets, left = self.source.facets, set[int]()
        numbers: Sequence[int] = ()
        for most in _NEAR_ROUNDS:
            numbers = near.nearest(most, all_of_them=bool(facets))
            left = self.view.passing(layer, numbers, facets, self.now)
            if len(left) >= NEAREST or len(numbers) < most:
                break
        return [number for number in numbers if number in left][:NEAREST]

    def own_rows(self, known: Sequence[Row]) -> Sequence[Row]:
        """Entries of the user's: those that came for standing context, or as many."""
        if self.source.room is None:
            layers, rows = (Layer.USER_KNOWLEDGE,), Room().rows
            question = Question(
                layers=layers, now=self.now, standing=rows, with_rules=True
            )
            known = self.view.evidence(question)[Layer.USER_KNOWLEDGE].standing
        return [row for row in known if row.record.origin is Origin.USER]


class _Answer(NamedTuple):
    """A row that answers, with its score and what its neighbours added to it."""

    sketch: Sketch
    score: float
    lent: float
    fate: Fate = Fate.KEPT

    @property
    def is_users(self) -> bool:
        return self.sketch.origin == Origin.USER


class _Pass:
    """One pass over a layer: it chooses the rows to read, and decides about each."""

    def __init__(self, asked: _Asked, layer: Layer, evidence: LayerEvidence) -> None:
        source = asked.source
        self._asked, self._evidence = asked, evidence
        self.layer = layer
        self._floor = source.floor
        self._own = evidence.own
        self._facets = source.facets
        held = [
            row
            for row in evidence.standing
            if isinstance(row.record, Knowledge) and row.record.pinned
        ]
        pins = [row for row in held if row.record.id not in asked.standing]
        self._pinned, self._too_many = (
            pins[: source.max_pinned],
            pins[source.max_pinned :],
        )
        self._without = {*asked.standing, *(row.record.id for row in self._pinned)}
        self._room = self.wanted = max(0, asked.limit - len(self._pinned))
        known = all(each in evidence.statistics.frequencies for each in self._facets)
        query = asked.query
        parts = (
            query.parts | quoted(query)
            if layer is Layer.AGENT_LEARNINGS
            else query.parts
        )
        common = (
            query.common | _IN_ERRORS
            if layer is Layer.AGENT_LEARNINGS
            else query.common
        )
        candidates = weigh(
            evidence.statistics, evidence.postings, query.terms, common, parts
        )
        self.matches, self._least = asked.matches(layer, evidence, candidates)
        self.ranking = Ranking(
            query, candidates.measure, to_microseconds(asked.now), candidates.subjects
        )
        self._batches = (
            self.matches.batches(asked.limit + len(self._without), slack=SLACK)
            if known
            else iter(())
        )
        self._lean = not asked.wide and self._is_lean()
        self._waiting: Sequence[
            int
        ] = ()  # of the first batch: looked at if they can be among the best
        self._rows: list[Sketch] = []
        self._beside: dict[int, Sketch] = {}
        self._seen: set[int] = set()
        self._looked = False  # whether all rows were looked through for the user's
        self._only_users = (
            False  # whether others among the rows that come next are of no interest
        )
        self._best: Sequence[_Answer] = ()
        self._others: Sequence[_Answer] = ()
        self._own_rows: Sequence[Row] = ()
        self._among: dict[
            int, _Pass
        ] = {}  # rows that were found among the user's alone
        self._any_error = (
            self._floor and layer is Layer.AGENT_LEARNINGS
        )  # an error without a fix is no solution

    @property
    def numbers(self) -> Collection[int]:
        """The rows that are read whole."""
        return {
            answer.sketch.number for answer in (*self._best, *self._others)
        } - self._among.keys()

    def next_batch(self) -> Sequence[int]:
        """The next rows to look at; none if enough possible answers were found.

        Where others fill the places, all others are looked through once for matching
        entries of the user's.
        """
        self._only_users = False
        if self._waiting:
            reaching, self._waiting = self._reaching(self._waiting), ()
            if reaching:
                return reaching
        if len(self._possible(self._rows)) < self.wanted:
            batch = next(self._batches, ())
            if self._lean:
                most = max(_FIRST, self._asked.limit + len(self._without))
                batch, self._waiting, self._lean = batch[:most], batch[most:], False
            return batch
        rows = self._possible(self._rows) if self._own and not self._looked else ()
        if not rows or sum([row.origin == Origin.USER for row in rows]) >= min(
            self._room, len(rows) - OTHERS
        ):
            return ()
        self._looked = self._only_users = True
        return self.rest()

    def _is_lean(self) -> bool:
        """Whether words alone decide, and little is added to them: then most rows need
        no look to be ruled out.
        """
        evidence, matches = self._evidence, self.matches
        threads = evidence.threads and self.layer is Layer.USER_KNOWLEDGE
        by_words = matches.by_words_alone and self.layer is not Layer.AGENT_LEARNINGS
        return by_words and not threads and evidence.statistics.rows >= MANY

    def _reaching(self, waiting: Sequence[int]) -> Sequence[int]:
        """Those of the waiting rows that can be among the best by what a ranking may
        add; all of them if places may go to the user's entries.
        """
        rows, candidates, value = (
            self._possible(self._rows),
            self.matches.candidates,
            self.matches.value,
        )
        self.matches.look_at((*waiting, *(row.number for row in rows)))
        scores = sorted(
            [self.ranking.score(value(row.number), row) for row in rows], reverse=True
        )
        if len(scores) < self._room:
            return waiting
        added = POLICY.prior + (SUBJECT if candidates.subjects else 0.0)
        least = scores[self._room - 1] - added - _ROUNDING
        several = candidates.several
        near = [
            number
            for number in waiting
            if value(number) >= least - (POLICY.phrase if number in several else 0.0)
        ]
        if not self._own:
            return near
        users = sum([row.origin == Origin.USER for row in rows])
        return (
            waiting if near or users < self._room or len(rows) - users > OTHERS else ()
        )

    def rest(self) -> Sequence[int]:
        """The rows to look at where others fill the places of the user's."""
        batches = tuple(self._batches) if self._own else ()
        self._batches = iter(batches) if self._own else self._batches
        return tuple(itertools.chain.from_iterable(batches))

    def add(self, sketches: Sketches) -> None:
        """Add sketches of rows, and of their neighbours."""
        if self._only_users:
            sketches = Sketches(
                [row for row in sketches.rows if row.origin == Origin.USER]
            )
        fresh = [sketch for sketch in sketches.rows if sketch.number not in self._seen]
        if self.matches.near is not None:
            self.matches.mixed.update(mixed((*fresh, *sketches.beside)))
        self._seen.update(sketch.number for sketch in fresh)
        self._rows += fresh
        self._beside.update((sketch.number, sketch) for sketch in sketches.beside)

    def answer(self) -> None:
        """Choose the best of the rows that were looked at."""
        above = [answer for answer in self.scored() if answer.fate is Fate.KEPT]
        room = _WITHOUT_FIX * self._room if self._any_error else self._room
        self._best = _with_room_for_the_user(above, room)
        others = (
            sum(not answer.is_users for answer in self._best)
            if self._own and not self._facets
            else 0
        )
        # The rows of the user's are here with standing context; `retrieve` reads them
        # where others can hide them.
        here = (
            self._asked.source.room is not None or self.matches.candidates.rows >= MANY
        )
        if others > OTHERS and here:
            alone, more = self._of_the_user({answer.sketch.number for answer in above})
            self._best = _with_room_for_the_user(
                sorted([*above, *more], key=_by_score, reverse=True), room
            )
            self._among = dict.fromkeys(
                [each.sketch.number for each in self._best if each in more], alone
            )

    def _of_the_user(self, known: Collection[int]) -> tuple[_Pass, Sequence[_Answer]]:
        """Further answers among the user's entries, weighed as if there were no others,
        however many these are.
        """
        asked, index = self._asked, TermIndex()
        self._own_rows = asked.own_rows(self._evidence.standing)
        sketches = []
        for row in self._own_rows:
            if row.document is not None:
                index.add(row.number, row.document)
                sketches.append(sketch_of(row, row.document))
        terms = asked.query.terms
        evidence = LayerEvidence(
            *opened(index, terms, counted_terms(terms, (), subjects=True)),
            self._evidence.standing,
        )
        alone = _Pass(
            asked._replace(source=asked.source._replace(similarity=None)),
            self.layer,
            evidence,
        )
        alone.add(Sketches(sketches))
        return alone, [
            each
            for each in alone.scored()
            if each.fate is Fate.KEPT and each.sketch.number not in known
        ]

    def widen(self, wide: int) -> None:
        """Choose others for the places that are left: those above the floor, then the
        best of the rest.
        """
        chosen = {answer.sketch.number for answer in self._best}
        others = [
            answer for answer in self.scored() if answer.sketch.number not in chosen
        ]
        others.sort(key=lambda answer: answer.fate is not Fate.KEPT)
        self._others = tuple(others[: max(0, wide - len(chosen))])

    def judged(self, rows: Sequence[Row], wide: int) -> Sequence[Judged]:
        """The candidates as items: those that are kept first."""
        found = {row.number: row for row in (*self._own_rows, *rows)}
        chosen = {answer.sketch.number: answer for answer in self._best}
        order = [found[number] for number in chosen]
        if self.layer is Layer.USER_KNOWLEDGE:
            order = newest_first(order, self._asked.query.text)
        best = [
            (chosen[row.number], self._item(row, chosen[row.number])) for row in order
        ]
        solving = [
            item
            for (_, item), row in zip(best, order, strict=True)
            if self._solves(row.record)
        ]
        pinned = [
            present(row.record, _PINNED.value, (_PINNED,))
            for row in sorted(self._pinned, key=lambda row: row.number)
        ]
        kept = [Judged(item) for item in (*pinned, *solving[: self._room])][
            : self._asked.limit
        ]
        if not wide:
            return kept
        others = [
            *best,
            *(
                (answer, self._item(found[answer.sketch.number], answer))
                for answer in self._others
            ),
        ]
        return [*kept, *self._not_kept(kept, found, others)][: max(wide, len(kept))]

    def _not_kept(
        self,
        kept: Sequence[Judged],
        rows: Mapping[int, Row],
        others: Sequence[tuple[_Answer, Item]],
    ) -> Sequence[Judged]:
        ids = {judged.item.id for judged in kept}
        found = {
            item.id: self._ruled(item, answer, rows[answer.sketch.number].record)
            for answer, item in others
        }
        above = {
            place: judged
            for place, judged in found.items()
            if judged.fate is Fate.BEYOND
        }
        pins = {
            row.record.id: Judged(
                present(row.record, _PINNED.value, (_PINNED,)), Fate.TOO_MANY_PINS
            )
            for row in self._too_many
            if row.record.id not in above
        }
        return [
            judged
            for place, judged in {**pins, **above, **found, **pins}.items()
            if place not in ids
        ]

    def _ruled(self, item: Item, answer: _Answer, record: Record) -> Judged:
        """A candidate that is not in the answer, and why."""
        if answer.fate is not Fate.KEPT:
            return Judged(item, answer.fate)
        return (
            Judged(item, Fate.BEYOND, self._asked.limit)
            if self._solves(record)
            else Judged(item, Fate.UNSOLVED)
        )

    def _possible(self, rows: Sequence[Sketch]) -> Sequence[Sketch]:
        """Those of the rows that may be answers; the others only pass on score."""
        if not self._without and not self._facets:
            return rows
        return [
            row
            for row in rows
            if row.id not in self._without and _has(row, self._facets)
        ]

    def scored(self) -> Sequence[_Answer]:
        """The rows that match at all: by score, then the latest changed, then the
        latest added; with their verdicts.
        """
        rows = [
            *self._rows,
            *(row for number, row in self._beside.items() if number not in self._seen),
        ]
        self.matches.look_at(row.number for row in rows)
        lent = lending(rows, self.matches.value)
        answers = [
            self._answered(row, lent.get(row.number, 0.0))
            for row in self._possible(rows)
        ]
        answers.sort(key=_by_score, reverse=True)
        if self._floor and not any(
            self._least.convinces(each.sketch.number, each.lent) for each in answers
        ):
            answers = [each._replace(fate=Fate.TOO_LITTLE) for each in answers]
        return self._beside_best([answer for answer in answers if answer.score])

    def _beside_best(self, answers: Sequence[_Answer]) -> Sequence[_Answer]:
        """The answers, with a verdict on those far behind a better one; the user's are
        compared among themselves.

        An entry that stands may be the better one: it is in the prompt already. What
        has a name that the message has is about the same person or thing, and stays. An
        error without a fix hides none that has one.
        """
        share = self._least.beside()
        if not self._floor or not share:
            return answers
        above = [answer for answer in answers if answer.fate is Fate.KEPT]
        others = [
            *above,
            *(
                self._answered(row, 0.0)
                for row in self._rows
                if row.id in self._asked.standing
            ),
        ]
        if self.layer is Layer.AGENT_LEARNINGS:
            others = [each for each in others if each.sketch.trust]
        best = max([each.score for each in others], default=0.0)
        best_of_users = max(
            [each.score for each in others if each.is_users], default=0.0
        )
        judged = []
        for each in answers:
            better = best_of_users if each.is_users else best
            named = self._asked.query.names & {*each.sketch.words.split()}
            behind = each.score < share * better and not each.lent and not named
            is_kept = each.fate is Fate.KEPT
            judged.append(
                each._replace(fate=Fate.BEHIND) if is_kept and behind else each
            )
        return judged

    def _answered(self, row: Sketch, lent: float) -> _Answer:
        score = self.ranking.score(self.matches.value(row.number), row, lent)
        enough = not self._floor or self._least.answers(row.number, lent)
        return _Answer(row, score, lent, Fate.KEPT if enough else Fate.TOO_LITTLE)

    def _solves(self, record: Record) -> bool:
        """Whether a learning belongs here: a lesson in words, or an example for a
        message that names its tool.
        """
        return (
            not self._any_error
            or not isinstance(record, Learning)
            or record.is_told(self._asked.query.text)
        )

    def _item(self, row: Row, answer: _Answer) -> Item:
        by = self._among.get(row.number, self)
        match, habit = by.matches.of(row.number), by.matches.habits.get(row.number)
        terms = habit.terms if habit else ()
        why = (
            by.ranking.reasons(answer.sketch, row.document, match, terms, answer.lent)
            if row.document
            else ()
        )
        return present(row.record, answer.score, why)


def _by_score(answer: _Answer) -> tuple[float, int, int]:
    return answer.score, answer.sketch.updated, answer.sketch.number


def _with_room_for_the_user(
    answers: Sequence[_Answer], limit: int
) -> Sequence[_Answer]:
    """The best rows, at most `OTHERS` of other origins while rows of the user's wait,
    by any scores.
    """
    best, waiting = answers[:limit], [each for each in answers[limit:] if each.is_users]
    too_many = [each for each in best if not each.is_users][OTHERS:]
    leave = set(too_many[max(0, len(too_many) - len(waiting)) :])
    return [*(each for each in best if each not in leave), *waiting[: len(leave)]]


def _has(sketch: Sketch, facets: Sequence[str]) -> bool:
    held = sketch.words.split("\n", 1)[0].split(" ") if facets else ()
    return all(each in held for each in facets)
