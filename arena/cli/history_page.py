"""The page of `arena history --html`: the ratings of a bot over time, and its latest matches."""

from collections.abc import Mapping

from arena import registry
from arena.cli.history import match_row, seat_of
from arena.ratings.standings import rating_course
from arena.store.base import BotEntry, MatchEntry
from arena.store.lookup import bots_in
from arena.store.sql import Store
from arena.web.charts import Interval, Mark
from arena.web.reports import Course, history_page

STEPS = 24
"""How many points the curve of a rating has at most."""
MARKS = 500
"""How many results are drawn at most, the newest ones."""


def page(store: Store, bot: BotEntry, last: int) -> str:
    """The page of this bot, with so many matches of each game."""
    return history_page(bot.label, _courses(store, bot, last))


def _courses(store: Store, bot: BotEntry, last: int) -> list[Course]:
    """The bot's course in each game that it played."""
    known = {entry.id: entry for entry in store.all_bots()}
    courses = []
    for name in sorted({summary.entry.game for summary in store.tournament_summaries(bot_id=bot.id)}):
        game = registry.find(name)
        field = [entry for entry in bots_in(store, game=name) if entry.on_ladder or entry.id == bot.id]
        games = sum(tally.matches for tally in store.seat_tallies(game=name, bot_id=bot.id))
        steps = rating_course(store.results(game=name), field, game.info.roles, bot=bot, games=games, steps=STEPS)
        ratings = [
            Interval(f"match {count}", row.mu - 2 * row.field_sigma, row.mu, row.mu + 2 * row.field_sigma)
            for count, row in steps
        ]
        newest = [match.entry for match in store.latest_matches(game=name, bot_id=bot.id, limit=max(last, MARKS))]
        rows = [match_row(match, bot.id, known) for match in newest[:last]]
        marks = [_mark(match, bot.id, known) for match in reversed(newest[:MARKS])]
        courses.append(Course(game.info.title, ratings, marks, rows))
    return courses


def _mark(match: MatchEntry, bot_id: int, known: Mapping[int, BotEntry]) -> Mark:
    result_of_bot = match.seats[seat_of(match, bot_id)]
    others = ", ".join(known[result.bot_id].label for result in match.seats if result.bot_id != bot_id)
    shared = sum(result.rank == result_of_bot.rank for result in match.seats) > 1
    kind = "lost" if result_of_bot.rank > 1 else "drawn" if shared else "won"
    kind = "fault" if result_of_bot.at_fault else kind
    return Mark(kind, f"{kind} against {others}: {match.reason}")
