"""Rating histories, worked out by a program of their own beside a server.

They take seconds of a processor with a million matches, and the threads of a server share one interpreter: whoever
asked for a page would wait for them.
"""

import json
import os
import subprocess
import sys
import time

from arena import registry
from arena.errors import ArenaError
from arena.standings.history import HistoryPoint
from arena.store.sql import Store
from arena.web.snapshot import Histories, take_snapshot, with_histories

RESTS = 2.5
"""The pause after a fit is so many times as long as the fit was: nobody waits for them."""
NICENESS = 9
"""Beside that of the server."""


class HistoriesFailed(ArenaError):
    """The program has failed; it has said why."""


def histories_apart(where: str) -> Histories:
    """The histories of this store at this moment, from a process of their own."""
    # By its input, because the address of a database may have a password in it.
    command = [sys.executable, "-P", "-m", "arena.web.histories"]
    found = subprocess.run(command, input=where, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
    if found.returncode:
        raise HistoriesFailed("the rating histories could not be worked out")
    return {
        game: {int(bot): [HistoryPoint(*point) for point in course] for bot, course in courses.items()}
        for game, courses in json.loads(found.stdout).items()
    }


def main() -> None:
    """Read where the store is, and write its histories."""
    os.nice(NICENESS)
    store = Store(sys.stdin.read(), read_only=True)
    infos = {name: game.info for name, game in registry.games().items()}
    made = with_histories(store, infos, take_snapshot(store, infos), lambda worked: time.sleep(RESTS * worked))
    json.dump(made.histories, sys.stdout)


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except (ArenaError, KeyboardInterrupt, BrokenPipeError):
        os._exit(1)  # the database is away for a moment, or the server has ended and nobody reads what is left to write
