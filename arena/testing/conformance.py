"""One check per promise of the contract; each takes a game and a seed and raises AssertionError if it is broken."""

from collections.abc import Callable
from random import Random
from typing import Any

from arena.errors import BadMessage
from arena.game import AnyGame, AnyState
from arena.match import MatchStart, Moves, Ready, Turn
from arena.rng import below, choice, stream
from arena.testing.damage import check_accepted_observations_can_be_imagined, check_accepted_positions_can_be_played
from arena.testing.descriptions import (
    check_any_move_is_described_in_time,
    check_descriptions_leak_nothing,
    check_words_for_every_seat,
)
from arena.testing.exact import (
    assert_refused,
    check_callers_keep_what_they_get,
    check_only_listed_moves_apply,
    check_seats_are_known,
)
from arena.testing.imagined import check_imagined_states_are_full, check_imagined_states_travel
from arena.testing.play import pick_variant, variants, walk

Check = Callable[[AnyGame, int], None]


def check_game(game: AnyGame, games: int = 0) -> None:
    """Raise AssertionError, naming the broken rule, unless the game keeps the contract in this many games."""
    check_facts(game)
    for seed in range(games or len(variants(game)) + 10):
        for check in CHECKS:
            check(game, seed)


def check_facts(game: AnyGame) -> None:
    """The declared facts make sense, and the rules for people are there."""
    info = game.info
    assert info.name.isidentifier(), f"the name {info.name!r} is not an identifier"
    assert info.name.islower(), f"the name {info.name!r} is not in lower case"
    assert 1 < info.min_seats <= info.max_seats, "a game has two seats or more"
    assert not info.roles or len(info.roles) == info.max_seats, "every seat has a role, or none has"
    for option in info.options:
        assert option.default in option.choices, f"the default of {option.name} is not among its choices"
    assert game.rules().startswith("# "), "RULES.md starts with a title"


def check_ends_in_time(game: AnyGame, seed: int) -> None:
    """The game is over after at most `max_moves` moves."""
    *_, (state, _) = walk(game, pick_variant(game, seed), seed)
    assert state.to_move() is None, f"seed {seed}: not over after the declared {game.info.max_moves} moves"


def check_end_is_the_end(game: AnyGame, seed: int) -> None:
    """`to_move` is None, an outcome exists and nothing is legal exactly at the end."""
    variant = pick_variant(game, seed)
    for state, move in walk(game, variant, seed):
        over = move is None
        assert (state.to_move() is None) == over, f"seed {seed}: to_move is None before the end, or a seat after it"
        assert (state.outcome() is not None) == over, f"seed {seed}: an outcome before the end, or none after it"
        assert bool(state.legal()) != over, f"seed {seed}: no legal move before the end, or one after it"
    outcome = state.outcome()
    assert outcome is not None
    assert len(outcome.ranks) == len(outcome.scores) == variant.seats, f"seed {seed}: a rank and a score per seat"
    places = [1 + sum(other < rank for other in outcome.ranks) for rank in outcome.ranks]
    assert list(outcome.ranks) == places, f"seed {seed}: ranks {outcome.ranks} should be {places}: ties share (1-1-3)"


def check_legal_moves_apply(game: AnyGame, seed: int) -> None:
    """Every listed move applies, none is listed twice, and the list is the same whenever it is asked for."""
    rng = stream(seed, "legal")
    for state, move in walk(game, pick_variant(game, seed), seed):
        legal = list(state.legal())
        assert legal == list(state.legal()), f"seed {seed}: legal() changes between two calls"
        wire = {game.codec.dump_move(each) for each in legal}
        assert len(wire) == len(legal), f"seed {seed}: a move is listed twice in {legal}"
        # All moves of every position would be too many in rich games; a few per position cover them over time.
        for each in {choice(rng, range(len(legal))) for _ in range(3)} if move is not None else ():
            state.clone().apply(legal[each])


def check_illegal_moves_change_nothing(game: AnyGame, seed: int) -> None:
    """Anything not listed raises IllegalMove and leaves the state as it was."""
    rng = stream(seed, "illegal")
    strangers: list[Any] = []
    for state, move in walk(game, pick_variant(game, seed), seed):
        legal = {game.codec.dump_move(each) for each in state.legal()}
        before = game.codec.dump_state(state)
        for stranger in (*_some(rng, strangers, 5), *_random_moves(game, rng, 5)):
            if game.codec.dump_move(stranger) not in legal:
                assert_refused(game, state, stranger, before, seed)
        if move is not None:
            strangers.append(choice(rng, state.legal()))


def check_clones_are_independent(game: AnyGame, seed: int) -> None:
    """Playing on in a clone leaves the original as it was, and the clone plays the same game."""
    for state, move in walk(game, pick_variant(game, seed), seed):
        if move is None:
            continue
        before = game.codec.dump_state(state)
        twin = state.clone()
        assert game.codec.dump_state(twin) == before, f"seed {seed}: a clone differs from its original"
        twin.apply(move)
        assert game.codec.dump_state(state) == before, f"seed {seed}: a move in a clone changed the original"
        assert game.codec.dump_state(twin) != before, f"seed {seed}: the move {move} changed nothing"


def check_same_seed_same_game(game: AnyGame, seed: int) -> None:
    """The same seed and moves give the same states."""
    variant = pick_variant(game, seed)
    for (one, _), (two, _) in zip(walk(game, variant, seed), walk(game, variant, seed), strict=True):
        same = game.codec.dump_state(one) == game.codec.dump_state(two)
        assert same, f"seed {seed}: two games with the same seed and moves differ"


def check_codec_round_trips(game: AnyGame, seed: int) -> None:
    """Config, state, observation and move survive bytes and JSON, and a restored state plays on alike."""
    codec, variant = game.codec, pick_variant(game, seed)
    assert codec.load_config(codec.dump_config(variant.config)) == variant.config, "the config changes on the wire"
    for state, move in walk(game, variant, seed):
        data = codec.dump_state(state)
        for restored in (codec.load_state(data), codec.state_from_json(codec.state_to_json(state))):
            assert codec.dump_state(restored) == data, f"seed {seed}: the state changes on the wire"
            _assert_alike(state, restored, f"seed {seed}: a state restored from the wire")
        for seat in range(variant.seats):
            seen = state.view(seat)
            assert codec.load_observation(codec.dump_observation(seen)) == seen, f"seed {seed}: the observation changes"
        if move is not None:
            assert codec.load_move(codec.dump_move(move)) == move, f"seed {seed}: the move {move} changes on the wire"
            assert codec.move_from_json(codec.move_to_json(move)) == move, (
                f"seed {seed}: the move {move} changes in JSON"
            )
    _check_stream(game, variant.config, seed)


def check_decoders_survive_anything(game: AnyGame, seed: int) -> None:
    """Random or damaged bytes are decoded or refused with BadMessage, never anything else."""
    codec, rng = game.codec, stream(seed, "bytes")
    loaders = (codec.load_config, codec.load_state, codec.load_observation, codec.load_move)
    positions = [state.clone() for state, _ in walk(game, pick_variant(game, seed), seed)]
    for _ in range(40):
        state = choice(rng, positions)
        samples = (b"", rng.randbytes(below(rng, 60)), codec.dump_state(state), codec.dump_observation(state.view(0)))
        for data in (_damaged(rng, each) for each in samples):
            for load in (*loaders, codec.read_request, codec.read_reply):
                try:
                    load(data)
                except BadMessage:
                    continue


def check_observations_hide(game: AnyGame, seed: int) -> None:
    """An imagined state looks to the seat exactly like the true one, and gives the mover the same choices."""
    variant, rng, differs = pick_variant(game, seed), stream(seed, "imagine"), False
    for state, _ in walk(game, variant, seed):
        truth = game.codec.dump_state(state)
        for seat in range(variant.seats):
            seen = game.codec.dump_observation(state.view(seat))
            imagined = game.imagine(game.codec.load_observation(seen), rng)
            again = game.codec.dump_observation(imagined.view(seat))
            assert again == seen, f"seed {seed}: seat {seat} can tell an imagined state from the true one"
            assert imagined.to_move() == state.to_move(), f"seed {seed}: an imagined state has another seat to move"
            if state.to_move() == seat:
                _assert_alike(state, imagined, f"seed {seed}: a state imagined by the seat to move")
            differs |= game.codec.dump_state(imagined) != truth
    if not game.info.hidden:
        assert not differs, f"seed {seed}: the game declares that nothing is hidden, but imagined states differ"


def check_something_is_hidden(game: AnyGame, seed: int) -> None:
    """If the game declares hidden facts, then a seat imagines different states from one view of the default game."""
    if not game.info.hidden:
        return
    rng, state = stream(seed, "hidden"), game.start(variants(game)[0].config, seed)
    for seat in range(game.info.min_seats):
        imagined = {game.codec.dump_state(game.imagine(state.view(seat), rng)) for _ in range(5)}
        if len(imagined) > 1:
            return
    raise AssertionError(f"seed {seed}: nothing is hidden at the start: does the observation tell it all?")


def check_terminal_view(game: AnyGame, seed: int) -> None:
    """Every position has words for people, and telling changes nothing."""
    for state, _ in walk(game, pick_variant(game, seed), seed):
        before = game.codec.dump_state(state)
        assert game.show(state).strip(), f"seed {seed}: show() is empty"
        if (mover := state.to_move()) is not None:
            assert game.render_observation(state.view(mover)).strip(), f"seed {seed}: render_observation() is empty"
        assert game.codec.dump_state(state) == before, f"seed {seed}: showing a state changed it"


CHECKS: tuple[Check, ...] = (
    check_ends_in_time,
    check_end_is_the_end,
    check_legal_moves_apply,
    check_illegal_moves_change_nothing,
    check_clones_are_independent,
    check_same_seed_same_game,
    check_codec_round_trips,
    check_decoders_survive_anything,
    check_observations_hide,
    check_something_is_hidden,
    check_terminal_view,
    check_only_listed_moves_apply,
    check_callers_keep_what_they_get,
    check_seats_are_known,
    check_imagined_states_are_full,
    check_imagined_states_travel,
    check_accepted_positions_can_be_played,
    check_accepted_observations_can_be_imagined,
    check_any_move_is_described_in_time,
    check_descriptions_leak_nothing,
    check_words_for_every_seat,
)


def _assert_alike(state: AnyState, other: AnyState, what: str) -> None:
    assert other.to_move() == state.to_move(), f"{what} has another seat to move"
    assert list(other.legal()) == list(state.legal()), f"{what} has other legal moves"


def _some(rng: Random, items: list[Any], count: int) -> list[Any]:
    return [choice(rng, items) for _ in range(count)] if items else []


def _random_moves(game: AnyGame, rng: Random, count: int) -> list[Any]:
    """Moves that a hostile bot might send: whatever random bytes happen to decode to."""
    found = []
    for _ in range(count):
        try:
            found.append(game.codec.load_move(bytes((8, below(rng, 128), *rng.randbytes(below(rng, 4))))))
        except BadMessage:
            continue
    return found


def _damaged(rng: Random, data: bytes) -> bytes:
    """The bytes with one of them changed, or cut short."""
    if not data or below(rng, 4) == 0:
        return data[: below(rng, len(data) + 1)]
    place = below(rng, len(data))
    return data[:place] + rng.randbytes(1) + data[place + 1 :]


def _check_stream(game: AnyGame, config: Any, seed: int) -> None:
    """The messages of a match survive the wire."""
    from arena.clock import TimeControl  # noqa: PLC0415  (only this check speaks of time)

    codec, state = game.codec, game.start(config, seed)
    start = MatchStart("m", 0, game.info.min_seats, config, TimeControl(per_move=1.0, bank=10.0, increment=0.0))
    assert codec.read_request(codec.write_start(start)) == start, "the start of a match changes on the wire"
    mover, legal = state.to_move(), tuple(state.legal())
    assert mover is not None
    turn = Turn(1, state.view(mover), legal, available=11.0, bank=10.0)
    assert codec.read_request(codec.write_turn(turn)) == turn, "a turn changes on the wire"
    for reply in (Ready(wants_legal=True), Ready(wants_legal=False), Moves(1, legal[:2]), Moves(0, ())):
        assert codec.read_reply(codec.write_reply(reply)) == reply, f"the reply {reply} changes on the wire"
