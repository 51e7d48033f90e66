"""Matches for tests of the replay page: random play with every time, fault and name that a test wants."""

from itertools import count

from arena.clock import TimeControl
from arena.match import FINE, Contestant, Ending, Fault, MatchRecord, MatchSpec, PlayedMove, Times, Verdict
from arena.referee.faults import result, substitute
from arena.registry import find
from arena.rng import choice, stream
from arena.web.replay_data import read_replay
from arena.web.replay_page import replay_html
from arena.web.viewers import Viewer

NUMBERS = count()
NAMES = ("greedy", "random", "search", "policy")


def random_match(name, *, seats=None, seed=1, options=None, clock="1s/move+10s", names=NAMES):
    """The record of a random game with odd times."""
    game = find(name)
    seats = seats or game.info.min_seats
    config, rng = game.configure(seats, options or {}), stream(seed, "replays")
    state, played = game.start(config, seed), []
    while state.to_move() is not None:
        move = choice(rng, state.legal())
        played.append(PlayedMove(state.to_move(), move, Times(wall=500 + rng.randrange(400_000), cpu=300)))
        state.apply(move)
    contestants = tuple(Contestant(bot, "1", "") for bot in names[:seats])
    spec = MatchSpec(f"m{seed}", name, config, seed, contestants, TimeControl.parse(clock))
    return MatchRecord(spec, game.info.version, tuple(played), (FINE,) * seats, state.outcome())


def page_of(record, folder, *, views=None, viewer=None, **options):
    """The address of the record's page, written to a file in this folder."""
    own = Viewer("test", viewer, "") if viewer else None
    replay = read_replay(find(record.spec.game), record, views, own)
    path = folder / f"{next(NUMBERS)}.html"
    path.write_text(replay_html(replay, **options), encoding="utf-8")
    return path.as_uri()


def played_on(name="kingdoms", *, seats=3, faulty=1, ply=9, seed=1):
    """The record of a random game: one bot crashed at its first turn after so many moves, and the others played on."""
    whole, game = random_match(name, seats=seats, seed=seed), find(name)
    rng, state, played, faults = stream(seed, "rest"), game.start(whole.spec.config, seed), [], ()
    while (seat := state.to_move()) is not None:
        if not faults and seat == faulty and len(played) >= ply:
            faults = (Fault(seat, len(played), Verdict(Ending.CRASH, "it exited with code 3")),)
        gone = bool(faults) and seat == faulty
        move = substitute(seed, len(played), state.legal()) if gone else choice(rng, state.legal())
        played.append(PlayedMove(seat, move, Times() if gone else Times(wall=1000), substituted=gone))
        state.apply(move)
    verdicts = tuple(faults[0].verdict if seat == faulty else FINE for seat in range(seats))
    outcome = result(state.outcome(), [faulty], seats)
    return MatchRecord(whole.spec, game.info.version, tuple(played), verdicts, outcome, faults=faults)
