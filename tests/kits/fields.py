"""A small field whose bots play inside the referee: the real `arena tournament`, in a second."""

from arena import registry
from arena.bots.builtin import RandomBot
from arena.bots.files import folder_digest
from arena.bots.reserved import LOCAL_OWNER
from arena.bots.running import LocalBot
from arena.sdk import Session
from arena.store.sql import Store
from tests.kits.contestants import arena
from tests.kits.tournaments import InlineExecutor

GAME = "claim"
BOTS = {"one": 1, "two": 2, "three": 3}
"""Names, and the seeds of their moves."""


class TalkingBot(LocalBot):
    """A player inside the referee that has printed something."""

    def log(self):
        return f"I am {self.contestant.name}"


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


def play_tournament(folder, *, rounds):
    """Play them all against each other by the command; the store with the finished tournament."""
    make_bots(folder)
    store = Store(folder / "arena.db")
    for name in BOTS:  # so that they have versions that a test can name
        store.add_bot(
            name=name, version="1", owner=LOCAL_OWNER, digest=folder_digest(folder / name), origin=str(folder / name),
            games=[GAME], tried=True,
        )  # fmt: skip
    store.close()
    words = tournament_words(folder, folder / "arena.db", rounds=rounds)
    result = arena(*words, make_executor=inline_executor)
    assert result.exit_code == 0, result.output
    return folder / "arena.db"


def inline_executor(plan, *, concurrency, on_event, spectator=None):
    """Stands for LocalExecutor: the bots are players inside of this process."""
    game = registry.find(GAME)

    def make_bot(number):
        contestant = plan.bots[number].contestant
        return TalkingBot(contestant, lambda: Session(game, RandomBot(BOTS[contestant.name])).handle)

    return InlineExecutor(
        game, make_bot, tournament=plan.tournament, bot_ids=plan.bot_ids, concurrency=concurrency, fresh=plan.fresh
    )
