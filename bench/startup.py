"""How long a command takes until it is done, beside the start of the interpreter alone, and a bot until its first move.

For commands it is processor time, so that a busy machine does not lengthen it; for bots both. The first run of each,
which compiles modules to byte code, is not counted.
"""

import asyncio
import os
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from arena import registry
from arena.bots.launch import SandboxOptions, make_sandbox
from arena.bots.manifest import Source, locate
from arena.bots.running import SandboxedBot
from arena.clock import TimeControl
from arena.match import Contestant, MatchStart, Turn
from arena.sandboxes.base import Limits
from bench.environment import ROOT
from bench.table import Row
from bench.turns import in_turns, ratio

ROUNDS = 7
FLOOR = "the interpreter alone"
COMMANDS = {
    "arena --help": 0.15,
    "arena games": 0.25,
    "arena match --help": 0.25,
    "arena ratings --game claim": 0.25,
}
"""Commands and the seconds that they are to take."""
LIBRARIES = "import sqlalchemy, numpy"
"""What no command with a table of ratings can do without: the floor of `arena ratings`."""
LOADED = f"import gc; gc.disable(); {LIBRARIES}; gc.freeze()"
"""The same as `arena` does it, without the garbage collector."""
SMALL_STORE = (
    "-m arena tournament --game claim --bots random,greedy --rounds 1 --clock cpu:0.05s/move+30s --sandbox process"
)
"""Two matches, so that there is something to rate."""


def rows() -> list[Row]:
    """Every command beside the interpreter alone."""
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "ARENA_DB": str(Path(folder) / "arena.db")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # nobody starts without byte code twice
        seconds(SMALL_STORE.split(), environment)
        runs = {FLOOR: partial(seconds, ("-c", "pass"), environment)}
        runs |= {command: partial(seconds, ("-m", *command.split()), environment) for command in COMMANDS}
        runs[LIBRARIES] = partial(seconds, ("-c", LOADED), environment)
        times = in_turns(runs, ROUNDS)
    aims: dict[str, float | None] = {**COMMANDS, LIBRARIES: None}
    return [row(command, times[command], times[FLOOR], aim) for command, aim in aims.items()] + bot_rows()


def row(command: str, own: Sequence[float], floor: Sequence[float], aim: float | None) -> Row:
    """One command beside the interpreter alone."""
    return Row(f"start: {command}, beside {FLOOR}", median(own), median(floor), "s", ratio(own, floor), aim, "ours")


def seconds(words: Sequence[str], environment: dict[str, str]) -> float:
    """Processor seconds of a run of this interpreter with these arguments, whose output is thrown away."""
    null = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    child = os.posix_spawn(sys.executable, [sys.executable, *words], environment, file_actions=[null])
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"`{' '.join(words)}` failed")
    return usage.ru_utime + usage.ru_stime


# -- bots ---------------------------------------------------------------------------------------------------

GAME = registry.find("claim")
BOTS = {"a Python bot": ("sample_bots/random", 0.5), "a C++ bot": ("sample_bots/random_cpp", 0.1)}
"""Bots and the seconds from their start in bubblewrap to their first move; who is not built is left out."""
BOT_ROUNDS = 5


def bot_rows() -> list[Row]:
    """Wall time from nothing to the first move, and the bot's own processor time."""
    sources = {name: locate(str(ROOT / folder), ()) for name, (folder, _) in BOTS.items() if is_built(ROOT / folder)}
    used: dict[str, list[float]] = {name: [] for name in sources}
    wall = in_turns({name: partial(first_move, source, used[name]) for name, source in sources.items()}, BOT_ROUNDS)
    return [row for name in sources for row in rows_of_bot(name, wall[name], used[name][1:])]


def rows_of_bot(name: str, wall: Sequence[float], used: Sequence[float]) -> Iterator[Row]:
    """Both times of a bot."""
    what, aim = f"start: {name} in bubblewrap to its first move", BOTS[name][1]
    yield Row(what, median(wall), None, "s", None, aim, "ours")
    yield Row(f"{what}, its processor time", median(used), None, "s", None, aim, "ours")


def is_built(folder: Path) -> bool:
    """Whether the bot in this folder can be started: it needs no program of its own, or has one."""
    return not (folder / "Makefile").exists() or (folder / "build" / "bot").exists()


def first_move(source: Source, used: list[float]) -> float:
    """Seconds until a new bot has moved; its processor seconds are added to the list."""
    wall, cpu = asyncio.run(start_and_ask(source))
    used.append(cpu)
    return wall


async def start_and_ask(source: Source) -> tuple[float, float]:
    """Start a bot, begin a match with it, ask for a move, and end it; seconds and processor seconds until it moved."""
    config = GAME.configure(2, {})
    state, control = GAME.start(config, 7), TimeControl.parse("5s/move")
    began = time.perf_counter()
    sandbox = make_sandbox(source, SandboxOptions("bubblewrap", Limits(start_s=60.0), ponder=True))
    bot = SandboxedBot(Contestant("bench"), sandbox, ponder=True)
    try:
        await bot.start()
        link = await bot.open_match(GAME.codec)
        await link.call(GAME.codec.write_start(MatchStart("bench", 0, 2, config, control)), 5.0)
        turn = Turn(1, state.view(0), tuple(state.legal()), 5.0, 0.0)
        await link.call(GAME.codec.write_turn(turn), 5.0)
        return time.perf_counter() - began, bot.sandbox.cpu_time()
    finally:
        await bot.close()
