"""`arena verify`: prove that the store says what was played."""

import time
from collections.abc import Sequence

import click

from arena import registry
from arena.cli.output import echo
from arena.cli.params import Whole
from arena.cli.store import db_option, open_store
from arena.cli.table_formats import counted
from arena.errors import RecordError
from arena.store.base import Store, TournamentEntry
from arena.tournaments.verify import Finding, check_bots, check_tournament, stored_tournament
from arena.untrusted.text import printable


@click.command()
@click.argument("numbers", metavar="[TOURNAMENT]…", type=Whole(1), nargs=-1)
@click.option("--game", "game_name", metavar="GAME", help="Only tournaments of this game.")
@db_option
def verify(numbers: Sequence[int], game_name: str | None, db: str) -> None:
    """Prove that the tables say what was played.

    Every match in the store is replayed and compared with its rows. A changed result, time, log, bot, setting or
    record is found and named, and so is a match that was taken out of a finished tournament. All matches are counted
    again, because tables are made of tallies that are kept beside them. The exit code is 1 if anything is not true.

    Somebody who can write to the database can also write checksums that fit. So keep the checksum of a finished
    tournament elsewhere, or publish it: no result, setting or record can change without changing it.

    \b
    arena verify            everything
    arena verify 3 7        only these tournaments
    """
    store, started = open_store(db), time.monotonic()
    chosen = _choose(store, numbers, game_name)
    wrong = [Finding("the tables", what) for what in store.inconsistencies()] + list(check_bots(store.all_bots()))
    _tell(wrong)
    played, lies = 0, len(wrong)
    for entry in chosen:
        count, found = _check(store, entry)
        played, lies = played + count, lies + found
    if lies:
        raise RecordError(f"{counted(lies, 'thing')} not true, named above")
    seconds = time.monotonic() - started
    click.echo(
        f"all true: {counted(len(chosen), 'tournament')}, {counted(played, 'match')} replayed in {seconds:.1f} s"
    )


def _choose(store: Store, numbers: Sequence[int], game_name: str | None) -> list[TournamentEntry]:
    if game_name is not None:
        registry.find(game_name)
    chosen = [store.tournament(number) for number in numbers] or store.tournaments()
    return [entry for entry in chosen if game_name in (None, entry.game)]


def _check(store: Store, entry: TournamentEntry) -> tuple[int, int]:
    """Check a tournament and tell the result: how many matches it has, and how many things are wrong."""
    matches = 0

    def count() -> None:
        nonlocal matches
        matches += 1

    findings = list(check_tournament(stored_tournament(store, entry), registry.find, count))
    _tell(findings)
    if not findings:
        state = f"checksum {entry.checksum}" if entry.finished else "not finished, so it has no checksum yet"
        echo(f"tournament {entry.id}: {entry.game}, {counted(matches, 'match')}, true; {state}")
    return matches, len(findings)


def _tell(findings: Sequence[Finding]) -> None:
    for finding in findings:
        echo(f"{printable(finding.where)}: {printable(finding.what)}", err=True)
