"""A small field whose bots play inside the referee: the real `arena tournament`, in a second."""

from arena import registry
from arena.builtin import RandomBot
from arena.host import LocalBot
from arena.match import Contestant
from arena.sdk import Session

GAME = "claim"
BOTS = {"one": 1, "two": 2, "three": 3}
"""Names, and the seeds of their moves."""


def make_bots(folder):
    """A folder for each bot, with all that is needed to register it."""
    for name in BOTS:
        (folder / name).mkdir()
        toml = f'name = "{name}"\nversion = "1"\ngames = ["{GAME}"]\ncommand = ["python3", "bot.py"]\n'
        (folder / name / "bot.toml").write_text(toml)


def tournament_words(folder, address, *, rounds):
    """The command that plays them all against each other."""
    bots = ",".join(str(folder / name) for name in BOTS)
    words = ["tournament", "--game", GAME, "--bots", bots, "--rounds", str(rounds), "--seed", "5"]
    return [*words, "--sandbox", "process", "--clock", "none", "--db", str(address)]


def player(entry, boxes):
    """Stands for `running_bot`: the bot as a player inside the referee."""

    def session():
        return Session(registry.find(GAME), RandomBot(BOTS[entry.name])).handle

    return LocalBot(Contestant(entry.name, entry.version, entry.digest), session)
