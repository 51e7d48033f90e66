"""The page of `arena history --html`: the ratings of a bot over time, and its latest matches."""

from collections.abc import Mapping

from arena import registry
from arena.cli.history import match_row, result_of, seat_of
from arena.standings.history import read_history
from arena.standings.ladder import versions_of
from arena.store.base import BotEntry, MatchEntry
from arena.store.sql import Store
from arena.web.charts import Mark
from arena.web.history_chart import history_chart
from arena.web.reports import GameHistory, history_page

MARKS = 500
"""How many results are drawn at most, the newest ones."""


def page(store: Store, bot: BotEntry, last: int) -> str:
    """The page of this bot, with so many matches of each game."""
    return history_page(bot.label, _courses(store, bot, last))


def _courses(store: Store, bot: BotEntry, last: int) -> list[GameHistory]:
    """The bot's course in each game that it played."""
    known = {entry.id: entry for entry in store.all_bots()}
    versions, courses = versions_of(known.values(), bot.name), []
    for name in sorted({summary.entry.game for summary in store.tournament_summaries(bot_id=bot.id)}):
        game = registry.find(name)
        history = read_history(store, name, game.info.roles, list(known.values()), guest=bot)
        newest = [match.entry for match in store.latest_matches(game=name, bot_id=bot.id, limit=max(last, MARKS))]
        rows = [match_row(store, match, bot.id, known) for match in newest[:last]]
        marks = [_mark(store, match, bot.id, known) for match in reversed(newest[:MARKS])]
        courses.append(GameHistory(game.info.title, history_chart(history, versions, bot), marks, rows))
    return courses


def _mark(store: Store, match: MatchEntry, bot_id: int, known: Mapping[int, BotEntry]) -> Mark:
    result_of_bot = match.seats[seat_of(match, bot_id)]
    others = ", ".join(known[result.bot_id].label for result in match.seats if result.bot_id != bot_id)
    shared = sum(result.rank == result_of_bot.rank for result in match.seats) > 1
    kind = "lost" if result_of_bot.rank > 1 else "drawn" if shared else "won"
    kind = "fault" if result_of_bot.at_fault else kind
    words = result_of(store, match, [known[result.bot_id].label for result in match.seats])
    return Mark(kind, f"{kind} against {others}: {words}")
