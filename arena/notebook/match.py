"""`arena.play`: one match in this process, as an object that shows itself in a terminal and in a notebook."""

import asyncio
import gc
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html import escape
from io import StringIO
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from rich.console import Console
from rich.markup import escape as plain

from arena import registry
from arena.bots.in_process import BotLike, InProcessBot, OpenSession, resolve_bot
from arena.bots.running import UNHELD
from arena.clock import DEFAULT_CLOCK, TimeControl
from arena.errors import UsageError
from arena.game import AnyGame, AnyState
from arena.links.local import LocalLink
from arena.match import AnyRecord, Contestant, MatchSpec, Outcome, PlayedMove
from arena.referee import record as records
from arena.referee import referee, replay
from arena.referee.player import Player
from arena.rng import draw_seed
from arena.web.replay_data import read_replay
from arena.web.replay_page import replay_html

UNSANDBOXED = "played in this process, without a sandbox"
FRAME_HEIGHT = 640
"""Pixels of a replay in a notebook."""

T = TypeVar("T")


class Match:
    """A match that was played; the last line of a notebook's cell shows it."""

    def __init__(self, game: AnyGame, record: AnyRecord) -> None:
        self.game = game
        self.record = record

    @property
    def outcome(self) -> Outcome:
        """Ranks and scores per seat, and why the game ended."""
        return self.record.outcome

    @property
    def bots(self) -> tuple[str, ...]:
        return tuple(bot.name for bot in self.record.spec.contestants)

    @property
    def winners(self) -> tuple[str, ...]:
        """The names of those on the first place."""
        return tuple(name for name, rank in zip(self.bots, self.outcome.ranks) if rank == 1)

    @property
    def seed(self) -> int:
        """The seed of the deal: the same seed deals the same game again."""
        return self.record.spec.seed

    def positions(self) -> Iterator[tuple[AnyState, PlayedMove[Any] | None]]:
        """A copy of every position with the move that was played in it; the last one has None."""
        for state, played in replay.positions(self.game, self.record):
            yield state.clone(), played

    def moves(self) -> list[str]:
        """What happened, a line per move."""
        return [
            _text(self.game.describe_move(state, played.move))
            for state, played in replay.positions(self.game, self.record)
            if played is not None
        ]

    def save(self, path: str | Path) -> Path:
        """Write the record for `arena replay`."""
        records.save(Path(path), self.record, self.game)
        return Path(path)

    def _markup(self) -> str:
        *_, (last, _) = replay.positions(self.game, self.record)
        lines = [f"[bold]{self.game.info.title}, seed {self.seed}: {plain(self.record.result)}[/bold]"]
        for seat, name in enumerate(self.bots):
            placed = f"rank {self.outcome.ranks[seat]}, score {self.outcome.scores[seat]:g}"
            lines.append(f"seat {seat}  {plain(name)}: {placed}, {plain(self.record.seat_words(seat))}")
        return "\n".join([*lines, f"({UNSANDBOXED}; {len(self.record.played)} moves)", "", self.game.show(last)])

    def __repr__(self) -> str:
        return _text(self._markup())

    def _repr_html_(self) -> str:
        page = replay_html(read_replay(self.game, self.record), framed=True)
        frame = f'sandbox="allow-scripts" width="100%" height="{FRAME_HEIGHT}" style="border:0"'
        return f'<iframe {frame} srcdoc="{escape(page)}"></iframe><p>{UNSANDBOXED}</p>'


def play(
    game: str,
    bots: Sequence[BotLike],
    *,
    seed: int | None = None,
    options: Mapping[str, str] | None = None,
    clock: str = DEFAULT_CLOCK,
) -> Match:
    """Play one match in this process, WITHOUT a sandbox: a function, a Bot, or the name of a bot for every seat.

    A bot's exception is raised here; an illegal or late move loses, as it would with the referee, but a late function
    cannot be interrupted.
    """
    rules = registry.find(game)
    chosen = [resolve_bot(rules, bot) for bot in bots]
    return play_seated(rules, chosen, draw_seed() if seed is None else seed, options or {}, TimeControl.parse(clock))


def play_seated(
    game: AnyGame, seated: Sequence[InProcessBot], seed: int, options: Mapping[str, str], clock: TimeControl
) -> Match:
    """One match between these bots, in seat order."""
    game.info.check_seats(len(seated))
    config = game.configure(len(seated), dict(options))
    contestants = tuple(Contestant(bot.name) for bot in seated)
    match_id = records.match_id(game, config, seed, contestants)
    spec = MatchSpec(match_id, game.info.name, config, seed, contestants, clock)
    sessions = [OpenSession(game, bot.make(seed)) for bot in seated]
    collecting = gc.isenabled()
    try:
        record = _run(_play(game, spec, sessions))
    finally:
        if collecting:  # a bot with a process of its own may switch it off
            gc.enable()
    for session in sessions:
        if session.failure is not None:
            raise session.failure
    if record.void:
        raise UsageError(f"the match does not count: {record.verdicts[0].sentence}")
    return Match(game, record)


async def _play(game: AnyGame, spec: MatchSpec[Any], sessions: Sequence[OpenSession]) -> AnyRecord:
    links = [LocalLink(session.handle, monotonic) for session in sessions]
    players = [Player(game.codec, link, spec.control) for link in links]
    record = await referee.play(game, players, spec)
    # It says like any other record what held the bots: here nothing.
    return replace(record, sandboxes=(UNHELD,) * len(sessions))


def _run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run it here, or in a thread where a loop runs already, as in a notebook."""
    if not _is_loop_running():
        return asyncio.run(coroutine)  # not while an error is handled, which a bot's own would then seem to follow
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _text(markup: str) -> str:
    console = Console(file=StringIO(), width=100)
    console.print(markup, highlight=False)
    text = console.file.getvalue()  # type: ignore[attr-defined]  # the file that was given above
    return str(text).rstrip("\n")
