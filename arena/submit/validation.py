"""The matches that a submitted bot must play without a fault before it is registered."""

from arena.bots.running import RunningBot
from arena.contestant.check.report import CheckFailed
from arena.contestant.check.trials import Trials
from arena.errors import BotFault
from arena.game import AnyGame
from arena.referee.faults import verdict_of


async def validate(game: AnyGame, bot: RunningBot, trials: Trials) -> int:
    """Play from every seat at every size of table; how many matches it took. CheckFailed if the bot was at fault."""
    try:
        await bot.start()
        for seats in range(game.info.min_seats, game.info.max_seats + 1):
            for seat in range(seats):
                await trials.play(bot, seat=seat, seats=seats)
    except BotFault as fault:
        raise CheckFailed(verdict_of(fault), "") from fault
    finally:
        await bot.close()
    return len(trials.records)
