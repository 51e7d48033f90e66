"""`arena contest export`: what teams handed in, for a check by eye or by a program."""

import os
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from arena.bots.files import is_part
from arena.cli.contest_folder import contest_option, open_people
from arena.cli.options import json_option
from arena.cli.output import echo, print_json
from arena.cli.store import open_store_to_read
from arena.errors import UsageError
from arena.intake.bot_files import folder_of
from arena.standings.ladder import newest_versions
from arena.store.base import BotEntry
from arena.store.files import DamagedFiles
from arena.store.sql import Store
from arena.web.formats import counted


@dataclass(frozen=True, slots=True)
class Source:
    """A bot with the name of the team that it is of."""

    team: str
    bot: BotEntry
    folder: Path | None
    """Where its files are, if they are files and can be had."""


@click.command()
@click.option(
    "--sources",
    "out",
    required=True,
    metavar="OUT.tar.gz",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The archive to write; an older one is replaced.",
)
@json_option
@contest_option
def export(out: Path, as_json: bool, folder: Path) -> None:
    """Write the sources of all teams to one archive.

    In it is a folder for every team, and in that one for each of its bots with the newest registered version,
    retired ones too, as programs that search for plagiarism want it. Images, and bots whose files are gone, are
    named instead. Only you can read the file. --json prints file, bots (team, name and version) and left_out.

    \b
    arena contest export --sources sources.tar.gz --contest my-cup
    """
    there = open_people(folder)
    store = open_store_to_read(there.contest.results)
    teams = {team.owner: team.name for team in there.people.teams().values()}
    newest = newest_versions(store.all_bots(), retired=True)
    found = [Source(teams[bot.owner], bot, _folder(store, bot)) for bot in newest if bot.owner in teams]
    kept, left = [each for each in found if each.folder], [each for each in found if not each.folder]
    _write(out, kept)
    there.note("export sources", more=counted(len(kept), "bot"))
    if as_json:
        print_json({"file": str(out), "bots": list(_plain(kept)), "left_out": list(_plain(left))})
        return
    echo(f"wrote {out} with {counted(len(kept), 'bot')} of {counted(len({each.team for each in kept}), 'team')}")
    for each in left:
        why = "is an image" if each.bot.kind == "image" else "has no files here"
        echo(f"left out: {each.bot.label} of {each.team} {why}")


def _folder(store: Store, bot: BotEntry) -> Path | None:
    try:
        folder = folder_of(store, bot) if bot.kind == "folder" else None
    except DamagedFiles:
        return None
    return folder if folder and folder.is_dir() else None


def _plain(sources: Sequence[Source]) -> Iterator[dict[str, str]]:
    for each in sources:
        yield {"team": each.team, "name": each.bot.name, "version": each.bot.version}


def _write(out: Path, sources: Sequence[Source]) -> None:
    """Write the archive, whole or not at all."""
    partial = out.with_name(f".{out.name}.partial")
    try:
        partial.unlink(missing_ok=True)
        with (
            open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file,
            tarfile.open(fileobj=file, mode="w:gz", format=tarfile.PAX_FORMAT) as archive,
        ):
            for each in sorted(sources, key=lambda each: (each.team, each.bot.name)):
                archive.add(each.folder or "", f"{each.team}/{each.bot.name}", filter=_plain_member)
        partial.replace(out)
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)


def _plain_member(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Without owners and rights, so that whoever unpacks it can read and remove it; links stay links."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
    return member if is_part(member.name) else None
