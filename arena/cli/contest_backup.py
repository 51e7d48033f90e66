"""`arena contest backup` and `restore`: a whole contest as one file."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from arena.cli.backup import restore_store, write_store
from arena.cli.contest_folder import Opened, contest_option, open_contest, open_people, opened
from arena.cli.options import json_option
from arena.cli.output import echo, print_json
from arena.contest import backup_file
from arena.contest.settings import FILE, Contest, Places, to_toml
from arena.errors import UsageError
from arena.intake.folder_storage import remove
from arena.web.formats import counted


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@json_option
@contest_option
def backup(file: Path, as_json: bool, folder: Path) -> None:
    """Write a whole contest to FILE, even while it runs.

    In it are contest.toml, the people with the hashes of their tokens, what they handed in, the results, and the
    folders of registered bots. Nobody is logged in at the copy. Not in it are images of docker, and cards. Only you
    can read FILE; an older one is replaced when the new one is complete. --json prints file, bots and uploads.

    \b
    arena contest backup my-cup.tar --contest my-cup
    arena contest restore my-cup.tar elsewhere
    """
    contest = open_contest(folder)
    if "://" in contest.results or "://" in contest.people:
        raise UsageError(
            "a contest in PostgreSQL is copied by its own program, pg_dump --format=custom --file=FILE URL, with the "
            f"URL in {contest.folder / FILE}; then copy the folder {contest.folder}, too"
        )
    there = open_people(folder)
    there.note("backup")
    with tempfile.TemporaryDirectory(prefix=f".{file.name}.", dir=_place(file)) as working:
        results, people = Path(working, backup_file.RESULTS), Path(working, backup_file.PEOPLE)
        # In this order a submission that is registered here has its bot there, and its file lies in the folder.
        backup_file.copy_people(Path(contest.people), people)
        bots = write_store(results, contest.results)
        uploads = _uploads(there)
        parts = {FILE: contest.folder / FILE, backup_file.PEOPLE: people, backup_file.RESULTS: results, **uploads}
        backup_file.write(file, parts)
    _report(as_json, file, bots, len(uploads), f"wrote {file}: the contest {contest.settings.title}")


def _place(file: Path) -> Path:
    if not file.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {file.absolute().parent}: make it first")
    return file.absolute().parent


def _uploads(there: Opened) -> dict[str, Path]:
    """The uploads that are there, under their names in the file."""
    digests = there.submissions.digests()
    found = {backup_file.upload_member(digest): there.contest.upload(digest) for digest in digests}
    return {name: path for name, path in found.items() if path.is_file()}


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@json_option
def restore(file: Path, folder: Path, as_json: bool) -> None:
    """Make the contest FOLDER of the backup in FILE.

    FOLDER must be new or empty, and everything is kept in it, wherever it was kept before. Cards that were handed out
    are good there, too; everybody has to log in again. FILE has to be one of your own: what is in its tables is taken
    as it is. --json prints file, bots and uploads.
    """
    target = folder.absolute()
    if target.exists() and any(target.iterdir()):
        raise UsageError(f"{folder} is not empty, and nothing is replaced: name a new folder")
    with _new_folder(target) as working:
        parts = working / ".parts"
        parts.mkdir()
        backup_file.read(file, parts)
        contest = _settled(parts, working)
        bots = restore_store(parts / backup_file.RESULTS, contest.results)
        remove(parts)
        with opened(contest) as there:
            there.note("restore")
            uploads = len(_uploads(there))
    _report(as_json, file, bots, uploads, f"made the contest {contest.settings.title} in {folder}")


@contextmanager
def _new_folder(target: Path) -> Iterator[Path]:
    """A folder that gets its name when everything is in it, and is removed if something fails."""
    working = target.with_name(f".{target.name}.{os.getpid()}.restoring")
    try:
        try:
            working.mkdir(parents=True)
            yield working
            working.rename(target)
        except OSError as error:
            raise UsageError(f"{target} cannot be made: {error.strerror}") from error
    finally:
        if working.exists():
            remove(working)


def _settled(parts: Path, folder: Path) -> Contest:
    """The contest of these parts, with its people and uploads, all in its own folder."""
    settings = open_contest(parts).settings
    contest = Contest(folder, replace(settings, keep=Places()))
    if contest.settings != settings:
        (parts / FILE).write_text(to_toml(contest.settings), encoding="utf-8")
    uploads = parts / backup_file.UPLOADS
    uploads.mkdir(mode=0o700, exist_ok=True)
    for part, place in ((FILE, folder / FILE), (backup_file.PEOPLE, Path(contest.people)), (uploads, contest.uploads)):
        place.parent.mkdir(mode=0o700, exist_ok=True)
        (parts / part).rename(place)
    return contest


def _report(as_json: bool, file: Path, bots: int, uploads: int, done: str) -> None:
    if as_json:
        print_json({"file": str(file), "bots": bots, "uploads": uploads})
    else:
        echo(f"{done}, with {counted(uploads, 'upload')} and the folders of {counted(bots, 'bot')}")
