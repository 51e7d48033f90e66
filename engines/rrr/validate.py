"""Which positions of RRR can be: tiles in one place each, draws and secrets of the set-up, a decision to make.

A position may lack tiles and draws, so that a few tiles make a puzzle; what is there must fit.
"""

from arena.codec import require
from arena.rng import stream
from engines.rrr.determinize import imagine
from engines.rrr.moves import Move, NameFirst, Pick, Place
from engines.rrr.rules import (
    DRAFT_ORDER,
    MOST_PLACEMENTS,
    PER_ROUND,
    ROUNDS_TO_WIN,
    SECRET_DRAFT_ORDER,
    Observation,
    Phase,
    RrrState,
    Setup,
    Victory,
)
from engines.rrr.supply import windows
from engines.rrr.table import Row, Table
from engines.rrr.tiles import NO_TILE, SPACES, TILES

SECRET_SETUPS = (Setup.SECRET_RANDOM, Setup.SECRET_DRAFT)
HIDDEN_ROW = 2
"""No seat ever has more hidden tiles."""
# How many tiles are on offer at each pick.
OFFER_SIZES = {Setup.DRAFT: (5, 4, 3), Setup.SECRET_DRAFT: (4, 3, 4, 3)}
PICK_ORDERS = {Setup.DRAFT: DRAFT_ORDER, Setup.SECRET_DRAFT: SECRET_DRAFT_ORDER}


def require_state(state: RrrState) -> None:
    """Refuse a position that no match can come to."""
    _require_tiles_once(state.table, state.offer)
    _require_score(state)
    _require_draws(state)
    _require_secrets(state)
    _require_decision(state)
    require(all(_can_be(move) for _, move in state.log), "the events have no such move")


def require_observation(seen: Observation) -> None:
    """Refuse what a seat can see in no position: one that is imagined must be possible and look like this."""
    _require_tiles_once(seen.table, seen.offer)
    require(not (seen.events and seen.earlier), "the latest moves were made by one seat")
    state = imagine(seen, stream(0, "possible"))
    require_state(state)
    require(state.view(seen.seat) == seen, "no position looks like this to that seat")


def _require_tiles_once(table: Table, offer: Row) -> None:
    known = [tile for rows in (table.areas, table.hidden) for row in rows for tile in row]
    known += (*table.board, table.covered, *table.zone, *table.discard, *table.banished, *offer)
    placed = [tile for tile in known if tile != NO_TILE]
    require(len(placed) == len(set(placed)), "a tile cannot be in two places")


def _require_score(state: RrrState) -> None:
    over, best = state.phase is Phase.OVER, max(state.score)
    finished = state.round - (state.phase in (Phase.PICK, Phase.PLACE))
    require(1 <= state.round <= state.config.most_rounds, "the match has no such round")
    if state.config.victory is Victory.ROUNDS:
        require(sum(state.score) == finished, "every finished round was won by a seat")
        require((best == ROUNDS_TO_WIN) == over, "two rounds win the match")
    else:
        require(sum(state.score) <= len(SPACES) * finished, "a round has nine points at most")
        require(not over or state.round == state.config.rounds, "the match has more rounds")


def _require_draws(state: RrrState) -> None:
    per_round = PER_ROUND[state.config.setup]
    require(state.drawn <= per_round * state.round, "more was drawn than the rounds need")
    require(not per_round or state.drawn % per_round == 0, "every round draws the same number of tiles")
    require(len(state.draws) <= per_round * state.config.most_rounds, "there are more draws than rounds need")
    for stretch in windows(per_round, len(state.draws)) if per_round else ():
        drawn = [state.draws[place] for place in stretch]
        require(len(set(drawn)) == len(drawn), "a tile was drawn twice from one supply")


def _require_secrets(state: RrrState) -> None:
    hidden, per_round = state.table.hidden, PER_ROUND[state.config.setup]
    begin = max(0, state.drawn - per_round)
    drawn = state.draws[begin : state.drawn]
    secret = state.config.setup in SECRET_SETUPS
    require(secret or not any((*hidden, *state.unseen)), "only secret set-ups hide tiles")
    require(all(tile in drawn for row in hidden for tile in row), "hidden tiles are draws of this round")
    require(max(map(len, hidden)) <= HIDDEN_ROW, "the hidden row is too long")
    for unseen in state.unseen:
        require(all(place < begin for place in unseen), "the unseen draws are those of past rounds")
        require(sorted(set(unseen)) == list(unseen), "the unseen draws are in order")
    if state.config.setup is Setup.SECRET_DRAFT:
        require(all(tile in drawn for tile in state.offer), "the offer is of this round's draws")


def _require_decision(state: RrrState) -> None:
    seat, table = state.mover, state.table
    require(state.placements <= MOST_PLACEMENTS, "the round is over after 60 placements")
    if state.phase is Phase.PICK:
        _require_draft(state)
        return
    require(not state.offer and not state.picks, "there is no draft now")
    if seat is not None and state.phase is Phase.PLACE:
        require(state.placements < MOST_PLACEMENTS, "the round is over after 60 placements")
        require(not table.down[seat], "the mover has already discarded what it destroyed")
        require(table.free() and table.can_place(seat), "the mover must be able to place a tile")


def _require_draft(state: RrrState) -> None:
    setup = state.config.setup
    require(setup in PICK_ORDERS, "this set-up has no draft")
    require(not state.placements, "the draft comes before the first tile")
    require(state.picks < len(PICK_ORDERS[setup]), "the draft has no more picks")
    require(len(state.offer) == OFFER_SIZES[setup][state.picks], "the offer has another size")
    require(state.mover == state.first ^ PICK_ORDERS[setup][state.picks], "the other seat picks")


def _can_be(move: Move) -> bool:
    """True if the move names tiles and spaces that exist."""
    match move:
        case Place(tile, space, woken, _):
            return tile in TILES and all(at in SPACES for at in (space, *woken))
        case Pick(tile):
            return tile in TILES
        case NameFirst(seat):
            return seat in (0, 1)
