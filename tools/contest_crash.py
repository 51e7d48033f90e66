"""Kills the runner of a contest at random moments, starts it again, and counts what was lost, doubled or left over.

    python -m tools.contest_crash --kills 100

The command that is killed is the real `arena contest run`, with real sandboxes. Each round is a contest with six
submissions of three teams; it ends when all are decided. What failed through us, because it was hit three times, is
put back as an organiser would do it.
"""

import argparse
import os
import random
import signal
import sqlite3
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from arena.contest.submissions import DECIDED, FAILED, MAX_ATTEMPTS
from arena.sandboxes.kernel import procfs
from arena.sandboxes.referee_id import start_time
from tests.hostile.traces import descendants, groups, living
from tests.kits.runners import BROKEN, FIRST, ContestKit, bot_archive, end, process, said

MARK = "ARENA_CONTEST_CRASH"
"""In the environment of the runner and of all that it starts, but for bots, so that they can be found."""
HAND_INS = (
    ("alice", "good", FIRST, "registered"),
    ("alice", "good", FIRST + "# better\n", "registered"),
    ("bob", "other", FIRST + "# mine\n", "registered"),
    ("bob", "broken", BROKEN, "refused"),
    ("carol", "third", FIRST + "# third\n", "registered"),
    ("carol", "worse", BROKEN + "# worse\n", "refused"),
)
FIRST_S, SLOWER = 8.0, 1.3
"""Seconds after which a runner is killed at most, and by how much more if it could decide nothing in them."""
LONGEST_S = 120.0
GONE_S = 20.0
"""Seconds in which everything ends with a killed runner; it takes one, and the rest is for a busy machine."""


class ContestCrash:
    """Kills and starts the runner of one contest until all is decided, then begins another one, and keeps count."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._rng = folder, random.Random(seed)
        self.counts = Counter[str]()
        self._longest_s = FIRST_S
        self._mark = f"{os.getpid()}-{seed}"

    def run(self, kills: int) -> None:
        """Kill this often, in as many contests as that takes."""
        while self.counts["kills"] < kills:
            self._round(kills)
            print(", ".join(f"{number} {what}" for what, number in sorted(self.counts.items())), flush=True)

    def _round(self, kills: int) -> None:
        folder = self._folder / f"cup{self.counts['contests']}"
        folder.mkdir()
        kit = ContestKit(folder)
        numbers = [kit.hand_in(who, bot_archive(name, source)) for who, name, source, _ in HAND_INS]
        try:
            while self.counts["kills"] < kills and self._missing(kit, numbers):
                self._strike(kit, numbers)
            self._work_off(kit, numbers)  # if only to take away what the last one left that was killed
            self._check_end(kit, numbers)
        finally:
            kit.close()
        self.counts["contests"] += 1
        self.counts["submissions"] += len(numbers)

    def _missing(self, kit: Any, numbers: list[int]) -> bool:
        """Whether something is not decided; what we failed at three times is put back."""
        for number in numbers:
            found = kit.found(number)
            if found.state == FAILED:
                assert found.attempt == MAX_ATTEMPTS, found
                assert "through no fault of the bot" in found.reason, found
                kit.queue.requeue(number)
                self.counts["put back"] += 1
        return self._open(kit, numbers) > 0

    def _open(self, kit: Any, numbers: list[int]) -> int:
        return sum(kit.found(number).state not in DECIDED for number in numbers)

    def _strike(self, kit: Any, numbers: list[int]) -> None:
        """Let a runner run for a while, kill it, and look at what is there."""
        before = self._open(kit, numbers)
        with process("run", kit.folder, env={**os.environ, MARK: self._mark}) as child:
            deadline = time.monotonic() + self._rng.uniform(0.0, self._longest_s)
            while time.monotonic() < deadline and self._missing(kit, numbers):
                time.sleep(0.02)
            with_it = {(pid, start_time(pid)) for pid in descendants(child.pid)}
            child.send_signal(signal.SIGKILL)
            child.wait()
        self.counts["kills"] += 1
        if self._open(kit, numbers) == before:
            self._longest_s *= SLOWER
        self._check_gone({(pid, started) for pid, started in with_it if started is not None})
        self._check(kit, numbers)

    def _work_off(self, kit: Any, numbers: list[int]) -> None:
        """Let a runner do all that is left, and end it in order."""
        with process("run", kit.folder, env={**os.environ, MARK: self._mark}) as child:
            deadline = time.monotonic() + LONGEST_S
            while self._missing(kit, numbers) or not said(child, "begun"):
                assert child.poll() is None, said(child, "failure")
                assert time.monotonic() < deadline, "not all was decided in time"
                time.sleep(0.05)
            assert end(child) == 0

    def _check_gone(self, with_it: set[tuple[int, int]]) -> None:
        """Nothing that a killed runner had started is left."""
        deadline = time.monotonic() + GONE_S
        while (left := [*living(with_it), *self._marked()]) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not left, f"processes outlived their runner: {left}"

    def _marked(self) -> list[int]:
        """Every living process of a runner of ours."""
        wanted = f"{MARK}={self._mark}".encode()
        found = []
        for pid in procfs.all_processes():
            try:
                if wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                    found.append(pid)
            except OSError:
                continue  # it has ended
        return found

    def _check(self, kit: Any, numbers: list[int]) -> None:
        """Both databases are whole, and nothing is decided twice."""
        for path in (Path(kit.contest.results), kit.contest.people_file):
            with closing(sqlite3.connect(path)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
                assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        digests = [bot.digest for bot in kit.bots()]
        assert len(digests) == len(set(digests)), "a bot is there twice"
        for number in numbers:
            fates = [step.state for step in kit.queue.steps(number, limit=1000) if step.state in DECIDED]
            last = [fate for fate in fates if fate != FAILED]
            assert len(last) <= 1, f"submission {number} was decided more than once: {fates}"
        self.counts["checks"] += 1

    def _check_end(self, kit: Any, numbers: list[int]) -> None:
        """Every fate is that of a contest which nobody disturbed, and nothing is left over."""
        self._check(kit, numbers)
        bots = {bot.id: bot for bot in kit.bots()}
        for number, (who, name, _, fate) in zip(numbers, HAND_INS):
            found = kit.found(number)
            assert found.state == fate, (number, found)
            if fate == "registered":
                bot = bots.pop(found.bot_id)
                assert (bot.name, bot.owner, bot.on_ladder) == (name, kit.crew[who].team.owner, True)
            else:
                assert "no_such_module" in found.output
        assert not bots, f"bots that nobody handed in: {bots}"
        kept = sorted(path.name for path in kit.contest.bots.iterdir() if path.name != ".lock")
        assert kept == sorted(bot.digest.removeprefix("sha256:") for bot in kit.bots()), kept
        epoch = kit.runners.last().place.split()[1]
        assert not [path for path in groups() if "arena" in path and f"-{epoch}-" in path]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="arena-contest-crash-") as folder:
        crash = ContestCrash(Path(folder), given.seed)
        started = time.monotonic()
        crash.run(given.kills)
    print(f"{time.monotonic() - started:.0f} s: nothing lost, doubled or left over")


if __name__ == "__main__":
    main()
