"""How strong the sample bots are: `python -m bench.strength` plays them against each other and prints a table.

Every deal is played once from each seat by the real referee; the bots run in this process. The clock counts processor
time, so that the table does not depend on what else the machine does. A deal is the unit of the statistics, since its
matches have the luck of the cards in common. With more than two seats, one bot of the first kind sits among bots of the
second; its win rate is the share of opponents that it left behind, ties counting half, so one half is par. Where seats
have roles, the weaker bot also plays itself, and the stronger one must win more often than it in every role.

Every deal is written to the file of `--results` at once, and the same command goes on where it was stopped. Remove the
file when a bot has changed. `--table` plays nothing and prints the file; that of docs/games.md is bench/strength.jsonl.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from io import StringIO
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from arena.bots.in_process import served_bots
from arena.clock import TimeControl
from arena.errors import UsageError
from arena.game import AnyGame
from arena.links.local import LocalLink
from arena.match import Contestant, MatchSpec
from arena.referee.player import STRICT, Answer, Player, ReplyPolicy
from arena.referee.referee import AnyPlayer, play
from arena.registry import find, games
from arena.sdk import Bot, Session
from arena.sdk.search import rewards
from arena.sdk.serve import BotFactory

SAMPLES = Path(__file__).parents[1] / "sample_bots"
CLOCK = "cpu:0.2s/move"
PAIRS = ["search:greedy", "greedy:random"]
BOUNDS = {"claim": 0.55}
"""What a win rate must exceed with its whole interval; elsewhere 0.6, and par at bigger tables."""


@dataclass(frozen=True, slots=True)
class Contest:
    """One bot against another in one game."""

    game: str
    seats: int
    pair: str
    """The names of the two, as in `search:greedy`."""
    clock: str

    @property
    def bots(self) -> list[str]:
        """The names of the two."""
        return self.pair.split(":")

    @property
    def mirror(self) -> "Contest":
        """The same with the second bot in every seat."""
        return Contest(self.game, self.seats, f"{self.bots[1]}:{self.bots[1]}", self.clock)

    @property
    def bound(self) -> float:
        """What the win rate must exceed."""
        return BOUNDS.get(self.game, 0.6) if self.seats == 2 else 0.5


@dataclass(frozen=True, slots=True)
class Deal:
    """What the first bot of a pair got from each seat of one deal."""

    seed: int
    rewards: tuple[float, ...]
    forfeits: int
    """Matches that somebody lost by a fault, such as the clock."""


Results = dict[Contest, dict[int, Deal]]
"""The deals of each contest by their seeds."""


# -- playing ------------------------------------------------------------------------------------------------


def folder_of(name: str) -> Path:
    """The folder of a sample bot, or of any other."""
    return SAMPLES / name if (SAMPLES / name).is_dir() else Path(name).resolve()


@cache
def bots_of(name: str) -> Mapping[str, BotFactory]:
    """The bots that a folder's bot.py would serve, for each game."""
    return served_bots(folder_of(name), ("python3", "bot.py"))


class BusyLink(LocalLink):
    """A bot in this process, which pays for processor time alone."""

    def __init__(self, bot: Bot[Any, Any], game: AnyGame) -> None:
        super().__init__(Session(game, bot).handle, time.process_time)

    async def call(self, request: bytes, wait: float, reply_policy: ReplyPolicy = STRICT) -> Answer:
        """Ask the bot; its clock is the processor's."""
        answer = await super().call(request, wait, reply_policy)
        return replace(answer, cpu=answer.wall)


def play_deal(contest: Contest, seed: int) -> Deal:
    """Play one deal from every seat."""
    with redirect_stdout(StringIO()):  # what a bot prints is its log
        matches = [asyncio.run(play_match(contest, seed, seat)) for seat in range(contest.seats)]
    return Deal(seed, tuple(reward for reward, _ in matches), sum(forfeited for _, forfeited in matches))


async def play_match(contest: Contest, seed: int, seat: int) -> tuple[float, bool]:
    """What the first bot got from this seat, and whether somebody forfeited."""
    game, control = find(contest.game), TimeControl.parse(contest.clock)
    first, second = contest.bots
    names = [first if each == seat else second for each in range(contest.seats)]
    links = [BusyLink(bots_of(name)[contest.game](), game) for name in names]
    players: list[AnyPlayer] = [Player(game.codec, link, control) for link in links]
    config = game.configure(contest.seats, {})
    spec = MatchSpec(f"{seed}-{seat}", contest.game, config, seed, tuple(map(Contestant, names)), control)
    record = await play(game, players, spec)
    if record.void:
        raise RuntimeError(record.verdicts[0].sentence)
    forfeited = any(verdict.at_fault for verdict in record.verdicts)
    return rewards(record.outcome)[seat], forfeited


# -- the file of results ------------------------------------------------------------------------------------


def read(path: Path) -> Results:
    """All that was played."""
    found: Results = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        fields = json.loads(line)
        deal = Deal(fields["seed"], tuple(fields["rewards"]), fields["forfeits"])
        found.setdefault(Contest(**fields["contest"]), {})[deal.seed] = deal
    return found


def append(path: Path, contest: Contest, deal: Deal) -> None:
    """Add one deal in a line of its own, so that several programs may do so at once."""
    with path.open("a") as file:
        file.write(json.dumps({"contest": asdict(contest), **asdict(deal)}) + "\n")


# -- the table ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rate:
    """A win rate with its 95 % interval."""

    mean: float
    spread: float

    @classmethod
    def of(cls, samples: Sequence[float]) -> "Rate":
        """The mean of independent samples; no row of wins is certainty, so one lost and one won widen the interval."""
        wider = (*samples, 0.0, 1.0)
        return cls(fmean(samples), 1.96 * stdev(wider) / sqrt(len(wider)))

    def __str__(self) -> str:
        low, high = max(0.0, self.mean - self.spread), min(1.0, self.mean + self.spread)
        return f"{self.mean:.1%} | {low:.1%} to {high:.1%}"

    def exceeds(self, bound: float) -> bool:
        """Whether the whole interval lies above."""
        return self.mean - self.spread > bound


def table(results: Results) -> Iterator[str]:
    """The lines of the table in Markdown."""
    yield "| game | bots | matches | win rate | 95 % interval | asked | met |"
    yield "|---|---|---|---|---|---|---|"
    for contest in sorted(results, key=lambda each: (each.game, each.seats)):
        if contest != contest.mirror:
            yield from rows(contest, results)


def rows(contest: Contest, results: Results) -> Iterator[str]:
    """One line for the contest, and one for each role."""
    deals, info = results[contest].values(), find(contest.game).info
    rate = Rate.of([fmean(deal.rewards) for deal in deals])
    where = f"`{contest.game}`" + (f", {contest.seats} seats" if info.max_seats > info.min_seats else "")
    matches, met = len(deals) * contest.seats, "✗✓"[rate.exceeds(contest.bound)]
    yield f"| {where} | {contest.pair} | {matches} | {rate} | > {contest.bound:.0%} | {met} |"
    twins = results.get(contest.mirror, {}).values()
    for seat, role in enumerate(info.roles if twins else ()):
        rate, other = (Rate.of([deal.rewards[seat] for deal in each]) for each in (deals, twins))
        asked, met = f"> {other.mean:.1%}, {contest.mirror.pair}", "✗✓"[rate.mean > other.mean]
        yield f"| as {role} | {contest.pair} | {len(deals)} | {rate} | {asked} | {met} |"


# -- the command --------------------------------------------------------------------------------------------


def contests(names: Sequence[str], pairs: Sequence[str], seats: int | None, clock: str) -> list[Contest]:
    """What is to be played."""
    found: list[Contest] = []
    for name in names:
        info = find(name).info
        for pair in pairs:
            contest = Contest(name, seats or info.min_seats, pair, clock)
            found += [contest, contest.mirror] if info.roles else [contest]
    return found


def parse() -> argparse.Namespace:
    """The options of the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", action="append", choices=list(games()), help="only this game; may be repeated")
    parser.add_argument("--pair", action="append", type=pair, metavar="A:B", help="only these sample bots, or folders")
    parser.add_argument("--seats", type=int, help="how many sit at the table (the fewest that the game allows)")
    parser.add_argument("--deals", type=int, default=40, help="deals per pair, each played from every seat (40)")
    parser.add_argument("--clock", type=clock, default=CLOCK, help=f"time control ({CLOCK})")
    parser.add_argument("--jobs", type=int, default=1, help="processes to play in (1); on busy cores search is weaker")
    parser.add_argument("--results", type=Path, default="strength.jsonl", help="the file that keeps every deal")
    parser.add_argument("--table", action="store_true", help="print the table of the file, and play nothing")
    return parser.parse_args()


def pair(text: str) -> str:
    """Two bots that are there."""
    names = text.split(":")
    missing = [name for name in names if not (folder_of(name) / "bot.py").is_file()]
    if len(names) != 2 or missing:
        raise argparse.ArgumentTypeError(f"{text!r} is not two folders with a bot.py, as in search:greedy")
    return text


def clock(text: str) -> str:
    """A time control in its usual spelling."""
    try:
        return str(TimeControl.parse(text))
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def main() -> None:
    """Play what is missing, and print the table."""
    given = parse()
    done = read(given.results)
    plan = [] if given.table else contests(given.game or list(games()), given.pair or PAIRS, given.seats, given.clock)
    with ProcessPoolExecutor(given.jobs) as pool:
        each = pool.map if given.jobs > 1 else map
        for contest in plan:
            missing = [seed for seed in range(given.deals) if seed not in done.get(contest, {})]
            for number, deal in enumerate(each(partial(play_deal, contest), missing), start=1):
                append(given.results, contest, deal)
                print(f"{contest.game} {contest.pair}: deal {number} of {len(missing)}", file=sys.stderr)
    results = read(given.results)
    shown = results if given.table else {contest: results[contest] for contest in plan}
    print("\n".join(table(shown)))
    if forfeits := sum(deal.forfeits for deals in shown.values() for deal in deals.values()):
        print(f"\nforfeited: {forfeits}")


if __name__ == "__main__":
    main()
