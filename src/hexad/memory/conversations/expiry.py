"""Until when a sentence holds, where it says so: "until Friday", "this week", "bis Ende
des Monats".
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_DAYS: Final = (
    "mon(?:day)?s?|montags?|lundi|lunes|周一|星期一|月曜日?|월요일",
    "tues?(?:day)?s?|dienstags?|mardi|martes|周二|星期二|火曜日?|화요일",
    "wed(?:nesday)?s?|mittwochs?|mercredi|miércoles|周三|星期三|水曜日?|수요일",
    "thu(?:rsday)?s?|donnerstags?|jeudi|jueves|周四|星期四|木曜日?|목요일",
    "fri(?:day)?s?|freitags?|vendredi|viernes|周五|星期五|金曜日?|금요일",
    "sat(?:urday)?s?|samstags?|sonnabend|samedi|sábado|周六|星期六|土曜日?|토요일",
    "sun(?:day)?s?|sonntags?|dimanche|domingo|周日|星期日|星期天|日曜日?|일요일",
)
_NAMED: Final = (
    "jan feb mar apr may jun jul aug sep oct nov dec|january february march april may june july august september"
    " october november december|januar februar märz april mai juni juli august september oktober november dezember"
    "|janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
    "|enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
)
_MONTHS: Final = {
    name: n
    for line in _NAMED.split("|")
    for n, name in enumerate(line.split(), start=1)
}
_UNTIL: Final = (
    r"(?<!wait )\b(?:until|till?|through|up to|bis(?: zum| zu| einschließlich)?|jusqu'(?:à|au|en)|hasta(?: el)?)\s+"
    r"(?:the\s+|next\s+|le\s+|la\s+|el\s+)?"
)
_WEEKDAYS: Final = tuple(
    re.compile(
        rf"{_UNTIL}(?:{day})\b|(?:到|直到)(?:本|这)?(?:{day})(?:为止)?|(?:{day})(?:为止|まで|까지)는?",
        re.IGNORECASE,
    )
    for day in _DAYS
)
_DATE: Final = re.compile(rf"(?:{_UNTIL}|直?到)(\d{{4}})-(\d\d)-(\d\d)", re.IGNORECASE)
_UNTIL_MONTH: Final = re.compile(  # the day on either side of the month, the month, and the year
    rf"{_UNTIL}(?:(?:the )?(?:ende?|fin|finales) (?:of |de |d')?)?(?:(\d{{1,2}})(?:\.|er|st|nd|rd|th)? (?:de |of )?)?"
    rf"({'|'.join(_MONTHS)})\b(?: (\d{{1,2}})(?:st|nd|rd|th)?\b)?(?:,? (\d{{4}}))?"
    r"|到?(?<!\d)(\d{1,2})[月월] ?(?:(\d{1,2})[日号일])?(?:之前|前|为止|末?まで|까지)[는は]?",
    re.IGNORECASE,
)
_SPAN: Final = re.compile(  # "Monday to Friday" comes again every week
    rf"(?:{'|'.join((*_DAYS, *_MONTHS))})\W*(?:から|부터|from)?\W*$", re.IGNORECASE
)
LIMITED: Final = re.compile(  # a sentence that holds for a time, even if its end cannot be read
    rf"(?i){_UNTIL}(?!\d+ \w)|\bfor (?:\w+ ){{1,2}}(?:days|weeks|months)\b|まで|까지|为止|直到|到\S{{1,6}}前"
)
_DAY, _WEEK, _MONTH, _YEAR = 1, 7, 31, 366
_END: Final = rf"{_UNTIL}(?:ende?|fin(?:al)?) (?:of|de[rsl]?|diese[rs]|du)\s*(?:the |this |la |l')?"
_WITHIN: Final = {
    _DAY: rf"{_UNTIL}(?:tomorrow|morgen|demain|mañana)\b|明天为止|明日まで|내일까지",
    _WEEK: rf"{_END}(?:week|woche|semaine|semana)\b|\b(?:this week(?!')|diese woche|cette semaine|esta semana)\b"
    r"|(?:本|这)周末?|今週(?:末まで|いっぱい)?は?|이번 ?주(?: ?말)?(?:까지)?는?",
    _MONTH: rf"{_END}(?:month|monats|mois|mes)\b|\b(?:this month|diesen monat|ce mois(?:-ci)?|este mes)\b"
    r"|\bbis monatsende\b"
    r"|本月|这个月|到?月底(?:前|为止)?|今月(?:末まで|いっぱい)?は?|月末まで|이번 ?달(?: ?말)?(?:까지)?는?|월말까지",
    _YEAR: rf"{_END}(?:year|jahres|année|año)\b|\b(?:this year|dieses jahr|cette année|este año)\b"
    r"|今年|到?年底(?:前|为止)?|年末まで|올해(?: ?말까지)?|연말까지",
}
_PERIODS: Final = {
    days: re.compile(pattern, re.IGNORECASE) for days, pattern in _WITHIN.items()
}
_COUNTED: Final = (
    "one couple few|one two three four five six|eine zwei drei vier fünf sechs|une deux trois quatre cinq six"
    "|una dos tres cuatro cinco seis|一 两 三 四 五 六|一 二 三 四 五 六|한 두 세 네 다섯 여섯"
)
_NUMBERS: Final = {
    word: n
    for line in _COUNTED.split("|")
    for n, word in enumerate(line.split(), start=1)
}
_UNITS: Final = {"day": _DAY, "week": _WEEK, "month": _MONTH}
_AHEAD: Final = re.compile(
    r"(?:\b(?:for|over|during|für|in|pendant|pour|durante|por)\s+)?(?:(?:接下来|未来)的?|これから|今後|앞으로"
    r"|\b(?:the next|die nächsten|den nächsten|les(?= \w+ proch)|(?:las|los) próxim[ao]s)\s)"
    rf"\s*(\d{{1,2}}|{'|'.join(_NUMBERS)})\s*(?:of\s|prochaine?s\s)?(?:(?P<day>days?|tagen?|jours?|días?|天|日|일)"
    r"|(?P<week>weeks?|wochen?|semaines?|semanas?|周|个?星期|週間?|주)|(?P<month>months?|monaten?|mois|meses|个月|[かヶ]月|달|개월))"
    r"(?:間は?|内|间| ?동안은?|간)?",
    re.IGNORECASE,
)


def timed(sentence: str, now: datetime) -> tuple[datetime | None, str]:
    """The end of the last day on which a sentence holds, and the sentence without the
    words that say so.

    >>> until, said = timed("Until Friday I work from home", datetime(2026, 1, 7, 9, tzinfo=UTC))
    >>> str(until), said
    ('2026-01-10 00:00:00+00:00', 'I work from home')
    """
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    with suppress(
        ValueError, OverflowError, KeyError
    ):  # "ſix" is "six" to a pattern, and no number
        for until, match in _ends(sentence, today):
            if _SPAN.search(sentence[: match.start()]):
                continue
            return until, f"{sentence[: match.start()]}{sentence[match.end() :]}".strip(
                " ,、"
            )
    return None, sentence


def _ends(sentence: str, today: datetime) -> Iterator[tuple[datetime, re.Match[str]]]:
    if match := _DATE.search(sentence):
        year, month, day = map(int, match.groups())
        yield datetime(year, month, day, tzinfo=UTC) + timedelta(days=1), match
    if match := _UNTIL_MONTH.search(sentence):
        before, name, after, given, number, on = match.groups()
        start = datetime(
            int(given or today.year),
            _MONTHS[name.lower()] if name else int(number),
            1,
            tzinfo=UTC,
        )
        last = start.replace(day=int(before or after or on or 1)) + timedelta(days=1)
        end = last if before or after or on else _end(_MONTH, start)
        yield (end if given or end > today else end.replace(year=end.year + 1)), match
    for place, weekday in enumerate(_WEEKDAYS):
        if match := weekday.search(sentence):
            yield today + timedelta(days=(place - today.weekday()) % 7 + 1), match
    if match := _AHEAD.search(sentence):
        count = int(match[1]) if match[1].isdigit() else _NUMBERS[match[1].lower()]
        yield (
            today + timedelta(days=count * _UNITS[match.lastgroup or "day"] + 1),
            match,
        )
    for length, period in _PERIODS.items():
        if match := period.search(sentence):
            yield _end(length, today), match


def _end(length: int, today: datetime) -> datetime:
    """The end of this week, month or year, or of tomorrow."""
    if length == _YEAR:
        return datetime(today.year + 1, 1, 1, tzinfo=UTC)
    if length == _MONTH:
        return datetime(
            today.year + today.month // 12, today.month % 12 + 1, 1, tzinfo=UTC
        )
    return today + timedelta(days=_WEEK - today.weekday() if length == _WEEK else 2)
