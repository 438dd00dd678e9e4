"""Function words of the Latin-script languages that are recognised beside English. Data only.

`own` words show the language. `shared` ones are weak evidence: they are English words, names or abbreviations
too (die, comment, MIT, OS, DER, `del`, `ps aux`, Los Angeles). Once the language is known, both are its stop words.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """A language by the words every text in it uses; `name` is also its Snowball stemmer's name."""

    name: str
    own: frozenset[str]
    shared: frozenset[str]
    stopwords: frozenset[str]


def _language(name: str, *, own: str, shared: str) -> Language:
    telling, common = frozenset(own.split()), frozenset(shared.split())
    return Language(name, telling, common, telling | common)


GERMAN = _language(
    "german",
    own="""und ist nicht ein eine einen einem einer wie für auf wir ich sie dem zum zur bei auch wird werden sind
    haben oder aber wenn wann warum welche welcher welches unser unsere kann muss nach""",
    shared="der die das den des von zu aus mit im in an am um war was so hat als man will es er wo du sich dass",
)
FRENCH = _language(
    "french",
    own="""une dans avec nous vous ils elles qui que quoi quel quelle quels quelles où quand pourquoi sont être ont
    cette je elle notre votre nos vos leur leurs mais qu""",
    shared="""le la les de du des un en et ou il a à au aux ces par pas sur est on me plus pour sans son sa ses ce se ne
    si tu comment""",
)
SPANISH = _language(
    "spanish",
    own="""una unos unas que qué cómo cuándo dónde quién cuál por para pero más está están nuestro nuestra
    nuestros nuestras esta este estos estas desde cuando donde porque""",
    shared="el la los las del y de un en a al se es lo le su sus no o con como me si sin mi tu ha he son ser hay",
)
ITALIAN = _language(
    "italian",
    own="""gli della dello delle degli nel nella nelle sono che cosa quando perché quale quali questo questa questi
    queste anche più è una alla alle dalla sul sulla nostro nostra""",
    shared="il lo la le i di da dal dei a al del con in per su un uno e o se non si ci ma chi dove come ho ha",
)
PORTUGUESE = _language(
    "portuguese",
    own="""uma umas uns não são está estão que quem quando onde qual quais como por para pelo pela mais nosso nossa
    nossos nossas esse essa isso este esta você também à às é""",
    shared="o a os as e de do da dos das no na nos nas em um ao com se ou sem seu sua ser tem eu mas foi",
)
DUTCH = _language(
    "dutch",
    own="""het een niet zijn wordt worden voor naar bij ook wij ik hij zij deze dit wie waar waarom wanneer welke hoe
    onze ons maar nog moet kunnen heeft hebben aan uit""",
    shared="de en van wat is in of we over was had dat dan die te op om met als er me kan door tot per",
)

LANGUAGES = {language.name: language for language in (GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH)}
