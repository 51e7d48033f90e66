"""`arena bot reproduce`: a played match again, under a debugger."""

import asyncio
from pathlib import Path

import click
from rich.console import Console

from arena.bots.attached import AttachedBot
from arena.bots.builtin import BUILTIN
from arena.bots.launch import program_of
from arena.bots.manifest import Folder, Remote, locate
from arena.bots.running import RemoteBot, RunningBot
from arena.cli.output import marked, plain_console
from arena.cli.params import Whole
from arena.contestant import reproduce as logic
from arena.contestant.reproduce import Comparison, in_words
from arena.errors import BotFault, UsageError
from arena.game import AnyGame
from arena.links.connection import tcp_connect
from arena.match import AnyRecord, Contestant
from arena.referee.record_files import read_record
from arena.sandboxes.base import Limits

FROM_HELP = "Begin at this move of the match, counted from 1 as `arena replay show` does."


@click.command()
@click.argument("file", metavar="RECORD", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--seat", required=True, type=Whole(0), help="The seat whose requests are sent again.")
@click.option("--bot", "name", required=True, metavar="BOT", help="A folder, or grpc://host:port of a bot in your IDE.")
@click.option("--from", "first", type=Whole(1), default=1, show_default=True, help=FROM_HELP)
@click.pass_context
def reproduce(ctx: click.Context, file: Path, seat: int, name: str, first: int) -> None:
    """Send a played match's requests to a bot again, and show where it now answers differently.

    There is no clock, and the bot in a folder runs as a plain process of yours with this terminal, outside of any
    sandbox: breakpoint() works. The game continues as recorded, whatever the bot answers.

    \b
    arena bot reproduce game.arena --seat 0 --bot my_bot --from 17
    """
    game, kept = read_record(file)
    ctx.exit(asyncio.run(_run(game, kept, seat, _make_bot(name), first)))


def _make_bot(name: str) -> RunningBot:
    match locate(name, BUILTIN):
        case Folder() as folder:
            return AttachedBot(Contestant(folder.manifest.name), program_of(folder))
        case Remote(host, port):
            return RemoteBot(Contestant(name), tcp_connect(host, port), Limits().start_s)
    raise UsageError(f"{name} cannot be debugged: give a folder, or grpc://host:port of a bot that you started")


async def _run(game: AnyGame, kept: AnyRecord, seat: int, bot: RunningBot, first: int) -> int:
    """Compare and print move by move; the exit code is 1 if the bot did not answer everything."""
    console, done = plain_console(), list[Comparison]()
    broken = ""
    try:
        await bot.start()
        link = await bot.open_match(game.codec)
        async for comparison in logic.reproduce(game, kept, seat, link, first=first):
            done.append(comparison)
            _show(console, game, comparison)
        await link.close()
    except BotFault as fault:
        broken = str(fault)
    finally:
        await bot.close()
    _summarise(console, done, broken)
    return 1 if broken or any(comparison.fault for comparison in done) else 0


def _show(console: Console, game: AnyGame, comparison: Comparison) -> None:
    request = comparison.request
    then = " · ".join(in_words(game, request.state, request.recorded))
    head = f"move {request.move:3}"
    if comparison.same:
        console.print(f"[dim]{head}  =[/dim] {then}", soft_wrap=True)
        return
    now = marked(comparison.fault) if comparison.fault else " · ".join(in_words(game, request.state, comparison.moves))
    before = " · ".join(filter(None, (then, marked(request.note))))
    console.print(f"{head}  [bold yellow]≠[/bold yellow] then: {before}\n            now:  {now}", soft_wrap=True)


def _summarise(console: Console, done: list[Comparison], broken: str) -> None:
    different = [comparison for comparison in done if not comparison.same]
    where = f", first at move {different[0].request.move}" if different else ""
    console.print(
        f"{len(done)} decisions: {len(done) - len(different)} as recorded, {len(different)} differently{where}"
    )
    if broken:
        console.print(f"[red]Then the bot failed:[/red] {marked(broken)}", soft_wrap=True)
