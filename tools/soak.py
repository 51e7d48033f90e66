"""Sixteen bots, half of them hostile, play real tournaments for as long as you like; honest ones must not suffer.

    python -m tools.soak --minutes 60 [--concurrency 4]

The command that plays is the real `arena tournament` in bubblewrap, on a store of its own, one game after the other;
the hostile bots are those of tests/hostile, others in each tournament. Then the store is read: no honest bot may have a
fault of any kind, no match may be void, the referee may not have grown, and nothing of the bots may be left.
"""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from arena import registry
from arena.match import Ending
from arena.referee import record
from arena.sandboxes.kernel import procfs
from arena.store.base import MatchEntry
from arena.store.sql import Store
from tests.hostile import backends, cases
from tests.hostile.cases import Case
from tests.hostile.traces import Identity, descendants, groups, is_launcher, living, sandboxed

ROOT = Path(__file__).parents[1]
HONEST, HOSTILE = 8, 8
SAMPLES = ("random", "greedy")
TURNS = 8
"""Tournaments in a run: each game comes twice, unless that leaves too little for each."""
LEAST_S = 20.0
LONGEST_WAIT_S = 180.0
"""Seconds that a tournament may take beyond its budget, for the match that it is in, before it is said to hang."""
SAMPLE_S = 2.0
SETTLED_CPU_S = 4.0
"""Processor seconds after which a process of the referee has loaded everything, so that what comes later is growth."""
MAX_GROWTH_KIB = 64 << 10
END_S = 5.0
MANIFEST = 'name = "{name}"\nversion = "1"\ngames = ["{game}"]\ncommand = ["python3", "bot.py"{variant}]\n'


@dataclass
class Turn:
    """One tournament, and what was seen of its referee while it ran."""

    game: str
    strikes: int
    seconds: float
    matches: list[MatchEntry] = field(default_factory=list)
    void: int = 0
    lag_us: int = 0
    """The worst lag of the referee in any move."""
    memory: dict[int, list[tuple[float, int]]] = field(default_factory=dict)
    """For every process of the referee, again and again: its processor seconds, and its KiB."""
    most: int = 0
    """KiB of all of them together, at most."""
    sandboxed: set[Identity] = field(default_factory=set)
    """The processes of bots that were seen."""
    problems: list[str] = field(default_factory=list)

    @property
    def settled(self) -> int:
        """KiB of the referee's processes once everything was loaded."""
        return sum(sizes[0] for sizes in self._settled_sizes())

    @property
    def growth(self) -> int:
        """KiB by which they grew from then on, at most."""
        return sum(max(sizes) - sizes[0] for sizes in self._settled_sizes())

    def _settled_sizes(self) -> list[list[int]]:
        """KiB of every process since it has loaded everything."""
        late = ([kib for spent, kib in samples if spent >= SETTLED_CPU_S] for samples in self.memory.values())
        return list(filter(None, late))


def candidates() -> list[Case]:
    """The hostile bots that can play any game: those whose own code names none."""
    return [case for case in cases.all_cases() if "bubblewrap" in case.backends and _plays_any_game(case)]


def _plays_any_game(case: Case) -> bool:
    program = cases.HERE / case.name / "bot.py"
    return program.is_file() and "claim" not in program.read_text()


def make_honest(folder: Path, game: str) -> list[Path]:
    """Copies of the sample bots, each under a name of its own."""
    made = []
    for number in range(HONEST):
        sample = SAMPLES[number % len(SAMPLES)]
        made.append(folder / f"honest_{sample}_{number}")
        shutil.copytree(ROOT / "sample_bots" / sample, made[-1], ignore=shutil.ignore_patterns("__pycache__"))
        (made[-1] / "bot.toml").write_text(MANIFEST.format(name=made[-1].name, game=game, variant=""))
    return made


def make_hostile(folder: Path, game: str, chosen: Sequence[Case]) -> list[Path]:
    """The chosen hostile bots as folders that anybody could hand in."""
    made = []
    for case in chosen:
        name = case.label.replace("/", "_")[:40]
        made.append(folder / name)
        shutil.copytree(cases.HERE / case.name, made[-1], ignore=shutil.ignore_patterns("__pycache__", "expect.toml"))
        for module in backends.KIT.glob("*.py"):
            shutil.copy(module, made[-1])
        (made[-1] / "chosen_game.py").write_text(f'NAME = "{game}"\n')
        variant = f', "{case.variant}"' if case.variant else ""
        (made[-1] / "bot.toml").write_text(MANIFEST.format(name=name, game=game, variant=variant))
    return made


def choose(rng: random.Random, among: Sequence[Case]) -> list[Case]:
    """Hostile bots of different kinds, each in one of its variants; only one may spend its time by never starting."""
    kinds: dict[str, list[Case]] = {}
    for case in among:
        kinds.setdefault(case.name, []).append(case)
    idle = [kind for kind, variants in kinds.items() if variants[0].verdict == (Ending.NO_START.name,)]
    busy = [kind for kind in kinds if kind not in idle]
    return [rng.choice(kinds[kind]) for kind in (rng.choice(idle), *rng.sample(busy, HOSTILE - 1))]


def play(turn: Turn, bots: Sequence[Path], folder: Path, store: Path, more: Sequence[str]) -> None:
    """Play one tournament with the real command, and watch its referee."""
    own_temp = folder / "temp"
    own_temp.mkdir()
    words = [
        *(sys.executable, "-m", "arena", "tournament", "--game", turn.game, "--bots", ",".join(map(str, bots))),
        *("--budget", f"{turn.seconds:.0f}s", "--strikes", str(turn.strikes)),
        *("--sandbox", "bubblewrap", "--db", str(store), *more),
    ]
    with (folder / "output").open("w+") as output:
        started = time.monotonic()
        referee = subprocess.Popen(
            words, cwd=ROOT, stdout=output, stderr=output, env={**os.environ, "TMPDIR": str(own_temp)}
        )
        try:
            watch(turn, referee, started)
        finally:
            _stop(referee)
        output.seek(0)
        said = output.read()
    turn.void = sum(map(int, re.findall(r"(\d+) matches are void", said)))
    if referee.returncode != (1 if turn.void else 0) or "Traceback" in said:
        turn.problems.append(f"the tournament ended with {referee.returncode}: {said[-2000:]}")
    turn.problems += left_over(turn, referee.pid, own_temp)


def watch(turn: Turn, referee: subprocess.Popen[bytes], started: float) -> None:
    """Note memory and bots until the referee ends; one that does not end is a problem."""
    own = procfs.namespace("self", "pid")
    while referee.poll() is None:
        elapsed = time.monotonic() - started
        turn.sandboxed |= sandboxed(referee.pid)
        below = [pid for pid in descendants(referee.pid) if procfs.namespace(pid, "pid") == own]
        processes = [referee.pid, *(pid for pid in below if not is_launcher(pid) and not _is_about_to_exec(pid))]
        sizes = {pid: _resident_kib(pid) for pid in processes}
        turn.most = max(turn.most, sum(sizes.values()))
        for pid, kib in sizes.items():
            turn.memory.setdefault(pid, []).append((procfs.cpu_time(pid), kib))
        if elapsed > turn.seconds + LONGEST_WAIT_S:
            turn.problems.append("the tournament did not end")
            return
        with suppress(subprocess.TimeoutExpired):
            referee.wait(SAMPLE_S)


def _stop(referee: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGINT, signal.SIGINT, signal.SIGKILL):
        if referee.poll() is None:
            referee.send_signal(number)
            with suppress(subprocess.TimeoutExpired):
                referee.wait(30)


def _is_about_to_exec(pid: int) -> bool:
    """Whether a process is still the copy of its parent, whose memory it shares for a moment."""
    parent = procfs.status(pid).get("PPid", "0")
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes() == Path(f"/proc/{parent}/cmdline").read_bytes()
    return True


def _resident_kib(pid: int) -> int:
    return int(procfs.status(pid).get("VmRSS", "0").split()[0])


def left_over(turn: Turn, pid: int, temp: Path) -> list[str]:
    """What is left of the bots and of a referee, once what is on its way out had a moment."""
    deadline = time.monotonic() + END_S
    while (found := list(_left(turn, pid, temp))) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def _left(turn: Turn, pid: int, temp: Path) -> Iterator[str]:
    yield from (f"left: process {each} of a bot" for each in living(turn.sandboxed))
    yield from (f"left: control group {path}" for path in groups() if "arena" in path and f"-{pid}-" in path)
    yield from (f"left: directory {path}" for path in Path("/run/arena").glob(f"*-{pid}-*"))
    yield from (f"left: file {path}" for path in temp.iterdir())


def read(turn: Turn, store: Store, known: set[tuple[int, str]]) -> None:
    """Take the matches of a tournament out of the store, with the lag that their records tell."""
    for match in store.matches(game=turn.game):
        if (match.tournament_id, match.match_id) not in known:
            known.add((match.tournament_id, match.match_id))
            turn.matches.append(match)
            kept = record.load(store.record(match.tournament_id, match.match_id), registry.find)
            turn.lag_us = max([turn.lag_us, *(move.times.lag for move in kept.played)])
            for strike in kept.strikes:
                name = kept.spec.contestants[strike.seat].name
                if name.startswith("honest"):
                    turn.problems.append(f"a strike of {name} in {match.match_id}: {strike.verdict.sentence}")


def judge(turn: Turn, names: dict[int, str]) -> None:
    """Every fault of an honest bot is a problem, and so are void matches and growth."""
    for match in turn.matches:
        labels = [names[seat.bot_id] for seat in match.seats]
        for label, seat in zip(labels, match.seats):
            if label.startswith("honest") and seat.at_fault:
                versus = f"{turn.game} {' - '.join(labels)}, match {match.match_id}"
                turn.problems.append(f"honest fault: {label} {seat.ending} in {versus}: {seat.sentence}")
    if turn.void:
        turn.problems.append(f"{turn.void} matches are void")
    if turn.growth > MAX_GROWTH_KIB:
        turn.problems.append(f"the referee grew by {turn.growth >> 10} MiB")
    if not turn.matches:
        turn.problems.append("no match was played")


def show_turn(turn: Turn, chosen: Sequence[Case]) -> None:
    """One line per tournament, and what was wrong."""
    print(
        f"{turn.game:<10} strikes {turn.strikes}  {len(turn.matches):4} matches, {turn.void} void, "
        f"lag {turn.lag_us / 1e3:.0f} ms, referee {turn.settled >> 10} MiB, most {turn.most >> 10} MiB, "
        f"grew {turn.growth >> 10} MiB  against {', '.join(case.label for case in chosen)}",
        flush=True,
    )
    for problem in turn.problems:
        print(f"    {problem}", flush=True)


def show_endings(turns: Sequence[Turn], names: dict[int, str]) -> None:
    """How the matches ended, for the hostile bots and for the honest ones."""
    endings: dict[str, Counter[str]] = {"honest": Counter(), "hostile": Counter()}
    for seat in (seat for turn in turns for match in turn.matches for seat in match.seats):
        endings["honest" if names[seat.bot_id].startswith("honest") else "hostile"][seat.ending] += 1
    for kind, counts in endings.items():
        print(f"{kind:<8}", ", ".join(f"{count} {ending}" for ending, count in counts.most_common()) or "none")


def soak(minutes: float, seed: int, *more: str) -> list[Turn]:
    """All tournaments of a run; `more` are further words of the command."""
    rng, among, turns = random.Random(seed), candidates(), []
    each = max(LEAST_S, 60 * minutes / TURNS)
    names: dict[int, str] = {}
    known: set[tuple[int, str]] = set()
    games = sorted(registry.games())
    deadline = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory(prefix="arena-soak-") as top:
        Path(top).chmod(0o755)
        for number in count():
            if number and time.monotonic() + each / 2 > deadline:
                break
            folder = Path(top, str(number))
            folder.mkdir()
            turn = Turn(games[number % len(games)], strikes=number % 3, seconds=each)
            chosen = choose(rng, among)
            bots = make_honest(folder, turn.game) + make_hostile(folder, turn.game, chosen)
            rng.shuffle(bots)
            play(turn, bots, folder, Path(top, "arena.db"), more)
            store = Store(str(Path(top, "arena.db")))
            read(turn, store, known)
            names |= {bot.id: bot.name for bot in store.all_bots()}
            store.close()
            judge(turn, names)
            show_turn(turn, chosen)
            turns.append(turn)
        show_endings(turns, names)
    return turns


def command() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0, help="which hostile bots come when")
    parser.add_argument("--concurrency", type=int, help="matches at once; as in `arena tournament` if not given")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that the tournament ends too
    if reason := backends.BACKENDS["bubblewrap"].missing():
        sys.exit(reason)
    more = ("--concurrency", str(given.concurrency)) if given.concurrency else ()
    turns = soak(given.minutes, given.seed, *more)
    problems = sum(len(turn.problems) for turn in turns)
    worst = max(turn.lag_us for turn in turns) / 1e3
    print(f"{sum(len(turn.matches) for turn in turns)} matches, largest lag {worst:.0f} ms, {problems} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    command()
