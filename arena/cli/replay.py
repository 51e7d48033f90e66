"""`arena replay`: watch records and prove them."""

import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import click

from arena import registry
from arena.cli.groups import CommandGroup
from arena.cli.options import json_option, server_option
from arena.cli.output import echo, marked, plain_console, print_json, writing
from arena.cli.replay_viewer import page_through
from arena.cli.store import db_option, read_store
from arena.codec import Json
from arena.errors import RecordError, UsageError
from arena.game import AnyGame
from arena.match import AnyRecord
from arena.referee import record
from arena.referee.outputs import with_outputs_of_moves
from arena.referee.record_files import read_record, read_records
from arena.referee.replay import positions, verify
from arena.store.lookup import find_match
from arena.untrusted.text import json_text, printable
from arena.web.causes import find_causes, last_lines
from arena.web.replay_data import read_replay
from arena.web.replay_page import replay_html

Printed = Mapping[int, str]
"""The last that bots printed, by seat."""
MAX_LEGAL = 12
"""Legal moves that a terminal lists after an illegal one."""
Reader = Callable[[], tuple[AnyGame, AnyRecord]]
RecordFile = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)


class ReplayGroup(CommandGroup):
    """The commands about replays; a record alone is to be shown."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of the first word; UsageError names the one that shows a record if the word is a file."""
        named = args[0] if args else ""
        if named and named not in self.commands and _is_file(named):
            ctx.fail(f"to do what with {named}? `arena replay show {named}` plays it")
        return super().resolve_command(ctx, args)


@click.group(cls=ReplayGroup)
def replay() -> None:
    """Watch the record of a match, or prove that it is true."""


@replay.command("verify")
@click.argument("names", nargs=-1, required=True, metavar="FILE|MATCH_ID...")
@json_option
@db_option
def verify_records(names: Sequence[str], as_json: bool, db: str) -> None:
    """Re-run every match and compare; a changed byte is found.

    Each is the record in a FILE, or the match of this id in the store, as with `arena replay show`. `arena verify`
    proves all that a store says.

    --json prints a list with one object for each: record, true, and game, moves and reason of a true one, or what is
    wrong with the other.
    """
    results: list[dict[str, Any]] = []
    files = read_records([_file(name) for name in names if _is_file(name)])
    stored: Iterator[tuple[Path, Reader]] = (
        (Path(name), partial(_stored_record, name, db)) for name in names if not _is_file(name)
    )
    for path, read in chain(files, stored):
        try:
            game, kept = read()
            verify(game, kept)
        except RecordError as error:
            results.append({"record": str(path), "true": False, "what": str(error)})
            echo(f"{path}: FAILED: {printable(str(error))}", err=True)
        else:
            facts = {"game": kept.spec.game, "moves": len(kept.played), "reason": kept.outcome.reason}
            results.append({"record": str(path), "true": True, **facts})
            words = f"ok ({kept.spec.game}, {len(kept.played)} moves, {printable(kept.outcome.reason)})"
            echo(f"{path}: {words}", err=as_json)
    if as_json:
        print_json(results)
    if broken := sum(not result["true"] for result in results):
        raise RecordError(f"{broken} of {len(names)} records did not verify")


@replay.command("show")
@click.argument("file", metavar="FILE|MATCH_ID")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line: state and move, then the outcome.")
@click.option("--all", "at_once", is_flag=True, help="Print every position without waiting for a key.")
@server_option
@db_option
def show(file: str, as_json: bool, at_once: bool, server: str | None, db: str) -> None:
    """Play a match in the terminal, move by move.

    It is the record in FILE, or the match of this id in the store; the first letters of a MATCH_ID, as `arena history`
    lists it, are enough. Without a terminal everything is printed at once.

    \b
    → ↓ Enter space   the next position     12 Enter   go to move 12
    ← ↑ b             the one before        p          play by itself, or pause
    Home End          the first, the last   + -        faster, slower
    q                 quit

    \b
    arena replay show game.arena
    arena replay show e91e5353
    """
    game, kept, printed = _read(file, db) if server is None else _read_there(file, server)
    if as_json:
        _print_json(game, kept)
    elif at_once or not (sys.stdin.isatty() and sys.stdout.isatty()):
        for page in _pages(game, kept, printed):
            plain_console().print(page, end="\n\n", soft_wrap=True)
    else:
        page_through(plain_console(), _pages(game, kept, printed))


def _read_there(name: str, server: str) -> tuple[AnyGame, AnyRecord, Printed]:
    """The record of a match of the contest there."""
    from arena.cli.server_client import Server  # noqa: PLC0415  (most records are here)

    if not re.fullmatch(r"[1-9][0-9]{0,8}-[0-9a-f]{1,32}", name):
        listed = f"`arena history BOT --server {server}` lists them"
        raise UsageError(f"{name[:60]!r} is not the name of a match there: {listed}")
    with tempfile.NamedTemporaryFile(suffix=".arena") as file:
        file.write(Server(server).fetch(f"/matches/{name}/record"))
        file.flush()
        game, kept = read_record(Path(file.name))
    return game, kept, {}


def _read(text: str, db: str) -> tuple[AnyGame, AnyRecord, Printed]:
    """The record in a file, or else the one of a match in the store, and the last that its bots printed."""
    if not _is_file(text):
        return _stored(text, db)
    game, kept = read_record(_file(text))
    return game, kept, {move.seat: last_lines(move.output) for move in kept.played if move.output}


def _is_file(text: str) -> bool:
    return "/" in text or Path(text).exists()


def _file(text: str) -> Path:
    return RecordFile.convert(text, None, click.get_current_context())


def _stored_record(text: str, db: str) -> tuple[AnyGame, AnyRecord]:
    game, kept, _ = _stored(text, db)
    return game, kept


def _stored(text: str, db: str) -> tuple[AnyGame, AnyRecord, Printed]:
    try:
        store = read_store(db)
        match = store.kept_match(*find_match(store, text))
        kept = record.load(match.record, registry.find)
    except UsageError as error:
        raise UsageError(f"there is no file {text!r}, and {error}") from error
    printed = {number: text for output in match.outputs.values() for number, text in output.by_move.items()}
    last = {seat: last_lines(output.end) for seat, output in match.outputs.items()}
    return registry.find(kept.spec.game), with_outputs_of_moves(kept, printed), last


@replay.command("html")
@click.argument("file", metavar="FILE|MATCH_ID")
@click.option(
    "--out",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write it; FILE with .html, or MATCH_ID.html, if not given.",
)
@click.option("--embed", is_flag=True, help="Without a heading, and for the frames of other pages.")
@click.option("--with-output", is_flag=True, help="With the last that a bot at fault printed.")
@db_option
def html(file: str, out: Path | None, embed: bool, with_output: bool, db: str) -> None:
    """Write a match as one page for the browser.

    It is the record in FILE, or the match of this id in the store, as with `arena replay show`.

    It needs neither network nor server: open it from a folder, send it, or put it on any host. It shows everything or
    what one seat knew, and has a link to every move (game.html#37).

    \b
    arena replay html game.arena -o game.html
    """
    game, kept, printed = _read(file, db)
    verify(game, kept)
    shown = printed if with_output else {}
    write_page(game, kept, out or Path(file).with_suffix(".html"), framed=embed, outputs=shown)


def write_page(
    game: AnyGame, kept: AnyRecord, path: Path, *, framed: bool = False, to_stderr: bool = False,
    outputs: Printed | None = None,
) -> None:  # fmt: skip
    """Write the replay of a match as one page and say so."""
    page = replay_html(read_replay(game, kept), framed=framed, outputs=outputs)
    with writing(path):
        path.write_text(page, encoding="utf-8")
    echo(f"replay: {path}", err=to_stderr)


def cause_lines(game: AnyGame, kept: AnyRecord, printed: Printed) -> Iterator[str]:
    """What was forgiven; and of each bot at fault the illegal move, what was legal, and the last that it printed."""
    for cause in find_causes(game, kept):
        name, legal = printable(kept.names[cause.seat]), cause.legal
        if cause.forgiven:
            yield f"{name} at move {cause.ply + 1}: {cause.sentence}; this was forgiven, and a random move played"
            continue
        if cause.tried:
            yield f"{name} tried at move {cause.ply + 1}: {cause.tried}"
        if legal:
            yield f"legal moves of {name}: {len(legal)}"
            yield from (f"  {words}" for words in legal[:MAX_LEGAL])
        if len(legal) > MAX_LEGAL:
            yield f"  and {len(legal) - MAX_LEGAL} more"
        if output := printed.get(cause.seat):
            yield f"the last that {name} printed:"
            yield from (f"  printed: {text}" for text in output.splitlines())  # no line can be taken for one of ours


def _pages(game: AnyGame, kept: AnyRecord, printed: Printed) -> list[str]:
    """One screen per position, with the move that is about to be played."""
    pages, total = [], len(kept.played)
    names = [marked(f"{bot.name} {bot.version}".strip()) for bot in kept.spec.contestants]
    table = "   ".join(f"seat {seat}: [bold]{name}[/bold]" for seat, name in enumerate(names))
    for number, (state, played) in enumerate(positions(game, kept)):
        if played is None:
            tail = f"[bold]{marked(kept.result)}[/bold]"
            for seat, name in enumerate(names):
                tail += f"\nseat {seat}, {name}: {marked(kept.seat_words(seat))}"
            tail += "".join(f"\n{marked(line)}" for line in cause_lines(game, kept, printed))
        else:
            words = game.describe_move(state, played.move)
            tail = f"[bold]move {number + 1} of {total}, {names[played.seat]}:[/bold] {words}"
            tail += f"  [dim]{played.times.wall / 1000:.1f} ms[/dim]"
            if (why := kept.why_substituted(number)) is not None:
                tail += f"\n  [dim]a random move was played for it:[/dim] {marked(why.sentence)}"
            tail += "".join(f"\n  [dim]printed:[/dim] {marked(line)}" for line in played.output.splitlines())
        pages.append(f"{table}\n\n{game.show(state)}\n\n{tail}")
    return pages


def _print_json(game: AnyGame, kept: AnyRecord) -> None:
    for state, played in positions(game, kept):
        line: Json = {"state": game.codec.state_to_json(state)}
        if played is not None:
            line |= {"seat": played.seat, "move": game.codec.move_to_json(played.move)}
            line |= {"substituted": True} if played.substituted else {}
            line |= {"printed": printable(played.output, lines=True)} if played.output else {}
        else:
            line["outcome"] = asdict(kept.outcome)
            line["verdicts"] = [{"ending": v.ending.name, "sentence": v.sentence} for v in kept.verdicts]
            line["result"] = kept.result
            causes = {cause.seat: cause for cause in find_causes(game, kept) if not cause.forgiven}
            line["faults"] = [
                {"seat": fault.seat, "ply": fault.ply, "tried": causes[fault.seat].tried} for fault in kept.faults
            ]
            line["strikes"] = [
                {"seat": strike.seat, "ply": strike.ply, "sentence": strike.verdict.sentence} for strike in kept.strikes
            ]
        click.echo(json_text(line))
