"""One record of every game with its seal, kept under tests/data: what was sealed once must verify for ever."""

import asyncio
import json
from pathlib import Path

from arena.bots.builtin import FirstBot, RandomBot
from arena.clock import TimeControl
from arena.links.local import LocalLink
from arena.match import Contestant, MatchSpec
from arena.referee import record
from arena.referee.player import Player
from arena.referee.referee import play
from arena.referee.seal import seal
from arena.sdk import Session

CONTROL = TimeControl(per_move=1.0, bank=10.0, increment=0.0)
DATA = Path(__file__).parent.parent / "data"
RECORD, SEALS = "sealed.bin", "seals.json"


def play_one(game, seed=7):
    """A match that is the same every time."""
    config = game.configure(game.info.min_seats, {})
    bots = [RandomBot(seed), *(FirstBot(seed) for _ in range(game.info.min_seats - 1))]
    contestants = tuple(Contestant(type(bot).__name__, "1", "sha256:0") for bot in bots)
    match_id = record.match_id(game, config, seed, contestants)
    spec = MatchSpec(match_id, game.info.name, config, seed, contestants, CONTROL)
    players = [Player(game.codec, LocalLink(Session(game, bot).handle, lambda: 0.0), CONTROL) for bot in bots]
    return asyncio.run(play(game, players, spec))


def write_sealed(game):
    """Write a record with its seal, once: it is never written again as long as the rules stay."""
    folder = DATA / game.info.name
    if (folder / RECORD).exists() and record.read(folder / RECORD, lambda _: game).rules_version == game.info.version:
        return
    played = play_one(game)
    record.save(folder / RECORD, played, game)
    seals = {"2": seal(game, played)}
    (folder / SEALS).write_text(json.dumps(seals, indent=1) + "\n")
