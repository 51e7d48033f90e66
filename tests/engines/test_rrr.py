"""Properties of RRR that hold in every game, and what a seat may and may not know in it."""

import math
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadMessage, IllegalMove
from arena.rng import choice, shuffle, stream
from engines.rrr.determinize import complete_draws
from engines.rrr.game import GAME
from engines.rrr.moves import NameFirst, Pick, Place
from engines.rrr.rules import PACKET, PER_ROUND, Config, Phase, RrrState, Setup, Victory
from engines.rrr.supply import windows
from engines.rrr.tiles import CITIZEN, NAMES, NEUTRALS, NO_TILE, SIDE_TILES, TOWER

SECRET = (Setup.SECRET_RANDOM, Setup.SECRET_DRAFT)
codec = GAME.codec

seeds = st.integers(0, 2**64 - 1)
seats = st.sampled_from((0, 1))
lengths = st.integers(0, 120)
configs = st.builds(Config, st.sampled_from(Setup), st.sampled_from(Victory), st.sampled_from((1, 3, 5)), seats)
secret_configs = st.builds(Config, st.sampled_from(SECRET), st.sampled_from(Victory), st.sampled_from((1, 3, 5)), seats)


def position(config, seed, moves):
    """The position after this many random moves, or at the end."""
    *_, state = positions(config, seed, moves)
    return state


def positions(config, seed, moves=1000):
    rng, state = stream(seed, "test"), GAME.start(config, seed)
    yield state
    for _ in range(moves):
        if state.to_move() is None:
            return
        state.apply(choice(rng, state.legal()))
        yield state


def tiles_of(state):
    table = state.table
    rows = (table.board, (table.covered,), *table.areas, *table.hidden, table.zone, table.discard, table.banished)
    return Counter(tile for row in (*rows, state.offer) for tile in row if tile != NO_TILE)


def expected_neutrals(state):
    """The neutral tiles of the round that are not out of it by a secret draft, and how many these are."""
    drawn = state.draws[state.drawn - PER_ROUND[state.config.setup] : state.drawn]
    if state.config.setup is not Setup.SECRET_DRAFT:
        return drawn, len(drawn)
    picks = state.picks if state.phase is Phase.PICK else 4
    return drawn, (4, 4, 6, 6, 4)[picks]


def assert_whole(state):
    tiles = tiles_of(state)
    neutrals, count = expected_neutrals(state)
    assert max(tiles.values()) == 1
    assert {*SIDE_TILES[0], *SIDE_TILES[1], CITIZEN} <= tiles.keys()
    assert len(tiles) == 15 + count
    assert {tile for tile in tiles if tile in NEUTRALS} <= set(neutrals)


# -- the game -------------------------------------------------------------------------------------------


@given(configs, seeds, lengths)
def test_no_tile_is_lost_or_doubled(config, seed, moves):
    assert_whole(position(config, seed, moves))


@given(configs, seeds, lengths)
def test_the_masks_of_the_board_fit_its_tiles(config, seed, moves):
    table = position(config, seed, moves).table
    down = table.down[0] | table.down[1]
    assert not table.up & down
    assert not table.down[0] & table.down[1]
    assert [bool((table.up | down) >> space & 1) for space in range(9)] == [tile != NO_TILE for tile in table.board]
    assert bool(table.covered) <= (TOWER in table.board)
    assert not table.facing & ~(table.up | down)


@given(configs, seeds)
def test_a_match_ends_as_its_victory_condition_says(config, seed):
    rounds = {state.round for state in positions(config, seed)}
    last = position(config, seed, 1000)
    assert last.phase is Phase.OVER
    if config.victory is Victory.POINTS:
        assert len(rounds) == config.rounds
        assert max(last.score) <= 9 * config.rounds
    else:
        assert max(last.score) == 2
        assert sum(last.score) == len(rounds)


@given(configs, seeds)
def test_rounds_are_short_and_never_change_hands_without_reason(config, seed):
    before = None
    for state in map(RrrState.clone, positions(config, seed)):
        assert state.placements <= 60
        if state.phase is Phase.PLACE:
            assert state.table.free()
            assert not state.table.down[state.mover]
            if before is not None and before.phase is Phase.PLACE and before.table.free().bit_count() > 2:
                assert state.mover != before.mover
        before = state


@given(configs, seeds, lengths)
def test_every_legal_move_is_listed_once_and_changes_something(config, seed, moves):
    state = position(config, seed, moves)
    legal = state.legal()
    assert len(set(legal)) == len(legal)
    unused = {codec.dump_state(_after(state, move)) for move in legal if isinstance(move, Place) and move.choice < 0}
    for move in legal[:: max(1, len(legal) // 8)]:
        if isinstance(move, Place) and move.choice >= 0:
            assert codec.dump_state(_after(state, move)) not in unused


def _after(state, move):
    twin = state.clone()
    twin.apply(move)
    twin.log = ()
    return twin


@pytest.mark.parametrize(
    "stranger",
    [None, 7, (), (15, 4), Place(CITIZEN, 9), Place(0, 0), Place(CITIZEN, 4, (4,)), Place(CITIZEN, 4, (), 0), Pick(15)],
)
def test_garbage_is_illegal(stranger):
    state = GAME.start(Config(), 1)
    before = codec.dump_state(state)
    with pytest.raises(IllegalMove):
        state.apply(stranger)
    assert codec.dump_state(state) == before


def test_moves_of_different_kinds_are_never_confused():
    state = position(Config(Setup.FIRST_GAME), 1, 0)
    while state.phase is not Phase.NAME:
        state.apply(choice(stream(state.placements, "any"), state.legal()))
    assert Pick(1) == NameFirst(1)
    with pytest.raises(IllegalMove):
        state.apply(Pick(1))


# -- the supply -----------------------------------------------------------------------------------------


@given(st.sampled_from([setup for setup in Setup if PER_ROUND[setup]]), seeds)
def test_no_neutral_tile_comes_back_while_the_supply_lasts(setup, seed):
    """Draw round by round from a supply that takes back the tiles of earlier rounds only when it is empty."""
    per_round = PER_ROUND[setup]
    draws = GAME.start(Config(setup, Victory.POINTS, 9), seed).draws
    assert len(draws) == 9 * per_round
    supply, used = set(NEUTRALS), set()
    for begin in range(0, len(draws), per_round):
        now = draws[begin : begin + per_round]
        for tile in now:
            if not supply:
                supply, used = used, set()
            assert tile in supply
            supply.remove(tile)
        used |= set(now)


@given(st.sampled_from((4, 5, 8)), st.integers(1, 9))
def test_windows_cover_all_draws(per_round, rounds):
    stretches = list(windows(per_round, per_round * rounds))
    assert {place for stretch in stretches for place in stretch} == set(range(per_round * rounds))
    assert all(len(stretch) == 17 for stretch in stretches[:-1])


# -- secrets --------------------------------------------------------------------------------------------


def names_in(value):
    """Every tile that is named anywhere in a piece of JSON."""
    if isinstance(value, dict):
        return {name for part in value.values() for name in names_in(part)}
    if isinstance(value, list):
        return {name for part in value for name in names_in(part)}
    return {value} if isinstance(value, str) and value.startswith("RRR_TILE_") else set()


def wire_name(tile):
    return "RRR_TILE_" + NAMES[tile].upper()


def view_bytes(state, seat):
    return codec.dump_observation(state.view(seat))


@given(configs, seeds, lengths, seats)
def test_draws_to_come_never_reach_the_wire(config, seed, moves, seat):
    state = position(config, seed, moves)
    before = view_bytes(state, seat)
    future = list(state.draws[state.drawn :])
    shuffle(stream(seed, "swap"), future)
    state.draws = (*state.draws[: state.drawn], *future)
    assert view_bytes(state, seat) == before


@given(secret_configs, seeds, lengths, seats)
def test_hidden_tiles_never_reach_the_wire(config, seed, moves, seat):
    """Put other tiles in the place of all that the seat has not seen: the bytes of the view stay the same."""
    state = position(config, seed, moves)
    before = view_bytes(state, seat)
    unseen = {*state.unseen[seat], *state.unseen_now(seat)}
    # Any renaming will do, as long as no two tiles of the round become one.
    known = {tile for place, tile in enumerate(state.draws[: state.drawn]) if place not in unseen}
    secret = sorted({state.draws[place] for place in unseen} - known)
    spare = sorted(set(NEUTRALS) - known)
    shuffle(stream(seed, "swap"), spare)
    renamed = dict(zip(secret, spare))
    state.draws = tuple(renamed.get(tile, tile) if place in unseen else tile for place, tile in enumerate(state.draws))
    state.table.hidden[1 - seat] = tuple(renamed.get(tile, tile) for tile in state.table.hidden[1 - seat])
    if state.mover != seat:
        state.offer = tuple(renamed.get(tile, tile) for tile in state.offer)
    assert view_bytes(state, seat) == before


@given(st.builds(Config, st.just(Setup.SECRET_DRAFT), st.sampled_from(Victory)), seeds, lengths, seats)
def test_what_the_opponent_kept_of_a_passed_packet_never_reaches_the_wire(config, seed, moves, seat):
    state = position(config, seed, moves)
    hidden = state.table.hidden[1 - seat]
    begin = state.drawn - 2 * PACKET + (PACKET if seat != state.first else 0)
    mine = state.draws[begin : begin + PACKET]
    discarded = [tile for tile in mine if not tiles_of(state)[tile]]
    if state.phase is Phase.PICK or not set(hidden) & set(mine) or not discarded:
        return
    before = view_bytes(state, seat)
    state.table.hidden[1 - seat] = tuple(discarded[0] if tile in mine else tile for tile in hidden)
    assert view_bytes(state, seat) == before


@given(st.builds(Config, st.just(Setup.SECRET_RANDOM), st.sampled_from(Victory), st.just(3), seats), seeds, seats)
def test_a_hidden_tile_is_named_nowhere_until_it_is_shown(config, seed, seat):
    """At every position of a match of at most 4 rounds, so no tile is drawn twice; also when it is over."""
    never_shown = set()
    for state in positions(config, seed):
        if state.phase is Phase.PLACE and not state.placements:
            never_shown |= set(state.table.hidden[1 - seat])
        never_shown -= {tile for tile in tiles_of(state) if tile not in state.table.hidden[1 - seat]}
        view = codec.observation_to_json(state.view(seat))
        assert not {wire_name(tile) for tile in never_shown} & names_in(view)


@given(st.builds(Config, st.just(Setup.SECRET_DRAFT)), seeds)
def test_picks_are_secret_in_a_secret_draft(config, seed):
    for state in positions(config, seed, 4):
        for seat in (0, 1):
            picks = [move for _, move in state.view(seat).events if isinstance(move, Pick)]
            assert all(pick == Pick(NO_TILE) for pick in picks)


@given(configs, seeds, lengths, seats)
def test_a_seat_never_forgets(config, seed, moves, seat):
    """What a seat has seen of the draws it sees for ever."""
    seen = ()
    for state in positions(config, seed, moves):
        draws = state.view(seat).draws
        assert all(old in (NO_TILE, new) for old, new in zip(seen, draws))
        assert len(draws) >= len(seen)
        seen = draws


def test_no_free_space_is_a_pass_even_with_a_tower_to_place():
    """R17 in a position that no game leads to, because the Tower that uncovers a tile is the only one."""
    stances = [4, 1, 1, 1, 1, 2, 2, 2, 0]
    board = {"tiles": [TOWER, 3, 4, 5, 2, 9, 11, 12, 0], "stances": stances, "covered": 10, "covered_ally": 1}
    seats = [{"area": ["RRR_TILE_KING", "RRR_TILE_CASTLE"]}, {"area": ["RRR_TILE_TEMPLE"]}]
    state = codec.state_from_json({"placements": 5, "board": board, "seats": seats})
    state.table.areas[1] = (TOWER,)
    state.apply(Place(1, 8, (), 7))  # the King destroys a tile; seat 1's own discard frees no space
    assert state.table.coverable(1)
    assert state.to_move() == 0
    assert state.table.areas[1] == (TOWER,)


# -- imagined positions -----------------------------------------------------------------------------------


VARIANTS = [Config(setup, victory, 5, first) for setup in Setup for victory in Victory for first in (0, 1)]


@pytest.mark.parametrize(
    "config", VARIANTS, ids=lambda config: f"{config.setup.value} {config.victory.value} {config.first}"
)
def test_an_imagined_position_looks_like_the_true_one(config):
    rng = stream(5, "imagine")
    for state in positions(config, 11):
        for seat in (0, 1):
            seen = view_bytes(state, seat)
            imagined = GAME.imagine(codec.load_observation(seen), rng)
            assert view_bytes(imagined, seat) == seen
            assert_whole(imagined)
            assert codec.dump_state(codec.load_state(codec.dump_state(imagined))) == codec.dump_state(imagined)
            assert bool(imagined.legal()) == bool(state.legal())


@given(configs, seeds, lengths, seats)
def test_imagined_draws_could_be_the_true_ones(config, seed, moves, seat):
    imagined = GAME.imagine(position(config, seed, moves).view(seat), stream(seed, "imagine"))
    if per_round := PER_ROUND[config.setup]:
        for stretch in windows(per_round, len(imagined.draws)):
            assert len({imagined.draws[place] for place in stretch}) == len(stretch)


def assert_uniform(counts, possible, tries):
    """Chi-square: the sum of squares is far from its mean only once in many thousand fixed seeds."""
    assert set(counts) <= set(possible)
    mean = tries / len(possible)
    chi_square = sum((counts[each] - mean) ** 2 / mean for each in possible)
    freedom = len(possible) - 1
    assert abs(chi_square - freedom) < 4 * math.sqrt(2 * freedom)


def test_secret_random_tiles_are_imagined_uniformly():
    """Seat 0 has seen its own two of four draws: 15 * 14 rows of the opponent are possible."""
    state = GAME.start(Config(Setup.SECRET_RANDOM, Victory.POINTS, 1), 3)
    seen, rng = state.view(0), stream(1, "uniform")
    mine = state.table.hidden[0]
    others = [tile for tile in NEUTRALS if tile not in mine]
    possible = [(one, two) for one in others for two in others if one != two]
    counts = Counter(GAME.imagine(seen, rng).table.hidden[1] for _ in range(8400))
    assert_uniform(counts, possible, 8400)


def test_secret_draft_tiles_are_imagined_uniformly():
    """Seat 0 knows three tiles of which one was kept, and ten unseen ones of which another was."""
    state = position(Config(Setup.SECRET_DRAFT, Victory.POINTS, 1), 4, 4)
    assert state.phase is Phase.PLACE
    seen, rng = state.view(0), stream(2, "uniform")
    passed = [tile for tile in state.draws[:PACKET] if tile not in state.table.hidden[0]]
    unseen = [tile for tile in NEUTRALS if tile not in seen.draws]
    possible = [(one, two) for one in passed for two in unseen]
    assert len(possible) == 30
    counts = Counter(GAME.imagine(seen, rng).table.hidden[1] for _ in range(6000))
    assert_uniform(counts, possible, 6000)


def completions(order, stretches):
    """Every way to fill the unknown places so that each stretch has different tiles, by brute force."""
    if NO_TILE not in order:
        return [tuple(order)]
    place = order.index(NO_TILE)
    near = {order[other] for stretch in stretches if place in stretch for other in stretch}
    found = []
    for tile in NEUTRALS:
        if tile not in near:
            found += completions([*order[:place], tile, *order[place + 1 :]], stretches)
    return found


# 16 and 32 are the last draws before a new shuffle, in the round that goes on with it.
@pytest.mark.parametrize("unknown", [(0, 5, 9, 16, 20, 32), (2, 16, 18, 25, 32, 35), (5, 6, 16, 30, 32, 36)])
def test_draws_across_a_shuffle_are_imagined_uniformly(unknown):
    config = Config(Setup.SECRET_DRAFT, Victory.POINTS, 5)
    state = GAME.start(config, 8)
    draws = tuple(NO_TILE if place in unknown else tile for place, tile in enumerate(state.draws[:37]))
    seen = replace(state.view(0), draws=draws)
    possible = {each[:37] for each in completions([*draws], [range(17), range(16, 33), range(32, 37)])}
    assert state.draws[:37] in possible
    assert len(possible) >= 10
    rng, tries = stream(3, "uniform"), 60 * len(possible)
    counts = Counter(complete_draws(seen, rng)[:37] for _ in range(tries))
    assert_uniform(counts, possible, tries)


def test_a_hidden_tower_without_an_ally_is_refuted():
    """The opponent is to move with one hidden tile and no ally to cover, so it is not the Tower."""
    config = {"setup": "RRR_SETUP_SECRET_RANDOM", "victory": "RRR_VICTORY_POINTS", "rounds": 1}
    names = [wire_name(tile) for tile in NEUTRALS[:4]]
    state = codec.state_from_json(
        {
            "config": config, "mover": 1, "placements": 20, "draws": names, "drawn": 4,
            "seats": [{"area": ["RRR_TILE_KING"]}, {"hidden": names[3:]}],
        }
    )  # fmt: skip
    rng = stream(4, "tower")
    rows = Counter(GAME.imagine(state.view(0), rng).table.hidden[1] for _ in range(2800))
    assert_uniform(rows, [(tile,) for tile in NEUTRALS[3:] if tile != TOWER], 2800)


# -- messages ---------------------------------------------------------------------------------------------


GOOD = {"placements": 5, "seats": [{"area": ["RRR_TILE_KING"]}, {"area": ["RRR_TILE_MONK"]}]}
FULL = {"tiles": [*range(2, 11)], "stances": [1, 2, 1, 2, 1, 2, 1, 2, 1]}
NONSENSE = [
    {"mover": 2},
    {"config": {"first": 2}},
    {"config": {"rounds": 10}},
    {"config": {"setup": 9}},
    {"phase": 9},
    {"phase": "RRR_PHASE_PICK"},
    {"placements": 60},
    {"score": [1]},
    {"seats": [{}]},
    {"seats": [{}, {"area": ["RRR_TILE_MONK"]}]},
    {"seats": [{"area": ["RRR_TILE_KING"]}, {"area": ["RRR_TILE_KING"]}]},
    {"seats": [{"area": ["RRR_TILE_TOWER"]}, {}]},
    {"seats": [{"hidden": ["RRR_TILE_FAIRY"]}, {}]},
    {"seats": [{"area": [33]}, {}]},
    {"board": {"tiles": [2] + [0] * 8, "stances": [0] * 9}},
    {"board": {"tiles": [2] + [0] * 7, "stances": [1] + [0] * 7}},
    {"board": {"tiles": [2] + [0] * 8, "stances": [5] + [0] * 8}},
    {"board": {"tiles": [2] + [0] * 8, "stances": [3] + [0] * 8}},
    {"board": {"covered": "RRR_TILE_QUEEN"}},
    {"board": FULL},
    {"zone": ["RRR_TILE_KING"]},
    {"offer": ["RRR_TILE_FAIRY"]},
    {"draws": ["RRR_TILE_KING"]},
    {"drawn": 1},
    {"events": [{"seat": 0, "move": {}}]},
    {"events": [{"seat": 0, "move": {"first": 0}}, {"seat": 1, "move": {"first": 0}}]},
    {"events": [{"seat": 0, "move": {"first": 2}}]},
    {"events": [{"seat": 0, "move": {"pick": 0}}]},
    {"events": [{"seat": 0, "move": {"place": {"tile": "RRR_TILE_KING", "space": 9}}}]},
    {"round": 4},
    {"round": 2},
    {"round": 2, "score": [1, 1]},
    {"score": [1, 0]},
    {"phase": "RRR_PHASE_OVER"},
    {"phase": "RRR_PHASE_OVER", "placements": 61, "round": 2, "score": [2, 0]},
    {"config": {"victory": "RRR_VICTORY_POINTS"}, "score": [1, 0]},
    {"config": {"victory": "RRR_VICTORY_POINTS"}, "phase": "RRR_PHASE_NAME", "score": [9, 1]},
    {"picks": 1},
    {"draws": [16, 17, 18, 19, 20], "drawn": 3},
    {"draws": [16, 17, 18, 19, 19], "drawn": 5},
    {"draws": [*range(16, 31)], "drawn": 10},
    {
        "config": {"setup": "RRR_SETUP_SECRET_RANDOM"},
        "draws": [16, 17, 18, 19],
        "drawn": 4,
        "seats": [{"area": ["RRR_TILE_KING"], "unseen": [1]}, {"area": ["RRR_TILE_MONK"]}],
    },
]


@pytest.mark.parametrize("part", NONSENSE, ids=str)
def test_nonsense_is_refused(part):
    assert codec.state_from_json(GOOD).to_move() == 0
    with pytest.raises(BadMessage):
        codec.state_from_json({**GOOD, **part})


@pytest.mark.parametrize(
    "use",
    [
        {"target": 9},
        {"direction": 0},
        {"direction": 9},
        {"neighbours": 0},
        {"every": False},
        {"chosen": 0},
        {"chosen": 99},
    ],
    ids=str,
)
def test_choices_that_cannot_be_are_refused(use):
    with pytest.raises(BadMessage):
        codec.move_from_json({"place": {"tile": "RRR_TILE_KING", "space": 4, **use}})


def test_an_empty_move_is_no_move():
    with pytest.raises(BadMessage):
        codec.load_move(b"")
