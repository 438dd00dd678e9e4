"""Shapes of data beside plain full-text search: `python -m benchmarks.shapes` prints
recall@5 of each.

Long turns of a conversation, tools whose descriptions say nothing, abstracts, and
instructions hidden in long messages are where weights that were chosen on short texts
fail. The texts are made of lists and a seed. They say whether a shape is found worse
than FTS5 finds it, and nothing about how well people's own data is found.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from benchmarks.figures import Figure, show
from hexad.model import Layer
from hexad_evals.baselines import BASELINES
from hexad_evals.data import EvalItem, EvalQuestion, EvalSet
from hexad_evals.report import quality_of
from hexad_evals.run import Plan, evaluate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# What a conversation is about, what an answer in it says, what is asked about that
# later, and words of the topic.
TOPICS = tuple(
    line.split(" | ")
    for line in Path(__file__)
    .with_name("topics.txt")
    .read_text(encoding="utf-8")
    .splitlines()
)
PROSE = tuple(
    """
    There are several things worth considering before you decide anything here.
    In general it helps to start small, to write down what you observe, and to change one thing at a time.
    Many people find that the first attempt does not go as planned, which is perfectly normal.
    It also depends on your budget, on how much time you have, and on what matters most to you.
    If you are unsure, ask somebody with experience, or look at a few examples first.
    Keep in mind that the cheapest option is not always the one that costs least in the long run.
    I would suggest making a short list with the advantages and the drawbacks of each choice.
    Once that is done, the remaining steps are usually quite simple and can be finished in a weekend.
    Let me know whether that answers your question, or whether you would like more detail on any part.
    Another point is safety, so please check the instructions of the manufacturer as well.
    Some sources disagree about this, and the evidence is not as clear as one would wish.
    To sum up, be patient, take notes, and review the result after a month or two.
    """.strip().splitlines()
)
ON_TOPIC = tuple(
    """
    The {} usually matters more than the {}, so look at it first.
    If the {} gives you trouble, check the {} before you change anything else.
    Most mistakes with the {} come from being impatient with the {}.
    A good {} is worth its price, while the {} can be improvised.
    I would write down how the {} and the {} behave over a few weeks.
    Somebody with experience can tell by the {} alone whether the {} is right.
    """.strip().splitlines()
)
ACTIONS = {
    "get": (
        "Retrieves data of the {} and returns it as an object.",
        "Show me the {} of last week",
    ),
    "create": (
        "Creates a new {} with the given parameters and returns its id.",
        "Set up another {} for the client",
    ),
    "update": (
        "Modifies an existing {} with the values that were passed.",
        "The {} has an error, correct it",
    ),
    "delete": (
        "Removes a {}. This operation cannot be undone.",
        "Get rid of the {} that nobody needs",
    ),
    "list": (
        "Returns all items of {} that the caller can see, page by page.",
        "How many of each {} do we have?",
    ),
    "export": (
        "Writes the {} to a file of the given format.",
        "I want the {} as a spreadsheet",
    ),
}
PEOPLE = ("Ana", "Bela", "Chidi", "Dora", "Emre")
THINGS = tuple(
    """
    invoice shipment appointment playlist reservation subscription coupon workout recipe voucher ticket payroll
    thermostat webhook newsletter mortgage prescription itinerary warehouse translation podcast thumbnail lease
    passport sensor auction calendar campaign certificate channel cluster complaint contract coupon-code course crop
    dataset donation drone elevator enrolment event exam fleet forecast forum garage grant hotel lawsuit ledger loan
    locker match medal meter parcel patient permit pipeline poll portfolio quiz quote referral refund rental
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
DRUGS = tuple(
    """
    metformin ibuprofen lithium warfarin tamoxifen melatonin aspirin insulin statins zinc caffeine ketamine
    penicillin cortisol estrogen fluoxetine morphine nicotine
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
CONDITIONS = tuple(
    """sepsis, migraine, type 2 diabetes, bone loss, atrial fibrillation, insomnia, asthma, psoriasis, chronic pain,
anaemia, heart failure, kidney stones, bulimia, stroke, glaucoma, obesity, gout, eczema""".replace(
        "\n", " "
    ).split(", ")
)
EFFECTS = (
    ("reduced the incidence of", "lowers the risk of"),
    ("had no effect on", "does not change"),
    ("delayed the onset of", "postpones"),
)
METHODS = tuple(
    """
    Participants were recruited at four centres and assigned at random to one of two groups.
    The primary outcome was measured at baseline, after twelve weeks and after one year.
    Analyses were adjusted for age, sex and body mass index.
    No serious adverse events were attributed to the treatment.
    These findings should be confirmed in larger trials with longer follow-up.
    Previous studies have reported conflicting results, and the underlying mechanism remains unclear.
    Secondary outcomes included quality of life and the number of admissions to hospital.
    """.strip().splitlines()
)
# What somebody asks for in the midst of a long message, and a request for which it
# matters.
INSTRUCTIONS = tuple(
    tuple(part.strip() for part in line.split("|"))
    for line in """
    from now on convert every recipe to grams | Give me a recipe for pancakes
    never suggest restaurants that serve shellfish | Which restaurants near the harbour are good?
    whenever you write SQL, use lower-case keywords | Write an SQL query that counts orders
    always answer questions about taxes with the paragraph of the law | Can I deduct a laptop from my taxes?
    when I ask for a summary, give me three bullets | Make a summary of this article
    do not propose meetings before ten in the morning | Find a slot for the meeting with Ana
    use British spelling in letters to customers | Draft a letter to our customers about the delay
    quote prices in Swiss francs | What are the prices of these monitors?
    for hikes, remember that my knee allows at most 500 metres of ascent | Plan a hike for Saturday
    name variables in Python after what they hold, never with one letter | Write Python code that sorts the variables
    book trains instead of flights below six hours | How do I get to Milan, by flights or otherwise?
    explain chess openings with the moves in algebraic notation | Teach me one of the chess openings
    """.strip().splitlines()
)


def shapes(seed: int = 1) -> Sequence[EvalSet]:
    """A set of each shape."""
    return [
        _long_turns(Random(seed)),
        _generic_tools(),
        _abstracts(Random(seed)),
        _hidden_instructions(Random(seed)),
    ]


def _long_turns(random: Random) -> EvalSet:
    """Conversations about one topic each: short requests, long answers, one of which
    holds what is asked later.
    """
    corpus, asked = list[EvalItem](), list[EvalQuestion]()
    for place, (name, (topic, fact, question, words)) in enumerate(
        product(PEOPLE, TOPICS)
    ):
        told = random.randrange(4)
        for number in range(4):
            start = (
                f"For the {topic} of {name}, " if number in {0, told} else "Besides, "
            )
            said = fact if number == told else "there is more to say"
            long = _paragraph(f"{start}{said}.", random, words.split())
            request = random.choice(
                (
                    "And what else?",
                    f"Tell me more about the {topic}.",
                    f"{name} asks what to avoid.",
                )
            )
            for speaker, text in (("user", request), ("assistant", long)):
                meta = {"speaker": speaker, "session": str(place)}
                corpus.append(
                    EvalItem(f"turn-{place}-{number}-{speaker}", text, meta=meta)
                )
        asked.append(
            EvalQuestion(
                f"q{place}",
                f"{name}: {question}",
                frozenset({f"turn-{place}-{told}-assistant"}),
            )
        )
    return EvalSet(Layer.USER_KNOWLEDGE, "long_turns", tuple(corpus), tuple(asked))


def _generic_tools() -> EvalSet:
    """Tools whose descriptions say the same of all things."""
    corpus, asked = list[EvalItem](), list[EvalQuestion]()
    for thing, (action, (description, request)) in product(THINGS, ACTIONS.items()):
        key = f"{action}_{thing}"
        corpus.append(EvalItem(key, description.format(thing)))
        asked.append(EvalQuestion(key, request.format(thing), frozenset({key})))
    return EvalSet(Layer.TOOL_REGISTRY, "generic", tuple(corpus), tuple(asked))


def _abstracts(random: Random) -> EvalSet:
    """Abstracts that share their substance, their condition and their sentences with
    others; a claim has one source.
    """
    corpus, asked = list[EvalItem](), list[EvalQuestion]()
    for drug, condition in product(DRUGS, CONDITIONS):
        key, who = (
            f"{drug}-{condition}".replace(" ", "-"),
            random.choice(("children", "adults", "nurses", "athletes")),
        )
        effect, claimed = random.choice(EFFECTS)
        others = [
            f"{other} and {random.choice(CONDITIONS)}"
            for other in random.sample(DRUGS, 2)
        ]
        sentences = [
            f"Much is known about {', '.join(others)} in {who}.",
            *random.sample(METHODS, 5),
        ]
        sentences += [
            f"{drug.capitalize()} {effect} {condition} compared with {random.choice(DRUGS)}."
        ]
        corpus.append(EvalItem(key, " ".join(sentences)))
        if random.random() < 0.4:
            asked.append(
                EvalQuestion(
                    key,
                    f"{drug.capitalize()} {claimed} {condition} in {who}.",
                    frozenset({key}),
                )
            )
    return EvalSet(Layer.EXTERNAL_KNOWLEDGE, "abstracts", tuple(corpus), tuple(asked))


def _hidden_instructions(random: Random) -> EvalSet:
    """Long messages about something else, some with a sentence that says how to do
    things from then on.
    """
    corpus, asked = list[EvalItem](), list[EvalQuestion]()
    topics = list(product(range(4), PEOPLE, TOPICS))
    hidden = dict(
        zip(
            random.sample(range(len(topics)), len(INSTRUCTIONS)),
            INSTRUCTIONS,
            strict=True,
        )
    )
    for place, (_, name, (topic, fact, _, words)) in enumerate(topics):
        wish, request = hidden.get(place, ("", ""))
        said = (
            f"By the way, {wish}."
            if wish
            else f"That is what {name} told me about the {topic}."
        )
        text = _paragraph(f"{fact.capitalize()}. {said}", random, words.split())
        corpus.append(
            EvalItem(
                f"message-{place}",
                text,
                meta={"speaker": "user", "session": str(place // 5)},
            )
        )
        if wish:
            asked.append(
                EvalQuestion(f"q{place}", request, frozenset({f"message-{place}"}))
            )
    return EvalSet(
        Layer.USER_KNOWLEDGE, "hidden_instructions", tuple(corpus), tuple(asked)
    )


def _paragraph(sentence: str, random: Random, words: Sequence[str] = ()) -> str:
    """Prose, on the topic that the words belong to, with a sentence in the midst of it."""
    some = [each.strip() for each in random.sample(PROSE, 2 if words else 8)]
    some += [
        each.strip().format(*random.sample(words, 2))
        for each in random.sample(ON_TOPIC, 6 if words else 0)
    ]
    random.shuffle(some)
    return " ".join([*some[:4], sentence, *some[4:]])


def measure(embedder: str) -> Iterator[tuple[str, float, float]]:
    """Each shape with our recall@5 and that of FTS5."""
    plan = Plan(baselines={"fts5": BASELINES["fts5"]}, embedder=embedder)
    for result in evaluate(shapes(), plan, progress=lambda _what, _done, _all: None):
        yield (
            result.data.path,
            result.hexad.quality.recall_at_5,
            quality_of("fts5")(result).recall_at_5,
        )


def main() -> int:
    figures = [
        Figure(
            f"{path}, {name}",
            theirs / max(ours, 1e-9),
            1.0,
            "of ours",
            f"recall@5 {ours:.3f}, FTS5 {theirs:.3f}",
        )
        for embedder, name in (("none", "words alone"), ("static", "static embeddings"))
        for path, ours, theirs in measure(embedder)
    ]
    show("Shapes: the recall of FTS5 as a share of ours", figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
