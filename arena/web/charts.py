"""Drawings as SVG and HTML: pure functions from numbers to markup, coloured by the page's own variables.

Positions across are percentages and heights are pixels, so a drawing fits every width and its text never shrinks.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

ROW = 44
"""Pixels of one bot in a chart of intervals."""
AXIS = 26
"""Pixels of the numbers below a chart."""
COURSE = 220
"""Pixels of a curve."""
_UPRIGHT = {"won": (2, 20), "drawn": (20, 8), "lost": (26, 20), "fault": (26, 20)}
"""Where a mark begins and how high it is: wins stand above the middle, losses hang below it."""
_MARGIN = 2.0
"""Per cent that stay free at both sides, so that marks at the ends are whole."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its doubt."""

    name: str
    low: float
    value: float
    high: float


@dataclass(frozen=True, slots=True)
class Mark:
    """One result in a row of many: won, drawn, lost or fault, with a sentence."""

    kind: str
    sentence: str


def intervals(rows: Sequence[Interval], title: str) -> Markup:
    """One line per row: a dot on the bar of its interval, over a common axis."""
    axis = _Axis(min(row.low for row in rows), max(row.high for row in rows))
    height = ROW * len(rows)
    parts = list(axis.draw(height))
    for number, row in enumerate(rows):
        top = number * ROW
        low, value, high = (axis.place(each) for each in (row.low, row.value, row.high))
        tip = f"{row.name}: {row.value:.1f}, between {row.low:.1f} and {row.high:.1f}"
        parts.append(
            _svg(
                '<g><title>{}</title><text class="name" x="{:.2f}%" y="{}">{}</text>'
                '<line class="doubt" x1="{:.2f}%" x2="{:.2f}%" y1="{}" y2="{}"/>'
                '<circle class="dot" cx="{:.2f}%" cy="{}" r="6"/></g>',
                tip, _MARGIN, top + 16, row.name, low, high, top + 29, top + 29, value, top + 29,
            )
        )  # fmt: skip
    words = "; ".join(f"{row.name} {row.value:.1f} ({row.low:.1f} to {row.high:.1f})" for row in rows)
    return _figure(parts, height + AXIS, title, words)


def course(points: Sequence[Interval], title: str) -> Markup:
    """A curve over equal steps with the band of its doubt; the names are what stands below each step."""
    axis = _Axis(min(point.low for point in points), max(point.high for point in points))
    across = [100.0 * step / max(len(points) - 1, 1) for step in range(len(points))]
    upper, curve, lower = (
        [(x, axis.down(getattr(point, edge))) for x, point in zip(across, points)] for edge in ("high", "value", "low")
    )
    left, foot = 2 * _MARGIN, COURSE + AXIS - 6
    drawn = _svg(
        '<svg x="{:.2f}%" y="0" width="{:.2f}%" height="{}" viewBox="0 0 100 100" preserveAspectRatio="none">'
        '<polygon class="band" points="{}"/><polyline class="curve" points="{}"/></svg>',
        left, 100 - 2 * left, COURSE, _points([*upper, *reversed(lower)]), _points(curve),
    )  # fmt: skip
    first, last = points[0], points[-1]
    feet = (
        _svg('<text class="tick" x="{:.2f}%" y="{}">{}</text>', left, foot, first.name),
        _svg('<text class="tick end" x="{:.2f}%" y="{}">{}</text>', 100 - left, foot, last.name),
    )
    words = (
        f"from {first.value:.1f} ({first.name}) to {last.value:.1f} ({last.low:.1f} to {last.high:.1f}, {last.name})"
    )
    return _figure([*axis.draw_up(COURSE), drawn, *feet], COURSE + AXIS, title, words)


def strip(marks: Sequence[Mark], title: str) -> Markup:
    """One upright mark per result, from the oldest to the newest."""
    width = 100.0 / max(len(marks), 1)
    parts = [
        _svg(
            '<rect class="{}" x="{:.3f}%" y="{}" width="{:.3f}%" height="{}"><title>{}</title></rect>',
            mark.kind, number * width, _UPRIGHT[mark.kind][0], width * 0.82, _UPRIGHT[mark.kind][1], mark.sentence,
        )
        for number, mark in enumerate(marks)
    ]  # fmt: skip
    words = ", ".join(f"{sum(mark.kind == kind for mark in marks)} {kind}" for kind in _UPRIGHT)
    return _figure(parts, 48, title, words)


def share_style(share: float | None) -> Markup:
    """The colour of a cell in a heat map: good above a half, bad below, and none for none."""
    if share is None:
        return Markup()
    tint = "good" if share >= 0.5 else "bad"
    return _svg("background:color-mix(in srgb, var(--{}) {:.0f}%, transparent)", tint, abs(share - 0.5) * 2 * 70)


class _Axis:
    """A range of values with round numbers to mark it."""

    def __init__(self, low: float, high: float) -> None:
        span = max(high - low, 1e-6)
        rough = span / 4
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough)
        self._low, self._span = low, span
        self.ticks = [step * number for number in range(math.ceil(low / step), math.floor(high / step) + 1)]

    def place(self, value: float) -> float:
        """Where a value is, in per cent from the left."""
        return _MARGIN + (100 - 2 * _MARGIN) * (value - self._low) / self._span

    def down(self, value: float) -> float:
        """Where a value is, in per cent from the top."""
        return 6 + 88 * (1 - (value - self._low) / self._span)

    def draw(self, height: int) -> Iterator[Markup]:
        """Upright lines with their numbers below."""
        for tick in self.ticks:
            x = self.place(tick)
            yield _svg('<line class="grid" x1="{:.2f}%" x2="{:.2f}%" y1="0" y2="{}"/>', x, x, height)
            yield _svg('<text class="tick mid" x="{:.2f}%" y="{}">{:g}</text>', x, height + AXIS - 8, tick)

    def draw_up(self, height: int) -> Iterator[Markup]:
        """Level lines with their numbers above."""
        for tick in self.ticks:
            y = self.down(tick) * height / 100
            yield _svg('<line class="grid" x1="0" x2="100%" y1="{:.1f}" y2="{:.1f}"/>', y, y)
            yield _svg('<text class="tick" x="0" y="{:.1f}">{:g}</text>', y - 4, tick)


def _points(pairs: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in pairs)


def _svg(template: str, *values: object) -> Markup:
    """The template with its values, which are escaped."""
    return Markup(template).format(*values)  # noqa: S704  (templates are constants of this module)


def _figure(parts: Sequence[Markup], height: int, title: str, words: str) -> Markup:
    """A drawing that a screen reader reads as one sentence."""
    label = escape(f"{title}: {words}")
    return _svg(
        '<svg role="img" aria-label="{}" width="100%" height="{}">{}</svg>', label, height, Markup().join(parts)
    )
