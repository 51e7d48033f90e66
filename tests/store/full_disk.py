"""Plays a tournament on a disk that is full but for some bytes, makes room, and plays on; run on a small file system.

    python -m tests.store.full_disk FOLDER FREE

Prints as JSON what the commands said, and what is in the store.
"""

import json
import os
import sys
from pathlib import Path

from arena.errors import UsageError
from arena.store.sql import Store
from tests.kits.contestants import arena as command
from tests.kits.fields import inline_executor, make_bots, tournament_words

ROUNDS = 6


def fill(folder, free):
    """Leave so many bytes free."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 12))
        except OSError:
            file.truncate(max(0, os.fstat(file.fileno()).st_size - free))
    return ballast


def main(folder, free):
    (folder / "bots").mkdir()
    make_bots(folder / "bots")
    words = tournament_words(folder / "bots", folder / "arena.db", rounds=ROUNDS)
    ballast = fill(folder, free)
    full = command(*words, make_executor=inline_executor)
    kept = names(folder / "arena.db")
    ballast.unlink()
    went_on = command(*words, make_executor=inline_executor)
    verified = command("verify", "--db", folder / "arena.db")
    said = [[done.exit_code, done.stderr] for done in (full, went_on, verified)]
    print(json.dumps({"said": said, "kept": kept, "all": names(folder / "arena.db")}))


def names(path):
    """The matches that are kept, as a reader finds them; none where there is no store yet."""
    try:
        store = Store(path, read_only=True)
    except UsageError:
        return []
    found = [match.match_id for match in store.matches()]
    store.close()
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
