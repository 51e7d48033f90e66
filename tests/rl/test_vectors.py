"""Every game in numbers: what the vectors and action numbers of all games promise, over random play in all variants."""

import random
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import RegistryError, UsageError
from arena.registry import find, games
from arena.rng import choice, stream
from arena.testing.play import pick_variant, variants, walk
from arena.vectors import Layout, has_vectors, vectors
from engines.claim.determinize import unseen_cards
from engines.rrr.rules import Setup

pytestmark = pytest.mark.slow

LEARNED = {name: game for name, game in games().items() if has_vectors(game)}
every_game = pytest.mark.parametrize("game", LEARNED.values(), ids=LEARNED)
seeds = st.integers(0, 2**64 - 1)


def positions(game, seed):
    """Some positions of a random game in some variant, from its first to its last, each seen by every seat."""
    variant = pick_variant(game, seed)
    for at, (state, _) in enumerate(walk(game, variant, seed)):
        if at % 3 == seed % 3 or state.to_move() is None:
            for seat in range(variant.seats):
                yield state, seat, state.view(seat)


@every_game
@settings(max_examples=25)
@given(seed=st.integers(0, 60) | seeds)
def test_the_legal_moves_have_different_numbers_below_the_declared_count(game, seed):
    told = vectors(game)
    for state, seat, seen in positions(game, seed):
        if state.to_move() == seat:
            numbered = told.numbered(seen, state.legal())
            assert list(numbered.values()) == list(state.legal())
            assert 0 <= min(numbered) <= max(numbered) < told.actions.size


@every_game
@settings(max_examples=25)
@given(seed=st.integers(0, 60) | seeds)
def test_all_numbers_lie_between_0_and_1(game, seed):
    told = vectors(game)
    for _, _, seen in positions(game, seed):
        vector = told.vector(seen)
        assert len(vector) == told.observation.size
        assert 0.0 <= min(vector) <= max(vector) == 1.0


@every_game
@settings(max_examples=15)
@given(seed=seeds)
def test_a_vector_tells_no_more_than_the_observation(game, seed):
    told, rng = vectors(game), random.Random(seed)
    for state, seat, seen in positions(game, seed):
        imagined = game.imagine(game.codec.load_observation(game.codec.dump_observation(seen)), rng)
        assert told.vector(imagined.view(seat)) == told.vector(seen)
        if state.to_move() == seat:
            again = told.numbered(imagined.view(seat), imagined.legal())
            assert again == told.numbered(seen, state.legal())


@every_game
def test_every_part_of_the_vector_is_used(game):
    told = vectors(game)
    most = np.zeros(told.observation.size)
    for seed in range(len(variants(game)) + 10):
        for _, _, seen in positions(game, seed):
            most = np.maximum(most, told.vector(seen))
    unused = {name for name, part in told.observation.items() if not most[part].any()}
    assert unused <= {"removed"}, "random play of 7 Kingdoms hardly ever removes a card; anything else was forgotten"


@every_game
def test_the_names_cover_everything_in_order(game):
    for layout in (vectors(game).observation, vectors(game).actions):
        parts = list(layout.values())
        assert [part.start for part in parts] == [0, *(part.stop for part in parts[:-1])]
        assert parts[-1].stop == layout.size


def test_the_games_that_come_with_arena_can_be_learned():
    assert {"assassins", "claim", "kingdoms", "rrr"} <= set(LEARNED)


def test_a_game_without_vectors_says_which_file_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "engines.claim.vector", None)
    with pytest.raises(UsageError, match=r"claim has no vectors to learn from: engines/claim/vector\.py is missing"):
        vectors(find("claim"))


def test_a_vector_file_without_vectors_is_refused(monkeypatch):
    monkeypatch.delattr("engines.claim.vector.VECTORS")
    with pytest.raises(RegistryError, match="must export VECTORS"):
        vectors(find("claim"))


def test_a_layout_is_a_row_of_slices():
    layout = Layout(hand=3, lead=2)
    assert layout == {"hand": slice(0, 3), "lead": slice(3, 5)}
    assert layout.size == 5


# -- what only one game promises --------------------------------------------------------------------------------


@given(seeds)
def test_claim_counts_the_cards_that_a_seat_has_not_seen(seed):
    game = find("claim")
    told = vectors(game)
    for _, _, seen in positions(game, seed):
        unseen = told.vector(seen)[told.observation["unseen"]]
        expected = unseen_cards(seen)
        assert unseen[0] == pytest.approx(expected.count(0) / 5)
        assert sum(unseen[1:]) == len([card for card in expected if card])


@given(seeds)
def test_claim_says_which_cards_take_the_trick(seed):
    game = find("claim")
    told = vectors(game)
    for state, seat, seen in positions(game, seed):
        winning = told.vector(seen)[told.observation["winning"]]
        follows = state.to_move() == seat and state.lead is not None
        assert follows or not any(winning)
        for card in state.legal() if follows else ():
            after = state.clone()
            after.apply(card)
            assert winning[told.number(seen, card)] == (after.tricks[-1][3] == seat)


def test_kingdoms_marks_the_cards_that_left_the_game():
    game = find("kingdoms")
    told, seen = vectors(game), game.start(game.configure(3, {}), 1).view(2)
    removed = told.vector(replace(seen, table=replace(seen.table, removed=(1, 49))))[told.observation["removed"]]
    assert [place for place, value in enumerate(removed) if value] == [0, 48]


@pytest.mark.parametrize("setup", [Setup.NEUTRAL_ZONE, Setup.DRAFT, Setup.RANDOM, Setup.SECRET_RANDOM])
@settings(max_examples=15)
@given(seed=seeds)
def test_rrr_looks_the_same_from_both_sides(setup, seed):
    """The same game with the seats exchanged: the same vectors, and the same numbers lead to the same game."""
    game = find("rrr")
    told, rng = vectors(game), stream(seed, "mirror")
    config = replace(game.configure(2, {}), setup=setup)
    one, two = game.start(config, seed), game.start(replace(config, first=1), seed)
    while (seat := one.to_move()) is not None:
        assert two.to_move() == 1 - seat
        assert told.vector(one.view(seat)) == told.vector(two.view(1 - seat))
        assert told.vector(one.view(1 - seat)) == told.vector(two.view(seat))
        moves, mirrored = (told.numbered(s.view(at), s.legal()) for s, at in ((one, seat), (two, 1 - seat)))
        assert moves.keys() == mirrored.keys()
        number = choice(rng, sorted(moves))
        one.apply(moves[number])
        two.apply(mirrored[number])
    assert one.outcome().ranks == two.outcome().ranks[::-1]
