"""The sample bots in Python: they play every game legally, and do what their READMEs promise."""

import gc
import sys

import pytest

from arena.bots.manifest import read_manifest
from arena.clock import TimeControl
from arena.match import MatchStart, Turn
from arena.registry import find, games
from arena.rng import choice, stream
from arena.testing.play import variants
from bench.strength import SAMPLES, Contest, Rate, bots_of, play_deal

pytestmark = pytest.mark.slow

SERVED = [(bot, game) for bot in ("random", "greedy", "search") for game in bots_of(bot)]
CONTROL = TimeControl.parse("10ms/move")


def make(bot, game, config, *, seat=0, seats=2):
    """A bot that was told of a match."""
    player = bots_of(bot)[game]()
    player.begin(MatchStart("test", seat, seats, config, CONTROL))
    return player


def decide(bot, game, position, *moves):
    """What a bot does in a position given as data, after these moves."""
    state = find(game).codec.state_from_json(position)
    for move in moves:
        state.apply(move)
    seat = state.to_move()
    player = make(bot, game, state.view(seat).config, seat=seat)
    return player.choose(Turn(1, state.view(seat), tuple(state.legal()), CONTROL.per_move, 0.0))


@pytest.mark.parametrize("bot", ["random", "greedy", "search"])
def test_these_play_every_game(bot):
    assert set(bots_of(bot)) == set(games())


@pytest.mark.parametrize("bot", ["random", "greedy", "search"])
def test_the_manifest_names_the_games_that_are_served(bot):
    assert set(read_manifest(SAMPLES / bot).games) == set(bots_of(bot))


@pytest.mark.parametrize(("bot", "name"), SERVED)
def test_they_move_legally_in_every_variant(bot, name):
    game = find(name)
    for variant in variants(game):
        state, rng = game.start(variant.config, 5), stream(5, name)
        seats = range(variant.seats)
        players = [make(bot, name, variant.config, seat=seat, seats=variant.seats) for seat in seats]
        for number in range(8):
            seat = state.to_move()
            turn = Turn(number, state.view(seat), tuple(state.legal()), CONTROL.per_move, 0.0)
            copy = state.clone()
            for move in players[seat].choose_several(turn):
                assert copy.to_move() == seat
                copy.apply(move)
            for _ in range(5):
                if state.to_move() is not None:
                    state.apply(choice(rng, state.legal()))
            if state.to_move() is None:
                break


def test_modules_of_the_same_name_do_not_meet():
    assert {"greedy", "search"} <= {bot for bot, _ in SERVED}
    assert "kingdoms" not in sys.modules


# -- greedy: Claim ------------------------------------------------------------------------------------------


def follow(lead, hand, prize=None):
    """What greedy plays from this hand to a lead, in phase 1 if there is a prize."""
    rest = [42, 43, 44, 46, 47, 48, 49][: len(hand) - 1]
    phase = {"phase": 2} if prize is None else {"phase": 1, "deck": [prize, *range(30, 30 + 2 * len(hand) - 1)]}
    return decide("greedy", "claim", phase | {"leader": 0, "lead": lead, "seats": [{"hand": rest}, {"hand": hand}]})


def test_a_good_prize_is_won_with_the_cheapest_card_that_does_it():
    assert follow(3, [1, 5, 9], prize=39) == 5


def test_a_poor_prize_is_left_to_the_other():
    assert follow(3, [1, 5, 9], prize=0) == 1


def test_undead_make_a_trick_worth_winning():
    assert follow(23, [21, 25], prize=0) == 25


def test_dwarves_go_to_the_loser():
    assert follow(15, [12, 18]) == 12


def test_votes_are_won_cheaply():
    assert follow(33, [32, 35, 39]) == 35


# -- greedy: 7 Kingdoms -------------------------------------------------------------------------------------

ALONE = {"acted": 2, "row": [1, 9, 17, 25, 33, 41, 49], "revealed": [1, 5], "face_down": [2, 3, 4, 6, 7, 8]}


def alone(played, **mine):
    """Seat 0 has played this card and seat 1 sits the round out."""
    return ALONE | {"seats": [{"hand": [2, 3], "played": played, **mine}, {"hand": [4, 5]}]}


def test_the_card_that_takes_most_is_played():
    row = {"row": [8, 9, 17, 25, 33, 41, 49]}
    assert decide("greedy", "kingdoms", row | {"seats": [{"hand": [16, 40, 44]}, {"hand": [10, 20, 43]}]}) == 16


def test_a_king_takes_four_and_never_leaves_a_king():
    taken = decide("greedy", "kingdoms", alone(6)) - find("kingdoms").codec.move_from_json({"take": 0})
    assert taken.bit_count() == 4
    assert taken & 1


@pytest.mark.parametrize(("slot", "place"), [(4, "HAND"), (6, "KINGDOM")])
def test_strong_cards_stay_in_hand(slot, place):
    codec = find("kingdoms").codec
    taken = decide("greedy", "kingdoms", alone(36), codec.move_from_json({"take": 1 << slot - 1}))
    assert taken == codec.move_from_json({"place": f"KINGDOMS_PLACE_{place}"})


@pytest.mark.parametrize(("kingdom", "token"), [([15, 22], 5), ([], 1)])
def test_a_bishop_lays_the_big_token_where_his_kingdom_leads(kingdom, token):
    position = alone(11, kingdom=kingdom) | {"coats": [1, 2, 3, 4, 5, 6, 7]}
    position["seats"][1]["kingdom"] = [29]
    assert decide("greedy", "kingdoms", position) == find("kingdoms").codec.move_from_json({"token": token})


# -- strength -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("game", "deals"), [("claim", 60), ("kingdoms", 8)])
def test_greedy_beats_random(game, deals):
    contest = Contest(game, 2, "greedy:random", "none")
    results = [play_deal(contest, seed) for seed in range(deals)]
    assert not any(deal.forfeits for deal in results)
    assert Rate.of([sum(deal.rewards) / 2 for deal in results]).mean > 0.6


@pytest.fixture
def _no_heap_of_other_tests():
    """Python looks through all that other tests have left behind, and a bot in this process would pay for it."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.real(reason="search thinks by the clock")
@pytest.mark.slow
@pytest.mark.usefixtures("_no_heap_of_other_tests")
def test_search_beats_random_at_a_full_table():
    deals = [play_deal(Contest("kingdoms", 4, "search:random", "cpu:0.02s/move"), seed) for seed in range(1)]
    assert Rate.of([reward for deal in deals for reward in deal.rewards]).mean > 0.6
