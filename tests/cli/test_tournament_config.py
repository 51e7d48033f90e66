"""A tournament as a file: everything that the options say, printed and read back, and deals from a file."""

import tomllib

import click
import pytest

from arena.cli.test import test as command_of_tests
from arena.cli.tournament import tournament
from arena.cli.tournament_config import check_seeds, read_seeds
from arena.errors import UsageError
from arena.store.sql import Store
from arena.tournaments.settings import Settings
from tests.kits.contestants import arena

PLAYED = pytest.mark.real(reason="tournaments are played by worker processes")

BOTS = ("--bots", "random,first")


@pytest.fixture
def db(tmp_path):
    return ("--db", tmp_path / "db")


def settings_of(db, number=1):
    store = Store(str(db[1]))
    try:
        return Settings.from_json(store.tournament(number).settings), store.matches(tournament_id=number)
    finally:
        store.close()


def play(*words):
    played = arena("tournament", *words)
    assert played.exit_code == 0, played.output
    return played


@pytest.mark.slow
@PLAYED
def test_players_inside_the_referee_take_part_by_name(db):
    play("--game", "claim", *BOTS, "--rounds", 1, "--seed", 5, *db)
    settings, matches = settings_of(db)
    assert [name for name, _, _ in settings.bots] == ["random", "first"]
    assert len(matches) == 2


@pytest.mark.slow
@PLAYED
def test_a_tournament_prints_the_file_that_plays_it_again(db, tmp_path):
    words = ("--game", "assassins", *BOTS, "--format", "gauntlet", "--rounds", 1, "--seed", 5, "--option", "board=b")
    play(*words, "--clock", "1s/move+10s", "--strikes", 2, "--fresh", "match", "--memory", "256m", "--cpus", 0.5, *db)
    printed = arena("tournament", "show-config", 1, *db)
    assert printed.exit_code == 0, printed.output
    content = tomllib.loads(printed.stdout)
    assert (content["options"], content["memory"], content["cpus"]) == ({"board": "b"}, "256m", 0.5)
    file = tmp_path / "cup.toml"
    file.write_text(printed.stdout)
    play("--config", file, *db)
    first, again = settings_of(db, 1), settings_of(db, 2)
    assert first[0] == again[0]
    assert [match.match_id for match in first[1]] == [match.match_id for match in again[1]]


@pytest.mark.slow
@PLAYED
def test_what_is_typed_counts_instead_of_the_file(db, tmp_path):
    file = tmp_path / "cup.toml"
    file.write_text('game = "claim"\nbots = ["random", "first"]\nrounds = 3\nseed = 9\nclock = "2s/move"\n')
    play("--config", file, "--rounds", 1, *db)
    settings, matches = settings_of(db)
    assert (settings.rounds, settings.seed, settings.clock, len(matches)) == (1, 9, "2s/move", 2)


@pytest.mark.parametrize("command", [tournament, command_of_tests], ids=["tournament", "test"])
def test_every_option_can_stand_in_a_file(command, tmp_path):
    file = tmp_path / "cup.toml"
    values = {"bots": '["x"]', "seeds": "[1]", "options": '{ a = "b" }', "sprt": "{ elo0 = 1 }"}
    values |= {"ponder": "true", "json": "true"}
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    names = {name.removeprefix("--") for option in options for name in option.opts} - {"config", "help"}
    names = {"options" if name == "option" else name for name in names} | {"bots"}
    assert len(names) > 15
    file.write_text("\n".join(f"{name} = {values.get(name, '1')}" for name in sorted(names)))
    with click.Context(command) as context:
        config = next(parameter for parameter in command.params if parameter.name == "config")
        config.process_value(context, str(file))
        assert len(context.default_map) == len(names)


@pytest.mark.slow
@PLAYED
def test_a_test_prints_the_file_that_plays_it_again(db, tmp_path):
    words = ("--game", "claim", "--max-pairs", 3, "--seed", 5, "--sprt", "elo0=-5", "elo1=30.5", "alpha=0.01")
    words = (*words, "--clock", "10s/move", "--strikes", 2, "--option", "first_leader=1", *db)
    assert arena("test", "first", "random", *words).exit_code == 0
    printed = arena("tournament", "show-config", 1, *db)
    assert printed.exit_code == 0, printed.output
    content = tomllib.loads(printed.stdout)
    assert (content["bots"], content["max-pairs"]) == (["first@built-in", "random@built-in"], 3)
    assert content["sprt"] == {"elo0": -5, "elo1": 30.5, "alpha": 0.01, "beta": 0.05}
    file = tmp_path / "test.toml"
    file.write_text(printed.stdout)
    again = arena("test", "--config", file, *db)
    assert again.exit_code == 0, again.output
    first, second = settings_of(db, 1), settings_of(db, 2)
    assert first[0] == second[0]
    assert [match.match_id for match in first[1]] == [match.match_id for match in second[1]]
    assert arena("tournament", "--config", file, *db).stderr == (
        f"Error: {file} is the file of a test: `arena test --config {file}` plays it\n"
    )


@pytest.mark.slow
@PLAYED
def test_what_is_typed_counts_instead_of_the_file_of_a_test(db, tmp_path):
    file = tmp_path / "test.toml"
    file.write_text(
        'game = "claim"\nbots = ["random", "first"]\nmax-pairs = 3\nseed = 9\nsprt = { elo1 = 20, alpha = 0.01 }\n'
    )
    swapped = ("test", "first", "random", "--config", file, "--max-pairs", 1, "--sprt", "elo0=-3", "elo1=40", *db)
    assert arena(*swapped).exit_code == 0
    settings, matches = settings_of(db)
    assert [name for name, _, _ in settings.bots] == ["first", "random"]
    assert (settings.seed, len(matches)) == (9, 2)
    assert settings.goal == {"elo0": -3, "elo1": 40, "alpha": 0.01, "beta": 0.05, "most": 1}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("bots = ['random']", "a test is between two bots, but 1 were named"),
        ("sprt = 7", "sprt must be a table of numbers"),
        ("sprt = { elo0 = 'much' }", "sprt must be a table of numbers"),
        ("sprt = { elo2 = 7 }", "a test has no 'elo2'"),
        ("rounds = 3", "has the unknown key 'rounds': it knows bots, "),
        ("json = 1", "json must be true or false"),
    ],
)
def test_a_bad_file_of_a_test_is_one_sentence_and_nothing_is_kept(text, complaint, db, tmp_path):
    file = tmp_path / "test.toml"
    bots = "" if text.startswith("bots") else 'bots = ["random", "first"]\n'
    file.write_text(f'{text}\n{bots}game = "claim"')
    refused = arena("test", "--config", file, *db)
    assert refused.exit_code == 2, refused.output
    assert complaint in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not db[1].exists()


BAD = [
    ("colour = 1", "has the unknown key 'colour': it knows bots, "),
    ("config = 'x'", "has the unknown key 'config'"),
    ("bots = 'a,b'", "bots must be a list of texts"),
    ("bots = ['a,b']", "bots must be a list of texts"),
    ("seeds = 7", "seeds must be a file or a list of numbers"),
    ("options = 7", "options must be a table of texts"),
    ("rounds = [1]", "rounds must be a text or a number"),
    ("rounds = true", "rounds must be a text or a number"),
    ("rounds = 0", "0 is not in the range x>=1"),
    ("clock = 'soon'", "clock 'soon' is not understood"),
    ("seeds = [1, 1]", "the same seed is there twice"),
    ("seeds = [-1]", "a seed is a whole number from 0 to"),
    ("seeds = []", "there must be 1 to 10000 seeds, not 0"),
    ("rounds =", "is not valid TOML"),
    (f"rounds = {'9' * 5000}", "is not valid TOML"),
    (".".join("a" * 300) + " = 1", "has more than 256 dots in one line"),
    ("#" * (1 << 19), "is longer than 256 KiB"),
]


@pytest.mark.parametrize(("text", "complaint"), BAD, ids=[complaint for _, complaint in BAD])
def test_a_bad_file_is_one_sentence_and_nothing_is_kept(text, complaint, db, tmp_path):
    file = tmp_path / "cup.toml"
    file.write_text(f'{text}\ngame = "claim"')
    refused = arena("tournament", "--config", file, *BOTS, *db)
    assert refused.exit_code == 2, refused.output
    assert complaint in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not db[1].exists()


@pytest.mark.slow
@PLAYED
def test_deals_come_from_a_file_of_seeds(db, tmp_path):
    file = tmp_path / "deals.txt"
    file.write_text("# openings\n11\n\n12  # a good one\n13\n")
    play("--game", "claim", *BOTS, "--seeds", file, *db)
    settings, matches = settings_of(db)
    assert (settings.seeds, settings.rounds) == ((11, 12, 13), 3)
    assert [match.seed for match in matches] == [11, 11, 12, 12, 13, 13]
    assert tomllib.loads(arena("tournament", "show-config", 1, *db).stdout)["seeds"] == [11, 12, 13]
    assert arena("verify", *db).exit_code == 0
    play("--game", "claim", *BOTS, "--seeds", file, "--rounds", 1, *db)
    assert [match.seed for match in settings_of(db, 2)[1]] == [11, 11]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--rounds", 4], "4 rounds need 4 seeds, but --seeds has 2"),
        (["--format", "adaptive"], "--seeds are for the rounds of the other formats"),
    ],
)
def test_more_rounds_than_seeds_are_refused(words, complaint, db, tmp_path):
    file = tmp_path / "deals.txt"
    file.write_text("1\n2\n")
    refused = arena("tournament", "--game", "claim", *BOTS, "--seeds", file, *words, *db)
    assert (refused.exit_code, complaint in refused.stderr) == (2, True), refused.output


@pytest.mark.parametrize("text", ["seven", "-1", "1.5", "1e3", "٣", "9" * 17, "1 2"])
def test_a_line_that_is_no_seed_is_named(text, tmp_path):
    file = tmp_path / "deals.txt"
    file.write_text(f"1\n{text}\n")
    with pytest.raises(UsageError, match="line 2 is not a valid seed"):
        read_seeds(file)


def test_seeds_are_bounded():
    with pytest.raises(UsageError, match="1 to 10000 seeds"):
        check_seeds(list(range(10_001)))
    with pytest.raises(UsageError, match="whole number"):
        check_seeds([True])
    with pytest.raises(UsageError, match="whole number"):
        check_seeds([2**53])


@pytest.mark.slow
@PLAYED
def test_deals_are_own_unless_seeds_or_the_option_say_otherwise(db):
    play("--game", "claim", *BOTS, "--rounds", 1, *db)
    play("--game", "claim", *BOTS, "--rounds", 1, "--deals", "common", *db)
    assert [settings_of(db, number)[0].deals for number in (1, 2)] == ["own", "common"]
    assert tomllib.loads(arena("tournament", "show-config", 2, *db).stdout)["deals"] == "common"


@pytest.mark.slow
def test_chosen_seeds_are_never_a_groups_own(db, tmp_path):
    file = tmp_path / "deals.txt"
    file.write_text("11\n")
    refused = arena("tournament", "--game", "claim", *BOTS, "--seeds", file, "--deals", "own", *db)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "--seeds are played by all groups" in refused.stderr
