"""A store with matches of every game, played in this process in a moment, by bots whose names attack pages."""

import math

from arena import registry
from arena.clock import TimeControl
from arena.match import FINE, Ending, Fault, MatchRecord, MatchSpec, PlayedMove, Times, Verdict
from arena.referee import record
from arena.referee.faults import plays_on, result, substitute
from arena.rng import stream
from arena.store.base import KeptMatch, Output
from arena.store.checksums import match_checksum
from arena.store.sql import Store
from arena.tournaments.formats import schedule_of
from arena.tournaments.settings import Settings
from arena.workers.match_rows import match_entry

NAMES = ("<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "\u202eevil\u2066{{7*7}}", "a" * 40, "plain")
SENTENCE = "its process <b>ended</b> with </script><script>alert(3)</script> \x1b[31m"
LOG = "</pre><script>alert(4)</script>\n"


def make_store(path, *, rounds=1, games=None, names=NAMES):
    """The store, with a tournament of every game, the last of them not finished; some matches end by a fault."""
    store = Store(path)
    bots = [
        store.add_bot(
            name=name, version=version, owner="<i>owner</i>", digest=f"{number}{version}", origin="/x",
            games=list(registry.games()),
        )
        for number, name in enumerate(names)
        for version in (("1", "2") if number == 4 else ("1",))
    ]  # fmt: skip
    chosen = list(games or registry.games())
    for name in chosen:
        for count in {2, registry.find(name).info.max_seats}:
            play_tournament(store, name, bots, count, rounds, missing=4 if name == chosen[-1] else 0)
    return store


def play_tournament(store, name, bots, seats, rounds, *, missing=0):
    """Play all matches of a tournament but the last few, which leave it unfinished."""
    game = registry.find(name)
    settings = Settings(
        game=name, options=game.info.choose({}), seats=seats, format="round-robin", rounds=rounds, seed=11,
        clock="1s/move", strikes=0, sandbox="bubblewrap", memory_bytes=1 << 29, cpus=1.0, ponder=False, fresh=False,
        bots=tuple((bot.name, bot.version, bot.digest) for bot in bots),
    )  # fmt: skip
    entry = store.begin_tournament(name, settings.to_json())
    ordinal, matches = 0, []
    for batch in schedule_of(settings).rounds([]):
        for fixture in batch:
            field = [bots[place] for place in fixture.seating]
            kept = play(game, seats, field, fixture, fault=ordinal % 9 == 8)
            row = match_entry(
                game, kept, tournament_id=entry.id, ordinal=ordinal, places=fixture.seating,
                bot_ids=[bot.id for bot in field],
            )  # fmt: skip
            data = record.dump(kept, game)
            matches.append(KeptMatch(row, data, match_checksum(row, data), dict.fromkeys(range(seats), Output(LOG))))
            ordinal += 1
    store.add_matches(entry.id, matches[: len(matches) - missing])
    if not missing:
        store.finish_tournament(entry.id)
    return entry


def play(game, seats, field, fixture, *, fault=False):
    """A whole game of players that choose at random, with times that were never measured."""
    config = game.configure(seats, game.info.choose({}))
    seed = 1000 * fixture.deal + math.prod(place + 2 for place in fixture.group) % 997
    rng = stream(seed, "moves", *(bot.id for bot in field))
    state, played, faults = game.start(config, seed), [], ()
    while (seat := state.to_move()) is not None:
        legal = state.legal()
        if fault and len(played) == 12:
            faults = (Fault(seat, 12, Verdict(Ending.CRASH, SENTENCE)),)
        faulty = [found.seat for found in faults]
        if not plays_on(faulty, seats):
            break
        if seat in faulty:
            played.append(PlayedMove(seat, substitute(seed, len(played), legal), substituted=True))
            state.apply(played[-1].move)
            continue
        # A player with a higher number looks for a good move by trying some to the end.
        move = max((legal[int(rng.random() * len(legal))] for _ in range(field[seat].id)), key=str)
        times = Times(wall=int(900 + rng.random() * 40_000 * field[seat].id), charged=900, cpu=700)
        played.append(PlayedMove(seat, move, times))
        state.apply(move)
    contestants = tuple(bot.contestant for bot in field)
    name = record.match_id(game, config, seed, contestants)
    spec = MatchSpec(name, game.info.name, config, seed, contestants, TimeControl.parse("1s/move"))
    verdicts = {found.seat: found.verdict for found in faults}
    verdicts = tuple(verdicts.get(seat, FINE) for seat in range(seats))
    outcome = result(state.outcome(), [found.seat for found in faults], seats) if faults else state.outcome()
    return MatchRecord(spec, game.info.version, tuple(played), verdicts, outcome, faults=faults)
