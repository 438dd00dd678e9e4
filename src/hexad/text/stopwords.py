"""Words that carry no topic: English, and the scripts that no other language table
covers. Data only.

Left out on purpose, because here they are subjects: go, get, set, let, use, make, need,
down, off, none, except, less.
"""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ENGLISH = _set(
    """
    a an the
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves one
    this that these those such same own other another each every both either neither all any some few many much
    more most someone something anyone anything everyone everything
    what which who whom whose when where why how
    am is are was were be been being do does did doing done have has had having
    can could cannot will would shall should may might must ought
    and or nor but if then else than so because while although though unless whether however
    of in on at to from by for with without within into onto upon out over under up about above across after against
    along among around as before behind below between beyond during per since through toward until via
    no not only just also too very again once here there now ever yet etc e.g i.e
    can't won't shan't ain't let's lets dont doesnt didnt isnt cant wont whats thats
    """
)

# The script alone distinguishes these from English, so they need no detection.
RUSSIAN = _set(
    """
    и в во на не что как это этот эта эти по для из от до за с со к ко у о об а но или же ли бы мы вы он она они
    я ты его её ее их наш ваш мой когда где кто чем то так был была было были есть быть мне нас вас при без над под
    """
)
ARABIC = _set(
    "في من على إلى الى عن ما ماذا هل متى أين اين كيف لماذا هذا هذه ذلك أن ان إن أو او ثم هو هي نحن مع"
)
GREEK = _set(
    "ο η το οι τα του τησ τη την τον των και να με σε για από στο στη στην στον δεν τι πωσ πώσ που πού"
)
KOREAN = _set(
    """
    언제 어디 어디서 무엇 무슨 누가 누구 왜 어떻게 어떤 그리고 하지만 그런데 그래서 또는 이것 그것 저것 우리 저희
    나는 저는 내가 제가 그는 있는 있다 있습니다 있나요 하는 한다 합니다 했다 했습니다 됩니다 된다 입니다 인가요 인가
    이다 것 및 하나요 되나요 합니까 입니까 있습니까 해요 돼요
    """
)

# Pairs of characters that nearly every polite sentence or question holds.
JAPANESE_PAIRS = _set(
    "です ます した して する いる ない から まで こと もの この その あの には では とは でし まし ませ せん すか ので"
)
KOREAN_PAIRS = _set("나요 니다 니까 습니 합니 입니 됩니 세요 어요 해요 까요")
CHINESE_PAIRS = _set(
    "什么 什麼 怎么 怎麼 我们 我們 你们 你們 他们 他們 这个 這個 那个 那個 为什 為什 一个 一個"
)

# Characters that link Chinese words: a pair that holds one says little, and a character
# between two of them is a word, unless it is a light one.
CHINESE_CHARACTERS = frozenset(
    "我你他她它您们的是在有不了吗呢吧啊呀么什这那哪谁怎个和与就都很也要会能可把被让给又再还没得着请问该几一"
)
LIGHT_CHARACTERS = frozenset(
    "好里多少些去来到用从对跟比想说讲做点上下中后前时候为以最更太只每啦哦嗯行"
)

STOPWORDS = ENGLISH | RUSSIAN | ARABIC | GREEK
STOP_PAIRS = JAPANESE_PAIRS | KOREAN_PAIRS | CHINESE_PAIRS
