"""How a test of two bots is shown: its numbers while it runs, and what they mean when it is over."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType

from arena.cli.output import marked
from arena.cli.table_formats import counted
from arena.match import points
from arena.store.base import BotEntry, MatchEntry
from arena.tournaments.outcomes import Outcomes
from arena.tournaments.sprt import SCORES, Sprt, SprtDecision, SprtReport, first_points

WORDS = {SprtDecision.ACCEPT_H1: "better", SprtDecision.ACCEPT_H0: "not better", SprtDecision.CONTINUE: "not decided"}


class PairsView:
    """A test while it runs, by the pairs that are complete."""

    def __init__(self, played: Outcomes, first: BotEntry, test: Sprt) -> None:
        self._first = first.id
        self._test = test
        self._halves: dict[int, float] = {}
        """The first bot's points in the pairs of which one match is over, by the number of the pair."""
        self._pairs: list[tuple[float, float]] = []
        for ordinal, outcome in played.known():
            self._count(ordinal, first_points(outcome))
        self.renew()

    def note(self, entry: MatchEntry) -> None:
        """Count the match, if it completes its pair."""
        self._count(entry.ordinal, _points(entry, self._first))

    def renew(self) -> None:
        """Test again."""
        self.state = self._test.after(list(self._pairs))

    def render(self) -> RenderableType:
        """The same line as anywhere else."""
        return marked(self.line())

    def line(self) -> str:
        """The state of the test in numbers."""
        return numbers(self.state) if any(self.state.counts) else ""

    def _count(self, ordinal: int, points: float) -> None:
        pair = ordinal // 2
        if pair in self._halves:
            self._pairs.append((self._halves.pop(pair), points))
        else:
            self._halves[pair] = points


def numbers(test: Sprt) -> str:
    """Pairs, score, difference and how near the test is to its end."""
    report = test.report()
    if not report.pairs:
        return "no pair is complete yet"
    low, high = (_elo(end) for end in report.interval)
    return (
        f"{counted(report.pairs, 'pair')}, score {score(test):.1%}, Elo {_elo(report.elo)} ({low} to {high}), "
        f"LLR {report.llr:.2f} ({report.lower:.2f} to {report.upper:.2f}), LOS {report.los:.1%}"
    )


def sentence(test: Sprt, first: str, second: str) -> str:
    """The verdict."""
    report = test.report()
    match report.decision:
        case SprtDecision.CONTINUE:
            return f"not decided after {counted(report.pairs, 'pair')} whether {first} is better than {second}"
        case SprtDecision.ACCEPT_H0:
            return f"{first} is not better than {second} by {test.elo1:g} Elo"
        case SprtDecision.ACCEPT_H1 if test.elo0 < 0:
            return f"{first} is not weaker than {second} by {-test.elo0:g} Elo"
    more = f" by more than {test.elo0:g} Elo" if test.elo0 else ""
    return f"{first} is better than {second}{more}"


def plain(test: Sprt, field: Sequence[BotEntry], tournament_id: int) -> Mapping[str, Any]:
    """The verdict and its numbers as plain data."""
    report: SprtReport = test.report()
    low, high = report.interval
    return {
        "verdict": WORDS[report.decision],
        "sentence": sentence(test, *(bot.label for bot in field)),
        "new": field[0].name,
        "new_version": field[0].version,
        "old": field[1].name,
        "old_version": field[1].version,
        "tournament": tournament_id,
        "pairs": report.pairs,
        "counts": list(test.counts),
        "score": score(test) if report.pairs else None,
        "elo": _finite(report.elo),
        "elo_low": _finite(low),
        "elo_high": _finite(high),
        "llr": report.llr,
        "llr_lower": report.lower,
        "llr_upper": report.upper,
        "los": report.los,
        "elo0": test.elo0,
        "elo1": test.elo1,
        "alpha": test.alpha,
        "beta": test.beta,
    }


def score(test: Sprt) -> float:
    """The first bot's points per match."""
    return sum(count * float(points) for count, points in zip(test.counts, SCORES)) / sum(test.counts)


def _points(entry: MatchEntry, bot_id: int) -> float:
    gained = points([seat.rank for seat in entry.seats])
    return next(gain for seat, gain in zip(entry.seats, gained) if seat.bot_id == bot_id)


def _elo(value: float) -> str:
    return f"{value:+.0f}" if math.isfinite(value) else f"{'+' if value > 0 else '-'}∞"


def _finite(value: float) -> float | None:
    """JSON has no infinity."""
    return value if math.isfinite(value) else None
