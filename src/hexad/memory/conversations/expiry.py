"""Until when a sentence holds, where it says so: "until Friday", "this week", "bis Ende des Monats"."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

_DAYS: Final = (
    "mon(?:day)?s?|montags?|lundi|lunes|周一|星期一|月曜日?|월요일",
    "tues?(?:day)?s?|dienstags?|mardi|martes|周二|星期二|火曜日?|화요일",
    "wed(?:nesday)?s?|mittwochs?|mercredi|miércoles|周三|星期三|水曜日?|수요일",
    "thu(?:rsday)?s?|donnerstags?|jeudi|jueves|周四|星期四|木曜日?|목요일",
    "fri(?:day)?s?|freitags?|vendredi|viernes|周五|星期五|金曜日?|금요일",
    "sat(?:urday)?s?|samstags?|sonnabend|samedi|sábado|周六|星期六|土曜日?|토요일",
    "sun(?:day)?s?|sonntags?|dimanche|domingo|周日|星期日|星期天|日曜日?|일요일",
)
_UNTIL: Final = (
    r"\b(?:until|till?|through|up to|bis(?: zum| zu| einschließlich)?|jusqu'(?:à|au|en)|hasta(?: el)?)\s+"
    r"(?:the\s+|next\s+|le\s+|la\s+|el\s+)?"
)
_WEEKDAYS: Final = tuple(
    re.compile(rf"{_UNTIL}(?:{day})\b|(?:到|直到)(?:本|这)?(?:{day})|(?:{day})(?:为止|まで|까지)", re.IGNORECASE)
    for day in _DAYS
)
_DATE: Final = re.compile(rf"(?:{_UNTIL}|直?到)(\d{{4}})-(\d\d)-(\d\d)", re.IGNORECASE)
_WEEK, _MONTH, _YEAR = 7, 31, 366
_WITHIN: Final = {
    1: rf"{_UNTIL}tomorrow|bis morgen|jusqu'à demain|hasta mañana|明天为止|明日まで|내일까지",
    _WEEK: r"\bthis week\b|\bdiese woche\b|\bcette semaine\b|\besta semana\b|本周|这周|今週|이번 ?주",
    _MONTH: r"\bthis month\b|\bdiesen monat\b|\bce mois(?:-ci)?\b|\beste mes\b|本月|这个月|今月|이번 ?달",
    _YEAR: r"\bthis year\b|\bdieses jahr\b|\bcette année\b|\beste año\b|今年|올해",
}
_PERIODS: Final = {days: re.compile(pattern, re.IGNORECASE) for days, pattern in _WITHIN.items()}


def expiry(sentence: str, now: datetime) -> datetime | None:
    """The end of the last day on which a sentence holds, in UTC; None if it names none.

    >>> expiry("Until Friday I work from home", datetime(2026, 1, 7, 9, tzinfo=UTC))
    datetime.datetime(2026, 1, 10, 0, 0, tzinfo=datetime.timezone.utc)
    """
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if match := _DATE.search(sentence):
        year, month, day = map(int, match.groups())
        try:
            return datetime(year, month, day, tzinfo=UTC) + timedelta(days=1)
        except (ValueError, OverflowError):
            return None
    for number, weekday in enumerate(_WEEKDAYS):
        if weekday.search(sentence):
            return today + timedelta(days=(number - today.weekday()) % 7 + 1)
    length = next((length for length, period in _PERIODS.items() if period.search(sentence)), 0)
    return _end(length, today) if length else None


def _end(length: int, today: datetime) -> datetime:
    """The end of this week, month or year, or of tomorrow."""
    if length == _YEAR:
        return datetime(today.year + 1, 1, 1, tzinfo=UTC)
    if length == _MONTH:
        return datetime(today.year + today.month // 12, today.month % 12 + 1, 1, tzinfo=UTC)
    return today + timedelta(days=_WEEK - today.weekday() if length == _WEEK else 2)
