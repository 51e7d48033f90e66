"""`arena export` and `arena import`: a tournament as one file, from machine to machine."""

import tempfile
from pathlib import Path

import click

from arena import registry
from arena.cli.output import echo
from arena.cli.params import Whole
from arena.cli.store import db_option, open_store, say_if_new
from arena.cli.table_formats import counted
from arena.errors import RecordError
from arena.tournaments import archive
from arena.tournaments.verify import StoredTournament, check_tournament, stored_tournament
from arena.untrusted.limited import Allowance, run_limited
from arena.untrusted.text import printable

SHOWN = 5
"""How many reasons are given for refusing an archive."""
_BYTES_PER_SECOND = 1 << 14
"""So many packed bytes are at least replayed in a second: ten matches or more."""


@click.command()
@click.argument("number", metavar="TOURNAMENT", type=Whole(1))
@click.option(
    "--out",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write it; tournament-ID.arena.gz if not given.",
)
@db_option
def export(number: int, out: Path | None, db: str) -> None:
    """Write a tournament to one file.

    In it are its settings, its bots by digest, results, records and checksums, but not the bots' files. On another
    machine `arena import` proves it and shows the same tables. The same tournament gives the same bytes.

    \b
    arena export 3 -o claim-cup.arena.gz
    """
    store = open_store(db)
    entry = store.tournament(number)
    path = out or Path(f"tournament-{number}.arena.gz")
    count = archive.write(stored_tournament(store, entry), path)
    state = "" if entry.finished else "; it is not finished, so later ones can be imported over this one"
    click.echo(f"wrote {path}: tournament {number} of {entry.game}, {counted(count, 'match')}{state}")


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@db_option
def import_(file: Path, db: str) -> None:
    """Prove the tournament in FILE and add it.

    All of it is replayed, and nothing is added if anything in it is not true. Adding it twice changes nothing. Its
    bots are registered by their digests but without their files: they can be played here once the same files are
    submitted.
    """
    with tempfile.TemporaryDirectory(prefix="arena-import-") as place:
        kept = _proven(file, Path(place, "proven.gz"))
        store = open_store(db, make=True)
        entry, added = archive.add(store, kept)
    say_if_new()
    theirs = {bot.label for bot in kept.bots}
    absent = [bot.label for bot in store.all_bots() if bot.kind == "absent" and bot.label in theirs]
    what = (
        f"{counted(added, 'new match')}, all replayed and true" if added else "nothing new: all of it was here already"
    )
    echo(f"{file} is tournament {entry.id} of {entry.game} here; {what}")
    if absent:
        echo(f"not here, and so not to be played until they are submitted: {', '.join(absent)}")


def _proven(file: Path, copy: Path) -> StoredTournament:
    """The tournament in a file, written anew by us after a process with limits has read and proven all of it."""
    allowance = Allowance(
        memory_bytes=768 << 20, seconds=60 + file.stat().st_size // _BYTES_PER_SECOND, file_bytes=1 << 40
    )
    findings, count = run_limited(prove, str(file), str(copy), what=str(file), allowance=allowance)
    for words in findings:
        echo(words, err=True)
    if count:
        raise RecordError(f"{file} is refused: {counted(count, 'thing')} in it not true; nothing was added")
    return archive.read(copy)


def prove(file: str, copy: str) -> tuple[list[str], int]:
    """In the process with limits: the first things that are not true, and how many; without any, write it anew."""
    kept = archive.read(Path(file))
    findings, count = list[str](), 0
    for count, finding in enumerate(check_tournament(kept, registry.find), 1):
        if count <= SHOWN:
            where = finding.where.partition(", ")[2] or "the tournament"
            findings.append(f"{printable(where)}: {printable(finding.what)}")
    if not count:
        archive.write(kept, Path(copy))
    return findings, count
