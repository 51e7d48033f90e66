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
NAME = 17
"""Pixels of a name beside others."""
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
    axis = Axis(min(row.low for row in rows), max(row.high for row in rows))
    height = ROW * len(rows)
    parts = list(axis.draw(height))
    for number, row in enumerate(rows):
        top = number * ROW
        low, value, high = (axis.place(number) for number in (row.low, row.value, row.high))
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


def bar(axis: "Axis", low: float, value: float, high: float, *, height: int = 43) -> Markup:
    """A value with its doubt as a dot on a bar, in a cell of a table whose axis is common to all rows."""
    middle = height / 2
    lines = Markup().join(
        _svg('<line class="grid-line" x1="{0:.1f}%" x2="{0:.1f}%" y1="0" y2="{1}"/>', axis.place(tick), height)
        for tick in axis.ticks
    )
    return _svg(
        '<svg height="{}" aria-hidden="true">{}<line class="doubt" x1="{:.1f}%" x2="{:.1f}%" y1="{}" y2="{}"/>'
        '<circle class="dot" cx="{:.1f}%" cy="{}" r="6"/></svg>',
        height, lines, axis.place(low), axis.place(high), middle, middle, axis.place(value), middle,
    )  # fmt: skip


def scale(axis: "Axis") -> Markup:
    """The numbers of an axis, for the head of its column."""
    texts = (
        _svg('<text class="tick mid" x="{:.1f}%" y="14">{:g}</text>', axis.place(tick), tick) for tick in axis.ticks
    )
    return _svg('<svg class="scale" height="22" aria-hidden="true">{}</svg>', Markup().join(texts))


@dataclass(frozen=True, slots=True)
class Line:
    """A curve with the band of its doubt; the first numbers of its points are where they stand on the axis below."""

    name: str
    points: Sequence[tuple[float, Interval]]
    earlier: bool = False
    """Drawn more quietly than the others."""


def lines(curves_of: Sequence[Line], end: float, title: str, foot: str) -> Markup:
    """Curves over a common axis from 0 to the end, each named at its last point."""
    values = [point for line in curves_of for _, point in line.points]
    axis = Axis(min(point.low for point in values), max(point.high for point in values))
    left = 2 * _MARGIN
    curves = Markup().join(_curve(line, axis, end) for line in curves_of)
    drawn = _svg(
        '<svg x="{:.2f}%" y="0" width="{:.2f}%" height="{}" viewBox="0 0 100 100" preserveAspectRatio="none">{}</svg>',
        left, 100 - 2 * left, COURSE, curves,
    )  # fmt: skip
    below = COURSE + AXIS - 6
    feet = (
        _svg('<text class="tick" x="{:.2f}%" y="{}">0</text>', left, below),
        _svg('<text class="tick end" x="{:.2f}%" y="{}">{}</text>', 100 - left, below, foot),
    )
    names = list(_end_names(curves_of, axis, end)) if len(curves_of) > 1 else []
    words = "; ".join(
        f"{line.name} from {line.points[0][1].value:.1f} to {line.points[-1][1].value:.1f}" for line in curves_of
    )
    return _figure([*axis.draw_up(COURSE), drawn, *names, *feet], COURSE + AXIS, title, words)


def _curve(line: Line, axis: "Axis", end: float) -> Markup:
    upper, curve, lower = (
        [(100 * x / max(end, 1), axis.down(getattr(point, edge))) for x, point in line.points]
        for edge in ("high", "value", "low")
    )
    return _svg(
        '<g class="{}"><polygon class="band" points="{}"/><polyline class="curve" points="{}"/></g>',
        "earlier" if line.earlier else "current", _points([*upper, *reversed(lower)]), _points(curve),
    )  # fmt: skip


def _end_names(curves_of: Sequence[Line], axis: "Axis", end: float) -> Iterator[Markup]:
    """The names above the last points, one below the other where these are close."""
    last = -math.inf
    for line in sorted(curves_of, key=lambda line: axis.down(line.points[-1][1].value)):
        x, point = line.points[-1]
        across = 2 * _MARGIN + (100 - 4 * _MARGIN) * x / max(end, 1)
        last = max(axis.down(point.value) * COURSE / 100 - 8, last + NAME)
        yield _svg('<text class="name end" x="{:.2f}%" y="{:.1f}">{}</text>', across, last, line.name)


class Axis:
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
            yield _svg('<line class="grid-line" x1="{:.2f}%" x2="{:.2f}%" y1="0" y2="{}"/>', x, x, height)
            yield _svg('<text class="tick mid" x="{:.2f}%" y="{}">{:g}</text>', x, height + AXIS - 8, tick)

    def draw_up(self, height: int) -> Iterator[Markup]:
        """Level lines with their numbers above."""
        for tick in self.ticks:
            y = self.down(tick) * height / 100
            yield _svg('<line class="grid-line" x1="0" x2="100%" y1="{:.1f}" y2="{:.1f}"/>', y, y)
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
        '<svg class="figure" role="img" aria-label="{}" width="100%" height="{}">{}</svg>',
        label,
        height,
        Markup().join(parts),
    )
