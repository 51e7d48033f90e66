"""Time for one seat of one match: what a move may take, how long we wait, what we charge."""

import re
from dataclasses import dataclass

from arena.errors import UsageError

GRACE = 0.1
"""Seconds we wait past the end of a bot's time, so that an overrun is measured and not guessed."""

_SECONDS = r"(\d+(?:\.\d+)?)(ms|s|m)"
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time a bot has: per move, in a bank for the whole match, and added after each move."""

    per_move: float
    """Seconds that every move may take for nothing."""
    bank: float
    """Seconds for the whole match, spent only by what a move takes beyond `per_move`."""
    increment: float
    """Seconds put into the bank after every move."""
    allowance: float = 0.05
    """Seconds of transport in every call, which no bot pays for."""

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Read `1s/move`, `1s/move+10s` (with a bank) or `30s+0.5s` (a bank with an increment)."""
        found = re.fullmatch(rf"{_SECONDS}(/move)?(?:\+{_SECONDS})?", text.replace(" ", ""))
        if not found:
            raise UsageError(
                f"clock {text!r} is not understood: "
                "write 1s/move, 1s/move+10s (with a bank) or 30s+0.5s (bank + increment)"
            )
        first = float(found[1]) * _UNITS[found[2]]
        second = float(found[4]) * _UNITS[found[5]] if found[4] else 0.0
        if found[3]:
            return cls(per_move=first, bank=second, increment=0.0)
        return cls(per_move=0.0, bank=first, increment=second)

    def __str__(self) -> str:
        """The text that `parse` reads back."""
        if self.per_move:
            return f"{self.per_move:g}s/move" + (f"+{self.bank:g}s" if self.bank else "")
        return f"{self.bank:g}s+{self.increment:g}s"


class Clock:
    """The running time of one seat; it holds numbers only and never looks at the real time."""

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.bank = control.bank

    def available(self) -> float:
        """Seconds that the next move may take; this is what the bot is told."""
        return self.control.per_move + self.bank

    def deadline(self) -> float:
        """Seconds that the referee waits: what the bot has, plus our own latency, which no bot pays for."""
        return self.available() + self.control.allowance + GRACE

    def charged(self, wall: float) -> float:
        """The part of the wall time that is the bot's."""
        return max(0.0, wall - self.control.allowance)

    def charge(self, wall: float) -> bool:
        """Spend the time of one move; False when the flag fell."""
        over = max(0.0, self.charged(wall) - self.control.per_move)
        if over > self.bank:
            self.bank = 0.0
            return False
        self.bank += self.control.increment - over
        return True
