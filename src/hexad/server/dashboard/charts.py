"""Charts as SVG, drawn here: no script draws them. Numbers and our own words alone go in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hexad.model import Reason

_WIDTH: Final = 200
_SIGNALS: Final = ("standing", "words", "meaning", "habit", "recency", "trust", "thread")


def score(reasons: Iterable[Reason], total: float) -> Markup:
    """A score as a bar of its parts, one colour for each signal."""
    left, parts = 0.0, []
    for reason in reasons:
        width = max(0.0, min(reason.value, 1.0 - left)) * _WIDTH
        kind = reason.signal if reason.signal in _SIGNALS else "other"
        title = escape(str(reason))
        place = f'x="{left * _WIDTH:.1f}" y="0" width="{width:.1f}" height="8"'
        parts.append(f'<rect class="part {kind}" {place}><title>{title}</title></rect>')
        left += width / _WIDTH
    return _bar(parts, f"score {total:.2f}")


def share(value: float, label: str, *, mark: float | None = None, kind: str = "good") -> Markup:
    """A share from 0 to 1 as a bar, with a mark at a threshold."""
    parts = [f'<rect class="part {kind}" x="0" y="0" width="{max(0.0, min(value, 1.0)) * _WIDTH:.1f}" height="8"/>']
    if mark is not None:
        parts.append(f'<rect class="mark" x="{mark * _WIDTH:.1f}" y="0" width="2" height="8"/>')
    return _bar(parts, label)


def _bar(parts: Sequence[str], label: str) -> Markup:
    drawn = "".join(parts)
    return Markup(  # noqa: S704 - numbers, and words that were escaped
        f'<svg class="bar" viewBox="0 0 {_WIDTH} 8" preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
        f'<rect class="track" width="{_WIDTH}" height="8"/>{drawn}</svg>'
    )


def days(counts: Sequence[tuple[str, int, int]]) -> Markup:
    """Columns for days: all prompts of a day, and those of them for which nothing was found."""
    most, step = max((every for _, every, _ in counts), default=0) or 1, 28
    drawn = []
    for place, (day, every, empty) in enumerate(counts):
        x, height, hollow = place * step + 4, 80 * every / most, 80 * empty / most
        drawn.append(
            f"<g><title>{escape(day)}: {every} prompts, {empty} with nothing found</title>"
            f'<rect class="part words" x="{x}" y="{84 - height:.1f}" width="18" height="{height:.1f}" rx="2"/>'
            f'<rect class="part none" x="{x}" y="{84 - hollow:.1f}" width="18" height="{hollow:.1f}" rx="2"/>'
            f'<text x="{x + 9}" y="98" text-anchor="middle">{escape(day[-2:])}</text></g>'
        )
    width = max(1, len(counts)) * step
    return Markup(  # noqa: S704 - the same
        f'<svg class="chart" viewBox="0 0 {width} 102" width="{width}" height="102" role="img" '
        f'aria-label="prompts a day">{"".join(drawn)}</svg>'
    )


def outcomes(came: Sequence[bool | None]) -> Markup:
    """Occurrences of an error, oldest first: a dot for each, by whether the next call of the tool worked."""
    kinds = {
        True: ("good", "the next call worked"),
        False: ("bad", "the next call failed"),
        None: ("none", "no next call"),
    }
    drawn = []
    for place, each in enumerate(came):
        kind, words = kinds[each]
        drawn.append(f'<circle class="part {kind}" cx="{8 + place * 14}" cy="8" r="5"><title>{words}</title></circle>')
    width = max(1, len(came)) * 14 + 4
    worked = sum(each is True for each in came)
    return Markup(  # noqa: S704 - the same
        f'<svg class="chart" viewBox="0 0 {width} 16" width="{width}" height="16" role="img" '
        f'aria-label="{worked} of {len(came)} were followed by a call that worked">{"".join(drawn)}</svg>'
    )
