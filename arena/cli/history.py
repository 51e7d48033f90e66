"""`arena history`: the matches of one bot, and what it said in one of them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena import registry
from arena.cli import table_formats
from arena.cli.options import server_option
from arena.cli.output import cell, echo, narrow_table, print_json, writing
from arena.cli.params import Whole
from arena.cli.store import db_option, read_store
from arena.cli.table_formats import form_options, print_table
from arena.errors import RecordError, UsageError
from arena.match import is_fault
from arena.standings.ladder import find_bot
from arena.store.base import BotEntry, KeptMatch, MatchEntry
from arena.store.sql import Store
from arena.untrusted.text import printable
from arena.web.formats import counted

MATCH_DIGITS = 10
"""Of the name of a match; commands understand the beginning of one."""
NOT_RATED = "ended at the fault, and not rated"


@click.command()
@click.argument("name", metavar="BOT")
@click.option("--last", type=Whole(1), default=20, show_default=True, help="How many matches.")
@click.option("--lost", is_flag=True, help="Only matches in which it did not finish first, alone or tied.")
@click.option("--match", "match_id", metavar="MATCH", help="One match: how it ended, and the output of BOT in it.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the record of that match here.")
@form_options
@server_option
@db_option
def history(
    name: str, last: int, lost: bool, match_id: str | None, out: Path | None, server: str | None, db: str, **form: Any
) -> None:  # fmt: skip
    """Show the matches of a bot, or one in full.

    BOT is a name, for its newest version, or name@version; --match finds the matches of older versions too. The output
    of a bot is kept with each match, at most its last 4096 characters; it stays running from match to match, so this
    may begin before the match did.

    \b
    The columns of --json and --csv:
      match, tournament         which match it was
      seat, rank, score         of BOT
      against, against_version  the others, in the order of their seats
      ending                    NORMAL, or the fault by which BOT lost
      reason                    how the game ended
      result                    how the match ended, in a sentence
      ended_at_fault            others could have played on; it is not rated

    \b
    arena history my_bot                      its latest matches
    arena history my_bot --lost               those that it lost
    arena history my_bot --match e91e5353     why it lost that one
    arena history my_bot --match e91e5353 --out game.arena
    arena history my_bot --html history.html  its rating over time
    """
    if server is not None:
        from arena.cli.server_tables import print_matches  # noqa: PLC0415  (see `ratings`)

        if lost or match_id or out or form["html"]:
            raise UsageError(
                "--server goes with --last, --json, --csv and --columns alone; `arena replay show` has one"
            )
        print_matches(server, name, last, **form)
        return
    store = read_store(db)
    bot = find_bot(store, name)
    if match_id is not None:
        if form["as_csv"] or form["html"] is not None or form["columns"] is not None:
            raise UsageError("one match is shown as text, or whole with --json")
        bot, match = _find(store, bot, match_id, older="@" not in name)
        kept = store.kept_match(match.tournament_id, match.match_id)
        if form["as_json"]:
            print_json(_plain_match(store, bot, kept))
        else:
            _show_match(store, bot, kept)
        if out is not None:
            _write(out, kept.record, to_stderr=form["as_json"])
        return
    if out is not None:
        raise UsageError("say with --match which match is to be written")
    known = {entry.id: entry for entry in store.all_bots()}
    rows = [match_row(store, match, bot.id, known) for match in reversed(_newest(store, bot, last, lost=lost))]
    print_table(
        table_formats.Table(rows, lambda: _page(store, bot, last), lambda: _print(bot, rows, lost=lost)), **form
    )


def _page(store: Store, bot: BotEntry, last: int) -> str:
    from arena.cli.history_page import page  # noqa: PLC0415  (see `ratings`: terminals need no templates)

    return page(store, bot, last)


def _newest(store: Store, bot: BotEntry, count: int, *, lost: bool) -> list[MatchEntry]:
    """The newest matches of a bot, the newest first; with `lost` only those that it did not win or share."""
    chosen: list[MatchEntry] = []
    before = None
    while len(chosen) < count and (page := store.latest_matches(bot_id=bot.id, before=before, limit=max(count, 100))):
        before = page[-1].number
        entries = (match.entry for match in page)
        chosen += (entry for entry in entries if not lost or entry.seats[seat_of(entry, bot.id)].rank > 1)
    return chosen[:count]


def _find(store: Store, bot: BotEntry, match_id: str, *, older: bool) -> tuple[BotEntry, MatchEntry]:
    """The newest match whose name begins like this, and the version that played it: the named one or an older one."""
    versions = [bot, *reversed(store.bot_versions(bot.name))] if older else [bot]
    for version in versions if match_id else ():
        found = store.find_matches(version.id, match_id)
        if len({match.match_id for match in found}) > 1:
            raise UsageError(f"{len(found)} matches begin with {match_id!r}: give more letters")
        if found:
            return version, found[-1]
    raise UsageError(f"it played no match {match_id!r}: `arena history BOT` lists those that it played")


def _output_of(kept: KeptMatch, bot: BotEntry) -> str:
    """The newest of what this bot printed in a match."""
    output = kept.outputs.get(seat_of(kept.entry, bot.id))
    return output.end if output else ""


def _plain_match(store: Store, bot: BotEntry, kept: KeptMatch) -> dict[str, Any]:
    """A match as plain data, with the output of the bot that was asked about."""
    match = kept.entry
    entries = {entry.id: entry for entry in store.all_bots()}
    names = ("rank", "score", "ending", "sentence", "wall_us", "cpu_us")
    seats = [
        {"seat": seat, "name": entries[result.bot_id].name, "version": entries[result.bot_id].version,
         **{name: getattr(result, name) for name in names}}
        for seat, result in enumerate(match.seats)
    ]  # fmt: skip
    facts = {"match": match.match_id, "tournament": match.tournament_id, "reason": match.reason, "moves": match.moves}
    facts["result"] = result_of(store, match, [entries[result.bot_id].name for result in match.seats])
    facts["ended_at_fault"] = match.ended_at_fault
    return {**facts, "seats": seats, "bot": bot.name, "version": bot.version, "output": _output_of(kept, bot)}


def _show_match(store: Store, bot: BotEntry, kept: KeptMatch) -> None:
    match = kept.entry
    label = {entry.id: entry.label for entry in store.all_bots()}
    words = printable(result_of(store, match, [label[seat.bot_id] for seat in match.seats]))
    early = f"; {NOT_RATED}" if match.ended_at_fault else ""
    moves = counted(match.moves, "move")
    echo(f"match {match.match_id} of tournament {match.tournament_id}: {words}, {moves}{early}")
    for seat, result in enumerate(match.seats):
        times = f"{result.wall_us / 1e6:.2f} s, of it {result.cpu_us / 1e6:.2f} s on a processor"
        ending = f"{result.ending}: {result.sentence}" if result.at_fault else match.seat_words(seat)
        points = f"rank {result.rank}, {result.score:g} points"
        echo(f"  seat {seat}  {printable(label[result.bot_id])}, {points}, {times}; {printable(ending)}")
    for line in _causes(kept):
        echo(line)
    log = _output_of(kept, bot)
    name = printable(bot.label)
    echo(f"\noutput of {name}, its end:\n{log}" if log else f"\n{name} printed nothing")


def _causes(kept: KeptMatch) -> Iterator[str]:
    """What the bots at fault did; nothing if the match cannot be replayed here."""
    from arena.cli.replay import cause_lines  # noqa: PLC0415  (see `_page`)

    with suppress(RecordError, UsageError):
        from arena.referee import record  # noqa: PLC0415  a list of matches needs no messages

        played = record.load(kept.record, registry.find)
        yield from cause_lines(registry.find(played.spec.game), played, {})


def _write(out: Path, data: bytes, *, to_stderr: bool) -> None:
    with writing(out):
        out.write_bytes(data)
    click.echo(f"wrote {out}: `arena replay show {out}` plays it", err=to_stderr)


def _print(bot: BotEntry, rows: Sequence[dict[str, Any]], *, lost: bool) -> None:
    if not rows:
        echo(f"{bot.label} has lost no match" if lost else f"{bot.label} has played no match yet")
        return
    table = narrow_table()
    for name in ("match", "tournament", "seat", "against", "rank", "score", "how it ended"):
        right = name in ("tournament", "seat", "rank", "score")
        table.add_column(name, no_wrap=name == "match", justify="right" if right else "left", overflow="fold")
    for row in rows:
        fault = f"{row['ending']}: " if is_fault(row["ending"]) else ""
        early = f"; {NOT_RATED}" if row["ended_at_fault"] else ""
        numbers = (row["rank"], f"{row['score']:g}")
        pairs = zip(row["against"].split(", "), row["against_version"].split(", "))
        others = ", ".join(f"{name} {version}" for name, version in pairs)
        facts = (row["match"][:MATCH_DIGITS], row["tournament"], row["seat"], others, *numbers)
        table.add_row(*(cell(str(fact)) for fact in facts), cell(fault + row["result"] + early))
    Console().print(table)


def result_of(store: Store, match: MatchEntry, names: Sequence[str]) -> str:
    """How a match ended, in one sentence; its record is read only if the row does not say when a bot was at fault."""
    if match.fault_plies is not None:
        return match.result(names)
    from arena.web.causes import fault_plies  # noqa: PLC0415  a list of matches needs no messages

    return match.result(names, fault_plies(store, match))


def match_row(store: Store, match: MatchEntry, bot_id: int, known: Mapping[int, BotEntry]) -> dict[str, Any]:
    """A match of a bot as plain data; `arena history --help` explains it."""
    seat = seat_of(match, bot_id)
    result_of_bot = match.seats[seat]
    others = [known[result.bot_id] for result in match.seats if result.bot_id != bot_id]
    return {
        "match": match.match_id,
        "tournament": match.tournament_id,
        "seat": seat,
        "against": ", ".join(bot.name for bot in others),
        "against_version": ", ".join(bot.version for bot in others),
        "rank": result_of_bot.rank,
        "score": result_of_bot.score,
        "ending": result_of_bot.ending,
        "reason": match.reason,
        "result": result_of(store, match, [known[result.bot_id].name for result in match.seats]),
        "ended_at_fault": match.ended_at_fault,
    }


def seat_of(match: MatchEntry, bot_id: int) -> int:
    """The seat of a bot in a match that it played."""
    return next(seat for seat, result in enumerate(match.seats) if result.bot_id == bot_id)
