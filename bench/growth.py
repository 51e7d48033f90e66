"""Whether tables, lists and the tournament itself stay quick and small when a store grows to a million matches.

Stores are made by plain SQL: 100 bots, two games, 200 tournaments; every record is that of a real match of its game.
Commands are measured from outside, each in a process of its own; pages from inside, as the best of several runs. The
tournament is measured with an executor that makes results up at once, so that what is left is the tournament and the
store. Processor seconds depend less on what else the machine does than seconds do.
"""

import argparse
import asyncio
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from time import monotonic, process_time
from typing import Any

from rich.console import Console
from rich.table import Table
from sqlalchemy import Connection, insert, text

from arena import registry
from arena.bots.builtin import RandomBot
from arena.bots.running import LocalBot
from arena.bots.table import Table as GameTable
from arena.clock import TimeControl
from arena.match import Contestant, MatchSpec
from arena.referee import record
from arena.referee.faults import FORFEIT
from arena.referee.heartbeat import STEADY
from arena.sdk import Session
from arena.store.base import BotEntry, MatchEntry, SeatResult
from arena.store.database import open_database, writing
from arena.store.schema import ALL, matches, records, seats
from arena.store.scope import Scope
from arena.store.sql import Store
from arena.store.tallies import Counted
from arena.tournaments.settings import Settings
from arena.tournaments.tournament import Tournament
from arena.workers.base import FinishedMatch, Job, Keep, MayBegin

GAMES = ("claim", "kingdoms")
BOTS = 100
TOURNAMENTS = 200
FIELD = 20
"""Bots in each of the made tournaments."""
PIECE = 20_000
"""Matches in one transaction."""
RUNS = 15
COMMAND_RUNS = 3
STARTER = """
import resource, subprocess, sys, time
started = time.monotonic()
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.monotonic() - started, used.ru_utime + used.ru_stime, used.ru_maxrss, file=sys.stderr)
"""
SIZES = (1_000, 10_000, 100_000)


# -- making stores ------------------------------------------------------------------------------------------


def make_store(address: str, count: int) -> None:
    """Fill an empty store with so many matches."""
    store = Store(address)
    rng = Random(count)
    bots = [_bot(store, number) for number in range(BOTS)]
    skills = {bot.id: rng.gauss(25.0, 6.0) for bot in bots}
    tournaments = [_tournament(store, number, bots, rng) for number in range(min(TOURNAMENTS, count // 100))]
    store.close()
    kept = {game: real_record(game) for game in GAMES}
    made = _matches(tournaments, skills, count, rng)
    engine, number = open_database(address), 1
    while several := list(islice(made, PIECE)):
        with writing(engine) as connection:
            _insert(connection, several, number, kept)
        number += len(several)
    with writing(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(
                text("SELECT setval(pg_get_serial_sequence('matches', 'number'), :n)"), {"n": number - 1}
            )
        connection.execute(text("ANALYZE"))
    engine.dispose()


def real_record(game_name: str) -> bytes:
    """The record of a match between two random players inside this process."""
    game = registry.find(game_name)
    contestants = Contestant("bot000", "1"), Contestant("bot001", "1")
    spec = MatchSpec("0" * 16, game_name, game.configure(2, {}), 1, contestants, TimeControl.parse("none"))

    async def play() -> bytes:
        players = [LocalBot(who, lambda: Session(game, RandomBot(1)).handle) for who in contestants]
        async with GameTable(players, heartbeat=STEADY, policy=FORFEIT) as table:
            return record.dump(await table.play(game, spec, (0, 1)), game)

    return asyncio.run(play())


def _bot(store: Store, number: int) -> BotEntry:
    name = f"bot{number:03}"
    return store.add_bot(name=name, version="1", owner=f"owner{number % 10}", digest=name, origin="", games=GAMES)


def _tournament(store: Store, number: int, bots: Sequence[BotEntry], rng: Random) -> tuple[int, str, list[int]]:
    """Begin a tournament: its id, its game and the ids of its bots."""
    game, field = GAMES[number % len(GAMES)], rng.sample(list(bots), FIELD)
    settings = made_settings(game, field, seed=number, rounds=100)
    return store.begin_tournament(game, settings.to_json()).id, game, [bot.id for bot in field]


def made_settings(game: str, field: Sequence[BotEntry], *, seed: int, rounds: int) -> Settings:
    """A round robin of these bots."""
    return Settings(
        game=game, options={}, seats=2, format="round-robin", rounds=rounds, seed=seed, clock="none", strikes=0,
        sandbox="process", memory_bytes=2**29, cpus=1.0, ponder=False, fresh=False,
        bots=tuple((bot.name, bot.version, bot.digest) for bot in field),
    )  # fmt: skip


def _matches(
    tournaments: Sequence[tuple[int, str, list[int]]], skills: dict[int, float], count: int, rng: Random
) -> Iterator[tuple[str, MatchEntry]]:
    """The game and the rows of every match, one tournament after the other."""
    share = -(-count // len(tournaments))
    for number in range(count):
        tournament_id, game, field = tournaments[number // share]
        bots = rng.sample(field, 2)
        lead = rng.gauss(skills[bots[0]] - skills[bots[1]], 6.0)
        ranks = (1, 1) if abs(lead) < 0.7 else (1, 2) if lead > 0 else (2, 1)
        fault = rng.random() < 0.01
        results = tuple(
            SeatResult(
                bot, rank, float(3 - rank), "TIME" if fault and rank == 2 else "NORMAL", "played to the end",
                rng.randrange(10**6), 900,
            )
            for bot, rank in zip(bots, ranks)
        )  # fmt: skip
        name, group = f"{rng.getrandbits(64):016x}", f"{min(bots)} {max(bots)}"
        yield (
            game,
            MatchEntry(
                tournament_id, name, number % share, group, number, "votes 4 to 1", 52, f"{number:064x}", results
            ),
        )


def _insert(
    connection: Connection, several: Sequence[tuple[str, MatchEntry]], first: int, kept: dict[str, bytes]
) -> None:
    """Write matches, the first of them with this number, and count them."""
    counted, rows = Counted(), dict[Any, list[dict[str, Any]]]({matches: [], seats: [], records: []})
    for number, (game, match) in enumerate(several, first):
        own = {name: getattr(match, name) for name in MatchEntry.__slots__ if name != "seats"}
        rows[matches].append({**own, "number": number, "game": game, "checksum": match.seal})
        for seat, result in enumerate(match.seats):
            values = {name: getattr(result, name) for name in SeatResult.__slots__ if name != "log"}
            rows[seats].append({**values, "match_number": number, "seat": seat})
        rows[records].append({"match_number": number, "record": kept[game]})
        counted.add(match.tournament_id, game, match)
        counted.add(ALL, game, match)
    for table, several_rows in rows.items():
        connection.execute(insert(table), several_rows)
    counted.write(connection)


# -- measuring ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took."""

    seconds: float
    processor_s: float
    megabytes: float
    """At most, at any moment."""
    output: str

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s ({self.processor_s:.2f}), {self.megabytes:.0f} MB"


def cost_of(*words: str, times: int = 1) -> Cost:
    """Run Python with these words and measure it from outside; of several runs the one with the least work."""
    return min((_cost_once(*words) for _ in range(times)), key=lambda cost: cost.processor_s)


def _cost_once(*words: str) -> Cost:
    # A process counts the memory of the one that started it: so a small one starts it, and tells what it took.
    done = subprocess.run([sys.executable, "-c", STARTER, sys.executable, *words], capture_output=True, check=True)  # noqa: S603
    seconds, processor_s, kilobytes = map(float, done.stderr.split()[-3:])
    return Cost(seconds, processor_s, kilobytes / 1024, done.stdout.decode())


def page_times(address: str) -> dict[str, float]:
    """Processor milliseconds of what a site asks a store for, the best of several runs, without a server's own."""
    store = Store(address)
    middle, bot = store.latest_number() // 2, store.all_bots()[7].id
    tournament = store.tournament_summaries(limit=1)[0].entry.id
    asked: dict[str, Callable[[], object]] = {
        "latest 30": store.latest_matches,
        "30 from the middle": lambda: store.latest_matches(before=middle),
        "latest 30 of a game": lambda: store.latest_matches(game=GAMES[0]),
        "latest 30 of a tournament": lambda: store.latest_matches(tournament_id=tournament),
        "latest 30 of a bot": lambda: store.latest_matches(bot_id=bot),
        "latest 30 of a bot in a game": lambda: store.latest_matches(bot_id=bot, game=GAMES[0]),
        "tallies of a game": lambda: store.tallies(Scope(game=GAMES[0])),
        "tallies of a tournament": lambda: store.tallies(Scope(tournament_id=tournament)),
        "times and faults of a game": lambda: store.seat_tallies(Scope(game=GAMES[0])),
        "latest 30 tournaments": lambda: store.tournament_summaries(limit=30),
    }
    times = {name: _best_ms(ask) for name, ask in asked.items()}
    store.close()
    return times


def _best_ms(ask: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        started = process_time()
        ask()
        times.append(process_time() - started)
    return 1000 * min(times)


# -- the tournament -----------------------------------------------------------------------------------------


class MadeUp:
    """An executor whose matches are over at once."""

    def __init__(self, tournament_id: int, bot_ids: Sequence[int]) -> None:
        self._tournament_id = tournament_id
        self._bot_ids = bot_ids
        self.running, self.tables = 0, 1

    async def __aenter__(self) -> "MadeUp":
        return self

    async def __aexit__(self, *_: object) -> None:
        """Nothing is held."""

    def stop(self) -> None:
        """Nobody stops it."""

    def abort(self) -> None:
        """Nobody stops it."""

    async def play(self, jobs: Iterable[Job], keep: Keep, may_begin: MayBegin) -> None:
        """Make up a result for every match; who wins follows from its place in the schedule."""
        for job in jobs:
            for assignment in job.assignments:
                if not may_begin():
                    return
                ordinal, spec = assignment.ordinal, assignment.spec
                ranks = ((1, 2), (2, 1), (1, 1))[ordinal * 7919 % 3]
                results = tuple(
                    SeatResult(self._bot_ids[job.bots[place]], rank, 0.0, "NORMAL", "", 1000, 900)
                    for place, rank in zip(assignment.seating, ranks)
                )
                entry = MatchEntry(
                    self._tournament_id, spec.match_id, ordinal, "", spec.seed, "made up", 52, "", results
                )
                await keep(FinishedMatch(entry, b"0" * 1000, 0.001))


def drive(address: str, count: int, bots: int = 10) -> str:
    """Play a tournament of about so many made-up matches in this process: matches, seconds, processor seconds, MB."""
    store = Store(address)
    field = [_bot(store, number) for number in range(bots)]
    rounds = max(1, count // (bots * (bots - 1)))
    settings = made_settings(GAMES[0], field, seed=1, rounds=rounds)
    started, used = monotonic(), process_time()
    with Tournament.start(registry.find(GAMES[0]), settings, field, store) as tournament:
        executor = MadeUp(tournament.id, [bot.id for bot in field])
        if not asyncio.run(tournament.run(executor, lambda _: None)):
            raise SystemExit("the tournament is not complete")
    seconds, processor_s = monotonic() - started, process_time() - used
    store.close()
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{tournament.played} {seconds:.6f} {processor_s:.6f} {megabytes:.1f}"


# -- the tables ---------------------------------------------------------------------------------------------


def show_store(sizes: Sequence[int], folder: Path) -> None:
    """Commands and pages, a column for each size of store."""
    console, columns = Console(width=150), dict[int, dict[str, str]]()
    for size in sizes:
        path = folder / f"growth-{size}.db"
        started = monotonic()
        if not path.exists():
            make_store(str(path), size)
        made = monotonic() - started
        stored = str(path)
        rows = {"made in": f"{made:.0f} s", "file": f"{path.stat().st_size / 2**20:,.0f} MB"}
        for words in (
            ("--version",),
            ("ratings", "--game", GAMES[0], "--db", stored),
            ("tournament", "list", "--db", stored),
            ("history", "bot007", "--db", stored),
        ):
            name = " ".join(word for word in words[:2] if word.isalpha() or len(words) == 1)
            rows[f"arena {name}"] = str(cost_of("-m", "arena", *words, times=COMMAND_RUNS))
        rows |= {name: f"{ms:.2f} ms" for name, ms in page_times(stored).items()}
        columns[size] = rows
    table = Table("seconds (of a processor), memory", *(f"{size:,}" for size in sizes))
    for name in columns[sizes[0]]:
        table.add_row(name, *(columns[size][name] for size in sizes))
    console.print(table)


def show_driver(sizes: Sequence[int], folder: Path) -> None:
    """The tournament, a row for each number of matches."""
    table = Table("matches", "ms per match", "processor ms per match", "most memory, MB")
    for size in sizes:
        path = folder / f"driver-{size}.db"
        path.unlink(missing_ok=True)
        cost = cost_of("-m", "bench.growth", "--drive", str(size), "--folder", str(path))
        count, seconds, processor_s, megabytes = map(float, cost.output.split())
        each = f"{1000 * seconds / count:.2f}", f"{1000 * processor_s / count:.2f}"
        table.add_row(f"{count:,.0f}", *each, f"{megabytes:.0f}")
        path.unlink(missing_ok=True)
    Console(width=150).print(table)


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--matches", type=int, nargs="*", default=SIZES, help="sizes of the stores; 1000000 takes a while"
    )
    parser.add_argument("--driver", type=int, nargs="*", default=SIZES, help="sizes of the tournaments")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="where the stores are kept")
    parser.add_argument("--drive", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--make", nargs=2, metavar=("MATCHES", "STORE"), help="only make a store, a file or a URL")
    given = parser.parse_args()
    if given.drive:
        sys.stdout.write(drive(str(given.folder), given.drive))
        return
    if given.make:
        make_store(given.make[1], int(given.make[0]))
        return
    if given.matches:
        show_store(given.matches, given.folder)
    if given.driver:
        show_driver(given.driver, given.folder)


if __name__ == "__main__":
    main()
