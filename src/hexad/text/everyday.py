"""Terms that say little about a topic in any memory: everyday words, greetings, and the
grammar of unspaced scripts.

A small memory cannot count how common a word is, so this says it beforehand. Data and
two functions, used when asking.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from hexad.text.stems import stems
from hexad.text.stopwords import CHINESE_CHARACTERS

_WORDS: Final = {
    None: """
    able actually ago agree already always anybody anyway ask asked asking available away back bad best better big
    bit bored bot bye came care cheers come coming cool course day days different early easy enough especially
    evening everybody exactly explain fine first five four fun funny get gets getting give given gives glad go goes
    going gone good goodbye got great guess haha happen hello help helps hey hi hope idea instead interesting joke
    keep kind know last late later least like little lol long look looking lot make maybe mean mention mind minute
    minutes mistake moment month months morning need needs never new next nice night nobody nothing often oh ok okay
    old ones oops perfect perhaps please possible pretty probably put question questions quick quite rather ready
    really recommend right said say see seem short show simple small somebody sometimes soon sorry sort sounds start
    still stuff suggest sure take taken takes taking tell thank thanks thing things think three time times today
    together tomorrow tonight took try trying two understand use used using usually want wants way ways week weekend
    weeks welcome well went whole wonder word words wow write wrong yeah year years yep yes yesterday
    """,
    "german": """
    abend abends alles alt anders anfang art bald beispiel besser beste bloß brauche brauchen bringen dabei dank das
    davon drei dürfte eben eigentlich einfach einmal ende erst erste ersten etwa fast fertig finden früh früher ganz
    geben gehen genau gerade gern gerne getan groß große großen grüß gut gute gutem halt heißen heißt jahr jahre jahren
    jede jeden jeder jedes klar klein kleine kleinen komme kommen kommt kurz lange langsam lass lassen letzte letzten
    mache machen macht mal manchmal meist meistens mensch moin monat monate morgen morgens müsste nachmittag nacht
    nehmen neu neue neuen neuer nie nimm nächste nächsten oft okay passiert prima richtig sage sagen sagt schnell schön
    schönen schönes servus sicher sieht sofort sollten sonst spät später stark stehen steht tag tage tagen tschau tun
    uhr ungefähr verstehen viel viele vielen vielleicht vorher weg weit weiter welt wenig weniger wichtig wirklich
    wissen woche wochen wollen wollte wunderbar wäre zeigen zeit zuerst zurück zwei übrigens
    """,
    "french": """
    accord aime aller alors année ans après avant beau beaucoup besoin bien bientôt bon bonne bonsoir ça cela chaque
    chose comme demain dernier deux dire dit donne donner fais fois grand heure heures hier jour jours juste matin
    mieux moins mois mot même nouveau nuit parce parfait petit peu plaît pouvez premier prochain quelqu'un rien savoir
    semaine soir tard temps tous tout toute toutes trois trop trouver veux voilà voir voudrais vraiment
    """,
    "spanish": """
    adiós ahora alguna algún antes aquí así aunque año años bien buen buena bueno cada casi claro cosa cosas cuenta
    dame dar decir después dice dos día días ejemplo entonces eso estar favor gran grande hace haces hago hora horas ir
    luego mañana mejor mes mismo momento mucha muchas mucho muchos noche nueva nuevo otra otro pequeño perfecto poco
    poder primer primero próximo pues quiere saber semana sería solo sólo tal tarde tener tiempo toda todas todo todos
    tres vale vamos ver vez voy
    """,
    "italian": """
    accordo adesso allora altro ancora andare anni anno avere bella bello bene buona buonanotte buonasera buono caso
    certo così dare detto dire domani due ecco esempio essere fatto favore giorni giorno già grande insieme invece
    mattina meglio meno mese mesi molta molte molti momento notte nuova nuovo ogni ora ore perfetto piccolo poco poi
    posto primo proprio può qui sapere sera settimana solo stare subito tanto tempo tre troppo tutta tutte tutti tutto
    ultimo vedere volta vorrei
    """,
    "portuguese": """
    agora ainda amanhã ano anos antes aqui assim bem cada certo coisa coisas dar depois dia dias dizer dois então estar
    favor gente grande hora horas ir já lugar manhã melhor meses mesmo momento muita muitas muitos mês noite nova novo
    oi outra outro pequeno pouco primeiro próximo quero saber semana só tarde tchau tempo ter toda todas todo todos
    três tudo ver vez vou
    """,
    "dutch": """
    alles altijd beetje beter dag dagen dank doen gaan gaat goed graag groot hallo heel hier iets jaar keer komen maand
    maken meer misschien moeten morgen natuurlijk nieuw nieuwe nooit nu uur vandaag veel week weer weten
    """,
}
_RUSSIAN: Final = """
    привет спасибо здравствуйте пожалуйста хорошо доброе добрый утро день вечер ночи сегодня завтра вчера сейчас очень
    можно нужно надо могу может хочу какой какая какие какое сколько почему зачем куда откуда всё все еще ещё уже только
    тоже мой моя моё мои мне меня тебя себя свой быть будет пока дела время год раз дома
    """
_ARABIC: Final = "مرحبا شكرا السلام عليكم صباح الخير مساء اليوم غدا أمس الآن جدا يمكن أريد كل بعد قبل كم أي لي لدي عندي"

_JAPANESE: Final = frozenset(
    "何誰私僕君今方大小人日月年時分番回目条只位一二三四五六七八九十"
)  # they say little as words
_CHINESE_WORDS: Final = "谢谢 早上 上好 晚上 今天 天气 现在 几点 好的 不错 没事 辛苦 时间 一下 多少 时候 世界 界上 最长 最大 最高"
_CHINESE: Final = frozenset(_CHINESE_WORDS.split())
_PARTICLES: Final = frozenset("はがをにでとのもへやかねよなぞわばてたしいう")
_KOREAN_WORDS: Final = """
    안녕 감사 고마 오늘 내일 어제 지금 정말 너무 아주 조금 그냥 다시 좋은 좋아 괜찮 뭐야 어때 어떻 언제 어디
    누구 무슨 어느 있어 있을 없어 없을 하고 하는 하면 해도 해야 해줘 할까 할지 하지 했어 했지 였지 이야 이에
    예요 에요 이지 인데 는데 을까 을지 될까 되나 되는 어요 아요 네요 군요 거야 것은 것을 수가 줄래 주세 세요
    으로 에서 에게 한테 까지 부터 에는 이고 이랑 라고 려고 려면 면서 지만 습니 니다 니까 나요 가요 까요 돼요
    해요 볼까 싶어 싶은 같아 같은 때는 때문 때에 여기 거기 저기 우리 저는 나는 제가 내가 이름 해 줘 하나 년에 몇
    """
_KOREAN: Final = frozenset(_KOREAN_WORDS.split())
_LAST_LATIN: Final = "\u024f"
_HIRAGANA: Final = ("\u3041", "\u309f")
_HAN: Final = ("\u4e00", "\u9fff")
_HANGUL: Final = ("\uac00", "\ud7a3")


def says_little(term: str, language: str | None) -> bool:
    """Whether a term of a question is an everyday word or grammar: a match in it alone
    is no answer.

    >>> [term for term in ("morn", "pnpm", "です", "配布", "的狗") if says_little(term, None)]
    ['morn', 'です', '的狗']
    """
    first = term[0]
    if first <= _LAST_LATIN:
        return term in _common(None) or (
            language is not None and term in _common(language)
        )
    if _HAN[0] <= first <= _HAN[1] or _HIRAGANA[0] <= first <= _HIRAGANA[1]:
        return _is_grammar(term)
    return term in (_KOREAN if _HANGUL[0] <= first <= _HANGUL[1] else _others())


def _is_grammar(term: str) -> bool:
    kana = [_HIRAGANA[0] <= each <= _HIRAGANA[1] for each in term]
    if all(kana):
        return len(term) > 1
    if any(kana):
        return any(each in _PARTICLES for each in term)
    return (
        term in _CHINESE
        or term in _JAPANESE
        or any(each in CHINESE_CHARACTERS for each in term)
    )


@cache
def _common(language: str | None) -> frozenset[str]:
    return frozenset(
        term for word in _WORDS[language].split() for term in stems(word, language)
    )


@cache
def _others() -> frozenset[str]:
    return frozenset(
        term for word in (_RUSSIAN + _ARABIC).split() for term in stems(word, None)
    )
