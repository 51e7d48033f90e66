"""One table for all measurements: ours, the peer or floor beside it, the ratio, the aim, and whether it is met."""

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.table import Table

DASH = "–"


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement of ours and what it is compared with, both taken alternately in one run.

    A unit that ends in `/s` is a rate, and the larger the better; of everything else the smaller is the better.
    """

    name: str
    """What was measured and, if it is compared, with what: `claim beside open_spiel hearts`."""
    ours: float
    other: float | None
    """The peer's or the floor's value; None if there is nothing to compare with."""
    unit: str
    ratio: float | None
    """Ours divided by the other: the median of the ratios within each round, not the ratio of two medians."""
    aim: float | None
    aim_of: Literal["ratio", "ours"] = "ratio"
    """What the aim is compared with: the ratio, or the value itself."""

    @property
    def is_rate(self) -> bool:
        """Whether more is better."""
        return self.unit.endswith("/s")

    @property
    def is_met(self) -> bool | None:
        """Whether the aim is reached; None if there is no aim."""
        value = self.ratio if self.aim_of == "ratio" else self.ours
        if self.aim is None or value is None:
            return None
        return value >= self.aim if self.is_rate else value <= self.aim


HEADINGS = ("measured", "ours", "peer or floor", "unit", "ratio", "aim", "met")


def cells(row: Row) -> tuple[str, ...]:
    """The row as text."""
    other = DASH if row.other is None else number(row.other)
    ratio = DASH if row.ratio is None else f"{row.ratio:.2f} ×"
    return row.name, number(row.ours), other, row.unit, ratio, aim_text(row), met_text(row)


def aim_text(row: Row) -> str:
    """The aim with its direction and, if it is not a ratio, its unit."""
    if row.aim is None:
        return ""
    return f"{'≥' if row.is_rate else '≤'} {number(row.aim)} {'×' if row.aim_of == 'ratio' else row.unit}"


def met_text(row: Row) -> str:
    """Yes, no, or nothing where there is no aim."""
    return "" if row.is_met is None else "yes" if row.is_met else "no"


def number(value: float) -> str:
    """Three significant digits, large numbers whole and in groups of three."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def show(rows: Iterable[Row]) -> None:
    """Print the table for a terminal."""
    table = Table(*HEADINGS)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        table.add_row(*cells(row))
    Console(width=140).print(table)
    print(machine())


def markdown(rows: Sequence[Row]) -> str:
    """The table for docs/performance.md."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *map(cells, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + f"\n\n{machine()}"


def machine() -> str:
    """The facts of this machine that the figures depend on."""
    names = [line.split(":")[1].strip() for line in cpu_info() if line.startswith("model name")]
    processor = names[0] if names else platform.processor()
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    versions = f"Linux {platform.release()}, Python {platform.python_version()}"
    return f"{os.cpu_count()} processors of {processor}, {versions}, load {load}"


def cpu_info() -> list[str]:
    """The lines of the kernel's description of the processors."""
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []
