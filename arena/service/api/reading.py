"""What the API tells of the contest and its results, to whoever may see it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from arena.contest.people import Person
from arena.contest.settings import Contest
from arena.errors import UsageError
from arena.service.api.answers import (
    BotAnswer,
    ContestAnswer,
    MatchAnswer,
    PersonAnswer,
    RatingAnswer,
    TournamentAnswer,
)
from arena.service.api.operations import BEFORE, GAME, LIMIT, PAGE, Answer, Batch, Operation, Parameter, batch
from arena.standings.table import Standings
from arena.store.base import BotEntry
from arena.store.sql import Store


class Missing(Exception):
    """There is no such thing, or nobody may know of it."""


@dataclass(frozen=True, slots=True)
class Results:
    """Where results come from, and how owners are shown to somebody."""

    contest: Contest
    store: Store
    tables: Callable[[], Mapping[str, Standings]]
    """The tables of the latest snapshot, by game."""
    shown_owner: Callable[[str, Person | None], str]


@dataclass(frozen=True, slots=True)
class Reading:
    """The operations that only read."""

    results: Results

    def operations(self) -> list[Operation]:
        """All of them."""
        game = Parameter("game", "path", "the name of a game", pattern=GAME.pattern)
        bot = Parameter("bot", "path", "the id of a version of a bot", number=True)
        tournament = Parameter("tournament", "path", "the id of a tournament", number=True)
        match = Parameter("match", "path", "the id of a match", pattern="[1-9][0-9]{0,8}-[0-9a-f]{1,32}")
        of_bot = Parameter("bot", "query", "only of this version of a bot", number=True)
        of_tournament = Parameter("tournament", "query", "only of this tournament", number=True)
        pages = (BEFORE, LIMIT)
        return [
            Operation("GET", "/contest", "contest", "What the contest is", Answer(ContestAnswer), self.contest),
            Operation("GET", "/me", "me", "Whose token this is", Answer(PersonAnswer), self.me, token=True),
            Operation(
                "GET", "/ratings/{game}", "ratings", "The table of a game", Answer(RatingAnswer, many=True),
                self.ratings, [game], standings=True,
            ),
            Operation(
                "GET", "/bots", "bots", "Versions of bots, the newest first", Answer(BotAnswer, many=True, paged=True),
                self.bots, [GAME, *pages], standings=True,
            ),
            Operation("GET", "/bots/{bot}", "bot", "A bot", Answer(BotAnswer), self.bot, [bot], standings=True),
            Operation(
                "GET", "/tournaments", "tournaments", "Tournaments, the newest first",
                Answer(TournamentAnswer, many=True, paged=True), self.tournaments, [GAME, *pages], standings=True,
            ),
            Operation(
                "GET", "/tournaments/{tournament}", "tournament", "A tournament", Answer(TournamentAnswer),
                self.tournament, [tournament], standings=True,
            ),
            Operation(
                "GET", "/matches", "matches", "Matches, the newest first", Answer(MatchAnswer, many=True, paged=True),
                self.matches, [GAME, of_bot, of_tournament, *pages], standings=True,
            ),
            Operation(
                "GET", "/matches/{match}/record", "record", "The record of a match, for `arena replay`", None,
                self.record, [match], standings=True,
            ),
        ]  # fmt: skip

    def contest(self, person: Person | None) -> ContestAnswer:  # noqa: ARG002  (the same for everybody)
        known = self.results.contest.settings
        return ContestAnswer(
            known.title, known.about, known.games, known.clock, known.standings, known.opens, known.closes,
            known.is_open(datetime.now(UTC)),
        )  # fmt: skip

    def me(self, person: Person) -> PersonAnswer:
        return PersonAnswer.of(person)

    def ratings(self, person: Person | None, game: str) -> Batch:
        tables = self.results.tables()
        if game not in tables:
            raise Missing("there is no such game")
        return Batch([RatingAnswer.of(row, self._owner(row.bot, person)) for row in tables[game].rows])

    def bots(
        self, person: Person | None, game: str | None = None, before: int | None = None, limit: int = PAGE
    ) -> Batch:
        chosen = (
            bot
            for bot in self.results.store.all_bots()
            if bot.on_ladder and game in (None, *bot.games) and (before is None or bot.id < before)
        )
        found = sorted(chosen, key=lambda bot: -bot.id)[:limit]
        return batch(found, limit, lambda bot: BotAnswer.of(bot, self._owner(bot, person)), lambda bot: bot.id)

    def bot(self, person: Person | None, bot: int) -> BotAnswer:
        found = next((known for known in self.results.store.all_bots() if known.id == bot), None)
        if found is None:
            raise Missing("there is no such bot")
        return BotAnswer.of(found, self._owner(found, person))

    def tournaments(
        self,
        person: Person | None,  # noqa: ARG002  (the same for everybody)
        game: str | None = None,
        before: int | None = None,
        limit: int = PAGE,
    ) -> Batch:
        found = self.results.store.tournament_summaries(game=game, before=before, limit=limit)
        return batch(found, limit, TournamentAnswer.of, lambda summary: summary.entry.id)

    def tournament(self, person: Person | None, tournament: int) -> TournamentAnswer:  # noqa: ARG002
        found = self.results.store.tournament_summaries(before=tournament + 1, limit=1)
        if not found or found[0].entry.id != tournament:
            raise Missing("there is no such tournament")
        return TournamentAnswer.of(found[0])

    def matches(
        self,
        person: Person | None,  # noqa: ARG002
        game: str | None = None,
        bot: int | None = None,
        tournament: int | None = None,
        before: int | None = None,
        limit: int = PAGE,
    ) -> Batch:
        found = self.results.store.latest_matches(
            game=game, bot_id=bot, tournament_id=tournament, before=before, limit=limit
        )
        return batch(found, limit, MatchAnswer.of, lambda match: match.number)

    def record(self, person: Person | None, match: str) -> bytes:  # noqa: ARG002
        tournament, _, name = match.partition("-")
        try:
            return self.results.store.record(int(tournament), name)
        except UsageError as error:
            raise Missing("there is no such match") from error

    def _owner(self, bot: BotEntry, person: Person | None) -> str:
        return self.results.shown_owner(bot.owner, person)
