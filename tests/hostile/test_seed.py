"""Every bot has the engines: a seed that it can guess shows it the hands of all others, in every game with secrets."""

from arena.cli.main import main
from arena.rng import draw_seed

LIKELY = 2**40
"""Seeds below this can be tried in the time of a tournament, against one's own hand or the name of the match."""


def test_no_command_deals_from_a_seed_that_everybody_knows():
    commands = [main.get_command(None, name) for name in ("match", "tournament")]
    seeds = [option for command in commands for option in command.params if option.name == "seed"]
    assert len(seeds) == 2
    assert not any(isinstance(option.default, int) for option in seeds)


def test_a_drawn_seed_cannot_be_guessed():
    assert len({draw_seed() for _ in range(100)}) == 100
    assert max(draw_seed() for _ in range(100)) >= LIKELY
