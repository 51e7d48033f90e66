"""Kills tournaments at random moments, resumes them, and counts what was lost or doubled, which must be nothing.

    python -m tools.crash --kills 300                    on SQLite
    python -m tools.crash --kills 50 --db postgresql://… on an empty PostgreSQL

The command that is killed is the real `arena tournament`, forked from this process so that hundreds of starts cost
little; only its bots are players inside of it. It tells through a pipe before and after each match is kept.
"""

import argparse
import os
import random
import select
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn
from unittest.mock import patch

import alembic.command  # noqa: F401  (here, so that it is not loaded anew in each fork)
from click.testing import CliRunner

from arena import registry
from arena.cli import main
from arena.store.base import MatchEntry
from arena.store.database import FILE_ENDINGS
from arena.store.sql import Store
from arena.tournaments.verify import check_bots, check_tournament, stored_tournament
from tests.kits.fields import GAME, inline_executor, make_bots, tournament_words

ROUNDS = 2
MATCHES = 3 * ROUNDS * 2
KINDS = ("any moment", "birth", "commit", "one of two")


class Child:
    """A tournament in a process of its own, to be killed."""

    def __init__(self, args: list[str]) -> None:
        self._reads, writes = os.pipe()
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  (closed by `end`)
        self.pid = os.fork()
        if not self.pid:
            _be_a_tournament(args, writes, self._output.fileno())
        os.close(writes)
        self.kept: list[str] = []
        self.begun, self._rest = 0, b""

    def listen(self, seconds: float) -> bool:
        """Take in what it tells for this long, or until it begins to keep the next match; False once it is dead."""
        if not select.select([self._reads], [], [], max(0.0, seconds))[0]:
            return True
        data = os.read(self._reads, 1 << 16)
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.begun += lines.count(b"keeping")
        self.kept += [line.decode() for line in lines if line != b"keeping"]
        return bool(data)

    def run(self, seconds: float) -> bool:
        """Let it run for this long; True if it ended by itself before."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if not self.listen(left):
                return True
        return False

    def kill(self) -> bool:
        """Kill it, hear what it still told, and say whether it was the kill that ended it."""
        os.kill(self.pid, signal.SIGKILL)
        code, output = self.end()
        if code > 0 and "is being played already" not in output:  # the other one of two
            raise AssertionError(f"a tournament failed:\n{output}")
        return code < 0

    def end(self) -> tuple[int, str]:
        """Hear what it tells until it ends; its exit code, or less than 0 if a signal ended it, and what it printed."""
        while self.listen(60):
            pass
        os.close(self._reads)
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        with self._output as output:
            output.seek(0)
            return code, output.read().decode()


class Crash:
    """Kills and resumes the same tournament on one store until it is complete, then begins anew, and keeps count."""

    def __init__(self, folder: Path, address: str, seed: int) -> None:
        self._folder, self._address, self._rng = folder, address, random.Random(seed)
        make_bots(self._folder)
        self.counts = Counter[str]()
        self._reported: set[str] = set()
        quiet = str(self._folder / "quiet.db")
        started = time.monotonic()
        child = Child(self._args(quiet))
        child.run(600)
        child.kill()
        self._whole = time.monotonic() - started
        self._expected = ratings(quiet)

    def run(self, kills: int) -> None:
        """Kill this often, then finish the last tournament too."""
        self._begin()
        while sum(self.counts[kind] for kind in KINDS) < kills:
            self._kill(self._rng.choice(KINDS))
        while not self._complete():
            child = self._child()
            child.run(600)
            child.kill()
        self._end()

    def _args(self, address: str) -> list[str]:
        return list(tournament_words(self._folder, address, rounds=ROUNDS))

    def _kill(self, kind: str) -> None:
        if kind == "birth":
            self._begin()  # an empty database, so that its making is what is killed
            self._strike([self._child()], kind, self._rng.uniform(0.0, self._whole / 4))
        elif kind == "one of two":
            both = [self._child(), self._child()]
            self._strike(both, kind, self._rng.uniform(0.0, self._whole))
        elif kind == "commit":
            child, wanted = self._child(), self._rng.randint(1, 4)
            while child.begun < wanted and child.listen(60):
                pass
            self._strike([child], kind, self._rng.uniform(0.0, 0.006))
        else:
            self._strike([self._child()], kind, self._rng.uniform(0.0, self._whole))

    def _strike(self, children: list[Child], kind: str, seconds: float) -> None:
        """Let them run, kill one after the other, and look at the store after each."""
        for child in children:
            child.run(seconds)
            self.counts[kind] += child.kill()
            self._reported |= set(child.kept)
            self._check()
        if self._complete():
            self._end()
            self._begin()

    def _child(self) -> Child:
        return Child(self._args(self._address))

    def _check(self) -> None:
        """Everything that was reported is there, once, and the database is whole."""
        if "://" not in self._address:
            connection = sqlite3.connect(self._address)
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            connection.close()
        store = Store(self._address)
        matches = store.matches()
        names = [match.match_id for match in matches]
        assert store.inconsistencies() == []
        assert self._reported <= set(names), f"lost: {self._reported - set(names)}"
        assert len(names) == len(set(names)), "a match is there twice"
        assert all(len(match.seats) == 2 for match in matches)
        assert len(store.tournaments()) <= 1, "the same tournament was begun twice"
        store.close()
        self.counts["checks"] += 1

    def _complete(self) -> bool:
        store = Store(self._address)
        states = [entry.finished for entry in store.tournaments()]
        played = len(store.matches())
        store.close()
        assert not any(states) or played == MATCHES, "finished, but not all of it was played"
        return any(states)

    def _begin(self) -> None:
        self._reported = set()
        if "://" not in self._address:
            for ending in FILE_ENDINGS:
                Path(self._address + ending).unlink(missing_ok=True)
            return
        store = Store(self._address)
        with store._database.begin() as connection:
            connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        store.close()

    def _end(self) -> None:
        """The complete tournament is true, and its table is that of one which nobody disturbed."""
        store = Store(self._address)
        wrong = list(check_bots(store.all_bots()))
        for entry in store.tournaments():
            wrong += check_tournament(stored_tournament(store, entry), registry.find)
        store.close()
        assert wrong == []
        assert ratings(self._address) == self._expected, "another table than without kills"
        self.counts["tournaments"] += 1
        self.counts["matches"] += MATCHES


def ratings(address: str) -> str:
    result = CliRunner().invoke(main, ["ratings", "--game", GAME, "--json", "--db", address])
    assert result.exit_code == 0, result.output
    return result.stdout


def _be_a_tournament(args: list[str], tell: int, output: int) -> NoReturn:
    """Run the command and end; this never returns."""
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.stdout = sys.stderr = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115  (pytest took the old ones)
    add_match = Store.add_match

    def telling(store: Store, match: MatchEntry, *more: Any) -> bool:
        os.write(tell, b"keeping\n")
        added = add_match(store, match, *more)
        os.write(tell, f"{match.match_id}\n".encode())
        return added

    code = 1
    try:
        with patch.object(Store, "add_match", telling):
            main(args, obj=inline_executor)
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        os._exit(code)


def command() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--db", help="an empty PostgreSQL; an SQLite file if not given")
    given = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="arena-crash-") as folder:
        crash = Crash(Path(folder), given.db or f"{folder}/arena.db", given.seed)
        crash.run(given.kills)
    for kind in KINDS:
        print(f"{crash.counts[kind]:5} kills: {kind}")
    print(f"{crash.counts['checks']:5} checks of the store after them; nothing lost, nothing twice")
    print(f"{crash.counts['tournaments']:5} tournaments completed, each with the table of an undisturbed one")
    print(f"      in {time.monotonic() - started:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    command()
