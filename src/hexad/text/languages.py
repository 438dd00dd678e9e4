"""Function words of the Latin-script languages that are recognised beside English. Data
only.

`own` words show the language. `shared` ones are weak evidence: they are English words,
names or abbreviations too (die, comment, MIT, OS, DER, `del`, `ps aux`, Los Angeles).
Once the language is known, both are its stop words.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """A language by the words every text in it uses; `name` is also its Snowball
    stemmer's name.
    """

    name: str
    own: frozenset[str]
    shared: frozenset[str]
    stopwords: frozenset[str]


def _language(name: str, *, own: str, shared: str) -> Language:
    telling, common = frozenset(own.split()), frozenset(shared.split())
    return Language(name, telling, common, telling | common)


GERMAN = _language(
    "german",
    own="""und ist nicht ein eine einen einem einer eines wie für auf wir ich sie dem zum zur bei auch wird werden sind
    haben habe hast hatte oder aber wenn wann warum wieso welche welcher welches welchem welchen unser unsere unserem
    unserer kann kannst können könnte muss müssen nach darf dürfen soll sollen sollte möchte möchten würde mir mich
    dich euch uns ihm ihn ihnen mein meine meinen meinem meiner dein deine deinen deiner seine seinen ihre ihren ihrer
    wer wem wen noch schon nur kein keine keinen über unter durch gegen ohne bis seit jetzt hier dort sehr etwas nichts
    alle bist seid gibt geht bitte heute gestern wieder immer dann denn doch nein ja guten hallo danke tschüss
    vor wohin woher damit darüber dazu beim vom zwischen während weil ob mehr""",
    shared="""der die das den des von zu aus mit im in an am um war was so hat als man will es er wo du sich
    dass hin her bin dir""",
)
FRENCH = _language(
    "french",
    own="""une dans avec nous vous ils elles qui que quoi quel quelle quels quelles où quand pourquoi sont être ont
    cette je elle notre votre nos vos leur leurs mais qu suis mon ma mes ton tes toi moi très chez puis dois doit
    peux peut peut-être faut quelque aussi encore déjà jamais toujours aujourd'hui bonjour merci salut était avons
    avez vais va faire fait été donc""",
    shared="""le la les de du des un en et ou il a à au aux ces par pas sur est on me plus pour sans son sa ses ce se ne
    si tu comment ta""",
)
SPANISH = _language(
    "spanish",
    own="""una unos unas que qué cómo cuándo dónde quién cuál cuánto por para pero más está están estoy nuestro nuestra
    nuestros nuestras esta este estos estas desde cuando donde porque mis tus muy también yo tú usted soy eres
    tengo tiene tienes puedo puede puedes debo debe hola gracias buenos buenas hoy ayer algo nada nunca siempre
    hasta entre quiero hacer sobre vivo trabajo prefiero llamo""",
    shared="""el la los las del y de un en a al se es lo le su sus no o con como me si sin mi tu ha he son ser hay
    te nos""",
)
ITALIAN = _language(
    "italian",
    own="""gli della dello delle degli nel nella nelle sono che cosa quando perché quale quali questo questa questi
    queste anche più è una alla alle dalla sul sulla nostro nostra nostri nostre mio mia miei mie tuo tua suoi sei siamo
    hanno abbiamo posso puoi devo deve ciao grazie buongiorno oggi ieri sempre mai molto fare qualcosa niente
    dopo prima non dove vivo abito mangio lavoro preferisco chiamo chiama""",
    shared="""il lo la le i di da dal dei a al del con in per su un uno e o se si ci ma chi come ho ha mi ti
    suo""",
)
PORTUGUESE = _language(
    "portuguese",
    own="""uma umas uns não são está estão que quem quando onde qual quais como por para pelo pela mais nosso nossa
    nossos nossas esse essa isso este esta você também à às é meu minha meus minhas teu tua sou tenho tem posso pode
    devo deve muito hoje ontem olá obrigado obrigada sempre nunca fazer algo nada até""",
    shared="o a os as e de do da dos das no na nos nas em um ao com se ou sem seu sua ser eu mas foi me bom boa",
)
DUTCH = _language(
    "dutch",
    own="""het een niet zijn wordt worden voor naar bij ook wij ik hij zij deze dit wie waar waarom wanneer welke hoe
    onze ons maar nog moet kunnen heeft hebben aan uit mijn jij je jouw mij geen heb""",
    shared="de en van wat is in of we over was had dat dan die te op om met als er me kan door tot per",
)

LANGUAGES = {
    language.name: language
    for language in (GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH)
}
