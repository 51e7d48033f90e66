"""What a seat can work out in RRR: a full position drawn at random among those it cannot tell apart."""

from random import Random

from arena.errors import BadMessage
from arena.rng import choice, shuffle
from engines.rrr.moves import Pick
from engines.rrr.rules import PACKET, PER_ROUND, Event, Observation, Phase, RrrState, Setup
from engines.rrr.supply import windows
from engines.rrr.table import Row
from engines.rrr.tiles import NEUTRALS, NO_TILE, Tile

MOST_TRIES = 1000


def imagine(seen: Observation, rng: Random) -> RrrState:
    """Draw the unseen tiles anew: every position that fits all that was observed is equally likely."""
    for _ in range(MOST_TRIES):
        state = _position(seen, rng)
        # The mover has a tile to place, or the round would be over: a hidden Tower without an ally is refuted.
        if state.phase is not Phase.PLACE or state.table.can_place(state.mover or 0):
            return state
    raise BadMessage("the opponent is to move, but can have no tile")


def _position(seen: Observation, rng: Random) -> RrrState:
    state = RrrState.empty(seen.config)
    state.phase, state.mover = seen.phase, seen.mover
    state.round, state.first, state.placements, state.score = seen.round, seen.first, seen.placements, seen.score
    state.picks = seen.picks
    state.draws, state.drawn = complete_draws(seen, rng), len(seen.draws)
    now = max(0, state.drawn - PER_ROUND[seen.config.setup])
    never_seen = tuple(n for n, tile in enumerate(seen.draws[:now]) if tile == NO_TILE)
    state.unseen = (never_seen, seen.unseen) if seen.seat == 0 else (seen.unseen, never_seen)
    state.table = seen.table.clone()
    state.table.hidden[1 - seen.seat] = _opponent_row(seen, state.draws[now : state.drawn], rng)
    state.offer = _offer(seen, state.draws[now : state.drawn])
    state.log = seen.earlier or _with_picks(seen.events, state.table.hidden[1 - seen.seat])
    return state


# -- draws ----------------------------------------------------------------------------------------------


def complete_draws(seen: Observation, rng: Random) -> Row:
    """All draws of the match: the seen ones as they were, the others uniform among all orders that fit them."""
    per_round = PER_ROUND[seen.config.setup]
    if not per_round:
        return seen.draws
    total = max(len(seen.draws), per_round * seen.config.most_rounds)
    order = [*seen.draws, *(NO_TILE,) * (total - len(seen.draws))]
    stretches = list(windows(per_round, total))
    ways = _ways(order, stretches)
    for stretch, following in zip(stretches, [*ways[1:], {}]):
        _fix_last(order, stretch, following, rng)
        _fill(order, stretch, rng)
    return tuple(order)


def _ways(order: list[Tile], stretches: list[range]) -> list[dict[Tile, int]]:
    """For each stretch: how many fillings, up to a factor, it and those after it have with each tile as its first draw.

    Stretches share the draws in which they overlap. In the secret set-ups that is one tile, which a seat may not have
    seen although it has seen later ones. In the others no draw is unseen before a seen one, so all ways are equal.
    """
    ways: list[dict[Tile, int]] = []
    after: dict[Tile, int] = {}
    for stretch, following in zip(reversed(stretches), [None, *reversed(stretches[1:])]):
        taken = {order[place] for place in stretch[1:]}
        if following is None or stretch.stop - following.start != 1:
            after = {tile: int(tile not in taken) for tile in NEUTRALS}
        else:
            last = order[following.start]
            options = {tile: after[tile] for tile in NEUTRALS if tile == last or (not last and tile not in taken)}
            total = sum(options.values())
            after = {tile: 0 if tile in taken else total - options.get(tile, 0) for tile in NEUTRALS}
        ways.insert(0, after)
    return ways


def _fix_last(order: list[Tile], stretch: range, ways: dict[Tile, int], rng: Random) -> None:
    """Draw the tile that the stretch shares with the next one, as often as the next one has ways to begin with it."""
    if order[stretch[-1]] or not ways:
        return
    taken = {order[place] for place in stretch}
    options = [tile for tile in NEUTRALS if tile not in taken and ways[tile]]
    point = rng.random() * sum(ways[tile] for tile in options)
    for tile in options:
        order[stretch[-1]] = tile
        point -= ways[tile]
        if point < 0:
            return


def _fill(order: list[Tile], stretch: range, rng: Random) -> None:
    known = [order[place] for place in stretch if order[place]]
    pool = [tile for tile in NEUTRALS if tile not in known]
    if len(pool) + len(known) != len(NEUTRALS):
        raise BadMessage("the draws of the observation cannot be")
    shuffle(rng, pool)
    rest = iter(pool)
    for place in stretch:
        order[place] = order[place] or next(rest)


# -- secret set-ups -------------------------------------------------------------------------------------


def _opponent_row(seen: Observation, drawn: Row, rng: Random) -> Row:
    """The opponent's hidden tiles in the order in which he got them."""
    count = len(seen.table.hidden[1 - seen.seat])
    unseen = tuple(tile for tile, known in zip(drawn, seen.draws[-len(drawn) :]) if not known)
    row = _drafted(seen, drawn, unseen, count, rng) if seen.config.setup is Setup.SECRET_DRAFT else unseen
    if len(row) != count:
        raise BadMessage("the opponent cannot have that many hidden tiles")
    return row


def _drafted(seen: Observation, drawn: Row, unseen: Row, count: int, rng: Random) -> Row:
    """One tile that the opponent kept of the packet that he opened, and one of those that this seat passed to him."""
    packets = (drawn[:PACKET], drawn[PACKET:])
    opens_second = seen.first == seen.seat
    # The whole packet is unseen until he passes it on, and none of it when he has shown what he kept.
    kept = tuple(tile for tile in packets[opens_second] if tile in unseen)
    kept = kept if len(kept) == 1 else ()
    if count <= len(kept):
        return kept
    passed = (choice(rng, _not_on_table(seen, packets[not opens_second])),)
    return passed + kept if opens_second else kept + passed


def _not_on_table(seen: Observation, packet: Row) -> Row:
    """What this seat passed on, if the opponent has shown none of it: all of its packet that lies nowhere."""
    table = seen.table
    rows = (table.board, (table.covered,), *table.areas, table.hidden[seen.seat], table.discard, table.banished)
    known = {tile for row in rows for tile in row}
    rest = tuple(tile for tile in packet if tile not in known)
    if not rest:
        raise BadMessage("the opponent cannot have kept a tile")
    return rest


def _with_picks(events: tuple[Event, ...], row: Row) -> tuple[Event, ...]:
    """The opponent's moves with the imagined tiles in the place of secret picks, which are the latest in his row."""
    secret = [place for place, (_, move) in enumerate(events) if move == Pick(NO_TILE) and type(move) is Pick]
    if not secret:
        return events
    if len(secret) > len(row):
        raise BadMessage("the opponent has not so many hidden tiles as he picked")
    picked = dict(zip(secret, row[-len(secret) :]))
    return tuple((seat, Pick(picked[at]) if at in picked else move) for at, (seat, move) in enumerate(events))


def _offer(seen: Observation, drawn: Row) -> Row:
    """The tiles to pick from; in a secret draft the seat that does not pick them may have passed them on."""
    if seen.config.setup is not Setup.SECRET_DRAFT or seen.offer or not seen.offer_size:
        return seen.offer
    packet = drawn[:PACKET] if seen.picks < 2 else drawn[PACKET:]
    return tuple(tile for tile in packet if tile not in seen.table.hidden[seen.seat])
