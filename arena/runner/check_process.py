"""The program that checks one submission: `python -m … FOLDER SUBMISSION EPOCH`.

A process for each: it can be killed when it takes too long, and what it left in memory ends with it.
"""

import sys
from pathlib import Path

from arena import registry
from arena.contest.people import People
from arena.contest.settings import read_contest
from arena.contest.submissions import Submissions
from arena.errors import ArenaError
from arena.runner.checking import Checker
from arena.runner.log import log_line, take_over_warnings
from arena.store.leases import Fence, LeaseLost
from arena.submit.trial import trial_place
from arena.workers.placement import LOCAL, Placement

RUNNER = "runner"
"""The name of the lease that the active runner has in the results."""
LOST = 3
"""The exit code of one whose runner is not the active one any more."""


def command(folder: Path, submission_id: int, epoch: int) -> list[str]:
    """The command that checks this submission."""
    return [sys.executable, "-P", "-m", "arena.runner.check_process", str(folder), str(submission_id), str(epoch)]


def main() -> None:
    take_over_warnings()
    submission_id = int(sys.argv[2])
    try:
        check(Path(sys.argv[1]), submission_id, int(sys.argv[3]))
    except ArenaError as error:  # the runner gives the submission back
        lost = isinstance(error, LeaseLost)
        log_line("lease_lost" if lost else "failure", submission=submission_id, reason=str(error))
        sys.exit(LOST if lost else 1)


def check(folder: Path, submission_id: int, epoch: int) -> None:
    """Check it with the settings of this moment."""
    contest = read_contest(folder, registry.games())
    database = contest.open_people()
    store = contest.open_results_to_write()
    people, queue = People(database), Submissions(database)
    checker = Checker(contest, people, queue, store.fenced(Fence(RUNNER, epoch)), epoch)
    try_out = trial_place(Placement(LOCAL, 1, None), lambda sentence: log_line("warning", text=sentence))
    try:
        checker.check(queue.find(submission_id), try_out, log_line)
    finally:
        store.close()
        database.dispose()


if __name__ == "__main__":
    main()
