"""Every bot has the engines: a seed that it can guess shows it the hands of all others, in every game with secrets."""

import json

import pytest

from arena.bots.builtin import RandomBot
from arena.bots.running import LocalBot
from arena.bots.table import Table
from arena.cli.main import main
from arena.match import Contestant, MatchStart
from arena.referee import record
from arena.referee.enforcement import GIVEN_SEED, weak_limits
from arena.registry import find
from arena.rng import draw_seed
from arena.sdk import Session
from engines.claim import GAME
from tests.hostile.neighbour import CALM, SEED, make_spec
from tests.kits.contestants import arena

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="tournaments are played by worker processes")]

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


async def test_the_name_that_bots_are_told_is_random_and_stands_in_the_record():
    told = []

    def session():
        handle = Session(GAME, RandomBot(1)).handle

        def listen(request):
            if isinstance(said := GAME.codec.read_request(request), MatchStart):
                told.append(said.match_id)
            return handle(request)

        return listen

    async with Table([LocalBot(Contestant(name), session) for name in "ab"]) as table:
        first, second = [await table.play(GAME, make_spec("ab", SEED, CALM), (0, 1)) for _ in range(2)]
    assert told == [first.shown_id] * 2 + [second.shown_id] * 2
    assert len({first.shown_id, second.shown_id, first.spec.match_id}) == 3
    assert len(bytes.fromhex(first.shown_id)) == 8
    assert (
        first.spec.match_id
        == second.spec.match_id
        == record.match_id(GAME, first.spec.config, SEED, first.spec.contestants)
    )
    assert record.load(record.dump(first, GAME), find).shown_id == first.shown_id


GUESSABLE = "seed: given, so deals could be guessed"


@pytest.mark.parametrize("words", [("--seed", 42), ()], ids=["given", "drawn"])
def test_a_given_seed_is_said_to_be_guessable_in_record_table_and_list(tmp_path, words):
    given, out = bool(words), tmp_path / "game.arena"
    played = arena("match", "--game", "claim", "--out", out, *words)
    assert (f"the seed was {GIVEN_SEED}" in " ".join(played.output.split())) is given
    assert any(GUESSABLE in limit for limit in weak_limits(record.read(out, find).sandboxes)) is given
    db = ("--db", tmp_path / "db")
    tournament = arena("tournament", "--game", "claim", "--bots", "random,first", "--rounds", 1, *words, *db)
    assert tournament.exit_code == 0, tournament.output
    (row,) = json.loads(arena("tournament", "list", "--json", *db).stdout)
    assert any(GUESSABLE in limit for limit in row["weak_limits"]) is given
    assert (GUESSABLE in " ".join(arena("ratings", "--game", "claim", *db).stdout.split())) is given
    assert arena("verify", *db).exit_code == 0
