"""Properties of 7 Kingdoms that hold in every game."""

from collections import Counter, deque
from itertools import combinations, islice, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadMessage, IllegalMove
from arena.rng import choice, sample, shuffle, stream
from engines.kingdoms.cards import (
    ALL_CARDS,
    ALL_TOKENS,
    COAT,
    KIND,
    SEAT,
    SLOTS_IN,
    TAKES,
    TITLE,
    TO_HAND,
    WINDOW_MOVE,
    cards_in,
    mask_of,
)
from engines.kingdoms.determinize import unseen_cards, unseen_tokens
from engines.kingdoms.game import GAME
from engines.kingdoms.rules import KingdomsState
from engines.kingdoms.scoring import points
from engines.kingdoms.table import OVER_DECK, OVER_ROUNDS, OVER_TOKENS, PLAY, TOKEN, Config

seeds = st.integers(0, 2**64 - 1)
lengths = st.integers(0, 170)
tables = st.sampled_from((2, 3, 4))
few = settings(max_examples=6)
"""For tests that look at every position of whole games through the eyes of every seat."""


def anything(state, rng):
    return choice(rng, state.legal())


def as_little_as_possible(state, rng):
    """Take few cards, keep them, and name empty slots: the policy that makes games long."""
    fewest = min(taken(state, move) for move in state.legal())
    return choice(rng, [move for move in state.legal() if taken(state, move) == fewest])


def taken(state, move):
    if move // KIND * KIND == WINDOW_MOVE:
        width = 3 if TITLE[state.resolving()] == 2 else 2
        return (((1 << width) - 1 << move - WINDOW_MOVE - 1) & state.occupied).bit_count()
    return (move % KIND).bit_count() if move < TO_HAND else 0


def games(seats, seed, policy=anything):
    """Every position of a game, in one state that changes."""
    rng, state = stream(seed, "test"), GAME.start(Config(seats), seed)
    yield state
    while state.to_move() is not None:
        state.apply(policy(state, rng))
        yield state


def position(seats, seed, moves):
    """The position after this many random moves, or at the end if the game is shorter or `moves` is negative."""
    if moves < 0:
        return deque(games(seats, seed), maxlen=1)[0]
    return deque(islice(games(seats, seed), moves + 1), maxlen=1)[0]


def waiting(state):
    """The played cards that are not in a kingdom yet: above the coats or in front of their owners."""
    return [card for card in state.played if card and not any(kingdom >> card & 1 for kingdom in state.kingdoms)]


def whole(state):
    """Where each card is, as one list."""
    in_row = [state.row[slot] for slot in SLOTS_IN[state.occupied | state.pending]]
    kingdoms = [card for kingdom in state.kingdoms for card in cards_in(kingdom)]
    hands = [card for hand in state.hands for card in hand]
    return sorted((*in_row, *kingdoms, *hands, *waiting(state), *state.removed, *state.deck[state.drawn :]))


def hidden_from(state, seat):
    """The cards that this seat has never seen and does not hold."""
    hands = [card for other, hand in enumerate(state.hands) if other != seat for card in hand]
    known = {card for cards in state.known for card in cards_in(cards)}
    return {*hands, *state.deck[state.drawn :]} - known


# -- nothing is lost -------------------------------------------------------------------------------------


@given(tables, seeds)
def test_no_card_and_no_token_is_lost_or_doubled(seats, seed):
    for state in games(seats, seed):
        assert whole(state) == list(ALL_CARDS)
        tokens = [*filter(None, state.tokens), *state.revealed, *state.face_down]
        assert sorted(tokens) == list(ALL_TOKENS)


@given(tables, seeds)
def test_hands_rows_and_known_cards_keep_their_bounds(seats, seed):
    for state in games(seats, seed):
        assert all(len(hand) <= 3 and list(hand) == sorted(hand) for hand in state.hands)
        assert all(known & ~mask_of(hand) == 0 for known, hand in zip(state.known, state.hands))
        if state.phase == PLAY:
            assert state.occupied == 127
        assert state.deck[state.drawn :] or state.phase == OVER_DECK


@given(tables, seeds, st.sampled_from((anything, as_little_as_possible)))
def test_games_end_with_a_reason_and_without_hands(seats, seed, policy):
    positions = 0
    for state in games(seats, seed, policy):
        positions += 1
        assert (state.outcome() is None) == (state.to_move() is not None) == bool(state.legal())
    assert positions - 1 <= GAME.info.max_moves
    assert state.round <= 60
    assert not any(state.hands)
    assert state.phase in (OVER_DECK, OVER_TOKENS, OVER_ROUNDS)
    assert (0 in state.tokens) or state.phase != OVER_ROUNDS  # tokens come before the cap


def test_two_merchants_who_swap_cards_for_ever_are_stopped_after_round_60():
    state = KingdomsState.empty(Config(), [(36,), (37,)])
    state.row, state.occupied, state.deck = [38, 39, 1, 2, 3, 4, 5], 127, [10]
    state.recompute(0)
    moves = 0
    while state.to_move() is not None:
        state.apply(min(state.legal()))
        moves += 1
    assert (state.phase, state.round, moves) == (OVER_ROUNDS, 60, 60 * 6)


# -- nothing is told ---------------------------------------------------------------------------------------


@given(tables, seeds, lengths)
def test_hidden_cards_and_tokens_never_reach_the_wire(seats, seed, moves):
    """Exchange what a seat has not seen as you like: the bytes of its view stay the same."""
    state, rng = position(seats, seed, moves), stream(seed, "swap")
    for seat in range(seats):
        before = GAME.codec.dump_observation(state.view(seat))
        other = state.clone()
        secrets = sorted(hidden_from(state, seat))
        shuffle(rng, secrets)
        for holder, hand in enumerate(state.hands):
            if holder != seat:
                seen = [card for card in hand if state.known[holder] >> card & 1]
                others = [secrets.pop() for _ in range(len(hand) - len(seen))]
                other.holdings[holder].hand = tuple(sorted((*seen, *others)))
        other.deck, other.drawn = secrets, 0
        other.face_down = tuple(sample(rng, state.face_down, len(state.face_down)))
        assert whole(other) == list(ALL_CARDS)
        assert GAME.codec.dump_observation(other.view(seat)) == before


@few
@given(tables, seeds)
def test_no_field_of_a_view_names_a_hidden_card_or_token(seats, seed):
    for state in games(seats, seed):
        for seat in range(seats):
            seen = GAME.codec.observation_to_json(state.view(seat))
            lists = [seen["row"], seen["pending"], seen["removed"], seen["hand"], [seen["resolving"]]]
            lists += [cards for each in seen["seats"] for cards in (each["kingdom"], each["known"], [each["played"]])]
            lists += [[entry % SEAT for entry in (*seen["events"], *seen["earlier"]) if entry % SEAT < KIND]]
            shown = {card for cards in lists for card in cards}
            assert not shown & hidden_from(state, seat)
            assert not {*state.view(seat).table.tokens, *state.view(seat).table.revealed} & {*state.face_down}


@few
@given(tables, seeds)
def test_a_card_once_seen_is_never_lost_from_sight(seats, seed):
    unseen = [set(ALL_CARDS)] * seats
    for state in games(seats, seed):
        now = [set(unseen_cards(state.view(seat))) for seat in range(seats)]
        assert all(after <= before for after, before in zip(now, unseen))
        assert now == [hidden_from(state, seat) for seat in range(seats)]
        unseen = now


def test_deck_and_tokens_stay_hidden_after_the_end():
    state = next(s for s in (position(4, seed, -1) for seed in range(500)) if s.phase == OVER_TOKENS)
    assert state.deck[state.drawn :]
    for seat in range(4):
        assert set(unseen_cards(state.view(seat))) == set(state.deck[state.drawn :])
        assert set(unseen_tokens(state.view(seat))) == set(state.face_down)


@given(tables, seeds)
def test_events_are_the_moves_since_ones_own(seats, seed):
    rng, state, history = stream(seed, "test"), GAME.start(Config(seats), seed), []
    while state.to_move() is not None:
        move = choice(rng, state.legal())
        history.append(SEAT * state.to_move() + move)
        state.apply(move)
        for seat in range(seats):
            since = [at + 1 for at, entry in enumerate(history) if entry // SEAT == seat]
            seen = state.view(seat)
            assert list(seen.events) == history[since[-1] if since else 0 :]
            assert [*seen.earlier, *seen.events] == history[len(history) - len(state.untold()) :]
    assert len(state.untold()) < 60


# -- what can be imagined ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("seed", [5, 6])
def test_imagined_states_are_whole_and_look_the_same(seats, seed):
    rng = stream(seed, "imagine")
    for state in games(seats, seed):
        truth = GAME.codec.state_to_json(state)
        for seat in range(seats):
            seen = GAME.codec.dump_observation(state.view(seat))
            imagined = GAME.imagine(GAME.codec.load_observation(seen), rng)
            assert GAME.codec.dump_observation(imagined.view(seat)) == seen
            assert whole(imagined) == list(ALL_CARDS)
            # Nothing but secrets differs, not even what the other seats have been told.
            assert without_secrets(GAME.codec.state_to_json(imagined)) == without_secrets(truth)


def without_secrets(state):
    seats = [{**seat, "hand": len(seat["hand"])} for seat in state["seats"]]
    return {**state, "seats": seats, "deck": len(state["deck"]), "face_down": len(state["face_down"])}


def test_imagine_is_uniform_over_what_is_possible():
    """Two hidden hands, a deck of two and two tokens: list every possible deal and compare."""
    state = KingdomsState.empty(Config(3), [(1, 2), (8, 9), (10, 11)])
    state.holdings[1].known = mask_of((8,))
    state.deck, state.face_down, state.revealed, state.tokens = [12, 13], (1, 2), (3, 4), (5, 6, 7, 8, 0, 0, 0)
    state.row, state.occupied = [3, 4, 5, 6, 7, 14, 15], 127
    state.holdings[0].kingdom = mask_of(tuple(range(16, 50)))
    state.recompute(0)
    unseen = (9, 10, 11, 12, 13)
    expected = {
        (mine, yours, deck, tokens)
        for mine in unseen
        for yours in combinations([card for card in unseen if card != mine], 2)
        for deck in permutations([card for card in unseen if card != mine and card not in yours])
        for tokens in permutations((1, 2))
    }
    rng, rounds, seen = stream(7), 12000, state.view(0)
    found = Counter()
    for _ in range(rounds):
        imagined = GAME.imagine(seen, rng)
        found[imagined.hands[1][1], imagined.hands[2], tuple(imagined.deck), imagined.face_down] += 1
    assert set(found) == expected
    mean = rounds / len(expected)
    # With 119 degrees of freedom one fair sample in a thousand is above 173.
    assert sum((count - mean) ** 2 / mean for count in found.values()) < 173


def test_impossible_observations_cannot_be_imagined():
    seen = GAME.codec.pack_observation(GAME.start(Config(2), 1).view(0))
    for change in ({"deck_size": 37}, {"face_down_count": 7}):
        changed = type(seen)()
        changed.CopyFrom(seen)
        for field, value in change.items():
            setattr(changed, field, value)
        with pytest.raises(BadMessage):
            GAME.imagine(GAME.codec.unpack_observation(changed), stream(1))


# -- the same game everywhere ----------------------------------------------------------------------------------


@few
@given(tables, seeds)
def test_a_state_from_the_wire_plays_on_alike(seats, seed):
    for state in games(seats, seed):
        data = GAME.codec.dump_state(state)
        twin = GAME.codec.load_state(data)
        assert GAME.codec.dump_state(twin) == data
        assert (twin.to_move(), twin.legal(), twin.outcome()) == (state.to_move(), state.legal(), state.outcome())
        if state.to_move() is not None:
            after = state.clone()
            for each in (after, twin):
                each.apply(state.legal()[-1])
            assert GAME.codec.dump_state(twin) == GAME.codec.dump_state(after)


@pytest.mark.parametrize(
    "change",
    [
        {"seats": [{"hand": [1]}]},
        {"seats": [{"hand": [1]}, {"hand": [1]}]},
        {"seats": [{"hand": [1, 2, 3, 4]}, {"hand": [5]}]},
        {"seats": [{"hand": [1], "known": [2]}, {"hand": [5]}]},
        {"seats": [{"hand": [1]}, {"hand": [5], "played": 9}]},
        {"row": [50]},
        {"row": [8, 9, 10, 11, 12, 13, 14, 15]},
        {"first": 2},
        {"acted": 3},
        {"round": 61},
        {"phase": 8},
        {"phase": -1},
        {"phase": "KINGDOMS_PHASE_OVER_DECK"},
        {"phase": "KINGDOMS_PHASE_TAKE"},
        {"phase": "KINGDOMS_PHASE_TAKE", "resolving": 9},
        {"resolving": 9},
        {"pending": [9]},
        {"coats": [1, 2, 3]},
        {"tokens": [1, 1]},
        {"tokens": [9]},
        {"revealed": [1], "face_down": [1]},
        {"log": [20001]},
        {"config": {"seats": 3}},
        {"acted": 2, "phase": 2, "resolving": 9, "seats": [{"played": 9}, {"hand": [5]}]},
        {"acted": 2, "phase": 2, "resolving": 1, "seats": [{"played": 1}, {"hand": [5]}]},
        {"tokens": [1, 0, 2]},
    ],
)
def test_nonsense_is_refused(change):
    sound = {"seats": [{"hand": [1, 2]}, {"hand": [5]}]}
    assert GAME.codec.state_from_json(sound).to_move() == 0
    with pytest.raises(BadMessage):
        GAME.codec.state_from_json({**sound, **change})


@given(tables, seeds, lengths, st.integers(-(10**6), 10**6))
def test_only_listed_moves_are_played(seats, seed, moves, move):
    state = position(seats, seed, moves)
    if move in state.legal():
        return
    before = GAME.codec.dump_state(state)
    with pytest.raises(IllegalMove):
        state.apply(move)
    assert GAME.codec.dump_state(state) == before


# -- tables and points, told another way -------------------------------------------------------------------------


def test_what_a_power_may_take_is_what_the_rules_say():
    """The table against a plain reading of the rules, for every card and every set of occupied slots."""
    most = {0: 4, 1: 1, 3: 2, 5: 1, 6: 1}
    for card in ALL_CARDS:
        title, k = (card - 1) // 7, card - 42
        for occupied in range(128):
            slots = [slot for slot in range(1, 8) if occupied >> slot - 1 & 1]
            if title in (2, 4):
                expected = [3000 + first for first in range(1, 6 if title == 2 else 7)] if slots else []
            else:
                reach = [s for s in slots if title < 6 or s in (k, (k + 2) % 7 + 1)]
                sets = [c for size in range(1, most[title] + 1) for c in combinations(reach, size)]
                expected = sorted(2000 + sum(2 ** (slot - 1) for slot in each) for each in sets)
            assert list(TAKES[card][occupied]) == expected


@given(tables, seeds)
def test_points_are_what_the_rules_say(seats, seed):
    rng = stream(seed, "points")
    cards, coats, tokens = list(ALL_CARDS), list(range(1, 8)), [*ALL_TOKENS, 0, 0]
    for pack in (cards, coats, tokens):
        shuffle(rng, pack)
    size = seed % 13
    kingdoms = [cards[size * seat : size * (seat + 1)] for seat in range(seats)]
    expected = [sum(2 if card < 8 else 1 for card in kingdom) for kingdom in kingdoms]
    for coat, token in zip(coats, tokens):
        of_coat = [[card for card in kingdom if COAT[card] == coat] for kingdom in kingdoms]
        for seat, mine in enumerate(of_coat):
            if token and all(len(mine) > len(others) for other, others in enumerate(of_coat) if other != seat):
                expected[seat] += {
                    6: sum(2 if card < 8 else 1 for card in mine),
                    7: sum(card > 42 for card in kingdoms[seat]),
                    8: len({card % 7 for card in kingdoms[seat]}),
                }.get(token, token)
    assert points([mask_of(tuple(kingdom)) for kingdom in kingdoms], coats, tokens) == tuple(expected)


@given(tables, seeds)
def test_ranks_follow_points_then_kings(seats, seed):
    state = position(seats, seed, -1)
    outcome = state.outcome()
    strength = [(points, (kingdom & 254).bit_count()) for points, kingdom in zip(outcome.scores, state.kingdoms)]
    for one in range(seats):
        assert outcome.ranks[one] == 1 + sum(strength[one] < other for other in strength)


def test_a_bishop_asks_for_its_token_first():
    state = next(s for s in (position(2, seed, moves) for seed in range(9) for moves in range(40)) if s.phase == TOKEN)
    bishop = state.resolving()
    assert 8 <= bishop <= 14
    assert state.kingdoms[state.to_move()] >> bishop & 1
    assert bishop not in state.above()
