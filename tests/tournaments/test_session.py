"""The session of a tournament, with an executor that it is given."""

from contextlib import nullcontext

import pytest

from arena.schedules.budget import Budget
from arena.tournaments.formats import schedule_of
from arena.tournaments.monitor import Monitor
from arena.tournaments.session import Halt, play_tournament
from arena.tournaments.settings import Settings
from arena.tournaments.tournament import Tournament
from tests.kits.tournaments import InlineExecutor, World


class Screen(nullcontext):
    """Shows nothing, and remembers what was said and noted."""

    def __init__(self):
        super().__init__(self)
        self.said, self.noted = [], []

    def stop_after(self, number, executor):
        self.number, self.executor = number, executor

    def note(self, entry):
        self.noted.append(entry.match_id)
        if len(self.noted) == self.number:
            self.executor.stop()

    def say(self, sentence):
        self.said.append(sentence)


@pytest.mark.parametrize(("stop_after", "halt"), [(None, None), (2, Halt.BUDGET)])
def test_it_plays_on_the_executor_that_it_is_given(tmp_path, stop_after, halt):
    world, screen, events = World(tmp_path / "db"), Screen(), []

    def make_executor(on_event, spectator, say):
        say("played here")
        executor = InlineExecutor(world.game, world.make_bot, tournament=1, bot_ids=[bot.id for bot in world.field])
        screen.stop_after(stop_after, executor)
        return executor

    with Tournament.start(world.game, world.settings, world.field, world.store) as tournament:
        ended = play_tournament(
            tournament, screen, make_executor, place="there", concurrency=3, budget=Budget(),
            monitor=Monitor(world.store, [events.append]),
        )  # fmt: skip
    assert (ended, screen.said) == (halt, ["played here"])
    assert set(screen.noted) == {match.match_id for match in world.store.matches()}
    assert len(screen.noted) == (stop_after or 12)
    assert (events[0].executor, events[0].tables, events[0].game) == ("there", 3, world.settings.game)
    assert world.store.runs() == []


def test_settings_and_schedule_are_made_once_by_a_command(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr("arena.tournaments.tournament.schedule_of", lambda each: made.append(each) or schedule_of(each))
    monkeypatch.setattr(Settings, "from_json", lambda _: pytest.fail("they are known"))
    World(tmp_path / "db").run()
    assert len(made) == 1
