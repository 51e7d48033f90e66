"""`arena tournament`: everybody against everybody, and the table."""

from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource
from rich.console import Console
from rich.table import Table

from arena.cli import table_formats
from arena.cli.groups import CommandGroup
from arena.cli.loading import loading
from arena.cli.monitoring import monitoring_options
from arena.cli.next_command import resume_command
from arena.cli.options import json_option, option_group
from arena.cli.output import cell, echo, narrow_table, print_json
from arena.cli.params import SEED_HELP, Duration, Seed, Setting, Whole, clock_option
from arena.cli.placement import placement_options
from arena.cli.sandbox_options import sandbox_options
from arena.cli.store import db_option, open_store, read_store
from arena.cli.table_formats import list_options, print_table
from arena.cli.tournament_config import Seeds, config_option, config_text
from arena.errors import UsageError
from arena.store.base import BotEntry, TournamentEntry, TournamentSummary
from arena.store.scope import Scope
from arena.store.sql import Store
from arena.tournaments.settings import COMMON, FORMATS, OWN, TEST, Settings
from arena.web.formats import counted

budget_option = click.option(
    "--budget",
    type=Duration(),
    help="Play for this long at most, such as 45m. A round is begun only if it seems to fit whole, so that everybody "
    "has played equally often at the end, and no match is cut off; if a round did not fit after all, such as the first "
    "one, that is said. Without --rounds the tournament is closed then, and has its checksum; with them the same "
    "command goes on later, for as long again.",
)
play_options = option_group(
    click.option("--option", "options", type=Setting(), multiple=True, help="An option of the game, like board=b."),
    click.option("--seed", type=Seed(), help=SEED_HELP),
    clock_option,
    click.option("--strikes", type=Whole(0), default=0, show_default=True, help="As in `arena match`."),
    click.option(
        "--fresh",
        type=click.Choice(["pairing", "match"]),
        default="pairing",
        show_default=True,
        help="Start the bots anew after up to eight deals from the same seats, or for each match.",
    ),
    budget_option,
    placement_options,
    monitoring_options,
    sandbox_options,
    db_option,
)
"""The options that say how matches are played, whoever meets whom."""


@click.group(cls=CommandGroup, invoke_without_command=True)
@config_option
@click.option("--game", "game_name", metavar="GAME", help="The game to play; `arena games` lists them.")
@click.option(
    "--bots",
    metavar="BOT,BOT…",
    help="Who takes part: names in the store (name or name@version), sample bots, folders, random or first. All of "
    "the ladder of the game if not given.",
)
@click.option("--title", default="", metavar="TEXT", help="What to call it in lists and on pages.")
@click.option(
    "--format", "kind", type=click.Choice(FORMATS), default="round-robin", show_default=True, help="Who meets whom."
)
@click.option(
    "--rounds",
    type=Whole(1),
    help="Deals that every group plays, from every seat; 2 if not given, or with --budget as many as fit.",
)
@click.option("--seats", type=Whole(1), help="How many seats, for games that can have more than two.")
@click.option("--top", type=Whole(1), help="adaptive: how many places are to be certain; 3 if not given.")
@click.option(
    "--confidence",
    metavar="NUMBER",
    type=click.FloatRange(0.5, 1.0, min_open=True, max_open=True),
    help="adaptive: how certain, all together; 0.95 if not given.",
)
@click.option(
    "--max-games",
    type=Whole(1),
    help="adaptive: stop after so many matches in any case; 100 for each bot if not given.",
)
@click.option(
    "--seeds",
    type=Seeds(),
    help="The deals to play: a file with a seed on every line, one for each round. Not for --format adaptive.",
)
@click.option(
    "--deals",
    type=click.Choice([OWN, COMMON]),
    help="Deals of its own for every group of bots, or the same for all groups, as --seeds are; own if not given. The "
    "same deal at several tables is for bots that you trust: one that finds a way to talk could tell a friend of it.",
)
@json_option
@play_options
@click.pass_context
def tournament(ctx: click.Context, /, **given: Any) -> None:
    """Play a tournament and show the rating table.

    Every group of bots plays deals of its own, each from every seat. Ctrl-C lets the running matches end; the same
    command, or `arena tournament resume ID`, resumes it. A folder in --bots is only tried out: it stays
    off the ladder, and joins no other tournament by itself, until it is submitted with `arena submit`.

    A fault forfeits the match. With more than two seats it ends only the bot at fault, which is last: the others play
    on, with random moves in its seat.

    \b
    round-robin  everybody against everybody
    gauntlet     the first bot of --bots against all others
    swiss        bots with equal scores meet, round by round; for two seats
    adaptive     who meets is decided by what is not known yet, until the order
                 of the first places is certain; needs about a third of the
                 matches of a round robin, in large fields less

    \b
    --json prints one object, also of a tournament that was stopped:
      id, title, game,     of the tournament, as in `arena tournament list`
      state, excluded
      imported, checksum,  as there; the checksum is that of `arena verify`
      weak_limits
      settings             all that was decided before the first match
      matches, void        played, and to be played again in this run
      stopped_by           null, budget, interrupted or void
      ending               why no more are played, and how to resume
      table, by_role       rows as those of `arena ratings`, and with --by role
      notes                what a reader must know about the table

    \b
    arena tournament --game assassins
    arena tournament --game kingdoms --seats 3 --rounds 1
    arena tournament --game claim --format adaptive --top 3 --confidence 0.95
    arena tournament --game claim --budget 45m
    arena tournament show-config 3 > cup.toml; arena tournament --config cup.toml
    """
    if ctx.invoked_subcommand is not None:
        _refuse_options_before(ctx, ctx.invoked_subcommand)
        return
    if not given["game_name"]:
        raise UsageError("say which game is played: arena tournament --game assassins")
    from arena.cli import played_tournament  # noqa: PLC0415  (a list need not wait for sandboxes and workers)

    played_tournament.start(given)


def _refuse_options_before(ctx: click.Context, command: str) -> None:
    """UsageError for options that the command after them would not hear of, such as the store."""
    typed = [
        parameter.opts[0]
        for parameter in ctx.command.params
        if ctx.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    ]
    if typed:
        raise UsageError(f"write {' and '.join(typed)} after {command}: options before it are ignored")


@tournament.command()
@click.argument("number", metavar="ID", type=Whole(1))
@json_option
@budget_option
@placement_options
@monitoring_options
@db_option
def resume(number: int, **given: Any) -> None:
    """Go on with the tournament of this ID where it stopped.

    --json prints the same as that of `arena tournament`.
    """
    from arena.cli import played_tournament  # noqa: PLC0415  (see `tournament`)

    played_tournament.resume(number, given)


@tournament.command("list")
@click.option("--last", type=Whole(1), default=20, show_default=True, help="How many, the newest at the end.")
@list_options
@db_option
def list_tournaments(last: int, db: str, **form: Any) -> None:
    """Show the latest tournaments and tests in the store.

    `leader` is the first of the table, once most of its bots have met; a `stopped` tournament is resumed with
    `arena tournament resume ID`, or ended with `arena tournament close ID`; an `imported` one counts for no table but
    its own.

    \b
    The columns of --json and --csv:
      id, title, game,         of the tournament
      format, clock
      state                    running, stopped, closed or finished
      excluded                 bots that play no more
      imported, rated          counts for no table but its own; for the ladder
      checksum                 of a closed or finished one, as of `arena verify`
      weak_limits              what was not fully enforced
      begun                    when, in UTC
      bots, matches            how many take part, and are played
      leader, leader_version   the first bot of its table, or null
    """
    store = read_store(db)
    summaries = list(reversed(store.tournament_summaries(limit=last)))
    leaders = leading_bots(store, [summary.entry for summary in summaries]) if summaries else []
    rows = [tournament_row(summary, leader) for summary, leader in zip(summaries, leaders, strict=True)]
    print_table(table_formats.Table(rows, None, lambda: _show_list(rows)), **form)


def _show_list(rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        Console().print(tournament_list(rows))
    else:
        click.echo("no tournaments yet: `arena tournament --game claim` plays one")


def tournament_row(summary: TournamentSummary, leader: BotEntry | None) -> dict[str, Any]:
    """A tournament of the list as plain data."""
    entry = summary.entry
    settings = Settings.of(entry)
    return {
        **plain_tournament(entry),
        "begun": summary.created.isoformat(timespec="seconds"),
        "format": settings.format,
        "bots": len(settings.field),
        "matches": summary.matches,
        "clock": settings.clock,
        "rated": not entry.apart and settings.format != TEST,
        "leader": leader.name if leader else None,
        "leader_version": leader.version if leader else None,
    }


def plain_tournament(entry: TournamentEntry) -> dict[str, Any]:
    """What every command that prints JSON says of a tournament."""
    return {
        "id": entry.id,
        "title": entry.title,
        "game": entry.game,
        "state": entry.state,
        "excluded": sorted(f"{name}@{version}" for name, version, _ in entry.excluded),
        "imported": entry.apart,
        "checksum": entry.checksum or None,
        "weak_limits": list(entry.weak_limits or ()),
    }


def leading_bots(store: Store, entries: Sequence[TournamentEntry]) -> list[BotEntry | None]:
    """The first bot of the table of each of these tournaments."""
    with loading():
        from arena.standings.table import leader_of  # noqa: PLC0415  (help and an empty list need not wait for numpy)

    bots = store.all_bots()
    return [leader_of(store.tallies(Scope(tournament_id=entry.id)), bots) for entry in entries]


def tournament_list(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = narrow_table()
    # There is no room for everything: --json has the clock, too, and the version of the leader.
    middle = "title" if any(row["title"] for row in rows) else "clock"
    for name in ("id", "begun", "game", "format", "bots", "games", middle, "state", "leader"):
        right, folds = name in ("id", "bots", "games"), name in ("title", "leader")
        table.add_column(name, justify="right" if right else "left", overflow="fold", no_wrap=not folds)
    for row in rows:
        facts = (row["id"], row["begun"][:10], row["game"], row["format"], row["bots"], row["matches"], row[middle])
        state = "imported" if row["imported"] else row["state"]
        state += "*" if row["weak_limits"] else ""
        table.add_row(*(cell(str(fact)) for fact in (*facts, state, row["leader"] or "")))
    if any(row["weak_limits"] for row in rows):
        table.caption = "* limits were not fully enforced: `arena ratings --tournament ID` says which"
        table.caption_justify = "left"
    return table


@tournament.command("show-config")
@click.argument("number", metavar="ID", type=Whole(1))
@db_option
def show_config(number: int, db: str) -> None:
    """Print the tournament or test of this ID as a file for --config.

    \b
    arena tournament show-config 3 > cup.toml
    arena tournament --config cup.toml --db another.db
    arena tournament show-config 4 > test.toml
    arena test --config test.toml
    """
    echo(config_text(Settings.of(read_store(db).tournament(number))))


@tournament.command()
@click.argument("number", metavar="ID", type=Whole(1))
@json_option
@db_option
def show(number: int, as_json: bool, db: str) -> None:
    """Show what the tournament of this ID is called, how far it is, and who plays.

    --json prints it as `arena tournament list` does, with bots (name, version, digest, excluded) and settings.
    """
    store = read_store(db)
    entry = store.tournament(number)
    bots = [
        {"name": name, "version": version, "digest": digest, "excluded": (name, version, digest) in entry.excluded}
        for name, version, digest in entry.field
    ]
    if as_json:
        print_json({**plain_tournament(entry), "bots": bots, "settings": dict(entry.settings)})
        return
    played = sum(tally.matches for tally in store.seat_tallies(Scope(tournament_id=number)) if not tally.seat)
    name = f"{entry.title}: " if entry.title else ""
    echo(f"{name}tournament {number} of {entry.game}, {entry.state}, {counted(played, 'match')}")
    for bot in bots:
        echo(f"  {bot['name']}@{bot['version']}{' (excluded)' if bot['excluded'] else ''}")
    echo(f"checksum {entry.checksum}" if entry.checksum else "no checksum yet")


@tournament.command()
@click.argument("number", metavar="ID", type=Whole(1))
@json_option
@db_option
def close(number: int, as_json: bool, db: str) -> None:
    """End the tournament of this ID with what was played, and print its checksum.

    All matches that are kept count, also those of a round that was not completed. Nothing of it changes after that. It
    must not be running: stop it with Ctrl-C. --json prints it as `arena tournament list` does.
    """
    from arena.tournaments import changing  # noqa: PLC0415  (see `tournament`)

    store = open_store(db)
    entry, full, rest = changing.close(store, number)
    beyond = f", and {rest} of a round that is not complete, which count too" if rest else ""
    played = f"{counted(full, 'match')} of full rounds{beyond}"
    _tell(store, number, f"tournament {number} is closed with {played}; checksum {entry.checksum}", as_json=as_json)


def _go_on(store: Store, number: int) -> str:
    return resume_command(number, Settings.of(store.tournament(number)))


def _tell(store: Store, number: int, sentence: str, *, as_json: bool) -> None:
    """Say what was changed, and with --json what the tournament is then."""
    echo(sentence, err=as_json)
    if as_json:
        print_json(plain_tournament(store.tournament(number)))


@tournament.command()
@click.argument("number", metavar="ID", type=Whole(1))
@click.argument("bot", metavar="BOT")
@json_option
@db_option
def add(number: int, bot: str, as_json: bool, db: str) -> None:
    """Let BOT play too in the round robin or gauntlet of this ID.

    Only what is missing is played then: it meets all others with the deals that they have had, and rounds to come have
    it from the beginning. A bot that was excluded comes back in the same way. The tournament must not be running: stop
    it with Ctrl-C, and go on with `arena tournament resume ID`. --json prints it as `arena tournament list` does.
    """
    from arena.tournaments import changing  # noqa: PLC0415  (see `tournament`)

    store = open_store(db)
    entry, played = changing.add(store, number, bot)
    before = f"; the {counted(played, 'match')} that it has played count as before" if played else ""
    said = f"{entry.label} plays in tournament {number}{before}: {_go_on(store, number)}"
    _tell(store, number, said, as_json=as_json)


@tournament.command()
@click.argument("number", metavar="ID", type=Whole(1))
@click.argument("bot", metavar="BOT")
@json_option
@db_option
def exclude(number: int, bot: str, as_json: bool, db: str) -> None:
    """Let BOT play no more in the round robin or gauntlet of this ID.

    What it has not played is dropped. What it has played stays and counts, for it and for the others, and the table
    says that it was excluded. The tournament must not be running: stop it with Ctrl-C, and go on with `arena tournament
    resume ID`. --json prints it as `arena tournament list` does.
    """
    from arena.tournaments import changing  # noqa: PLC0415  (see `tournament`)

    store = open_store(db)
    entry, played = changing.exclude(store, number, bot)
    before = f"the {counted(played, 'match')} that it has played count" if played else "it has played no match"
    said = f"{entry.label} plays no more in tournament {number}; {before}: {_go_on(store, number)}"
    _tell(store, number, said, as_json=as_json)
