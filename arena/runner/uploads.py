"""What was uploaded, as a file that the check may read: copied, and proved to be what was received."""

import hashlib
import os
import re
import stat
from pathlib import Path

from arena.contest.settings import Contest
from arena.contest.submissions import Submission
from arena.errors import InfraError

_DIGEST = re.compile(r"[0-9a-f]{64}")
_CHUNK = 1 << 20


def fetch(contest: Contest, submission: Submission, folder: Path) -> str:
    """Copy an upload into this folder, under a name like that of its team: the name; InfraError if it is not whole.

    The copy is what is checked: whoever may write the uploads could change them meanwhile.
    """
    name = plain_name(submission.file_name)
    if not _DIGEST.fullmatch(submission.digest):
        raise InfraError(f"submission {submission.id} has no upload")
    try:
        found = _copy(contest.uploads / submission.digest, folder / name, submission.bytes)
    except OSError as error:
        raise InfraError(f"the upload of submission {submission.id} cannot be read: {error.strerror}") from error
    if found != submission.digest:
        raise InfraError(f"the upload of submission {submission.id} is damaged: hand it in again")
    return name


def plain_name(file_name: str) -> str:
    """A name for a file and for sentences, whatever the upload was called."""
    last = re.sub(r"[^A-Za-z0-9._-]", "_", file_name.replace("\\", "/").rpartition("/")[2])
    return last.lstrip("._-")[-80:] or "upload"


def _copy(source: Path, target: Path, size: int) -> str:
    """Copy a plain file of this size, and not what a link, a pipe or a larger one holds; the digest of the copy."""
    digest = hashlib.sha256()
    with open(os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return ""
        with target.open("xb") as copy:
            while size >= 0 and (chunk := file.read(_CHUNK)):
                size -= len(chunk)
                digest.update(chunk)
                copy.write(chunk)
    return digest.hexdigest() if size == 0 else ""
