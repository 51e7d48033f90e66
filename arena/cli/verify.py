"""`arena verify`: prove that the store says what its records say, and that these follow rules, schedule and seed."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import click

from arena import registry
from arena.cli.options import json_option
from arena.cli.output import echo, print_json
from arena.cli.params import Whole
from arena.cli.store import db_option, read_store
from arena.cli.tournament import plain_tournament
from arena.errors import RecordError
from arena.store.base import TournamentEntry
from arena.store.sql import Store
from arena.tournaments.verify import Finding, check_bots, check_tournament, stored_tournament, unproved_schedule
from arena.untrusted.text import printable
from arena.web.formats import counted

PROVABLE = ("rules", "schedule", "seed")
PLAYED = "played"
"""That these bots chose these moves, which no record can prove."""


@dataclass(slots=True)
class Check:
    """What was found in a tournament."""

    entry: TournamentEntry
    matches: int = 0
    findings: list[Finding] = field(default_factory=list)

    def count(self) -> None:
        self.matches += 1


@click.command()
@click.argument("numbers", metavar="[TOURNAMENT]…", type=Whole(1), nargs=-1)
@click.option("--game", "game_name", metavar="GAME", help="Only tournaments of this game.")
@json_option
@db_option
def verify(numbers: Sequence[int], game_name: str | None, as_json: bool, db: str) -> None:
    """Prove that the tables follow from the records.

    Every match in the store is replayed and compared with its rows, and with the schedule that follows from the
    settings: who meets whom, from which seat, with which deal. A changed result, time, bot, setting or record is
    found and named, and so is a match that was left out, added, or dealt otherwise. All matches are counted again,
    because tables are made of tallies that are kept beside them. The exit code is 1 if anything is wrong.

    That does not prove that these bots chose these moves: whoever writes a record chooses them.

    Somebody who can write to the database can also write checksums that fit. So keep the checksum of a finished
    tournament elsewhere, or publish it: no result, setting or record can change without changing it.

    \b
    --json prints one object, also if something is wrong:
      wrong                how many things; if any, the exit code is 1
      matches              how many were replayed
      findings             where and what is wrong with tables and bots
      tournaments          each as in `arena tournament list`, and with
        matches, findings  its own
        proved             which of rules, schedule and seed it follows
        not_proved         the others, and always `played`
        unproved_schedule  why its schedule cannot be proved, or null

    \b
    arena verify            everything
    arena verify 3 7        only these tournaments
    """
    store, started = read_store(db), time.monotonic()
    chosen = _choose(store, numbers, game_name)
    wrong = [Finding("the tables", what) for what in store.inconsistencies()] + list(check_bots(store.all_bots()))
    _tell(wrong)
    checks = [_check(store, entry, to_stderr=as_json) for entry in chosen]
    played, lies = sum(check.matches for check in checks), len(wrong) + sum(len(check.findings) for check in checks)
    if as_json:
        tournaments = [plain_check(check) for check in checks]
        print_json({"wrong": lies, "matches": played, "findings": list(map(asdict, wrong)), "tournaments": tournaments})
    if lies:
        raise RecordError(f"{counted(lies, 'thing')} wrong, named above")
    seconds = time.monotonic() - started
    seen = f"{counted(len(chosen), 'tournament')}, {counted(played, 'match')} replayed in {seconds:.1f} s"
    click.echo(f"ok: {seen}", err=as_json)


def _choose(store: Store, numbers: Sequence[int], game_name: str | None) -> list[TournamentEntry]:
    if game_name is not None:
        registry.find(game_name)
    chosen = [store.tournament(number) for number in numbers] or store.tournaments()
    return [entry for entry in chosen if game_name in (None, entry.game)]


def _check(store: Store, entry: TournamentEntry, *, to_stderr: bool) -> Check:
    """Check a tournament and tell the result."""
    kept = stored_tournament(store, entry)
    entry = kept.entry
    check = Check(entry)
    for finding in check_tournament(kept, registry.find, check.count):
        check.findings.append(finding)
        _tell([finding])
    if not check.findings:
        state = f"checksum {entry.checksum}" if entry.finished else "not finished, so it has no checksum yet"
        unproved = unproved_schedule(entry)
        follows = "follows the rules, the schedule and the seed" if unproved is None else "follows the rules"
        echo(
            f"tournament {entry.id}: {entry.game}, {counted(check.matches, 'match')}, {follows}; {state}", err=to_stderr
        )
        if unproved is not None:
            echo(f"tournament {entry.id}: its schedule is not proved: {unproved}", err=to_stderr)
    return check


def plain_check(check: Check) -> dict[str, Any]:
    """A tournament and what was found in it as plain data; `arena verify --help` explains it."""
    nothing = {"proved": [], "not_proved": [*PROVABLE, PLAYED], "unproved_schedule": None}
    return {
        **plain_tournament(check.entry),
        "matches": check.matches,
        "findings": list(map(asdict, check.findings)),
        **(nothing if check.findings else plain_proof(check.entry)),
    }


def plain_proof(entry: TournamentEntry) -> dict[str, Any]:
    """What is proved of a tournament in which nothing is wrong, and what is not."""
    unproved = unproved_schedule(entry)
    proved = PROVABLE if unproved is None else PROVABLE[:1]
    rest = [name for name in (*PROVABLE, PLAYED) if name not in proved]
    return {"proved": list(proved), "not_proved": rest, "unproved_schedule": unproved}


def _tell(findings: Sequence[Finding]) -> None:
    for finding in findings:
        echo(f"{printable(finding.where)}: {printable(finding.what)}", err=True)
