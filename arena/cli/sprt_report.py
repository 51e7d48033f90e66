"""How a test of two bots is shown: its numbers while it runs, and what they mean when it is over."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType

from arena.cli.output import marked
from arena.match import percent
from arena.schedules.outcomes import Outcomes
from arena.schedules.sprt import SCORES, Sprt, SprtDecision, SprtReport, leading_pairs
from arena.store.base import BotEntry, MatchEntry
from arena.web.formats import counted

WORDS = {SprtDecision.ACCEPT_H1: "better", SprtDecision.ACCEPT_H0: "not better", SprtDecision.CONTINUE: "not decided"}


class PairsView:
    """A test while it runs, by the pairs that are over, in the order of the deals."""

    def __init__(self, played: Outcomes, test: Sprt) -> None:
        self._played = played
        self._test = test
        self.renew()

    def note(self, entry: MatchEntry) -> None:
        """The match is among those played already."""

    def renew(self) -> None:
        """Test again."""
        self.state = self._test.after(leading_pairs(self._played))

    def render(self) -> RenderableType:
        """The same line as anywhere else."""
        return marked(self.line())

    def line(self) -> str:
        """The state of the test in numbers."""
        return numbers(self.state) if any(self.state.counts) else ""


def numbers(test: Sprt, left_out: int = 0) -> str:
    """Pairs, score, difference and how near the test is to its end, and how many later pairs that leaves out."""
    report = test.report()
    later = f"; {_left_out(left_out)}" if left_out else ""
    if not report.pairs:
        return f"no pair is complete yet{later}"
    low, high = (_elo(end) for end in report.interval)
    return (
        f"{counted(report.pairs, 'pair')}, score {percent(score(test), 1)}, Elo {_elo(report.elo)} ({low} to {high}), "
        f"LLR {report.llr:.2f} ({report.lower:.2f} to {report.upper:.2f}), LOS {percent(report.los, 1)}{later}"
    )


def _left_out(pairs: int) -> str:
    """Why some pairs that are over do not count yet."""
    return f"{counted(pairs, 'later pair')} left out: deals count in their order, and an earlier one is not over"


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


def plain(test: Sprt, field: Sequence[BotEntry], tournament_id: int, left_out: int) -> Mapping[str, Any]:
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
        "left_out": left_out,
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


def _elo(value: float) -> str:
    return f"{value:+.0f}" if math.isfinite(value) else f"{'+' if value > 0 else '-'}∞"


def _finite(value: float) -> float | None:
    """JSON has no infinity."""
    return value if math.isfinite(value) else None
