"""What each sandbox costs: the start of a bot, a move, its memory, a whole match; all kinds in turns in one run.

    arena bot build sample_bots/random      # docker and gvisor play this image, bubblewrap the folder
    python -m bench.sandboxes [--rounds 10] [--sandbox gvisor ...]

The moves are asked as in a tournament: through referee, clock, codec and link, and who is not to move is frozen.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from rich.console import Console
from rich.table import Table

from arena import registry
from arena.bots.launch import SandboxOptions, sandboxed_bot
from arena.bots.manifest import locate
from arena.clock import TimeControl
from arena.errors import Disconnected
from arena.match import FINE, Contestant, MatchSpec
from arena.referee.heartbeat import Heartbeat, ThreadHeartbeat
from arena.referee.player import Player
from arena.referee.referee import play
from arena.sandboxes import Limits

GAME = registry.find("claim")
CONTROL = TimeControl.parse("5s/move+10s")
SPEC = MatchSpec("bench", "claim", GAME.configure(2, {}), 7, (Contestant("a"), Contestant("b")), CONTROL)
BOTS = {"bubblewrap": "sample_bots/random", "docker": "arena-bot/random:1", "gvisor": "arena-bot/random:1"}
WARM_UP = 1


@dataclass(frozen=True, slots=True)
class Cost:
    """What one match took."""

    start_s: float
    """From nothing to two bots that are ready."""
    move_ms: float
    cpu_ms: float
    """Processor time of a bot for one move, with all that its sandbox does for it: less disturbed by a busy machine."""
    memory_mib: float
    """The most that a bot used, where that is counted."""
    match_s: float
    """With the start and the end of both sandboxes."""


async def match(sandbox: str, heartbeat: Heartbeat) -> Cost:
    """Play one match between two new sandboxes."""
    options = SandboxOptions(sandbox, Limits(start_s=60.0), ponder=False)
    source = locate(BOTS[sandbox], ())
    began = time.perf_counter()
    bots = [sandboxed_bot(contestant, source, options) for contestant in SPEC.contestants]
    try:
        await asyncio.gather(*(bot.start() for bot in bots))
        links = await asyncio.gather(*(bot.open_match(GAME.codec) for bot in bots))
        ready, used = time.perf_counter(), sum(bot.sandbox.cpu_time() for bot in bots)
        result = await play(GAME, [Player(GAME.codec, link, CONTROL, heartbeat=heartbeat) for link in links], SPEC)
        played, used = time.perf_counter(), sum(bot.sandbox.cpu_time() for bot in bots) - used
        memory = max(bot.sandbox.peak_memory() or 0 for bot in bots)
        await asyncio.gather(*(link.close() for link in links))
    finally:
        await asyncio.gather(*(bot.close() for bot in bots))
    if any(verdict != FINE for verdict in result.verdicts):
        raise Disconnected(str(result.verdicts))
    moves = len(result.played) / 1e3
    return Cost(ready - began, (played - ready) / moves, used / moves, memory / (1 << 20), time.perf_counter() - began)


async def measure(sandboxes: Sequence[str], rounds: int) -> dict[str, list[Cost]]:
    """One match of every kind in each round."""
    costs: dict[str, list[Cost]] = {name: [] for name in sandboxes}
    with ThreadHeartbeat() as heartbeat:
        for number in range(WARM_UP + rounds):
            for name, found in costs.items():
                cost = await match(name, heartbeat)
                if number >= WARM_UP:
                    found.append(cost)
    return costs


def report(costs: dict[str, list[Cost]]) -> None:
    """Print the table of medians."""
    table = Table("sandbox", "2 starts, s", "move, ms", "best", "cpu, ms", "MiB", "match, s")
    for name, found in costs.items():
        start, move, cpu, memory, match_s = map(statistics.median, zip(*map(astuple, found)))
        best = min(cost.move_ms for cost in found)
        table.add_row(
            name, f"{start:.2f}", f"{move:.2f}", f"{best:.2f}", f"{cpu:.2f}", f"{memory:.0f}", f"{match_s:.2f}"
        )
    Console().print(table)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--sandbox", choices=BOTS, action="append", help="only this one; may be given several times")
    options = parser.parse_args()
    report(asyncio.run(measure(options.sandbox or list(BOTS), options.rounds)))


if __name__ == "__main__":
    main()
