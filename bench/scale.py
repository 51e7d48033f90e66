"""How many matches per second many workers would play, and what breaks first: a simulation with measured times.

    python -m bench.scale --db postgresql://…          measures here, and simulates with what it measured
    python -m bench.scale --match-s 2.5 --driver-ms 1.2 --commit-ms 3 --writers 8      simulates with these

A table plays a match, the driver takes the result (one thread of Python at a time), the store commits it, and only then
does the table get its next match. So tables, driver and store are a closed circle of queues, which is simulated event
by event. Nothing in it is assumed but what the options or the measurements say; what is extrapolated is marked so.
"""

import argparse
import heapq
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table
from sqlalchemy import text

from arena.ratings import Result, collect, rate
from arena.ratings.model import ENVIRONMENT, ROLE_SIGMA
from arena.store.base import BotEntry, MatchEntry, SeatResult
from arena.store.sql import Store
from bench.growth import GAMES, made_settings, real_record
from bench.workers import INSIDE, THINKING, make_bots, measure

TABLES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096)
MATCHES = 20_000
"""Matches that are simulated for each number of tables."""
DAY_S = 86_400
TARGET_BOTS, TARGET_MATCHES = 10_000, 10_000_000
WRITERS = (1, 2, 4, 8, 16)
FIELDS = (100, 200, 400, 800)
"""Numbers of bots whose ratings are measured."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The service times that the simulation is made of."""

    match_s: float
    """Of a table, for a match."""
    driver_ms: float
    """Of the driver's one thread of Python, for a result."""
    commit_ms: float
    """Of the store, for a commit, when there is only one at a time."""
    writers: float
    """How many commits the store works on at a time: its most per second, times the time of one."""


@dataclass(frozen=True, slots=True)
class Flow:
    """What came of a simulation."""

    per_second: float
    tables_busy: float
    driver_busy: float
    store_busy: float

    def bottleneck(self) -> str:
        """Who is busy all the time."""
        shares = {"tables": self.tables_busy, "driver": self.driver_busy, "store": self.store_busy}
        return max(shares, key=lambda name: shares[name])


# -- the simulation ---------------------------------------------------------------------------------------


class Station:
    """Several servers with one queue: tells when a job that arrives now is done."""

    def __init__(self, servers: int) -> None:
        self._free = [0.0] * servers
        self._work = 0.0

    def done(self, arrives: float, service: float) -> float:
        """When it is done; jobs must come in the order of their arrivals."""
        begins = max(arrives, heapq.heappop(self._free))
        heapq.heappush(self._free, begins + service)
        self._work += service
        return begins + service

    def busy(self, now: float) -> float:
        """The share of the time until now in which its servers worked."""
        ahead = sum(max(0.0, free - now) for free in self._free)
        return (self._work - ahead) / len(self._free) / now


def simulate(costs: Costs, tables: int, *, drivers: int = 1, matches: int = MATCHES, seed: int = 1) -> Flow:
    """Play so many matches on so many tables; times vary from half to one and a half of their means."""
    rng = Random(seed)
    servers = max(1, round(costs.writers))
    # As many whole servers as there are, each so slow that all together commit as many per second as was measured.
    commit_s = costs.commit_ms / 1000 * servers / costs.writers
    driver = [Station(1) for _ in range(drivers)]
    store = Station(servers)
    events = [(rng.random() * costs.match_s, 0, number) for number in range(tables)]
    heapq.heapify(events)
    finished, now, playing = 0, 0.0, 0.0
    while finished < max(matches, 10 * tables):
        now, stage, table = heapq.heappop(events)
        vary = rng.uniform(0.5, 1.5)
        if stage == 0:  # the match is over, its result goes to the driver
            heapq.heappush(events, (driver[table % drivers].done(now, vary * costs.driver_ms / 1000), 1, table))
        elif stage == 1:  # the driver hands it to the store
            heapq.heappush(events, (store.done(now, vary * commit_s), 2, table))
        else:  # it is kept, and the table plays again
            finished += 1
            playing += vary * costs.match_s
            heapq.heappush(events, (now + vary * costs.match_s, 0, table))
    driver_busy = sum(station.busy(now) for station in driver) / drivers
    return Flow(finished / now, min(1.0, playing / tables / now), driver_busy, store.busy(now))


# -- the measurements -------------------------------------------------------------------------------------


def measure_store(address: str, commits: int) -> tuple[dict[int, float], float, float]:
    """Commits per second by the number of threads that write; milliseconds of one alone; bytes of a match."""
    store = Store(address)
    bots = [
        store.add_bot(name=f"scale{number}", version="1", owner="bench", digest=str(number), origin="", games=GAMES)
        for number in range(10)
    ]
    record, before = real_record(GAMES[0]), _bytes(store)
    rates, played = dict[int, float](), 0
    for writers in WRITERS:
        tournament = store.begin_tournament(GAMES[0], made_settings(GAMES[0], bots, seed=writers, rounds=1).to_json())
        share = max(1, commits // writers)
        threads = [
            threading.Thread(target=_write, args=(store, tournament.id, bots, record, number * share, share))
            for number in range(writers)
        ]
        started = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        rates[writers] = writers * share / (time.monotonic() - started)
        played += writers * share
    size = (_bytes(store) - before) / played
    store.close()
    return rates, 1000 / rates[1], size


def _write(store: Store, tournament: int, bots: Sequence[BotEntry], record: bytes, first: int, count: int) -> None:
    for ordinal in range(first, first + count):
        pair = bots[ordinal % 9], bots[ordinal % 9 + 1]
        results = tuple(SeatResult(bot.id, rank, 0.0, "NORMAL", "", 1000, 900) for rank, bot in enumerate(pair, 1))
        name = f"{tournament:08x}{ordinal:08x}"
        store.add_match(MatchEntry(tournament, name, ordinal, "", ordinal, "votes", 52, "0" * 64, results), record)


def _bytes(store: Store) -> float:
    with store._database.connect() as connection:
        if store._database.dialect.name == "postgresql":
            return float(connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one())
        pages, page = (connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("page_count", "page_size"))
        return float(pages or 0) * float(page or 0)


def measure_kinds(seconds: float, sandbox: str) -> dict[str, tuple[float, float]]:
    """Seconds of a match at one table, and processor milliseconds of the driver for it, by the kind of bots."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, think) in enumerate(THINKING.items()):
            Path(folder, str(number)).mkdir()
            bots = make_bots(Path(folder, str(number)), think)
            rate_found = measure(bots, sandbox=sandbox, tables=1, seconds=seconds)
            found[name] = 1 / rate_found.per_second, rate_found.driver_ms
        rate_found = measure(["first", "random"], sandbox=sandbox, tables=1, seconds=seconds)
        found[INSIDE] = 1 / rate_found.per_second, rate_found.driver_ms
    return found


def measure_ratings(bots: int) -> float:
    """Processor seconds of the rating table of so many bots, each of whom met ten others."""
    rng = Random(1)
    rows = (
        Result((f"b{a:05}", f"b{(a + step) % bots:05}"), rng.choice(((1, 2), (2, 1))))
        for a in range(bots)
        for step in range(1, 11)
    )
    results, started = collect(rows), time.process_time()
    rate(results, ENVIRONMENT, role_sigma=ROLE_SIGMA)
    return time.process_time() - started


# -- the tables -------------------------------------------------------------------------------------------


def show_flows(console: Console, costs: Costs, drivers: int) -> None:
    """Matches per second by the number of tables, and who limits them."""
    title = (
        f"{costs.match_s:.3g} s a match, driver {costs.driver_ms:.2f} ms, commit {costs.commit_ms:.2f} ms, "
        f"{costs.writers:.1f} at a time, {drivers} driver{'s' * (drivers > 1)}"
    )
    shown = Table(
        "tables", "matches/s", "of tables × 1", "a day", "tables busy", "driver", "store", "limit", title=title
    )
    alone = simulate(costs, 1).per_second
    for tables in TABLES:
        flow = simulate(costs, tables, drivers=drivers)
        busy = (f"{share:.0%}" for share in (flow.tables_busy, flow.driver_busy, flow.store_busy))
        speed, day = f"{flow.per_second:,.1f}", f"{flow.per_second * DAY_S / 1e6:,.2f} M"
        shown.add_row(str(tables), speed, f"{flow.per_second / alone / tables:.0%}", day, *busy, flow.bottleneck())
    console.print(shown)


def show_target(console: Console, costs: Costs, size: float, ratings: dict[int, float]) -> None:
    """What 10,000 bots and 10 million matches a day ask for."""
    needed = TARGET_MATCHES / DAY_S
    shown = Table("what", "needed", "one has", "so", title=f"{TARGET_BOTS:,} bots, {TARGET_MATCHES:,} matches a day")
    tables = needed * costs.match_s
    shown.add_row("tables", f"{needed:.0f} matches/s", f"{1 / costs.match_s:.2f}/s", f"{tables:,.0f} tables busy")
    one_driver, store = 1000 / costs.driver_ms, 1000 / costs.commit_ms * costs.writers
    shown.add_row("driver", f"{needed:.0f} results/s", f"{one_driver:,.0f}/s", f"{needed / one_driver:.0%} of one")
    shown.add_row("store", f"{needed:.0f} commits/s", f"{store:,.0f}/s", f"{needed / store:.0%} of it")
    if size:
        shown.add_row("disk", f"{size:,.0f} bytes a match", "", f"{size * TARGET_MATCHES / 2**30:,.0f} GiB a day")
    pairs = TARGET_BOTS * (TARGET_BOTS - 1) // 2
    days = 2 * pairs / TARGET_MATCHES
    shown.add_row("round robin", f"{pairs:,} pairs", "listed in memory", f"{days:.0f} days for one round of two seats")
    if ratings:
        most = max(ratings)
        grown = ratings[most] * (TARGET_BOTS / most) ** 3
        memory = TARGET_BOTS**2 * 8 / 2**30
        known = ", ".join(f"{bots}: {seconds:.2f} s" for bots, seconds in ratings.items())
        shown.add_row("ratings", f"{memory:.1f} GiB a matrix", known, f"{grown / 60:,.0f} min (n³ from {most})")
    console.print(shown)


def main() -> None:
    """Measure what was not given, and simulate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--match-s", type=float, help="seconds of a match at a table")
    parser.add_argument("--driver-ms", type=float, help="processor milliseconds of the driver for a match")
    parser.add_argument("--commit-ms", type=float, help="milliseconds of a commit of a match")
    parser.add_argument("--writers", type=float, help="commits that the store works on at a time")
    parser.add_argument("--match-bytes", type=float, default=0.0, help="bytes of a match in the store")
    parser.add_argument("--drivers", type=int, default=1, help="drivers that share the tables")
    parser.add_argument("--db", help="measure this store; an SQLite file in a temporary folder if not given")
    parser.add_argument("--commits", type=int, default=400, help="that are measured for each number of writers")
    parser.add_argument("--sandbox", default="bubblewrap")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each kind of bots that is measured")
    parser.add_argument("--no-ratings", action="store_true", help="do not measure ratings")
    given = parser.parse_args()
    console, size, kinds = Console(width=130), given.match_bytes, dict[str, tuple[float, float]]()
    commit_ms, writers = given.commit_ms, given.writers
    if commit_ms is None or writers is None:
        with tempfile.TemporaryDirectory() as folder:
            rates, alone, size = measure_store(given.db or str(Path(folder, "scale.db")), given.commits)
        commit_ms, writers = commit_ms or alone, writers or max(rates.values()) * alone / 1000
        text_of = ", ".join(f"{number} writers {speed:,.0f}/s" for number, speed in rates.items())
        console.print(f"store: {text_of}; {size:,.0f} bytes a match")
    if given.match_s is None or given.driver_ms is None:
        kinds = measure_kinds(given.seconds, given.sandbox)
        for name, (match_s, driver_ms) in kinds.items():
            console.print(f"{name}: {1 / match_s:.1f} matches/s at one table, driver {driver_ms:.2f} ms")
    driver_ms = given.driver_ms or min(driver for _, driver in kinds.values())
    costs = Costs(given.match_s or 0.0, driver_ms, commit_ms, writers)
    chosen = [given.match_s] if given.match_s else [match_s for match_s, _ in kinds.values()]
    for match_s in chosen:
        show_flows(console, replace(costs, match_s=match_s), given.drivers)
    ratings = {} if given.no_ratings else {bots: measure_ratings(bots) for bots in FIELDS}
    show_target(console, replace(costs, match_s=chosen[0]), size, ratings)


if __name__ == "__main__":
    main()
