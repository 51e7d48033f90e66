"""`arena export` and `arena import`: a tournament as one file, from machine to machine."""

import tempfile
from dataclasses import replace
from pathlib import Path

import click

from arena import registry
from arena.bots import register
from arena.bots.files import folder_digest
from arena.bots.reserved import SAMPLE_OWNER
from arena.cli.keys import open_keyring, own_key
from arena.cli.next_command import here
from arena.cli.options import json_option
from arena.cli.output import echo, print_json
from arena.cli.params import Whole
from arena.cli.store import db_option, open_store, read_store, say_if_new
from arena.cli.tournament import plain_tournament
from arena.cli.verify import plain_proof
from arena.errors import RecordError
from arena.intake import backup_file
from arena.intake.bot_files import files_of, folder_of
from arena.store.base import BotEntry
from arena.store.sql import Store
from arena.tournaments import archive
from arena.tournaments.signing import need_library
from arena.tournaments.verify import StoredTournament, check_tournament, stored_tournament, unproved_schedule
from arena.untrusted.filetree import map_read_errors
from arena.untrusted.limited import Allowance, run_limited
from arena.untrusted.tar import BLOCK
from arena.untrusted.text import printable
from arena.web.formats import counted

_BYTES_PER_SECOND = 1 << 14
"""So many packed bytes are at least replayed in a second: ten matches or more."""


@click.command()
@click.argument("number", metavar="TOURNAMENT", type=Whole(1))
@click.option(
    "--out",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write it; tournament-ID.arena.gz if not given, or .arena.tar with bots.",
)
@click.option(
    "--sign",
    is_flag=True,
    help="Vouch for it with your key (`arena keys`), made at first use; needs the extra `signing`.",
)
@click.option("--with-output", is_flag=True, help="Include what bots printed; anyone with the file can read it.")
@click.option("--with-bots", is_flag=True, help="Include the files of its bots; anyone with the file can read them.")
@json_option
@db_option
def export(
    number: int, out: Path | None, sign: bool, with_output: bool, with_bots: bool, as_json: bool, db: str
) -> None:
    """Write a tournament to one file.

    In it are its settings, its bots by digest, results, records and checksums; the bots' files and what they printed
    only if you say so. Images, and folders that have changed since, stay out. On another machine `arena import` proves
    it and shows the same tables. The same tournament gives the same bytes.

    --json prints the tournament as `arena tournament list` does, with file, matches, bots (those whose files are in
    it) and signed_with (your public key, or null).

    \b
    arena export 3 -o claim-cup.arena.gz
    arena export 3 -o claim-cup.arena.tar --with-bots
    arena export 3 -o claim-cup.arena.gz --sign
    """
    store = read_store(db)
    entry = store.tournament(number)
    path = out or Path(f"tournament-{number}.arena.{'tar' if with_bots else 'gz'}")
    kept = stored_tournament(store, entry)
    if sign:
        text = archive.text_to_sign(kept)
        kept = replace(kept, signature=own_key().sign(text))
    field = archive.field_of(kept) if with_bots else []
    folders = {bot: folder for bot in field if (folder := _travelling(store, bot)) is not None}
    bots = list(folders)
    with tempfile.TemporaryDirectory(prefix="arena-export-") as place:
        plain = Path(place, path.name) if with_bots else path
        count = archive.write(kept, plain, with_output=with_output)
        if with_bots:
            held = {bot.digest: folder for bot, folder in folders.items()}
            backup_file.write(path, backup_file.TOURNAMENT, plain, held)
    if as_json:
        names = [{"name": bot.name, "version": bot.version} for bot in bots]
        facts = {"file": str(path), "matches": count, "signed_with": kept.signature and kept.signature.key}
        print_json({**plain_tournament(entry), **facts, "bots": names})
        return
    state = "" if entry.finished else "; it is not finished, so later ones can be imported over this one"
    click.echo(f"wrote {path}: tournament {number} of {entry.game}, {counted(count, 'match')}{state}")
    if with_bots:
        click.echo(f"with the files of: {', '.join(bot.label for bot in bots) or 'no bot'}")
    if kept.signature:
        click.echo(f"signed; it counts for those who trust your key: `arena keys trust {kept.signature.key} NAME`")


def _travelling(store: Store, bot: BotEntry) -> Path | None:
    """Its folder, if that is here as it was registered, and not with every Arena."""
    folder = folder_of(store, bot) if bot.kind == "folder" and bot.owner != SAMPLE_OWNER else None
    return folder if folder and folder.is_dir() and folder_digest(folder) == bot.digest else None


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--rated",
    is_flag=True,
    help="Let it count for the ladder, as if it had been played here: for a file whose origin you trust.",
)
@json_option
@db_option
def import_(file: Path, rated: bool, as_json: bool, db: str) -> None:
    """Prove the tournament in FILE and add it.

    All of it is replayed, and nothing is added unless it follows the rules, the schedule and the seed. That does not
    prove that these bots chose these moves. So it has tables and pages of its own, and counts for no others, unless you
    give --rated, or it is signed with a key that you trust (`arena keys`).

    Adding it twice changes nothing, and neither does a file that is older than what is here. Bots that are new here
    are registered by their digests. Those whose files are in FILE, or that are Arena's own, can be played at once, in
    the sandbox as always; the others once the same files are submitted. A file in which a name of your ladder belongs
    to somebody else is refused.

    --json prints the tournament as `arena tournament list` does, with file, new_matches, absent (bots whose files are
    not here), what `arena verify --json` says of the proof, signed_with (a public key, or null) and signed_by (your
    name of a key that you trust, or null).
    """
    with tempfile.TemporaryDirectory(prefix="arena-import-") as place:
        with_bots, plain = _has_bots(file), Path(place, file.name)
        if with_bots:
            backup_file.read(file, backup_file.TOURNAMENT, plain)
        kept = _proven(plain if with_bots else file, file, Path(place, "proven"))
        signer = open_keyring().signer(kept.signature.key) if kept.signature else None
        store = open_store(db, make=True)
        files = files_of(store)
        wanted = {bot.digest for bot in kept.bots}
        brought = backup_file.read_bots(file, backup_file.TOURNAMENT, files, wanted) if with_bots else ()
        entry, added = archive.add(store, kept, rated=rated or signer is not None)
        for bot in kept.bots:
            if bot.digest in brought and files.has(bot.digest):
                register.bring_files(store, bot.name, bot.digest, str(files.path_of(bot.digest)))
    say_if_new()
    theirs = {bot.label for bot in kept.bots}
    absent = [bot for bot in store.all_bots() if bot.kind == "absent" and bot.label in theirs]
    if as_json:
        facts = {"file": str(file), "new_matches": added, **plain_proof(entry)}
        facts |= {"signed_with": kept.signature and kept.signature.key, "signed_by": signer}
        names = [{"name": bot.name, "version": bot.version} for bot in absent]
        print_json({**plain_tournament(entry), **facts, "absent": names})
        return
    what = f"{counted(added, 'new match')}" if added else "nothing new: all of it was here already"
    echo(f"{file} is tournament {entry.id} of {entry.game} here; {what}")
    echo("proved: it follows the rules, the schedule and the seed; not proved: that its bots chose these moves")
    if kept.signature:
        echo(_vouched(kept.signature.key, signer))
    if entry.apart:
        own = here(f"arena ratings --tournament {entry.id}")
        echo(f"it counts for no table but its own (`{own}`), unless you give --rated")
    if absent:
        labels = ", ".join(bot.label for bot in absent)
        echo(f"files missing here, cannot play until submitted: {labels}")


def _vouched(key: str, signer: str | None) -> str:
    """Who vouches for a tournament, and what that means here."""
    if signer is None:
        return f"signed with a key that you do not trust: {key}; `arena keys trust KEY NAME` changes that"
    return f"signed by {signer} with a key that you trust: {key}; it counts as if it had been played here"


def _has_bots(file: Path) -> bool:
    """Whether it begins as an export with bots does."""
    with map_read_errors(str(file)), file.open("rb") as opened:
        return opened.read(BLOCK)[257:262] == b"ustar"


def _proven(plain: Path, file: Path, copy: Path) -> StoredTournament:
    """The tournament of a file, written anew by us after a process with limits has read and proven all of it."""
    allowance = Allowance(
        memory_bytes=768 << 20, seconds=60 + plain.stat().st_size // _BYTES_PER_SECOND, file_bytes=1 << 40
    )
    wrong = run_limited(prove, str(plain), str(copy), what=str(file), allowance=allowance)
    if wrong:
        raise RecordError(f"{file} is refused: {wrong}; nothing was added")
    return archive.read(copy)


def prove(file: str, copy: str) -> str | None:
    """In the process with limits: the first thing that is wrong; without any, the file is written anew."""
    kept = archive.read(Path(file))
    if kept.signature:
        need_library()  # who lacks it hears so before all matches are replayed
    for finding in check_tournament(kept, registry.find):
        where = finding.where.partition(", ")[2] or "the tournament"
        return f"{printable(where)}: {printable(finding.what)}"
    if unproved := unproved_schedule(kept.entry):
        return f"its schedule cannot be proved: {printable(unproved)}"
    if not archive.is_signature_true(kept):
        return "its signature is wrong: the owner of its key has not signed this"
    archive.write(kept, Path(copy), with_output=True)
    return None
