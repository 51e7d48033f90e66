"""How a test of two bots is shown: its numbers while it runs, and what they mean when it is over."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType

from arena.cli.fault_report import BotFaults, plain_faults, read_faults
from arena.cli.output import marked
from arena.errors import FaultyTest
from arena.match import percent
from arena.schedules.outcomes import Outcomes
from arena.schedules.sprt import SCORES, Sprt, SprtDecision, SprtReport, later_pairs, leading_pairs
from arena.store.base import BotEntry, MatchEntry
from arena.store.sql import Store
from arena.tournaments.formats import sprt_of
from arena.tournaments.tournament import FAULTS_IN_A_ROW, Tournament
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
        self.state = self._test.after(leading_pairs(self._played))

    def render(self) -> RenderableType:
        """The same line as anywhere else."""
        return marked(self.line())

    def line(self) -> str:
        """The state of the test in numbers."""
        return numbers(self.state) if any(self.state.counts) else ""


@dataclass(frozen=True, slots=True)
class FinalReport:
    """What a test says when no more of it is played."""

    test: Sprt
    left_out: int
    """Pairs that are over and do not count."""
    faults: Sequence[BotFaults]
    fair: Sprt
    """The test by those pairs alone in which nobody was at fault."""

    @classmethod
    def of(cls, running: Tournament, field: Sequence[BotEntry], store: Store) -> "FinalReport":
        """The report of a test by what the store has of it."""
        test, pairs = sprt_of(running.settings), leading_pairs(running.finished)
        faults, faulty = read_faults(store, running.id, field)
        after = test.after(pairs)
        counted = sum(after.counts)
        fair = [pair for number, pair in enumerate(pairs[:counted]) if number not in faulty]
        return cls(after, later_pairs(running.finished, counted), faults, test.after(fair))

    @property
    def by_forfeits(self) -> bool:
        """Whether it is decided, but not by what was played."""
        decision = self.test.report().decision
        return decision not in (SprtDecision.CONTINUE, self.fair.report().decision)

    def stopped(self, bot_id: int | None, game: str) -> FaultyTest:
        """That one bot fails in match after match, and what to do."""
        bad = next(faults for faults in self.faults if faults.bot.id == bot_id)
        return FaultyTest(
            f"{bad.bot.label} was at fault in {FAULTS_IN_A_ROW} matches in a row, the last time: {bad.sentence}; the "
            f"test is stopped: {bad.advice(game)}, and the same `arena test` goes on with it"
        )

    def not_by_play(self, game: str) -> FaultyTest:
        """That the verdict rests on forfeits, and what to do."""
        labels, pairs = " and ".join(faults.bot.label for faults in self.faults), sum(self.fair.counts)
        return FaultyTest(
            f"faults of {labels} have decided this test: {counted(pairs, 'pair')} without a fault would not: "
            f"{' and '.join(faults.advice(game) for faults in self.faults)}"
        )

    def text(self, field: Sequence[BotEntry]) -> str:
        """All of it for people."""
        lines = [numbers(self.test, self.left_out), sentence(self.test, *(bot.label for bot in field))]
        return "\n".join(lines + [faults.text() for faults in self.faults])

    def plain(self, field: Sequence[BotEntry], tournament_id: int) -> dict[str, Any]:
        """All of it for programs."""
        faults = {"faults": list(map(plain_faults, self.faults)), "by_forfeits": self.by_forfeits}
        return {**plain(self.test, field, tournament_id, self.left_out), **faults}


def numbers(test: Sprt, left_out: int = 0) -> str:
    """Pairs, score, difference and how near the test is to its end, and how many later pairs that leaves out."""
    report = test.report()
    later = f"; {_left_out(left_out, report.decision)}" if left_out else ""
    if not report.pairs:
        return f"no pair is complete yet{later}"
    low, high = (_elo(end) for end in report.interval)
    return (
        f"{counted(report.pairs, 'pair')}, score {percent(score(test), 1)}, Elo {_elo(report.elo)} ({low} to {high}), "
        f"LLR {report.llr:.2f} ({report.lower:.2f} to {report.upper:.2f}), LOS {percent(report.los, 1)}{later}"
    )


def _left_out(pairs: int, decision: SprtDecision) -> str:
    """Why some pairs that are over do not count."""
    open_one = "deals count in their order, and an earlier one is not over"
    why = open_one if decision is SprtDecision.CONTINUE else "it was decided before them"
    return f"{counted(pairs, 'later pair')} left out: {why}"


def sentence(test: Sprt, first: str, second: str) -> str:
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
