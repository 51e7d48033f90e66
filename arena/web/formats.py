"""Numbers, times and names as pages show them."""

from datetime import UTC, datetime

from arena import match
from arena.match import ending_words as sentence
from arena.untrusted.text import printable

__all__ = [
    "amount",
    "counted",
    "day",
    "heat",
    "moment",
    "percent",
    "rank_interval",
    "sentence",
    "signed",
    "thinking_time",
    "version",
]

_SIZES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
HEAT_STEPS = 20


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 match, 2 matches, 3 bots."""
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def percent(share: float) -> str:
    """A share as a whole number of per cent."""
    return match.percent(share).replace("%", " %")


def signed(value: float) -> str:
    return f"{value:+.1f}".replace("-", "−")


def amount(size: float) -> str:
    """So many bytes, in the unit that fits."""
    for unit, name in _SIZES:
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size:g} B"


def thinking_time(microseconds: float) -> str:
    """The time that a bot used, in the unit that fits."""
    seconds = microseconds / 1e6
    if seconds >= 120:
        return f"{seconds / 60:.0f} min"
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.0995 else f"{seconds * 1000:.1f} ms"


def moment(when: datetime) -> str:
    """A time in UTC, to the minute."""
    return f"{when.astimezone(UTC):%-d %b %Y, %H:%M} UTC"


def day(when: datetime) -> str:
    return f"{when.astimezone(UTC):%-d %b %Y}"


def rank_interval(ranks: tuple[int, int]) -> str:
    low, high = ranks
    return str(low) if low == high else f"{low}–{high}"


def heat(share: float | None) -> str:
    """The class of a cell in a heat map: the share of points in steps of 5 %; none without games."""
    return "" if share is None else f"heat h{round(share * HEAT_STEPS)}"


def version(text: str) -> str:
    """A version so that nobody takes it for a score: v2 for 2."""
    return printable(f"v{text}" if text[:1].isdigit() else text)
