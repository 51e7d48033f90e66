"""The picture for a person shows all that his seat knows and betrays nothing else."""

from importlib import import_module
from random import Random

import pytest
from rich.text import Text

from arena.registry import games
from arena.rng import choice, stream

pytestmark = pytest.mark.slow

VARIANTS = [
    pytest.param(game, seats, options, id="-".join((game.info.name, str(seats), *options.values())))
    for game in games().values()
    for seats, options in game.info.variants()
    # What is hidden depends on the number of seats and the set-up of RRR only.
    if all(options[option.name] == option.default for option in game.info.options if option.name != "setup")
]


def positions(game, seats, options, seed):
    """Every position of a game of random moves."""
    state, rng = game.start(game.configure(seats, options), seed), stream(seed, "show-seen")
    yield state
    while state.to_move() is not None:
        state.apply(choice(rng, state.legal()))
        yield state


@pytest.mark.parametrize(("game", "seats", "options"), VARIANTS)
def test_positions_that_a_seat_cannot_tell_apart_look_the_same_to_it(game, seats, options):
    show = import_module(f"engines.{game.info.name}.terminal").show
    differ = False
    for state in positions(game, seats, options, seed=3):
        for seat in range(seats):
            seen = state.view(seat)
            picture = game.render_observation(seen)
            assert Text.from_markup(picture).plain.strip()
            assert picture == show(state, seat), "the picture of an imagined position is not that of the true one"
            assert picture == show(game.imagine(seen, Random(9)), seat)
            differ = differ or picture != game.show(state)
    # The open set-ups of RRR hide only the draws to come, which no picture shows.
    assert differ == (game.info.name != "rrr" or "secret" in options["setup"])


def test_what_is_hidden_is_counted_and_what_is_known_is_drawn():
    game = games()["claim"]
    state = game.start(game.configure(2, {}), 5)
    plain = Text.from_markup(game.render_observation(state.view(1))).plain
    assert plain.count("??") == 13
    own = Text.from_markup(game.show(state)).plain.split("seat 1")[1].splitlines()[0]
    assert own in plain


@pytest.mark.parametrize("name", games())
def test_the_first_position_is_not_wider_than_a_terminal(name):
    game = games()[name]
    for seed in range(10):
        picture = Text.from_markup(game.show(game.start(game.configure(2, {}), seed)), emoji=False)
        assert max(line.cell_len for line in picture.split("\n")) <= 80
