"""Properties of Claim that hold in every game."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadMessage
from arena.rng import choice, shuffle, stream
from engines.claim.determinize import unseen_cards, void_factions
from engines.claim.game import GAME
from engines.claim.rules import ALL_CARDS, FACTION, ClaimState, Config

seeds = st.integers(0, 2**64 - 1)
lengths = st.integers(0, 52)


def position(seed, moves):
    """The position after this many random moves."""
    rng, state = stream(seed, "test"), GAME.start(Config(seed % 2), seed)
    for _ in range(moves):
        state.apply(choice(rng, state.legal()))
    return state


def all_cards(state):
    piles = (*state.hands, *state.prizes, *state.draws, *state.score, state.discard, state.deck[state.drawn :])
    cards = Counter(card for pile in piles for card in pile)
    if state.lead is not None:
        cards[state.lead] += 1
    return cards


@given(seeds, lengths)
def test_no_card_is_lost_or_doubled(seed, moves):
    assert all_cards(position(seed, moves)) == Counter(ALL_CARDS)


@given(seeds)
def test_a_game_is_52_moves_long(seed):
    assert position(seed, 51).outcome() is None
    assert position(seed, 52).outcome() is not None


@given(seeds)
def test_at_most_five_votes(seed):
    assert sum(position(seed, 52).votes()) <= 5


@given(seeds, lengths, st.sampled_from((0, 1)))
def test_hidden_cards_never_reach_the_wire(seed, moves, seat):
    """Exchange the opponent's hand, his draws and the deck as you like: the bytes of the view stay the same."""
    state = position(seed, moves)
    before = GAME.codec.dump_observation(state.view(seat))
    other, rng = 1 - seat, stream(seed, "swap")
    rest = list(state.deck[state.drawn + 1 :]) if state.phase == 1 else []
    hidden = [*state.hands[other], *state.draws[other], *rest]
    shuffle(rng, hidden)
    hand, draws = len(state.hands[other]), len(state.draws[other])
    state.hands[other][:] = sorted(hidden[:hand])
    state.draws[other][:] = hidden[hand : hand + draws]
    if rest:
        state.deck = [*state.deck[: state.drawn + 1], *hidden[hand + draws :]]
    lost = iter(state.draws[other])
    state.tricks = [
        (*trick[:5], next(lost)) if trick[3] == seat and trick[4] is not None and state.phase == 1 else trick
        for trick in state.tricks
    ]
    assert GAME.codec.dump_observation(state.view(seat)) == before


@given(seeds, lengths, st.sampled_from((0, 1)))
def test_imagined_states_are_whole_and_fit_what_was_seen(seed, moves, seat):
    seen = position(seed, moves).view(seat)
    imagined = GAME.imagine(seen, stream(seed, "imagine"))
    assert all_cards(imagined) == Counter(ALL_CARDS)
    if seen.phase == 1:
        assert not {FACTION[card] for card in imagined.hands[1 - seat]} & void_factions(seen)


@given(seeds, st.integers(26, 52), st.sampled_from((0, 1)))
def test_nothing_is_hidden_in_phase_2(seed, moves, seat):
    state = position(seed, moves)
    imagined = GAME.imagine(state.view(seat), stream(seed, "imagine"))
    assert imagined.hands == state.hands


def test_imagine_is_uniform_over_what_is_possible():
    """Two tricks before the end of phase 1, with a void: count every possible deal and compare."""
    state = position(11, 22)
    seat = state.to_move()
    state.tricks.append((seat, 14, 5, seat, 1, None))  # the opponent did not follow a Dwarf
    seen = state.view(seat)
    assert 1 in void_factions(seen)
    unseen = unseen_cards(seen)
    possible = [card for card in unseen if FACTION[card] not in void_factions(seen)]
    assert len(unseen) > len(possible) > seen.opponent_hand_size
    rng, rounds = stream(5), 6000
    held, next_card = Counter(), Counter()
    for _ in range(rounds):
        imagined = GAME.imagine(seen, rng)
        held.update(imagined.hands[1 - seat])
        next_card[imagined.deck[1]] += 1
    expected = rounds * seen.opponent_hand_size / len(possible)
    for card, copies in Counter(possible).items():
        assert abs(held[card] / copies - expected) < expected * 0.15
    assert set(held) == set(possible)
    assert set(next_card) == set(unseen)


def test_voids_are_remembered_only_for_the_opponents_hand():
    state = ClaimState.empty(Config())
    state.tricks = [(0, 15, 3, 0, 1, 2), (1, 25, 3, 1, 4, 5), (0, 36, 7, 0, 6, 8), (0, 17, 33, 1, 9, 10)]
    state.hands, state.deck = ([3], [4]), [1, 2]
    state.recompute()
    assert void_factions(state.view(0)) == {1, 3}
    assert void_factions(state.view(1)) == {2}


def test_observation_of_the_winner_lacks_the_draw():
    state = position(3, 2)
    (trick,) = state.tricks
    winner = trick[3]
    assert state.view(winner).tricks[0][5] is None
    assert state.view(1 - winner).tricks[0][5] == trick[5]
    assert replace(state.view(winner)) == state.view(winner)


# -- positions that cannot be -------------------------------------------------------------------------------

FIRST = {"leader": 0, "lead": 15, "follow": 19, "winner": 1, "prize": 1, "draw": 2}
SOUND = {
    "phase": 1, "leader": 1, "seats": [{"hand": [5], "draws": [2]}, {"hand": [12], "prizes": [1]}], "deck": [3, 4],
    "discard": [15, 19], "tricks": [FIRST],
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"phase": 4},
        {"leader": 2},
        {"seats": [{"hand": [5], "draws": [2]}]},
        {"seats": [{"hand": [50], "draws": [2]}, {"hand": [12], "prizes": [1]}]},
        {"seats": [{"hand": [5, 6], "draws": [2]}, {"hand": [12], "prizes": [1]}]},
        {"seats": [{"hand": [12], "draws": [2]}, {"hand": [12], "prizes": [1]}]},
        {"seats": [{"hand": [5], "draws": [2]}, {"hand": [12]}]},
        {"seats": [{"hand": [5], "prizes": [2]}, {"hand": [12], "prizes": [1]}]},
        {"seats": [{"hand": [5], "draws": [6]}, {"hand": [12], "prizes": [1]}]},
        {"seats": [{"hand": [5], "draws": [2]}, {"hand": [12], "prizes": [6]}]},
        {"deck": [3]},
        {"deck": [3, 3]},
        {"discard": [15]},
        {"discard": [19, 15]},
        {"phase": 2, "deck": []},
        {"leader": 0},
        {"tricks": [{**FIRST, "winner": 0}]},
        {"tricks": [{key: FIRST[key] for key in FIRST if key != "draw"}]},
        {"tricks": [{key: FIRST[key] for key in FIRST if key not in ("prize", "draw")}]},
        {"tricks": [FIRST] * 13},
    ],
    ids=str,
)
def test_positions_that_cannot_be_are_bad_messages(change):
    assert GAME.codec.state_from_json(SOUND).to_move() == 1
    with pytest.raises(BadMessage):
        GAME.codec.state_from_json({**SOUND, **change})


@given(seeds, st.integers(27, 51), st.sampled_from((0, 1)))
def test_imagined_draws_are_what_the_opponent_got_without_winning_it(seed, moves, seat):
    state = position(seed, moves)
    imagined = GAME.imagine(state.view(seat), stream(seed, "imagine"))
    hidden = [place for place, trick in enumerate(state.tricks) if trick[3] == seat and trick[4] is not None]
    assert Counter(imagined.tricks[at][5] for at in hidden) == Counter(state.tricks[at][5] for at in hidden)
