"""Under which user the web process runs: as root never as root, but as one that can read results and write no result.

SQLite lets a user who may write neither a file nor its folder read it, as long as somebody else has it open; so
whoever starts the web process keeps the results open for as long as it runs.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from arena.contest.settings import FILE, Contest
from arena.errors import UsageError
from arena.sandboxes.kernel.users import BOT_UIDS

WEB_UID = BOT_UIDS.start - 1
"""Like those of bots one that neither Debian nor systemd assigns, and none of theirs."""


def prepare_for_web(contest: Contest) -> None:
    """Make a contest ready for the user of the web process; UsageError if that could write results, too."""
    if os.geteuid() != 0:
        return
    results = None if "://" in contest.results else Path(contest.results)
    for place in _written_by_web(contest):
        if results is not None and results.parent.resolve().is_relative_to(place.resolve()):
            raise UsageError(
                f"the web process would be able to write {results}: give people and uploads a folder of their own in "
                f'{contest.folder / FILE}, such as people = "web/people.db"'
            )
        _give(place)
    _let_read(contest.folder, stat.S_IXGRP | stat.S_IXOTH)
    os.chown(contest.folder / FILE, -1, WEB_UID)  # nobody else: there may be a password of the database in it
    _let_read(contest.folder / FILE, stat.S_IRGRP)
    if results is not None:
        _let_read(results, stat.S_IRGRP | stat.S_IROTH)


def _written_by_web(contest: Contest) -> Iterator[Path]:
    """The folders in which it writes."""
    yield contest.uploads
    if contest.people_file is not None:
        yield contest.people_file.parent


def _give(folder: Path) -> None:
    """Make a folder and all that is in it the web process's own, and nobody else's."""
    folder.mkdir(parents=True, exist_ok=True)
    for top, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(Path(top, name), WEB_UID, WEB_UID, follow_symlinks=False)
    shutil.chown(folder, WEB_UID, WEB_UID)
    folder.chmod(0o700)


def _let_read(path: Path, bits: int) -> None:
    path.chmod((stat.S_IMODE(path.stat().st_mode) | bits) & ~(stat.S_IWGRP | stat.S_IWOTH))
