"""Time for one seat of one match: what a move may take, how long we wait, what we charge."""

import re
from dataclasses import dataclass
from enum import Enum

from arena.errors import UsageError

GRACE = 0.1
"""Seconds we wait past the end of a bot's time, so that an overrun is measured and not guessed."""

UNTIMED_WAIT = 24 * 3600.0
"""Seconds we wait for a bot without a clock."""

_SECONDS = r"(\d+(?:\.\d+)?)(ms|s|m)"
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}

DEFAULT_CLOCK = "200ms/move+5s"
"""One for all commands, so that a bot meets in a check what it meets in a tournament."""


class Meter(Enum):
    """What is measured against a bot's time."""

    WALL = "wall"
    CPU = "cpu"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time a bot has: per move, in a bank for the whole match, and added after each move."""

    per_move: float
    """Seconds of every move that cost nothing from the bank."""
    bank: float
    """Seconds for the whole match, spent only by what a move takes beyond `per_move`."""
    increment: float
    """Seconds put into the bank after every move."""
    allowance: float = 0.05
    """Seconds of transport in every call, which no bot pays for."""
    meter: Meter = Meter.WALL
    """Whether the referee's clock, the bot's processor time, or nothing is charged."""

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Read `1s/move`, `1s/move+10s` (a bank), `30s+0.5s` (bank and increment), with `cpu:` before it, or `none`."""
        if text == Meter.NONE.value:
            return cls(per_move=0.0, bank=0.0, increment=0.0, meter=Meter.NONE)
        found = re.fullmatch(rf"(cpu:)?{_SECONDS}(/move)?(?:\+{_SECONDS})?", text.replace(" ", ""))
        if not found:
            raise UsageError(
                f"clock {text!r} is not understood: write 1s/move, 1s/move+10s (with a bank), "
                "30s+0.5s (bank + increment), cpu:1s/move (processor time) or none"
            )
        meter = Meter.CPU if found[1] else Meter.WALL
        first = float(found[2]) * _UNITS[found[3]]
        second = float(found[5]) * _UNITS[found[6]] if found[5] else 0.0
        if found[4]:
            return cls(per_move=first, bank=second, increment=0.0, meter=meter)
        return cls(per_move=0.0, bank=first, increment=second, meter=meter)

    def __str__(self) -> str:
        """The text that `parse` reads back."""
        if self.meter is Meter.NONE:
            return Meter.NONE.value
        prefix = "cpu:" if self.meter is Meter.CPU else ""
        if self.per_move:
            move = f"{self.per_move:g}s" if self.per_move >= 1.0 else f"{1000 * self.per_move:g}ms"
            return f"{prefix}{move}/move" + (f"+{self.bank:g}s" if self.bank else "")
        return f"{prefix}{self.bank:g}s+{self.increment:g}s"


class Clock:
    """The running time of one seat; it holds numbers only and never looks at the real time."""

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.bank = control.bank
        self.excused = 0.0
        """Seconds for which the flag would have fallen, and did not, because the referee's own lag explains them."""
        self._lag = 0.0
        """Seconds of our lag that were charged to the bank so far, and not excused yet."""

    def available(self) -> float:
        """Seconds that the next move may take; this is what the bot is told."""
        return UNTIMED_WAIT if self.control.meter is Meter.NONE else self.control.per_move + self.bank

    def deadline(self) -> float:
        """Seconds that the referee waits: what the bot has, plus our own latency, which no bot pays for."""
        if self.control.meter is Meter.CPU:
            # Processor time runs slower than the clock on the wall; this only stops a bot that sleeps.
            return 3 * self.available() + 1.0
        return self.available() + self.control.allowance + GRACE

    def charged(self, wall: float, cpu: float) -> float:
        """The part of a move's time that is the bot's."""
        match self.control.meter:
            case Meter.WALL:
                return max(0.0, wall - self.control.allowance)
            case Meter.CPU:
                return cpu
            case Meter.NONE:
                return 0.0

    def miss(self) -> None:
        """Spend all that is there for a move that came too late or not at all; it has its increment like any other."""
        self.bank = self.control.increment

    def charge(self, wall: float, cpu: float = 0.0, lag: float = 0.0) -> bool:
        """Spend the time of one move; False when the flag fell, and our own lag does not explain it.

        A bot within its time is charged as measured. When it has no more, as much is excused as is needed, if so much
        of what was charged to it in this match may have been lag.
        """
        over = max(0.0, self.charged(wall, cpu) - self.control.per_move)
        if self.control.meter is Meter.WALL:
            self._lag += min(lag, over)
        needed = max(0.0, over - self.bank)
        if needed > self._lag:
            return False
        self._lag -= needed
        self.excused += needed
        # Rounding could leave less than nothing.
        self.bank = max(0.0, self.bank + (needed - over + self.control.increment))
        return True
